//! The last accesses of each granule, as far as a later access may race with it.
//!
//! As in FastTrack an access that is ordered before a later one, and excuses no more than it,
//! is forgotten for it. Accesses that do not race with each other (loads, atomics) are kept
//! side by side; threads that made the same access at the same time are kept as lanes of a
//! warp, as a whole block, or as a run of whole blocks.

use super::threads::Who;
use crate::lens::slab::Slab;
use crate::lens::witness::OperationId;
use clocks::compressed::{Shape, VectorClock, WarpIndex};
use events::Space;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Bytes of a granule.
pub const GRANULE: u64 = 4;

/// How an access takes part in races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    pub write: bool,
    pub volatile: bool,
    /// A store right after a fence: a release, to whoever acquires.
    pub sync: bool,
    pub atomic: Atomic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atomic {
    No,
    Block,
    Device,
}

impl Manner {
    /// Two atomics do not race if the lesser of their scopes covers both.
    fn excuses(self, other: Manner, same_block: bool) -> bool {
        let (a, b) = (self.atomic, other.atomic);
        a != Atomic::No && b != Atomic::No && (same_block || a == Atomic::Device && b == Atomic::Device)
    }

    /// Returns whether an access of this manner may stand for an earlier one of the other.
    fn stands_for(self, other: Manner) -> bool {
        self.write >= other.write && self.atomic <= other.atomic && self.sync <= other.sync
    }
}

/// Records of one granule; a lock that a hundred thousand threads take must stay affordable.
/// No power of two, at which all records would be compared with each access.
pub const CAP: usize = 63;

/// All warps of the block.
const EVERY: u16 = u16::MAX;

/// An access by one or more threads at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    pub operation: OperationId,
    first: u32,
    /// For whole blocks: up to and including this one.
    last: u32,
    lanes: u32,
    pub time: u32,
    warp: u16,
    /// Bytes of the granule.
    bytes: u8,
    pub manner: Manner,
}

const _: () = assert!(size_of::<Record>() <= 28);

impl Record {
    fn alike(&self, other: &Record) -> bool {
        (self.operation, self.time, self.bytes) == (other.operation, other.time, other.bytes)
            && self.manner == other.manner
    }

    /// Some thread of the record that the clock does not know to be past.
    fn unordered<C: VectorClock>(&self, shape: &Shape, clock: &C, who: Who) -> Option<Who> {
        let warps = if self.warp == EVERY { 0..shape.warps() as u16 } else { self.warp..self.warp + 1 };
        for block in self.first..=self.last {
            for warp in warps.clone() {
                let at = WarpIndex { block, warp };
                let lanes = if self.warp == EVERY { shape.lanes(warp) } else { self.lanes };
                let mut behind = clock.behind(shape, at, lanes, self.time) & lanes;
                if at == who.at {
                    behind &= !(1 << who.lane);
                }
                if behind != 0 {
                    return Some(Who { at, lane: behind.trailing_zeros() });
                }
            }
        }
        None
    }
}

/// An access that has not been recorded yet.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub who: Who,
    pub time: u32,
    pub operation: OperationId,
    pub manner: Manner,
    /// Bytes of the granule.
    pub bytes: u8,
}

#[derive(Default)]
pub struct Cell {
    records: SmallVec<[Record; 2]>,
}

impl Cell {
    /// The other side of a race: an earlier record, and one of its threads.
    pub fn races<C: VectorClock>(
        &self,
        shape: &Shape,
        clock: &C,
        access: &Access,
        mut report: impl FnMut(&Record, Who),
    ) {
        for record in &self.records {
            let conflict = record.manner.write || access.manner.write;
            if !conflict || record.bytes & access.bytes == 0 {
                continue;
            }
            let same_block = record.first == access.who.at.block && record.last == record.first;
            if record.manner.excuses(access.manner, same_block) {
                continue;
            }
            if let Some(who) = record.unordered(shape, clock, access.who) {
                report(record, who);
            }
        }
    }

    /// Records the access in place of what it stands for.
    pub fn record<C: VectorClock>(&mut self, shape: &Shape, clock: &C, access: &Access) {
        let who = access.who;
        let new = Record {
            operation: access.operation,
            first: who.at.block,
            last: who.at.block,
            lanes: 1 << who.lane,
            time: access.time,
            warp: who.at.warp,
            bytes: access.bytes,
            manner: access.manner,
        };
        if self.records.iter().any(|r| r.alike(&new) && r.holds(who)) {
            return;
        }
        // A plain store has been checked against all that it overwrites.
        let overwrites = new.manner.write && new.manner.atomic == Atomic::No;
        // Asking clocks about all records each time would make crowded granules slow: the
        // thread's own are dropped always, all that are ordered when their number doubles.
        let sweep = self.records.len().is_power_of_two();
        self.records.retain(|old| {
            let covered = old.bytes & !new.bytes == 0;
            let stands = overwrites && new.manner.sync <= old.manner.sync
                || new.manner.stands_for(old.manner)
                    && (sweep || old.is_only(who))
                    && old.unordered(shape, clock, who).is_none();
            !(covered && stands)
        });
        self.insert(shape, new);
    }

    /// True if records had to be dropped: the oldest of those side by side.
    pub fn cap(&mut self) -> bool {
        let full = self.records.len() > CAP;
        if full {
            self.records.remove(0);
        }
        full
    }

    fn insert(&mut self, shape: &Shape, new: Record) {
        let same_warp = |r: &&mut Record| r.alike(&new) && (r.first, r.warp) == (new.first, new.warp);
        let Some(found) = self.records.iter_mut().find(same_warp) else {
            self.records.push(new);
            if new.lanes == shape.lanes(new.warp) {
                self.compress(shape, new);
            }
            return;
        };
        found.lanes |= new.lanes;
        let merged = *found;
        if merged.lanes == shape.lanes(merged.warp) {
            self.compress(shape, merged);
        }
    }

    /// A warp is complete: perhaps its block is, and the next one.
    fn compress(&mut self, shape: &Shape, full: Record) {
        let part = |r: &Record| {
            r.alike(&full) && r.first == full.first && r.warp != EVERY && r.lanes == shape.lanes(r.warp)
        };
        if self.records.iter().filter(|r| part(r)).count() < shape.warps() as usize {
            return;
        }
        self.records.retain(|r| !part(r));
        let mut whole = Record { warp: EVERY, lanes: u32::MAX, ..full };
        self.records.retain(|r| {
            let beside = r.last.wrapping_add(1) == whole.first || whole.last.wrapping_add(1) == r.first;
            let merge = r.alike(&whole) && r.warp == EVERY && beside && whole.manner.atomic != Atomic::Block;
            if merge {
                whole.first = whole.first.min(r.first);
                whole.last = whole.last.max(r.last);
            }
            !merge
        });
        self.records.push(whole);
    }
}

impl Record {
    fn is_only(&self, who: Who) -> bool {
        (self.first, self.warp, self.lanes) == (who.at.block, who.at.warp, 1 << who.lane)
    }

    fn holds(&self, who: Who) -> bool {
        (self.first..=self.last).contains(&who.at.block)
            && (self.warp == EVERY || self.warp == who.at.warp && self.lanes >> who.lane & 1 != 0)
    }
}

/// Cells of a page.
const PAGE: usize = 256;

/// The places in the slab of the pages of one space.
type Pages = FxHashMap<u64, u32>;

/// All memory of a launch.
pub struct Shadow {
    global: Pages,
    shared: FxHashMap<u32, Pages>,
    cells: Slab<Cell>,
}

impl Default for Shadow {
    fn default() -> Self {
        Shadow { global: Pages::default(), shared: FxHashMap::default(), cells: Slab::new(PAGE) }
    }
}

impl Shadow {
    pub fn cell(&mut self, space: Space, granule: u64) -> &mut Cell {
        let pages = match space {
            Space::Global => &mut self.global,
            Space::Shared(block) | Space::Tensor(block) => self.shared.entry(block.0).or_default(),
        };
        let page = pages.entry(granule / PAGE as u64).or_insert_with(|| self.cells.take(Cell::default));
        &mut self.cells.page_mut(*page)[(granule % PAGE as u64) as usize]
    }

    pub fn block_end(&mut self, block: u32) {
        for page in self.shared.remove(&block).into_iter().flatten() {
            self.cells.give_back(page.1);
        }
    }

    /// Forgets everything, and keeps the memory.
    pub fn clear(&mut self) {
        let shared = self.shared.drain().flat_map(|(_, pages)| pages);
        for (_, page) in self.global.drain().chain(shared) {
            self.cells.give_back(page);
        }
    }

    pub fn forget(&mut self, base: u64, bytes: u64) {
        let (first, last) = (base / GRANULE, base.saturating_add(bytes - 1) / GRANULE);
        for (&page, &at) in &self.global {
            let start = page * PAGE as u64;
            if start > last || start + (PAGE as u64) <= first {
                continue;
            }
            for (granule, cell) in (start..).zip(self.cells.page_mut(at)) {
                if (first..=last).contains(&granule) {
                    cell.records.clear();
                }
            }
        }
    }

    /// Bytes held, bytes described.
    pub fn bytes(&self) -> (u64, u64) {
        let (mut held, mut described) = (0, 0);
        for pages in self.shared.values().chain([&self.global]) {
            for &page in pages.values() {
                let cells = self.cells.page(page);
                held += (PAGE * size_of::<Cell>()) as u64;
                described += PAGE as u64 * GRANULE;
                let spilled = cells.iter().filter(|c| c.records.spilled());
                held += spilled.map(|c| (c.records.capacity() * size_of::<Record>()) as u64).sum::<u64>();
            }
        }
        (held, described)
    }
}
