//! Barriers that blocks and warps have executed.

use clocks::compressed::WarpIndex;
use events::{LaneMask, Space};
use rustc_hash::FxHashMap;

use super::word::{MAX_BLOCK_BARRIERS, MAX_WARP_BARRIERS};

/// A warp's barriers of the current block interval.
#[derive(Clone, Debug, Default)]
struct Warp {
    /// Masks, in order; the word's counter is an index into them.
    masks: Vec<LaneMask>,
    /// Sets of lanes that words refer to by index, for each page of data: what a page's words
    /// say never depends on another page.
    sets: FxHashMap<Place, Vec<Lanes>>,
}

/// A page of data.
pub type Place = (Space, u64);

/// Lanes that a word's state speaks of, in the last thread's warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// That know what lies `before`.
    pub before: LaneMask,
    /// That made the accesses of `now`.
    pub now: LaneMask,
}

impl Lanes {
    /// Index 0, which also stands for what there is no room for.
    pub const ALL: Lanes = Lanes { before: u32::MAX, now: u32::MAX };
}

/// Barriers that a warp's block and the warp have behind them.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    pub block: u32,
    pub warp: u32,
}

impl Counts {
    /// Returns whether both still fit the word.
    pub fn fit(self) -> bool {
        self.block <= MAX_BLOCK_BARRIERS && self.warp <= MAX_WARP_BARRIERS
    }
}

#[derive(Default)]
pub struct Barriers {
    blocks: FxHashMap<u32, u32>,
    warps: FxHashMap<WarpIndex, Warp>,
}

impl Barriers {
    pub fn counts(&self, at: WarpIndex) -> Counts {
        let block = self.blocks.get(&at.block).copied().unwrap_or(0);
        Counts { block, warp: self.warps.get(&at).map_or(0, |w| w.masks.len() as u32) }
    }

    pub fn block_barrier(&mut self, block: u32) {
        *self.blocks.entry(block).or_default() += 1;
        // The block barrier orders all that warp barriers ordered.
        self.warps.retain(|at, _| at.block != block);
    }

    pub fn warp_barrier(&mut self, at: WarpIndex, mask: LaneMask) {
        self.warps.entry(at).or_default().masks.push(mask);
    }

    fn later(&self, at: WarpIndex, since: u32) -> &[LaneMask] {
        self.warps.get(&at).and_then(|w| w.masks.get(since as usize..)).unwrap_or(&[])
    }

    /// Lanes that know what `lane` did when the warp had executed `since` barriers.
    pub fn knowing(&self, at: WarpIndex, since: u32, lane: u32) -> LaneMask {
        let spread = |known, mask: &LaneMask| if known & mask != 0 { known | mask } else { known };
        self.later(at, since).iter().fold(1 << lane, spread)
    }

    /// Lanes of which `lane` knows what they did when the warp had executed `since` barriers.
    pub fn known(&self, at: WarpIndex, since: u32, lane: u32) -> LaneMask {
        let spread = |known, mask: &LaneMask| if known & mask != 0 { known | mask } else { known };
        self.later(at, since).iter().rev().fold(1 << lane, spread)
    }

    /// The index of sets of lanes; `live` are those that the warp has.
    pub fn index(&mut self, at: WarpIndex, place: Place, lanes: Lanes, live: LaneMask) -> u8 {
        let all = |set: LaneMask| if set & live == live { u32::MAX } else { set };
        let lanes = Lanes { before: all(lanes.before), now: all(lanes.now) };
        if lanes == Lanes::ALL {
            return 0;
        }
        let sets = self.warps.entry(at).or_default().sets.entry(place).or_default();
        if let Some(found) = sets.iter().position(|&set| set == lanes) {
            return found as u8 + 1;
        }
        if sets.len() == usize::from(u8::MAX) {
            return 0;
        }
        sets.push(lanes);
        sets.len() as u8
    }

    pub fn lanes(&self, at: WarpIndex, place: Place, index: u8) -> Lanes {
        let Some(index) = usize::from(index).checked_sub(1) else { return Lanes::ALL };
        let sets = self.warps.get(&at).and_then(|w| w.sets.get(&place));
        sets.and_then(|sets| sets.get(index)).copied().unwrap_or(Lanes::ALL)
    }

    pub fn block_end(&mut self, block: u32) {
        self.blocks.remove(&block);
        self.warps.retain(|at, _| at.block != block);
    }
}
