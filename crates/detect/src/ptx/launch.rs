//! What all observers of one launch share.

use super::cell::{Cell, Entry};
use super::line::{self, Line, Stamp};
use super::report::Sink;
use super::tally::Tally;
use super::tasks::{Run, runs_of};
use crate::shadow::{Memory, Pages, Table, lock};
use events::observer::Footprint;
use events::task::LaunchInfo;
use events::{Dim3, Scope, Sem, TaskId};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shadow of 4 KiB: lines of 128 bytes, and cells of sixteen for lines that were split.
#[derive(Debug, Default)]
pub(crate) struct Page {
    lines: [Line; 32],
    cells: Option<Box<[Option<Box<Cell>>; 256]>>,
}

impl Page {
    pub(crate) fn line(&mut self, index: usize) -> &mut Line {
        &mut self.lines[index & 31]
    }

    /// A cell, whose line is split for it; what that takes is added to `grown`.
    pub(crate) fn cell(&mut self, index: usize, grown: &mut usize) -> &mut Cell {
        let index = index & 255;
        let cells = self.cells.get_or_insert_with(|| {
            *grown += 256 * 8;
            Box::new([const { None }; 256])
        });
        let line = &mut self.lines[index / 8];
        if !matches!(line, Line::Split) {
            let mut add = |i: usize, entry: Entry| {
                let cell = cells[index / 8 * 8 + i].get_or_insert_with(|| {
                    *grown += size_of::<Cell>() + 16;
                    Box::default()
                });
                let before = cell.room();
                cell.entries.push(entry);
                *grown += cell.room() - before;
                if entry.class.strong() {
                    cell.prepare(entry.bytes);
                }
            };
            match std::mem::replace(line, Line::Split) {
                Line::Stamps(stamps) => stamps.iter().for_each(|stamp| stamp.entries(&mut add)),
                Line::Tally(tally) => {
                    tally.stamps().iter().for_each(|stamp| stamp.entries(&mut add));
                    tally.entries(add);
                }
                Line::Interval(interval) => interval.entries(add),
                Line::Empty | Line::Split => {}
            }
        }
        cells[index].get_or_insert_with(|| {
            *grown += size_of::<Cell>() + 16;
            Box::default()
        })
    }

    fn clear(&mut self) {
        self.forget(0, 4096);
        self.cells = None;
    }

    /// Forgets bytes `from..to`, rounded to whole lines outwards.
    fn forget(&mut self, from: u64, to: u64) {
        let lines = (from / 128) as usize..to.div_ceil(128) as usize;
        if let Some(cells) = &mut self.cells {
            cells[lines.start * 8..lines.end * 8].fill_with(|| None);
        }
        self.lines[lines].fill_with(Line::default);
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (usize, &Cell)> {
        let cells = self.cells.iter().flat_map(|cells| cells.iter().enumerate());
        cells.filter_map(|(i, c)| c.as_deref().map(|c| (i, c)))
    }

    /// The stamps of lines that are not split, with the line's index.
    pub(crate) fn stamps(&self) -> impl Iterator<Item = (usize, &Stamp)> {
        self.lines.iter().enumerate().flat_map(|(i, line)| {
            let stamps = match line {
                Line::Stamps(stamps) => stamps.as_slice(),
                Line::Tally(tally) => tally.stamps().as_slice(),
                Line::Empty | Line::Interval(_) | Line::Split => &[],
            };
            stamps.iter().map(move |s| (i, s))
        })
    }

    /// The tallies of its lines, with the line's index.
    pub(crate) fn tallies(&self) -> impl Iterator<Item = (usize, &Tally)> {
        self.lines.iter().enumerate().filter_map(|(i, line)| match line {
            Line::Tally(tally) => Some((i, &**tally)),
            _ => None,
        })
    }

    fn footprint(&self) -> Footprint {
        let mut sum = Footprint { shadow_bytes: size_of::<Page>() as u64 + 48, touched_bytes: 0 };
        let bits = |s: &Stamp| (u128::MAX >> (128 - u32::from(s.to - s.from))) << s.from;
        for line in &self.lines {
            let (stamps, counters, heap) = match line {
                Line::Stamps(stamps) => (stamps, 0, line::room(stamps)),
                Line::Tally(tally) => (tally.stamps(), tally.touched(), tally.bytes()),
                Line::Interval(interval) => {
                    sum.shadow_bytes += interval.bytes() as u64;
                    sum.touched_bytes += u64::from(interval.touched().count_ones());
                    continue;
                }
                Line::Empty | Line::Split => continue,
            };
            sum.shadow_bytes += heap as u64;
            sum.touched_bytes += u64::from(stamps.iter().fold(counters, |b, s| b | bits(s)).count_ones());
        }
        if self.cells.is_some() {
            sum.shadow_bytes += 256 * 8;
        }
        for (_, cell) in self.cells() {
            sum.shadow_bytes += (size_of::<Cell>() + cell.heap_bytes()) as u64;
            sum.touched_bytes += u64::from(cell.touched().count_ones());
        }
        sum
    }
}

/// Pages of a launch's global memory, or of a block's shared memory, one after the other.
pub(crate) enum Pager<'a> {
    Global { launch: &'a Launch, held: Option<(u64, MutexGuard<'a, Page>)> },
    Shared(&'a mut Shadow),
}

impl Pager<'_> {
    /// The page; none if it would be new and there is no memory for it.
    pub(crate) fn page(&mut self, number: u64, grown: &mut usize) -> Option<&mut Page> {
        let room = size_of::<Page>() + 64;
        match self {
            Pager::Global { launch, held } => {
                if held.as_ref().is_none_or(|h| h.0 != number) {
                    // Never two locks at once.
                    *held = None;
                    let launch: &Launch = launch;
                    let page = launch.global.page_if(number, || {
                        let may = launch.memory.may_grow();
                        *grown += if may { room } else { 0 };
                        may
                    });
                    *held = Some((number, page?));
                }
                held.as_mut().map(|(_, page)| &mut **page)
            }
            Pager::Shared(shadow) => shadow.page_if(number, || {
                *grown += room;
                true
            }),
        }
    }
}

pub(crate) type Shadow = Pages<Page>;

pub(crate) fn footprint_of(shadow: &Shadow) -> Footprint {
    total(shadow.iter().map(|(_, page)| page.footprint()))
}

pub(crate) fn total(footprints: impl Iterator<Item = Footprint>) -> Footprint {
    footprints.fold(Footprint::default(), |sum, one| Footprint {
        shadow_bytes: sum.shadow_bytes + one.shadow_bytes,
        touched_bytes: sum.touched_bytes + one.touched_bytes,
    })
}

/// One launch: its shape, its shadow of global memory, and where its findings go.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) task: TaskId,
    pub(crate) info: LaunchInfo,
    pub(crate) sink: Arc<Sink>,
    /// Of global memory.
    global: Table<Page>,
    /// The widest scope of a release and of an acquire, 0 for none.
    releases: AtomicU8,
    acquires: AtomicU8,
    unsure: AtomicBool,
    memory: Arc<Memory>,
    /// What was done to each page, once all of it has been.
    sum: Mutex<Vec<(u64, Vec<Run>)>>,
    /// Its part of it.
    bytes: AtomicU64,
    /// By observer: the most that its blocks' shared memory took at one time.
    of_blocks: Mutex<Vec<Footprint>>,
}

impl Launch {
    pub(crate) fn new(task: TaskId, info: LaunchInfo, sink: Arc<Sink>, memory: Arc<Memory>) -> Self {
        Launch {
            task,
            info,
            sink,
            global: Table::default(),
            releases: AtomicU8::new(0),
            acquires: AtomicU8::new(0),
            unsure: AtomicBool::new(false),
            memory,
            sum: Mutex::default(),
            bytes: AtomicU64::new(0),
            of_blocks: Mutex::default(),
        }
    }

    /// Sums up what the launch did to global memory, the `part`-th of `parts` parts of it, and gives
    /// up its shadow.
    pub(crate) fn sum_up(&self, part: usize, parts: usize) {
        let sum = |(number, page): (u64, &Mutex<Page>)| {
            let mut page = lock(page);
            let runs = runs_of(&page);
            page.clear();
            (number, runs)
        };
        let summed: Vec<_> = self.global.part(part, parts).map(sum).collect();
        self.sum.lock().unwrap_or_else(PoisonError::into_inner).extend(summed);
    }

    /// What [`Launch::sum_up`] found, by page.
    pub(crate) fn take_sum(&self) -> Vec<(u64, Vec<Run>)> {
        let mut sum = std::mem::take(&mut *self.sum.lock().unwrap_or_else(PoisonError::into_inner));
        sum.sort_unstable_by_key(|(number, _)| *number);
        sum
    }

    /// Bytes of shadow state, as counted while it grew.
    pub(crate) fn shadow_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn footprint(&self) -> Footprint {
        let of_blocks = self.of_blocks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let of_global = self.global.iter().map(|(_, page)| lock(page).footprint());
        total(of_blocks.into_iter().chain(of_global))
    }

    /// A place for an observer to tell of its blocks' shared memory.
    pub(crate) fn enlist(&self) -> usize {
        let mut all = self.of_blocks.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Footprint::default());
        all.len() - 1
    }

    /// Bytes of shadow state of shared memory when it was most.
    pub(crate) fn most_bytes_of_blocks(&self) -> u64 {
        let all = self.of_blocks.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|one| one.shadow_bytes).sum()
    }

    /// The most shadow state of shared memory that an observer has had at one time.
    pub(crate) fn most_of_blocks(&self, observer: usize, footprint: Footprint) {
        let mut all = self.of_blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(one) = all.get_mut(observer) {
            *one = footprint;
        }
    }

    /// A fence or strong operation with these semantics was performed.
    pub(crate) fn synchronises(&self, sem: Sem, scope: Scope) {
        let wide = scope as u8 + 1;
        for (does, widest) in [(sem.releases(), &self.releases), (sem.acquires(), &self.acquires)] {
            if does && widest.load(Ordering::Relaxed) < wide {
                widest.fetch_max(wide, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn grew(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.memory.grew(bytes);
    }

    pub(crate) fn shrank(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
        self.memory.shrank(bytes as u64);
    }

    pub(crate) fn set_unsure(&self) {
        self.unsure.store(true, Ordering::Relaxed);
    }

    /// Was a possible race left out, because accesses had been merged?
    pub(crate) fn unsure(&self) -> bool {
        self.unsure.load(Ordering::Relaxed)
    }

    /// The widest scopes of its release and acquire operations.
    pub(crate) fn scopes(&self) -> (Option<Scope>, Option<Scope>) {
        let scope = |widest: &AtomicU8| {
            let scopes = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];
            usize::from(widest.load(Ordering::Relaxed)).checked_sub(1).and_then(|i| scopes.get(i)).copied()
        };
        (scope(&self.releases), scope(&self.acquires))
    }

    /// Memory was freed or is new: forgets what happened in it.
    pub(crate) fn forget(&self, base: u64, bytes: u64) {
        let end = base.saturating_add(bytes);
        for (number, page) in self.global.iter() {
            let start = number << 12;
            if start < end && base < start + 4096 {
                let mut page = lock(page);
                if base <= start && end >= start + 4096 {
                    page.clear();
                } else {
                    page.forget(base.saturating_sub(start).min(4096), (end - start).min(4096));
                }
            }
        }
    }

    /// The first block of the block's cluster.
    pub(crate) fn cluster_of(&self, block: u32) -> u32 {
        let (grid, cluster) = (self.info.grid, self.info.cluster);
        if cluster == Dim3::ONE || grid.count() == 0 {
            return block;
        }
        let at = grid.coordinates(block.into());
        let first = |c: u32, n: u32| c - c % n.max(1);
        let (x, y, z) = (first(at.x, cluster.x), first(at.y, cluster.y), first(at.z, cluster.z));
        x + grid.x * (y + grid.y * z)
    }

    /// More than one block?
    pub(crate) fn blocks_may_meet(&self) -> bool {
        self.info.grid.count() > 1
    }

    pub(crate) fn threads(&self) -> u32 {
        self.info.block.count() as u32
    }
}

impl Drop for Launch {
    fn drop(&mut self) {
        self.memory.shrank(*self.bytes.get_mut());
    }
}
