//! The writes to one location in coherence order, and the choices that the memory model leaves.

use crate::message::{Heads, Message, Received};
use crate::operation::{Exchange, Place};
use crate::path::Path;
use crate::thread::{Thread, ThreadId};
use crate::write::{Apart, Party, Write};
use clocks::Shared;
use smallvec::SmallVec;

/// The number of writes that a history keeps.
pub const KEPT: usize = 16;

/// The location's part of a thread's patterns of release and acquire operations on it (§8.8).
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    pub released: Heads,
    pub received: Received,
}

#[derive(Clone, Debug)]
pub(crate) struct History {
    /// The offset in its chunk of eight bytes.
    pub offset: u8,
    pub bytes: u8,
    /// In coherence order; never empty.
    pub writes: Vec<Write>,
    next_id: u64,
    /// The memory's floor when the location was accessed last.
    pub floor: u64,
    patterns: SmallVec<[(ThreadId, Box<Patterns>); 1]>,
    /// The pairs of writes that reads have found unrelated.
    pub apart: Vec<Apart>,
    /// The one thread whose strong reads have returned writes before the bound.
    pub unordered: Option<ThreadId>,
}

impl History {
    pub(crate) fn new(offset: u8, bytes: u8, value: u64, floor: u64) -> History {
        let (writes, patterns, apart) = (Vec::new(), SmallVec::new(), Vec::new());
        let mut history =
            History { offset, bytes, writes, next_id: 0, floor, patterns, apart, unordered: None };
        history.reset(value);
        history
    }

    pub(crate) fn overlaps(&self, place: &Place) -> bool {
        let offset = (place.address & 7) as u8;
        self.offset < offset + place.bytes && offset < self.offset + self.bytes
    }

    /// Returns whether the location is exactly this one, in its chunk.
    pub(crate) fn is_at(&self, place: &Place) -> bool {
        (u64::from(self.offset), self.bytes) == (place.address & 7, place.bytes)
    }

    pub(crate) fn extent(&self) -> (u8, u8) {
        (self.offset, self.bytes)
    }

    /// Begins anew with a value that all threads know.
    pub(crate) fn reset(&mut self, value: u64) {
        self.writes.clear();
        self.apart.clear();
        self.unordered = None;
        let id = self.new_id();
        self.writes.push(Write {
            id,
            value,
            author: None,
            path: Path::default(),
            extent: (self.offset, self.bytes),
            strong: None,
            message: Message::default(),
            observers: SmallVec::new(),
            causes: SmallVec::new(),
            source: None,
            past: Shared::default(),
            readers: Shared::default(),
        });
    }

    pub(crate) fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Returns the id of the write that was inserted last.
    pub(crate) fn last_id(&self) -> u64 {
        self.next_id
    }

    /// Drops all writes but the newest.
    pub(crate) fn flatten(&mut self) {
        self.writes.drain(..self.writes.len() - 1);
        self.apart.clear();
        self.unordered = None;
    }

    pub(crate) fn newest(&self) -> u64 {
        self.writes.last().map_or(0, |w| w.value)
    }

    pub(crate) fn patterns(&mut self, thread: ThreadId) -> Option<&mut Patterns> {
        self.patterns.iter_mut().find(|(of, _)| *of == thread).map(|(_, patterns)| &mut **patterns)
    }

    pub(crate) fn make_patterns(&mut self, thread: ThreadId) -> &mut Patterns {
        let at = self.patterns.iter().position(|(of, _)| *of == thread).unwrap_or_else(|| {
            self.patterns.push((thread, Box::default()));
            self.patterns.len() - 1
        });
        &mut self.patterns[at].1
    }

    /// Returns the index of the last write that precedes the thread's next operation, by a path, in causality
    /// order: the oldest that a read may observe, and the last that a write must follow.
    pub(crate) fn bound(&self, thread: &Thread, path: Path) -> usize {
        self.writes.iter().rposition(|w| w.precedes(thread, path)).unwrap_or(0)
    }

    pub(crate) fn index(&self, id: Option<u64>) -> Option<usize> {
        self.writes.iter().position(|w| Some(w.id) == id)
    }

    /// Returns whether a write of the party at index `at` would separate a read-modify-write from the write
    /// that it read (§8.10.3).
    fn separates(&self, party: &Party, at: usize) -> bool {
        self.writes[at..].iter().any(|later| {
            let read_before = || self.index(later.source).is_none_or(|source| source < at);
            later.source.is_some() && later.is_strong_with(party) && read_before()
        })
    }

    /// Returns the indices at which a write of the thread may be inserted; the end comes first. It must follow
    /// the write at `bound`.
    pub(crate) fn places(&self, party: &Party, thread: &Thread, bound: usize) -> SmallVec<[usize; 4]> {
        let may = |at: &usize| self.may_insert(party, thread, *at);
        (bound + 1..=self.writes.len()).rev().filter(may).collect()
    }

    /// Returns the indices at which a read-modify-write that reads the write at `source` may be inserted. It
    /// follows its source, unless the two are not morally strong.
    fn places_after(
        &self,
        party: &Party,
        thread: &Thread,
        source: usize,
        bound: usize,
    ) -> SmallVec<[usize; 4]> {
        let first_strong = self.writes[source + 1..].iter().position(|w| w.is_strong_with(party));
        let end = first_strong.map_or(self.writes.len(), |n| source + 1 + n);
        let begin = if self.writes[source].is_unordered_with(party) { bound + 1 } else { source + 1 };
        (begin..=end).rev().filter(|&at| self.may_insert(party, thread, at)).collect()
    }

    /// Returns the choices of a read-modify-write, the one of an interleaving first.
    pub(crate) fn exchanges(&self, party: &Party, thread: &Thread) -> SmallVec<[Exchange; 4]> {
        let bound = self.bound(thread, party.path);
        let mut options = SmallVec::new();
        for source in (bound..self.writes.len()).rev() {
            let places = self.places_after(party, thread, source, bound);
            options.extend(places.into_iter().map(|at| Exchange { source, at }));
        }
        options
    }

    fn may_insert(&self, party: &Party, thread: &Thread, at: usize) -> bool {
        at == self.writes.len() || !self.separates(party, at) && !self.relates(party, thread, at)
    }

    /// Inserts a write, and forgets the oldest if there are too many.
    pub(crate) fn insert(&mut self, at: usize, write: Write) {
        self.writes.insert(at, write);
        if self.writes.len() > KEPT {
            self.writes.remove(0);
        }
    }
}
