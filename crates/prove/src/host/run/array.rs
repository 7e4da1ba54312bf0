//! CUDA arrays: what their memory is.

use simt::texture::ChannelKind;

/// Rows of arrays begin at multiples of this.
const ROW: u64 = 32;
/// What the memory of an array is, or that it is a description, which nobody writes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Image {
    Array(Array),
    Description,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Array {
    pub(super) format: Format,
    /// In texels; what it does not have is 0.
    pub(super) extent: [u32; 3],
    pub(super) flags: u32,
}

/// Of a texel: bits of its channels, and their kind (`cudaChannelFormatDesc`).
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
