//! Events that order threads: barriers, fences and the ends of blocks. [`asynchronous`](super::asynchronous) has the others.

use super::LaunchState;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::thread::index;
use crate::ptx::clues::Arrived;
use crate::ptx::order::barriers::{self, BarrierKey};
use crate::ptx::order::fence::ScFence;
use crate::ptx::report::misuse;
use events::access::Warp;
use events::{BarrierId, BarrierMembers, BlockId, LaneMask, Misuse, Scope, Sem, SiteId, Sync, SyncNote};
use std::sync::Arc;

impl LaunchState {
    pub(crate) fn sync(&mut self, sync: &Sync<'_>) {
        self.judge_late();
        if let Some(initial) = &mut self.initial {
            initial.sync(sync);
        }
        if let Sync::Misuse { warp, site, lanes, what } = *sync {
            if self.check_sync || matches!(what, Misuse::ProductRegister(_)) {
                let mut found = misuse::finding(warp, site, lanes, what);
                if let Misuse::ProductRegister(_) = what {
                    let products = self.clues.hear(|clues| clues.stages.products(index(warp)));
                    found.notes.extend(products.map(|state| SyncNote::Pipeline(Box::new(state))));
                }
                self.launch.sink.add(found);
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
                self.notes_arrival(warp, site, id, waits, sem);
                self.arrives(warp, id, lanes, waits, sem);
            }
            Sync::BarrierComplete { block, id: BarrierId::Cta(id), members, .. } => {
                self.completes(block, id, members);
            }
            Sync::BarrierComplete { id: BarrierId::Cluster(first), .. } => {
                self.arrivals.complete_cluster(first.0);
                self.clusters.completes(first.0);
            }
            Sync::ClusterWait { warp, lanes, .. } => self.waits_for_cluster(warp, lanes),
            Sync::WarpSync { warp, lanes, .. } => {
                barriers::warp_sync(self.block(warp.block.0), warp.block.0, warp.warp.0, lanes);
            }
            Sync::Fence { warp, site, lanes, sem, scope } => self.fences(warp, site, lanes, sem, scope),
            Sync::BlockStart { block, .. } => {
                self.pick_up_proofs();
                self.block(block.0);
            }
            Sync::BlockEnd { block, .. } => self.ends(block.0),
            _ => self.asynchronous(sync),
        }
    }

    /// Records an arrival at a barrier for explanations.
    fn notes_arrival(&mut self, warp: Warp, site: SiteId, id: BarrierId, waits: bool, sem: Sem) {
        if waits && matches!(id, BarrierId::Cta(_)) {
            self.meetings.arrives((warp.block.0, id), site, warp.warp.0);
        }
        if self.launch.blocks_may_meet() || !waits {
            let by = index(warp);
            let own = self.blocks.get(by.block).and_then(|block| block.warps.get(usize::from(by.warp)));
            let tick = own.map_or(0, |w| w.tick);
            let how = match (waits, sem) {
                (_, Sem::Relaxed) => Arrived::Relaxed,
                (true, _) => Arrived::Waits,
                (false, _) => Arrived::Only,
            };
            self.clues.hear(|clues| clues.barrier(by, site, id, tick, how));
        }
    }

    /// Publishes what lanes know that arrive at a barrier. Those that wait at a block's barrier do so when it completes.
    fn arrives(&mut self, warp: Warp, id: BarrierId, lanes: LaneMask, waits: bool, sem: Sem) {
        if let BarrierId::Cluster(first) = id {
            self.clusters.arrives(first.0, index(warp), lanes);
        }
        if let (Sem::Relaxed, BarrierId::Cluster(first)) = (sem, id) {
            self.arrives_for_tensor_memory(warp, first.0, lanes);
        }
        if sem == Sem::Relaxed || (waits && !matches!(id, BarrierId::Cluster(_))) {
            return;
        }
        self.block(warp.block.0);
        let Some(state) = self.blocks.get_mut(warp.block.0) else { return };
        let key = match id {
            BarrierId::Cta(id) => BarrierKey { block: warp.block.0, id: u16::from(id) },
            BarrierId::Cluster(first) => BarrierKey::of_cluster(first.0),
        };
        self.arrivals.arrive(key, state, warp.block.0, warp.warp.0, lanes);
    }

    /// Publishes what fences of tensor memory have, at a relaxed arrival.
    fn arrives_for_tensor_memory(&mut self, warp: Warp, cluster: u32, lanes: LaneMask) {
        let block = self.blocks.get(warp.block.0);
        let own = block.and_then(|block| block.warps.get(usize::from(warp.warp.0)));
        if let Some(fenced) = own.map(|own| own.fenced_for_tensor_memory(lanes)) {
            self.arrivals.publish(BarrierKey::of_cluster(cluster), &fenced);
        }
    }

    /// Orders the members of a block's barrier. Behind one of the whole block, its shared memory begins anew.
    fn completes(&mut self, block: BlockId, id: u8, members: BarrierMembers<'_>) {
        self.block(block.0);
        let Some(state) = self.blocks.get_mut(block.0) else { return };
        let key = (block.0, BarrierId::Cta(id));
        if let Some(places) = self.meetings.completes(key, state.warps.len(), &members) {
            self.clues.hear(|clues| clues.meets_apart(block.0, places));
        }
        let BarrierMembers::WholeBlock = members else {
            if let BarrierMembers::Some(members) = members {
                self.arrivals.complete(state, block.0, id.into(), members);
            }
            return;
        };
        barriers::whole_barrier(state, block.0);
        if self.by_intervals
            && let Some((shadow, _)) = self.shared.blocks.get_mut(block.0)
        {
            let behind = (block.0, state.warps.first().map_or(0, |warp| warp.all));
            let complete = |entry: &Entry| self.launch.is_behind(entry, behind);
            let freed = shadow.iter_mut().map(|(_, page)| page.passes(complete)).sum();
            self.shared.shrank(block.0, freed, &self.launch);
        }
    }

    fn waits_for_cluster(&mut self, warp: Warp, lanes: LaneMask) {
        let first = self.launch.cluster_of(warp.block.0);
        self.clusters.waits(index(warp));
        self.clues.hear(|clues| clues.waited(index(warp)));
        self.block(warp.block.0);
        let Some(state) = self.blocks.get_mut(warp.block.0) else { return };
        self.arrivals.cluster_wait(first, state, warp.warp.0, lanes);
    }

    fn fences(&mut self, warp: Warp, site: SiteId, lanes: LaneMask, sem: Sem, scope: Scope) {
        self.launch.synchronises(sem, scope, site);
        let by = index(warp);
        let tick = self.block(by.block).warps.get(usize::from(by.warp)).map_or(0, |w| w.tick);
        let how = (sem.releases(), sem.acquires());
        self.clues.hear(|clues| clues.ordering(by, how, (scope, site, tick), true));
        if sem.releases() && scope >= Scope::Cluster {
            let (clusters, cluster) = (&self.clusters, self.launch.cluster_of(by.block));
            self.objects.fences(by, lanes, |lane| clusters.turn(cluster, by, 1 << lane));
        }
        let (cluster, narrow) = (self.launch.cluster_of(by.block), self.launch.info.uses.narrow_fences);
        let sc = (sem == Sem::Sc).then(|| ScFence::new(scope, by.block, cluster, narrow));
        if narrow {
            let launch = Arc::clone(&self.launch);
            if let Some(own) = self.block(by.block).warps.get_mut(usize::from(by.warp)) {
                own.forget_ended_fences(lanes, |block| launch.ended.has(block));
            }
        }
        let dependents = self.releases_for(by.block, scope);
        barriers::fence(self.block(by.block), by.warp, lanes, sem, scope, sc, dependents);
    }

    /// Forgets a block that has ended.
    fn ends(&mut self, block: u32) {
        match self.is_clustered() {
            true => self.leaves_cluster(block),
            false => self.clusters.forgets(block),
        }
        self.lockstep.end_block(block);
        if let Some(state) = self.blocks.remove(block) {
            self.launch.early.block_ends(block, &state);
            self.spare.extend(state.deferred.into_owners());
        }
        self.launch.ended.ends(block, &self.launch.info);
        self.ended += 1;
        // The bias on the global shadow is kept until the launch's last block ends: other workers seldom enter before.
        if self.ended == self.launch.info.grid.count() {
            self.launch.global.leave(&mut self.bias);
        }
        self.shared.end(block, &self.launch);
        self.flights.end_block(block);
        self.objects.end_block(block);
        self.tensor.end_block(block);
        self.meetings.end_block(block);
        self.clues.hear(|clues| clues.stages.end_block(block));
    }
}
