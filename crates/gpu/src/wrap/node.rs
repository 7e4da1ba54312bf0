//! Nodes of graphs that launch kernels: told as launches are, and followed where they are changed.

use super::launch::before;
use super::{Handle, order};
use crate::graphs::{self, KERNEL, Kernel, OldParams, Params};
use crate::hooks::{Code, SUCCESS};
use crate::state;
use std::ffi::c_int;

/// `CUgraphNodeParams`, of which 29 words are a union.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct AnyParams {
    kind: c_int,
    reserved: [c_int; 3],
    node: Params,
    rest: [u64; 29 - size_of::<Params>() / 8 + 1],
}

/// A node with what its kernel is told; a kernel of a graph counts as one launch, however often the graph is launched.
fn told_node(mut node: OldParams, kernel: Handle, then: impl FnOnce(OldParams) -> Code) -> Code {
    let function = if node.function.is_null() { kernel } else { node.function };
    match before(function, (node.grid, node.block), None, false, (node.parameters, node.extra)) {
        Ok(mut arguments) => {
            (node.parameters, node.extra) = arguments.pass(node.parameters, node.extra);
            then(node)
        }
        Err(code) => code,
    }
}

/// Calls `then` with parameters of a node, to which the driver's are added.
///
/// # Safety
/// `how` points to some, or is null.
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

/// The same.
///
/// # Safety
/// As there.
pub(super) unsafe fn with_node(how: *const Params, then: impl FnOnce(*const Params) -> Code) -> Code {
    // SAFETY: the caller's promise.
    match unsafe { how.as_ref() } {
        Some(&Params { old, kernel, context }) => {
            told_node(old, kernel, |old| then(&Params { old, kernel, context }))
        }
        None => then(how),
    }
}

/// The same, for nodes of all kinds.
///
/// # Safety
/// As there.
pub(super) unsafe fn with_any_node(
    how: *const AnyParams,
    then: impl FnOnce(*const AnyParams) -> Code,
) -> Code {
    // A node may record an event.
    order::graphs_record();
    // SAFETY: the caller's promise; the driver's structure has a kernel's parameters if it says so.
    match unsafe { how.as_ref() } {
        Some(any) if any.kind == KERNEL => told_node(any.node.old, any.node.kernel, |old| {
            then(&AnyParams { node: Params { old, ..any.node }, ..*any })
        }),
        _ => then(how),
    }
}

/// Behind a change of a kernel of an executable graph: what it is given from now on.
///
/// # Safety
/// `how` points to what the driver was given, or is null.
pub(super) unsafe fn changed(code: Code, made: Handle, node: Handle, how: *const Params) -> Code {
    // SAFETY: the caller's promise.
    let how = unsafe { how.as_ref() };
    if let Some(how) = how.filter(|_| code == SUCCESS && state::saves()) {
        // SAFETY: as above.
        let kernel = unsafe { Kernel::new(how, |which| graphs::attribute(node, which)) };
        if let Some(mut state) = state::lock() {
            state.graphs().changed(made as usize, node as usize, kernel);
        }
    }
    code
}

/// The same.
///
/// # Safety
/// As there.
pub(super) unsafe fn changed_old(code: Code, made: Handle, node: Handle, how: *const OldParams) -> Code {
    let null = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    match unsafe { how.as_ref() } {
        // SAFETY: as above.
        Some(&old) => unsafe { changed(code, made, node, &Params { old, kernel: null, context: null }) },
        None => code,
    }
}

/// The same, for nodes of all kinds.
///
/// # Safety
/// As there.
pub(super) unsafe fn changed_any(code: Code, made: Handle, node: Handle, how: *const AnyParams) -> Code {
    // SAFETY: the caller's promise; the driver's structure has a kernel's parameters if it says so.
    match unsafe { how.as_ref() } {
        // SAFETY: as above.
        Some(any) if any.kind == KERNEL => unsafe { changed(code, made, node, &any.node) },
        _ => code,
    }
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
    unsafe { with_any_node(how, |how| real(node, graph, after, number, how)) }
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
    unsafe { with_any_node(how, |how| real(node, graph, after, data, number, how)) }
}
