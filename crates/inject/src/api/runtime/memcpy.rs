//! Copies of every kind, and what they tell the host.
//!
//! The Runtime API reference, "API synchronization behavior", says which copies the host
//! may take for done: that is what [`copy`] passes on to the order.

use super::{Call, array};
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Extent, Memcpy3DParms, Memcpy3DPeerParms, PitchedPtr, Pos, Stream, copy_kind};
use crate::backend::copy::{Copy, Pitch, Shape, Side};
use crate::context::{MemoryKind, State, Work};
use crate::submit::{place, submit};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// What a copy sees of one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Device,
    Managed,
    Pinned,
    Pageable,
}

/// An end of a copy.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub(super) pointer: u64,
    pub(super) pitch: Pitch,
}

/// Who waits for the copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Synchronous,
    Asynchronous,
    /// `cudaMemcpyPeer`, between two devices.
    Peer(u32, u32),
}

/// Finds an end's memory and checks that the copy stays in it.
fn resolve(state: &State, end: End, shape: Shape) -> CudaResult<(Place, Side)> {
    let span = shape.span(end.pitch).ok_or(CudaError::INVALID_VALUE)? as u64;
    match state.find(end.pointer) {
        None if end.pointer == 0 => Err(CudaError::INVALID_VALUE),
        None => Ok((
            Place::Pageable,
            Side::Memory { engine: end.pointer as usize, address: end.pointer, tracked: false },
        )),
        Some(memory) => {
            let offset = end.pointer - memory.base;
            if offset + span > memory.bytes {
                return Err(CudaError::INVALID_VALUE);
            }
            let place = match memory.kind {
                MemoryKind::Managed => Place::Managed,
                kind if kind.pinned() => Place::Pinned,
                _ => Place::Device,
            };
            let engine = memory.engine + offset as usize;
            Ok((place, Side::Memory { engine, address: end.pointer, tracked: true }))
        }
    }
}

/// Does the direction fit the ends? With unified addressing only an outright contradiction is an error.
fn check_kind(kind: c_int, src: Place, dst: Place) -> CudaResult {
    let host = |place| place != Place::Device;
    let device = |place| place != Place::Pageable;
    let fits = match kind {
        copy_kind::HOST_TO_HOST => host(src) && host(dst),
        copy_kind::HOST_TO_DEVICE => host(src) && device(dst),
        copy_kind::DEVICE_TO_HOST => device(src) && host(dst),
        copy_kind::DEVICE_TO_DEVICE => device(src) && device(dst),
        copy_kind::DEFAULT => true,
        _ => return Err(CudaError::INVALID_MEMCPY_DIRECTION),
    };
    if fits { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
}

/// A copy as a graph node or a stream holds it.
pub(super) fn prepare(state: &State, dst: End, src: End, shape: Shape, kind: c_int) -> CudaResult<Copy> {
    let (dst_place, dst_side) = resolve(state, dst, shape)?;
    let (src_place, src_side) = resolve(state, src, shape)?;
    check_kind(kind, src_place, dst_place)?;
    Ok(Copy { shape, src: src_side, src_pitch: src.pitch, dst: dst_side, dst_pitch: dst.pitch })
}

/// Copies, and waits as long as the program may rely on.
pub(super) fn copy(
    call: &Call,
    dst: End,
    src: End,
    shape: Shape,
    kind: c_int,
    stream: Stream,
    mode: Mode,
) -> CudaResult {
    let mut state = call.state()?;
    let (stream, device) = call.stream(&mut state, stream)?;
    if !(copy_kind::HOST_TO_HOST..=copy_kind::DEFAULT).contains(&kind) {
        return Err(CudaError::INVALID_MEMCPY_DIRECTION);
    }
    if shape.is_empty() {
        return Ok(());
    }
    let (dst_place, dst_side) = resolve(&state, dst, shape)?;
    let (src_place, src_side) = resolve(&state, src, shape)?;
    check_kind(kind, src_place, dst_place)?;
    let mut work = Copy { shape, src: src_side, src_pitch: src.pitch, dst: dst_side, dst_pitch: dst.pitch };

    if let Mode::Peer(a, b) = mode {
        let placed = state.order.submit_serialized(stream, &[call.device, a, b]);
        place(call, &mut state, placed, device, Work::Copy(Box::new(work)));
        return Ok(());
    }
    let capturing = state.graphs.is_capturing(stream);
    if capturing && mode == Mode::Synchronous {
        return Err(CudaError::STREAM_CAPTURE_IMPLICIT);
    }
    match mode {
        Mode::Asynchronous => {
            // "For transfers from pageable host memory to device memory, host memory is copied to
            // a staging buffer immediately."
            if src_place == Place::Pageable && !capturing {
                stage(&mut work);
            }
            let known = submit(call, &mut state, stream, device, Work::Copy(Box::new(work)))?;
            // "For transfers from device memory to pageable host memory, the function will return
            // only once the copy has completed."
            if let Some(known) = known
                && dst_place == Place::Pageable
            {
                let mut state = call.runtime.wait(state, &known);
                state.notice(device)?;
            }
        }
        _ => {
            // The reference adds of transfers from pageable memory that "the DMA to final destination
            // may not have completed" on return. Programs do not reckon with that, NVIDIA's own
            // samples among them, and no driver is known that lets it be seen; such a copy is taken
            // as complete. `docs/assumptions.md` says so.
            let submitted = submit(call, &mut state, stream, device, Work::Copy(Box::new(work)))?;
            let Some(known) = submitted else { return Ok(()) };
            if src_place != Place::Device || dst_place != Place::Device {
                let mut state = call.runtime.wait(state, &known);
                state.notice(device)?;
            }
            // "For transfers from device memory to device memory, no host-side synchronization is
            // performed."
        }
    }
    Ok(())
}

/// Takes the source's bytes now.
fn stage(copy: &mut Copy) {
    let Side::Memory { engine, .. } = copy.src else { return };
    let packed = copy.shape.packed();
    let mut bytes = vec![0u8; packed.slice * copy.shape.depth];
    let staging = Copy {
        shape: copy.shape,
        src: copy.src.clone(),
        src_pitch: copy.src_pitch,
        dst: Side::Memory { engine: bytes.as_mut_ptr() as usize, address: 0, tracked: false },
        dst_pitch: packed,
    };
    debug_assert_ne!(engine, 0);
    // SAFETY: the program passed the source as readable; the buffer holds the packed shape.
    unsafe { staging.run() };
    copy.src = Side::Staged(bytes);
    copy.src_pitch = packed;
}

/// An end of a one-dimensional copy.
pub(super) fn line(pointer: *const c_void, bytes: usize) -> End {
    End { pointer: pointer as u64, pitch: Shape::line(bytes).packed() }
}

pub(super) fn rows(pointer: *const c_void, pitch: usize, height: usize) -> End {
    End { pointer: pointer as u64, pitch: Pitch { row: pitch, slice: pitch.saturating_mul(height) } }
}

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

/// An end of a three-dimensional copy; `x` is in bytes without arrays.
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

/// Ends and shape of a three-dimensional copy; where an array takes part, its elements are the unit of the extent.
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
    let count = call.runtime.lock().devices.len() as c_int;
    if !(0..count).contains(&a) || !(0..count).contains(&b) {
        return Err(CudaError::INVALID_DEVICE);
    }
    Ok(Mode::Peer(a as u32, b as u32))
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
