//! Asynchronous copies: `cp.async`, `cp.async.bulk`, `st.async`, `red.async` (PTX §9.7.9.25).
//!
//! Accesses are reported when they are issued. The bytes move as late as possible: when the issuing thread
//! waits for its group, when a thread examines the mbarrier that the copy signals, or when the issuing thread
//! exits. A program that does not wait therefore reads old bytes, as it may on hardware.

mod fill;
mod launch_control;
mod row;
mod rows;
mod state;
mod tensor;

pub(crate) use state::{AsyncState, Signalled};
use state::{Copy, Moves};

use super::copied::{End, Moved};
use super::data;
use super::mbarrier::Place;
use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::memory::GLOBAL_LIMIT;
use crate::num::rmw;
use crate::program::{Address, AsyncInst, BulkInst, NO_ROW, Target, window};
use events::{
    Access, AccessKind, AsyncOpId, BlockId, LaneMask, Observer, Proxy, Scope, Sem, Space, Strength, Sync,
};
use ptx::op::BulkCompletion;
use smallvec::SmallVec;

/// The way in which operations were waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AsyncWait {
    /// Each lane waited for its own.
    Own { reads_only: bool },
    /// All lanes waited for the same ones.
    Together,
}

/// A checked range of memory of one lane.
pub(super) struct Range {
    host: *mut u8,
    space: Option<Space>,
    /// The address in its space.
    address: u64,
}

pub(super) use Range as AsyncRange;

impl Range {
    /// Returns a range that only an event names.
    pub(super) fn shared(run: &Run<'_>, address: u32) -> Range {
        let host = run.shared.wrapping_add(address as usize);
        Range { host, space: Some(Space::Shared(run.block)), address: address.into() }
    }

    /// Returns a range in a block's shared memory that only an event names.
    pub(super) fn of_block(block: BlockId, address: u32) -> Range {
        Range { host: std::ptr::null_mut(), space: Some(Space::Shared(block)), address: address.into() }
    }
}

impl<O: Observer> Worker<'_, O> {
    pub(super) fn asynchronous(
        &mut self,
        run: &mut Run<'_>,
        inst: &AsyncInst,
        active: LaneMask,
    ) -> Result<(), Failed> {
        self.watch_changed();
        match inst {
            AsyncInst::Copy { dst, src, size, src_size, ignore, ignore_negated } => {
                let ignored = if *ignore == NO_ROW { 0 } else { run.predicate(*ignore, *ignore_negated) };
                let (size, src_size) = (*size, *src_size);
                self.copy_rows(run, (dst, src), size, active, |run, lane| match ignored >> lane & 1 {
                    1 => 0,
                    _ if src_size == NO_ROW => size,
                    _ => (run.get(src_size, false, lane) as u32).min(size),
                })?;
            }
            AsyncInst::Commit => state(run).commit(active),
            AsyncInst::BulkCommit => {
                let state = state(run);
                let committed = state.bulk_committed;
                for copy in state.bulk.iter_mut().filter(|c| active >> c.lane & 1 != 0) {
                    copy.group.get_or_insert(committed[copy.lane as usize]);
                }
                Lanes(active).for_each(|lane| state.bulk_committed[lane] += 1);
            }
            AsyncInst::Wait { keep } => {
                let mut ops: SmallVec<[(LaneMask, AsyncOpId); 8]> = SmallVec::new();
                state(run).wait(active, *keep, |lanes, op| ops.push((lanes, op)));
                // One event for all operations of the same lanes.
                ops.sort_by_key(|&(lanes, _)| lanes);
                for of_lanes in ops.chunk_by(|a, b| a.0 == b.0) {
                    let ids: SmallVec<[AsyncOpId; 8]> = of_lanes.iter().map(|&(_, op)| op).collect();
                    self.waited(run, of_lanes[0].0, &ids, false);
                }
            }
            AsyncInst::BulkWait { keep, read } => {
                for lane in Lanes(active) {
                    let state = state(run);
                    let done = state.bulk_committed[lane].saturating_sub(*keep);
                    let mut ops = Vec::new();
                    state.bulk.retain_mut(|copy| {
                        if usize::from(copy.lane) != lane || copy.group.is_none_or(|group| group >= done) {
                            return true;
                        }
                        copy.perform();
                        ops.push(copy.op);
                        *read
                    });
                    self.waited(run, 1 << lane, &ops, *read);
                }
            }
            AsyncInst::MbarrierArrive { address, noinc } => {
                for lane in Lanes(active) {
                    self.copies_arrive(run, address, *noinc, lane)?;
                }
            }
            AsyncInst::Bulk(bulk) => {
                for lane in Lanes(active) {
                    self.bulk(run, bulk, lane)?;
                }
            }
            AsyncInst::Tensor(tensor) => {
                for lane in Lanes(self.tensor_issuers(run, tensor, active)) {
                    self.tensor(run, tensor, lane)?;
                }
            }
            AsyncInst::TensorMemory(inst) => {
                for lane in Lanes(active) {
                    self.tensor_memory_of_thread(run, inst, lane)?;
                }
            }
            AsyncInst::Replace(replace) => self.replace(run, replace, active)?,
            AsyncInst::Fill { dst, size, wide } => {
                for lane in Lanes(active) {
                    self.fill(run, dst, run.get(*size, *wide, lane), lane)?;
                }
            }
            AsyncInst::TryCancel { dst, mbar, signals } => {
                for lane in Lanes(active) {
                    self.try_cancel(run, dst, (mbar, *signals), lane)?;
                }
            }
            AsyncInst::Remote { dst, mbar, rows, part, op, ty } => {
                for lane in Lanes(active) {
                    let bytes = u32::from(*part) * rows.len() as u32;
                    let to = self.range(run, dst, lane, bytes, bytes, true)?;
                    let place = self.mbarrier_place(run, mbar, lane)?;
                    self.current_phase(run, place, lane)?;
                    let id = self.next_op();
                    let strength = match op {
                        Some(_) => Strength::Strong { sem: Sem::Relaxed, scope: Scope::Cluster },
                        None => Strength::Weak,
                    };
                    let how = (Proxy::Generic, strength);
                    self.async_event(run, lane, &to, bytes, AccessKind::AsyncWrite { op: id }, how);
                    for (k, &row) in rows.iter().enumerate() {
                        let value = run.get(row, *part == 8, lane);
                        // SAFETY: `range` checked the destination.
                        unsafe {
                            let p = to.host.add(k * usize::from(*part));
                            let new = match op {
                                Some(op) => rmw::apply(*op, *ty, data::read(p, *part), value, 0, false),
                                None => Some(value),
                            };
                            if let Some(new) = new {
                                data::write(p, *part, new);
                            }
                        }
                    }
                    self.touch_object(run, place, 1 << lane, Some(id));
                    self.complete_tx(place, bytes, id);
                }
            }
        }
        Ok(())
    }

    /// Reports that an arrival of a lane tracks asynchronous operations.
    pub(super) fn report_async_arrive(
        &mut self,
        run: &Run<'_>,
        place: Place,
        lane: usize,
        ops: &[AsyncOpId],
    ) -> Result<(), Failed> {
        let phase = self.current_phase(run, place, lane)?;
        if self.s.observer.active() {
            let event = Sync::AsyncArrive {
                warp: run.name(self),
                site: self.event_site(run.pc),
                lane: lane as u8,
                ops,
                space: place.space(),
                address: place.offset.into(),
                phase,
            };
            self.s.observer.sync(&event);
        }
        Ok(())
    }

    /// Executes `cp.async.mbarrier.arrive`: completes the thread's copies so far, then arrives.
    fn copies_arrive(
        &mut self,
        run: &mut Run<'_>,
        address: &Address,
        noinc: bool,
        lane: usize,
    ) -> Result<(), Failed> {
        let place = self.mbarrier_place(run, address, lane)?;
        let mut ops = Vec::new();
        state(run).arrive(1 << lane, |op| ops.push(op));
        self.report_async_arrive(run, place, lane, &ops)?;
        // Without `.noinc` the pending count is first raised by one, so that the arrival does not change it.
        if noinc {
            self.arrive(run, place, lane, 1, false, Sem::Relaxed, Scope::Cta)?;
        }
        Ok(())
    }

    fn bulk(&mut self, run: &mut Run<'_>, inst: &BulkInst, lane: usize) -> Result<(), Failed> {
        let bytes = run.get(inst.size, false, lane) as u32;
        if !bytes.is_multiple_of(16) {
            let why = format!("a bulk copy of {bytes} bytes, not a multiple of 16");
            return Err(self.fail(run, 1 << lane, FailureKind::IllegalInstruction { why }));
        }
        let from = self.range(run, &inst.src, lane, bytes, 16, false)?;
        let mut places = Vec::new();
        match (inst.completion, &inst.mbar) {
            (BulkCompletion::Mbarrier, Some(mbar)) if inst.multicast != NO_ROW => {
                let mask = run.get(inst.multicast, false, lane) as u32;
                let to = self.shared_address(run, &inst.dst, lane);
                let signal = self.shared_address(run, mbar, lane);
                for rank in Lanes(mask & 0xffff) {
                    let at = |a: u64| (rank as u64 + 1) << window::RANK_SHIFT | a & window::SHARED_OFFSET;
                    let dst = self.shared_place(run, at(to), bytes.into(), lane)?;
                    let mbar = self.shared_place(run, at(signal), 8, lane)?;
                    places.push((self.shared_range(dst), Some(mbar)));
                }
            }
            (BulkCompletion::Mbarrier, Some(mbar)) => {
                let to = self.range(run, &inst.dst, lane, bytes, 16, true)?;
                let mbar = self.mbarrier_place(run, mbar, lane)?;
                places.push((to, Some(mbar)));
            }
            _ => places.push((self.range(run, &inst.dst, lane, bytes, 16, true)?, None)),
        }
        for (to, mbar) in places {
            let op = self.next_op();
            let how = (Proxy::Async, Strength::Weak);
            let strong = (Proxy::Async, Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu });
            let end = |range: &Range| End::of(range.host, range.space, range.address);
            let dst = end(&to).filter(|_| inst.reduce.is_none());
            let (src, proxy) = (end(&from), Proxy::Async);
            let what = Moved { op, proxy, dst, src, bytes, src_bytes: bytes };
            let name = (run.block, run.warp.index, lane);
            let moved = self.copy_weakly(name, self.event_site(run.pc), what);
            self.async_event(run, lane, &from, bytes, AccessKind::AsyncRead { op }, how);
            let write = if inst.reduce.is_some() { strong } else { how };
            self.async_event(run, lane, &to, bytes, AccessKind::AsyncWrite { op }, write);
            let copy = Copy {
                lane: lane as u8,
                op,
                bytes,
                group: None,
                moved,
                moves: Moves::Whole { dst: to.host, src: from.host, reduce: inst.reduce },
            };
            match mbar {
                Some(place) => {
                    self.current_phase(run, place, lane)?;
                    self.touch_object(run, place, 1 << lane, Some(op));
                    let mbar = (place.slot, place.offset, place.block);
                    self.s.signalled.push(Signalled { copy, mbar });
                }
                None => state(run).bulk.push(copy),
            }
        }
        Ok(())
    }

    /// Performs the bulk copies that signal an mbarrier object before a thread examines it.
    pub(super) fn finish_bulk_for(&mut self, place: Place) {
        if self.s.signalled.is_empty() {
            return;
        }
        let (here, others) = std::mem::take(&mut self.s.signalled)
            .into_iter()
            .partition(|s| s.mbar.0 == place.slot && s.mbar.1 == place.offset);
        self.s.signalled = others;
        self.signal(here);
    }

    /// Performs all bulk copies that signal mbarrier objects; returns whether there were any.
    pub(crate) fn finish_bulk(&mut self) -> bool {
        let all = std::mem::take(&mut self.s.signalled);
        let any = !all.is_empty();
        self.signal(all);
        any
    }

    fn signal(&mut self, all: Vec<Signalled>) {
        if !all.is_empty() {
            self.watch_changed();
        }
        for mut signalled in all {
            signalled.copy.perform();
            let (slot, offset, block) = signalled.mbar;
            self.complete_tx(Place { slot, block, offset }, signalled.copy.bytes, signalled.copy.op);
        }
    }

    /// Completes the outstanding copies of exiting lanes.
    pub(super) fn finish_copies(&mut self, run: &mut Run<'_>, lanes: LaneMask) {
        if let Some(state) = &mut run.warp.asynchronous {
            state.exit(lanes);
        }
        // The last threads of a block exit: copies into and out of its shared memory complete here.
        if self.block(run.slot).is_some_and(|b| b.alive <= lanes.count_ones()) {
            self.finish_bulk();
        }
    }

    pub(super) fn next_op(&mut self) -> AsyncOpId {
        self.next_ops(1)
    }

    /// Allocates `count` operation ids and returns the first.
    fn next_ops(&mut self, count: u32) -> AsyncOpId {
        // Workers count independently; the upper bits distinguish them.
        let first = self.s.async_ops + 1;
        self.s.async_ops += u64::from(count);
        AsyncOpId(first)
    }

    fn waited(&mut self, run: &Run<'_>, lanes: LaneMask, ops: &[AsyncOpId], reads_only: bool) {
        self.waited_together(run, lanes, ops, AsyncWait::Own { reads_only });
    }

    /// Reports that lanes have waited for operations.
    pub(super) fn waited_together(
        &mut self,
        run: &Run<'_>,
        lanes: LaneMask,
        ops: &[AsyncOpId],
        how: AsyncWait,
    ) {
        if !ops.is_empty() && self.s.observer.active() {
            let event = Sync::AsyncWaited {
                warp: run.name(self),
                site: self.event_site(run.pc),
                lanes,
                ops,
                reads_only: how == AsyncWait::Own { reads_only: true },
                together: how == AsyncWait::Together,
            };
            self.s.observer.sync(&event);
        }
    }

    pub(super) fn async_event(
        &mut self,
        run: &Run<'_>,
        lane: usize,
        range: &Range,
        bytes: u32,
        kind: AccessKind,
        how: (Proxy, Strength),
    ) {
        let Some(space) = range.space else { return };
        let mut addresses = [0; 32];
        addresses[lane] = range.address;
        self.async_row(run, (1 << lane, &addresses), space, (bytes, 1), kind, how);
    }

    /// Reports the access of lanes that move `elements` elements of `size` bytes each.
    fn async_row(
        &mut self,
        run: &Run<'_>,
        (mask, addresses): (LaneMask, &[u64; 32]),
        space: Space,
        (size, elements): (u32, u8),
        kind: AccessKind,
        (proxy, strength): (Proxy, Strength),
    ) {
        self.s.stats.accesses += u64::from(mask.count_ones());
        if !self.s.observer.active() || size == 0 {
            return;
        }
        let access = Access {
            warp: run.name(self),
            site: self.event_site(run.pc),
            space,
            kind,
            strength,
            proxy,
            size,
            elements,
            mask,
            addresses,
            stride: None,
            stored: if kind.writes() { mask } else { 0 },
            values: None,
            written: Default::default(),
        };
        self.s.observer.access(&access);
    }

    /// Returns a lane's address in the shared window, from a shared or a generic address.
    pub(super) fn shared_address(&self, run: &Run<'_>, address: &Address, lane: usize) -> u64 {
        self.addresses(run, address, 1 << lane, 1)[lane] & window::OFFSET
    }

    fn shared_range(&mut self, place: Place) -> Range {
        let host = self.block(place.slot).map_or(std::ptr::null_mut(), |b| b.shared());
        Range {
            host: host.wrapping_add(place.offset as usize),
            space: Some(place.space()),
            address: place.offset.into(),
        }
    }

    /// Checks a range and returns its memory.
    fn range(
        &mut self,
        run: &Run<'_>,
        address: &Address,
        lane: usize,
        bytes: u32,
        align: u32,
        write: bool,
    ) -> Result<Range, Failed> {
        let value = self.addresses(run, address, 1 << lane, 1)[lane];
        self.range_at(run, address.target, value, lane, bytes, align, write)
    }

    /// Checks a range at an address that is already computed; otherwise like [`Worker::range`].
    #[expect(clippy::too_many_arguments, reason = "what an access is made of")]
    fn range_at(
        &mut self,
        run: &Run<'_>,
        target: Target,
        value: u64,
        lane: usize,
        bytes: u32,
        align: u32,
        write: bool,
    ) -> Result<Range, Failed> {
        let align = u64::from(align.clamp(1, 16));
        if value & (align - 1) != 0 {
            return Err(self.fail(run, 1 << lane, FailureKind::Misaligned { address: value, bytes: align }));
        }
        let shared = match target {
            Target::Shared => true,
            Target::Generic => value >> window::SHIFT == 1,
            _ => false,
        };
        if shared {
            let place = self.shared_place(run, value & window::OFFSET, u64::from(bytes).max(1), lane);
            // `shared_place` requires alignment to the size; a range was checked before, so alignment to 1
            // suffices.
            let place = match place {
                Err(failed) if matches!(failed.kind, FailureKind::Misaligned { .. }) => {
                    self.shared_place(run, value & window::OFFSET, 1, lane)?
                }
                other => other?,
            };
            return Ok(self.shared_range(place));
        }
        if value >= GLOBAL_LIMIT {
            return Err(self.illegal(run, value, 1 << lane, bytes.into(), write, "not in global memory"));
        }
        let Some((host, left, readable, writable)) = self.region_rights(value) else {
            return Err(self.illegal(run, value, 1 << lane, bytes.into(), write, "beyond what is mapped"));
        };
        if u64::from(bytes) > left {
            return Err(self.illegal(run, value, 1 << lane, bytes.into(), write, "beyond what is mapped"));
        }
        if !readable || (write && !writable) {
            return Err(self.illegal(run, value, 1 << lane, bytes.into(), write, "no permission"));
        }
        Ok(Range { host, space: Some(Space::Global), address: value })
    }
}

fn state<'w>(run: &'w mut Run<'_>) -> &'w mut AsyncState {
    run.warp.asynchronous.get_or_insert_default()
}
