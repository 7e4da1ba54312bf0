//! Values that no interleaving of the kernel's instructions explains.
//!
//! A weak value alone is not remarkable: a read that returns an old value may have run earlier. The memory
//! therefore maintains the past of every thread: the accesses that precede its next one by program order,
//! barriers, observation and coherence (the order of every interleaving with the same values). A value is an
//! [`Outcome`] if the access contradicts its own thread's past.

use crate::path::Path;
use crate::thread::ThreadId;
use events::{SiteId, Space};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A read returned an old value.
    Stale,
    /// A write was placed before an earlier one in coherence order, so that its value disappeared.
    Overtaken,
    /// A read returned the value of a write that it precedes (load buffering).
    Early,
}

/// A value that the thread's own past contradicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub kind: Kind,
    pub site: SiteId,
    pub thread: ThreadId,
    pub space: Space,
    pub address: u64,
    pub bytes: u8,
    /// The path of the access.
    pub path: Path,
    /// The value that was read, or whose write was overtaken.
    pub value: u64,
    /// The write that the thread's past contains; of [`Kind::Early`], the one that was read.
    pub missed: Missed,
}

/// The write whose order with an access the value contradicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    pub site: SiteId,
    pub thread: ThreadId,
    pub value: u64,
    pub path: Path,
}

/// The first outcome of each kind and pair of instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcomes(Vec<Outcome>);

/// The largest number of outcomes.
const MOST: usize = 64;

impl Outcomes {
    pub(crate) fn add(&mut self, outcome: Outcome) {
        let same = |o: &Outcome| {
            (o.kind, o.site, o.missed.site) == (outcome.kind, outcome.site, outcome.missed.site)
        };
        if self.0.len() < MOST && !self.0.iter().any(same) {
            self.0.push(outcome);
        }
    }

    pub(crate) fn all(&self) -> &[Outcome] {
        &self.0
    }
}
