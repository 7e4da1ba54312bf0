//! Arrays and textures, as the driver describes them.

use super::{Call, CudaError, CudaResult, answer, runtime};
use crate::abi::driver_types::{Array3dDescriptor, ArrayDescriptor, ResourceDescriptor, TextureDescriptor};
use crate::abi::types::{ChannelFormat, Extent, Stream, copy_kind};
use crate::backend::copy::Shape;
use crate::context::Array;
use crate::submit::copy::{Mode, copy};
use runtime::array::{Way, allocate, copy_bytes, parts, side};
use runtime::ends::line;
use runtime::texture::{ResourceDesc, TextureDesc, create};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

/// `CUarray_format` with the bits of a channel, and their kind (`cudaChannelFormatKind`).
const FORMATS: [(c_uint, i32, i32); 8] = [
    (0x01, 8, UNSIGNED),
    (0x02, 16, UNSIGNED),
    (0x03, 32, UNSIGNED),
    (0x08, 8, SIGNED),
    (0x09, 16, SIGNED),
    (0x0a, 32, SIGNED),
    (0x10, 16, FLOAT),
    (0x20, 32, FLOAT),
];
const SIGNED: i32 = 0;
const UNSIGNED: i32 = 1;
const FLOAT: i32 = 2;

/// `CU_TRSF_READ_AS_INTEGER`, `CU_TRSF_NORMALIZED_COORDINATES`, `CU_TRSF_SRGB`
const READ_AS_INTEGER: c_uint = 0x01;
const NORMALIZED_COORDINATES: c_uint = 0x02;
const SRGB: c_uint = 0x10;

fn format_of(format: c_uint, channels: c_uint) -> CudaResult<ChannelFormat> {
    let found = FORMATS.iter().find(|known| known.0 == format).ok_or(CudaError::NOT_SUPPORTED)?;
    let bits = |channel| if channel < channels { found.1 } else { 0 };
    if !matches!(channels, 1 | 2 | 4) {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(ChannelFormat { bits: [bits(0), bits(1), bits(2), bits(3)], kind: found.2 })
}

/// Returns the driver's name of a texel's format, and its number of channels.
fn named(format: ChannelFormat) -> CudaResult<(c_uint, c_uint)> {
    let [bits, ..] = format.bits;
    let found = FORMATS.iter().find(|known| (known.1, known.2) == (bits, format.kind));
    Ok((found.ok_or(CudaError::INVALID_VALUE)?.0, parts(format)?.0.into()))
}

fn allocate_as(call: &Call, out: *mut *mut c_void, of: &Array3dDescriptor) -> CudaResult {
    let extent = Extent { width: of.width, height: of.height, depth: of.depth };
    let format = format_of(of.format, of.channels);
    if format.as_ref().err() == Some(&CudaError::NOT_SUPPORTED) {
        call.state()?.results.unsupported("an array of this format", call.caller, true);
    }
    allocate(call, out, format?, extent, of.flags)
}

fn array_of(call: &Call, array: *mut c_void) -> CudaResult<Array> {
    Ok(*call.state()?.arrays.get(array as usize)?)
}

/// Returns a resource as the runtime describes it.
fn resource_of(given: &ResourceDescriptor) -> CudaResult<ResourceDesc> {
    let format = match given.kind {
        0 | 1 => ChannelFormat { bits: [0; 4], kind: 0 },
        _ => format_of(given.format, given.channels)?,
    };
    let &ResourceDescriptor { kind, resource, size, height, pitch, .. } = given;
    Ok(ResourceDesc { kind, resource, format, size, height, pitch })
}

/// Returns how a texture is sampled, as the runtime describes it. The driver reads integers as numbers up to 1
/// unless a flag says otherwise, but for those of 32 bits.
fn sampling_of(given: &TextureDescriptor, format: ChannelFormat) -> TextureDesc {
    let is = |flag: c_uint| given.flags & flag != 0;
    let normalised = format.kind != FLOAT && format.bits[0] < 32 && !is(READ_AS_INTEGER);
    TextureDesc {
        addressing: given.addressing,
        filter: given.filter,
        read: c_int::from(normalised),
        srgb: c_int::from(is(SRGB)),
        border: given.border,
        normalized: c_int::from(is(NORMALIZED_COORDINATES)),
    }
}

/// # Safety
/// The pointers are null, or the program's structures and variable.
unsafe fn create_texture(
    call: &Call,
    out: *mut u64,
    resource: *const ResourceDescriptor,
    texture: *const TextureDescriptor,
    view: *const c_void,
) -> CudaResult {
    // SAFETY: the caller's promise.
    let (resource, texture) = unsafe { (resource.as_ref(), texture.as_ref()) };
    let (given, texture) = resource.zip(texture).ok_or(CudaError::INVALID_VALUE)?;
    let resource = match resource_of(given) {
        Err(CudaError::NOT_SUPPORTED) => None,
        other => Some(other?),
    };
    let format = match (given.kind, &resource) {
        (0, _) => array_of(call, given.resource)?.format,
        (_, Some(resource)) => resource.format,
        (_, None) => ChannelFormat { bits: [0; 4], kind: 0 },
    };
    let sampling = sampling_of(texture, format);
    let described = resource.as_ref().filter(|_| view.is_null()).map(|resource| (resource, &sampling));
    create(call, out, described, "cuTexObjectCreate of this kind")
}

/// Copies bytes between two arrays of one row.
fn copy_between(
    call: &Call,
    (dst, to): (*mut c_void, usize),
    (src, from): (*mut c_void, usize),
    bytes: usize,
) -> CudaResult {
    let ((dst, into), (src, of)) = (side(call, dst, to, 0)?, side(call, src, from, 0)?);
    if to + bytes > into.extent.width * into.texel || from + bytes > of.extent.width * of.texel {
        return Err(CudaError::INVALID_VALUE);
    }
    let end = |pointer: u64| line(pointer as *const c_void, bytes);
    let (shape, kind) = (Shape::line(bytes), copy_kind::DEVICE_TO_DEVICE);
    copy(call, end(dst.pointer), end(src.pointer), shape, kind, null_mut(), Mode::Synchronous)
}

driver! {
    fn cuArrayCreate_v2(out: *mut *mut c_void, given: *const ArrayDescriptor) = |call| {
        // SAFETY: the program's structure, or null.
        let &ArrayDescriptor { width, height, format, channels } =
            unsafe { given.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        allocate_as(call, out, &Array3dDescriptor { width, height, depth: 0, format, channels, flags: 0 })
    };
    fn cuArray3DCreate_v2(out: *mut *mut c_void, given: *const Array3dDescriptor) = |call| {
        // SAFETY: the program's structure, or null.
        allocate_as(call, out, unsafe { given.as_ref() }.ok_or(CudaError::INVALID_VALUE)?)
    };
    fn cuArrayGetDescriptor_v2(out: *mut ArrayDescriptor, array: *mut c_void) = |call| {
        let Array { extent, format, .. } = array_of(call, array)?;
        let (format, channels) = named(format)?;
        // SAFETY: the program's structure.
        unsafe { answer(out, ArrayDescriptor { width: extent.width, height: extent.height, format, channels }) }
    };
    fn cuArray3DGetDescriptor_v2(out: *mut Array3dDescriptor, array: *mut c_void) = |call| {
        let Array { extent: Extent { width, height, depth }, format, flags, .. } = array_of(call, array)?;
        let (format, channels) = named(format)?;
        // SAFETY: the program's structure.
        unsafe { answer(out, Array3dDescriptor { width, height, depth, format, channels, flags }) }
    };
    fn cuTexObjectCreate(
        out: *mut u64,
        resource: *const ResourceDescriptor,
        texture: *const TextureDescriptor,
        view: *const c_void,
    ) = |call| {
        // SAFETY: the program's structures and variable.
        unsafe { create_texture(call, out, resource, texture, view) }
    };
    fn cuMemcpyDtoA_v2 | cuMemcpyDtoA_v2_ptds (array: *mut c_void, at: usize, src: *const c_void, bytes: usize) = |call| {
        copy_bytes(call, array, (at, 0), Way::To(src), bytes, copy_kind::DEVICE_TO_DEVICE, null_mut(), Mode::Synchronous)
    };
    fn cuMemcpyAtoD_v2 | cuMemcpyAtoD_v2_ptds (dst: *mut c_void, array: *mut c_void, at: usize, bytes: usize) = |call| {
        copy_bytes(call, array, (at, 0), Way::From(dst), bytes, copy_kind::DEVICE_TO_DEVICE, null_mut(), Mode::Synchronous)
    };
    fn cuMemcpyHtoA_v2 | cuMemcpyHtoA_v2_ptds (array: *mut c_void, at: usize, src: *const c_void, bytes: usize) = |call| {
        copy_bytes(call, array, (at, 0), Way::To(src), bytes, copy_kind::HOST_TO_DEVICE, null_mut(), Mode::Synchronous)
    };
    fn cuMemcpyAtoH_v2 | cuMemcpyAtoH_v2_ptds (dst: *mut c_void, array: *mut c_void, at: usize, bytes: usize) = |call| {
        copy_bytes(call, array, (at, 0), Way::From(dst), bytes, copy_kind::DEVICE_TO_HOST, null_mut(), Mode::Synchronous)
    };
    fn cuMemcpyHtoAAsync_v2 | cuMemcpyHtoAAsync_v2_ptsz (
        array: *mut c_void,
        at: usize,
        src: *const c_void,
        bytes: usize,
        stream: Stream,
    ) = |call| {
        copy_bytes(call, array, (at, 0), Way::To(src), bytes, copy_kind::HOST_TO_DEVICE, stream, Mode::Asynchronous)
    };
    fn cuMemcpyAtoHAsync_v2 | cuMemcpyAtoHAsync_v2_ptsz (
        dst: *mut c_void,
        array: *mut c_void,
        at: usize,
        bytes: usize,
        stream: Stream,
    ) = |call| {
        copy_bytes(call, array, (at, 0), Way::From(dst), bytes, copy_kind::DEVICE_TO_HOST, stream, Mode::Asynchronous)
    };
    fn cuMemcpyAtoA_v2 | cuMemcpyAtoA_v2_ptds (
        dst: *mut c_void,
        to: usize,
        src: *mut c_void,
        from: usize,
        bytes: usize,
    ) = |call| copy_between(call, (dst, to), (src, from), bytes);
}
