//! Nodes of graphs whose parameters the driver lays out in its own way: kernels, copies, memsets.

use super::launch::{Arguments, plain, prepare};
use super::{Call, CudaError, CudaResult, copy as ends};
use crate::abi::driver_types::{DriverKernelNodeParams, Memcpy3d};
use crate::abi::types::{Graph, GraphExec, GraphNode, MemsetParams, copy_kind};
use crate::api::runtime::node::{add, fill, set, set_exec};
use crate::context::graphs::Kind;
use crate::context::{State, Work};
use crate::submit::copy;
use std::ffi::c_void;

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

driver! {
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
