//! Values of the host code that are no sums: contents of variables in memory, and results of operations.

use super::super::program::Frame;

/// A place of a variable in memory, behind a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cell<'a> {
    /// The function that has the variable, in the chain.
    pub(super) owner: usize,
    pub(super) variable: &'a str,
    pub(super) writer: Frame,
    pub(super) place: (i128, i128),
}

/// An operation of the host code on integers.
pub(super) struct Operation<'a> {
    pub(super) op: &'a str,
    pub(super) bits: u32,
    /// It does not wrap around as one of numbers with signs.
    pub(super) signed: bool,
    /// Its operands are exact.
    pub(super) exact: bool,
}
