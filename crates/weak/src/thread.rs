//! The clocks of a thread.

use crate::known::Known;
use crate::message::{Heads, Received};
use crate::path::Path;
use clocks::{Shared, Tick};
use rustc_hash::FxHashMap;

/// A thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    pub block: u32,
    /// The thread's number in its block: warp * 32 + lane.
    pub thread: u32,
}

/// The largest number of threads in a block.
const BLOCK: u32 = 1024;

/// The number of a thread's copies after which a new one counts as a successor of an earlier one.
const COPIES: u32 = 32;

impl ThreadId {
    /// Returns the thread that performs this thread's copy with a number.
    pub(crate) fn copy(self, number: u32) -> ThreadId {
        ThreadId { thread: self.thread + BLOCK * (1 + number % COPIES), ..self }
    }

    /// Returns the thread that has issued this one, or itself if it is no copy.
    pub(crate) fn issuer(self) -> ThreadId {
        ThreadId { thread: self.thread % BLOCK, ..self }
    }
}

/// A point in a thread's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub thread: ThreadId,
    pub at: Tick,
}

impl Event {
    /// Returns whether this event of any thread is in the clock of `thread`.
    pub(crate) fn is_in(&self, thread: ThreadId, clock: &Shared) -> bool {
        self.thread == thread || clock.thread(self.thread.block, self.thread.thread) >= self.at
    }

    /// Returns whether this event, an access by one path, precedes an access of the same location by `to` of a
    /// thread with this knowledge, in proxy-preserved base causality order. An event of the thread itself is an
    /// earlier one.
    pub(crate) fn is_known(&self, path: Path, thread: ThreadId, known: &Known, to: Path) -> bool {
        let crossing = path.crossing(self.thread.block, to, thread.block);
        crossing.is_none() && self.thread == thread
            || known.thread(crossing, self.thread.block, self.thread.thread) >= self.at
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub id: ThreadId,
    /// The events of other threads that precede this thread's next operation in base causality order.
    pub known: Known,
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
            known: Known::default(),
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
    pub(crate) fn whole(&self) -> Known {
        let mut clock = self.known.clone();
        clock.raise(self.id.block, self.id.thread, self.now);
        clock
    }

    /// Returns the clock of everything so far, and begins a new epoch.
    pub(crate) fn publish(&mut self) -> Known {
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
