//! Copies: what each call names, as ends and a shape.

use super::context::device_of;
use super::{Call, CudaError, CudaResult, runtime};
use crate::abi::driver_types::{Memcpy2d, Memcpy3d, Side2d, Side3d};
use crate::abi::types::{Pos, Stream, copy_kind};
use crate::backend::copy::{Pitch, Shape};
use crate::context::State;
use crate::submit::copy::{End, Mode, copy};
use runtime::ends::line;
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

/// `CUmemorytype`
const HOST: c_uint = 1;
const DEVICE: c_uint = 2;
const ARRAY: c_uint = 3;
const UNIFIED: c_uint = 4;

fn linear(
    call: &Call,
    (dst, src): (*mut c_void, *const c_void),
    bytes: usize,
    kind: i32,
    stream: Stream,
    mode: Mode,
) -> CudaResult {
    copy(call, line(dst, bytes), line(src, bytes), Shape::line(bytes), kind, stream, mode)
}

fn side_3d(state: &State, side: &Side3d) -> CudaResult<End> {
    let (row, slice) = (side.pitch, side.pitch.checked_mul(side.height).ok_or(CudaError::INVALID_VALUE)?);
    let base = match side.kind {
        HOST => side.host as u64,
        DEVICE | UNIFIED => side.device,
        ARRAY => {
            let array = state.arrays.get(side.array as usize)?;
            if !side.x.is_multiple_of(array.texel) {
                return Err(CudaError::INVALID_VALUE);
            }
            return runtime::array::end(array, Pos { x: side.x / array.texel, y: side.y, z: side.z });
        }
        _ => return Err(CudaError::INVALID_VALUE),
    };
    let offset = side.z.checked_mul(slice).zip(side.y.checked_mul(row));
    let offset = offset.and_then(|(z, y)| z.checked_add(y)?.checked_add(side.x));
    let offset = offset.ok_or(CudaError::INVALID_VALUE)?;
    if base == 0 {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(End { pointer: base.wrapping_add(offset as u64), pitch: Pitch { row, slice } })
}

/// Ends and shape of a three-dimensional copy. A pitch of 0 means packed rows.
pub(super) fn parts_3d(state: &State, p: &Memcpy3d) -> CudaResult<(End, End, Shape)> {
    let packed = |side: Side3d| Side3d {
        pitch: if side.pitch == 0 { p.width } else { side.pitch },
        height: if side.height == 0 { p.height } else { side.height },
        ..side
    };
    let (dst, src) = (packed(p.dst), packed(p.src));
    let narrow = |side: &Side3d| side.kind != ARRAY && p.height * p.depth > 1 && p.width > side.pitch;
    if narrow(&dst) || narrow(&src) {
        return Err(CudaError::INVALID_VALUE);
    }
    let shape = Shape { width: p.width, height: p.height, depth: p.depth };
    Ok((side_3d(state, &dst)?, side_3d(state, &src)?, shape))
}

/// A two-dimensional copy as a three-dimensional one of one slice.
fn deepened(p: &Memcpy2d) -> Memcpy3d {
    let side = |s: &Side2d| Side3d::flat((s.x, s.y), s.kind, (s.host, s.device, s.array), s.pitch);
    Memcpy3d { src: side(&p.src), dst: side(&p.dst), width: p.width, height: p.height, depth: 1 }
}

/// # Safety
/// `p` is null or a structure of the program's.
unsafe fn copy_2d(call: &Call, p: *const Memcpy2d, stream: Stream, mode: Mode) -> CudaResult {
    // SAFETY: the caller's promise.
    let p = unsafe { p.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    let (dst, src, shape) = parts_3d(&*call.state()?, &deepened(p))?;
    copy(call, dst, src, shape, copy_kind::DEFAULT, stream, mode)
}

/// # Safety
/// `p` is null or a structure of the program's.
unsafe fn copy_3d(call: &Call, p: *const Memcpy3d, stream: Stream, mode: Mode) -> CudaResult {
    // SAFETY: the caller's promise.
    let p = unsafe { p.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    let (dst, src, shape) = parts_3d(&*call.state()?, p)?;
    copy(call, dst, src, shape, copy_kind::DEFAULT, stream, mode)
}

fn peers(call: &Call, a: *mut c_void, b: *mut c_void) -> CudaResult<Mode> {
    Ok(Mode::Peer(device_of(call, a)?, device_of(call, b)?))
}

driver! {
    fn cuMemcpy | cuMemcpy_ptds (dst: *mut c_void, src: *const c_void, bytes: usize) = |call| {
        linear(call, (dst, src), bytes, copy_kind::DEFAULT, null_mut(), Mode::Synchronous)
    };
    fn cuMemcpyAsync | cuMemcpyAsync_ptsz (dst: *mut c_void, src: *const c_void, bytes: usize, stream: Stream) = |call| {
        linear(call, (dst, src), bytes, copy_kind::DEFAULT, stream, Mode::Asynchronous)
    };
    fn cuMemcpyHtoD_v2 | cuMemcpyHtoD_v2_ptds (dst: *mut c_void, src: *const c_void, bytes: usize) = |call| {
        linear(call, (dst, src), bytes, copy_kind::HOST_TO_DEVICE, null_mut(), Mode::Synchronous)
    };
    fn cuMemcpyHtoDAsync_v2 | cuMemcpyHtoDAsync_v2_ptsz (
        dst: *mut c_void,
        src: *const c_void,
        bytes: usize,
        stream: Stream,
    ) = |call| linear(call, (dst, src), bytes, copy_kind::HOST_TO_DEVICE, stream, Mode::Asynchronous);
    fn cuMemcpyDtoH_v2 | cuMemcpyDtoH_v2_ptds (dst: *mut c_void, src: *const c_void, bytes: usize) = |call| {
        linear(call, (dst, src), bytes, copy_kind::DEVICE_TO_HOST, null_mut(), Mode::Synchronous)
    };
    fn cuMemcpyDtoHAsync_v2 | cuMemcpyDtoHAsync_v2_ptsz (
        dst: *mut c_void,
        src: *const c_void,
        bytes: usize,
        stream: Stream,
    ) = |call| linear(call, (dst, src), bytes, copy_kind::DEVICE_TO_HOST, stream, Mode::Asynchronous);
    fn cuMemcpyDtoD_v2 | cuMemcpyDtoD_v2_ptds (dst: *mut c_void, src: *const c_void, bytes: usize) = |call| {
        linear(call, (dst, src), bytes, copy_kind::DEVICE_TO_DEVICE, null_mut(), Mode::Synchronous)
    };
    fn cuMemcpyDtoDAsync_v2 | cuMemcpyDtoDAsync_v2_ptsz (
        dst: *mut c_void,
        src: *const c_void,
        bytes: usize,
        stream: Stream,
    ) = |call| linear(call, (dst, src), bytes, copy_kind::DEVICE_TO_DEVICE, stream, Mode::Asynchronous);
    fn cuMemcpyPeer | cuMemcpyPeer_ptds (
        dst: *mut c_void,
        dst_context: *mut c_void,
        src: *const c_void,
        src_context: *mut c_void,
        bytes: usize,
    ) = |call| {
        let mode = peers(call, src_context, dst_context)?;
        linear(call, (dst, src), bytes, copy_kind::DEVICE_TO_DEVICE, null_mut(), mode)
    };
    fn cuMemcpyPeerAsync | cuMemcpyPeerAsync_ptsz (
        dst: *mut c_void,
        dst_context: *mut c_void,
        src: *const c_void,
        src_context: *mut c_void,
        bytes: usize,
        stream: Stream,
    ) = |call| {
        peers(call, src_context, dst_context)?;
        linear(call, (dst, src), bytes, copy_kind::DEVICE_TO_DEVICE, stream, Mode::Asynchronous)
    };
    fn cuMemcpy2D_v2 | cuMemcpy2D_v2_ptds (p: *const Memcpy2d) = |call| {
        // SAFETY: the program's structure.
        unsafe { copy_2d(call, p, null_mut(), Mode::Synchronous) }
    };
    fn cuMemcpy2DUnaligned_v2 | cuMemcpy2DUnaligned_v2_ptds (p: *const Memcpy2d) = |call| {
        // SAFETY: the program's structure.
        unsafe { copy_2d(call, p, null_mut(), Mode::Synchronous) }
    };
    fn cuMemcpy2DAsync_v2 | cuMemcpy2DAsync_v2_ptsz (p: *const Memcpy2d, stream: Stream) = |call| {
        // SAFETY: the program's structure.
        unsafe { copy_2d(call, p, stream, Mode::Asynchronous) }
    };
    fn cuMemcpy3D_v2 | cuMemcpy3D_v2_ptds (p: *const Memcpy3d) = |call| {
        // SAFETY: the program's structure.
        unsafe { copy_3d(call, p, null_mut(), Mode::Synchronous) }
    };
    fn cuMemcpy3DAsync_v2 | cuMemcpy3DAsync_v2_ptsz (p: *const Memcpy3d, stream: Stream) = |call| {
        // SAFETY: the program's structure.
        unsafe { copy_3d(call, p, stream, Mode::Asynchronous) }
    };
    fn cuMemcpy3DPeer | cuMemcpy3DPeer_ptds (p: *const Memcpy3d) = |call| {
        // SAFETY: the program's structure, or null.
        let given = unsafe { p.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let mode = peers(call, given.src.context, given.dst.context)?;
        // SAFETY: as above.
        unsafe { copy_3d(call, p, null_mut(), mode) }
    };
    fn cuMemcpy3DPeerAsync | cuMemcpy3DPeerAsync_ptsz (p: *const Memcpy3d, stream: Stream) = |call| {
        // SAFETY: the program's structure.
        unsafe { copy_3d(call, p, stream, Mode::Asynchronous) }
    };
}
