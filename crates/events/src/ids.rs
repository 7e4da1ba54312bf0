//! Typed identifiers.

use serde::{Deserialize, Serialize};

/// A node of the host-side order: a kernel launch, a copy, a memset, a host
/// function or a stretch of a host thread between two synchronising calls.
/// Unique for the life of the program, in order of creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskId(pub u32);

/// A stream, or a host thread, as an actor whose tasks form a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StreamId(pub u32);

/// A block's linear index in its grid: `x + gridDim.x * (y + gridDim.y * z)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlockId(pub u32);

/// A warp's index in its block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WarpId(pub u16);

/// A thread's linear index in its block: `warp * 32 + lane`, which is
/// `x + blockDim.x * (y + blockDim.y * z)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadId(pub u16);

/// Lanes of a warp, bit `i` for lane `i`.
pub type LaneMask = u32;

/// Returns whether the mask is one lane's. Equals `count_ones() == 1`, which takes ten times as long on
/// processors without that instruction.
#[inline(always)]
pub const fn is_one_lane(mask: LaneMask) -> bool {
    mask != 0 && mask & (mask - 1) == 0
}

/// A static instruction, an index into the [`crate::SiteTable`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SiteId(pub u32);

/// Extents or coordinates, CUDA's `dim3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl Dim3 {
    pub const ONE: Dim3 = Dim3 { x: 1, y: 1, z: 1 };

    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Dim3 { x, y, z }
    }

    /// How many elements the extents hold.
    #[inline]
    pub const fn count(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// The coordinates of a linear index inside these extents.
    #[inline]
    pub const fn coordinates(self, linear: u64) -> Dim3 {
        // Most extents have one dimension.
        if linear < self.x as u64 {
            return Dim3 { x: linear as u32, y: 0, z: 0 };
        }
        let plane = self.x as u64 * self.y as u64;
        Dim3 {
            x: (linear % self.x as u64) as u32,
            y: (linear % plane / self.x as u64) as u32,
            z: (linear / plane) as u32,
        }
    }
}

impl ThreadId {
    #[inline]
    pub const fn warp(self) -> WarpId {
        WarpId(self.0 / 32)
    }

    #[inline]
    pub const fn lane(self) -> u32 {
        self.0 as u32 % 32
    }

    #[inline]
    pub const fn of(warp: WarpId, lane: u32) -> Self {
        ThreadId(warp.0 * 32 + lane as u16)
    }
}

/// An asynchronous operation (one lane's `cp.async` or bulk copy, one `st.async`),
/// unique in its task.
///
/// An event of several lanes names the operation of the lowest one: the others' are the numbers that follow, in
/// lane order ([`AsyncOpId::of_lane`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AsyncOpId(pub u64);

impl AsyncOpId {
    /// The operation of `lane`, one of `lanes`, whose lowest one's this is.
    #[inline]
    pub const fn of_lane(self, lanes: LaneMask, lane: u32) -> AsyncOpId {
        let before = lanes & ((1 << (lane & 31)) - 1);
        AsyncOpId(self.0.wrapping_add(before.count_ones() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_of_an_event_are_numbered_in_lane_order() {
        let lanes = 0b1010_0100;
        let of = |lane| AsyncOpId(7).of_lane(lanes, lane).0;
        assert_eq!([of(2), of(5), of(7)], [7, 8, 9]);
        assert_eq!(AsyncOpId(7).of_lane(1 << 31, 31), AsyncOpId(7));
    }

    #[test]
    fn coordinates_invert_the_linear_index() {
        let d = Dim3::new(4, 3, 2);
        for i in 0..d.count() {
            let c = d.coordinates(i);
            assert_eq!(c.x as u64 + 4 * (c.y as u64 + 3 * c.z as u64), i);
        }
    }
}
