//! The process-wide state behind the API, and the ways to wait for it to change.
//!
//! Each file has one subject and owns its part of the state:
//!
//! * [`memory`], [`mapped`]: what kernels may touch; memory whose addresses the program manages.
//! * [`devices`], [`contexts`]: settings and lost contexts; handles of contexts.
//! * [`streams`], [`events`]: what the program has made, and when records were reached.
//! * [`interprocess`]: what other processes share.
//! * [`registry`], [`modules`]: device code that the program registered, and what is made of it.
//! * [`graphs`]: graphs, and the capture of streams into them.
//! * [`pools`], [`arrays`], [`surfaces`]: objects of these names.
//! * [`lanes`], [`left_out`], [`objects`]: the launch parameters of engine `guard`, the checks that a launch leaves out, and
//!   the textures and surfaces that checks know.
//! * [`work`], [`queue`]: kinds of work, and submitted work until its completion.
//!
//! **Size:** the fields of one state, and the ways to wait for it.

mod arrays;
mod contexts;
mod devices;
mod events;
pub(crate) mod graphs;
mod interprocess;
pub(crate) mod lanes;
mod left_out;
mod mapped;
mod memory;
mod modules;
pub(crate) mod objects;
mod pools;
mod queue;
mod registry;
mod streams;
mod surfaces;
mod work;

pub(crate) use arrays::{Array, Arrays};
pub(crate) use contexts::primary;
use devices::Device;
pub(crate) use devices::Resources;
pub(crate) use events::EventRecord;
pub(crate) use interprocess::{Shared, SharedEvent};
pub(crate) use lanes::Lanes;
use memory::Memories;
pub(crate) use memory::{Memory, MemoryKind, Request};
pub(crate) use modules::{module, restored};
pub(crate) use pools::Pools;
use queue::Queue;
pub(crate) use queue::{Op, OpId};
pub(crate) use registry::{Function, Made, Registry, Variable};
pub(crate) use surfaces::Surfaces;
pub(crate) use work::{HostFunction, Work};

use crate::backend::{self, Backend, KernelWork, Ledger};
use crate::order::{Known, Order, StreamKind};
use crate::output::Output;
use crate::results::Results;
use crate::watch;
use ::events::task::{HostCall, TaskKind};
use ::events::{Finding, SiteId, StreamId, TaskId, TaskInfo, Tell};
use protocol::{RunOptions, WeakOutcome};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// The state, locked.
pub(crate) type Guard = MutexGuard<'static, State>;

pub(crate) struct State {
    order: Order,
    queue: Queue,
    pub(crate) results: Results,
    pub(crate) registry: Registry,
    memory: Memories,
    mapped: mapped::Mapped,
    devices: Vec<Device>,
    contexts: contexts::Contexts,
    streams: streams::Streams,
    events: HashMap<usize, EventRecord>,
    pub(crate) graphs: graphs::Graphs,
    pub(crate) pools: Pools,
    pub(crate) arrays: Arrays,
    pub(crate) surfaces: Surfaces,
    pub(crate) shared: Shared,
    pub(crate) lanes: Lanes,
    objects: instrument::guard::objects::Objects,
    next_handle: usize,
    /// Whether the detector receives the host's own accesses.
    watches_host: bool,
    flights: watch::Flights,
    /// Host segments whose end has not been reported to the detector.
    open_segments: Vec<TaskId>,
    /// The number of host threads that wait for the device.
    blocked_hosts: usize,
    /// Whether the engine thread sleeps. Waking it otherwise would cost a needless system call.
    engine_waits: bool,
    /// Whether the kernels that have begun wait for the host, and nothing else can begin.
    stalled: bool,
    /// The number of launches that have passed the name filters.
    matched_launches: u64,
    /// Whether the launch to be saved has been chosen, since only one is saved.
    launch_saved: bool,
    engine_runs: bool,
    /// Whether this is the child of a fork whose parent had used the device.
    lost_to_fork: bool,
    /// Whether the process ends as soon as its submitted work is done.
    ends: bool,
    /// Whether kernels wait for the host, which ends, so that they never finish.
    left_waiting: bool,
    stamps: events::Stamps,
}

pub(crate) struct Runtime {
    pub(crate) options: RunOptions,
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) output: Arc<Output>,
    state: Mutex<State>,
    /// The engine thread waits here for work.
    pub(crate) engine_wake: Condvar,
    /// Host threads wait here for completions.
    pub(crate) host_wake: Condvar,
}

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// Sets up the process's runtime; only the first call has an effect.
pub(crate) fn initialise(options: RunOptions) -> &'static Runtime {
    RUNTIME.get_or_init(|| Runtime::new(options))
}

/// Returns the process's runtime.
pub(crate) fn get() -> &'static Runtime {
    RUNTIME.get_or_init(|| Runtime::new(RunOptions::default()))
}

/// Returns the runtime if it exists.
pub(crate) fn existing() -> Option<&'static Runtime> {
    RUNTIME.get()
}

impl Runtime {
    fn new(options: RunOptions) -> Runtime {
        let output = Arc::new(Output::default());
        crate::device::name(options.arch);
        let backend = backend::build(&options, output.clone());
        let mut order = Order::new();
        let devices = (0..options.devices.clamp(1, 64))
            .map(|device| Device::new(order.new_stream(device, StreamKind::Legacy)))
            .collect();
        let state = State {
            order,
            queue: Queue::default(),
            results: Results::new(options.results.clone(), backend.engine(), Some(options.replay())),
            registry: Registry::default(),
            memory: Memories::default(),
            mapped: Default::default(),
            devices,
            contexts: Default::default(),
            streams: Default::default(),
            events: HashMap::new(),
            graphs: Default::default(),
            pools: Default::default(),
            arrays: Default::default(),
            surfaces: Default::default(),
            objects: Default::default(),
            shared: Shared::default(),
            lanes: Lanes::default(),
            next_handle: 1,
            watches_host: options.detect || options.trace.is_some(),
            flights: Default::default(),
            open_segments: Vec::new(),
            blocked_hosts: 0,
            engine_waits: false,
            stalled: false,
            matched_launches: 0,
            launch_saved: false,
            engine_runs: false,
            lost_to_fork: false,
            ends: false,
            left_waiting: false,
            stamps: Default::default(),
        };
        Runtime {
            options,
            backend,
            output,
            state: Mutex::new(state),
            engine_wake: Condvar::new(),
            host_wake: Condvar::new(),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks until `ready`, while the engine works.
    pub(crate) fn wait_until<'a>(
        &self,
        mut state: MutexGuard<'a, State>,
        mut ready: impl FnMut(&State) -> bool,
    ) -> MutexGuard<'a, State> {
        if ready(&state) {
            return state;
        }
        state.blocked_hosts += 1;
        while !ready(&state) {
            state = self.host_wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.blocked_hosts -= 1;
        state
    }

    /// Has a query of `known` find what a GPU would have done by then: copies and fills with no kernel among them. Programs leave
    /// `cudaErrorNotReady` behind as the last error, and mistake it for another call's.
    pub(crate) fn settle<'a>(&self, state: MutexGuard<'a, State>, known: &Known) -> MutexGuard<'a, State> {
        match state.queue.is_short() {
            true => self.wait_until(state, |state| state.queue.complete(known) || !state.queue.is_short()),
            false => state,
        }
    }

    /// Waits for `known`, and notes that the host knows it.
    pub(crate) fn wait<'a>(&'a self, state: MutexGuard<'a, State>, known: &Known) -> MutexGuard<'a, State> {
        let mut state = self.wait_until(state, |state| state.queue.complete(known));
        state.host_learns(known);
        drop(state);
        self.output.flush();
        self.lock()
    }

    /// Waits for all work of a device.
    pub(crate) fn wait_device<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        device: u32,
    ) -> MutexGuard<'a, State> {
        let known = state.order.device(device);
        self.wait(state, &known)
    }

    /// Ends the process by the signal that ended its run, if the run was killed.
    pub(crate) fn end_if_abandoned(&self, state: &State) {
        if self.options.owned && state.results.is_abandoned() && processes::exec::is_own() {
            crate::output::complain("warprace: the run was killed, and so ends this process\n");
            // SAFETY: ends the process.
            unsafe { libc::raise(libc::SIGKILL) };
        }
    }

    /// Writes the result file.
    pub(crate) fn write_results(&self, state: &mut State) {
        state.results.write(false, self.backend.listener().account());
    }

    /// Waits until submitted work is done, or waits only for a host that ends. Returns `None` for a process
    /// without such work.
    fn completed(&self) -> Option<MutexGuard<'_, State>> {
        let mut state = self.lock();
        if state.lost_to_fork {
            return None;
        }
        state.ends = true;
        let wakes = state.engine_waits();
        let mut state = self.wait_until_woken(state, wakes);
        state.ends = false;
        state.end_segments();
        Some(state)
    }

    fn wait_until_woken<'a>(&'a self, state: MutexGuard<'a, State>, wakes: bool) -> MutexGuard<'a, State> {
        if wakes {
            self.engine_wake.notify_all();
        }
        self.wait_until(state, |state| state.queue.is_empty() || state.left_waiting)
    }

    /// Completes the result before another program replaces this one.
    pub(crate) fn before_exec(&self) {
        if !self.lock().results.has_worked() {
            return;
        }
        let Some(mut state) = self.completed() else { return };
        let findings = self.backend.listener().findings();
        state.keep_findings(findings);
        state.results.write(true, self.backend.listener().account());
        drop(state);
        self.output.flush();
    }

    /// Restores the state after a failed exec.
    pub(crate) fn after_failed_exec(&self) {
        let mut state = self.lock();
        if state.results.has_something_to_say() {
            self.write_results(&mut state);
        }
    }

    /// Lets submitted work finish at the program's end, and writes the final result.
    pub(crate) fn finish(&self) {
        let Some(mut state) = self.completed() else { return };
        if crate::detour::is_driver_loaded() {
            let what = "the process has loaded NVIDIA's own libcuda.so past warprace: kernels that it launched by that were \
                        not checked";
            state.results.inconclusive(what.into());
        }
        let findings = self.backend.listener().findings();
        state.keep_findings(findings);
        self.backend.listener().sites(state.results.described_sites(), SiteId(0));
        self.backend.listener().end();
        state.results.write(true, self.backend.listener().account());
        drop(state);
        self.output.flush();
    }
}

impl Ledger for Runtime {
    fn limit(&self, text: String) {
        self.lock().results.limit(text);
    }

    fn doubt(&self, text: String) {
        self.lock().results.inconclusive(text);
    }

    fn showed(&self, outcomes: Vec<WeakOutcome>) {
        self.lock().keep_outcomes(outcomes);
    }

    fn keep(&self, findings: Vec<Finding>) {
        let mut state = self.lock();
        if state.keep_findings(findings) {
            self.write_results(&mut state);
        }
    }

    fn explores(&self, task: TaskId, replay: Option<&str>) {
        let mut state = self.lock();
        if state.results.explores(task, replay) {
            self.write_results(&mut state);
        }
    }
}

impl State {
    /// Orders the host after `what`, which it has waited for or has seen complete.
    pub(crate) fn host_learns(&mut self, what: &Known) {
        self.end_segments();
        self.order.host_learns(what);
        watch::learned(&mut self.flights, self.order.host());
    }

    /// Ends the current host segments, since work was submitted or waited for: later host actions belong to a
    /// new segment.
    pub(crate) fn end_segments(&mut self) {
        for task in self.open_segments.drain(..) {
            get().backend.listener().task_end(task);
        }
    }

    /// Returns whether the detector receives the host's own accesses.
    pub(crate) fn watches_host(&self) -> bool {
        self.watches_host
    }

    /// Has the host's accesses come from a recorded session, and not from this process's own instructions.
    pub(crate) fn replays_host(&mut self) {
        self.watches_host = false;
    }

    /// Returns whether nothing runs that goes on by itself: all work is complete, or waits for the host.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_idle() || self.stalled
    }

    /// Records that kernels which waited for the host may go on.
    pub(crate) fn unsettle(&mut self) {
        self.stalled = false;
    }

    /// Records that no kernel goes on by itself, unless other work can begin. Returns whether this is new.
    pub(crate) fn stalls(&mut self) -> bool {
        let stalled = !self.queue.has_ready();
        stalled && !std::mem::replace(&mut self.stalled, true)
    }

    /// Watches the memory that a task may access until the host is ordered after the task.
    pub(crate) fn watch(&mut self, chain: StreamId, task: TaskId, allocations: &[Range<u64>]) {
        watch::flies(&mut self.flights, chain, task, allocations);
    }

    /// Returns whether the process ends as soon as its submitted work is done.
    pub(crate) fn is_ending(&self) -> bool {
        self.ends
    }

    /// Makes the end of the process not wait for kernels that wait for the host.
    pub(crate) fn leave_waiting(&mut self) {
        self.left_waiting = true;
    }

    /// Returns whether host threads wait for the device.
    pub(crate) fn hosts_wait(&self) -> bool {
        self.blocked_hosts > 0
    }

    /// Returns whether the engine thread sleeps.
    pub(crate) fn engine_waits(&self) -> bool {
        self.engine_waits
    }

    /// Records whether the engine thread sleeps.
    pub(crate) fn engine_sleeps(&mut self, waits: bool) {
        self.engine_waits = waits;
    }

    /// Returns true once, for the launch to be saved.
    pub(crate) fn first_to_save(&mut self) -> bool {
        !std::mem::replace(&mut self.launch_saved, true)
    }

    /// Returns a fresh opaque handle. Programs compare handles and test them for null, and small numbers are
    /// special streams.
    pub(crate) fn handle(&mut self) -> usize {
        self.next_handle += 1;
        0x5752_0000_0000 + self.next_handle * 16
    }

    /// Adds findings to the result; returns true if some are new.
    pub(crate) fn keep_findings(&mut self, findings: Vec<Finding>) -> bool {
        let memory = &self.memory;
        self.results.findings(findings, |address| memory.holder(address))
    }

    /// Updates the result file while kernels run, if an update is due.
    pub(crate) fn keep_so_far(&mut self, runtime: &Runtime) {
        let so_far = runtime.backend.listener().so_far();
        if self.results.is_due(so_far.len()) {
            let memory = &self.memory;
            self.results.findings_so_far(so_far, |address| memory.holder(address));
            runtime.end_if_abandoned(self);
            runtime.write_results(self);
        }
    }

    /// Returns whether the filters let the detector receive a launch.
    pub(crate) fn checks(&mut self, options: &RunOptions, launch: &KernelWork) -> bool {
        if !options.detect || !launch.chosen || !options.lets_through(launch.name()) {
            return false;
        }
        let number = self.matched_launches;
        self.matched_launches += 1;
        number >= options.launch_skip
            && options.launch_count.is_none_or(|count| number - options.launch_skip < count)
    }

    /// Returns the segment of a host thread that has accessed memory which kernels may access.
    pub(crate) fn host_segment(&mut self, runtime: &Runtime, thread: u32, call: HostCall) -> TaskId {
        let (id, placed) = self.order.host_segment(thread);
        if let Some(placed) = placed {
            let task = TaskInfo {
                id,
                kind: TaskKind::HostSegment { thread },
                stream: placed.chain,
                after: placed.after,
                call,
                device: 0,
                overlap: None,
                launcher: None,
            };
            self.results.task(&task);
            runtime.backend.listener().task_start(&task);
            self.open_segments.push(id);
        }
        id
    }

    /// Returns whether the engine thread has to be started, and records that it runs.
    pub(crate) fn engine_starts(&mut self) -> bool {
        !std::mem::replace(&mut self.engine_runs, true)
    }

    /// Resets the state in the child of a fork.
    pub(crate) fn after_fork(&mut self) {
        // CUDA's contexts do not survive a fork; a process without one may go on.
        self.lost_to_fork |= self.engine_runs || self.memory.is_reserved();
        self.results = self.results.forked();
        if !self.registry.is_empty() && !self.lost_to_fork {
            self.results.uses_cuda();
        }
    }
}
