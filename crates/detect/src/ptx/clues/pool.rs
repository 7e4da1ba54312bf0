//! The room that clues take, which goes on from one launch to the next: mostly that needs as much.

use super::{Clues, Of};
use crate::shadow::Pool;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Entries of a table that has been larger begin anew with nothing.
const KEPT: usize = 1 << 14;

/// Clues that leave their room to others.
#[derive(Debug)]
pub(crate) struct Kept {
    clues: Box<Clues>,
    /// The pool that gets it back; none if memory is short.
    pool: Option<Arc<Pool<Clues>>>,
}

impl Kept {
    pub(crate) fn new(pool: Option<&Arc<Pool<Clues>>>) -> Kept {
        Kept { clues: pool.map(|pool| pool.take()).unwrap_or_default(), pool: pool.cloned() }
    }
}

impl Deref for Kept {
    type Target = Clues;

    #[inline(always)]
    fn deref(&self) -> &Clues {
        &self.clues
    }
}

impl DerefMut for Kept {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Clues {
        &mut self.clues
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            self.clues.begin_anew();
            pool.give_back(std::mem::take(&mut self.clues));
        }
    }
}

impl Clues {
    /// Forgets everything, but not the room that it took.
    fn begin_anew(&mut self) {
        let Clues { mut warps, mut spare, mut flags, mut written, .. } = std::mem::take(self);
        let room = KEPT.saturating_sub(spare.len());
        spare.extend(warps.drain().map(|(_, of)| of).take(room));
        clear(&mut warps);
        clear(&mut flags);
        written.begin_anew();
        (self.warps, self.spare, self.flags, self.written) = (warps, spare, flags, written);
    }
}

pub(super) fn clear<K: Eq + Hash, V>(table: &mut FxHashMap<K, V>) {
    if table.capacity() > KEPT {
        *table = FxHashMap::default();
    } else {
        table.clear();
    }
}

/// An empty record of a warp, in the place of another one.
pub(super) fn fresh(spare: Option<Box<Of>>) -> Box<Of> {
    let Some(mut of) = spare else { return Box::default() };
    *of = Of::default();
    of
}

#[cfg(test)]
mod tests {
    use super::*;
    use clocks::compressed::WarpIndex;
    use events::{Location, Scope, SiteId, Space};

    /// A launch does not inherit the clues of the one before.
    fn warp(block: u32) -> WarpIndex {
        WarpIndex { block, warp: 0 }
    }

    #[test]
    fn clues_begin_anew_in_the_room_of_others() {
        let pool = Arc::<Pool<Clues>>::default();
        let (scope, lock) = (Scope::Gpu, Location { space: Space::Global, address: 0x80 });
        for turn in 0..2 {
            let mut clues = Kept::new(Some(&pool));
            assert_eq!(clues.spare.len(), [0, 3][turn], "warps of the launch before");
            assert!(clues.way(warp(0), warp(1)).is_none() && clues.published(warp(0), 0).is_none());
            assert!(clues.last_release(warp(0)).is_none() && clues.keep_time() == Some(0));
            assert_eq!(clues.unlocked((warp(2), 0), (lock, SiteId(4)), Some(0), 3), (false, false));
            clues.ordering(warp(0), (true, true), (scope, SiteId(1), 1), true);
            clues.wrote((Space::Global, 0x40), warp(0), (SiteId(2), scope), 2);
            clues.read((Space::Global, 0x40), warp(1), (SiteId(3), scope), false);
            clues.locked((warp(2), 0), (lock, SiteId(4)), 0, 2);
            assert_eq!(clues.unlocked((warp(2), 0), (lock, SiteId(4)), Some(0), 3), (true, true));
            assert!(clues.way(warp(0), warp(1)).is_some() && clues.published(warp(0), 0).is_some());
            let others = clues.spare.len();
            assert_eq!(others, 0, "they are taken before there are more");
        }
    }
}
