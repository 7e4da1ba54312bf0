//! Memories of litmus programs.

use crate::program::Action;

/// A memory that decides which write each read returns; memory in the order of the steps is [`InOrder`].
pub trait Cells {
    /// Performs the access of an instruction where memory holds `there`.
    fn perform(&mut self, at: At, action: Action, there: u32) -> Performed;

    /// Lets the thread pass an access that reads, where memory holds `there`; returns whether it does.
    fn postpone(&mut self, _: At, _: Action, _: u32) -> bool {
        false
    }

    /// Returns a postponed access that must be performed before an instruction, which may be late itself.
    fn due(&mut self, _: At, _: Action) -> Option<At> {
        None
    }

    /// Performs an access that its thread has passed.
    fn perform_late(&mut self, at: At, action: Action, there: u32) -> Performed {
        self.perform(at, action, there)
    }
}

/// An instruction's thread and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub thread: usize,
    pub index: usize,
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
    fn perform(&mut self, _: At, action: Action, there: u32) -> Performed {
        Performed { read: there, left: action.stored(there).unwrap_or(there) }
    }
}
