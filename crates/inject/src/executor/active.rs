//! Kernels in progress, and what begins, ends and accounts for them.

use crate::backend::{KernelWork, Running};
use crate::context::{OpId, Runtime, Work, lanes};
use crate::gate::engine_portion;
use crate::progress::Line;
use events::{RangeAccess, TaskId, TaskInfo, Tell};
use std::ops::Range;
use std::time::Duration;

/// A kernel that has begun.
pub(super) struct Active {
    /// The operation that it is; `None` if another kernel has launched it.
    pub(super) id: Option<OpId>,
    pub(super) task: TaskInfo,
    pub(super) device: u32,
    pub(super) work: Box<KernelWork>,
    pub(super) grid: Box<dyn Running>,
    /// The number of launches by kernels that it is inside of.
    pub(super) depth: u32,
    /// Whether it is settled which of its accesses are skipped.
    pub(super) prunes: bool,
    pub(super) spent: Duration,
    pub(super) line: Line,
}

/// A kernel to begin.
pub(super) struct Next {
    pub(super) id: Option<OpId>,
    pub(super) task: TaskInfo,
    pub(super) device: u32,
    pub(super) work: Box<KernelWork>,
    pub(super) depth: u32,
}

/// Performs a copy or memset, and reports its accesses.
pub(super) fn transfer(runtime: &Runtime, task: &TaskInfo, device: u32, work: &Work) {
    // SAFETY: the sides were checked at submission; `cudaFree` waits for the device, and the program must not
    // free its own buffers before the copy is done.
    engine_portion(|| unsafe {
        match work {
            Work::Copy(copy) => {
                runtime.backend.copy(copy);
                ranges(runtime, task, device, copy.accesses());
            }
            Work::Fill(fill) => {
                runtime.backend.fill(fill);
                ranges(runtime, task, device, fill.accesses());
            }
            _ => {}
        }
    });
}

pub(super) fn ranges(runtime: &Runtime, task: &TaskInfo, device: u32, accesses: Vec<(Range<u64>, bool)>) {
    lanes::accesses(runtime, task, device, &accesses);
    for (range, write) in accesses {
        runtime.backend.listener().range(&RangeAccess {
            task: task.id,
            site: task.call.site,
            address: range.start,
            bytes: range.end - range.start,
            write,
        });
    }
}

pub(super) fn complete(runtime: &Runtime, id: OpId, task: TaskId) {
    let mut state = runtime.lock();
    state.op_done(id, task);
    let (hosts, engine) = (state.hosts_wait(), state.engine_waits());
    drop(state);
    if hosts {
        runtime.host_wake.notify_all();
    }
    if engine {
        runtime.engine_wake.notify_all();
    }
}

/// Reports the end of a kernel, which has no part that goes on.
pub(super) fn end(runtime: &Runtime, kernel: &Active) {
    runtime.backend.listener().task_end(kernel.task.id);
    account(runtime, kernel);
}

pub(super) fn account(runtime: &Runtime, kernel: &Active) {
    let findings = runtime.backend.listener().findings();
    let mut state = runtime.lock();
    let stats = kernel.grid.stats();
    state.results.launch_done(kernel.task.id, &kernel.work, &stats, kernel.spent);
    let (name, all) = (kernel.work.short_name(), kernel.work.grid.count());
    match (stats.sampled, runtime.options.blocks) {
        (Some(sampled), _) => state.results.limit(format!(
            "{sampled} of {all} blocks of `{name}` were run: the first, the last, and neighbours drawn by the seed"
        )),
        (None, Some(wanted)) if wanted < all => {
            let why = "what one does may depend on what others do";
            state.results.limit(format!("all {all} blocks of `{name}` were run: {why}"));
        }
        _ => {}
    }
    state.keep_outcomes(kernel.grid.outcomes());
    let urgent = state.keep_findings(findings);
    // From the first launch on, the result must exist, however the process ends.
    if urgent || state.results.is_first_launch() {
        runtime.write_results(&mut state);
    }
}
