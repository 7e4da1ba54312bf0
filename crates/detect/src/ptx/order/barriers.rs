//! Barriers, warp synchronisation and fences: how threads come to know each other.

use crate::ptx::order::fence::ScFence;
use crate::ptx::order::knowledge::{BlockState, WarpState};
use clocks::compressed::Seen;
use clocks::{Clock, Shared};
use events::sync::Member;
use events::{LaneMask, Scope, Sem};
use rustc_hash::FxHashMap;

/// A barrier of a block, or of the cluster whose first block it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BarrierKey {
    pub(crate) block: u32,
    pub(crate) id: u16,
}

impl BarrierKey {
    pub(crate) fn of_cluster(first: u32) -> Self {
        BarrierKey { block: first, id: CLUSTER }
    }
}

/// Knowledge of threads that arrived at barriers that are not complete.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    /// Knowledge of threads that do not wait, when they arrived, by block and barrier.
    early: FxHashMap<BarrierKey, Clock>,
    /// Knowledge that the last complete barrier of each cluster has published.
    complete: FxHashMap<u32, Shared>,
}

/// The key of the cluster's barrier beside the sixteen of a block.
const CLUSTER: u16 = 16;

/// All that `lanes` of a warp know, themselves included.
fn publish(out: &mut Clock, state: &BlockState, block: u32, warp: u16, lanes: LaneMask) {
    let Some(warp_state) = state.warps.get(usize::from(warp)) else { return };
    if let Some(known) = warp_state.joined(lanes).get() {
        out.join(known);
    }
    warp_state.add_fences(block, warp, lanes, out);
    let own = out.block_mut(block);
    own.raise_all(warp_state.all);
    own.raise_warp(warp.into(), warp_state.mates);
    if lanes == warp_state.full {
        own.raise_warp(warp.into(), warp_state.tick);
        return;
    }
    let mut rest = lanes;
    while rest != 0 {
        own.raise_thread(u32::from(warp) * 32 + rest.trailing_zeros(), warp_state.tick);
        rest &= rest - 1;
    }
}

impl Arrivals {
    /// Bytes on the heap, but for clocks in `seen`.
    pub(crate) fn bytes(&self, seen: &mut Seen) -> usize {
        let early: usize = self.early.values().map(|clock| size_of::<Clock>() + 16 + clock.bytes(seen)).sum();
        early + self.complete.values().map(|clock| 24 + clock.bytes(seen)).sum::<usize>()
    }

    /// Lanes arrived and go on without waiting.
    pub(crate) fn arrive(
        &mut self,
        key: BarrierKey,
        state: &mut BlockState,
        block: u32,
        warp: u16,
        lanes: LaneMask,
    ) {
        publish(self.early.entry(key).or_default(), state, block, warp, lanes);
        state.advance(warp);
    }

    /// Publishes a clock to those that will wait for a barrier.
    pub(crate) fn publish(&mut self, key: BarrierKey, clock: &Clock) {
        if !clock.is_empty() {
            self.early.entry(key).or_default().join(clock);
        }
    }

    /// A barrier of some warps of the block is complete.
    pub(crate) fn complete(&mut self, state: &mut BlockState, block: u32, id: u16, members: &[Member]) {
        let mut joined = self.early.remove(&BarrierKey { block, id }).unwrap_or_default();
        let waited = |m: &Member| m.waited & m.arrived;
        for member in members.iter().filter(|m| waited(m) != 0) {
            publish(&mut joined, state, block, member.warp.0, waited(member));
        }
        let joined = Shared::from(joined);
        state.tick += 1;
        for member in members {
            let Some(warp) = state.warps.get_mut(usize::from(member.warp.0)) else { continue };
            warp.learn(waited(member), &joined);
            warp.tick = state.tick;
        }
    }

    /// All threads of the cluster arrived; they will wait in their own time.
    pub(crate) fn complete_cluster(&mut self, first: u32) {
        let joined = self.early.remove(&BarrierKey::of_cluster(first)).unwrap_or_default();
        self.complete.insert(first, joined.into());
    }

    pub(crate) fn cluster_wait(&self, first: u32, state: &mut BlockState, warp: u16, lanes: LaneMask) {
        if let (Some(joined), Some(warp)) =
            (self.complete.get(&first), state.warps.get_mut(usize::from(warp)))
        {
            warp.learn(lanes, joined);
        }
    }
}

/// A barrier of the whole block. Threads that have exited count as arrived, as on hardware.
pub(crate) fn whole_barrier(state: &mut BlockState, block: u32) {
    let mut joined = Shared::default();
    let fences = state.warps.iter().any(WarpState::has_fences);
    if fences || state.warps.iter().any(|w| w.has_clocks()) {
        let mut last = Shared::default();
        for warp in &state.warps {
            // Warps that have learnt nothing since the last barrier share what they know.
            let known = warp.joined(warp.full);
            if !known.same(&last) {
                joined.join(&known);
                last = known;
            }
        }
    }
    if fences {
        let all = joined.make_mut();
        for (warp, own) in state.warps.iter_mut().enumerate() {
            own.add_fences(block, warp as u16, own.full, all);
            own.carry();
        }
    }
    state.deferred.forget();
    let passed = state.tick;
    state.tick += 1;
    if joined.get().is_some_and(|c| c.block(block).is_some_and(|b| b.all() < passed)) {
        joined.make_mut().block_mut(block).raise_all(passed);
    }
    for warp in &mut state.warps {
        warp.all = passed;
        warp.tick = state.tick;
        if warp.has_clocks() || !joined.is_empty() {
            warp.set_common(joined.clone());
        }
    }
}

/// `bar.warp.sync`.
pub(crate) fn warp_sync(state: &mut BlockState, block: u32, warp: u16, lanes: LaneMask) {
    let index = usize::from(warp);
    let Some(warp_state) = state.warps.get_mut(index) else { return };
    if lanes & warp_state.full == warp_state.full {
        warp_state.merge_lanes();
        warp_state.share_fences(block, warp);
        warp_state.mates = warp_state.tick;
    } else if lanes.count_ones() > 1 {
        let mut joined = Clock::default();
        publish(&mut joined, state, block, warp, lanes);
        state.warps[index].learn(lanes, &joined.into());
    } else {
        return;
    }
    state.advance(warp);
}

/// `fence` and `membar`. `fence.sc`, which `sc` marks, is an acquire-release fence that is also behind the `fence.sc` operations that its threads
/// have observed: see [`crate::ptx::order::sc_fences`]. `dependents` is the block, if what it releases is kept for a dependent launch ([`crate::ptx::tasks::early`]).
pub(crate) fn fence(
    state: &mut BlockState,
    warp: u16,
    lanes: LaneMask,
    sem: Sem,
    scope: Scope,
    sc: Option<ScFence>,
    dependents: Option<u32>,
) {
    let Some(warp_state) = state.warps.get_mut(usize::from(warp)) else { return };
    // Alone of its kind in the launch, it stands for those before it.
    let stands = sc.is_some_and(|sc| sc.origin.is_none());
    if let Some(sc) = sc {
        warp_state.acquire_observed(lanes, scope, sc);
    }
    if sem.acquires() {
        warp_state.acquire_pending(lanes, scope, stands);
    }
    if let Some(sc) = sc {
        warp_state.acquire_carried(lanes, sc);
    }
    if stands {
        warp_state.drop_fences(lanes);
    } else {
        warp_state.settle_fences(lanes);
    }
    if sem.releases() {
        if let Some(block) = dependents {
            warp_state.released_by_fence(block, warp, lanes);
        }
        warp_state.record_fence(lanes, scope, sc);
        state.advance(warp);
    }
}
