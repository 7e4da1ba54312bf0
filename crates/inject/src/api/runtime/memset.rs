//! Memsets. Asynchronous to the host, except for the memory of the host itself.

use super::Call;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Extent, PitchedPtr, Stream};
use crate::backend::copy::{Fill, Pitch, Shape};
use crate::context::{State, Work};
use crate::submit::submit;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// A fill of memory that kernels may touch.
pub(super) fn prepare(
    state: &State,
    pointer: *mut c_void,
    pitch: Pitch,
    shape: Shape,
    value: u32,
    element_size: usize,
) -> CudaResult<Fill> {
    let span = shape.span(pitch).ok_or(CudaError::INVALID_VALUE)? as u64;
    let address = pointer as u64;
    let memory = state.find(address).ok_or(CudaError::INVALID_VALUE)?;
    let offset = address - memory.base;
    if offset + span > memory.bytes {
        return Err(CudaError::INVALID_VALUE);
    }
    let engine = memory.engine + offset as usize;
    Ok(Fill { shape, pitch, engine, address, element: value.to_le_bytes(), element_size })
}

fn fill(
    call: &Call,
    pointer: *mut c_void,
    pitch: Pitch,
    shape: Shape,
    value: c_int,
    stream: Stream,
    asynchronous: bool,
) -> CudaResult {
    let mut state = call.state()?;
    let (stream, device) = call.stream(&mut state, stream)?;
    if shape.is_empty() {
        return Ok(());
    }
    let fill = prepare(&state, pointer, pitch, shape, value as u32, 1)?;
    // "The cudaMemset functions are asynchronous with respect to the host except when the target
    // memory is pinned host memory."
    let pinned = state.find(fill.address).is_some_and(|m| m.kind.pinned());
    if let Some(known) = submit(call, &mut state, stream, device, Work::Fill(fill))?
        && pinned
        && !asynchronous
    {
        let mut state = call.runtime.wait(state, &known);
        state.notice(device)?;
    }
    Ok(())
}

fn fill_3d(
    call: &Call,
    p: PitchedPtr,
    value: c_int,
    extent: Extent,
    stream: Stream,
    asynchronous: bool,
) -> CudaResult {
    let Extent { width, height, depth } = extent;
    let slice = p.pitch.checked_mul(p.ysize).ok_or(CudaError::INVALID_VALUE)?;
    let pitch = Pitch { row: p.pitch, slice };
    fill(call, p.ptr, pitch, Shape { width, height, depth }, value, stream, asynchronous)
}

fn rows(pitch: usize, height: usize) -> Pitch {
    Pitch { row: pitch, slice: pitch.saturating_mul(height) }
}

api! {
    fn cudaMemset | cudaMemset_ptds (pointer: *mut c_void, value: c_int, bytes: usize) = |call| {
        let shape = Shape::line(bytes);
        fill(call, pointer, shape.packed(), shape, value, null_mut(), false)
    };
    fn cudaMemsetAsync | cudaMemsetAsync_ptsz (pointer: *mut c_void, value: c_int, bytes: usize, stream: Stream) = |call| {
        let shape = Shape::line(bytes);
        fill(call, pointer, shape.packed(), shape, value, stream, true)
    };
    fn cudaMemset2D | cudaMemset2D_ptds (
        pointer: *mut c_void,
        pitch: usize,
        value: c_int,
        width: usize,
        height: usize,
    ) = |call| {
        let shape = Shape { width, height, depth: 1 };
        fill(call, pointer, rows(pitch, height), shape, value, null_mut(), false)
    };
    fn cudaMemset2DAsync | cudaMemset2DAsync_ptsz (
        pointer: *mut c_void,
        pitch: usize,
        value: c_int,
        width: usize,
        height: usize,
        stream: Stream,
    ) = |call| {
        let shape = Shape { width, height, depth: 1 };
        fill(call, pointer, rows(pitch, height), shape, value, stream, true)
    };
    fn cudaMemset3D | cudaMemset3D_ptds (p: PitchedPtr, value: c_int, extent: Extent) = |call| {
        fill_3d(call, p, value, extent, null_mut(), false)
    };
    fn cudaMemset3DAsync | cudaMemset3DAsync_ptsz (p: PitchedPtr, value: c_int, extent: Extent, stream: Stream) = |call| {
        fill_3d(call, p, value, extent, stream, true)
    };
}
