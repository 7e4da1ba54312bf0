//! Runs submitted work: kernels, copies, memsets, host functions, event marks.
//!
//! The state's queue selects the operation to run. [`thread`] is the engine thread, which runs operations in
//! submission order; [`families`] keeps kernels until those that they have launched are complete; [`outside`] decides whether anything but a kernel can still resolve its wait; [`warm`]
//! maps the pages that the thread needs before kernels fault on them.

mod active;
mod callback;
mod families;
mod outside;
mod thread;
mod warm;

use crate::context::{self, Op, OpId, Runtime, State, Work};
use crate::order::Placed;
use events::TaskInfo;
use events::task::{HostCall, TaskKind};

/// Submits work whose place in the order is assigned.
pub(crate) fn submit(
    runtime: &'static Runtime,
    state: &mut State,
    placed: Placed,
    kind: TaskKind,
    device: u32,
    call: HostCall,
    work: Work,
) -> OpId {
    let Placed { id, chain, after, overlap, known } = placed;
    let task =
        TaskInfo { id, kind, stream: chain, after: after.clone(), call, device, overlap, launcher: None };
    state.results.task(&task);
    push(runtime, state, Op { device, task, after, known, work })
}

fn push(runtime: &'static Runtime, state: &mut State, op: Op) -> OpId {
    if state.is_lost(op.device) {
        // A lost context runs no more work; the host receives the error when it queries.
        return state.skip(op);
    }
    if state.engine_starts() {
        crate::threads::spawn("warprace", || thread::run(context::get()));
    }
    let id = state.enqueue(op);
    if state.engine_waits() {
        runtime.engine_wake.notify_all();
    }
    id
}
