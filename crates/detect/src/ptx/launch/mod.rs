//! One launch: its shape, its shadow of global memory, and what all its observers share.

mod ended;
pub(super) mod ordering;

use crate::ptx::PtxOptions;
use crate::ptx::access::entry::Entry;
use crate::ptx::clues::{Clues, Heard, Kept};
use crate::ptx::history::page::{Cells, PAGE, Page, total};
use crate::ptx::history::words::packing::Packing;
use crate::ptx::order::async_ops::Ops;
use crate::ptx::partition::Partition;
use crate::ptx::report::sink::Sink;
use crate::ptx::shortcuts::Shortcuts;
use crate::ptx::tasks::children::Children;
use crate::ptx::tasks::early::Early;
use crate::ptx::tasks::{Others, Pieces, Reach, Tasks, runs_of};
use crate::shadow::{Memory, Pool, Rooms, Store, Table, lock, take};
use clocks::Tick;
use clocks::compressed::Seen;
use ended::Ended;
use events::observer::Footprint;
use events::task::LaunchInfo;
use events::{Dim3, Proof, Scope, Sem, SiteId, TaskId};
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Cells that are given up together.
const AT_A_TIME: usize = 16;

/// Pages that are looked up one by one.
const FEW_PAGES: u64 = 16;

/// Threads of launches that are not small.
const MANY: u64 = 4096;

/// Instructions of which a launch noted elements in vain: see [`race_free`](crate::ptx::ways).
pub(crate) type InVain = Arc<Mutex<FxHashSet<SiteId>>>;

/// What launches leave to those after them.
#[derive(Debug, Default)]
pub(crate) struct Stock {
    in_vain: InVain,
    rooms: Arc<Rooms>,
    pages: Arc<Pool<Page>>,
    clues: Arc<Pool<Clues>>,
}

/// One launch: its shape, its shadow of global memory, and where its findings go.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) task: TaskId,
    pub(crate) info: LaunchInfo,
    pub(crate) shortcuts: Shortcuts,
    pub(crate) sink: Arc<Sink>,
    /// The filter of accesses, if memory is divided.
    pub(crate) partition: Option<Partition>,
    /// One numbering for all observers: shadow cells and clocks that they share name operations and
    /// objects by number.
    pub(crate) ops: Arc<Mutex<Ops>>,
    pub(crate) objects: Arc<AtomicU32>,
    pub(crate) early: Early,
    pub(crate) children: Children,
    pub(crate) ended: Ended,
    /// Of all observers, if they share them.
    clues: Option<Arc<Mutex<Kept>>>,
    /// Where they come from, if room is kept for other launches.
    pool: Option<Arc<Pool<Clues>>>,
    /// What a proof says of instructions, by site.
    proofs: OnceLock<Box<[(SiteId, Proof)]>>,
    pub(crate) in_vain: InVain,
    /// Whether an access left the array that the proof assumes.
    strayed: AtomicBool,
    /// Of global memory.
    pub(crate) global: Store<Page>,
    /// How accesses of words are kept.
    pub(crate) packing: Option<Arc<Packing>>,
    /// See [`Launch::is_large`].
    large: bool,
    /// The widest scope of a release and of an acquire, and where: see [`packed`]; 0 for none.
    releases: AtomicU64,
    acquires: AtomicU64,
    unsure: AtomicBool,
    pub(crate) memory: Arc<Memory>,
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
        (memory, stock, options): (Arc<Memory>, &Stock, &PtxOptions),
    ) -> Self {
        memory.grew(Table::<Page>::BYTES);
        let shortcuts = options.shortcuts;
        let (blocks, threads) = (info.grid.count(), info.block.count());
        let packing = Packing::new(blocks, &stock.rooms).filter(|_| shortcuts.word_epochs);
        let pool = (!memory.capped()).then(|| Arc::clone(&stock.clues));
        let shared = || Arc::new(Mutex::new(Kept::new(pool.as_ref())));
        let clues = info.uses.blocks_communicate.then(shared);
        let large = blocks * threads >= MANY && packing.is_some();
        Launch {
            task,
            partition: Partition::new(options.shard, info.uses),
            info,
            shortcuts,
            packing: packing.map(Arc::new),
            large,
            sink,
            ops: Arc::default(),
            objects: Arc::default(),
            early: Early::new(overlaps),
            children: Children::default(),
            ended: Ended::default(),
            clues,
            pool,
            proofs: OnceLock::new(),
            in_vain: Arc::clone(&stock.in_vain),
            strayed: AtomicBool::new(false),
            global: Store::new(&stock.pages),
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
    pub(crate) fn clues(&self) -> Heard {
        match &self.clues {
            Some(clues) => Heard::ByAll(Arc::clone(clues)),
            None => Heard::ByOne(Box::new(Mutex::new(Kept::new(self.pool.as_ref())))),
        }
    }

    /// Adds what the launch did to global memory, the `part`-th of `parts` parts of it, to what `tasks`
    /// did, and gives up its shadow; what pages had is counted if `count` says so.
    pub(crate) fn sum_up(&self, tasks: &Tasks, (part, parts): (usize, usize), count: bool) -> Footprint {
        if part == 0 {
            self.early.sum_up(self.task, tasks);
        }
        let (released, mut pieces) = (self.early.released(), Pieces::default());
        let (mut others, mut counted) = (Others::of(self.task), Footprint::default());
        let launches = !self.children.is_empty();
        self.global.open().part((part, parts), |number, held| {
            let Some(mut page) = held.take() else { return };
            if count {
                counted = total([counted, page.footprint()].into_iter());
            }
            if launches {
                self.children.compare(self.task, (number, &mut page), tasks, &mut pieces);
            }
            let runs = runs_of(&mut page, &released, &mut pieces);
            if let Some(cells) = page.clear() {
                lock(&self.garbage).push(cells);
            }
            page.given_up = false;
            self.global.pool().give_back(page);
            if !runs.runs.is_empty() {
                tasks.add_to(&mut others, number, runs);
            }
        });
        // One page's cells may be most of the work, so everybody takes of it what they can.
        loop {
            let Some(mut cells) = lock(&self.garbage).pop() else { break };
            let half = cells.len() / 2;
            if half >= AT_A_TIME {
                let rest = cells.split_off(half);
                lock(&self.garbage).extend([cells, rest]);
            }
        }
        counted
    }

    /// Adds what a proof says of instructions; once, at any time of the launch.
    pub(crate) fn add_proofs(&self, proofs: &[(SiteId, Proof)]) {
        let mut proofs: Box<[(SiteId, Proof)]> = proofs.into();
        proofs.sort_unstable_by_key(|(site, _)| *site);
        // A damaged trace may repeat the event: the first counts.
        let _ = self.proofs.set(proofs);
    }

    /// What a proof says of instructions, by site.
    pub(crate) fn proofs(&self) -> &[(SiteId, Proof)] {
        self.proofs.get().map_or(&[], |proofs| proofs)
    }

    /// Records that an access left the array that the proof assumes, and that nothing is to be skipped.
    pub(crate) fn stray(&self) {
        self.strayed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_strayed(&self) -> bool {
        self.strayed.load(Ordering::Relaxed)
    }

    /// Bytes of shadow state, as counted while it grew.
    pub(crate) fn shadow_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn footprint(&self) -> Footprint {
        let mut pages = Footprint::default();
        self.global.open().each(|_, page| {
            pages = total([pages].into_iter().chain(page.as_ref().map(|page| page.footprint())));
        });
        self.footprint_with(pages)
    }

    /// The same, where that of its pages is known.
    pub(crate) fn footprint_with(&self, pages: Footprint) -> Footprint {
        let of_blocks = self.of_blocks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut all = total(of_blocks.into_iter().chain([pages]));
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
        let give_up = |held: &mut Option<Box<Page>>| {
            let Some(page) = held.as_deref_mut().filter(|page| !page.given_up || !heads) else { return };
            let mut freed = page.give_up(heads);
            if page.cells.is_none() {
                *held = None;
                freed += PAGE;
            }
            self.shrank(freed);
        };
        self.set_incomplete();
        let mut opened = self.global.open();
        match numbered {
            Some(numbers) => numbers.iter().for_each(|&number| opened.existing(number, give_up)),
            None => opened.each(|_, page| {
                if !room() {
                    give_up(page);
                }
            }),
        }
    }

    pub(crate) fn set_incomplete(&self) {
        self.incomplete.store(true, Ordering::Relaxed);
        self.memory.refuse();
    }

    /// Returns whether accesses were forgotten. Then it is not known which flags of other kernels this one has
    /// seen or set.
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
        let mut heads = 0;
        self.global.open().each(|_, page| heads += page.as_ref().map_or(0, |page| page.heads(seen)));
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

    /// Returns whether a possible race was left out, because accesses had been merged.
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
        let (end, mut grown) = (base.saturating_add(bytes), 0);
        let mut forget = |number: u64, held: &mut Option<Box<Page>>| {
            let start = number << 12;
            if start < end && base < start + 4096 {
                let Some(page) = held.as_deref_mut() else { return };
                if base <= start && end >= start + 4096 {
                    page.clear();
                } else {
                    page.forget(base.saturating_sub(start), (end - start).min(4096), &mut grown);
                }
            }
        };
        let (pages, mut opened) = (base >> 12..end.div_ceil(4096), self.global.open());
        if pages.end - pages.start <= FEW_PAGES {
            pages.for_each(|number| opened.existing(number, |page| forget(number, page)));
        } else {
            opened.each(&mut forget);
        }
        drop(opened);
        if grown > 0 {
            self.grew(grown);
        }
    }

    /// Returns whether all threads of a block know, behind its tick `all`, that an asynchronous copy has ended,
    /// since one of them has waited for it.
    pub(crate) fn is_behind(&self, copy: &Entry, (block, all): (u32, Tick)) -> bool {
        lock(&self.ops).is_behind(copy.tick, copy.class.writes(), (block, all))
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
        self.large
    }

    /// Returns whether a page of global memory has a history: with memory divided, some have.
    #[inline]
    pub(crate) fn follows(&self, page: u64) -> bool {
        self.partition.as_ref().is_none_or(|partition| partition.follows(page))
    }

    /// Returns whether the launch has more than one block.
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
