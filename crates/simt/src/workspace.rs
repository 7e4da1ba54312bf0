//! The grid workspace of cooperative launches: two words in global memory, whose address cooperative
//! groups find in `%envreg1` and `%envreg2`. The second word is the barrier of `grid.sync()`.

use crate::failure::LaunchError;
use crate::memory::{AddressSpace, GLOBAL_LIMIT, Region};
use events::task::{AllocKind, Allocation, HostCall};
use events::{Monitor, Tell};
use std::ops::Range;

pub(crate) struct Workspace {
    pub address: u64,
    /// Owns the memory: only the address space's raw pointer is used to access it.
    memory: *mut [u64; WORDS],
}

const WORDS: usize = 16;
/// Far above what an allocator of the program's own pages hands out.
const BASE: u64 = GLOBAL_LIMIT - (1 << 48);

/// Where workspaces lie: each of them holds the same before its launch.
pub const WORKSPACES: Range<u64> = BASE..GLOBAL_LIMIT;
/// Apart from each other, so that overruns are noticed.
const STRIDE: u64 = 4096;

// SAFETY: the pointer is unique to this value, and is only used to free the memory.
unsafe impl Send for Workspace {}
// SAFETY: as above.
unsafe impl Sync for Workspace {}

impl Workspace {
    pub(crate) fn new(
        space: &AddressSpace,
        monitor: &impl Monitor,
        task: u32,
        device: u32,
    ) -> Result<Workspace, LaunchError> {
        let memory = Box::into_raw(Box::new([0u64; WORDS]));
        let address = BASE + u64::from(task) * STRIDE;
        let bytes = (WORDS * 8) as u64;
        // SAFETY: freshly allocated.
        unsafe { memory.cast::<u32>().write(bytes as u32) };
        let region = Region {
            base: address,
            bytes,
            host: memory.cast(),
            kind: AllocKind::Device,
            device,
            accessible_from: u64::MAX,
            read_only: false,
        };
        if let Err(error) = space.map(region) {
            // SAFETY: made by `Box::into_raw` above, and mapped nowhere.
            drop(unsafe { Box::from_raw(memory) });
            return Err(LaunchError::OutOfResources(error.to_string()));
        }
        monitor.alloc(&Allocation {
            base: address,
            bytes,
            kind: AllocKind::Device,
            name: Some("the workspace of the cooperative launch".to_owned()),
            call: HostCall::default(),
            device,
        });
        Ok(Workspace { address, memory })
    }

    pub(crate) fn release(self, space: &AddressSpace, monitor: &impl Monitor) {
        space.unmap(self.address);
        monitor.free(self.address, (WORDS * 8) as u64);
        // SAFETY: made by `Box::into_raw` in `new`, and no longer mapped.
        drop(unsafe { Box::from_raw(self.memory) });
    }
}
