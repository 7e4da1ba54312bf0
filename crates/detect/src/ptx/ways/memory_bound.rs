//! Staying within the memory that the user allows.
//!
//! What is remembered of locations is counted as it grows; when it is too much, the pages at hand are given up, and
//! accesses to them are not checked any more. What synchronisation needs (knowledge, releases, observers, mbarriers) is
//! never forgotten in part, since that would invent races; it is measured whenever enough has happened that it
//! may have grown by an eighth, and if it alone is too much, the launch is not checked any further.
//!
//! What is held may pass the bound by that eighth, and by what one access of each worker adds.

use super::LaunchState;
use crate::ptx::clues::Clues;
use crate::ptx::order::barriers::Arrivals;
use crate::ptx::order::mbarrier::Objects;
use crate::ptx::ways::pager::Need;
use crate::shadow::lock;
use clocks::compressed::Seen;
use events::{Access, Space};

/// Bytes that one event may add to what synchronisation needs, about.
const EACH: u64 = 1 << 10;
/// Events between two measurements, at least.
const LEAST: u64 = 64;

/// The counts of one observer, if there is a bound.
#[derive(Debug, Default)]
pub(crate) struct Bound {
    /// Accesses of threads since they were last told to the launch, and those that were not remembered.
    heard: u64,
    unchecked: u64,
    /// Events that may have added to what synchronisation needs, since the last measurement.
    changes: u64,
}

impl LaunchState {
    pub(super) fn holds_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    pub(super) fn clue_bytes(&self) -> usize {
        lock(self.clues.all()).bytes()
    }

    pub(super) fn forget_clues(&self) {
        **lock(self.clues.all()) = Clues::default();
    }

    /// Nothing is checked any more.
    pub(super) fn drop_all(&mut self) {
        for block in std::mem::take(&mut self.blocks).blocks() {
            self.shared.end(block, &self.launch);
        }
        self.arrivals = Arrivals::default();
        self.objects = Objects::new(self.launch.objects.clone());
        self.forget_clues();
        self.launch.measured(self.shared.observer, 0);
    }

    /// Returns what an access may ask of its pages. `order` says that it may order others.
    pub(super) fn need(&self, order: bool) -> Need {
        Need { must: order, may: order || self.launch.memory().may_grow(), refused: false }
    }

    /// An access was made, `grown` bytes were added for it, and some of it was `refused`.
    pub(super) fn accessed(&mut self, access: &Access<'_>, order: bool, grown: usize, refused: bool) {
        let Some(bound) = &mut self.bound else { return };
        let threads = u64::from(access.mask.count_ones());
        bound.heard += threads;
        if refused {
            bound.unchecked += threads;
            self.launch.set_incomplete();
        }
        if grown > 0 && self.launch.memory().over() {
            self.give_up(access);
        }
        if order {
            self.changed();
        }
    }

    /// An access was judged on a direct way, and `grown` bytes were added for it.
    #[inline(always)]
    pub(super) fn remembered(&mut self, access: &Access<'_>, grown: usize) {
        if self.bound.is_some() {
            self.accessed(access, false, grown, false);
        }
    }

    /// Something happened that may have added to what synchronisation needs.
    pub(super) fn changed(&mut self) {
        let Some(bound) = &mut self.bound else { return };
        bound.changes += 1;
        if bound.changes >= LEAST && bound.changes * 8 * EACH >= self.launch.memory().bytes() {
            bound.changes = 0;
            self.measure();
        }
    }

    /// Returns whether the launch is not checked any more. Then nothing is kept, either.
    pub(super) fn is_stopped(&mut self) -> bool {
        let stopped = self.launch.stopped();
        if stopped && self.holds_blocks() {
            self.drop_all();
        }
        stopped
    }

    /// Nothing is checked any more; what is heard is still counted.
    pub(super) fn unheard(&mut self, access: &Access<'_>) {
        let threads = u64::from(access.mask.count_ones());
        if let Some(bound) = &mut self.bound {
            bound.heard += threads;
            bound.unchecked += threads;
        }
    }

    /// Tells the launch what was counted.
    pub(super) fn tell(&mut self) {
        if let Some(bound) = &mut self.bound {
            self.launch
                .memory()
                .count(std::mem::take(&mut bound.heard), std::mem::take(&mut bound.unchecked));
        }
    }

    /// Gives up the pages of an access.
    #[cold]
    fn give_up(&mut self, access: &Access<'_>) {
        let heads = !self.orderless();
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        let mut pages: Vec<u64> = (0..32)
            .filter(|lane| access.mask >> lane & 1 != 0)
            .flat_map(|lane| {
                let first = access.addresses[lane];
                first >> 12..=(first + bytes.max(1) - 1) >> 12
            })
            .collect();
        pages.sort_unstable();
        pages.dedup();
        match access.space {
            Space::Global => self.launch.give_up(Some(&pages), heads, || false),
            Space::Shared(owner) | Space::Tensor(owner) => {
                let freed = self.shared.give_up(owner.0, Some(&pages), heads);
                self.launch.set_incomplete();
                self.launch.shrank(freed);
            }
        }
    }

    /// Measures what synchronisation needs, and makes room for it.
    #[cold]
    fn measure(&mut self) {
        self.tell();
        let mut seen = Seen::default();
        let own = self.order_bytes(&mut seen);
        self.launch.measured(self.shared.observer, own as u64);
        let shared = self.launch.shared_order(&mut seen);
        self.launch.measured(0, (shared + self.clue_bytes()) as u64);
        let memory = self.launch.memory();
        if memory.over() {
            self.forget_clues();
            self.launch.measured(0, shared as u64);
        }
        if memory.over() {
            self.launch.give_up(None, !self.orderless(), || !memory.over());
        }
        if self.launch.memory().hopeless() {
            self.launch.stop();
            self.drop_all();
        }
    }
}
