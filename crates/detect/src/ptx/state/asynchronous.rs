//! What orders copies and other asynchronous operations: waits, mbarriers, fences between proxies.

use super::LaunchState;
use crate::ptx::elements::lanes;
use crate::ptx::knowledge::Fenced;
use crate::ptx::who::Who;
use crate::shadow::lock;
use events::Sync;
use events::sync::{NO_PHASE, ProxySpace};

impl LaunchState {
    pub(super) fn asynchronous(&mut self, sync: &Sync<'_>) {
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
            Sync::AsyncArrive { ops, space, address, phase, .. } => {
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
            Sync::MbarrierInit { space, address, .. } => self.objects.init((space, address)),
            Sync::MbarrierInval { space, address, .. } => self.objects.remove((space, address)),
            Sync::MbarrierArrive { warp, site, lane, space, address, phase, sem, scope } => {
                let who = Who { block: warp.block.0, warp: warp.warp.0, lane };
                let cluster = self.launch.cluster_of(who.block);
                self.block(who.block);
                let Some(state) = self.blocks.get_mut(who.block) else { return };
                let Some(w) = state.warps.get(usize::from(who.warp)) else { return };
                let by = (who.block, who.warp);
                self.clues.hear(|clues| clues.arrived(by, (space, address), site, (scope, w.tick)));
                self.objects.arrive((space, address), phase, (sem, scope), (who, cluster), w);
                if sem.releases() {
                    state.advance(who.warp);
                }
            }
            Sync::MbarrierWait { phase: NO_PHASE, .. } => {}
            Sync::MbarrierWait { warp, site, lanes, space, address, phase, sem, scope } => {
                let block = warp.block.0;
                let cluster = self.launch.cluster_of(block);
                self.block(block);
                let Some(state) = self.blocks.get_mut(block) else { return };
                let Some(w) = state.warps.get_mut(usize::from(warp.warp.0)) else { return };
                let by = (block, warp.warp.0);
                self.clues.hear(|clues| clues.awaited(by, (space, address), site, (scope, w.tick)));
                self.objects.wait((space, address), phase, (sem, scope), (block, cluster), (w, lanes));
            }
            _ => {}
        }
    }
}
