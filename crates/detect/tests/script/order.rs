//! What orders the instructions of the threads: fences, barriers, waits.

use super::{Script, T, line};
use events::access::Warp;
use events::sync::{Member, ProxySpace, ProxyWay};
use events::{
    AccessKind, AsyncOpId, BarrierId, BarrierMembers, BlockId, LaneMask, Observer, Proxy, Scope, Sem, SiteId,
    Space, Strength, Sync, WarpId,
};

impl<E: Observer> Script<E> {
    #[track_caller]
    pub(crate) fn fence(&mut self, t: T, sem: Sem, scope: Scope) {
        self.ear.sync(&Sync::Fence { warp: self.warp(t), site: line(), lanes: t.mask(), sem, scope });
    }

    /// `membar` of the scope.
    #[track_caller]
    pub(crate) fn membar(&mut self, t: T, scope: Scope) {
        self.membar_warp(t, t.mask(), scope);
    }

    #[track_caller]
    pub(crate) fn membar_warp(&mut self, t: T, lanes: LaneMask, scope: Scope) {
        self.ear.sync(&Sync::Fence { warp: self.warp(t), site: line(), lanes, sem: Sem::Sc, scope });
    }

    fn live(&self, warp: u16) -> LaneMask {
        let lanes = (self.threads - u32::from(warp) * 32).min(32);
        if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 }
    }

    /// `__syncthreads()` by the whole block.
    #[track_caller]
    pub(crate) fn barrier(&mut self, block: u32) {
        let id = BarrierId::Cta(0);
        for warp in 0..self.threads.div_ceil(32) as u16 {
            self.arrives(line(), self.warp_of(block, warp), id, self.live(warp), true, Sem::AcqRel);
        }
        let members = BarrierMembers::WholeBlock;
        self.ear.sync(&Sync::BarrierComplete { task: self.task, block: BlockId(block), id, members });
    }

    /// A named barrier among some warps of a block, all of whose lanes arrive and wait.
    #[track_caller]
    pub(crate) fn named_barrier(&mut self, block: u32, id: u8, warps: &[u16]) {
        let id = BarrierId::Cta(id);
        for &warp in warps {
            self.arrives(line(), self.warp_of(block, warp), id, self.live(warp), true, Sem::AcqRel);
        }
        let waiting: Vec<(u16, LaneMask)> = warps.iter().map(|&warp| (warp, self.live(warp))).collect();
        self.complete(block, id, &waiting, &[]);
    }

    fn arrives(&mut self, site: SiteId, warp: Warp, id: BarrierId, lanes: LaneMask, waits: bool, sem: Sem) {
        self.ear.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits, sem });
    }

    /// A thread arrives at a barrier and goes on.
    pub(crate) fn arrive(&mut self, id: BarrierId, t: T, sem: Sem) {
        self.arrives(SiteId(0), self.warp(t), id, t.mask(), false, sem);
    }

    /// A barrier completes: whole warps that wait, and single threads that have arrived.
    pub(crate) fn complete(&mut self, block: u32, id: BarrierId, waiting: &[(u16, LaneMask)], arrived: &[T]) {
        let member =
            |block: u32, warp, arrived, waited| Member { block: BlockId(block), warp, arrived, waited };
        let waiting = waiting.iter().map(|&(warp, lanes)| member(block, WarpId(warp), lanes, lanes));
        let arrived = arrived.iter().map(|t| member(t.0, t.warp(), t.mask(), 0));
        let members: Vec<Member> = waiting.chain(arrived).collect();
        let members = BarrierMembers::Some(&members);
        self.ear.sync(&Sync::BarrierComplete { task: self.task, block: BlockId(block), id, members });
    }

    pub(crate) fn cluster_wait(&mut self, t: T) {
        self.ear.sync(&Sync::ClusterWait { warp: self.warp(t), site: SiteId(0), lanes: t.mask() });
    }

    /// `__syncwarp(lanes)` by the warp of `t`.
    #[track_caller]
    pub(crate) fn syncwarp(&mut self, t: T, lanes: LaneMask) {
        self.ear.sync(&Sync::WarpSync { warp: self.warp(t), site: line(), lanes });
    }

    pub(crate) fn exit(&mut self, t: T) {
        self.ear.sync(&Sync::Exit { warp: self.warp(t), lanes: t.mask() });
    }

    pub(crate) fn block_end(&mut self, block: u32) {
        self.ear.sync(&Sync::BlockEnd { task: self.task, block: BlockId(block) });
    }

    pub(crate) fn proxy_fence(&mut self, t: T) {
        let (warp, lanes, space): (_, _, Option<ProxySpace>) = (self.warp(t), t.mask(), None);
        let (proxy, way) = (Proxy::Async, ProxyWay::Both);
        self.ear.sync(&Sync::ProxyFence { warp, site: SiteId(0), lanes, proxy, space, way });
    }

    /// One side of a copy: `proxy` generic for `cp.async`, asynchronous for bulk copies.
    #[track_caller]
    pub(crate) fn copy(&mut self, t: T, a: u64, bytes: u32, op: u64, write: bool, proxy: Proxy) {
        let op = AsyncOpId(op);
        let kind = if write { AccessKind::AsyncWrite { op } } else { AccessKind::AsyncRead { op } };
        self.access(line(), &[(t, a)], kind, Strength::Weak, proxy, (bytes, 1));
    }

    pub(crate) fn waited(&mut self, t: T, ops: &[u64], reads_only: bool) {
        self.waits(t, t.mask(), ops, reads_only);
    }

    /// As above, of lanes that wait together; `ops` are the lowest one's.
    pub(crate) fn waited_by(&mut self, t: T, lanes: LaneMask, ops: &[u64]) {
        self.waits(t, lanes, ops, false);
    }

    fn waits(&mut self, t: T, lanes: LaneMask, ops: &[u64], reads_only: bool) {
        let ops: Vec<AsyncOpId> = ops.iter().map(|o| AsyncOpId(*o)).collect();
        let warp = self.warp(t);
        self.ear.sync(&Sync::AsyncWaited {
            warp,
            site: SiteId(0),
            lanes,
            ops: &ops,
            reads_only,
            together: false,
        });
    }

    pub(crate) fn complete_tx(&mut self, block: u32, object: u64, phase: u64, op: u64) {
        let (space, op) = (Space::Shared(BlockId(block)), AsyncOpId(op));
        self.ear.sync(&Sync::MbarrierCompleteTx { task: self.task, space, address: object, phase, op });
    }

    pub(crate) fn mb_arrive(&mut self, t: T, owner: u32, object: u64, phase: u64, sem: Sem, scope: Scope) {
        let (warp, lane, space) = (self.warp(t), t.lane() as u8, Space::Shared(BlockId(owner)));
        let (site, address) = (SiteId(0), object);
        self.ear.sync(&Sync::MbarrierArrive { warp, site, lane, space, address, phase, sem, scope });
    }

    #[track_caller]
    pub(crate) fn mb_init(&mut self, t: T, object: u64) {
        let (warp, lane, space) = (self.warp(t), t.lane() as u8, Space::Shared(BlockId(t.0)));
        let (site, address) = (line(), object);
        self.ear.sync(&Sync::MbarrierInit { warp, site, lane, space, address, expected: 1 });
    }

    /// `fence.mbarrier_init`
    #[track_caller]
    pub(crate) fn mb_fence(&mut self, t: T) {
        self.ear.sync(&Sync::MbarrierFence { warp: self.warp(t), site: line(), lanes: t.mask() });
    }

    #[track_caller]
    pub(crate) fn mb_inval(&mut self, t: T, object: u64) {
        let (warp, lane, space) = (self.warp(t), t.lane() as u8, Space::Shared(BlockId(t.0)));
        self.ear.sync(&Sync::MbarrierInval { warp, site: line(), lane, space, address: object });
    }

    /// An operation that orders nothing: `expect_tx`, a wait in vain, the start of copy `op`.
    #[track_caller]
    pub(crate) fn mb_touch(&mut self, t: T, owner: u32, object: u64, op: Option<u64>) {
        let (warp, lanes, space) = (self.warp(t), t.mask(), Space::Shared(BlockId(owner)));
        let (site, op) = (line(), op.map(AsyncOpId));
        self.ear.sync(&Sync::MbarrierTouch { warp, site, lanes, space, address: object, op });
    }

    /// A thread of a cluster exits.
    #[track_caller]
    pub(crate) fn cluster_exit(&mut self, t: T) {
        self.ear.sync(&Sync::ClusterExit { warp: self.warp(t), site: Some(line()), lanes: t.mask() });
    }

    /// All threads of the cluster of `first` arrive at its barrier.
    pub(crate) fn cluster_arrive(&mut self, first: u32, threads: &[T], sem: Sem) {
        for t in threads {
            self.arrive(BarrierId::Cluster(BlockId(first)), *t, sem);
        }
        self.complete(first, BarrierId::Cluster(BlockId(first)), &[], threads);
    }

    /// All threads of the cluster of `first` meet.
    pub(crate) fn cluster_sync(&mut self, first: u32, threads: &[T], sem: Sem) {
        self.cluster_arrive(first, threads, sem);
        threads.iter().for_each(|t| self.cluster_wait(*t));
    }

    #[track_caller]
    pub(crate) fn heap(&mut self, t: T, address: u64, bytes: u64, free: bool) {
        let (warp, site, lane) = (self.warp(t), line(), t.lane() as u8);
        self.ear.sync(&Sync::Heap { warp, site, lane, address, bytes, free });
    }

    pub(crate) fn mb_wait(&mut self, t: T, owner: u32, object: u64, phase: u64, sem: Sem, scope: Scope) {
        let (warp, lanes, space) = (self.warp(t), t.mask(), Space::Shared(BlockId(owner)));
        let (site, address) = (SiteId(0), object);
        self.ear.sync(&Sync::MbarrierWait { warp, site, lanes, space, address, phase, sem, scope });
    }
}
