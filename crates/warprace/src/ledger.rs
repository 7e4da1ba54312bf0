//! The tasks and allocations of a trace, to which its other events and the findings refer.

use events::{Allocation, Dim3, HostEvent, SharedVariable, TaskId, TaskInfo, TaskKind};
use std::collections::HashMap;

/// The facts that host events have stated so far.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) tasks: Vec<TaskInfo>,
    /// Allocations in order. Freed ones stay, since findings may name them.
    pub(crate) allocations: Vec<Allocation>,
    /// Variables in the shared memory of a kernel's blocks, by the kernel's mangled name.
    pub(crate) shared: HashMap<String, Vec<SharedVariable>>,
}

impl Ledger {
    /// Records the tasks and allocations of an event.
    pub(crate) fn note(&mut self, event: &HostEvent<'_>) {
        match event {
            HostEvent::TaskStart(task) => self.tasks.push(task.clone().into_owned()),
            HostEvent::Launched(task, facts) => {
                if let Some((.., kernel)) = self.launch(*task).filter(|_| !facts.shared.is_empty()) {
                    let kernel = kernel.to_owned();
                    self.shared.entry(kernel).or_insert_with(|| facts.shared.clone());
                }
            }
            HostEvent::Alloc(allocation) => self.allocations.push(allocation.clone().into_owned()),
            HostEvent::TaskEnd(_)
            | HostEvent::TaskAfter(..)
            | HostEvent::Range(_)
            | HostEvent::Free { .. }
            | HostEvent::Apart(..)
            | HostEvent::Site(..)
            | HostEvent::End => {}
        }
    }

    pub(crate) fn task(&self, task: TaskId) -> Option<&TaskInfo> {
        self.tasks.iter().find(|t| t.id == task)
    }

    /// Returns a launch's grid and block extents, and its kernel.
    pub(crate) fn launch(&self, task: TaskId) -> Option<(Dim3, Dim3, &str)> {
        match &self.task(task)?.kind {
            TaskKind::Launch(l) => Some((l.grid, l.block, &l.kernel)),
            _ => None,
        }
    }

    /// Returns the last allocation that held a global address.
    pub(crate) fn holder(&self, address: u64) -> Option<&Allocation> {
        self.allocations.iter().rev().find(|a| (a.base..a.base + a.bytes).contains(&address))
    }
}
