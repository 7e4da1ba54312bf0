//! A part of memory, for a detector of several that each play a whole trace.
//!
//! A detector of a [`Shard`] judges the accesses to the shard's pages and reports the races there. It follows all events that
//! order threads. Threads order each other by strong accesses, by asynchronous operations and by events of
//! synchronisation, so of the other shards' memory it follows:
//!
//! * nothing, in a launch in which no access orders threads;
//! * otherwise shared memory, all accesses that are not plain, and from the first of those in a page of global memory on the
//!   plain ones of that page, too: a strong read that observes a plain write acquires nothing. Plain accesses before it
//!   order no threads.
//!
//! An access is heard as a whole if it touches a page that is followed, since the ways of an access depend on all of its lanes;
//! other pages have no history. The findings of all shards together are those of a whole detector ([`Partial`](super::Partial) merges them).

use crate::lens::Shard;
use crate::ptx::access::touches::lanes;
use events::task::SyncUse;
use events::{Access, Space};
use std::sync::atomic::{AtomicU64, Ordering};

/// Words of bits.
const WORDS: usize = 1 << 12;

/// The filter of a launch's accesses, if memory is divided.
#[derive(Debug)]
pub(crate) struct Partition {
    shard: Shard,
    /// Pages of global memory that accesses other than plain ones have touched, by a hash. None if no access of the launch
    /// orders threads. A page that shares a bit with another one is followed, too, which changes no finding.
    orders: Option<Box<[AtomicU64]>>,
}

impl Partition {
    /// `None` for all of memory.
    pub(crate) fn new(shard: Shard, uses: SyncUse) -> Option<Partition> {
        let orders = uses.fences_or_strong || uses.asynchronous || uses.cluster;
        let marks = || (0..WORDS).map(|_| AtomicU64::new(0)).collect();
        (shard != Shard::WHOLE).then(|| Partition { shard, orders: orders.then(marks) })
    }

    /// Returns whether a detector of the shard has to judge an access.
    pub(crate) fn hears(&self, access: &Access<'_>, plain: bool) -> bool {
        let global = access.space == Space::Global;
        if self.orders.is_some() && !(plain && global) {
            if global {
                pages(access).for_each(|page| self.mark(page));
            }
            return true;
        }
        let mut last = None;
        pages(access).any(|page| {
            let is_new = last.replace(page) != Some(page);
            is_new && (self.shard.owns(access.space, page << 12) || global && self.is_marked(page))
        })
    }

    /// Returns whether a page of global memory has a history here.
    #[inline]
    pub(crate) fn follows(&self, page: u64) -> bool {
        self.shard.owns(Space::Global, page << 12) || self.is_marked(page)
    }

    fn mark(&self, page: u64) {
        let (word, bit) = bit(page);
        if let Some(marks) = &self.orders
            && marks[word].load(Ordering::Relaxed) & bit == 0
        {
            marks[word].fetch_or(bit, Ordering::Relaxed);
        }
    }

    fn is_marked(&self, page: u64) -> bool {
        let (word, bit) = bit(page);
        self.orders.as_ref().is_some_and(|marks| marks[word].load(Ordering::Relaxed) & bit != 0)
    }
}

/// Returns the numbers of the pages that the lanes of an access touch, one lane after the other.
fn pages(access: &Access<'_>) -> impl Iterator<Item = u64> {
    let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
    lanes(access.mask).flat_map(move |lane| {
        let first = access.addresses[lane];
        first >> 12..=first.saturating_add(bytes.saturating_sub(1)) >> 12
    })
}

fn bit(page: u64) -> (usize, u64) {
    let hash = (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 46) as usize;
    (hash / 64 % WORDS, 1 << (hash % 64))
}
