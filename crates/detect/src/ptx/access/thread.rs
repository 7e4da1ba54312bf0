//! A thread, by its place in the launch, and its warp.

use clocks::compressed::WarpIndex;
use events::access::Warp;

/// A thread's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Who {
    pub(crate) block: u32,
    pub(crate) warp: u16,
    pub(crate) lane: u8,
}

/// Returns the place of the warp that an event is of.
pub(crate) fn index(warp: Warp) -> WarpIndex {
    WarpIndex { block: warp.block.0, warp: warp.warp.0 }
}

impl Who {
    /// Returns the thread's warp.
    pub(crate) fn at(self) -> WarpIndex {
        WarpIndex { block: self.block, warp: self.warp }
    }

    /// Index of the thread in its block.
    pub(crate) fn thread(self) -> u32 {
        u32::from(self.warp) * 32 + u32::from(self.lane)
    }
}
