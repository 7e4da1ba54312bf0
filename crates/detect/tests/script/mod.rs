//! Event sequences for tests, written as the operations of named threads.
//!
//! The site of each operation is the line of the test that made it, so that a test
//! can say which lines race.

use detect::ptx::{PtxMonitor, PtxObserver, PtxOptions};
use events::AsyncOpId;
use events::access::Warp;
use events::sync::{Member, ProxySpace};
use events::task::{HostCall, LaunchInfo, SyncUse};
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, BlockId, Class, Dim3, Finding, LaneMask,
    Listener, Monitor, Observer, Proxy, Scope, Sem, SiteId, Space, StreamId, Strength, Sync, TaskId,
    TaskInfo, TaskKind, Tell, WarpId,
};
use std::panic::Location;

/// Thread 1 of block 0: `T(0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct T(pub(crate) u32, pub(crate) u16);

pub(crate) const TASK: TaskId = TaskId(1);

pub(crate) fn strong(sem: Sem, scope: Scope) -> Strength {
    Strength::Strong { sem, scope }
}

/// A launch, and its monitor if it is not borrowed.
pub(crate) struct Script<'a> {
    pub(crate) monitor: Held<'a>,
    pub(crate) observer: PtxObserver,
    pub(crate) task: TaskId,
    space: Space,
}

/// Everything a kernel may use.
pub(crate) fn all_uses() -> SyncUse {
    SyncUse {
        partial_barriers: true,
        fences_or_strong: true,
        relaxed: false,
        atomics: true,
        asynchronous: true,
        groups_only: false,
        cluster: true,
        blocks_communicate: true,
    }
}

pub(crate) fn launch(id: u32, blocks: u32, threads: u32, cluster: u32, uses: SyncUse) -> TaskInfo {
    TaskInfo {
        id: TaskId(id),
        kind: TaskKind::Launch(LaunchInfo {
            kernel: "script".to_owned(),
            grid: Dim3::new(blocks, 1, 1),
            block: Dim3::new(threads, 1, 1),
            cluster: Dim3::new(cluster, 1, 1),
            cooperative: false,
            shared_bytes: 4096,
            uses,
        }),
        stream: StreamId(0),
        after: Vec::new(),
        call: HostCall::default(),
        device: 0,
        overlap: None,
    }
}

#[track_caller]
fn line() -> SiteId {
    SiteId(Location::caller().line())
}

pub(crate) enum Held<'a> {
    Owned(Box<PtxMonitor>),
    Borrowed(&'a PtxMonitor),
}

impl std::ops::Deref for Held<'_> {
    type Target = PtxMonitor;

    fn deref(&self) -> &PtxMonitor {
        match self {
            Held::Owned(monitor) => monitor,
            Held::Borrowed(monitor) => monitor,
        }
    }
}

impl<'a> Script<'a> {
    /// A launch beside others.
    pub(crate) fn on(monitor: &'a PtxMonitor, info: &TaskInfo) -> Self {
        monitor.task_start(info);
        let observer = monitor.observer(0);
        Script { monitor: Held::Borrowed(monitor), observer, task: info.id, space: Space::Global }
    }

    pub(crate) fn finish(self) {
        self.monitor.task_end(self.task);
    }
    pub(crate) fn new(blocks: u32, threads: u32) -> Self {
        Self::with(launch(1, blocks, threads, 1, all_uses()), PtxOptions::default())
    }

    pub(crate) fn with(info: TaskInfo, options: PtxOptions) -> Self {
        let monitor = PtxMonitor::new(options);
        monitor.task_start(&info);
        let observer = monitor.observer(0);
        Script { monitor: Held::Owned(Box::new(monitor)), observer, task: info.id, space: Space::Global }
    }

    /// Accesses from now on are to the shared memory of `block`, or global again.
    pub(crate) fn shared(&mut self, block: Option<u32>) -> &mut Self {
        self.space = block.map_or(Space::Global, |b| Space::Shared(BlockId(b)));
        self
    }

    pub(crate) fn warp(&self, t: T) -> Warp {
        Warp { task: self.task, block: BlockId(t.0), warp: WarpId(t.1 / 32) }
    }

    /// One instruction of the threads, which are of one warp, each with its address.
    pub(crate) fn access(
        &mut self,
        site: SiteId,
        threads: &[(T, u64)],
        kind: AccessKind,
        strength: Strength,
        proxy: Proxy,
        (size, elements): (u32, u8),
    ) {
        let mut addresses = [0; 32];
        let mut mask = 0;
        for (t, address) in threads {
            addresses[usize::from(t.1 % 32)] = *address;
            mask |= 1 << (t.1 % 32);
        }
        self.observer.access(&Access {
            warp: self.warp(threads[0].0),
            site,
            space: self.space,
            kind,
            strength,
            proxy,
            size,
            elements,
            mask,
            addresses: &addresses,
            stored: if kind.writes() { mask } else { 0 },
            values: None,
        });
    }

    /// A relaxed compare-and-swap that finds and leaves these values.
    #[track_caller]
    pub(crate) fn swap(&mut self, t: T, a: u64, found_and_left: (u64, u64)) {
        let mut addresses = [0; 32];
        addresses[usize::from(t.1 % 32)] = a;
        let mask = 1 << (t.1 % 32);
        self.observer.access(&Access {
            warp: self.warp(t),
            site: line(),
            space: self.space,
            kind: AccessKind::Atomic { op: AtomicOp::Cas, returns: true },
            strength: strong(Sem::Relaxed, Scope::Gpu),
            proxy: Proxy::Generic,
            size: 4,
            elements: 1,
            mask,
            addresses: &addresses,
            stored: mask,
            values: Some(&[found_and_left; 32]),
        });
    }

    fn one(&mut self, site: SiteId, t: T, a: u64, kind: AccessKind, strength: Strength) {
        self.access(site, &[(t, a)], kind, strength, Proxy::Generic, (4, 1));
    }

    #[track_caller]
    pub(crate) fn write(&mut self, t: T, a: u64) {
        self.one(line(), t, a, AccessKind::Write, Strength::Weak);
    }

    #[track_caller]
    pub(crate) fn read(&mut self, t: T, a: u64) {
        self.one(line(), t, a, AccessKind::Read, Strength::Weak);
    }

    #[track_caller]
    pub(crate) fn store(&mut self, t: T, a: u64, sem: Sem, scope: Scope) {
        self.one(line(), t, a, AccessKind::Write, strong(sem, scope));
    }

    #[track_caller]
    pub(crate) fn load(&mut self, t: T, a: u64, sem: Sem, scope: Scope) {
        self.one(line(), t, a, AccessKind::Read, strong(sem, scope));
    }

    #[track_caller]
    pub(crate) fn atom(&mut self, t: T, a: u64, sem: Sem, scope: Scope) {
        self.one(line(), t, a, AccessKind::Atomic { op: AtomicOp::Add, returns: true }, strong(sem, scope));
    }

    #[track_caller]
    pub(crate) fn red(&mut self, t: T, a: u64, sem: Sem, scope: Scope) {
        self.one(line(), t, a, AccessKind::Atomic { op: AtomicOp::Add, returns: false }, strong(sem, scope));
    }

    #[track_caller]
    pub(crate) fn fence(&mut self, t: T, sem: Sem, scope: Scope) {
        let (warp, lanes) = (self.warp(t), 1 << (t.1 % 32));
        self.observer.sync(&Sync::Fence { warp, site: line(), lanes, sem, scope });
    }

    pub(crate) fn barrier(&mut self, block: u32) {
        let members = BarrierMembers::WholeBlock;
        self.observer.sync(&Sync::BarrierComplete {
            task: self.task,
            block: BlockId(block),
            id: BarrierId::Cta(0),
            members,
        });
    }

    pub(crate) fn arrive(&mut self, id: BarrierId, t: T, sem: Sem) {
        let (warp, lanes) = (self.warp(t), 1 << (t.1 % 32));
        let site = SiteId(0);
        self.observer.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits: false, sem });
    }

    /// A barrier completes: whole warps that wait, and single threads that have arrived.
    pub(crate) fn complete(&mut self, block: u32, id: BarrierId, waiting: &[(u16, LaneMask)], arrived: &[T]) {
        let mut members: Vec<Member> = waiting
            .iter()
            .map(|&(warp, lanes)| Member {
                block: BlockId(block),
                warp: WarpId(warp),
                arrived: lanes,
                waited: lanes,
            })
            .collect();
        members.extend(arrived.iter().map(|t| Member {
            block: BlockId(t.0),
            warp: WarpId(t.1 / 32),
            arrived: 1 << (t.1 % 32),
            waited: 0,
        }));
        let members = BarrierMembers::Some(&members);
        self.observer.sync(&Sync::BarrierComplete { task: self.task, block: BlockId(block), id, members });
    }

    pub(crate) fn cluster_wait(&mut self, t: T) {
        let (warp, lanes) = (self.warp(t), 1 << (t.1 % 32));
        self.observer.sync(&Sync::ClusterWait { warp, site: SiteId(0), lanes });
    }

    pub(crate) fn warp_sync(&mut self, t: T, lanes: LaneMask) {
        self.observer.sync(&Sync::WarpSync { warp: self.warp(t), site: SiteId(0), lanes });
    }

    pub(crate) fn proxy_fence(&mut self, t: T) {
        let (warp, lanes) = (self.warp(t), 1 << (t.1 % 32));
        let space: Option<ProxySpace> = None;
        self.observer.sync(&Sync::ProxyFence { warp, site: SiteId(0), lanes, proxy: Proxy::Async, space });
    }

    /// One side of a copy: `proxy` generic for `cp.async`, asynchronous for bulk copies.
    #[track_caller]
    pub(crate) fn copy(&mut self, t: T, a: u64, bytes: u32, op: u64, write: bool, proxy: Proxy) {
        let op = AsyncOpId(op);
        let kind = if write { AccessKind::AsyncWrite { op } } else { AccessKind::AsyncRead { op } };
        self.access(line(), &[(t, a)], kind, Strength::Weak, proxy, (bytes, 1));
    }

    pub(crate) fn waited(&mut self, t: T, ops: &[u64], reads_only: bool) {
        let ops: Vec<AsyncOpId> = ops.iter().map(|o| AsyncOpId(*o)).collect();
        let (warp, lanes) = (self.warp(t), 1 << (t.1 % 32));
        self.observer.sync(&Sync::AsyncWaited { warp, site: SiteId(0), lanes, ops: &ops, reads_only });
    }

    /// As above, of lanes that wait together; `ops` are the lowest one's.
    pub(crate) fn waited_by(&mut self, t: T, lanes: LaneMask, ops: &[u64]) {
        let ops: Vec<AsyncOpId> = ops.iter().map(|o| AsyncOpId(*o)).collect();
        let warp = self.warp(t);
        self.observer.sync(&Sync::AsyncWaited { warp, site: SiteId(0), lanes, ops: &ops, reads_only: false });
    }

    pub(crate) fn complete_tx(&mut self, block: u32, object: u64, phase: u64, op: u64) {
        let space = Space::Shared(BlockId(block));
        let op = AsyncOpId(op);
        self.observer.sync(&Sync::MbarrierCompleteTx { task: self.task, space, address: object, phase, op });
    }

    pub(crate) fn mb_arrive(&mut self, t: T, owner: u32, object: u64, phase: u64, sem: Sem, scope: Scope) {
        let (warp, lane, space) = (self.warp(t), (t.1 % 32) as u8, Space::Shared(BlockId(owner)));
        let (site, address) = (SiteId(0), object);
        self.observer.sync(&Sync::MbarrierArrive { warp, site, lane, space, address, phase, sem, scope });
    }

    pub(crate) fn mb_wait(&mut self, t: T, owner: u32, object: u64, phase: u64, sem: Sem, scope: Scope) {
        let (warp, lanes, space) = (self.warp(t), 1 << (t.1 % 32), Space::Shared(BlockId(owner)));
        let (site, address) = (SiteId(0), object);
        self.observer.sync(&Sync::MbarrierWait { warp, site, lanes, space, address, phase, sem, scope });
    }

    /// All findings so far.
    pub(crate) fn findings(&mut self) -> Vec<Finding> {
        self.monitor.findings()
    }

    /// Ends the launch; the classes of what was found.
    pub(crate) fn classes(&mut self) -> Vec<Class> {
        self.monitor.task_end(self.task);
        self.findings().iter().map(|f| f.class).collect()
    }

    #[track_caller]
    pub(crate) fn clean(&mut self) {
        let found = self.findings();
        assert!(found.is_empty(), "{found:#?}");
    }

    /// Exactly one finding, of this class.
    #[track_caller]
    pub(crate) fn races(&mut self, class: Class) {
        let found = self.findings();
        assert_eq!(found.iter().map(|f| f.class).collect::<Vec<_>>(), [class], "{found:#?}");
    }
}
