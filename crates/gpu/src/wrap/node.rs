//! Wrappers of the functions for kernel nodes of graphs. They pass the launch parameter as launches do, and
//! follow later changes of a node's parameters.

use super::launch::{Begins, before};
use super::{Handle, order, repeated};
use crate::capture::Call;
use crate::graphs::{self, KERNEL, Kernel, OldParams, Params};
use crate::hooks::{Code, SUCCESS};
use crate::{parts, session, state};
use std::ffi::{c_int, c_uint};

/// `CUgraphNodeParams`, whose last 29 words are a union.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct AnyParams {
    kind: c_int,
    reserved: [c_int; 3],
    node: Params,
    rest: [u64; 29 - size_of::<Params>() / 8 + 1],
}

/// Calls `then` with a node's parameters, to which the launch parameter is added. A kernel of a graph counts
/// as one launch, however often the graph is launched.
fn told_node(mut node: OldParams, kernel: Handle, then: impl FnOnce(OldParams) -> Code) -> Code {
    let own = if node.function.is_null() { kernel } else { node.function };
    let function = parts::of_node(own);
    if function != own {
        node.function = function;
    }
    let OldParams { grid, block, shared, parameters, extra, .. } = node;
    let (cluster, stream) = ([1; 3], std::ptr::null_mut());
    let call = Call { grid, block, cluster, shared, cooperative: false, stream, parameters, extra };
    match before(function, call, Begins::AsNode) {
        Ok(mut arguments) => {
            (node.parameters, node.extra) = arguments.pass(node.parameters, node.extra);
            then(node)
        }
        Err(code) => code,
    }
}

/// Returns a node's parameters; the kernel is passed only if there is no function in its place.
fn of_kernel(old: OldParams, kernel: Handle, context: Handle) -> Params {
    let kernel = if old.function.is_null() { kernel } else { std::ptr::null_mut() };
    Params { old, kernel, context }
}

/// Calls `then` with a node's parameters, to which the launch parameter is added.
///
/// # Safety
/// `how` points to valid node parameters, or is null.
pub(super) unsafe fn with_old_node(
    how: *const OldParams,
    then: impl FnOnce(*const OldParams) -> Code,
) -> Code {
    // SAFETY: the caller's promise.
    match unsafe { how.as_ref() } {
        Some(node) => told_node(*node, std::ptr::null_mut(), |node| then(&node)),
        None => then(how),
    }
}

/// Does what [`with_old_node`] does, for the parameters of CUDA 12.
///
/// # Safety
/// `how` points to valid node parameters, or is null.
pub(super) unsafe fn with_node(how: *const Params, then: impl FnOnce(*const Params) -> Code) -> Code {
    // SAFETY: the caller's promise.
    match unsafe { how.as_ref() } {
        Some(&Params { old, kernel, context }) => {
            told_node(old, kernel, |old| then(&of_kernel(old, kernel, context)))
        }
        None => then(how),
    }
}

/// Does what [`with_old_node`] does, for a node of any kind.
///
/// # Safety
/// `how` points to valid node parameters, or is null.
pub(super) unsafe fn with_any_node(
    how: *const AnyParams,
    then: impl FnOnce(*const AnyParams) -> Code,
) -> Code {
    // The node may record an event.
    order::graphs_record();
    // SAFETY: the caller's promise; the driver's structure has a kernel's parameters if it says so.
    match unsafe { how.as_ref() } {
        Some(any) if any.kind == KERNEL => told_node(any.node.old, any.node.kernel, |old| {
            then(&AnyParams { node: of_kernel(old, any.node.kernel, any.node.context), ..*any })
        }),
        _ => then(how),
    }
}

/// Records the new parameters of a kernel node in an executable graph, after the driver has changed them.
///
/// # Safety
/// `how` points to the parameters that the driver received, or is null.
pub(super) unsafe fn changed(code: Code, made: Handle, node: Handle, how: *const Params) -> Code {
    // SAFETY: the caller's promise.
    let how = unsafe { how.as_ref() };
    if let Some(how) = how.filter(|_| code == SUCCESS && state::saves()) {
        // SAFETY: the caller's promise: `how` holds the pointers of a launch of this kernel.
        let kernel = unsafe { Kernel::new(how, |which| graphs::attribute(node, which)) };
        if let Some(mut state) = state::lock() {
            if session::is_on() {
                state.session_node(made as usize, node as usize, kernel.as_ref().map_err(|why| *why));
            }
            state.graphs().changed(made as usize, node as usize, kernel);
        }
    }
    code
}

/// Does what [`changed`] does, for the older form of the parameters.
///
/// # Safety
/// `how` points to the parameters that the driver received, or is null.
pub(super) unsafe fn changed_old(code: Code, made: Handle, node: Handle, how: *const OldParams) -> Code {
    let null = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    match unsafe { how.as_ref() } {
        // SAFETY: the caller's promise, for a copy of the parameters that outlives the call.
        Some(&old) => unsafe { changed(code, made, node, &Params { old, kernel: null, context: null }) },
        None => code,
    }
}

/// Does what [`changed`] does, for a node of any kind.
///
/// # Safety
/// `how` points to the parameters that the driver received, or is null.
pub(super) unsafe fn changed_any(code: Code, made: Handle, node: Handle, how: *const AnyParams) -> Code {
    // SAFETY: the caller's promise; the driver's structure has a kernel's parameters if it says so.
    match unsafe { how.as_ref() } {
        // SAFETY: the caller's promise; this member of the union is the valid one.
        Some(any) if any.kind == KERNEL => unsafe { changed(code, made, node, &any.node) },
        _ => code,
    }
}

/// `CUDA_CONDITIONAL_NODE_PARAMS`
#[repr(C)]
struct ConditionalParams {
    handle: u64,
    kind: c_int,
    size: c_uint,
    /// The graphs of its bodies, by the driver.
    bodies: *const u64,
}

/// Records a conditional node that the driver has added to a graph.
///
/// # Safety
/// If `code` is success, `node` and `how` may be read, and `how` is valid for its kind.
unsafe fn branches(code: Code, graph: Handle, node: *const Handle, how: *const AnyParams) -> Code {
    // SAFETY: the caller's promise.
    if code == SUCCESS && unsafe { (*how).kind } == session::CONDITIONAL {
        // SAFETY: the caller's promise; this member of the union is the valid one, and the driver has written as many
        // graphs as the node has bodies.
        unsafe {
            let of = &*(&raw const (*how).node).cast::<ConditionalParams>();
            let bodies = std::slice::from_raw_parts(of.bodies, of.size as usize).to_vec();
            repeated::has_bodies(graph, *node, &bodies);
            let of = session::Branches { handle: of.handle, kind: of.kind, bodies };
            session::branches(*node as u64, of);
        }
    }
    code
}

type AddNode<T> = unsafe extern "C" fn(*mut Handle, Handle, *const Handle, usize, *const T) -> Code;

pub(super) unsafe fn node(
    real: AddNode<Params>,
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    number: usize,
    how: *const Params,
) -> Code {
    // SAFETY: the caller's arguments.
    unsafe { with_node(how, |how| real(node, graph, after, number, how)) }
}

pub(super) unsafe fn old_node(
    real: AddNode<OldParams>,
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    number: usize,
    how: *const OldParams,
) -> Code {
    // SAFETY: the caller's arguments.
    unsafe { with_old_node(how, |how| real(node, graph, after, number, how)) }
}

pub(super) unsafe fn any_node(
    real: AddNode<AnyParams>,
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    number: usize,
    how: *const AnyParams,
) -> Code {
    // SAFETY: the caller's arguments.
    unsafe { with_any_node(how, |how| branches(real(node, graph, after, number, how), graph, node, how)) }
}

pub(super) unsafe fn any_node_with_data(
    real: unsafe extern "C" fn(*mut Handle, Handle, *const Handle, Handle, usize, *const AnyParams) -> Code,
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    data: Handle,
    number: usize,
    how: *const AnyParams,
) -> Code {
    // SAFETY: the caller's arguments.
    unsafe {
        with_any_node(how, |how| branches(real(node, graph, after, data, number, how), graph, node, how))
    }
}
