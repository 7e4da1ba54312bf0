//! The floats of at most eight bits that `mma` multiplies, and their scale factors (PTX §9.7.15.3).

use crate::ast::ScalarType;

/// `.kind::…` of `mma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaKind {
    /// Whether each byte has two `.e2m1` numbers (`.kind::mxf4`, `.kind::mxf4nvf4`); otherwise each number has a byte.
    pub packed: bool,
    /// `.block_scale`. Operands behind C and the metadata: `scale-a-data, {byte-id-a, thread-id-a}`, and the same of B.
    pub scale: Option<BlockScale>,
}

/// The scale factors of each row of A and each column of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockScale {
    /// `.scale_vec::…`: the number of factors, 1, 2 or 4.
    pub blocks: u8,
    pub ty: ScalarType,
}
