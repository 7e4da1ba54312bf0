//! Submits work to a stream, or to the graph that the stream is being captured into.

pub(crate) mod copy;
pub(crate) mod event;
pub(crate) mod fill;
pub(crate) mod graph;
pub(crate) mod kernel;
pub(crate) mod memory_operation;

use crate::abi::error::CudaResult;
use crate::call::Call;
use crate::context::{State, Work};
use crate::order::{Known, Placed, StreamKey};
use crate::{executor, hostmem};
use events::task::HostCall;
use names::Engine;

/// Submits work to a stream, and returns the clock that a waiter joins; `None` if the work was captured.
pub(crate) fn submit(
    call: &Call,
    state: &mut State,
    stream: StreamKey,
    device: u32,
    work: Work,
) -> CudaResult<Option<Known>> {
    if let Some(capture) = state.graphs.capture_of(stream)? {
        state.graphs.captured(capture, stream, device, work)?;
        return Ok(None);
    }
    let placed = state.place_in(stream, &work);
    Ok(Some(place(call, state, placed, device, work)))
}

/// Submits work whose place in the order is assigned.
pub(crate) fn place(call: &Call, state: &mut State, placed: Placed, device: u32, mut work: Work) -> Known {
    let known = placed.known.clone();
    let kind = work.kind();
    let accesses = !matches!(work, Work::Kernel(_) | Work::HostFunction(_) | Work::Gate(_));
    if accesses && matches!(call.runtime.options.engine, Engine::Guard { .. }) {
        state.called(&placed, device, &work.accesses());
    }
    if let Work::Kernel(launch) = &mut work {
        let options = &call.runtime.options;
        launch.chosen = surroundings::in_ranges(&options.nvtx_include, &options.nvtx_exclude);
        launch.checked = call.runtime.backend.is_heard() && state.checks(options, launch);
        state.launched(options, &placed, launch, device);
    }
    let site = HostCall { within: surroundings::here(), ..call.site(state) };
    state.end_segments();
    hostmem::submitted(state, placed.chain, placed.id, &work);
    executor::submit(call.runtime, state, placed, kind, device, site, work);
    known
}
