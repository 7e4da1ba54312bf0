//! The blocks of a launch that have ended.
//!
//! A block's threads are the only ones that acquire by operations of block scope what its threads have released. Where a lock goes through
//! all blocks of a launch, its location would keep a clock for each of them.

use events::Dim3;
use events::task::LaunchInfo;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks of a launch up to which it is recorded which of them have ended.
const MOST: u64 = 1 << 24;

/// A bit for each block; none before the first one has ended.
#[derive(Debug, Default)]
pub(crate) struct Ended(OnceLock<Box<[AtomicU64]>>);

impl Ended {
    /// Records that a block has ended, in a launch without clusters whose threads release.
    pub(crate) fn ends(&self, block: u32, info: &LaunchInfo) {
        let blocks = info.grid.count();
        if !info.uses.fences_or_strong || info.cluster != Dim3::ONE || blocks > MOST {
            return;
        }
        let words = self.0.get_or_init(|| (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect());
        // A damaged trace may tell of blocks that the launch has not.
        if let Some(word) = words.get(block as usize / 64) {
            word.fetch_or(1 << (block % 64), Ordering::Relaxed);
        }
    }

    /// Returns whether a block is known to have ended.
    pub(crate) fn has(&self, block: u32) -> bool {
        let word = self.0.get().and_then(|words| words.get(block as usize / 64));
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (block % 64) & 1 != 0)
    }
}
