//! Witnesses: which accesses a history may drop.
//!
//! A form drops an access only if accesses that it keeps stand for it: **whatever races with the dropped access later also races
//! with a kept one.** There are four cases, and no others. Every form refers to them by number.
//!
//! 1. *Later.* Access `b` is ordered behind `a`, touches all bytes of `a`, and writes if `a` does. An access that is ordered behind
//!    `b` is ordered behind `a`, so an access that races with `a` is not ordered behind `b` and races with it. A strong `b` stands
//!    only for strong accesses of its own extent, and not towards a thread that has observed `b` alone (PTX §8.9.5).
//! 2. *Two of a crowd.* Only barriers and their own warp order threads. Two accesses of one kind and of the same bytes, by two
//!    blocks, stand for all others: a thread is unordered with every access of another block, and no thread is of both blocks. If
//!    one block makes all accesses, two warps since its last barrier stand for all: a thread is unordered with every access of
//!    another warp, and accesses before the barrier are ordered before all that the block does from now on. If one warp makes all
//!    accesses, so do two lanes. In launches below 4096 threads, where each instruction is reported, two stand only for
//!    accesses by the same instruction.
//! 3. *The newest of a chain.* A read-modify-write that returns what it found has observed all before it in its chain.
//! 4. *Merged.* Beyond 24 accesses, those of a block are merged to one with the highest tick. A race with it is not reported to a
//!    thread that knows some of the block, and the launch is named in the account's limits.
//!
//! | form | cases | function |
//! |---|---|---|
//! | stamps | 1, 2, 4 | `stamps::add`, `stamps::implied`, `stamps::merge_with_block` |
//! | words | 1, 2, 3, 4 | `words::witnesses::two_that_stand`, `Words::read_modify_write`, `words::sets` |
//! | tally | 1, 2 | `tally::Word::add`, `Tally::forget` |
//! | cells | 1, 2, 4 | `cell::dominance::dominated`, `cell::merging::implied`, `cell::merging::Crowd` |

use clocks::Tick;

/// A block, a warp of it, and the tick of an access of that warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) block: u32,
    pub(crate) warp: u16,
    pub(crate) tick: Tick,
}

impl Made {
    /// Returns whether this access may be one of two that stand for `dropped`, of the same kind and bytes (case 2): no barrier of
    /// its block orders it before an access that `dropped` may race with.
    #[inline]
    pub(crate) fn may_stand_for(self, dropped: Made) -> bool {
        self.block != dropped.block || self.tick >= dropped.tick
    }

    /// Returns the warp's place in the grid: blocks, and a block's warps, come in their order.
    fn place(self) -> u64 {
        u64::from(self.block) << 16 | u64::from(self.warp)
    }
}

/// Two witnesses for an access (case 2): one of an earlier and one of a later warp or block. The first and the last of all blocks are
/// kept by this, so that a report does not depend on the order in which blocks ran.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Around {
    earlier: bool,
    later: bool,
}

impl Around {
    /// Adds an access that [may stand](Made::may_stand_for) for `dropped`. Returns whether there are two now.
    #[inline]
    pub(crate) fn add(&mut self, witness: Made, dropped: Made) -> bool {
        self.earlier |= witness.place() < dropped.place();
        self.later |= witness.place() > dropped.place();
        self.are_two()
    }

    #[inline]
    pub(crate) fn are_two(self) -> bool {
        self.earlier && self.later
    }
}
