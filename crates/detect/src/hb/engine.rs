//! The parts that the vector-clock lenses share: from events to acquires, releases and barriers, and from
//! accesses to races. [`Rules`](super::rules::Rules) is where they differ.

use super::idioms::{Idioms, Meaning, Variable, is_block};
use super::rules::{Place, Rules};
use super::shadow::{self, Atomic, GRANULE, Manner, Shadow};
use super::threads::{Passing, Threads, Who};
use crate::lens::elements::{Element, elements, lanes};
use crate::lens::pairs::{Moment, Pairs};
use crate::lens::serial::{Lens, Overlooks};
use crate::lens::shard::Shard;
use crate::lens::witness::{OperationId, Operations, Witness};
use clocks::compressed::{Seen, Shape, VectorClock, WarpIndex};
use events::access::Warp;
use events::observer::Footprint;
use events::sync::NO_PHASE;
use events::task::LaunchInfo;
use events::{
    Access, AccessKind, AsyncOpId, BarrierId, BarrierMembers, BlockId, Class, Finding, LaneMask, Sem, Side,
    SiteId, Space, Strength, Sync, SyncNote, TaskId, ThreadId,
};
use rustc_hash::FxHashMap;

/// A volatile load that met a release store: a race, unless the thread spins there or a fence
/// follows, which makes the load an acquire.
struct Tentative {
    noticed: u64,
    who: Who,
    site: SiteId,
    class: Class,
    predicted: bool,
    space: Space,
    sides: [Side; 2],
}

struct Launch<R, C> {
    threads: Threads<C>,
    shadow: Shadow,
    idioms: Idioms,
    /// Whether acquires and releases may happen. Otherwise the engine does not look for them.
    synchronises: bool,
    rules: R,
    /// `bar.arrive`s, and cluster barriers under way and complete.
    arrived: FxHashMap<(u32, BarrierId), Passing<C>>,
    passed: FxHashMap<u32, Passing<C>>,
    mbarriers: FxHashMap<(Variable, u64), Passing<C>>,
    async_ops: FxHashMap<AsyncOpId, (Who, u32)>,
    tentative: Vec<Tentative>,
    /// How often each lane of a warp has executed an instruction.
    counts: FxHashMap<(WarpIndex, SiteId), Box<[u32; 32]>>,
}

impl<R: Rules<C>, C: VectorClock> Launch<R, C> {
    fn new(rules: R, shape: Shape, synchronises: bool, shadow: Shadow) -> Self {
        Launch {
            threads: Threads::new(shape),
            shadow,
            idioms: Idioms::default(),
            synchronises,
            rules,
            arrived: FxHashMap::default(),
            passed: FxHashMap::default(),
            mbarriers: FxHashMap::default(),
            async_ops: FxHashMap::default(),
            tentative: Vec::new(),
            counts: FxHashMap::default(),
        }
    }
}

/// A vector-clock lens.
pub struct Engine<R, C> {
    rules: R,
    operations: Operations,
    pairs: Pairs,
    shard: Shard,
    launches: FxHashMap<TaskId, Launch<R, C>>,
    /// The memory of a launch that has ended.
    spare: Shadow,
    capped: bool,
}

/// Launches are told of before their events; this is for streams that are not.
const UNKNOWN: Shape = Shape { blocks: u32::MAX, threads_per_block: 1024 };

impl<R: Rules<C>, C: VectorClock> Engine<R, C> {
    pub fn new(rules: R) -> Self {
        Engine {
            rules,
            operations: Operations::default(),
            pairs: Pairs::new(R::NAME),
            shard: Shard::WHOLE,
            launches: FxHashMap::default(),
            spare: Shadow::default(),
            capped: false,
        }
    }

    fn launch_of(&mut self, task: TaskId) -> &mut Launch<R, C> {
        let rules = &self.rules;
        let fresh = || Launch::new(rules.fresh(), UNKNOWN, true, Shadow::default());
        self.launches.entry(task).or_insert_with(fresh)
    }

    fn settle(&mut self, task: TaskId, discard: impl Fn(&Tentative) -> Option<bool>) {
        self.pairs.advance();
        let Some(launch) = self.launches.get_mut(&task) else { return };
        if launch.tentative.is_empty() {
            return;
        }
        let pairs = &mut self.pairs;
        let rule = launch.rules.rule();
        launch.tentative.retain(|t| match discard(t) {
            None => true,
            Some(true) => false,
            Some(false) => {
                let note = || vec![SyncNote::Rule(rule.to_owned())];
                pairs.report_noticed(t.noticed, t.class, t.predicted, t.space, t.sides.clone(), note);
                false
            }
        });
    }

    /// For which time each lane makes the access.
    fn count(&mut self, access: &Access<'_>) -> [u32; 32] {
        let launch = self.launch_of(access.warp.task);
        let counts = launch.counts.entry((index(access.warp), access.site)).or_default();
        for lane in lanes(access.mask) {
            let count = &mut counts[lane as usize];
            *count = count.saturating_add(1);
        }
        **counts
    }

    fn check(&mut self, access: &Access<'_>, element: Element, who: Who, operation: OperationId) {
        let task = access.warp.task;
        let rules = &self.rules;
        let fresh = || Launch::new(rules.fresh(), UNKNOWN, true, Shadow::default());
        let launch = self.launches.entry(task).or_insert_with(fresh);
        let shape = launch.threads.shape;
        let lane_stored = access.stored >> element.lane & 1 != 0;
        let atomic_op = matches!(access.kind, AccessKind::Atomic { .. });
        let manner = Manner {
            write: if atomic_op { lane_stored } else { access.kind.writes() },
            volatile: access.strength == Strength::Volatile,
            sync: !atomic_op && access.kind.writes() && launch.idioms.fenced(who),
            atomic: match access.strength {
                Strength::Strong { scope, .. } if is_block(scope) => Atomic::Block,
                Strength::Strong { .. } => Atomic::Device,
                _ if atomic_op => Atomic::Device,
                _ => Atomic::No,
            },
        };
        let end = element.address.saturating_add(u64::from(element.bytes.max(1)));
        for granule in element.granules(GRANULE.trailing_zeros()) {
            let base = granule * GRANULE;
            let from = element.address.max(base) - base;
            let to = end.min(base.saturating_add(GRANULE)) - base;
            let bytes = ((1u16 << to) - (1 << from)) as u8;
            let place = Place { space: access.space, granule };
            launch.rules.touch(&mut launch.threads, who, place, manner.write);
            self.pairs.advance();
            if !self.shard.owns(access.space, base) {
                continue;
            }
            let time = launch.threads.state(who).time;
            let new = shadow::Access { who, time, operation, manner, bytes };
            let clock = launch.rules.order(&mut launch.threads, who);
            let cell = launch.shadow.cell(access.space, granule);
            let mut found: Vec<(shadow::Record, Who)> = Vec::new();
            cell.races(&shape, clock, &new, |record, earlier| found.push((*record, earlier)));
            cell.record(&shape, clock, &new);
            self.capped |= cell.cap();
            for (record, earlier) in found {
                let predicted = launch.rules.predicts(&mut launch.threads, who, earlier, record.time);
                let witness = |id, who: Who, address| {
                    let thread = ThreadId::of(events::WarpId(who.at.warp), who.lane);
                    Witness::new(id, BlockId(who.at.block), thread, address, base)
                };
                let earlier_side =
                    self.operations.side(task, base, &witness(record.operation, earlier, base + from));
                let side = self.operations.side(task, base, &witness(operation, who, element.address));
                let same = record.operation == operation && earlier.at == who.at && record.time == time;
                let locked = launch.rules.holds(who);
                let class = class(&record.manner, &manner, earlier, who, same, locked);
                let sides = [earlier_side, side];
                let nth = [record.operation, operation].map(|id| self.operations.get(id).nth);
                if !same && launch.rules.keeps(&sides, nth, access.space) {
                    continue;
                }
                let reader = match (record.manner.sync, manner.sync) {
                    (true, _) if manner.volatile && !manner.write => Some((who, access.site)),
                    (_, true) if record.manner.volatile && !record.manner.write => {
                        let site = self.operations.get(record.operation).site;
                        launch.idioms.is_reading(earlier, site).then_some((earlier, site))
                    }
                    _ => None,
                };
                if let Some((who, site)) = reader {
                    let space = access.space;
                    let noticed = self.pairs.step();
                    let tentative = Tentative { noticed, who, site, class, predicted, space, sides };
                    launch.tentative.push(tentative);
                    continue;
                }
                let rule = launch.rules.rule();
                let note = || vec![SyncNote::Rule(rule.to_owned())];
                self.pairs.report(class, predicted, access.space, sides, note);
            }
        }
    }

    fn fence(&mut self, warp: Warp, mask: LaneMask, sem: Sem, scope: events::Scope) {
        let at = index(warp);
        self.settle(warp.task, |t| (t.who.at == at && mask >> t.who.lane & 1 != 0).then_some(sem.acquires()));
        let launch = self.launch_of(warp.task);
        let Launch { threads, rules, idioms, .. } = launch;
        idioms.fence(at, mask, sem, scope, |who, acquire| rules.acquire(threads, who, &acquire));
    }

    fn barrier(&mut self, task: TaskId, block: BlockId, id: BarrierId, members: BarrierMembers<'_>) {
        let launch = self.launch_of(task);
        let passing = launch.arrived.remove(&(block.0, id)).unwrap_or_default();
        match (id, members) {
            (BarrierId::Cta(_), BarrierMembers::WholeBlock) => {
                launch.threads.block_barrier(block.0);
            }
            (BarrierId::Cta(_), BarrierMembers::Some(members)) => {
                let waiting: Vec<_> = members
                    .iter()
                    .filter(|m| m.waited != 0)
                    .map(|m| (WarpIndex { block: m.block.0, warp: m.warp.0 }, m.waited))
                    .collect();
                launch.threads.meet(&waiting, passing);
            }
            (BarrierId::Cluster(_), BarrierMembers::Some(members)) => {
                for member in members {
                    launch.passed.insert(member.block.0, passing.clone());
                }
            }
            (BarrierId::Cluster(_), BarrierMembers::WholeBlock) => {
                launch.passed.insert(block.0, passing);
            }
        }
    }

    /// The lanes release to whatever `passing` stands for, and go on.
    fn depart(launch: &mut Launch<R, C>, at: WarpIndex, mask: LaneMask, passing: &mut Passing<C>) {
        launch.threads.arrive(at, mask, passing);
        for lane in lanes(mask) {
            launch.threads.tick(Who { at, lane });
        }
    }
}

fn index(warp: Warp) -> WarpIndex {
    WarpIndex { block: warp.block.0, warp: warp.warp.0 }
}

fn class(earlier: &Manner, later: &Manner, a: Who, b: Who, same: bool, locked: bool) -> Class {
    let same_block = a.at.block == b.at.block;
    let (x, y) = (earlier.atomic, later.atomic);
    if same {
        Class::SameInstruction
    } else if x != Atomic::No && y != Atomic::No {
        Class::AtomicScope
    } else if x != y {
        Class::WeakVsAtomic
    } else if a.at == b.at {
        Class::DivergentWarp
    } else if locked {
        Class::LockMissing
    } else if same_block {
        Class::MissingBarrier
    } else {
        Class::InterBlock
    }
}

impl<R: Rules<C>, C: VectorClock> Lens for Engine<R, C> {
    fn name(&self) -> &'static str {
        R::NAME
    }

    fn overlooks(&self) -> Overlooks {
        Overlooks::default()
    }

    fn launch(&mut self, task: TaskId, info: &LaunchInfo) {
        let shape = Shape {
            blocks: info.grid.count().min(u64::from(u32::MAX)) as u32,
            threads_per_block: info.block.count() as u32,
        };
        let (rules, synchronises) = (self.rules.fresh(), info.uses.fences_or_strong);
        let shadow = std::mem::take(&mut self.spare);
        self.launches.insert(task, Launch::new(rules, shape, synchronises, shadow));
    }

    fn finish(&mut self, task: TaskId) {
        self.settle(task, |_| Some(false));
        if let Some(launch) = self.launches.remove(&task) {
            self.spare = launch.shadow;
            self.spare.clear();
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        let at = index(access.warp);
        let task = access.warp.task;
        self.settle(task, |t| {
            let mine = t.who.at == at && access.mask >> t.who.lane & 1 != 0;
            mine.then_some(t.site == access.site && access.kind == AccessKind::Read)
        });
        let nth = R::COUNTS.then(|| self.count(access));
        let passed = match self.shard.foreign(access, GRANULE.trailing_zeros()) {
            Some(granules) if !self.launch_of(task).rules.touches(at, access.mask) => Some(granules),
            _ => None,
        };
        if let Some(granules) = passed {
            self.pairs.advance_by(granules);
        } else {
            let mut operation = self.operations.intern_nth(access, 0);
            for element in elements(access) {
                if let Some(nth) = &nth {
                    operation = self.operations.intern_nth(access, nth[element.lane as usize]);
                }
                self.check(access, element, Who { at, lane: element.lane }, operation);
            }
        }
        let launch = self.launch_of(task);
        let asynchronous = access.kind.operation();
        if !launch.synchronises && asynchronous.is_none() {
            return;
        }
        for lane in lanes(access.mask) {
            let who = Who { at, lane };
            let meaning =
                if launch.synchronises { launch.idioms.access(access, who) } else { Meaning::default() };
            if let Some((variable, take)) = meaning.took {
                launch.rules.take(who, variable, take);
            }
            if let Some(acquire) = &meaning.acquire {
                launch.rules.acquire(&mut launch.threads, who, acquire);
            }
            if let Some(release) = &meaning.release {
                launch.rules.release(&mut launch.threads, who, release);
                launch.threads.tick(who);
            }
            if let Some(op) = asynchronous {
                let time = launch.threads.state(who).time;
                launch.async_ops.insert(op.of_lane(access.mask, lane), (who, time));
                launch.threads.tick(who);
            }
        }
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        match *sync {
            Sync::Fence { warp, lanes, sem, scope, .. } => self.fence(warp, lanes, sem, scope),
            Sync::BarrierArrive { warp, id, lanes, waits, sem, .. } => {
                let launch = self.launch_of(warp.task);
                launch.idioms.other(index(warp), lanes);
                let leaves = !waits || matches!(id, BarrierId::Cluster(_));
                if leaves && sem != Sem::Relaxed {
                    let block = if let BarrierId::Cluster(first) = id { first } else { warp.block };
                    let mut passing = launch.arrived.remove(&(block.0, id)).unwrap_or_default();
                    Self::depart(launch, index(warp), lanes, &mut passing);
                    launch.arrived.insert((block.0, id), passing);
                }
            }
            Sync::BarrierComplete { task, block, id, members } => {
                let block = if let BarrierId::Cluster(first) = id { first } else { block };
                self.barrier(task, block, id, members);
            }
            Sync::ClusterWait { warp, lanes, .. } => {
                let launch = self.launch_of(warp.task);
                if let Some(passing) = launch.passed.get(&warp.block.0) {
                    launch.threads.pass(index(warp), lanes, passing);
                }
            }
            Sync::WarpSync { warp, lanes, .. } => {
                let launch = self.launch_of(warp.task);
                launch.idioms.other(index(warp), lanes);
                launch.threads.meet(&[(index(warp), lanes)], Passing::default());
            }
            // Bytes that are expected.
            Sync::AsyncArrive { ops: [], .. } => {}
            Sync::MbarrierArrive { sem: Sem::Relaxed | Sem::Acquire, .. } => {}
            Sync::MbarrierArrive { warp, lane, space, address, phase, .. }
            | Sync::AsyncArrive { warp, lane, space, address, phase, .. } => {
                let key = (Variable { space, address }, phase);
                let launch = self.launch_of(warp.task);
                let mut passing = launch.mbarriers.remove(&key).unwrap_or_default();
                Self::depart(launch, index(warp), 1 << lane, &mut passing);
                launch.mbarriers.insert(key, passing);
            }
            Sync::MbarrierCompleteTx { task, space, address, phase, op } => {
                let launch = self.launch_of(task);
                let shape = launch.threads.shape;
                if let Some((who, time)) = launch.async_ops.remove(&op) {
                    let passing = launch.mbarriers.entry((Variable { space, address }, phase)).or_default();
                    passing.h.raise(&shape, who.at, 1 << who.lane, time);
                    passing.p.raise(&shape, who.at, 1 << who.lane, time);
                }
            }
            Sync::MbarrierWait { phase: NO_PHASE, .. } => {}
            Sync::MbarrierWait { warp, lanes, space, address, phase, sem, .. } => {
                let launch = self.launch_of(warp.task);
                if let Some(passing) = launch.mbarriers.get(&(Variable { space, address }, phase))
                    && sem.acquires()
                {
                    launch.threads.pass(index(warp), lanes, passing);
                }
            }
            Sync::Exit { warp, lanes } => {
                let at = index(warp);
                self.settle(warp.task, |t| (t.who.at == at && lanes >> t.who.lane & 1 != 0).then_some(false));
                let launch = self.launch_of(warp.task);
                launch.idioms.exit(at, lanes);
                launch.rules.exit(at, lanes);
                launch.threads.exit(at, lanes);
            }
            Sync::BlockEnd { task, block } => {
                self.settle(task, |t| (t.who.at.block == block.0).then_some(false));
                let launch = self.launch_of(task);
                launch.idioms.block_end(block.0);
                launch.shadow.block_end(block.0);
                launch.threads.block_end(block.0);
                launch.counts.retain(|(at, _), _| at.block != block.0);
            }
            _ => {}
        }
    }

    fn forget(&mut self, base: u64, bytes: u64) {
        if bytes != 0 {
            for launch in self.launches.values_mut() {
                launch.shadow.forget(base, bytes);
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

    fn limits(&self) -> Vec<String> {
        let cap = shadow::CAP;
        let limit = || format!("{} keeps the last {cap} unordered accesses of a location", R::NAME);
        if self.capped { vec![limit()] } else { Vec::new() }
    }

    fn scope(&self) -> Vec<String> {
        vec![format!("{} finds races within one kernel launch only", R::NAME)]
    }

    fn footprint(&self) -> Footprint {
        let mut footprint = Footprint { shadow_bytes: self.clock_bytes(), touched_bytes: 0 };
        for launch in self.launches.values() {
            let (held, described) = launch.shadow.bytes();
            footprint.shadow_bytes += held + launch.idioms.bytes();
            footprint.touched_bytes += described;
        }
        footprint
    }

    fn clock_bytes(&self) -> u64 {
        let mut seen = Seen::default();
        let clocks = |l: &Launch<R, C>, seen: &mut Seen| l.threads.bytes(seen) + l.rules.bytes(seen);
        self.launches.values().map(|launch| clocks(launch, &mut seen)).sum()
    }
}
