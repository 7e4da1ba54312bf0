//! Matrix instructions of a warpgroup (PTX §9.7.15.5).

use super::BoolOp;
use crate::ast::ScalarType;

/// `wgmma.mma_async`. The shape is m64 by `n` by 32 bytes of factors; of a sparse product, by 64 bytes, of which A has half.
///
/// Operands: `d, a-descriptor | {a}, b-descriptor, [metadata, selector,] scale-d` and, of floating-point types, `imm-scale-a,
/// imm-scale-b`; of 16-bit types, `imm-trans-a` (with a descriptor of A) and `imm-trans-b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wgmma {
    pub n: u16,
    pub k: u16,
    pub d: ScalarType,
    pub a: ScalarType,
    pub b: ScalarType,
    /// `.sp`: A has half of the elements of each row, at positions that the metadata tells.
    pub sparse: bool,
    pub satfinite: bool,
    /// `.and.popc`; present exactly for single-bit factors.
    pub bit_op: Option<BoolOp>,
}

impl Wgmma {
    /// Returns the number of registers of the accumulator.
    pub fn registers(&self) -> usize {
        match self.d {
            ScalarType::F16 => usize::from(self.n) / 4,
            _ => usize::from(self.n) / 2,
        }
    }
}
