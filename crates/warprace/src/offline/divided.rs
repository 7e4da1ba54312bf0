//! Runs one detector on a trace with several threads.
//!
//! The published lenses are sharded by memory ([`detect::lens::shard`]): each worker receives the whole trace
//! and ignores the accesses of other shards. Lens `ptx` follows releases through memory, so its work is
//! divided by blocks ([`trace::Deal::Blocks`]): one detector receives events from several threads, and this
//! module synchronises these threads at the host's events. Either way the findings equal those of a single
//! worker.

use detect::ptx::{PtxMonitor, PtxObserver};
use events::observer::Footprint;
use events::{Access, Account, Finding, HostEvent, Listener, Monitor, Observer, Sync};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// A barrier of the workers at host events.
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

    /// Removes a worker that is done for any reason, so that the others do not wait for it.
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

/// A worker's observer. It lives while the worker reads.
pub(super) struct BlocksObserver {
    inner: PtxObserver,
    meeting: Arc<Meeting>,
}

impl Blocks {
    /// Returns the shares of `workers` workers.
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

    pub(super) fn monitor(&self) -> &Arc<PtxMonitor> {
        &self.monitor
    }

    /// Passes a host event on once, after all workers have processed the kernel events before it.
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

impl Listener for Blocks {
    fn host(&self, event: &HostEvent<'_>) {
        match event {
            HostEvent::TaskEnd(task) => {
                self.once(|monitor| monitor.before_end(*task));
                self.monitor.sum_up(*task, self.index, self.workers);
                self.once(|monitor| monitor.host(event));
            }
            HostEvent::TaskStart(_)
            | HostEvent::TaskAfter(..)
            | HostEvent::Range(_)
            | HostEvent::Alloc(_)
            | HostEvent::Apart(..)
            | HostEvent::Free { .. } => self.once(|monitor| monitor.host(event)),
            // These events affect neither order nor memory, so no barrier is needed.
            HostEvent::Launched(..) | HostEvent::Site(..) | HostEvent::End if self.index == 0 => {
                self.monitor.host(event)
            }
            HostEvent::Launched(..) | HostEvent::Site(..) | HostEvent::End => {}
        }
    }

    fn findings(&self) -> Vec<Finding> {
        self.monitor.findings()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.monitor.so_far()
    }

    /// Returns the account of all shares. Only the first share has a footprint, so that it is counted once.
    fn account(&self) -> Account {
        let account = self.monitor.account();
        let footprint = if self.index == 0 { account.footprint } else { Footprint::default() };
        Account { footprint, ..account }
    }
}

impl Monitor for Blocks {
    type Observer = BlocksObserver;

    fn observer(&self, _: usize) -> BlocksObserver {
        BlocksObserver { inner: self.monitor.observer(self.index), meeting: Arc::clone(&self.meeting) }
    }
}

impl Observer for BlocksObserver {
    fn access(&mut self, access: &Access<'_>) {
        self.inner.access(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.inner.sync(sync);
    }

    fn rest(&mut self) {
        self.inner.rest();
    }
}
