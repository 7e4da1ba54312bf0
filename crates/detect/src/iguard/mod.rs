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
//! [`Options::published`] is the paper to the letter. **Deviations**, each an option that
//! docs/lenses.md names, and the default because the letter reports correct programs:
//! * [`Shared::SinceStore`]: P3 ignores the shared flags for loads, and stores clear the flags, as in
//!   the released code. A load sets `BlkShared` only if nothing (no barrier, no fence of the last
//!   accessor) separates it from the last access; otherwise R3 would report every thread that loads and
//!   then stores what another one left to it. The released code, too, clears it then.
//! * [`Options::acquire_release`]: `.acquire` and `.release` act as fences after and before their
//!   operation; the paper's CUDA 11.0 had neither.
//! * [`Relaxed::Atomic`](names::lens::scord::Relaxed::Atomic): loads and stores with a scope are atomics.
//! * [`Widths::WIDE`]: no counter wraps.
//!
//! A cluster barrier, which the paper does not know, is a block barrier and a device fence for all that
//! take part.
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
use crate::lens::granularity::is_block;
use crate::lens::launches::Launches;
use crate::lens::naming;
use crate::lens::operation::{LockStep, semantics};
use crate::lens::pages::Pages;
use crate::lens::pairs::{Moment, Pairs};
use crate::lens::serial::{Lens, Overlooks};
use crate::lens::shard::Shard;
use crate::lens::witness::{Operations, Witness};
use counters::Counters;
use entry::{Entry, Words};
use events::access::Warp;
use events::observer::Footprint;
use events::task::LaunchInfo;
use events::{
    Access, BarrierId, BarrierMembers, Class, Finding, LaneMask, Scope, Sem, Space, Sync, SyncNote, TaskId,
};
pub use names::lens::iguard::{Options, Shared, Widths};
use rules::{Current, Fences, Operation, Race};

/// The detector.
pub struct Iguard {
    options: Options,
    operations: Operations,
    pairs: Pairs,
    shard: Shard,
    acquittals: Acquittals,
    launches: Launches<Launch>,
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
            launches: Launches::default(),
            foreign: false,
        }
    }

    fn launch_of(&mut self, task: TaskId) -> &mut Launch {
        let options = &self.options;
        self.launches.get(task, || Launch::new(options, None))
    }

    fn fence(&mut self, warp: Warp, lanes: LaneMask, scope: Scope) {
        self.launch_of(warp.task).counters.fence(warp, lanes, is_block(scope));
    }

    fn check(&mut self, access: &Access<'_>) {
        let shift = self.options.granularity.shift();
        if let Some(granules) = self.shard.foreign(access, shift) {
            self.pairs.advance_by(granules);
            return;
        }
        let id = self.operations.intern(access);
        let operation = Operation::of(access, self.options.relaxed, self.options.acquire_release);
        for element in elements(access) {
            let launch = self.launch_of(access.warp.task);
            let who = launch.counters.accessor(access.warp, element.lane);
            let current = Current {
                operation,
                load: !access.kind.writes(),
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
        let (widths, shared) = (self.options.widths, self.options.shared);
        let launch = self.launch_of(access.warp.task);
        let mm = launch.cells.load(granule);
        let md = *rules::metadata(&mm, current);
        let mut found = None;
        if rules::preliminary(&mm, current, shared).is_none() {
            let sm = launch.counters.fences(md.thread);
            found = rules::race(&mm, current, sm, &widths).map(|race| (race, sm));
        }
        let last = launch.counters.fences(mm.accessor.thread);
        launch.cells.store(granule, &rules::update(&mm, current, last, shared));
        let load = current.load;
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
            self.acquittals.note(site, access.site, rules::acquittal(&mm, current, shared));
        }
    }

    /// Lock inference: compare-and-swap, fence, …, exchange.
    fn infer_locks(&mut self, access: &Access<'_>) {
        let Some((step, block_scope)) = LockStep::of(access) else { return };
        let counters = &mut self.launch_of(access.warp.task).counters;
        let (warp, mask, addresses) = (access.warp, access.mask, access.addresses);
        match step {
            LockStep::CompareAndSwap => counters.compare_and_swap(warp, mask, addresses, block_scope),
            LockStep::Exchange => counters.exchange(warp, mask, addresses, block_scope),
        }
    }
}

fn class(race: Race, mm: &Entry, current: &Current, sm: Fences, widths: &Widths) -> Class {
    let md = rules::metadata(mm, current);
    let atomic = current.operation.is_atomic();
    let circumstances = naming::Circumstances {
        mixed: mm.atomic != atomic,
        same_lock: locks::common(mm.locks, current.locks, widths),
        one_sided: (mm.locks == 0) != (current.locks == 0),
        two_sided: mm.locks != 0 && current.locks != 0,
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

    fn overlooks(&self) -> Overlooks {
        Overlooks { shared: true }
    }

    fn launch(&mut self, task: TaskId, info: &LaunchInfo) {
        self.foreign |= info.uses.asynchronous;
        let options = &self.options;
        self.launches.start(task, |spare| match spare {
            Some(spare) => spare.again(options, info),
            None => Launch::new(options, Some(info)),
        });
    }

    fn finish(&mut self, task: TaskId) {
        self.launches.end(task);
    }

    fn access(&mut self, access: &Access<'_>) {
        let (release, acquire) = if self.options.acquire_release { semantics(access) } else { (None, None) };
        release.into_iter().for_each(|scope| self.fence(access.warp, access.mask, scope));
        self.infer_locks(access);
        if access.space == Space::Global {
            self.check(access);
        }
        acquire.into_iter().for_each(|scope| self.fence(access.warp, access.mask, scope));
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
        for launch in self.launches.all_mut() {
            match &mut launch.cells {
                Cells::Published(pages) => pages.reset(first, last),
                Cells::Wide(pages) => pages.reset(first, last),
            }
        }
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        self.pairs.take()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.pairs.so_far()
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
        let limit = "iguard does not know mbarriers and asynchronous copies, which a kernel uses";
        if self.foreign { vec![limit.to_owned()] } else { Vec::new() }
    }

    fn scope(&self) -> Vec<String> {
        vec!["iguard checks global memory within one kernel launch only".to_owned()]
    }

    fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        for launch in self.launches.all() {
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
