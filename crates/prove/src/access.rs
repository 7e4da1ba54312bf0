//! What is known of one access of a kernel.

use crate::cond::Cond;
use crate::poly::{Poly, Sym};
use ptx::cfg::BlockId;
use ptx::op::{Scope, Sem};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Shared,
    /// Shared memory of a block of the same cluster, perhaps the own one ([`Access::rank`]).
    Distributed,
    Global,
    /// Through a generic address that nothing tells more of.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    Read,
    Write,
    Atomic,
}

/// What a store or an atomic leaves in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It only reads, or writes what was there.
    Nothing,
    Value(Poly),
    /// What was there, and so much.
    Added(Poly),
    /// What was there and one, or zero after that bound (`atom.inc`).
    Wrapped(Poly),
    /// The second, where the first was.
    Swapped(Poly, Poly),
    Unknown,
}

/// Who makes an access, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doer {
    /// The thread itself, at its instruction.
    Thread,
    /// Any lane of the thread's warp: it is not said which lane accesses what of a matrix.
    Warp {
        /// Which row of the matrix it is, if the instruction's address is that of all rows.
        row: Option<Sym>,
    },
    /// A copy that the thread has begun: at any time until it has waited for it.
    Copy,
}

#[derive(Clone, Debug)]
pub struct Access {
    /// Index of the instruction.
    pub inst: usize,
    pub doer: Doer,
    /// Where it is in the PTX text.
    pub text: u32,
    pub block: BlockId,
    pub space: Space,
    /// Of the block in whose shared memory it is, if that is said.
    pub rank: Option<Poly>,
    pub kind: AccessKind,
    /// `None` for weak ones.
    pub strong: Option<Scope>,
    pub sem: Sem,
    /// The integer that was read, if it is one.
    pub read: Option<Sym>,
    pub stored: Stored,
    pub bytes: u32,
    /// Number of elements; a strong access of several is atomic by element.
    pub elements: u8,
    /// The array it is in, if its address says so.
    pub base: Option<Sym>,
    /// The address relative to `base`.
    pub offset: Poly,
    /// All hold where it is made.
    pub guard: Vec<Cond>,
}

/// A fence of threads that each thread that comes there executes.
#[derive(Clone, Copy, Debug)]
pub struct Fence {
    pub inst: usize,
    pub sem: Sem,
    pub scope: Scope,
}
