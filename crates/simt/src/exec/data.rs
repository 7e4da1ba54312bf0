//! Moves lanes between memory and rows.

#![allow(clippy::needless_range_loop, reason = "loops over lanes read best by lane number")]

use super::place::Part;
use super::{FULL, Run};
use crate::alu::row::Lanes;
use crate::program::{FILE_64, FILE_CONST, FILE_MASK, MemInst, NO_ROW, Row};
use events::LaneMask;

/// Loads one element of each lane into a row.
#[inline(always)]
pub(super) fn load_row(
    run: &mut Run<'_>,
    inst: &MemInst,
    row: Row,
    part: &Part,
    addresses: &[u64; 32],
    at: u64,
) {
    if row == NO_ROW {
        return;
    }
    let dst = run.row(row);
    let whole = part.contiguous && part.mask == FULL && inst.rows.len() == 1;
    // SAFETY: `place` checked every lane's address range, and rows are valid by construction. Unaligned reads
    // and byte copies are used because other threads may race: see `crate::memory`.
    unsafe {
        match (inst.part, row & FILE_MASK) {
            (4, FILE_64) if inst.signed => {
                each(part, addresses, at, |p, lane| {
                    dst.cast::<u64>().add(lane).write(p.cast::<i32>().read_unaligned() as i64 as u64);
                });
            }
            (4, FILE_64) => {
                each(part, addresses, at, |p, lane| {
                    dst.cast::<u64>().add(lane).write(p.cast::<u32>().read_unaligned().into());
                });
            }
            (4, _) if whole => std::ptr::copy_nonoverlapping(part.host(addresses[0]), dst, 128),
            (4, _) => {
                each(part, addresses, at, |p, lane| {
                    dst.cast::<u32>().add(lane).write(p.cast::<u32>().read_unaligned());
                });
            }
            (8, FILE_64) if whole => std::ptr::copy_nonoverlapping(part.host(addresses[0]), dst, 256),
            (8, FILE_64) => {
                each(part, addresses, at, |p, lane| {
                    dst.cast::<u64>().add(lane).write(p.cast::<u64>().read_unaligned());
                });
            }
            _ => load_small(run, inst, row, part, addresses, at),
        }
    }
}

#[inline(always)]
fn each(part: &Part, addresses: &[u64; 32], at: u64, mut f: impl FnMut(*mut u8, usize)) {
    if part.mask == FULL {
        for lane in 0..32 {
            f(part.host(addresses[lane].wrapping_add(at)), lane);
        }
    } else {
        for lane in Lanes(part.mask) {
            f(part.host(addresses[lane].wrapping_add(at)), lane);
        }
    }
}

fn load_small(run: &mut Run<'_>, inst: &MemInst, row: Row, part: &Part, addresses: &[u64; 32], at: u64) {
    for lane in Lanes(part.mask) {
        // SAFETY: `place` checked the lane's address range.
        let value = unsafe { read(part.host(addresses[lane].wrapping_add(at)), inst.part) };
        run.set(row, lane, extended(inst, value));
    }
}

/// Extends a loaded element to the register's width.
#[inline(always)]
pub(super) fn extended(inst: &MemInst, value: u64) -> u64 {
    if !inst.signed {
        return value;
    }
    let shift = 64 - 8 * u32::from(inst.part);
    let extended = ((value << shift) as i64 >> shift) as u64;
    if inst.extend_to < 32 { extended & ((1 << inst.extend_to) - 1) } else { extended }
}

/// Stores one element of each lane from a row.
#[inline(always)]
pub(super) fn store_row(
    run: &Run<'_>,
    inst: &MemInst,
    row: Row,
    part: &Part,
    addresses: &[u64; 32],
    at: u64,
) {
    if row == NO_ROW {
        return;
    }
    let src = run.row(row);
    let whole = part.contiguous && part.mask == FULL && inst.rows.len() == 1;
    let wide = row & FILE_MASK == FILE_64 || (row & FILE_MASK == FILE_CONST && inst.part == 8);
    // SAFETY: as in `load_row`.
    unsafe {
        match (inst.part, wide) {
            (4, false) if whole => std::ptr::copy_nonoverlapping(src, part.host(addresses[0]), 128),
            (4, false) => each(part, addresses, at, |p, lane| {
                p.cast::<u32>().write_unaligned(src.cast::<u32>().add(lane).read());
            }),
            (8, true) if whole => std::ptr::copy_nonoverlapping(src, part.host(addresses[0]), 256),
            (8, true) => each(part, addresses, at, |p, lane| {
                p.cast::<u64>().write_unaligned(src.cast::<u64>().add(lane).read());
            }),
            _ => {
                for lane in Lanes(part.mask) {
                    let value = run.get(row, inst.part == 8, lane);
                    write(part.host(addresses[lane].wrapping_add(at)), inst.part, value);
                }
            }
        }
    }
}

/// Reads 1, 2, 4 or 8 bytes.
///
/// # Safety
/// `p` is valid for that many bytes.
#[inline(always)]
pub(super) unsafe fn read(p: *const u8, bytes: u8) -> u64 {
    // SAFETY: by contract.
    unsafe {
        match bytes {
            1 => p.read().into(),
            2 => p.cast::<u16>().read_unaligned().into(),
            4 => p.cast::<u32>().read_unaligned().into(),
            _ => p.cast::<u64>().read_unaligned(),
        }
    }
}

/// Writes the lower 1, 2, 4 or 8 bytes of a value.
///
/// # Safety
/// `p` is valid for that many bytes.
#[inline(always)]
pub(super) unsafe fn write(p: *mut u8, bytes: u8, value: u64) {
    // SAFETY: by contract.
    unsafe {
        match bytes {
            1 => p.write(value as u8),
            2 => p.cast::<u16>().write_unaligned(value as u16),
            4 => p.cast::<u32>().write_unaligned(value as u32),
            _ => p.cast::<u64>().write_unaligned(value),
        }
    }
}

/// Reads a value of at most 16 bytes, for comparison.
///
/// # Safety
/// `p` is valid for `bytes` bytes, at most 16.
pub(super) unsafe fn peek(p: *const u8, bytes: usize) -> u128 {
    let mut value = [0u8; 16];
    // SAFETY: by contract.
    unsafe { std::ptr::copy_nonoverlapping(p, value.as_mut_ptr(), bytes.min(16)) };
    u128::from_le_bytes(value)
}

/// Returns the lanes of `mask` that `part` does not contain.
pub(super) fn rest(mask: LaneMask, part: &Part) -> LaneMask {
    mask & !part.mask
}
