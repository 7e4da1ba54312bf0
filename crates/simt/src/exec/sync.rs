//! Warp-level synchronisation, fences, and the exit of threads.

use super::flow::Flow;
use super::{Failed, Run, Stop, Worker};
use crate::exec::warp::Wait;
use crate::program::{FenceInst, Row};
use events::sync::ProxyWay;
use events::{Dim3, LaneMask, Misuse, Observer, Proxy, Sem, Sync};

impl<O: Observer> Worker<'_, O> {
    /// Executes `bar.warp.sync`: waits for all named lanes that have not exited, at any `bar.warp.sync` with
    /// this mask.
    pub(super) fn warp_sync(
        &mut self,
        run: &mut Run<'_>,
        member: Row,
        mut mask: LaneMask,
    ) -> Result<Flow, Failed> {
        let member = self.uniform(run, member, false, &mut mask) as u32;
        // Executing lanes that the mask does not name are undefined by PTX §9.7.13.3. They wait, too, but are
        // not ordered.
        let need = (member | mask) & run.warp.alive;
        let is_waiting = |wait: &Wait| matches!(wait, Wait::WarpSync { member: m } if *m == member);
        let there =
            run.warp.groups.iter().filter(|g| is_waiting(&g.wait)).fold(mask, |lanes, g| lanes | g.mask);
        if need & !there != 0 {
            run.warp.groups[run.group].wait = Wait::WarpSync { member };
            return Ok(Flow::Stop(Stop::Wait));
        }
        if there & !member != 0 {
            self.misuse(run, there & !member, Misuse::NotMember { member });
        }
        let lanes = there & member;
        if lanes != 0 && self.s.observer.active() {
            let event = Sync::WarpSync { warp: run.name(self), site: self.event_site(run.pc), lanes };
            self.s.observer.sync(&event);
        }
        if run.warp.groups.len() == 1 {
            return Ok(Flow::Next);
        }
        for group in run.warp.groups.iter_mut().filter(|g| is_waiting(&g.wait)) {
            group.wait = Wait::No;
            group.pc += 1;
        }
        run.pc += 1;
        Ok(Flow::Stop(Stop::Groups))
    }

    /// Reports a use of the current instruction that CUDA forbids.
    #[cold]
    pub(super) fn misuse(&mut self, run: &Run<'_>, lanes: LaneMask, what: Misuse) {
        if self.s.observer.active() {
            let (warp, site) = (run.name(self), self.event_site(run.pc));
            self.s.observer.sync(&Sync::Misuse { warp, site, lanes, what });
        }
    }

    /// Reports an exchange of registers among lanes, which orders no memory.
    pub(super) fn rendezvous(&mut self, run: &Run<'_>, lanes: LaneMask) {
        if self.s.observer.active() {
            let event = Sync::Rendezvous { warp: run.name(self), site: self.event_site(run.pc), lanes };
            self.s.observer.sync(&event);
        }
    }

    pub(super) fn fence(&mut self, run: &Run<'_>, inst: &FenceInst, lanes: LaneMask) {
        if !self.s.observer.active() {
            return;
        }
        let (warp, site) = (run.name(self), self.event_site(run.pc));
        let event = match *inst {
            FenceInst::Thread { sem, scope } => Sync::Fence { warp, site, lanes, sem, scope },
            FenceInst::Proxy { proxy, space } => {
                Sync::ProxyFence { warp, site, lanes, proxy, space, way: ProxyWay::Both }
            }
            FenceInst::Tensormap { sem, scope } => {
                let way = if sem == Sem::Acquire { ProxyWay::Acquire } else { ProxyWay::Release };
                let (proxy, space) = (Proxy::Tensormap, None);
                let of_proxy = Sync::ProxyFence { warp, site, lanes, proxy, space, way };
                let of_threads = Sync::Fence { warp, site, lanes, sem, scope };
                // What is released is behind the fence of the proxy; what is acquired is before it.
                let [first, second] = match way {
                    ProxyWay::Acquire => [of_threads, of_proxy],
                    _ => [of_proxy, of_threads],
                };
                self.s.observer.sync(&first);
                second
            }
            FenceInst::Mbarrier => Sync::MbarrierFence { warp, site, lanes },
        };
        self.s.observer.sync(&event);
    }

    /// Executes the exit of threads.
    pub(super) fn exit(
        &mut self,
        run: &mut Run<'_>,
        active: LaneMask,
        mask: LaneMask,
    ) -> Result<Flow, Failed> {
        self.finish_copies(run, active);
        if self.s.observer.active() {
            let (warp, site) = (run.name(self), self.site(run.pc));
            self.s.observer.sync(&Sync::Exit { warp, lanes: active });
            if self.ctx.launch.cluster != Dim3::ONE {
                self.s.observer.sync(&Sync::ClusterExit { warp, site, lanes: active });
            }
        }
        run.warp.alive &= !active;
        // Groups that wait for these lanes re-evaluate their condition.
        for group in &mut run.warp.groups {
            if matches!(group.wait, Wait::Lanes { .. } | Wait::WarpSync { .. }) {
                group.wait = Wait::No;
            }
        }
        let cluster = !self.s.clusters.is_empty();
        if let Some(block) = self.block(run.slot) {
            block.alive -= active.count_ones();
            block.idle = 0;
            let mut check = 0;
            for (id, barrier) in block.barriers.iter().enumerate() {
                check |= u32::from(barrier.arrived != 0) << id;
            }
            self.s.check |= check;
        }
        if cluster {
            self.cluster_exit(run, active);
        }
        self.check_tensor_memory(run, active)?;
        if active == mask {
            let group = run.group;
            run.warp.groups.remove(group);
            return Ok(Flow::Stop(Stop::Gone));
        }
        run.warp.groups[run.group].mask &= !active;
        run.pc += 1;
        Ok(Flow::Jump)
    }
}
