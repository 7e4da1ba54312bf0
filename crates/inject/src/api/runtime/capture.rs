//! Stream capture into graphs.

use super::Call;
use super::graph::{handles, ports};
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Graph, GraphEdgeData, GraphNode, Stream};
use crate::context::graphs::Port;
use std::cell::Cell;
use std::ffi::{c_int, c_uint};

thread_local! {
    /// `cudaStreamCaptureMode`: which calls of this thread are errors while a stream is captured. It decides nothing here.
    static MODE: Cell<c_int> = const { Cell::new(0) };
}

fn begin_capture(call: &Call, stream: Stream, mode: c_int) -> CudaResult {
    if !(0..=2).contains(&mode) {
        return Err(CudaError::INVALID_VALUE);
    }
    let mut state = call.state()?;
    let legacy = matches!(stream as usize, 0 | 1) && !call.per_thread;
    if legacy {
        return Err(CudaError::STREAM_CAPTURE_UNSUPPORTED);
    }
    let (stream, _) = call.stream(&mut state, stream)?;
    let graph = state.graphs.create();
    state.graphs.begin_capture(stream, graph, Vec::new())
}

/// Returns the handles of nodes that the program passes as dependencies, with the port of each programmatic
/// edge.
fn dependencies(
    nodes: *const GraphNode,
    edges: *const GraphEdgeData,
    count: usize,
) -> CudaResult<Vec<(usize, Option<Port>)>> {
    Ok(handles(nodes, count)?.into_iter().zip(ports(edges, count)?).collect())
}

/// Returns the id, the graph and the tips of a stream's capture, if there is one.
fn capture_info(call: &Call, stream: Stream) -> CudaResult<Option<(usize, usize, Vec<usize>)>> {
    let mut state = call.state()?;
    let (stream, _) = call.stream(&mut state, stream)?;
    Ok(state.graphs.capture_info(stream))
}

api! {
    fn cudaStreamBeginCapture | cudaStreamBeginCapture_ptsz, driver cuStreamBeginCapture_v2 | cuStreamBeginCapture_v2_ptsz (stream: Stream, mode: c_int) = |call| {
        begin_capture(call, stream, mode)
    };
    fn cudaStreamBeginCaptureToGraph | cudaStreamBeginCaptureToGraph_ptsz, driver cuStreamBeginCaptureToGraph | cuStreamBeginCaptureToGraph_ptsz (
        stream: Stream,
        graph: Graph,
        nodes: *const GraphNode,
        edges: *const GraphEdgeData,
        count: usize,
        _mode: c_int,
    ) = |call| {
        let after = dependencies(nodes, edges, count)?;
        let mut state = call.state()?;
        let (stream, _) = call.stream(&mut state, stream)?;
        state.graphs.graph(graph as usize)?;
        state.graphs.begin_capture(stream, graph as usize, Vec::new())?;
        state.graphs.set_tips(stream, &after, true)
    };
    fn cudaStreamEndCapture | cudaStreamEndCapture_ptsz, driver cuStreamEndCapture | cuStreamEndCapture_ptsz (stream: Stream, graph: *mut Graph) = |call| {
        let mut state = call.state()?;
        let (stream, _) = call.stream(&mut state, stream)?;
        let ended = state.graphs.end_capture(stream)?;
        if graph.is_null() {
            return Ok(());
        }
        // SAFETY: the program's variable.
        unsafe { answer(graph, ended as Graph) }
    };
    fn cudaStreamIsCapturing | cudaStreamIsCapturing_ptsz, driver cuStreamIsCapturing | cuStreamIsCapturing_ptsz (stream: Stream, status: *mut c_int) = |call| {
        let active = capture_info(call, stream)?.is_some();
        // SAFETY: the program's variable.
        unsafe { answer(status, c_int::from(active)) }
    };
    fn cudaStreamGetCaptureInfo | cudaStreamGetCaptureInfo_ptsz, driver cuStreamGetCaptureInfo_v3 | cuStreamGetCaptureInfo_v3_ptsz (
        stream: Stream,
        status: *mut c_int,
        id: *mut u64,
        graph: *mut Graph,
        nodes: *mut *const GraphNode,
        edges: *mut *const GraphEdgeData,
        count: *mut usize,
    ) = |call| {
        let info = capture_info(call, stream)?;
        let active = info.is_some();
        let (session, handle, tips) = info.unwrap_or_default();
        let tips: Vec<GraphNode> = tips.into_iter().map(|n| n as GraphNode).collect();
        // SAFETY: the program's variables; all but the first may be null. The array is leaked, since it must
        // live until the next call on the stream, which is not tracked.
        unsafe {
            answer(status, c_int::from(active))?;
            if !id.is_null() {
                id.write(session as u64);
            }
            if !graph.is_null() {
                graph.write(handle as Graph);
            }
            if !count.is_null() {
                count.write(tips.len());
            }
            if !edges.is_null() {
                edges.write(std::ptr::null());
            }
            if !nodes.is_null() {
                nodes.write(tips.leak().as_ptr());
            }
        }
        Ok(())
    };
    fn cudaStreamUpdateCaptureDependencies | cudaStreamUpdateCaptureDependencies_ptsz, driver cuStreamUpdateCaptureDependencies_v2 | cuStreamUpdateCaptureDependencies_v2_ptsz (
        stream: Stream,
        nodes: *const GraphNode,
        edges: *const GraphEdgeData,
        count: usize,
        flags: c_uint,
    ) = |call| {
        let after = dependencies(nodes, edges, count)?;
        let mut state = call.state()?;
        let (stream, _) = call.stream(&mut state, stream)?;
        state.graphs.set_tips(stream, &after, flags & 1 != 0)
    };
    fn cudaThreadExchangeStreamCaptureMode, driver cuThreadExchangeStreamCaptureMode (mode: *mut c_int) = |_call| {
        // SAFETY: the program's variable, or null.
        let mode = unsafe { mode.as_mut() }.filter(|mode| (0..=2).contains(*mode));
        let mode = mode.ok_or(CudaError::INVALID_VALUE)?;
        *mode = MODE.replace(*mode);
        Ok(())
    };
}
