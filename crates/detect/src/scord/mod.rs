//! Lens `scord`: the detector of *ScoRD: A Scoped Race Detector for GPUs* (Kamath, George,
//! Basu; ISCA 2020).
//!
//! **Followed:** the metadata entry (Fig. 7, [`entry`]), the preliminary checks and race
//! conditions (Tables III and IV, [`rules`]), barrier ids, the fence file and the lock
//! tables (Fig. 6, [`hardware`]), lock inference and the Bloom filter ([`locks`]), the
//! metadata cache (§IV-B, [`metadata`]), acquire and release operations and independent thread
//! scheduling (§VI, [`releases`] and [`Options::divergence`]), tracking at 4, 8 or 16 bytes
//! (Table VII), and the traffic that metadata cause (Figs. 8 and 9, [`traffic`]). As in the paper
//! only global memory is checked, cluster scope counts as block scope and system scope as device
//! scope, and each launch starts with fresh metadata.
//!
//! [`Options::published`] is the paper to the letter, §VI included. Every deviation is a field of
//! [`Options`] and has a name on the command line (docs/lenses.md lists them); the default takes those
//! that keep correct programs quiet.
//!
//! **Where the paper is silent or contradicts itself:**
//! * It says that an entry names the last *accessor* but holds the fence ids of the last
//!   *writer*, and that every access updates both. Read literally, two warps that read what a
//!   third wrote before a barrier race. [`Readers`] offers three readings; the default keeps
//!   a second entry for the last writer, which loads are compared with.
//! * A store or atomic clears the shared flags: it has been checked against what was shared.
//! * The Bloom filter's scopes: see [`locks`].
//! * §VI does not say what an acquire or a release is to Table IV: here an atomic of its scope.
//!   Nor how scopes enter the release file: here as in the fence file. A warp `hasDiverged` from
//!   an instruction that not all of its live lanes execute to one that they do, or a barrier.
//! * A cluster barrier is a block barrier and a device fence for all that take part.
//! * [`Options::same_instruction`] is the extension of the GWCP paper (§5.1): lanes of one
//!   instruction that write one location race.
//!
//! **Guarantee:** none in the sense of PTX. Of fences ScoRD asks whether the *earlier* warp has executed
//! one since, never whether the later one has; of releases, whether the later warp has ever acquired
//! from the earlier one, not when. So it misses races, and reports correct programs (weak accesses
//! ordered by fences are races to it). Findings are exactly its tables' verdicts; with [`Widths::WIDE`]
//! no counter wraps.

pub mod entry;
pub mod hardware;
mod launch;
pub mod locks;
pub mod metadata;
pub mod releases;
pub mod rules;
#[cfg(test)]
mod tests;
pub mod traffic;
pub mod widths;

use crate::lens::acquit::{Acquittals, SitePair};
use crate::lens::elements::{Element, elements, lanes, location};
use crate::lens::granularity::is_block;
use crate::lens::launches::Launches;
use crate::lens::naming;
use crate::lens::operation::{LockStep, semantics};
use crate::lens::pages::Pages;
use crate::lens::pairs::{Moment, Pairs};
use crate::lens::serial::{Lens, Overlooks};
use crate::lens::shard::Shard;
use crate::lens::witness::{Operations, Witness};
use entry::Entry;
use events::access::Warp;
use events::observer::Footprint;
use events::task::LaunchInfo;
use events::{
    Access, AccessKind, BarrierMembers, Class, Finding, Scope, Sem, Space, Strength, Sync, SyncNote, TaskId,
};
use hardware::Hardware;
use launch::{Launch, warp_of};
use metadata::{Metadata, Which};
use releases::Write;
use rules::{Current, Operation, Row};
use traffic::Traffic;
use widths::WarpSlot;

pub use names::lens::scord::{Granularity, Mapping, Options, Queue, Readers, Relaxed, Releases, Widths};

/// The detector.
pub struct Scord {
    options: Options,
    operations: Operations,
    pairs: Pairs,
    shard: Shard,
    acquittals: Acquittals,
    launches: Launches<Launch>,
    traffic: Option<Traffic>,
    /// A kernel used synchronisation that ScoRD does not know.
    foreign: bool,
}

impl Scord {
    pub fn new(options: Options) -> Self {
        Scord {
            options,
            operations: Operations::default(),
            pairs: Pairs::new("scord"),
            shard: Shard::WHOLE,
            acquittals: Acquittals::default(),
            launches: Launches::default(),
            traffic: options
                .traffic
                .then(|| Traffic::new(options.granularity.shift(), traffic::Machine::PAPER)),
            foreign: false,
        }
    }

    /// The counts of the memory-hierarchy model, if it ran.
    pub fn traffic(&self) -> Option<traffic::Report> {
        self.traffic.as_ref().map(Traffic::report)
    }

    fn launch_of(&mut self, task: TaskId) -> &mut Launch {
        let options = &self.options;
        self.launches.get(task, || Launch::new(options, None))
    }

    fn fence(&mut self, warp: Warp, scope: Scope) {
        let hardware = &mut self.launch_of(warp.task).hardware;
        let slot = hardware.warp(warp.block, warp.warp);
        hardware.fence(slot, is_block(scope));
    }

    /// The effect of the operation's own semantics before its access.
    fn release(&mut self, access: &Access<'_>) {
        let (Some(scope), _) = semantics(access) else { return };
        let releases = self.options.releases;
        if releases == Releases::Fences {
            self.fence(access.warp, scope);
        } else if releases.filed() {
            let hardware = &mut self.launch_of(access.warp.task).hardware;
            let slot = hardware.warp(access.warp.block, access.warp.warp);
            hardware.release(slot, is_block(scope));
        }
    }

    /// And after it.
    fn acquire(&mut self, access: &Access<'_>) {
        let (release, acquire) = semantics(access);
        let releases = self.options.releases;
        if releases == Releases::Fences {
            acquire.into_iter().for_each(|scope| self.fence(access.warp, scope));
        }
        if !releases.filed() {
            return;
        }
        let hardware = &mut self.launch_of(access.warp.task).hardware;
        let slot = hardware.warp(access.warp.block, access.warp.warp);
        if let Some(scope) = acquire {
            hardware.activate(slot, is_block(scope));
        }
        if releases == Releases::File || release.is_none() && hardware.releases.is_idle() {
            return;
        }
        let atomic = matches!(access.kind, AccessKind::Atomic { .. });
        for lane in lanes(access.mask) {
            let address = location(access, lane);
            if access.kind.reads() && access.strength != Strength::Weak {
                match acquire {
                    Some(scope) => hardware.releases.acquire(slot, address, is_block(scope)),
                    None => hardware.releases.read(slot, address),
                }
            }
            if access.stored >> lane & 1 == 0 {
                continue;
            }
            match release {
                Some(scope) => {
                    let write = if atomic { Write::Onto } else { Write::Over };
                    hardware.publish(slot, address, is_block(scope), write);
                }
                None if !atomic => hardware.releases.overwrite(address),
                None => {}
            }
        }
    }

    fn check(&mut self, access: &Access<'_>) {
        let options = self.options;
        let shift = options.granularity.shift();
        if options.widths.block < 32 {
            // Every shard must number blocks alike.
            self.launch_of(access.warp.task).hardware.block(access.warp.block);
        }
        if let Some(granules) = self.shard.foreign(access, shift) {
            self.pairs.advance_by(granules);
            return;
        }
        let operation = self.operations.intern(access);
        let launch = self.launches.get(access.warp.task, || Launch::new(&options, None));
        let mut current = launch.current(access, &options);
        let acquires = options.releases == Releases::File && semantics(access).1.is_some();
        let witness = |element: &Element, base| {
            Witness::new(operation, access.warp.block, element.thread, element.address, base)
        };
        // The hardware looks up all entries of a warp's access before it writes one of them back: with
        // the cache, neighbours that share an entry would hide each other otherwise.
        for element in elements(access) {
            for granule in element.granules(shift) {
                self.pairs.advance();
                if !self.shard.owns(access.space, granule << shift) {
                    continue;
                }
                if acquires {
                    launch.note_releaser(granule, &current);
                }
                current.thread = element.lane as u8;
                let (which, md, row) = launch.judge(granule, &current, &options);
                if row.is_none() && self.acquittals.is_idle() {
                    continue;
                }
                let cells = match which {
                    Which::Accessor => &mut launch.accessors,
                    Which::Writer => &mut launch.writers,
                };
                let (at, _) = launch.metadata.place(granule);
                let earlier = *cells.cell(at);
                let Some(row) = row else {
                    if earlier.is_somebody() {
                        let site = self.operations.get(earlier.operation()).site;
                        let acquired = launch.acquired(&md, &current);
                        self.acquittals.note(site, access.site, rules::acquittal(&md, &current, acquired));
                    }
                    continue;
                };
                let last = launch.hardware.fences(warp_of(&md));
                let fenced = md.blk_fence != last.blk;
                let class = class(row, &md, &current, fenced, &options.widths);
                let base = granule << shift;
                let sides = [
                    self.operations.side(access.warp.task, base, &earlier),
                    self.operations.side(access.warp.task, base, &witness(&element, base)),
                ];
                let note = || vec![SyncNote::Rule(row.text().to_owned())];
                self.pairs.report(class, false, access.space, sides, note);
            }
        }
        for element in elements(access) {
            for granule in element.granules(shift) {
                if !self.shard.owns(access.space, granule << shift) {
                    continue;
                }
                current.thread = element.lane as u8;
                launch.record(granule, &current, witness(&element, granule << shift));
            }
        }
    }

    /// Lanes of one weak or volatile store that overlap.
    fn check_instruction(&mut self, access: &Access<'_>) {
        if access.kind != AccessKind::Write || access.mask.count_ones() < 2 {
            return;
        }
        if self.shard.foreign(access, self.options.granularity.shift()).is_some() {
            let elements = u64::from(access.mask.count_ones()) * u64::from(access.elements.max(1));
            self.pairs.advance_by(elements - 1);
            return;
        }
        let mut written: Vec<Element> = elements(access).collect();
        written.sort_unstable_by_key(|e| (e.address, e.lane));
        let operation = self.operations.intern(access);
        for pair in written.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            self.pairs.advance();
            if !self.shard.owns(access.space, a.address) {
                continue;
            }
            if a.lane == b.lane || b.address >= a.address.saturating_add(u64::from(a.bytes)) {
                continue;
            }
            let sides = [a, b].map(|e| {
                let witness = Witness::new(operation, access.warp.block, e.thread, e.address, e.address);
                self.operations.side(access.warp.task, e.address, &witness)
            });
            let note = || vec![SyncNote::Rule("same-instruction check of the GWCP paper, §5.1".to_owned())];
            self.pairs.report(Class::SameInstruction, false, access.space, sides, note);
        }
    }
}

/// The design's name for a row, given what else the metadata tell.
fn class(row: Row, md: &Entry, current: &Current, block_fence: bool, widths: &Widths) -> Class {
    let atomic = current.operation.is_atomic();
    let circumstances = naming::Circumstances {
        mixed: md.flags.has(entry::Flags::IS_ATOM) != atomic,
        same_lock: md.locks.intersects(current.locks, true, widths),
        one_sided: md.locks.is_empty() != current.locks.is_empty(),
        two_sided: !md.locks.is_empty() && !current.locks.is_empty(),
        block_fence,
    };
    match row {
        Row::MissingBlockFence if md.warp == current.warp => Class::DivergentWarp,
        Row::MissingBlockFence => naming::same_block(circumstances),
        Row::MissingDeviceFence => naming::other_block(circumstances),
        Row::NotStrong => Class::MissingFence,
        Row::ScopedAtomic => Class::AtomicScope,
        Row::MissingLockOnLoad | Row::MissingLockOnStore => naming::locks(circumstances),
    }
}

impl Lens for Scord {
    fn name(&self) -> &'static str {
        "scord"
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
        if let Some(traffic) = &mut self.traffic {
            traffic.launch();
        }
    }

    fn finish(&mut self, task: TaskId) {
        self.launches.end(task);
    }

    fn access(&mut self, access: &Access<'_>) {
        if access.space != Space::Global {
            // Locks in shared memory are still locks, but ScoRD's detector sits at the L2.
            return;
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.access(access);
        }
        self.release(access);
        if self.options.same_instruction {
            self.check_instruction(access);
        }
        self.check(access);
        self.infer_locks(access);
        self.acquire(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        match *sync {
            Sync::Fence { warp, sem, scope, .. } if sem != Sem::Relaxed => self.fence(warp, scope),
            Sync::BarrierComplete { task, block, id: events::BarrierId::Cta(_), .. } => {
                let hardware = &mut self.launch_of(task).hardware;
                let slot = hardware.block(block);
                hardware.block_barrier(slot);
            }
            Sync::BarrierComplete {
                task,
                id: events::BarrierId::Cluster(_),
                members: BarrierMembers::Some(members),
                ..
            } => {
                let hardware = &mut self.launch_of(task).hardware;
                let mut last = None;
                for member in members {
                    let slot = hardware.warp(member.block, member.warp);
                    hardware.fence(slot, false);
                    if last.replace(slot.block) != Some(slot.block) {
                        hardware.block_barrier(slot.block);
                    }
                }
            }
            Sync::Exit { warp, lanes } if self.options.divergence => {
                let hardware = &mut self.launch_of(warp.task).hardware;
                let slot = hardware.warp(warp.block, warp.warp);
                hardware.exit(slot, lanes);
            }
            Sync::BlockEnd { task, block } => self.launch_of(task).hardware.block_end(block),
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
            launch.metadata.reset(first, last);
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
        // The model of the memory hierarchy sees accesses in one order; entries of pages far apart may
        // share a place; and by §VI's letter what a warp knows depends on what an entry says.
        let dealt = !self.options.cached || self.options.mapping == Mapping::Neighbours;
        self.traffic.is_none() && dealt && self.options.releases != Releases::File
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
        let limit = "scord does not know mbarriers and asynchronous copies, which a kernel uses";
        if self.foreign { vec![limit.to_owned()] } else { Vec::new() }
    }

    fn scope(&self) -> Vec<String> {
        vec!["scord checks global memory within one kernel launch only".to_owned()]
    }

    fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        for launch in self.launches.all() {
            footprint.shadow_bytes += launch.metadata.bytes()
                + launch.hardware.bytes()
                + launch.accessors.bytes()
                + launch.writers.bytes();
            let cached = if self.options.cached { metadata::CACHED } else { 1 };
            footprint.touched_bytes +=
                (launch.accessors.cells() * cached) << self.options.granularity.shift();
        }
        footprint
    }
}

impl Scord {
    /// Lock inference: compare-and-swap, fence, …, exchange.
    fn infer_locks(&mut self, access: &Access<'_>) {
        let Some((step, block_scope)) = LockStep::of(access) else { return };
        let hardware = &mut self.launch_of(access.warp.task).hardware;
        let slot = hardware.warp(access.warp.block, access.warp.warp);
        for lane in lanes(access.mask) {
            let address = access.addresses[lane as usize];
            match step {
                LockStep::CompareAndSwap => hardware.compare_and_swap(slot, address, block_scope),
                LockStep::Exchange => hardware.exchange(slot, address, block_scope),
            }
        }
    }
}
