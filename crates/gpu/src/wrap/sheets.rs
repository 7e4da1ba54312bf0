//! Copies in three dimensions: sheets of rows.

use super::Handle;
use super::order::{self, place};
use crate::images::{Copy3d, Side};
use crate::state::Accessed;

/// Rows of a copy that are looked at, evenly.
const ROWS: usize = 16;

/// Where rows of a copy begin, if they are memory.
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

/// What it accesses.
fn accessed(copy: &Copy3d) -> Vec<Accessed> {
    let &Copy3d { from, to, width, height, depth } = copy;
    let of = |side: Side, writes| rows(side, height, depth).map(move |at| (at, width as u64, writes));
    of(to, true).chain(of(from, false)).collect()
}

/// Before such a copy.
///
/// # Safety
/// `how` is null or points to `CUDA_MEMCPY3D`.
pub(super) unsafe fn looks(api: &'static str, stream: Handle, how: Handle) {
    // SAFETY: the caller's promise.
    if let Some(copy) = unsafe { how.cast::<Copy3d>().as_ref() } {
        order::looks(api, stream, &accessed(copy));
    }
}

/// Its sides that are memory.
///
/// # Safety
/// As there.
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
        // 200 and 88 bytes are those of the driver's header on 64-bit machines.
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
        // Of many some are looked at; an array is no memory.
        assert_eq!(accessed(&copy(100, 30)).len(), 32);
        assert_eq!(accessed(&Copy3d { to: side(3, 0, 0), ..copy(2, 2) }).len(), 4);
        assert_eq!(accessed(&copy(0, 3)).len(), 0);
    }
}
