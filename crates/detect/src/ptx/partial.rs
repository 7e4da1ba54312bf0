//! The result of a detector of a part of memory, to be added to that of another part.

use super::PtxMonitor;
use super::report::sink::Collected;
use super::tasks::Pairs;
use events::TaskId;
use serde::{Deserialize, Serialize};
use std::sync::PoisonError;

/// The findings of one part of memory before they are settled: what makes a location a lock, or lets two tasks pass a message, may
/// lie in another part.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Partial {
    collected: Collected,
    #[serde(with = "as_list")]
    pairs: Pairs,
    limits: Vec<String>,
}

/// Pairs of tasks, as a list.
mod as_list {
    use super::{Pairs, TaskId};
    use crate::ptx::tasks::Pair;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(pairs: &Pairs, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(pairs)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Pairs, D::Error> {
        Ok(Vec::<((TaskId, TaskId), Pair)>::deserialize(from)?.into_iter().collect())
    }
}

impl PtxMonitor {
    /// Takes the findings of this detector's part of memory, once it has received all events.
    pub fn take_partial(&self) -> Partial {
        let mut tasks = self.tasks();
        let mut limits = tasks.limits();
        limits.extend(self.memory.limits());
        Partial { pairs: tasks.take_pairs(), collected: self.sink.collected(), limits }
    }

    /// Adds the findings of another part of memory. Both detectors have received the same events.
    pub fn add_partial(&self, partial: Partial) {
        let Partial { collected, pairs, limits } = partial;
        self.sink.collect(collected);
        let mut tasks = self.tasks();
        tasks.add_pairs(pairs);
        limits.iter().for_each(|limit| tasks.limit(limit));
    }

    /// Returns whether the limit on memory has cost anything.
    pub fn is_over(&self) -> bool {
        self.memory.has_refused()
    }

    /// Returns the most bytes that the detector has held of one launch.
    pub fn most_bytes(&self) -> u64 {
        self.largest.lock().unwrap_or_else(PoisonError::into_inner).0
    }
}
