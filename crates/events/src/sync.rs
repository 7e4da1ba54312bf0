//! Synchronisation events.
//!
//! An engine reports facts in the order in which they happened; what they order
//! is the detector's to know. A barrier is two events for each warp that takes
//! part, its arrival and, once complete, one completion for all.

use crate::access::{Proxy, Scope, Sem, Space, Warp};
use crate::ids::{AsyncOpId, BlockId, LaneMask, SiteId, TaskId, WarpId};
use crate::tensor::Tensor;
use serde::{Deserialize, Serialize};

/// The phase before a new mbarrier's first: a wait for it by its parity returns at once, and orders nothing.
pub const NO_PHASE: u64 = u64::MAX;

/// Synchronisation that CUDA forbids, or leaves undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Misuse {
    /// The lanes arrived at a barrier of the whole block (`bar.sync` without a number of threads, which is what
    /// `__syncthreads()` is), at which other threads have arrived by another instruction since it last completed.
    OtherBarrier {
        id: u8,
        /// The first of the others.
        first: SiteId,
        by: WarpId,
        lane: u8,
    },
    /// The membermask of a warp-wide instruction does not name the lanes that execute it (PTX §9.7.9.6).
    NotMember { member: LaneMask },
    /// The lanes accessed a register that an asynchronous matrix product accesses, too, and no `wgmma.wait_group` or
    /// `wgmma.fence` orders the two (PTX §9.7.16.7).
    ProductRegister(ProductRegister),
}

/// Two accesses of a register, at least one of them by `wgmma.mma_async`. The later one is that of the event's site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductRegister {
    /// The instruction of the earlier access; `None` if a product has no `wgmma.fence` before it at all.
    pub first: Option<SiteId>,
    pub earlier: RegisterAccess,
    pub later: RegisterAccess,
    /// Whether the register holds a part of the accumulator; else, of matrix A.
    pub accumulator: bool,
    /// Whether a `wgmma.wait_group` is missing; else, a `wgmma.fence`.
    pub unwaited: bool,
}

/// An access of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterAccess {
    pub writes: bool,
    /// Whether a product makes it.
    pub product: bool,
}

/// Which barrier: the sixteen of a block, or one that engines number themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BarrierId {
    /// `bar`/`barrier.cta` 0 to 15 of a block.
    Cta(u8),
    /// `barrier.cluster` of the cluster whose first block is named.
    Cluster(BlockId),
}

/// The threads that took part in a completed barrier generation.
#[derive(Clone, Copy, Debug)]
pub enum BarrierMembers<'a> {
    /// Every live thread of the block, all of them waiting: the usual `__syncthreads()`.
    WholeBlock,
    /// Some of the block, or (for clusters) several blocks.
    Some(&'a [Member]),
}

/// One warp's part in a barrier generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub block: BlockId,
    pub warp: WarpId,
    /// Lanes that arrived.
    pub arrived: LaneMask,
    /// Lanes that waited (`bar.sync`, `bar.red`, `barrier.cluster.wait`): a subset of
    /// those that arrived, except that clusters wait later.
    pub waited: LaneMask,
}

#[derive(Clone, Copy, Debug)]
pub enum Sync<'a> {
    /// Lanes reached a barrier: the release side. `waits` is false for `bar.arrive` and
    /// `barrier.cluster.arrive`. `sem` is `Relaxed` for `barrier.cluster.arrive.relaxed` only.
    BarrierArrive {
        warp: Warp,
        site: SiteId,
        id: BarrierId,
        lanes: LaneMask,
        waits: bool,
        sem: Sem,
    },
    /// The barrier's current generation is complete: its waiting members have passed (the
    /// acquire side), and its next generation begins. For clusters, `waited` lanes have not
    /// yet executed their wait; see [`Sync::ClusterWait`].
    BarrierComplete {
        task: TaskId,
        block: BlockId,
        id: BarrierId,
        members: BarrierMembers<'a>,
    },
    /// `barrier.cluster.wait` returned.
    ClusterWait {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
    },
    /// `bar.warp.sync`: all of `lanes` have arrived and all of them pass.
    WarpSync {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
    },
    /// `fence`, `membar`.
    Fence {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
        sem: Sem,
        scope: Scope,
    },
    /// `fence.proxy.*`; `space` limits it. `way` is one direction for the tensormap proxy only: such a fence is a [`Sync::Fence`],
    /// too, which comes behind a release and before an acquire.
    ProxyFence {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
        proxy: Proxy,
        space: Option<ProxySpace>,
        way: ProxyWay,
    },
    /// `shfl`, `vote`, `match`, `redux`, `elect`, `activemask`: register exchange that orders
    /// no memory. Reported so that explanations can name it.
    Rendezvous {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
    },
    /// Lanes of the warp diverged or came together again. Orders nothing; ITS-aware lenses use it.
    Converge {
        warp: Warp,
        active: LaneMask,
    },

    /// `mbarrier.init` of the object at `address` in `space`.
    MbarrierInit {
        warp: Warp,
        site: SiteId,
        lane: u8,
        space: Space,
        address: u64,
        expected: u32,
    },
    /// `fence.mbarrier_init.release.cluster`: a release fence of cluster scope for the lanes' own earlier `mbarrier.init`, and for no other
    /// access (PTX §9.7.14.4, `.op_restrict`).
    MbarrierFence {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
    },
    MbarrierInval {
        warp: Warp,
        site: SiteId,
        lane: u8,
        space: Space,
        address: u64,
    },
    /// An arrive (or arrive_drop, or the arrive-on of `cp.async.mbarrier.arrive`) in `phase`, counted by the engine from 0.
    MbarrierArrive {
        warp: Warp,
        site: SiteId,
        lane: u8,
        space: Space,
        address: u64,
        phase: u64,
        sem: Sem,
        scope: Scope,
    },
    /// An asynchronous operation's complete_tx on the object in `phase`: its own accesses
    /// are complete, and are released to whoever waits for the phase.
    MbarrierCompleteTx {
        task: TaskId,
        space: Space,
        address: u64,
        phase: u64,
        op: AsyncOpId,
    },
    /// The transaction count of the object's `phase` changed by `bytes`: they are expected (`expect_tx`), or were `received`
    /// (a thread's own `complete_tx`, or that of an asynchronous operation). Orders nothing; explanations count them.
    MbarrierBytes {
        task: TaskId,
        space: Space,
        address: u64,
        phase: u64,
        bytes: u32,
        received: bool,
    },
    /// A test_wait or try_wait by `lanes` returned true for `phase`; [`NO_PHASE`] for the phase before the
    /// first, for which no thread waits.
    MbarrierWait {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
        space: Space,
        address: u64,
        phase: u64,
        sem: Sem,
        scope: Scope,
    },

    /// An operation on the mbarrier object that orders nothing by itself: an `expect_tx`, a thread's own `complete_tx`, a wait that
    /// returned false, an operation at a place that has no object yet, or the start of an asynchronous operation (`op`)
    /// that will complete there.
    MbarrierTouch {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
        space: Space,
        address: u64,
        op: Option<AsyncOpId>,
    },

    /// Asynchronous operations that completed because their threads waited for them
    /// (`cp.async.wait_group`, `wait_all`, `cp.async.bulk.wait_group`). `reads_only` for `.read`. Each of `lanes` has waited
    /// for one of its own for each of `ops`, which are the lowest lane's, see [`AsyncOpId`].
    AsyncWaited {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
        ops: &'a [AsyncOpId],
        reads_only: bool,
        /// All of `lanes` have waited for the same operations, which other warps may have begun: the matrix products of a
        /// warpgroup. `ops` are these operations, and what any of the lanes did afterwards is behind them.
        together: bool,
    },
    /// `wgmma.commit_group` made the asynchronous product `op` a part of the warp's `group`, counted from 0. Orders nothing;
    /// explanations name the group.
    ProductCommitted {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
        op: AsyncOpId,
        group: u32,
    },
    /// Asynchronous operations of one thread whose completion will arrive on an mbarrier
    /// (`cp.async.mbarrier.arrive`): they happen before that arrive. None for
    /// `mbarrier.expect_tx` and `mbarrier.complete_tx`: bytes of whatever thread.
    AsyncArrive {
        warp: Warp,
        site: SiteId,
        lane: u8,
        ops: &'a [AsyncOpId],
        space: Space,
        address: u64,
        phase: u64,
    },

    /// A block became resident, or its last thread exited.
    BlockStart {
        task: TaskId,
        block: BlockId,
    },
    BlockEnd {
        task: TaskId,
        block: BlockId,
    },
    /// Lanes executed their last instruction.
    Exit {
        warp: Warp,
        lanes: LaneMask,
    },
    /// Lanes of a block of a cluster executed their last instruction, here; follows [`Sync::Exit`]. The shared memory of a
    /// block is there for its peers until all of its threads have exited.
    ClusterExit {
        warp: Warp,
        site: Option<SiteId>,
        lanes: LaneMask,
    },
    /// Device-side `malloc` of `bytes` bytes of global memory at `address`, once the [allocation](crate::HostEvent::Alloc) has
    /// been told; or `free`, before that is.
    Heap {
        warp: Warp,
        site: SiteId,
        lane: u8,
        address: u64,
        bytes: u64,
        free: bool,
    },
    /// Lanes used a barrier or a warp-wide instruction as CUDA forbids, and the kernel goes on.
    Misuse {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
        what: Misuse,
    },
    /// `griddepcontrol`: `wait` or `launch_dependents`.
    GridDependency {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
        wait: bool,
    },
    /// Tensor memory was allocated, deallocated, accessed, or its accesses fenced.
    Tensor {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
        what: Tensor,
    },
    /// A lane launched a task: what happens before this happens before all of the task. The task begins later, with its
    /// [launcher](crate::task::Launcher).
    Launch {
        warp: Warp,
        site: SiteId,
        lane: u8,
        task: TaskId,
    },
}

impl Sync<'_> {
    /// The task it belongs to, and the block where it happens. Bytes that an asynchronous copy reports to an
    /// mbarrier outside of shared memory belong to no block; they count as the first one's.
    pub fn place(&self) -> (TaskId, BlockId) {
        match *self {
            Sync::BarrierArrive { warp, .. }
            | Sync::ClusterWait { warp, .. }
            | Sync::WarpSync { warp, .. }
            | Sync::Fence { warp, .. }
            | Sync::ProxyFence { warp, .. }
            | Sync::Rendezvous { warp, .. }
            | Sync::Converge { warp, .. }
            | Sync::MbarrierInit { warp, .. }
            | Sync::MbarrierFence { warp, .. }
            | Sync::MbarrierInval { warp, .. }
            | Sync::MbarrierArrive { warp, .. }
            | Sync::MbarrierWait { warp, .. }
            | Sync::MbarrierTouch { warp, .. }
            | Sync::ClusterExit { warp, .. }
            | Sync::Heap { warp, .. }
            | Sync::AsyncWaited { warp, .. }
            | Sync::ProductCommitted { warp, .. }
            | Sync::AsyncArrive { warp, .. }
            | Sync::GridDependency { warp, .. }
            | Sync::Tensor { warp, .. }
            | Sync::Launch { warp, .. }
            | Sync::Misuse { warp, .. }
            | Sync::Exit { warp, .. } => (warp.task, warp.block),
            Sync::BarrierComplete { task, block, .. }
            | Sync::BlockStart { task, block }
            | Sync::BlockEnd { task, block } => (task, block),
            Sync::MbarrierCompleteTx { task, space: Space::Shared(block), .. }
            | Sync::MbarrierBytes { task, space: Space::Shared(block), .. } => (task, block),
            Sync::MbarrierCompleteTx { task, .. } | Sync::MbarrierBytes { task, .. } => (task, BlockId(0)),
        }
    }
}

/// The direction of a proxy fence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProxyWay {
    #[default]
    Both,
    /// From the generic proxy, the side of the thread that wrote.
    Release,
    /// From the generic proxy, the side of the thread that uses the other proxy.
    Acquire,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProxySpace {
    Global,
    SharedCta,
    SharedCluster,
}
