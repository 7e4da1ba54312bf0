//! The state that ScoRD adds to the GPU (Fig. 6, §VI): block slots, barrier counters, the fence
//! file, the lock tables, the release file, and which warps have diverged.

use super::Options;
use super::locks::{self, Bloom, LockTable};
use super::releases::{ReleaseFile, Write};
use super::rules::Fences;
use super::widths::WarpSlot;
use super::{Queue, Widths};
use crate::lens::granularity::cut;
use events::task::LaunchInfo;
use events::{BlockId, LaneMask, WarpId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Blocks that fifteen SMs of eight blocks hold at once (Table V).
const SLOTS: u32 = 15 * 8;

/// Lanes of a warp, for §VI's `hasDiverged`.
#[derive(Clone, Copy, Debug, Default)]
struct Lanes {
    exited: LaneMask,
    has_diverged: bool,
}

pub struct Hardware {
    widths: Widths,
    queue: Queue,
    /// Bits of a barrier's identifier.
    barrier_bits: u32,
    threads_per_block: u32,
    /// Slots of resident blocks; unused if block ids are wide enough to stand for themselves.
    slots: FxHashMap<BlockId, u32>,
    /// In the order of their use: blocks that a GPU would hold at once must not share an id just
    /// because the engine ran one after the other.
    free: VecDeque<u32>,
    barriers: FxHashMap<u32, u32>,
    fences: FxHashMap<WarpSlot, Fences>,
    locks: FxHashMap<WarpSlot, LockTable>,
    lanes: FxHashMap<WarpSlot, Lanes>,
    pub releases: ReleaseFile,
}

impl Hardware {
    pub fn new(options: &Options, info: Option<&LaunchInfo>) -> Self {
        let widths = options.widths;
        Hardware {
            widths,
            queue: options.locks,
            barrier_bits: widths.barrier_bits(options.divergence),
            threads_per_block: info.map_or(1024, |i| i.block.count() as u32),
            lanes: FxHashMap::default(),
            releases: ReleaseFile::new(options.releases),
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
        let slot = self.free.pop_front().unwrap_or(cut(block.0, self.widths.block));
        self.slots.insert(block, slot);
        slot
    }

    pub fn warp(&mut self, block: BlockId, warp: WarpId) -> WarpSlot {
        WarpSlot { block: self.block(block), warp: cut(u32::from(warp.0), self.widths.warp) as u8 }
    }

    /// The block's slot may be taken by another one. Counters go on, locks do not.
    pub fn block_end(&mut self, block: BlockId) {
        let slot = self.block(block);
        self.locks.retain(|warp, _| warp.block != slot);
        self.lanes.retain(|warp, _| warp.block != slot);
        self.releases.block_end(slot);
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
        let id = self.barriers.entry(slot).or_default();
        *id = cut(id.wrapping_add(1), self.barrier_bits);
        for (_, lanes) in self.lanes.iter_mut().filter(|(warp, _)| warp.block == slot) {
            lanes.has_diverged = false;
        }
        self.releases.barrier(slot);
    }

    /// A warp executes an instruction with the lanes of `mask`. Returns whether it has diverged since all of its
    /// live lanes were last together.
    pub fn executes(&mut self, warp: WarpSlot, mask: LaneMask) -> bool {
        let first = u32::from(warp.warp) * 32;
        let threads = self.threads_per_block.saturating_sub(first).min(32);
        let all = if threads == 32 { u32::MAX } else { (1 << threads) - 1 };
        let lanes = self.lanes.entry(warp).or_default();
        lanes.has_diverged = all & !lanes.exited & !mask != 0;
        lanes.has_diverged
    }

    pub fn exit(&mut self, warp: WarpSlot, mask: LaneMask) {
        self.lanes.entry(warp).or_default().exited |= mask;
    }

    /// A release by the warp, before its access.
    pub fn release(&mut self, warp: WarpSlot, block_scope: bool) {
        let barrier = self.barrier(warp.block);
        self.releases.release(warp, block_scope, barrier);
    }

    /// Returns the knowledge that a release to `address` publishes.
    pub fn publish(&mut self, warp: WarpSlot, address: u64, block_scope: bool, write: Write) {
        let warps = self.threads_per_block.div_ceil(32).clamp(1, 255) as u8;
        let met = self.barrier(warp.block) != 0;
        self.releases.publish(warp, address, block_scope, write, warps, met);
    }

    pub fn fence(&mut self, warp: WarpSlot, block_scope: bool) {
        let bits = self.widths.fence;
        let fences = self.fences.entry(warp).or_default();
        let id = if block_scope { &mut fences.blk } else { &mut fences.dev };
        *id = cut(id.wrapping_add(1), bits);
        self.activate(warp, block_scope);
        self.releases.fence(warp, block_scope);
    }

    /// Locks of the scope, or a narrower one, are held from now on.
    pub fn activate(&mut self, warp: WarpSlot, block_scope: bool) {
        if let Some(locks) = self.locks.get_mut(&warp) {
            locks.fence(block_scope, &self.widths);
        }
    }

    pub fn compare_and_swap(&mut self, warp: WarpSlot, address: u64, block_scope: bool) {
        let hash = locks::hash(address, &self.widths);
        self.locks.entry(warp).or_default().compare_and_swap(hash, block_scope, self.queue, &self.widths);
    }

    pub fn exchange(&mut self, warp: WarpSlot, address: u64, block_scope: bool) {
        let hash = locks::hash(address, &self.widths);
        if let Some(locks) = self.locks.get_mut(&warp) {
            locks.exchange(hash, block_scope, &self.widths);
        }
    }

    pub fn bytes(&self) -> u64 {
        let entries = self.barriers.len() * 8 + self.fences.len() * 16 + self.lanes.len() * 16;
        (entries + self.locks.len() * size_of::<LockTable>()) as u64 + self.releases.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(widths: Widths) -> Hardware {
        Hardware::new(&Options { widths, ..Options::default() }, None)
    }

    #[test]
    fn six_bit_fence_counters_wrap_after_64() {
        let mut hardware = with(Widths::PUBLISHED);
        let warp = hardware.warp(BlockId(3), WarpId(1));
        for _ in 0..64 {
            hardware.fence(warp, true);
        }
        assert_eq!(hardware.fences(warp), Fences::default());
        let mut wide = with(Widths::WIDE);
        for _ in 0..64 {
            wide.fence(warp, true);
        }
        assert_eq!(wide.fences(warp), Fences { dev: 0, blk: 64 });
    }

    #[test]
    fn blocks_that_run_in_turn_have_ids_of_their_own_while_there_are_slots() {
        let mut hardware = with(Widths::PUBLISHED);
        assert_eq!(hardware.block(BlockId(0)), 0);
        hardware.block_end(BlockId(0));
        assert_eq!(hardware.block(BlockId(1)), 1, "both would be resident at once");
    }

    #[test]
    fn a_finished_blocks_slot_is_used_again() {
        let mut hardware = with(Widths::PUBLISHED);
        let slots: Vec<u32> = (0..SLOTS).map(|b| hardware.block(BlockId(b))).collect();
        assert_eq!(slots, (0..SLOTS).collect::<Vec<_>>());
        hardware.block_end(BlockId(17));
        assert_eq!(hardware.block(BlockId(1000)), 17);
        assert_eq!(with(Widths::WIDE).block(BlockId(1000)), 1000);
    }
}
