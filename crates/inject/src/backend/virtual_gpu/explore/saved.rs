//! Saves device memory before a launch, to restore it for another run.

use simt::{AddressSpace, DeviceHeap};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A copy of all memory that kernels may write, and of what their `malloc` has given.
pub(super) struct Saved {
    regions: Vec<(*mut u8, Vec<u8>)>,
    heap: Option<(Arc<DeviceHeap>, BTreeMap<u64, u64>)>,
}

impl Saved {
    pub(super) fn take(space: &AddressSpace, heap: Option<Arc<DeviceHeap>>) -> Saved {
        let regions = space
            .regions()
            .into_iter()
            .filter(|region| !region.read_only)
            .map(|region| {
                let mut bytes = vec![0; region.bytes as usize];
                // SAFETY: a mapped region's pointer is valid for its bytes in the engine's own mapping, and
                // no kernel runs; concurrent writes of the host can at worst be torn, as for a kernel that
                // reads them.
                unsafe { region.host.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
                (region.host, bytes)
            })
            .collect();
        let heap = heap.map(|heap| (Arc::clone(&heap), heap.live()));
        Saved { regions, heap }
    }

    pub(super) fn put_back(&self) {
        for (host, bytes) in &self.regions {
            // SAFETY: the pointer is valid as in `take`; regions are unmapped by this thread only, and not
            // between the two calls.
            unsafe { host.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
        if let Some((heap, live)) = &self.heap {
            heap.restore(live.clone());
        }
    }
}
