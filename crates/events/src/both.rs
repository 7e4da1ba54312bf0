//! Two listeners to one execution.

use crate::access::Access;
use crate::finding::Finding;
use crate::host::HostEvent;
use crate::ids::TaskId;
use crate::observer::{Account, Footprint, Listener, Monitor, Observer};
use crate::sync::Sync;

/// Tells both everything, the first one first. As a monitor it answers for both together; what one
/// of them alone has found, ask that one.
#[derive(Clone, Debug, Default)]
pub struct Both<A, B>(pub A, pub B);

impl<A: Observer, B: Observer> Observer for Both<A, B> {
    fn active(&self) -> bool {
        self.0.active() || self.1.active()
    }

    fn wants_values(&self, task: TaskId) -> bool {
        self.0.wants_values(task) || self.1.wants_values(task)
    }

    fn access(&mut self, access: &Access<'_>) {
        self.0.access(access);
        self.1.access(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.0.sync(sync);
        self.1.sync(sync);
    }

    fn rest(&mut self) {
        self.0.rest();
        self.1.rest();
    }
}

impl<A: Listener, B: Listener> Listener for Both<A, B> {
    fn host(&self, event: &HostEvent<'_>) {
        self.0.host(event);
        self.1.host(event);
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = self.0.findings();
        findings.append(&mut self.1.findings());
        findings
    }

    fn so_far(&self) -> Vec<Finding> {
        let mut found = self.0.so_far();
        found.append(&mut self.1.so_far());
        found
    }

    fn account(&self) -> Account {
        let Account { mut limits, mut scope, overlooked, footprint: first } = self.0.account();
        let Account { limits: more_limits, scope: more_scope, overlooked: other, footprint: second } =
            self.1.account();
        limits.extend(more_limits);
        scope.extend(more_scope);
        let footprint = Footprint {
            shadow_bytes: first.shadow_bytes + second.shadow_bytes,
            // Both describe the same memory.
            touched_bytes: first.touched_bytes.max(second.touched_bytes),
        };
        // One of the two may be no detector.
        let overlooked = overlooked.max(other);
        Account { limits, scope, overlooked, footprint }
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
}
