//! Locations, and the accesses of threads.

use crate::choose::Choose;
use crate::history::History;
use crate::meetings::Meetings;
use crate::message::{Heads, Message, Reach, Received};
use crate::outcome::{Kind, Missed, Outcome, Outcomes};
use crate::thread::{Thread, ThreadId, Threads};
use crate::write::{Author, Party, Write};
use clocks::Shared;
use events::{Scope, Sem, SiteId, Space, Strength};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A scalar in memory: at most eight bytes, naturally aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub space: Space,
    pub address: u64,
    pub bytes: u8,
}

/// An access of a scalar by a thread.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub thread: ThreadId,
    pub site: SiteId,
    pub strength: Strength,
    pub place: Place,
}

/// The result of a read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Updated {
    pub old: u64,
    pub new: u64,
    /// The value that memory holds afterwards, the last in coherence order.
    pub newest: u64,
}

/// The number of locations beyond which all histories are forgotten.
const LOCATIONS: usize = 1 << 17;

/// The memory of one launch.
pub struct Memory {
    pub(crate) threads: Threads,
    pub(crate) meetings: Meetings,
    choose: Box<dyn Choose>,
    /// The histories by chunk of eight bytes.
    chunks: FxHashMap<(Space, u64), SmallVec<[History; 1]>>,
    /// Counts the points at which every thread came to know all writes so far.
    floor: u64,
    /// Whether the launch has clusters of several blocks.
    clustered: bool,
    outcomes: Outcomes,
    /// Whether each choice is the one of an interleaving.
    settled: bool,
}

/// The semantics and the reach of a strong operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strong {
    pub sem: Sem,
    pub reach: Reach,
}

impl Memory {
    pub fn new(choose: Box<dyn Choose>, clustered: bool) -> Memory {
        Memory {
            threads: Threads::default(),
            meetings: Meetings::default(),
            choose,
            chunks: FxHashMap::default(),
            floor: 0,
            clustered,
            outcomes: Outcomes::default(),
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

    fn choose(&mut self, options: usize) -> usize {
        if options > 1 && !self.settled { self.choose.choose(options) } else { 0 }
    }

    /// Makes everything written so far visible to all threads.
    pub fn floor(&mut self) {
        self.floor += 1;
    }

    pub(crate) fn reach(&self, scope: Scope) -> Reach {
        Reach::of(scope, self.clustered)
    }

    fn strong(&self, strength: Strength) -> Option<Strong> {
        match strength {
            Strength::Weak => None,
            // PTX §8.4.2.
            Strength::Volatile => Some(Strong { sem: Sem::Relaxed, reach: self.reach(Scope::Sys) }),
            Strength::Strong { sem, scope } => Some(Strong { sem, reach: self.reach(scope) }),
        }
    }

    /// Reads a scalar: returns the value of one of the writes that the thread may observe. Memory holds
    /// `there`.
    pub fn read(&mut self, operation: &Operation, there: u64) -> u64 {
        let mut history = self.take(&operation.place, there);
        let strong = self.strong(operation.strength);
        let thread = self.threads.get(operation.thread);
        if let Some(Strong { sem, reach }) = strong
            && sem.acquires()
        {
            acquire_received(&mut history, thread, reach);
        }
        let bound = history.bound(thread);
        let readable = history.readable(thread, bound, strong.is_none());
        let chosen = self.choose(readable.len());
        let at = readable[chosen];
        let thread = self.threads.get(operation.thread);
        if at < bound {
            history.keep_apart(thread, at, strong.is_none());
        }
        observe(&mut history, thread, at, strong);
        let value = history.writes[at].value;
        if let Some(missed) = read_past(&mut history, thread, at) {
            self.outcomes.add(outcome(operation, Kind::Stale, value, missed));
        }
        self.put(&operation.place, history);
        value
    }

    /// Writes a scalar where memory holds `there`; returns the value that memory holds afterwards.
    pub fn write(&mut self, operation: &Operation, there: u64, value: u64) -> u64 {
        let mut history = self.take(&operation.place, there);
        let strong = self.strong(operation.strength);
        let party = Party { thread: operation.thread, reach: strong.map(|s| s.reach) };
        let thread = self.threads.get(operation.thread);
        let places = history.places(&party, thread, history.bound(thread));
        let chosen = self.choose(places.len());
        let at = places[chosen];
        let mut stored = Stored { at, value, source: None, message: Message::default() };
        self.store(operation, &mut history, strong, &mut stored);
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
        let mut history = self.take(&operation.place, there);
        let strong = self.strong(operation.strength);
        let party = Party { thread: operation.thread, reach: strong.map(|s| s.reach) };
        let thread = self.threads.get(operation.thread);
        let read = strong.filter(|_| returns);
        if let Some(Strong { sem, reach }) = read
            && sem.acquires()
        {
            acquire_received(&mut history, thread, reach);
        }
        let bound = history.bound(thread);
        let mut options: SmallVec<[Exchange; 4]> = SmallVec::new();
        for source in (bound..history.writes.len()).rev() {
            let places = history.places_after(&party, thread, source, bound);
            options.extend(places.into_iter().map(|at| Exchange { source, at }));
        }
        let chosen = self.choose(options.len());
        let Exchange { source, at } = options[chosen];
        let old = history.writes[source].value;
        let Some(new) = change(old) else {
            self.put(&operation.place, history);
            return None;
        };
        let thread = self.threads.get(operation.thread);
        observe(&mut history, thread, source, read);
        let missed = read_past(&mut history, thread, source);
        let from = &mut history.writes[source];
        let mut message = Message::default();
        if from.is_strong_with(&party) {
            // Observation order continues through atomics (§8.9.2).
            message = from.message.clone();
            from.observe(thread.event());
        }
        let id = from.id;
        if let Some(missed) = missed {
            self.outcomes.add(outcome(operation, Kind::Stale, old, missed));
        }
        let mut stored = Stored { at, value: new, source: Some(id), message };
        self.store(operation, &mut history, strong, &mut stored);
        let newest = history.newest();
        self.put(&operation.place, history);
        Some(Updated { old, new, newest })
    }

    fn store(
        &mut self,
        operation: &Operation,
        history: &mut History,
        strong: Option<Strong>,
        stored: &mut Stored,
    ) {
        let thread = self.threads.get(operation.thread);
        let event = thread.event();
        if let Some(strong) = strong {
            let heads = release_heads(history, thread, strong);
            stored.message.add(operation.thread.block, &heads);
        }
        let step = thread.step();
        let author = Author { event, step, site: operation.site };
        let write = Write {
            id: history.new_id(),
            value: stored.value,
            author: Some(author),
            strong: strong.map(|s| s.reach),
            message: std::mem::take(&mut stored.message),
            observers: SmallVec::new(),
            causes: history.writes.iter().filter(|w| w.precedes(thread)).map(|w| w.id).collect(),
            source: stored.source,
            past: Shared::default(),
            readers: Shared::default(),
        };
        if let Some(missed) = write_past(history, thread, write, stored.at) {
            self.outcomes.add(outcome(operation, Kind::Overtaken, stored.value, missed));
        }
    }

    /// Removes the history of a location, to be returned by [`Memory::put`]. Memory holds `there`.
    fn take(&mut self, place: &Place, there: u64) -> History {
        if self.chunks.len() > LOCATIONS {
            self.chunks.clear();
        }
        let offset = (place.address & 7) as u8;
        let chunk = self.chunks.entry((place.space, place.address >> 3)).or_default();
        let end = offset + place.bytes;
        let overlaps = |h: &History| h.offset < end && offset < h.offset + h.bytes;
        let same = |h: &History| (h.offset, h.bytes) == (offset, place.bytes);
        if chunk.iter().any(|h| overlaps(h) && !same(h)) {
            // Accesses of other sizes: the axioms do not order them (§8.7.2).
            chunk.retain(|h| !overlaps(h));
            self.floor += 1;
        }
        let Some(at) = chunk.iter().position(same) else {
            return History::new(offset, place.bytes, there, self.floor);
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

    fn put(&mut self, place: &Place, history: History) {
        self.chunks.entry((place.space, place.address >> 3)).or_default().push(history);
    }
}

/// A choice of a read-modify-write: the write that it reads and its own place.
#[derive(Clone, Copy)]
struct Exchange {
    source: usize,
    at: usize,
}

/// A write that is about to be inserted.
struct Stored {
    at: usize,
    value: u64,
    source: Option<u64>,
    message: Message,
}

fn outcome(operation: &Operation, kind: Kind, value: u64, missed: Missed) -> Outcome {
    let Operation { thread, site, place, .. } = *operation;
    let Place { space, address, bytes } = place;
    Outcome { kind, site, thread, space, address, bytes, value, missed }
}

/// Acquires what earlier strong reads of the location observed: the acquire pattern of a read and a later
/// acquire operation on the same location (§8.8).
fn acquire_received(history: &mut History, thread: &mut Thread, reach: Reach) {
    if let Some(patterns) = history.patterns(thread.id) {
        patterns.received.acquire(reach, &mut thread.known);
    }
}

/// Records that a strong read observes the write at `at`, if the two are morally strong.
fn observe(history: &mut History, thread: &mut Thread, at: usize, strong: Option<Strong>) {
    let Some(Strong { sem, reach }) = strong else { return };
    let write = &mut history.writes[at];
    if !write.is_strong_with(&Party { thread: thread.id, reach: Some(reach) }) {
        return;
    }
    write.observe(thread.event());
    let received: Received = write.message.received(thread.id.block);
    if received.is_empty() {
        return;
    }
    if sem.acquires() {
        received.acquire(reach, &mut thread.known);
    }
    thread.received.join(&received);
    history.make_patterns(thread.id).received.join(&received);
}

/// Returns the first operations of the release patterns that end in a strong write of the thread, and records
/// the write as such a first operation if it releases.
fn release_heads(history: &mut History, thread: &mut Thread, strong: Strong) -> Heads {
    let mut heads = thread.released.clone();
    if strong.sem.releases() {
        let clock = thread.publish();
        history.make_patterns(thread.id).released.release(&clock, strong.reach);
    }
    if let Some(patterns) = history.patterns(thread.id) {
        heads.join(&patterns.released);
    }
    heads
}

/// Updates the pasts for a read of the write at `at`. Returns a later write that the thread's past contains.
fn read_past(history: &mut History, thread: &mut Thread, at: usize) -> Option<Missed> {
    let missed = in_past(&history.writes[at + 1..], thread);
    thread.past.join(&history.writes[at].past);
    thread.step();
    let past = thread.whole_past();
    history.writes[at].readers.join(&past);
    // The read precedes every later write.
    history.writes[at + 1..].iter_mut().for_each(|later| later.past.join(&past));
    missed
}

/// Inserts a write and updates the pasts. Returns a write behind it that the thread's past contains.
fn write_past(history: &mut History, thread: &mut Thread, mut write: Write, at: usize) -> Option<Missed> {
    let missed = in_past(&history.writes[at..], thread);
    for earlier in &history.writes[..at] {
        thread.past.join(&earlier.past);
        thread.past.join(&earlier.readers);
    }
    write.past = thread.whole_past();
    history.writes[at..].iter_mut().for_each(|later| later.past.join(&write.past));
    history.insert(at, write);
    missed
}

/// Returns the last of some writes that the thread's past contains.
fn in_past(writes: &[Write], thread: &Thread) -> Option<Missed> {
    let known = |author: &Author| author.step.is_known(thread.id, &thread.past);
    let last = writes.iter().rev().find_map(|w| w.author.filter(known).map(|author| (w.value, author)));
    last.map(|(value, author)| Missed { site: author.site, thread: author.event.thread, value })
}
