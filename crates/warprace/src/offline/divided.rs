//! One trace, one detector, several threads.
//!
//! The papers' lenses are divided by memory ([`detect::lens::shard`]): every worker hears the whole trace, and
//! lets pass what is others' to judge. `ptx` follows releases through memory, so there it is the
//! blocks that are dealt ([`trace::Deal::Blocks`]): one detector hears them from several threads, and this
//! module has those meet at the host's events. Either way the findings are those of one worker.

use detect::ptx::{PtxMonitor, PtxObserver};
use events::observer::Footprint;
use events::{Access, Account, Finding, HostEvent, Listener, Monitor, Observer, Sync};
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
            // Not worth a meeting: they say nothing of order or memory.
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

    /// Of all shares, told by the first.
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
