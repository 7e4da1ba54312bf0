//! Loads and stores of words at arbitrary addresses in one region of memory: columns, two rows of a block
//! that is half a warp wide, lookups. All addresses are compared with the region's bounds at once. This is a
//! fast path of `memory`, which handles the remaining cases: lanes in several regions, several words per
//! lane, and failing accesses.

use super::copies::{gather32, gather64, scatter32, scatter64};
use super::found::expect;
use super::lanes::{fill, inside32, inside64, offset32, offset64};
use super::place::Part;
use super::{FULL, Run, Worker};
use crate::program::{AddressBase, FILE_32, FILE_64, FILE_CONST, FILE_MASK, MemInst, NO_ROW, Target, window};
use events::{AccessKind, LaneMask, Observer, Space};

/// The region of all lanes.
struct Place {
    /// The difference between program addresses and the row's values.
    offset: u64,
    /// The region's first program address.
    base: u64,
    /// The host memory of `base`.
    host: *mut u8,
    space: Space,
    /// Whether the memory belongs to this worker.
    private: bool,
    generic: bool,
}

impl<O: Observer> Worker<'_, O> {
    /// Loads scattered lanes; returns false, without effect, for uncommon loads and for failing ones.
    #[inline(always)]
    pub(super) fn load_scattered(&mut self, run: &mut Run<'_>, inst: &MemInst, active: LaneMask) -> bool {
        let &[row] = inst.rows.as_slice() else { return false };
        let usual = match inst.part {
            4 => row & FILE_MASK == FILE_32 && row != NO_ROW,
            8 => row & FILE_MASK == FILE_64,
            _ => false,
        };
        if !usual || self.s.watch.is_some() {
            return false;
        }
        let Some(place) = self.place_scattered(run, inst, active, false) else { return false };
        let (dst, indices, from) = (run.row(row), run.row(inst.address.row), place.from());
        // The event is emitted first, because the destination may overwrite the addresses.
        self.tell_scattered(run, inst, &place, (indices, active), AccessKind::Read);
        // SAFETY: `place_scattered` checked the active lanes' addresses; the rows are the frame's, and as
        // wide as lowering says.
        unsafe {
            match (inst.part, inst.address.wide) {
                (4, wide) => gather32(dst, from, indices, wide, place.offset, active),
                (_, wide) => gather64(dst, from, indices, wide, place.offset, active),
            }
        }
        true
    }

    /// Stores scattered lanes; otherwise like [`Worker::load_scattered`]. Of lanes that store to one address
    /// the last one wins.
    #[inline(always)]
    pub(super) fn store_scattered(&mut self, run: &mut Run<'_>, inst: &MemInst, active: LaneMask) -> bool {
        let &[row] = inst.rows.as_slice() else { return false };
        let file = row & FILE_MASK;
        let usual = match inst.part {
            4 => matches!(file, FILE_32 | FILE_CONST) && row != NO_ROW,
            8 => matches!(file, FILE_64 | FILE_CONST) && row != NO_ROW,
            _ => false,
        };
        if !usual || self.s.watch.is_some() || !self.stores_plainly(inst) {
            return false;
        }
        let Some(place) = self.place_scattered(run, inst, active, true) else { return false };
        let (src, indices, to) = (run.row(row), run.row(inst.address.row), place.from());
        self.tell_scattered(run, inst, &place, (indices, active), AccessKind::Write);
        // SAFETY: as in `load_scattered`; constants of stores of eight bytes are rows of that width.
        unsafe {
            match (inst.part, inst.address.wide) {
                (4, wide) => scatter32(to, src, indices, wide, place.offset, active),
                (_, wide) => scatter64(to, src, indices, wide, place.offset, active),
            }
        }
        true
    }

    #[inline(always)]
    fn place_scattered(
        &mut self,
        run: &Run<'_>,
        inst: &MemInst,
        active: LaneMask,
        store: bool,
    ) -> Option<Place> {
        let address = &inst.address;
        if address.row == NO_ROW {
            return None;
        }
        let bytes = u64::from(inst.part);
        let offset = match address.base {
            AddressBase::None => address.offset as u64,
            AddressBase::Dynamic => address.offset.wrapping_add(i64::from(self.ctx.dynamic_base)) as u64,
            AddressBase::Frame => return None,
        };
        let first = self.address_one(run, address, active.trailing_zeros() as usize & 31);
        let generic = address.target == Target::Generic;
        let target = match (address.target, first >> window::SHIFT) {
            (Target::Generic, 1) => Target::Shared,
            (Target::Generic, 0) => Target::Global,
            (target, _) => target,
        };
        let (place, length) = match target {
            Target::Global => {
                let entry = self.s.tlb.find_at(run.pc, &self.ctx.memory, first, self.ctx.launch.device)?;
                if !entry.accessible || store && entry.read_only {
                    return None;
                }
                let place = Place {
                    offset,
                    base: entry.base,
                    host: entry.host,
                    space: Space::Global,
                    private: false,
                    generic: false,
                };
                (place, entry.end - entry.base)
            }
            Target::Shared => {
                let place = Place {
                    offset,
                    base: if generic { window::SHARED } else { 0 },
                    host: run.shared,
                    space: Space::Shared(run.block),
                    private: true,
                    generic,
                };
                (place, u64::from(run.shared_bytes))
            }
            _ => return None,
        };
        let last = length.checked_sub(bytes)?;
        let row = run.row(address.row);
        // SAFETY: the row is one of the frame's or a constant, and as wide as lowering says.
        let inside = unsafe {
            if address.wide {
                inside64(&*row.cast(), active, offset, place.base, last, bytes - 1)
            } else {
                let (base, last) = (u32::try_from(place.base).ok()?, u32::try_from(last).unwrap_or(u32::MAX));
                inside32(&*row.cast(), active, offset as u32, base, last, bytes as u32 - 1)
            }
        };
        inside.then_some(place)
    }

    /// Emits the event before the access. A detector accesses as many places as there are lanes, and pending
    /// stores of the access would delay it; meanwhile the memory of the access is prefetched.
    #[inline(always)]
    fn tell_scattered(
        &mut self,
        run: &Run<'_>,
        inst: &MemInst,
        place: &Place,
        (indices, mask): (*const u8, LaneMask),
        kind: AccessKind,
    ) {
        if !self.s.observer.active() {
            self.s.stats.accesses += u64::from(mask.count_ones());
            return;
        }
        let addresses = place.addresses(inst, indices, mask);
        let bias = place.host.wrapping_sub((place.base - place.window()) as usize);
        let (space, private) = (Some(place.space), place.private);
        let part = Part { mask, bias, space, contiguous: false, point: false, private };
        if place.space == Space::Global {
            addresses.iter().for_each(|&address| expect(part.host(address)));
        }
        self.plain_event(run, inst, &part, &addresses, kind);
    }
}

impl Place {
    /// Returns the host address that corresponds to program address 0.
    #[inline(always)]
    fn from(&self) -> *mut u8 {
        self.host.wrapping_sub(self.base as usize)
    }

    /// Returns the difference between generic addresses and those in their space.
    #[inline(always)]
    fn window(&self) -> u64 {
        if self.generic { self.base } else { 0 }
    }

    /// Returns the lanes' addresses in their space, for events.
    #[inline(always)]
    fn addresses(&self, inst: &MemInst, row: *const u8, mask: LaneMask) -> [u64; 32] {
        let mut addresses = [0; 32];
        // SAFETY: the row is one of the frame's or a constant, and as wide as lowering says.
        unsafe {
            if inst.address.wide {
                offset64(&mut addresses, &*row.cast(), self.offset.wrapping_sub(self.window()));
            } else {
                offset32(&mut addresses, &*row.cast(), self.offset as u32);
            }
        }
        if mask != FULL {
            fill(&mut addresses, mask, inst.part.trailing_zeros());
        }
        addresses
    }
}
