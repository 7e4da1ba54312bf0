//! Memsets of elements of 1, 2 and 4 bytes.

use super::{Call, CudaError, CudaResult};
use crate::abi::types::Stream;
use crate::backend::copy::{Pitch, Shape};
use crate::submit::fill::{Element, fill_elements};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

/// Rows of `width` elements.
struct Rows {
    pointer: *mut c_void,
    /// Bytes between two rows; 0 for one row.
    pitch: usize,
    width: usize,
    height: usize,
}

fn set(call: &Call, rows: Rows, element: Element, stream: Stream, asynchronous: bool) -> CudaResult {
    let width = rows.width.checked_mul(element.size).ok_or(CudaError::INVALID_VALUE)?;
    if rows.height > 1 && rows.pitch < width {
        return Err(CudaError::INVALID_VALUE);
    }
    let shape = Shape { width, height: rows.height, depth: 1 };
    let row = if rows.height <= 1 { width } else { rows.pitch };
    let pitch = Pitch { row, slice: row.saturating_mul(rows.height) };
    fill_elements(call, rows.pointer, pitch, shape, element, stream, asynchronous)
}

fn one(pointer: *mut c_void, width: usize) -> Rows {
    Rows { pointer, pitch: 0, width, height: 1 }
}

fn of(value: impl Into<c_uint>, size: usize) -> Element {
    Element { value: value.into(), size }
}

driver! {
    fn cuMemsetD8_v2 | cuMemsetD8_v2_ptds (pointer: *mut c_void, value: u8, count: usize) = |call| {
        set(call, one(pointer, count), of(value, 1), null_mut(), false)
    };
    fn cuMemsetD16_v2 | cuMemsetD16_v2_ptds (pointer: *mut c_void, value: u16, count: usize) = |call| {
        set(call, one(pointer, count), of(value, 2), null_mut(), false)
    };
    fn cuMemsetD32_v2 | cuMemsetD32_v2_ptds (pointer: *mut c_void, value: c_uint, count: usize) = |call| {
        set(call, one(pointer, count), of(value, 4), null_mut(), false)
    };
    fn cuMemsetD8Async | cuMemsetD8Async_ptsz (pointer: *mut c_void, value: u8, count: usize, stream: Stream) = |call| {
        set(call, one(pointer, count), of(value, 1), stream, true)
    };
    fn cuMemsetD16Async | cuMemsetD16Async_ptsz (pointer: *mut c_void, value: u16, count: usize, stream: Stream) = |call| {
        set(call, one(pointer, count), of(value, 2), stream, true)
    };
    fn cuMemsetD32Async | cuMemsetD32Async_ptsz (pointer: *mut c_void, value: c_uint, count: usize, stream: Stream) = |call| {
        set(call, one(pointer, count), of(value, 4), stream, true)
    };
    fn cuMemsetD2D8_v2 | cuMemsetD2D8_v2_ptds (
        pointer: *mut c_void,
        pitch: usize,
        value: u8,
        width: usize,
        height: usize,
    ) = |call| set(call, Rows { pointer, pitch, width, height }, of(value, 1), null_mut(), false);
    fn cuMemsetD2D16_v2 | cuMemsetD2D16_v2_ptds (
        pointer: *mut c_void,
        pitch: usize,
        value: u16,
        width: usize,
        height: usize,
    ) = |call| set(call, Rows { pointer, pitch, width, height }, of(value, 2), null_mut(), false);
    fn cuMemsetD2D32_v2 | cuMemsetD2D32_v2_ptds (
        pointer: *mut c_void,
        pitch: usize,
        value: c_uint,
        width: usize,
        height: usize,
    ) = |call| set(call, Rows { pointer, pitch, width, height }, of(value, 4), null_mut(), false);
    fn cuMemsetD2D8Async | cuMemsetD2D8Async_ptsz (
        pointer: *mut c_void,
        pitch: usize,
        value: u8,
        width: usize,
        height: usize,
        stream: Stream,
    ) = |call| set(call, Rows { pointer, pitch, width, height }, of(value, 1), stream, true);
    fn cuMemsetD2D16Async | cuMemsetD2D16Async_ptsz (
        pointer: *mut c_void,
        pitch: usize,
        value: u16,
        width: usize,
        height: usize,
        stream: Stream,
    ) = |call| set(call, Rows { pointer, pitch, width, height }, of(value, 2), stream, true);
    fn cuMemsetD2D32Async | cuMemsetD2D32Async_ptsz (
        pointer: *mut c_void,
        pitch: usize,
        value: c_uint,
        width: usize,
        height: usize,
        stream: Stream,
    ) = |call| set(call, Rows { pointer, pitch, width, height }, of(value, 4), stream, true);
}
