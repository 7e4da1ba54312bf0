//! Inference of locks and of the locking protocol (§6.3, Fig. 7).
//!
//! Both a warp's and a thread's table are one word of three locks. A warp uses
//! its own until two of its lanes compare-and-swap at once; from then on its
//! threads use theirs.
//!
//! How scopes enter the filter the paper does not say; as in the released code a
//! block-scoped lock is mixed with its block, and a device-scoped one counts as
//! both, so that it excludes its block's users of the block-scoped form.

use super::Widths;

/// Locks that a table holds.
const LOCKS: u32 = 3;
/// Bits of a lock: eighteen of hash, then scope, valid, active.
const LOCK_BITS: u32 = 21;
const HASH_BITS: u32 = 18;
const SCOPE: u32 = 18;
const VALID: u32 = 19;
const ACTIVE: u32 = 20;
const IS_THREAD: u32 = 63;

/// The 64-bit lock table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockTable(u64);

const _: () = assert!(size_of::<LockTable>() == 8);
const _: () = assert!(LOCKS * LOCK_BITS == IS_THREAD);

/// The hash that stands for a lock variable.
pub fn hash(address: u64) -> u32 {
    // Locks are words of four bytes at least; the upper bits tell allocations apart.
    let word = address >> 2;
    ((word ^ word >> HASH_BITS ^ word >> (2 * HASH_BITS)) & ((1 << HASH_BITS) - 1)) as u32
}

impl LockTable {
    fn bit(self, lock: u32, bit: u32) -> bool {
        self.0 >> (lock * LOCK_BITS + bit) & 1 != 0
    }

    fn set(&mut self, lock: u32, bit: u32, on: bool) {
        let mask = 1 << (lock * LOCK_BITS + bit);
        if on {
            self.0 |= mask;
        } else {
            self.0 &= !mask;
        }
    }

    fn hash(self, lock: u32) -> u32 {
        (self.0 >> (lock * LOCK_BITS)) as u32 & ((1 << HASH_BITS) - 1)
    }

    fn find(self, hash: u32, block_scope: bool) -> Option<u32> {
        (0..LOCKS).find(|&lock| {
            self.bit(lock, VALID) && self.hash(lock) == hash && self.bit(lock, SCOPE) == block_scope
        })
    }

    /// Whether the warp's threads lock for themselves.
    pub fn is_thread(self) -> bool {
        self.0 >> IS_THREAD != 0
    }

    /// Never unset in a launch.
    pub fn set_is_thread(&mut self) {
        self.0 |= 1 << IS_THREAD;
    }

    /// An `atomicCAS`.
    pub fn compare_and_swap(&mut self, hash: u32, block_scope: bool) {
        if self.find(hash, block_scope).is_some() {
            return;
        }
        let free = (0..LOCKS).find(|&lock| !self.bit(lock, VALID));
        let lock = free.unwrap_or(hash % LOCKS);
        self.0 &= !(((1 << LOCK_BITS) - 1) << (lock * LOCK_BITS));
        self.0 |= u64::from(hash) << (lock * LOCK_BITS);
        self.set(lock, SCOPE, block_scope);
        self.set(lock, VALID, true);
    }

    /// A `__threadfence`: entries of its scope or a narrower one become active.
    pub fn fence(&mut self, block_scope: bool) {
        for lock in 0..LOCKS {
            if self.bit(lock, VALID) && (self.bit(lock, SCOPE) || !block_scope) {
                self.set(lock, ACTIVE, true);
            }
        }
    }

    /// An `atomicExch`.
    pub fn exchange(&mut self, hash: u32, block_scope: bool) {
        if let Some(lock) = self.find(hash, block_scope) {
            self.0 &= !(((1 << LOCK_BITS) - 1) << (lock * LOCK_BITS));
        }
    }

    /// The Bloom filter of the locks that are held, as used by threads of `block`.
    pub fn held(self, block: u32, widths: &Widths) -> u64 {
        let mut filter = 0;
        for lock in 0..LOCKS {
            if self.bit(lock, VALID) && self.bit(lock, ACTIVE) {
                let hash = self.hash(lock);
                filter |= bits(hash ^ block.wrapping_mul(0x9e37) ^ 0x1_5555, widths);
                if !self.bit(lock, SCOPE) {
                    filter |= bits(hash, widths);
                }
            }
        }
        filter
    }
}

/// One bit in each half of the filter.
fn bits(hash: u32, widths: &Widths) -> u64 {
    let half = widths.bloom / 2;
    let first = (hash ^ hash >> 9) % half;
    let second = (hash.wrapping_mul(0x9e37_79b1) >> 16) % half;
    1 << first | 1 << (half + second)
}

/// Returns whether the two sides may have a lock in common. With the published width any common bit will do
/// (Table 2); the wide filter wants one in both halves, as a common lock sets.
pub const fn common(a: u64, b: u64, widths: &Widths) -> bool {
    let common = a & b;
    if widths.bloom < 64 { common != 0 } else { common & 0xffff_ffff != 0 && common >> 32 != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: Widths = Widths::WIDE;

    fn holding(address: u64, block_scope: bool, block: u32) -> u64 {
        let mut table = LockTable::default();
        table.compare_and_swap(hash(address), block_scope);
        table.fence(block_scope);
        table.held(block, &W)
    }

    #[test]
    fn a_lock_is_held_from_the_fence_to_the_exchange() {
        let mut table = LockTable::default();
        table.compare_and_swap(5, false);
        assert_eq!(table.held(0, &W), 0);
        table.fence(true);
        assert_eq!(table.held(0, &W), 0, "a block fence does not activate a device lock");
        table.fence(false);
        assert_ne!(table.held(0, &W), 0);
        table.exchange(5, true);
        assert_ne!(table.held(0, &W), 0, "another scope");
        table.exchange(5, false);
        assert_eq!(table, LockTable::default());
    }

    #[test]
    fn three_locks_fit_beside_the_protocol_bit() {
        let mut table = LockTable::default();
        table.set_is_thread();
        for lock in [0x3_ffff, 1, 2] {
            table.compare_and_swap(lock, true);
        }
        table.fence(true);
        assert!(table.is_thread());
        assert_eq!([0, 1, 2].map(|l| table.hash(l)), [0x3_ffff, 1, 2]);
        table.compare_and_swap(7, false);
        assert!(table.find(7, false).is_some(), "a fourth replaces one");
        assert!(table.is_thread());
    }

    #[test]
    fn scopes_decide_which_locks_exclude_each_other() {
        let device = |block| holding(0x40, false, block);
        let block = |block| holding(0x40, true, block);
        assert!(common(device(0), device(1), &W));
        assert!(common(device(0), block(0), &W));
        assert!(!common(device(0), block(1), &W));
        assert!(common(block(0), block(0), &W));
        assert!(!common(block(0), block(1), &W));
        assert!(!common(device(0), holding(0x44, false, 0), &W));
    }
}
