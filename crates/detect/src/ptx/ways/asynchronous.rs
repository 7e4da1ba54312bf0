//! Events of asynchronous copies and of mbarriers, fences between proxies, and everything that is no barrier and no fence.

use super::LaunchState;
use super::mbarriers::Use;
use crate::ptx::access::thread::{Who, index};
use crate::ptx::access::touches::lanes;
use crate::ptx::clues::Stages;
use crate::ptx::order::knowledge::{BlockState, Fenced, WarpState};
use crate::shadow::lock;
use events::access::Warp;
use events::sync::{NO_PHASE, ProxySpace, ProxyWay};
use events::{AsyncOpId, LaneMask, Proxy, Scope, Sem, SiteId, Space, Sync, TaskId};

/// One mbarrier object.
type At = (Space, u64);

fn thread(warp: Warp, lane: u8) -> Who {
    Who { block: warp.block.0, warp: warp.warp.0, lane }
}

impl LaunchState {
    /// Returns the block if what its fences of this scope release is kept for a dependent launch, see `early`.
    pub(super) fn releases_for(&self, block: u32, scope: Scope) -> Option<u32> {
        (self.launch.info.uses.triggers && scope >= Scope::Gpu).then_some(block)
    }

    /// Returns a block, and the index of one of its warps; `None` if that does not exist.
    fn warp_of(&mut self, warp: Warp) -> Option<(&mut BlockState, usize)> {
        let index = usize::from(warp.warp.0);
        let state = self.block(warp.block.0);
        (index < state.warps.len()).then_some((state, index))
    }

    fn state_of(&mut self, warp: Warp) -> Option<&mut WarpState> {
        self.warp_of(warp).map(|(state, index)| &mut state.warps[index])
    }

    /// Stores what the launching thread knows, and begins a new tick, which its child does not know.
    fn launches(&mut self, warp: Warp, site: SiteId, lane: u8, task: TaskId) {
        let Some((state, index)) = self.warp_of(warp) else { return };
        let known = state.warps[index].snapshot(thread(warp, lane));
        state.advance(warp.warp.0);
        self.launch.children.launch(task, site, known);
    }

    pub(super) fn asynchronous(&mut self, sync: &Sync<'_>) {
        if Stages::concerns(sync) {
            self.clues.hear(|clues| clues.stages.hear(sync));
        }
        match *sync {
            Sync::GridDependency { warp, lanes, wait, .. } => self.grid_dependency(warp, lanes, wait),
            Sync::Launch { warp, site, lane, task } => self.launches(warp, site, lane, task),
            Sync::Rendezvous { warp, site, .. } => {
                let block = self.blocks.get_mut(warp.block.0);
                if let Some(own) = block.and_then(|block| block.warps.get_mut(usize::from(warp.warp.0))) {
                    own.lockstep = Some((site, own.tick));
                }
            }
            Sync::ProxyFence { warp, lanes, proxy: Proxy::Tensormap, way, .. } => {
                let what = match way {
                    ProxyWay::Release => Fenced::MapsReleased,
                    ProxyWay::Both | ProxyWay::Acquire => Fenced::MapsAcquired,
                };
                self.proxy_fence(warp, lanes, what);
            }
            Sync::ProxyFence { warp, lanes, space, .. } => {
                let what = match space {
                    None => Fenced::Both,
                    Some(ProxySpace::Global) => Fenced::Global,
                    Some(ProxySpace::SharedCta | ProxySpace::SharedCluster) => Fenced::Shared,
                };
                self.proxy_fence(warp, lanes, what);
            }
            Sync::AsyncWaited { warp, lanes, ops, together: true, .. } => {
                self.waited_together(warp, lanes, ops);
            }
            Sync::AsyncWaited { warp, lanes, ops, reads_only, .. } => {
                self.waited(warp, lanes, ops, reads_only);
            }
            Sync::ClusterExit { warp, site, lanes } => {
                self.clusters.exits(thread(warp, lanes.trailing_zeros() as u8 & 31), site);
            }
            Sync::Tensor { warp, site, lanes, what } => self.tensor(warp, site, lanes, what),
            Sync::Heap { warp, site, lane, address, bytes, free } => {
                self.heap(warp, site, lane, address, bytes, free);
            }
            _ => self.of_mbarrier(sync),
        }
    }

    /// An operation on an mbarrier object, or one that completes there.
    fn of_mbarrier(&mut self, sync: &Sync<'_>) {
        match *sync {
            Sync::AsyncArrive { warp, site, lane, ops, space, address, phase } => {
                self.uses_object(
                    (warp, site),
                    1 << lane,
                    (space, address),
                    Use { phase: Some(phase), ..Use::UNOBSERVED },
                );
                ops.iter().for_each(|&op| self.completes_in((space, address), op, phase));
                self.publishes_fences(thread(warp, lane), (space, address), phase);
                self.commits(warp, lane, ops, (space, address), phase);
                if ops.is_empty() {
                    self.arrives_abroad(thread(warp, lane), (space, address), phase);
                }
            }
            Sync::MbarrierCompleteTx { space, address, phase, op, .. } => {
                self.completes_in((space, address), op, phase);
            }
            Sync::MbarrierInit { warp, site, lane, space, address, .. } => {
                let (at, who) = ((space, address), thread(warp, lane));
                self.writes_object(warp, site, lane, at);
                self.objects.init(at);
                if self.is_clustered() {
                    let state = self.blocks.get(who.block);
                    self.clusters.renews(who.block, address, state, &lock(&self.launch.ops));
                }
                let tick = self.block(who.block).warps.get(usize::from(who.warp)).map_or(0, |w| w.tick);
                self.objects.made(at, who, (site, tick));
            }
            Sync::MbarrierFence { warp, lanes, .. } => self.fences_inits(warp, lanes),
            Sync::MbarrierInval { warp, site, lane, space, address } => {
                self.writes_object(warp, site, lane, (space, address));
                self.objects.remove((space, address));
            }
            Sync::MbarrierTouch { warp, site, lanes, space, address, op } => {
                self.uses_object((warp, site), lanes, (space, address), Use { op, ..Use::UNOBSERVED });
            }
            Sync::MbarrierArrive { warp, site, lane, space, address, phase, sem, scope } => {
                // An arrival that releases nothing is known to threads that have waited for it all the same (PTX §8.9.5).
                let near = space == Space::Shared(warp.block) || scope > Scope::Cta;
                let how = Use { op: None, phase: near.then_some(phase), abroad: sem.releases() && near };
                self.uses_object((warp, site), 1 << lane, (space, address), how);
                self.arrives_at((warp, site), lane, (space, address), phase, (sem, scope));
            }
            Sync::MbarrierWait { warp, site, lanes, space, address, phase, sem, scope } => {
                self.uses_object((warp, site), lanes, (space, address), Use::UNOBSERVED);
                if phase != NO_PHASE {
                    self.waits_at((warp, site), lanes, (space, address), phase, (sem, scope));
                }
            }
            _ => {}
        }
    }

    fn grid_dependency(&mut self, warp: Warp, lanes: LaneMask, wait: bool) {
        self.block(warp.block.0);
        let Some(state) = self.blocks.get_mut(warp.block.0) else { return };
        let Some(known) = state.warps.get_mut(usize::from(warp.warp.0)) else { return };
        let early = &self.launch.early;
        if wait {
            early.waited(known, lanes);
        } else {
            early.triggers(warp.block.0, known, lanes);
        }
    }

    fn proxy_fence(&mut self, warp: Warp, lanes: LaneMask, what: Fenced) {
        if let Some((state, index)) = self.warp_of(warp) {
            state.warps[index].proxy_fence(warp.block.0, warp.warp.0, lanes, what);
            state.advance(warp.warp.0);
        }
    }

    /// Lanes have waited for asynchronous operations, the lowest lane for `ops`.
    fn waited(&mut self, warp: Warp, waiting: LaneMask, ops: &[AsyncOpId], reads_only: bool) {
        self.clues.hear(|clues| clues.copied(index(warp)));
        let Some(tick) = self.state_of(warp).map(|own| own.tick) else { return };
        for &op in ops {
            if reads_only {
                self.ground(waiting, op);
            } else if self.land(warp, waiting, op) {
                continue;
            }
            let mut known = lock(&self.launch.ops);
            for lane in lanes(waiting) {
                let who = thread(warp, lane as u8);
                known.waited(op.of_lane(waiting, lane as u32), who, tick, reads_only);
            }
        }
    }

    /// Lanes have waited together for `ops`, which other warps may have begun.
    fn waited_together(&mut self, warp: Warp, waiting: LaneMask, ops: &[AsyncOpId]) {
        let by = index(warp);
        self.clues.hear(|clues| clues.copied(by));
        let Some(tick) = self.state_of(warp).map(|own| own.tick) else { return };
        let mut known = lock(&self.launch.ops);
        ops.iter().for_each(|&op| known.waited_together(op, by, waiting, tick));
    }

    /// An operation completes in a phase of an object.
    fn completes_in(&mut self, at: At, op: AsyncOpId, phase: u64) {
        let number = self.objects.number(at);
        self.ground(1, op);
        lock(&self.launch.ops).completed_in(op, number, phase);
    }

    /// `fence.mbarrier_init`.
    fn fences_inits(&mut self, warp: Warp, lanes: LaneMask) {
        let by = index(warp);
        let (clusters, cluster) = (&self.clusters, self.launch.cluster_of(by.block));
        self.objects.fences(by, lanes, |lane| clusters.turn(cluster, by, 1 << lane));
        if let Some((state, index)) = self.warp_of(warp) {
            state.warps[index].record_init_fence(lanes);
            state.advance(by.warp);
        }
    }

    /// A release fence before a relaxed operation on an object is a release pattern (PTX §8.8).
    fn publishes_fences(&mut self, who: Who, at: At, phase: u64) {
        let cluster = self.launch.cluster_of(who.block);
        let state = self.blocks.get_mut(who.block);
        let warp = state.and_then(|state| state.warps.get(usize::from(who.warp)));
        if let Some(warp) = warp.filter(|warp| !warp.fences.is_empty()) {
            self.objects.arrive(at, phase, (Sem::Relaxed, Scope::Cluster), (who, cluster), warp);
        }
    }

    /// Records an arrival, or an expectation of bytes, at an object of another block. A thread that waits for the phase knows it.
    fn arrives_abroad(&mut self, who: Who, at: At, phase: u64) {
        if let Space::Shared(owner) = at.0
            && owner.0 != who.block
        {
            self.clusters.arrives_at(owner.0, who, (at.1, phase));
            let state = self.blocks.get(who.block);
            if let Some(warp) = state.and_then(|state| state.warps.get(usize::from(who.warp))) {
                let knows = |op, wrote| lock(&self.launch.ops).known(warp, who, op, wrote);
                self.clusters.tells(owner.0, (at.1, phase), knows);
            }
        }
    }

    /// Publishes what a lane knows to threads that will wait for the phase.
    fn arrives_at(
        &mut self,
        (warp, site): (Warp, SiteId),
        lane: u8,
        at: At,
        phase: u64,
        (sem, scope): (Sem, Scope),
    ) {
        let who = thread(warp, lane);
        let cluster = self.launch.cluster_of(who.block);
        self.arrives_abroad(who, at, phase);
        self.block(who.block);
        let Some(state) = self.blocks.get_mut(who.block) else { return };
        let Some(w) = state.warps.get(usize::from(who.warp)) else { return };
        let by = who.at();
        self.clues.hear(|clues| clues.arrived(by, at, site, 1 << lane, (scope, w.tick)));
        self.objects.arrive(at, phase, (sem, scope), (who, cluster), w);
        if sem.releases() {
            state.advance(who.warp);
        }
    }

    /// Makes known to lanes what was released to a phase for which they have waited.
    fn waits_at(
        &mut self,
        (warp, site): (Warp, SiteId),
        lanes: LaneMask,
        at: At,
        phase: u64,
        (sem, scope): (Sem, Scope),
    ) {
        let block = warp.block.0;
        if at.0 == Space::Shared(warp.block) && self.is_clustered() {
            self.clusters.awaits(block, at.1, phase);
        }
        let cluster = self.launch.cluster_of(block);
        self.block(block);
        let Some(state) = self.blocks.get_mut(block) else { return };
        let Some(w) = state.warps.get_mut(usize::from(warp.warp.0)) else { return };
        let by = index(warp);
        self.clues.hear(|clues| clues.awaited(by, at, site, lanes, (scope, w.tick)));
        self.objects.wait(at, phase, (sem, scope), (block, cluster), (w, lanes));
    }
}
