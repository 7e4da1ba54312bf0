//! One trace, one detector, several threads.
//!
//! The papers' lenses are divided by memory ([`detect::lens::shard`]): every worker hears the whole trace, and
//! lets pass what is others' to judge. `ptx` follows releases through memory, so there it is the
//! blocks that are dealt ([`trace::Deal::Blocks`]): one detector hears them from several threads, and this
//! module has those meet at the host's events. Either way the findings are those of one worker.

use detect::ptx::{PtxMonitor, PtxObserver};
use events::observer::{Footprint, RangeAccess};
use events::{Access, Allocation, Finding, Monitor, Observer, Sync, TaskId, TaskInfo};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Where the workers wait for each other, at the host's events.
pub(super) struct Meeting {
    state: Mutex<State>,
    all_here: Condvar,
}

struct State {
    members: usize,
    arrived: usize,
    round: u64,
}

impl Meeting {
    pub(super) fn new(members: usize) -> Self {
        Meeting { state: Mutex::new(State { members, arrived: 0, round: 0 }), all_here: Condvar::new() }
    }

    fn wait(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.arrived += 1;
        let round = state.round;
        if !self.complete(&mut state) {
            while state.round == round {
                state = self.all_here.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// A worker is done, whatever the reason: the others need not wait for it.
    fn leave(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.members -= 1;
        self.complete(&mut state);
    }

    fn complete(&self, state: &mut State) -> bool {
        let complete = state.arrived >= state.members;
        if complete {
            state.arrived = 0;
            state.round += 1;
            self.all_here.notify_all();
        }
        complete
    }
}

/// A worker's share of a `ptx` monitor.
pub(super) struct Blocks {
    monitor: Arc<PtxMonitor>,
    meeting: Arc<Meeting>,
    index: usize,
    workers: usize,
}

/// Lives while its worker reads.
pub(super) struct BlocksObserver {
    inner: PtxObserver,
    meeting: Arc<Meeting>,
}

impl Blocks {
    /// The shares of `workers` workers.
    pub(super) fn all(monitor: PtxMonitor, workers: usize) -> Vec<Blocks> {
        let (monitor, meeting) = (Arc::new(monitor), Arc::new(Meeting::new(workers)));
        (0..workers)
            .map(|index| Blocks {
                monitor: Arc::clone(&monitor),
                meeting: Arc::clone(&meeting),
                index,
                workers,
            })
            .collect()
    }

    /// What the host did is told once, when all kernels' events before it have been heard.
    fn once(&self, tell: impl FnOnce(&PtxMonitor)) {
        self.meeting.wait();
        if self.index == 0 {
            tell(&self.monitor);
        }
        self.meeting.wait();
    }
}

impl Drop for BlocksObserver {
    fn drop(&mut self) {
        self.meeting.leave();
    }
}

impl Monitor for Blocks {
    type Observer = BlocksObserver;

    fn observer(&self, _: usize) -> BlocksObserver {
        BlocksObserver { inner: self.monitor.observer(self.index), meeting: Arc::clone(&self.meeting) }
    }

    fn task_start(&self, task: &TaskInfo) {
        self.once(|monitor| monitor.task_start(task));
    }

    fn task_end(&self, task: TaskId) {
        self.once(|monitor| monitor.before_end(task));
        self.monitor.sum_up(task, self.index, self.workers);
        self.once(|monitor| monitor.task_end(task));
    }

    fn task_after(&self, task: TaskId, after: &[TaskId]) {
        self.once(|monitor| monitor.task_after(task, after));
    }

    fn range(&self, range: &RangeAccess) {
        self.once(|monitor| monitor.range(range));
    }

    fn alloc(&self, allocation: &Allocation) {
        self.once(|monitor| monitor.alloc(allocation));
    }

    fn free(&self, base: u64, bytes: u64) {
        self.once(|monitor| monitor.free(base, bytes));
    }

    fn findings(&self) -> Vec<Finding> {
        self.monitor.findings()
    }

    fn limits(&self) -> Vec<String> {
        self.monitor.limits()
    }

    fn scope(&self) -> Vec<String> {
        self.monitor.scope()
    }

    /// Of all shares, told by the first.
    fn footprint(&self) -> Footprint {
        if self.index == 0 { self.monitor.footprint() } else { Footprint::default() }
    }
}

impl Observer for BlocksObserver {
    fn access(&mut self, access: &Access<'_>) {
        self.inner.access(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.inner.sync(sync);
    }
}
