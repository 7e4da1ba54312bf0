//! Atomic operations on words of 32 and 64 bits: the operation is selected once for a warp, not once for each
//! lane.

use super::Run;
use super::place::Part;
use crate::alu::row::{Lanes, blend32, blend64};
use crate::num::rmw;
use crate::program::{AtomInst, FILE_32, FILE_64, FILE_CONST, FILE_MASK, NO_ROW, Row};
use events::LaneMask;
use ptx::ast::ScalarType;
use ptx::op::Rmw;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Old and new values, by lane.
pub(super) type Values = [(u64, u64); 32];

/// Performs the operation of a part's lanes in ascending order and records the values; returns the lanes that
/// stored. Returns `None`, without effect, for uncommon operations.
pub(super) fn words(
    run: &mut Run<'_>,
    inst: &AtomInst,
    part: &Part,
    addresses: &[u64; 32],
    values: &mut Values,
    flush: bool,
) -> Option<LaneMask> {
    if inst.elements != 1 {
        return None;
    }
    let file = match inst.size {
        4 => FILE_32,
        8 => FILE_64,
        _ => return None,
    };
    let usual = |row: &Row| matches!(*row & FILE_MASK, f if f == file || f == FILE_CONST);
    let results = inst.d.iter().all(|&d| d == NO_ROW || d & FILE_MASK == file);
    if !inst.b.iter().chain(&inst.c).all(usual) || !results {
        return None;
    }
    macro_rules! go {
        ($f:ident, $op:expr) => {
            // SAFETY: `place` checked range and alignment of the part's lanes, and all rows are of this width.
            Some(unsafe { $f(run, inst, part, addresses, values, $op) })
        };
    }
    use ScalarType::{B32, B64, F32, S32, S64, U32, U64};
    match (inst.ty, inst.op) {
        (F32, Rmw::Add) => go!(each32, |old, b, _| rmw::add_single(old, b, flush)),
        (B32 | U32 | S32 | F32, Rmw::Exch) => go!(each32, |_, b, _| b),
        (B32 | U32 | S32, Rmw::Cas) => go!(each32, |old, b, c| if old == b { c } else { old }),
        (U32 | S32, Rmw::Add) => go!(each32, |old, b, _| old.wrapping_add(b)),
        (U32, Rmw::Inc) => go!(each32, |old, b, _| if old >= b { 0 } else { old + 1 }),
        (U32, Rmw::Dec) => go!(each32, |old, b, _| if old == 0 || old > b { b } else { old - 1 }),
        (B32 | U32 | S32, Rmw::And) => go!(each32, |old, b, _| old & b),
        (B32 | U32 | S32, Rmw::Or) => go!(each32, |old, b, _| old | b),
        (B32 | U32 | S32, Rmw::Xor) => go!(each32, |old, b, _| old ^ b),
        (U32, Rmw::Min) => go!(each32, |old, b, _| old.min(b)),
        (U32, Rmw::Max) => go!(each32, |old, b, _| old.max(b)),
        (S32, Rmw::Min) => go!(each32, |old, b, _| (old as i32).min(b as i32) as u32),
        (S32, Rmw::Max) => go!(each32, |old, b, _| (old as i32).max(b as i32) as u32),
        (B64 | U64 | S64, Rmw::Exch) => go!(each64, |_, b, _| b),
        (B64 | U64 | S64, Rmw::Cas) => go!(each64, |old, b, c| if old == b { c } else { old }),
        (U64 | S64, Rmw::Add) => go!(each64, |old, b, _| old.wrapping_add(b)),
        (U64, Rmw::Min) => go!(each64, |old, b, _| old.min(b)),
        (U64, Rmw::Max) => go!(each64, |old, b, _| old.max(b)),
        _ => None,
    }
}

/// Returns the common address of several lanes, if there is one.
#[inline(always)]
fn alike(addresses: &[u64; 32], mask: LaneMask) -> Option<u64> {
    let mut lanes = Lanes(mask);
    let first = addresses[lanes.next()? & 31];
    (lanes.0 != 0 && lanes.all(|lane| addresses[lane] == first)).then_some(first)
}

macro_rules! each {
    ($name:ident, $int:ty, $atomic:ty, $blend:ident) => {
        /// Performs an operation on words of one width.
        ///
        /// # Safety
        /// The part's lanes are valid for the width and aligned to it, and so are the rows.
        #[inline(always)]
        unsafe fn $name(
            run: &mut Run<'_>,
            inst: &AtomInst,
            part: &Part,
            addresses: &[u64; 32],
            values: &mut Values,
            f: impl Fn($int, $int, $int) -> $int,
        ) -> LaneMask {
            let cas = inst.op == Rmw::Cas;
            let b = run.row(inst.b[0]).cast::<$int>();
            let c = inst.c.first().map_or(b, |&row| run.row(row).cast::<$int>());
            let mut results: [$int; 32] = [0; 32];
            let mut stored = 0;
            let one = if part.private { None } else { alike(addresses, part.mask) };
            if let Some(place) = one {
                // The lanes' operations run in sequence without interleaving, so one exchange performs them
                // all. SAFETY: by contract; memory that is not a Rust object may be viewed as atomics.
                let cell = unsafe { <$atomic>::from_ptr(part.host(place).cast()) };
                let mut before = cell.load(Ordering::Relaxed);
                loop {
                    let mut old = before;
                    stored = 0;
                    for lane in Lanes(part.mask) {
                        // SAFETY: by contract.
                        let (b, c) = unsafe { (b.add(lane).read(), c.add(lane).read()) };
                        let new = f(old, b, c);
                        results[lane] = old;
                        values[lane] = (old.into(), new.into());
                        stored |= u32::from(!cas || old == b) << lane;
                        old = new;
                    }
                    match cell.compare_exchange_weak(before, old, Ordering::Relaxed, Ordering::Relaxed) {
                        Ok(_) => break,
                        Err(now) => before = now,
                    }
                }
            }
            for lane in Lanes(if one.is_some() { 0 } else { part.mask }) {
                // SAFETY: by contract; memory that is not a Rust object may be viewed as atomics.
                let (cell, b, c) = unsafe {
                    let cell = <$atomic>::from_ptr(part.host(addresses[lane]).cast());
                    (cell, b.add(lane).read(), c.add(lane).read())
                };
                let mut old = cell.load(Ordering::Relaxed);
                let new = loop {
                    let new = f(old, b, c);
                    if part.private {
                        cell.store(new, Ordering::Relaxed);
                        break new;
                    }
                    match cell.compare_exchange_weak(old, new, Ordering::Relaxed, Ordering::Relaxed) {
                        Ok(_) => break new,
                        Err(now) => old = now,
                    }
                };
                results[lane] = old;
                values[lane] = (old.into(), new.into());
                // A failed compare-and-swap changes nothing; all other operations write.
                stored |= u32::from(!cas || old == b) << lane;
            }
            if let Some(&d) = inst.d.first()
                && d != NO_ROW
            {
                // SAFETY: by contract.
                unsafe { $blend(run.row(d), results.as_ptr().cast(), part.mask) };
            }
            stored
        }
    };
}

each!(each32, u32, AtomicU32, blend32);
each!(each64, u64, AtomicU64, blend64);
