//! Coherence order as PTX §8.9.6 defines it: it relates only those writes of a history that are morally
//! strong or related in causality order, and the pairs that follow.
//!
//! A read may therefore return a write that lies before another one of its causal past, if coherence
//! order does not relate the two: writes that race have no order. The pair must then stay unrelated, which
//! [`History::apart`] remembers; a write that is inserted between them might relate them.
//!
//! Two threads whose strong reads do this might violate SC per location (§8.10.5) together, by morally strong
//! edges from each one's read to a write that the other one knows. Strong reads of one thread alone cannot: a
//! cycle through its read would relate the write that it returned to one of its causal past.

use crate::history::History;
use crate::path::Path;
use crate::thread::Thread;
use crate::write::{Apart, Party, Write};
use smallvec::SmallVec;

impl Write {
    fn party(&self) -> Option<Party> {
        self.author.map(|author| Party {
            thread: author.event.thread,
            path: self.path,
            extent: self.extent,
            reach: self.strong,
        })
    }

    /// Returns whether this write is related to a later one of the history without others between them.
    fn is_next_to(&self, later: &Write) -> bool {
        later.causes.contains(&self.id) || later.party().is_some_and(|party| self.is_strong_with(&party))
    }
}

impl History {
    /// Returns whether coherence order relates the writes at two indices, the smaller first.
    fn coherent(&self, first: usize, second: usize) -> bool {
        let mut reached = 1u32 << first;
        for j in first + 1..=second {
            let next =
                (first..j).any(|i| reached >> i & 1 != 0 && self.writes[i].is_next_to(&self.writes[j]));
            reached |= u32::from(next) << j;
        }
        reached >> second & 1 != 0
    }

    /// Returns the indices of the writes that a read of the thread may return, the newest first; `bound` is
    /// that of [`History::bound`]. Strong reads of one thread only return writes before it.
    pub(crate) fn readable(
        &self,
        thread: &Thread,
        path: Path,
        bound: usize,
        weak: bool,
    ) -> SmallVec<[usize; 4]> {
        let mut readable: SmallVec<[usize; 4]> = (bound..self.writes.len()).rev().collect();
        let may = weak || self.unordered.is_none_or(|only| only == thread.id);
        if !may || bound == 0 {
            return readable;
        }
        let known: SmallVec<[usize; 4]> =
            (1..=bound).filter(|&i| self.writes[i].precedes(thread, path)).collect();
        let hidden = |at: usize| known.iter().any(|&later| later > at && self.coherent(at, later));
        readable.extend((0..bound).rev().filter(|&at| !hidden(at)));
        readable
    }

    /// Records that a read of the thread returned the write at `at`, before the bound.
    pub(crate) fn keep_apart(&mut self, thread: &Thread, path: Path, at: usize, weak: bool) {
        if !weak {
            self.unordered = Some(thread.id);
        }
        let first = self.writes[at].id;
        for later in &self.writes[at + 1..] {
            let pair = Apart { first, second: later.id };
            if later.precedes(thread, path) && !self.apart.contains(&pair) {
                self.apart.push(pair);
            }
        }
    }

    /// Returns whether a write of the thread at index `at` would relate two writes that must stay apart.
    pub(crate) fn relates(&self, party: &Party, thread: &Thread, at: usize) -> bool {
        self.apart.iter().any(|pair| {
            let Some(second) = self.index(Some(pair.second)).filter(|&second| second >= at) else {
                return false;
            };
            let after = (at..=second)
                .any(|k| self.writes[k].is_strong_with(party) && (k == second || self.coherent(k, second)));
            // A first write that the history has forgotten counts as related.
            let before = || match self.index(Some(pair.first)) {
                Some(first) if first >= at => false,
                Some(first) => (first..at).any(|k| {
                    let next =
                        self.writes[k].is_strong_with(party) || self.writes[k].precedes(thread, party.path);
                    next && (k == first || self.coherent(first, k))
                }),
                None => true,
            };
            after && before()
        })
    }
}
