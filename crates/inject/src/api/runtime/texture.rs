//! Texture objects.
//!
//! A texture object's handle is the address of its description in device memory, where the back end's kernels
//! find it.

use super::memory::answer;
use super::{Call, array};
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{ChannelFormat, Extent};
use crate::backend::copy::Pitch;
use crate::backend::{Addressing, ChannelKind, Texture};
use crate::context::{MemoryKind, Request, State, objects};
use std::ffi::{c_int, c_void};

/// `cudaResourceDesc`
#[repr(C)]
pub struct ResourceDesc {
    pub(in crate::api) kind: c_int,
    /// The handle of an array, or a pointer.
    pub(in crate::api) resource: *mut c_void,
    pub(in crate::api) format: ChannelFormat,
    /// The bytes of linear memory, or the width.
    pub(in crate::api) size: usize,
    pub(in crate::api) height: usize,
    pub(in crate::api) pitch: usize,
}

/// The fields of `cudaTextureDesc` that are used.
#[repr(C)]
pub struct TextureDesc {
    pub(in crate::api) addressing: [c_int; 3],
    pub(in crate::api) filter: c_int,
    pub(in crate::api) read: c_int,
    pub(in crate::api) srgb: c_int,
    pub(in crate::api) border: [f32; 4],
    pub(in crate::api) normalized: c_int,
}

fn describe(state: &State, resource: &ResourceDesc, texture: &TextureDesc) -> CudaResult<Texture> {
    let (base, format, extent, pitch) = match resource.kind {
        0 => {
            let array = state.arrays.get(resource.resource as usize)?;
            (array.base, array.format, array.extent, array.pitch)
        }
        2 => {
            let texels = resource.size / array::bytes(resource.format)?;
            let extent = Extent { width: texels, height: 0, depth: 0 };
            (resource.resource as u64, resource.format, extent, Pitch { row: resource.size, slice: 0 })
        }
        3 => {
            let extent = Extent { width: resource.size, height: resource.height, depth: 0 };
            (resource.resource as u64, resource.format, extent, Pitch { row: resource.pitch, slice: 0 })
        }
        _ => return Err(CudaError::NOT_SUPPORTED),
    };
    let (channels, bits, kind) = array::parts(format)?;
    let normalized_float = texture.read == 1;
    let linear = texture.filter == 1 && resource.kind != 2;
    if linear && kind != ChannelKind::Float && !normalized_float || texture.srgb != 0 {
        return Err(if texture.srgb != 0 { CudaError::NOT_SUPPORTED } else { CudaError::INVALID_VALUE });
    }
    let size = |n: usize| u32::try_from(n).map_err(|_| CudaError::INVALID_VALUE);
    let texture = Texture {
        base,
        row: pitch.row as u64,
        slice: pitch.slice as u64,
        width: size(extent.width)?,
        height: size(extent.height)?,
        depth: size(extent.depth)?,
        channels,
        bits,
        kind,
        addressing: texture.addressing.map(|mode| match mode {
            0 => Addressing::Wrap,
            2 => Addressing::Mirror,
            3 => Addressing::Border,
            _ => Addressing::Clamp,
        }),
        linear,
        normalized_float,
        normalized_coordinates: texture.normalized != 0,
        buffer: resource.kind == 2,
        border: texture.border,
    };
    let memory = state.find(base).ok_or(CudaError::INVALID_VALUE)?;
    if base - memory.base + texture.span() > memory.bytes {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(texture)
}

/// Allocates device memory for the description of a texture or surface, and returns its address, which is the
/// handle.
pub(super) fn publish(call: &Call, state: &mut State, bytes: &[u8]) -> CudaResult<u64> {
    let request = Request::new(bytes.len() as u64, MemoryKind::Device, call.device, call.site(state));
    let handle = call.runtime.allocate(state, request)?;
    let memory = state.allocation(handle).ok_or(CudaError::INVALID_VALUE)?;
    // SAFETY: the engine's view of memory of this size, which was just allocated and which no kernel can
    // reach yet.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory.engine as *mut u8, bytes.len()) };
    Ok(handle)
}

/// Creates a texture object, and writes its handle to the program's variable. `None` is a description of a kind
/// that is not supported; `what` names it in the report.
pub(in crate::api) fn create(
    call: &Call,
    out: *mut u64,
    described: Option<(&ResourceDesc, &TextureDesc)>,
    what: &'static str,
) -> CudaResult {
    let mut state = call.state()?;
    let described = described
        .map_or(Err(CudaError::NOT_SUPPORTED), |(resource, texture)| describe(&state, resource, texture));
    if described == Err(CudaError::NOT_SUPPORTED) {
        state.results.unsupported(what, call.caller, true);
    }
    let described = described?;
    let handle = publish(call, &mut state, &call.runtime.backend.texture(&described))?;
    state.described(call.runtime, handle, &objects::of_texture(&described));
    // SAFETY: the program's variable.
    unsafe { answer(out, handle) }
}

api! {
    fn cudaCreateTextureObject(
        out: *mut u64,
        resource: *const ResourceDesc,
        texture: *const TextureDesc,
        view: *const c_void,
    ) = |call| {
        // SAFETY: the program's structures, or null.
        let (resource, texture) = unsafe { (resource.as_ref(), texture.as_ref()) };
        let given = resource.zip(texture).ok_or(CudaError::INVALID_VALUE)?;
        create(call, out, view.is_null().then_some(given), "cudaCreateTextureObject of this kind")
    };
    fn cudaDestroyTextureObject, driver cuTexObjectDestroy (texture: u64) = |call| {
        // The description stays, since launched kernels may still use it, and this call waits for none.
        call.state()?.allocation(texture).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    };
}
