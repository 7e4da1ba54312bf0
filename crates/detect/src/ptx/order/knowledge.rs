//! Knowledge: which accesses happened before the threads of a block.
//!
//! A block counts ticks; every access is stamped with its warp's current tick, and a
//! thread knows another one up to some tick. Whatever publishes a thread's past
//! (a barrier, a fence, a release) moves its warp to a new tick, so that later accesses
//! are not covered. Knowledge of the whole block and of the own warp are two integers; everything
//! else is a [`Clock`], and exists only in kernels that use more than whole-block barriers.

use crate::ptx::access::entry::{Entry, witness};
use crate::ptx::access::thread::Who;
use crate::ptx::deferral::Deferred;
use crate::ptx::order::clock_keys::{
    BITS, FENCED, FENCED_GLOBAL, FENCED_SHARED, INITS, MAPS, MAPS_RELEASED, PHASES, PHASES_FENCED_GLOBAL,
    PHASES_FENCED_SHARED, RELEASED,
};
use crate::ptx::order::fence::{Clocks, FenceRecord, ScFence};
use crate::ptx::order::pending::Pending;
use clocks::compressed::Seen;
use clocks::{Clock, Shared, Tick};
use events::{LaneMask, Scope, SiteId, is_one_lane};
use smallvec::SmallVec;
use std::cell::RefCell;

/// Which memory a proxy fence is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fenced {
    Global,
    Shared,
    Both,
    /// Tensor maps: the release of what this thread knows.
    MapsReleased,
    /// Tensor maps: the acquire of what has been released.
    MapsAcquired,
}

/// The proxy by which memory is accessed that generic accesses have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Through {
    AsyncGlobal,
    AsyncShared,
    Tensormap,
}

impl Fenced {
    fn keys(self) -> &'static [u32] {
        match self {
            Fenced::Global => &[FENCED_GLOBAL],
            Fenced::Shared => &[FENCED_SHARED],
            Fenced::Both => &[FENCED_GLOBAL, FENCED_SHARED],
            Fenced::MapsReleased => &[MAPS_RELEASED],
            Fenced::MapsAcquired => &[],
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct BlockState {
    /// The newest tick any warp is at.
    pub(crate) tick: Tick,
    pub(crate) warps: Vec<WarpState>,
    /// Accesses of its shared memory that are put off until its next barrier.
    pub(crate) deferred: Deferred,
}

#[derive(Debug)]
pub(crate) struct WarpState {
    /// The stamp of its accesses.
    pub(crate) tick: Tick,
    /// Every lane knows every thread of the block up to here.
    pub(crate) all: Tick,
    /// Every lane knows every lane of the warp up to here.
    pub(crate) mates: Tick,
    /// Lanes that exist.
    pub(crate) full: LaneMask,
    /// Other knowledge of every lane, unless `lanes` says it for each.
    common: Shared,
    lanes: Option<Box<[Shared; 32]>>,
    /// The last release fences of its lanes.
    pub(crate) fences: SmallVec<[FenceRecord; 1]>,
    /// Knowledge that strong reads have observed and an acquire fence would acquire.
    pub(crate) pending: Pending,
    /// Its last exchange of registers, and the tick at it.
    pub(crate) lockstep: Option<(SiteId, Tick)>,
}

impl BlockState {
    pub(crate) fn new(threads: u32) -> Self {
        let warps = (0..threads.div_ceil(32).max(1)).map(|w| {
            let lanes = (threads - (w * 32).min(threads)).min(32);
            WarpState::new(if lanes >= 32 { u32::MAX } else { (1 << lanes) - 1 })
        });
        BlockState { tick: 1, warps: warps.collect(), deferred: Deferred::default() }
    }

    /// Bytes that it takes, but for clocks in `seen`.
    pub(crate) fn bytes(&self, seen: &mut Seen) -> usize {
        let warps = self.warps.capacity() * size_of::<WarpState>();
        size_of::<BlockState>() + warps + self.warps.iter().map(|warp| warp.bytes(seen)).sum::<usize>()
    }

    /// Returns whether another lane of the warp of `me` knows of an earlier access (`true`), or, if that is of
    /// another block, another warp of the block (`false`).
    pub(crate) fn another_knows(&self, old: &Entry, lanes: LaneMask, me: Who) -> Option<bool> {
        let own = (old.block, witness(old.warp));
        let knows = |warp: u16| {
            let known = |state: &WarpState| {
                (0..32).filter(|lane| state.full >> lane & 1 != 0).any(|lane| {
                    let who = Who { block: me.block, warp, lane };
                    state.unknown(who, old.block, old.warp, lanes, old.tick) == 0
                })
            };
            (me.block, warp) != own && self.warps.get(usize::from(warp)).is_some_and(known)
        };
        if knows(me.warp) {
            return Some(true);
        }
        let mut others = (0..self.warps.len() as u16).filter(|&warp| warp != me.warp);
        (old.block != me.block && others.any(knows)).then_some(false)
    }

    /// Starts a new tick for `warp`: what it does from now on is not covered by what was published.
    pub(crate) fn advance(&mut self, warp: u16) {
        // A damaged trace may tell of warps that the block has not.
        let Some(own) = self.warps.get_mut(usize::from(warp)) else { return };
        self.tick += 1;
        own.tick = self.tick;
    }
}

impl WarpState {
    pub(crate) fn new(full: LaneMask) -> Self {
        WarpState {
            tick: 1,
            all: 0,
            mates: 0,
            full,
            common: Shared::default(),
            lanes: None,
            fences: SmallVec::new(),
            pending: Pending::default(),
            lockstep: None,
        }
    }

    /// Bytes on the heap, but for clocks in `seen`.
    fn bytes(&self, seen: &mut Seen) -> usize {
        let mut bytes = self.common.bytes(seen);
        if let Some(lanes) = &self.lanes {
            bytes += size_of_val(&**lanes) + lanes.iter().map(|clock| clock.bytes(seen)).sum::<usize>();
        }
        bytes += self.pending.bytes(seen);
        if self.fences.spilled() {
            bytes += self.fences.capacity() * size_of::<FenceRecord>();
        }
        bytes + self.fences.iter().map(|fence| fence.bytes(seen)).sum::<usize>()
    }

    /// Returns the knowledge of `lane` beyond `all` and `mates`.
    pub(crate) fn clock(&self, lane: u8) -> &Shared {
        match &self.lanes {
            Some(lanes) => &lanes[usize::from(lane)],
            None => &self.common,
        }
    }

    /// Records a release fence by `lanes`. The caller advances the warp's tick afterwards.
    pub(crate) fn record_fence(&mut self, lanes: LaneMask, scope: Scope, sc: Option<ScFence>) {
        // Only its own lanes are asked for.
        let one = self.uniform() || is_one_lane(lanes);
        let clocks = if one {
            Clocks::Common(self.clock(lanes.trailing_zeros() as u8 % 32).clone())
        } else {
            Clocks::Each(Box::new(std::array::from_fn(|lane| self.clock(lane as u8).clone())))
        };
        self.fences.retain(|old| {
            // The new fence publishes more, as far or farther.
            if old.scope <= scope && (sc.is_some() || old.sc.is_none()) {
                old.lanes &= !lanes;
            }
            old.lanes != 0
        });
        self.add_fence(lanes, scope, clocks, sc);
    }

    /// Records a fence by `lanes` that publishes `clocks`.
    pub(crate) fn add_fence(&mut self, lanes: LaneMask, scope: Scope, clocks: Clocks, sc: Option<ScFence>) {
        let (tick, all, mates, told) = (self.tick, self.all, self.mates, RefCell::default());
        self.fences.push(FenceRecord { scope, lanes, tick, all, mates, clocks, sc, carried: false, told });
    }

    /// Records a `fence.mbarrier_init` by `lanes`. The caller advances the warp's tick afterwards.
    pub(crate) fn record_init_fence(&mut self, lanes: LaneMask) {
        self.fences.retain(|old| {
            if matches!(old.clocks, Clocks::Inits) {
                old.lanes &= !lanes;
            }
            old.lanes != 0
        });
        self.add_fence(lanes, Scope::Cluster, Clocks::Inits, None);
    }

    /// Returns whether `lane` knows the `mbarrier.init` that thread `by` did at `tick`, by way of a `fence.mbarrier_init`.
    pub(crate) fn knows_init(&self, lane: u8, by: Who, tick: Tick) -> bool {
        let known = self.clock(lane).get().and_then(|clock| clock.block(by.block | INITS));
        known.is_some_and(|known| known.thread(by.thread()) >= tick)
    }

    /// Returns whether all lanes know the same, but for themselves.
    pub(crate) fn uniform(&self) -> bool {
        self.lanes.is_none()
    }

    /// Returns whether any lane knows more than `all` and `mates` say.
    pub(crate) fn has_clocks(&self) -> bool {
        self.lanes.is_some() || self.common.knows_blocks()
    }

    /// Those of `lanes` of warp `(block, warp)` whose accesses at `tick` `me` does not know.
    #[inline]
    pub(crate) fn unknown(&self, me: Who, block: u32, warp: u16, lanes: LaneMask, tick: Tick) -> LaneMask {
        let unknown = match block == me.block {
            true if tick <= self.all => return 0,
            true if warp == me.warp && tick <= self.mates => return 0,
            true if warp == me.warp => lanes & !(1 << me.lane),
            _ => lanes,
        };
        if unknown == 0 || !self.has_clocks() {
            unknown
        } else {
            self.not_known(me, block, warp, unknown, tick)
        }
    }

    /// Those of `rest`, whom neither barriers nor the warp tells of, that clocks do not tell of either.
    fn not_known(&self, me: Who, block: u32, warp: u16, mut rest: LaneMask, tick: Tick) -> LaneMask {
        let Some(known) = self.clock(me.lane).get().and_then(|c| c.block(block)) else { return rest };
        if tick <= known.warp(warp.into()) {
            return 0;
        }
        let mut unknown = rest;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            if tick <= known.thread(u32::from(warp) * 32 + lane) {
                unknown &= !(1 << lane);
            }
        }
        unknown
    }

    /// Those of the lanes whose generic accesses at `tick` no proxy fence that `me` knows of has made
    /// visible to the other proxies. The own thread's accesses need the fence, too.
    pub(crate) fn unfenced(
        &self,
        me: Who,
        block: u32,
        warp: u16,
        lanes: LaneMask,
        tick: Tick,
        through: Through,
    ) -> LaneMask {
        let key = match through {
            Through::AsyncGlobal => FENCED_GLOBAL,
            Through::AsyncShared => FENCED_SHARED,
            Through::Tensormap => MAPS,
        };
        let Some(known) = self.clock(me.lane).get().and_then(|c| c.block(block | key)) else {
            return lanes;
        };
        if tick <= known.warp(warp.into()) {
            return 0;
        }
        (0..32)
            .filter(|lane| lanes >> lane & 1 != 0 && tick > known.thread(u32::from(warp) * 32 + lane))
            .fold(0, |mask, lane| mask | 1 << lane)
    }

    /// A proxy fence by `lanes`: all they know is now visible to the other proxies.
    pub(crate) fn proxy_fence(&mut self, block: u32, warp: u16, lanes: LaneMask, what: Fenced) {
        match what {
            Fenced::MapsAcquired => self.acquire_maps(lanes),
            _ => self.mark(block, warp, lanes, what.keys()),
        }
    }

    /// Makes tensor maps that were released, as far as `lanes` know of it, visible to their copies.
    fn acquire_maps(&mut self, lanes: LaneMask) {
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let mut maps = Clock::default();
            for (key, clock) in self.clock(lane as u8).get().into_iter().flat_map(Clock::blocks) {
                if key & BITS == MAPS_RELEASED {
                    maps.block_mut(key & !BITS | MAPS).join(clock);
                }
            }
            let alike = if self.uniform() { lanes } else { 1 << lane };
            self.learn(alike, &maps.into());
            rest &= !alike;
        }
    }

    /// A release fence of GPU scope by `lanes`: they, and threads that synchronise with them, know that all they know is
    /// behind it.
    pub(crate) fn released_by_fence(&mut self, block: u32, warp: u16, lanes: LaneMask) {
        self.mark(block, warp, lanes, &[RELEASED]);
    }

    /// Returns what any of `lanes` knows to be behind a release fence of GPU scope.
    pub(crate) fn released(&self, lanes: LaneMask) -> Clock {
        let (mut released, known) = (Clock::default(), self.joined(lanes));
        for (key, clock) in known.get().into_iter().flat_map(Clock::blocks) {
            if key & FENCED == 0 && key & RELEASED != 0 {
                released.block_mut(key & !RELEASED).join(clock);
            }
        }
        released
    }

    /// Adds all that `lanes` know under the block's keys with each of `bits`.
    fn mark(&mut self, block: u32, warp: u16, lanes: LaneMask, bits: &[u32]) {
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            // Lanes that know the same are done together, each with all of them: whoever learns of a
            // lane's fence must also know the access itself.
            let alike: LaneMask = (0..32)
                .filter(|&other| rest >> other & 1 != 0)
                .filter(|&other| self.clock(other as u8).same(self.clock(lane as u8)))
                .fold(0, |mask, other| mask | 1 << other);
            let mut fenced = Clock::default();
            let mut known = self.snapshot(Who { block, warp, lane: lane as u8 });
            let mut others = alike;
            while others != 0 {
                let thread = u32::from(warp) * 32 + others.trailing_zeros();
                known.block_mut(block).raise_thread(thread, self.tick);
                others &= others - 1;
            }
            for (key, clock) in known.blocks() {
                for &bit in bits {
                    match (key, bit) {
                        (PHASES, FENCED_GLOBAL) => fenced.block_mut(PHASES_FENCED_GLOBAL).join(clock),
                        (PHASES, FENCED_SHARED) => fenced.block_mut(PHASES_FENCED_SHARED).join(clock),
                        _ if key & BITS == 0 => fenced.block_mut(key | bit).join(clock),
                        _ => {}
                    }
                }
            }
            self.learn(alike, &fenced.into());
            rest &= !alike;
        }
    }

    /// All that `who`, a lane of this warp, knows, itself included.
    pub(crate) fn snapshot(&self, who: Who) -> Clock {
        let mut clock = self.clock(who.lane).get().cloned().unwrap_or_default();
        let own = clock.block_mut(who.block);
        own.raise_all(self.all);
        own.raise_warp(who.warp.into(), self.mates);
        own.raise_thread(who.thread(), self.tick);
        self.add_fences(who.block, who.warp, 1 << who.lane, &mut clock);
        clock
    }

    /// `lanes` learn what `clock` knows.
    pub(crate) fn learn(&mut self, lanes: LaneMask, clock: &Shared) {
        if clock.is_empty() {
            return;
        }
        if self.lanes.is_none() && lanes & self.full == self.full {
            self.common.join(clock);
            return;
        }
        let common = &self.common;
        let each = self.lanes.get_or_insert_with(|| Box::new(std::array::from_fn(|_| common.clone())));
        let mut last: Option<(Shared, Shared)> = None;
        let mut rest = lanes;
        while rest != 0 {
            let lane = &mut each[rest.trailing_zeros() as usize];
            rest &= rest - 1;
            // Lanes that knew the same get the same object, so that this stays cheap.
            if let Some((before, after)) = &last
                && before.same(lane)
            {
                *lane = after.clone();
                continue;
            }
            let before = lane.clone();
            lane.join(clock);
            last = Some((before, lane.clone()));
        }
    }

    /// All lanes know the same from now on: what any of them knew.
    pub(crate) fn merge_lanes(&mut self) {
        if let Some(lanes) = self.lanes.take() {
            self.common = join(lanes.iter());
        }
    }

    /// Returns the knowledge of all of `lanes` beyond `all` and `mates`.
    pub(crate) fn joined(&self, lanes: LaneMask) -> Shared {
        let Some(each) = &self.lanes else { return self.common.clone() };
        join(each.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0).map(|(_, clock)| clock))
    }

    /// Every lane knows `clock` and nothing else beyond `all` and `mates`.
    pub(crate) fn set_common(&mut self, clock: Shared) {
        self.lanes = None;
        self.common = clock;
    }

    /// `lanes` know `clock` beyond `all` and `mates`, and nothing else. There is a clock for each lane.
    pub(crate) fn set_clock(&mut self, lanes: LaneMask, clock: &Shared) {
        if let Some(each) = &mut self.lanes {
            let of_lanes = each.iter_mut().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0);
            of_lanes.for_each(|(_, own)| *own = clock.clone());
        }
    }

    /// Replaces the knowledge of every lane beyond `all` and `mates`.
    pub(crate) fn common_mut(&mut self) -> &mut Shared {
        &mut self.common
    }

    /// An acquire fence of `scope` by `lanes`: what their strong reads observed becomes known.
    /// `plain` says that fences before it need not be carried.
    pub(crate) fn acquire_pending(&mut self, lanes: LaneMask, scope: Scope, plain: bool) {
        if !self.pending.is_empty() {
            let mut pending = std::mem::take(&mut self.pending);
            pending.acquire(lanes, scope, |lanes, clock| {
                let observed = clock.fences().is_some_and(|fences| !fences.observed.is_empty());
                match plain && !observed {
                    true => self.learn(lanes, &clock.plain()),
                    false => self.learn(lanes, clock),
                }
            });
            self.pending = pending;
        }
    }
}

/// Returns the join of the clocks. Neighbours often share one, at which there is nothing to look twice.
fn join<'a>(clocks: impl Iterator<Item = &'a Shared>) -> Shared {
    let (mut joined, mut last) = (Shared::default(), None::<&Shared>);
    for clock in clocks {
        if last.is_none_or(|last| !last.same(clock)) {
            joined.join(clock);
            last = Some(clock);
        }
    }
    joined
}
