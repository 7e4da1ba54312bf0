//! What can go wrong, in words that name the place.

use events::{BlockId, Dim3, LaneMask, SiteId, WarpId};

/// Why a kernel ended before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    /// The instruction, where one is to blame.
    pub site: Option<SiteId>,
    pub block: Option<Dim3>,
    pub thread: Option<Dim3>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FailureKind {
    /// No mapped memory there, or not enough of it, or not writable, or not accessible from this device.
    #[error("illegal access of {bytes} bytes at {address:#x}: {why}")]
    IllegalAddress { address: u64, bytes: u64, write: bool, why: &'static str },
    #[error("address {address:#x} is not aligned to {bytes} bytes")]
    Misaligned { address: u64, bytes: u64 },
    /// `trap`, `__trap()`, `abort()`.
    #[error("the kernel executed a trap")]
    Trap,
    #[error("device assertion `{message}` failed")]
    Assert { message: String },
    /// Not an instruction this engine executes; the verdict is inconclusive.
    #[error("unsupported instruction `{instruction}`")]
    Unsupported { instruction: String },
    /// Operands that no hardware accepts: a barrier id above 15, an indirect call to no function.
    #[error("illegal instruction: {why}")]
    IllegalInstruction { why: String },
    /// Every thread waits for another.
    #[error("deadlock: {} group(s) of threads wait and nobody can release them", waiting.len())]
    Deadlock { waiting: Vec<Waiting> },
    /// Per-thread stack beyond the limit.
    #[error("stack overflow: {bytes} bytes of local memory per thread")]
    StackOverflow { bytes: u64 },
}

impl FailureKind {
    /// The error that CUDA reports for it, by its number in `cudaError_t`.
    pub fn cuda_error(&self) -> u32 {
        match self {
            FailureKind::IllegalAddress { .. } | FailureKind::StackOverflow { .. } => 700,
            FailureKind::Misaligned { .. } => 716,
            FailureKind::Trap => 719,
            FailureKind::Assert { .. } => 710,
            FailureKind::Unsupported { .. } => 801,
            FailureKind::IllegalInstruction { .. } => 715,
            FailureKind::Deadlock { .. } => 702,
        }
    }
}

/// One group of threads that waits, for a report of a deadlock or stall.
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
    /// `bar.warp.sync`, `shfl.sync` and so on, for the lanes in `missing`.
    Lanes {
        missing: LaneMask,
    },
    Mbarrier {
        address: u64,
    },
    /// A loop that changes nothing and reads memory at `address` (the last one it polled).
    Spin {
        address: Option<u64>,
    },
}

/// Why a launch could not begin: CUDA would refuse it, too.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    #[error("invalid configuration: {0}")]
    InvalidConfiguration(String),
    #[error("too many resources requested: {0}")]
    OutOfResources(String),
    #[error("invalid value: {0}")]
    InvalidValue(String),
}
