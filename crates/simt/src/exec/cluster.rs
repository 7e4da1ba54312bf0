//! Clusters of blocks: `barrier.cluster` (PTX §9.7.13.4).

use super::flow::Flow;
use super::{Failed, Run, Stop, Worker};
use crate::exec::warp::{Wait, Warp};
use crate::program::{ClusterInst, Code};
use events::sync::Member;
use events::{BarrierId, BarrierMembers, LaneMask, Observer, Sync, WarpId};

/// The barrier of a resident cluster.
#[derive(Debug, Default)]
pub(crate) struct ClusterState {
    /// Blocks with threads that have not exited.
    pub running: u32,
    /// Threads that have not exited.
    pub alive: u32,
    pub arrived: u32,
    /// The number of completed generations.
    pub phase: u64,
    pub members: Vec<Member>,
}

impl<O: Observer> Worker<'_, O> {
    pub(super) fn cluster(
        &mut self,
        run: &mut Run<'_>,
        inst: ClusterInst,
        mut mask: LaneMask,
    ) -> Result<Flow, Failed> {
        let cluster = match self.block(run.slot) {
            Some(block) => block.cluster,
            None => return Ok(Flow::Stop(Stop::Gone)),
        };
        match inst {
            ClusterInst::Arrive { sem } => {
                if self.s.observer.active() {
                    let event = Sync::BarrierArrive {
                        warp: run.name(self),
                        site: self.event_site(run.pc),
                        id: BarrierId::Cluster(cluster),
                        lanes: mask,
                        waits: false,
                        sem,
                    };
                    self.s.observer.sync(&event);
                }
                let Some(state) = self.s.clusters.get_mut(&cluster.0) else { return Ok(Flow::Next) };
                state.arrived += mask.count_ones();
                let (block, warp) = (run.block, WarpId(run.warp.index));
                match state.members.iter_mut().find(|m| m.block == block && m.warp == warp) {
                    Some(member) => member.arrived |= mask,
                    None => state.members.push(Member { block, warp, arrived: mask, waited: 0 }),
                }
                // Records the phase for the matching wait.
                for lane in crate::alu::row::Lanes(mask) {
                    run.warp.cluster_phase[lane] = state.phase;
                }
                self.complete_cluster(cluster.0);
                Ok(Flow::Next)
            }
            ClusterInst::Wait => {
                let first = mask.trailing_zeros() as usize & 31;
                let phase = run.warp.cluster_phase[first];
                let others = crate::alu::row::Lanes(mask)
                    .filter(|&lane| run.warp.cluster_phase[lane] != phase)
                    .fold(0u32, |m, lane| m | 1 << lane);
                if others != 0 {
                    let pc = run.pc;
                    super::run::split(run, others, pc);
                    mask &= !others;
                }
                let now = self.s.clusters.get(&cluster.0).map_or(u64::MAX, |s| s.phase);
                if now <= phase {
                    run.warp.groups[run.group].wait = Wait::ClusterBarrier { phase };
                    return Ok(Flow::Stop(Stop::Wait));
                }
                if self.s.observer.active() {
                    let event = Sync::ClusterWait {
                        warp: run.name(self),
                        site: self.event_site(run.pc),
                        lanes: mask,
                    };
                    self.s.observer.sync(&event);
                }
                Ok(Flow::Next)
            }
        }
    }

    fn complete_cluster(&mut self, cluster: u32) {
        let Some(state) = self.s.clusters.get_mut(&cluster) else { return };
        if state.members.is_empty() || state.arrived < state.alive {
            return;
        }
        state.phase += 1;
        state.arrived = 0;
        let members = std::mem::take(&mut state.members);
        if self.s.observer.active() {
            let block = events::BlockId(cluster);
            let event = Sync::BarrierComplete {
                task: self.ctx.launch.task,
                block,
                id: BarrierId::Cluster(block),
                members: BarrierMembers::Some(&members),
            };
            self.s.observer.sync(&event);
        }
    }

    /// Records the exit of threads of a cluster, which count as arrived from then on.
    pub(super) fn cluster_exit(&mut self, run: &Run<'_>, lanes: LaneMask) {
        let Some(cluster) = self.block(run.slot).map(|b| b.cluster.0) else { return };
        if let Some(state) = self.s.clusters.get_mut(&cluster) {
            state.alive -= lanes.count_ones();
            // Lanes that arrived without waiting are subtracted from both counts.
            let (block, warp) = (run.block, WarpId(run.warp.index));
            if let Some(member) = state.members.iter().find(|m| m.block == block && m.warp == warp) {
                state.arrived -= (member.arrived & lanes).count_ones();
            }
        }
        self.complete_cluster(cluster);
    }

    /// Wakes groups whose cluster barrier or mbarrier phase is complete.
    pub(super) fn wake_remote(&mut self, slot: u32, w: usize) {
        let Some(cluster) = self.block(slot).map(|b| b.cluster.0) else { return };
        let phase = self.s.clusters.get(&cluster).map_or(u64::MAX, |s| s.phase);
        let Some(mut warp) = self.block(slot).and_then(|b| b.warps.get_mut(w)).and_then(Option::take) else {
            return;
        };
        for g in 0..warp.groups.len() {
            let over = match warp.groups[g].wait {
                Wait::ClusterBarrier { phase: waits } => phase > waits,
                _ => false,
            };
            if over {
                super::turns::rouse(&mut warp.groups[g]);
            }
        }
        self.pass(&mut warp);
        if let Some(block) = self.block(slot) {
            block.warps[w] = Some(warp);
        }
    }

    /// Merges woken groups; they execute their wait again.
    fn pass(&self, warp: &mut Warp) {
        let program = self.ctx.program();
        if warp.groups.len() > 1
            && warp.groups.iter().any(|g| {
                matches!(
                    program.code.get(g.pc as usize).map(|i| &i.code),
                    Some(Code::Cluster(_) | Code::Mbarrier(_))
                )
            })
        {
            warp.merge();
        }
    }
}
