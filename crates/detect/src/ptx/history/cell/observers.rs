//! The threads that have observed a location's strong writes.

use super::{Cell, Observer};
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::{Bytes, Entry};
use crate::ptx::access::partial::of_one_word;
use crate::ptx::access::thread::Who;
use crate::ptx::order::context::Context;
use crate::ptx::order::knowledge::WarpState;
use events::LaneMask;

/// Observers kept of a location; later ones replace the oldest.
const OBSERVERS: usize = 8192;

impl Cell {
    /// The location the last write of which a strong read of `bytes` observes: its own, or if that was written last as a part
    /// of a word, or by its parts, the one that was written.
    pub(in crate::ptx) fn source(&self, bytes: Bytes, class: AccessClass) -> Bytes {
        if self.heads.iter().any(|head| head.bytes == bytes && head.last.is_some()) {
            return bytes;
        }
        let written = self.heads.iter().filter(|head| {
            head.last.is_some_and(|last| of_one_word((head.bytes, last.class), (bytes, class)))
        });
        // Chains are numbered as they begin.
        written.max_by_key(|head| head.chain).map_or(bytes, |head| head.bytes)
    }

    /// Returns the lanes of `old` that were observed by an operation that `me` knows (§8.9.5).
    pub(super) fn observed(
        &self,
        old: &Entry,
        me: Who,
        warp: &WarpState,
        context: &impl Context,
    ) -> LaneMask {
        let Some(head) = self.heads.iter().find(|h| h.bytes == old.bytes) else { return 0 };
        let (mut observed, last) = (0, old.last_place());
        for o in head.observers.iter().rev().filter(|o| o.chain == old.chain) {
            let unknown = || warp.unknown(me, o.block, o.warp, o.lanes, o.tick);
            let Some(seen) = o.saw(0).filter(|&seen| seen >= old.place).and_then(|_| o.saw(unknown())) else {
                continue;
            };
            if seen >= last {
                return old.lanes;
            }
            observed |= old.until(seen);
        }
        if head.observers_lost {
            context.unsure();
            return old.lanes;
        }
        observed
    }

    /// Remembers an observer of the chain.
    pub(crate) fn observed_by(&mut self, bytes: Bytes, new: Observer) {
        let head = self.head(bytes);
        if let Some(same) = head.observers.iter_mut().rev().take(8).find(|o| {
            (o.block, o.warp, o.lanes, o.tick, o.chain, o.atomic)
                == (new.block, new.warp, new.lanes, new.tick, new.chain, new.atomic)
        }) {
            same.place = new.place;
            return;
        }
        if head.observers.len() >= OBSERVERS {
            head.observers.drain(..OBSERVERS / 2);
            head.observers_lost = true;
        }
        head.observers.push(new);
    }

    /// Adds an atomic that was part of the location's chain already. Returns the bytes that this takes.
    pub(crate) fn add_to_chain(&mut self, atomic: Entry) -> usize {
        let before = self.room();
        let (chain, place) = self.end_of_chain(atomic.bytes);
        self.entries.push(Entry { chain, place, ..atomic });
        self.room() - before
    }

    /// A strong read that has observed all of the location's chain.
    pub(crate) fn seen_by(&mut self, read: &Entry) {
        let Entry { block, tick, lanes, warp, bytes, .. } = *read;
        let (chain, place) = self.end_of_chain(bytes);
        self.observed_by(bytes, Observer { block, tick, lanes, warp, chain, place, atomic: false });
    }
}
