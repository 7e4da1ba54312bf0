//! The encoding of register operands and of addresses.

/// An operand: a file in the two upper bits, a byte offset from that file's base in the rest.
pub(crate) type Row = u32;

pub(crate) const FILE_32: Row = 0;
pub(crate) const FILE_64: Row = 1 << 30;
pub(crate) const FILE_CONST: Row = 2 << 30;
pub(crate) const FILE_PRED: Row = 3 << 30;
pub(crate) const FILE_MASK: Row = 3 << 30;
/// The absence of an operand, or the sink `_`.
pub(crate) const NO_ROW: Row = u32::MAX;

pub(crate) const ROW_32: u32 = 128;
pub(crate) const ROW_64: u32 = 256;

/// The absence of a guard. A guard is a predicate's offset in its file, with the top bit set if it is
/// negated.
pub(crate) const NO_GUARD: u32 = u32::MAX;
pub(crate) const GUARD_NEGATED: u32 = 1 << 31;

/// Windows of the generic address space, in the top byte of an address. Global memory has 0.
pub(crate) mod window {
    pub(crate) const SHIFT: u32 = 56;
    pub(crate) const SHARED: u64 = 1 << SHIFT;
    pub(crate) const LOCAL: u64 = 2 << SHIFT;
    pub(crate) const PARAM: u64 = 3 << SHIFT;
    pub(crate) const FUNCTION: u64 = 4 << SHIFT;
    pub(crate) const OFFSET: u64 = (1 << SHIFT) - 1;
    /// The position of the rank in a shared address: the rank in its cluster plus one; 0 for the thread's own
    /// block.
    pub(crate) const RANK_SHIFT: u32 = 24;
    pub(crate) const SHARED_OFFSET: u64 = (1 << RANK_SHIFT) - 1;
}
