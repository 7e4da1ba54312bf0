//! A kernel launch, run in portions.

use crate::configuration;
use crate::exec::grid::Units;
use crate::exec::late::Weak;
use crate::exec::{Context, HeapEvents, State, Worker};
use crate::failure::{Failure, LaunchError};
use crate::fuel::Fuel;
use crate::launch::{Host, Launch, Options, Progress, Stall, Stats};
use crate::memory::AddressSpace;
use crate::nested::Child;
use crate::sample::sample;
use crate::workspace::Workspace;
use events::task::{AllocKind, Allocation, HostCall};
use events::{Dim3, Monitor, Tell};
use names::Schedule;
use std::sync::Arc;

/// A launch in progress.
pub struct Grid<M: Monitor> {
    context: Context,
    /// The workers' states; more than one once the launch has proved large enough.
    states: Vec<State<M::Observer>>,
    monitor: Arc<M>,
    resident: u32,
    parallel: bool,
    /// The number of blocks that run, if the launch is sampled.
    sampled: Option<u64>,
    over: Option<Progress>,
    workspace: Option<Workspace>,
}

/// The number of warp instructions that one worker runs before others start: most launches are small.
const SERIAL: u64 = 20_000;

/// Separates the choices of a weak memory from those of its schedule, which have the same seed.
const WEAK: u64 = 0x7765_616b;

impl<M: Monitor + 'static> Grid<M> {
    /// Creates a launch and checks its configuration as CUDA does. The caller reports the task's start to the
    /// monitor before (`task_start`), and its end afterwards.
    pub fn new(
        mut launch: Launch,
        options: Options,
        memory: Arc<AddressSpace>,
        host: Arc<dyn Host>,
        monitor: Arc<M>,
    ) -> Result<Grid<M>, LaunchError> {
        let module = Arc::clone(&launch.module);
        let Some(kernel) = module.kernels().get(launch.kernel) else {
            return Err(LaunchError::InvalidValue(format!("no kernel {}", launch.kernel)));
        };
        configuration::check(&launch, kernel, options.device)?;
        if launch.params.len() < kernel.param_bytes as usize {
            return Err(LaunchError::InvalidValue(format!(
                "{} bytes of parameters where `{}` has {}",
                launch.params.len(),
                kernel.name,
                kernel.param_bytes
            )));
        }
        let frame = module.program.functions[module.kernels()[launch.kernel].function].frame_bytes;
        if frame > options.stack_limit {
            return Err(LaunchError::OutOfResources(format!(
                "{frame} bytes of local memory per thread for `{}`",
                kernel.name
            )));
        }
        launch.params.truncate(kernel.param_bytes as usize);
        let shared = configuration::shared_memory(&launch, kernel);
        let resident = match options.resident_blocks {
            Some(n) => n.max(1),
            None => {
                let registers = module.resources(launch.kernel).registers;
                configuration::capacity(&launch, kernel, registers, options.device)
            }
        };
        if launch.cooperative && launch.grid.count() > u64::from(resident) {
            return Err(LaunchError::OutOfResources(format!(
                "a cooperative launch of {} blocks where {resident} fit",
                launch.grid.count()
            )));
        }
        let workspace = if launch.cooperative {
            Some(Workspace::new(&memory, &*monitor, launch.task.0, launch.device)?)
        } else {
            None
        };
        let apart = !kernel.uses.blocks_communicate && !launch.cooperative;
        let chosen = options.blocks.filter(|wanted| apart && *wanted < launch.grid.count()).map(|wanted| {
            let (grid, cluster) = (launch.grid, launch.cluster);
            let clusters = Dim3::new(grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z);
            sample(clusters, wanted.div_ceil(cluster.count()), options.seed)
        });
        let units = match &chosen {
            Some(chosen) => chosen.len() as u64,
            None => launch.grid.count() / launch.cluster.count(),
        };
        let sampled = chosen.as_ref().map(|_| units * launch.cluster.count());
        let order = crate::schedule::block_order(&options.schedule, units, options.seed);
        let policy = crate::schedule::policy(
            &options.schedule,
            options.seed,
            options.log.as_ref(),
            module.first_site(),
        );
        // An interleaving is one sequence of decisions, so it needs one worker.
        let parallel = policy.is_none() && options.jobs > 1 && units > 1 && apart && monitor.parallel();
        let weak = match options.schedule {
            Schedule::Weak { window } => {
                let choices = weak::Seeded::new(options.seed ^ WEAK);
                let mut memory = weak::Memory::new(Box::new(choices), launch.cluster != Dim3::ONE);
                memory.set_window(window.unwrap_or(weak::late::WINDOW));
                Some(Box::new(Weak::new(memory)))
            }
            _ => None,
        };
        let context = Context {
            units: Units::new(units, order, chosen),
            entry: module.kernels()[launch.kernel].function as u32,
            threads: launch.block.count() as u32,
            dynamic_base: shared.dynamic,
            shared_bytes: shared.end,
            reserved_base: shared.reserved,
            workspace: workspace.as_ref().map_or(0, |w| w.address),
            heap_events: Box::new(Heap { monitor: Arc::clone(&monitor), device: launch.device }),
            launch,
            options,
            memory,
            host,
        };
        let mut state = State::new(monitor.observer(0), policy, 0);
        state.observer.weak = weak;
        let states = vec![state];
        Ok(Grid { context, states, monitor, resident, parallel, sampled, over: None, workspace })
    }

    /// Runs for about `fuel` warp instructions of each worker.
    pub fn run(&mut self, fuel: u64) -> Progress {
        if let Some(over) = &self.over {
            return over.clone();
        }
        let mut left = fuel;
        let mut progress = Progress::Running;
        if self.states.len() == 1 {
            let mut serial = if self.parallel { left.min(SERIAL) } else { left };
            left -= serial;
            let mut worker = Worker { ctx: &self.context, s: &mut self.states[0] };
            progress = worker.run(&self.context.units, self.resident, &mut serial);
        }
        if progress == Progress::Running && self.parallel && left > 0 {
            progress = self.run_workers(left);
        }
        if matches!(progress, Progress::Finished | Progress::Failed(_)) {
            self.over = Some(progress.clone());
            if let Some(workspace) = self.workspace.take() {
                workspace.release(&self.context.memory, &*self.monitor);
            }
        }
        progress
    }

    fn run_workers(&mut self, fuel: u64) -> Progress {
        while self.states.len() < self.context.options.jobs {
            let worker = self.states.len();
            self.states.push(State::new(self.monitor.observer(worker), None, worker as u64));
        }
        let (context, units, resident) = (&self.context, &self.context.units, self.resident);
        let fuel = Fuel::new(fuel, self.states.len());
        let work = |s| {
            let mut worker = Worker { ctx: context, s };
            loop {
                let mut slice = fuel.take();
                if slice == 0 {
                    return Progress::Running;
                }
                let progress = worker.run(units, resident, &mut slice);
                if progress != Progress::Running {
                    return progress;
                }
            }
        };
        let Some((first, others)) = self.states.split_first_mut() else { return Progress::Finished };
        let results: Vec<Progress> = std::thread::scope(|scope| {
            let threads: Vec<_> = others.iter_mut().map(|s| scope.spawn(|| work(s))).collect();
            let own = work(first);
            let join = |t: std::thread::ScopedJoinHandle<'_, _>| {
                t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            std::iter::once(own).chain(threads.into_iter().map(join)).collect()
        });
        combine(results)
    }

    /// Passes time for loops that poll a clock, more with each call. The caller calls it after a stall that
    /// no other task can end. Returns false if there is no such loop, or all have waited for days.
    pub fn pass_time(&mut self) -> bool {
        let mut any = false;
        for s in &mut self.states {
            any |= Worker { ctx: &self.context, s }.pass_time();
        }
        any
    }

    pub fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        for state in &self.states {
            stats += state.stats;
        }
        stats
    }

    /// Returns whether the schedule has served its purpose; see [`crate::schedule::Policy::is_over`].
    pub fn schedule_is_over(&self) -> bool {
        self.states.iter().any(|s| s.policy.as_ref().is_some_and(|p| p.is_over()))
    }

    /// Returns what the weak memory treated as stronger than PTX requires.
    pub fn stronger(&self) -> Vec<weak::Stronger> {
        let weak = self.states.iter().filter_map(|s| s.observer.weak.as_deref());
        weak.flat_map(|weak| weak.memory.stronger()).collect()
    }

    /// Returns the values so far that no interleaving explains; there are some only under schedule `weak`.
    pub fn outcomes(&self) -> Vec<weak::Outcome> {
        let weak = self.states.iter().filter_map(|s| s.observer.weak.as_deref());
        weak.flat_map(|weak| weak.memory.outcomes().iter().cloned()).collect()
    }

    /// Returns the kernels that threads have launched since the last call, in the order of their launches. The caller runs
    /// them, in an order that respects [`Child::after`], before it reports this launch's end.
    pub fn children(&mut self) -> Vec<Child> {
        self.states.iter_mut().flat_map(|state| std::mem::take(&mut state.nested.children)).collect()
    }

    /// Returns the number of blocks that run, if the launch is sampled.
    pub fn sampled(&self) -> Option<u64> {
        self.sampled
    }

    /// Returns whether blocks may run on several workers.
    pub fn is_parallel(&self) -> bool {
        self.parallel
    }
}

impl<M: Monitor> Drop for Grid<M> {
    fn drop(&mut self) {
        if let Some(workspace) = self.workspace.take() {
            workspace.release(&self.context.memory, &*self.monitor);
        }
    }
}

/// Combines the outcomes of several workers' portions.
fn combine(results: Vec<Progress>) -> Progress {
    let mut waiting = Vec::new();
    let (mut stalled, mut may_end, mut running) = (false, false, false);
    let mut failed: Option<Failure> = None;
    for result in results {
        match result {
            Progress::Finished => {}
            Progress::Running => running = true,
            Progress::Stalled(stall) => {
                stalled = true;
                may_end |= stall.may_end;
                waiting.extend(stall.waiting);
            }
            Progress::Failed(failure) => {
                // The first block's failure is chosen, to depend on timing as little as possible.
                let key = |f: &Failure| f.block.map(|b| (b.z, b.y, b.x));
                if failed.as_ref().is_none_or(|f| key(&failure) < key(f)) {
                    failed = Some(failure);
                }
            }
        }
    }
    match failed {
        Some(failure) => Progress::Failed(failure),
        None if running => Progress::Running,
        None if stalled => Progress::Stalled(Stall { waiting, may_end }),
        None => Progress::Finished,
    }
}

struct Heap<M> {
    monitor: Arc<M>,
    device: u32,
}

impl<M: Monitor> HeapEvents for Heap<M> {
    fn alloc(&self, base: u64, bytes: u64) {
        self.monitor.alloc(&Allocation {
            base,
            // The rest of a block's last piece is in no other block.
            bytes: bytes.next_multiple_of(crate::heap::ALIGN),
            kind: AllocKind::DeviceHeap,
            name: None,
            call: HostCall::default(),
            device: self.device,
        });
    }

    fn free(&self, base: u64, bytes: u64) {
        self.monitor.free(base, bytes);
    }
}
