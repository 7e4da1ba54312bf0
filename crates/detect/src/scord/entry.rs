//! A metadata entry: what ScoRD knows of one granule of memory (Fig. 7, §VI).

use super::locks::Bloom;

/// Bits 21 to 16 of Fig. 7's word, in its order, and two that §VI adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// §VI: the warp had diverged. The eighth bit of the barrier's identifier.
    pub const HAS_DIVERGED: Flags = Flags(1 << 7);
    /// §VI: the location was used in a release operation.
    pub const RELEASED: Flags = Flags(1 << 6);
    pub const MODIFIED: Flags = Flags(1 << 5);
    pub const BLK_SHARED: Flags = Flags(1 << 4);
    pub const DEV_SHARED: Flags = Flags(1 << 3);
    pub const IS_ATOM: Flags = Flags(1 << 2);
    /// The figure's `Scope`: set for block, clear for device.
    pub const BLOCK_SCOPE: Flags = Flags(1 << 1);
    pub const STRONG: Flags = Flags(1 << 0);
    pub const NONE: Flags = Flags(0);
    /// "All initialized to true": the granule has no accesses.
    pub const INITIAL: Flags = Flags(Self::MODIFIED.0 | Self::BLK_SHARED.0 | Self::DEV_SHARED.0);

    pub const fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    pub const fn with(self, flag: Flags, on: bool) -> Flags {
        if on { Flags(self.0 | flag.0) } else { Flags(self.0 & !flag.0) }
    }

    pub const fn is_initial(self) -> bool {
        self.0 & Self::INITIAL.0 == Self::INITIAL.0
    }
}

/// An entry. Every field holds no more bits than [`Widths`](super::Widths) allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub locks: Bloom,
    pub block: u32,
    pub dev_fence: u32,
    pub blk_fence: u32,
    pub barrier: u32,
    /// §VI: the global release counter at the access.
    pub release: u32,
    pub warp: u8,
    /// §VI: the lane, which counts if the warp had diverged.
    pub thread: u8,
    pub flags: Flags,
    /// Which of the granules that share the cache entry.
    pub tag: u8,
}

const _: () = assert!(size_of::<Entry>() == 32);

impl Entry {
    pub const INITIAL: Entry = Entry {
        locks: Bloom(0),
        block: 0,
        dev_fence: 0,
        blk_fence: 0,
        barrier: 0,
        release: 0,
        warp: 0,
        thread: 0,
        flags: Flags::INITIAL,
        tag: 0,
    };
}
