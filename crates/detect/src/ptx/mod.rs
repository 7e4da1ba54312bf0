//! The lens `ptx`: data races by the letter of the PTX memory consistency model.

mod cell;
mod class;
mod classify;
mod elements;
mod knowledge;
mod launch;
mod mbarrier;
mod observer;
mod ops;
mod release;
mod report;
mod state;
mod sync;

pub use observer::PtxObserver;

use events::observer::{Footprint, RangeAccess};
use events::{Allocation, Finding, Monitor, TaskId, TaskInfo, TaskKind};
use launch::Launch;
use observer::Launches;
use report::Sink;
use std::sync::{Arc, PoisonError};

/// How to read what the ISA leaves open, and how much to spend.
#[derive(Clone, Debug)]
pub struct PtxOptions {
    /// Is `volatile` relaxed at system scope (PTX §8.4.2), or a plain access?
    pub volatile_strong: bool,
    /// Most bytes of shadow state; beyond them accesses are no longer checked, and [`Monitor::limits`] says so.
    pub max_shadow_bytes: Option<u64>,
}

impl Default for PtxOptions {
    fn default() -> Self {
        PtxOptions { volatile_strong: true, max_shadow_bytes: None }
    }
}

/// The detector.
#[derive(Debug, Default)]
pub struct PtxMonitor {
    options: PtxOptions,
    launches: Launches,
    sink: Arc<Sink>,
}

impl PtxMonitor {
    pub fn new(options: PtxOptions) -> Self {
        PtxMonitor { options, ..PtxMonitor::default() }
    }
}

impl Monitor for PtxMonitor {
    type Observer = PtxObserver;

    fn observer(&self, _: usize) -> PtxObserver {
        PtxObserver::new(self.options.clone(), self.launches.clone())
    }

    fn parallel(&self) -> bool {
        true
    }

    fn task_start(&self, task: &TaskInfo) {
        if let TaskKind::Launch(info) = &task.kind {
            let launch = Arc::new(Launch::new(task.id, info.clone(), self.sink.clone()));
            self.launches.write().unwrap_or_else(PoisonError::into_inner).insert(task.id, launch);
        }
    }

    fn task_end(&self, task: TaskId) {
        self.launches.write().unwrap_or_else(PoisonError::into_inner).remove(&task);
    }

    fn task_after(&self, _: TaskId, _: &[TaskId]) {}

    fn range(&self, _: &RangeAccess) {}

    fn alloc(&self, _: &Allocation) {}

    fn free(&self, _: u64, _: u64) {}

    fn findings(&self) -> Vec<Finding> {
        self.sink.take()
    }

    fn limits(&self) -> Vec<String> {
        Vec::new()
    }

    fn footprint(&self) -> Footprint {
        let launches = self.launches.read().unwrap_or_else(PoisonError::into_inner);
        launches.values().fold(Footprint::default(), |sum, launch| {
            let one = launch.footprint();
            Footprint {
                shadow_bytes: sum.shadow_bytes + one.shadow_bytes,
                touched_bytes: sum.touched_bytes + one.touched_bytes,
            }
        })
    }
}
