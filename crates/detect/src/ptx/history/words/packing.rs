//! An access in eight bytes, for [words](crate::ptx::history::words).

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::{Bytes, Entry, NEXT};
use crate::ptx::access::thread::Who;
use crate::ptx::history::cell::dominance::all_of;
use crate::ptx::order::knowledge::WarpState;
use crate::shadow::{Room, Rooms, lock};
use clocks::Tick;
use clocks::compressed::WarpIndex;
use events::SiteId;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// Bits of a thread's index in its block.
const THREAD: u32 = 10;
/// Bits of a [`Kind`]'s number.
const KIND: u32 = 13;
/// Numbers of kinds.
pub(crate) const KINDS: usize = 1 << KIND;
/// The bit at which the tick begins.
const TICK: u32 = THREAD + KIND;

/// Set in the number of a kind that is strong, and of one that is of single words.
const STRONG: u16 = 1 << (KIND - 1);
const SINGLE: u16 = 1 << (KIND - 2);
/// Set in that of an atomic whose result a thread has read: the first such thread is kept elsewhere.
const OBSERVED: u16 = 1 << (KIND - 3);

/// The kind of an access: everything but its thread and its tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kind {
    pub(crate) site: SiteId,
    pub(crate) class: AccessClass,
    /// Logarithm of its bytes.
    pub(crate) shift: u8,
    /// A weak write that its own thread's atomic went on from: the first of a chain.
    pub(crate) begins: bool,
}

impl Kind {
    pub(crate) fn new(site: SiteId, class: AccessClass, shift: u8) -> Kind {
        Kind { site, class, shift, begins: false }
    }
}

/// An access in 64 bits: block, tick, kind and thread, from the highest bits on. Never 0, since ticks begin at 1.
pub(crate) type Packed = u64;

/// How a launch's accesses are packed.
#[derive(Debug)]
pub(crate) struct Packing {
    /// The bit at which the block begins; bits in between are the tick's.
    block: u32,
    kinds: Mutex<All>,
    rooms: Arc<Rooms>,
}

#[derive(Debug, Default)]
struct All {
    numbers: FxHashMap<Kind, u16>,
    /// Numbers, indexed by whether kinds are strong and whether they are of single words.
    kinds: [Vec<Kind>; 4],
}

impl Packing {
    /// For a grid of so many blocks; `None` if they are too many.
    pub(crate) fn new(blocks: u64, rooms: &Arc<Rooms>) -> Option<Packing> {
        let bits = (64 - blocks.saturating_sub(1).leading_zeros()).max(1);
        // Sixteen bits of ticks are the least that is worth it.
        (bits + TICK + 16 <= 64).then(|| Packing {
            block: 64 - bits,
            kinds: Mutex::default(),
            rooms: Arc::clone(rooms),
        })
    }

    /// Zeros, for accesses of a page's words.
    pub(crate) fn room(&self) -> Room {
        self.rooms.take()
    }

    /// The number of a kind, if there is one left for it.
    pub(crate) fn number(&self, kind: Kind) -> Option<u16> {
        let All { numbers, kinds } = &mut *lock(&self.kinds);
        if let Some(&number) = numbers.get(&kind) {
            return Some(number);
        }
        let strong = if kind.class.strong() { STRONG } else { 0 };
        let group = strong | if kind.shift == 2 { SINGLE } else { 0 };
        let kinds = &mut kinds[usize::from(group / SINGLE)];
        let number = u16::try_from(kinds.len()).ok().filter(|&n| n < OBSERVED)? | group;
        numbers.insert(kind, number);
        kinds.push(kind);
        Some(number)
    }

    pub(crate) fn kind(&self, packed: Packed) -> Kind {
        let number = (packed >> THREAD) as u16 & ((1 << KIND) - 1);
        let (group, index) = (usize::from(number / SINGLE), usize::from(number % OBSERVED));
        let unknown = Kind::new(SiteId(0), AccessClass::READ, 2);
        lock(&self.kinds).kinds[group].get(index).copied().unwrap_or(unknown)
    }

    /// The same access as the first of a chain, if there is a number left for its kind.
    #[cold]
    pub(crate) fn begins(&self, packed: Packed) -> Option<Packed> {
        let number = self.number(Kind { begins: true, ..self.kind(packed) })?;
        Some(packed & !(((1 << KIND) - 1) << THREAD) | u64::from(number) << THREAD)
    }

    pub(crate) fn tick(&self, packed: Packed) -> Tick {
        (packed >> TICK & ((1 << (self.block - TICK)) - 1)) as Tick
    }

    fn block(&self, packed: Packed) -> u32 {
        (packed >> self.block) as u32
    }

    /// `packed` with the higher tick of both. `other` may be 0.
    pub(crate) fn later_of(&self, packed: Packed, other: Packed) -> Packed {
        let tick = self.tick(packed).max(self.tick(other));
        packed & !(((1 << (self.block - TICK)) - 1) << TICK) | u64::from(tick) << TICK
    }

    fn who(&self, packed: Packed) -> Who {
        let thread = packed as u16 & ((1 << THREAD) - 1);
        Who { block: self.block(packed), warp: thread / 32, lane: (thread % 32) as u8 }
    }

    /// An access of a warp's first lane. `None` if a part of it has no room.
    #[inline(always)]
    pub(crate) fn pack(&self, WarpIndex { block, warp }: WarpIndex, tick: Tick, kind: u16) -> Option<Packed> {
        let fits = warp < 1 << (THREAD - 5) && u64::from(tick) >> (self.block - TICK) == 0 && tick > 0;
        let (block, tick) = (u64::from(block), u64::from(tick));
        (fits && block >> (64 - self.block) == 0)
            .then(|| block << self.block | tick << TICK | u64::from(kind) << THREAD | u64::from(warp) << 5)
    }

    /// The bits of block and thread: numbers with these bits only are in the order of [`Packing::thread`].
    pub(crate) fn of_thread(&self) -> u64 {
        u64::MAX << self.block | ((1 << THREAD) - 1)
    }

    /// The block, and the index of the thread in it.
    pub(crate) fn thread(&self, packed: Packed) -> (u32, u16) {
        (self.block(packed), packed as u16 & ((1 << THREAD) - 1))
    }

    pub(crate) fn entry(&self, packed: Packed, kind: Kind, bytes: Bytes) -> Entry {
        let who = self.who(packed);
        Entry {
            block: who.block,
            tick: self.tick(packed),
            lanes: 1 << who.lane,
            site: kind.site,
            warp: who.warp,
            bytes,
            class: kind.class,
            chain: if kind.begins { NEXT } else { 0 },
            place: 0,
        }
    }
}

/// The numbers that one observer has asked for.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    numbers: FxHashMap<Kind, u16>,
    /// Those asked for last, by their instructions: loops that are unrolled have several.
    last: [Option<(Kind, u16)>; LAST],
}

/// Kinds that are found without looking.
const LAST: usize = 8;

impl Kinds {
    #[inline]
    pub(crate) fn number(&mut self, packing: &Packing, kind: Kind) -> Option<u16> {
        match self.last[kind.site.0 as usize % LAST] {
            Some((last, number)) if last == kind => Some(number),
            _ => self.another(packing, kind),
        }
    }

    fn another(&mut self, packing: &Packing, kind: Kind) -> Option<u16> {
        let known = self.numbers.get(&kind).copied();
        let number = known.or_else(|| packing.number(kind))?;
        if known.is_none() {
            self.numbers.insert(kind, number);
        }
        self.last[kind.site.0 as usize % LAST] = Some((kind, number));
        Some(number)
    }
}

#[inline(always)]
pub(crate) fn strong(packed: Packed) -> bool {
    packed >> THREAD & u64::from(STRONG) != 0
}

#[inline(always)]
pub(crate) fn is_observed(packed: Packed) -> bool {
    packed >> THREAD & u64::from(OBSERVED) != 0
}

/// Returns the same atomic, marked as observed.
#[inline(always)]
pub(crate) fn observed(packed: Packed) -> Packed {
    packed | u64::from(OBSERVED) << THREAD
}

/// The same of the next thread of the block, if that has room.
#[inline(always)]
pub(crate) fn next_thread(packed: Packed) -> Option<Packed> {
    let last = (1 << THREAD) - 1;
    (packed & last != last).then(|| packed + 1)
}

/// Returns whether there is room for so many threads of the block from this one on.
#[inline(always)]
pub(crate) fn has_threads(packed: Packed, threads: usize) -> bool {
    (packed & ((1 << THREAD) - 1)) as usize + threads <= 1 << THREAD
}

/// Returns whether two are of one kind.
#[inline(always)]
pub(crate) fn alike(one: Packed, other: Packed) -> bool {
    (one ^ other) & ((1 << KIND) - 1) << THREAD == 0
}

/// Returns whether two accesses are of other threads than a third one, of its block and as old.
#[inline(always)]
pub(crate) fn beside(one: Packed, other: Packed, new: Packed) -> bool {
    let (one, other) = (one ^ new, other ^ new);
    let thread = (1 << THREAD) - 1;
    ((one | other) >> TICK == 0) & (one & thread != 0) & (other & thread != 0)
}

/// The number of its kind.
pub(crate) fn kind_number(packed: Packed) -> u64 {
    packed >> THREAD & ((1 << KIND) - 1)
}

/// Returns whether it is of four bytes.
pub(crate) fn single(packed: Packed) -> bool {
    packed >> THREAD & u64::from(SINGLE) != 0
}

/// The accesses that are ordered before a warp's access where only whole barriers order threads, as three
/// numbers.
#[derive(Clone, Copy)]
pub(crate) struct Behind {
    least: Packed,
    known: u64,
    /// The bits of block and thread.
    who: Packed,
}

impl Behind {
    /// As [`Accessor::after`], if there is something.
    #[inline(always)]
    pub(crate) fn covers(self, old: Packed, new: Packed) -> bool {
        self.covers_for_all(old) | ((old ^ new) & self.who == 0)
    }

    /// Returns whether it is ordered before all lanes of the warp.
    #[inline(always)]
    pub(crate) fn covers_for_all(self, old: Packed) -> bool {
        old.wrapping_sub(self.least) <= self.known
    }

    /// As [`Accessor::after`].
    #[inline(always)]
    pub(crate) fn after(self, old: Packed, new: Packed) -> bool {
        old == 0 || self.covers(old, new)
    }

    /// Returns whether two accesses are of one block.
    #[inline(always)]
    pub(crate) fn one_block(self, one: Packed, other: Packed) -> bool {
        (one ^ other) & self.who & (u64::MAX << THREAD) == 0
    }
}

/// For which reads of a word two of them stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// For all: where nothing but whole barriers and the warp itself orders threads.
    All,
    /// There, for those by the same instruction: in small launches each instruction is told of.
    Alike,
    /// For those that are ordered before them: where threads learn of each other by more than barriers.
    Earlier,
    /// For those that are ordered before them, and in large launches there is an access set for the others.
    Each,
}

/// A warp's access on its way to words, and what its threads know.
#[derive(Clone, Copy)]
pub(crate) struct Accessor<'a> {
    packing: &'a Packing,
    state: &'a WarpState,
    /// As if made by the warp's first lane.
    first: Packed,
    /// The least that is of the block, and how much more it is at most to be behind a barrier of all.
    least: Packed,
    known: u64,
    pub(crate) writes: bool,
    /// A relaxed operation on single words; one that writes is an atomic and returns what it found.
    pub(crate) strong: bool,
    /// Two reads stand for all.
    pub(crate) simple: bool,
    /// Two reads by the same instruction do.
    pub(crate) alike: bool,
    /// Accesses that no other one stands for go to an access set.
    pub(crate) each: bool,
    /// See [`AccessClass::fetches`].
    pub(crate) fetches: bool,
}

impl<'a> Accessor<'a> {
    /// `None` if the access cannot be packed.
    #[inline(always)]
    pub(crate) fn new(
        packing: &'a Packing,
        (by, tick): (WarpIndex, Tick),
        (kind, class): (u16, AccessClass),
        state: &'a WarpState,
        stand: Stand,
    ) -> Option<Self> {
        let first = packing.pack(by, tick, kind)?;
        let known = (u64::from(state.all) << TICK | ((1 << TICK) - 1)).min((1 << packing.block) - 1);
        let least = first >> packing.block << packing.block;
        let (writes, strong) = (class.writes(), class.strong());
        let (simple, alike) = (stand == Stand::All, stand == Stand::Alike);
        let (each, fetches) = (stand == Stand::Each, class.fetches());
        Some(Accessor { packing, state, first, least, known, writes, strong, simple, alike, each, fetches })
    }

    /// Returns whether two reads of these stand for all three.
    #[inline]
    pub(crate) fn are_alike(&self, one: Packed, other: Packed) -> bool {
        let kind = kind_number(self.first);
        self.alike && kind_number(one) == kind && kind_number(other) == kind
    }

    pub(crate) fn packing(&self) -> &'a Packing {
        self.packing
    }

    /// Returns whether all threads of a block were ordered before `new` up to the tick of `merged`, which stands for several. True if it is 0.
    pub(crate) fn after_all(&self, merged: Packed, new: Packed) -> bool {
        let me = self.packing.who(new);
        merged == 0 || all_of(self.packing.block(merged), me, self.state) >= self.packing.tick(merged)
    }

    pub(crate) fn block_of(&self, packed: Packed) -> u64 {
        packed >> self.packing.block
    }

    pub(crate) fn of_lane(&self, lane: u32) -> Packed {
        self.first | u64::from(lane)
    }

    /// Returns whether there is no access, or one that is ordered before `new` of this warp.
    #[inline(always)]
    pub(crate) fn after(&self, old: Packed, new: Packed) -> bool {
        old == 0
            || old.wrapping_sub(self.least) <= self.known
            || self.same_thread(old, new)
            || !(self.simple || self.alike) && self.learnt(old, new)
    }

    /// As [`Accessor::after`], where `old` is a write or an atomic: no order helps a fetch behind one.
    #[inline(always)]
    pub(crate) fn after_write(&self, old: Packed, new: Packed) -> bool {
        old == 0 || !self.fetches && self.after(old, new)
    }

    /// Returns a word's last weak write once this warp's atomic is behind it and the `atomic` that is there: if
    /// that is the first one and of the write's own thread, it observes the write morally strongly, and the write
    /// begins their chain. None if there is no way to say so.
    #[inline(always)]
    pub(crate) fn behind_own(&self, write: Packed, atomic: Packed, new: Packed) -> Option<Packed> {
        if write == 0 || atomic != 0 || !self.same_thread(write, new) || !single(write) {
            return Some(write);
        }
        self.packing.begins(write)
    }

    pub(crate) fn behind(&self) -> Behind {
        let who = self.packing.of_thread();
        Behind { least: self.least, known: self.known, who }
    }

    #[inline(always)]
    pub(crate) fn same_thread(&self, old: Packed, new: Packed) -> bool {
        let other = old ^ new;
        other >> self.packing.block == 0 && other & ((1 << THREAD) - 1) == 0
    }

    /// Returns whether it is of the warp that makes the access.
    #[inline(always)]
    pub(crate) fn same_warp(&self, old: Packed) -> bool {
        let other = old ^ self.first;
        other >> self.packing.block == 0 && other & ((1 << THREAD) - 1) < 32
    }

    /// As above, from what else threads know.
    #[inline]
    fn learnt(&self, old: Packed, new: Packed) -> bool {
        let (by, me) = (self.packing.who(old), self.packing.who(new));
        self.state.unknown(me, by.block, by.warp, 1 << by.lane, self.packing.tick(old)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_block_tick_kind_and_thread() {
        for blocks in [1, 2, 64, 65_535, 1 << 20] {
            let packing = Packing::new(blocks, &Arc::default()).unwrap();
            let kind = Kind::new(SiteId(77), AccessClass::READ, 3);
            packing.number(Kind { shift: 2, ..kind });
            let number = packing.number(kind).unwrap();
            let block = (blocks - 1) as u32;
            let packed = packing.pack(WarpIndex { block, warp: 31 }, 60_000, number).unwrap() | 5;
            let entry = packing.entry(packed, kind, 0xf0);
            assert_eq!((entry.block, entry.tick, entry.warp, entry.lanes), (block, 60_000, 31, 1 << 5));
            assert_eq!((entry.site, entry.class, packing.kind(packed)), (kind.site, kind.class, kind));
            assert!(!is_observed(packed) && is_observed(observed(packed)));
            assert_eq!(packing.kind(observed(packed)), kind);
            let (beyond, first) = (WarpIndex { block, warp: 32 }, WarpIndex { block: 0, warp: 0 });
            assert!(packing.pack(beyond, 1, number).is_none() && packing.pack(first, 0, 0).is_none());
        }
        assert!(Packing::new(1 << 30, &Arc::default()).is_none());
    }
}
