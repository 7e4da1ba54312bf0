//! A stamp: one access of neighbouring lanes to a line of 128 bytes.

use super::class::AccessClass;
use super::elements::span;
use super::entry::Entry;
use super::entry::witness;
use clocks::Tick;
use events::{LaneMask, SiteId};

/// The shift of stamps whose lanes all touch all of its bytes.
const UNIFORM: u8 = u8::MAX;

/// Neighbouring lanes that touched neighbouring bytes of a line, or lanes that touched the same.
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
    /// bytes of one of their accesses, which lie side by side.
    skip: u8,
}

impl Stamp {
    /// A stamp of no bytes yet, to be given some by the two functions below.
    #[inline]
    pub(crate) fn new((block, warp): (u32, u16), tick: Tick, site: SiteId, class: AccessClass) -> Self {
        Stamp { block, tick, site, lanes: 0, warp, class, from: 0, to: 0, shift: UNIFORM, skip: 0 }
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
        (first, last): (u32, u32),
        bytes: u64,
        skip: u8,
        (from, to): (u8, u8),
    ) -> Self {
        let lanes = (u32::MAX >> (31 - (last - first).min(31))) << first;
        Stamp { lanes, from, to, shift: bytes.trailing_zeros() as u8, skip, ..*self }
    }

    /// The same by its first two lanes only, if all touch all of it.
    #[inline]
    pub(crate) fn of_two(&self) -> Self {
        let rest = self.lanes & self.lanes.wrapping_sub(1);
        Stamp { lanes: self.lanes & !(rest & rest.wrapping_sub(1)), ..*self }
    }

    /// The same at `tick`, of `warp`.
    pub(super) fn of_warp(&self, warp: u16, tick: Tick) -> Self {
        Stamp { tick, warp, ..*self }
    }

    /// Lets the stamp stand for `new`, too, if that is the next access of the same lanes: by the same
    /// instruction, to the bytes behind.
    #[inline]
    pub(super) fn extend(&mut self, new: &Stamp) -> bool {
        let one = |s: &Stamp| s.lanes.count_ones() == 1;
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
        let (first, last) = (self.lane_at(from), self.lane_at(to - 1));
        (u32::MAX >> (31 - (last - first).min(31))) << first
    }

    #[inline]
    fn lane_at(&self, byte: u8) -> u32 {
        self.lanes.trailing_zeros() + ((u32::from(byte - self.from) + u32::from(self.skip)) >> self.shift)
    }

    #[inline]
    pub(super) fn overlap(&self, other: &Stamp) -> Option<(u8, u8)> {
        let (from, to) = (self.from.max(other.from), self.to.min(other.to));
        (from < to).then_some((from, to))
    }

    #[inline]
    pub(super) fn within(&self, other: &Stamp) -> bool {
        other.from <= self.from && self.to <= other.to
    }

    /// In words that have `kept` as the read of their last block: is it that read again, or one of another warp by the same
    /// instruction at the same time, which is not kept beside it?
    #[inline]
    pub(crate) fn adds_nothing_to(&self, kept: &Stamp) -> bool {
        let together =
            (self.block, self.tick, self.site, self.class) == (kept.block, kept.tick, kept.site, kept.class);
        together && self.within(kept) && (self.warp != kept.warp || self == kept)
    }

    /// Does each byte of `from..to` have the same single lane in both, which are of one warp?
    #[inline]
    pub(super) fn same_lanes(&self, other: &Stamp, (from, to): (u8, u8)) -> bool {
        let ends = |s: &Stamp| {
            if s.shift != UNIFORM {
                Some((s.lane_at(from), s.lane_at(to - 1)))
            } else {
                let lane = s.lanes.trailing_zeros();
                (s.lanes.count_ones() == 1).then_some((lane, lane))
            }
        };
        match (ends(self), ends(other)) {
            (Some(a), Some(b)) if a == b => {
                a.0 == a.1 || (self.shift == other.shift && self.phase() == other.phase())
            }
            _ => false,
        }
    }

    /// Where in the line lanes begin, modulo their size.
    #[inline]
    fn phase(&self) -> u32 {
        u32::from(self.from).wrapping_sub(u32::from(self.skip)) & ((1 << self.shift) - 1)
    }

    /// Logarithm of the largest size (16 bytes at most) in which all that its lanes touch can be told apart.
    #[inline]
    pub(crate) fn granule(&self) -> u8 {
        let (size, skip) = if self.shift == UNIFORM { (self.skip, 0) } else { (self.shift, self.skip) };
        size.min((self.from | self.to | skip).trailing_zeros() as u8).min(4)
    }

    /// How many lanes on is each next piece of `1 << granule` bytes, if that is the same for all?
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
        (u128::MAX >> (128 - u32::from(self.to - self.from))) << self.from
    }

    #[inline]
    pub(crate) fn size(&self) -> u16 {
        let whole = u16::from(self.to - self.from);
        whole.min(1 << if self.shift == UNIFORM { self.skip } else { self.shift })
    }

    /// If its lanes have all of their bytes in the line: the logarithm of how many, and the thread of the first.
    #[inline]
    pub(crate) fn neighbours(&self) -> Option<(u8, u16)> {
        let all = self.shift != UNIFORM && self.skip == 0 && (self.to - self.from) >> self.shift != 0;
        all.then(|| (self.shift, witness(self.warp) * 32 + self.lanes.trailing_zeros() as u16))
    }

    /// Which bytes of the line which thread of the block touched: calls `piece` with bytes, the thread of the
    /// first of them, and the logarithm of how many each next thread has, `None` if all are of the one.
    pub(crate) fn threads(&self, mut piece: impl FnMut((u8, u8), u16, Option<u8>)) {
        let thread = |lane: u32| witness(self.warp) * 32 + lane as u16;
        if self.shift == UNIFORM {
            return piece((self.from, self.to), thread(self.lanes.trailing_zeros()), None);
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
