//! Loads and stores whose lanes are contiguous or at one address: the common forms. One pattern test, one
//! bounds comparison and one copy serve the whole warp; the 32 addresses are computed only for an active
//! observer. This is a fast path of `memory`, which handles all other accesses.

use super::copies::{copy_row32, copy_row64, load_lanes32, splat32, splat64, store_lanes32};
use super::data::{extended, read, write};
use super::lanes::{Shape, evenly, shape32, shape64};
use super::lanes::{apart2, apart4, narrow8, narrow16, together2, together4, widen8, widen16};
use super::place::Part;
use super::{FULL, Run, Worker};
use crate::alu::row::Lanes;
use crate::program::{
    Address, FILE_32, FILE_64, FILE_CONST, FILE_MASK, MemInst, NO_ROW, Row, Target, window,
};
use events::{AccessKind, LaneMask, Observer, Space, Strength};

/// The location of the lanes' accesses.
struct Place {
    /// The first active lane's address in its space.
    address: u64,
    /// The host memory of `address`.
    host: *mut u8,
    space: Space,
    /// Whether all lanes access the same location; otherwise they are contiguous.
    point: bool,
}

impl<O: Observer> Worker<'_, O> {
    /// Loads contiguous lanes; returns false, without effect, for uncommon loads and for failing ones.
    #[inline(always)]
    pub(super) fn load_whole(&mut self, run: &mut Run<'_>, inst: &MemInst, active: LaneMask) -> bool {
        if self.s.watch.is_some() {
            return false;
        }
        let Some(place) = self.place_whole(run, inst, active, false) else { return false };
        match (inst.rows.as_slice(), inst.part) {
            (&[row], 4) if row & FILE_MASK == FILE_32 => {
                let dst = run.row(row);
                // SAFETY: `place_whole` checked the active lanes' range; the row is one of the frame's.
                unsafe {
                    if place.point {
                        splat32(dst, place.host.cast::<u32>().read_unaligned(), active);
                    } else if active == FULL {
                        copy_row32(dst, place.host);
                    } else {
                        load_lanes32(dst, place.origin(active, 4), active);
                    }
                }
            }
            (&[row], 8) if row & FILE_MASK == FILE_64 && (place.point || active == FULL) => {
                let dst = run.row(row);
                // SAFETY: `place_whole` checked the active lanes' range; the row is one of the frame's.
                unsafe {
                    if place.point {
                        splat64(dst, place.host.cast::<u64>().read_unaligned(), active);
                    } else {
                        copy_row64(dst, place.host);
                    }
                }
            }
            _ => load_parts(run, inst, &place, active),
        }
        self.tell_whole(run, inst, &place, active, AccessKind::Read);
        true
    }

    /// Stores contiguous lanes; otherwise like [`Worker::load_whole`].
    #[inline(always)]
    pub(super) fn store_whole(&mut self, run: &mut Run<'_>, inst: &MemInst, active: LaneMask) -> bool {
        if self.s.watch.is_some() || !self.stores_plainly(inst) {
            return false;
        }
        let Some(place) = self.place_whole(run, inst, active, true) else { return false };
        match (inst.rows.as_slice(), inst.part) {
            (&[row], 4) if row & FILE_MASK != FILE_64 && row != NO_ROW && !place.point => {
                let src = run.row(row);
                // SAFETY: `place_whole` checked the active lanes' range; the row is one of the frame's.
                unsafe {
                    if active == FULL {
                        copy_row32(place.host, src);
                    } else {
                        store_lanes32(place.origin(active, 4), src, active);
                    }
                }
            }
            (&[row], 8)
                if matches!(row & FILE_MASK, FILE_64 | FILE_CONST) && !place.point && active == FULL =>
            {
                // SAFETY: `place_whole` checked the active lanes' range; constants of stores of eight bytes
                // are rows of that width.
                unsafe { copy_row64(place.host, run.row(row)) };
            }
            _ => store_parts(run, inst, &place, active),
        }
        self.tell_whole(run, inst, &place, active, AccessKind::Write);
        true
    }

    /// Returns whether only the store's effect on memory matters. For a strong store, observers may request
    /// the old value, and loops may wait for it.
    #[inline(always)]
    pub(super) fn stores_plainly(&self, inst: &MemInst) -> bool {
        inst.strength == Strength::Weak || self.s.awaited.is_empty() && !self.tells_values(inst)
    }

    #[inline(always)]
    fn place_whole(&mut self, run: &Run<'_>, inst: &MemInst, active: LaneMask, store: bool) -> Option<Place> {
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let point = match shape(run, &inst.address, active, bytes.trailing_zeros()) {
            Shape::Row => false,
            Shape::Point => true,
            Shape::Scattered => return None,
        };
        let first = active.trailing_zeros() as usize & 31;
        let last = (31 - active.leading_zeros() as usize) & 31;
        let mut low = self.address_one(run, &inst.address, first);
        let extent = if point { 0 } else { (last - first) as u64 * bytes };
        let target = match (inst.address.target, low >> window::SHIFT) {
            (Target::Generic, 1) => {
                low &= window::OFFSET;
                Target::Shared
            }
            (Target::Generic, 0) => Target::Global,
            (target, _) => target,
        };
        if low & (bytes - 1) != 0 {
            return None;
        }
        match target {
            Target::Global => {
                let entry = self.s.tlb.find_at(run.pc, &self.ctx.memory, low, self.ctx.launch.device)?;
                let at = low - entry.base;
                let limit = (entry.end - entry.base).checked_sub(extent + bytes)?;
                if at > limit || !entry.accessible || store && entry.read_only {
                    return None;
                }
                let host = entry.host.wrapping_add(at as usize);
                self.s.strides.ahead(run.pc, low, host, extent + bytes);
                Some(Place { address: low, host, space: Space::Global, point })
            }
            Target::Shared => {
                let limit = u64::from(run.shared_bytes).checked_sub(extent + bytes)?;
                if low > limit {
                    return None;
                }
                let host = run.shared.wrapping_add(low as usize);
                Some(Place { address: low, host, space: Space::Shared(run.block), point })
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn tell_whole(&mut self, run: &Run<'_>, inst: &MemInst, place: &Place, mask: LaneMask, kind: AccessKind) {
        if !self.s.observer.active() {
            self.s.stats.accesses += u64::from(mask.count_ones());
            return;
        }
        // A power of two, as `place_whole` requires.
        let shift = (u64::from(inst.size) * u64::from(inst.elements)).trailing_zeros();
        let before = u64::from(mask.trailing_zeros()) << shift;
        let addresses =
            if place.point { [place.address; 32] } else { evenly(place.address.wrapping_sub(before), shift) };
        let bias = place.host.wrapping_sub(place.address as usize);
        let part = Part {
            mask,
            bias,
            space: Some(place.space),
            contiguous: !place.point,
            point: place.point,
            private: false,
        };
        self.plain_event(run, inst, &part, &addresses, kind);
    }
}

/// Returns the pattern of the active lanes' addresses, for accesses of `1 << shift` bytes.
#[inline(always)]
fn shape(run: &Run<'_>, address: &Address, active: LaneMask, shift: u32) -> Shape {
    if address.row == NO_ROW {
        return Shape::Point;
    }
    let p = run.row(address.row);
    // SAFETY: the row is one of the frame's or a constant, and as wide as lowering says.
    unsafe {
        if address.wide {
            shape64(&*p.cast::<[u64; 32]>(), active, shift)
        } else {
            shape32(&*p.cast::<[u32; 32]>(), active, shift)
        }
    }
}

impl Place {
    /// Returns the host address of lane 0's element, whether lane 0 is active or not.
    #[inline(always)]
    fn origin(&self, active: LaneMask, bytes: usize) -> *mut u8 {
        self.host.wrapping_sub(active.trailing_zeros() as usize * bytes)
    }

    /// Returns the host address of a lane's element.
    #[inline(always)]
    fn lane(&self, active: LaneMask, bytes: usize, lane: usize) -> *mut u8 {
        let distance = if self.point { 0 } else { lane - (active.trailing_zeros() as usize & 31) };
        self.host.wrapping_add(distance * bytes)
    }
}

/// Loads contiguous vectors of words, bytes or half-words of a whole warp; returns false, without effect, for
/// other forms.
#[inline(always)]
fn load_packed(run: &mut Run<'_>, inst: &MemInst, host: *const u8) -> bool {
    let word = |row: Row| row & FILE_MASK == FILE_32;
    let p = |row: Row| run.row(row).cast::<[u32; 32]>();
    // SAFETY: `place_whole` checked the range of all lanes; the rows are the frame's.
    unsafe {
        match (inst.rows.as_slice(), inst.part) {
            (&[a, b], 4) if word(a) && word(b) => {
                let rows = apart2(&host.cast::<[[u32; 2]; 32]>().read_unaligned());
                p(a).write(rows[0]);
                p(b).write(rows[1]);
            }
            (&[a, b, c, d], 4) if word(a) && word(b) && word(c) && word(d) => {
                let rows = apart4(&host.cast::<[[u32; 4]; 32]>().read_unaligned());
                [a, b, c, d].iter().zip(rows).for_each(|(&row, values)| p(row).write(values));
            }
            (&[a], 1) if word(a) && !inst.signed => p(a).write(widen8(&host.cast::<[u8; 32]>().read())),
            (&[a], 2) if word(a) && !inst.signed => {
                p(a).write(widen16(&host.cast::<[u16; 32]>().read_unaligned()));
            }
            _ => return false,
        }
    }
    true
}

/// Stores contiguous vectors; otherwise like [`load_packed`].
#[inline(always)]
fn store_packed(run: &Run<'_>, inst: &MemInst, host: *mut u8) -> bool {
    let word = |row: Row| row & FILE_MASK == FILE_32;
    // SAFETY: `place_whole` checked the range of all lanes; the rows are the frame's.
    unsafe {
        let p = |row: Row| &*run.row(row).cast::<[u32; 32]>();
        match (inst.rows.as_slice(), inst.part) {
            (&[a, b], 4) if word(a) && word(b) => {
                host.cast::<[[u32; 2]; 32]>().write_unaligned(together2([p(a), p(b)]));
            }
            (&[a, b, c, d], 4) if word(a) && word(b) && word(c) && word(d) => {
                host.cast::<[[u32; 4]; 32]>().write_unaligned(together4([p(a), p(b), p(c), p(d)]));
            }
            (&[a], 1) if word(a) => host.cast::<[u8; 32]>().write(narrow8(p(a))),
            (&[a], 2) if word(a) => host.cast::<[u16; 32]>().write_unaligned(narrow16(p(a))),
            _ => return false,
        }
    }
    true
}

/// Loads elements of other sizes, of several parts, or with an extension.
fn load_parts(run: &mut Run<'_>, inst: &MemInst, place: &Place, active: LaneMask) {
    if !place.point && active == FULL && load_packed(run, inst, place.host) {
        return;
    }
    let bytes = usize::from(inst.size) * usize::from(inst.elements);
    for (k, &row) in inst.rows.iter().enumerate().filter(|(_, row)| **row != NO_ROW) {
        let at = k * usize::from(inst.part);
        let dst = run.row(row);
        let file = row & FILE_MASK;
        if file == FILE_32 && inst.part == 4 && !inst.signed {
            for lane in Lanes(active) {
                // SAFETY: `place_whole` checked the active lanes' range; the row is one of the frame's.
                unsafe {
                    let value =
                        place.lane(active, bytes, lane).wrapping_add(at).cast::<u32>().read_unaligned();
                    dst.cast::<u32>().add(lane).write(value);
                }
            }
        } else if file == FILE_64 && inst.part == 8 {
            for lane in Lanes(active) {
                // SAFETY: `place_whole` checked the active lanes' range; the row is one of the frame's.
                unsafe {
                    let value =
                        place.lane(active, bytes, lane).wrapping_add(at).cast::<u64>().read_unaligned();
                    dst.cast::<u64>().add(lane).write(value);
                }
            }
        } else {
            for lane in Lanes(active) {
                // SAFETY: `place_whole` checked the active lanes' range.
                let value = unsafe { read(place.lane(active, bytes, lane).wrapping_add(at), inst.part) };
                run.set(row, lane, extended(inst, value));
            }
        }
    }
}

/// Stores elements of other sizes or of several parts. Of lanes that store to one address the last one wins.
fn store_parts(run: &Run<'_>, inst: &MemInst, place: &Place, active: LaneMask) {
    if !place.point && active == FULL && store_packed(run, inst, place.host) {
        return;
    }
    let bytes = usize::from(inst.size) * usize::from(inst.elements);
    let active_lanes = if place.point { 1 << (31 - active.leading_zeros()) } else { active };
    for (k, &row) in inst.rows.iter().enumerate().filter(|(_, row)| **row != NO_ROW) {
        let at = k * usize::from(inst.part);
        for lane in Lanes(active_lanes) {
            let value = run.get(row, inst.part == 8, lane);
            // SAFETY: `place_whole` checked the active lanes' range.
            unsafe { write(place.lane(active, bytes, lane).wrapping_add(at), inst.part, value) };
        }
    }
}
