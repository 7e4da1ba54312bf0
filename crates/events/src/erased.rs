//! A monitor whose type its users do not know.

use crate::finding::Finding;
use crate::host::HostEvent;
use crate::observer::{Account, Listener, Monitor, Observer};
use std::sync::Arc;

/// A monitor of any type. An engine is compiled anew for each type of monitor that it is used with; for listeners to which the
/// indirect call of each event costs little it is compiled once, for this type.
#[derive(Clone)]
pub struct Erased(Arc<dyn AnyMonitor>);

impl Erased {
    pub fn new<M: Monitor<Observer: 'static> + 'static>(monitor: Arc<M>) -> Self {
        Erased(monitor)
    }
}

/// A monitor whose observers are type-erased.
trait AnyMonitor: Listener {
    fn boxed(&self, worker: usize) -> Box<dyn Observer>;

    fn may_run_in_parallel(&self) -> bool;
}

impl<M: Monitor<Observer: 'static>> AnyMonitor for M {
    fn boxed(&self, worker: usize) -> Box<dyn Observer> {
        Box::new(self.observer(worker))
    }

    fn may_run_in_parallel(&self) -> bool {
        self.parallel()
    }
}

impl Listener for Erased {
    fn host(&self, event: &HostEvent<'_>) {
        self.0.host(event);
    }

    fn findings(&self) -> Vec<Finding> {
        self.0.findings()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.0.so_far()
    }

    fn account(&self) -> Account {
        self.0.account()
    }
}

impl Monitor for Erased {
    type Observer = Box<dyn Observer>;

    fn observer(&self, worker: usize) -> Self::Observer {
        self.0.boxed(worker)
    }

    fn parallel(&self) -> bool {
        self.0.may_run_in_parallel()
    }
}
