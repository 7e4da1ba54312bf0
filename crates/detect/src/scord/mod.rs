//! Lens `scord`: the detector of *ScoRD: A Scoped Race Detector for GPUs* (Kamath, George,
//! Basu; ISCA 2020).
//!
//! **Followed:** the metadata entry (Fig. 7, [`entry`]), the preliminary checks and race
//! conditions (Tables III and IV, [`rules`]), barrier ids, the fence file and the lock
//! tables (Fig. 6, [`hardware`]), lock inference and the Bloom filter ([`locks`]), the
//! metadata cache (§IV-B, [`metadata`]), tracking at 4, 8 or 16 bytes (Table VII), and the
//! traffic that metadata cause (Figs. 8 and 9, [`traffic`]). As in the paper only global
//! memory is checked, the unit is the warp, cluster scope counts as block scope and system
//! scope as device scope, and each launch starts with fresh metadata.
//!
//! **Where the paper is silent or contradicts itself:**
//! * It says that an entry names the last *accessor* but holds the fence ids of the last
//!   *writer*, and that every access updates both. Read literally, two warps that read what a
//!   third wrote before a barrier race. [`Readers`] offers three readings; the default keeps
//!   a second entry for the last writer, which loads are compared with.
//! * A store or atomic clears the shared flags: it has been checked against what was shared.
//! * The Bloom filter's scopes: see [`locks`].
//! * The paper names §VI's handling of `.acquire` and `.release` but does not define it.
//!   Here (unless [`Options::acquire_release`] is off) an acquiring operation is followed by
//!   a fence of its scope, a releasing one preceded by one, and strong loads and stores with
//!   a scope are atomics.
//! * A cluster barrier is a block barrier and a device fence for all that take part.
//! * [`Options::same_instruction`] is the extension of the GWCP paper (§5.1): lanes of one
//!   instruction that write one location race.
//!
//! **Guarantee:** none in the sense of PTX. ScoRD asks whether the *earlier* warp has fenced
//! since, never whether the later one acquired, so it misses races and reports correct
//! programs (weak accesses ordered by fences are races to it). Findings are exactly its
//! tables' verdicts; with [`Widths::WIDE`] no counter wraps.

pub mod entry;
pub mod hardware;
pub mod locks;
pub mod metadata;
pub mod rules;
#[cfg(test)]
mod tests;
pub mod traffic;

use crate::lens::acquit::{Acquittals, SitePair};
use crate::lens::elements::{Element, elements, lanes};
use crate::lens::naming;
use crate::lens::pages::Pages;
use crate::lens::pairs::{Moment, Pairs};
use crate::lens::serial::Lens;
use crate::lens::shard::Shard;
use crate::lens::witness::{Operations, Witness};
use entry::{Entry, Widths};
use events::access::Warp;
use events::observer::Footprint;
use events::task::LaunchInfo;
use events::{
    Access, AccessKind, AtomicOp, BarrierMembers, Class, Finding, Scope, Sem, Space, Strength, Sync,
    SyncNote, TaskId,
};
use hardware::Hardware;
use metadata::{Metadata, Which};
use rules::{Current, Operation, Row};
use rustc_hash::FxHashMap;
use traffic::Traffic;

/// What becomes of an entry when a location is loaded that had been stored to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Two entries: loads are compared with the last writer, stores with the last accessor.
    Separate,
    /// One entry that every access takes over, as §IV-A's text has it.
    Replace,
    /// One entry that stays the last writer's: loads only set its shared flags.
    Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of memory described by one entry: 4, 8 or 16.
    pub granularity: Granularity,
    /// Keep one entry for sixteen granules (§IV-B).
    pub cached: bool,
    pub widths: Widths,
    pub readers: Readers,
    /// Row (c): conflicting accesses must be volatile or atomic, even behind a fence.
    pub strong_accesses: bool,
    pub acquire_release: bool,
    pub same_instruction: bool,
    /// Run the memory-hierarchy model along.
    pub traffic: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    Bytes4,
    Bytes8,
    Bytes16,
}

impl Granularity {
    pub const fn shift(self) -> u32 {
        match self {
            Granularity::Bytes4 => 2,
            Granularity::Bytes8 => 3,
            Granularity::Bytes16 => 4,
        }
    }

    pub const fn from_bytes(bytes: u32) -> Option<Self> {
        match bytes {
            4 => Some(Granularity::Bytes4),
            8 => Some(Granularity::Bytes8),
            16 => Some(Granularity::Bytes16),
            _ => None,
        }
    }
}

impl Default for Options {
    /// The base design without caching, with counters that do not wrap.
    fn default() -> Self {
        Options {
            granularity: Granularity::Bytes4,
            cached: false,
            widths: Widths::WIDE,
            readers: Readers::Separate,
            strong_accesses: true,
            acquire_release: true,
            same_instruction: true,
            traffic: false,
        }
    }
}

impl Options {
    /// The paper's hardware: eight-byte entries, cached, nothing that it does not have.
    pub fn published() -> Self {
        Options {
            cached: true,
            widths: Widths::PUBLISHED,
            readers: Readers::Keep,
            acquire_release: false,
            same_instruction: false,
            ..Options::default()
        }
    }
}

/// The detector.
pub struct Scord {
    options: Options,
    operations: Operations,
    pairs: Pairs,
    shard: Shard,
    acquittals: Acquittals,
    launches: FxHashMap<TaskId, Launch>,
    /// One that has ended, for its memory.
    spare: Option<Launch>,
    traffic: Option<Traffic>,
    /// A kernel used synchronisation that ScoRD does not know.
    foreign: bool,
}

struct Launch {
    hardware: Hardware,
    metadata: Metadata,
    accessors: Pages<Witness>,
    writers: Pages<Witness>,
}

impl Scord {
    pub fn new(options: Options) -> Self {
        Scord {
            options,
            operations: Operations::default(),
            pairs: Pairs::new("scord"),
            shard: Shard::WHOLE,
            acquittals: Acquittals::default(),
            launches: FxHashMap::default(),
            spare: None,
            traffic: options.traffic.then(|| Traffic::new(options.granularity.shift())),
            foreign: false,
        }
    }

    /// What the memory-hierarchy model has counted, if it ran.
    pub fn traffic(&self) -> Option<traffic::Report> {
        self.traffic.as_ref().map(Traffic::report)
    }

    fn launch_of(&mut self, task: TaskId) -> &mut Launch {
        let options = &self.options;
        self.launches.entry(task).or_insert_with(|| Launch::new(options))
    }

    /// Adds what the operation's own semantics contribute: `before` its access the release
    /// side, after it the acquire side.
    fn own_fence(&mut self, access: &Access<'_>, before: bool) {
        let Strength::Strong { sem, scope } = access.strength else { return };
        let fences = if before { sem.releases() } else { sem.acquires() };
        if self.options.acquire_release && fences {
            self.fence(access.warp, scope);
        }
    }

    fn fence(&mut self, warp: Warp, scope: Scope) {
        let hardware = &mut self.launch_of(warp.task).hardware;
        let slot = hardware.warp(warp.block, warp.warp);
        hardware.fence(slot, is_block(scope));
    }

    fn check(&mut self, access: &Access<'_>) {
        let options = self.options;
        let shift = options.granularity.shift();
        if let Some(granules) = self.shard.foreign(access, shift) {
            self.pairs.advance_by(granules);
            return;
        }
        let operation = self.operations.intern(access);
        let launch = self.launches.entry(access.warp.task).or_insert_with(|| Launch::new(&options));
        let current = launch.current(access, &options);
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
                        self.acquittals.note(site, access.site, rules::acquittal(&md, &current));
                    }
                    continue;
                };
                let last = launch.hardware.fences(md_warp(&md));
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
            if a.lane == b.lane || b.address >= a.address + u64::from(a.bytes) {
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

impl Launch {
    fn new(options: &Options) -> Self {
        Launch {
            hardware: Hardware::new(options.widths),
            metadata: Metadata::new(options),
            accessors: Pages::new(Witness::NOBODY),
            writers: Pages::new(Witness::NOBODY),
        }
    }

    /// A new launch in this one's memory.
    fn again(mut self, options: &Options) -> Self {
        self.hardware = Hardware::new(options.widths);
        self.metadata.clear();
        self.accessors.clear();
        self.writers.clear();
        self
    }

    fn current(&mut self, access: &Access<'_>, options: &Options) -> Current {
        let slot = self.hardware.warp(access.warp.block, access.warp.warp);
        let fences = self.hardware.fences(slot);
        let operation = match (access.kind, access.strength) {
            (AccessKind::Atomic { .. }, Strength::Strong { scope, .. }) => {
                Operation::Atomic { block_scope: is_block(scope) }
            }
            (AccessKind::Atomic { .. }, _) => Operation::Atomic { block_scope: false },
            (_, Strength::Strong { scope, .. }) if options.acquire_release => {
                Operation::Atomic { block_scope: is_block(scope) }
            }
            (kind, _) if kind.writes() => Operation::Store,
            _ => Operation::Load,
        };
        Current {
            operation,
            block: slot.block,
            warp: slot.warp,
            barrier: self.hardware.barrier(slot.block),
            dev_fence: fences.dev,
            blk_fence: fences.blk,
            strong: access.strength != Strength::Weak || matches!(access.kind, AccessKind::Atomic { .. }),
            locks: self.hardware.held(slot),
        }
    }

    fn judge(&mut self, granule: u64, current: &Current, options: &Options) -> (Which, Entry, Option<Row>) {
        let (which, md) = self.metadata.look_up(granule, current.operation == Operation::Load);
        if rules::preliminary(&md, current).is_some() {
            return (which, md, None);
        }
        let last = self.hardware.fences(md_warp(&md));
        let row = rules::race(&md, current, last, &options.widths, options.strong_accesses);
        (which, md, row)
    }

    fn record(&mut self, granule: u64, current: &Current, witness: Witness) {
        let (at, _) = self.metadata.place(granule);
        let owner = self.metadata.record(granule, current);
        if owner {
            *self.accessors.cell(at) = witness;
        }
        if current.operation != Operation::Load {
            *self.writers.cell(at) = witness;
        }
    }
}

fn md_warp(md: &Entry) -> hardware::WarpSlot {
    hardware::WarpSlot { block: md.block, warp: md.warp }
}

fn is_block(scope: Scope) -> bool {
    matches!(scope, Scope::Cta | Scope::Cluster)
}

/// The design's name for a row, given what else the metadata tell.
fn class(row: Row, md: &Entry, current: &Current, block_fence: bool, widths: &Widths) -> Class {
    let atomic = matches!(current.operation, Operation::Atomic { .. });
    let circumstances = naming::Circumstances {
        mixed: md.flags.has(entry::Flags::IS_ATOM) != atomic,
        same_lock: md.locks.intersects(current.locks, true, widths),
        one_sided: md.locks.is_empty() != current.locks.is_empty(),
        block_fence,
    };
    match row {
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

    fn launch(&mut self, task: TaskId, info: &LaunchInfo) {
        self.foreign |= info.uses.asynchronous;
        let launch = self.spare.take().unwrap_or_else(|| Launch::new(&self.options));
        self.launches.insert(task, launch);
        if let Some(traffic) = &mut self.traffic {
            traffic.launch();
        }
    }

    fn finish(&mut self, task: TaskId) {
        self.spare = self.launches.remove(&task).map(|launch| launch.again(&self.options));
    }

    fn access(&mut self, access: &Access<'_>) {
        if access.space != Space::Global {
            // Locks in shared memory are still locks, but ScoRD's detector sits at the L2.
            return;
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.access(access);
        }
        self.own_fence(access, true);
        if self.options.same_instruction {
            self.check_instruction(access);
        }
        self.check(access);
        self.infer_locks(access);
        self.own_fence(access, false);
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
        for launch in self.launches.values_mut() {
            launch.metadata.reset(first, last);
        }
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        self.pairs.take()
    }

    fn restrict(&mut self, shard: Shard) -> bool {
        self.shard = shard;
        // The model of the memory hierarchy sees accesses in one order.
        self.traffic.is_none()
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
        let mut limits = vec!["scord checks global memory within one kernel launch only".to_owned()];
        if self.foreign {
            limits.push("scord does not know mbarriers and asynchronous copies".to_owned());
        }
        limits
    }

    fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        for launch in self.launches.values() {
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
        let AccessKind::Atomic { op, .. } = access.kind else { return };
        let block_scope = matches!(access.strength, Strength::Strong { scope, .. } if is_block(scope));
        let hardware = &mut self.launch_of(access.warp.task).hardware;
        let slot = hardware.warp(access.warp.block, access.warp.warp);
        for lane in lanes(access.mask) {
            let address = access.addresses[lane as usize];
            match op {
                AtomicOp::Cas => hardware.compare_and_swap(slot, address, block_scope),
                AtomicOp::Exch => hardware.exchange(slot, address, block_scope),
                _ => {}
            }
        }
    }
}
