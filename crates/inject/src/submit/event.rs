//! Records of events, and waits of streams for them.

use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::Stream;
use crate::call::Call;
use crate::context::State;
use crate::order::StreamKey;

/// Records an event in a stream, or in the graph that the stream is being captured into.
pub(crate) fn record(call: &Call, event: usize, stream: Stream) -> CudaResult {
    let mut state = call.state()?;
    let device = state.event(event)?.device;
    let (stream, stream_device) = call.stream(&mut state, stream)?;
    if let Some(capture) = state.graphs.capture_of(stream)? {
        return state.graphs.record(capture, stream, event);
    }
    if device != stream_device {
        return Err(CudaError::INVALID_RESOURCE_HANDLE);
    }
    state.graphs.forget_event(event);
    let known = state.mark(stream);
    state.record(event, known);
    Ok(())
}

/// Orders the next work of a stream after the event's last record, if it has one.
pub(crate) fn wait(state: &mut State, stream: StreamKey, event: usize) -> CudaResult {
    let recorded = state.event(event)?.recorded.as_ref().map(|recorded| recorded.known.clone());
    if let Some(known) = recorded {
        state.stream_waits(stream, &known);
    }
    Ok(())
}
