//! Two listeners to one execution.

use crate::access::Access;
use crate::finding::Finding;
use crate::ids::{SiteId, TaskId};
use crate::observer::{Footprint, Monitor, Observer, RangeAccess};
use crate::site::SiteTable;
use crate::sync::Sync;
use crate::task::{Allocation, TaskInfo};

/// Tells both everything, the first one first. As a monitor it answers for both together; what one
/// of them alone has found, ask that one.
#[derive(Clone, Debug, Default)]
pub struct Both<A, B>(pub A, pub B);

impl<A: Observer, B: Observer> Observer for Both<A, B> {
    fn active(&self) -> bool {
        self.0.active() || self.1.active()
    }

    fn access(&mut self, access: &Access<'_>) {
        self.0.access(access);
        self.1.access(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.0.sync(sync);
        self.1.sync(sync);
    }
}

impl<A: Monitor, B: Monitor> Monitor for Both<A, B> {
    type Observer = Both<A::Observer, B::Observer>;

    fn observer(&self, worker: usize) -> Self::Observer {
        Both(self.0.observer(worker), self.1.observer(worker))
    }

    fn parallel(&self) -> bool {
        self.0.parallel() && self.1.parallel()
    }

    fn task_start(&self, task: &TaskInfo) {
        self.0.task_start(task);
        self.1.task_start(task);
    }

    fn task_end(&self, task: TaskId) {
        self.0.task_end(task);
        self.1.task_end(task);
    }

    fn task_after(&self, task: TaskId, after: &[TaskId]) {
        self.0.task_after(task, after);
        self.1.task_after(task, after);
    }

    fn range(&self, range: &RangeAccess) {
        self.0.range(range);
        self.1.range(range);
    }

    fn alloc(&self, allocation: &Allocation) {
        self.0.alloc(allocation);
        self.1.alloc(allocation);
    }

    fn free(&self, base: u64, bytes: u64) {
        self.0.free(base, bytes);
        self.1.free(base, bytes);
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = self.0.findings();
        findings.append(&mut self.1.findings());
        findings
    }

    fn sites(&self, table: &SiteTable, from: SiteId) {
        self.0.sites(table, from);
        self.1.sites(table, from);
    }

    fn finish(&self) -> Result<(), String> {
        let (first, second) = (self.0.finish(), self.1.finish());
        first.and(second)
    }

    fn limits(&self) -> Vec<String> {
        let mut limits = self.0.limits();
        limits.append(&mut self.1.limits());
        limits
    }

    fn scope(&self) -> Vec<String> {
        let mut scope = self.0.scope();
        scope.append(&mut self.1.scope());
        scope
    }

    fn so_far(&self) -> Vec<Finding> {
        let mut found = self.0.so_far();
        found.append(&mut self.1.so_far());
        found
    }

    fn footprint(&self) -> Footprint {
        let (first, second) = (self.0.footprint(), self.1.footprint());
        Footprint {
            shadow_bytes: first.shadow_bytes + second.shadow_bytes,
            // Both describe the same memory.
            touched_bytes: first.touched_bytes.max(second.touched_bytes),
        }
    }
}
