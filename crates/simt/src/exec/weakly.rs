//! Loads, stores and atomic operations under schedule `weak`: [`weak::Memory`] decides which write each read
//! returns, and which write to a location is its last.
//!
//! Memory itself holds the last write in coherence order. Accesses that the weak memory does not model
//! (elements of 16 bytes, other proxies) return and change that one, and make all writes so far visible.

use super::atomic::{truncate, wide};
use super::data::{extended, read, rest, write};
use super::place::Part;
use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::num::rmw;
use crate::program::{AtomInst, MemInst, NO_ROW};
use events::{AccessKind, BlockId, LaneMask, Observer, Proxy, SiteId, Space, Strength};
use ptx::op::Rmw;
use weak::{Operation, Place, ThreadId, Updated};

/// The parts of an operation that all lanes have in common.
#[derive(Clone, Copy)]
struct Instruction {
    block: BlockId,
    warp: u16,
    site: SiteId,
    strength: Strength,
    space: Option<Space>,
    bytes: u8,
}

impl Instruction {
    /// Returns one lane's operation; `None` for local memory and parameters, which need no model.
    fn operation(&self, lane: usize, address: u64) -> Option<Operation> {
        let space = self.space?;
        let thread = ThreadId { block: self.block.0, thread: u32::from(self.warp) * 32 + lane as u32 };
        let place = Place { space, address, bytes: self.bytes };
        Some(Operation { thread, site: self.site, strength: self.strength, place })
    }
}

impl<O: Observer> Worker<'_, O> {
    fn instruction(&self, run: &Run<'_>, strength: Strength, space: Option<Space>, bytes: u8) -> Instruction {
        let site = self.event_site(run.pc);
        Instruction { block: run.block, warp: run.warp.index, site, strength, space, bytes }
    }

    fn read_weakly(&mut self, operation: Option<Operation>, there: u64) -> u64 {
        operation.and_then(|operation| Some(self.weak()?.read(&operation, there))).unwrap_or(there)
    }

    /// Returns the value that memory holds after a write.
    fn write_weakly(&mut self, operation: Option<Operation>, there: u64, value: u64) -> u64 {
        operation.and_then(|operation| Some(self.weak()?.write(&operation, there, value))).unwrap_or(value)
    }

    /// Returns the weak memory. A loop that is watched reads the newest writes, which it would read some day.
    fn weak(&mut self) -> Option<&mut weak::Memory> {
        let settled = self.s.watch.is_some();
        let memory = self.s.observer.weak.as_deref_mut()?;
        memory.settle(settled);
        Some(memory)
    }

    fn floor(&mut self) {
        if let Some(memory) = self.weak() {
            memory.floor();
        }
    }

    #[cold]
    pub(super) fn load_weakly(
        &mut self,
        run: &mut Run<'_>,
        inst: &MemInst,
        addresses: &mut [u64; 32],
        active: LaneMask,
    ) -> Result<(), Failed> {
        if !is_modelled(inst) {
            if inst.strength != Strength::Weak {
                self.floor();
            }
            return self.load_at(run, inst, addresses, active);
        }
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let mut mask = active;
        while mask != 0 {
            let part = self.place(run, inst.address.target, addresses, mask, bytes, false)?;
            mask = rest(mask, &part);
            if self.s.watch.is_some() {
                self.watch_read(&part, addresses, bytes);
            }
            let instruction = self.instruction(run, inst.strength, part.space, inst.part);
            for lane in Lanes(part.mask) {
                for (k, &row) in inst.rows.iter().enumerate() {
                    let address = addresses[lane] + k as u64 * u64::from(inst.part);
                    // SAFETY: `place` checked the lane's address range.
                    let there = unsafe { read(part.host(address), inst.part) };
                    let operation = instruction.operation(lane, address);
                    let value = self.read_weakly(operation, there);
                    if row != NO_ROW {
                        run.set(row, lane, extended(inst, value));
                    }
                }
            }
            self.plain_event(run, inst, &part, addresses, AccessKind::Read);
        }
        Ok(())
    }

    #[cold]
    pub(super) fn store_weakly(
        &mut self,
        run: &mut Run<'_>,
        inst: &MemInst,
        addresses: &mut [u64; 32],
        active: LaneMask,
    ) -> Result<(), Failed> {
        if !is_modelled(inst) {
            self.floor();
            return self.store_at(run, inst, addresses, active);
        }
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let mut mask = active;
        while mask != 0 {
            let part = self.place(run, inst.address.target, addresses, mask, bytes, true)?;
            mask = rest(mask, &part);
            let before = self.s.watch.is_some().then(|| Self::snapshot(&part, addresses, bytes));
            let instruction = self.instruction(run, inst.strength, part.space, inst.part);
            for lane in Lanes(part.mask) {
                for (k, &row) in inst.rows.iter().enumerate().filter(|(_, row)| **row != NO_ROW) {
                    let address = addresses[lane] + k as u64 * u64::from(inst.part);
                    let host = part.host(address);
                    let value = truncate(run.get(row, inst.part == 8, lane), inst.part);
                    // SAFETY: `place` checked the lane's address range.
                    let there = unsafe { read(host, inst.part) };
                    let operation = instruction.operation(lane, address);
                    let newest = self.write_weakly(operation, there, value);
                    // SAFETY: `place` checked the lane's address range.
                    unsafe { write(host, inst.part, newest) };
                }
            }
            self.has_stored(inst, &part, addresses, before);
            self.plain_event(run, inst, &part, addresses, AccessKind::Write);
        }
        Ok(())
    }

    #[cold]
    pub(super) fn update_weakly(
        &mut self,
        run: &mut Run<'_>,
        inst: &AtomInst,
        addresses: &mut [u64; 32],
        active: LaneMask,
    ) -> Result<(), Failed> {
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let mut mask = active;
        run.polled = true;
        while mask != 0 {
            let part = self.place(run, inst.address.target, addresses, mask, bytes, true)?;
            mask = rest(mask, &part);
            let before = self.s.watch.is_some().then(|| Self::snapshot(&part, addresses, bytes));
            let mut values = [(0, 0); 32];
            let stored = match inst.size {
                16 => {
                    self.floor();
                    wide(run, inst, &part, addresses)
                }
                _ => self.update_lanes(run, inst, &part, addresses, &mut values)?,
            };
            if let Some(before) = before {
                if before != Self::snapshot(&part, addresses, bytes) {
                    self.watch_stored(&part);
                }
                self.watch_read(&part, addresses, bytes);
            }
            self.changed_strongly(&part, addresses, stored);
            self.atom_event(run, inst, &part, addresses, stored, &values);
        }
        Ok(())
    }

    /// Performs an operation's elements of at most eight bytes; returns the lanes that stored.
    fn update_lanes(
        &mut self,
        run: &mut Run<'_>,
        inst: &AtomInst,
        part: &Part,
        addresses: &[u64; 32],
        values: &mut [(u64, u64); 32],
    ) -> Result<LaneMask, Failed> {
        let flush = matches!(part.space, Some(Space::Global));
        let strength = Strength::Strong { sem: inst.sem, scope: inst.scope };
        let instruction = self.instruction(run, strength, part.space, inst.size);
        let wide = inst.size == 8;
        let mut stored = 0;
        for lane in Lanes(part.mask) {
            for e in 0..usize::from(inst.elements) {
                let address = addresses[lane] + e as u64 * u64::from(inst.size);
                let host = part.host(address);
                let b = truncate(run.get(inst.b[e], wide, lane), inst.size);
                let c = inst.c.get(e).map_or(0, |&row| truncate(run.get(row, wide, lane), inst.size));
                // SAFETY: `place` checked range and alignment.
                let there = unsafe { read(host, inst.size) };
                let operation = instruction.operation(lane, address);
                let change =
                    |old| rmw::apply(inst.op, inst.ty, old, b, c, flush).map(|v| truncate(v, inst.size));
                let done = match operation {
                    Some(operation) => {
                        let returns = inst.returns;
                        self.weak().and_then(|memory| memory.update(&operation, there, returns, change))
                    }
                    None => change(there).map(|new| Updated { old: there, new, newest: new }),
                };
                let Some(done) = done else {
                    let instruction = "an atomic operation of this type".to_owned();
                    return Err(self.fail(run, part.mask, FailureKind::Unsupported { instruction }));
                };
                // SAFETY: `place` checked range and alignment.
                unsafe { write(host, inst.size, done.newest) };
                if let Some(&d) = inst.d.get(e)
                    && d != NO_ROW
                {
                    run.set(d, lane, done.old);
                }
                values[lane] = (done.old, done.new);
                if inst.op != Rmw::Cas || done.old == b {
                    stored |= 1 << lane;
                }
            }
        }
        Ok(stored)
    }
}

/// Returns whether the weak memory models the access: scalars of the generic proxy.
fn is_modelled(inst: &MemInst) -> bool {
    inst.proxy == Proxy::Generic && inst.constant.is_none() && inst.size <= 8
}
