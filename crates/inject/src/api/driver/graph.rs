//! Nodes of graphs whose parameters the driver lays out in its own way: kernels, copies, memsets, and what takes any of
//! them.

use super::launch::{Arguments, plain, prepare};
use super::{Call, CudaError, CudaResult, copy as ends};
use crate::abi::driver_types::{DriverKernelNodeParams, GraphNodeParams, Memcpy3d};
use crate::abi::types::{Graph, GraphEdgeData, GraphExec, GraphNode, MemsetParams, copy_kind};
use crate::api::runtime::conditional::create_handle;
use crate::api::runtime::node::{add, add_with, fill, set, set_any, set_exec, set_exec_any, tagged};
use crate::context::graphs::Kind;
use crate::context::{State, Work};
use crate::submit::copy;
use std::ffi::{c_int, c_uint, c_void};

/// # Safety
/// `params` is null or valid, with the kernel's arguments.
unsafe fn kernel(call: &Call, state: &mut State, params: *const DriverKernelNodeParams) -> CudaResult<Work> {
    // SAFETY: the caller's promise.
    let p = unsafe { params.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    let function = if p.function.is_null() { p.kernel } else { p.function };
    let arguments = Arguments { pointers: p.pointers, extra: p.extra };
    // SAFETY: the caller's promise.
    let work =
        unsafe { prepare(call, state, function, call.device, plain(p.grid, p.block, p.shared), arguments)? };
    Ok(Work::Kernel(Box::new(work)))
}

fn copy_3d(state: &State, params: *const Memcpy3d) -> CudaResult<Work> {
    // SAFETY: the program's structure, or null.
    let p = unsafe { params.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    let (dst, src, shape) = ends::parts_3d(state, p)?;
    Ok(Work::Copy(Box::new(copy::prepare(state, dst, src, shape, copy_kind::DEFAULT)?)))
}

/// `CU_GRAPH_NODE_TYPE_KERNEL`, `CU_GRAPH_NODE_TYPE_MEMCPY`
const KERNEL: c_int = 0;
const MEMCPY: c_int = 1;

/// Makes a node of any kind. All but kernels and copies are described as the runtime does.
///
/// # Safety
/// `params` is null or valid for its kind.
unsafe fn any(call: &Call, state: &mut State, params: *mut GraphNodeParams) -> CudaResult<Kind> {
    // SAFETY: the caller's promise; the kind selects the valid member of the union.
    unsafe {
        let p = params.as_mut().ok_or(CudaError::INVALID_VALUE)?;
        Ok(match p.kind {
            KERNEL => Kind::Work(kernel(call, state, &p.value.driver_kernel)?),
            MEMCPY => Kind::Work(copy_3d(state, &p.value.driver_memcpy.copy)?),
            _ => tagged(call, state, params)?,
        })
    }
}

driver! {
    fn cuGraphAddNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *mut GraphNodeParams,
    ) = |call| add(call, out, graph, (nodes, count), |state| {
        // SAFETY: the program's structure.
        unsafe { any(call, state, params) }
    });
    fn cuGraphAddNode_v2(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        edges: *const GraphEdgeData,
        count: usize,
        params: *mut GraphNodeParams,
    ) = |call| add_with(call, out, graph, (nodes, count), edges, |state| {
        // SAFETY: the program's structure.
        unsafe { any(call, state, params) }
    });
    fn cuGraphNodeSetParams(node: GraphNode, params: *mut GraphNodeParams) = |call| set_any(call, node, |state| {
        // SAFETY: the program's structure.
        unsafe { any(call, state, params) }
    });
    fn cuGraphExecNodeSetParams(exec: GraphExec, node: GraphNode, params: *mut GraphNodeParams) = |call| {
        // SAFETY: the program's structure.
        let kind = unsafe { any(call, &mut *call.state()?, params)? };
        set_exec_any(call, exec, node, kind)
    };
    fn cuGraphConditionalHandleCreate(
        out: *mut u64,
        graph: Graph,
        _context: *mut c_void,
        default: c_uint,
        flags: c_uint,
    ) = |call| create_handle(call, out, graph, default, flags);
    fn cuGraphAddKernelNode_v2(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const DriverKernelNodeParams,
    ) = |call| add(call, out, graph, (nodes, count), |state| {
        // SAFETY: the program's structure.
        Ok(Kind::Work(unsafe { kernel(call, state, params)? }))
    });
    fn cuGraphKernelNodeSetParams_v2(node: GraphNode, params: *const DriverKernelNodeParams) = |call| {
        // SAFETY: the program's structure.
        set(call, node, |state| unsafe { kernel(call, state, params) })
    };
    fn cuGraphExecKernelNodeSetParams_v2(
        exec: GraphExec,
        node: GraphNode,
        params: *const DriverKernelNodeParams,
    ) = |call| {
        // SAFETY: the program's structure.
        set_exec(call, exec, node, |state| unsafe { kernel(call, state, params) })
    };
    fn cuGraphAddMemcpyNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const Memcpy3d,
        _context: *mut c_void,
    ) = |call| add(call, out, graph, (nodes, count), |state| Ok(Kind::Work(copy_3d(state, params)?)));
    fn cuGraphMemcpyNodeSetParams(node: GraphNode, params: *const Memcpy3d) = |call| {
        set(call, node, |state| copy_3d(state, params))
    };
    fn cuGraphExecMemcpyNodeSetParams(
        exec: GraphExec,
        node: GraphNode,
        params: *const Memcpy3d,
        _context: *mut c_void,
    ) = |call| set_exec(call, exec, node, |state| copy_3d(state, params));
    fn cuGraphAddMemsetNode(
        out: *mut GraphNode,
        graph: Graph,
        nodes: *const GraphNode,
        count: usize,
        params: *const MemsetParams,
        _context: *mut c_void,
    ) = |call| add(call, out, graph, (nodes, count), |state| Ok(Kind::Work(fill(state, params)?)));
    fn cuGraphMemsetNodeSetParams(node: GraphNode, params: *const MemsetParams) = |call| {
        set(call, node, |state| fill(state, params))
    };
    fn cuGraphExecMemsetNodeSetParams(
        exec: GraphExec,
        node: GraphNode,
        params: *const MemsetParams,
        _context: *mut c_void,
    ) = |call| set_exec(call, exec, node, |state| fill(state, params));
}
