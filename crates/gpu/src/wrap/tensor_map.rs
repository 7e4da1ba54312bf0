//! Wrappers of the functions that make tensor maps, whose results the virtual GPU does not understand.

use super::Handle;
use crate::hooks::{Code, SUCCESS};
use crate::{state, tensor_maps};
use kernels::tensor_map::{BYTES, Described, TensorMap, Unfit};
use std::ffi::{c_int, c_uint};

/// A `CUtensorMap`.
pub(super) type Map = [u8; BYTES];

/// Returns an array of the program's that the driver has accepted.
///
/// # Safety
/// The array has as many values, or is null.
unsafe fn list<'a, T>(from: *const T, count: usize) -> &'a [T] {
    match from.is_null() || count == 0 {
        true => &[],
        // SAFETY: the caller's promise.
        false => unsafe { std::slice::from_raw_parts(from, count) },
    }
}

/// Remembers a map that the driver has made. One that cannot be described stays as it is, so that a replay fails where
/// a kernel uses it.
///
/// # Safety
/// If `code` is success, the driver has written `out`.
unsafe fn made(code: Code, out: *const Map, map: impl FnOnce() -> Result<TensorMap, Unfit>) -> Code {
    if code == SUCCESS
        && state::saves()
        && let Ok(map) = map()
    {
        // SAFETY: the caller's promise.
        tensor_maps::made(unsafe { out.read() }, &map);
    }
    code
}

#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn tiled(
    real: unsafe extern "C" fn(
        *mut Map,
        c_int,
        c_uint,
        Handle,
        *const u64,
        *const u64,
        *const c_uint,
        *const c_uint,
        c_int,
        c_int,
        c_int,
        c_int,
    ) -> Code,
    out: *mut Map,
    element: c_int,
    rank: c_uint,
    address: Handle,
    sizes: *const u64,
    strides: *const u64,
    boxed: *const c_uint,
    steps: *const c_uint,
    interleave: c_int,
    swizzle: c_int,
    promotion: c_int,
    fill: c_int,
) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe {
        real(out, element, rank, address, sizes, strides, boxed, steps, interleave, swizzle, promotion, fill)
    };
    let (rank, address) = (rank as usize, address as u64);
    // SAFETY: the driver has accepted these arrays and written the map.
    unsafe {
        made(code, out, || {
            let (sizes, strides) = (list(sizes, rank), list(strides, rank.saturating_sub(1)));
            let steps = list(steps, rank);
            Described { element, address, sizes, strides, steps, interleave, swizzle, fill }
                .tiled(list(boxed, rank))
        })
    }
}

#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn im2col(
    real: unsafe extern "C" fn(
        *mut Map,
        c_int,
        c_uint,
        Handle,
        *const u64,
        *const u64,
        *const c_int,
        *const c_int,
        c_uint,
        c_uint,
        *const c_uint,
        c_int,
        c_int,
        c_int,
        c_int,
    ) -> Code,
    out: *mut Map,
    element: c_int,
    rank: c_uint,
    address: Handle,
    sizes: *const u64,
    strides: *const u64,
    lower: *const c_int,
    upper: *const c_int,
    channels: c_uint,
    pixels: c_uint,
    steps: *const c_uint,
    interleave: c_int,
    swizzle: c_int,
    promotion: c_int,
    fill: c_int,
) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe {
        real(
            out, element, rank, address, sizes, strides, lower, upper, channels, pixels, steps, interleave,
            swizzle, promotion, fill,
        )
    };
    let (rank, address) = (rank as usize, address as u64);
    // SAFETY: the driver has accepted these arrays and written the map.
    unsafe {
        made(code, out, || {
            let (sizes, strides) = (list(sizes, rank), list(strides, rank.saturating_sub(1)));
            let (steps, spatial) = (list(steps, rank), rank.saturating_sub(2));
            Described { element, address, sizes, strides, steps, interleave, swizzle, fill }.im2col(
                (list(lower, spatial), list(upper, spatial)),
                channels,
                pixels,
            )
        })
    }
}

pub(super) unsafe fn moved(
    real: unsafe extern "C" fn(*mut Map, Handle) -> Code,
    map: *mut Map,
    address: Handle,
) -> Code {
    // SAFETY: the caller passes a map, or null.
    let before = unsafe { map.as_ref() }.copied();
    // SAFETY: the caller's arguments.
    let code = unsafe { real(map, address) };
    if let Some(before) = before.filter(|_| code == SUCCESS) {
        // SAFETY: the driver has written the map.
        tensor_maps::moved(&before, unsafe { map.read() }, address as u64);
    }
    code
}
