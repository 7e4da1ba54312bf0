//! One kept access.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::thread::Who;
use clocks::Tick;
use clocks::compressed::WarpIndex;
use events::{LaneMask, SiteId};

/// Bytes of a cell, bit `i` for byte `i`.
pub(crate) type Bytes = u16;

/// Set in the warp of accesses that were merged: they stand for all warps of a block. The other bits, and
/// their lanes, are those of one of them, which reports show.
const MERGED: u16 = 1 << 15;

pub(crate) const fn merged(warp: u16) -> u16 {
    warp | MERGED
}

pub(crate) const fn is_merged(warp: u16) -> bool {
    warp & MERGED != 0
}

/// The warp that made the access, or one of those that did.
pub(crate) const fn witness(warp: u16) -> u16 {
    warp & !MERGED
}

/// The chain of a write that the next atomic there goes on from, until that has one.
pub(crate) const NEXT: u32 = u32::MAX;

/// One access by lanes of one warp that touched the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) block: u32,
    /// Stamp; the number of the operation for asynchronous ones.
    pub(crate) tick: Tick,
    pub(crate) lanes: LaneMask,
    pub(crate) site: SiteId,
    pub(crate) warp: u16,
    pub(crate) bytes: Bytes,
    pub(crate) class: AccessClass,
    /// For writes: the chain they are part of (0 is none) and their place in it. Lanes of an atomic have
    /// places of their own from here on, in lane order.
    pub(crate) chain: u32,
    pub(crate) place: u32,
}

/// How many of `lanes` come before `lane`.
pub(crate) fn rank(lanes: LaneMask, lane: u32) -> u32 {
    (lanes & ((1 << lane) - 1)).count_ones()
}

impl Entry {
    /// Returns its warp; of a merged entry the one that stands for the others.
    pub(crate) fn at(&self) -> WarpIndex {
        WarpIndex { block: self.block, warp: witness(self.warp) }
    }

    /// The first thread of `lanes` of it.
    pub(crate) fn who(&self, lanes: LaneMask) -> Who {
        Who { block: self.block, warp: witness(self.warp), lane: lanes.trailing_zeros() as u8 }
    }

    /// Its lanes' writes at places up to `seen`.
    pub(crate) fn until(&self, seen: u32) -> LaneMask {
        if self.place > seen {
            return 0;
        }
        if seen >= self.last_place() {
            return self.lanes;
        }
        lanes(self.lanes)
            .filter(|&lane| self.place.saturating_add(rank(self.lanes, lane)) <= seen)
            .fold(0, |mask, lane| mask | 1 << lane)
    }

    /// The place of its last lane.
    pub(crate) fn last_place(&self) -> u32 {
        let several = self.class.atomic() && !is_merged(self.warp);
        self.place.saturating_add(if several { self.lanes.count_ones() - 1 } else { 0 })
    }
}

fn lanes(mask: LaneMask) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}
