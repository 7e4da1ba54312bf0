//! How events flow from an engine to whoever listens.

use crate::access::Access;
use crate::finding::Finding;
use crate::ids::{SiteId, TaskId};
use crate::site::SiteTable;
use crate::sync::Sync;
use crate::task::{Allocation, TaskInfo};

/// One worker's ear. Engines are generic over it, so that the loop from
/// instruction to shadow state is one monomorphic piece of code; it is also
/// object safe, for listeners to which speed matters less.
///
/// All events of a block reach one observer, in the order in which they happened.
/// Events of blocks that run on different workers have no order between them; an
/// engine runs blocks on several workers only if the kernel's blocks cannot
/// communicate (`SyncUse::blocks_communicate` is false) and the monitor allows it.
pub trait Observer: Send {
    /// False lets the engine leave out all work that only events need.
    fn active(&self) -> bool {
        true
    }

    fn access(&mut self, access: &Access<'_>);

    fn sync(&mut self, sync: &Sync<'_>);
}

/// The whole listener: the host's side, and a factory of observers.
pub trait Monitor: std::marker::Sync + Send {
    type Observer: Observer;

    /// An observer for one worker. Called before a launch's first event.
    fn observer(&self, worker: usize) -> Self::Observer;

    /// May blocks of one launch be observed by several workers at once?
    fn parallel(&self) -> bool {
        false
    }

    fn task_start(&self, task: &TaskInfo);

    fn task_end(&self, task: TaskId);

    /// More order, learned later: `task` is also after `after` (a host segment after
    /// a synchronising call is a task of its own; this is for graphs and events).
    fn task_after(&self, task: TaskId, after: &[TaskId]);

    /// A task that is not a kernel (copy, memset, host function, host segment) touched a range.
    ///
    /// Copies and memsets are weak. What a host segment or host function does with 1, 2, 4 or 8
    /// naturally aligned bytes is one machine instruction that the program may mean as an
    /// atomic; it cannot be told. A detector that must not cry wolf takes it as strong at system
    /// scope, a read as an acquire and a write as a release. Called while kernels run, from any
    /// thread, but never in the middle of an engine's events.
    fn range(&self, range: &RangeAccess);

    fn alloc(&self, allocation: &Allocation);

    fn free(&self, base: u64, bytes: u64);

    /// What was found since the last call. Called at the end of every launch and at the end of the program.
    fn findings(&self) -> Vec<Finding>;

    /// What was found since that call, for those who cannot wait for the next one: it is told again then,
    /// and with more of it known. Findings between tasks may be missing.
    fn so_far(&self) -> Vec<Finding> {
        Vec::new()
    }

    /// Sites of the table from `from` on are new, or known better than before. Those who only
    /// detect need not know them; those who record do.
    fn sites(&self, _table: &SiteTable, _from: SiteId) {}

    /// The program ends in order. An error is what was lost.
    fn finish(&self) -> Result<(), String> {
        Ok(())
    }

    /// Why accesses went unchecked (a cap was hit, …), which forbids to call a run clean.
    fn limits(&self) -> Vec<String> {
        Vec::new()
    }

    /// What the detector does not look at by its definition, for who might expect it to.
    fn scope(&self) -> Vec<String> {
        Vec::new()
    }

    /// Bytes of shadow state held now and of memory they describe.
    fn footprint(&self) -> Footprint {
        Footprint::default()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub shadow_bytes: u64,
    pub touched_bytes: u64,
}

/// An access of `bytes` bytes from `address` by a whole task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeAccess {
    pub task: TaskId,
    pub site: Option<SiteId>,
    pub address: u64,
    pub bytes: u64,
    pub write: bool,
}

/// Listens to nothing: `--no-detect`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMonitor;

impl Observer for NoMonitor {
    #[inline(always)]
    fn active(&self) -> bool {
        false
    }

    #[inline(always)]
    fn access(&mut self, _: &Access<'_>) {}

    #[inline(always)]
    fn sync(&mut self, _: &Sync<'_>) {}
}

impl Monitor for NoMonitor {
    type Observer = NoMonitor;

    fn observer(&self, _: usize) -> NoMonitor {
        NoMonitor
    }

    fn parallel(&self) -> bool {
        true
    }

    fn task_start(&self, _: &TaskInfo) {}

    fn task_end(&self, _: TaskId) {}

    fn task_after(&self, _: TaskId, _: &[TaskId]) {}

    fn range(&self, _: &RangeAccess) {}

    fn alloc(&self, _: &Allocation) {}

    fn free(&self, _: u64, _: u64) {}

    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }
}

impl<T: Observer + ?Sized> Observer for Box<T> {
    fn active(&self) -> bool {
        (**self).active()
    }

    fn access(&mut self, access: &Access<'_>) {
        (**self).access(access)
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        (**self).sync(sync)
    }
}
