//! The history of 128 bytes of counters or tables: relaxed atomics, or reads, of everybody, in a few numbers for
//! each word.
//!
//! Histograms, sums and queues are touched by all threads of a launch with atomics that are morally strong to
//! each other. Nothing has to be compared then, and who was there matters only once another kind of
//! access comes. For this a [`Word`] keeps two accesses of each counter, by which each later access that races
//! with any of them races with one of the two:
//!
//! * If two blocks were there, the newest access of the first and of the last of all blocks that were. A
//!   thread of any block races with the one that is not of its block.
//! * If only one was, accesses of two of its warps since its last barrier (or of two lanes of its only warp):
//!   earlier ones are ordered before all that a thread of the block does from now on, and a thread of another
//!   block races with any.
//!
//! The same goes for reads, which do not conflict either: tables that many threads look into at many places come
//! to be kept like counters when their line has no more room for [stamps](crate::ptx::history::line).
//!
//! This holds where only whole barriers order threads, and only there tallies are used. Weak accesses that
//! are ordered with all atomics (a block that clears its counters, and one that reads them behind a barrier)
//! are kept as a line's [stamps](crate::ptx::history::line). Anything else splits the line into exact
//! [cells](crate::ptx::history::cell), for good.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::touches::span;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::stamps::{self, Stamps};
use crate::ptx::order::knowledge::WarpState;
use clocks::Tick;
use clocks::compressed::WarpIndex;
use events::{LaneMask, SiteId, is_one_lane};

/// Accesses by other instructions than those of a counter's two that a line keeps, so that in
/// small cases each instruction is told of.
const DISPLACED: usize = 8;

/// One access, or some by lanes of one warp between two barriers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    block: u32,
    tick: Tick,
    site: SiteId,
    class: AccessClass,
    /// Index in its block of the thread, and in the upper bits the lane of another one (or of the same).
    who: u16,
}

impl Slot {
    /// `None` if the warp is none of a block that a GPU can have.
    pub(crate) fn new(
        WarpIndex { block, warp }: WarpIndex,
        lane: u32,
        (tick, site, class): (Tick, SiteId, AccessClass),
    ) -> Option<Slot> {
        let lane = lane as u16 & 31;
        (warp < 64).then_some(Slot { block, tick, site, class, who: lane << 11 | warp << 5 | lane })
    }

    /// The same of another lane, and of that alone.
    #[inline(always)]
    pub(crate) fn of_lane(&self, lane: u32) -> Slot {
        let lane = lane as u16 & 31;
        Slot { who: self.who & 0x7e0 | lane << 11 | lane, ..*self }
    }

    pub(crate) fn class(&self) -> AccessClass {
        self.class
    }

    fn warp(&self) -> u16 {
        self.who >> 5 & 63
    }

    fn lanes(&self) -> LaneMask {
        1 << (self.who & 31) | 1 << (self.who >> 11)
    }

    /// Adds a lane of the same warp and time: the first two are enough for a race with any.
    fn join(&mut self, new: &Slot) {
        if self.who & 31 == self.who >> 11 {
            let other = if new.who & 31 == self.who & 31 { new.who >> 11 } else { new.who & 31 };
            self.who = self.who & 0x7ff | other << 11;
        }
    }

    fn together(&self, new: &Slot) -> bool {
        (self.block, self.tick, self.warp()) == (new.block, new.tick, new.warp())
    }

    /// Returns whether it is ordered before what `lanes` of the warp do next.
    fn ordered(&self, WarpIndex { block, warp }: WarpIndex, lanes: LaneMask, state: &WarpState) -> bool {
        self.block == block
            && (self.tick <= state.all
                || (self.warp() == warp && self.lanes() == lanes && is_one_lane(lanes)))
    }

    fn entry(&self, bytes: crate::ptx::access::entry::Bytes) -> Entry {
        let (lanes, warp) = (self.lanes(), self.warp());
        let Slot { block, tick, site, class, .. } = *self;
        Entry { block, tick, lanes, site, warp, bytes, class, chain: 0, place: 0 }
    }
}

/// The accesses that are kept of one counter: of two blocks, or of two warps of one.
#[derive(Clone, Copy, Debug)]
struct Word {
    first: Slot,
    /// The same as `first` if there is no other.
    last: Slot,
}

/// The newest of a block: the first of its warps that came since the last barrier. Lanes are put together if they
/// are of one instruction. Those of another need not be kept, because the other slot is of another warp or block.
fn renew(kept: &mut Slot, new: Slot) -> Option<Slot> {
    if kept.tick < new.tick {
        Some(std::mem::replace(kept, new))
    } else if kept.together(&new) && kept.site == new.site {
        kept.join(&new);
        None
    } else {
        Some(new)
    }
}

impl Word {
    /// Adds an access; returns one that is not kept, unless a kept one of the same instruction and time
    /// stands for it.
    fn add(&mut self, new: Slot) -> Option<Slot> {
        let alone = self.alone();
        let Word { first, last } = self;
        if first.block == last.block {
            if new.block != first.block {
                let dropped = (!alone).then_some(*last);
                (*first, *last) = if new.block < first.block { (new, *first) } else { (*first, new) };
                return dropped;
            }
            if new.tick > first.tick {
                let dropped = *first;
                (*first, *last) = (new, new);
                return Some(dropped);
            }
            if first.together(&new) && first.site == new.site {
                first.join(&new);
                if alone {
                    *last = *first;
                }
                return None;
            }
            if alone {
                *last = new;
                return None;
            }
            if first.together(last) {
                // Two instructions of one warp: another warp, or else another lane is worth more.
                let lanes = first.lanes() | last.lanes();
                if first.together(&new) && (last.site == new.site || lanes.count_ones() > 1) {
                    return renew(last, new);
                }
                return Some(std::mem::replace(last, new));
            }
            return renew(last, new);
        }
        if new.block <= first.block {
            if new.block == first.block { renew(first, new) } else { Some(std::mem::replace(first, new)) }
        } else if new.block >= last.block {
            if new.block == last.block { renew(last, new) } else { Some(std::mem::replace(last, new)) }
        } else {
            Some(new)
        }
    }

    /// Returns whether an access is the last block's, by its very instruction, and another block's the first one.
    #[inline]
    fn has_on_top(&self, slot: &Slot) -> bool {
        self.first.block != slot.block && self.last.together(slot) && self.last.site == slot.site
    }

    /// Returns whether there is only one slot.
    fn alone(&self) -> bool {
        self.first.together(&self.last)
            && (self.first.site, self.first.who) == (self.last.site, self.last.who)
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        std::iter::once(&self.first).chain((!self.alone()).then_some(&self.last))
    }

    /// As [`Word::add`], where two blocks were, or two warps of one since its last barrier, and nothing that is not kept need be told
    /// of; false otherwise, and then nothing has happened. `told` says that nothing more is told of.
    #[inline(always)]
    fn takes(&mut self, new: &Slot, told: bool) -> bool {
        let Word { first, last } = self;
        if first.block == last.block {
            let now = |kept: &Slot| (kept.block, kept.tick) == (new.block, new.tick);
            if !now(first) || !now(last) || first.warp() == last.warp() {
                return false;
            }
            for kept in [&mut *first, &mut *last] {
                if kept.warp() == new.warp() && kept.site == new.site {
                    kept.join(new);
                    return true;
                }
            }
            return told || first.site == new.site || last.site == new.site;
        }
        if first.block < new.block && new.block < last.block {
            return told || first.site == new.site || last.site == new.site;
        }
        let (kept, other) = if new.block >= last.block { (last, first) } else { (first, last) };
        if kept.block == new.block && kept.tick >= new.tick {
            if kept.together(new) && kept.site == new.site {
                kept.join(new);
                return true;
            }
            return told || kept.site == new.site || other.site == new.site;
        }
        let takes = told || kept.site == new.site || kept.site == other.site;
        if takes {
            *kept = *new;
        }
        takes
    }
}

/// The line's counters that were used.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Weak accesses, each ordered with all atomics of the same bytes.
    stamps: Stamps,
    /// Which counters there are, and then they in order.
    present: u32,
    words: Vec<Word>,
    displaced: Vec<(u8, Slot)>,
    /// Reads of different words, of which it is known that each of their words has them as the last block's, and another block's as
    /// the first. Rows of a table that do not begin where lines do leave two in a line.
    tops: [Option<Stamp>; 2],
    /// Logarithm of a counter's bytes, 2 or 3.
    shift: u8,
    rank: u16,
}

impl Tally {
    /// For atomics of `bytes` bytes (4 or 8) beside weak accesses.
    pub(crate) fn new(stamps: Stamps, class: AccessClass, bytes: u32) -> Self {
        let shift = bytes.trailing_zeros() as u8;
        let rank = class.rank();
        Tally { stamps, present: 0, words: Vec::new(), displaced: Vec::new(), tops: [None; 2], shift, rank }
    }

    /// Adds an atomic access to `at..at + bytes` of the line. False if it is of another kind or size than the
    /// others, or races with a weak one; then nothing has happened.
    pub(crate) fn atomic(&mut self, at: u8, bytes: u32, new: Slot, state: &WarpState) -> bool {
        if new.class.rank() != self.rank || bytes != 1 << self.shift || u32::from(at) & (bytes - 1) != 0 {
            return false;
        }
        let (from, to) = (at, at + bytes as u8);
        let by = WarpIndex { block: new.block, warp: new.warp() };
        let before = |s: &Stamp| stamps::before(s, by, new.lanes(), (from, to), state);
        if !self.stamps.iter().all(before) {
            return false;
        }
        self.tops = [None; 2];
        self.count(at >> self.shift, new);
        true
    }

    /// Adds an access as [`Tally::atomic`] does, where that is soon done; false otherwise, and then nothing has happened.
    #[inline(always)]
    pub(crate) fn takes(&mut self, at: u8, bytes: u32, new: &Slot) -> bool {
        let [one, other] = &self.tops;
        if new.class.rank() != self.rank
            || bytes != 1 << (self.shift & 31)
            || u32::from(at) & (bytes - 1) != 0
            || !self.stamps.is_empty()
            || one.is_some()
            || other.is_some()
        {
            return false;
        }
        let index = at >> (self.shift & 7) & 31;
        let place = (self.present & ((1 << index) - 1)).count_ones() as usize;
        let told = self.displaced.len() >= DISPLACED;
        let Some(word) = self.words.get_mut(place) else { return false };
        self.present >> index & 1 != 0 && word.takes(new, told)
    }

    /// For reads that became too many for stamps. `None` if they are of less than four bytes.
    pub(crate) fn of_reads(stamps: &Stamps) -> Option<Self> {
        let (shift, rank) = (2, AccessClass::READ.rank());
        let (mut reads, writes) =
            (stamps.iter().filter(|s| s.class.rank() == rank), |s: &&Stamp| s.class.rank() != rank);
        let stamps = stamps.iter().filter(writes).copied().collect();
        let mut tally = Tally {
            stamps,
            present: 0,
            words: Vec::new(),
            displaced: Vec::new(),
            tops: [None; 2],
            shift,
            rank,
        };
        reads.all(|read| tally.keep(read)).then_some(tally)
    }

    /// Adds a read that is ordered behind all writes. False if it cannot be kept.
    fn keep(&mut self, new: &Stamp) -> bool {
        let Stamp { tick, site, class, .. } = *new;
        if new.granule() < self.shift {
            return false;
        }
        if self.tops.iter().flatten().any(|top| new.adds_nothing_to(top)) {
            return true;
        }
        let slot = |at: u8| {
            let (first, second) = two_of(new.lanes_of(at, at + 1));
            let slot = |lane: u16| Slot::new(new.at(), lane.into(), (tick, site, class));
            let (mut slot, other) = (slot(first)?, slot(second)?);
            slot.join(&other);
            Some(slot)
        };
        let (from, to) = (new.from >> self.shift, new.to >> self.shift);
        let Some(first) = slot(from << self.shift) else { return false };
        let top = match new.lanes_each(self.shift) {
            _ if to - from == 1 => self.count_row(from, to, first, 0),
            Some(step) => self.count_row(from, to, first, step << 11 | step),
            None => (from..to).fold(true, |top, index| {
                let Some(slot) = slot(index << self.shift) else { return false };
                self.count(index, slot).has_on_top(&slot) && top
            }),
        };
        let [one, other] = self.tops;
        let apart = |top: &Stamp| top.is_apart(new);
        let kept = one.filter(apart).or_else(|| other.filter(apart));
        self.tops = if top { [Some(*new), kept] } else { [kept, None] };
        true
    }

    /// Counts accesses of words side by side, `first` of the first one, and by `step` another thread of each next one. Tells
    /// whether all have them on top.
    fn count_row(&mut self, from: u8, to: u8, first: Slot, step: u16) -> bool {
        let place = (self.present & ((1 << from) - 1)).count_ones() as usize;
        let span = ((1u64 << to) - (1u64 << from)) as u32;
        let (all, told) = (self.present & span == span, self.displaced.len() >= DISPLACED);
        let (mut slot, mut top) = (first, true);
        for index in from..to {
            let word = self.words.get_mut(place + usize::from(index - from)).filter(|_| all);
            let taken = word.and_then(|word| word.takes(&slot, told).then_some(*word));
            top &= taken.unwrap_or_else(|| self.count(index, slot)).has_on_top(&slot);
            slot.who = slot.who.wrapping_add(step);
        }
        top
    }

    fn count(&mut self, index: u8, new: Slot) -> Word {
        let place = (self.present & ((1 << index) - 1)).count_ones() as usize;
        if self.present >> index & 1 == 0 {
            self.present |= 1 << index;
            self.words.insert(place, Word { first: new, last: new });
        } else if let Some(dropped) = self.words[place].add(new) {
            self.displace(index, place, dropped);
        }
        self.words[place]
    }

    fn displace(&mut self, index: u8, place: usize, dropped: Slot) {
        if self.displaced.len() < DISPLACED {
            let kept = self.words[place].slots().any(|s| s.site == dropped.site);
            if !kept && !self.displaced.iter().any(|(i, s)| *i == index && s.site == dropped.site) {
                self.displaced.push((index, dropped));
            }
        }
    }

    /// Adds a weak access. False if it races with an atomic, or its line has no room; then nothing has happened.
    pub(crate) fn weak(&mut self, new: &Stamp, state: &WarpState) -> bool {
        if new.class.rank() == self.rank {
            return self.stamps.iter().all(|write| stamps::after(write, new, state)) && self.keep(new);
        }
        if new.is_strided() {
            return false;
        }
        let (from, to) = (new.from >> self.shift, (new.to - 1) >> self.shift);
        let by = new.at();
        let span = (u32::MAX >> (31 - (to - from))) << from;
        let mut rest = self.present & span;
        let mut place = (self.present & ((1 << from) - 1)).count_ones() as usize;
        while rest != 0 {
            let index = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            let start = (index << self.shift).max(new.from);
            let end = ((u16::from(index) + 1) << self.shift).min(u16::from(new.to)) as u8;
            let lanes = new.lanes_of(start, end);
            if new.class.fetches() || !self.words[place].slots().all(|s| s.ordered(by, lanes, state)) {
                return false;
            }
            place += 1;
        }
        let within = |index: u8| span >> index & 1 != 0;
        if self.displaced.iter().any(|(i, s)| within(*i) && !s.ordered(by, 0, state)) {
            return false;
        }
        if !stamps::add(&mut self.stamps, new, state, true) {
            return false;
        }
        if new.class.writes() {
            self.tops = [None; 2];
            self.forget(new, span);
        }
        true
    }

    /// A weak write of whole counters is behind all of their atomics: what races with one of them later
    /// races with it.
    fn forget(&mut self, write: &Stamp, span: u32) {
        let mut covered = span;
        if write.from & ((1 << self.shift) - 1) != 0 {
            covered &= !(1 << (write.from >> self.shift));
        }
        if write.to & ((1 << self.shift) - 1) != 0 {
            covered &= !(1 << (write.to >> self.shift));
        }
        let mut index = 0;
        let mut left = self.present;
        self.words.retain(|_| {
            index = left.trailing_zeros();
            left &= left - 1;
            covered >> index & 1 == 0
        });
        self.present &= !covered;
        self.displaced.retain(|(i, _)| covered >> i & 1 == 0);
    }

    pub(crate) fn into_stamps(self) -> Stamps {
        self.stamps
    }

    pub(crate) fn stamps(&self) -> &Stamps {
        &self.stamps
    }

    /// The atomics as entries of cells of sixteen bytes, with the cell's index in the line.
    pub(crate) fn entries(&self, mut entry: impl FnMut(usize, Entry)) {
        let mut one = |index: u32, slot: &Slot| {
            let at = index << self.shift;
            let low = at % 16;
            entry(at as usize / 16, slot.entry(span(low, low + (1 << self.shift))));
        };
        for (index, slot) in &self.displaced {
            one((*index).into(), slot);
        }
        let mut rest = self.present;
        for word in &self.words {
            let index = rest.trailing_zeros();
            rest &= rest - 1;
            for slot in word.slots() {
                one(index, slot);
            }
        }
    }

    /// The bytes of counters, a bit each.
    pub(crate) fn touched(&self) -> u128 {
        let each = (1u128 << (1 << self.shift)) - 1;
        (0..32).filter(|i| self.present >> i & 1 != 0).fold(0, |all, i| all | each << (i << self.shift))
    }

    /// Bytes it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Tally>()
            + 16
            + stamps::room(&self.stamps)
            + self.words.capacity() * size_of::<Word>()
            + self.displaced.capacity() * size_of::<(u8, Slot)>()
    }
}

/// The first two lanes, or the only one twice.
fn two_of(lanes: LaneMask) -> (u16, u16) {
    let rest = lanes & lanes.wrapping_sub(1);
    let second = if rest == 0 { lanes } else { rest };
    (lanes.trailing_zeros() as u16 & 31, second.trailing_zeros() as u16 & 31)
}

#[cfg(test)]
mod tests;
