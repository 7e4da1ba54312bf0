//! A launch on the virtual GPU.

use super::machine::Machine;
use super::{Lowered, VirtualGpu, failure, weak};
use crate::backend::copy::{Pitch, Shape};
use crate::backend::{Child, ChildWork, KernelWork, Progress, Running, Stats, Terms};
use events::{Dim3, Launcher, TaskId};
use names::schedule::Seeded;
use protocol::{DeviceFailure, WeakOutcome};
use simt::nested::{Rows, Work};
use simt::schedule::path::Log;
use simt::{Failure, Host, Launch, LaunchError, RunningGrid, Waiting};
use std::any::Any;
use std::sync::{Arc, Mutex};

/// Returns the virtual GPU's own module of a launch.
pub(super) fn module(work: &KernelWork) -> Result<&Arc<simt::Module>, LoadedElsewhere> {
    let module: &dyn Any = &*work.module;
    module.downcast_ref().map(|lowered: &Lowered| &lowered.module).ok_or(LoadedElsewhere)
}

/// The error for a module of another back end.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadedElsewhere;

/// Begins a launch under a schedule on `machine`, which is the run's own or an exploring one.
pub(super) fn begin(
    gpu: &VirtualGpu,
    machine: &dyn Machine,
    work: &KernelWork,
    terms: &Terms<'_>,
    host: Arc<dyn Host>,
    how: Seeded,
    log: Option<Arc<Mutex<Log>>>,
) -> Result<Box<dyn RunningGrid>, LaunchError> {
    let elsewhere = |_| LaunchError::InvalidValue("a module that another back end has loaded".into());
    let launch = Launch {
        module: module(work).map_err(elsewhere)?.clone(),
        kernel: work.kernel,
        grid: work.grid,
        block: work.block,
        cluster: work.cluster,
        dynamic_shared: work.dynamic_shared,
        cooperative: work.cooperative,
        params: work.params.clone(),
        task: terms.task.id,
        device: terms.device,
    };
    let options = simt::Options {
        schedule: how.schedule,
        seed: how.seed,
        jobs: gpu.options.jobs.max(1),
        device: crate::device::device(),
        // The device on which it was saved may have needed fewer registers.
        resident_blocks: (work.cooperative && work.has_run)
            .then(|| u32::try_from(work.grid.count()).unwrap_or(u32::MAX)),
        heap: terms.heap.map(|heap| gpu.heap(heap)),
        stack_limit: terms.stack_limit,
        max_instructions: gpu.options.max_instructions.unwrap_or(simt::Options::MAX_INSTRUCTIONS),
        blocks: gpu.options.blocks,
        log,
        nesting: Some(simt::Nesting {
            numbers: gpu.numbers.clone(),
            depth: terms.depth,
            pending: terms.pending,
            devices: gpu.options.devices.clamp(1, 64),
        }),
    };
    machine.grid(launch, options, host, work.checked)
}

/// The actual run of a launch, in progress.
pub(super) struct Grid {
    grid: Box<dyn RunningGrid>,
    work: KernelWork,
    task: TaskId,
    /// The threads that waited at the last stall.
    waiting: Vec<Waiting>,
    /// The string that repeats the run.
    replay: String,
}

impl Grid {
    pub(super) fn new(grid: Box<dyn RunningGrid>, work: &KernelWork, task: TaskId, replay: String) -> Grid {
        Grid { grid, work: work.clone(), task, waiting: Vec::new(), replay }
    }

    fn describe(&self, failure: &Failure) -> DeviceFailure {
        failure::describe(failure, &self.work, self.task)
    }
}

impl Running for Grid {
    fn run(&mut self, fuel: u64) -> Progress {
        match self.grid.run(fuel) {
            simt::Progress::Finished => Progress::Finished,
            simt::Progress::Running => Progress::Running,
            simt::Progress::Stalled(stall) => {
                self.waiting = stall.waiting;
                Progress::Stalled { may_end: stall.may_end }
            }
            simt::Progress::Failed(failure) => Progress::Failed(Box::new(self.describe(&failure))),
        }
    }

    fn stats(&self) -> Stats {
        let simt::Stats { warp_instructions, thread_instructions, accesses, blocks_done, .. } =
            self.grid.stats();
        let sampled = self.grid.sampled();
        Stats { warp_instructions, thread_instructions, accesses, blocks_done, sampled }
    }

    fn children(&mut self) -> Vec<Child> {
        let children = self.grid.children();
        children.into_iter().map(|child| describe_child(child, &self.work, self.task)).collect()
    }

    fn outcomes(&self) -> Vec<WeakOutcome> {
        let all = self.grid.outcomes();
        all.iter().map(|outcome| weak::describe(outcome, &self.work, &self.replay)).collect()
    }

    fn pass_time(&mut self) -> bool {
        self.grid.pass_time()
    }

    fn stuck(&mut self) -> DeviceFailure {
        let waiting = std::mem::take(&mut self.waiting);
        self.describe(&Failure::stuck(waiting))
    }
}

/// Describes what a thread of launch `task`, which is `parent`, has launched.
fn describe_child(child: simt::Child, parent: &KernelWork, task: TaskId) -> Child {
    let simt::Child { block, thread, work, .. } = child;
    let rows = |rows: Rows, shape: Shape| {
        let row = rows.pitch as usize;
        (rows.address, Pitch { row, slice: row * shape.height })
    };
    let shape = |width: u64, height: u64| Shape { width: width as usize, height: height as usize, depth: 1 };
    let work = match work {
        Work::Kernel { kernel, grid, threads, dynamic_shared, params } => {
            ChildWork::Kernel(Box::new(KernelWork {
                module: parent.module.clone(),
                kernel,
                grid,
                block: threads,
                cluster: parent.module.kernels()[kernel].cluster.unwrap_or(Dim3::ONE),
                dynamic_shared,
                cooperative: false,
                has_run: false,
                chosen: true,
                params,
                overlaps: false,
                checked: parent.checked,
            }))
        }
        Work::Copy { dst, src, width, height } => {
            let shape = shape(width, height);
            ChildWork::Copy { dst: rows(dst, shape), src: rows(src, shape), shape }
        }
        Work::Fill { dst, value, width, height } => {
            let shape = shape(width, height);
            ChildWork::Fill { dst: rows(dst, shape), value, shape }
        }
    };
    Child {
        task: child.task,
        chain: child.chain,
        after: child.after,
        tail: child.tail,
        site: child.site,
        launcher: Launcher { task, block, thread },
        work,
    }
}
