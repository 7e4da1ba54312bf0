//! A thread, by its place in the launch.

/// A thread's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Who {
    pub(crate) block: u32,
    pub(crate) warp: u16,
    pub(crate) lane: u8,
}

impl Who {
    /// Index of the thread in its block.
    pub(crate) fn thread(self) -> u32 {
        u32::from(self.warp) * 32 + u32::from(self.lane)
    }
}
