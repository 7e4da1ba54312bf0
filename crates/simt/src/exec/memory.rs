//! Loads and stores.

use super::copies::{splat32, splat64};
use super::data::{load_row, rest, store_row};
use super::place::Part;
use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::program::{Address, FILE_32, FILE_64, FILE_CONST, FILE_MASK, MemInst, NO_ROW, Target};
use events::{Access, AccessKind, LaneMask, Observer, Proxy, Strength, Written, WrittenBytes, is_one_lane};

impl<O: Observer> Worker<'_, O> {
    #[inline(always)]
    pub(super) fn load(&mut self, run: &mut Run<'_>, inst: &MemInst, active: LaneMask) -> Result<(), Failed> {
        if inst.address.target == Target::Param
            && inst.address.row == NO_ROW
            && self.load_param(run, inst, active)
        {
            return Ok(());
        }
        run.pause.busy = true;
        run.polled |= inst.polls;
        if self.s.observer.weak.is_some() {
            let bytes = u64::from(inst.size) * u64::from(inst.elements);
            let mut addresses = self.addresses(run, &inst.address, active, bytes);
            return self.load_weakly(run, inst, &mut addresses, active);
        }
        let done = match is_one_lane(active) {
            true => self.load_one(run, inst, active),
            false => self.load_whole(run, inst, active) || self.load_scattered(run, inst, active),
        };
        if done {
            return Ok(());
        }
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let mut addresses = self.addresses(run, &inst.address, active, bytes);
        self.load_at(run, inst, &mut addresses, active)
    }

    /// Loads from addresses that [`Worker::addresses`] computed.
    #[inline(always)]
    pub(super) fn load_at(
        &mut self,
        run: &mut Run<'_>,
        inst: &MemInst,
        addresses: &mut [u64; 32],
        active: LaneMask,
    ) -> Result<(), Failed> {
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let mut mask = active;
        while mask != 0 {
            let part = self.place(run, inst.address.target, addresses, mask, bytes, false)?;
            if self.s.watch.is_some() {
                self.watch_read(&part, addresses, bytes);
            }
            for (k, &row) in inst.rows.iter().enumerate() {
                load_row(run, inst, row, &part, addresses, k as u64 * u64::from(inst.part));
            }
            self.plain_event(run, inst, &part, addresses, AccessKind::Read);
            mask = rest(mask, &part);
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn store(
        &mut self,
        run: &mut Run<'_>,
        inst: &MemInst,
        active: LaneMask,
    ) -> Result<(), Failed> {
        run.pause.busy = true;
        if self.s.observer.weak.is_some() {
            let bytes = u64::from(inst.size) * u64::from(inst.elements);
            let mut addresses = self.addresses(run, &inst.address, active, bytes);
            return self.store_weakly(run, inst, &mut addresses, active);
        }
        let done = match is_one_lane(active) {
            true => self.store_one(run, inst, active),
            false => self.store_whole(run, inst, active) || self.store_scattered(run, inst, active),
        };
        if done {
            return Ok(());
        }
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let mut addresses = self.addresses(run, &inst.address, active, bytes);
        self.store_at(run, inst, &mut addresses, active)
    }

    /// Records the stores of lanes; `before` holds the old bytes if a loop is watched.
    #[inline(always)]
    pub(super) fn has_stored(
        &mut self,
        inst: &MemInst,
        part: &Part,
        addresses: &[u64; 32],
        before: Option<Vec<[u128; 2]>>,
    ) {
        if inst.strength != Strength::Weak {
            self.changed_strongly(part, addresses, part.mask);
        }
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        if let Some(before) = before
            && before != Self::snapshot(part, addresses, bytes)
        {
            self.watch_stored(part);
        }
    }

    /// Returns whether a monitor requests the values of a strong load or store of one row.
    #[inline(always)]
    pub(super) fn tells_values(&self, inst: &MemInst) -> bool {
        inst.strength != Strength::Weak
            && inst.rows.len() == 1
            && self.s.observer.active()
            && self.s.observer.wants_values(self.ctx.launch.task)
    }

    /// Performs a strong store of one row whose event contains the old values.
    #[inline(never)]
    fn store_and_tell(&mut self, run: &mut Run<'_>, inst: &MemInst, part: &Part, addresses: &[u64; 32]) {
        let (row, bytes) = (inst.rows[0], u64::from(inst.size) * u64::from(inst.elements));
        let before = self.s.watch.is_some().then(|| Self::snapshot(part, addresses, bytes));
        let values: [(u64, u64); 32];
        if inst.part == 4 && part.mask == LaneMask::MAX && row & FILE_MASK == FILE_32 {
            // SAFETY: the row is one of the frame's, with an element for each lane.
            let words = unsafe { &*run.row(row).cast::<[u32; 32]>() };
            // SAFETY: `place` checked all lanes' address ranges.
            let there = |lane: usize| unsafe { super::data::read(part.host(addresses[lane]), 4) };
            values = std::array::from_fn(|lane| (there(lane), words[lane].into()));
        } else {
            let mut each = [(0, 0); 32];
            for lane in Lanes(part.mask) {
                // SAFETY: `place` checked the lane's address range.
                let there = unsafe { super::data::read(part.host(addresses[lane]), inst.part) };
                each[lane] = (there, run.get(row, inst.part == 8, lane));
            }
            values = each;
        }
        store_row(run, inst, row, part, addresses, 0);
        self.has_stored(inst, part, addresses, before);
        self.access_event(run, inst, part, addresses, AccessKind::Write, Some(&values));
    }

    /// Stores to addresses that [`Worker::addresses`] computed.
    #[inline(always)]
    pub(super) fn store_at(
        &mut self,
        run: &mut Run<'_>,
        inst: &MemInst,
        addresses: &mut [u64; 32],
        active: LaneMask,
    ) -> Result<(), Failed> {
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let mut mask = active;
        while mask != 0 {
            let part = self.place(run, inst.address.target, addresses, mask, bytes, true)?;
            if self.tells_values(inst) {
                self.store_and_tell(run, inst, &part, addresses);
                mask = rest(mask, &part);
                continue;
            }
            let before = self.s.watch.is_some().then(|| Self::snapshot(&part, addresses, bytes));
            for (k, &row) in inst.rows.iter().enumerate() {
                store_row(run, inst, row, &part, addresses, k as u64 * u64::from(inst.part));
            }
            self.has_stored(inst, &part, addresses, before);
            self.plain_event(run, inst, &part, addresses, AccessKind::Write);
            mask = rest(mask, &part);
        }
        Ok(())
    }

    /// Executes `discard`: the bytes stay unchanged, although PTX makes them indeterminate.
    #[cold]
    pub(super) fn discard(
        &mut self,
        run: &mut Run<'_>,
        address: &Address,
        active: LaneMask,
    ) -> Result<(), Failed> {
        const BYTES: u64 = 128;
        let mut addresses = self.addresses(run, address, active, BYTES);
        let mut mask = active;
        while mask != 0 {
            let part = self.place(run, address.target, &mut addresses, mask, BYTES, true)?;
            mask = rest(mask, &part);
            let Some(space) = part.space else { continue };
            self.s.stats.accesses += u64::from(part.mask.count_ones());
            if self.s.observer.active() {
                self.s.observer.access(&Access {
                    warp: run.name(self),
                    site: self.event_site(run.pc),
                    space,
                    kind: AccessKind::Write,
                    strength: Strength::Weak,
                    proxy: Proxy::Generic,
                    size: 16,
                    elements: (BYTES / 16) as u8,
                    mask: part.mask,
                    addresses: &addresses,
                    stride: None,
                    stored: part.mask,
                    values: None,
                    written: Written::Unknown,
                });
            }
        }
        Ok(())
    }

    /// Loads a kernel parameter at a fixed offset: the same value for all lanes.
    #[inline(always)]
    fn load_param(&mut self, run: &mut Run<'_>, inst: &MemInst, active: LaneMask) -> bool {
        let [row] = inst.rows.as_slice() else { return false };
        let row = *row;
        let at = inst.address.offset as usize;
        let Some(bytes) = self.ctx.launch.params.get(at..).and_then(|p| p.get(..inst.part as usize)) else {
            return false;
        };
        if row == NO_ROW || inst.signed || !at.is_multiple_of(usize::from(inst.part)) {
            return false;
        }
        let mut value = [0; 8];
        value[..bytes.len()].copy_from_slice(bytes);
        let value = u64::from_le_bytes(value);
        let dst = run.row(row);
        // SAFETY: the row is one of the frame's.
        unsafe {
            match row & FILE_MASK {
                FILE_64 => splat64(dst, value, active),
                FILE_32 => splat32(dst, value as u32, active),
                _ => Lanes(active).for_each(|lane| run.set(row, lane, value)),
            }
        }
        true
    }

    #[inline(always)]
    pub(super) fn plain_event(
        &mut self,
        run: &Run<'_>,
        inst: &MemInst,
        part: &Part,
        addresses: &[u64; 32],
        kind: AccessKind,
    ) {
        if part.space.is_none() {
            return;
        }
        self.s.stats.accesses += u64::from(part.mask.count_ones());
        if !self.s.observer.active() {
            return;
        }
        if let Some(number) = inst.constant {
            let mask = self.first_reads(number, addresses, part.mask);
            if mask != 0 {
                self.emit_access(run, inst, &Part { mask, ..*part }, addresses, kind, None);
            }
            return;
        }
        if kind == AccessKind::Read && self.tells_values(inst) {
            return self.emit_access(
                run,
                inst,
                part,
                addresses,
                kind,
                Some(&loaded(run, inst, part, addresses)),
            );
        }
        self.emit_access(run, inst, part, addresses, kind, None);
    }

    fn access_event(
        &mut self,
        run: &Run<'_>,
        inst: &MemInst,
        part: &Part,
        addresses: &[u64; 32],
        kind: AccessKind,
        values: Option<&[(u64, u64); 32]>,
    ) {
        if part.space.is_none() {
            return;
        }
        self.s.stats.accesses += u64::from(part.mask.count_ones());
        if self.s.observer.active() {
            self.emit_access(run, inst, part, addresses, kind, values);
        }
    }

    #[inline(always)]
    fn emit_access(
        &mut self,
        run: &Run<'_>,
        inst: &MemInst,
        part: &Part,
        addresses: &[u64; 32],
        kind: AccessKind,
        values: Option<&[(u64, u64); 32]>,
    ) {
        let Some(space) = part.space else { return };
        let rows = Rows { run, inst };
        let access = Access {
            warp: run.name(self),
            site: self.event_site(run.pc),
            space,
            kind,
            strength: inst.strength,
            proxy: inst.proxy,
            size: inst.size.into(),
            elements: inst.elements,
            mask: part.mask,
            addresses,
            stride: part.stride(u64::from(inst.size) * u64::from(inst.elements)),
            stored: if kind.writes() { part.mask } else { 0 },
            values,
            written: if kind.writes() { Written::Bytes(&rows) } else { Written::Unknown },
        };
        debug_assert!(access.keeps_stride(), "{access:x?}");
        self.s.observer.modelled(&access);
    }
}

/// The registers whose values a store has just written.
struct Rows<'a> {
    run: &'a Run<'a>,
    inst: &'a MemInst,
}

// SAFETY: the pointers of the run are to registers that are not written while the run is borrowed.
unsafe impl Sync for Rows<'_> {}

impl WrittenBytes for Rows<'_> {
    fn copy(&self, lane: usize, to: &mut [u8]) {
        let bytes = usize::from(self.inst.part);
        for (part, &row) in to.chunks_mut(bytes).zip(&self.inst.rows) {
            // The sink stores nothing and has no value.
            let value = if row == NO_ROW { 0 } else { self.run.get(row, bytes == 8, lane) };
            part.copy_from_slice(&value.to_le_bytes()[..part.len()]);
        }
    }

    fn words(&self) -> Option<&[u32; 32]> {
        let (&[row], 4) = (self.inst.rows.as_slice(), self.inst.part) else { return None };
        let narrow = row != NO_ROW && matches!(row & FILE_MASK, FILE_32 | FILE_CONST);
        // SAFETY: the row is one of the frame's or a constant, and has a word for each lane.
        narrow.then(|| unsafe { &*self.run.row(row).cast::<[u32; 32]>() })
    }
}

/// Returns the values that lanes have just loaded, from the destination row, since memory may have changed.
#[inline]
fn loaded(run: &Run<'_>, inst: &MemInst, part: &Part, addresses: &[u64; 32]) -> [(u64, u64); 32] {
    let row = inst.rows[0];
    if row != NO_ROW && row & FILE_MASK == FILE_32 && inst.part == 4 && part.mask == LaneMask::MAX {
        // SAFETY: the row is one of the frame's, with an element for each lane.
        let words = unsafe { &*run.row(row).cast::<[u32; 32]>() };
        return words.map(|word| (word.into(), 0));
    }
    let mut values = [(0, 0); 32];
    let mask = if inst.part == 8 { u64::MAX } else { (1 << (8 * inst.part)) - 1 };
    for lane in Lanes(part.mask) {
        values[lane].0 = match row {
            // SAFETY: `place` checked the lane's address range.
            NO_ROW => unsafe { super::data::read(part.host(addresses[lane]), inst.part) },
            row => run.get(row, false, lane) & mask,
        };
    }
    values
}
