//! A finding with known threads, located in a trace.

use super::walk::{Tables, Thread};
use events::finding::Actor;
use events::{Finding, Space};
use std::sync::Arc;

/// A piece of memory, by its first byte.
pub(super) type Key = (Space, u64);

/// A race as it happened in the trace.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) threads: [Thread; 2],
    pub(crate) finding: Finding,
    /// The event that completed the race, counted from 0, or the largest number if no event did. In that case
    /// any execution of the two sides may be shown, and the first ones are.
    pub(crate) event: u64,
    pub(crate) tables: Arc<Tables>,
}

impl Found {
    /// Returns `None` if one side's thread is unknown.
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

    /// Returns whether an access overlaps the memory of the second side.
    pub(super) fn raced(&self, space: Space, from: u64, bytes: u64) -> bool {
        let side = &self.finding.sides[1];
        let (start, end) = (side.address, side.address + u64::from(side.size));
        space == self.finding.space && from < end && start < from + bytes
    }
}
