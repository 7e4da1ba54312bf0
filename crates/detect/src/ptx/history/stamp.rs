//! A stamp: one access of neighbouring lanes to a line of 128 bytes.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::entry::witness;
use crate::ptx::access::touches::span;
use crate::ptx::history::witnesses::Made;
use clocks::Tick;
use clocks::compressed::WarpIndex;
use events::{LaneMask, SiteId, is_one_lane};

/// The shift of stamps whose lanes all touch all of its bytes.
const UNIFORM: u8 = u8::MAX;
/// Set in the shift of stamps whose lanes leave bytes out between them.
const STRIDED: u8 = 1 << 7;

/// Neighbouring lanes that touched neighbouring bytes of a line, or lanes that touched the same, or neighbouring lanes that touched
/// few bytes each, always as far apart: pixels of three bytes, and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) block: u32,
    pub(crate) tick: Tick,
    pub(crate) site: SiteId,
    pub(crate) lanes: LaneMask,
    pub(crate) warp: u16,
    pub(crate) class: AccessClass,
    /// First byte in the line, and the one behind the last.
    pub(crate) from: u8,
    pub(crate) to: u8,
    /// Logarithm of the bytes of each lane.
    shift: u8,
    /// Bytes of the first lane's run that are in the line before; for uniform stamps the logarithm of the
    /// bytes of one of their accesses, which lie side by side; for strided ones from where to where it is.
    skip: u8,
}

impl Stamp {
    /// A stamp of no bytes yet, to be given some by the two functions below.
    #[inline]
    pub(crate) fn new(
        WarpIndex { block, warp }: WarpIndex,
        tick: Tick,
        site: SiteId,
        class: AccessClass,
    ) -> Self {
        Stamp { block, tick, site, lanes: 0, warp, class, from: 0, to: 0, shift: UNIFORM, skip: 0 }
    }

    /// Returns the warp.
    #[inline]
    pub(crate) fn at(&self) -> WarpIndex {
        WarpIndex { block: self.block, warp: self.warp }
    }

    /// Lanes that all touch `from..to`.
    #[inline]
    pub(crate) fn of_same(&self, lanes: LaneMask, from: u8, to: u8) -> Self {
        Stamp { lanes, from, to, shift: UNIFORM, skip: (to - from).trailing_zeros() as u8, ..*self }
    }

    /// Lanes `first..=last` that touch `bytes` each, the first `skip` of them before the line.
    #[inline]
    pub(crate) fn of_neighbours(
        &self,
        first: u32,
        last: u32,
        bytes: u64,
        skip: u8,
        from: u8,
        to: u8,
    ) -> Self {
        let lanes = (u32::MAX >> (31 - (last - first).min(31))) << first;
        Stamp { lanes, from, to, shift: bytes.trailing_zeros() as u8, skip, ..*self }
    }

    /// Lanes `first..=last` that touch `bytes` each, the first one from `from` on, each next one `stride` behind the one before.
    #[inline]
    pub(crate) fn of_strided(&self, first: u32, last: u32, bytes: u64, stride: u8, from: u8) -> Self {
        let lanes = (u32::MAX >> (31 - (last - first).min(31))) << first;
        let to = from + (last - first) as u8 * stride + bytes as u8;
        Stamp { lanes, from, to, shift: STRIDED | bytes.trailing_zeros() as u8, skip: stride, ..*self }
    }

    /// Returns whether it leaves bytes out between its lanes.
    #[inline]
    pub(crate) fn is_strided(&self) -> bool {
        self.shift.wrapping_add(1) > STRIDED
    }

    /// For a strided stamp: which bytes its lanes have, one after the other.
    fn pieces(&self) -> impl Iterator<Item = (u32, (u8, u8))> {
        let (first, size, stride) = (self.lanes.trailing_zeros(), self.size() as u8, self.skip.max(1));
        let starts = (self.from..self.to).step_by(stride.into());
        (first..).zip(starts.map(move |from| (from, from + size)))
    }

    /// The same by its first two lanes only, if all touch all of it.
    #[inline]
    pub(crate) fn of_two(&self) -> Self {
        let rest = self.lanes & self.lanes.wrapping_sub(1);
        Stamp { lanes: self.lanes & !(rest & rest.wrapping_sub(1)), ..*self }
    }

    /// The same at `tick`, of `warp`.
    pub(crate) fn of_warp(&self, warp: u16, tick: Tick) -> Self {
        Stamp { tick, warp, ..*self }
    }

    /// Lets the stamp stand for `new`, too, if that is the next access of the same lanes: by the same
    /// instruction, to the bytes behind.
    #[inline]
    pub(crate) fn extend(&mut self, new: &Stamp) -> bool {
        let one = |s: &Stamp| is_one_lane(s.lanes);
        let size = |s: &Stamp| if s.shift == UNIFORM { s.skip } else { s.shift };
        let alike = (self.block, self.warp, self.tick, self.site, self.lanes, self.class)
            == (new.block, new.warp, new.tick, new.site, new.lanes, new.class);
        let shapes = (self.shift == UNIFORM && new.shift == UNIFORM) || (one(self) && one(new));
        let whole = |s: &Stamp| s.shift == UNIFORM || s.skip == 0;
        if !alike || !shapes || self.to != new.from || size(self) != size(new) || !whole(self) || !whole(new)
        {
            return false;
        }
        (self.skip, self.shift) = (size(new), UNIFORM);
        self.to = new.to;
        true
    }

    /// The lanes that touch any of `from..to`, which it has.
    #[inline]
    pub(crate) fn lanes_of(&self, from: u8, to: u8) -> LaneMask {
        if self.shift == UNIFORM {
            return self.lanes;
        }
        if self.is_strided() {
            let there = self.pieces().filter(|&(_, (start, end))| start < to && from < end);
            return there.fold(0, |lanes, (lane, _)| lanes | 1 << lane);
        }
        let (first, last) = (self.lane_at(from), self.lane_at(to - 1));
        (u32::MAX >> (31 - (last - first).min(31))) << first
    }

    #[inline]
    fn lane_at(&self, byte: u8) -> u32 {
        self.lanes.trailing_zeros() + ((u32::from(byte - self.from) + u32::from(self.skip)) >> self.shift)
    }

    /// Returns whether the two have no byte in common.
    #[inline]
    pub(crate) fn is_apart(&self, other: &Stamp) -> bool {
        let strided = || self.is_strided() || other.is_strided();
        self.to <= other.from || other.to <= self.from || strided() && self.is_beside(other)
    }

    /// Returns whether two stamps, one of them strided, have no byte in common.
    #[cold]
    fn is_beside(&self, other: &Stamp) -> bool {
        if self.is_strided() && other.is_strided() && self.skip == other.skip {
            let (stride, apart) = (u32::from(self.skip), u32::from(other.from.abs_diff(self.from)));
            let (before, after) = if self.from <= other.from { (self, other) } else { (other, self) };
            let behind = apart % stride;
            return behind >= before.size().into() && behind + u32::from(after.size()) <= stride;
        }
        self.touched() & other.touched() == 0
    }

    #[inline]
    pub(crate) fn within(&self, other: &Stamp) -> bool {
        other.from <= self.from && self.to <= other.to && (!other.is_strided() || self.is_all_in(other))
    }

    /// Returns whether a strided stamp has all bytes of another.
    #[cold]
    fn is_all_in(&self, other: &Stamp) -> bool {
        self.touched() & !other.touched() == 0
    }

    /// Returns its warp in the grid, and its tick.
    #[inline]
    pub(crate) fn made(&self) -> Made {
        Made { block: self.block, warp: self.warp, tick: self.tick }
    }

    /// Returns whether both are of one warp, by the same instruction.
    #[inline]
    pub(crate) fn is_of(&self, other: &Stamp) -> bool {
        (self.site, self.block, self.warp) == (other.site, other.block, other.warp)
    }

    /// Returns whether a stamp of the same bytes may stand for both.
    pub(crate) fn is_like(&self, other: &Stamp) -> bool {
        let shape = |s: &Stamp| s.is_strided().then_some((s.shift, s.skip));
        (self.from, self.to, shape(self)) == (other.from, other.to, shape(other))
    }

    /// Returns whether it is, in words whose last block's read is `kept`, that read again, or a read of another
    /// warp by the same instruction at the same time, which the words do not keep beside it.
    #[inline]
    pub(crate) fn adds_nothing_to(&self, kept: &Stamp) -> bool {
        let together =
            (self.block, self.tick, self.site, self.class) == (kept.block, kept.tick, kept.site, kept.class);
        together && self.within(kept) && (self.warp != kept.warp || self == kept)
    }

    /// Returns whether each byte of `from..to` has the same single lane in both, which are of one warp.
    #[inline]
    pub(crate) fn same_lanes(&self, other: &Stamp, (from, to): (u8, u8)) -> bool {
        if self.is_strided() || other.is_strided() {
            let first = |s: &Stamp| i32::from(s.from) - s.lanes.trailing_zeros() as i32 * i32::from(s.skip);
            return (self.shift, self.skip, first(self)) == (other.shift, other.skip, first(other));
        }
        let ends = |s: &Stamp| {
            if s.shift != UNIFORM {
                Some((s.lane_at(from), s.lane_at(to - 1)))
            } else {
                let lane = s.lanes.trailing_zeros();
                is_one_lane(s.lanes).then_some((lane, lane))
            }
        };
        match (ends(self), ends(other)) {
            (Some(a), Some(b)) if a == b => {
                a.0 == a.1 || (self.shift == other.shift && self.phase() == other.phase())
            }
            _ => false,
        }
    }

    /// The place in the line at which lanes begin, modulo their size.
    #[inline]
    fn phase(&self) -> u32 {
        u32::from(self.from).wrapping_sub(u32::from(self.skip)) & ((1 << self.shift) - 1)
    }

    /// Logarithm of the largest size (16 bytes at most) in which all that its lanes touch can be told apart.
    #[inline]
    pub(crate) fn granule(&self) -> u8 {
        if self.is_strided() {
            let places = (self.from | self.skip).trailing_zeros() as u8;
            return places.min(self.shift & !STRIDED);
        }
        let (size, skip) = if self.shift == UNIFORM { (self.skip, 0) } else { (self.shift, self.skip) };
        size.min((self.from | self.to | skip).trailing_zeros() as u8).min(4)
    }

    /// Returns the number of lanes from each piece of `1 << granule` bytes to the next, if that is the same for
    /// all.
    #[inline]
    pub(crate) fn lanes_each(&self, granule: u8) -> Option<u16> {
        match self.shift {
            UNIFORM => Some(0),
            shift if shift == granule && self.skip == 0 => Some(1),
            _ => None,
        }
    }

    /// As entries of cells of sixteen bytes: calls `entry` with the cell's index in the line.
    pub(crate) fn entries(&self, mut entry: impl FnMut(usize, Entry)) {
        if self.is_strided() {
            for (lane, (from, to)) in self.pieces() {
                self.of_same(1 << lane, from, to).entries(&mut entry as &mut dyn FnMut(usize, Entry));
            }
            return;
        }
        let mut at = self.from;
        while at < self.to {
            let cell = at / 16;
            let mut end = self.to.min((cell + 1) * 16);
            let mut lanes = self.lanes;
            if self.shift == UNIFORM {
                let size = 1u8.checked_shl(self.skip.into()).unwrap_or(128);
                end = end.min(at.saturating_add(size));
            } else {
                let lane = self.lane_at(at);
                lanes = 1 << lane;
                while self.lane_at(end - 1) != lane {
                    end -= 1;
                }
            }
            let base = u32::from(cell) * 16;
            entry(
                usize::from(cell),
                Entry {
                    block: self.block,
                    tick: self.tick,
                    lanes,
                    site: self.site,
                    warp: self.warp,
                    bytes: span(u32::from(at) - base, u32::from(end) - base),
                    class: self.class,
                    chain: 0,
                    place: 0,
                },
            );
            at = end;
        }
    }

    /// The same, of copies that their threads have waited for, at `tick`.
    #[inline]
    pub(crate) fn landed(&self, tick: Tick) -> Self {
        Stamp { tick, class: self.class.waited(), ..*self }
    }

    /// The bytes of the line that it touches, a bit each.
    #[inline]
    pub(crate) fn touched(&self) -> u128 {
        if self.is_strided() {
            let bits = |(from, to): (u8, u8)| (u128::MAX >> (128 - u32::from(to - from))) << from;
            return self.pieces().fold(0, |all, (_, piece)| all | bits(piece));
        }
        (u128::MAX >> (128 - u32::from(self.to - self.from))) << self.from
    }

    #[inline]
    pub(crate) fn size(&self) -> u16 {
        let whole = u16::from(self.to - self.from);
        whole.min(1 << if self.shift == UNIFORM { self.skip } else { self.shift & !STRIDED })
    }

    /// If its lanes have all of their bytes in the line: the logarithm of how many, and the thread of the first.
    #[inline]
    pub(crate) fn neighbours(&self) -> Option<(u8, u16)> {
        let all = self.shift & STRIDED == 0 && self.skip == 0 && (self.to - self.from) >> self.shift != 0;
        all.then(|| (self.shift, witness(self.warp) * 32 + self.lanes.trailing_zeros() as u16))
    }

    /// Which bytes of the line which thread of the block touched: calls `piece` with bytes, the thread of the
    /// first of them, and the logarithm of how many each next thread has, `None` if all are of the one.
    pub(crate) fn threads(&self, mut piece: impl FnMut((u8, u8), u16, Option<u8>)) {
        let thread = |lane: u32| witness(self.warp) * 32 + lane as u16;
        if self.shift == UNIFORM {
            return piece((self.from, self.to), thread(self.lanes.trailing_zeros()), None);
        }
        if self.is_strided() {
            return self.pieces().for_each(|(lane, bytes)| piece(bytes, thread(lane), None));
        }
        let first = self.lane_at(self.from);
        let rest = (1u32 << self.shift).saturating_sub(self.skip.into()) + u32::from(self.from);
        let split = if self.skip == 0 { self.from } else { rest.min(self.to.into()) as u8 };
        if split > self.from {
            piece((self.from, split), thread(first), None);
        }
        if split < self.to {
            piece((split, self.to), thread(self.lane_at(split)), Some(self.shift));
        }
    }
}

#[cfg(test)]
mod tests;
