//! The facts about one access of a kernel.

use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Sym};
use ptx::cfg::BlockId;
use ptx::op::{Scope, Sem};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Shared,
    /// Shared memory of a block in the same cluster, possibly the thread's own ([`Access::rank`]).
    Distributed,
    Global,
    /// Memory behind a generic address of unknown space.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    Read,
    Write,
    Atomic,
}

/// The effect of a store or an atomic on memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// The access only reads, or writes the value that memory held.
    Nothing,
    Value(Poly),
    /// The previous value plus this.
    Added(Poly),
    /// The previous value plus one, or zero after this bound (`atom.inc`).
    Wrapped(Poly),
    /// Compare-and-swap: writes the second value if memory held the first.
    Swapped(Poly, Poly),
    Unknown,
}

/// The thread that makes an access, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doer {
    /// The thread itself, at its instruction.
    Thread,
    /// Any lane of the thread's warp, since PTX does not say which lane accesses which part of a matrix.
    Warp {
        /// The row of the matrix, if the instruction's address is that of all rows.
        row: Option<Sym>,
    },
    /// A copy that the thread has begun: made at any time until the thread has waited for it.
    Copy,
    /// A bulk copy that the thread has begun: made at any time until the phase of its mbarrier has ended.
    Bulk,
    /// A bulk copy out of shared memory that the thread has begun: made at any time until the thread has waited for its
    /// group.
    BulkOut,
    /// A product of the thread's warpgroup, which all of its threads have begun: made at any time until a thread of the
    /// warpgroup has waited for its group.
    Product,
}

impl Doer {
    /// Returns whether the access may be made later than at its instruction.
    pub fn is_late(&self) -> bool {
        matches!(self, Doer::Copy | Doer::Bulk | Doer::BulkOut | Doer::Product)
    }

    /// Returns whether the access is made through the async proxy.
    pub fn is_async_proxy(&self) -> bool {
        matches!(self, Doer::Bulk | Doer::BulkOut | Doer::Product)
    }
}

#[derive(Clone, Debug)]
pub struct Access {
    /// Index of the instruction.
    pub inst: usize,
    pub doer: Doer,
    /// Position in the PTX text.
    pub text: u32,
    pub block: BlockId,
    pub space: Space,
    /// The rank of the block whose shared memory is accessed, if it is known.
    pub rank: Option<Poly>,
    pub kind: AccessKind,
    /// The scope of a strong access; `None` for a weak one.
    pub strong: Option<Scope>,
    pub sem: Sem,
    /// Whether it is a load by `ld.global.nc`, which no order puts behind a write of the same launch.
    pub incoherent: bool,
    /// The integer that was read, if it is one.
    pub read: Option<Sym>,
    pub stored: Stored,
    pub bytes: u32,
    /// Number of elements; a strong access of several is atomic by element.
    pub elements: u8,
    /// The accessed array, if the address tells it.
    pub base: Option<Sym>,
    /// The address relative to `base`.
    pub offset: Poly,
    /// Conditions that all hold at the access.
    pub guard: Vec<Cond>,
}

/// A memory fence, executed by every thread that reaches it.
#[derive(Clone, Copy, Debug)]
pub struct Fence {
    pub inst: usize,
    pub sem: Sem,
    pub scope: Scope,
}
