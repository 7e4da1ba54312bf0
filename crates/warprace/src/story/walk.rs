//! Shows a trace event by event.

use crate::ledger::Ledger;
use events::{
    Access, Account, BlockId, Finding, HostEvent, Listener, Monitor, Observer, SiteTable, Sync, TaskId,
    ThreadId,
};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A thread of the whole run. A task that is no kernel is represented by [one thread](Thread::of_task).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Thread {
    pub(crate) task: TaskId,
    pub(crate) block: BlockId,
    pub(crate) thread: ThreadId,
}

impl Thread {
    /// Returns the thread that represents a copy or the host. No kernel has this block.
    pub(crate) fn of_task(task: TaskId) -> Thread {
        Thread { task, block: BlockId(u32::MAX), thread: ThreadId(0) }
    }
}

/// The tables to which a trace's events refer.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) sites: SiteTable,
    pub(crate) ledger: Ledger,
}

/// Receives a trace's events in order, with their numbers.
pub(crate) trait Walk: Send {
    fn access(&mut self, _number: u64, _access: &Access<'_>) {}
    fn sync(&mut self, _number: u64, _sync: &Sync<'_>) {}
    fn host(&mut self, _event: &HostEvent<'_>) {}
}

/// Adapts a walk to a monitor.
struct Walker<W> {
    inner: Arc<Mutex<(W, u64)>>,
}

struct WalkObserver<W>(Arc<Mutex<(W, u64)>>);

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<W: Walk> Observer for WalkObserver<W> {
    fn access(&mut self, access: &Access<'_>) {
        let mut inner = lock(&self.0);
        let number = inner.1;
        inner.1 += 1;
        inner.0.access(number, access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        let mut inner = lock(&self.0);
        let number = inner.1;
        inner.1 += 1;
        inner.0.sync(number, sync);
    }
}

impl<W: Walk> Listener for Walker<W> {
    fn host(&self, event: &HostEvent<'_>) {
        lock(&self.inner).0.host(event);
    }

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

impl<W: Walk> Monitor for Walker<W> {
    type Observer = WalkObserver<W>;

    fn observer(&self, _: usize) -> WalkObserver<W> {
        WalkObserver(Arc::clone(&self.inner))
    }
}

/// Shows a trace to `walk`, up to its end or its damage. Also returns the trace's sites.
pub(crate) fn walk<W: Walk>(trace: &Path, walk: W) -> Result<(W, SiteTable, Option<trace::Error>), String> {
    let file = File::open(trace).map_err(|e| format!("cannot open the record: {e}"))?;
    let walker = Walker { inner: Arc::new(Mutex::new((walk, 0))) };
    let (played, outcome) = trace::play(BufReader::new(file), &walker);
    let inner = Arc::into_inner(walker.inner).ok_or("the record is still being read")?;
    Ok((inner.into_inner().unwrap_or_else(PoisonError::into_inner).0, played.sites, outcome.err()))
}
