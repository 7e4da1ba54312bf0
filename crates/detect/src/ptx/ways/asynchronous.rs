//! What orders copies and other asynchronous operations: waits, mbarriers, fences between proxies; and what else is no barrier and
//! no fence.

use super::LaunchState;
use crate::ptx::access::thread::Who;
use crate::ptx::access::touches::lanes;
use crate::ptx::order::knowledge::Fenced;
use crate::shadow::lock;
use events::sync::{NO_PHASE, ProxySpace};
use events::{Scope, Space, Sync};

impl LaunchState {
    /// Returns the block if what its fences of this scope release is kept for a dependent launch, see `early`.
    pub(super) fn releases_for(&self, block: u32, scope: Scope) -> Option<u32> {
        (self.launch.info.uses.triggers && scope >= Scope::Gpu).then_some(block)
    }

    pub(super) fn asynchronous(&mut self, sync: &Sync<'_>) {
        match *sync {
            Sync::GridDependency { warp, lanes, wait, .. } => {
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
            Sync::Rendezvous { warp, site, .. } => {
                let block = self.blocks.get_mut(warp.block.0);
                if let Some(own) = block.and_then(|block| block.warps.get_mut(usize::from(warp.warp.0))) {
                    own.lockstep = Some((site, own.tick));
                }
            }
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
            Sync::AsyncWaited { warp, lanes: waiting, ops, reads_only, .. } => {
                let (block, own) = (warp.block.0, warp.warp.0);
                self.clues.hear(|clues| clues.copied((block, own)));
                let state = self.block(block);
                let Some(tick) = state.warps.get(usize::from(own)).map(|w| w.tick) else { return };
                for &op in ops {
                    if reads_only {
                        self.ground(waiting, op);
                    } else if self.land(warp, waiting, op) {
                        continue;
                    }
                    let mut known = lock(&self.launch.ops);
                    for lane in lanes(waiting) {
                        let who = Who { block, warp: own, lane: lane as u8 };
                        known.waited(op.of_lane(waiting, lane as u32), who, tick, reads_only);
                    }
                }
            }
            Sync::AsyncArrive { warp, site, lane, ops, space, address, phase } => {
                self.uses_object((warp, site), 1 << lane, (space, address), (None, true));
                let number = self.objects.number((space, address));
                for &op in ops {
                    self.ground(1, op);
                    lock(&self.launch.ops).completed_in(op, number, phase);
                }
            }
            Sync::MbarrierCompleteTx { space, address, phase, op, .. } => {
                let number = self.objects.number((space, address));
                self.ground(1, op);
                lock(&self.launch.ops).completed_in(op, number, phase);
            }
            Sync::MbarrierInit { warp, site, lane, space, address, .. } => {
                self.writes_object((warp, site), lane, (space, address));
                self.objects.init((space, address));
                let who = Who { block: warp.block.0, warp: warp.warp.0, lane };
                let tick = self.block(who.block).warps.get(usize::from(who.warp)).map_or(0, |w| w.tick);
                self.objects.made((space, address), who, (site, tick));
            }
            Sync::MbarrierFence { warp, lanes, .. } => {
                let by = (warp.block.0, warp.warp.0);
                if self.is_clustered() {
                    let turn = self.clusters.turn(self.launch.cluster_of(by.0), by);
                    self.objects.fences(by, lanes, turn);
                }
                let state = self.block(by.0);
                if let Some(own) = state.warps.get_mut(usize::from(by.1)) {
                    own.record_init_fence(lanes);
                    state.advance(by.1);
                }
            }
            Sync::MbarrierInval { warp, site, lane, space, address } => {
                self.writes_object((warp, site), lane, (space, address));
                self.objects.remove((space, address));
            }
            Sync::ClusterExit { warp, site, lanes } => {
                let lane = lanes.trailing_zeros() as u8 & 31;
                self.clusters.exits(Who { block: warp.block.0, warp: warp.warp.0, lane }, site);
            }
            Sync::Heap { warp, site, lane, address, bytes, free } => {
                self.heap((warp, site), lane, (address, bytes), free);
            }
            Sync::MbarrierTouch { warp, site, lanes, space, address, op } => {
                self.uses_object((warp, site), lanes, (space, address), (op, true));
            }
            Sync::MbarrierArrive { warp, site, lane, space, address, phase, sem, scope } => {
                let who = Who { block: warp.block.0, warp: warp.warp.0, lane };
                let cluster = self.launch.cluster_of(who.block);
                // One that releases nothing is known to those that have waited for it all the same (PTX §8.9.5).
                let near = space == Space::Shared(warp.block) || scope > Scope::Cta;
                let known = sem.releases() && near;
                self.uses_object((warp, site), 1 << lane, (space, address), (None, known));
                if let Space::Shared(owner) = space
                    && owner != warp.block
                {
                    self.clusters.arrives_at(owner.0, who, (address, phase));
                }
                self.block(who.block);
                let Some(state) = self.blocks.get_mut(who.block) else { return };
                let Some(w) = state.warps.get(usize::from(who.warp)) else { return };
                let by = (who.block, who.warp);
                self.clues
                    .hear(|clues| clues.arrived(by, (space, address), (site, 1 << lane), (scope, w.tick)));
                self.objects.arrive((space, address), phase, (sem, scope), (who, cluster), w);
                if sem.releases() {
                    state.advance(who.warp);
                }
            }
            Sync::MbarrierWait { warp, site, lanes, space, address, phase, sem, scope } => {
                self.uses_object((warp, site), lanes, (space, address), (None, true));
                if phase == NO_PHASE {
                    return;
                }
                if space == Space::Shared(warp.block) && self.is_clustered() {
                    self.clusters.awaits(warp.block.0, (address, phase));
                }
                let block = warp.block.0;
                let cluster = self.launch.cluster_of(block);
                self.block(block);
                let Some(state) = self.blocks.get_mut(block) else { return };
                let Some(w) = state.warps.get_mut(usize::from(warp.warp.0)) else { return };
                let by = (block, warp.warp.0);
                self.clues.hear(|clues| clues.awaited(by, (space, address), (site, lanes), (scope, w.tick)));
                self.objects.wait((space, address), phase, (sem, scope), (block, cluster), (w, lanes));
            }
            _ => {}
        }
    }
}
