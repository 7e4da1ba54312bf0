//! What all observers of one launch share.

use super::cell::{Cell, Entry};
use super::clues::Clues;
use super::early::Early;
use super::knowledge::WarpState;
use super::line::{self, Line, Stamp};
use super::ops::Ops;
use super::report::Sink;
use super::tally::Tally;
use super::tasks::{Reach, Tasks, runs_of};
use super::words::{Accessor, Kind, Packing, Words};
use crate::shadow::{Guard, Memory, Opened, Pages, Store, Table, lock, take};
use clocks::compressed::Seen;
use events::observer::Footprint;
use events::task::LaunchInfo;
use events::{Dim3, Scope, Sem, SiteId, TaskId};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shadow of 4 KiB: lines of 128 bytes, words for lines that are touched here and there, and cells of sixteen bytes for
/// lines that were split.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Of the lines that are kept there, which are [`Line::Words`], and which those are.
    words: Option<Words>,
    worded: u32,
    lines: [Line; 32],
    cells: Option<Box<[Slot; 256]>>,
    /// Only what strong operations need is kept here any more: there was no memory for the rest.
    given_up: bool,
}

/// A cell, if there is one.
type Slot = Option<Arc<Mutex<Cell>>>;

/// Cells of a page, or some of them.
type Cells = Vec<Slot>;

/// Cells that are given up together.
const AT_A_TIME: usize = 16;

/// Threads of launches that are not small.
const MANY: u64 = 4096;

/// Bytes that a cell takes where it lies, with its lock, its count of references and the allocator's part.
const CELL: usize = size_of::<Mutex<Cell>>() + 32;

/// Bytes of a page, with its place and the allocator's part.
const PAGE: u64 = size_of::<Page>() as u64 + 64;

impl Page {
    pub(crate) fn line(&mut self, index: usize) -> &mut Line {
        &mut self.lines[index & 31]
    }

    /// Adds a weak access of neighbouring lanes to a line; `simple` and `orderless` as in
    /// [`Order`](super::state::Order). False if it has to be judged in cells; then nothing has
    /// happened.
    pub(crate) fn weak(
        &mut self,
        index: usize,
        stamp: Stamp,
        (state, simple, orderless): (&WarpState, bool, bool),
        packing: Option<&Packing>,
        grown: &mut usize,
    ) -> bool {
        match &mut self.lines[index & 31] {
            Line::Words => {
                let (Some(words), Some(packing)) = (&mut self.words, packing) else { return false };
                let shift = stamp.size().trailing_zeros() as u8;
                let Some(kind) = packing.number(Kind { site: stamp.site, class: stamp.class, shift }) else {
                    return false;
                };
                let by = ((stamp.block, stamp.warp), stamp.tick);
                Accessor::new(packing, by, (kind, stamp.class), state, orderless)
                    .is_some_and(|by| words.stamp(index & 31, &stamp, &by, grown))
            }
            line => line.weak(stamp, state, simple, grown),
        }
    }

    /// A place of [`Page::word`], see [`Words::peek`].
    #[inline]
    pub(crate) fn peek(&self, address: u64, writes: bool) -> u64 {
        self.words.as_ref().map_or(0, |words| words.peek((address >> 2) as usize & 1023, writes))
    }

    /// Adds one lane's access to `words` words at `address`. False as above. `aligned` as for [`Words::take`].
    #[inline]
    pub(crate) fn word(
        &mut self,
        address: u64,
        words: usize,
        lane: u32,
        by: &Accessor<'_>,
        (packing, aligned): (&Arc<Packing>, bool),
        grown: &mut usize,
    ) -> bool {
        let word = (address >> 2) as usize & 1023;
        if self.worded >> (word / 32) & 1 == 0 && !self.make_words(word / 32, by, (packing, aligned), grown) {
            return false;
        }
        let kept = self.words.as_mut();
        kept.is_some_and(|kept| kept.one((word, words), by.of_lane(lane), by, grown))
    }

    /// From now on a line is kept word by word, if its history can be.
    #[cold]
    fn make_words(
        &mut self,
        index: usize,
        by: &Accessor<'_>,
        (packing, aligned): (&Arc<Packing>, bool),
        grown: &mut usize,
    ) -> bool {
        let words = self.words.get_or_insert_with(|| Words::new(Arc::clone(packing)));
        let line = &mut self.lines[index];
        let before = match line {
            Line::Empty => 0,
            Line::Stamps(stamps) if words.take(index, stamps, (by.simple(), aligned), grown) => {
                line::room(stamps)
            }
            _ => return false,
        };
        *grown = grown.saturating_sub(before);
        self.worded |= 1 << index;
        *line = Line::Words;
        true
    }

    /// Accesses of lines that are kept word by word, as entries of cells.
    pub(crate) fn words(&self, entry: impl FnMut(usize, Entry)) {
        if let Some(words) = &self.words {
            words.entries(0..32, entry);
        }
    }

    /// A cell, whose line is split for it; what that takes is added to `grown`. It has a lock of its own, so that
    /// who works on it need not keep others from the page's other cells.
    pub(crate) fn cell(&mut self, index: usize, grown: &mut usize) -> &Arc<Mutex<Cell>> {
        let index = index & 255;
        let cells = self.cells.get_or_insert_with(|| {
            *grown += 256 * 8;
            Box::new([const { None }; 256])
        });
        let line = &mut self.lines[index / 8];
        if !matches!(line, Line::Split) {
            let mut add = |i: usize, entry: Entry| {
                let cell = cells[index / 8 * 8 + i].get_or_insert_with(|| {
                    *grown += CELL;
                    Arc::default()
                });
                let mut cell = lock(cell);
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
                Line::Words => {
                    if let Some(words) = &mut self.words {
                        let first = index / 8 * 8;
                        let line = index / 8..index / 8 + 1;
                        words.entries(line.clone(), |cell, entry| add(cell - first, entry));
                        words.observers(line, |cell, entry| {
                            if let Some(cell) = &cells[cell] {
                                lock(cell).seen_by(&entry);
                            }
                        });
                        words.forget(index / 8);
                        self.worded &= !(1 << (index / 8));
                    }
                }
                Line::Empty | Line::Split => {}
            }
        }
        cells[index].get_or_insert_with(|| {
            *grown += CELL;
            Arc::default()
        })
    }

    /// Forgets everything. Its cells are the caller's to give up.
    fn clear(&mut self) -> Option<Cells> {
        (self.words, self.worded) = (None, 0);
        self.lines.fill_with(Line::default);
        Some(Vec::from(self.cells.take()? as Box<[_]>))
    }

    /// Forgets all accesses, for good; with `heads`, what strong operations need stays. Tells how many bytes came
    /// free, about.
    pub(crate) fn give_up(&mut self, heads: bool) -> u64 {
        let before = self.footprint().shadow_bytes;
        self.given_up = true;
        (self.words, self.worded) = (None, 0);
        self.lines.fill_with(Line::default);
        if let Some(cells) = &mut self.cells {
            for slot in cells.iter_mut() {
                // Who holds a cell may be about to make it one of strong operations.
                let kept = slot.as_ref().is_some_and(|cell| {
                    heads
                        && (Arc::strong_count(cell) > 1 || {
                            let mut cell = lock(cell);
                            cell.give_up();
                            cell.strong()
                        })
                });
                if !kept {
                    *slot = None;
                }
            }
            if cells.iter().all(Option::is_none) {
                self.cells = None;
            }
        }
        before.saturating_sub(self.footprint().shadow_bytes)
    }

    /// Bytes that strong operations' locations need, but for clocks in `seen`.
    pub(crate) fn heads(&self, seen: &mut Seen) -> usize {
        self.cells().map(|(_, cell)| cell.heads_bytes(seen)).sum()
    }

    /// Forgets bytes `from..to`, rounded to whole lines outwards.
    fn forget(&mut self, from: u64, to: u64) {
        let lines = (from / 128) as usize..to.div_ceil(128) as usize;
        if let Some(cells) = &mut self.cells {
            cells[lines.start * 8..lines.end * 8].fill_with(|| None);
        }
        if let Some(words) = &mut self.words {
            for line in lines.clone() {
                words.forget(line);
                self.worded &= !(1 << line);
            }
        }
        self.lines[lines].fill_with(Line::default);
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (usize, MutexGuard<'_, Cell>)> {
        let cells = self.cells.iter().flat_map(|cells| cells.iter().enumerate());
        cells.filter_map(|(i, cell)| Some((i, lock(cell.as_deref()?))))
    }

    /// The stamps of lines that are not split, with the line's index.
    pub(crate) fn stamps(&self) -> impl Iterator<Item = (usize, &Stamp)> {
        self.lines.iter().enumerate().flat_map(|(i, line)| {
            let stamps = match line {
                Line::Stamps(stamps) => stamps.as_slice(),
                Line::Tally(tally) => tally.stamps().as_slice(),
                Line::Empty | Line::Interval(_) | Line::Words | Line::Split => &[],
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
                Line::Empty | Line::Words | Line::Split => continue,
            };
            sum.shadow_bytes += heap as u64;
            sum.touched_bytes += u64::from(stamps.iter().fold(counters, |b, s| b | bits(s)).count_ones());
        }
        if let Some((room, touched)) = self.words.as_ref().map(Words::bytes) {
            sum.shadow_bytes += room as u64;
            sum.touched_bytes += touched as u64;
        }
        if self.cells.is_some() {
            sum.shadow_bytes += 256 * 8;
        }
        for (_, cell) in self.cells() {
            sum.shadow_bytes += (CELL + cell.heap_bytes()) as u64;
            sum.touched_bytes += u64::from(cell.touched().count_ones());
        }
        sum
    }
}

/// Pages of a launch's global memory, or of a block's shared memory, one after the other.
pub(crate) enum Pager<'a> {
    Global { launch: &'a Launch, opened: Opened<'a, Page>, held: Option<(u64, Guard<'a, Page>)>, need: Need },
    Shared { shadow: &'a mut Shadow, need: Need },
}

/// What pages are asked for, and whether one was refused.
#[derive(Debug)]
pub(crate) struct Need {
    /// To forget it could invent a race: it is remembered at any price.
    pub(crate) must: bool,
    /// May there be new pages of shared memory?
    pub(crate) may: bool,
    pub(crate) refused: bool,
}

impl Pager<'_> {
    /// The page; none if it was given up, or would be new and there is no memory for it.
    #[inline]
    pub(crate) fn page(&mut self, number: u64, grown: &mut usize) -> Option<&mut Page> {
        let room = PAGE as usize;
        let (page, need) = match self {
            Pager::Global { launch, opened, held, need } => {
                let may = || {
                    let may = need.must || launch.memory.may_grow();
                    *grown += if may { room } else { 0 };
                    may
                };
                let page = match opened {
                    Opened::Own(table) => table.as_mut().and_then(|table| table.page_mut(number, may)),
                    Opened::Shared(table) => {
                        if held.as_ref().is_none_or(|h| h.0 != number) {
                            // Never two locks at once.
                            *held = None;
                            *held = table.page_if(number, may).map(|page| (number, page));
                        }
                        held.as_mut().map(|(_, page)| &mut **page)
                    }
                };
                let page = page.and_then(|page| {
                    if page.is_none() && need.must {
                        *grown += room;
                        *page = Some(Box::new(Page { given_up: true, ..Page::default() }));
                    }
                    page.as_deref_mut()
                });
                (page, need)
            }
            Pager::Shared { shadow, need } => {
                let page = shadow.page_if(number, || {
                    let may = need.must || need.may;
                    *grown += if may { room } else { 0 };
                    may
                });
                (page, need)
            }
        };
        let page = page.filter(|page| need.must || !page.given_up);
        need.refused |= page.is_none();
        page
    }

    /// Looks where lanes will go, if the pages are nobody else's: what is far away comes while others are looked for.
    #[inline]
    pub(crate) fn look_ahead(&mut self, (addresses, mask): (&[u64; 32], u32), writes: bool) {
        let Pager::Global { opened: Opened::Own(table), .. } = self else { return };
        let Some(table) = table.as_mut() else { return };
        let (mut rest, mut seen) = (mask, 0);
        while rest != 0 {
            let address = addresses[rest.trailing_zeros() as usize];
            rest &= rest - 1;
            if let Some(Some(page)) = table.page_mut(address >> 12, || false) {
                seen ^= page.peek(address, writes);
            }
        }
        std::hint::black_box(seen);
    }

    /// Does another worker hear of the launch, too?
    pub(crate) fn shared(&self) -> bool {
        matches!(self, Pager::Global { opened: Opened::Shared(_), .. })
    }

    pub(crate) fn refused(&self) -> bool {
        match self {
            Pager::Global { need, .. } | Pager::Shared { need, .. } => need.refused,
        }
    }

    /// A cell by its number among all, if there is memory for its page. The page is let go.
    pub(crate) fn cell(&mut self, number: u64, grown: &mut usize) -> Option<Arc<Mutex<Cell>>> {
        let cell = Arc::clone(self.page(number >> 8, grown)?.cell(number as usize, grown));
        if let Pager::Global { held, .. } = self {
            *held = None;
        }
        Some(cell)
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
    /// One numbering for all observers: shadow cells and clocks that they share name operations and
    /// objects by number.
    pub(crate) ops: Mutex<Ops>,
    pub(crate) objects: Arc<AtomicU32>,
    pub(crate) early: Early,
    clues: Arc<Mutex<Clues>>,
    /// Of global memory.
    pub(super) global: Store<Page>,
    /// How accesses of words are kept; none in small launches, of which every instruction is to be told.
    pub(super) packing: Option<Arc<Packing>>,
    /// The widest scope of a release and of an acquire, and where: see [`packed`]; 0 for none.
    releases: AtomicU64,
    acquires: AtomicU64,
    unsure: AtomicBool,
    memory: Arc<Memory>,
    /// Its part of it.
    bytes: AtomicU64,
    /// Cells that [`Launch::sum_up`] has done with.
    garbage: Mutex<Vec<Cells>>,
    /// By observer: the most that its blocks' shared memory took at one time.
    of_blocks: Mutex<Vec<Footprint>>,
    /// Bytes that synchronisation needs, by observer, and those of what they share at last.
    order: Mutex<Vec<u64>>,
    /// Some accesses were not remembered.
    incomplete: AtomicBool,
    /// Nothing is checked any more.
    stopped: AtomicBool,
}

impl Launch {
    /// `overlaps`: it may begin before the kernel before it has ended.
    pub(crate) fn new(
        task: TaskId,
        info: LaunchInfo,
        overlaps: bool,
        sink: Arc<Sink>,
        memory: Arc<Memory>,
    ) -> Self {
        memory.grew(Table::<Page>::BYTES);
        let (blocks, threads) = (info.grid.count(), info.block.count());
        let packing = if blocks * threads >= MANY { Packing::new(blocks) } else { None };
        Launch {
            task,
            info,
            packing: packing.map(Arc::new),
            sink,
            ops: Mutex::default(),
            objects: Arc::default(),
            early: Early::new(overlaps),
            clues: Arc::default(),
            global: Store::default(),
            releases: AtomicU64::new(0),
            acquires: AtomicU64::new(0),
            unsure: AtomicBool::new(false),
            memory,
            bytes: AtomicU64::new(Table::<Page>::BYTES),
            garbage: Mutex::default(),
            of_blocks: Mutex::default(),
            order: Mutex::new(vec![0]),
            incomplete: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
        }
    }

    /// What one more observer is to remember for explanations. Where blocks cannot see each other's flags it is
    /// the observer's own, so that they do not meet at its lock.
    pub(crate) fn clues(&self) -> Arc<Mutex<Clues>> {
        if self.info.uses.blocks_communicate { Arc::clone(&self.clues) } else { Arc::default() }
    }

    /// Adds what the launch did to global memory, the `part`-th of `parts` parts of it, to what `tasks`
    /// did, and gives up its shadow.
    pub(crate) fn sum_up(&self, tasks: &Tasks, part: usize, parts: usize) {
        if part == 0 {
            self.early.sum_up(self.task, tasks);
        }
        let released = self.early.released();
        let opened = self.global.open();
        for (number, page) in opened.table().into_iter().flat_map(|table| table.part(part, parts)) {
            let mut held = lock(page);
            let Some(page) = held.as_deref_mut() else { continue };
            let runs = runs_of(page, &released);
            if let Some(cells) = page.clear() {
                lock(&self.garbage).push(cells);
            }
            drop(held);
            if !runs.runs.is_empty() {
                tasks.add(self.task, number, &runs);
            }
        }
        drop(opened);
        // One page's cells may be most of the work, so everybody takes of it what they can.
        loop {
            let Some(mut cells) = lock(&self.garbage).pop() else { break };
            let half = cells.len() / 2;
            if half >= AT_A_TIME {
                let rest = cells.split_off(half);
                lock(&self.garbage).extend([cells, rest]);
            }
        }
    }

    /// Bytes of shadow state, as counted while it grew.
    pub(crate) fn shadow_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn footprint(&self) -> Footprint {
        let of_blocks = self.of_blocks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let opened = self.global.open();
        let of_global = opened.table().into_iter().flat_map(Table::iter);
        let of_global = of_global.filter_map(|(_, page)| Some(lock(page).as_ref()?.footprint()));
        let mut all = total(of_blocks.into_iter().chain(of_global));
        if self.memory.capped() {
            let order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
            all.shadow_bytes += order.iter().sum::<u64>() + Table::<Page>::BYTES;
        }
        all
    }

    /// An observer's number, from 1, by which it tells what it holds.
    pub(crate) fn enlist(&self) -> usize {
        let mut all = self.of_blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.is_empty() {
            self.global.share();
        }
        all.push(Footprint::default());
        all.len()
    }

    /// Bytes of shadow state of shared memory when it was most.
    pub(crate) fn most_bytes_of_blocks(&self) -> u64 {
        let all = self.of_blocks.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|one| one.shadow_bytes).sum()
    }

    /// The most shadow state of shared memory that an observer has had at one time.
    pub(crate) fn most_of_blocks(&self, observer: usize, footprint: Footprint) {
        let mut all = self.of_blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(one) = observer.checked_sub(1).and_then(|i| all.get_mut(i)) {
            *one = footprint;
        }
    }

    /// A fence or strong operation with these semantics was performed.
    pub(crate) fn synchronises(&self, sem: Sem, scope: Scope, site: SiteId) {
        let wide = packed(scope, site);
        for (does, widest) in [(sem.releases(), &self.releases), (sem.acquires(), &self.acquires)] {
            if does && widest.load(Ordering::Relaxed) < wide {
                widest.fetch_max(wide, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn grew(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.memory.grew(bytes as u64);
    }

    pub(crate) fn shrank(&self, bytes: u64) {
        self.memory.shrank(take(&self.bytes, bytes));
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Gives up pages of global memory: those `numbered`, or all until there is `room` again.
    pub(crate) fn give_up(&self, numbered: Option<&[u64]>, heads: bool, room: impl Fn() -> bool) {
        let give_up = |page: &Mutex<Option<Box<Page>>>| {
            let mut held = lock(page);
            let Some(page) = held.as_deref_mut().filter(|page| !page.given_up || !heads) else { return };
            let mut freed = page.give_up(heads);
            if page.cells.is_none() {
                *held = None;
                freed += PAGE;
            }
            drop(held);
            self.shrank(freed);
        };
        self.set_incomplete();
        let opened = self.global.open();
        let Some(table) = opened.table() else { return };
        match numbered {
            Some(numbers) => {
                numbers.iter().filter_map(|&number| table.existing(number)).for_each(give_up);
            }
            None => table.iter().take_while(|_| !room()).for_each(|(_, page)| give_up(page)),
        }
    }

    pub(crate) fn set_incomplete(&self) {
        self.incomplete.store(true, Ordering::Relaxed);
        self.memory.refuse();
    }

    /// Were accesses forgotten? Then it is not known which flags of other kernels this one has seen or set.
    pub(crate) fn incomplete(&self) -> bool {
        self.incomplete.load(Ordering::Relaxed)
    }

    /// Stops checking.
    pub(crate) fn stop(&self) {
        if !self.stopped.swap(true, Ordering::Relaxed) {
            self.memory.stop(&self.info.kernel);
        }
        self.give_up(None, false, || false);
        *lock(&self.ops) = Ops::default();
        self.measured(0, 0);
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Bytes that the locations of strong operations and asynchronous operations need, but for clocks in `seen`.
    pub(crate) fn shared_order(&self, seen: &mut Seen) -> usize {
        let opened = self.global.open();
        let pages = opened.table().into_iter().flat_map(Table::iter);
        let heads: usize = pages.filter_map(|(_, page)| Some(lock(page).as_ref()?.heads(seen))).sum();
        heads + lock(&self.ops).bytes()
    }

    /// An observer (numbered from 1; 0 is what all share) has measured what synchronisation needs.
    pub(crate) fn measured(&self, observer: usize, bytes: u64) {
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        if order.len() <= observer {
            order.resize(observer + 1, 0);
        }
        self.memory.measured(std::mem::replace(&mut order[observer], bytes), bytes);
    }

    pub(crate) fn set_unsure(&self) {
        self.unsure.store(true, Ordering::Relaxed);
    }

    /// Was a possible race left out, because accesses had been merged?
    pub(crate) fn unsure(&self) -> bool {
        self.unsure.load(Ordering::Relaxed)
    }

    /// The widest scopes of its release and acquire operations.
    pub(crate) fn scopes(&self) -> (Option<Reach>, Option<Reach>) {
        let scope = |widest: &AtomicU64| unpacked(widest.load(Ordering::Relaxed));
        (scope(&self.releases), scope(&self.acquires))
    }

    /// Memory was freed or is new: forgets what happened in it.
    pub(crate) fn forget(&self, base: u64, bytes: u64) {
        self.early.forget(base, bytes);
        let end = base.saturating_add(bytes);
        let opened = self.global.open();
        for (number, page) in opened.table().into_iter().flat_map(Table::iter) {
            let start = number << 12;
            if start < end && base < start + 4096 {
                let mut held = lock(page);
                let Some(page) = held.as_deref_mut() else { continue };
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

    /// So many threads that not every instruction need be told of for every word.
    pub(crate) fn is_large(&self) -> bool {
        self.packing.is_some()
    }

    /// More than one block?
    pub(crate) fn blocks_may_meet(&self) -> bool {
        self.info.grid.count() > 1
    }

    pub(crate) fn threads(&self) -> u32 {
        self.info.block.count() as u32
    }
}

/// A scope and where it is used, so that the greatest is the widest, and of those the first of the program.
fn packed(scope: Scope, site: SiteId) -> u64 {
    (scope as u64 + 1) << 32 | u64::from(!site.0)
}

fn unpacked(packed: u64) -> Option<Reach> {
    let scopes = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];
    let scope = *scopes.get((packed >> 32).checked_sub(1)? as usize)?;
    Some(Reach { scope, site: SiteId(!(packed as u32)) })
}

impl Drop for Launch {
    fn drop(&mut self) {
        self.memory.shrank(*self.bytes.get_mut());
        let order = self.order.get_mut().unwrap_or_else(PoisonError::into_inner);
        order.drain(..).for_each(|bytes| self.memory.measured(bytes, 0));
    }
}
