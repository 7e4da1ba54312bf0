//! `tcgen05.alloc`, `dealloc` and `relinquish_alloc_permit` (PTX §9.7.17.7).
//!
//! Each block has tensor memory of its own. A warp whose request cannot be served waits for a deallocation, or,
//! with `.cta_group::2`, for the same request by a warp of the peer block.

use super::memory::{Allocation, Request, TensorMemory};
use super::{COLUMNS, FULL, Failed, Run, Worker};
use crate::exec::turns::rouse;
use crate::exec::warp::Wait;
use crate::program::{Address, CollectiveInst, Row, Target, TensorWarpInst, window};
use events::{LaneMask, Observer, Tensor};

/// The bits of an address that are the column; the others are the lane.
const COLUMN: u32 = 0xffff;

impl<O: Observer> Worker<'_, O> {
    /// Suspends the group if its allocation or deallocation must wait. Returns whether it does.
    pub(in crate::exec) fn waits_for_tensor_memory(
        &mut self,
        run: &mut Run<'_>,
        inst: &CollectiveInst,
    ) -> Result<bool, Failed> {
        let crate::program::Collective::TensorMemory(how) = &inst.what else { return Ok(false) };
        let (pair, request) = match **how {
            TensorWarpInst::Alloc { pair, columns, .. } => {
                (pair, Request::Alloc { columns: self.columns(run, columns)? })
            }
            TensorWarpInst::Dealloc { pair: true, address, columns } => {
                let column = run.get(address, false, 0) as u32 & COLUMN;
                (true, Request::Dealloc { column, columns: self.columns(run, columns)? })
            }
            _ => return Ok(false),
        };
        let group = self.tensor_group(run, FULL, pair)?;
        if matches!(request, Request::Alloc { .. })
            && self.tensor_memory(run.slot).is_some_and(|m| m.relinquished)
        {
            let why = "tcgen05.alloc after tcgen05.relinquish_alloc_permit of the same block";
            return Err(self.illegal_tensor(run, FULL, why));
        }
        let waits = match (group.as_slice(), request) {
            (&[even, odd], request) => {
                let peer = if even == run.slot { odd } else { even };
                self.waits_for_peer(run, peer, request)
            }
            (_, Request::Alloc { columns }) => {
                self.tensor_memory(run.slot).is_some_and(|memory| memory.free(columns).next().is_none())
            }
            _ => false,
        };
        if waits {
            let changes = self.tensor_memory(run.slot).map_or(0, |memory| memory.changes);
            run.warp.groups[run.group].wait = Wait::Tensor { changes };
        }
        Ok(waits)
    }

    /// Returns whether a request must wait for the peer block, which has not made the same, or for memory of both.
    fn waits_for_peer(&mut self, run: &Run<'_>, peer: u32, request: Request) -> bool {
        let site = self.event_site(run.pc);
        if self.tensor_memory(run.slot).is_some_and(|memory| memory.granted.is_some()) {
            return false;
        }
        let offered = self.tensor_memory(peer).and_then(|memory| memory.request);
        let Some((_, peer_site)) = offered.filter(|(of_peer, _)| *of_peer == request) else {
            let asked = Some((request, site));
            let before =
                self.tensor_memory(run.slot).and_then(|memory| std::mem::replace(&mut memory.request, asked));
            // A request that is repeated changes nothing: two blocks that ask for different things are in a deadlock.
            if before != asked
                && let Some(memory) = self.tensor_memory(peer)
            {
                memory.changes += 1;
            }
            return true;
        };
        let column = match request {
            Request::Dealloc { column, .. } => Some(column),
            Request::Alloc { columns } => {
                let free: Vec<u32> =
                    self.tensor_memory(peer).map_or(Vec::new(), |m| m.free(columns).collect());
                self.tensor_memory(run.slot).and_then(|m| m.free(columns).find(|at| free.contains(at)))
            }
        };
        let Some(column) = column else { return true };
        for (slot, site) in [(run.slot, site), (peer, peer_site)] {
            let Some(memory) = self.tensor_memory(slot) else { continue };
            if let Request::Alloc { columns } = request {
                memory.allocate(Allocation { column, columns, site });
            }
            memory.granted = Some(column);
            memory.request = None;
            memory.changes += 1;
        }
        false
    }

    /// Returns the number of columns that an operand says.
    fn columns(&mut self, run: &Run<'_>, row: Row) -> Result<u32, Failed> {
        let columns = run.get(row, false, 0) as u32;
        if !columns.is_power_of_two() || !(32..=COLUMNS).contains(&columns) {
            let why = format!("{columns} columns of tensor memory, not a power of two from 32 to 512");
            return Err(self.illegal_tensor(run, FULL, why));
        }
        Ok(columns)
    }

    pub(super) fn alloc(
        &mut self,
        run: &Run<'_>,
        pair: bool,
        dst: &Address,
        columns: Row,
    ) -> Result<(), Failed> {
        let (columns, site) = (self.columns(run, columns)?, self.event_site(run.pc));
        let Some(memory) = self.tensor_memory(run.slot) else { return Ok(()) };
        let granted = memory.granted.take();
        let column = granted.or_else(|| memory.free(columns).next()).unwrap_or(0);
        if !pair {
            memory.allocate(Allocation { column, columns, site });
        }
        let mut address = self.addresses(run, dst, 1, 4)[0];
        if dst.target == Target::Generic {
            if address >> window::SHIFT != 1 {
                let why = "the address of tensor memory is stored outside of shared memory";
                return Err(self.illegal(run, address, 1, 4, true, why));
            }
            address &= window::OFFSET;
        }
        let place = self.shared_place(run, address, 4, 0)?;
        let to = run.shared.wrapping_add(place.offset as usize);
        // SAFETY: `shared_place` checked that the word lies inside the block's shared memory.
        unsafe { to.cast::<u32>().write_unaligned(column) };
        let (column, columns) = (column as u16, columns as u16);
        self.tensor_event(run, FULL, Tensor::Alloc { column, columns, address: place.offset.into() });
        Ok(())
    }

    pub(super) fn dealloc(
        &mut self,
        run: &Run<'_>,
        pair: bool,
        address: Row,
        columns: Row,
    ) -> Result<(), Failed> {
        self.tensor_group(run, FULL, pair)?;
        let (columns, address) = (self.columns(run, columns)?, run.get(address, false, 0) as u32);
        let column = address & COLUMN;
        let Some(memory) = self.tensor_memory(run.slot) else { return Ok(()) };
        memory.granted = None;
        if address > COLUMN || !memory.deallocate(column, columns) {
            let why = format!(
                "tcgen05.dealloc of {columns} columns at address {address:#x}, where there is no such allocation"
            );
            return Err(self.illegal_tensor(run, FULL, why));
        }
        let what = Tensor::Dealloc { column: column as u16, columns: columns as u16 };
        self.tensor_event(run, FULL, what);
        Ok(())
    }

    pub(super) fn relinquish(&mut self, run: &Run<'_>, pair: bool) -> Result<(), Failed> {
        self.tensor_group(run, FULL, pair)?;
        if let Some(memory) = self.tensor_memory(run.slot) {
            memory.relinquished = true;
        }
        Ok(())
    }

    /// Wakes the groups of a warp that wait for a change of tensor memory.
    pub(in crate::exec) fn wake_at_tensor_memory(&mut self, slot: u32, w: usize) {
        let Some(block) = self.block(slot) else { return };
        let now = block.tensor.as_deref().map_or(0, TensorMemory::changes);
        let Some(warp) = block.warps.get_mut(w).and_then(Option::as_mut) else { return };
        for group in &mut warp.groups {
            if matches!(group.wait, Wait::Tensor { changes } if changes != now) {
                rouse(group);
            }
        }
    }

    /// Returns an error if the last threads of a block exit and some of its tensor memory is still allocated.
    pub(in crate::exec) fn check_tensor_memory(
        &mut self,
        run: &Run<'_>,
        lanes: LaneMask,
    ) -> Result<(), Failed> {
        let Some(block) = self.block(run.slot).filter(|block| block.alive == 0) else { return Ok(()) };
        let Some((columns, site)) = block.tensor.as_deref().and_then(TensorMemory::leak) else {
            return Ok(());
        };
        let why = format!("the block ends, and {columns} columns of tensor memory are not deallocated");
        let mut failure = self.illegal_tensor(run, lanes, why);
        failure.site = Some(site);
        Err(failure)
    }
}
