//! The contents of graph nodes: adds nodes, and changes them in graphs and executable graphs.

use super::Call;
use super::graph::{handles, ports};
use super::launch::prepare;
use super::memory::answer;
use super::{conditional, ends, memcpy, symbol};
use crate::abi::driver_types::GraphNodeParams;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{
    Event, Graph, GraphEdgeData, GraphExec, GraphNode, HostNodeParams, KernelNodeParams, MemAllocNodeParams,
    Memcpy3DParms, MemsetParams,
};
use crate::backend::copy::{Pitch, Shape};
use crate::context::graphs::Kind;
use crate::context::{HostFunction, MemoryKind, Request, State, Work};
use crate::submit::kernel::Configuration;
use crate::submit::{copy, fill};
use host::api::NodeType;
use std::ffi::{c_int, c_void};
use std::mem::discriminant;

/// Returns the work of a kernel node.
///
/// # Safety
/// `params` is null or valid, with a pointer for each of the kernel's parameters.
unsafe fn kernel(call: &Call, state: &mut State, params: *const KernelNodeParams) -> CudaResult<Work> {
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
    Ok(Work::Kernel(Box::new(work)))
}

fn copy_3d(state: &State, params: *const Memcpy3DParms) -> CudaResult<Work> {
    // SAFETY: the program's structure, or null.
    let p = unsafe { params.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    let (dst, src, shape) = memcpy::parts_3d(state, p)?;
    Ok(Work::Copy(Box::new(copy::prepare(state, dst, src, shape, p.kind)?)))
}

fn copy_1d(
    state: &State,
    dst: *mut c_void,
    src: *const c_void,
    bytes: usize,
    kind: c_int,
) -> CudaResult<Work> {
    let copy =
        copy::prepare(state, ends::line(dst, bytes), ends::line(src, bytes), Shape::line(bytes), kind)?;
    Ok(Work::Copy(Box::new(copy)))
}

pub(in crate::api) fn fill(state: &State, params: *const MemsetParams) -> CudaResult<Work> {
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
    Ok(Work::Fill(fill::prepare(state, p.dst, pitch, shape, p.value, size)?))
}

pub(in crate::api) fn host(params: *const HostNodeParams) -> CudaResult<Work> {
    // SAFETY: the program's structure, or null.
    let p = unsafe { params.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    Ok(Work::HostFunction(HostFunction::Function { function: p.function, data: p.data as usize }))
}

/// Adds a node and answers its handle.
pub(in crate::api) fn add(
    call: &Call,
    out: *mut GraphNode,
    graph: Graph,
    nodes: (*const GraphNode, usize),
    make: impl FnOnce(&mut State) -> CudaResult<Kind>,
) -> CudaResult {
    add_with(call, out, graph, nodes, std::ptr::null(), make)
}

/// Adds a node with edge descriptions and returns its handle.
pub(in crate::api) fn add_with(
    call: &Call,
    out: *mut GraphNode,
    graph: Graph,
    (nodes, count): (*const GraphNode, usize),
    edges: *const GraphEdgeData,
    make: impl FnOnce(&mut State) -> CudaResult<Kind>,
) -> CudaResult {
    let (after, ports) = (handles(nodes, count)?, ports(edges, count)?);
    let mut state = call.state()?;
    let kind = make(&mut state)?;
    let kernel = matches!(kind, Kind::Work(Work::Kernel(_)));
    for (&before, port) in after.iter().zip(&ports) {
        let from = matches!(state.graphs.node(before)?.kind, Kind::Work(Work::Kernel(_)));
        if port.is_some() && !(kernel && from) {
            return Err(CudaError::INVALID_VALUE);
        }
    }
    let node = state.graphs.add(graph as usize, &[], kind, call.device)?;
    for (before, port) in after.into_iter().zip(ports) {
        state.graphs.connect(graph as usize, before, node, port)?;
    }
    // SAFETY: the program's variable.
    unsafe { answer(out, node as GraphNode) }
}

pub(in crate::api) fn set(
    call: &Call,
    node: GraphNode,
    make: impl FnOnce(&mut State) -> CudaResult<Work>,
) -> CudaResult {
    set_any(call, node, |state| make(state).map(Kind::Work))
}

/// Gives a node of a graph other parameters.
pub(in crate::api) fn set_any(
    call: &Call,
    node: GraphNode,
    make: impl FnOnce(&mut State) -> CudaResult<Kind>,
) -> CudaResult {
    let mut state = call.state()?;
    let kind = make(&mut state)?;
    state.graphs.node_mut(node as usize)?.kind = kind;
    Ok(())
}

pub(in crate::api) fn set_exec(
    call: &Call,
    exec: GraphExec,
    node: GraphNode,
    make: impl FnOnce(&mut State) -> CudaResult<Work>,
) -> CudaResult {
    let mut state = call.state()?;
    let work = make(&mut state)?;
    let exec = state.graphs.exec_mut(exec as usize)?;
    exec.step_mut(node as usize)?.kind = Kind::Work(work);
    Ok(())
}

/// Gives a node of an executable graph other parameters of its kind.
pub(in crate::api) fn set_exec_any(call: &Call, exec: GraphExec, node: GraphNode, kind: Kind) -> CudaResult {
    let mut state = call.state()?;
    let step = state.graphs.exec_mut(exec as usize)?.step_mut(node as usize)?;
    let is_same = match (&step.kind, &kind) {
        (Kind::Work(old), Kind::Work(new)) => discriminant(old) == discriminant(new),
        (old, new) => discriminant(old) == discriminant(new),
    };
    let is_fixed =
        matches!(kind, Kind::Conditional(_) | Kind::Work(Work::Allocate { .. } | Work::Free { .. }));
    if !is_same || is_fixed {
        return Err(CudaError::INVALID_VALUE);
    }
    if let Kind::Child(_) = kind {
        state.results.unsupported(&format!("{}: a child graph", call.api), call.caller, true);
        return Err(CudaError::NOT_SUPPORTED);
    }
    step.kind = kind;
    Ok(())
}

/// Memory that belongs to a graph: it is there from the node's creation on, at the address that the program gets, and as long as
/// the process. Detectors hear of the node as of `cudaMallocAsync`.
fn allocate(call: &Call, state: &mut State, params: *mut MemAllocNodeParams) -> CudaResult<Kind> {
    // SAFETY: the program's structure, or null.
    let p = unsafe { params.as_mut() }.ok_or(CudaError::INVALID_VALUE)?;
    let device = u32::try_from(p.pool.location.id).unwrap_or(0);
    if p.pool.location.kind != 1 || device >= state.device_count() {
        return Err(CudaError::INVALID_VALUE);
    }
    let site = call.site(state);
    let request = Request::new(p.bytes.max(1) as u64, MemoryKind::Pool, device, site);
    let base = call.runtime.allocate(state, request)?;
    state.graphs.allocated(base);
    p.pointer = base as *mut c_void;
    Ok(Kind::Work(Work::Allocate { address: base, bytes: p.bytes.max(1) as u64 }))
}

/// The end of memory that belongs to a graph: detectors hear of it as of `cudaFreeAsync`, and the memory stays.
fn release(state: &State, pointer: *mut c_void) -> CudaResult<Kind> {
    let address = pointer as u64;
    if !state.graphs.owns_memory(address) {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(Kind::Work(Work::Free { address }))
}

/// Creates a node of any kind from tagged parameters.
///
/// # Safety
/// `params` is null or valid for its kind.
pub(in crate::api) unsafe fn tagged(
    call: &Call,
    state: &mut State,
    params: *mut GraphNodeParams,
) -> CudaResult<Kind> {
    // SAFETY: the caller's promise; the kind selects the valid member of the union.
    unsafe {
        let p = params.as_mut().ok_or(CudaError::INVALID_VALUE)?;
        let handle = || p.value.handle as usize;
        Ok(match NodeType::of(p.kind).ok_or(CudaError::INVALID_VALUE)? {
            NodeType::Kernel => Kind::Work(kernel(call, state, &p.value.kernel)?),
            NodeType::Memcpy => Kind::Work(copy_3d(state, &p.value.memcpy.copy)?),
            NodeType::Memset => Kind::Work(fill(state, &p.value.memset)?),
            NodeType::Host => Kind::Work(host(&p.value.host)?),
            NodeType::Graph => Kind::Child(Box::new(state.graphs.graph(handle())?.clone())),
            NodeType::Empty => Kind::Empty,
            NodeType::WaitEvent => Kind::EventWait(handle()),
            NodeType::EventRecord => Kind::EventRecord(handle()),
            NodeType::MemAlloc => allocate(call, state, &mut p.value.alloc)?,
            NodeType::MemFree => release(state, p.value.handle)?,
            NodeType::Conditional => {
                conditional::node(&*call.runtime.backend, state, &mut p.value.conditional)?
            }
            kind @ (NodeType::ExtSemaphoreSignal | NodeType::ExtSemaphoreWait | NodeType::BatchMemOp) => {
                state.results.unsupported(&format!("{}: {}", call.api, kind.name()), call.caller, true);
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
        edges: *const GraphEdgeData,
        count: usize,
        params: *mut GraphNodeParams,
    ) = |call| add_with(call, out, graph, (nodes, count), edges, |state| {
        // SAFETY: the program's structure.
        unsafe { tagged(call, state, params) }
    });
    fn cudaGraphAddMemAllocNode, driver cuGraphAddMemAllocNode (
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *mut MemAllocNodeParams,
    ) = |call| add(call, out, graph, (nodes, count), |state| allocate(call, state, params));
    fn cudaGraphAddMemFreeNode, driver cuGraphAddMemFreeNode (
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        pointer: *mut c_void,
    ) = |call| add(call, out, graph, (nodes, count), |state| release(state, pointer));
    fn cudaGraphExecNodeSetParams(exec: GraphExec, node: GraphNode, params: *mut GraphNodeParams) = |call| {
        // SAFETY: the program's structure.
        let kind = unsafe { tagged(call, &mut *call.state()?, params)? };
        set_exec_any(call, exec, node, kind)
    };
    fn cudaGraphNodeSetParams(node: GraphNode, params: *mut GraphNodeParams) = |call| set_any(call, node, |state| {
        // SAFETY: the program's structure.
        unsafe { tagged(call, state, params) }
    });
    fn cudaGraphAddKernelNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const KernelNodeParams,
    ) = |call| add(call, out, graph, (nodes, count), |state| {
        // SAFETY: the program's structure.
        Ok(Kind::Work(unsafe { kernel(call, state, params)? }))
    });
    fn cudaGraphAddMemcpyNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const Memcpy3DParms,
    ) = |call| add(call, out, graph, (nodes, count), |state| Ok(Kind::Work(copy_3d(state, params)?)));
    fn cudaGraphAddMemcpyNode1D(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        dst: *mut c_void,
        src: *const c_void,
        bytes: usize,
        kind: c_int,
    ) = |call| add(call, out, graph, (nodes, count), |state| Ok(Kind::Work(copy_1d(state, dst, src, bytes, kind)?)));
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
            let copy = copy::prepare(state, dst, ends::line(src, bytes), Shape::line(bytes), kind)?;
            Ok(Kind::Work(Work::Copy(Box::new(copy))))
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
            let copy = copy::prepare(state, ends::line(dst, bytes), src, Shape::line(bytes), kind)?;
            Ok(Kind::Work(Work::Copy(Box::new(copy))))
        })
    };
    fn cudaGraphAddMemsetNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const MemsetParams,
    ) = |call| add(call, out, graph, (nodes, count), |state| Ok(Kind::Work(fill(state, params)?)));
    fn cudaGraphAddHostNode, driver cuGraphAddHostNode (
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const HostNodeParams,
    ) = |call| add(call, out, graph, (nodes, count), |_| Ok(Kind::Work(host(params)?)));
    fn cudaGraphAddEmptyNode, driver cuGraphAddEmptyNode (out: *mut GraphNode, graph: Graph, nodes: *const GraphNode, count: usize) = |call| {
        add(call, out, graph, (nodes, count), |_| Ok(Kind::Empty))
    };
    fn cudaGraphAddChildGraphNode, driver cuGraphAddChildGraphNode (
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        child: Graph,
    ) = |call| add(call, out, graph, (nodes, count), |state| {
        Ok(Kind::Child(Box::new(state.graphs.graph(child as usize)?.clone())))
    });
    fn cudaGraphAddEventRecordNode, driver cuGraphAddEventRecordNode (
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        event: Event,
    ) = |call| add(call, out, graph, (nodes, count), |_| Ok(Kind::EventRecord(event as usize)));
    fn cudaGraphAddEventWaitNode, driver cuGraphAddEventWaitNode (
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        event: Event,
    ) = |call| add(call, out, graph, (nodes, count), |_| Ok(Kind::EventWait(event as usize)));
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
    fn cudaGraphHostNodeSetParams, driver cuGraphHostNodeSetParams (node: GraphNode, params: *const HostNodeParams) = |call| {
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
    fn cudaGraphExecHostNodeSetParams, driver cuGraphExecHostNodeSetParams (exec: GraphExec, node: GraphNode, params: *const HostNodeParams) = |call| {
        set_exec(call, exec, node, |_| host(params))
    };
}
