//! Graphs: building, capturing, instantiating and launching them.

use super::Call;
use super::launch::{Configuration, prepare};
use super::memory::answer;
use super::{conditional, memcpy, memset, symbol};
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{
    Event, Graph, GraphExec, GraphInstantiateParams, GraphNode, GraphNodeParams, HostNodeParams,
    KernelNodeParams, MemAllocNodeParams, Memcpy3DParms, MemsetParams, Stream,
};
use crate::backend::copy::{Pitch, Shape};
use crate::context::{Guard, MemoryKind, Request, State};
use crate::executor::queue::HostCall;
use crate::graph::{Bodies, Exec, Kind, Plan, flatten};
use crate::order::Known;
use crate::submit::{Action, place};
use std::ffi::{c_int, c_uint, c_void};

/// Node handles the program passes as dependencies.
fn handles(nodes: *const GraphNode, count: usize) -> CudaResult<Vec<usize>> {
    if count > 0 && nodes.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the program passed `count` handles.
    Ok((0..count).map(|i| unsafe { *nodes.add(i) } as usize).collect())
}

/// # Safety
/// `params` is null or valid, with a pointer for each of the kernel's parameters.
unsafe fn kernel(call: &Call, state: &mut State, params: *const KernelNodeParams) -> CudaResult<Action> {
    // SAFETY: the caller's promise.
    let p = unsafe { params.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    if p.params.is_null() && !p.extra.is_null() {
        state.results.unsupported("kernel node parameters passed as `extra`", call.caller, true);
        return Err(CudaError::NOT_SUPPORTED);
    }
    let configuration = Configuration {
        grid: p.grid.into(),
        block: p.block.into(),
        cluster: None,
        shared: p.shared_bytes as usize,
        cooperative: false,
        programmatic: false,
    };
    // SAFETY: the caller's promise.
    let work = unsafe { prepare(call, state, p.func, call.device, configuration, p.params)? };
    Ok(Action::Kernel(work))
}

fn copy_3d(state: &State, params: *const Memcpy3DParms) -> CudaResult<Action> {
    // SAFETY: the program's structure, or null.
    let p = unsafe { params.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    let (dst, src, shape) = memcpy::parts_3d(state, p)?;
    Ok(Action::Copy(memcpy::prepare(state, dst, src, shape, p.kind)?))
}

fn copy_1d(
    state: &State,
    dst: *mut c_void,
    src: *const c_void,
    bytes: usize,
    kind: c_int,
) -> CudaResult<Action> {
    let copy =
        memcpy::prepare(state, memcpy::line(dst, bytes), memcpy::line(src, bytes), Shape::line(bytes), kind)?;
    Ok(Action::Copy(copy))
}

fn fill(state: &State, params: *const MemsetParams) -> CudaResult<Action> {
    // SAFETY: the program's structure, or null.
    let p = unsafe { params.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    let size = p.element_size as usize;
    if !matches!(size, 1 | 2 | 4) {
        return Err(CudaError::INVALID_VALUE);
    }
    let width = p.width.checked_mul(size).ok_or(CudaError::INVALID_VALUE)?;
    let shape = Shape { width, height: p.height.max(1), depth: 1 };
    let row = if p.height <= 1 { width } else { p.pitch };
    let pitch = Pitch { row, slice: row.saturating_mul(shape.height) };
    Ok(Action::Fill(memset::prepare(state, p.dst, pitch, shape, p.value, size)?))
}

fn host(params: *const HostNodeParams) -> CudaResult<Action> {
    // SAFETY: the program's structure, or null.
    let p = unsafe { params.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    Ok(Action::Host(HostCall::Function { function: p.function, data: p.data as usize }))
}

/// Adds a node and answers its handle.
fn add(
    call: &Call,
    out: *mut GraphNode,
    graph: Graph,
    (nodes, count): (*const GraphNode, usize),
    make: impl FnOnce(&mut State) -> CudaResult<Kind>,
) -> CudaResult {
    let after = handles(nodes, count)?;
    let mut state = call.state()?;
    let kind = make(&mut state)?;
    let node = state.graphs.add(graph as usize, &after, kind, call.device)?;
    // SAFETY: the program's variable.
    unsafe { answer(out, node as GraphNode) }
}

fn set(call: &Call, node: GraphNode, make: impl FnOnce(&mut State) -> CudaResult<Action>) -> CudaResult {
    let mut state = call.state()?;
    let action = make(&mut state)?;
    state.graphs.node_mut(node as usize)?.kind = Kind::Action(action);
    Ok(())
}

fn set_exec(
    call: &Call,
    exec: GraphExec,
    node: GraphNode,
    make: impl FnOnce(&mut State) -> CudaResult<Action>,
) -> CudaResult {
    let mut state = call.state()?;
    let action = make(&mut state)?;
    let exec = state.graphs.execs.get_mut(&(exec as usize)).ok_or(CudaError::INVALID_VALUE)?;
    exec.step_mut(node as usize)?.kind = Kind::Action(action);
    Ok(())
}

fn instantiate(call: &Call, out: *mut GraphExec, graph: Graph, flags: u64) -> CudaResult {
    let mut state = call.state()?;
    let state = &mut *state;
    let (plan, bodies) = state.graphs.instantiate(graph as usize, &mut state.order)?;
    let defaults = conditional::defaults(&state.graphs, graph as usize, &bodies);
    let handle = state.graphs.handle();
    let exec = Exec { plan, bodies, defaults, last: Known::default(), flags };
    state.graphs.execs.insert(handle, exec);
    // SAFETY: the program's variable.
    unsafe { answer(out, handle as GraphExec) }
}

/// Launches an instantiated graph.
fn launch(call: &Call, exec: GraphExec, stream: Stream) -> CudaResult {
    let mut state = call.state()?;
    let (stream, _) = call.stream(&mut state, stream)?;
    let handle = exec as usize;
    let exec = state.graphs.execs.get(&handle).ok_or(CudaError::INVALID_VALUE)?;
    let (plan, bodies, defaults) = (exec.plan.clone(), exec.bodies.clone(), exec.defaults.clone());
    let last = exec.last.clone();
    if state.graphs.is_capturing(stream) {
        state.results.unsupported("cudaGraphLaunch into a capturing stream", call.caller, true);
        return Err(CudaError::NOT_SUPPORTED);
    }
    let mut start = state.order.mark(stream);
    start.join(&last);
    if !defaults.is_empty() {
        state = conditional::assign(call, state, &start, &defaults)?;
    }
    let (mut state, end) = submit(call, state, &plan, &bodies, &start)?;
    state.order.wait(stream, &end);
    if let Some(exec) = state.graphs.execs.get_mut(&handle) {
        exec.last = end;
    }
    Ok(())
}

/// Submits every step after its predecessors; what waiting for all of them would tell.
pub(super) fn submit(
    call: &Call,
    mut state: Guard,
    plan: &Plan,
    bodies: &Bodies,
    start: &Known,
) -> CudaResult<(Guard, Known)> {
    let mut end = start.clone();
    let mut ends: Vec<Known> = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let mut known = start.clone();
        for &before in &step.after {
            known.join(&ends[before]);
        }
        let known = match &step.kind {
            Kind::Action(action) if step.enabled => {
                let chain = plan.chains[step.chain];
                let placed = state.order.submit_after(known, chain);
                place(call, &mut state, placed, step.device, action.clone())
            }
            Kind::EventRecord(event) => {
                state.record(*event, known.clone());
                known
            }
            Kind::EventWait(event) => {
                if let Some(recorded) = state.events.get(event).and_then(|e| e.recorded.as_ref()) {
                    known.join(&recorded.known);
                }
                known
            }
            Kind::Conditional(node) if step.enabled => {
                // Like any other work it takes its turn: what was submitted before it has run, ordered or not.
                let mut turn = known.clone();
                ends.iter().for_each(|end| turn.join(end));
                state = call.runtime.wait_until(state, |state| state.queue.complete(&turn));
                let ended = conditional::run(call, state, node, step.device, bodies, known)?;
                state = ended.0;
                ended.1
            }
            _ => known,
        };
        if step.last {
            end.join(&known);
        }
        ends.push(known);
    }
    Ok((state, end))
}

/// Answers a list in CUDA's way: with a null array the count is asked for.
///
/// # Safety
/// `out` is null or holds `*count` entries; `count` is valid.
unsafe fn list<T>(out: *mut T, count: *mut usize, items: impl ExactSizeIterator<Item = T>) -> CudaResult {
    // SAFETY: the caller's promise.
    unsafe {
        if count.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let total = items.len();
        if !out.is_null() {
            for (i, item) in items.take(*count).enumerate() {
                out.add(i).write(item);
            }
        }
        if out.is_null() || *count > total {
            *count = total;
        }
    }
    Ok(())
}

fn node_type(kind: &Kind) -> c_int {
    match kind {
        Kind::Action(Action::Kernel(_)) => 0,
        Kind::Action(Action::Copy(_)) => 1,
        Kind::Action(Action::Fill(_)) => 2,
        Kind::Action(Action::Host(_)) => 3,
        Kind::Action(Action::Free { .. }) => 11,
        Kind::Child(_) => 4,
        Kind::Empty => 5,
        Kind::Action(Action::Gate(_)) | Kind::EventWait(_) => 6,
        Kind::EventRecord(_) => 7,
        Kind::Allocate => 10,
        Kind::Free => 11,
        Kind::Conditional(_) => 13,
    }
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

/// Status (0 none, 1 active), id, graph and tips of a stream's capture.
fn capture_info(call: &Call, stream: Stream) -> CudaResult<Option<(usize, usize, Vec<usize>)>> {
    let mut state = call.state()?;
    let (stream, _) = call.stream(&mut state, stream)?;
    Ok(state.graphs.capture_info(stream))
}

/// Memory that belongs to a graph: it is there from the node's creation on, at the address that the
/// program is told, and as long as the process.
fn allocate(call: &Call, state: &mut State, params: *mut MemAllocNodeParams) -> CudaResult<Kind> {
    // SAFETY: the program's structure, or null.
    let p = unsafe { params.as_mut() }.ok_or(CudaError::INVALID_VALUE)?;
    let device = u32::try_from(p.pool.location.id).unwrap_or(0);
    if p.pool.location.kind != 1 || device as usize >= state.devices.len() {
        return Err(CudaError::INVALID_VALUE);
    }
    let site = call.site(state);
    let request = Request {
        bytes: p.bytes.max(1) as u64,
        align: 512,
        kind: MemoryKind::Pool,
        device,
        flags: 0,
        call: site,
        name: None,
    };
    let base = call.runtime.allocate(state, request)?;
    state.graphs.memory.insert(base);
    p.pointer = base as *mut c_void;
    Ok(Kind::Allocate)
}

/// Any node from its tagged parameters.
///
/// # Safety
/// `params` is null or valid for its kind.
unsafe fn tagged(call: &Call, state: &mut State, params: *mut GraphNodeParams) -> CudaResult<Kind> {
    // SAFETY: the caller's promise; the kind says which member is meant.
    unsafe {
        let p = params.as_mut().ok_or(CudaError::INVALID_VALUE)?;
        let handle = || p.value.handle as usize;
        Ok(match p.kind {
            0 => Kind::Action(kernel(call, state, &p.value.kernel)?),
            1 => Kind::Action(copy_3d(state, &p.value.memcpy.copy)?),
            2 => Kind::Action(fill(state, &p.value.memset)?),
            3 => Kind::Action(host(&p.value.host)?),
            4 => Kind::Child(Box::new(state.graphs.graph(handle())?.clone())),
            5 => Kind::Empty,
            6 => Kind::EventWait(handle()),
            7 => Kind::EventRecord(handle()),
            10 => allocate(call, state, &mut p.value.alloc)?,
            11 => Kind::Free,
            13 => conditional::node(&*call.runtime.backend, state, &mut p.value.conditional)?,
            _ => {
                state.results.unsupported("cudaGraphAddNode: this kind of node", call.caller, true);
                return Err(CudaError::NOT_SUPPORTED);
            }
        })
    }
}

api! {
    fn cudaGraphAddNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        _edges: *const c_void,
        count: usize,
        params: *mut GraphNodeParams,
    ) = |call| add(call, out, graph, (nodes, count), |state| {
        // SAFETY: the program's structure.
        unsafe { tagged(call, state, params) }
    });
    fn cudaGraphAddMemAllocNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *mut MemAllocNodeParams,
    ) = |call| add(call, out, graph, (nodes, count), |state| allocate(call, state, params));
    fn cudaGraphAddMemFreeNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        _pointer: *mut c_void,
    ) = |call| add(call, out, graph, (nodes, count), |_| Ok(Kind::Free));
    fn cudaGraphNodeSetParams(node: GraphNode, params: *mut GraphNodeParams) = |call| {
        let mut state = call.state()?;
        // SAFETY: the program's structure.
        let kind = unsafe { tagged(call, &mut state, params)? };
        state.graphs.node_mut(node as usize)?.kind = kind;
        Ok(())
    };
    fn cudaDeviceGraphMemTrim(_device: c_int) = |call| call.check();
    fn cudaDeviceGetGraphMemAttribute(device: c_int, which: c_int, value: *mut u64) = |call| {
        let state = call.state()?;
        if !(0..=3).contains(&which) || device < 0 || device as usize >= state.devices.len() {
            return Err(CudaError::INVALID_VALUE);
        }
        // Used and reserved, now and at most: memory of graphs is never given back.
        let bytes = state.graphs.memory.iter().filter_map(|a| state.memory.get(a)).filter(|m| m.device == device as u32).map(|m| m.bytes).sum();
        // SAFETY: the program's variable.
        unsafe { answer(value, bytes) }
    };
    fn cudaDeviceSetGraphMemAttribute(_device: c_int, _which: c_int, _value: *mut u64) = |call| call.check();
    fn cudaStreamBeginCapture | cudaStreamBeginCapture_ptsz (stream: Stream, mode: c_int) = |call| {
        begin_capture(call, stream, mode)
    };
    fn cudaStreamBeginCaptureToGraph | cudaStreamBeginCaptureToGraph_ptsz (
        stream: Stream,
        graph: Graph,
        nodes: *const GraphNode,
        _edges: *const c_void,
        count: usize,
        _mode: c_int,
    ) = |call| {
        let after = handles(nodes, count)?;
        let mut state = call.state()?;
        let (stream, _) = call.stream(&mut state, stream)?;
        state.graphs.graph(graph as usize)?;
        state.graphs.begin_capture(stream, graph as usize, Vec::new())?;
        state.graphs.set_tips(stream, &after, true)
    };
    fn cudaStreamEndCapture | cudaStreamEndCapture_ptsz (stream: Stream, graph: *mut Graph) = |call| {
        let mut state = call.state()?;
        let (stream, _) = call.stream(&mut state, stream)?;
        let ended = state.graphs.end_capture(stream)?;
        if graph.is_null() {
            return Ok(());
        }
        // SAFETY: the program's variable.
        unsafe { answer(graph, ended as Graph) }
    };
    fn cudaStreamIsCapturing | cudaStreamIsCapturing_ptsz (stream: Stream, status: *mut c_int) = |call| {
        let active = capture_info(call, stream)?.is_some();
        // SAFETY: the program's variable.
        unsafe { answer(status, c_int::from(active)) }
    };
    fn cudaStreamGetCaptureInfo | cudaStreamGetCaptureInfo_ptsz (
        stream: Stream,
        status: *mut c_int,
        id: *mut u64,
        graph: *mut Graph,
        nodes: *mut *const GraphNode,
        edges: *mut *const c_void,
        count: *mut usize,
    ) = |call| {
        let info = capture_info(call, stream)?;
        let active = info.is_some();
        let (session, handle, tips) = info.unwrap_or_default();
        let tips: Vec<GraphNode> = tips.into_iter().map(|n| n as GraphNode).collect();
        // SAFETY: the program's variables; all but the first may be null. The array is leaked: it
        // must live until the next call on the stream, which is not tracked.
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
    fn cudaStreamUpdateCaptureDependencies | cudaStreamUpdateCaptureDependencies_ptsz (
        stream: Stream,
        nodes: *const GraphNode,
        _edges: *const c_void,
        count: usize,
        flags: c_uint,
    ) = |call| {
        let after = handles(nodes, count)?;
        let mut state = call.state()?;
        let (stream, _) = call.stream(&mut state, stream)?;
        state.graphs.set_tips(stream, &after, flags & 1 != 0)
    };
    fn cudaThreadExchangeStreamCaptureMode(_mode: *mut c_int) = |_call| Ok(());
    fn cudaGraphCreate(graph: *mut Graph, _flags: c_uint) = |call| {
        let handle = call.state()?.graphs.create();
        // SAFETY: the program's variable.
        unsafe { answer(graph, handle as Graph) }
    };
    fn cudaGraphDestroy(graph: Graph) = |call| call.state()?.graphs.destroy(graph as usize);
    fn cudaGraphClone(clone: *mut Graph, graph: Graph) = |call| {
        let handle = call.state()?.graphs.duplicate(graph as usize)?;
        // SAFETY: the program's variable.
        unsafe { answer(clone, handle as Graph) }
    };
    fn cudaGraphNodeFindInClone(out: *mut GraphNode, node: GraphNode, clone: Graph) = |call| {
        let state = call.state()?;
        let (_, index) = state.graphs.locate(node as usize)?;
        let found = state.graphs.graph(clone as usize)?.nodes.get(index).ok_or(CudaError::INVALID_VALUE)?.handle;
        // SAFETY: the program's variable.
        unsafe { answer(out, found as GraphNode) }
    };
    fn cudaGraphAddKernelNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const KernelNodeParams,
    ) = |call| add(call, out, graph, (nodes, count), |state| {
        // SAFETY: the program's structure.
        Ok(Kind::Action(unsafe { kernel(call, state, params)? }))
    });
    fn cudaGraphAddMemcpyNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const Memcpy3DParms,
    ) = |call| add(call, out, graph, (nodes, count), |state| Ok(Kind::Action(copy_3d(state, params)?)));
    fn cudaGraphAddMemcpyNode1D(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        dst: *mut c_void,
        src: *const c_void,
        bytes: usize,
        kind: c_int,
    ) = |call| add(call, out, graph, (nodes, count), |state| Ok(Kind::Action(copy_1d(state, dst, src, bytes, kind)?)));
    fn cudaGraphAddMemcpyNodeToSymbol(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        name: *const c_void,
        src: *const c_void,
        bytes: usize,
        offset: usize,
        kind: c_int,
    ) = |call| {
        let dst = symbol::part(call, name, bytes, offset)?;
        add(call, out, graph, (nodes, count), |state| {
            let copy = memcpy::prepare(state, dst, memcpy::line(src, bytes), Shape::line(bytes), kind)?;
            Ok(Kind::Action(Action::Copy(copy)))
        })
    };
    fn cudaGraphAddMemcpyNodeFromSymbol(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        dst: *mut c_void,
        name: *const c_void,
        bytes: usize,
        offset: usize,
        kind: c_int,
    ) = |call| {
        let src = symbol::part(call, name, bytes, offset)?;
        add(call, out, graph, (nodes, count), |state| {
            let copy = memcpy::prepare(state, memcpy::line(dst, bytes), src, Shape::line(bytes), kind)?;
            Ok(Kind::Action(Action::Copy(copy)))
        })
    };
    fn cudaGraphAddMemsetNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const MemsetParams,
    ) = |call| add(call, out, graph, (nodes, count), |state| Ok(Kind::Action(fill(state, params)?)));
    fn cudaGraphAddHostNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const HostNodeParams,
    ) = |call| add(call, out, graph, (nodes, count), |_| Ok(Kind::Action(host(params)?)));
    fn cudaGraphAddEmptyNode(out: *mut GraphNode, graph: Graph, nodes: *const GraphNode, count: usize) = |call| {
        add(call, out, graph, (nodes, count), |_| Ok(Kind::Empty))
    };
    fn cudaGraphAddChildGraphNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        child: Graph,
    ) = |call| add(call, out, graph, (nodes, count), |state| {
        Ok(Kind::Child(Box::new(state.graphs.graph(child as usize)?.clone())))
    });
    fn cudaGraphAddEventRecordNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        event: Event,
    ) = |call| add(call, out, graph, (nodes, count), |_| Ok(Kind::EventRecord(event as usize)));
    fn cudaGraphAddEventWaitNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        event: Event,
    ) = |call| add(call, out, graph, (nodes, count), |_| Ok(Kind::EventWait(event as usize)));
    fn cudaGraphAddDependencies(
        graph: Graph,
        from: *const GraphNode,
        to: *const GraphNode,
        _edges: *const c_void,
        count: usize,
    ) = |call| {
        let (from, to) = (handles(from, count)?, handles(to, count)?);
        let mut state = call.state()?;
        for (from, to) in from.into_iter().zip(to) {
            let (owner, before) = state.graphs.locate(from)?;
            if owner != graph as usize {
                return Err(CudaError::INVALID_VALUE);
            }
            let node = state.graphs.node_mut(to)?;
            if !node.after.contains(&before) {
                node.after.push(before);
            }
        }
        Ok(())
    };
    fn cudaGraphRemoveDependencies(
        _graph: Graph,
        from: *const GraphNode,
        to: *const GraphNode,
        _edges: *const c_void,
        count: usize,
    ) = |call| {
        let (from, to) = (handles(from, count)?, handles(to, count)?);
        let mut state = call.state()?;
        for (from, to) in from.into_iter().zip(to) {
            let (_, before) = state.graphs.locate(from)?;
            state.graphs.node_mut(to)?.after.retain(|&b| b != before);
        }
        Ok(())
    };
    fn cudaGraphDestroyNode(node: GraphNode) = |call| {
        call.state()?.graphs.node_mut(node as usize)?.removed = true;
        Ok(())
    };
    fn cudaGraphNodeGetType(node: GraphNode, out: *mut c_int) = |call| {
        let kind = node_type(&call.state()?.graphs.node(node as usize)?.kind);
        // SAFETY: the program's variable.
        unsafe { answer(out, kind) }
    };
    fn cudaGraphGetNodes(graph: Graph, nodes: *mut GraphNode, count: *mut usize) = |call| {
        let state = call.state()?;
        let all: Vec<GraphNode> = state
            .graphs
            .graph(graph as usize)?
            .nodes
            .iter()
            .filter(|n| !n.removed)
            .map(|n| n.handle as GraphNode)
            .collect();
        // SAFETY: the program's array and count.
        unsafe { list(nodes, count, all.into_iter()) }
    };
    fn cudaGraphGetRootNodes(graph: Graph, nodes: *mut GraphNode, count: *mut usize) = |call| {
        let state = call.state()?;
        let roots: Vec<GraphNode> = state
            .graphs
            .graph(graph as usize)?
            .nodes
            .iter()
            .filter(|n| !n.removed && n.after.is_empty())
            .map(|n| n.handle as GraphNode)
            .collect();
        // SAFETY: the program's array and count.
        unsafe { list(nodes, count, roots.into_iter()) }
    };
    fn cudaGraphGetEdges(
        graph: Graph,
        from: *mut GraphNode,
        to: *mut GraphNode,
        _edges: *mut c_void,
        count: *mut usize,
    ) = |call| {
        let state = call.state()?;
        let nodes = &state.graphs.graph(graph as usize)?.nodes;
        let pairs: Vec<(usize, usize)> = nodes
            .iter()
            .filter(|n| !n.removed)
            .flat_map(|n| n.after.iter().map(|&b| (nodes[b].handle, n.handle)))
            .collect();
        // SAFETY: the program's arrays and count.
        unsafe {
            let mut room = if count.is_null() { 0 } else { *count };
            list(from, &mut room, pairs.iter().map(|p| p.0 as GraphNode))?;
            list(to, count, pairs.iter().map(|p| p.1 as GraphNode))
        }
    };
    fn cudaGraphNodeGetDependencies(
        node: GraphNode,
        nodes: *mut GraphNode,
        _edges: *mut c_void,
        count: *mut usize,
    ) = |call| {
        let state = call.state()?;
        let (graph, index) = state.graphs.locate(node as usize)?;
        let all = &state.graphs.graph(graph)?.nodes;
        // SAFETY: the program's array and count.
        unsafe { list(nodes, count, all[index].after.iter().map(|&b| all[b].handle as GraphNode)) }
    };
    fn cudaGraphNodeGetDependentNodes(
        node: GraphNode,
        nodes: *mut GraphNode,
        _edges: *mut c_void,
        count: *mut usize,
    ) = |call| {
        let state = call.state()?;
        let (graph, index) = state.graphs.locate(node as usize)?;
        let found: Vec<GraphNode> = state
            .graphs
            .graph(graph)?
            .nodes
            .iter()
            .filter(|n| !n.removed && n.after.contains(&index))
            .map(|n| n.handle as GraphNode)
            .collect();
        // SAFETY: the program's array and count.
        unsafe { list(nodes, count, found.into_iter()) }
    };
    fn cudaGraphKernelNodeSetParams(node: GraphNode, params: *const KernelNodeParams) = |call| {
        // SAFETY: the program's structure.
        set(call, node, |state| unsafe { kernel(call, state, params) })
    };
    fn cudaGraphMemcpyNodeSetParams(node: GraphNode, params: *const Memcpy3DParms) = |call| {
        set(call, node, |state| copy_3d(state, params))
    };
    fn cudaGraphMemcpyNodeSetParams1D(
        node: GraphNode,
        dst: *mut c_void,
        src: *const c_void,
        bytes: usize,
        kind: c_int,
    ) = |call| set(call, node, |state| copy_1d(state, dst, src, bytes, kind));
    fn cudaGraphMemsetNodeSetParams(node: GraphNode, params: *const MemsetParams) = |call| {
        set(call, node, |state| fill(state, params))
    };
    fn cudaGraphHostNodeSetParams(node: GraphNode, params: *const HostNodeParams) = |call| {
        set(call, node, |_| host(params))
    };
    fn cudaGraphExecKernelNodeSetParams(exec: GraphExec, node: GraphNode, params: *const KernelNodeParams) = |call| {
        // SAFETY: the program's structure.
        set_exec(call, exec, node, |state| unsafe { kernel(call, state, params) })
    };
    fn cudaGraphExecMemcpyNodeSetParams(exec: GraphExec, node: GraphNode, params: *const Memcpy3DParms) = |call| {
        set_exec(call, exec, node, |state| copy_3d(state, params))
    };
    fn cudaGraphExecMemcpyNodeSetParams1D(
        exec: GraphExec,
        node: GraphNode,
        dst: *mut c_void,
        src: *const c_void,
        bytes: usize,
        kind: c_int,
    ) = |call| set_exec(call, exec, node, |state| copy_1d(state, dst, src, bytes, kind));
    fn cudaGraphExecMemsetNodeSetParams(exec: GraphExec, node: GraphNode, params: *const MemsetParams) = |call| {
        set_exec(call, exec, node, |state| fill(state, params))
    };
    fn cudaGraphExecHostNodeSetParams(exec: GraphExec, node: GraphNode, params: *const HostNodeParams) = |call| {
        set_exec(call, exec, node, |_| host(params))
    };
    fn cudaGraphNodeSetEnabled(exec: GraphExec, node: GraphNode, enabled: c_uint) = |call| {
        let mut state = call.state()?;
        let exec = state.graphs.execs.get_mut(&(exec as usize)).ok_or(CudaError::INVALID_VALUE)?;
        exec.step_mut(node as usize)?.enabled = enabled != 0;
        Ok(())
    };
    fn cudaGraphNodeGetEnabled(exec: GraphExec, node: GraphNode, enabled: *mut c_uint) = |call| {
        let state = call.state()?;
        let exec = state.graphs.execs.get(&(exec as usize)).ok_or(CudaError::INVALID_VALUE)?;
        let enabled_now = exec.step(node as usize)?.enabled;
        // SAFETY: the program's variable.
        unsafe { answer(enabled, c_uint::from(enabled_now)) }
    };
    fn cudaGraphInstantiate(exec: *mut GraphExec, graph: Graph, flags: u64) = |call| {
        instantiate(call, exec, graph, flags)
    };
    fn cudaGraphInstantiateWithFlags(exec: *mut GraphExec, graph: Graph, flags: u64) = |call| {
        instantiate(call, exec, graph, flags)
    };
    fn cudaGraphInstantiateWithParams | cudaGraphInstantiateWithParams_ptsz (
        exec: *mut GraphExec,
        graph: Graph,
        params: *mut GraphInstantiateParams,
    ) = |call| {
        // SAFETY: the program's structure, or null.
        let params = unsafe { params.as_mut() }.ok_or(CudaError::INVALID_VALUE)?;
        instantiate(call, exec, graph, params.flags)?;
        params.result = 0;
        Ok(())
    };
    fn cudaGraphExecGetFlags(exec: GraphExec, flags: *mut u64) = |call| {
        let found = call.state()?.graphs.execs.get(&(exec as usize)).ok_or(CudaError::INVALID_VALUE)?.flags;
        // SAFETY: the program's variable.
        unsafe { answer(flags, found) }
    };
    fn cudaGraphExecUpdate(exec: GraphExec, graph: Graph, info: *mut c_int) = |call| {
        let mut state = call.state()?;
        let steps = flatten(state.graphs.graph(graph as usize)?)?;
        let exec = state.graphs.execs.get_mut(&(exec as usize)).ok_or(CudaError::INVALID_VALUE)?;
        // An instance keeps its conditional nodes' bodies.
        let updatable = |kind: &Kind| !matches!(kind, Kind::Conditional(_));
        let same = steps.len() == exec.plan.steps.len()
            && steps.iter().zip(&exec.plan.steps).all(|(a, b)| {
                a.after == b.after && node_type(&a.kind) == node_type(&b.kind) && updatable(&a.kind)
            });
        if !info.is_null() {
            // cudaGraphExecUpdateSuccess or cudaGraphExecUpdateErrorTopologyChanged
            // SAFETY: the program's structure begins with the result.
            unsafe { info.write(if same { 0 } else { 2 }) };
        }
        if !same {
            return Err(CudaError::GRAPH_EXEC_UPDATE_FAILURE);
        }
        // The original nodes' handles go on naming the steps.
        for (old, new) in exec.plan.steps.iter_mut().zip(steps) {
            old.kind = new.kind;
        }
        Ok(())
    };
    fn cudaGraphUpload | cudaGraphUpload_ptsz (exec: GraphExec, _stream: Stream) = |call| {
        call.state()?.graphs.execs.get(&(exec as usize)).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    };
    fn cudaGraphLaunch | cudaGraphLaunch_ptsz (exec: GraphExec, stream: Stream) = |call| launch(call, exec, stream);
    fn cudaGraphExecDestroy(exec: GraphExec) = |call| {
        call.state()?.graphs.execs.remove(&(exec as usize)).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    };
}
