//! Changes of a cell by other things than accesses: operations on an mbarrier object that lies there, and
//! allocation anew.

use super::Cell;
use crate::ptx::access::entry::{Bytes, Entry};

impl Cell {
    /// Remembers an operation on an mbarrier object, of which each thread's last one is kept. Those of copies are dropped once they
    /// are `complete`.
    pub(crate) fn insert_object(&mut self, new: Entry, complete: impl Fn(&Entry) -> bool) {
        if self.given_up {
            return;
        }
        if new.class.asynchronous() {
            let over = |e: &Entry| (e.class, e.bytes) == (new.class, new.bytes) && complete(e);
            self.entries.retain(|old| !over(old));
            self.entries.push(new);
            return;
        }
        let alike = |e: &Entry| {
            e.class == new.class && (e.block, e.warp, e.bytes) == (new.block, new.warp, new.bytes)
        };
        // Lanes of one instruction come one after the other, each with a tick of its own if it releases: the first one's is kept, and what
        // knows of that knows of all, unless it was released in between.
        let goes_on = |e: &Entry| {
            let (last, first) = (e.lanes.ilog2(), new.lanes.trailing_zeros());
            let phase = (e.chain, e.place) == (new.chain, new.place);
            alike(e) && phase && e.site == new.site && last < first && new.tick - e.tick < 32
        };
        let joined = self.entries.iter().position(goes_on);
        for (i, old) in self.entries.iter_mut().enumerate() {
            if Some(i) == joined {
                old.lanes |= new.lanes;
            } else if alike(old) {
                old.lanes &= !new.lanes;
            }
        }
        self.entries.retain(|old| old.lanes != 0);
        if joined.is_none() {
            self.entries.push(new);
        }
    }

    /// Forgets what happened to some of its bytes. Strong operations of which any byte is among them are forgotten whole: what is left
    /// of one would be an operation of another extent.
    pub(in crate::ptx) fn forget(&mut self, bytes: Bytes) {
        let outside = |e: &Entry| match e.bytes & bytes {
            0 => *e,
            _ if e.class.strong() => Entry { bytes: 0, ..*e },
            _ => Entry { bytes: e.bytes & !bytes, ..*e },
        };
        let crowd = self.crowd.take();
        let kept = self.entries.iter().chain(crowd.iter().flat_map(|crowd| crowd.all()));
        self.entries = kept.map(outside).filter(|entry| entry.bytes != 0).collect();
        self.heads.retain(|head| head.bytes & bytes == 0);
    }
}
