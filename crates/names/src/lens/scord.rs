//! Options of `scord`: the choices that the paper leaves, and the deviations from it, each with a name.

/// Bytes of memory that one entry describes (ScoRD, Table VII).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    Bytes4,
    Bytes8,
    Bytes16,
}

impl Granularity {
    pub const fn shift(self) -> u32 {
        match self {
            Granularity::Bytes4 => 2,
            Granularity::Bytes8 => 3,
            Granularity::Bytes16 => 4,
        }
    }

    pub const fn from_bytes(bytes: u32) -> Option<Self> {
        match bytes {
            4 => Some(Granularity::Bytes4),
            8 => Some(Granularity::Bytes8),
            16 => Some(Granularity::Bytes16),
            _ => None,
        }
    }
}

/// The kind as which a load or store with a scope is judged. The papers' CUDA had none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relaxed {
    /// As an atomic of that scope, which is what PTX makes of it.
    Atomic,
    /// As a volatile one: by the papers' letter only read-modify-writes are atomics.
    Volatile,
}

/// Bits of the identifiers and counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    pub block: u32,
    pub warp: u32,
    pub fence: u32,
    pub barrier: u32,
    /// Bits of a lock's hash in the lock table.
    pub lock_hash: u32,
    /// Bits of each half (block scope, device scope) of the Bloom filter.
    pub bloom_half: u32,
    /// Entries of a warp's lock table.
    pub lock_entries: usize,
}

impl Widths {
    /// Fig. 6 and Fig. 7. Of the release counter §VI gives no width, and the entry's eight bytes have
    /// no room for it: it does not wrap here.
    pub const PUBLISHED: Widths =
        Widths { block: 7, warp: 5, fence: 6, barrier: 8, lock_hash: 6, bloom_half: 8, lock_entries: 4 };
    /// No counter wraps and no identifier is shared within a launch; the lock table has room for
    /// two locks of each lane.
    pub const WIDE: Widths = Widths {
        block: 32,
        warp: 8,
        fence: 32,
        barrier: 32,
        lock_hash: 32,
        bloom_half: 32,
        lock_entries: 64,
    };

    /// §VI splits the barrier's identifier: one of its bits tells that the warp has diverged.
    pub const fn barrier_bits(&self, divergence: bool) -> u32 {
        if divergence && self.barrier < 32 { self.barrier - 1 } else { self.barrier }
    }
}

/// Which entry of a lock table a compare-and-swap takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// Always the next one.
    Circular,
    /// The lock's own, if it has one; else one that is free, if there is one.
    Reuse,
}

/// Which granules share an entry of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// Granules whose addresses are equal modulo the stretch of memory that the entries would cover
    /// one by one, a sixteenth of device memory. "The offset into the region is easily calculated
    /// by dividing the address […] with the size of the metadata region": the remainder.
    Modulo,
    /// Sixteen neighbours: "one metadata entry for every 16th 4-byte segment" taken at its word.
    Neighbours,
}

/// How `.acquire` and `.release` are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Releases {
    /// §VI to the letter.
    File,
    /// §VI, and synchronisation composes.
    Transitive,
    /// As fences after and before the operation: the acquiring thread does not matter.
    Fences,
    /// Not at all, as in the hardware of §IV.
    Ignored,
}

impl Releases {
    /// Whether there is a release file.
    pub const fn filed(self) -> bool {
        matches!(self, Releases::File | Releases::Transitive)
    }
}

/// The fate of an entry when a location is loaded that had been stored to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Two entries: loads are compared with the last writer, stores with the last accessor.
    Separate,
    /// One entry that every access takes over, as §IV-A's text has it.
    Replace,
    /// One entry that stays the last writer's: loads only set its shared flags.
    Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of memory described by one entry: 4, 8 or 16.
    pub granularity: Granularity,
    /// Keep one entry for sixteen granules (§IV-B); otherwise one for each, the base design.
    pub cached: bool,
    /// Which sixteen.
    pub mapping: Mapping,
    /// Bytes of device memory that the cache serves, for [`Mapping::Modulo`].
    pub memory: u64,
    pub widths: Widths,
    pub readers: Readers,
    pub locks: Queue,
    /// `.acquire` and `.release` (§VI).
    pub releases: Releases,
    /// Tell the threads of a warp that has diverged apart (§VI).
    pub divergence: bool,
    pub relaxed: Relaxed,
    /// Row (c): conflicting accesses must be volatile or atomic, even behind a fence.
    pub strong_accesses: bool,
    pub same_instruction: bool,
    /// Run the memory-hierarchy model along.
    pub traffic: bool,
}

impl Options {
    /// Memory of the GPU whose parameters Table V has (a GeForce GTX 480: 1.5 GiB).
    pub const MEMORY: u64 = 3 << 29;

    /// The paper to the letter: the hardware of §IV with the metadata cache, and §VI.
    pub const fn published() -> Self {
        Options {
            granularity: Granularity::Bytes4,
            cached: true,
            mapping: Mapping::Modulo,
            memory: Self::MEMORY,
            widths: Widths::PUBLISHED,
            readers: Readers::Replace,
            locks: Queue::Circular,
            releases: Releases::File,
            divergence: true,
            relaxed: Relaxed::Volatile,
            strong_accesses: true,
            same_instruction: false,
            traffic: false,
        }
    }
}

impl Default for Options {
    /// The base design without caching, with counters that do not wrap, and the deviations that
    /// keep correct programs quiet. Warps are the unit, as in the detector that the paper evaluates.
    fn default() -> Self {
        Options {
            cached: false,
            widths: Widths::WIDE,
            readers: Readers::Separate,
            locks: Queue::Reuse,
            releases: Releases::Transitive,
            divergence: false,
            relaxed: Relaxed::Atomic,
            same_instruction: true,
            ..Options::published()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_fields_fill_58_of_the_words_64_bits() {
        let w = Widths::PUBLISHED;
        let (tag, flags) = (4, 6);
        let used = tag + w.block + w.warp + 2 * w.fence + w.barrier + flags + 2 * w.bloom_half;
        assert_eq!(used, 58, "Fig. 7: bits 63 to 58 are unused");
        assert!(used + 5 <= 64, "§VI puts the thread's five bits there");
        assert_eq!(w.barrier_bits(true), 7, "§VI: a 7-bit BarrierID and hasDiverged");
    }
}
