//! A detector's finding: a pair of accesses and why nothing orders them.

pub use crate::access::Location;
use crate::access::{AccessKind, Proxy, Scope, Sem, Space, Strength};
use crate::ids::{AsyncOpId, BlockId, SiteId, TaskId, ThreadId};
use crate::pipeline::Pipeline;
use serde::{Deserialize, Serialize};

/// The field's names for what is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Same block, no barrier between.
    MissingBarrier,
    /// Same warp, no `__syncwarp()` between: independent thread scheduling.
    DivergentWarp,
    /// Lanes of one instruction write one location.
    SameInstruction,
    /// Two atomics whose scopes do not include each other.
    AtomicScope,
    /// A fence (or release/acquire) of too narrow a scope.
    FenceScope,
    /// A lock whose operations or fences are of too narrow a scope.
    LockScope,
    /// Synchronisation by flags or locks without a fence on one side.
    MissingFence,
    /// A plain access against an atomic one.
    WeakVsAtomic,
    /// Two strong accesses of different size or offset, which are not atomic towards each other.
    MixedSize,
    LockMissing,
    /// Both hold locks, but not one in common.
    LockWrong,
    /// An asynchronous copy not waited for.
    AsyncCopy,
    /// Different proxies without a proxy fence.
    Proxy,
    ClusterDsmem,
    /// Lanes of a warp that exchange words by `volatile` accesses alone, as if they ran in lockstep: a hazard.
    VolatileWarp,
    /// Different blocks, no synchronisation between them at all.
    InterBlock,
    InterKernel,
    HostDevice,
    MemcpyAsync,
    MultiGpu,
    /// Memory changed after a thread had read it: the writer was not seen.
    ClobberedRead,
    /// The same of a thread that had written it.
    LostUpdate,
    /// Threads of one block met at different `__syncthreads()`.
    DivergentBarrier,
    /// A warp-wide instruction whose mask does not name a lane that executes it.
    MaskWithoutCaller,
    /// Shared memory was read that no thread has written.
    UninitializedRead,
    /// A register of an asynchronous matrix product was accessed without `wgmma.wait_group` or `wgmma.fence` between.
    WgmmaRegisters,
    /// Tensor memory was accessed by two operations that no wait, commit or fence of `tcgen05` orders.
    TensorMemory,
}

impl Class {
    /// As printed and as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Class::MissingBarrier => "missing-barrier",
            Class::DivergentWarp => "divergent-warp",
            Class::SameInstruction => "same-instruction",
            Class::AtomicScope => "atomic-scope",
            Class::FenceScope => "fence-scope",
            Class::LockScope => "lock-scope",
            Class::MissingFence => "missing-fence",
            Class::WeakVsAtomic => "weak-vs-atomic",
            Class::MixedSize => "mixed-size",
            Class::LockMissing => "lock-missing",
            Class::LockWrong => "lock-wrong",
            Class::AsyncCopy => "async-copy",
            Class::Proxy => "proxy",
            Class::ClusterDsmem => "cluster-dsmem",
            Class::VolatileWarp => "volatile-warp",
            Class::InterBlock => "inter-block",
            Class::InterKernel => "inter-kernel",
            Class::HostDevice => "host-device",
            Class::MemcpyAsync => "memcpy-async",
            Class::MultiGpu => "multi-gpu",
            Class::ClobberedRead => "clobbered-read",
            Class::LostUpdate => "lost-update",
            Class::DivergentBarrier => "divergent-barrier",
            Class::MaskWithoutCaller => "mask-without-caller",
            Class::UninitializedRead => "uninitialized-read",
            Class::WgmmaRegisters => "wgmma-registers",
            Class::TensorMemory => "tensor-memory",
        }
    }
}

/// A race by the lens's definition, or one level lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Race,
    Hazard,
    /// A race of a launch that no known host code makes.
    UnseenLaunch,
}

/// How sure the finding is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Both accesses happened in this run, and nothing orders them.
    Observed,
    /// Happened when the launch was run under another schedule; the replay string does it again.
    Explored { replay: String },
    /// A reordering of this run has the race; not yet seen to happen.
    Predicted,
    /// Predicted, then driven to happen; the replay string does it again.
    Confirmed { replay: String },
    /// Predicted, but no schedule within the bound showed it.
    Unconfirmed { reason: String },
    /// Deduced from the kernel's text and what is known of its launches: there are inputs for which it happens.
    /// The replay string does it again: such a launch was also run.
    Proved { replay: String },
}

impl Evidence {
    /// The string that shows it again, where that is another than the run's own.
    pub fn replay(&self) -> Option<&str> {
        match self {
            Evidence::Explored { replay } | Evidence::Confirmed { replay } | Evidence::Proved { replay } => {
                Some(replay)
            }
            Evidence::Observed | Evidence::Predicted | Evidence::Unconfirmed { .. } => None,
        }
    }
}

/// One of the two accesses.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Side {
    pub site: Option<SiteId>,
    pub task: TaskId,
    pub who: Actor,
    pub kind: AccessKind,
    pub strength: Strength,
    pub proxy: Proxy,
    /// Bytes of this element, its address in [`Finding::space`].
    pub address: u64,
    pub size: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Actor {
    Thread {
        block: BlockId,
        thread: ThreadId,
    },
    /// A copy or memset engine, or a host function.
    Engine,
    HostThread(u32),
    /// An actor whose access showed, but that was not seen: value checks know one side only.
    Unseen,
}

/// Something that was found between the two accesses and did not order them, or the
/// lack of anything. Reports turn it into words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SyncNote {
    /// Nothing at all between them.
    Nothing,
    /// A fence or release/acquire of `scope`, while the threads need `needed`.
    ScopeTooNarrow {
        site: SiteId,
        scope: Scope,
        needed: Scope,
    },
    /// The first side's thread made its access after it had set the flag that the second one saw.
    SetTooEarly {
        flag: SiteId,
    },
    /// The flag was set by another thread of the first side's block, or of its warp, which had not met the first
    /// side's at a barrier.
    SetByAnother {
        flag: SiteId,
        /// The site of the flag's read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        read: Option<SiteId>,
        /// Whether the threads are of the same warp.
        #[serde(default)]
        mates: bool,
    },
    /// The flag was read, and acquired, by another thread of the second side's block, or of its warp, which has not
    /// met the second side's since.
    ReadByAnother {
        read: SiteId,
        /// Whether the threads are of the same warp.
        mates: bool,
    },
    /// Another thread of the first side's block, or of its warp, arrived at the mbarrier that the second side waited for,
    /// and had not met the first side's.
    ArrivedByAnother {
        arrive: SiteId,
        /// Whether it is a lane of the same warp.
        mates: bool,
    },
    /// Another thread of the second side's block, or of its warp, waited for the mbarrier at which the first side
    /// arrived, and has not met the second side's since.
    WaitedByAnother {
        wait: SiteId,
        /// Whether it is a lane of the same warp.
        mates: bool,
    },
    /// A third thread read one flag and set the next, and did not acquire or release what it passed on.
    NotPassedOn {
        read: SiteId,
        write: SiteId,
    },
    /// The first side released by this operation, which the second did not observe before its access.
    NotObserved {
        release: SiteId,
    },
    /// A thread arrived there, but made its access before it waited for the others.
    NotAwaited {
        site: SiteId,
    },
    /// The thread that started the asynchronous operation waited for it, but that is not known to the other side.
    WaitedAlone,
    /// The second side is an asynchronous copy, which was started while the first side's access could still be made.
    BegunTooEarly,
    /// The second side waited at an mbarrier, but for a phase that ended before the operation did.
    PhaseTooEarly,
    /// The first side released by a flag, the second read it but did not acquire.
    NoAcquire {
        flag: Option<SiteId>,
    },
    /// The second side acquired, but the first had not released.
    NoRelease {
        flag: Option<SiteId>,
    },
    /// The flag was set by another thread of the first side's block, which had met the first side's at a barrier, but
    /// released before they met.
    ReleasedTooEarly {
        flag: SiteId,
    },
    /// A fence without a strong write and a strong read that observes it.
    FenceAlone {
        site: SiteId,
        sem: Sem,
    },
    /// The warp reconverged, shuffled or voted between them; that orders no memory.
    LockstepOnly {
        site: Option<SiteId>,
    },
    /// A barrier of one block, where the two are of different blocks.
    OwnBlockOnly {
        site: SiteId,
    },
    /// A barrier in which only one of them took part, or with another id.
    OtherBarrier {
        site: SiteId,
    },
    /// The block's warps met at several barrier instructions at once, those of the two sides at different ones.
    MetApart {
        /// Each instruction with the warps of the block that waited there.
        places: Vec<(SiteId, Vec<u16>)>,
    },
    /// `barrier.cluster.arrive.relaxed`, which has no part in memory order.
    RelaxedArrive {
        site: SiteId,
    },
    /// Locks held by the two sides, none in common.
    Locks {
        first: Vec<Location>,
        second: Vec<Location>,
    },
    /// The asynchronous operation was not waited for by the other side.
    NotWaited,
    ProxyFenceMissing {
        from: Proxy,
        to: Proxy,
    },
    /// Two tasks that no stream, event or host synchronisation orders.
    UnorderedTasks,
    /// A programmatic dependent launch, which did not wait for the kernel before it before the access
    /// (`griddepcontrol.wait`).
    BeforeGridWait,
    /// The later of two launches of one stream, or on one path of a graph, was a dependent launch behind a kernel that did
    /// not itself wait for the earlier one.
    NotWaitedBetween,
    /// A kernel's access that does not happen before it launched the other access's kernel, at `site`, or the kernel
    /// that launched that one.
    NotBeforeLaunch {
        site: SiteId,
    },
    /// Scopes of two strong accesses that do not include each other.
    StrongScopes {
        first: Scope,
        second: Scope,
    },
    /// Strong accesses of different size or offset: not morally strong (PTX §8.7).
    PartialOverlap,
    /// Lanes of one instruction stored equal bytes.
    EqualValues,
    /// Two operations on tensor memory lack an ordering instruction.
    Tensor(TensorGap),
    /// The state of the pipeline that the memory is a part of; says of no order that it is missing.
    Pipeline(Box<Pipeline>),
    /// A lens's own rule, in words: which table's which row.
    Rule(String),
}

/// The kind of ordering that two operations on tensor memory lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TensorGap {
    /// No `tcgen05.wait::ld` behind a load.
    Load,
    /// No `tcgen05.wait::st` behind a store.
    Store,
    /// No `tcgen05.commit` behind the operation.
    Commit,
    /// The second side has not waited for the phase in which the commit arrived.
    Phase,
    /// No `tcgen05.fence::before_thread_sync` of the first side, or no synchronisation behind it.
    Before,
    /// No `tcgen05.fence::after_thread_sync` behind the second side's relaxed wait.
    After,
    /// Nothing orders the wait of the first side's warp and the second side.
    Threads,
}

/// How far apart two threads are that have to wait for each other, the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Apart {
    OneThread,
    OneWarp,
    OneBlock,
    Farther,
}

/// Two findings of one process are the same if their keys are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FindingKey {
    lens: String,
    level: Level,
    class: Class,
    remedy: (Apart, bool),
    global: bool,
    /// In a fixed order. Without a site, the task identifies the actor.
    sides: [(Option<SiteId>, Option<TaskId>, AccessKind); 2],
}

impl Finding {
    /// Places in memory that its notes name, beside its own.
    pub fn locations(&self) -> impl Iterator<Item = Location> {
        let named = self.notes.iter().flat_map(|note| match note {
            SyncNote::Locks { first, second } => first.iter().chain(second),
            _ => [].iter().chain(&[]),
        });
        named.copied()
    }

    /// Returns how far apart the threads are that have to wait for each other.
    pub fn apart(&self) -> Apart {
        apart(&self.sides, &self.notes)
    }

    pub fn key(&self) -> FindingKey {
        let side = |side: &Side| {
            // One instruction starts many asynchronous operations.
            let kind = match side.kind {
                AccessKind::AsyncRead { .. } => AccessKind::AsyncRead { op: AsyncOpId(0) },
                AccessKind::AsyncWrite { .. } => AccessKind::AsyncWrite { op: AsyncOpId(0) },
                kind => kind,
            };
            (side.site, side.site.is_none().then_some(side.task), kind)
        };
        let mut sides = [side(&self.sides[0]), side(&self.sides[1])];
        sides.sort();
        FindingKey {
            lens: self.lens.clone(),
            level: self.level,
            class: self.class,
            remedy: remedy(self.class, &self.sides, &self.notes),
            global: self.space == Space::Global,
            sides,
        }
    }
}

/// Returns how far apart the threads are that have to wait for each other: the two sides' or, if a third thread
/// signalled for one of them, that one and its side's.
pub fn apart(sides: &[Side; 2], notes: &[SyncNote]) -> Apart {
    let by_another = notes.iter().find_map(|note| match note {
        SyncNote::SetByAnother { mates, .. }
        | SyncNote::ReadByAnother { mates, .. }
        | SyncNote::ArrivedByAnother { mates, .. }
        | SyncNote::WaitedByAnother { mates, .. } => Some(*mates),
        _ => None,
    });
    if let Some(mates) = by_another {
        return if mates { Apart::OneWarp } else { Apart::OneBlock };
    }
    match (sides[0].who, sides[1].who) {
        _ if sides[0].task != sides[1].task => Apart::Farther,
        (Actor::Thread { block: a, thread: t }, Actor::Thread { block: b, thread: u }) if a == b => {
            match (t == u, t.0 / 32 == u.0 / 32) {
                (true, _) => Apart::OneThread,
                (_, true) => Apart::OneWarp,
                _ => Apart::OneBlock,
            }
        }
        _ => Apart::Farther,
    }
}

/// Returns what tells races of one class and one pair of instructions apart that different changes mend. A copy that
/// starts too early and one that is not waited for are two bugs.
pub fn remedy(class: Class, sides: &[Side; 2], notes: &[SyncNote]) -> (Apart, bool) {
    let copies = |kind| matches!(kind, AccessKind::AsyncRead { .. } | AccessKind::AsyncWrite { .. });
    let copied_first = class == Class::AsyncCopy && copies(sides[0].kind);
    match class {
        Class::AsyncCopy | Class::WeakVsAtomic | Class::MissingBarrier => (apart(sides, notes), copied_first),
        _ => (Apart::Farther, copied_first),
    }
}

/// A race (or hazard) between two sites. One finding stands for all its
/// repetitions; the sides are of the first one seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// `ptx`, `scord`, `iguard`, `hb`, `gwcp`, `hirace`, or `collide`, which is no lens but an engine.
    pub lens: String,
    pub level: Level,
    pub class: Class,
    pub evidence: Evidence,
    pub space: Space,
    /// Earlier and later in this run.
    pub sides: [Side; 2],
    pub notes: Vec<SyncNote>,
    /// How often the pair of sites raced.
    pub count: u64,
}
