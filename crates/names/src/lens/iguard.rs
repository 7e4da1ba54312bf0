//! Options of `iguard`: the paper's choices and the deviations from it, each with a name.

use super::scord::{Granularity, Relaxed};

/// Bits of the identifiers and counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// Bits of a thread's index in the grid; the warp's is its upper part.
    pub thread: u32,
    pub fence: u32,
    pub barrier: u32,
    pub warp_barrier: u32,
    /// Bits of the Bloom filter of locks, two halves of one hash function each.
    pub bloom: u32,
}

impl Widths {
    pub const PUBLISHED: Widths = Widths { thread: 20, fence: 6, barrier: 8, warp_barrier: 6, bloom: 16 };
    /// No counter wraps within a launch.
    pub const WIDE: Widths = Widths { thread: 32, fence: 32, barrier: 32, warp_barrier: 32, bloom: 64 };
}

/// The meanings of `DevShared` and `BlkShared`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// Whether the location was ever accessed by several blocks or warps: every access sets them,
    /// none clears them, and program order (P3) counts only without them.
    Ever,
    /// Whether it was since the last store, without synchronisation between.
    SinceStore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub granularity: Granularity,
    pub widths: Widths,
    pub shared: Shared,
    /// `.acquire` and `.release` act as fences.
    pub acquire_release: bool,
    pub relaxed: Relaxed,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            granularity: Granularity::Bytes4,
            widths: Widths::WIDE,
            shared: Shared::SinceStore,
            acquire_release: true,
            relaxed: Relaxed::Atomic,
        }
    }
}

impl Options {
    /// The paper to the letter: sixteen-byte entries with its counters and flags.
    pub fn published() -> Self {
        Options {
            widths: Widths::PUBLISHED,
            shared: Shared::Ever,
            acquire_release: false,
            relaxed: Relaxed::Volatile,
            ..Options::default()
        }
    }
}
