//! The stamps of a line, and the rules by which one more joins them.

use crate::ptx::access::entry::{is_merged, merged};
use crate::ptx::access::thread::Who;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::witnesses::Around;
use crate::ptx::order::knowledge::WarpState;
use clocks::compressed::WarpIndex;
use events::LaneMask;
use smallvec::SmallVec;

/// Stamps that a line holds before it is thinned out.
pub(crate) const CROWDED: usize = 12;
/// Stamps that a line holds at most.
const FULL: usize = 64;
/// Reads of the same bytes by one block that are kept as they are: a barrier of some of its warps orders some of them.
const ALIKE: usize = 8;
/// Dominated stamps kept in launches where they may matter, as in [`crate::ptx::history::cell`].
const PLAIN: usize = 4;

pub(crate) type Stamps = SmallVec<[Stamp; 2]>;

/// Bytes on the heap.
#[inline]
pub(crate) fn room(stamps: &Stamps) -> usize {
    if stamps.spilled() { stamps.capacity() * size_of::<Stamp>() } else { 0 }
}

/// Adds an access to a line's stamps, if all of it is ordered after what it conflicts with;
/// false if that is not sure, or there is no more room.
///
/// `simple` says that threads of different blocks know nothing of each other, and threads of a block
/// only what whole barriers and their own warp tell them.
pub(crate) fn add(stamps: &mut Stamps, new: &Stamp, warp: &WarpState, simple: bool) -> bool {
    let writes = new.class.writes();
    let crowded = simple || stamps.len() >= PLAIN;
    let clocks = warp.has_clocks();
    // A bit for each that the new one stands for, and whether two others stand for that: see `implied`.
    let (mut dominated, mut bit) = (0u64, 1u64);
    let mut around = Around::default();
    for old in stamps.iter() {
        let this = bit;
        bit <<= 1;
        if old.is_apart(new) {
            continue;
        }
        let stands_for = old.within(new) && (crowded || old.is_of(new));
        if writes || old.class.writes() {
            // No order helps a fetch behind a write.
            if new.class.fetches() || !ordered(old, new, clocks, warp) {
                return false;
            }
            dominated |= if stands_for && writes { this } else { 0 };
        } else if stands_for && ordered(old, new, clocks, warp) {
            dominated |= this;
        } else if simple && stands(old, new) {
            around.add(old.made(), new.made());
        }
    }
    if dominated != 0 {
        drop_all(stamps, dominated);
    }
    let joins = |last: &mut Stamp| last.to == new.from && last.extend(new);
    let joined = match stamps.as_mut_slice() {
        [.., before, last] => joins(last) || joins(before),
        [last] => joins(last),
        [] => false,
    };
    if joined {
        return true;
    }
    if around.are_two() {
        return true;
    }
    if stamps.len() >= CROWDED
        && let Some(done) = crowd(stamps, new, simple)
    {
        return done;
    }
    if stamps.len() == stamps.capacity() {
        grow(stamps);
    }
    stamps.push(*new);
    true
}

/// Makes room. Those that the line itself has no room for are a few as a rule.
#[cold]
fn grow(stamps: &mut Stamps) {
    let more = if stamps.spilled() { stamps.len() } else { 4 };
    stamps.reserve_exact(more);
}

/// Adds to many stamps. `None` if there is room for one more.
#[cold]
fn crowd(stamps: &mut Stamps, new: &Stamp, simple: bool) -> Option<bool> {
    let writes = new.class.writes();
    if !writes && simple {
        stamps.push(*new);
        if stamps.len() > 2 * CROWDED && stamps.len().is_power_of_two() {
            drop_implied_reads(stamps);
        }
        return Some(stamps.len() <= FULL);
    }
    if !writes && merge_with_block(stamps, new) {
        return Some(true);
    }
    (stamps.len() >= if writes { CROWDED * 2 } else { FULL }).then_some(false)
}

/// Drops those whose bits are set.
#[inline]
fn drop_all(stamps: &mut Stamps, which: u64) {
    if which.count_ones() as usize == stamps.len() {
        return stamps.clear();
    }
    let mut rest = which;
    stamps.retain(|_| {
        let keep = rest & 1 == 0;
        rest >>= 1;
        keep
    });
}

/// Returns whether a stamp is ordered before what lanes do next in the bytes they share.
#[inline]
pub(crate) fn before(
    old: &Stamp,
    by: WarpIndex,
    lanes: LaneMask,
    (from, to): (u8, u8),
    warp: &WarpState,
) -> bool {
    if old.block == by.block && old.tick <= warp.all {
        return true;
    }
    after(old, &Stamp::new(by, warp.tick, old.site, old.class).of_same(lanes, from, to), warp)
}

/// Returns whether all of a stamp is ordered after what another one has of the same bytes.
#[inline]
pub(crate) fn after(old: &Stamp, new: &Stamp, warp: &WarpState) -> bool {
    let fetched = new.class.fetches() && old.class.writes();
    old.is_apart(new) || !fetched && ordered(old, new, warp.has_clocks(), warp)
}

/// Returns the same of two that share bytes; `clocks` says whether the warp has some.
#[inline(always)]
fn ordered(old: &Stamp, new: &Stamp, clocks: bool, warp: &WarpState) -> bool {
    if old.block == new.block {
        if old.tick <= warp.all {
            return true;
        }
        if old.warp == new.warp {
            return old.tick <= warp.mates || in_warp(old, new, warp);
        }
    }
    clocks && !is_merged(old.warp) && by_clocks(old, new, false, warp)
}

/// Returns the same for one warp, whose lanes know of each other only by clocks.
#[inline(never)]
fn in_warp(old: &Stamp, new: &Stamp, warp: &WarpState) -> bool {
    old.same_lanes(new, (old.from.max(new.from), old.to.min(new.to)))
        || warp.has_clocks() && !is_merged(old.warp) && by_clocks(old, new, true, warp)
}

#[inline(never)]
fn by_clocks(old: &Stamp, new: &Stamp, same_warp: bool, warp: &WarpState) -> bool {
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

/// Returns whether two other reads stand for this one: case 2 of [`witnesses`](crate::ptx::history::witnesses).
fn implied(stamps: &[Stamp], read: &Stamp, but: usize) -> bool {
    let mut around = Around::default();
    stamps.iter().enumerate().any(|(i, other)| {
        let stands = i != but && !other.class.writes() && stands(other, read);
        stands && around.add(other.made(), read.made())
    })
}

/// Returns whether `other` is one of the two reads that may stand for `read`.
#[inline]
fn stands(other: &Stamp, read: &Stamp) -> bool {
    read.within(other) && other.made().may_stand_for(read.made())
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
    let alike = |s: &Stamp| !s.class.writes() && s.block == new.block && !is_merged(s.warp) && s.is_like(new);
    let mut group: SmallVec<[Stamp; 4]> = stamps.iter().copied().filter(alike).collect();
    if group.len() < ALIKE {
        return false;
    }
    group.push(*new);
    group.sort_by_key(|s| std::cmp::Reverse(s.tick));
    let Some(second) = group.iter().position(|s| s.warp != group[0].warp) else { return false };
    let kept = [group[0], group[second]];
    let others = |s: &Stamp| is_merged(s.warp) && s.block == new.block && s.is_like(new);
    let mut rest = stamps.iter().copied().find(others);
    for (_, stamp) in group.iter().enumerate().filter(|&(i, _)| i != 0 && i != second) {
        let tick = rest.map_or(0, |r| r.tick).max(stamp.tick);
        rest = Some(stamp.of_warp(merged(stamp.warp), tick));
    }
    stamps.retain(|s| !alike(s) && !others(s));
    stamps.extend(rest);
    stamps.extend(kept);
    true
}
