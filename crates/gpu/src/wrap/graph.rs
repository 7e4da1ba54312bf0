//! Graphs. The kernels of a graph have the same number of a grid at each of its launches, by which engine `guard` tells launches
//! apart: before a graph is launched, its table is told. Where kernels are launched again without the host, it stops looking.

use super::{Handle, order};
use crate::hooks::Code;
use crate::{room, state};
use std::ffi::c_uint;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`
const ON_DEVICE: u64 = 4;

pub(super) unsafe fn launch(
    real: unsafe extern "C" fn(Handle, Handle) -> Code,
    graph: Handle,
    stream: Handle,
) -> Code {
    let _launching = room::launching();
    order::passes(stream);
    if let Some(mut state) = state::lock() {
        state.repeats(stream);
    }
    // SAFETY: the caller's arguments.
    unsafe { real(graph, stream) }
}

fn alone() {
    if let Some(mut state) = state::lock() {
        state.repeats_alone();
    }
}

pub(super) unsafe fn conditional(
    real: unsafe extern "C" fn(*mut u64, Handle, Handle, c_uint, c_uint) -> Code,
    handle: *mut u64,
    graph: Handle,
    context: Handle,
    value: c_uint,
    flags: c_uint,
) -> Code {
    alone();
    // SAFETY: the caller's arguments.
    unsafe { real(handle, graph, context, value, flags) }
}

pub(super) unsafe fn instantiate(
    real: unsafe extern "C" fn(*mut Handle, Handle, u64) -> Code,
    made: *mut Handle,
    graph: Handle,
    flags: u64,
) -> Code {
    if flags & ON_DEVICE != 0 {
        alone();
    }
    // SAFETY: the caller's arguments.
    unsafe { real(made, graph, flags) }
}

/// `how` points to `CUDA_GRAPH_INSTANTIATE_PARAMS`, which begins with the flags.
pub(super) unsafe fn instantiate_as(
    real: unsafe extern "C" fn(*mut Handle, Handle, *mut u64) -> Code,
    made: *mut Handle,
    graph: Handle,
    how: *mut u64,
) -> Code {
    // SAFETY: the caller passes parameters, or null.
    if !how.is_null() && unsafe { how.read() } & ON_DEVICE != 0 {
        alone();
    }
    // SAFETY: the caller's arguments.
    unsafe { real(made, graph, how) }
}
