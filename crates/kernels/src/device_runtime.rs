//! The functions of the device runtime, by which kernels launch kernels (CUDA dynamic parallelism, version 2).
//!
//! nvcc makes a launch of two calls, of `__cudaCDP2GetParameterBufferV2` and `__cudaCDP2LaunchDeviceV2`. The toolkit's
//! `libcudadevrt`, whose PTX is linked into the program, defines these and the rest of the interface over a few
//! functions that the driver provides. The engine provides the same few.

use ptx::flat::{Arg, Flat};
use ptx::op::Op;

/// A function of the driver that the device runtime calls. Each returns 0 or an error's number, but for the parameter
/// buffer's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceCall {
    /// The address of a buffer for a launch's parameters; 0 without room. Arguments: kernel, grid, block, bytes of shared memory.
    ParameterBuffer,
    /// Launches the kernel of a buffer in a stream.
    Launch,
    StreamCreate,
    StreamDestroy,
    StreamWaitEvent,
    EventCreate,
    EventRecord,
    EventDestroy,
    /// The thread's last error.
    LastError,
    /// Sets the thread's last error, and returns it.
    SetLastError,
    FunctionAttribute,
    Limit,
    DeviceAttribute,
    Device,
    DeviceCount,
    CacheConfig,
    /// How many blocks fit on a multiprocessor.
    Occupancy,
    /// `cudaMemcpyAsync` and the like, which the device runtime would do by kernels of its own.
    Move(Move),
}

/// A copy or memset by a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub sets: bool,
    /// Whether it has rows, with pitches.
    pub rows: bool,
    /// Whether stream 0 is the thread's default stream.
    pub per_thread: bool,
}

/// The prefix of the device runtime's functions.
const RUNTIME: &str = "__cudaCDP2";

const PREFIX: &str = "__cuda_syscall_cnpv2";

const NAMES: [(&str, DeviceCall); 18] = [
    ("GetParameterBufferV2", DeviceCall::ParameterBuffer),
    ("LaunchDeviceV2", DeviceCall::Launch),
    ("StreamCreate", DeviceCall::StreamCreate),
    ("StreamDestroy", DeviceCall::StreamDestroy),
    ("StreamWaitEvent", DeviceCall::StreamWaitEvent),
    ("EventCreate", DeviceCall::EventCreate),
    ("EventRecord", DeviceCall::EventRecord),
    ("EventDestroy", DeviceCall::EventDestroy),
    ("GetLastError", DeviceCall::LastError),
    ("SetLastError", DeviceCall::SetLastError),
    ("FuncGetAttribute", DeviceCall::FunctionAttribute),
    ("GetLimit", DeviceCall::Limit),
    ("DeviceGetAttribute", DeviceCall::DeviceAttribute),
    ("GetDevice", DeviceCall::Device),
    ("GetDeviceCount", DeviceCall::DeviceCount),
    ("GetCacheConfig", DeviceCall::CacheConfig),
    ("MaxActiveBlocksPerMultiprocessor", DeviceCall::Occupancy),
    ("MaxActiveBlocksPerMultiprocessorWithFlags", DeviceCall::Occupancy),
];

/// Returns whether the engine has a copy or memset of its own in the place of this function of the device runtime.
pub(crate) fn moves(name: &str) -> bool {
    name.strip_prefix(RUNTIME).is_some_and(|rest| rest.starts_with("Memcpy") || rest.starts_with("Memset"))
}

fn device_move(name: &str) -> Option<Move> {
    let rest = name.strip_prefix(RUNTIME)?;
    let (rest, per_thread) = rest.strip_suffix("_ptsz").map_or((rest, false), |rest| (rest, true));
    let (sets, rows) = match rest {
        "MemcpyAsync" => (false, false),
        "Memcpy2DAsync" => (false, true),
        "MemsetAsync" => (true, false),
        "Memset2DAsync" => (true, true),
        _ => return None,
    };
    Some(Move { sets, rows, per_thread })
}

/// Returns the function of this name.
pub fn device_call(name: &str) -> Option<DeviceCall> {
    if let Some(moved) = device_move(name) {
        return Some(DeviceCall::Move(moved));
    }
    let name = name.strip_prefix(PREFIX)?;
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, call)| *call)
}

/// Returns whether a call's operands name a function of the device runtime, served or not.
pub(crate) fn is_call(args: &[Arg<'_>]) -> bool {
    args.iter().any(|arg| matches!(arg, Arg::Symbol(name, _) if name.starts_with(PREFIX) || moves(name)))
}

/// Returns whether a call's operands name a launch.
pub(crate) fn is_launch(args: &[Arg<'_>]) -> bool {
    args.iter().any(|arg| matches!(arg, Arg::Symbol(name, _) if names_a_launch(name)))
}

/// Returns whether a function launches a kernel, a copy or a memset, by its name: one of the driver's, or of the device runtime's over it.
pub fn names_a_launch(function: &str) -> bool {
    let rest = [PREFIX, RUNTIME].iter().find_map(|prefix| function.strip_prefix(prefix));
    moves(function) || rest.is_some_and(|rest| rest.starts_with("LaunchDevice"))
}

/// Returns whether a function's own instructions launch kernels.
pub fn launches(flat: &Flat<'_>) -> bool {
    flat.instructions.iter().any(|inst| matches!(inst.op, Ok(Op::Call)) && is_launch(&inst.args))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_as_a_whole() {
        assert_eq!(device_call("__cuda_syscall_cnpv2LaunchDeviceV2"), Some(DeviceCall::Launch));
        assert_eq!(device_call("__cuda_syscall_cnpv2LaunchDeviceV3"), None);
        assert_eq!(device_call("LaunchDeviceV2"), None);
        let rows = Move { sets: false, rows: true, per_thread: true };
        assert_eq!(device_call("__cudaCDP2Memcpy2DAsync_ptsz"), Some(DeviceCall::Move(rows)));
        assert_eq!(device_call("__cudaCDP2Memcpy3DAsync"), None);
        assert!(names_a_launch("__cudaCDP2LaunchDeviceV2_ptsz") && !names_a_launch("__cudaCDP2Malloc"));
    }
}
