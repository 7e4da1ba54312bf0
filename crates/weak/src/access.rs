//! The effects of single accesses on a history and on a thread's clocks.

use crate::history::History;
use crate::message::{Heads, Message, Received};
use crate::operation::{Exchange, Operation, Strong, Updated};
use crate::outcome::{Kind, Missed, Outcomes};
use crate::thread::{Event, Thread};
use crate::write::{Author, Write};
use clocks::Shared;
use smallvec::SmallVec;

/// A read-modify-write that is about to be performed.
pub(crate) struct Update {
    /// Its strength as a read; `None` for `red`.
    pub read: Option<Strong>,
    pub strong: Option<Strong>,
    pub chosen: Exchange,
    pub new: u64,
    /// The heads of its release patterns, if they are computed already.
    pub heads: Option<Heads>,
}

/// A write that is about to be inserted.
struct Stored {
    at: usize,
    value: u64,
    source: Option<u64>,
    message: Message,
    event: Event,
    heads: Heads,
}

/// Lets a read return the write at `at`, where `bound` is that of [`History::bound`]; returns its value.
pub(crate) fn read_from(
    history: &mut History,
    thread: &mut Thread,
    operation: &Operation,
    strong: Option<Strong>,
    (at, bound): (usize, usize),
    outcomes: &mut Outcomes,
) -> u64 {
    if at < bound {
        history.keep_apart(thread, operation.path, at, strong.is_none());
    }
    observe(history, thread, operation, at, strong);
    look(history, thread, operation, at, outcomes)
}

/// Performs a write at index `at` of the history.
pub(crate) fn write_at(
    history: &mut History,
    thread: &mut Thread,
    operation: &Operation,
    strong: Option<Strong>,
    (at, value): (usize, u64),
    outcomes: &mut Outcomes,
) {
    let event = thread.event();
    let heads = release_heads(history, thread, strong);
    let stored = Stored { at, value, source: None, message: Message::default(), event, heads };
    store(history, thread, operation, strong, stored, outcomes);
}

/// Performs a read-modify-write.
pub(crate) fn exchange(
    history: &mut History,
    thread: &mut Thread,
    operation: &Operation,
    update: Update,
    outcomes: &mut Outcomes,
) -> Updated {
    let Update { read, strong, chosen: Exchange { source, at }, new, heads } = update;
    observe(history, thread, operation, source, read);
    let old = look(history, thread, operation, source, outcomes);
    let from = &mut history.writes[source];
    let mut message = Message::default();
    if from.is_strong_with(&operation.party(strong)) {
        // Observation order continues through atomics (§8.9.2).
        message = from.message.clone();
        from.observe(thread.event());
    }
    let source = Some(from.id);
    let event = thread.event();
    let heads = heads.unwrap_or_else(|| release_heads(history, thread, strong));
    let stored = Stored { at, value: new, source, message, event, heads };
    store(history, thread, operation, strong, stored, outcomes);
    Updated { old, new, newest: history.newest() }
}

/// Acquires what earlier strong reads of the location observed: the acquire pattern of a read and a later
/// acquire operation on the same location (§8.8).
pub(crate) fn acquire_received(history: &mut History, thread: &mut Thread, strong: Option<Strong>) {
    if let Some(Strong { sem, reach }) = strong
        && sem.acquires()
        && let Some(patterns) = history.patterns(thread.id)
    {
        patterns.received.acquire(reach, &mut thread.known);
    }
}

/// Records that a strong read observes the write at `at`, if the two are morally strong.
fn observe(
    history: &mut History,
    thread: &mut Thread,
    operation: &Operation,
    at: usize,
    strong: Option<Strong>,
) {
    let Some(Strong { sem, reach }) = strong else { return };
    let write = &mut history.writes[at];
    if !write.is_strong_with(&operation.party(strong)) {
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
pub(crate) fn release_heads(history: &mut History, thread: &mut Thread, strong: Option<Strong>) -> Heads {
    let Some(strong) = strong else { return Heads::default() };
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

/// Updates the pasts for a read of the write at `at`, records a value that the past contradicts, and returns
/// the value.
fn look(
    history: &mut History,
    thread: &mut Thread,
    operation: &Operation,
    at: usize,
    outcomes: &mut Outcomes,
) -> u64 {
    let write = &history.writes[at];
    let value = write.value;
    if let Some(missed) = in_past(&history.writes[at + 1..], thread) {
        outcomes.add(operation.outcome(history.extent(), Kind::Stale, value, missed));
    }
    let step = Event { thread: thread.id, at: thread.steps };
    if let Some(early) = write.missed().filter(|_| write.past_has(&step)) {
        outcomes.add(operation.outcome(history.extent(), Kind::Early, value, early));
    }
    thread.past.join(&write.past);
    let past = thread.whole_past();
    history.writes[at].readers.join(&past);
    // The read precedes every later write.
    history.writes[at + 1..].iter_mut().for_each(|later| later.past.join(&past));
    value
}

/// Inserts a write of the thread.
fn store(
    history: &mut History,
    thread: &mut Thread,
    operation: &Operation,
    strong: Option<Strong>,
    stored: Stored,
    outcomes: &mut Outcomes,
) {
    let Stored { at, value, source, mut message, event, heads } = stored;
    message.add(operation.thread.block, &heads);
    let step = thread.step();
    let write = Write {
        id: history.new_id(),
        value,
        author: Some(Author { event, step, site: operation.site }),
        path: operation.path,
        extent: operation.place.extent(),
        strong: strong.map(|s| s.reach),
        message,
        observers: SmallVec::new(),
        causes: history.writes.iter().filter(|w| w.precedes(thread, operation.path)).map(|w| w.id).collect(),
        source,
        past: Shared::default(),
        readers: Shared::default(),
    };
    if let Some(missed) = write_past(history, thread, write, at) {
        outcomes.add(operation.outcome(history.extent(), Kind::Overtaken, value, missed));
    }
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
    let known = |author: &Author| match author.step.thread == thread.id {
        true => author.step.at <= thread.steps,
        false => author.step.is_in(thread.id, &thread.past),
    };
    writes.iter().rev().find(|w| w.author.as_ref().is_some_and(known))?.missed()
}
