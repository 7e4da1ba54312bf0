//! A point's knowledge: the tasks that are ordered before it.

use events::{StreamId, TaskId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A set of tasks closed under happens-before, stored as the latest task of each chain (a vector clock).
///
/// Tasks of one chain are totally ordered and their ids grow along it, so the latest known task of a chain
/// stands for all before it. `heads` are the maximal members: the direct edges that imply all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    clock: Arc<BTreeMap<StreamId, TaskId>>,
    heads: Vec<(StreamId, TaskId)>,
}

impl stream_order::Known for Known {
    fn join(&mut self, other: &Known) {
        Known::join(self, other);
    }
}

impl Known {
    /// Returns whether `task` of `chain`, or a later task of the chain, is in the set.
    pub(crate) fn covers(&self, chain: StreamId, task: TaskId) -> bool {
        self.clock.get(&chain).is_some_and(|&last| last >= task)
    }

    /// Adds all tasks of `other`.
    pub(crate) fn join(&mut self, other: &Known) {
        if other.heads.iter().all(|&(chain, task)| self.covers(chain, task)) {
            return;
        }
        if self.heads.iter().all(|&(chain, task)| other.covers(chain, task)) {
            *self = other.clone();
            return;
        }
        // A head remains unless the other set has a task after it. Order has no cycles, so two heads never
        // hide each other; equal heads are stored once.
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

    /// Returns the set with `task`, which is ordered after all of its members.
    pub(crate) fn then(mut self, chain: StreamId, task: TaskId) -> Known {
        Arc::make_mut(&mut self.clock).insert(chain, task);
        self.heads.clear();
        self.heads.push((chain, task));
        self
    }

    /// Returns the maximal members.
    pub(crate) fn heads(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.heads.iter().map(|&(_, task)| task)
    }

    /// Returns the latest task of a chain in the set.
    pub(crate) fn last(&self, chain: StreamId) -> Option<TaskId> {
        self.clock.get(&chain).copied()
    }

    /// Returns the number of chains with a task in the set.
    #[cfg(test)]
    pub(crate) fn width(&self) -> usize {
        self.clock.len()
    }
}
