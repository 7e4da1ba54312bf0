//! Device memory before a launch, to begin from it again.

use simt::AddressSpace;

/// All memory that kernels may write, as it was.
pub(super) struct Saved {
    regions: Vec<(*mut u8, Vec<u8>)>,
}

impl Saved {
    pub(super) fn take(space: &AddressSpace) -> Saved {
        let regions = space
            .regions()
            .into_iter()
            .filter(|region| !region.read_only)
            .map(|region| {
                let mut bytes = vec![0; region.bytes as usize];
                // SAFETY: a mapped region's pointer is to so many bytes of the engine's own mapping,
                // and no kernel runs; the host's concurrent writes can at worst be torn, as they
                // would be for a kernel that reads them.
                unsafe { region.host.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
                (region.host, bytes)
            })
            .collect();
        Saved { regions }
    }

    pub(super) fn put_back(&self) {
        for (host, bytes) in &self.regions {
            // SAFETY: as in `take`; regions are unmapped by this thread only, and not between
            // the two.
            unsafe { host.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
    }
}
