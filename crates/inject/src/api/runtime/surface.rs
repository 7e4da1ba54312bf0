//! Surface objects: arrays that kernels write.
//!
//! A surface object's handle is the address of its description in device memory, as for textures.

use super::Call;
use super::memory::answer;
use super::texture::{ResourceDesc, publish};
use crate::abi::error::{CudaError, CudaResult};
use crate::backend::Surface;
use crate::context::objects;
use std::ffi::c_int;

/// `cudaResourceTypeArray`
const ARRAY: c_int = 0;
/// `cudaArrayLayered`, `cudaArrayCubemap`
const LAYERED: u32 = 1;
const CUBEMAP: u32 = 4;

/// # Safety
/// `resource` is null, or begins as `cudaResourceDesc` does.
unsafe fn create(call: &Call, out: *mut u64, resource: *const ResourceDesc) -> CudaResult {
    if resource.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    let (kind, array) =
        unsafe { ((&raw const (*resource).kind).read(), (&raw const (*resource).resource).read()) };
    let mut state = call.state()?;
    if kind != ARRAY {
        return Err(CudaError::INVALID_CHANNEL_DESCRIPTOR);
    }
    let handle = array as usize;
    // An H200's runtime does not require `cudaArraySurfaceLoadStore`.
    let array = *state.arrays.get(handle)?;
    let size = |n: usize| u32::try_from(n).map_err(|_| CudaError::INVALID_VALUE);
    let surface = Surface {
        base: array.base,
        row: array.pitch.row as u64,
        slice: array.pitch.slice as u64,
        width: size(array.extent.width)?,
        height: size(array.extent.height)?,
        depth: size(array.extent.depth)?,
        element: size(array.texel)?,
        layered: array.flags & (LAYERED | CUBEMAP) != 0,
    };
    let object = publish(call, &mut state, &call.runtime.backend.surface(&surface))?;
    state.surfaces.insert(object, handle);
    state.described(call.runtime, object, &objects::of_surface(&surface));
    // SAFETY: the program's variable.
    unsafe { answer(out, object) }
}

api! {
    // The first members of `CUDA_RESOURCE_DESC` are those of `cudaResourceDesc`.
    fn cudaCreateSurfaceObject, driver cuSurfObjectCreate (
        out: *mut u64,
        resource: *const ResourceDesc,
    ) = |call| {
        // SAFETY: the program's structure, or null.
        unsafe { create(call, out, resource) }
    };
    fn cudaDestroySurfaceObject, driver cuSurfObjectDestroy (surface: u64) = |call| {
        // The description stays, since launched kernels may still use it, and this call waits for none.
        call.state()?.surfaces.remove(surface).map(|_| ())
    };
    fn cudaGetSurfaceObjectResourceDesc, driver cuSurfObjectGetResourceDesc (out: *mut ResourceDesc, surface: u64) = |call| {
        let array = call.state()?.surfaces.array(surface)?;
        if out.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program's structure; only the fields of an array's description are written.
        unsafe {
            (&raw mut (*out).kind).write(ARRAY);
            (&raw mut (*out).resource).write(array as *mut _);
        }
        Ok(())
    };
}
