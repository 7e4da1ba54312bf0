//! The clocks of a thread.

use crate::message::{Heads, Received};
use clocks::{Shared, Tick};
use rustc_hash::FxHashMap;

/// A thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    pub block: u32,
    /// The thread's number in its block: warp * 32 + lane.
    pub thread: u32,
}

/// A point in a thread's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub thread: ThreadId,
    pub at: Tick,
}

impl Event {
    /// Returns whether this event of any thread is in the clock of `thread`.
    pub(crate) fn is_known(&self, thread: ThreadId, clock: &Shared) -> bool {
        self.thread == thread || clock.thread(self.thread.block, self.thread.thread) >= self.at
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub id: ThreadId,
    /// The events of other threads that precede this thread's next operation in base causality order.
    pub known: Shared,
    /// The thread's epoch: it advances whenever the thread publishes its clock.
    pub now: Tick,
    /// The release fences so far.
    pub released: Heads,
    /// Observed by strong reads, for the next acquire fence.
    pub received: Received,
    /// The events that precede the thread's next one in every interleaving with the same values.
    pub past: Shared,
    /// Counts the thread's accesses.
    pub steps: Tick,
}

impl Thread {
    fn new(id: ThreadId) -> Thread {
        Thread {
            id,
            known: Shared::default(),
            now: 1,
            released: Heads::default(),
            received: Received::default(),
            past: Shared::default(),
            steps: 0,
        }
    }

    pub(crate) fn event(&self) -> Event {
        Event { thread: self.id, at: self.now }
    }

    /// Returns the clock of everything so far.
    pub(crate) fn whole(&self) -> Shared {
        let mut clock = self.known.clone();
        clock.make_mut().block_mut(self.id.block).raise_thread(self.id.thread, self.now);
        clock
    }

    /// Returns the clock of everything so far, and begins a new epoch.
    pub(crate) fn publish(&mut self) -> Shared {
        let clock = self.whole();
        self.now += 1;
        clock
    }

    /// Counts an access, and returns it as an event of the past.
    pub(crate) fn step(&mut self) -> Event {
        self.steps += 1;
        Event { thread: self.id, at: self.steps }
    }

    /// Returns the past that includes this thread's accesses.
    pub(crate) fn whole_past(&self) -> Shared {
        let mut past = self.past.clone();
        past.make_mut().block_mut(self.id.block).raise_thread(self.id.thread, self.steps);
        past
    }
}

/// All threads that have accessed memory or synchronised.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threads(FxHashMap<ThreadId, Thread>);

impl Threads {
    pub(crate) fn get(&mut self, id: ThreadId) -> &mut Thread {
        self.0.entry(id).or_insert_with(|| Thread::new(id))
    }
}
