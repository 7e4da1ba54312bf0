//! Which two reads of a word are kept of three.

use super::packing::{Accessor, Packed};

/// Where only whole barriers order threads: two reads that stand for three. The first and the last of all blocks, so
/// that it does not matter in which order blocks ran; of each the first since its last barrier.
#[inline(always)]
pub(super) fn two_of(first: Packed, other: Packed, new: Packed, by: &Accessor<'_>) -> (Packed, Packed) {
    let block = |packed: Packed| by.block_of(packed);
    if block(new) == block(first) {
        if by.after(first, new) {
            // What is of the same block and as old is ordered before it, too; what is of its own thread may not be.
            let keep = other != 0 && !(block(other) == block(new) && by.after(other, new));
            return (new, if keep { other } else { 0 });
        }
        if other == 0 {
            return (first, new);
        }
        return if block(other) == block(first) && by.after(other, new) {
            (first, new)
        } else {
            (first, other)
        };
    }
    if other == 0 || block(other) == block(first) {
        return if block(new) < block(first) { (new, first) } else { (first, new) };
    }
    if block(new) == block(other) {
        return (first, if by.after(other, new) { new } else { other });
    }
    match (block(new) < block(first), block(new) > block(other)) {
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
