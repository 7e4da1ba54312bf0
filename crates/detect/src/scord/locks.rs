//! Inference of locks (§IV-A): the lock table of each warp and the
//! Bloom filter that sums up the locks it holds.
//!
//! A compare-and-swap enters its address; a fence of at least its scope makes
//! the entry active, and from then on the warp holds the lock; an exchange of
//! the same address and scope ends it.
//!
//! The table is a circular queue: by the letter ([`Queue::Circular`]) each compare-and-swap enters
//! itself at the next place, also a failed one of a spinning warp, and pushes out whatever is there.
//! [`Queue::Reuse`] enters a lock once and takes places that are free first.
//!
//! The paper says that a lock's hash and its scope go into the filter, not how.
//! Here the filter has two halves. A lock sets its bit in the block half, and
//! also in the device half if its scope is the device. Warps of one block
//! compare both halves, warps of different blocks the device half only: so a
//! device-scoped lock excludes its block's block-scoped one, and block-scoped
//! locks of different blocks exclude nothing, as §III-A demands.

use super::{Queue, Widths};
use crate::lens::granularity::cut;

/// Locks held, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bloom(pub u64);

impl Bloom {
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn insert(&mut self, hash: u32, block_scope: bool, widths: &Widths) {
        let half = widths.bloom_half;
        // The lock table's hash folded once more.
        let at = (hash ^ (hash >> half.trailing_zeros())) % half;
        self.0 |= 1 << at;
        if !block_scope {
            self.0 |= 1 << (at + half);
        }
    }

    /// Returns whether the two sides have a lock in common, as far as the filter can tell.
    pub const fn intersects(self, other: Bloom, same_block: bool, widths: &Widths) -> bool {
        let common = self.0 & other.0;
        if same_block { common != 0 } else { common >> widths.bloom_half != 0 }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Entry {
    hash: u32,
    block_scope: bool,
    valid: bool,
    active: bool,
}

/// A warp's circular lock table. The hardware's has four entries ([`Widths::lock_entries`]), which
/// serve a warp that takes a lock or two; lanes that each take their own overflow it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockTable {
    entries: Vec<Entry>,
    next: usize,
    held: Bloom,
}

/// The hash that stands for a lock variable.
pub fn hash(address: u64, widths: &Widths) -> u32 {
    let word = address >> 2;
    if widths.lock_hash >= 32 {
        // Fibonacci hashing: the upper half of the product.
        return (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32;
    }
    let mut folded = 0;
    let mut rest = word;
    while rest != 0 {
        folded ^= cut(rest as u32, widths.lock_hash);
        rest >>= widths.lock_hash;
    }
    folded
}

impl LockTable {
    /// An `atomicCAS`: a lock may be about to be taken.
    pub fn compare_and_swap(&mut self, hash: u32, block_scope: bool, queue: Queue, widths: &Widths) {
        let entry = Entry { hash, block_scope, valid: true, active: false };
        let same = |e: &Entry| e.valid && e.hash == hash && e.block_scope == block_scope;
        let free = match queue {
            Queue::Reuse if self.entries.iter().any(same) => return,
            Queue::Reuse => self.entries.iter_mut().find(|e| !e.valid),
            Queue::Circular => None,
        };
        if let Some(free) = free {
            *free = entry;
        } else if self.entries.len() < widths.lock_entries {
            self.entries.push(entry);
        } else {
            self.entries[self.next] = entry;
            self.next = (self.next + 1) % widths.lock_entries;
            self.sum_up(widths);
        }
    }

    /// A fence: entries "with matching or lesser scope" become active.
    pub fn fence(&mut self, block_scope: bool, widths: &Widths) {
        for entry in &mut self.entries {
            if entry.valid && (entry.block_scope || !block_scope) {
                entry.active = true;
            }
        }
        self.sum_up(widths);
    }

    /// An `atomicExch`: the lock of that address and scope, if there is one, is released.
    pub fn exchange(&mut self, hash: u32, block_scope: bool, widths: &Widths) {
        let mut freed = false;
        for entry in &mut self.entries {
            if entry.valid && entry.hash == hash && entry.block_scope == block_scope {
                *entry = Entry::default();
                freed = true;
            }
        }
        if freed {
            self.sum_up(widths);
        }
    }

    /// The locks held, kept up to date since every access asks.
    pub fn held(&self) -> Bloom {
        self.held
    }

    fn sum_up(&mut self, widths: &Widths) {
        self.held = Bloom::default();
        for entry in self.entries.iter().filter(|e| e.valid && e.active) {
            self.held.insert(entry.hash, entry.block_scope, widths);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: Widths = Widths::PUBLISHED;

    fn holding(address: u64, block_scope: bool) -> Bloom {
        let mut table = LockTable::default();
        table.compare_and_swap(hash(address, &W), block_scope, Queue::Reuse, &W);
        table.fence(block_scope, &W);
        table.held()
    }

    #[test]
    fn a_lock_is_held_from_the_fence_to_the_exchange() {
        let mut table = LockTable::default();
        let h = hash(0x100, &W);
        table.compare_and_swap(h, false, Queue::Reuse, &W);
        assert!(table.held().is_empty(), "not before the fence");
        table.fence(true, &W);
        assert!(table.held().is_empty(), "a block fence does not activate a device lock");
        table.fence(false, &W);
        assert!(!table.held().is_empty());
        table.exchange(h, true, &W);
        assert!(!table.held().is_empty(), "an exchange of another scope is not the unlock");
        table.exchange(h, false, &W);
        assert!(table.held().is_empty());
    }

    #[test]
    fn the_fifth_lock_replaces_the_first() {
        for queue in [Queue::Circular, Queue::Reuse] {
            let mut table = LockTable::default();
            for lock in 0..5 {
                table.compare_and_swap(lock, false, queue, &W);
            }
            table.fence(false, &W);
            table.exchange(0, false, &W);
            assert_eq!(table.entries.iter().filter(|e| e.valid).count(), 4, "lock 0 was already gone");
        }
    }

    #[test]
    fn spinning_pushes_a_held_lock_out_of_a_circular_queue() {
        for (queue, kept) in [(Queue::Circular, false), (Queue::Reuse, true)] {
            let mut table = LockTable::default();
            table.compare_and_swap(7, false, queue, &W);
            table.fence(false, &W);
            let held = table.held();
            (0..4).for_each(|_| table.compare_and_swap(8, false, queue, &W));
            assert_eq!(table.held() == held, kept, "{queue:?}");
        }
    }

    #[test]
    fn a_lock_that_is_held_outlasts_others_that_come_and_go() {
        let mut table = LockTable::default();
        table.compare_and_swap(7, false, Queue::Reuse, &W);
        table.fence(false, &W);
        let held = table.held();
        for lock in 8..40 {
            table.compare_and_swap(lock, false, Queue::Reuse, &W);
            table.exchange(lock, false, &W);
        }
        assert_eq!(table.held(), held);
    }

    #[test]
    fn spinning_takes_one_entry() {
        let mut table = LockTable::default();
        table.compare_and_swap(1, false, Queue::Reuse, &W);
        for _ in 0..100 {
            table.compare_and_swap(2, false, Queue::Reuse, &W);
        }
        assert_eq!(table.entries.iter().filter(|e| e.valid).count(), 2);
    }

    #[test]
    fn scopes_decide_which_locks_exclude_each_other() {
        let (device, block) = (holding(0x40, false), holding(0x40, true));
        assert!(device.intersects(device, false, &W));
        assert!(device.intersects(block, true, &W));
        assert!(!device.intersects(block, false, &W));
        assert!(block.intersects(block, true, &W));
        assert!(!block.intersects(block, false, &W));
    }

    #[test]
    fn neighbouring_locks_have_different_bits() {
        assert!(!holding(0x40, false).intersects(holding(0x44, false), true, &W));
    }
}
