//! Collects what a report needs to know of an execution besides its findings, while a trace is played: the
//! tasks, the allocations and what was checked.

use crate::ledger::Ledger;
use events::{Account, Finding, HostEvent, Listener, Location, Monitor, Space, TaskInfo, TaskKind};
use names::Engine;
use protocol::{Counters, KernelSummary, Reported};
use std::sync::{Mutex, MutexGuard, PoisonError};
use trace::Played;

/// A monitor that also takes notes.
pub(super) struct Noted<M> {
    pub(super) inner: M,
    ledger: Mutex<Ledger>,
}

impl<M: Monitor> Noted<M> {
    pub(super) fn new(inner: M) -> Self {
        Noted { inner, ledger: Mutex::default() }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the findings, each with the last allocation that held its address.
    pub(super) fn reported(&self, engine: Engine, findings: Vec<Finding>) -> Vec<Reported> {
        let ledger = self.ledger();
        let holder = |at: Location| match at.space {
            Space::Global => ledger.holder(at.address).cloned(),
            Space::Shared(_) | Space::Tensor(_) => None,
        };
        let reported = |finding: Finding| Reported {
            engine,
            allocation: holder(Location { space: finding.space, address: finding.sides[1].address }),
            others: finding.locations().filter_map(holder).collect(),
            tensor: None,
            finding,
            schedules: Vec::new(),
        };
        findings.into_iter().map(reported).collect()
    }

    /// Returns the other parts of a result: tasks, and summaries of the kernels' activity.
    pub(super) fn summary(&self, played: &Played) -> (Vec<TaskInfo>, Vec<KernelSummary>, Counters) {
        let ledger = self.ledger();
        let mut kernels: Vec<KernelSummary> = Vec::new();
        let mut counters = Counters { allocations: ledger.allocations.len() as u64, ..Counters::default() };
        for task in &ledger.tasks {
            let launch = match &task.kind {
                TaskKind::Launch(launch) => launch,
                TaskKind::Copy => {
                    counters.copies += 1;
                    continue;
                }
                TaskKind::Memset => {
                    counters.memsets += 1;
                    continue;
                }
                TaskKind::HostFunction | TaskKind::HostSegment { .. } => continue,
            };
            let at = kernels.iter().position(|k| k.name == launch.kernel).unwrap_or_else(|| {
                kernels.push(KernelSummary {
                    name: launch.kernel.clone(),
                    shared: ledger.shared.get(&launch.kernel).cloned().unwrap_or_default(),
                    has_line_info: played.sites.iter().any(|(_, site)| !site.frames.is_empty()),
                    ..KernelSummary::default()
                });
                kernels.len() - 1
            });
            let (blocks, made) =
                (launch.grid.count(), played.counts.get(&task.id).map_or(0, |count| count.accesses));
            let threads = blocks * launch.block.count();
            let kernel = &mut kernels[at];
            kernel.launches += 1;
            kernel.checked += 1;
            kernel.blocks += blocks;
            kernel.threads += threads;
            kernel.accesses += made;
            counters.launches += 1;
            counters.checked += 1;
            counters.threads += threads;
            counters.accesses += made;
            counters.checked_accesses += made;
        }
        (ledger.tasks.clone(), kernels, counters)
    }
}

impl<M: Monitor> Listener for Noted<M> {
    fn host(&self, event: &HostEvent<'_>) {
        self.ledger().note(event);
        self.inner.host(event);
    }

    fn findings(&self) -> Vec<Finding> {
        self.inner.findings()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.inner.so_far()
    }

    fn account(&self) -> Account {
        self.inner.account()
    }
}

impl<M: Monitor> Monitor for Noted<M> {
    type Observer = M::Observer;

    fn observer(&self, worker: usize) -> Self::Observer {
        self.inner.observer(worker)
    }

    fn parallel(&self) -> bool {
        self.inner.parallel()
    }
}
