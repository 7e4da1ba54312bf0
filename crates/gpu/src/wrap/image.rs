//! Textures and surfaces, where launches are saved: what their handles mean.

use super::Handle;
use crate::hooks::{Code, SUCCESS};
use crate::images::{Described, Resource, Sampling};
use crate::state;

fn described(code: Code, handle: u64, described: Option<Described>) -> Code {
    if code == SUCCESS
        && let Some(mut state) = state::lock()
    {
        state.image(handle, described);
    }
    code
}

/// A texture was made, if it was.
///
/// # Safety
/// On success the driver has read both descriptions, and written the handle.
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
    // A view takes the resource for something else.
    let known = view.is_null().then_some(Described { resource, sampling: Some(sampling) });
    described(code, handle, known)
}

/// A surface was made, if it was.
///
/// # Safety
/// As there.
pub(super) unsafe fn surface(code: Code, made: *const u64, resource: *const Resource) -> Code {
    if code != SUCCESS || !state::saves() {
        return code;
    }
    // SAFETY: the caller's promise.
    let (handle, resource) = unsafe { (made.read(), resource.read()) };
    described(code, handle, Some(Described { resource, sampling: None }))
}

/// An object is about to be gone.
pub(super) fn gone(handle: u64) {
    if state::saves()
        && let Some(mut state) = state::lock()
    {
        state.image_gone(handle);
    }
}
