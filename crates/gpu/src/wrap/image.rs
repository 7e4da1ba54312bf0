//! Wrappers of the functions that create and destroy textures and surfaces. They record what a handle means,
//! for launches that are saved, and for the checks of engine `guard`.

use super::Handle;
use crate::hooks::{Code, SUCCESS};
use crate::images::{Described, Resource, Sampling};
use crate::{arrays, session, state};

fn described(handle: u64, surface: bool, described: Option<Described>) {
    if state::saves() {
        session::image(handle, described.as_ref());
    }
    if let Some(mut state) = state::lock() {
        state.describes(handle, surface, described.as_ref());
        if state::saves() {
            state.image(handle, described);
        }
    }
}

/// Returns whether anything asks for the meaning of handles.
fn is_asked() -> bool {
    state::saves() || state::has_order()
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
    if code != SUCCESS || !is_asked() {
        return code;
    }
    // SAFETY: the caller's promise.
    let (handle, resource, sampling) = unsafe { (made.read(), resource.read(), sampling.read()) };
    // A resource view reinterprets the resource, so such a texture is recorded as unsupported.
    let known = view.is_null().then_some(Described { resource, sampling: Some(sampling) });
    described(handle, false, known);
    code
}

/// Records a surface object that the driver has created.
///
/// # Safety
/// If `code` is success, the driver has read the description and written the handle.
pub(super) unsafe fn surface(code: Code, made: *const u64, resource: *const Resource) -> Code {
    if code != SUCCESS || !is_asked() {
        return code;
    }
    // SAFETY: the caller's promise.
    let (handle, resource) = unsafe { (made.read(), resource.read()) };
    described(handle, true, Some(Described { resource, sampling: None }));
    code
}

/// Records that the program is about to destroy a texture or surface.
pub(super) fn gone(handle: u64, surface: bool) {
    if is_asked()
        && let Some(mut state) = state::lock()
    {
        state.undescribed(handle, surface);
        if state::saves() {
            state.image_gone(handle);
        }
    }
}

/// Records that the program is about to destroy an array.
pub(super) fn array_gone(array: Handle) {
    session::array_gone(array);
    arrays::gone(array);
}
