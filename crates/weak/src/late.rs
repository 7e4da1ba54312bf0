//! An access that its thread has passed without performing it; module `postpone` holds the rules.

use crate::history::History;
use crate::known::Known;
use crate::message::{Heads, Message, Reach};
use crate::operation::{Exchange, Operation, Strong};
use crate::path::Path;
use crate::thread::{Thread, ThreadId};
use crate::write::Write;
use smallvec::SmallVec;

/// The number of its later accesses that a thread performs before a late one, unless set otherwise.
pub const WINDOW: u32 = 8;

/// Identifies an access that has not been performed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub(crate) u64);

/// An acquire operation that a late read has passed, with the clock that its thread had there.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    reach: Reach,
    known: Known,
}

#[derive(Clone, Debug)]
pub(crate) struct Late {
    pub ticket: Ticket,
    pub operation: Operation,
    pub strong: Option<Strong>,
    pub updates: bool,
    /// The strength as a read.
    pub read: Option<Strong>,
    /// The thread's clocks at the access's place in program order.
    pub view: Thread,
    /// The heads of a read-modify-write's release patterns.
    pub heads: Heads,
    pub passed: SmallVec<[Passed; 1]>,
    /// The writes to the location that follow the access in causality order.
    pub after: SmallVec<[u64; 1]>,
}

impl Late {
    /// Returns whether the operation of another thread, or a later one of its own, by a path follows the
    /// access in causality order.
    pub(crate) fn is_known(&self, thread: ThreadId, known: &Known, path: Path) -> bool {
        self.view.event().is_known(self.operation.path, thread, known, path)
    }

    /// Returns whether the write does not follow the access in causality order, and a read of it acquires
    /// nothing that a passed operation would have acquired too.
    pub(crate) fn may_observe(&self, write: &Write) -> bool {
        let strongly = self.read.is_some() && write.is_strong_with(&self.operation.party(self.read));
        !self.after.contains(&write.id) && (!strongly || self.may_receive(&write.message))
    }

    pub(crate) fn may_receive(&self, message: &Message) -> bool {
        let received = message.received(self.operation.thread.block);
        let covered = |passed: &Passed| {
            let far = || passed.reach != Reach::Launch || passed.known.covers(&received.far);
            passed.known.covers(&received.near) && far()
        };
        self.passed.iter().all(covered)
    }

    /// Records that a thread performs an acquire operation by which it knows `whole`.
    pub(crate) fn pass(&mut self, thread: ThreadId, reach: Reach, whole: &Known) {
        if self.read.is_some() && self.view.id == thread {
            self.passed.push(Passed { reach, known: whole.clone() });
        }
    }

    /// Returns the choices of a late read-modify-write.
    pub(crate) fn exchanges(&self, history: &History) -> SmallVec<[Exchange; 4]> {
        let mut options = history.exchanges(&self.operation.party(self.strong), &self.view);
        options.retain(|option| self.may_observe(&history.writes[option.source]));
        options
    }

    /// Returns whether the access may observe a write that it will still be able to observe later: the oldest
    /// one, or one that no other read-modify-write has read.
    pub(crate) fn stays_possible(&self, history: &History) -> bool {
        match self.updates {
            true => !self.exchanges(history).is_empty(),
            false => self.may_observe(&history.writes[history.bound(&self.view, self.operation.path)]),
        }
    }
}
