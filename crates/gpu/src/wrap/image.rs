//! Wrappers of the functions that create and destroy textures and surfaces. They record what a handle means,
//! for launches that are saved.

use super::Handle;
use crate::hooks::{Code, SUCCESS};
use crate::images::{Described, Resource, Sampling};
use crate::{session, state};

fn described(code: Code, handle: u64, described: Option<Described>) -> Code {
    if code == SUCCESS {
        session::image(handle, described.as_ref());
    }
    if code == SUCCESS
        && let Some(mut state) = state::lock()
    {
        state.image(handle, described);
    }
    code
}

/// Records a texture object that the driver has created.
///
/// # Safety
/// If `code` is success, the driver has read both descriptions and written the handle.
pub(super) unsafe fn texture(
    code: Code,
    made: *const u64,
    resource: *const Resource,
    sampling: *const Sampling,
    view: Handle,
) -> Code {
    if code != SUCCESS || !state::saves() {
        return code;
    }
    // SAFETY: the caller's promise.
    let (handle, resource, sampling) = unsafe { (made.read(), resource.read(), sampling.read()) };
    // A resource view reinterprets the resource, so such a texture is recorded as unsupported.
    let known = view.is_null().then_some(Described { resource, sampling: Some(sampling) });
    described(code, handle, known)
}

/// Records a surface object that the driver has created.
///
/// # Safety
/// If `code` is success, the driver has read the description and written the handle.
pub(super) unsafe fn surface(code: Code, made: *const u64, resource: *const Resource) -> Code {
    if code != SUCCESS || !state::saves() {
        return code;
    }
    // SAFETY: the caller's promise.
    let (handle, resource) = unsafe { (made.read(), resource.read()) };
    described(code, handle, Some(Described { resource, sampling: None }))
}

/// Records that the program is about to destroy a texture or surface.
pub(super) fn gone(handle: u64) {
    if state::saves()
        && let Some(mut state) = state::lock()
    {
        state.image_gone(handle);
    }
}
