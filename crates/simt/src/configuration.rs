//! Validates a launch's configuration against the limits of the device, [`kernels::limits`].

use crate::failure::LaunchError;
use crate::launch::Launch;
use events::Dim3;
use kernels::Kernel;
use kernels::limits::{self, Device};

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
    Shared { dynamic, reserved, end: reserved + limits::SHARED_RESERVED }
}

fn exceeds(extents: [u32; 3], most: [u32; 3]) -> bool {
    extents.iter().zip(most).any(|(&extent, most)| extent == 0 || extent > most)
}

pub(crate) fn check(launch: &Launch, kernel: &Kernel, device: &Device) -> Result<(), LaunchError> {
    let Dim3 { x, y, z } = launch.grid;
    let invalid = |why: String| Err(LaunchError::InvalidConfiguration(why));
    if exceeds([x, y, z], limits::MAX_GRID) {
        return invalid(format!("a grid of {x} x {y} x {z} blocks"));
    }
    if launch.grid.count() > u64::from(u32::MAX) {
        return invalid(format!("{} blocks", launch.grid.count()));
    }
    let Dim3 { x, y, z } = launch.block;
    if exceeds([x, y, z], limits::MAX_BLOCK)
        || launch.block.count() > u64::from(limits::MAX_THREADS_PER_BLOCK)
    {
        return invalid(format!("a block of {x} x {y} x {z} threads"));
    }
    if launch.block.count() > u64::from(kernel.max_threads) {
        let (n, name, max) = (launch.block.count(), &kernel.name, kernel.max_threads);
        return Err(LaunchError::InvalidValue(format!("{n} threads in a block where `{name}` allows {max}")));
    }
    if let Some(required) = kernel.required_threads
        && required != launch.block
    {
        let Dim3 { x, y, z } = required;
        return invalid(format!("`{}` requires blocks of {x} x {y} x {z} threads", kernel.name));
    }
    let shared = kernel.static_shared.saturating_add(launch.dynamic_shared);
    if shared > device.shared_per_block_optin {
        return Err(LaunchError::InvalidValue(format!("{shared} bytes of shared memory in a block")));
    }
    let c = launch.cluster;
    let divides = |n: u32, by: u32| by != 0 && n.is_multiple_of(by);
    if c.count() > u64::from(device.blocks_per_cluster)
        || !(divides(launch.grid.x, c.x) && divides(launch.grid.y, c.y) && divides(launch.grid.z, c.z))
    {
        return invalid(format!("clusters of {} x {} x {} blocks", c.x, c.y, c.z));
    }
    Ok(())
}

/// Returns how many blocks the simulated device holds at once.
pub(crate) fn capacity(launch: &Launch, kernel: &Kernel, registers: u32, device: &Device) -> u32 {
    let threads = launch.block.count() as u32;
    let blocks = limits::resident_blocks(device, kernel, registers, threads, launch.dynamic_shared);
    blocks.max(1) * device.processors
}
