//! What is known of one access of a kernel.

use crate::cond::Cond;
use crate::poly::{Poly, Sym};
use ptx::cfg::BlockId;
use ptx::op::Scope;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Shared,
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

#[derive(Clone, Debug)]
pub struct Access {
    /// Index of the instruction.
    pub inst: usize,
    pub block: BlockId,
    pub space: Space,
    pub kind: AccessKind,
    /// `None` for weak ones.
    pub strong: Option<Scope>,
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
