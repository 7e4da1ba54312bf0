//! Which two reads of a word are kept of three.

use super::packing::{Accessor, Behind, Packed};

/// Where only whole barriers order threads: two reads that stand for three. The first and the last of all blocks, so
/// that it does not matter in which order blocks ran; of each the first since its last barrier.
#[inline(always)]
pub(super) fn two_of(first: Packed, other: Packed, new: Packed, behind: Behind) -> (Packed, Packed) {
    // The block is in the highest bits: where two blocks differ, so do the numbers.
    let (one_block, after) = (|a, b| behind.one_block(a, b), |old| old == 0 || behind.covers(old, new));
    if one_block(new, first) {
        if after(first) {
            // What is of the same block and as old is ordered before it, too; what is of its own thread may not be.
            let keep = other != 0 && !(one_block(other, new) && after(other));
            return (new, if keep { other } else { 0 });
        }
        if other == 0 {
            return (first, new);
        }
        return if one_block(other, first) && after(other) { (first, new) } else { (first, other) };
    }
    if other == 0 || one_block(other, first) {
        return if new < first { (new, first) } else { (first, new) };
    }
    if one_block(new, other) {
        return (first, if after(other) { new } else { other });
    }
    match (new < first, new > other) {
        (true, _) => (new, other),
        (_, true) => (first, new),
        _ => (first, other),
    }
}

/// Elsewhere: the new one and what is not ordered before it, of which there is no more than one.
pub(super) fn newest_of(first: Packed, other: Packed, new: Packed, by: &Accessor<'_>) -> (Packed, Packed) {
    match (by.after(first, new), by.after(other, new)) {
        (true, true) => (new, 0),
        (true, false) => (other, new),
        (false, _) => (first, new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::class::AccessClass;
    use crate::ptx::knowledge::WarpState;
    use crate::ptx::packing::{Kind, Packing};
    use events::SiteId;
    use std::sync::Arc;

    /// Of reads by several blocks the first and the last block's are kept, in whatever order they came.
    #[test]
    fn two_reads_are_of_the_first_and_the_last_block() {
        let packing = Packing::new(6, &Arc::default()).unwrap();
        let kind = packing.number(Kind { site: SiteId(1), class: AccessClass::READ, shift: 2 }).unwrap();
        let mut seed = 1u64;
        for round in 0..500 {
            let (mut first, mut other, mut blocks) = (0, 0, Vec::new());
            let mut state = WarpState::new(u32::MAX);
            (state.tick, state.all) = (2, 1);
            for _ in 0..6 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (block, lane) = ((seed >> 33) as u32 % 6, (seed >> 40) as u32 % 3);
                let class = AccessClass::READ;
                let by = Accessor::new(&packing, ((block, 0), 2), (kind, class), &state, true).unwrap();
                blocks.push(u64::from(block));
                let new = by.of_lane(lane);
                (first, other) = match first {
                    0 => (new, 0),
                    _ if first == new => (first, other),
                    _ => two_of(first, other, new, by.behind()),
                };
                let kept = (packing.thread(first).0, packing.thread(other).0);
                let (least, most) = (blocks.iter().min().copied(), blocks.iter().max().copied());
                assert_eq!(Some(u64::from(kept.0)), least, "{round}");
                assert!(least == most || Some(u64::from(kept.1)) == most, "{round}");
            }
        }
    }
}
