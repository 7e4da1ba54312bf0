//! Loads, stores and atomic operations under schedule `weak`: [`weak::Memory`] decides which write each read
//! returns, and which write to a location is its last.
//!
//! Memory itself holds the last write in coherence order. Accesses that the weak memory does not model
//! (elements of 16 bytes) return and change that one, and make all writes so far visible.

use super::atomic::{truncate, wide};
use super::data::{extended, read, rest, write};
use super::late::{Effect, Late, Weak};
use super::place::Part;
use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::program::{AtomInst, MemInst, NO_ROW, Row};
use events::{AccessKind, BlockId, LaneMask, Observer, SiteId, Space, Strength};
use ptx::op::Rmw;
use weak::{Next, Operation, Path, Place, Postponed, Proxy, Stronger, ThreadId, Ticket, Updated};

/// The parts of an operation that all lanes have in common.
#[derive(Clone, Copy)]
struct Instruction {
    block: BlockId,
    warp: u16,
    site: SiteId,
    strength: Strength,
    space: Option<Space>,
    bytes: u8,
    path: Path,
}

impl Instruction {
    /// Returns one lane's operation; `None` for local memory and parameters, which need no model.
    fn operation(&self, lane: usize, address: u64) -> Option<Operation> {
        let space = self.space?;
        let thread = ThreadId { block: self.block.0, thread: u32::from(self.warp) * 32 + lane as u32 };
        let place = Place { space, address, bytes: self.bytes };
        Some(Operation { thread, site: self.site, strength: self.strength, place, path: self.path })
    }
}

impl<O: Observer> Worker<'_, O> {
    fn instruction(&self, run: &Run<'_>, strength: Strength, space: Option<Space>, bytes: u8) -> Instruction {
        let (site, path) = (self.event_site(run.pc), Path::default());
        Instruction { block: run.block, warp: run.warp.index, site, strength, space, bytes, path }
    }

    /// Returns the common parts of a load or a store.
    fn moving(&self, run: &Run<'_>, inst: &MemInst, space: Option<Space>) -> Instruction {
        Instruction { path: path(inst), ..self.instruction(run, inst.strength, space, inst.part) }
    }

    /// Performs a lane's read; returns `None` if the lane passes it.
    fn read_weakly(&mut self, place: Lane<'_>, operation: Option<Operation>, inst: &MemInst) -> Option<u64> {
        let Some(operation) = operation else { return Some(place.value()) };
        let Some(weak) = self.weak() else { return Some(place.value()) };
        if !weak.memory.concerns(&operation) {
            return Some(place.value());
        }
        weak.perform_before(Next::Read(&operation));
        let there = place.value();
        let Some(ticket) = weak.memory.postpone(&operation, there, Postponed::Read) else {
            return Some(weak.memory.read(&operation, there));
        };
        weak.pass(place.late(Effect::Load(Box::new(inst.clone())), ticket));
        None
    }

    fn write_weakly(&mut self, place: Lane<'_>, operation: Option<Operation>, value: u64) {
        let mut newest = value;
        if let (Some(operation), Some(weak)) = (operation, self.weak()) {
            weak.perform_before(Next::Write(&operation));
            newest = weak.memory.write(&operation, place.value(), value);
        }
        place.set(newest);
    }

    /// Returns the weak memory. A loop that is watched reads the newest writes, which it would read some day.
    pub(super) fn weak(&mut self) -> Option<&mut Weak> {
        let settled = self.s.watch.is_some();
        let weak = self.s.observer.weak.as_deref_mut()?;
        weak.memory.settle(settled);
        Some(weak)
    }

    fn floor(&mut self, why: Stronger) {
        if let Some(weak) = self.weak() {
            weak.perform_before(Next::Other);
            weak.memory.floor(why);
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
                self.floor(Stronger::Wide);
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
            let instruction = self.moving(run, inst, part.space);
            for lane in Lanes(part.mask) {
                for (k, &row) in inst.rows.iter().enumerate() {
                    let address = addresses[lane] + k as u64 * u64::from(inst.part);
                    let operation = instruction.operation(lane, address);
                    let place = Lane { run, lane, row, host: part.host(address), bytes: inst.part };
                    if let Some(value) = self.read_weakly(place, operation, inst)
                        && row != NO_ROW
                    {
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
            self.floor(Stronger::Wide);
            return self.store_at(run, inst, addresses, active);
        }
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let mut mask = active;
        while mask != 0 {
            let part = self.place(run, inst.address.target, addresses, mask, bytes, true)?;
            mask = rest(mask, &part);
            let before = self.s.watch.is_some().then(|| Self::snapshot(&part, addresses, bytes));
            let instruction = self.moving(run, inst, part.space);
            for lane in Lanes(part.mask) {
                for (k, &row) in inst.rows.iter().enumerate().filter(|(_, row)| **row != NO_ROW) {
                    let address = addresses[lane] + k as u64 * u64::from(inst.part);
                    let value = truncate(run.get(row, inst.part == 8, lane), inst.part);
                    let operation = instruction.operation(lane, address);
                    let place = Lane { run, lane, row, host: part.host(address), bytes: inst.part };
                    self.write_weakly(place, operation, value);
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
                    self.floor(Stronger::Wide);
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
                let b = truncate(run.get(inst.b[e], wide, lane), inst.size);
                let c = inst.c.get(e).map_or(0, |&row| truncate(run.get(row, wide, lane), inst.size));
                let d = inst.d.get(e).copied().unwrap_or(NO_ROW);
                let operation = instruction.operation(lane, address);
                let place = Lane { run, lane, row: d, host: part.host(address), bytes: inst.size };
                let effect = Effect::Atom { op: inst.op, ty: inst.ty, b, c, flush };
                let done = match self.update_lane(place, operation, inst, effect) {
                    Exchanged::Done(done) => done,
                    Exchanged::Late => {
                        stored |= 1 << lane;
                        continue;
                    }
                    Exchanged::Unsupported => {
                        let instruction = "an atomic operation of this type".to_owned();
                        return Err(self.fail(run, part.mask, FailureKind::Unsupported { instruction }));
                    }
                };
                if d != NO_ROW {
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

    /// Performs a lane's read-modify-write, unless the lane passes it.
    fn update_lane(
        &mut self,
        place: Lane<'_>,
        operation: Option<Operation>,
        inst: &AtomInst,
        effect: Effect,
    ) -> Exchanged {
        let change = |old| effect.changed(old, inst.size);
        let done = match (operation, self.weak()) {
            (Some(operation), Some(weak)) => {
                weak.perform_before(Next::Update(&operation));
                let (there, returns) = (place.value(), inst.returns);
                // Whether the operation is supported does not depend on the value.
                let ticket = change(there)
                    .and_then(|_| weak.memory.postpone(&operation, there, Postponed::Update { returns }));
                if let Some(ticket) = ticket {
                    weak.pass(place.late(effect, ticket));
                    return Exchanged::Late;
                }
                weak.memory.update(&operation, there, returns, change)
            }
            _ => change(place.value()).map(|new| Updated { old: place.value(), new, newest: new }),
        };
        let Some(done) = done else { return Exchanged::Unsupported };
        place.set(done.newest);
        Exchanged::Done(done)
    }
}

/// The result of a read-modify-write.
enum Exchanged {
    Done(Updated),
    Late,
    Unsupported,
}

/// One lane's scalar of an access whose address range [`Worker::place`] has checked.
#[derive(Clone, Copy)]
struct Lane<'r> {
    run: &'r Run<'r>,
    lane: usize,
    row: Row,
    host: *mut u8,
    bytes: u8,
}

impl Lane<'_> {
    fn value(&self) -> u64 {
        // SAFETY: `place` checked the lane's address range.
        unsafe { read(self.host, self.bytes) }
    }

    fn set(&self, value: u64) {
        // SAFETY: `place` checked the lane's address range.
        unsafe { write(self.host, self.bytes, value) };
    }

    fn late(&self, effect: Effect, ticket: Ticket) -> Late {
        let Lane { run, lane, row, host, bytes } = *self;
        let (block, warp) = (run.block, run.warp.index);
        Late { block, warp, lane, row, host: host.expose_provenance(), bytes, effect, ticket, value: None }
    }
}

impl Weak {
    /// Reads a texel of at most 16 bytes through the texture proxy.
    pub(super) fn texel(
        &mut self,
        (block, warp): (BlockId, u16),
        (lane, site): (usize, SiteId),
        (address, host): (u64, *const u8),
        size: u8,
    ) -> u128 {
        let bytes = size.min(8);
        let (strength, space) = (Strength::Weak, Some(Space::Global));
        let instruction =
            Instruction { block, warp, site, strength, space, bytes, path: Proxy::Texture.into() };
        let mut texel = 0;
        for at in (0..size).step_by(bytes.into()) {
            // SAFETY: the caller found the whole texel mapped.
            let there = unsafe { read(host.wrapping_add(at.into()), bytes) };
            let operation = instruction.operation(lane, address + u64::from(at));
            let value = match operation.filter(|operation| self.memory.concerns(operation)) {
                Some(operation) => {
                    self.perform_before(Next::Read(&operation));
                    self.memory.read(&operation, there)
                }
                None => there,
            };
            texel |= u128::from(value) << (8 * u32::from(at));
        }
        texel
    }
}

/// Returns whether the weak memory models the access: scalars of at most eight bytes.
fn is_modelled(inst: &MemInst) -> bool {
    inst.size <= 8
}

/// Returns the path by which a load or a store reaches memory.
fn path(inst: &MemInst) -> Path {
    match inst.constant {
        Some(_) => Proxy::Constant.into(),
        None => Proxy::of(inst.proxy, false).into(),
    }
}
