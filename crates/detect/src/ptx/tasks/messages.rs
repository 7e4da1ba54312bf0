//! Messages between tasks that run at the same time: a flag that the one sets and the other waits for.
//!
//! A message orders what is before its sender before what is after its receiver: a kernel that sets a flag hands
//! over what its stream did before.

use super::order::{Kind, Order, Reach, Task};
use super::pair::{Pairs, synchronises};
use events::TaskId;
use std::collections::BTreeSet;

/// A message from a task to another that runs beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    from: TaskId,
    to: TaskId,
}

/// Messages that tasks may have sent.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// Messages between tasks that have ended, by operations that reach far enough.
    sent: BTreeSet<Message>,
    /// Messages of tasks that go on: their releases and acquires are not known yet, nor what a kernel has accessed.
    open: Vec<Message>,
}

/// Whether two tasks can be ordered by messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Yes,
    /// It depends on a task that goes on.
    Perhaps,
    No,
}

impl Messages {
    /// Takes the messages of pairs of tasks.
    pub(super) fn hear(&mut self, order: &Order, pairs: &Pairs) {
        self.open.clear();
        self.sent.retain(|message| order.get(message.from).is_some() && order.get(message.to).is_some());
        for (&(first, second), pair) in pairs {
            let (Some(a), Some(b)) = (order.get(first), order.get(second)) else { continue };
            // A flag may be among what was forgotten.
            let forgot = a.forgot() || b.forgot();
            let ways = [
                (pair.first_to_second || forgot, (a, b), Message { from: first, to: second }),
                (pair.second_to_first || forgot, (b, a), Message { from: second, to: first }),
            ];
            for (_, (sender, receiver), message) in ways.into_iter().filter(|(can, ..)| *can) {
                let have_ended = sender.ended && receiver.ended;
                if !have_ended {
                    self.open.push(message);
                } else if synchronises(sender, receiver) {
                    self.sent.insert(message);
                }
            }
        }
        self.running(order);
    }

    /// Adds the messages between kernels that have not ended and those beside them: a running kernel has no footprint
    /// yet.
    fn running(&mut self, order: &Order) {
        let launches = || order.tasks().filter(|(_, task)| task.kind == Kind::Launch);
        for (running, of) in launches().filter(|(_, task)| !task.ended) {
            for (other, task) in launches().filter(|(other, _)| !order.ordered(running, *other)) {
                if may_synchronise(task, of, task.releases) {
                    self.open.push(Message { from: other, to: running });
                }
                if may_synchronise(task, of, task.acquires) {
                    self.open.push(Message { from: running, to: other });
                }
            }
        }
    }

    /// Returns whether messages can order one of two tasks after the other.
    pub(super) fn between(&self, order: &Order, a: TaskId, b: TaskId) -> Told {
        let told = |messages: &[&Message]| leads(order, messages, a, b) || leads(order, messages, b, a);
        let mut messages: Vec<&Message> = self.sent.iter().collect();
        if told(&messages) {
            return Told::Yes;
        }
        messages.extend(&self.open);
        if !self.open.is_empty() && told(&messages) { Told::Perhaps } else { Told::No }
    }
}

/// Returns whether a kernel's operations, of which `by` reaches furthest, may synchronise with a running one.
fn may_synchronise(kernel: &Task, running: &Task, by: Option<Reach>) -> bool {
    !kernel.ended || by.is_some_and(|reach| reach.scope >= kernel.scope_between(running))
}

/// Returns whether messages lead from a task, or one after it, to another, or one before that.
fn leads(order: &Order, messages: &[&Message], from: TaskId, to: TaskId) -> bool {
    let mut left: Vec<&Message> = messages.to_vec();
    let mut reached = vec![from];
    while let Some(task) = reached.pop() {
        let mut rest = Vec::with_capacity(left.len());
        for message in left {
            if !order.is_before(task, message.from) {
                rest.push(message);
            } else if order.is_before(message.to, to) {
                return true;
            } else {
                reached.push(message.to);
            }
        }
        left = rest;
    }
    false
}
