//! Lanes that read the same words.

use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::words::packing::{Accessor, Packed};
use crate::ptx::history::words::{LINE, Words, at};

impl Words {
    /// Returns whether two lanes that read the same words leave there what all lanes would. Whether something is
    /// ordered before a lane depends on the lane only if it is of the same warp; so a third one meets what the
    /// first two have left, and finds its block among the two reads that are kept.
    #[inline]
    pub(crate) fn two_stand_for_all(&self, line: usize, stamp: &Stamp, by: &Accessor<'_>) -> bool {
        let of_others = |packed: Packed| packed == 0 || !by.same_warp(packed);
        let weak_read = by.simple && !by.writes && !by.strong && self.atomics.is_none();
        weak_read
            && stamp.lanes_each(2) == Some(0)
            && (stamp.from / 4..stamp.to / 4).all(|word| {
                let word = line * LINE + usize::from(word);
                [&self.writes, &self.reads, &self.others].into_iter().all(|array| of_others(at(array, word)))
            })
    }
}

#[cfg(test)]
mod tests;
