//! Copies of all kinds, and the order that they establish with the host.
//!
//! The Runtime API reference, "API synchronization behavior", says which copies are complete when the call
//! returns; [`copy`] passes this on to the order.

use super::{place, submit};
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Stream, copy_kind};
use crate::backend::copy::{Copy, Pitch, Shape, Side};
use crate::call::Call;
use crate::context::{MemoryKind, State, Work};
use std::ffi::c_int;

/// The kind of memory on one side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Device,
    Managed,
    Pinned,
    Pageable,
}

/// One side of a copy.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) pointer: u64,
    pub(crate) pitch: Pitch,
}

/// The synchronisation of a copy with the host or with devices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Synchronous,
    Asynchronous,
    /// `cudaMemcpyPeer`, between two devices.
    Peer(u32, u32),
}

/// Finds the memory of one side and checks that the copy stays in it.
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
            if span > state.reach(end.pointer) {
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

/// Checks that the direction fits the two sides. With unified addressing only an outright contradiction is an
/// error.
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

/// Returns the copy in the form of a graph node or of stream work.
pub(crate) fn prepare(state: &State, dst: End, src: End, shape: Shape, kind: c_int) -> CudaResult<Copy> {
    let (dst_place, dst_side) = resolve(state, dst, shape)?;
    let (src_place, src_side) = resolve(state, src, shape)?;
    check_kind(kind, src_place, dst_place)?;
    Ok(Copy { shape, src: src_side, src_pitch: src.pitch, dst: dst_side, dst_pitch: dst.pitch })
}

/// Submits a copy, and waits as long as CUDA guarantees.
pub(crate) fn copy(
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
        let placed = state.place_serialized(stream, &[call.device, a, b]);
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

/// Reads the source's bytes now.
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
