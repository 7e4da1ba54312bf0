//! The ways of an access, from the fastest to the exact one, and the state of one launch that they share.
//!
//! [`LaunchState::access`] and [`LaunchState::judge`] have the order of the ways; `design.md` lists their preconditions.
//!
//! **Size:** one place for all events of a launch; what each of them does is in the modules below.

mod asynchronous;
mod begin;
pub(super) mod by_block;
mod cluster_memory;
mod coalesced;
mod copies;
mod deferring;
mod delayed_writes;
mod heap;
mod lockstep;
mod mbarriers;
mod memory_bound;
pub(super) mod pager;
mod polling;
pub(super) mod prefetch;
mod scattered;
pub(super) mod shape;
mod shared_memory;
pub(super) mod shared_shadow;
mod single_thread;
pub(super) mod step;
pub(super) mod word_lanes;

use crate::ptx::PtxOptions;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::touches::lanes;
use crate::ptx::clues::barrier_sites::Meetings;
use crate::ptx::clues::{Arrived, Heard};
use crate::ptx::deferral::Spare;
use crate::ptx::history::words::packing::Kinds;
use crate::ptx::launch::Launch;
use crate::ptx::launch::ordering::Order;
use crate::ptx::order::barriers::{self, Arrivals};
use crate::ptx::order::cluster::Clusters;
use crate::ptx::order::fence::ScFence;
use crate::ptx::order::knowledge::BlockState;
use crate::ptx::order::mbarrier::Objects;
use crate::ptx::report::counts::Known;
use crate::ptx::report::misuse;
use crate::ptx::report::uninitialised::Initial;
use crate::ptx::ways::by_block::ByBlock;
use crate::ptx::ways::prefetch::Ahead;
use crate::ptx::ways::shape::Runs;
use crate::ptx::ways::shared_shadow::SharedMemory;
use crate::shadow::{Favour, lock};
use clocks::compressed::Seen;
use copies::Flights;
use delayed_writes::Late;
use events::task::SyncUse;
use events::{Access, BarrierId, BarrierMembers, Dim3, Scope, Sem, Space, Sync, is_one_lane};
use lockstep::Lockstep;
use memory_bound::Bound;
use std::cell::RefCell;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct LaunchState {
    pub(crate) launch: Arc<Launch>,
    volatile_strong: bool,
    equal_values_hazard: bool,
    check_sync: bool,
    /// Which shared memory has been written, if that is checked.
    initial: Option<Initial>,
    pub(crate) blocks: ByBlock<BlockState>,
    pub(crate) shared: SharedMemory,
    arrivals: Arrivals,
    meetings: Meetings,
    pub(crate) order: Order,
    /// Do accesses of a block's shared memory race with those of their own barrier interval only, unless copies are under way?
    by_intervals: bool,
    objects: Objects,
    /// What blocks of a cluster do to each other.
    clusters: Clusters,
    lockstep: Lockstep,
    /// Where blocks see each other's flags and locks, all observers' of the launch.
    pub(crate) clues: Heard,
    flights: Flights,
    /// For splitting accesses, kept for its memory.
    pub(crate) runs: Runs,
    bound: Option<Bound>,
    /// Numbers of kinds that the launch has given.
    pub(crate) kinds: Kinds,
    pub(crate) known: RefCell<Known>,
    pub(crate) ahead: Ahead,
    /// At the launch's global memory.
    pub(crate) favour: Favour,
    /// What was put off is being judged: what it tells of flags and locks was heard before.
    told: bool,
    /// For accesses that are put off.
    spare: Spare,
    /// A scattered access that is judged with the next one.
    late: Late,
    /// Blocks that have ended.
    ended: u64,
    /// By number, from the first of them on: is nothing to be said of that instruction in shared memory?
    apart: (u32, Box<[bool]>),
}

impl LaunchState {
    pub(crate) fn new(launch: Arc<Launch>, options: &PtxOptions) -> Self {
        let sites = launch.apart();
        let first = sites.first().map_or(0, |site| site.0);
        let mut apart = vec![false; sites.last().map_or(0, |last| (last.0 - first) as usize + 1)];
        sites.iter().for_each(|site| apart[(site.0 - first) as usize] = true);
        let uses = launch.info.uses;
        let simple = uses.barrier_only() || launch.is_large() && uses.order_by_barriers();
        // What waits for groups of `cp.async` orders nothing but those.
        let proxies = uses.asynchronous && !uses.groups_only;
        let but_groups = SyncUse { asynchronous: proxies, ..uses };
        LaunchState {
            apart: (first, apart.into()),
            order: Order {
                orderless: uses.order_by_barriers(),
                simple,
                own: simple || but_groups.barrier_only(),
                launch: launch.clone(),
                shared: false,
            },
            // Behind a barrier accesses by other proxies may still race.
            by_intervals: launch.info.cluster == Dim3::ONE && !proxies,
            shared: SharedMemory::new(launch.enlist()),
            clues: launch.clues(),
            objects: Objects::new(launch.objects.clone()),
            clusters: Clusters::default(),
            lockstep: Lockstep::default(),
            bound: launch.memory().capped().then(Bound::default),
            launch,
            volatile_strong: options.volatile_strong,
            equal_values_hazard: options.equal_values_hazard,
            check_sync: options.check_sync,
            initial: options.check_init.then(Initial::default),
            blocks: ByBlock::default(),
            arrivals: Arrivals::default(),
            meetings: Meetings::default(),
            flights: Flights::default(),
            runs: Runs::new(),
            kinds: Kinds::default(),
            known: RefCell::default(),
            ahead: Ahead::default(),
            favour: Favour::default(),
            told: false,
            spare: Spare::new(),
            late: Late::default(),
            ended: 0,
        }
    }

    /// Does nothing but whole barriers and the warp itself order threads?
    pub(crate) fn orderless(&self) -> bool {
        self.order.orderless
    }

    /// Bytes that this observer needs to know what is ordered, but for clocks in `seen`.
    pub(crate) fn order_bytes(&self, seen: &mut Seen) -> usize {
        let blocks: usize = self.blocks.values().map(|block| block.bytes(seen)).sum();
        let shared = self.shared.blocks.values().flat_map(|(shadow, _)| shadow.iter());
        let heads: usize = shared.map(|(_, page)| page.heads(seen)).sum();
        blocks + heads + self.arrivals.bytes(seen) + self.objects.bytes(seen)
    }

    pub(crate) fn block(&mut self, block: u32) -> &mut BlockState {
        let threads = self.launch.threads();
        self.blocks.get_or(block, || BlockState::new(threads))
    }

    pub(crate) fn access(&mut self, access: &Access<'_>) {
        if let Some(initial) = &mut self.initial {
            initial.access(access, &self.launch.sink);
        }
        self.access_as(access, AccessClass::of(access, self.volatile_strong));
    }

    #[inline]
    fn access_as(&mut self, access: &Access<'_>, class: AccessClass) {
        let plain = class.is_plain();
        if self.late.waits() {
            if self.goes_on(access, class) {
                return;
            }
            self.judge_late();
        }
        if plain && self.coalesced(access, class) || self.is_apart(access, class) {
            return;
        }
        if class.volatile() && class.strong() && !class.atomic() {
            self.exchanges(access);
        }
        if let Space::Shared(owner) = access.space
            && owner != access.warp.block
            && (access.kind.operation().is_none() || is_one_lane(access.mask))
        {
            self.notes_abroad(access, class, owner);
        }
        match if plain { self.scattered(access, class) } else { access.mask } {
            0 => {}
            left if left != access.mask => self.judge(&Access { mask: left, ..*access }, class),
            _ if self.defer(access, class) => {}
            _ => self.judge(access, class),
        }
    }

    /// Judges an access that is not deferred.
    pub(super) fn judge(&mut self, access: &Access<'_>, class: AccessClass) {
        if class.polls() && self.looks_again(access, class) {
            return;
        }
        match if class.is_plain() { self.own(access, class) } else { access.mask } {
            0 => {}
            rest if rest == access.mask => self.judge_exactly(access, class),
            mask => self.judge_exactly(&Access { mask, ..*access }, class),
        }
    }

    /// Judges an access for which no direct way is left: word by word, line by line, or in cells.
    fn judge_exactly(&mut self, access: &Access<'_>, class: AccessClass) {
        if let Some(op) = access.kind.operation()
            && !is_one_lane(access.mask)
        {
            if !self.depart(access, class, op) {
                self.judge_each_lane(access);
            }
            return;
        }
        if let (Some(scope), sem @ (Sem::Acquire | Sem::Release | Sem::AcqRel)) = (class.scope(), class.sem())
        {
            self.launch.synchronises(sem, scope, access.site);
        }
        if self.bound.is_some() && self.is_stopped() {
            return self.unheard(access);
        }
        let Some(own) = self.entry(access, class) else { return };
        let number = access.kind.operation().map(|op| lock(&self.launch.ops).number(op));
        let new = Entry { tick: number.unwrap_or(own.tick), ..own };
        self.before_task_end(access, new);
        // Without fences and without strong accesses that are used, no location is meant as a flag or a lock.
        let clues = class.strong() && self.launch.info.uses.fences_or_strong && !self.told;
        if clues {
            self.clues.hear(|clues| clues.before(access, class, own.tick));
        }
        // An access that may order threads must leave its history at any price.
        let order = class.strong() && !self.order.orderless;
        let (need, mut runs) = (self.need(order), std::mem::take(&mut self.runs));
        let differ = self.equal_values_hazard;
        let Some((mut pager, mut step)) = self.step(access.space, new, need) else { return };
        step.judge(&mut pager, access, &mut runs, differ);
        let (grown, refused, turn) = (step.grown, pager.refused(), step.turn);
        drop(pager);
        self.runs = runs;
        self.grew(access.space, grown);
        if class.strong() {
            self.remembers_poll(access, new, turn);
            self.ends_strong(access, new, clues);
        }
        if self.bound.is_some() {
            self.accessed(access, order, grown, refused);
        }
    }

    /// Judges the copy of each lane by itself: each completes by itself.
    fn judge_each_lane(&mut self, access: &Access<'_>) {
        for lane in lanes(access.mask) {
            let (kind, mask) = (access.kind.of_lane(access.mask, lane as u32), 1 << lane);
            self.access(&Access { kind, mask, stored: access.stored & mask, ..*access });
        }
    }

    /// Records what a launch that overlaps others does before it waits for them.
    fn before_task_end(&mut self, access: &Access<'_>, new: Entry) {
        let Some(block) = self.blocks.get(new.block) else { return };
        let Some(own) = block.warps.get(usize::from(new.warp)) else { return };
        match self.launch.early.access(access, own, new, || self.launch.memory().may_grow()) {
            Some(0) => {}
            Some(grown) => self.launch.grew(grown),
            None => self.launch.set_incomplete(),
        }
    }

    /// Records what a strong access says of flags and locks. What follows a release or an unlock is of a new tick.
    fn ends_strong(&mut self, access: &Access<'_>, new: Entry, clues: bool) {
        let class = new.class;
        let proved = |lock| self.launch.sink.is_lock(self.launch.task, lock);
        let locks =
            clues && class.writes() && self.clues.hear(|clues| clues.after(access, class, new.tick, proved));
        if locks || class.writes() && class.sem().releases() {
            self.block(new.block).advance(new.warp);
            self.order.ticks();
        }
    }

    pub(crate) fn sync(&mut self, sync: &Sync<'_>) {
        self.judge_late();
        if let Some(initial) = &mut self.initial {
            initial.sync(sync);
        }
        if let Sync::Misuse { warp, site, lanes, what } = *sync {
            if self.check_sync {
                self.launch.sink.add(misuse::finding(warp, site, lanes, what));
            }
            return;
        }
        if self.bound.is_some() {
            if let Sync::BlockEnd { .. } = sync {
                self.tell();
            }
            if self.is_stopped() {
                if let Sync::Fence { site, sem, scope, .. } = *sync {
                    self.launch.synchronises(sem, scope, site);
                }
                return;
            }
            self.changed();
        }
        self.before(sync);
        match *sync {
            Sync::BarrierArrive { warp, site, id, lanes, waits, sem } => {
                if waits && matches!(id, BarrierId::Cta(_)) {
                    self.meetings.arrives((warp.block.0, id), site, warp.warp.0);
                }
                if self.launch.blocks_may_meet() || !waits {
                    let by = (warp.block.0, warp.warp.0);
                    let own = self.blocks.get(by.0).and_then(|block| block.warps.get(usize::from(by.1)));
                    let tick = own.map_or(0, |w| w.tick);
                    let how = match (waits, sem) {
                        (_, Sem::Relaxed) => Arrived::Relaxed,
                        (true, _) => Arrived::Waits,
                        (false, _) => Arrived::Only,
                    };
                    self.clues.hear(|clues| clues.barrier(by, (site, id), tick, how));
                }
                if let BarrierId::Cluster(first) = id {
                    self.clusters.arrives(first.0, (warp.block.0, warp.warp.0));
                }
                if sem == Sem::Relaxed || (waits && !matches!(id, BarrierId::Cluster(_))) {
                    return;
                }
                self.block(warp.block.0);
                let Some(state) = self.blocks.get_mut(warp.block.0) else { return };
                let key = match id {
                    BarrierId::Cta(id) => (warp.block.0, u16::from(id)),
                    BarrierId::Cluster(first) => (first.0, barriers::CLUSTER),
                };
                self.arrivals.arrive(key, state, warp.block.0, warp.warp.0, lanes);
            }
            Sync::BarrierComplete { block, id: BarrierId::Cta(id), members, .. } => {
                self.block(block.0);
                let Some(state) = self.blocks.get_mut(block.0) else { return };
                let key = (block.0, BarrierId::Cta(id));
                if let Some(places) = self.meetings.completes(key, state.warps.len(), &members) {
                    self.clues.hear(|clues| clues.meets_apart(block.0, places));
                }
                match members {
                    BarrierMembers::WholeBlock => {
                        barriers::whole_barrier(state, block.0);
                        if self.by_intervals
                            && let Some((shadow, _)) = self.shared.blocks.get_mut(block.0)
                        {
                            let behind = (block.0, state.warps.first().map_or(0, |warp| warp.all));
                            let complete = |entry: &Entry| self.launch.is_behind(entry, behind);
                            shadow.iter_mut().for_each(|(_, page)| page.passes(complete));
                        }
                    }
                    BarrierMembers::Some(members) => {
                        self.arrivals.complete(state, block.0, id.into(), members);
                    }
                }
            }
            Sync::BarrierComplete { id: BarrierId::Cluster(first), .. } => {
                self.arrivals.complete_cluster(first.0);
                self.clusters.completes(first.0);
            }
            Sync::ClusterWait { warp, lanes, .. } => {
                let first = self.launch.cluster_of(warp.block.0);
                self.clusters.waits((warp.block.0, warp.warp.0));
                self.clues.hear(|clues| clues.waited((warp.block.0, warp.warp.0)));
                self.block(warp.block.0);
                let Some(state) = self.blocks.get_mut(warp.block.0) else { return };
                self.arrivals.cluster_wait(first, state, warp.warp.0, lanes);
            }
            Sync::WarpSync { warp, lanes, .. } => {
                barriers::warp_sync(self.block(warp.block.0), warp.block.0, warp.warp.0, lanes);
            }
            Sync::Fence { warp, site, lanes, sem, scope } => {
                self.launch.synchronises(sem, scope, site);
                let by = (warp.block.0, warp.warp.0);
                let tick = self.block(by.0).warps.get(usize::from(by.1)).map_or(0, |w| w.tick);
                let how = (sem.releases(), sem.acquires());
                self.clues.hear(|clues| clues.ordering(by, how, (scope, site, tick), true));
                if sem.releases() && scope >= Scope::Cluster && self.is_clustered() {
                    let turn = self.clusters.turn(self.launch.cluster_of(by.0), by);
                    self.objects.fences(by, lanes, turn);
                }
                let (cluster, narrow) = (self.launch.cluster_of(by.0), self.launch.info.uses.narrow_fences);
                let sc = (sem == Sem::Sc).then(|| ScFence::new(scope, by.0, cluster, narrow));
                let dependents = self.releases_for(by.0, scope);
                barriers::fence(self.block(by.0), (by.1, lanes), (sem, scope), sc, dependents);
            }
            Sync::BlockStart { block, .. } => {
                self.block(block.0);
            }
            Sync::BlockEnd { block, .. } => {
                if self.is_clustered() {
                    self.leaves_cluster(block.0);
                }
                self.lockstep.end_block(block.0);
                if let Some(state) = self.blocks.remove(block.0) {
                    self.launch.early.block_ends(block.0, &state);
                    self.spare.extend(state.deferred.into_owners());
                }
                self.ended += 1;
                // Before its last block's end hardly anybody comes.
                if self.ended == self.launch.info.grid.count() {
                    self.launch.global.leave(&mut self.favour);
                }
                self.shared.end(block.0, &self.launch);
                self.flights.end_block(block.0);
                self.objects.end_block(block.0);
                self.meetings.end_block(block.0);
            }
            _ => self.asynchronous(sync),
        }
    }
}
