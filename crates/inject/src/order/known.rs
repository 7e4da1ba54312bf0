//! What a point of the program is known to be after.

use events::{StreamId, TaskId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A set of tasks closed under "before", kept as the latest task of each chain.
///
/// Tasks of one chain are totally ordered and their ids grow along it, so the
/// latest known task of a chain stands for all before it. `heads` are the members
/// that no other member is after: the direct edges that say it all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    clock: Arc<BTreeMap<StreamId, TaskId>>,
    heads: Vec<(StreamId, TaskId)>,
}

impl Known {
    /// Is `task` of `chain`, or a later one of it, in the set?
    pub(crate) fn covers(&self, chain: StreamId, task: TaskId) -> bool {
        self.clock.get(&chain).is_some_and(|&last| last >= task)
    }

    /// Adds all that `other` knows.
    pub(crate) fn join(&mut self, other: &Known) {
        if other.heads.iter().all(|&(chain, task)| self.covers(chain, task)) {
            return;
        }
        if self.heads.iter().all(|&(chain, task)| other.covers(chain, task)) {
            *self = other.clone();
            return;
        }
        // A head survives unless the other side knows something after it. Order has no
        // cycles, so two heads never hide each other; equal ones are kept once.
        let mut heads: Vec<_> = self
            .heads
            .iter()
            .copied()
            .filter(|head| other.heads.contains(head) || !other.covers(head.0, head.1))
            .collect();
        for &head in &other.heads {
            if !self.covers(head.0, head.1) {
                heads.push(head);
            }
        }
        self.heads = heads;
        let clock = Arc::make_mut(&mut self.clock);
        for (&chain, &task) in other.clock.iter() {
            let last = clock.entry(chain).or_insert(task);
            *last = (*last).max(task);
        }
    }

    /// What is known once `task`, which is after all of this set, is known, too.
    pub(crate) fn then(mut self, chain: StreamId, task: TaskId) -> Known {
        Arc::make_mut(&mut self.clock).insert(chain, task);
        self.heads.clear();
        self.heads.push((chain, task));
        self
    }

    /// The members that no other member is after.
    pub(crate) fn heads(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.heads.iter().map(|&(_, task)| task)
    }

    /// The latest known task of a chain.
    pub(crate) fn last(&self, chain: StreamId) -> Option<TaskId> {
        self.clock.get(&chain).copied()
    }

    /// How many chains it speaks of.
    #[cfg(test)]
    pub(crate) fn width(&self) -> usize {
        self.clock.len()
    }
}
