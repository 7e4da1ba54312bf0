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
mod tests;
