//! Tensor maps and the copies that they describe (PTX §9.7.9.25.5 and §9.7.9.26).

use super::{MemSpace, Rmw};

/// The direction of a tensor copy, which determines its operands and its completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorWay {
    /// `[dst], [map, {coordinates}], [mbar] [, {offsets}] [, mask] [, policy]`; completes at an mbarrier.
    Load {
        dst: MemSpace,
        multicast: bool,
        /// `.cta_group::2`: the object may be one of the destination's peer.
        pair: bool,
    },
    /// `[map, {coordinates}], [src] [, policy]`; completes by a bulk group.
    Store,
}

/// The part of a tensor that a copy moves (PTX §5.5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorMode {
    /// `.tile`
    Tile,
    /// `.im2col`, which takes offsets where it loads.
    Im2col,
    /// `.im2col::w`, with a halo and an offset.
    W,
    /// `.im2col::w::128`, with a halo and an offset.
    W128,
    /// `.tile::gather4` and `.tile::scatter4`: four rows, by a column and four numbers of rows.
    Rows,
}

impl TensorMode {
    /// Returns whether the tensor's pixels are copied, so that a load may have a vector of offsets.
    pub fn of_pixels(self) -> bool {
        matches!(self, TensorMode::Im2col | TensorMode::W | TensorMode::W128)
    }

    pub fn name(self) -> &'static str {
        match self {
            TensorMode::Tile => "`.tile`",
            TensorMode::Im2col => "`.im2col`",
            TensorMode::W => "`.im2col::w`",
            TensorMode::W128 => "`.im2col::w::128`",
            TensorMode::Rows => "`.tile::gather4`",
        }
    }
}

/// `cp{.reduce}.async.bulk.tensor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorCopy {
    /// The number of the tensor's dimensions, 1 to 5.
    pub dim: u8,
    pub way: TensorWay,
    pub mode: TensorMode,
    /// The operation of a reduction, which stores.
    pub op: Option<Rmw>,
    pub cache_hint: bool,
}

/// The field of a tensor map that `tensormap.replace` changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensormapField {
    GlobalAddress,
    Rank,
    BoxDim,
    GlobalDim,
    GlobalStride,
    ElementStride,
    ElementType,
    Interleave,
    Swizzle,
    SwizzleAtomicity,
    Fill,
}

impl TensormapField {
    /// Returns whether the field has one value for each dimension, so that an operand names the dimension.
    pub fn has_ordinal(self) -> bool {
        use TensormapField::{BoxDim, ElementStride, GlobalDim, GlobalStride};
        matches!(self, BoxDim | GlobalDim | GlobalStride | ElementStride)
    }

    /// Returns whether the value has 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self, TensormapField::GlobalAddress | TensormapField::GlobalStride)
    }
}
