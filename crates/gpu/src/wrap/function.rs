//! Wrappers of the functions that have the driver call functions of the program. A session has functions of its own in
//! their place.

use super::{Handle, order};
use crate::hooks::Code;
use crate::session;
use std::ffi::c_uint;

/// `CUDA_HOST_NODE_PARAMS`; from CUDA 12.8 on the driver's structure has further fields in other functions only.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Node {
    function: Handle,
    data: Handle,
}

pub(super) unsafe fn launch(
    real: unsafe extern "C" fn(Handle, Handle, Handle) -> Code,
    stream: Handle,
    own: Handle,
    (function, data): (Handle, Handle),
) -> Code {
    order::tells(own);
    let (function, data) = session::host_function(own, function, data);
    // SAFETY: the caller's arguments, or a function of this library with its own argument.
    unsafe { real(stream, function, data) }
}

pub(super) unsafe fn add(
    real: unsafe extern "C" fn(Handle, Handle, Handle, c_uint) -> Code,
    stream: Handle,
    own: Handle,
    (function, data): (Handle, Handle),
    flags: c_uint,
) -> Code {
    order::tells(own);
    let (function, data) = session::callback(own, function, data);
    // SAFETY: the caller's arguments, or a function of this library with its own argument.
    unsafe { real(stream, function, data, flags) }
}

/// Calls `then` with a node's parameters, in which a session's function takes the place of the program's.
///
/// # Safety
/// `how` points to valid node parameters, or is null.
pub(super) unsafe fn with_node(how: *const Node, then: impl FnOnce(*const Node) -> Code) -> Code {
    // SAFETY: the caller's promise.
    match unsafe { how.as_ref() } {
        Some(&Node { function, data }) if session::is_on() => {
            let (function, data) = session::host_node(function, data);
            then(&Node { function, data })
        }
        _ => then(how),
    }
}
