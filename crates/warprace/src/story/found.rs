//! A finding whose threads are known, in a record.

use super::walk::{Tables, Thread};
use events::finding::Actor;
use events::{Finding, Space};
use std::sync::Arc;

/// A piece of memory, by its first byte.
pub(super) type Key = (Space, u64);

/// The race as it happened.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) threads: [Thread; 2],
    pub(crate) finding: Finding,
    /// The event that completed it, counted from 0; the largest number if none did: then which execution of each side it
    /// was does not matter, and the first ones are told.
    pub(crate) event: u64,
    pub(crate) tables: Arc<Tables>,
}

impl Found {
    /// Nothing if one side was not seen.
    pub(crate) fn new(finding: Finding, event: u64, tables: Arc<Tables>) -> Option<Found> {
        let thread = |i: usize| match finding.sides[i].who {
            Actor::Thread { block, thread } => Some(Thread { task: finding.sides[i].task, block, thread }),
            Actor::Engine | Actor::HostThread(_) => Some(Thread::of_task(finding.sides[i].task)),
            Actor::Unseen => None,
        };
        Some(Found { threads: [thread(0)?, thread(1)?], finding, event, tables })
    }

    pub(super) const fn is_timeless(&self) -> bool {
        self.event == u64::MAX
    }

    /// Is the access to memory that the second side races on?
    pub(super) fn raced(&self, space: Space, from: u64, bytes: u64) -> bool {
        let side = &self.finding.sides[1];
        let (start, end) = (side.address, side.address + u64::from(side.size));
        space == self.finding.space && from < end && start < from + bytes
    }
}
