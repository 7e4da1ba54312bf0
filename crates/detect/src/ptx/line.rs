//! The history of 128 bytes in stamps of whole warp accesses.
//!
//! Most accesses are coalesced, weak and ordered: one [`Stamp`] stands for a run of lanes,
//! and the question whether an earlier stamp is known is one comparison. A line answers only
//! "all of it is ordered" or "not sure"; the latter, and whatever is not a weak access of
//! neighbouring lanes, goes to exact [cells](super::cell), for which the line is split for good.
//!
//! **Size:** a line is its stamps, and the hottest code of the detector: the rules for merging them are read together with
//! what a stamp stores.

use super::class::AccessClass;
use super::copies::{Copies, Flying};
use super::elements::span;
use super::entry::Entry;
use super::interval::Interval;
use super::knowledge::{WarpState, Who, is_merged, merged, witness};
use super::ops::Ops;
use super::tally::{Slot, Tally};
use clocks::Tick;
use events::{AsyncOpId, LaneMask, SiteId};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex};

/// Stamps that a line holds before it is thinned out.
const CROWDED: usize = 12;
/// Stamps that a line holds at most.
const FULL: usize = 64;
/// Stamps, of reads mostly, that a line holds before it becomes a [`Tally`] of them.
const READS: usize = 2 * CROWDED;
/// Stamps that a line of a block's own memory holds before it becomes an [`Interval`].
const OWN_STAMPS: usize = 6;
/// Dominated stamps kept in launches where they may matter, as in [`super::cell`].
const PLAIN: usize = 4;
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
    pub(crate) fn new((block, warp): (u32, u16), tick: Tick, site: SiteId, class: AccessClass) -> Self {
        Stamp { block, tick, site, lanes: 0, warp, class, from: 0, to: 0, shift: UNIFORM, skip: 0 }
    }

    /// Lanes that all touch `from..to`.
    pub(crate) fn of_same(&self, lanes: LaneMask, from: u8, to: u8) -> Self {
        Stamp { lanes, from, to, shift: UNIFORM, skip: (to - from).trailing_zeros() as u8, ..*self }
    }

    /// Lanes `first..=last` that touch `bytes` each, the first `skip` of them before the line.
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
    pub(crate) fn of_two(&self) -> Self {
        let rest = self.lanes & self.lanes.wrapping_sub(1);
        Stamp { lanes: self.lanes & !(rest & rest.wrapping_sub(1)), ..*self }
    }

    /// Lets the stamp stand for `new`, too, if that is the next access of the same lanes: by the same
    /// instruction, to the bytes behind.
    fn extend(&mut self, new: &Stamp) -> bool {
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
    pub(crate) fn lanes_of(&self, from: u8, to: u8) -> LaneMask {
        if self.shift == UNIFORM {
            return self.lanes;
        }
        let (first, last) = (self.lane_at(from), self.lane_at(to - 1));
        (u32::MAX >> (31 - (last - first).min(31))) << first
    }

    fn lane_at(&self, byte: u8) -> u32 {
        self.lanes.trailing_zeros() + ((u32::from(byte - self.from) + u32::from(self.skip)) >> self.shift)
    }

    pub(super) fn overlap(&self, other: &Stamp) -> Option<(u8, u8)> {
        let (from, to) = (self.from.max(other.from), self.to.min(other.to));
        (from < to).then_some((from, to))
    }

    fn within(&self, other: &Stamp) -> bool {
        other.from <= self.from && self.to <= other.to
    }

    /// In words that have `kept` as the read of their last block: is it that read again, or one of another warp by the same
    /// instruction at the same time, which is not kept beside it?
    pub(crate) fn adds_nothing_to(&self, kept: &Stamp) -> bool {
        let together =
            (self.block, self.tick, self.site, self.class) == (kept.block, kept.tick, kept.site, kept.class);
        together && self.within(kept) && (self.warp != kept.warp || self == kept)
    }

    /// Does each byte of `from..to` have the same single lane in both, which are of one warp?
    fn same_lanes(&self, other: &Stamp, (from, to): (u8, u8)) -> bool {
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
    fn phase(&self) -> u32 {
        u32::from(self.from).wrapping_sub(u32::from(self.skip)) & ((1 << self.shift) - 1)
    }

    /// Logarithm of the largest size (16 bytes at most) in which all that its lanes touch can be told apart.
    pub(crate) fn granule(&self) -> u8 {
        let (size, skip) = if self.shift == UNIFORM { (self.skip, 0) } else { (self.shift, self.skip) };
        size.min((self.from | self.to | skip).trailing_zeros() as u8).min(4)
    }

    /// How many lanes on is each next piece of `1 << granule` bytes, if that is the same for all?
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
    pub(crate) fn landed(&self, tick: Tick) -> Self {
        Stamp { tick, class: self.class.waited(), ..*self }
    }

    /// The bytes of the line that it touches, a bit each.
    pub(crate) fn touched(&self) -> u128 {
        (u128::MAX >> (128 - u32::from(self.to - self.from))) << self.from
    }

    pub(crate) fn size(&self) -> u16 {
        let whole = u16::from(self.to - self.from);
        whole.min(1 << if self.shift == UNIFORM { self.skip } else { self.shift })
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

pub(crate) type Stamps = SmallVec<[Stamp; 2]>;

#[derive(Debug, Default)]
pub(crate) enum Line {
    #[default]
    Empty,
    Stamps(Stamps),
    /// Counters.
    Tally(Box<Tally>),
    /// Stamps, and copies that nobody has waited for.
    Copies(Box<Copies>),
    /// What is left of a block's own memory behind its last barrier.
    Interval(Box<Interval>),
    /// Its history is in its page's [`Words`](super::words::Words).
    Words,
    /// Its history is in cells.
    Split,
}

impl Line {
    /// Adds a weak access. False if it has to be judged in cells; then nothing has happened.
    pub(crate) fn weak(&mut self, stamp: Stamp, warp: &WarpState, simple: bool, grown: &mut usize) -> bool {
        match self {
            Line::Empty => {
                *self = Line::Stamps(smallvec::smallvec![stamp]);
                true
            }
            Line::Stamps(stamps) => {
                let before = room(stamps);
                if simple && !stamp.class.writes() && stamps.len() >= READS {
                    return self.table(stamp, warp, grown);
                }
                let done = add(stamps, stamp, warp, simple);
                *grown += room(stamps).saturating_sub(before);
                done
            }
            Line::Tally(tally) => {
                let before = tally.bytes();
                let done = tally.weak(stamp, warp);
                *grown += tally.bytes().saturating_sub(before);
                done
            }
            Line::Copies(copies) => {
                let before = room(copies.stamps());
                let done = copies.weak(stamp, warp, simple);
                *grown += room(copies.stamps()).saturating_sub(before);
                done
            }
            Line::Interval(_) | Line::Words | Line::Split => false,
        }
    }

    /// Adds accesses of asynchronous copies that begin. False as above.
    pub(crate) fn depart(&mut self, flying: Flying, ops: &Arc<Mutex<Ops>>, warp: &WarpState) -> bool {
        if let Line::Copies(copies) = self {
            return copies.depart(flying, warp);
        }
        let stamps = match self {
            Line::Empty => Stamps::new(),
            Line::Stamps(stamps) => std::mem::take(stamps),
            _ => return false,
        };
        let mut copies = Box::new(Copies::new(stamps, Arc::clone(ops)));
        let done = copies.depart(flying, warp);
        *self = if done { Line::Copies(copies) } else { Line::Stamps(copies.into_stamps()) };
        done
    }

    /// The threads of an operation's copies have waited for it: these are accesses that they have made by now. False if
    /// there are none of it here.
    pub(crate) fn land(&mut self, op: AsyncOpId, warp: &WarpState, simple: bool, grown: &mut usize) -> bool {
        let Line::Copies(copies) = self else { return false };
        let before = room(copies.stamps());
        let landed = copies.land(op, warp, simple);
        *grown += room(copies.stamps()).saturating_sub(before);
        if copies.is_over() {
            let Line::Copies(copies) = std::mem::take(self) else { return landed };
            *self = Line::Stamps(copies.into_stamps());
        }
        landed
    }

    /// Makes a tally of stamps that are many reads, and adds one more.
    #[cold]
    fn table(&mut self, read: Stamp, warp: &WarpState, grown: &mut usize) -> bool {
        let Line::Stamps(stamps) = self else { return false };
        let Some(mut tally) = Tally::of_reads(stamps) else { return add(stamps, read, warp, true) };
        let done = tally.weak(read, warp);
        if done {
            *grown += tally.bytes().saturating_sub(room(stamps));
            *self = Line::Tally(Box::new(tally));
        }
        done
    }

    /// As [`Line::weak`], for shared memory that no other block reaches, where nothing but whole barriers
    /// orders threads. `scattered` accesses are of many stamps.
    pub(crate) fn own(&mut self, stamp: Stamp, scattered: bool, warp: &WarpState, grown: &mut usize) -> bool {
        match self {
            Line::Interval(interval) => {
                let before = interval.bytes();
                let done = interval.add(&stamp);
                *grown += interval.bytes().saturating_sub(before);
                return done;
            }
            Line::Stamps(stamps) if stamps.first().is_some_and(|s| s.tick <= warp.all) => {
                stamps.retain(|s| s.tick > warp.all);
            }
            _ => {}
        }
        let few = match self {
            Line::Stamps(stamps) => !scattered && stamps.len() < OWN_STAMPS,
            Line::Empty => !scattered,
            _ => true,
        };
        if few && self.weak(stamp, warp, true, grown) {
            return true;
        }
        let stamps = match self {
            Line::Stamps(stamps) => stamps.as_slice(),
            Line::Empty => &[],
            _ => return false,
        };
        let Some(mut interval) = Interval::new(&stamp) else { return false };
        let done = stamps.iter().chain([&stamp]).all(|s| interval.add(s));
        if done {
            *grown += interval.bytes();
            *self = Line::Interval(Box::new(interval));
        }
        done
    }

    /// As [`Line::own`] for one lane of a scattered access to `1 << shift` bytes from `at`. False if a stamp is
    /// needed.
    pub(crate) fn own_one(&mut self, at: u8, shift: u8, stamp: &Stamp, lane: u32) -> bool {
        match self {
            Line::Interval(interval) => interval.add_one(at, shift, stamp, lane),
            _ => false,
        }
    }

    /// Adds one lane's relaxed atomic access to `bytes` bytes (4 or 8) from `at`, in launches where only
    /// whole barriers order threads. False as above.
    pub(crate) fn atomic(
        &mut self,
        (at, bytes): (u8, u32),
        slot: Slot,
        warp: &WarpState,
        grown: &mut usize,
    ) -> bool {
        if let Line::Tally(tally) = self {
            let before = tally.bytes();
            let done = tally.atomic(at, bytes, slot, warp);
            *grown += tally.bytes().saturating_sub(before);
            return done;
        }
        let stamps = match self {
            Line::Empty => Stamps::new(),
            Line::Stamps(stamps) => std::mem::take(stamps),
            // What is before the last barrier is before the atomic.
            Line::Interval(interval) if interval.over(warp.all) => Stamps::new(),
            _ => return false,
        };
        let mut tally = Box::new(Tally::new(stamps, slot.class(), bytes));
        let done = tally.atomic(at, bytes, slot, warp);
        *self = if done {
            *grown += tally.bytes();
            Line::Tally(tally)
        } else {
            Line::Stamps(tally.into_stamps())
        };
        done
    }
}

/// Bytes on the heap.
pub(crate) fn room(stamps: &Stamps) -> usize {
    if stamps.spilled() { stamps.capacity() * size_of::<Stamp>() } else { 0 }
}

/// Adds an access to a line's stamps, if all of it is ordered after what it conflicts with;
/// false if that is not sure, or there is no more room.
///
/// `simple` says that threads of different blocks know nothing of each other, and threads of a block
/// only what whole barriers and their own warp tell them.
pub(crate) fn add(stamps: &mut Stamps, new: Stamp, warp: &WarpState, simple: bool) -> bool {
    let mut covered = 0;
    for old in stamps.iter() {
        let Some(overlap) = old.overlap(&new) else { continue };
        let conflict = old.class.writes() || new.class.writes();
        if conflict {
            if !ordered(old, &new, overlap, warp) {
                return false;
            }
            covered += usize::from(old.within(&new));
        } else if old.within(&new) && ordered(old, &new, overlap, warp) {
            covered += 1;
        }
    }
    if covered > 0 {
        let crowded = simple || stamps.len() >= PLAIN;
        stamps.retain(|old| !dominated(old, &new, warp, crowded));
    }
    if stamps.iter_mut().rev().take(2).any(|last| last.extend(&new)) {
        return true;
    }
    if simple && !new.class.writes() && implied(stamps, &new, usize::MAX) {
        return true;
    }
    if stamps.len() >= CROWDED && !new.class.writes() {
        if simple {
            stamps.push(new);
            if stamps.len() > 2 * CROWDED && stamps.len().is_power_of_two() {
                drop_implied_reads(stamps);
            }
            return stamps.len() <= FULL;
        }
        if merge_with_block(stamps, &new) {
            return true;
        }
    }
    if stamps.len() >= if new.class.writes() { CROWDED * 2 } else { FULL } {
        return false;
    }
    stamps.push(new);
    true
}

/// Is a stamp ordered before what lanes do next in the bytes they share?
pub(crate) fn before(
    old: &Stamp,
    by: (u32, u16),
    lanes: LaneMask,
    (from, to): (u8, u8),
    warp: &WarpState,
) -> bool {
    if old.block == by.0 && old.tick <= warp.all {
        return true;
    }
    let new = Stamp::new(by, warp.tick, old.site, old.class).of_same(lanes, from, to);
    old.overlap(&new).is_none_or(|overlap| ordered(old, &new, overlap, warp))
}

/// Is all of a stamp ordered after what another one has of the same bytes?
pub(crate) fn after(old: &Stamp, new: &Stamp, warp: &WarpState) -> bool {
    old.overlap(new).is_none_or(|overlap| ordered(old, new, overlap, warp))
}

fn ordered(old: &Stamp, new: &Stamp, overlap: (u8, u8), warp: &WarpState) -> bool {
    let same_warp = old.block == new.block && old.warp == new.warp;
    if old.block == new.block {
        if old.tick <= warp.all {
            return true;
        }
        if same_warp && (old.tick <= warp.mates || old.same_lanes(new, overlap)) {
            return true;
        }
    }
    if !warp.has_clocks() || is_merged(old.warp) {
        return false;
    }
    let mut rest = new.lanes;
    if warp.uniform() && !same_warp {
        rest &= rest.wrapping_neg();
    }
    while rest != 0 {
        let me = Who { block: new.block, warp: new.warp, lane: rest.trailing_zeros() as u8 };
        if warp.unknown(me, old.block, old.warp, old.lanes, old.tick) != 0 {
            return false;
        }
        rest &= rest - 1;
    }
    true
}

/// Whatever races with `old` later races with `new`, too?
fn dominated(old: &Stamp, new: &Stamp, warp: &WarpState, crowded: bool) -> bool {
    if !old.within(new) || (old.class.writes() && !new.class.writes()) {
        return false;
    }
    let same = (old.site, old.block, old.warp) == (new.site, new.block, new.warp);
    // Another instruction is another race to report.
    (crowded || same) && ordered(old, new, (old.from, old.to), warp)
}

/// Do two other reads stand for this one, one of an earlier warp or block and one of a later? They are of
/// two blocks, or of two other warps of the block and not earlier in time; so whoever is unordered with
/// this read is unordered with one of the two. Holds where only whole barriers order threads of
/// different warps. The first and the last of all blocks are kept by this, and what is reported
/// does not depend on the order in which blocks ran.
fn implied(stamps: &[Stamp], read: &Stamp, but: usize) -> bool {
    let (mut before, mut after) = (false, false);
    stamps.iter().enumerate().any(|(i, other)| {
        let stands = i != but
            && !other.class.writes()
            && read.within(other)
            && (other.block != read.block || other.tick >= read.tick);
        before |= stands && (other.block, other.warp) < (read.block, read.warp);
        after |= stands && (other.block, other.warp) > (read.block, read.warp);
        before && after
    })
}

fn drop_implied_reads(stamps: &mut Stamps) {
    let mut i = 0;
    while i < stamps.len() {
        let read = stamps[i];
        if !read.class.writes() && implied(stamps, &read, i) {
            stamps.remove(i);
        } else {
            i += 1;
        }
    }
}

/// Makes room among the reads that a block made of the same bytes: the two newest of different warps stay
/// as they are, and one stamp stands for the others. False if there is nothing to gain.
fn merge_with_block(stamps: &mut Stamps, new: &Stamp) -> bool {
    let alike = |s: &Stamp| {
        !s.class.writes()
            && s.block == new.block
            && !is_merged(s.warp)
            && (s.from, s.to) == (new.from, new.to)
    };
    let mut group: SmallVec<[Stamp; 4]> = stamps.iter().copied().filter(alike).collect();
    if group.len() < 2 {
        return false;
    }
    group.push(*new);
    group.sort_by_key(|s| std::cmp::Reverse(s.tick));
    let Some(second) = group.iter().position(|s| s.warp != group[0].warp) else { return false };
    let kept = [group[0], group[second]];
    let others =
        |s: &Stamp| is_merged(s.warp) && s.block == new.block && (s.from, s.to) == (new.from, new.to);
    let mut rest = stamps.iter().copied().find(others);
    for (_, stamp) in group.iter().enumerate().filter(|&(i, _)| i != 0 && i != second) {
        let tick = rest.map_or(0, |r| r.tick).max(stamp.tick);
        rest = Some(Stamp { tick, warp: merged(stamp.warp), ..*stamp });
    }
    stamps.retain(|s| !alike(s) && !others(s));
    stamps.extend(rest);
    stamps.extend(kept);
    true
}
