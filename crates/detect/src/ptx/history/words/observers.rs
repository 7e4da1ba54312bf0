//! The strong reads that have observed a word's newest atomic and are not ordered behind it: up to two.
//!
//! The atomic says whether anybody has, and the first of them whether there is a second one, so that another
//! atomic in its place need not look at them.

use super::{Words, at, put};
use crate::ptx::history::words::packing::{Accessor, Packed, is_observed, observed};

impl Words {
    /// The observers of `atomic`, which is the word's, or 0.
    #[inline(always)]
    fn seen(&self, word: usize, atomic: Packed) -> [Packed; 2] {
        let first = if is_observed(atomic) { at(&self.seen, word) } else { 0 };
        [first, if is_observed(first) { at(&self.second, word) } else { 0 }]
    }

    /// Returns whether one of them is ordered before `new`, which then is behind the atomic, too.
    pub(super) fn learns(&self, word: usize, atomic: Packed, new: Packed, by: &Accessor<'_>) -> bool {
        self.seen(word, atomic).into_iter().any(|seen| seen != 0 && by.after(seen, new))
    }

    /// Returns whether there is room for another observer.
    pub(super) fn may_observe(&self, word: usize, atomic: Packed) -> bool {
        self.seen(word, atomic)[1] == 0
    }

    /// `new` observes the atomic of a word, if there is room.
    pub(super) fn observe(&mut self, word: usize, new: Packed, grown: &mut usize) {
        let atomic = at(&self.atomics, word);
        match self.seen(word, atomic) {
            [0, _] => {
                put(&mut self.atomics, word, observed(atomic), (&self.packing, grown));
                put(&mut self.seen, word, new, (&self.packing, grown));
            }
            [first, 0] => {
                put(&mut self.seen, word, observed(first), (&self.packing, grown));
                put(&mut self.second, word, new, (&self.packing, grown));
            }
            _ => {}
        }
    }

    /// Returns whether its atomic has a first observer, and whether it has a second one.
    pub(super) fn are_seen(&self, word: usize) -> [bool; 2] {
        self.seen(word, at(&self.atomics, word)).map(|seen| seen != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::access::class::AccessClass;
    use crate::ptx::history::words::packing::{Kind, Packing, Stand};
    use crate::ptx::order::knowledge::WarpState;
    use clocks::compressed::WarpIndex;
    use events::{AccessKind, AtomicOp, Scope, Sem, SiteId, Strength};
    use std::sync::Arc;

    /// Two observers of an atomic are kept, each once, until there is another atomic; a third one does not fit.
    #[test]
    fn two_observe_an_atomic() {
        let packing = Arc::new(Packing::new(4, &Arc::default()).unwrap());
        let mut words = Words::of_a_page(&packing);
        let strong = Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu };
        let [atomic, read] =
            [AccessKind::Atomic { op: AtomicOp::Add, returns: true }, AccessKind::Read].map(|kind| {
                let class = AccessClass::with(kind, strong);
                (packing.number(Kind::new(SiteId(1), class, 2)).unwrap(), class)
            });
        let state = WarpState::new(u32::MAX);
        let mut access = |block: u32, kind| {
            let by =
                Accessor::new(&packing, (WarpIndex { block, warp: 0 }, 1), kind, &state, Stand::All).unwrap();
            let done = words.one((7, 1), by.of_lane(3), &by, &mut 0);
            let mut seen = Vec::new();
            words.observers(0..32, |cell, entry| seen.push((cell, entry.block, entry.class == read.1)));
            (done, seen)
        };
        let seen = |blocks: &[u32]| blocks.iter().map(|&block| (1, block, true)).collect::<Vec<_>>();
        for _ in 0..2 {
            assert_eq!(access(0, atomic), (true, vec![]));
            assert_eq!(access(0, read), (true, vec![]), "it is its own");
            assert_eq!(access(2, read), (true, seen(&[2])));
            assert_eq!(access(2, read), (true, seen(&[2])));
            assert_eq!(access(1, read), (true, seen(&[2, 1])));
            assert_eq!(access(2, read), (true, seen(&[2, 1])));
            assert_eq!(access(1, read), (true, seen(&[2, 1])));
            assert_eq!(access(3, read), (false, seen(&[2, 1])), "there is no room");
        }
    }
}
