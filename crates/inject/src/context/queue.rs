//! The queue of submitted and incomplete work.

use super::{State, Work};
use crate::order::Known;
use events::{TaskId, TaskInfo};
use std::collections::{BTreeMap, HashSet};

/// Identifies an operation, in order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct OpId(pub(crate) u64);

/// Submitted work.
pub(crate) struct Op {
    pub(crate) device: u32,
    pub(crate) task: TaskInfo,
    /// Tasks that must be complete first.
    pub(crate) after: Vec<TaskId>,
    /// The clock that a waiter for this operation joins.
    pub(crate) known: Known,
    pub(crate) work: Work,
}

/// The stage of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Waiting,
    /// A host function that its thread is calling, or a kernel that has begun.
    Running,
}

/// An event's record, which is stamped with the time at which everything before it is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) event: usize,
    /// The number of the event's record.
    pub(crate) serial: u64,
    pub(crate) after: Vec<TaskId>,
}

#[derive(Default)]
pub(super) struct Queue {
    next: u64,
    marks: Vec<Mark>,
    ops: BTreeMap<OpId, (Stage, Option<Op>)>,
    tasks: HashSet<TaskId>,
    /// Kernels and all else that may take long, or wait: not copies and fills.
    long: HashSet<OpId>,
}

impl Queue {
    pub(super) fn push(&mut self, op: Op) -> OpId {
        let id = OpId(self.next);
        self.next += 1;
        self.tasks.insert(op.task.id);
        if matches!(op.work, Work::Kernel(_) | Work::HostFunction(_) | Work::Gate(_)) {
            self.long.insert(id);
        }
        self.ops.insert(id, (Stage::Waiting, Some(op)));
        id
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    pub(super) fn mark(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// Removes and returns the marks whose predecessors are complete, in the order of their records.
    pub(super) fn reached(&mut self) -> Vec<Mark> {
        let tasks = &self.tasks;
        self.marks.extract_if(.., |mark| mark.after.iter().all(|task| !tasks.contains(task))).collect()
    }

    /// Returns whether all that is not complete moves bytes only.
    pub(super) fn is_short(&self) -> bool {
        self.long.is_empty()
    }

    /// Is everything in `known` complete?
    pub(super) fn complete(&self, known: &Known) -> bool {
        // A task completes only after everything that is ordered before it, so the heads suffice.
        known.heads().all(|task| !self.tasks.contains(&task))
    }

    /// Returns the first operation in submission order that waits for nothing.
    pub(super) fn ready(&self) -> Option<OpId> {
        self.ops.iter().find_map(|(&id, (stage, op))| {
            let op = op.as_ref()?;
            let ready = *stage == Stage::Waiting
                && op.after.iter().all(|task| !self.tasks.contains(task))
                && !matches!(&op.work, Work::Gate(gate) if !gate.is_open());
            ready.then_some(id)
        })
    }

    /// Returns whether an operation waits for nothing.
    pub(super) fn has_ready(&self) -> bool {
        self.ready().is_some()
    }

    /// Returns whether an operation waits for another process.
    pub(super) fn has_gates(&self) -> bool {
        self.ops.values().any(|(_, op)| matches!(op, Some(Op { work: Work::Gate(_), .. })))
    }

    /// Takes a waiting operation's content to run it; the operation stays pending.
    pub(super) fn start(&mut self, id: OpId) -> Option<Op> {
        let (stage, op) = self.ops.get_mut(&id)?;
        *stage = Stage::Running;
        op.take()
    }

    /// Marks an operation as done.
    pub(super) fn finish(&mut self, id: OpId, task: TaskId) {
        self.ops.remove(&id);
        self.tasks.remove(&task);
        self.long.remove(&id);
    }

    /// Removes all waiting operations of a device as if they were done, since its context is lost.
    pub(super) fn drop_device(&mut self, device: u32) -> Vec<(OpId, Op)> {
        let ids: Vec<OpId> = self
            .ops
            .iter()
            .filter(|(_, (stage, op))| {
                *stage == Stage::Waiting && op.as_ref().is_some_and(|op| op.device == device)
            })
            .map(|(&id, _)| id)
            .collect();
        ids.into_iter()
            .filter_map(|id| {
                let op = self.ops.remove(&id)?.1?;
                self.tasks.remove(&op.task.id);
                self.long.remove(&id);
                Some((id, op))
            })
            .collect()
    }
}

impl State {
    /// Returns whether everything in `known` is complete.
    pub(crate) fn is_complete(&self, known: &Known) -> bool {
        self.queue.complete(known)
    }

    /// Returns whether all submitted work is complete.
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    pub(crate) fn enqueue(&mut self, op: Op) -> OpId {
        self.unsettle();
        self.queue.push(op)
    }

    /// Takes the next operation that waits for nothing.
    pub(crate) fn next_op(&mut self) -> Option<(OpId, Op)> {
        let id = self.queue.ready()?;
        Some((id, self.queue.start(id)?))
    }

    /// Marks an operation as done, and stamps the marks that this reaches.
    pub(crate) fn op_done(&mut self, id: OpId, task: TaskId) {
        self.queue.finish(id, task);
        self.stamp_reached();
    }

    /// Adds an operation of a lost context, which counts as done and never runs.
    pub(crate) fn skip(&mut self, op: Op) -> OpId {
        let id = self.queue.push(op);
        if let Some(op) = self.queue.start(id) {
            self.queue.finish(id, op.task.id);
        }
        id
    }

    /// Marks the last operation of a failed device as done, and returns the operations that waited with it.
    pub(crate) fn last_op_done(&mut self, id: OpId, task: TaskId, device: u32) -> Vec<(OpId, Op)> {
        self.queue.finish(id, task);
        let dropped = self.queue.drop_device(device);
        self.stamp_reached();
        dropped
    }

    /// Returns whether an operation waits for another process.
    pub(crate) fn waits_for_others(&self) -> bool {
        self.queue.has_gates()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::{Order, StreamKind};
    use events::task::{HostCall as Call, TaskKind};

    fn op(order: &mut Order, stream: crate::order::StreamKey) -> Op {
        let placed = order.submit(stream);
        let task = TaskInfo {
            id: placed.id,
            kind: TaskKind::Memset,
            stream: placed.chain,
            after: placed.after.clone(),
            call: Call::default(),
            device: 0,
            overlap: None,
            launcher: None,
        };
        Op { device: 0, task, after: placed.after, known: placed.known, work: Work::Free { address: 0 } }
    }

    #[test]
    fn work_becomes_ready_in_order_and_waits_for_its_stream() {
        let (mut order, mut queue) = (Order::new(), Queue::default());
        let s = order.new_stream(0, StreamKind::NonBlocking);
        let t = order.new_stream(0, StreamKind::NonBlocking);
        let first = queue.push(op(&mut order, s));
        let second = queue.push(op(&mut order, s));
        let other = queue.push(op(&mut order, t));
        assert_eq!(queue.ready(), Some(first));
        let running = queue.start(first).unwrap();
        assert_eq!(queue.ready(), Some(other), "the second waits for the first");
        let waited = order.stream(s);
        assert!(!queue.complete(&waited));
        queue.finish(first, running.task.id);
        assert_eq!(queue.ready(), Some(second));
        let running = queue.start(second).unwrap();
        queue.finish(second, running.task.id);
        assert!(queue.complete(&waited));
        assert!(!queue.complete(&order.stream(t)));
    }

    #[test]
    fn a_mark_is_reached_when_all_before_it_is_complete() {
        let (mut order, mut queue) = (Order::new(), Queue::default());
        let s = order.new_stream(0, StreamKind::NonBlocking);
        let at_once = Mark { event: 1, serial: 0, after: Vec::new() };
        queue.mark(at_once.clone());
        assert_eq!(queue.reached(), [at_once]);
        let id = queue.push(op(&mut order, s));
        let known = order.mark(s);
        let later = Mark { event: 2, serial: 0, after: known.heads().collect() };
        queue.mark(later.clone());
        assert!(queue.reached().is_empty());
        let running = queue.start(id).unwrap();
        queue.finish(id, running.task.id);
        assert_eq!(queue.reached(), [later]);
        assert!(queue.reached().is_empty());
    }

    #[test]
    fn a_lost_device_has_no_work() {
        let (mut order, mut queue) = (Order::new(), Queue::default());
        let s = order.new_stream(0, StreamKind::Blocking);
        for _ in 0..3 {
            queue.push(op(&mut order, s));
        }
        assert_eq!(queue.drop_device(0).len(), 3);
        assert!(queue.is_empty() && queue.complete(&order.stream(s)));
    }
}
