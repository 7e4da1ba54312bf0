//! The two reads of a word that are kept of three: case 2 of [`witnesses`](crate::ptx::history::witnesses).

use crate::ptx::history::words::packing::{Accessor, Behind, Packed};

/// Where only whole barriers order threads: two reads that stand for three. The first and the last of all blocks, so
/// that it does not matter in which order blocks ran; of each the first since its last barrier.
#[inline(always)]
pub(crate) fn two_of(first: Packed, other: Packed, new: Packed, behind: Behind) -> (Packed, Packed) {
    // The block is in the highest bits: where two blocks differ, so do the numbers.
    let (one_block, after) = (|a, b| behind.one_block(a, b), |old| behind.after(old, new));
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

/// The same of three that are not ordered, where the two are kept in the order in which they came.
#[inline]
fn two_alike(first: Packed, other: Packed, new: Packed, behind: Behind) -> (Packed, Packed) {
    if other < first && !behind.one_block(first, other) {
        two_of(other, first, new, behind)
    } else {
        two_of(first, other, new, behind)
    }
}

/// Which two of three reads are kept; `None` if they do not stand for the third one.
#[inline(always)]
pub(crate) fn two_that_stand(
    first: Packed,
    other: Packed,
    new: Packed,
    by: &Accessor<'_>,
) -> Option<(Packed, Packed)> {
    if by.simple {
        Some(two_of(first, other, new, by.behind()))
    } else if other == 0 || by.after(first, new) || by.after(other, new) {
        Some(newest_of(first, other, new, by))
    } else {
        by.are_alike(first, other).then(|| two_alike(first, other, new, by.behind()))
    }
}

/// Elsewhere: the new one and what is not ordered before it, of which there is no more than one.
pub(crate) fn newest_of(first: Packed, other: Packed, new: Packed, by: &Accessor<'_>) -> (Packed, Packed) {
    match (by.after(first, new), by.after(other, new)) {
        (true, true) => (new, 0),
        (true, false) => (other, new),
        (false, _) => (first, new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::access::class::AccessClass;
    use crate::ptx::history::words::packing::{Kind, Packing, Stand};
    use crate::ptx::history::words::{Words, at};
    use crate::ptx::order::knowledge::WarpState;
    use events::SiteId;
    use std::sync::Arc;

    /// Of reads by several blocks the first and the last block's are kept, in whatever order they came.
    #[test]
    fn two_reads_are_of_the_first_and_the_last_block() {
        let packing = Packing::new(6, &Arc::default()).unwrap();
        let kind = packing.number(Kind::new(SiteId(1), AccessClass::READ, 2)).unwrap();
        let mut seed = 1u64;
        for round in 0..500 {
            let (mut first, mut other, mut blocks) = (0, 0, Vec::new());
            let mut state = WarpState::new(u32::MAX);
            (state.tick, state.all) = (2, 1);
            for _ in 0..6 {
                let bits = crate::random::next(&mut seed) as u32;
                let (block, lane) = (bits % 6, (bits >> 7) % 3);
                let class = AccessClass::READ;
                let by = Accessor::new(&packing, ((block, 0), 2), (kind, class), &state, Stand::All).unwrap();
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

    /// Of reads by one instruction between two barriers two are kept in small launches, too: whoever races with any of them
    /// races with one of the two.
    #[test]
    fn two_alike_stand_for_all_of_one_instruction() {
        let packing = Arc::new(Packing::new(3, &Arc::default()).unwrap());
        let kind = packing.number(Kind::new(SiteId(1), AccessClass::READ, 2)).unwrap();
        let (mut seed, mut dropped) = (1u64, 0);
        for _ in 0..2000 {
            let mut words = Words::of_a_page(&packing);
            let mut read = Vec::new();
            let mut state = WarpState::new(u32::MAX);
            (state.tick, state.all) = (2, 1);
            for _ in 0..6 {
                let bits = crate::random::next(&mut seed) as u32;
                let (block, warp, lane) = (bits % 3, (bits >> 4) as u16 % 2, (bits >> 7) % 2);
                let (by, class) = (((block, warp), 2), (kind, AccessClass::READ));
                let by = Accessor::new(&packing, by, class, &state, Stand::Alike).unwrap();
                assert!(words.one((7, 1), by.of_lane(lane), &by, &mut 0));
                read.push(packing.thread(by.of_lane(lane)));
                let kept = [&words.reads, &words.others].map(|reads| at(reads, 7));
                let kept: Vec<_> = kept.into_iter().filter(|&k| k != 0).map(|k| packing.thread(k)).collect();
                dropped += usize::from(read.len() > 2);
                for writer in &[(0, 0), (0, 1), (0, 32), (0, 33), (1, 0), (1, 33), (2, 0), (2, 32)] {
                    let races = read.iter().any(|thread| thread != writer);
                    assert_eq!(races, kept.iter().any(|thread| thread != writer), "{read:?} {kept:?}");
                }
            }
        }
        assert!(dropped > 1000);
    }
}
