//! Memories of litmus programs.

use crate::program::Action;

/// A memory that decides which write each read returns; memory in the order of the steps is [`InOrder`].
pub trait Cells {
    /// Performs an access of `place.1`, the instruction's index, by thread `place.0`, where memory holds
    /// `there`.
    fn perform(&mut self, place: (usize, usize), action: Action, there: u32) -> Performed;
}

/// The result of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Performed {
    pub read: u32,
    /// The value that memory holds afterwards.
    pub left: u32,
}

/// Each read returns the last write.
#[derive(Clone, Copy, Debug)]
pub struct InOrder;

impl Cells for InOrder {
    fn perform(&mut self, _: (usize, usize), action: Action, there: u32) -> Performed {
        Performed { read: there, left: action.stored(there).unwrap_or(there) }
    }
}
