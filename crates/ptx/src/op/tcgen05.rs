//! Instructions of fifth-generation tensor cores and of tensor memory (PTX §9.7.17).

use super::MemSpace;
use crate::ast::ScalarType;

/// A `tcgen05` instruction. `pair` is `.cta_group::2`: the instruction is one of a pair of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tcgen05 {
    /// `alloc [dst], columns`: stores the address of the allocation in shared memory.
    Alloc { pair: bool, space: MemSpace },
    /// `dealloc address, columns`.
    Dealloc { pair: bool },
    /// `relinquish_alloc_permit`.
    Relinquish { pair: bool },
    /// `ld r [, redval], [address] [, split]`.
    Load { tile: TensorTile, reduction: Option<TensorReduction> },
    /// `st [address] [, split], r`.
    Store { tile: TensorTile },
    /// `wait::ld` and `wait::st`.
    Wait { stores: bool },
    /// `cp [address], descriptor`.
    Copy { pair: bool, shape: TensorCopyShape, from: Option<TensorFormat> },
    /// `shift.down [address]`.
    Shift { pair: bool },
    /// `mma` in all forms.
    Product(TensorProduct),
    /// `commit [mbarrier] [, mask]`.
    Commit { pair: bool, space: MemSpace, multicast: bool },
    /// `fence::before_thread_sync` and `fence::after_thread_sync`.
    Fence { after: bool },
}

/// Tensor memory and registers of a warp that correspond, §9.7.17.2.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorTile {
    pub shape: TensorShape,
    /// `.x1` to `.x128`.
    pub count: u8,
    /// `.pack::16b` of a load, `.unpack::16b` of a store: two columns for each register.
    pub packed: bool,
}

impl TensorTile {
    /// Returns the number of registers of each lane, tables 52 and 53.
    pub fn registers(&self) -> usize {
        usize::from(self.count) * self.shape.registers()
    }
}

/// The lanes of tensor memory and the bits of each that one repetition of a tile covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorShape {
    L32b32,
    L16b64,
    L16b128,
    L16b256,
    /// Two accesses of 16 lanes and 32 bits, the second at the address plus the last operand.
    L16b32x2,
}

impl TensorShape {
    fn registers(self) -> usize {
        match self {
            TensorShape::L32b32 | TensorShape::L16b64 | TensorShape::L16b32x2 => 1,
            TensorShape::L16b128 => 2,
            TensorShape::L16b256 => 4,
        }
    }
}

/// `.red` of a load: the smallest or largest element of each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorReduction {
    pub max: bool,
    pub abs: bool,
    pub nan: bool,
    pub ty: ScalarType,
}

/// The lanes and bits that a copy from shared memory moves, and the warps whose lanes receive them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorCopyShape {
    L128b256,
    L4b256,
    L128b128,
    /// `.64x128b.warpx2::02_13`
    L64b128Pairs02,
    /// `.64x128b.warpx2::01_23`
    L64b128Pairs01,
    /// `.32x128b.warpx4`
    L32b128,
}

/// The packed elements that a copy unpacks to elements of eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorFormat {
    /// `.b8x16.b6x16_p32`
    Six,
    /// `.b8x16.b4x16_p64`
    Four,
}

/// `tcgen05.mma`. Its shape and types are in the instruction descriptor, an operand.
///
/// Operands: `[d], a-descriptor | [a], b-descriptor, [metadata]` (sparse), `instruction-descriptor,
/// [scale-a], [scale-b]` (block scaling), `{disabled lanes}` (optional), `enable-d`, and optionally the
/// scale of D, or (`.ws`) the mask of columns that are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorProduct {
    pub pair: bool,
    pub kind: TensorKind,
    pub sparse: bool,
    /// `.ws`: stationary weights.
    pub stationary: bool,
    pub scaling: Option<TensorScaling>,
    /// `.ashift`
    pub shifts: bool,
}

/// `.kind::…`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorKind {
    F16,
    Tf32,
    F8f6f4,
    I8,
    Mxf8f6f4,
    Mxf4,
    Mxf4nvf4,
}

impl TensorKind {
    /// Returns whether the factors are scaled by blocks.
    pub fn scales(self) -> bool {
        matches!(self, TensorKind::Mxf8f6f4 | TensorKind::Mxf4 | TensorKind::Mxf4nvf4)
    }
}

/// The number of elements that share a scale factor, `.block16` or `.block32`, or its spelling as
/// `.scale_vec::…`, of which the kind determines that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorScaling {
    Block16,
    Block32,
}
