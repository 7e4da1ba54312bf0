//! `shfl` of whole warps (PTX §9.7.9.6).

use super::lanes::{pick, sources};
use super::{FULL, Run};
use crate::alu::row::blend32;
use crate::program::{CollectiveInst, FILE_32, FILE_CONST, FILE_MASK, FILE_PRED, NO_ROW};
use events::LaneMask;
use ptx::op::ShflMode;

/// Shuffles within one group of lanes, if all operands are rows of words; returns false otherwise.
pub(super) fn shuffle(run: &mut Run<'_>, mode: ShflMode, inst: &CollectiveInst, lanes: LaneMask) -> bool {
    let words = |row| matches!(row & FILE_MASK, FILE_32 | FILE_CONST);
    let (d, p) = (inst.d[0], inst.p);
    if ![inst.a[0], inst.b[0], inst.c[0]].into_iter().all(words)
        || d & FILE_MASK != FILE_32
        || !(p == NO_ROW || p & FILE_MASK == FILE_PRED)
    {
        return false;
    }
    let [a, b, c] = [inst.a[0], inst.b[0], inst.c[0]].map(|row| run.row(row).cast::<[u32; 32]>());
    // SAFETY: the rows are the frame's or constants, of words. All reads precede the writes.
    unsafe {
        let (mut from, inside) = sources(mode, &*b, &*c);
        if lanes != FULL {
            // A non-participating source lane has no defined value; the lane's own value is used.
            for (lane, from) in from.iter_mut().enumerate() {
                *from = if lanes >> (*from & 31) & 1 != 0 { *from } else { lane as u32 };
            }
        }
        let values = pick(&*a, &from);
        if p != NO_ROW {
            let p = run.row(p).cast::<u32>();
            p.write(p.read() & !lanes | inside & lanes);
        }
        let d = run.row(d);
        if lanes == FULL {
            d.cast::<[u32; 32]>().write(values);
        } else {
            blend32(d, values.as_ptr().cast(), lanes);
        }
    }
    true
}
