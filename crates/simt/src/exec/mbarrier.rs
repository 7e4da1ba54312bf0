//! mbarrier objects (PTX §9.7.13.15).
//!
//! The engine stores an object's state beside the shared memory it lives in, and mirrors it in the object's
//! eight bytes, so that a loop of `test_wait`s polls memory like any other. `try_wait` does not suspend: PTX
//! allows it to return false after a system-dependent time.

use super::flow::Flow;
use super::{Failed, Run, Stop, Worker};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::program::{Address, MbarrierInst, NO_ROW, Signals, Target, window};
use events::{AsyncOpId, BlockId, LaneMask, Observer, Scope, Sem, SiteId, Space, Sync};
use ptx::op::MbarrierOp;
use smallvec::SmallVec;

/// The state of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mbarrier {
    /// The number of arrivals that each phase requires.
    expected: u32,
    /// The number of arrivals that the current phase still requires.
    pending: u32,
    /// The number of bytes that asynchronous operations have yet to complete (negative: completed in
    /// advance).
    transactions: i64,
    /// The number of completed phases.
    phase: u64,
    /// The `mbarrier.init` that re-initialised this object while it was in use, after which earlier waiters
    /// may wait forever.
    pub replaced: Option<SiteId>,
}

impl Mbarrier {
    /// Returns the token of an `arrive`, which the object's memory also contains: the phase and the pending
    /// count.
    fn token(&self) -> u64 {
        self.phase << 20 | u64::from(self.pending & 0xf_ffff)
    }

    /// Returns the memory image of the whole state, so that a poll observes any change.
    fn mirror(&self) -> u64 {
        self.token() ^ (self.transactions as u64) << 42
    }

    /// Returns whether a thread has arrived or a transaction is expected.
    fn in_use(&self) -> bool {
        self.phase > 0 || self.pending != self.expected || self.transactions != 0
    }

    fn settle(&mut self) -> bool {
        let done = self.pending == 0 && self.transactions == 0;
        if done {
            self.phase += 1;
            self.pending = self.expected;
        }
        done
    }
}

/// The location of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub slot: u32,
    pub block: BlockId,
    pub offset: u32,
}

impl Place {
    pub(super) fn space(&self) -> Space {
        Space::Shared(self.block)
    }
}

/// The patience that a failed wait costs, since it certainly polls.
const FAILED_WAIT: i32 = 512;

impl<O: Observer> Worker<'_, O> {
    pub(super) fn mbarrier(
        &mut self,
        run: &mut Run<'_>,
        inst: &MbarrierInst,
        mask: LaneMask,
    ) -> Result<Flow, Failed> {
        if inst.op == MbarrierOp::PendingCount {
            for lane in Lanes(mask) {
                let count = run.get(inst.a, true, lane) & 0xf_ffff;
                run.set(inst.d, lane, count);
            }
            return Ok(Flow::Next);
        }
        if !matches!(inst.op, MbarrierOp::Init | MbarrierOp::Inval)
            && self.waits_for_object(run, (&inst.address, NO_ROW, inst.signals), mask)?
        {
            return Ok(Flow::Stop(Stop::Wait));
        }
        if let MbarrierOp::Wait { parity, .. } = inst.op {
            self.mbarrier_wait(run, inst, parity, mask)?;
            return Ok(Flow::Next);
        }
        self.watch_changed();
        for lane in Lanes(mask) {
            let place = match inst.signals {
                Signals::Destination => self.mbarrier_place(run, &inst.address, lane)?,
                signals => self.objects(run, (&inst.address, NO_ROW, signals), lane)?[0],
            };
            let a = if inst.a == NO_ROW { 1 } else { run.get(inst.a, inst.a_wide, lane) };
            match inst.op {
                MbarrierOp::Init => {
                    let expected = a as u32;
                    let site = self.event_site(run.pc);
                    if let Some(block) = self.block(place.slot) {
                        let old = block.mbarriers.get(&place.offset);
                        let replaced = old.is_some_and(Mbarrier::in_use).then_some(site);
                        let new =
                            Mbarrier { expected, pending: expected, transactions: 0, phase: 0, replaced };
                        block.mbarriers.insert(place.offset, new);
                    }
                    self.mirror(place);
                    if self.s.observer.active() {
                        let event = Sync::MbarrierInit {
                            warp: run.name(self),
                            site,
                            lane: lane as u8,
                            space: place.space(),
                            address: place.offset.into(),
                            expected,
                        };
                        self.s.observer.sync(&event);
                    }
                }
                MbarrierOp::Inval => {
                    if let Some(block) = self.block(place.slot) {
                        block.mbarriers.remove(&place.offset);
                    }
                    if self.s.observer.active() {
                        let event = Sync::MbarrierInval {
                            warp: run.name(self),
                            site: self.event_site(run.pc),
                            lane: lane as u8,
                            space: place.space(),
                            address: place.offset.into(),
                        };
                        self.s.observer.sync(&event);
                    }
                }
                MbarrierOp::ExpectTx => {
                    self.object(run, place, lane)?.transactions += i64::from(a as u32);
                    self.mirror(place);
                    self.report_bytes(place, a as u32, false);
                    self.report_async_arrive(run, place, lane, &[])?;
                }
                MbarrierOp::CompleteTx => {
                    self.report_async_arrive(run, place, lane, &[])?;
                    self.report_bytes(place, a as u32, true);
                    let object = self.object(run, place, lane)?;
                    object.transactions -= i64::from(a as u32);
                    object.settle();
                    self.mirror(place);
                }
                MbarrierOp::Arrive { drop, no_complete: _, expect_tx } => {
                    let (count, tx) = if expect_tx { (1, i64::from(a as u32)) } else { (a as u32, 0) };
                    self.object(run, place, lane)?.transactions += tx;
                    if expect_tx {
                        self.report_bytes(place, a as u32, false);
                    }
                    let token = self.arrive(run, place, lane, count, drop, inst.sem, inst.scope)?;
                    if inst.d != NO_ROW {
                        run.set(inst.d, lane, token);
                    }
                }
                MbarrierOp::Wait { .. } | MbarrierOp::PendingCount => {}
            }
        }
        Ok(Flow::Next)
    }

    #[expect(clippy::too_many_arguments, reason = "an arrive has that many attributes")]
    pub(super) fn arrive(
        &mut self,
        run: &Run<'_>,
        place: Place,
        lane: usize,
        count: u32,
        drop: bool,
        sem: Sem,
        scope: Scope,
    ) -> Result<u64, Failed> {
        let object = self.object(run, place, lane)?;
        let (token, phase) = (object.token(), object.phase);
        if count > object.pending {
            let arrive = if count == 1 { "arrival" } else { "arrivals" };
            let why = format!(
                "{count} {arrive} at an mbarrier whose phase awaits {} more: of one phase no more may arrive than \
                 `mbarrier.init` was told ({}), and whoever arrives for the next one must have waited for this one to end",
                object.pending, object.expected
            );
            return Err(self.fail(run, 1 << lane, FailureKind::IllegalInstruction { why }));
        }
        object.pending -= count;
        if drop {
            object.expected = object.expected.saturating_sub(count);
        }
        if self.s.observer.active() {
            let event = Sync::MbarrierArrive {
                warp: run.name(self),
                site: self.event_site(run.pc),
                lane: lane as u8,
                space: place.space(),
                address: place.offset.into(),
                phase,
                sem,
                scope,
            };
            self.s.observer.sync(&event);
        }
        if self.object(run, place, lane)?.settle()
            && let Some(block) = self.block(run.slot)
        {
            block.idle = 0;
        }
        self.mirror(place);
        Ok(token)
    }

    /// Reports that the transaction count of the object's current phase changes.
    fn report_bytes(&mut self, place: Place, bytes: u32, received: bool) {
        if !self.s.observer.active() {
            return;
        }
        let Some(block) = self.block(place.slot) else { return };
        let Some(phase) = block.mbarriers.get(&place.offset).map(|object| object.phase) else { return };
        let (space, address) = (place.space(), place.offset.into());
        let event =
            Sync::MbarrierBytes { task: self.ctx.launch.task, space, address, phase, bytes, received };
        self.s.observer.sync(&event);
    }

    /// Records the completion of `bytes` bytes by an asynchronous operation.
    pub(super) fn complete_tx(&mut self, place: Place, bytes: u32, op: AsyncOpId) {
        self.report_bytes(place, bytes, true);
        // The object's existence was checked when the operation was issued.
        let block = self.block(place.slot);
        let Some(object) = block.and_then(|b| b.mbarriers.get_mut(&place.offset)) else { return };
        object.transactions -= i64::from(bytes);
        let phase = object.phase;
        object.settle();
        self.mirror(place);
        if self.s.observer.active() {
            let event = Sync::MbarrierCompleteTx {
                task: self.ctx.launch.task,
                space: place.space(),
                address: place.offset.into(),
                phase,
                op,
            };
            self.s.observer.sync(&event);
        }
    }

    pub(super) fn current_phase(&mut self, run: &Run<'_>, place: Place, lane: usize) -> Result<u64, Failed> {
        Ok(self.object(run, place, lane)?.phase)
    }

    fn mbarrier_wait(
        &mut self,
        run: &mut Run<'_>,
        inst: &MbarrierInst,
        parity: bool,
        mask: LaneMask,
    ) -> Result<(), Failed> {
        run.polled = true;
        // One event for all lanes that observe the completion of the same object.
        let mut passed: Vec<(Place, u64, LaneMask)> = Vec::new();
        let mut failed: SmallVec<[(Place, LaneMask); 1]> = SmallVec::new();
        for lane in Lanes(mask) {
            let place = self.mbarrier_place(run, &inst.address, lane)?;
            self.finish_bulk_for(place);
            let phase = self.object(run, place, lane)?.phase;
            let a = run.get(inst.a, inst.a_wide, lane);
            let done = if parity { phase & 1 != a & 1 } else { phase > a >> 20 };
            if inst.d != NO_ROW {
                run.set(inst.d, lane, done.into());
            }
            if !done {
                match failed.iter_mut().find(|(p, _)| (p.slot, p.offset) == (place.slot, place.offset)) {
                    Some((_, lanes)) => *lanes |= 1 << lane,
                    None => failed.push((place, 1 << lane)),
                }
            } else {
                let completed = if parity { phase.wrapping_sub(1) } else { a >> 20 };
                match passed
                    .iter_mut()
                    .find(|(p, c, _)| (p.slot, p.offset, *c) == (place.slot, place.offset, completed))
                {
                    Some((.., lanes)) => *lanes |= 1 << lane,
                    None => passed.push((place, completed, 1 << lane)),
                }
            }
            self.watch_object(place);
        }
        if !failed.is_empty() {
            run.warp.groups[run.group].patience -= FAILED_WAIT;
        }
        for (place, lanes) in failed {
            self.touch_object(run, place, lanes, None);
        }
        if self.s.observer.active() {
            for (place, phase, lanes) in passed {
                // `wait(1)` on a new object waits for the phase before the first, and passes at once.
                let event = Sync::MbarrierWait {
                    warp: run.name(self),
                    site: self.event_site(run.pc),
                    lanes,
                    space: place.space(),
                    address: place.offset.into(),
                    phase,
                    sem: inst.sem,
                    scope: inst.scope,
                };
                self.s.observer.sync(&event);
            }
        }
        Ok(())
    }

    /// Reports an operation on an object that orders nothing by itself.
    pub(super) fn touch_object(
        &mut self,
        run: &Run<'_>,
        place: Place,
        lanes: LaneMask,
        op: Option<AsyncOpId>,
    ) {
        if self.s.observer.active() {
            let event = Sync::MbarrierTouch {
                warp: run.name(self),
                site: self.event_site(run.pc),
                lanes,
                space: place.space(),
                address: place.offset.into(),
                op,
            };
            self.s.observer.sync(&event);
        }
    }

    pub(super) fn has_object(&mut self, slot: u32, offset: u32) -> bool {
        self.block(slot).is_some_and(|block| block.mbarriers.contains_key(&offset))
    }

    fn object(&mut self, run: &Run<'_>, place: Place, lane: usize) -> Result<&mut Mbarrier, Failed> {
        let known = self.block(place.slot).is_some_and(|b| b.mbarriers.contains_key(&place.offset));
        if !known {
            let why = format!("no mbarrier was initialised at shared address {:#x}", place.offset);
            return Err(self.fail(run, 1 << lane, FailureKind::IllegalInstruction { why }));
        }
        match self.s.blocks[place.slot as usize].as_mut().and_then(|b| b.mbarriers.get_mut(&place.offset)) {
            Some(object) => Ok(object),
            None => unreachable!("looked up above"),
        }
    }

    /// Returns the location of the object at a lane's address operand.
    pub(super) fn mbarrier_place(
        &mut self,
        run: &Run<'_>,
        address: &Address,
        lane: usize,
    ) -> Result<Place, Failed> {
        let mut value = self.addresses(run, address, 1 << lane, 8)[lane];
        if address.target == Target::Generic {
            if value >> window::SHIFT != 1 {
                return Err(self.illegal(
                    run,
                    value,
                    1 << lane,
                    8,
                    true,
                    "an mbarrier outside of shared memory",
                ));
            }
            value &= window::OFFSET;
        }
        self.shared_place(run, value, 8, lane)
    }

    /// Returns the block and offset of a shared address.
    pub(super) fn shared_place(
        &mut self,
        run: &Run<'_>,
        address: u64,
        bytes: u64,
        lane: usize,
    ) -> Result<Place, Failed> {
        let slot = match address >> window::RANK_SHIFT {
            0 => Some(run.slot),
            rank => self.block(run.slot).and_then(|b| b.peers.get(rank as usize - 1).copied()),
        };
        let offset = address & window::SHARED_OFFSET;
        let place = slot.and_then(|slot| {
            let block = self.block(slot)?;
            let inside = offset + bytes <= u64::from(block.shared_bytes);
            inside.then_some(Place { slot, block: block.id, offset: offset as u32 })
        });
        let Some(place) = place else {
            return Err(self.illegal(
                run,
                address,
                1 << lane,
                bytes,
                true,
                "outside of the block's shared memory",
            ));
        };
        if !offset.is_multiple_of(bytes.min(16)) {
            return Err(self.fail(run, 1 << lane, FailureKind::Misaligned { address, bytes: bytes.min(16) }));
        }
        Ok(place)
    }

    /// Writes an object's state to its memory.
    fn mirror(&mut self, place: Place) {
        let Some(block) = self.block(place.slot) else { return };
        let Some(value) = block.mbarriers.get(&place.offset).map(Mbarrier::mirror) else { return };
        let p = block.shared().wrapping_add(place.offset as usize);
        // SAFETY: `shared_place` checked that the object lies inside the block's shared memory.
        unsafe { p.cast::<u64>().write_unaligned(value) };
    }

    /// Records that a watched loop examined an object.
    fn watch_object(&mut self, place: Place) {
        if self.s.watch.is_none() {
            return;
        }
        let Some(block) = self.block(place.slot) else { return };
        let part = super::place::Part {
            mask: 1,
            bias: block.shared(),
            space: Some(place.space()),
            contiguous: false,
            point: false,
            private: true,
        };
        let mut addresses = [0; 32];
        addresses[0] = place.offset.into();
        self.watch_read(&part, &addresses, 8);
    }
}
