//! The choices that the paper leaves, and the deviations from it, each with a name.

use super::locks::Queue;
use super::metadata::Mapping;
use super::releases::Releases;
use super::widths::Widths;
use crate::lens::granularity::Granularity;
use crate::lens::operation::Relaxed;

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
