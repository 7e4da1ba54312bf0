//! Wrappers of copies in three dimensions, which access sheets of rows.

use super::Handle;
use super::order::{self, place};
use crate::images::{Copy3d, Side};
use crate::state::Accessed;
use crate::{session, state};
use std::ffi::c_uint;

/// Limits how many rows of a copy are checked. They are spread evenly.
const ROWS: usize = 16;

/// Returns a side of a copy with an array's addresses for checks in its place, if it is one of an array.
fn in_memory(side: Side) -> Side {
    // `CU_MEMORYTYPE_DEVICE`, `_ARRAY`
    const DEVICE: c_uint = 2;
    const ARRAY: c_uint = 3;
    if side.kind != ARRAY || side.level != 0 || !state::has_order() {
        return side;
    }
    match state::lock().and_then(|mut state| state.array(side.array)) {
        Some(layout) => Side {
            kind: DEVICE,
            device: layout.base,
            pitch: layout.row as usize,
            height: layout.height.max(1) as usize,
            ..side
        },
        None => side,
    }
}

/// Returns the addresses of up to [`ROWS`] rows of one side of a copy, none if it is an array without any.
fn rows(side: Side, height: usize, depth: usize) -> impl Iterator<Item = u64> {
    let all = height.saturating_mul(depth);
    let step = all.div_ceil(ROWS).max(1);
    let row = move |base: u64, n: usize| {
        let sheet = (side.z + n / height).wrapping_mul(side.height);
        let at = (sheet.wrapping_add(side.y + n % height)).wrapping_mul(side.pitch);
        base.wrapping_add(at.wrapping_add(side.x) as u64)
    };
    let base = place(side.kind, side.host, side.device);
    base.into_iter().flat_map(move |base| (0..all).step_by(step).map(move |n| row(base, n)))
}

/// Returns the ranges that a copy accesses.
fn accessed(copy: &Copy3d) -> Vec<Accessed> {
    let &Copy3d { from, to, width, height, depth } = copy;
    let of = |side: Side, writes| rows(side, height, depth).map(move |at| (at, width as u64, writes));
    of(to, true).chain(of(from, false)).collect()
}

/// Launches the checks of a copy in three dimensions, before the copy.
///
/// # Safety
/// `how` is null or points to `CUDA_MEMCPY3D`.
pub(super) unsafe fn looks(api: &'static str, stream: Handle, how: Handle) {
    // SAFETY: the caller's promise.
    if let Some(copy) = unsafe { how.cast::<Copy3d>().as_ref() } {
        session::copied_3d(api, stream, copy);
        looks_at(api, stream, copy);
    }
}

/// Launches the checks of a copy, before the copy.
pub(super) fn looks_at(api: &'static str, stream: Handle, copy: &Copy3d) {
    let (from, to) = (in_memory(copy.from), in_memory(copy.to));
    order::checked(api, stream, &accessed(&Copy3d { from, to, ..*copy }));
}

/// Returns the base addresses of those sides of a copy in three dimensions that are memory.
///
/// # Safety
/// `how` is null or points to `CUDA_MEMCPY3D`.
pub(super) unsafe fn sides(how: Handle) -> Vec<u64> {
    // SAFETY: the caller's promise.
    match unsafe { how.cast::<Copy3d>().as_ref() } {
        Some(Copy3d { from, to, .. }) => [from, to].iter().flat_map(|side| rows(**side, 1, 1)).collect(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_sheets_are_where_the_driver_copies_them() {
        // The driver's header gives these structures 200 and 88 bytes on 64-bit machines.
        assert_eq!((size_of::<Copy3d>(), size_of::<Side>()), (200, 88));
        let side = |kind, x, z| Side {
            x,
            y: 1,
            z,
            level: 0,
            kind,
            host: 0x1000,
            device: 0x10_0000,
            array: std::ptr::null_mut(),
            reserved: std::ptr::null_mut(),
            pitch: 256,
            height: 8,
        };
        let copy =
            |height, depth| Copy3d { from: side(1, 0, 0), to: side(2, 16, 2), width: 64, height, depth };
        let told = accessed(&copy(2, 2));
        let to = [0x10_0000 + (2 * 8 + 1) * 256 + 16, 256, 8 * 256];
        let expected = [to[0], to[0] + to[1], to[0] + to[2], to[0] + to[2] + to[1]];
        assert_eq!(told[..4], expected.map(|at| (at, 64, true)));
        assert_eq!(told[4], (0x1000 + 256, 64, false));
        assert_eq!(told.len(), 8);
        // A copy of many rows has 16 of them checked on each side. An array is no memory and has none.
        assert_eq!(accessed(&copy(100, 30)).len(), 32);
        assert_eq!(accessed(&Copy3d { to: side(3, 0, 0), ..copy(2, 2) }).len(), 4);
        assert_eq!(accessed(&copy(0, 3)).len(), 0);
    }
}
