//! How events flow from an engine to whoever listens.

use crate::access::Access;
use crate::finding::Finding;
use crate::host::HostEvent;

use crate::ids::TaskId;
use crate::sync::Sync;

/// Hears what kernels do, on behalf of one worker. Engines are generic over it, so that the loop from
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

    /// False lets it leave out the values of strong loads and stores of that task.
    fn wants_values(&self, _: TaskId) -> bool {
        true
    }

    fn access(&mut self, access: &Access<'_>);

    fn sync(&mut self, sync: &Sync<'_>);

    /// The worker has nothing to tell for a while, or no more: what was put off is to be done now.
    fn rest(&mut self) {}
}

/// Receives the host's side, and answers with findings. No method has a default: a wrapper of a listener
/// passes on all of it.
pub trait Listener: std::marker::Sync + Send {
    fn host(&self, event: &HostEvent<'_>);

    /// Returns the findings since the last call. Called at the end of every launch and at the end of the
    /// program.
    fn findings(&self) -> Vec<Finding>;

    /// Returns the findings since that call, for callers that cannot wait for the next one. They are returned
    /// again then, with more of them known. Findings between tasks may be missing.
    fn so_far(&self) -> Vec<Finding>;

    /// Returns what was not checked, and what it takes to check the rest.
    fn account(&self) -> Account;
}

/// The whole listener: the host's side, and a factory of observers.
pub trait Monitor: Listener {
    type Observer: Observer;

    /// An observer for one worker. Called before a launch's first event.
    fn observer(&self, worker: usize) -> Self::Observer;

    /// Returns whether several workers may observe blocks of one launch at once.
    fn parallel(&self) -> bool {
        false
    }
}

/// A listener's account of its work, up to now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Why accesses went unchecked (a cap was hit, a trace could not be written, …), which forbids to call a run
    /// clean.
    pub limits: Vec<String>,
    /// Accesses that the detector does not check by its definition, for users that might expect it to.
    pub scope: Vec<String>,
    /// Accesses of threads, in launches that were checked, that the detector does not look at by its definition.
    pub overlooked: u64,
    pub footprint: Footprint,
}

/// Bytes of shadow state held now and of memory they describe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub shadow_bytes: u64,
    pub touched_bytes: u64,
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

impl Listener for NoMonitor {
    fn host(&self, _: &HostEvent<'_>) {}

    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn account(&self) -> Account {
        Account::default()
    }
}

impl Monitor for NoMonitor {
    type Observer = NoMonitor;

    fn observer(&self, _: usize) -> NoMonitor {
        NoMonitor
    }

    fn parallel(&self) -> bool {
        true
    }
}

impl<T: Observer + ?Sized> Observer for Box<T> {
    fn active(&self) -> bool {
        (**self).active()
    }

    fn wants_values(&self, task: TaskId) -> bool {
        (**self).wants_values(task)
    }

    fn access(&mut self, access: &Access<'_>) {
        (**self).access(access)
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        (**self).sync(sync)
    }

    fn rest(&mut self) {
        (**self).rest()
    }
}
