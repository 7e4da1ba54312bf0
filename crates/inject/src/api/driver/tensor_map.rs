//! Tensor maps, in warprace's own encoding: only tensor copies of the virtual GPU read them.

use super::{Call, CudaError, CudaResult};
use kernels::tensor_map::{BYTES, Element, Im2col, Swizzle, TensorMap};
use std::ffi::{c_int, c_uint, c_void};

/// The alignment of a `CUtensorMap`.
const ALIGN: usize = 64;

/// The parameters that all functions that make tensor maps share.
struct Described {
    rank: c_uint,
    element: c_int,
    address: *mut c_void,
    sizes: *const u64,
    strides: *const u64,
    steps: *const c_uint,
    interleave: c_int,
    swizzle: c_int,
    fill: c_int,
}

/// Returns the first `count` values of a program's array; the others are `rest`.
///
/// # Safety
/// The array has as many values, or is null.
unsafe fn list<T: Copy, const N: usize>(from: *const T, count: usize, rest: T) -> Result<[T; N], CudaError> {
    if count > N || (from.is_null() && count > 0) {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    Ok(std::array::from_fn(|i| if i < count { unsafe { from.add(i).read_unaligned() } } else { rest }))
}

impl Described {
    /// Returns the map, with a box of one element.
    fn map(&self, call: &Call) -> Result<TensorMap, CudaError> {
        if !(1..=5).contains(&self.rank) {
            return Err(CudaError::INVALID_VALUE);
        }
        let rank = self.rank as usize;
        let Some(element) = u32::try_from(self.element).ok().and_then(Element::of_driver) else {
            let mut state = call.runtime.lock();
            state.results.unsupported("tensor maps of packed 4-bit and 6-bit elements", call.caller, true);
            return Err(CudaError::NOT_SUPPORTED);
        };
        let swizzle = u32::try_from(self.swizzle).ok().and_then(Swizzle::of_driver);
        // SAFETY: the program's arrays, as long as the driver's reference says.
        let (sizes, strides, steps) = unsafe {
            (list(self.sizes, rank, 1)?, list(self.strides, rank - 1, 0)?, list(self.steps, rank, 1)?)
        };
        let mut steps: [u32; 5] = steps;
        if self.interleave == 0 {
            // "TMA doesn't support the stride for dimension zero".
            steps[0] = 1;
        }
        Ok(TensorMap {
            rank: self.rank,
            element,
            interleave: u8::try_from(self.interleave)
                .ok()
                .filter(|i| *i <= 2)
                .ok_or(CudaError::INVALID_VALUE)?,
            swizzle: swizzle.ok_or(CudaError::INVALID_VALUE)?,
            nan: self.fill != 0,
            address: self.address as u64,
            sizes,
            strides,
            boxed: [1; 5],
            steps,
            im2col: None,
        })
    }
}

/// Writes a map that is as the driver's reference requires.
fn give(out: *mut c_void, map: &TensorMap) -> CudaResult {
    if out.is_null() || !(out as usize).is_multiple_of(ALIGN) || map.check().is_err() {
        return Err(CudaError::INVALID_VALUE);
    }
    let bytes = map.encode();
    // SAFETY: the program's `CUtensorMap`, of 128 bytes.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), out.cast(), BYTES) };
    Ok(())
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
    ) = |call| {
        let described = Described { rank, element, address, sizes, strides, steps, interleave, swizzle, fill };
        let map = described.map(call)?;
        // SAFETY: the program's array.
        let boxed = unsafe { list(boxed, rank as usize, 1)? };
        give(out, &TensorMap { boxed, ..map })
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
    ) = |call| {
        let described = Described { rank, element, address, sizes, strides, steps, interleave, swizzle, fill };
        let map = described.map(call)?;
        let spatial = (rank as usize).saturating_sub(2);
        // SAFETY: the program's arrays.
        let (lower, upper): ([c_int; 3], [c_int; 3]) =
            unsafe { (list(lower, spatial, 0)?, list(upper, spatial, 0)?) };
        let narrow = |n: c_uint| u16::try_from(n).map_err(|_| CudaError::INVALID_VALUE);
        let corner = |corners: [c_int; 3]| corners.map(|c| c as i16);
        // Corners have 16, 8 or 5 bits, by the number of spatial dimensions.
        let most = [0, 1 << 15, 1 << 7, 1 << 4][spatial.min(3)];
        if lower.iter().chain(&upper).any(|c| !(-most..most).contains(c) && most > 0) {
            return Err(CudaError::INVALID_VALUE);
        }
        let im2col = Im2col {
            channels: narrow(channels)?,
            pixels: narrow(pixels)?,
            lower: corner(lower),
            upper: corner(upper),
        };
        give(out, &TensorMap { im2col: Some(im2col), ..map })
    };
    fn cuTensorMapReplaceAddress(out: *mut c_void, address: *mut c_void) = |_call| {
        if out.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let mut bytes = [0; BYTES];
        // SAFETY: the program's `CUtensorMap`, of 128 bytes.
        unsafe { std::ptr::copy_nonoverlapping(out.cast::<u8>(), bytes.as_mut_ptr(), BYTES) };
        let map = TensorMap::decode(&bytes).map_err(|_| CudaError::INVALID_VALUE)?;
        give(out, &TensorMap { address: address as u64, ..map })
    };
}
