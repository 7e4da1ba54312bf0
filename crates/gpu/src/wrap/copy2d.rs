//! Wrappers of copies in two dimensions, and of copies of one line with an array. They are copies of one sheet.

use super::Handle;
use super::copy3d::looks_at;
use super::order::{HOST, UNIFIED, place};
use crate::images::{Copy3d, Side as Side3d};
use crate::session;
use std::ffi::c_uint;

/// `CU_MEMORYTYPE_ARRAY`
const ARRAY: c_uint = 3;

/// One side of `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Side {
    x: usize,
    y: usize,
    kind: c_uint,
    host: u64,
    device: u64,
    array: Handle,
    pitch: usize,
}

/// `CUDA_MEMCPY2D`
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Copy2d {
    from: Side,
    to: Side,
    width: usize,
    height: usize,
}

impl Side {
    /// Returns the address of the first row; `None` if the side is an array.
    fn first(&self) -> Option<u64> {
        let &Side { x, y, pitch, .. } = self;
        let base = place(self.kind, self.host, self.device)?;
        Some(base.wrapping_add((y * pitch + x) as u64))
    }
}

impl Copy2d {
    /// Returns the copy as one of a single slice.
    fn deepened(&self) -> Copy3d {
        let side = |of: &Side| {
            let &Side { x, y, kind, host, device, array, pitch } = of;
            Side3d { x, y, kind, host, device, array, pitch, ..Copy3d::EMPTY.from }
        };
        let &Copy2d { ref from, ref to, width, height } = self;
        Copy3d { from: side(from), to: side(to), width, height, depth: 1 }
    }
}

/// Returns the side of a copy of one line in an array, `at` bytes behind its begin.
pub(super) fn in_array(array: u64, at: usize) -> Side3d {
    Side3d { x: at, kind: ARRAY, array: array as Handle, ..Copy3d::EMPTY.from }
}

/// Returns the side of a copy of one line in memory.
pub(super) fn at_device(device: u64) -> Side3d {
    Side3d { kind: UNIFIED, device, ..Copy3d::EMPTY.from }
}

/// Returns the side of a copy of one line in the host's memory.
pub(super) fn at_host(host: u64) -> Side3d {
    Side3d { kind: HOST, host, ..Copy3d::EMPTY.from }
}

/// Records a copy of one line with an array, before the copy.
pub(super) fn looks_array(api: &'static str, handle: Handle, to: Side3d, from: Side3d, bytes: usize) {
    let copy = Copy3d { from, to, width: bytes, height: 1, depth: 1 };
    session::copied_3d(api, handle, &copy);
    looks_at(api, handle, &copy);
}

/// Launches the checks of a copy in two dimensions, before the copy.
///
/// # Safety
/// `how` is null or points to `CUDA_MEMCPY2D`.
pub(super) unsafe fn looks_2d(api: &'static str, handle: Handle, how: Handle) {
    // SAFETY: the caller's promise.
    let Some(&Copy2d { from, to, width, height }) = (unsafe { how.cast::<Copy2d>().as_ref() }) else {
        return;
    };
    let copy = Copy2d { from, to, width, height }.deepened();
    session::copied_3d(api, handle, &copy);
    looks_at(api, handle, &copy);
}

/// Returns the base addresses of those sides of a copy in two dimensions that are memory.
///
/// # Safety
/// `how` is null or points to `CUDA_MEMCPY2D`.
pub(super) unsafe fn sides(how: Handle) -> Vec<u64> {
    // SAFETY: the caller's promise.
    match unsafe { how.cast::<Copy2d>().as_ref() } {
        Some(Copy2d { from, to, .. }) => [from, to].iter().filter_map(|side| side.first()).collect(),
        None => Vec::new(),
    }
}
