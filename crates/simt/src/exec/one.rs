//! Loads and stores of a single active lane, as in sequential parts of kernels: a fast path of `memory`
//! without the work for the other lanes.

use super::data::{extended, read, write};
use super::place::Part;
use super::{Run, Worker};
use crate::alu::row::{set32, set64};
use crate::program::{Address, AddressBase, FILE_32, FILE_64, FILE_MASK, MemInst, NO_ROW, Target, window};
use events::{AccessKind, LaneMask, Observer, Space};

/// The location of the lane's access.
pub(super) struct Place {
    /// The address in its space.
    pub address: u64,
    pub host: *mut u8,
    pub space: Option<Space>,
}

impl<O: Observer> Worker<'_, O> {
    /// Loads one lane; returns false, without effect, for uncommon loads and for failing ones.
    pub(super) fn load_one(&mut self, run: &mut Run<'_>, inst: &MemInst, active: LaneMask) -> bool {
        if self.s.watch.is_some() {
            return false;
        }
        let Some(place) = self.place_one(run, inst, active, false) else { return false };
        let lane = active.trailing_zeros() as usize & 31;
        for (k, &row) in inst.rows.iter().enumerate().filter(|(_, row)| **row != NO_ROW) {
            // SAFETY: `place_one` checked the address range.
            let value = unsafe { read(place.host.wrapping_add(k * usize::from(inst.part)), inst.part) };
            let value = extended(inst, value);
            let dst = run.row(row);
            // SAFETY: rows of lowered programs lie inside their files.
            unsafe {
                match row & FILE_MASK {
                    FILE_64 => set64(dst, lane, value),
                    FILE_32 => set32(dst, lane, value as u32),
                    _ => run.set(row, lane, value),
                }
            }
        }
        self.tell_one(run, inst, &place, active, AccessKind::Read);
        true
    }

    /// Stores one lane; returns false, without effect, for uncommon stores and for failing ones.
    pub(super) fn store_one(&mut self, run: &mut Run<'_>, inst: &MemInst, active: LaneMask) -> bool {
        if self.s.watch.is_some() || !self.stores_plainly(inst) {
            return false;
        }
        let Some(place) = self.place_one(run, inst, active, true) else { return false };
        let lane = active.trailing_zeros() as usize & 31;
        for (k, &row) in inst.rows.iter().enumerate().filter(|(_, row)| **row != NO_ROW) {
            let value = run.get(row, inst.part == 8, lane);
            // SAFETY: `place_one` checked the address range.
            unsafe { write(place.host.wrapping_add(k * usize::from(inst.part)), inst.part, value) };
        }
        self.tell_one(run, inst, &place, active, AccessKind::Write);
        true
    }

    #[inline(always)]
    fn tell_one(&mut self, run: &Run<'_>, inst: &MemInst, place: &Place, mask: LaneMask, kind: AccessKind) {
        if place.space.is_none() {
            return;
        }
        if !self.s.observer.active() {
            self.s.stats.accesses += 1;
            return;
        }
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let origin = place.address.wrapping_sub(u64::from(mask.trailing_zeros()) * bytes);
        let addresses = std::array::from_fn(|lane| origin.wrapping_add(lane as u64 * bytes));
        let bias = place.host.wrapping_sub(place.address as usize);
        let part = Part { mask, bias, space: place.space, contiguous: true, point: false, private: false };
        self.plain_event(run, inst, &part, &addresses, kind);
    }

    #[inline(always)]
    fn place_one(&mut self, run: &Run<'_>, inst: &MemInst, active: LaneMask, store: bool) -> Option<Place> {
        let lane = active.trailing_zeros() as usize & 31;
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let address = self.address_one(run, &inst.address, lane);
        self.find_one(run, inst.address.target, address, bytes, lane, store)
    }

    /// Returns the location of one lane's access; `None` for uncommon accesses and for failing ones.
    #[inline(always)]
    pub(super) fn find_one(
        &mut self,
        run: &Run<'_>,
        target: Target,
        address: u64,
        bytes: u64,
        lane: usize,
        store: bool,
    ) -> Option<Place> {
        if address & (bytes - 1) != 0 {
            return None;
        }
        let generic = target == Target::Generic;
        let target = match (target, address >> window::SHIFT) {
            (Target::Generic, 0) => Target::Global,
            (Target::Generic, 1) => Target::Shared,
            (Target::Generic, 2) => Target::Local,
            (Target::Generic, _) => return None,
            (target, _) => target,
        };
        let inside = if generic { address & window::OFFSET } else { address };
        match target {
            Target::Global => {
                let entry = self.s.tlb.find(&self.ctx.memory, inside, self.ctx.launch.device)?;
                let at = inside - entry.base;
                let fits = (entry.end - entry.base).checked_sub(bytes).is_some_and(|limit| at <= limit);
                let may = entry.accessible && !(store && entry.read_only);
                (fits && may).then(|| Place {
                    address: inside,
                    host: entry.host.wrapping_add(at as usize),
                    space: Some(Space::Global),
                })
            }
            Target::Shared => {
                let fits =
                    u64::from(run.shared_bytes).checked_sub(bytes).is_some_and(|limit| inside <= limit);
                fits.then(|| Place {
                    address: inside,
                    host: run.shared.wrapping_add(inside as usize),
                    space: Some(Space::Shared(run.block)),
                })
            }
            Target::Local => {
                let limit = u64::from(run.frame.local_top.max(run.stride)).checked_sub(bytes)?;
                let at = inside + lane as u64 * u64::from(run.stride);
                let host = run.local.wrapping_add(at as usize);
                (inside <= limit).then_some(Place { address: at, host, space: None })
            }
            _ => None,
        }
    }

    /// Computes one lane of the result of [`Worker::addresses`].
    #[inline(always)]
    pub(super) fn address_one(&self, run: &Run<'_>, address: &Address, lane: usize) -> u64 {
        let base = match address.base {
            AddressBase::None => 0,
            AddressBase::Frame => i64::from(run.frame.local),
            AddressBase::Dynamic => i64::from(self.ctx.dynamic_base),
        };
        let offset = address.offset.wrapping_add(base) as u64;
        if address.row == NO_ROW {
            offset
        } else if address.wide {
            run.get(address.row, true, lane).wrapping_add(offset)
        } else {
            u64::from((run.get(address.row, false, lane) as u32).wrapping_add(offset as u32))
        }
    }
}
