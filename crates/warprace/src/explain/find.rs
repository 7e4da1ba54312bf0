//! Where in a record a race is.

use detect::ptx::{PtxMonitor, PtxOptions};
use events::finding::Actor;
use events::{
    Access, Account, Allocation, BlockId, Dim3, Finding, HostEvent, Listener, Monitor, Observer, Site,
    SiteTable, Sync, TaskId, TaskInfo, TaskKind, ThreadId,
};
use protocol::{Replay, Volatile};
use report::model::Described;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A thread of the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Thread {
    pub(super) task: TaskId,
    pub(super) block: BlockId,
    pub(super) thread: ThreadId,
}

/// The race as it happened.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) threads: [Thread; 2],
    pub(super) finding: Finding,
    /// The event that completed it, counted from 0.
    pub(super) event: u64,
    pub(super) sites: SiteTable,
    pub(super) tasks: Vec<TaskInfo>,
    pub(super) allocations: Vec<Allocation>,
}

impl Found {
    /// Grid and block extents of a launch, and its kernel.
    pub(super) fn launch(&self, task: TaskId) -> Option<(Dim3, Dim3, &str)> {
        let info = self.tasks.iter().find(|t| t.id == task)?;
        match &info.kind {
            TaskKind::Launch(l) => Some((l.grid, l.block, &l.kernel)),
            _ => None,
        }
    }
}

/// Everything that a record's events are shown to, in order and with their numbers.
pub(super) trait Walk: Send {
    fn access(&mut self, _number: u64, _access: &Access<'_>) {}
    fn sync(&mut self, _number: u64, _sync: &Sync<'_>) {}
    fn host(&mut self, _event: &HostEvent<'_>) {}
}

/// A walk as a monitor.
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

/// Shows a record to `walk`; the sites come back with it.
pub(super) fn walk<W: Walk>(trace: &Path, walk: W) -> Result<(W, SiteTable), String> {
    let file = File::open(trace).map_err(|e| format!("cannot open the record: {e}"))?;
    let walker = Walker { inner: Arc::new(Mutex::new((walk, 0))) };
    let (played, outcome) = trace::play(BufReader::new(file), &walker);
    if let Err(error) = outcome {
        terminal_note(&error);
    }
    let inner = Arc::into_inner(walker.inner).ok_or("the record is still being read")?;
    Ok((inner.into_inner().unwrap_or_else(PoisonError::into_inner).0, played.sites))
}

fn terminal_note(error: &trace::Error) {
    crate::terminal::error(&format!("the record ends early: {error}"));
}

/// Asks a lens after each access.
struct Finder<M: Monitor> {
    monitor: M,
    observer: M::Observer,
    /// All that it found, and after which event.
    found: Vec<(u64, Finding)>,
    tasks: Vec<TaskInfo>,
    allocations: Vec<Allocation>,
}

/// More than this is not the first of anything any more.
const MOST: usize = 100_000;

impl<M: Monitor> Finder<M> {
    fn ask(&mut self, number: u64) {
        if self.found.len() < MOST {
            self.found.extend(self.monitor.findings().into_iter().map(|f| (number, f)));
        }
    }
}

impl<M: Monitor + Send> Walk for Finder<M> {
    fn access(&mut self, number: u64, access: &Access<'_>) {
        self.observer.access(access);
        self.ask(number);
    }

    fn sync(&mut self, number: u64, sync: &Sync<'_>) {
        self.observer.sync(sync);
        self.ask(number);
    }

    fn host(&mut self, event: &HostEvent<'_>) {
        self.monitor.host(event);
        match event {
            HostEvent::TaskStart(task) => self.tasks.push(task.clone().into_owned()),
            HostEvent::TaskEnd(_) => self.ask(u64::MAX),
            HostEvent::Alloc(allocation) => self.allocations.push(allocation.clone().into_owned()),
            HostEvent::TaskAfter(..)
            | HostEvent::Range(_)
            | HostEvent::Free { .. }
            | HostEvent::Launched(..)
            | HostEvent::Site(..)
            | HostEvent::End => {}
        }
    }
}

/// The race of the record that `wanted` describes, by the lens that found it.
pub(super) fn find(trace: &Path, wanted: &Described, replay: &Replay) -> Result<Found, String> {
    match replay.lens.serial() {
        Some(lens) => find_with(trace, wanted, lens),
        None => {
            let volatile_strong = replay.volatile == Volatile::Strong;
            find_with(trace, wanted, PtxMonitor::new(PtxOptions { volatile_strong, ..PtxOptions::default() }))
        }
    }
}

fn find_with<M: Monitor + Send>(trace: &Path, wanted: &Described, monitor: M) -> Result<Found, String> {
    let observer = monitor.observer(0);
    let finder = Finder { monitor, observer, found: Vec::new(), tasks: Vec::new(), allocations: Vec::new() };
    let (finder, sites) = walk(trace, finder)?;
    let Finder { found, tasks, allocations, .. } = finder;
    let same_sites = |f: &Finding| {
        let is = |i: usize, j: usize| {
            let site = f.sides[i].site.and_then(|id| sites.get(id));
            site.is_some_and(|site| is_at(site, wanted, j))
        };
        is(0, 0) && is(1, 1) || is(0, 1) && is(1, 0)
    };
    let same_threads = |f: &Finding| {
        let who = |i: usize| coordinates(&tasks, f, i);
        let wanted = [0, 1].map(|i| wanted.accesses[i].block.zip(wanted.accesses[i].thread));
        [who(0), who(1)] == wanted || [who(1), who(0)] == wanted
    };
    let mut all: Vec<(u64, Finding)> = found.into_iter().filter(|(_, f)| same_sites(f)).collect();
    let exact = all.iter().position(|(_, f)| f.class == wanted.class && same_threads(f));
    let like = || all.iter().position(|(_, f)| f.class == wanted.class);
    let at = exact.or_else(like).unwrap_or(0);
    if all.is_empty() {
        return Err(
            "run again, the program does not show this: has it, or its input, changed? What it reads from \
                    standard input must be given again (`warprace explain REPORT N < INPUT`)"
                .to_owned(),
        );
    }
    let (event, finding) = all.swap_remove(at);
    let thread = |i: usize| match finding.sides[i].who {
        Actor::Thread { block, thread } => Ok(Thread { task: finding.sides[i].task, block, thread }),
        _ => Err("one side is no kernel's".to_owned()),
    };
    Ok(Found { threads: [thread(0)?, thread(1)?], event, finding, sites, tasks, allocations })
}

/// Is it the instruction of one of the described accesses?
fn is_at(site: &Site, wanted: &Described, access: usize) -> bool {
    let access = &wanted.accesses[access];
    site.ptx_line == access.ptx_line && site.text == access.instruction
}

type Coordinates = ([u32; 3], [u32; 3]);

fn coordinates(tasks: &[TaskInfo], f: &Finding, side: usize) -> Option<Coordinates> {
    let side = &f.sides[side];
    let Actor::Thread { block, thread } = side.who else { return None };
    let TaskKind::Launch(l) = &tasks.iter().find(|t| t.id == side.task)?.kind else { return None };
    let (b, t) = (l.grid.coordinates(block.0.into()), l.block.coordinates(thread.0.into()));
    Some(([b.x, b.y, b.z], [t.x, t.y, t.z]))
}
