//! `mma` with more operands than A, B and C.

use ptx::op::Op;

/// `mma` of a sparse A, or of narrow floats.
#[derive(Clone, Debug)]
pub(crate) struct MmaInst {
    pub op: Op,
    /// The number of registers of C. Behind them, `c` has the row of the metadata, if A is sparse, and of scale factors of A,
    /// their byte and threads, and the same of B, if there are any.
    pub accumulators: usize,
    /// The sparsity selector.
    pub selector: u8,
}
