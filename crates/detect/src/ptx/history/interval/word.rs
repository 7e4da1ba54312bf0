//! The accesses that are kept of one word of an interval.

use crate::ptx::access::class::AccessClass;
use events::{LaneMask, SiteId};

/// No thread.
pub(super) const NOBODY: u16 = u16::MAX;

/// One access, or two by lanes of one warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) site: SiteId,
    /// The class; a write's says how much [wider](AccessClass::wider) than the word it is.
    pub(super) class: AccessClass,
    /// Index in the block of the thread, and in the upper bits the lane of another one (or of the same).
    pub(super) who: u16,
}

impl Slot {
    pub(super) const NONE: Slot = Slot { site: SiteId(0), class: AccessClass::READ, who: NOBODY };

    #[inline]
    pub(super) fn is_some(&self) -> bool {
        self.who != NOBODY
    }

    #[inline]
    pub(super) fn warp(&self) -> u16 {
        self.who >> 5 & 63
    }

    #[inline]
    pub(super) fn lanes(&self) -> LaneMask {
        1 << (self.who & 31) | 1 << (self.who >> 11)
    }

    /// There is none, or it is one thread's own, and `new` of the same thread.
    #[inline]
    pub(super) fn ordered(&self, new: &Slot) -> bool {
        self.who == NOBODY || (self.who == new.who && self.who & 31 == self.who >> 11)
    }

    /// Adds lanes of the same warp: two are enough for a race with any.
    #[inline]
    pub(super) fn join(&mut self, new: &Slot) {
        if self.who & 31 == self.who >> 11 {
            let other = if new.who & 31 == self.who & 31 { new.who >> 11 } else { new.who & 31 };
            self.who = self.who & 0x7ff | other << 11;
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) write: Slot,
    pub(super) reads: [Slot; 3],
}

impl Word {
    pub(super) const NEW: Word = Word { write: Slot::NONE, reads: [Slot::NONE; 3] };

    /// A word with one access.
    #[inline]
    pub(super) fn of(slot: Slot, writes: bool) -> Word {
        if writes {
            Word { write: slot, ..Word::NEW }
        } else {
            Word { reads: [slot, Slot::NONE, Slot::NONE], ..Word::NEW }
        }
    }

    #[inline]
    pub(super) fn takes(&self, new: &Slot, writes: bool) -> bool {
        self.write.ordered(new) && (!writes || self.reads.iter().all(|read| read.ordered(new)))
    }

    /// Returns whether no other read replaces one of these.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        let [first, second, last] = &self.reads;
        last.is_some() && (first.warp() != second.warp() || first.warp() != last.warp())
    }

    /// Adds a read that is ordered behind the write. Returns one that is not kept.
    #[inline]
    pub(super) fn read(&mut self, new: &Slot) -> Option<Slot> {
        for read in &mut self.reads {
            if read.who == NOBODY || (read.who == new.who && read.ordered(new)) {
                *read = *new;
                return None;
            }
            if (read.warp(), read.site, read.class) == (new.warp(), new.site, new.class) {
                read.join(new);
                return None;
            }
        }
        // Slots of one warp have different lanes, because the same one's are replaced.
        let [first, second, last] = &mut self.reads;
        let one_warp = first.warp() == second.warp() && first.warp() == last.warp();
        Some(if one_warp && new.warp() != first.warp() { std::mem::replace(last, *new) } else { *new })
    }

    #[inline]
    pub(super) fn slots(&self) -> impl Iterator<Item = &Slot> {
        std::iter::once(&self.write).chain(&self.reads).filter(|slot| slot.is_some())
    }
}
