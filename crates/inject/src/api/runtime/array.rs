//! CUDA arrays: pitched device memory behind an opaque handle.

use super::Call;
use super::ends::{line, rows};
use super::memory::{answer, free};
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{ChannelFormat, Extent, Pos, Stream};
use crate::backend::ChannelKind;
use crate::backend::copy::{Pitch, Shape};
use crate::context::{Array, MemoryKind, Request};
use crate::submit::copy::{End, Mode, copy};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

/// Returns the description of a texel with these channels.
#[unsafe(no_mangle)]
#[allow(private_interfaces)]
pub extern "C" fn cudaCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, kind: i32) -> ChannelFormat {
    ChannelFormat { bits: [x, y, z, w], kind }
}

/// Returns a texel's channels, their bits and their kind. Packed and compressed formats are unsupported.
pub(in crate::api) fn parts(format: ChannelFormat) -> CudaResult<(u8, u8, ChannelKind)> {
    let kind = match format.kind {
        0 => ChannelKind::Signed,
        1 => ChannelKind::Unsigned,
        2 => ChannelKind::Float,
        _ => return Err(CudaError::NOT_SUPPORTED),
    };
    let [bits, rest @ ..] = format.bits;
    let more = rest.iter().take_while(|&&b| b == bits).count();
    let ends = rest[more..].iter().all(|&b| b == 0);
    if !matches!(bits, 8 | 16 | 32) || !matches!(more, 0 | 1 | 3) || !ends {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok((more as u8 + 1, bits as u8, kind))
}

/// Returns a texel's size in bytes.
pub(super) fn bytes(format: ChannelFormat) -> CudaResult<usize> {
    let (channels, bits, _) = parts(format)?;
    Ok(usize::from(channels) * usize::from(bits) / 8)
}

/// An end of a copy, at a position in texels.
pub(in crate::api) fn end(array: &Array, at: Pos) -> CudaResult<End> {
    let Extent { width, height, depth } = array.extent;
    if at.x > width || at.y > height.max(1) || at.z > depth.max(1) {
        return Err(CudaError::INVALID_VALUE);
    }
    let offset = at.z * array.pitch.slice + at.y * array.pitch.row + at.x * array.texel;
    Ok(End { pointer: array.base + offset as u64, pitch: array.pitch })
}

/// The alignment of an array's rows.
const ROW: usize = 32;

/// Allocates an array, and writes its handle to the program's variable.
pub(in crate::api) fn allocate(
    call: &Call,
    out: *mut *mut c_void,
    format: ChannelFormat,
    extent: Extent,
    flags: u32,
) -> CudaResult {
    let texel = bytes(format)?;
    let size = || {
        let row = extent.width.checked_mul(texel)?.checked_next_multiple_of(ROW)?;
        let slice = row.checked_mul(extent.height.max(1))?;
        Some((Pitch { row, slice }, slice.checked_mul(extent.depth.max(1))?))
    };
    let (pitch, bytes) = size().filter(|s| s.1 > 0).ok_or(CudaError::INVALID_VALUE)?;
    let mut state = call.state()?;
    let request = Request::new(bytes as u64, MemoryKind::Device, call.device, call.site(&mut state));
    let base = call.runtime.allocate(&mut state, request)?;
    let handle = state.handle();
    state.arrays.insert(handle, Array { base, format, texel, extent, pitch, flags });
    // SAFETY: the program's variable.
    unsafe { answer(out, handle as *mut c_void) }
}

fn malloc(
    call: &Call,
    out: *mut *mut c_void,
    format: *const ChannelFormat,
    extent: Extent,
    flags: u32,
) -> CudaResult {
    // SAFETY: the program's structure, or null.
    let format = *unsafe { format.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    allocate(call, out, format, extent, flags)
}

/// Returns an array as one side of a copy that begins at byte `x` of row `y`.
pub(in crate::api) fn side(call: &Call, array: *mut c_void, x: usize, y: usize) -> CudaResult<(End, Array)> {
    let state = call.state()?;
    let array = *state.arrays.get(array as usize)?;
    if x > array.pitch.row || y >= array.extent.height.max(1) {
        return Err(CudaError::INVALID_VALUE);
    }
    let pointer = array.base + (y * array.pitch.row + x) as u64;
    Ok((End { pointer, pitch: array.pitch }, array))
}

/// The direction of a copy, with the address of its other side.
#[derive(Clone, Copy)]
pub(in crate::api) enum Way {
    To(*const c_void),
    From(*mut c_void),
}

/// Copies rows between an array and memory.
#[expect(clippy::too_many_arguments, reason = "the runtime API's own")]
fn copy_rows(
    call: &Call,
    array: *mut c_void,
    (x, y): (usize, usize),
    way: Way,
    pitch: usize,
    (width, height): (usize, usize),
    kind: c_int,
    stream: Stream,
    mode: Mode,
) -> CudaResult {
    let (there, array) = side(call, array, x, y)?;
    if width > pitch {
        return Err(CudaError::INVALID_PITCH_VALUE);
    }
    if x + width > array.extent.width * array.texel || y + height > array.extent.height.max(1) {
        return Err(CudaError::INVALID_VALUE);
    }
    let shape = Shape { width, height, depth: 1 };
    match way {
        Way::To(src) => copy(call, there, rows(src, pitch, height), shape, kind, stream, mode),
        Way::From(dst) => copy(call, rows(dst, pitch, height), there, shape, kind, stream, mode),
    }
}

/// Copies bytes between an array and memory, row after row (`cudaMemcpyToArray`).
#[expect(clippy::too_many_arguments, reason = "the runtime API's own")]
pub(in crate::api) fn copy_bytes(
    call: &Call,
    array: *mut c_void,
    (x, y): (usize, usize),
    way: Way,
    bytes: usize,
    kind: c_int,
    stream: Stream,
    mode: Mode,
) -> CudaResult {
    let (there, record) = side(call, array, x, y)?;
    let width = record.extent.width * record.texel;
    if x == 0 && width > 0 && bytes.is_multiple_of(width) {
        return copy_rows(call, array, (x, y), way, width, (width, bytes / width), kind, stream, mode);
    }
    if x + bytes > width {
        return Err(CudaError::INVALID_VALUE);
    }
    let (there, shape) = (line(there.pointer as *const c_void, bytes), Shape::line(bytes));
    match way {
        Way::To(src) => copy(call, there, line(src, bytes), shape, kind, stream, mode),
        Way::From(dst) => copy(call, line(dst, bytes), there, shape, kind, stream, mode),
    }
}

api! {
    fn cudaMallocArray(
        out: *mut *mut c_void,
        format: *const ChannelFormat,
        width: usize,
        height: usize,
        flags: c_uint,
    ) = |call| malloc(call, out, format, Extent { width, height, depth: 0 }, flags);
    fn cudaMalloc3DArray(
        out: *mut *mut c_void,
        format: *const ChannelFormat,
        extent: Extent,
        flags: c_uint,
    ) = |call| malloc(call, out, format, extent, flags);
    fn cudaFreeArray, driver cuArrayDestroy (array: *mut c_void) = |call| {
        if array.is_null() {
            return call.check();
        }
        let base = call.state()?.arrays.get(array as usize)?.base;
        free(call, base as *mut c_void, &[MemoryKind::Device])?;
        call.state()?.arrays.remove(array as usize);
        Ok(())
    };
    fn cudaArrayGetInfo(
        format: *mut ChannelFormat,
        extent: *mut Extent,
        flags: *mut c_uint,
        array: *mut c_void,
    ) = |call| {
        let found = *call.state()?.arrays.get(array as usize)?;
        // SAFETY: the program's variables; each may be null.
        unsafe {
            if !format.is_null() {
                answer(format, found.format)?;
            }
            if !extent.is_null() {
                answer(extent, found.extent)?;
            }
            if !flags.is_null() {
                answer(flags, found.flags)?;
            }
        }
        Ok(())
    };
    fn cudaGetChannelDesc(format: *mut ChannelFormat, array: *mut c_void) = |call| {
        let found = *call.state()?.arrays.get(array as usize)?;
        // SAFETY: the program's variable.
        unsafe { answer(format, found.format) }
    };
    fn cudaMemcpyToArray | cudaMemcpyToArray_ptds (
        array: *mut c_void,
        x: usize,
        y: usize,
        src: *const c_void,
        bytes: usize,
        kind: c_int,
    ) = |call| copy_bytes(call, array, (x, y), Way::To(src), bytes, kind, null_mut(), Mode::Synchronous);
    fn cudaMemcpyToArrayAsync | cudaMemcpyToArrayAsync_ptsz (
        array: *mut c_void,
        x: usize,
        y: usize,
        src: *const c_void,
        bytes: usize,
        kind: c_int,
        stream: Stream,
    ) = |call| copy_bytes(call, array, (x, y), Way::To(src), bytes, kind, stream, Mode::Asynchronous);
    fn cudaMemcpyFromArray | cudaMemcpyFromArray_ptds (
        dst: *mut c_void,
        array: *mut c_void,
        x: usize,
        y: usize,
        bytes: usize,
        kind: c_int,
    ) = |call| copy_bytes(call, array, (x, y), Way::From(dst), bytes, kind, null_mut(), Mode::Synchronous);
    fn cudaMemcpyFromArrayAsync | cudaMemcpyFromArrayAsync_ptsz (
        dst: *mut c_void,
        array: *mut c_void,
        x: usize,
        y: usize,
        bytes: usize,
        kind: c_int,
        stream: Stream,
    ) = |call| copy_bytes(call, array, (x, y), Way::From(dst), bytes, kind, stream, Mode::Asynchronous);
    fn cudaMemcpy2DToArray | cudaMemcpy2DToArray_ptds (
        array: *mut c_void,
        x: usize,
        y: usize,
        src: *const c_void,
        pitch: usize,
        width: usize,
        height: usize,
        kind: c_int,
    ) = |call| {
        let size = (width, height);
        copy_rows(call, array, (x, y), Way::To(src), pitch, size, kind, null_mut(), Mode::Synchronous)
    };
    fn cudaMemcpy2DToArrayAsync | cudaMemcpy2DToArrayAsync_ptsz (
        array: *mut c_void,
        x: usize,
        y: usize,
        src: *const c_void,
        pitch: usize,
        width: usize,
        height: usize,
        kind: c_int,
        stream: Stream,
    ) = |call| {
        let size = (width, height);
        copy_rows(call, array, (x, y), Way::To(src), pitch, size, kind, stream, Mode::Asynchronous)
    };
    fn cudaMemcpy2DFromArray | cudaMemcpy2DFromArray_ptds (
        dst: *mut c_void,
        pitch: usize,
        array: *mut c_void,
        x: usize,
        y: usize,
        width: usize,
        height: usize,
        kind: c_int,
    ) = |call| {
        let size = (width, height);
        copy_rows(call, array, (x, y), Way::From(dst), pitch, size, kind, null_mut(), Mode::Synchronous)
    };
    fn cudaMemcpy2DFromArrayAsync | cudaMemcpy2DFromArrayAsync_ptsz (
        dst: *mut c_void,
        pitch: usize,
        array: *mut c_void,
        x: usize,
        y: usize,
        width: usize,
        height: usize,
        kind: c_int,
        stream: Stream,
    ) = |call| {
        let size = (width, height);
        copy_rows(call, array, (x, y), Way::From(dst), pitch, size, kind, stream, Mode::Asynchronous)
    };
}
