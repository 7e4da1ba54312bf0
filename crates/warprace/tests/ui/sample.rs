//! Checks that a run of all fixtures makes of some of them only.
//!
//! A check here compares two ways to the same answer. What it finds lies in one of the ways more often than in a fixture, so
//! some fixtures show it. Every fixture has all checks when fixtures are chosen by a filter, and under `cargo xtask deep-test
//! tests`.

use crate::fixture::Fixture;
use crate::setup::Setup;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A check that one of so many fixtures has.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) enum Sampled {
    /// Offline analysis by two workers, and with memory in parts.
    Offline = 4,
    /// Engines `guard` and `collide` in one kernel.
    Together = 5,
    /// Engine `collide` with all checks beside the usual ones.
    Unpruned = 6,
    /// Accesses that a proof covers, skipped from the first instruction on.
    Proofs = 32,
    /// More schedules than two, for a clean fixture.
    Schedules = 3,
}

impl Sampled {
    /// Returns whether the fixture has this check. The choice depends on the fixture's name alone.
    pub(crate) fn chooses(self, setup: &Setup, fixture: &Fixture) -> bool {
        let mut hasher = DefaultHasher::new();
        (&fixture.name, self).hash(&mut hasher);
        setup.every || hasher.finish().is_multiple_of(self as u64)
    }
}
