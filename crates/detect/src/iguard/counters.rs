//! The synchronisation metadata (§6.1): what threads, warps and blocks of a launch have
//! executed so far.

use super::Widths;
use super::entry::Accessor;
use super::locks::{self, LockTable};
use super::rules::Fences;
use crate::lens::elements::lanes;
use crate::lens::granularity::cut;
use crate::lens::pages::Pages;
use events::access::Warp;
use events::task::LaunchInfo;
use events::{BlockId, LaneMask};
use rustc_hash::FxHashMap;

pub struct Counters {
    widths: Widths,
    warps_per_block: u32,
    fences: Pages<Fences>,
    warp_barriers: FxHashMap<u32, u32>,
    barriers: FxHashMap<u32, u32>,
    warp_locks: FxHashMap<u32, LockTable>,
    thread_locks: FxHashMap<u32, LockTable>,
}

impl Counters {
    pub fn new(widths: Widths, info: Option<&LaunchInfo>) -> Self {
        let threads = info.map_or(1024, |i| i.block.count() as u32);
        Counters {
            widths,
            warps_per_block: threads.div_ceil(32).max(1),
            fences: Pages::new(Fences::default()),
            warp_barriers: FxHashMap::default(),
            barriers: FxHashMap::default(),
            warp_locks: FxHashMap::default(),
            thread_locks: FxHashMap::default(),
        }
    }

    pub fn warps_per_block(&self) -> u32 {
        self.warps_per_block
    }

    /// The warp's index in its grid.
    fn warp(&self, warp: Warp) -> u32 {
        let index = warp.block.0.wrapping_mul(self.warps_per_block).wrapping_add(u32::from(warp.warp.0));
        cut(index, self.widths.thread - 5)
    }

    pub fn accessor(&mut self, warp: Warp, lane: u32) -> Accessor {
        let index = self.warp(warp);
        let thread = index * 32 + lane;
        let fences = self.fences(thread);
        Accessor {
            thread,
            dev_fence: fences.dev,
            blk_fence: fences.blk,
            barrier: self.barriers.get(&(index / self.warps_per_block)).copied().unwrap_or(0),
            warp_barrier: self.warp_barriers.get(&index).copied().unwrap_or(0),
        }
    }

    pub fn fences(&mut self, thread: u32) -> Fences {
        *self.fences.cell(u64::from(thread))
    }

    pub fn fence(&mut self, warp: Warp, mask: LaneMask, block_scope: bool) {
        let index = self.warp(warp);
        let bits = self.widths.fence;
        for lane in lanes(mask) {
            let fences = self.fences.cell(u64::from(index * 32 + lane));
            let id = if block_scope { &mut fences.blk } else { &mut fences.dev };
            *id = cut(id.wrapping_add(1), bits);
        }
        // Activate locks: the threads' own, if the warp has gone over to them.
        let Some(table) = self.warp_locks.get_mut(&index) else { return };
        if !table.is_thread() {
            return table.fence(block_scope);
        }
        for lane in lanes(mask) {
            if let Some(table) = self.thread_locks.get_mut(&(index * 32 + lane)) {
                table.fence(block_scope);
            }
        }
    }

    pub fn warp_barrier(&mut self, warp: Warp) {
        let index = self.warp(warp);
        let bits = self.widths.warp_barrier;
        let id = self.warp_barriers.entry(index).or_default();
        *id = cut(id.wrapping_add(1), bits);
    }

    pub fn block_barrier(&mut self, block: BlockId) {
        let warp = Warp { task: Default::default(), block, warp: Default::default() };
        let index = self.warp(warp) / self.warps_per_block;
        let bits = self.widths.barrier;
        let id = self.barriers.entry(index).or_default();
        *id = cut(id.wrapping_add(1), bits);
    }

    pub fn compare_and_swap(&mut self, warp: Warp, mask: LaneMask, address: &[u64; 32], block_scope: bool) {
        let index = self.warp(warp);
        let table = self.warp_locks.entry(index).or_default();
        if mask.count_ones() > 1 {
            table.set_is_thread();
        }
        if table.is_thread() {
            for lane in lanes(mask) {
                let own = self.thread_locks.entry(index * 32 + lane).or_default();
                own.compare_and_swap(locks::hash(address[lane as usize]), block_scope);
            }
        } else if let Some(lane) = lanes(mask).next() {
            table.compare_and_swap(locks::hash(address[lane as usize]), block_scope);
        }
    }

    pub fn exchange(&mut self, warp: Warp, mask: LaneMask, address: &[u64; 32], block_scope: bool) {
        let index = self.warp(warp);
        let Some(table) = self.warp_locks.get_mut(&index) else { return };
        for lane in lanes(mask) {
            let hash = locks::hash(address[lane as usize]);
            if !table.is_thread() {
                table.exchange(hash, block_scope);
            } else if let Some(own) = self.thread_locks.get_mut(&(index * 32 + lane)) {
                own.exchange(hash, block_scope);
            }
        }
    }

    /// The Bloom filter of the locks that the thread holds.
    pub fn held(&self, thread: u32) -> u64 {
        let index = thread / 32;
        let Some(table) = self.warp_locks.get(&index) else { return 0 };
        let block = index / self.warps_per_block;
        let table = if table.is_thread() { self.thread_locks.get(&thread) } else { Some(table) };
        table.map_or(0, |t| t.held(block, &self.widths))
    }

    pub fn bytes(&self) -> u64 {
        let maps = self.warp_barriers.len() + self.barriers.len();
        let tables = self.warp_locks.len() + self.thread_locks.len();
        self.fences.bytes() + (maps * 8 + tables * 12) as u64
    }
}
