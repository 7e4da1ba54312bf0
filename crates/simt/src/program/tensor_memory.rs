//! Instructions of fifth-generation tensor cores and of tensor memory.

use super::{Address, Row};
use ptx::op::{TensorCopyShape, TensorFormat, TensorProduct, TensorReduction, TensorTile};
use smallvec::SmallVec;

/// A `tcgen05` instruction of a whole warp.
#[derive(Clone, Debug)]
pub(crate) enum TensorWarpInst {
    Alloc {
        pair: bool,
        dst: Address,
        columns: Row,
    },
    Dealloc {
        pair: bool,
        address: Row,
        columns: Row,
    },
    Relinquish {
        pair: bool,
    },
    /// The registers are the rows of `d`, the result of a reduction `p`. `split` is the distance of the second
    /// access of `.16x32bx2`.
    Load {
        tile: TensorTile,
        reduction: Option<TensorReduction>,
        address: Address,
        split: u32,
    },
    /// The registers are the rows of `a`.
    Store {
        tile: TensorTile,
        address: Address,
        split: u32,
    },
    Wait {
        stores: bool,
    },
}

/// A `tcgen05` instruction of single threads.
#[derive(Clone, Debug)]
pub(crate) enum TensorThreadInst {
    Copy { pair: bool, shape: TensorCopyShape, from: Option<TensorFormat>, address: Address, source: Row },
    Shift { pair: bool, address: Address },
    Product(TensorProductInst),
    Commit { pair: bool, mbar: Address, multicast: Row },
    Fence { after: bool },
}

/// `tcgen05.mma`
#[derive(Clone, Debug)]
pub(crate) struct TensorProductInst {
    pub product: TensorProduct,
    pub d: Address,
    pub a: TensorFactor,
    pub b: Row,
    /// The instruction descriptor.
    pub descriptor: Row,
    /// The metadata of a sparse A.
    pub metadata: Option<Address>,
    pub scales: Option<[Address; 2]>,
    /// The lanes of D that are not written, 32 in a row; or none.
    pub disabled: SmallVec<[Row; 8]>,
    /// Whether D is added: a predicate, and whether it is negated.
    pub accumulates: (Row, bool),
    /// The binary logarithm of the divisor of D.
    pub divisor: u32,
    /// The descriptor of the columns that are zero, or none.
    pub zeros: Row,
}

/// The place of matrix A.
#[derive(Clone, Debug)]
pub(crate) enum TensorFactor {
    Shared(Row),
    Tensor(Address),
}
