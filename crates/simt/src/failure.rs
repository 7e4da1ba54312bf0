//! Errors of launches and kernels, with messages that name the place.

use events::{BlockId, Dim3, LaneMask, SiteId, WarpId};

/// The error that ended a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    /// The failing instruction, if the error has one.
    pub site: Option<SiteId>,
    pub block: Option<Dim3>,
    pub thread: Option<Dim3>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FailureKind {
    /// No memory is mapped there, or not enough, or it is not writable or not accessible from this device.
    #[error("illegal access of {bytes} bytes at {address:#x}: {why}")]
    IllegalAddress { address: u64, bytes: u64, write: bool, why: &'static str },
    #[error("address {address:#x} is not aligned to {bytes} bytes")]
    Misaligned { address: u64, bytes: u64 },
    /// `trap`, `__trap()`, `abort()`.
    #[error("the kernel executed a trap")]
    Trap,
    #[error("device assertion `{message}` failed")]
    Assert { message: String },
    /// The engine does not implement the instruction; the verdict is inconclusive.
    #[error("unsupported instruction `{instruction}`")]
    Unsupported { instruction: String },
    /// An operand is invalid on any hardware: a barrier id above 15, an indirect call to no function.
    #[error("illegal instruction: {why}")]
    IllegalInstruction { why: String },
    /// Every thread waits for another.
    #[error("deadlock: {} group(s) of threads wait and nobody can release them", waiting.len())]
    Deadlock { waiting: Vec<Waiting> },
    /// A lane executed a warp-wide instruction whose mask does not name it, which PTX leaves undefined
    /// (§9.7.9.6, §9.7.14.5), and now waits for lanes that do not wait for it.
    #[error(
        "a lane executed a warp-wide instruction with the membermask {member:#010x}, which does not name it: \
             undefined behaviour (PTX ISA 9.7.9.6)"
    )]
    Membermask { member: LaneMask, waiting: Vec<Waiting> },
    /// A block ran `instructions` warp instructions without a thread exiting or a barrier completing. Whether
    /// the kernel ends is unknown, and the verdict is inconclusive.
    #[error(
        "no end in sight after {instructions} instructions of a block in which no thread ended and no barrier \
             was completed"
    )]
    NoEnd { instructions: u64, waiting: Vec<Waiting> },
    /// The per-thread stack exceeds its limit.
    #[error("stack overflow: {bytes} bytes of local memory per thread")]
    StackOverflow { bytes: u64 },
}

impl Failure {
    /// Creates the failure of threads that all wait for one another.
    pub fn stuck(waiting: Vec<Waiting>) -> Failure {
        let foreign = waiting.iter().find_map(|w| match w.what {
            WaitingFor::ForeignLanes { member } => Some((member, w.site)),
            _ => None,
        });
        let (kind, site) = match foreign {
            Some((member, site)) => (FailureKind::Membermask { member, waiting }, site),
            None => {
                let site = waiting.first().and_then(|w| w.site);
                (FailureKind::Deadlock { waiting }, site)
            }
        };
        Failure { kind, site, block: None, thread: None }
    }
}

impl FailureKind {
    /// Returns the error that CUDA reports for it, by its number in `cudaError_t`.
    pub fn cuda_error(&self) -> u32 {
        match self {
            FailureKind::IllegalAddress { .. } | FailureKind::StackOverflow { .. } => 700,
            FailureKind::Misaligned { .. } => 716,
            FailureKind::Trap => 719,
            FailureKind::Assert { .. } => 710,
            FailureKind::Unsupported { .. } => 801,
            FailureKind::IllegalInstruction { .. } | FailureKind::Membermask { .. } => 715,
            FailureKind::Deadlock { .. } | FailureKind::NoEnd { .. } => 702,
        }
    }
}

/// A waiting group of threads, for a report of a deadlock or stall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub site: Option<SiteId>,
    pub block: BlockId,
    pub warp: WarpId,
    pub lanes: LaneMask,
    pub what: WaitingFor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingFor {
    /// `bar.sync id`: `arrived` of `expected` threads are there.
    Barrier {
        id: u8,
        arrived: u32,
        expected: u32,
    },
    ClusterBarrier,
    /// `wgmma.wait_group`, for other warps of the warpgroup.
    Warpgroup,
    /// `tcgen05.alloc` or `dealloc`, for tensor memory or for the peer block.
    TensorMemory,
    /// `bar.warp.sync`, `shfl.sync` and so on, for the lanes in `missing`.
    Lanes {
        missing: LaneMask,
    },
    /// A warp-wide instruction whose mask does not name all of the group's lanes, which PTX leaves undefined.
    ForeignLanes {
        member: LaneMask,
    },
    /// An mbarrier's phase. `replaced` is the `mbarrier.init`, if any, that re-initialised the object while
    /// it was in use.
    Mbarrier {
        address: u64,
        replaced: Option<SiteId>,
    },
    /// Nothing: the group runs.
    Nothing,
    /// A loop that changes nothing and reads memory at `address` (the last one it polled).
    Spin {
        address: Option<u64>,
    },
}

/// The error of a launch that cannot begin, as in CUDA.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    #[error("invalid configuration: {0}")]
    InvalidConfiguration(String),
    #[error("too many resources requested: {0}")]
    OutOfResources(String),
    #[error("invalid value: {0}")]
    InvalidValue(String),
}
