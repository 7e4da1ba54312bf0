//! Builds, instantiates and launches graphs. [`node`](super::node) defines the contents of nodes.

use super::Call;
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Graph, GraphEdgeData, GraphExec, GraphInstantiateParams, GraphNode, Stream};
use crate::context::Work;
use crate::context::graphs::{Kind, Node, Port, flatten};
use crate::submit::graph;
use host::api::{Edge, NodeType};
use std::ffi::{c_int, c_uint, c_void};

/// Returns the node handles that the program passes as dependencies.
pub(super) fn handles(nodes: *const GraphNode, count: usize) -> CudaResult<Vec<usize>> {
    if count > 0 && nodes.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the program passed `count` handles.
    Ok((0..count).map(|i| unsafe { *nodes.add(i) } as usize).collect())
}

/// Returns the port of each edge that the program passes; `None` for a full dependency. A null array means
/// full dependencies.
pub(super) fn ports(edges: *const GraphEdgeData, count: usize) -> CudaResult<Vec<Option<Port>>> {
    if edges.is_null() {
        return Ok(vec![None; count]);
    }
    let port = |i| {
        // SAFETY: the program passed `count` descriptions.
        let data = unsafe { *edges.add(i) };
        let edge = Edge::of(data.kind, data.from_port).filter(|_| data.to_port == 0);
        Ok(match edge.ok_or(CudaError::INVALID_VALUE)? {
            Edge::Full => None,
            Edge::Triggered => Some(Port::Triggered),
            Edge::Begun => Some(Port::Begun),
        })
    };
    (0..count).map(port).collect()
}

/// Returns the description of a node's edge from the node with index `before`.
fn described(node: &Node, before: usize) -> GraphEdgeData {
    let port = node.early.iter().find(|(b, _)| *b == before);
    let edge = match port.map(|(_, port)| port) {
        None => Edge::Full,
        Some(Port::Triggered) => Edge::Triggered,
        Some(Port::Begun) => Edge::Begun,
    };
    let (kind, from_port) = edge.numbers();
    GraphEdgeData { from_port, kind, ..GraphEdgeData::default() }
}

/// Writes the descriptions of edges to `out`. If `out` is null and the edges themselves are requested, edges
/// that are not full dependencies are an error (`cudaErrorLossyQuery`).
///
/// # Safety
/// `out` is null or holds `room` entries.
unsafe fn list_edges(
    out: *mut GraphEdgeData,
    room: usize,
    asked: bool,
    edges: &[GraphEdgeData],
) -> CudaResult {
    if out.is_null() {
        let lossy = asked && edges.iter().any(|edge| edge.kind != 0);
        return if lossy { Err(CudaError::LOSSY_QUERY) } else { Ok(()) };
    }
    for (i, edge) in edges.iter().take(room).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { out.add(i).write(*edge) };
    }
    Ok(())
}

fn instantiate(call: &Call, out: *mut GraphExec, graph: Graph, flags: u64) -> CudaResult {
    let handle = call.state()?.instantiate(graph as usize, flags)?;
    // SAFETY: the program's variable.
    unsafe { answer(out, handle as GraphExec) }
}

/// Writes a list in CUDA's convention: a null array requests the count.
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

fn node_type(kind: &Kind) -> NodeType {
    match kind {
        Kind::Work(Work::Kernel(_)) => NodeType::Kernel,
        Kind::Work(Work::Copy(_) | Work::Operator(_)) => NodeType::Memcpy,
        Kind::Work(Work::Fill(_)) => NodeType::Memset,
        Kind::Work(Work::HostFunction(_)) => NodeType::Host,
        Kind::Work(Work::Allocate { .. }) => NodeType::MemAlloc,
        Kind::Work(Work::Free { .. }) => NodeType::MemFree,
        Kind::Child(_) => NodeType::Graph,
        Kind::Empty => NodeType::Empty,
        Kind::Work(Work::Gate(_)) | Kind::EventWait(_) => NodeType::WaitEvent,
        Kind::EventRecord(_) => NodeType::EventRecord,
        Kind::Conditional(_) => NodeType::Conditional,
    }
}

api! {
    fn cudaDeviceGraphMemTrim, driver cuDeviceGraphMemTrim (_device: c_int) = |call| call.check();
    fn cudaDeviceGetGraphMemAttribute, driver cuDeviceGetGraphMemAttribute (device: c_int, which: c_int, value: *mut u64) = |call| {
        let state = call.state()?;
        if !(0..=3).contains(&which) {
            return Err(CudaError::INVALID_VALUE);
        }
        let device = state.device(device).map_err(|_| CudaError::INVALID_VALUE)?;
        // Used and reserved memory, currently and at most, are equal: memory of graphs is never freed.
        let bytes = state.graph_bytes(device);
        // SAFETY: the program's variable.
        unsafe { answer(value, bytes) }
    };
    fn cudaDeviceSetGraphMemAttribute, driver cuDeviceSetGraphMemAttribute (_device: c_int, _which: c_int, _value: *mut u64) = |call| call.check();
    fn cudaGraphCreate, driver cuGraphCreate (graph: *mut Graph, _flags: c_uint) = |call| {
        let handle = call.state()?.graphs.create();
        // SAFETY: the program's variable.
        unsafe { answer(graph, handle as Graph) }
    };
    fn cudaGraphDestroy, driver cuGraphDestroy (graph: Graph) = |call| call.state()?.graphs.destroy(graph as usize);
    fn cudaGraphClone, driver cuGraphClone (clone: *mut Graph, graph: Graph) = |call| {
        let handle = call.state()?.graphs.duplicate(graph as usize)?;
        // SAFETY: the program's variable.
        unsafe { answer(clone, handle as Graph) }
    };
    fn cudaGraphNodeFindInClone, driver cuGraphNodeFindInClone (out: *mut GraphNode, node: GraphNode, clone: Graph) = |call| {
        let state = call.state()?;
        let (_, index) = state.graphs.locate(node as usize)?;
        let found = state.graphs.graph(clone as usize)?.nodes.get(index).ok_or(CudaError::INVALID_VALUE)?.handle;
        // SAFETY: the program's variable.
        unsafe { answer(out, found as GraphNode) }
    };
    fn cudaGraphAddDependencies, driver cuGraphAddDependencies_v2 (
        graph: Graph,
        from: *const GraphNode,
        to: *const GraphNode,
        edges: *const GraphEdgeData,
        count: usize,
    ) = |call| {
        let (from, to, ports) = (handles(from, count)?, handles(to, count)?, ports(edges, count)?);
        let mut state = call.state()?;
        for ((from, to), port) in from.into_iter().zip(to).zip(ports) {
            state.graphs.connect(graph as usize, from, to, port)?;
        }
        Ok(())
    };
    fn cudaGraphRemoveDependencies, driver cuGraphRemoveDependencies_v2 (
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
            let node = state.graphs.node_mut(to)?;
            node.after.retain(|&b| b != before);
            node.early.retain(|(b, _)| *b != before);
        }
        Ok(())
    };
    fn cudaGraphDestroyNode, driver cuGraphDestroyNode (node: GraphNode) = |call| {
        call.state()?.graphs.node_mut(node as usize)?.removed = true;
        Ok(())
    };
    fn cudaGraphNodeGetType, driver cuGraphNodeGetType (node: GraphNode, out: *mut c_int) = |call| {
        let kind = node_type(&call.state()?.graphs.node(node as usize)?.kind) as c_int;
        // SAFETY: the program's variable.
        unsafe { answer(out, kind) }
    };
    fn cudaGraphGetNodes, driver cuGraphGetNodes (graph: Graph, nodes: *mut GraphNode, count: *mut usize) = |call| {
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
    fn cudaGraphGetRootNodes, driver cuGraphGetRootNodes (graph: Graph, nodes: *mut GraphNode, count: *mut usize) = |call| {
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
    fn cudaGraphGetEdges, driver cuGraphGetEdges_v2 (
        graph: Graph,
        from: *mut GraphNode,
        to: *mut GraphNode,
        edges: *mut GraphEdgeData,
        count: *mut usize,
    ) = |call| {
        let state = call.state()?;
        let nodes = &state.graphs.graph(graph as usize)?.nodes;
        let pairs: Vec<(usize, usize)> = nodes
            .iter()
            .filter(|n| !n.removed)
            .flat_map(|n| n.after.iter().map(|&b| (nodes[b].handle, n.handle)))
            .collect();
        let all = nodes.iter().filter(|n| !n.removed);
        let kinds: Vec<_> = all.flat_map(|n| n.after.iter().map(|&b| described(n, b))).collect();
        // SAFETY: the program's arrays and count.
        unsafe {
            list_edges(edges, if count.is_null() { 0 } else { *count }, !from.is_null(), &kinds)?;
            let mut room = if count.is_null() { 0 } else { *count };
            list(from, &mut room, pairs.iter().map(|p| p.0 as GraphNode))?;
            list(to, count, pairs.iter().map(|p| p.1 as GraphNode))
        }
    };
    fn cudaGraphNodeGetDependencies, driver cuGraphNodeGetDependencies_v2 (
        node: GraphNode,
        nodes: *mut GraphNode,
        edges: *mut GraphEdgeData,
        count: *mut usize,
    ) = |call| {
        let state = call.state()?;
        let (graph, index) = state.graphs.locate(node as usize)?;
        let all = &state.graphs.graph(graph)?.nodes;
        let kinds: Vec<_> = all[index].after.iter().map(|&b| described(&all[index], b)).collect();
        // SAFETY: the program's arrays and count.
        unsafe { list_edges(edges, if count.is_null() { 0 } else { *count }, !nodes.is_null(), &kinds)? };
        // SAFETY: the program's array and count.
        unsafe { list(nodes, count, all[index].after.iter().map(|&b| all[b].handle as GraphNode)) }
    };
    fn cudaGraphNodeGetDependentNodes, driver cuGraphNodeGetDependentNodes_v2 (
        node: GraphNode,
        nodes: *mut GraphNode,
        edges: *mut GraphEdgeData,
        count: *mut usize,
    ) = |call| {
        let state = call.state()?;
        let (graph, index) = state.graphs.locate(node as usize)?;
        let all = &state.graphs.graph(graph)?.nodes;
        let behind: Vec<_> = all.iter().filter(|n| !n.removed && n.after.contains(&index)).collect();
        let found: Vec<GraphNode> = behind.iter().map(|n| n.handle as GraphNode).collect();
        let kinds: Vec<_> = behind.iter().map(|n| described(n, index)).collect();
        // SAFETY: the program's arrays and count.
        unsafe { list_edges(edges, if count.is_null() { 0 } else { *count }, !nodes.is_null(), &kinds)? };
        // SAFETY: the program's array and count.
        unsafe { list(nodes, count, found.into_iter()) }
    };
    fn cudaGraphNodeSetEnabled, driver cuGraphNodeSetEnabled (exec: GraphExec, node: GraphNode, enabled: c_uint) = |call| {
        let mut state = call.state()?;
        let exec = state.graphs.exec_mut(exec as usize)?;
        exec.step_mut(node as usize)?.enabled = enabled != 0;
        Ok(())
    };
    fn cudaGraphNodeGetEnabled, driver cuGraphNodeGetEnabled (exec: GraphExec, node: GraphNode, enabled: *mut c_uint) = |call| {
        let state = call.state()?;
        let exec = state.graphs.exec(exec as usize)?;
        let enabled_now = exec.step(node as usize)?.enabled;
        // SAFETY: the program's variable.
        unsafe { answer(enabled, c_uint::from(enabled_now)) }
    };
    fn cudaGraphInstantiate(exec: *mut GraphExec, graph: Graph, flags: u64) = |call| {
        instantiate(call, exec, graph, flags)
    };
    fn cudaGraphInstantiateWithFlags, driver cuGraphInstantiateWithFlags (exec: *mut GraphExec, graph: Graph, flags: u64) = |call| {
        instantiate(call, exec, graph, flags)
    };
    fn cudaGraphInstantiateWithParams | cudaGraphInstantiateWithParams_ptsz, driver cuGraphInstantiateWithParams | cuGraphInstantiateWithParams_ptsz (
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
    fn cudaGraphExecGetFlags, driver cuGraphExecGetFlags (exec: GraphExec, flags: *mut u64) = |call| {
        let found = call.state()?.graphs.exec(exec as usize)?.flags;
        // SAFETY: the program's variable.
        unsafe { answer(flags, found) }
    };
    fn cudaGraphExecUpdate, driver cuGraphExecUpdate_v2 (exec: GraphExec, graph: Graph, info: *mut c_int) = |call| {
        let mut state = call.state()?;
        let steps = flatten(state.graphs.graph(graph as usize)?)?;
        let exec = state.graphs.exec_mut(exec as usize)?;
        // An executable graph's conditional nodes cannot change their bodies.
        let updatable = |kind: &Kind| !matches!(kind, Kind::Conditional(_));
        let same = steps.len() == exec.plan.steps.len()
            && steps.iter().zip(&exec.plan.steps).all(|(a, b)| {
                a.after == b.after && a.early == b.early && node_type(&a.kind) == node_type(&b.kind) && updatable(&a.kind)
            });
        if !info.is_null() {
            // SAFETY: the program's structure begins with the result, cudaGraphExecUpdateSuccess or
            // cudaGraphExecUpdateErrorTopologyChanged.
            unsafe { info.write(if same { 0 } else { 2 }) };
        }
        if !same {
            return Err(CudaError::GRAPH_EXEC_UPDATE_FAILURE);
        }
        // The handles of the original nodes still identify the steps.
        for (old, new) in exec.plan.steps.iter_mut().zip(steps) {
            old.kind = new.kind;
        }
        Ok(())
    };
    fn cudaGraphUpload | cudaGraphUpload_ptsz, driver cuGraphUpload | cuGraphUpload_ptsz (exec: GraphExec, _stream: Stream) = |call| {
        call.state()?.graphs.exec(exec as usize).map(|_| ())
    };
    fn cudaGraphLaunch | cudaGraphLaunch_ptsz, driver cuGraphLaunch | cuGraphLaunch_ptsz (exec: GraphExec, stream: Stream) = |call| {
        let mut state = call.state()?;
        let (stream, _) = call.stream(&mut state, stream)?;
        state.graphs.exec(exec as usize)?;
        if state.graphs.is_capturing(stream) {
            state.results.unsupported("cudaGraphLaunch into a capturing stream", call.caller, true);
            return Err(CudaError::NOT_SUPPORTED);
        }
        graph::launch(call, state, exec as usize, stream)
    };
    fn cudaGraphExecDestroy, driver cuGraphExecDestroy (exec: GraphExec) = |call| {
        call.state()?.graphs.destroy_exec(exec as usize)
    };
}
