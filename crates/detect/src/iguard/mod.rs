//! Lens `iguard`: the detector of *iGUARD: In-GPU Advanced Race Detection* (Kamath, Basu;
//! SOSP 2021).
//!
//! **Followed:** the sixteen-byte entry (Fig. 4, [`entry`]), the checks P1–P6 and R1–R5 in
//! their order (Table 2, [`rules`]), synchronisation counters of threads, warps and blocks
//! (§6.1, [`counters`]), warp barriers and active masks, lock tables of warps and threads
//! with the protocol inferred at run time (§6.3, [`locks`]), tracking at 4, 8 or 16 bytes,
//! and the race kinds IL, AS, ITS, BR, DR of Table 4, which the findings' notes name. Only
//! global memory is checked; each launch starts with fresh metadata; cluster scope counts
//! as block scope. Cooperative groups need no rule: tiles synchronise by warp barriers,
//! blocks by block barriers, and a grid's synchronisation is fences and atomics.
//!
//! **Deviations**, each because the paper's letter reports correct programs:
//! * P3 ignores the shared flags for loads, and stores clear the flags, as in the released
//!   code. A load sets `BlkShared` only if nothing (no barrier, no fence of the last accessor)
//!   separates it from the last access; otherwise R3 would report every thread that loads and
//!   then stores what another one left to it. The released code, too, clears it then.
//! * Unless [`Options::acquire_release`] is off, `.acquire` and `.release` act as fences and
//!   strong loads and stores with a scope as atomics; the paper's CUDA 11.0 had neither.
//! * A cluster barrier is a block barrier and a device fence for all that take part.
//!
//! **Where the released code differs from the paper**, and this lens follows the paper: the
//! code keeps the *intersection* of all locks since the last reset (the paper the last
//! accessor's), lets a same-warp load pass in spite of shared flags, tracks whether two
//! *blocks* share a location from the last writer and reader only, and gives a device-scoped
//! lock two of the table's three entries. Neither it nor Table 2 asks for volatile accesses,
//! as ScoRD does. The contention optimisations of §6.5 have no counterpart here.
//!
//! **Guarantee:** none in the sense of PTX. The test is whether the *earlier* thread has
//! fenced since; whether the later one acquired is never asked. After a grid's
//! synchronisation only the threads that fenced themselves are safe (§7.1 reports CUDA's own
//! for it), although PTX orders all. Lanes of one instruction never race (P4).

pub mod counters;
pub mod entry;
pub mod locks;
pub mod rules;
#[cfg(test)]
mod tests;

use crate::lens::acquit::{Acquittals, SitePair};
use crate::lens::elements::elements;
use crate::lens::naming;
use crate::lens::pages::Pages;
use crate::lens::pairs::{Moment, Pairs};
use crate::lens::serial::Lens;
use crate::lens::shard::Shard;
use crate::lens::witness::{Operations, Witness};
use crate::scord::Granularity;
use counters::Counters;
use entry::{Entry, Widths, Words};
use events::access::Warp;
use events::observer::Footprint;
use events::task::LaunchInfo;
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, Class, Finding, LaneMask, Scope, Sem, Space,
    Strength, Sync, SyncNote, TaskId,
};
use rules::{Current, Fences, Operation, Race};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub granularity: Granularity,
    pub widths: Widths,
    pub acquire_release: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { granularity: Granularity::Bytes4, widths: Widths::WIDE, acquire_release: true }
    }
}

impl Options {
    /// Sixteen-byte entries with the paper's counters.
    pub fn published() -> Self {
        Options { widths: Widths::PUBLISHED, acquire_release: false, ..Options::default() }
    }
}

/// The detector.
pub struct Iguard {
    options: Options,
    operations: Operations,
    pairs: Pairs,
    shard: Shard,
    acquittals: Acquittals,
    launches: FxHashMap<TaskId, Launch>,
    /// One that has ended, for its memory.
    spare: Option<Launch>,
    /// A kernel used synchronisation that iGUARD does not know.
    foreign: bool,
}

enum Cells {
    Published(Pages<Words>),
    Wide(Pages<Entry>),
}

struct Launch {
    counters: Counters,
    cells: Cells,
    accessors: Pages<Witness>,
    writers: Pages<Witness>,
}

impl Cells {
    fn load(&mut self, granule: u64) -> Entry {
        match self {
            Cells::Published(pages) => pages.cell(granule).unpack(),
            Cells::Wide(pages) => *pages.cell(granule),
        }
    }

    fn store(&mut self, granule: u64, entry: &Entry) {
        match self {
            Cells::Published(pages) => *pages.cell(granule) = Words::pack(entry),
            Cells::Wide(pages) => *pages.cell(granule) = *entry,
        }
    }

    fn clear(&mut self) {
        match self {
            Cells::Published(pages) => pages.clear(),
            Cells::Wide(pages) => pages.clear(),
        }
    }
}

impl Launch {
    fn new(options: &Options, info: Option<&LaunchInfo>) -> Self {
        Launch {
            counters: Counters::new(options.widths, info),
            cells: if options.widths == Widths::PUBLISHED {
                Cells::Published(Pages::new(Words::default()))
            } else {
                Cells::Wide(Pages::new(Entry::default()))
            },
            accessors: Pages::new(Witness::NOBODY),
            writers: Pages::new(Witness::NOBODY),
        }
    }

    /// A new launch in this one's memory.
    fn again(mut self, options: &Options, info: &LaunchInfo) -> Self {
        self.counters = Counters::new(options.widths, Some(info));
        self.cells.clear();
        self.accessors.clear();
        self.writers.clear();
        self
    }
}

impl Iguard {
    pub fn new(options: Options) -> Self {
        Iguard {
            options,
            operations: Operations::default(),
            pairs: Pairs::new("iguard"),
            shard: Shard::WHOLE,
            acquittals: Acquittals::default(),
            launches: FxHashMap::default(),
            spare: None,
            foreign: false,
        }
    }

    fn launch_of(&mut self, task: TaskId) -> &mut Launch {
        let options = &self.options;
        self.launches.entry(task).or_insert_with(|| Launch::new(options, None))
    }

    fn fence(&mut self, warp: Warp, lanes: LaneMask, scope: Scope) {
        self.launch_of(warp.task).counters.fence(warp, lanes, is_block(scope));
    }

    fn own_fence(&mut self, access: &Access<'_>, before: bool) {
        let Strength::Strong { sem, scope } = access.strength else { return };
        if self.options.acquire_release && if before { sem.releases() } else { sem.acquires() } {
            self.fence(access.warp, access.mask, scope);
        }
    }

    fn operation(&self, access: &Access<'_>) -> Operation {
        match (access.kind, access.strength) {
            (AccessKind::Atomic { .. }, Strength::Strong { scope, .. }) => {
                Operation::Atomic { block_scope: is_block(scope) }
            }
            (AccessKind::Atomic { .. }, _) => Operation::Atomic { block_scope: false },
            (_, Strength::Strong { scope, .. }) if self.options.acquire_release => {
                Operation::Atomic { block_scope: is_block(scope) }
            }
            (kind, _) if kind.writes() => Operation::Store,
            _ => Operation::Load,
        }
    }

    fn check(&mut self, access: &Access<'_>) {
        let shift = self.options.granularity.shift();
        if let Some(granules) = self.shard.foreign(access, shift) {
            self.pairs.advance_by(granules);
            return;
        }
        let id = self.operations.intern(access);
        let operation = self.operation(access);
        for element in elements(access) {
            let launch = self.launch_of(access.warp.task);
            let who = launch.counters.accessor(access.warp, element.lane);
            let current = Current {
                operation,
                who,
                active: access.mask,
                locks: launch.counters.held(who.thread),
                warps_per_block: launch.counters.warps_per_block(),
            };
            for granule in element.granules(shift) {
                self.pairs.advance();
                if !self.shard.owns(access.space, granule << shift) {
                    continue;
                }
                let base = granule << shift;
                let witness = Witness::new(id, access.warp.block, element.thread, element.address, base);
                self.granule(access, granule, &current, witness);
            }
        }
    }

    fn granule(&mut self, access: &Access<'_>, granule: u64, current: &Current, witness: Witness) {
        let widths = self.options.widths;
        let launch = self.launch_of(access.warp.task);
        let mm = launch.cells.load(granule);
        let md = *rules::metadata(&mm, current);
        let mut found = None;
        if rules::preliminary(&mm, current).is_none() {
            let sm = launch.counters.fences(md.thread);
            found = rules::race(&mm, current, sm, &widths).map(|race| (race, sm));
        }
        let last = launch.counters.fences(mm.accessor.thread);
        launch.cells.store(granule, &rules::update(&mm, current, last));
        let load = current.operation == Operation::Load;
        let earlier = *if load { launch.writers.cell(granule) } else { launch.accessors.cell(granule) };
        *launch.accessors.cell(granule) = witness;
        if !load {
            *launch.writers.cell(granule) = witness;
        }
        if let Some((race, sm)) = found {
            let class = class(race, &mm, current, sm, &widths);
            let base = granule << self.options.granularity.shift();
            let sides = [&earlier, &witness].map(|w| self.operations.side(access.warp.task, base, w));
            let note = || vec![SyncNote::Rule(race.text().to_owned())];
            self.pairs.report(class, false, access.space, sides, note);
        } else if !self.acquittals.is_idle() && earlier.is_somebody() {
            let site = self.operations.get(earlier.operation()).site;
            self.acquittals.note(site, access.site, rules::acquittal(&mm, current));
        }
    }

    /// Lock inference: compare-and-swap, fence, …, exchange.
    fn infer_locks(&mut self, access: &Access<'_>) {
        let AccessKind::Atomic { op, .. } = access.kind else { return };
        let block_scope = matches!(access.strength, Strength::Strong { scope, .. } if is_block(scope));
        let counters = &mut self.launch_of(access.warp.task).counters;
        match op {
            AtomicOp::Cas => {
                counters.compare_and_swap(access.warp, access.mask, access.addresses, block_scope)
            }
            AtomicOp::Exch => counters.exchange(access.warp, access.mask, access.addresses, block_scope),
            _ => {}
        }
    }
}

fn is_block(scope: Scope) -> bool {
    matches!(scope, Scope::Cta | Scope::Cluster)
}

fn class(race: Race, mm: &Entry, current: &Current, sm: Fences, widths: &Widths) -> Class {
    let md = rules::metadata(mm, current);
    let atomic = matches!(current.operation, Operation::Atomic { .. });
    let circumstances = naming::Circumstances {
        mixed: mm.atomic != atomic,
        same_lock: locks::common(mm.locks, current.locks, widths),
        one_sided: (mm.locks == 0) != (current.locks == 0),
        block_fence: md.blk_fence != sm.blk,
    };
    match race {
        Race::R1 => Class::AtomicScope,
        Race::R2 => Class::DivergentWarp,
        Race::R3 if md.warp() == current.who.warp() => Class::DivergentWarp,
        Race::R3 => naming::same_block(circumstances),
        Race::R4 => naming::other_block(circumstances),
        Race::R5 => naming::locks(circumstances),
    }
}

impl Lens for Iguard {
    fn name(&self) -> &'static str {
        "iguard"
    }

    fn launch(&mut self, task: TaskId, info: &LaunchInfo) {
        self.foreign |= info.uses.asynchronous;
        let launch = match self.spare.take() {
            Some(spare) => spare.again(&self.options, info),
            None => Launch::new(&self.options, Some(info)),
        };
        self.launches.insert(task, launch);
    }

    fn finish(&mut self, task: TaskId) {
        self.spare = self.launches.remove(&task);
    }

    fn access(&mut self, access: &Access<'_>) {
        self.own_fence(access, true);
        self.infer_locks(access);
        if access.space == Space::Global {
            self.check(access);
        }
        self.own_fence(access, false);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        match *sync {
            Sync::Fence { warp, lanes, sem, scope, .. } if sem != Sem::Relaxed => {
                self.fence(warp, lanes, scope)
            }
            Sync::WarpSync { warp, .. } => self.launch_of(warp.task).counters.warp_barrier(warp),
            Sync::BarrierComplete { task, block, id: BarrierId::Cta(_), .. } => {
                self.launch_of(task).counters.block_barrier(block)
            }
            Sync::BarrierComplete {
                task,
                id: BarrierId::Cluster(_),
                members: BarrierMembers::Some(members),
                ..
            } => {
                let counters = &mut self.launch_of(task).counters;
                let mut last = None;
                for member in members {
                    let warp = Warp { task, block: member.block, warp: member.warp };
                    counters.fence(warp, member.arrived, false);
                    if last.replace(member.block) != Some(member.block) {
                        counters.block_barrier(member.block);
                    }
                }
            }
            _ => {}
        }
    }

    fn forget(&mut self, base: u64, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let shift = self.options.granularity.shift();
        let (first, last) = (base >> shift, base.saturating_add(bytes - 1) >> shift);
        for launch in self.launches.values_mut() {
            match &mut launch.cells {
                Cells::Published(pages) => pages.reset(first, last),
                Cells::Wide(pages) => pages.reset(first, last),
            }
        }
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        self.pairs.take()
    }

    fn restrict(&mut self, shard: Shard) -> bool {
        self.shard = shard;
        true
    }

    fn take_dated(&mut self) -> Vec<(Moment, Finding)> {
        self.pairs.take_dated()
    }

    fn watch(&mut self, pairs: &[SitePair]) {
        self.acquittals.watch(pairs);
    }

    fn acquittals(&self) -> Vec<(SitePair, &'static str)> {
        self.acquittals.list()
    }

    fn limits(&self) -> Vec<String> {
        let mut limits = vec!["iguard checks global memory within one kernel launch only".to_owned()];
        if self.foreign {
            limits.push("iguard does not know mbarriers and asynchronous copies".to_owned());
        }
        limits
    }

    fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        for launch in self.launches.values() {
            let cells = match &launch.cells {
                Cells::Published(pages) => pages.bytes(),
                Cells::Wide(pages) => pages.bytes(),
            };
            footprint.shadow_bytes +=
                cells + launch.counters.bytes() + launch.accessors.bytes() + launch.writers.bytes();
            footprint.touched_bytes += launch.accessors.cells() << self.options.granularity.shift();
        }
        footprint
    }
}
