//! Tensor maps, in warprace's own encoding: only tensor copies of the virtual GPU read them.

use super::{CudaError, CudaResult};
use kernels::tensor_map::{BYTES, Described, TensorMap, Unfit};
use std::ffi::{c_int, c_uint, c_void};

/// The alignment of a `CUtensorMap`.
const ALIGN: usize = 64;

/// Returns a program's array; an error if it is longer than any description's, or null.
///
/// # Safety
/// The array has as many values, or is null.
unsafe fn list<'a, T>(from: *const T, count: usize) -> Result<&'a [T], CudaError> {
    match count {
        0 => Ok(&[]),
        1..=5 if !from.is_null() => {
            // SAFETY: the caller's promise.
            Ok(unsafe { std::slice::from_raw_parts(from, count) })
        }
        _ => Err(CudaError::INVALID_VALUE),
    }
}

/// Writes a map to the program's variable.
fn give(out: *mut c_void, map: Result<TensorMap, Unfit>) -> CudaResult {
    let map = map.map_err(|Unfit| CudaError::INVALID_VALUE)?;
    if out.is_null() || !(out as usize).is_multiple_of(ALIGN) {
        return Err(CudaError::INVALID_VALUE);
    }
    let bytes = map.encode();
    // SAFETY: the program's `CUtensorMap`, of 128 bytes.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), out.cast(), BYTES) };
    Ok(())
}

/// Returns the arguments that all functions that make tensor maps share.
///
/// # Safety
/// The arrays are as long as the driver's reference says, or null.
#[allow(clippy::too_many_arguments)]
unsafe fn described<'a>(
    element: c_int,
    rank: c_uint,
    address: *mut c_void,
    sizes: *const u64,
    strides: *const u64,
    steps: *const c_uint,
    (interleave, swizzle, fill): (c_int, c_int, c_int),
) -> Result<Described<'a>, CudaError> {
    let (rank, address) = (rank as usize, address as u64);
    // SAFETY: the caller's promise.
    let (sizes, strides, steps) =
        unsafe { (list(sizes, rank)?, list(strides, rank.saturating_sub(1))?, list(steps, rank)?) };
    Ok(Described { element, address, sizes, strides, steps, interleave, swizzle, fill })
}

driver! {
    fn cuTensorMapEncodeTiled(
        out: *mut c_void,
        element: c_int,
        rank: c_uint,
        address: *mut c_void,
        sizes: *const u64,
        strides: *const u64,
        boxed: *const c_uint,
        steps: *const c_uint,
        interleave: c_int,
        swizzle: c_int,
        _promotion: c_int,
        fill: c_int,
    ) = |_call| {
        let more = (interleave, swizzle, fill);
        // SAFETY: the program's arrays.
        let map = unsafe {
            described(element, rank, address, sizes, strides, steps, more)?.tiled(list(boxed, rank as usize)?)
        };
        give(out, map)
    };
    fn cuTensorMapEncodeIm2col(
        out: *mut c_void,
        element: c_int,
        rank: c_uint,
        address: *mut c_void,
        sizes: *const u64,
        strides: *const u64,
        lower: *const c_int,
        upper: *const c_int,
        channels: c_uint,
        pixels: c_uint,
        steps: *const c_uint,
        interleave: c_int,
        swizzle: c_int,
        _promotion: c_int,
        fill: c_int,
    ) = |_call| {
        let (more, spatial) = ((interleave, swizzle, fill), (rank as usize).saturating_sub(2));
        // SAFETY: the program's arrays.
        let map = unsafe {
            let corners = (list(lower, spatial)?, list(upper, spatial)?);
            described(element, rank, address, sizes, strides, steps, more)?.im2col(corners, channels, pixels)
        };
        give(out, map)
    };
    fn cuTensorMapEncodeIm2colWide(
        out: *mut c_void,
        element: c_int,
        rank: c_uint,
        address: *mut c_void,
        sizes: *const u64,
        strides: *const u64,
        lower: c_int,
        upper: c_int,
        channels: c_uint,
        pixels: c_uint,
        steps: *const c_uint,
        interleave: c_int,
        mode: c_int,
        swizzle: c_int,
        _promotion: c_int,
        fill: c_int,
    ) = |_call| {
        let more = (interleave, swizzle, fill);
        // SAFETY: the program's arrays.
        let described = unsafe { described(element, rank, address, sizes, strides, steps, more)? };
        give(out, described.wide((lower, upper), channels, pixels, mode))
    };
    fn cuTensorMapReplaceAddress(out: *mut c_void, address: *mut c_void) = |_call| {
        if out.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let mut bytes = [0; BYTES];
        // SAFETY: the program's `CUtensorMap`, of 128 bytes.
        unsafe { std::ptr::copy_nonoverlapping(out.cast::<u8>(), bytes.as_mut_ptr(), BYTES) };
        let map = TensorMap::decode(&bytes).map_err(|_| CudaError::INVALID_VALUE)?;
        let map = TensorMap { address: address as u64, ..map };
        give(out, map.check().map(|()| map).map_err(|_| Unfit))
    };
}
