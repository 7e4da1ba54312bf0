//! Converts the arguments of copy functions to sides and a shape. [`submit::copy`](crate::submit::copy) makes
//! the copies.

use super::ends::{line, rows};
use super::{Call, array};
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Extent, Memcpy3DParms, Memcpy3DPeerParms, PitchedPtr, Pos, Stream, copy_kind};
use crate::backend::copy::{Pitch, Shape};
use crate::context::State;
use crate::submit::copy::{End, Mode, copy};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

fn copy_2d(
    call: &Call,
    (dst, dst_pitch): (*mut c_void, usize),
    (src, src_pitch): (*const c_void, usize),
    (width, height): (usize, usize),
    kind: c_int,
    stream: Stream,
    mode: Mode,
) -> CudaResult {
    if width > dst_pitch || width > src_pitch {
        return Err(CudaError::INVALID_PITCH_VALUE);
    }
    let shape = Shape { width, height, depth: 1 };
    copy(call, rows(dst, dst_pitch, height), rows(src, src_pitch, height), shape, kind, stream, mode)
}

/// Returns one side of a three-dimensional copy; `x` is in bytes if there is no array.
fn end_3d(pointer: PitchedPtr, pos: Pos) -> CudaResult<End> {
    let slice = pointer.pitch.checked_mul(pointer.ysize).ok_or(CudaError::INVALID_VALUE)?;
    let offset = pos
        .z
        .checked_mul(slice)
        .and_then(|z| z.checked_add(pos.y.checked_mul(pointer.pitch)?))
        .and_then(|yz| yz.checked_add(pos.x))
        .ok_or(CudaError::INVALID_VALUE)?;
    if pointer.ptr.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(End {
        pointer: (pointer.ptr as u64).wrapping_add(offset as u64),
        pitch: Pitch { row: pointer.pitch, slice },
    })
}

/// Returns the sides and the shape of a three-dimensional copy. If an array takes part, its elements are the
/// unit of the extent.
pub(super) fn parts_3d(state: &State, p: &Memcpy3DParms) -> CudaResult<(End, End, Shape)> {
    let find =
        |handle: *mut c_void| (!handle.is_null()).then(|| state.arrays.get(handle as usize)).transpose();
    let (src_array, dst_array) = (find(p.src_array)?, find(p.dst_array)?);
    let unit = dst_array.or(src_array).map_or(1, |a| a.texel);
    let Extent { width, height, depth } = p.extent;
    let dst = match dst_array {
        Some(array) => array::end(array, p.dst_pos)?,
        None => end_3d(p.dst_ptr, p.dst_pos)?,
    };
    let src = match src_array {
        Some(array) => array::end(array, p.src_pos)?,
        None => end_3d(p.src_ptr, p.src_pos)?,
    };
    let width = width.checked_mul(unit).ok_or(CudaError::INVALID_VALUE)?;
    Ok((dst, src, Shape { width, height, depth }))
}

fn copy_3d(call: &Call, p: *const Memcpy3DParms, stream: Stream, mode: Mode) -> CudaResult {
    if p.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the program passed a valid structure.
    let p = unsafe { &*p };
    let (dst, src, shape) = parts_3d(&call.runtime.lock(), p)?;
    copy(call, dst, src, shape, p.kind, stream, mode)
}

fn copy_3d_peer(call: &Call, p: *const Memcpy3DPeerParms, stream: Stream, asynchronous: bool) -> CudaResult {
    if p.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the program passed a valid structure.
    let p = unsafe { &*p };
    let plain = Memcpy3DParms {
        src_array: p.src_array,
        src_pos: p.src_pos,
        src_ptr: p.src_ptr,
        dst_array: p.dst_array,
        dst_pos: p.dst_pos,
        dst_ptr: p.dst_ptr,
        extent: p.extent,
        kind: copy_kind::DEVICE_TO_DEVICE,
    };
    let (dst, src, shape) = parts_3d(&call.runtime.lock(), &plain)?;
    let mode = if asynchronous { Mode::Asynchronous } else { peers(call, p.src_device, p.dst_device)? };
    copy(call, dst, src, shape, plain.kind, stream, mode)
}

fn peers(call: &Call, a: c_int, b: c_int) -> CudaResult<Mode> {
    let state = call.runtime.lock();
    Ok(Mode::Peer(state.device(a)?, state.device(b)?))
}

api! {
    fn cudaMemcpy | cudaMemcpy_ptds (dst: *mut c_void, src: *const c_void, bytes: usize, kind: c_int) = |call| {
        copy(call, line(dst, bytes), line(src, bytes), Shape::line(bytes), kind, null_mut(), Mode::Synchronous)
    };
    fn cudaMemcpyAsync | cudaMemcpyAsync_ptsz (
        dst: *mut c_void,
        src: *const c_void,
        bytes: usize,
        kind: c_int,
        stream: Stream,
    ) = |call| {
        copy(call, line(dst, bytes), line(src, bytes), Shape::line(bytes), kind, stream, Mode::Asynchronous)
    };
    fn cudaMemcpyPeer(dst: *mut c_void, dst_device: c_int, src: *const c_void, src_device: c_int, bytes: usize) = |call| {
        let mode = peers(call, src_device, dst_device)?;
        let shape = Shape::line(bytes);
        copy(call, line(dst, bytes), line(src, bytes), shape, copy_kind::DEVICE_TO_DEVICE, null_mut(), mode)
    };
    fn cudaMemcpyPeerAsync(
        dst: *mut c_void,
        dst_device: c_int,
        src: *const c_void,
        src_device: c_int,
        bytes: usize,
        stream: Stream,
    ) = |call| {
        peers(call, src_device, dst_device)?;
        let shape = Shape::line(bytes);
        copy(
            call,
            line(dst, bytes),
            line(src, bytes),
            shape,
            copy_kind::DEVICE_TO_DEVICE,
            stream,
            Mode::Asynchronous,
        )
    };
    fn cudaMemcpy2D | cudaMemcpy2D_ptds (
        dst: *mut c_void,
        dst_pitch: usize,
        src: *const c_void,
        src_pitch: usize,
        width: usize,
        height: usize,
        kind: c_int,
    ) = |call| {
        copy_2d(call, (dst, dst_pitch), (src, src_pitch), (width, height), kind, null_mut(), Mode::Synchronous)
    };
    fn cudaMemcpy2DAsync | cudaMemcpy2DAsync_ptsz (
        dst: *mut c_void,
        dst_pitch: usize,
        src: *const c_void,
        src_pitch: usize,
        width: usize,
        height: usize,
        kind: c_int,
        stream: Stream,
    ) = |call| {
        copy_2d(call, (dst, dst_pitch), (src, src_pitch), (width, height), kind, stream, Mode::Asynchronous)
    };
    fn cudaMemcpy3D | cudaMemcpy3D_ptds (p: *const Memcpy3DParms) = |call| {
        copy_3d(call, p, null_mut(), Mode::Synchronous)
    };
    fn cudaMemcpy3DAsync | cudaMemcpy3DAsync_ptsz (p: *const Memcpy3DParms, stream: Stream) = |call| {
        copy_3d(call, p, stream, Mode::Asynchronous)
    };
    fn cudaMemcpy3DPeer | cudaMemcpy3DPeer_ptds (p: *const Memcpy3DPeerParms) = |call| {
        copy_3d_peer(call, p, null_mut(), false)
    };
    fn cudaMemcpy3DPeerAsync | cudaMemcpy3DPeerAsync_ptsz (p: *const Memcpy3DPeerParms, stream: Stream) = |call| {
        copy_3d_peer(call, p, stream, true)
    };
}
