//! Tensor memory: what instructions of fifth-generation tensor cores do with it (PTX §9.7.17).

use crate::ids::{AsyncOpId, BlockId};
use serde::{Deserialize, Serialize};

/// Cells of a block's tensor memory, of 32 bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TensorCells {
    pub block: BlockId,
    /// The lanes (rows), a bit for each of 128.
    pub lanes: u128,
    pub column: u16,
    pub columns: u16,
}

/// The accumulator, shape and kind of a matrix product. Products that agree in it are executed in the order in
/// which they were issued (§9.7.17.6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Accumulator {
    pub address: u32,
    pub rows: u16,
    pub columns: u16,
    /// A number of the kind.
    pub kind: u8,
}

/// An asynchronous instruction that accesses tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TensorAction {
    Load,
    Store,
    /// `tcgen05.cp`; `quarter` is `.4x256b`.
    Copy {
        quarter: bool,
    },
    Shift,
    Product(Accumulator),
}

impl TensorAction {
    /// Returns whether a warp waits for it by `tcgen05.wait`; other ones complete by `tcgen05.commit`.
    pub const fn moves(self) -> bool {
        matches!(self, TensorAction::Load | TensorAction::Store)
    }
}

/// A fact about tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tensor {
    /// The warp allocated columns of its block, and stored their address at an address of the block's shared memory.
    Alloc {
        column: u16,
        columns: u16,
        address: u64,
    },
    Dealloc {
        column: u16,
        columns: u16,
    },
    /// The lanes issued an operation that accesses cells; one event for each matrix of an instruction. `pair` is
    /// `.cta_group::2`.
    Access {
        op: AsyncOpId,
        action: TensorAction,
        pair: bool,
        cells: TensorCells,
        writes: bool,
    },
    /// `tcgen05.fence::after_thread_sync`, or `::before_thread_sync`.
    Fence {
        after: bool,
    },
}
