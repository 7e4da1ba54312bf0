//! Admission and retirement of blocks.

use super::cluster::ClusterState;
use super::{FULL, Worker};
use crate::exec::block::Block;
use crate::exec::generation::Barrier;
use crate::exec::warp::Warp;
use events::{BlockId, Dim3, Observer, Sync};
use smallvec::SmallVec;
use std::cmp::Reverse;

impl<O: Observer> Worker<'_, O> {
    /// Returns the coordinates of a cluster's first block.
    pub(super) fn first_block(&self, unit: u64) -> Dim3 {
        let (grid, cluster) = (self.ctx.launch.grid, self.ctx.launch.cluster);
        let parts = Dim3::new(grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z);
        let origin = parts.coordinates(unit);
        Dim3::new(origin.x * cluster.x, origin.y * cluster.y, origin.z * cluster.z)
    }

    /// Makes the blocks of the `unit`-th cluster (or the `unit`-th block) resident.
    pub(crate) fn admit(&mut self, unit: u64) {
        let launch = &self.ctx.launch;
        let (grid, cluster) = (launch.grid, launch.cluster);
        let origin = self.first_block(unit);
        let mut slots: SmallVec<[u32; 8]> = SmallVec::new();
        let mut first = BlockId(0);
        for rank in 0..cluster.count() {
            let inside = if cluster == Dim3::ONE { Dim3::new(0, 0, 0) } else { cluster.coordinates(rank) };
            let at = Dim3::new(origin.x + inside.x, origin.y + inside.y, origin.z + inside.z);
            let id = BlockId(
                (u64::from(at.x)
                    + u64::from(grid.x) * (u64::from(at.y) + u64::from(grid.y) * u64::from(at.z)))
                    as u32,
            );
            if rank == 0 {
                first = id;
            }
            let block = self.new_block(id, at, first, rank as u32);
            let slot = match self.s.free.pop() {
                Some(Reverse(slot)) => slot as usize,
                None => {
                    self.s.blocks.push(None);
                    self.s.blocks.len() - 1
                }
            };
            self.s.blocks[slot] = Some(block);
            slots.push(slot as u32);
            if self.s.observer.active() {
                self.s.observer.sync(&Sync::BlockStart { task: self.ctx.launch.task, block: id });
            }
        }
        for &slot in &slots {
            if let Some(block) = self.block(slot) {
                block.peers.clear();
                block.peers.extend_from_slice(&slots);
            }
        }
        // A launch without clusters has clusters of one block each, which `barrier.cluster` also
        // synchronises.
        if cluster != Dim3::ONE || !self.ctx.program().clusters.is_empty() {
            let state = ClusterState {
                running: slots.len() as u32,
                alive: slots.len() as u32 * self.ctx.threads,
                ..ClusterState::default()
            };
            self.s.clusters.insert(first.0, state);
        }
        self.s.resident.extend(slots);
    }

    fn new_block(&mut self, id: BlockId, at: Dim3, cluster: BlockId, rank: u32) -> Box<Block> {
        let ctx = self.ctx;
        let mut block = self.s.spare_blocks.pop().unwrap_or_else(|| Box::new(Block::new()));
        block.id = id;
        block.at = at;
        block.cluster = cluster;
        block.rank = rank;
        block.alive = ctx.threads;
        block.clock = 0;
        (block.idle, block.waited) = (0, 0);
        block.next_warp = 0;
        block.barriers.iter_mut().for_each(Barrier::reset);
        block.mbarriers.clear();
        block.reset_shared(ctx.shared_bytes);
        block.warpgroups.clear();
        block.tensor = None;
        let entry = &ctx.program().functions[ctx.entry as usize];
        for w in 0..ctx.threads.div_ceil(32) {
            let mut warp = self.s.spare_warps.pop().unwrap_or_else(|| Box::new(Warp::new()));
            let left = ctx.threads - 32 * w;
            let alive = if left >= 32 { FULL } else { (1 << left) - 1 };
            warp.start(w as u16, alive, entry, ctx.entry);
            match self.s.coordinates.get(w as usize) {
                Some(tid) => warp.tid = *tid,
                None => {
                    warp.tid = coordinates(ctx.launch.block, w);
                    self.s.coordinates.push(warp.tid);
                }
            }
            block.warps.push(Some(warp));
        }
        block
    }

    /// Records the exit of all of a block's threads. The block stays in its slot until its whole cluster has
    /// exited, because other blocks may hold addresses in its shared memory.
    pub(crate) fn retire(&mut self, slot: u32) {
        let task = self.ctx.launch.task;
        let Some(block) = self.block(slot) else { return };
        let (id, cluster) = (block.id, block.cluster);
        let peers: SmallVec<[u32; 8]> = SmallVec::from_slice(&block.peers);
        self.s.stats.blocks_done += 1;
        if self.s.observer.active() {
            self.s.observer.sync(&Sync::BlockEnd { task, block: id });
        }
        if let Some(state) = self.s.clusters.get_mut(&cluster.0) {
            state.running -= 1;
            if state.running > 0 {
                return;
            }
            self.s.clusters.remove(&cluster.0);
        }
        for &slot in &peers {
            if let Some(mut block) = self.s.blocks[slot as usize].take() {
                self.s.free.push(Reverse(slot));
                self.s.spare_warps.extend(block.warps.drain(..).flatten());
                if self.s.spare_blocks.len() < 8 {
                    self.s.spare_blocks.push(block);
                }
            }
        }
    }
}

/// Returns the coordinates of a warp's threads in a block of these extents, by axis.
fn coordinates(block: Dim3, warp: u32) -> [[u32; 32]; 3] {
    let mut tid = [[0; 32]; 3];
    for lane in 0..32 {
        let t = block.coordinates(u64::from(32 * warp + lane));
        for (row, v) in tid.iter_mut().zip([t.x, t.y, t.z]) {
            row[lane as usize] = v;
        }
    }
    tid
}
