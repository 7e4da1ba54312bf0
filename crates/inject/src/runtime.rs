//! The process-wide state behind the API, and the ways to wait in it.

use crate::abi::error::{CudaError, CudaResult};
use crate::abi::properties;
use crate::arena::{Arena, Block};
use crate::backend::{self, Backend, Heap, KernelWork, Ledger, Refused, Region};
use crate::executor::queue::{Mark, Op, OpId, Queue, Work};
use crate::hostmem;
use crate::ipc::Gate;
use crate::order::{Known, Order, Placed, StreamKey, StreamKind};
use crate::output::Output;
use crate::registry::Registry;
use crate::results::Results;
use events::observer::RangeAccess;
use events::task::{AllocKind, HostCall, TaskKind};
use events::{Allocation, Finding, TaskId, TaskInfo, Tell};
use report::protocol::{DeviceFailure, RunOptions};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// What device memory was made by, as far as the API tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryKind {
    Device,
    /// `cudaMallocAsync` and its pools.
    Pool,
    Managed,
    /// `cudaHostAlloc`, `cudaMallocHost`
    Pinned,
    /// `cudaHostRegister`: the program's own pages.
    Registered,
    Variable,
    Heap,
}

impl MemoryKind {
    pub(crate) fn event_kind(self) -> AllocKind {
        match self {
            MemoryKind::Device | MemoryKind::Pool => AllocKind::Device,
            MemoryKind::Managed => AllocKind::Managed,
            MemoryKind::Pinned | MemoryKind::Registered => AllocKind::HostMapped,
            MemoryKind::Variable => AllocKind::Variable,
            MemoryKind::Heap => AllocKind::DeviceHeap,
        }
    }

    /// May the host touch it?
    pub(crate) fn host_accessible(self) -> bool {
        matches!(self, MemoryKind::Managed | MemoryKind::Pinned | MemoryKind::Registered)
    }

    /// Page-locked: asynchronous copies from and to it need no staging.
    pub(crate) fn pinned(self) -> bool {
        matches!(self, MemoryKind::Pinned | MemoryKind::Registered)
    }
}

/// Why a program that shares memory with other processes is not called free of races.
const SHARED: &str = "memory or events are shared with other processes (`cudaIpc…`): accesses of other processes are not checked against these";

/// The state, locked.
pub(crate) type Guard = MutexGuard<'static, State>;

/// An allocation kernels may touch.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
    pub(crate) kind: MemoryKind,
    pub(crate) device: u32,
    pub(crate) flags: u32,
    /// The engine's address of `base`.
    pub(crate) engine: usize,
    /// Absent for registered memory.
    pub(crate) block: Option<Block>,
    pub(crate) call: HostCall,
    pub(crate) name: Option<String>,
}

impl Memory {
    pub(crate) fn description(&self) -> Allocation {
        Allocation {
            base: self.base,
            bytes: self.bytes,
            kind: self.kind.event_kind(),
            name: self.name.clone(),
            call: self.call.clone(),
            device: self.device,
        }
    }
}

pub(crate) struct Device {
    pub(crate) legacy: StreamKey,
    /// What a kernel failed with; every call reports it once the host has noticed.
    fault: Option<CudaError>,
    noticed: bool,
    pub(crate) peers: u64,
    pub(crate) used: u64,
    pub(crate) flags: u32,
    pub(crate) limits: [usize; 8],
    heap: Option<Heap>,
    pub(crate) cache_config: i32,
}

#[derive(Debug)]
pub(crate) struct StreamRecord {
    pub(crate) key: StreamKey,
    pub(crate) device: u32,
    pub(crate) flags: u32,
    pub(crate) priority: i32,
    pub(crate) id: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct EventRecord {
    pub(crate) device: u32,
    pub(crate) flags: u32,
    pub(crate) recorded: Option<Recorded>,
    pub(crate) shared: Option<SharedEvent>,
}

/// An event that other processes may know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedEvent {
    pub(crate) cell: &'static crate::ipc::Cell,
    /// The cell's address, if it is in this process's memory.
    pub(crate) address: Option<u64>,
    /// The number of this process's latest record.
    own: u64,
}

impl SharedEvent {
    pub(crate) fn new(cell: &'static crate::ipc::Cell, address: Option<u64>) -> SharedEvent {
        SharedEvent { cell, address, own: 0 }
    }

    /// The latest record, if another process made it.
    pub(crate) fn foreign(&self) -> Option<Gate> {
        let latest = self.cell.latest();
        (latest.number != self.own && latest.number != 0).then_some(latest)
    }
}

/// What is shared with other processes.
#[derive(Default)]
pub(crate) struct Shared {
    /// Memory of other processes, by its address here, with the number of times that it was opened.
    pub(crate) imports: HashMap<u64, Import>,
    /// Records of interprocess events that were not reached yet, by serial number.
    signals: HashMap<u64, (Gate, Known)>,
    /// What is before all records of interprocess events so far.
    pub(crate) published: Known,
    /// May other processes see this one's memory or events, or it theirs?
    pub(crate) used: bool,
}

pub(crate) struct Import {
    pub(crate) handle: crate::ipc::Handle,
    pub(crate) block: Block,
    pub(crate) opened: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) known: Known,
    /// Which record of the event this is.
    serial: u64,
    /// When everything before it was complete.
    pub(crate) at: Option<Instant>,
}

pub(crate) struct State {
    pub(crate) order: Order,
    pub(crate) queue: Queue,
    pub(crate) results: Results,
    pub(crate) registry: Registry,
    arena: Option<Arena>,
    pub(crate) memory: BTreeMap<u64, Memory>,
    pub(crate) devices: Vec<Device>,
    pub(crate) streams: HashMap<usize, StreamRecord>,
    pub(crate) thread_streams: HashMap<(u32, u32), StreamKey>,
    pub(crate) events: HashMap<usize, EventRecord>,
    pub(crate) graphs: crate::graph::Graphs,
    pub(crate) pools: crate::api::pool::Pools,
    pub(crate) arrays: crate::api::array::Arrays,
    pub(crate) surfaces: crate::api::surface::Surfaces,
    pub(crate) shared: Shared,
    next_handle: usize,
    /// Is the detector interested in the host's own accesses?
    pub(crate) watches_host: bool,
    pub(crate) flights: hostmem::Flights,
    /// Host segments the detector does not know the end of.
    open_segments: Vec<TaskId>,
    /// Host threads that wait for the device.
    pub(crate) blocked_hosts: usize,
    /// The engine thread waits to be woken: telling it otherwise would be a call of the kernel for nothing.
    pub(crate) engine_waits: bool,
    /// Launches that passed the name filters so far.
    matched_launches: u64,
    engine_runs: bool,
    /// A child of a fork whose parent had used the device.
    lost_to_fork: bool,
    last_stamp: Option<Instant>,
    records: u64,
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

/// Sets the process's runtime up; the first call decides.
pub(crate) fn initialise(options: RunOptions) -> &'static Runtime {
    RUNTIME.get_or_init(|| Runtime::new(options))
}

/// The process's runtime.
pub(crate) fn get() -> &'static Runtime {
    RUNTIME.get_or_init(|| Runtime::new(RunOptions::default()))
}

/// The runtime, if there is one already.
pub(crate) fn existing() -> Option<&'static Runtime> {
    RUNTIME.get()
}

/// Starts a thread of ours that takes none of the program's signals.
pub(crate) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) {
    // SAFETY: the sets are initialised before use, and the old mask is put back.
    unsafe {
        let mut all = std::mem::zeroed();
        let mut old = std::mem::zeroed();
        libc::sigfillset(&mut all);
        for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP] {
            libc::sigdelset(&mut all, fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
        let spawned = std::thread::Builder::new().name(name.into()).stack_size(16 << 20).spawn(body);
        libc::pthread_sigmask(libc::SIG_SETMASK, &old, std::ptr::null_mut());
        if let Err(error) = spawned {
            crate::output::complain(format_args!("warprace: cannot start a thread: {error}\n"));
            std::process::abort();
        }
    }
}

impl Runtime {
    fn new(options: RunOptions) -> Runtime {
        let output = Arc::new(Output::default());
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
            arena: None,
            memory: BTreeMap::new(),
            devices,
            streams: HashMap::new(),
            thread_streams: HashMap::new(),
            events: HashMap::new(),
            graphs: Default::default(),
            pools: Default::default(),
            arrays: Default::default(),
            surfaces: Default::default(),
            shared: Shared::default(),
            next_handle: 1,
            watches_host: options.detect || options.trace.is_some(),
            flights: Default::default(),
            open_segments: Vec::new(),
            blocked_hosts: 0,
            engine_waits: false,
            matched_launches: 0,
            engine_runs: false,
            lost_to_fork: false,
            last_stamp: None,
            records: 0,
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

    /// Submits work that the order has placed.
    pub(crate) fn submit(
        &'static self,
        state: &mut State,
        placed: Placed,
        kind: TaskKind,
        device: u32,
        call: HostCall,
        work: Work,
    ) -> OpId {
        let Placed { id, chain, after, overlap, known } = placed;
        let task = TaskInfo { id, kind, stream: chain, after: after.clone(), call, device, overlap };
        state.results.task(&task);
        self.push(state, Op { device, task, after, known, work })
    }

    fn push(&'static self, state: &mut State, op: Op) -> OpId {
        if state.devices.get(op.device as usize).is_some_and(|d| d.fault.is_some()) {
            // A lost context runs nothing more; the host is told when it asks.
            let id = state.queue.push(op);
            if let Some(op) = state.queue.start(id) {
                state.queue.finish(id, op.task.id);
            }
            return id;
        }
        if !state.engine_runs {
            state.engine_runs = true;
            spawn("warprace", || crate::executor::thread::run(get()));
        }
        let id = state.queue.push(op);
        if state.engine_waits {
            self.engine_wake.notify_all();
        }
        id
    }

    /// Blocks until `ready`, letting the engine work.
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

    /// A process whose run was killed ends as its sisters do.
    pub(crate) fn end_if_abandoned(&self, state: &State) {
        if self.options.owned && state.results.is_abandoned() {
            crate::output::complain("warprace: the run was killed, and so ends this process\n");
            // SAFETY: ends the process.
            unsafe { libc::raise(libc::SIGKILL) };
        }
    }

    /// Writes the result file.
    pub(crate) fn write_results(&self, state: &mut State) {
        state.results.write(false, self.backend.listener().account());
    }

    /// The program ends: lets submitted work finish, and writes the last result.
    pub(crate) fn finish(&self) {
        let state = self.lock();
        if state.lost_to_fork {
            return;
        }
        let mut state = self.wait_until(state, |state| state.queue.is_empty());
        state.end_segments();
        if crate::detour::is_driver_loaded() {
            let what = "the process has loaded the CUDA driver, whose API is not served: kernels that it launched \
                        by that were not checked";
            state.results.inconclusive(what.into());
        }
        let findings = self.backend.listener().findings();
        state.keep_findings(findings);
        self.backend.listener().sites(state.results.described_sites(), events::SiteId(0));
        self.backend.listener().end();
        state.results.write(true, self.backend.listener().account());
        drop(state);
        self.output.flush();
    }

    /// Reserves memory and makes it known to kernels and the detector. `None` if there is no room.
    pub(crate) fn allocate(&self, state: &mut State, request: Request) -> CudaResult<u64> {
        let Request { bytes, align, kind, device, flags, call, name } = request;
        state.reserve()?;
        let limited = !kind.host_accessible();
        let used = state.devices.get(device as usize).map_or(0, |d| d.used);
        if bytes > properties::MEMORY || (limited && used + bytes > properties::MEMORY) {
            return Err(CudaError::MEMORY_ALLOCATION);
        }
        let visibility = if kind.host_accessible() {
            crate::arena::Visibility::Host
        } else if kind == MemoryKind::Heap {
            crate::arena::Visibility::Heap
        } else {
            crate::arena::Visibility::Device
        };
        let arena = state.arena.as_mut().ok_or(CudaError::MEMORY_ALLOCATION)?;
        let Some(block) = arena.allocate(bytes, align, visibility) else {
            // The device would have had room for it.
            state.no_room("what the system grants of it is used up");
            return Err(CudaError::MEMORY_ALLOCATION);
        };
        let engine = arena.engine_view(block.base) as usize;
        let memory =
            Memory { base: block.base, bytes, kind, device, flags, engine, block: Some(block), call, name };
        self.publish(state, memory)?;
        if limited {
            state.devices[device as usize].used += bytes;
        }
        Ok(block.base)
    }

    /// Makes memory known to kernels and the detector.
    pub(crate) fn publish(&self, state: &mut State, memory: Memory) -> CudaResult {
        let mask =
            if memory.kind.host_accessible() { u64::MAX } else { state.accessible_from(memory.device) };
        let region = Region {
            base: memory.base,
            bytes: memory.bytes,
            host: memory.engine,
            kind: memory.kind.event_kind(),
            device: memory.device,
            accessible_from: mask,
        };
        self.backend.map(region).map_err(|_| CudaError::MEMORY_ALLOCATION)?;
        self.backend.listener().alloc(&memory.description());
        state.results.allocated(|| memory.description());
        state.results.counters().allocations += 1;
        state.memory.insert(memory.base, memory);
        Ok(())
    }

    /// Where memory or an event's cell lies, for other processes.
    pub(crate) fn export(&self, state: &mut State, address: u64) -> Option<(i32, u64)> {
        state.shares();
        state.arena.as_ref().map(|arena| arena.locate(address))
    }

    /// Makes another process's memory known to kernels and the detector.
    pub(crate) fn import(
        &self,
        state: &mut State,
        handle: crate::ipc::Handle,
        device: u32,
        call: HostCall,
    ) -> CudaResult<u64> {
        let file = handle.open().ok_or(CudaError::MAP_BUFFER_OBJECT_FAILED)?;
        state.reserve()?;
        let arena = state.arena.as_mut().ok_or(CudaError::MEMORY_ALLOCATION)?;
        let block =
            arena.import(file.0, handle.offset, handle.bytes).ok_or(CudaError::MAP_BUFFER_OBJECT_FAILED)?;
        let engine = arena.engine_view(block.base) as usize;
        let memory = Memory {
            base: block.base,
            bytes: handle.bytes,
            kind: MemoryKind::Device,
            device: if (handle.device as usize) < state.devices.len() { handle.device } else { device },
            flags: 0,
            engine,
            block: None,
            call,
            name: None,
        };
        let owner = memory.device;
        if let Err(error) = self.publish(state, memory) {
            if let Some(arena) = state.arena.as_mut() {
                arena.release(block);
            }
            return Err(error);
        }
        // Opening memory of a peer enables access to it.
        self.backend.set_access(block.base, state.accessible_from(owner) | 1 << device);
        state.devices[owner as usize].used += handle.bytes;
        state.shared.imports.insert(block.base, Import { handle, block, opened: 1 });
        state.shares();
        Ok(block.base)
    }

    /// Undoes [`Runtime::import`]. The caller has waited for all that may touch the memory.
    pub(crate) fn close_import(&self, state: &mut State, base: u64) -> CudaResult {
        let import = state.shared.imports.remove(&base).ok_or(CudaError::INVALID_VALUE)?;
        self.withdraw(state, base)?;
        if let Some(arena) = state.arena.as_mut() {
            arena.release(import.block);
        }
        Ok(())
    }

    /// Takes memory back. The caller has waited for all that may touch it.
    pub(crate) fn withdraw(&self, state: &mut State, base: u64) -> CudaResult<Memory> {
        let memory = self.unmap(state, base)?;
        // Nothing that comes later can race with what happened there.
        self.backend.listener().free(base, memory.bytes);
        Ok(memory)
    }

    /// Takes memory back.
    fn unmap(&self, state: &mut State, base: u64) -> CudaResult<Memory> {
        // Findings name the allocation while it is known.
        let findings = self.backend.listener().findings();
        state.keep_findings(findings);
        let memory = state.memory.remove(&base).ok_or(CudaError::INVALID_VALUE)?;
        hostmem::withdrawn(&mut state.flights, base);
        self.backend.unmap(base);
        if !memory.kind.host_accessible()
            && let Some(device) = state.devices.get_mut(memory.device as usize)
        {
            device.used = device.used.saturating_sub(memory.bytes);
        }
        if let (Some(block), Some(arena)) = (memory.block, state.arena.as_mut()) {
            arena.free(block);
        }
        Ok(memory)
    }

    /// Is there memory at this address that the host may touch?
    pub(crate) fn is_open_host_memory(&self, address: u64) -> bool {
        // The fault may be a crash inside this library, with the state locked.
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(_) if crate::api::inside() => return false,
            Err(_) => self.lock(),
        };
        state.find(address).is_some_and(|m| matches!(m.kind, MemoryKind::Managed | MemoryKind::Pinned))
    }

    /// `cudaFreeAsync`, when its turn has come. Work that uses the memory must be ordered before it (Programming
    /// Guide, "Stream Ordered Memory Allocator"), so to the detector it is a write of all of it. What happened there is
    /// remembered until the addresses are handed out again: other streams' kernels may still be running.
    pub(crate) fn release(&self, address: u64, task: &TaskInfo) {
        let bytes = self.lock().memory.get(&address).map_or(0, |memory| memory.bytes);
        self.backend.listener().range(&RangeAccess {
            task: task.id,
            site: task.call.site,
            address,
            bytes,
            write: true,
        });
        self.backend.listener().task_end(task.id);
        // A second free of the same memory was refused at submission.
        let _ = self.unmap(&mut self.lock(), address);
    }
}

impl Ledger for Runtime {
    fn limit(&self, text: String) {
        self.lock().results.limit(text);
    }

    fn keep(&self, findings: Vec<Finding>) {
        let mut state = self.lock();
        if state.keep_findings(findings) {
            self.write_results(&mut state);
        }
    }
}

/// What to allocate.
pub(crate) struct Request {
    pub(crate) bytes: u64,
    pub(crate) align: u64,
    pub(crate) kind: MemoryKind,
    pub(crate) device: u32,
    pub(crate) flags: u32,
    pub(crate) call: HostCall,
    pub(crate) name: Option<String>,
}

impl Device {
    fn new(legacy: StreamKey) -> Self {
        Device {
            legacy,
            fault: None,
            noticed: false,
            peers: 0,
            used: 0,
            flags: 0,
            // Stack, printf buffer, heap, sync depth, pending launches, L2 granularity, persisting L2.
            limits: [1024, 1 << 20, 8 << 20, 2, 2048, 64, 0, 0],
            heap: None,
            cache_config: 0,
        }
    }
}

impl State {
    /// The host has waited for the end of `what`, or was told of it.
    pub(crate) fn host_learns(&mut self, what: &Known) {
        self.end_segments();
        self.order.host_learns(what);
        hostmem::learned(&mut self.flights, self.order.host());
    }

    /// Something was submitted or waited for: what the host does next is another segment.
    pub(crate) fn end_segments(&mut self) {
        for task in self.open_segments.drain(..) {
            get().backend.listener().task_end(task);
        }
    }

    /// The engine's address of an address in memory of ours.
    pub(crate) fn engine_address(&self, address: u64) -> Option<usize> {
        self.find(address).map(|m| m.engine + (address - m.base) as usize)
    }

    /// A fresh opaque handle. Programs compare handles and test them for null; small
    /// numbers are special streams.
    pub(crate) fn handle(&mut self) -> usize {
        self.next_handle += 1;
        0x5752_0000_0000 + self.next_handle * 16
    }

    /// The error of a lost context, once the host has synchronised with it.
    pub(crate) fn check(&self, device: u32) -> CudaResult {
        if self.lost_to_fork {
            return Err(CudaError::INITIALIZATION_ERROR);
        }
        match self.devices.get(device as usize) {
            Some(Device { fault: Some(error), noticed: true, .. }) => Err(*error),
            _ => Ok(()),
        }
    }

    /// Did a kernel of the device fail, whether or not the host has noticed?
    pub(crate) fn is_lost(&self, device: u32) -> bool {
        self.devices.get(device as usize).is_some_and(|d| d.fault.is_some())
    }

    /// The host has waited for the device, or asked after it: from now on it sees its error.
    pub(crate) fn notice(&mut self, device: u32) -> CudaResult {
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.noticed = device.fault.is_some();
        }
        self.check(device)
    }

    /// `cudaDeviceReset`
    pub(crate) fn forget_fault(&mut self, device: u32) {
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.fault = None;
            device.noticed = false;
        }
    }

    /// Devices that may access memory of `device`.
    pub(crate) fn accessible_from(&self, device: u32) -> u64 {
        let mut mask = 1 << device;
        for (other, record) in self.devices.iter().enumerate() {
            if record.peers & (1 << device) != 0 {
                mask |= 1 << other;
            }
        }
        mask
    }

    /// The allocation that contains an address.
    pub(crate) fn find(&self, address: u64) -> Option<&Memory> {
        let (_, memory) = self.memory.range(..=address).next_back()?;
        (address < memory.base + memory.bytes).then_some(memory)
    }

    /// Heap and stack limit for a kernel.
    pub(crate) fn kernel_resources(&mut self, runtime: &Runtime, device: u32) -> (Option<Heap>, u32) {
        let Some(record) = self.devices.get(device as usize) else { return (None, 1024) };
        // The default stack limit is what hardware starts with and grows by the compiler's
        // knowledge; local memory here costs nothing until used.
        let stack = record.limits[0].max(512 << 10) as u32;
        if record.heap.is_none() {
            let bytes = record.limits[2] as u64;
            let request = Request {
                bytes,
                align: 512,
                kind: MemoryKind::Heap,
                device,
                flags: 0,
                call: HostCall::default(),
                name: None,
            };
            if let Ok(base) = runtime.allocate(self, request) {
                self.devices[device as usize].heap = Some(Heap { base, bytes });
            }
        }
        (self.devices[device as usize].heap, stack)
    }

    /// Reserves the address space of device memory, once.
    fn reserve(&mut self) -> CudaResult {
        if self.arena.is_none() {
            match Arena::new() {
                Ok(arena) => self.arena = Some(arena),
                Err(error) => {
                    self.no_room(&error.to_string());
                    return Err(CudaError::MEMORY_ALLOCATION);
                }
            }
        }
        Ok(())
    }

    /// A program that gets `cudaErrorMemoryAllocation` from a machine and not from its own needs is told.
    fn no_room(&mut self, why: &str) {
        self.results.inconclusive(format!(
            "the virtual GPU could not reserve address space for device memory: {why}; raise or remove the limit \
             (`ulimit -v unlimited`)"
        ));
    }

    /// Has a kernel used the device's heap, so that its size is fixed?
    pub(crate) fn heap_made(&self, device: u32) -> bool {
        self.devices.get(device as usize).is_some_and(|d| d.heap.is_some())
    }

    /// An event is recorded where `known` is complete.
    pub(crate) fn record(&mut self, event: usize, known: Known) {
        self.records += 1;
        let after = known.heads().collect();
        if let Some(event) = self.events.get_mut(&event) {
            if let Some(shared) = &mut event.shared {
                let gate = shared.cell.record();
                shared.own = gate.number;
                if self.shared.used {
                    self.shared.published.join(&known);
                }
                self.shared.signals.insert(self.records, (gate, known.clone()));
            }
            event.recorded = Some(Recorded { known, serial: self.records, at: None });
        }
        self.queue.mark(Mark { event, serial: self.records, after });
        self.stamp_reached();
    }

    /// From now on other processes may order this one's work, which nobody here sees.
    pub(crate) fn shares(&mut self) {
        if std::mem::replace(&mut self.shared.used, true) {
            return;
        }
        self.results.inconclusive(SHARED.into());
        let events = self.events.values().filter(|event| event.shared.is_some());
        let recorded: Vec<Recorded> = events.filter_map(|event| event.recorded.clone()).collect();
        for Recorded { known, at, .. } in recorded {
            self.shared.published.join(&known);
            if at.is_some() {
                self.host_learns(&known);
            }
        }
    }

    /// Notes the time of records that have been reached.
    pub(crate) fn stamp_reached(&mut self) {
        for mark in self.queue.reached() {
            if let Some((gate, known)) = self.shared.signals.remove(&mark.serial) {
                // From now on other processes know of it, and may tell this one's host.
                if self.shared.used {
                    self.host_learns(&known);
                }
                gate.reach();
            }
            let mut now = Instant::now();
            // Two records are never at the same time: programs divide by the difference.
            if let Some(last) = self.last_stamp {
                now = now.max(last + std::time::Duration::from_nanos(1000));
            }
            self.last_stamp = Some(now);
            if let Some(EventRecord { recorded: Some(recorded), .. }) = self.events.get_mut(&mark.event)
                && recorded.serial == mark.serial
            {
                recorded.at = Some(now);
            }
        }
    }

    /// Adds findings to the result; true if some are new.
    pub(crate) fn keep_findings(&mut self, findings: Vec<Finding>) -> bool {
        let memory = &self.memory;
        self.results.findings(findings, |address| holder(memory, address))
    }

    /// Brings the result file up to date while kernels run, if it is time to.
    pub(crate) fn keep_so_far(&mut self, runtime: &Runtime) {
        let so_far = runtime.backend.listener().so_far();
        if self.results.is_due(so_far.len()) {
            let memory = &self.memory;
            self.results.findings_so_far(so_far, |address| holder(memory, address));
            runtime.end_if_abandoned(self);
            runtime.write_results(self);
        }
    }

    /// A kernel failed: its device's context is lost.
    pub(crate) fn faulted(&mut self, device: u32, mut failure: DeviceFailure, task: &TaskInfo) {
        let code = error_code(&failure);
        if let Some(address) = failure.address {
            failure.allocation = self.near(address).map(Memory::description);
        }
        debug_assert_eq!(failure.task, task.id);
        self.results.failure(failure);
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.fault.get_or_insert(code);
        }
    }

    /// The allocation an address is in, or the one it is just beyond.
    fn near(&self, address: u64) -> Option<&Memory> {
        let (_, memory) = self.memory.range(..=address).next_back()?;
        (address < memory.base + memory.bytes + (1 << 20)).then_some(memory)
    }

    /// The back end refused a launch that the API had accepted.
    pub(crate) fn refused(&mut self, work: &KernelWork, task: TaskInfo, device: u32, refused: &Refused) {
        self.results.refused(work, task.id, refused);
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.fault.get_or_insert(refused.error);
        }
    }

    /// Decides by the filters whether the detector listens to a launch of `kernel`.
    pub(crate) fn checks(&mut self, options: &RunOptions, kernel: &str) -> bool {
        if !options.detect || !report::filter::lets_through(options, kernel) {
            return false;
        }
        let number = self.matched_launches;
        self.matched_launches += 1;
        number >= options.launch_skip
            && options.launch_count.is_none_or(|count| number - options.launch_skip < count)
    }

    /// A host thread touched memory that kernels may touch.
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
            };
            self.results.task(&task);
            runtime.backend.listener().task_start(&task);
            self.open_segments.push(id);
        }
        id
    }

    /// In the child of a fork.
    pub(crate) fn after_fork(&mut self) {
        // CUDA's contexts do not survive a fork; a process that had not made one may go on.
        self.lost_to_fork |= self.engine_runs || self.arena.is_some();
        self.results = self.results.forked();
        if !self.registry.fatbins.is_empty() && !self.lost_to_fork {
            self.results.uses_cuda();
        }
    }
}

fn holder(memory: &BTreeMap<u64, Memory>, address: u64) -> Option<Allocation> {
    let (_, memory) = memory.range(..=address).next_back()?;
    (address < memory.base + memory.bytes).then(|| memory.description())
}

fn error_code(failure: &DeviceFailure) -> CudaError {
    use report::protocol::FailureKind as Kind;
    match failure.what {
        Kind::IllegalAddress => CudaError::ILLEGAL_ADDRESS,
        Kind::Misaligned => CudaError::MISALIGNED_ADDRESS,
        Kind::Assert => CudaError::ASSERT,
        Kind::Unsupported => CudaError::NOT_SUPPORTED,
        Kind::IllegalInstruction | Kind::Membermask => CudaError::ILLEGAL_INSTRUCTION,
        Kind::Deadlock | Kind::NoEnd => CudaError::LAUNCH_TIMEOUT,
        Kind::Other => CudaError::ILLEGAL_ADDRESS,
        Kind::Trap | Kind::Launch => CudaError::LAUNCH_FAILURE,
    }
}
