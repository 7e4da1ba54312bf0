//! CUDA arrays and the layout of their memory.

use crate::objects::ChannelKind;

/// Rows of arrays begin at multiples of this size.
const ROW: u64 = 32;
/// The memory is that of an array, or a description of a texture or surface object, which is never written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Image {
    Array(Array),
    Description,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Array {
    pub(super) format: Format,
    /// The extents in texels; a missing extent is 0.
    pub(super) extent: [u32; 3],
    pub(super) flags: u32,
}

/// The format of a texel: the bits and the kind of its channels (`cudaChannelFormatDesc`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Format {
    pub(super) channels: u8,
    pub(super) bits: u8,
    pub(super) kind: ChannelKind,
}

impl Format {
    pub(super) fn texel(&self) -> u64 {
        u64::from(self.channels) * u64::from(self.bits) / 8
    }
}

impl Array {
    pub(super) fn row(&self) -> Option<u64> {
        u64::from(self.extent[0]).checked_mul(self.format.texel())?.checked_next_multiple_of(ROW)
    }

    pub(super) fn slice(&self) -> Option<u64> {
        self.row()?.checked_mul(self.extent[1].max(1).into())
    }

    pub(super) fn bytes(&self) -> Option<u64> {
        self.slice()?.checked_mul(self.extent[2].max(1).into())
    }
}
