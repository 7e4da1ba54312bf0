//! The ways of an access, from the fastest to the exact one, and the state of one launch that they share.
//!
//! [`LaunchState::access`] and [`LaunchState::judge`] have the order of the ways; `design.md` lists their preconditions.
//!
//! **Size:** one place for all events of a launch; what each of them does is in the modules below.

mod asynchronous;
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
use crate::ptx::access::polled::Polled;
use crate::ptx::access::touches::{lanes, overlap, touches};
use crate::ptx::clues::barrier_sites::Meetings;
use crate::ptx::clues::{Arrived, Heard};
use crate::ptx::deferral::Spare;
use crate::ptx::history::words::packing::{Kind, Kinds};
use crate::ptx::launch::Launch;
use crate::ptx::launch::ordering::Order;
use crate::ptx::order::barriers::{self, Arrivals};
use crate::ptx::order::cluster::Clusters;
use crate::ptx::order::context::Context;
use crate::ptx::order::fence::ScFence;
use crate::ptx::order::knowledge::BlockState;
use crate::ptx::order::mbarrier::Objects;
use crate::ptx::report::counts::Known;
use crate::ptx::report::misuse;
use crate::ptx::report::uninitialised::Initial;
use crate::ptx::ways::by_block::ByBlock;
use crate::ptx::ways::pager::Pager;
use crate::ptx::ways::prefetch::Ahead;
use crate::ptx::ways::shape::Runs;
use crate::ptx::ways::shared_shadow::SharedMemory;
use crate::ptx::ways::step::Step;
use crate::ptx::ways::word_lanes::{counts, is_red_of_words, observed_by_words};
use crate::shadow::{Favour, lock};
use clocks::compressed::Seen;
use copies::Flights;
use delayed_writes::Late;
use events::task::SyncUse;
use events::{Access, BarrierId, BarrierMembers, Dim3, LaneMask, Scope, Sem, Space, Sync, is_one_lane};
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

    /// An access that is not put off.
    pub(crate) fn judge(&mut self, access: &Access<'_>, class: AccessClass) {
        let plain = class.is_plain();
        if class.polls() && self.looks_again(access, class) {
            return;
        }
        let rest = if plain { self.own(access, class) } else { access.mask };
        let part;
        let access = match rest {
            0 => return,
            _ if rest == access.mask => access,
            _ => {
                part = Access { mask: rest, ..*access };
                &part
            }
        };
        if let Some(op) = access.kind.operation()
            && !is_one_lane(access.mask)
        {
            if self.depart(access, class, op) {
                return;
            }
            // Each lane's copy completes by itself.
            for lane in lanes(access.mask) {
                let (kind, mask) = (access.kind.of_lane(access.mask, lane as u32), 1 << lane);
                self.access(&Access { kind, mask, stored: access.stored & mask, ..*access });
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
        // What it tells of order must not be forgotten.
        let order = class.strong() && !self.order.orderless;
        let need = self.need(order);
        let (block, warp) = (access.warp.block.0, access.warp.warp.0);
        let threads = self.launch.threads();
        let state = self.blocks.get_or(block, || BlockState::new(threads));
        // A damaged trace may tell of warps that the launch has not.
        let Some(own) = state.warps.get(usize::from(warp)) else { return };
        let tick = match access.kind.operation() {
            Some(op) => lock(&self.launch.ops).number(op),
            None => own.tick,
        };
        let new =
            Entry { block, tick, lanes: 0, site: access.site, warp, bytes: 0, class, chain: 0, place: 0 };
        match self.launch.early.access(access, own, new, || self.launch.memory().may_grow()) {
            Some(0) => {}
            Some(grown) => self.launch.grew(grown),
            None => self.launch.set_incomplete(),
        }
        // Where nothing but unused atomics is strong, nothing is meant as a flag or lock.
        let clues = class.strong() && self.launch.info.uses.fences_or_strong && !self.told;
        if clues {
            self.clues.hear(|clues| clues.before(access, class, own.tick));
        }
        self.order.shared = matches!(access.space, Space::Shared(_));
        let mut pager = match access.space {
            Space::Global => {
                let opened = self.launch.global.open_by(&mut self.favour);
                Pager::Global { launch: &self.launch, opened, held: None, need }
            }
            Space::Shared(owner) => {
                Pager::Shared { shadow: &mut self.shared.blocks.get_or(owner.0, Default::default).0, need }
            }
        };
        if self.order.simple && pager.shared() && self.order.observes() {
            // Others may begin ticks at any time.
            self.order.ticks();
        }
        let mut step = Step {
            state,
            order: &self.order,
            launch: &self.launch,
            clues: self.clues.all(),
            kinds: &mut self.kinds,
            known: &self.known,
            space: access.space,
            new,
            grown: 0,
            by_line: false,
            turn: None,
            differing: LaneMask::MAX,
        };
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        // Shared memory that no other block reaches, behind nothing but barriers.
        let own = Space::Shared(access.warp.block);
        let intervals = self.launch.shortcuts.intervals && self.launch.info.cluster == Dim3::ONE;
        let own = self.order.own && access.space == own && intervals;
        let whole = plain && shape::whole(access, bytes, &mut self.runs);
        let strided = if plain && !own { shape::strided(access, bytes) } else { None };
        let shift = if plain {
            // Elsewhere words have no room for many who read the same.
            let apart = !self.launch.is_large();
            let scattered = !whole && !own && strided.is_none() && shape::scattered(access, bytes, apart);
            scattered.then_some(bytes.trailing_zeros() as u8)
        } else {
            let large = self.launch.is_large();
            let relaxed = large && self.order.orderless && observed_by_words(access, class);
            let red = || large && !self.order.orderless && is_red_of_words(access, class);
            (relaxed || red() && !step.ends_releases()).then_some(2)
        };
        let kind = shift.map(|shift| Kind::new(access.site, class, shift));
        let rest = match kind {
            Some(kind) => step.words(&mut pager, access, (bytes, kind)),
            None if let Some(strided) = strided => {
                step.strided(&mut pager, &strided, bytes, self.order.simple);
                0
            }
            // What one thread does by itself comes back to the same words.
            None if plain && !own && is_one_lane(access.mask) => {
                let lane = access.mask.trailing_zeros();
                let done = step.word(&mut pager, access.addresses[lane as usize], lane, bytes);
                if done { 0 } else { access.mask }
            }
            None => access.mask,
        };
        let all = access;
        let part;
        let access = if rest == all.mask {
            all
        } else {
            part = Access { mask: rest, ..*all };
            &part
        };
        if rest == 0 {
            // All is done.
        } else if whole || plain && shape::split(access, bytes, &mut self.runs) {
            if own {
                step.own_runs(&mut pager, &self.runs, bytes);
            } else {
                step.runs(&mut pager, &self.runs, bytes, self.order.simple);
            }
        } else if self.launch.shortcuts.tallies
            && self.order.simple
            && !self.order.observes()
            && counts(access, class)
        {
            let rest = step.atomics(&mut pager, access);
            if rest != 0 {
                step.touches(&mut pager, &touches(&Access { mask: rest, ..*access }, true));
            }
        } else {
            let touches = touches(access, class.strong());
            if class.writes() && self.equal_values_hazard && overlap(&touches) {
                step.differing = all.differing();
            }
            step.touches(&mut pager, &touches);
        }
        let (grown, refused, turn) = (step.grown, pager.refused(), step.turn);
        drop(pager);
        if class.strong() {
            let remembers = turn.filter(|_| self.launch.shortcuts.replay && !self.launch.early.overlaps());
            let polled = remembers.and_then(|turn| Polled::new(access, class, (tick, turn)));
            if let Some(own) = state.warps.get_mut(usize::from(warp)) {
                own.polled = polled;
            }
        }
        if grown > 0 {
            match access.space {
                Space::Global => self.launch.grew(grown),
                Space::Shared(owner) => self.shared.grew(owner.0, grown, &self.launch),
            }
        }
        if class.strong() {
            let proved = |lock| self.launch.sink.is_lock(self.launch.task, lock);
            let locks =
                clues && class.writes() && self.clues.hear(|clues| clues.after(all, class, tick, proved));
            if locks || class.writes() && class.sem().releases() {
                state.advance(warp);
                self.order.ticks();
            }
        }
        if self.bound.is_some() {
            self.accessed(all, order, grown, refused);
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
