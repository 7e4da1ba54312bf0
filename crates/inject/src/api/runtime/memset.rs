//! Converts the arguments of memset functions to shapes. [`submit::fill`](crate::submit::fill) performs the
//! memsets.

use super::Call;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Extent, PitchedPtr, Stream};
use crate::backend::copy::{Pitch, Shape};
use crate::submit::fill::fill;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

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
