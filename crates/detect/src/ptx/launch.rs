//! What all observers of one launch share.

use super::cell::Cell;
use super::report::Sink;
use crate::shadow::Pages;
use events::observer::Footprint;
use events::task::LaunchInfo;
use events::{Dim3, TaskId};
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
}

impl Launch {
    pub(crate) fn new(task: TaskId, info: LaunchInfo, sink: Arc<Sink>) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Launch { task, info, sink, shards }
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

    pub(crate) fn threads(&self) -> u32 {
        self.info.block.count() as u32
    }
}
