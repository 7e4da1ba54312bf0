//! Accesses of the same bytes in several sizes.
//!
//! Operations that overlap partially are not morally strong (PTX §8.7), but causality order relates them, and
//! it speaks of each byte (§8.10.6). A history is therefore split where an access needs a part of it, and an
//! access of several pieces accesses each. Such a read returns no write to several of its pieces in part, and
//! such a write comes last in each piece.

use crate::access::{acquire_received, read_from, write_at};
use crate::history::History;
use crate::memory::Memory;
use crate::operation::{Operation, Place};
use crate::stronger::Stronger;
use crate::write::Write;
use smallvec::SmallVec;

pub(crate) type Pieces = SmallVec<[Place; 2]>;

/// Returns `bytes` bytes of a value from byte `from`.
fn part(value: u64, from: u8, bytes: u8) -> u64 {
    let shifted = value.checked_shr(8 * u32::from(from)).unwrap_or(0);
    if bytes >= 8 { shifted } else { shifted & ((1 << (8 * bytes)) - 1) }
}

impl History {
    /// Splits off the bytes from `at`, an offset in the chunk.
    fn split(&mut self, at: u8) -> History {
        let low = at - self.offset;
        let mut rest = self.clone();
        (rest.offset, rest.bytes, self.bytes) = (at, self.bytes - low, low);
        rest.writes.iter_mut().for_each(|w| w.value = part(w.value, low, rest.bytes));
        self.writes.iter_mut().for_each(|w| w.value = part(w.value, 0, low));
        rest
    }

    /// Returns whether a read of two pieces up to these indices sees both or no parts of each write to both.
    fn agrees(&self, at: usize, other: &History, other_at: usize) -> bool {
        let step = |write: &Write| write.author.map(|author| (author.step.thread, author.step.at));
        self.writes.iter().enumerate().all(|(index, write)| {
            let same = |theirs: &Write| write.author.is_some() && step(write) == step(theirs);
            let theirs = other.writes.iter().position(same);
            theirs.is_none_or(|theirs| (index <= at) == (theirs <= other_at))
        })
    }
}

impl Memory {
    /// Splits the histories of which the place has a part only; returns the pieces of the place.
    pub(crate) fn pieces(&mut self, place: &Place) -> Pieces {
        let whole = SmallVec::from_slice(&[*place]);
        let Some(chunk) = self.chunks.get_mut(&place.chunk()) else { return whole };
        if chunk.iter().all(|h| !h.overlaps(place) || h.is_at(place)) {
            return whole;
        }
        let begin = (place.address & 7) as u8;
        let end = begin + place.bytes;
        for at in [begin, end] {
            let cut = chunk.iter_mut().find(|h| h.offset < at && at < h.offset + h.bytes);
            let rest = cut.map(|history| history.split(at));
            chunk.extend(rest);
        }
        let mut bounds: SmallVec<[u8; 8]> = SmallVec::from_slice(&[begin, end]);
        let inside = chunk.iter().filter(|h| h.overlaps(place));
        bounds.extend(inside.flat_map(|h| [h.offset, h.offset + h.bytes]));
        bounds.sort_unstable();
        bounds.dedup();
        let piece = |ends: &[u8]| Place {
            address: place.address + u64::from(ends[0] - begin),
            bytes: ends[1] - ends[0],
            ..*place
        };
        bounds.windows(2).map(piece).collect()
    }

    /// Reads a place of several pieces, where memory holds `there`.
    pub(crate) fn read_pieces(&mut self, operation: &Operation, pieces: &[Place], there: u64) -> u64 {
        let strong = self.strong(operation.strength);
        let take = |memory: &mut Memory, piece: &Place| {
            let from = (piece.address - operation.place.address) as u8;
            (from, memory.take(piece, part(there, from, piece.bytes)))
        };
        let mut taken: SmallVec<[(u8, History); 4]> = pieces.iter().map(|p| take(self, p)).collect();
        let thread = self.threads.get(operation.thread);
        taken.iter_mut().for_each(|(_, history)| acquire_received(history, thread, strong));
        let steps = thread.steps;
        let mut chosen: SmallVec<[usize; 4]> = SmallVec::new();
        let mut value = 0;
        for k in 0..taken.len() {
            let (earlier, rest) = taken.split_at_mut(k);
            let (from, history) = &mut rest[0];
            let thread = self.threads.get(operation.thread);
            let bound = history.bound(thread, operation.path);
            let mut options = history.readable(thread, operation.path, bound, strong.is_none());
            options.retain(|at| {
                earlier.iter().zip(&chosen).all(|((_, other), cut)| other.agrees(*cut, history, *at))
            });
            let newest = history.writes.len() - 1;
            let at = if options.is_empty() { newest } else { options[self.choose(options.len())] };
            chosen.push(at);
            let thread = self.threads.get(operation.thread);
            thread.steps = steps + 1;
            let read = read_from(history, thread, operation, strong, (at, bound), &mut self.outcomes);
            value |= read << (8 * u32::from(*from));
        }
        pieces.iter().zip(taken).for_each(|(piece, (_, history))| self.put(piece, history));
        value
    }

    /// Writes a place of several pieces, where memory holds `there`.
    pub(crate) fn write_pieces(&mut self, operation: &Operation, pieces: &[Place], there: u64, value: u64) {
        let strong = self.strong(operation.strength);
        let steps = self.threads.get(operation.thread).steps;
        for piece in pieces {
            let from = (piece.address - operation.place.address) as u8;
            let mut history = self.take(piece, part(there, from, piece.bytes));
            let thread = self.threads.get(operation.thread);
            // One step for all pieces identifies the write.
            thread.steps = steps;
            let last = (history.writes.len(), part(value, from, piece.bytes));
            write_at(&mut history, thread, operation, strong, last, &mut self.outcomes);
            self.put(piece, history);
        }
    }

    /// Makes a place one piece: forgets the histories that have a part of it, and makes everything written so
    /// far visible.
    pub(crate) fn unite(&mut self, place: &Place) {
        let Some(chunk) = self.chunks.get_mut(&place.chunk()) else { return };
        if chunk.iter().any(|h| h.overlaps(place) && !h.is_at(place)) {
            chunk.retain(|h| !h.overlaps(place));
            self.floor(Stronger::Sizes);
        }
    }
}
