//! Surface objects: arrays that kernels write.
//!
//! A surface object's handle is the address of its description in device memory, as for textures.

use super::Call;
use super::memory::answer;
use super::texture::{ResourceDesc, publish};
use crate::abi::error::{CudaError, CudaResult};
use crate::backend::Surface;
use std::ffi::c_int;

/// `cudaResourceTypeArray`
const ARRAY: c_int = 0;
/// `cudaArrayLayered`, `cudaArrayCubemap`
const LAYERED: u32 = 1;
const CUBEMAP: u32 = 4;

fn create(call: &Call, out: *mut u64, resource: *const ResourceDesc) -> CudaResult {
    // SAFETY: the program's structure, or null.
    let resource = unsafe { resource.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    let mut state = call.state()?;
    if resource.kind != ARRAY {
        return Err(CudaError::INVALID_CHANNEL_DESCRIPTOR);
    }
    // An H200's runtime does not require `cudaArraySurfaceLoadStore`.
    let array = *state.arrays.get(resource.resource as usize)?;
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
    let handle = publish(call, &mut state, &call.runtime.backend.surface(&surface))?;
    state.surfaces.insert(handle, resource.resource as usize);
    // SAFETY: the program's variable.
    unsafe { answer(out, handle) }
}

api! {
    fn cudaCreateSurfaceObject(
        out: *mut u64,
        resource: *const ResourceDesc,
    ) = |call| create(call, out, resource);
    fn cudaDestroySurfaceObject(surface: u64) = |call| {
        // The description stays, since launched kernels may still use it, and this call waits for none.
        call.state()?.surfaces.remove(surface).map(|_| ())
    };
    fn cudaGetSurfaceObjectResourceDesc(out: *mut ResourceDesc, surface: u64) = |call| {
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
