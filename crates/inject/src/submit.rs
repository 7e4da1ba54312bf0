//! Puts work into a stream, or into the graph that the stream is being captured into.

use crate::abi::error::CudaResult;
use crate::api::Call;
use crate::backend::KernelWork;
use crate::backend::copy::{Copy, Fill};
use crate::context::State;
use crate::executor::queue::{HostCall, Work};
use crate::hostmem;
use crate::ipc::Gate;
use crate::order::{Known, Placed, StreamKey};
use events::LaunchInfo;
use events::task::{HostCall as Site, TaskKind};

/// Work as a stream or a graph node holds it: it can be submitted many times.
#[derive(Clone)]
pub(crate) enum Action {
    Kernel(KernelWork),
    Copy(Copy),
    Fill(Fill),
    Host(HostCall),
    Free { address: u64 },
    Gate(Gate),
}

impl Action {
    fn kind(&self) -> TaskKind {
        match self {
            Action::Kernel(work) => {
                let kernel = &work.module.kernels()[work.kernel];
                TaskKind::Launch(LaunchInfo {
                    kernel: kernel.name.clone(),
                    grid: work.grid,
                    block: work.block,
                    cluster: work.cluster,
                    cooperative: work.cooperative,
                    shared_bytes: kernel.static_shared + work.dynamic_shared,
                    uses: kernel.uses,
                })
            }
            Action::Copy(_) => TaskKind::Copy,
            Action::Fill(_) | Action::Free { .. } => TaskKind::Memset,
            Action::Host(_) | Action::Gate(_) => TaskKind::HostFunction,
        }
    }

    fn work(self) -> Work {
        match self {
            Action::Kernel(work) => Work::Kernel(Box::new(work)),
            Action::Copy(copy) => Work::Copy(Box::new(copy)),
            Action::Fill(fill) => Work::Fill(fill),
            Action::Host(call) => Work::HostFunction(call),
            Action::Free { address } => Work::Free { address },
            Action::Gate(gate) => Work::Gate(gate),
        }
    }
}

/// Submits to a stream. What waiting for it would tell the host; `None` if it was captured.
pub(crate) fn submit(
    call: &Call,
    state: &mut State,
    stream: StreamKey,
    device: u32,
    action: Action,
) -> CudaResult<Option<Known>> {
    if let Some(capture) = state.graphs.capture_of(stream)? {
        state.graphs.captured(capture, stream, device, action)?;
        return Ok(None);
    }
    let placed = match &action {
        Action::Kernel(work) => state.order.submit_kernel(stream, work.overlaps),
        _ => state.order.submit(stream),
    };
    Ok(Some(place(call, state, placed, device, action)))
}

/// Submits at a place in the order that is already decided.
pub(crate) fn place(call: &Call, state: &mut State, placed: Placed, device: u32, action: Action) -> Known {
    let known = placed.known.clone();
    let kind = action.kind();
    let action = match action {
        Action::Kernel(mut work) => {
            let name = work.name().to_owned();
            work.checked = call.runtime.backend.is_heard() && state.checks(&call.runtime.options, &name);
            Action::Kernel(work)
        }
        other => other,
    };
    let site: Site = call.site(state);
    state.end_segments();
    hostmem::submitted(state, placed.chain, placed.id, &action);
    call.runtime.submit(state, placed, kind, device, site, action.work());
    known
}
