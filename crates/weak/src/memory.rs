//! The memory of a launch: its locations, and the accesses of threads.

use crate::access::{Update, acquire_received, exchange, read_from, write_at};
use crate::choose::Choose;
use crate::history::History;
use crate::late::{self, Late};
use crate::meetings::Meetings;
use crate::message::Reach;
use crate::operation::{Operation, Place, Strong, Updated};
use crate::outcome::{Outcome, Outcomes};
use crate::path::Proxy;
use crate::stronger::Stronger;
use crate::thread::Threads;
use events::{Scope, Sem, Space, Strength};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// The number of locations beyond which all histories are forgotten.
pub(crate) const LOCATIONS: usize = 1 << 17;

/// The memory of one launch.
pub struct Memory {
    pub(crate) threads: Threads,
    pub(crate) meetings: Meetings,
    choose: Box<dyn Choose>,
    /// The histories by chunk of eight bytes.
    pub(crate) chunks: FxHashMap<(Space, u64), SmallVec<[History; 1]>>,
    /// Counts the points at which every thread came to know all writes so far.
    floor: u64,
    stronger: BTreeSet<Stronger>,
    /// Whether the launch has clusters of several blocks.
    clustered: bool,
    pub(crate) outcomes: Outcomes,
    /// The accesses that threads have passed, in the order in which they did.
    pub(crate) late: Vec<Late>,
    /// The number of accesses that threads have passed so far.
    pub(crate) passed: u64,
    /// The number of its later accesses before which a thread may leave one undone.
    pub(crate) window: u32,
    /// Whether each choice is the one of an interleaving.
    pub(crate) settled: bool,
}

impl Memory {
    pub fn new(choose: Box<dyn Choose>, clustered: bool) -> Memory {
        Memory {
            threads: Threads::default(),
            meetings: Meetings::default(),
            choose,
            chunks: FxHashMap::default(),
            floor: 0,
            stronger: BTreeSet::new(),
            clustered,
            outcomes: Outcomes::default(),
            late: Vec::new(),
            passed: 0,
            window: late::WINDOW,
            settled: false,
        }
    }

    /// Returns the values so far that no interleaving explains, the first of each pair of instructions.
    pub fn outcomes(&self) -> &[Outcome] {
        self.outcomes.all()
    }

    /// Sets whether each choice is the one of an interleaving from now on. Loops that wait need such reads.
    pub fn settle(&mut self, settled: bool) {
        self.settled = settled;
    }

    pub(crate) fn choose(&mut self, options: usize) -> usize {
        if options > 1 && !self.settled { self.choose.choose(options) } else { 0 }
    }

    /// Makes everything written so far visible to all threads.
    pub fn floor(&mut self, why: Stronger) {
        self.stronger.insert(why);
        self.floor += 1;
    }

    /// Returns what was treated as stronger than PTX requires.
    pub fn stronger(&self) -> impl Iterator<Item = Stronger> {
        self.stronger.iter().copied()
    }

    pub(crate) fn reach(&self, scope: Scope) -> Reach {
        Reach::of(scope, self.clustered)
    }

    pub(crate) fn strong(&self, strength: Strength) -> Option<Strong> {
        match strength {
            Strength::Weak => None,
            // PTX §8.4.2.
            Strength::Volatile => Some(Strong { sem: Sem::Relaxed, reach: self.reach(Scope::Sys) }),
            Strength::Strong { sem, scope } => Some(Strong { sem, reach: self.reach(scope) }),
        }
    }

    /// Returns whether a read must be reported: those of constants need not be where nothing was written.
    pub fn concerns(&self, operation: &Operation) -> bool {
        operation.path.proxy != Proxy::Constant || self.has_history(operation)
    }

    /// Returns whether something beside the operation's bytes has been accessed.
    pub fn has_history(&self, operation: &Operation) -> bool {
        self.chunks.contains_key(&operation.place.chunk())
    }

    /// Reads a scalar: returns the value of one of the writes that the thread may observe. Memory holds
    /// `there`.
    pub fn read(&mut self, operation: &Operation, there: u64) -> u64 {
        let pieces = self.pieces(&operation.place);
        if pieces.len() > 1 {
            return self.read_pieces(operation, &pieces, there);
        }
        let mut history = self.take(&operation.place, there);
        let strong = self.strong(operation.strength);
        let thread = self.threads.get(operation.thread);
        acquire_received(&mut history, thread, strong);
        thread.step();
        let bound = history.bound(thread, operation.path);
        let readable = history.readable(thread, operation.path, bound, strong.is_none());
        let at = readable[self.choose(readable.len())];
        let thread = self.threads.get(operation.thread);
        let value = read_from(&mut history, thread, operation, strong, (at, bound), &mut self.outcomes);
        self.put(&operation.place, history);
        value
    }

    /// Writes a scalar where memory holds `there`; returns the value that memory holds afterwards.
    pub fn write(&mut self, operation: &Operation, there: u64, value: u64) -> u64 {
        let pieces = self.pieces(&operation.place);
        if pieces.len() > 1 {
            self.write_pieces(operation, &pieces, there, value);
            return value;
        }
        let mut history = self.take(&operation.place, there);
        let strong = self.strong(operation.strength);
        let party = operation.party(strong);
        let thread = self.threads.get(operation.thread);
        let places = history.places(&party, thread, history.bound(thread, operation.path));
        let at = places[self.choose(places.len())];
        let thread = self.threads.get(operation.thread);
        write_at(&mut history, thread, operation, strong, (at, value), &mut self.outcomes);
        let known = thread.known.clone();
        self.follow(operation, history.last_id(), &known);
        let newest = history.newest();
        self.put(&operation.place, history);
        newest
    }

    /// Performs a read-modify-write where memory holds `there`; `change` computes the new value from the old.
    /// `returns` is false for `red`, which acquires nothing. Returns `None`, without effect, if `change` does.
    pub fn update(
        &mut self,
        operation: &Operation,
        there: u64,
        returns: bool,
        change: impl FnOnce(u64) -> Option<u64>,
    ) -> Option<Updated> {
        self.unite(&operation.place);
        let mut history = self.take(&operation.place, there);
        let strong = self.strong(operation.strength);
        let thread = self.threads.get(operation.thread);
        let read = strong.filter(|_| returns);
        acquire_received(&mut history, thread, read);
        thread.step();
        let options = history.exchanges(&operation.party(strong), thread);
        let chosen = options[self.choose(options.len())];
        let Some(new) = change(history.writes[chosen.source].value) else {
            self.put(&operation.place, history);
            return None;
        };
        let thread = self.threads.get(operation.thread);
        let how = Update { read, strong, chosen, new, heads: None };
        let done = exchange(&mut history, thread, operation, how, &mut self.outcomes);
        let known = thread.known.clone();
        self.follow(operation, history.last_id(), &known);
        self.put(&operation.place, history);
        Some(done)
    }

    /// Removes the history of a piece, to be returned by [`Memory::put`]. Memory holds `there`.
    pub(crate) fn take(&mut self, place: &Place, there: u64) -> History {
        if self.chunks.len() > LOCATIONS && self.late.is_empty() {
            self.chunks.clear();
        }
        let chunk = self.chunks.entry(place.chunk()).or_default();
        let Some(at) = chunk.iter().position(|h| h.is_at(place)) else {
            return History::new((place.address & 7) as u8, place.bytes, there, self.floor);
        };
        let mut history = chunk.swap_remove(at);
        if history.newest() != there {
            // Written by the host, another kernel, or an operation that is not modelled.
            self.floor += 1;
            history.reset(there);
        }
        if history.floor < self.floor {
            history.floor = self.floor;
            history.flatten();
        }
        history
    }

    pub(crate) fn put(&mut self, place: &Place, history: History) {
        self.chunks.entry(place.chunk()).or_default().push(history);
    }
}
