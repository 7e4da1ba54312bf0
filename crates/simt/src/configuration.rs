//! What a launch may ask for: the limits of a device of compute capability 9.0
//! (CUDA C++ Programming Guide, technical specifications).

use crate::exec::sreg::SMS;
use crate::failure::LaunchError;
use crate::launch::Launch;
use events::Dim3;
use kernels::Kernel;

/// Bytes of shared memory that a block can have.
const SHARED_PER_BLOCK: u32 = 227 << 10;
const SHARED_PER_SM: u32 = 228 << 10;
/// Bytes at the end of each block's shared memory that belong to the system.
const RESERVED: u32 = 1 << 10;
const THREADS_PER_SM: u32 = 2048;
const BLOCKS_PER_SM: u32 = 32;
const REGISTERS_PER_SM: u32 = 65536;
const BLOCKS_PER_CLUSTER: u64 = 16;

/// Offsets in a block's shared memory.
pub(crate) struct Shared {
    pub dynamic: u32,
    pub reserved: u32,
    pub end: u32,
}

pub(crate) fn shared_memory(launch: &Launch, kernel: &Kernel) -> Shared {
    let dynamic = if launch.dynamic_shared == 0 {
        kernel.static_shared
    } else {
        kernel.static_shared.next_multiple_of(kernel.dynamic_shared_align)
    };
    let end = dynamic + launch.dynamic_shared;
    if !kernel.uses_reserved_shared {
        return Shared { dynamic, reserved: end, end };
    }
    let reserved = end.next_multiple_of(128);
    Shared { dynamic, reserved, end: reserved + RESERVED }
}

pub(crate) fn check(launch: &Launch, kernel: &Kernel) -> Result<(), LaunchError> {
    let Dim3 { x, y, z } = launch.grid;
    let invalid = |why: String| Err(LaunchError::InvalidConfiguration(why));
    if x == 0 || y == 0 || z == 0 || x > i32::MAX as u32 || y > 65535 || z > 65535 {
        return invalid(format!("a grid of {x} x {y} x {z} blocks"));
    }
    if launch.grid.count() > u64::from(u32::MAX) {
        return invalid(format!("{} blocks", launch.grid.count()));
    }
    let Dim3 { x, y, z } = launch.block;
    if x == 0 || y == 0 || z == 0 || x > 1024 || y > 1024 || z > 64 || launch.block.count() > 1024 {
        return invalid(format!("a block of {x} x {y} x {z} threads"));
    }
    if launch.block.count() > u64::from(kernel.max_threads) {
        let (n, name, max) = (launch.block.count(), &kernel.name, kernel.max_threads);
        return Err(LaunchError::InvalidValue(format!("{n} threads in a block where `{name}` allows {max}")));
    }
    if let Some(required) = kernel.required_threads
        && required != launch.block
    {
        return invalid(format!("`{}` requires blocks of {required:?} threads", kernel.name));
    }
    let shared = kernel.static_shared.saturating_add(launch.dynamic_shared);
    if shared > SHARED_PER_BLOCK {
        return Err(LaunchError::InvalidValue(format!("{shared} bytes of shared memory in a block")));
    }
    let c = launch.cluster;
    let divides = |n: u32, by: u32| by != 0 && n.is_multiple_of(by);
    if c.count() > BLOCKS_PER_CLUSTER
        || !(divides(launch.grid.x, c.x) && divides(launch.grid.y, c.y) && divides(launch.grid.z, c.z))
    {
        return invalid(format!("clusters of {} x {} x {} blocks", c.x, c.y, c.z));
    }
    Ok(())
}

/// Blocks that the imitated device holds at once.
pub(crate) fn capacity(launch: &Launch, kernel: &Kernel, registers: u32) -> u32 {
    let threads = (launch.block.count() as u32).next_multiple_of(32).max(32);
    let shared = kernel.static_shared + launch.dynamic_shared + RESERVED;
    let registers = registers.clamp(8, 255).next_multiple_of(8) * threads;
    let per_sm = (THREADS_PER_SM / threads)
        .min(BLOCKS_PER_SM)
        .min(SHARED_PER_SM / shared)
        .min((REGISTERS_PER_SM / registers).max(1))
        .max(1);
    per_sm * SMS
}
