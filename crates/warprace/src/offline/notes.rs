//! What a report needs to know of an execution besides its findings: the tasks, the
//! allocations and what was checked, gathered while a trace is played.

use events::observer::{Footprint, RangeAccess};
use events::{
    Access, Allocation, BlockId, Finding, LaneMask, Monitor, Observer, Sync, TaskId, TaskInfo, TaskKind,
};
use report::protocol::{Counters, KernelSummary, Reported};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A monitor with its notes beside it.
pub(super) struct Noted<M> {
    pub(super) inner: M,
    notes: Mutex<Notes>,
    accesses: Arc<Accesses>,
}

#[derive(Default)]
struct Accesses {
    by_task: Mutex<HashMap<TaskId, u64>>,
    warp_events: AtomicU64,
}

#[derive(Default)]
pub(super) struct Notes {
    pub(super) tasks: Vec<TaskInfo>,
    /// In order of allocation; freed ones stay, since findings may name them.
    pub(super) allocations: Vec<Allocation>,
    pub(super) copies: u64,
    pub(super) memsets: u64,
}

pub(super) struct NotedObserver<O> {
    inner: O,
    accesses: Arc<Accesses>,
    task: TaskId,
    /// Accesses of `task` not yet added to the shared count.
    pending: u64,
    events: u64,
}

impl<M: Monitor> Noted<M> {
    pub(super) fn new(inner: M) -> Self {
        Noted { inner, notes: Mutex::default(), accesses: Arc::default() }
    }

    /// Warp-level events that kernels made.
    pub(super) fn warp_events(&self) -> u64 {
        self.accesses.warp_events.load(Ordering::Relaxed)
    }

    fn notes(&self) -> std::sync::MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Findings, each with the allocation that held its address last.
    pub(super) fn reported(&self, findings: Vec<Finding>) -> Vec<Reported> {
        let notes = self.notes();
        let covers = |a: &&Allocation, address: u64| (a.base..a.base + a.bytes).contains(&address);
        let holder = |finding: &Finding| match finding.space {
            events::Space::Global => {
                notes.allocations.iter().rev().find(|a| covers(a, finding.sides[1].address)).cloned()
            }
            events::Space::Shared(_) => None,
        };
        let reported = |finding| Reported { allocation: holder(&finding), finding, schedules: Vec::new() };
        findings.into_iter().map(reported).collect()
    }

    /// Everything else a result tells.
    pub(super) fn summary(&self) -> (Vec<TaskInfo>, Vec<KernelSummary>, Counters) {
        let notes = self.notes();
        let accesses = self.accesses.by_task.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kernels: Vec<KernelSummary> = Vec::new();
        let mut counters = Counters {
            copies: notes.copies,
            memsets: notes.memsets,
            allocations: notes.allocations.len() as u64,
            ..Counters::default()
        };
        for task in &notes.tasks {
            let TaskKind::Launch(launch) = &task.kind else { continue };
            let at = kernels.iter().position(|k| k.name == launch.kernel).unwrap_or_else(|| {
                kernels.push(KernelSummary {
                    name: launch.kernel.clone(),
                    has_line_info: true,
                    ..KernelSummary::default()
                });
                kernels.len() - 1
            });
            let (blocks, made) = (launch.grid.count(), accesses.get(&task.id).copied().unwrap_or(0));
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
        }
        (notes.tasks.clone(), kernels, counters)
    }
}

impl<O> NotedObserver<O> {
    fn count(&mut self, task: TaskId, lanes: LaneMask) {
        if task != self.task {
            self.settle();
            self.task = task;
        }
        self.pending += u64::from(lanes.count_ones());
        self.events += 1;
    }

    fn settle(&mut self) {
        if self.pending > 0 {
            let mut tasks = self.accesses.by_task.lock().unwrap_or_else(PoisonError::into_inner);
            *tasks.entry(self.task).or_default() += self.pending;
            self.pending = 0;
        }
        self.accesses.warp_events.fetch_add(self.events, Ordering::Relaxed);
        self.events = 0;
    }
}

impl<O> Drop for NotedObserver<O> {
    fn drop(&mut self) {
        self.settle();
    }
}

impl<O: Observer> Observer for NotedObserver<O> {
    fn hears(&mut self, task: TaskId, block: BlockId) -> bool {
        self.inner.hears(task, block)
    }

    fn passed(&mut self, task: TaskId, lanes: LaneMask) {
        self.count(task, lanes);
        self.inner.passed(task, lanes);
    }

    fn access(&mut self, access: &Access<'_>) {
        self.count(access.warp.task, access.mask);
        self.inner.access(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.events += 1;
        self.inner.sync(sync);
    }
}

impl<M: Monitor> Monitor for Noted<M> {
    type Observer = NotedObserver<M::Observer>;

    fn observer(&self, worker: usize) -> Self::Observer {
        NotedObserver {
            inner: self.inner.observer(worker),
            accesses: Arc::clone(&self.accesses),
            task: TaskId::default(),
            pending: 0,
            events: 0,
        }
    }

    fn task_start(&self, task: &TaskInfo) {
        let mut notes = self.notes();
        match task.kind {
            TaskKind::Copy => notes.copies += 1,
            TaskKind::Memset => notes.memsets += 1,
            _ => {}
        }
        notes.tasks.push(task.clone());
        drop(notes);
        self.inner.task_start(task);
    }

    fn task_end(&self, task: TaskId) {
        self.inner.task_end(task);
    }

    fn task_after(&self, task: TaskId, after: &[TaskId]) {
        self.inner.task_after(task, after);
    }

    fn range(&self, range: &RangeAccess) {
        self.inner.range(range);
    }

    fn alloc(&self, allocation: &Allocation) {
        self.notes().allocations.push(allocation.clone());
        self.inner.alloc(allocation);
    }

    fn free(&self, base: u64, bytes: u64) {
        self.inner.free(base, bytes);
    }

    fn findings(&self) -> Vec<Finding> {
        self.inner.findings()
    }

    fn limits(&self) -> Vec<String> {
        self.inner.limits()
    }

    fn footprint(&self) -> Footprint {
        self.inner.footprint()
    }
}
