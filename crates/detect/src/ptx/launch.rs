//! What all observers of one launch share.

use super::cell::Cell;
use super::report::Sink;
use crate::shadow::Pages;
use events::observer::Footprint;
use events::task::LaunchInfo;
use events::{Dim3, Scope, Sem, TaskId};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const SHARDS: usize = 256;

/// Shadow of 4 KiB: cells of sixteen bytes.
#[derive(Debug)]
pub(crate) struct Page {
    cells: Box<[Option<Box<Cell>>; 256]>,
}

impl Default for Page {
    fn default() -> Self {
        Page { cells: Box::new([const { None }; 256]) }
    }
}

impl Page {
    pub(crate) fn cell(&mut self, index: usize) -> &mut Cell {
        self.cells[index & 255].get_or_insert_default()
    }

    /// Forgets bytes `from..to`, rounded to whole cells outwards.
    fn forget(&mut self, from: u64, to: u64) {
        let cells = (from / 16) as usize..to.div_ceil(16) as usize;
        self.cells[cells].fill_with(|| None);
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (usize, &Cell)> {
        self.cells.iter().enumerate().filter_map(|(i, c)| c.as_deref().map(|c| (i, c)))
    }
}

pub(crate) type Shadow = Pages<Page>;

/// One launch: its shape, its shadow of global memory, and where its findings go.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) task: TaskId,
    pub(crate) info: LaunchInfo,
    pub(crate) sink: Arc<Sink>,
    shards: Box<[Mutex<Shadow>]>,
    /// The widest scope of a release and of an acquire, 0 for none.
    releases: AtomicU8,
    acquires: AtomicU8,
}

impl Launch {
    pub(crate) fn new(task: TaskId, info: LaunchInfo, sink: Arc<Sink>) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Launch { task, info, sink, shards, releases: AtomicU8::new(0), acquires: AtomicU8::new(0) }
    }

    /// The shard that holds the page, locked.
    pub(crate) fn shard(&self, page: u64) -> MutexGuard<'_, Shadow> {
        let mixed = page.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56;
        self.shards[mixed as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn shards(&self) -> impl Iterator<Item = MutexGuard<'_, Shadow>> {
        self.shards.iter().map(|s| s.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn footprint(&self) -> Footprint {
        let mut sum = Footprint::default();
        for shard in self.shards() {
            for (_, page) in shard.iter() {
                sum.shadow_bytes += size_of::<Page>() as u64 + 256 * 8;
                for (_, cell) in page.cells() {
                    sum.shadow_bytes += (size_of::<Cell>() + cell.heap_bytes()) as u64;
                    sum.touched_bytes += u64::from(cell.touched().count_ones());
                }
            }
        }
        sum
    }

    /// A fence or strong operation with these semantics was performed.
    pub(crate) fn synchronises(&self, sem: Sem, scope: Scope) {
        let wide = scope as u8 + 1;
        for (does, widest) in [(sem.releases(), &self.releases), (sem.acquires(), &self.acquires)] {
            if does && widest.load(Ordering::Relaxed) < wide {
                widest.fetch_max(wide, Ordering::Relaxed);
            }
        }
    }

    /// The widest scopes of its release and acquire operations.
    pub(crate) fn scopes(&self) -> (Option<Scope>, Option<Scope>) {
        let scope = |widest: &AtomicU8| {
            let scopes = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];
            usize::from(widest.load(Ordering::Relaxed)).checked_sub(1).and_then(|i| scopes.get(i)).copied()
        };
        (scope(&self.releases), scope(&self.acquires))
    }

    /// Memory was freed or is new: forgets what happened in it.
    pub(crate) fn forget(&self, base: u64, bytes: u64) {
        let end = base.saturating_add(bytes);
        for mut shard in self.shards() {
            shard.retain(|number, page| {
                let start = number << 12;
                if end <= start || base >= start + 4096 {
                    return true;
                }
                page.forget(base.saturating_sub(start).min(4096), (end - start).min(4096));
                base > start || end < start + 4096
            });
        }
    }

    /// The first block of the block's cluster.
    pub(crate) fn cluster_of(&self, block: u32) -> u32 {
        let (grid, cluster) = (self.info.grid, self.info.cluster);
        if cluster == Dim3::ONE || grid.count() == 0 {
            return block;
        }
        let at = grid.coordinates(block.into());
        let first = |c: u32, n: u32| c - c % n.max(1);
        let (x, y, z) = (first(at.x, cluster.x), first(at.y, cluster.y), first(at.z, cluster.z));
        x + grid.x * (y + grid.y * z)
    }

    /// More than one block?
    pub(crate) fn blocks_may_meet(&self) -> bool {
        self.info.grid.count() > 1
    }

    pub(crate) fn threads(&self) -> u32 {
        self.info.block.count() as u32
    }
}
