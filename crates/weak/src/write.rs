//! One write of a history.

use crate::message::{Message, Reach};
use crate::outcome::Missed;
use crate::path::Path;
use crate::thread::{Event, Thread, ThreadId};
use clocks::Shared;
use events::SiteId;
use smallvec::SmallVec;

/// The instruction that wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Author {
    /// The write in causality order.
    pub event: Event,
    /// The write among its thread's accesses.
    pub step: Event,
    pub site: SiteId,
}

#[derive(Clone, Debug)]
pub(crate) struct Write {
    /// Identifies the write in its history.
    pub id: u64,
    pub value: u64,
    /// `None` for the value before the launch's first write, which all threads know.
    pub author: Option<Author>,
    pub path: Path,
    /// The bytes that the instruction wrote, of which the history may be a part.
    pub extent: (u8, u8),
    /// The reach of a strong write.
    pub strong: Option<Reach>,
    pub message: Message,
    /// The reads that observed it morally strongly, the first of each thread.
    pub observers: SmallVec<[Event; 2]>,
    /// The writes of the history that precede it in causality order.
    pub causes: SmallVec<[u64; 4]>,
    /// The write that a read-modify-write read.
    pub source: Option<u64>,
    /// The accesses that precede it in every interleaving with the same values, and itself.
    pub past: Shared,
    /// The reads of it, and the accesses that precede these.
    pub readers: Shared,
}

/// A strong access of a thread, as far as moral strength depends on it; `reach` is `None` for a weak access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Party {
    pub thread: ThreadId,
    pub path: Path,
    pub extent: (u8, u8),
    pub reach: Option<Reach>,
}

impl Write {
    /// Returns the write as the one that an outcome names.
    pub(crate) fn missed(&self) -> Option<Missed> {
        let (Author { site, event, .. }, Write { value, path, .. }) = (self.author.as_ref()?, self);
        Some(Missed { site: *site, thread: event.thread.issuer(), value: *value, path: *path })
    }

    /// Returns whether the write and the party's access of the same location are morally strong (PTX §8.7).
    /// Accesses of one thread are, but for these the answer concerns no rule, and is false for weak ones.
    pub(crate) fn is_strong_with(&self, party: &Party) -> bool {
        let (Some(author), Some(mine), Some(theirs)) = (&self.author, self.strong, party.reach) else {
            return false;
        };
        let (own, other) = (author.event.thread.block, party.thread.block);
        let alike = (self.path, self.extent) == (party.path, party.extent);
        alike && mine.includes(own, other) && theirs.includes(other, own)
    }

    /// Returns whether the write is one of another thread or path that is not morally strong with the party's
    /// access.
    pub(crate) fn is_unordered_with(&self, party: &Party) -> bool {
        let differs = |author: Author| author.event.thread != party.thread || self.path != party.path;
        self.author.is_some_and(differs) && !self.is_strong_with(party)
    }

    /// Returns whether the write precedes the thread's next operation, by a path, in causality order (§8.9.5).
    pub(crate) fn precedes(&self, thread: &Thread, path: Path) -> bool {
        let Some(author) = &self.author else { return true };
        let known = |event: &Event| event.is_known(self.path, thread.id, &thread.known, path);
        if author.event.thread == thread.id && self.path == path {
            return author.step.at <= thread.steps;
        }
        known(&author.event) || self.observers.iter().any(known)
    }

    /// Returns whether the accesses that precede the write in every interleaving contain this one.
    pub(crate) fn past_has(&self, step: &Event) -> bool {
        self.past.thread(step.thread.block, step.thread.thread) >= step.at
    }

    pub(crate) fn observe(&mut self, by: Event) {
        if !self.observers.iter().any(|o| o.thread == by.thread) {
            self.observers.push(by);
        }
    }
}

/// Two writes that must not become related: a read returned the first with the second in its causal past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Apart {
    pub first: u64,
    pub second: u64,
}
