//! The grid workspace of cooperative launches: two words in global memory, whose address cooperative groups
//! read from `%envreg1` and `%envreg2`. The second word is the barrier of `grid.sync()`.

use crate::failure::LaunchError;
use crate::memory::{AddressSpace, GLOBAL_LIMIT, Region};
use events::task::{AllocKind, Allocation, HostCall};
use events::{Monitor, Tell};
use std::ops::Range;

pub(crate) struct Workspace {
    pub address: u64,
    /// The owned memory; it is accessed only through the address space's raw pointer.
    memory: *mut [u64; WORDS],
}

const WORDS: usize = 16;
/// The base address, far above the range of the allocator of the program's own pages.
const BASE: u64 = GLOBAL_LIMIT - (1 << 48);

/// The address range of workspaces, each of which has the same contents before its launch.
pub const WORKSPACES: Range<u64> = BASE..GLOBAL_LIMIT;
/// The distance between workspaces, so that overruns are detected.
const STRIDE: u64 = 4096;

// SAFETY: the pointer is unique to this value, and is only used to free the memory.
unsafe impl Send for Workspace {}
// SAFETY: the pointer is unique to this value, and is only used to free the memory.
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
            // SAFETY: the pointer comes from `Box::into_raw` in this function, and the memory is not mapped.
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
        // SAFETY: the pointer comes from `Box::into_raw` in `new`, and the memory is no longer mapped.
        drop(unsafe { Box::from_raw(self.memory) });
    }
}
