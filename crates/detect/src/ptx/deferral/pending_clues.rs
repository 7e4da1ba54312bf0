//! Clues of deferred relaxed operations about flags: for explanations only, and so recorded when one is
//! wanted.

use crate::ptx::clues::SETTERS;
use events::SiteId;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

/// How far what was noted has been told of, and what will not be.
#[derive(Debug, Default)]
pub(super) struct Unheard {
    /// So many of what was noted are done with, and of their addresses.
    done: Cell<(usize, usize)>,
    /// Writes that are behind a barrier now, of which nothing was told: their warps set flags for the first time no more. A warp that makes
    /// more of them than are remembered counts as one that has made all.
    setters: RefCell<Setters>,
    /// The place at which it is looked for first: warps make their writes one behind the other.
    next: usize,
}

/// Instructions, and the bits of the block's warps that have made them.
pub(super) type Setters = SmallVec<[(SiteId, u32); 4]>;

impl Unheard {
    pub(super) fn done(&self) -> (usize, usize) {
        self.done.get()
    }

    pub(super) fn set_done(&self, done: (usize, usize)) {
        self.done.set(done);
    }

    /// A warp's write is forgotten.
    pub(super) fn forgets(&mut self, site: SiteId, warp: u16) {
        let (setters, bit) = (self.setters.get_mut(), 1 << (warp % 32));
        let next = setters.get(self.next).is_some_and(|(own, _)| *own == site).then_some(self.next);
        let at = match next.or_else(|| setters.iter().position(|(own, _)| *own == site)) {
            Some(at) => at,
            None if setters.len() < SETTERS => {
                setters.push((site, 0));
                setters.len() - 1
            }
            None => return setters.iter_mut().for_each(|(_, warps)| *warps |= bit),
        };
        setters[at].1 |= bit;
        self.next = if at + 1 == setters.len() { 0 } else { at + 1 };
    }

    #[inline]
    pub(super) fn has_setters(&self) -> bool {
        !self.setters.borrow().is_empty()
    }

    pub(super) fn take_setters(&self) -> Setters {
        self.setters.take()
    }
}
