//! One observer's state of one launch, and what accesses do to it.

use super::PtxOptions;
use super::bound::Bound;
use super::cell::{Bytes, Cell, Context, Entry, Observer};
use super::class::AccessClass;
use super::classify;
use super::clues::{Arrived, Clues};
use super::elements::{Touch, Touches, touches};
use super::knowledge::{BlockState, Fenced, WarpState, Who};
use super::launch::{Launch, Page, Pager, Shadow, footprint_of, total};
use super::line::Stamp;
use super::mbarrier::Objects;
use super::release::View;
use super::report::Race;
use super::shape::{self, Run, Runs};
use super::sync::{self, Arrivals};
use super::tally::Slot;
use super::words::{Accessor, Kind};
use crate::shadow::lock;
use clocks::Shared;
use clocks::compressed::Seen;
use events::observer::Footprint;
use events::sync::ProxySpace;
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, Class, Dim3, LaneMask, Location, Scope, Sem,
    Space, Sync, SyncNote,
};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// Runs of an access beyond which stamps do not pay.
const SCATTERED: usize = 2;

#[derive(Debug)]
pub(crate) struct LaunchState {
    pub(crate) launch: Arc<Launch>,
    volatile_strong: bool,
    blocks: FxHashMap<u32, BlockState>,
    pub(super) shared: SharedMemory,
    arrivals: Arrivals,
    order: Order,
    objects: Objects,
    /// Where blocks see each other's flags and locks, all observers' of the launch.
    clues: Arc<Mutex<Clues>>,
    /// For splitting accesses, kept for its memory.
    runs: Runs,
    pub(super) bound: Option<Bound>,
    /// Numbers of kinds that the launch has given.
    kinds: FxHashMap<Kind, u16>,
}

/// Shadow of the blocks' shared memory.
#[derive(Debug)]
pub(super) struct SharedMemory {
    /// With the bytes it takes, about.
    blocks: FxHashMap<u32, (Shadow, usize)>,
    /// Their sum, and the most it has been when a block ended.
    bytes: usize,
    most: usize,
    /// Which observer of the launch this is.
    pub(super) observer: usize,
}

impl SharedMemory {
    fn grew(&mut self, block: u32, bytes: usize, launch: &Launch) {
        if let Some((_, own)) = self.blocks.get_mut(&block) {
            *own += bytes;
            self.bytes += bytes;
            launch.grew(bytes);
        }
    }

    /// The block's shared memory is no more.
    fn end(&mut self, block: u32, launch: &Launch) {
        if self.bytes > self.most {
            self.most = self.bytes;
            launch.most_of_blocks(self.observer, self.footprint());
        }
        if let Some((_, own)) = self.blocks.remove(&block) {
            self.bytes -= own;
            launch.shrank(own as u64);
        }
    }

    /// Gives up pages of a block's, or of all that it has. Tells how many bytes came free.
    pub(super) fn give_up(&mut self, block: u32, numbered: Option<&[u64]>, heads: bool) -> u64 {
        let Some((shadow, own)) = self.blocks.get_mut(&block) else { return 0 };
        let pages = shadow.iter_mut().filter(|(number, _)| numbered.is_none_or(|n| n.contains(number)));
        let freed: u64 = pages.map(|(_, page)| page.give_up(heads)).sum();
        let freed = freed.min(*own as u64);
        *own -= freed as usize;
        self.bytes -= freed as usize;
        freed
    }

    fn footprint(&self) -> Footprint {
        total(self.blocks.values().map(|(shadow, _)| footprint_of(shadow)))
    }
}

/// Scopes and completions.
#[derive(Debug)]
pub(crate) struct Order {
    launch: Arc<Launch>,
    /// Nothing but whole barriers and the warp itself orders threads.
    orderless: bool,
    /// And ticks begin at whole barriers only: lines may tell by them what is behind one.
    simple: bool,
    /// The access at hand is one of shared memory.
    shared: bool,
}

impl Context for Order {
    fn cluster_of(&self, block: u32) -> u32 {
        self.launch.cluster_of(block)
    }

    fn knows_op(&self, warp: &WarpState, who: Who, op: u32, wrote: bool) -> bool {
        lock(&self.launch.ops).known(warp, who, op, wrote)
    }

    fn simple(&self) -> bool {
        self.simple
    }

    fn observes(&self) -> bool {
        self.launch.info.uses.fences_or_strong
    }

    fn shared(&self) -> bool {
        self.shared
    }

    fn unsure(&self) {
        self.launch.set_unsure();
    }
}

impl LaunchState {
    pub(crate) fn new(launch: Arc<Launch>, options: &PtxOptions) -> Self {
        LaunchState {
            order: Order {
                orderless: launch.info.uses.order_by_barriers(),
                simple: launch.info.uses.barrier_only()
                    || launch.is_large() && launch.info.uses.order_by_barriers(),
                launch: launch.clone(),
                shared: false,
            },
            shared: SharedMemory {
                blocks: FxHashMap::default(),
                bytes: 0,
                most: 0,
                observer: launch.enlist(),
            },
            clues: launch.clues(),
            objects: Objects::new(launch.objects.clone()),
            bound: launch.memory().capped().then(Bound::default),
            launch,
            volatile_strong: options.volatile_strong,
            blocks: FxHashMap::default(),
            arrivals: Arrivals::default(),
            runs: Runs::new(),
            kinds: FxHashMap::default(),
        }
    }

    /// Does nothing but whole barriers and the warp itself order threads?
    pub(super) fn orderless(&self) -> bool {
        self.order.orderless
    }

    /// Bytes that this observer needs to know what is ordered, but for clocks in `seen`.
    pub(super) fn order_bytes(&self, seen: &mut Seen) -> usize {
        let blocks: usize = self.blocks.values().map(|block| block.bytes(seen)).sum();
        let shared = self.shared.blocks.values().flat_map(|(shadow, _)| shadow.iter());
        let heads: usize = shared.map(|(_, page)| page.heads(seen)).sum();
        blocks + heads + self.arrivals.bytes(seen) + self.objects.bytes(seen)
    }

    pub(super) fn holds_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    pub(super) fn clue_bytes(&self) -> usize {
        lock(&self.clues).bytes()
    }

    pub(super) fn forget_clues(&self) {
        *lock(&self.clues) = Clues::default();
    }

    /// Nothing is checked any more.
    pub(super) fn drop_all(&mut self) {
        for block in std::mem::take(&mut self.blocks).into_keys() {
            self.shared.end(block, &self.launch);
        }
        self.arrivals = Arrivals::default();
        self.objects = Objects::new(self.launch.objects.clone());
        self.forget_clues();
        self.launch.measured(self.shared.observer, 0);
    }

    fn block(&mut self, block: u32) -> &mut BlockState {
        let threads = self.launch.threads();
        self.blocks.entry(block).or_insert_with(|| BlockState::new(threads))
    }

    pub(crate) fn access(&mut self, access: &Access<'_>) {
        let class = AccessClass::of(access, self.volatile_strong);
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
        let state = self.blocks.entry(block).or_insert_with(|| BlockState::new(threads));
        let tick = match access.kind {
            AccessKind::AsyncRead { op } | AccessKind::AsyncWrite { op } => lock(&self.launch.ops).number(op),
            _ => match state.warps.get(usize::from(warp)) {
                Some(warp) => warp.tick,
                None => return,
            },
        };
        let new =
            Entry { block, tick, lanes: 0, site: access.site, warp, bytes: 0, class, chain: 0, place: 0 };
        if let Some(warp) = state.warps.get(usize::from(warp)) {
            match self.launch.early.access(access, warp, new, || self.launch.memory().may_grow()) {
                Some(0) => {}
                Some(grown) => self.launch.grew(grown),
                None => self.launch.set_incomplete(),
            }
        }
        // Where nothing but unused atomics is strong, nothing is meant as a flag or lock.
        let clues = class.strong() && self.launch.info.uses.fences_or_strong;
        if clues {
            clue_before(&mut lock(&self.clues), state, access, class);
        }
        self.order.shared = matches!(access.space, Space::Shared(_));
        let mut pager = match access.space {
            Space::Global => {
                Pager::Global { launch: &self.launch, opened: self.launch.global.open(), held: None, need }
            }
            Space::Shared(owner) => {
                Pager::Shared { shadow: &mut self.shared.blocks.entry(owner.0).or_default().0, need }
            }
        };
        if self.order.simple && pager.shared() && self.order.observes() {
            // Others may begin ticks at any time.
            self.order.simple = false;
        }
        let mut step = Step {
            state,
            order: &self.order,
            launch: &self.launch,
            clues: &self.clues,
            space: access.space,
            new,
            grown: 0,
        };
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        let plain = !class.strong() && !class.asynchronous() && !class.other_proxy();
        // Shared memory that no other block reaches, behind nothing but barriers.
        let own = Space::Shared(access.warp.block);
        let own = self.order.simple && access.space == own && self.launch.info.cluster == Dim3::ONE;
        let whole = plain && shape::whole(access, bytes, &mut self.runs);
        let shift = if plain {
            let scattered =
                !whole && !own && self.launch.packing.is_some() && shape::scattered(access, bytes);
            scattered.then_some(bytes.trailing_zeros() as u8)
        } else {
            let relaxed = observed_by_words(access, class) && self.order.orderless && self.launch.is_large();
            relaxed.then_some(2)
        };
        let kind = shift.map(|shift| Kind { site: access.site, class, shift });
        let kind = kind.and_then(|kind| number(&mut self.kinds, &self.launch, kind));
        let rest = kind.map_or(access.mask, |kind| step.words(&mut pager, access, (bytes, kind)));
        let all = access;
        let access = &Access { mask: rest, ..*access };
        if rest == 0 {
            // All is done.
        } else if whole || plain && shape::split(access, bytes, &mut self.runs) {
            if own {
                step.own_runs(&mut pager, &self.runs, bytes);
            } else {
                step.runs(&mut pager, &self.runs, bytes, self.order.simple);
            }
        } else if self.order.simple && !self.order.observes() && counts(access, class) {
            let rest = step.atomics(&mut pager, access);
            if rest != 0 {
                step.touches(&mut pager, &touches(&Access { mask: rest, ..*access }, true));
            }
        } else {
            step.touches(&mut pager, &touches(access, class.strong()));
        }
        let (grown, refused) = (step.grown, pager.refused());
        drop(pager);
        if grown > 0 {
            match access.space {
                Space::Global => self.launch.grew(grown),
                Space::Shared(owner) => self.shared.grew(owner.0, grown, &self.launch),
            }
        }
        if class.strong() {
            let proved = |lock| self.launch.sink.is_lock(self.launch.task, lock);
            let locks = clues && clue_after(&mut lock(&self.clues), all, class, tick, proved);
            if locks || class.writes() && class.sem().releases() {
                state.advance(warp);
                self.order.simple = false;
            }
        }
        if self.bound.is_some() {
            self.accessed(all, order, grown, refused);
        }
    }

    pub(crate) fn sync(&mut self, sync: &Sync<'_>) {
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
        match *sync {
            Sync::BarrierArrive { warp, site, id, lanes, waits, sem } => {
                if self.launch.blocks_may_meet() || !waits {
                    let by = (warp.block.0, warp.warp.0);
                    let tick = self.block(by.0).warps.get(usize::from(by.1)).map_or(0, |w| w.tick);
                    let how = match (waits, sem) {
                        (_, Sem::Relaxed) => Arrived::Relaxed,
                        (true, _) => Arrived::Waits,
                        (false, _) => Arrived::Only,
                    };
                    lock(&self.clues).barrier(by, (site, id), tick, how);
                }
                self.block(warp.block.0);
                let Some(state) = self.blocks.get_mut(&warp.block.0) else { return };
                let key = match id {
                    BarrierId::Cta(id) => (warp.block.0, u16::from(id)),
                    BarrierId::Cluster(first) => (first.0, sync::CLUSTER),
                };
                if sem == Sem::Relaxed || (waits && !matches!(id, BarrierId::Cluster(_))) {
                    return;
                }
                self.arrivals.arrive(key, state, warp.block.0, warp.warp.0, lanes);
            }
            Sync::BarrierComplete { block, id: BarrierId::Cta(id), members, .. } => {
                self.block(block.0);
                let Some(state) = self.blocks.get_mut(&block.0) else { return };
                match members {
                    BarrierMembers::WholeBlock => sync::whole_barrier(state, block.0),
                    BarrierMembers::Some(members) => {
                        self.arrivals.complete(state, block.0, id.into(), members);
                    }
                }
            }
            Sync::BarrierComplete { id: BarrierId::Cluster(first), .. } => {
                self.arrivals.complete_cluster(first.0);
            }
            Sync::ClusterWait { warp, lanes, .. } => {
                let first = self.launch.cluster_of(warp.block.0);
                lock(&self.clues).waited((warp.block.0, warp.warp.0));
                self.block(warp.block.0);
                let Some(state) = self.blocks.get_mut(&warp.block.0) else { return };
                self.arrivals.cluster_wait(first, state, warp.warp.0, lanes);
            }
            Sync::WarpSync { warp, lanes, .. } => {
                sync::warp_sync(self.block(warp.block.0), warp.block.0, warp.warp.0, lanes);
            }
            Sync::Fence { warp, site, lanes, sem, scope } => {
                self.launch.synchronises(sem, scope, site);
                let by = (warp.block.0, warp.warp.0);
                let tick = self.block(by.0).warps.get(usize::from(by.1)).map_or(0, |w| w.tick);
                lock(&self.clues).ordering(by, (sem.releases(), sem.acquires()), (scope, site, tick), true);
                sync::fence(self.block(warp.block.0), warp.warp.0, lanes, sem, scope);
            }
            Sync::GridDependency { warp, lanes, wait, .. } => {
                self.block(warp.block.0);
                let Some(state) = self.blocks.get_mut(&warp.block.0) else { return };
                let Some(known) = state.warps.get_mut(usize::from(warp.warp.0)) else { return };
                let early = &self.launch.early;
                if wait {
                    early.waited(known, lanes);
                } else {
                    early.triggers(warp.block.0, warp.warp.0, known, lanes);
                }
            }
            Sync::Rendezvous { warp, site, .. } => {
                lock(&self.clues).lockstep((warp.block.0, warp.warp.0), site);
            }
            Sync::BlockStart { block, .. } => {
                self.block(block.0);
            }
            Sync::BlockEnd { block, .. } => {
                if let Some(state) = self.blocks.remove(&block.0) {
                    self.launch.early.block_ends(block.0, &state);
                }
                self.shared.end(block.0, &self.launch);
                self.objects.end_block(block.0);
            }
            _ => self.asynchronous(sync),
        }
    }

    fn asynchronous(&mut self, sync: &Sync<'_>) {
        match *sync {
            Sync::ProxyFence { warp, lanes, space, .. } => {
                let what = match space {
                    None => Fenced::Both,
                    Some(ProxySpace::Global) => Fenced::Global,
                    Some(ProxySpace::SharedCta | ProxySpace::SharedCluster) => Fenced::Shared,
                };
                let state = self.block(warp.block.0);
                if let Some(w) = state.warps.get_mut(usize::from(warp.warp.0)) {
                    w.proxy_fence(warp.block.0, warp.warp.0, lanes, what);
                    state.advance(warp.warp.0);
                }
            }
            Sync::AsyncWaited { warp, lane, ops, reads_only, .. } => {
                let who = Who { block: warp.block.0, warp: warp.warp.0, lane };
                let state = self.block(who.block);
                let Some(tick) = state.warps.get(usize::from(who.warp)).map(|w| w.tick) else { return };
                for &op in ops {
                    lock(&self.launch.ops).waited(op, who, tick, reads_only);
                }
            }
            Sync::AsyncArrive { ops, space, address, phase, .. } => {
                let number = self.objects.number((space, address));
                for &op in ops {
                    lock(&self.launch.ops).completed_in(op, number, phase);
                }
            }
            Sync::MbarrierCompleteTx { space, address, phase, op, .. } => {
                let number = self.objects.number((space, address));
                lock(&self.launch.ops).completed_in(op, number, phase);
            }
            Sync::MbarrierInit { space, address, .. } => self.objects.init((space, address)),
            Sync::MbarrierInval { space, address, .. } => self.objects.remove((space, address)),
            Sync::MbarrierArrive { warp, site, lane, space, address, phase, sem, scope } => {
                let who = Who { block: warp.block.0, warp: warp.warp.0, lane };
                let cluster = self.launch.cluster_of(who.block);
                self.block(who.block);
                let Some(state) = self.blocks.get_mut(&who.block) else { return };
                let Some(w) = state.warps.get(usize::from(who.warp)) else { return };
                let by = (who.block, who.warp);
                lock(&self.clues).arrived(by, (space, address), site, (scope, w.tick));
                self.objects.arrive((space, address), phase, (sem, scope), (who, cluster), w);
                if sem.releases() {
                    state.advance(who.warp);
                }
            }
            Sync::MbarrierWait { warp, site, lanes, space, address, phase, sem, scope } => {
                let block = warp.block.0;
                let cluster = self.launch.cluster_of(block);
                self.block(block);
                let Some(state) = self.blocks.get_mut(&block) else { return };
                let Some(w) = state.warps.get_mut(usize::from(warp.warp.0)) else { return };
                let by = (block, warp.warp.0);
                lock(&self.clues).awaited(by, (space, address), site, (scope, w.tick));
                self.objects.wait((space, address), phase, (sem, scope), (block, cluster), (w, lanes));
            }
            _ => {}
        }
    }
}

/// Clues that explain races of this very access, too.
fn clue_before(clues: &mut Clues, state: &BlockState, access: &Access<'_>, class: AccessClass) {
    let warp = (access.warp.block.0, access.warp.warp.0);
    let tick = state.warps.get(usize::from(warp.1)).map_or(0, |w| w.tick);
    // An operation whose result nobody reads still carries on what it was given (§8.9): its thread
    // may learn of it from the location afterwards, and others from it.
    if class.reads() {
        let mut last = None;
        for lane in lanes(clues.told(access).0) {
            if last.replace(access.addresses[lane]) == Some(access.addresses[lane]) {
                continue;
            }
            clues.read((access.space, access.addresses[lane]), warp, access.site, class.atomic());
        }
    }
    if let Some(scope) = class.scope().filter(|_| class.sem() != Sem::Relaxed) {
        let does = (class.writes() && class.sem().releases(), class.returns() && class.sem().acquires());
        clues.ordering(warp, does, (scope, access.site, tick), false);
    }
}

/// Flags that were set, locks that were taken and given back: tells whether there were any locks. What is known to
/// be a lock for the first time goes to `proved`.
fn clue_after(
    clues: &mut Clues,
    access: &Access<'_>,
    class: AccessClass,
    tick: u32,
    mut proved: impl FnMut(Location),
) -> bool {
    const NEITHER: (bool, bool) = (false, false);
    if !class.writes() {
        return false;
    }
    let warp = (access.warp.block.0, access.warp.warp.0);
    let (mut locks, mut last) = (false, None);
    let (told, all) = clues.told(access);
    // What is taken is given back, whether or not more would be told of.
    let every = all || clues.holds(warp);
    for lane in lanes(if every { access.mask } else { told }) {
        let address = access.addresses[lane];
        if told >> lane & 1 != 0 && last.replace(address) != Some(address) {
            clues.wrote((access.space, address), warp, access.site, tick);
        }
        let lock = Location { space: access.space, address };
        let stored = access.stored >> lane & 1 != 0;
        let value = access.values.map(|v| v[lane]);
        let swaps =
            matches!(access.kind, AccessKind::Atomic { op: AtomicOp::Cas | AtomicOp::Exch, returns: true });
        let (by, at) = ((warp, lane as u8), (lock, access.site));
        let (unlocked, news) =
            if stored { clues.unlocked(by, at, value.map(|v| v.1), tick + 1) } else { NEITHER };
        if news {
            proved(lock);
        }
        if unlocked {
            locks = true;
        } else if let Some((read, _)) = value.filter(|v| all && swaps && stored && v.0 != v.1) {
            // Held from the next tick on.
            clues.locked(by, at, read, tick + 1);
            locks = true;
        }
    }
    locks
}

fn lanes(mask: LaneMask) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// Is it one of those atomics that a tally can keep, where only whole barriers order threads? All that
/// touch the location are then morally strong to each other, and pass nothing on.
fn counts(access: &Access<'_>, class: AccessClass) -> bool {
    let wide = class.scope().is_some_and(|s| s >= Scope::Gpu) || matches!(access.space, Space::Shared(_));
    class.atomic()
        && wide
        && !class.returns()
        && !class.other_proxy()
        && class.sem() == Sem::Relaxed
        && access.elements <= 1
        && matches!(access.size, 4 | 8)
}

/// The number of a kind of access, asked for once.
fn number(known: &mut FxHashMap<Kind, u16>, launch: &Launch, kind: Kind) -> Option<u16> {
    if let Some(&number) = known.get(&kind) {
        return Some(number);
    }
    let number = launch.packing.as_ref()?.number(kind)?;
    known.insert(kind, number);
    Some(number)
}

/// Is it one of those relaxed operations that words can keep, where only whole barriers order threads?
fn observed_by_words(access: &Access<'_>, class: AccessClass) -> bool {
    let words = access.size == 4 && access.space == Space::Global;
    let kind = if class.atomic() { class.returns() && access.elements <= 1 } else { !class.writes() };
    let wide = class.scope().is_some_and(|s| s >= Scope::Gpu) && class.sem() == Sem::Relaxed;
    let bytes = 4 * u64::from(access.elements.max(1));
    let aligned = |lane: usize| access.addresses[lane] & (bytes - 1) == 0;
    let plain = bytes.is_power_of_two() && !class.asynchronous() && !class.other_proxy();
    words && kind && wide && plain && lanes(access.mask).all(aligned)
}

/// What an atomic writes: its chain, the place of its first lane there, and what its lanes observed.
struct Placed {
    chain: u32,
    place: u32,
    observed: Option<Observer>,
}

/// What a line cannot take, exactly.
#[cold]
fn entries(line: u64, stamp: &Stamp) -> Touches {
    let mut touches = Touches::new();
    stamp.entries(|cell, e| {
        touches.push(Touch { cell: line * 8 + cell as u64, bytes: e.bytes, lanes: e.lanes });
    });
    touches
}

/// Those of one cell together.
fn by_cell(touches: &[Touch]) -> impl Iterator<Item = &[Touch]> {
    touches.chunk_by(|a, b| a.cell == b.cell)
}

/// One access on its way through the cells.
struct Step<'a> {
    state: &'a mut BlockState,
    order: &'a Order,
    launch: &'a Launch,
    clues: &'a Mutex<Clues>,
    space: Space,
    new: Entry,
    /// Bytes of new shadow state.
    grown: usize,
}

impl Step<'_> {
    /// Runs of neighbouring lanes, line by line.
    fn runs(&mut self, pager: &mut Pager<'_>, runs: &[Run], bytes: u64, simple: bool) {
        let Entry { block, warp, tick, site, class, .. } = self.new;
        let stamp = Stamp::new((block, warp), tick, site, class);
        for run in runs {
            run.lines(bytes, &stamp, |number, stamp| {
                let Some(page) = pager.page(number >> 5, &mut self.grown) else { return };
                let state = &self.state.warps[usize::from(warp)];
                let packing = self.launch.packing.as_deref();
                let order = (state, simple, self.order.orderless);
                if !page.weak(number as usize, stamp, order, packing, &mut self.grown) {
                    self.touches(pager, &entries(number, &stamp));
                }
            });
        }
    }

    /// Lanes at unrelated addresses, or relaxed ones, each for itself. Returns those whose lines could not take them.
    fn words(&mut self, pager: &mut Pager<'_>, access: &Access<'_>, (bytes, kind): (u64, u16)) -> LaneMask {
        let Entry { block, warp, tick, class, .. } = self.new;
        let (state, simple) = (&self.state.warps[usize::from(warp)], self.order.orderless);
        let by = self.launch.packing.as_ref().and_then(|packing| {
            Some((packing, Accessor::new(packing, ((block, warp), tick), (kind, class), state, simple)?))
        });
        let Some((packing, by)) = by else { return access.mask };
        let packing = (packing, self.order.simple);
        let page = |lane: u32| access.addresses[lane as usize] >> 12;
        if page(access.mask.trailing_zeros()) != page(access.mask.ilog2()) {
            pager.look_ahead((access.addresses, access.mask), class.writes());
        }
        let (mut rest, mut left, words) = (access.mask, 0, bytes as usize / 4);
        while rest != 0 {
            let number = access.addresses[rest.trailing_zeros() as usize] >> 12;
            let mut page = pager.page(number, &mut self.grown);
            // Lanes in a row that are in the same page.
            while rest != 0 {
                let lane = rest.trailing_zeros();
                let address = access.addresses[lane as usize];
                if address >> 12 != number {
                    break;
                }
                rest &= rest - 1;
                let done = page.as_mut().is_none_or(|page| {
                    let done = page.word(address, words, lane, &by, packing, &mut self.grown);
                    if !done && class.strong() {
                        // Lanes of an atomic follow each other: later ones there have to wait for this one.
                        page.cell((address >> 4) as usize, &mut self.grown);
                    }
                    done
                });
                left |= u32::from(!done) << lane;
            }
        }
        left
    }

    /// As [`Step::runs`], for what `Line::own` takes.
    fn own_runs(&mut self, pager: &mut Pager<'_>, runs: &[Run], bytes: u64) {
        let Entry { block, warp, tick, site, class, .. } = self.new;
        let stamp = Stamp::new((block, warp), tick, site, class);
        let (scattered, shift) = (runs.len() > SCATTERED, bytes.trailing_zeros() as u8);
        let mut rest = runs;
        while let Some(run) = rest.first() {
            let number = run.address >> 12;
            let inside = |run: &&Run| run.address >> 12 == number && (run.end(bytes) - 1) >> 12 == number;
            let here = rest.iter().take_while(inside).count();
            if here == 0 {
                self.runs(pager, &rest[..1], bytes, true);
                rest = &rest[1..];
                continue;
            }
            if let Some(page) = pager.page(number, &mut self.grown) {
                for run in &rest[..here] {
                    let (at, aligned) = ((run.address & 127) as u8, run.address & (bytes - 1) == 0);
                    if run.lanes == 1
                        && aligned
                        && page.line((run.address >> 7) as usize).own_one(at, shift, &stamp, run.first)
                    {
                        continue;
                    }
                    run.lines(bytes, &stamp, |number, stamp| {
                        let state = &self.state.warps[usize::from(warp)];
                        if !page.line(number as usize).own(stamp, scattered, state, &mut self.grown) {
                            self.own_touches(page, &entries(number, &stamp));
                        }
                    });
                }
            }
            rest = &rest[here..];
        }
    }

    /// Atomics of neighbouring or scattered counters, page by page. Returns the lanes whose lines could
    /// not take them.
    fn atomics(&mut self, pager: &mut Pager<'_>, access: &Access<'_>) -> LaneMask {
        let Entry { block, warp, tick, site, class, .. } = self.new;
        let state = &self.state.warps[usize::from(warp)];
        let (mut rest, mut left) = (access.mask, 0);
        while rest != 0 {
            let number = access.addresses[rest.trailing_zeros() as usize] >> 12;
            let mut here = (0..32)
                .fold(0, |mask, lane| mask | u32::from(access.addresses[lane] >> 12 == number) << lane)
                & rest;
            rest &= !here;
            let Some(page) = pager.page(number, &mut self.grown) else { continue };
            while here != 0 {
                let lane = here.trailing_zeros();
                here &= here - 1;
                let address = access.addresses[lane as usize];
                let line = page.line((address >> 7) as usize);
                let done = Slot::new((block, warp), lane, (tick, site, class)).is_some_and(|slot| {
                    line.atomic(((address & 127) as u8, access.size), slot, state, &mut self.grown)
                });
                left |= u32::from(!done) << lane;
            }
        }
        left
    }

    fn touches(&mut self, pager: &mut Pager<'_>, touches: &[Touch]) {
        for touches in by_cell(touches) {
            if let Some(cell) = pager.cell(touches[0].cell, &mut self.grown) {
                self.one_cell(&cell, touches);
            }
        }
    }

    /// As [`Step::touches`], of a page that no other worker reaches.
    #[cold]
    fn own_touches(&mut self, page: &mut Page, touches: &[Touch]) {
        for touches in by_cell(touches) {
            let cell = Arc::clone(page.cell(touches[0].cell as usize, &mut self.grown));
            self.one_cell(&cell, touches);
        }
    }

    fn one_cell(&mut self, cell: &Mutex<Cell>, touches: &[Touch]) {
        let mut cell = lock(cell);
        let before = cell.room();
        self.cell(&mut cell, touches[0].cell * 16, touches);
        self.grown += cell.room().saturating_sub(before);
    }

    fn entry(&self, touch: &Touch) -> Entry {
        Entry { lanes: touch.lanes, bytes: touch.bytes, ..self.new }
    }

    /// All of one instruction that is in one cell.
    fn cell(&mut self, cell: &mut Cell, address: u64, touches: &[Touch]) {
        if self.new.class.atomic() {
            let placed: smallvec::SmallVec<[Placed; 4]> =
                touches.iter().map(|t| self.read_modify_write(cell, t)).collect();
            for touch in touches {
                self.check(cell, address, touch);
            }
            self.check_siblings(address, touches);
            for (touch, &Placed { chain, place, observed }) in touches.iter().zip(&placed) {
                // What it observes is before what comes after it, not before itself.
                if let Some(observer) = observed {
                    cell.observed_by(touch.bytes, observer);
                }
                cell.insert(Entry { chain, place, ..self.entry(touch) }, self.warp(), self.order);
            }
        } else if self.new.class.strong() {
            let linked: smallvec::SmallVec<[LaneMask; 4]> =
                touches.iter().map(|t| self.load(cell, t)).collect();
            for touch in touches {
                self.check(cell, address, touch);
            }
            self.check_siblings(address, touches);
            for (touch, linked) in touches.iter().zip(linked) {
                self.publish(cell, touch, linked);
            }
        } else {
            for touch in touches {
                self.check(cell, address, touch);
            }
            self.check_siblings(address, touches);
            for touch in touches {
                let mut entry = self.entry(touch);
                if entry.class.writes() && cell.strong() {
                    (entry.chain, entry.place) = cell.write_weak(&entry);
                }
                cell.insert(entry, self.warp(), self.order);
            }
        }
    }

    fn warp(&self) -> &WarpState {
        &self.state.warps[usize::from(self.new.warp)]
    }

    fn who(&self, lane: u32) -> Who {
        Who { block: self.new.block, warp: self.new.warp, lane: lane as u8 }
    }

    fn check(&self, cell: &Cell, address: u64, touch: &Touch) {
        let new = self.entry(touch);
        cell.check(&new, self.warp(), self.order, &mut |old, lanes, me| {
            self.report(old, lanes, &new, me, address, false);
        });
    }

    /// Lanes of this instruction against each other.
    fn check_siblings(&self, address: u64, touches: &[Touch]) {
        if !self.new.class.writes() {
            return;
        }
        for (i, a) in touches.iter().enumerate() {
            let new = self.entry(a);
            let strong = self.new.class.strong();
            if a.lanes.count_ones() > 1 && !strong {
                let first = a.lanes & a.lanes.wrapping_neg();
                let me = self.who((a.lanes & !first).trailing_zeros());
                self.report(&new, first, &new, me, address, true);
            }
            for b in &touches[i + 1..] {
                // A lane's own elements do not race with each other.
                let others = b.lanes & !(if a.lanes.count_ones() == 1 { a.lanes } else { 0 });
                if a.bytes & b.bytes != 0 && others != 0 {
                    let lane = others.trailing_zeros();
                    let first = a.lanes & !(1 << lane);
                    self.report(&new, first, &self.entry(b), self.who(lane), address, true);
                }
            }
        }
    }

    /// What a strong load observes. Returns the lanes that observed the location's chain.
    fn load(&mut self, cell: &mut Cell, touch: &Touch) -> LaneMask {
        if !self.new.class.reads() {
            cell.prepare(touch.bytes);
            return 0;
        }
        let linked = self.linked(cell, touch);
        if linked != 0 {
            let view = self.view(cell, touch);
            self.acquire(cell, touch.bytes, linked, &view);
        }
        linked
    }

    fn linked(&self, cell: &mut Cell, touch: &Touch) -> LaneMask {
        cell.linked(touch.bytes, self.new.class, self.who(0), touch.lanes, self.order)
    }

    fn view(&self, cell: &mut Cell, touch: &Touch) -> View {
        cell.view(touch.bytes, self.new.block, self.order.cluster_of(self.new.block))
    }

    /// An atomic, lane after lane: each observes what the one before it wrote, and is given what that one
    /// released.
    fn read_modify_write(&mut self, cell: &mut Cell, touch: &Touch) -> Placed {
        let entry = self.entry(touch);
        let Entry { block, warp, tick, class, .. } = entry;
        let first = touch.lanes & touch.lanes.wrapping_neg();
        let linked = self.linked(cell, touch) & first != 0;
        let before = if linked { self.view(cell, touch) } else { View::default() };
        let (chain, place) = cell.write(&entry, linked);
        let publishes = self.publishes(cell, touch.bytes);
        let (lanes, seen) = if linked { (touch.lanes, place - 1) } else { (touch.lanes & !first, place) };
        let observed = (class.returns() && lanes != 0).then_some(Observer {
            block,
            tick,
            lanes,
            warp,
            chain,
            place: seen,
            atomic: true,
        });
        if !publishes {
            if class.returns() && linked {
                self.acquire(cell, touch.bytes, touch.lanes, &before);
            }
        } else if !class.returns() {
            self.release(cell, touch.bytes, touch.lanes);
        } else {
            self.acquire(cell, touch.bytes, first, &before);
            self.release(cell, touch.bytes, first);
            let mut rest = touch.lanes & !first;
            while rest != 0 {
                let lane = rest & rest.wrapping_neg();
                rest &= !lane;
                let view = self.view(cell, touch);
                self.acquire(cell, touch.bytes, lane, &view);
                self.release(cell, touch.bytes, lane);
            }
        }
        Placed { chain, place, observed }
    }

    /// `lanes` have observed what was released to the location.
    fn acquire(&mut self, cell: &mut Cell, bytes: Bytes, lanes: LaneMask, view: &View) {
        let class = self.new.class;
        let scope = class.scope().unwrap_or(Scope::Cta);
        let warp = &mut self.state.warps[usize::from(self.new.warp)];
        if class.sem().acquires() {
            warp.learn(lanes, view.at(scope));
        }
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let me = Who { block: self.new.block, warp: self.new.warp, lane: lane as u8 };
            let warp = &mut self.state.warps[usize::from(self.new.warp)];
            if !view.is_empty() && !warp.clock(me.lane).covers(view.at(Scope::Sys)) {
                let pending = warp.pending.get_or_insert_with(Default::default);
                pending[lane as usize].join(view);
                cell.stash(bytes, me, view);
            }
            if class.sem().acquires() {
                match cell.stashed(bytes, me) {
                    Some(view) => warp.learn(1 << lane, view.at(scope)),
                    None => warp.acquire_pending(1 << lane, scope),
                }
            }
        }
    }

    /// The writing half of a strong load or store, and remembering it.
    fn publish(&mut self, cell: &mut Cell, touch: &Touch, linked: LaneMask) {
        let mut entry = self.entry(touch);
        let Entry { block, warp, tick, class, .. } = entry;
        if class.returns() && linked != 0 {
            let (chain, place) = cell.end_of_chain(touch.bytes);
            let new = Observer { block, tick, lanes: linked, warp, chain, place, atomic: false };
            cell.observed_by(touch.bytes, new);
        }
        if class.writes() {
            (entry.chain, entry.place) = cell.write(&entry, linked != 0);
            if self.publishes(cell, touch.bytes) {
                self.release(cell, touch.bytes, touch.lanes);
            }
        }
        cell.insert(entry, self.warp(), self.order);
    }

    /// May a write here end a release pattern?
    fn publishes(&self, cell: &Cell, bytes: Bytes) -> bool {
        self.new.class.sem().releases() || !self.warp().fences.is_empty() || cell.has_releases(bytes)
    }

    /// Adds the release patterns that end with this write of `lanes`.
    fn release(&self, cell: &mut Cell, bytes: Bytes, lanes: LaneMask) {
        let Entry { block, class, .. } = self.new;
        let warp = self.warp();
        let cluster = self.order.cluster_of(block);
        for fence in &warp.fences {
            fence.clocks(lanes, self.who(0), |clock| {
                cell.released(bytes).add(block, cluster, fence.scope, clock);
            });
        }
        let mut rest = lanes;
        while rest != 0 {
            let me = self.who(rest.trailing_zeros());
            rest &= rest - 1;
            let own = class
                .sem()
                .releases()
                .then(|| (class.scope().unwrap_or(Scope::Cta), Shared::from(warp.snapshot(me))));
            let patterns: smallvec::SmallVec<[(Scope, Shared); 1]> =
                cell.own_releases(bytes, me, own).map(|(scope, clock)| (*scope, clock.clone())).collect();
            for (scope, clock) in patterns {
                cell.released(bytes).add(block, cluster, scope, &clock);
            }
        }
    }

    #[cold]
    fn report(&self, old: &Entry, lanes: LaneMask, new: &Entry, me: Who, cell: u64, siblings: bool) {
        let mut opinion: classify::Opinion = if siblings {
            (Class::SameInstruction, Vec::new()).into()
        } else {
            let ordered = if old.class.asynchronous() {
                self.order.knows_op(self.warp(), me, old.tick, old.class.writes())
            } else {
                self.warp().unknown(me, old.block, old.warp, lanes, old.tick) == 0
            };
            classify::pair((old, lanes), (new, me), self.space, self.order, &lock(self.clues), ordered)
        };
        if opinion.class == Class::AsyncCopy
            && old.class.asynchronous()
            && lock(&self.launch.ops).waited_alone(old.tick, old.class.writes())
        {
            opinion.notes = vec![SyncNote::WaitedAlone];
        }
        let op = |e: &Entry| if e.class.asynchronous() { lock(&self.launch.ops).id(e.tick) } else { 0 };
        self.launch.sink.race(Race {
            task: self.launch.task,
            space: self.space,
            cell,
            old,
            lanes,
            new,
            me,
            opinion,
            either_first: !self.launch.info.uses.blocks_communicate,
            ops: [op(old), op(new)],
        });
    }
}
