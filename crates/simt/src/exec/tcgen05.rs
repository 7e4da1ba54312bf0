//! Fifth-generation tensor cores (PTX §9.7.17).
//!
//! An asynchronous operation is performed when it is issued: a program without races cannot tell. Its accesses of
//! tensor memory are [`events::Tensor`] events, those of shared memory asynchronous reads through the async proxy.
//! Both are complete when the warp has waited (`ld`, `st`), or in the phase of an mbarrier at which a commit
//! arrives (`mma`, `cp`, `shift`).

mod allocation;
mod copies;
mod factors;
mod layout;
mod memory;
mod moves;
mod product;

pub(crate) use memory::{COLUMNS, TensorMemory};

use super::async_copy::AsyncRange;
use super::mbarrier::Place;
use super::{FULL, Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::exec::frame::Parts;
use crate::failure::FailureKind;
use crate::num::warpgroup::{Descriptor, Major, Tile};
use crate::program::{Address, CollectiveInst, NO_ROW, Row, TensorThreadInst, TensorWarpInst, window};
use events::{
    AccessKind, AsyncOpId, LaneMask, Observer, Proxy, Scope, Sem, Strength, Sync, Tensor, TensorAction,
    TensorCells,
};
use memory::Cells;
use smallvec::SmallVec;
use std::ops::Range;
use std::rc::Rc;

/// Operations that a commit tracks beyond those since the last commit.
const TRACKED: usize = 256;

/// Slots of the blocks whose tensor memory an instruction accesses: the block's, or the pair's, the even one first.
type Group = SmallVec<[u32; 2]>;

/// A matrix in shared memory.
#[derive(Clone, Copy)]
struct Source {
    /// Its descriptor.
    bits: u64,
    major: Major,
    /// Whether to read the second 32 bytes of each row.
    second: bool,
}

/// An operation that is being issued.
#[derive(Clone, Copy)]
struct Issue {
    op: AsyncOpId,
    action: TensorAction,
    pair: bool,
    lanes: LaneMask,
}

impl<O: Observer> Worker<'_, O> {
    pub(super) fn tensor_memory_of_warp(
        &mut self,
        run: &mut Run<'_>,
        (inst, how): (&CollectiveInst, &TensorWarpInst),
        parts: &Parts,
        lanes: LaneMask,
    ) -> Result<(), Failed> {
        if lanes != FULL {
            let why = "an instruction of tensor memory by a warp of fewer than 32 threads".to_owned();
            return Err(self.fail(run, lanes, FailureKind::IllegalInstruction { why }));
        }
        self.watch_changed();
        match how {
            TensorWarpInst::Alloc { pair, dst, columns } => self.alloc(run, *pair, dst, *columns),
            TensorWarpInst::Dealloc { pair, address, columns } => {
                self.dealloc(run, *pair, *address, *columns)
            }
            TensorWarpInst::Relinquish { pair } => self.relinquish(run, *pair),
            TensorWarpInst::Load { tile, reduction, address, split } => {
                self.load_cells(run, (inst, parts), (tile, *reduction), (address, *split))
            }
            TensorWarpInst::Store { tile, address, split } => {
                self.store_cells(run, (inst, parts), tile, (address, *split))
            }
            TensorWarpInst::Wait { stores } => {
                self.tensor_wait(run, *stores);
                Ok(())
            }
        }
    }

    pub(super) fn tensor_memory_of_thread(
        &mut self,
        run: &Run<'_>,
        inst: &TensorThreadInst,
        lane: usize,
    ) -> Result<(), Failed> {
        match inst {
            TensorThreadInst::Copy { pair, shape, from, address, source } => {
                self.tensor_copy(run, (*pair, *shape, *from), (address, *source), lane)
            }
            TensorThreadInst::Shift { pair, address } => self.tensor_shift(run, *pair, address, lane),
            TensorThreadInst::Product(product) => self.tensor_product(run, product, lane),
            TensorThreadInst::Commit { pair, mbar, multicast } => {
                self.tensor_commit(run, *pair, (mbar, *multicast), lane)
            }
            TensorThreadInst::Fence { after } => {
                self.tensor_event(run, 1 << lane, Tensor::Fence { after: *after });
                Ok(())
            }
        }
    }

    fn illegal_tensor(&self, run: &Run<'_>, lanes: LaneMask, why: impl Into<String>) -> Failed {
        self.fail(run, lanes, FailureKind::IllegalInstruction { why: why.into() })
    }

    fn tensor_event(&mut self, run: &Run<'_>, lanes: LaneMask, what: Tensor) {
        if self.s.observer.active() {
            let event = Sync::Tensor { warp: run.name(self), site: self.event_site(run.pc), lanes, what };
            self.s.observer.sync(&event);
        }
    }

    /// Returns the tensor memory of a block.
    fn tensor_memory(&mut self, slot: u32) -> Option<&mut TensorMemory> {
        self.block(slot).map(|block| &mut **block.tensor.get_or_insert_default())
    }

    /// Returns the blocks that take part in an instruction of this `.cta_group`.
    fn tensor_group(&mut self, run: &Run<'_>, lanes: LaneMask, pair: bool) -> Result<Group, Failed> {
        let used = self.tensor_memory(run.slot).and_then(|memory| memory.pair.replace(pair));
        if used.is_some_and(|used| used != pair) {
            let why = "`.cta_group::1` and `.cta_group::2` in one kernel";
            return Err(self.illegal_tensor(run, lanes, why));
        }
        if !pair {
            return Ok(Group::from_slice(&[run.slot]));
        }
        let even = self.block(run.slot).and_then(|block| {
            let even = block.rank as usize & !1;
            Some([*block.peers.get(even)?, *block.peers.get(even + 1)?])
        });
        let Some(group) = even else {
            let why = "`.cta_group::2` in a block without a peer: the cluster has no pair of blocks";
            return Err(self.illegal_tensor(run, lanes, why));
        };
        // The peer may exit when it has done its part of a request.
        let granted = self.tensor_memory(run.slot).is_some_and(|memory| memory.granted.is_some());
        if !granted && group.iter().any(|&slot| self.block(slot).is_none_or(|block| block.alive == 0)) {
            let why = "`.cta_group::2` when all threads of the peer block have exited";
            return Err(self.illegal_tensor(run, lanes, why));
        }
        Ok(Group::from_slice(&group))
    }

    /// Returns an error if a block has not allocated all of these columns.
    fn check_cells(
        &mut self,
        run: &Run<'_>,
        lanes: LaneMask,
        (slot, cells): (u32, &Cells),
    ) -> Result<(), Failed> {
        let why = self.tensor_memory(slot).and_then(|memory| memory.refuses(cells));
        why.map_or(Ok(()), |why| Err(self.illegal_tensor(run, lanes, why)))
    }

    /// Checks and reports an access of cells of a block.
    fn access_cells(
        &mut self,
        run: &Run<'_>,
        issue: Issue,
        (slot, cells): (u32, &Cells),
        writes: bool,
    ) -> Result<(), Failed> {
        self.check_cells(run, issue.lanes, (slot, cells))?;
        let Some(block) = self.block(slot).map(|block| block.id) else { return Ok(()) };
        let cells = TensorCells {
            block,
            lanes: cells.lanes,
            column: cells.column as u16,
            columns: cells.columns as u16,
        };
        let Issue { op, action, pair, lanes } = issue;
        self.tensor_event(run, lanes, Tensor::Access { op, action, pair, cells, writes });
        Ok(())
    }

    /// Begins an operation of a thread, which its commits track.
    fn issue(&mut self, run: &Run<'_>, (action, pair): (TensorAction, bool), lane: usize) -> Issue {
        let op = self.next_op();
        if let Some(memory) = self.tensor_memory(run.slot) {
            let issued = memory.issued.entry((run.warp.index, lane as u8)).or_default();
            if issued.len() == TRACKED {
                issued.pop_front();
            }
            issued.push_back(op);
        }
        Issue { op, action, pair, lanes: 1 << lane }
    }

    /// Reads 32 bytes of rows of a matrix in a block's shared memory, and reports the reads.
    fn shared_rows(
        &mut self,
        run: &Run<'_>,
        (issue, slot): (Issue, u32),
        source: Source,
        rows: Range<usize>,
    ) -> Result<Vec<[u32; 8]>, Failed> {
        let descriptor = match Descriptor::of_tensor_core(source.bits) {
            Ok(descriptor) if source.second => descriptor.second_half(source.major),
            Ok(descriptor) => descriptor,
            Err(instruction) => {
                let kind = FailureKind::Unsupported { instruction: instruction.to_owned() };
                return Err(self.fail(run, issue.lanes, kind));
            }
        };
        let tile: Rc<Tile> = Tile::of(&descriptor, source.major, rows.clone());
        let Some(block) = self.block(slot) else { return Ok(vec![[0; 8]; rows.len()]) };
        let (shared, bytes, id) = (block.shared(), block.shared_bytes, block.id);
        if tile.end > bytes {
            let why = "outside of the block's shared memory";
            return Err(self.illegal(run, tile.end.into(), issue.lanes, 16, false, why));
        }
        // SAFETY: the tile ends inside of the block's shared memory.
        let values = unsafe { tile.read(shared) };
        if self.s.observer.active() {
            let lane = issue.lanes.trailing_zeros() as usize & 31;
            for &(address, bytes) in &tile.runs {
                let range = AsyncRange::of_block(id, address);
                let kind = AccessKind::AsyncRead { op: issue.op };
                self.async_event(run, lane, &range, bytes, kind, (Proxy::Async, Strength::Weak));
            }
        }
        Ok(values)
    }

    /// Returns the address in tensor memory of the lowest of some lanes; others must have the same.
    fn cell_address(&mut self, run: &Run<'_>, address: &Address, lanes: LaneMask) -> Result<u32, Failed> {
        let all = self.addresses(run, address, lanes, 4);
        let first = all[lanes.trailing_zeros() as usize & 31];
        let differs = Lanes(lanes).any(|lane| all[lane] as u32 != first as u32);
        if differs {
            let why = "different addresses in tensor memory in one warp";
            return Err(self.illegal_tensor(run, lanes, why));
        }
        Ok(first as u32)
    }

    /// Makes mbarriers track the operations of a thread: all are complete, so each gets its arrival at once.
    fn tensor_commit(
        &mut self,
        run: &Run<'_>,
        pair: bool,
        (mbar, multicast): (&Address, Row),
        lane: usize,
    ) -> Result<(), Failed> {
        self.tensor_group(run, 1 << lane, pair)?;
        let mut places: SmallVec<[Place; 2]> = SmallVec::new();
        if multicast == NO_ROW {
            places.push(self.mbarrier_place(run, mbar, lane)?);
        } else {
            let signal = self.shared_address(run, mbar, lane) & window::SHARED_OFFSET;
            for rank in Lanes(run.get(multicast, false, lane) as u32 & 0xffff) {
                let at = (rank as u64 + 1) << window::RANK_SHIFT | signal;
                places.push(self.shared_place(run, at, 8, lane)?);
            }
        }
        let issued =
            self.tensor_memory(run.slot).and_then(|memory| memory.issued.get(&(run.warp.index, lane as u8)));
        let ops: Vec<AsyncOpId> = issued.into_iter().flatten().copied().collect();
        for place in places {
            self.report_async_arrive(run, place, lane, &ops)?;
            self.arrive(run, place, lane, 1, false, Sem::Relaxed, Scope::Cluster)?;
        }
        Ok(())
    }
}
