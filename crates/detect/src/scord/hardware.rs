//! The state that ScoRD adds to the GPU (Fig. 6): block slots, barrier counters,
//! the fence file and the lock tables.

use super::entry::Widths;
use super::locks::{self, Bloom, LockTable};
use super::rules::Fences;
use events::{BlockId, WarpId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Blocks that fifteen SMs of eight blocks hold at once (Table V).
const SLOTS: u32 = 15 * 8;

/// A warp as the hardware numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpSlot {
    pub block: u32,
    pub warp: u16,
}

pub struct Hardware {
    widths: Widths,
    /// Slots of resident blocks; unused if block ids are wide enough to stand for themselves.
    slots: FxHashMap<BlockId, u32>,
    /// In the order of their use: blocks that a GPU would hold at once must not share an id just
    /// because the engine ran one after the other.
    free: VecDeque<u32>,
    barriers: FxHashMap<u32, u32>,
    fences: FxHashMap<WarpSlot, Fences>,
    locks: FxHashMap<WarpSlot, LockTable>,
}

impl Hardware {
    pub fn new(widths: Widths) -> Self {
        Hardware {
            widths,
            slots: FxHashMap::default(),
            free: (0..SLOTS).collect(),
            barriers: FxHashMap::default(),
            fences: FxHashMap::default(),
            locks: FxHashMap::default(),
        }
    }

    pub fn widths(&self) -> &Widths {
        &self.widths
    }

    fn numbered(&self) -> bool {
        self.widths.block < 32
    }

    /// The block's id in the metadata. With the published seven bits it is the slot the block
    /// runs in; if more blocks are resident than the paper's GPU has slots, ids are shared.
    pub fn block(&mut self, block: BlockId) -> u32 {
        if !self.numbered() {
            return block.0;
        }
        if let Some(&slot) = self.slots.get(&block) {
            return slot;
        }
        let slot = self.free.pop_front().unwrap_or(Widths::cut(block.0, self.widths.block));
        self.slots.insert(block, slot);
        slot
    }

    pub fn warp(&mut self, block: BlockId, warp: WarpId) -> WarpSlot {
        WarpSlot { block: self.block(block), warp: Widths::cut(u32::from(warp.0), self.widths.warp) as u16 }
    }

    /// The block's slot may be taken by another one. Counters go on, locks do not.
    pub fn block_end(&mut self, block: BlockId) {
        let slot = self.block(block);
        self.locks.retain(|warp, _| warp.block != slot);
        if self.numbered() {
            self.slots.remove(&block);
            if slot < SLOTS && !self.slots.values().any(|&taken| taken == slot) {
                self.free.push_back(slot);
            }
        } else {
            self.barriers.remove(&slot);
        }
    }

    pub fn barrier(&self, slot: u32) -> u32 {
        self.barriers.get(&slot).copied().unwrap_or(0)
    }

    pub fn fences(&self, warp: WarpSlot) -> Fences {
        self.fences.get(&warp).copied().unwrap_or_default()
    }

    /// The locks that the warp holds.
    pub fn held(&self, warp: WarpSlot) -> Bloom {
        self.locks.get(&warp).map_or(Bloom(0), LockTable::held)
    }

    pub fn block_barrier(&mut self, slot: u32) {
        let bits = self.widths.barrier;
        let id = self.barriers.entry(slot).or_default();
        *id = Widths::cut(id.wrapping_add(1), bits);
    }

    pub fn fence(&mut self, warp: WarpSlot, block_scope: bool) {
        let bits = self.widths.fence;
        let fences = self.fences.entry(warp).or_default();
        let id = if block_scope { &mut fences.blk } else { &mut fences.dev };
        *id = Widths::cut(id.wrapping_add(1), bits);
        if let Some(locks) = self.locks.get_mut(&warp) {
            locks.fence(block_scope, &self.widths);
        }
    }

    pub fn compare_and_swap(&mut self, warp: WarpSlot, address: u64, block_scope: bool) {
        let hash = locks::hash(address, &self.widths);
        self.locks.entry(warp).or_default().compare_and_swap(hash, block_scope, &self.widths);
    }

    pub fn exchange(&mut self, warp: WarpSlot, address: u64, block_scope: bool) {
        let hash = locks::hash(address, &self.widths);
        if let Some(locks) = self.locks.get_mut(&warp) {
            locks.exchange(hash, block_scope, &self.widths);
        }
    }

    pub fn bytes(&self) -> u64 {
        (self.barriers.len() * 8 + self.fences.len() * 16 + self.locks.len() * size_of::<LockTable>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_bit_fence_counters_wrap_after_64() {
        let mut hardware = Hardware::new(Widths::PUBLISHED);
        let warp = hardware.warp(BlockId(3), WarpId(1));
        for _ in 0..64 {
            hardware.fence(warp, true);
        }
        assert_eq!(hardware.fences(warp), Fences::default());
        let mut wide = Hardware::new(Widths::WIDE);
        for _ in 0..64 {
            wide.fence(warp, true);
        }
        assert_eq!(wide.fences(warp), Fences { dev: 0, blk: 64 });
    }

    #[test]
    fn blocks_that_run_in_turn_have_ids_of_their_own_while_there_are_slots() {
        let mut hardware = Hardware::new(Widths::PUBLISHED);
        assert_eq!(hardware.block(BlockId(0)), 0);
        hardware.block_end(BlockId(0));
        assert_eq!(hardware.block(BlockId(1)), 1, "both would be resident at once");
    }

    #[test]
    fn a_finished_blocks_slot_is_used_again() {
        let mut hardware = Hardware::new(Widths::PUBLISHED);
        let slots: Vec<u32> = (0..SLOTS).map(|b| hardware.block(BlockId(b))).collect();
        assert_eq!(slots, (0..SLOTS).collect::<Vec<_>>());
        hardware.block_end(BlockId(17));
        assert_eq!(hardware.block(BlockId(1000)), 17);
        assert_eq!(Hardware::new(Widths::WIDE).block(BlockId(1000)), 1000);
    }
}
