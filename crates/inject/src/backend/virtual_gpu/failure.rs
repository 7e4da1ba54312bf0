//! Converts failures of kernels to the form of the result file.

use crate::abi::error::CudaError;
use crate::backend::{KernelWork, Refused};
use events::TaskId;
use protocol::{DeviceFailure, FailureKind, Waiting, WaitsAt};
use simt::{Failure, LaunchError, WaitingFor};

/// Returns CUDA's error for a launch that the virtual GPU refuses.
pub(super) fn refused(error: &LaunchError) -> Refused {
    let code = match error {
        LaunchError::InvalidConfiguration(_) => CudaError::INVALID_CONFIGURATION,
        LaunchError::OutOfResources(_) => CudaError::LAUNCH_OUT_OF_RESOURCES,
        LaunchError::InvalidValue(_) => CudaError::INVALID_VALUE,
    };
    Refused { error: code, why: error.to_string() }
}

/// Describes a failure for the result file.
pub(super) fn describe(failure: &Failure, work: &KernelWork, task: TaskId) -> DeviceFailure {
    use simt::FailureKind as Kind;
    let (what, address) = match &failure.kind {
        Kind::IllegalAddress { address, .. } => (FailureKind::IllegalAddress, Some(*address)),
        Kind::Misaligned { address, .. } => (FailureKind::Misaligned, Some(*address)),
        Kind::Trap => (FailureKind::Trap, None),
        Kind::Assert { .. } => (FailureKind::Assert, None),
        Kind::Unsupported { .. } => (FailureKind::Unsupported, None),
        Kind::IllegalInstruction { .. } => (FailureKind::IllegalInstruction, None),
        Kind::Deadlock { .. } => (FailureKind::Deadlock, None),
        Kind::Membermask { .. } => (FailureKind::Membermask, None),
        Kind::NoEnd { .. } => (FailureKind::NoEnd, None),
        _ => (FailureKind::Other, None),
    };
    let waiting = match &failure.kind {
        Kind::Deadlock { waiting } | Kind::Membermask { waiting, .. } | Kind::NoEnd { waiting, .. } => {
            waiting.iter().map(|w| waits(w, work)).collect()
        }
        _ => Vec::new(),
    };
    let error = CudaError(failure.kind.cuda_error() as i32);
    DeviceFailure {
        task,
        kernel: work.name().to_owned(),
        what,
        site: failure.site,
        block: failure.block,
        thread: failure.thread,
        address,
        allocation: None,
        waiting,
        error: error.name().to_string_lossy().into_owned(),
        text: failure.kind.to_string(),
    }
}

fn waits(w: &simt::Waiting, work: &KernelWork) -> Waiting {
    let what = match w.what {
        WaitingFor::Barrier { id, arrived, expected } => {
            format!("barrier {id} ({arrived} of {expected} threads arrived)")
        }
        WaitingFor::ClusterBarrier => "the cluster's barrier".to_owned(),
        WaitingFor::Warpgroup => "the matrix products of other warps of its warpgroup".to_owned(),
        WaitingFor::TensorMemory => "tensor memory, or the peer block's part".to_owned(),
        WaitingFor::Lanes { missing } => {
            format!("{} lane(s) of its warp (mask {missing:#010x})", missing.count_ones())
        }
        WaitingFor::ForeignLanes { member } => {
            format!("lanes of its warp, with a membermask ({member:#010x}) that does not name all who wait")
        }
        WaitingFor::Mbarrier { address, replaced: None } => {
            format!("the mbarrier at shared address {address:#x}")
        }
        WaitingFor::Mbarrier { address, replaced: Some(_) } => format!(
            "the mbarrier at shared address {address:#x}, which `mbarrier.init` began anew while it was in use"
        ),
        WaitingFor::Spin { address: Some(address) } => format!("a change of memory at {address:#x}"),
        WaitingFor::Nothing => "nothing: it runs".to_owned(),
        WaitingFor::Spin { address: None } => "a loop that changes nothing".to_owned(),
    };
    let at = match w.what {
        WaitingFor::Barrier { id: 0, .. } => WaitsAt::Block,
        WaitingFor::Barrier { .. } => WaitsAt::Named,
        WaitingFor::ClusterBarrier => WaitsAt::Cluster,
        WaitingFor::Lanes { .. } | WaitingFor::ForeignLanes { .. } => WaitsAt::Lanes,
        WaitingFor::Mbarrier { .. } => WaitsAt::Mbarrier,
        WaitingFor::Spin { .. } => WaitsAt::Spin,
        WaitingFor::Warpgroup | WaitingFor::TensorMemory | WaitingFor::Nothing => WaitsAt::Other,
    };
    Waiting {
        site: w.site,
        block: work.grid.coordinates(u64::from(w.block.0)),
        first_thread: events::ThreadId::of(w.warp, w.lanes.trailing_zeros() % 32),
        threads: w.lanes.count_ones(),
        what,
        at,
    }
}
