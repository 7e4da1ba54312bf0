//! A warp by the numbers that the hardware keeps.

/// A warp as the hardware numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpSlot {
    pub block: u32,
    pub warp: u8,
}
