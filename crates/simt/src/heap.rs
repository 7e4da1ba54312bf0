//! The heap of device-side `malloc`, whose lifetime is that of its context.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// A first-fit allocator over a mapped range of global memory.
#[derive(Debug)]
pub struct DeviceHeap {
    base: u64,
    bytes: u64,
    /// Allocated ranges, base to length.
    live: Mutex<BTreeMap<u64, u64>>,
}

/// The alignment of the CUDA device runtime.
pub(crate) const ALIGN: u64 = 16;

impl DeviceHeap {
    /// Creates a heap over `base..base + bytes`, which the caller has mapped.
    pub fn new(base: u64, bytes: u64) -> Self {
        DeviceHeap { base, bytes, live: Mutex::default() }
    }

    pub fn base(&self) -> u64 {
        self.base
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Allocates a range; returns `None` if none is large enough.
    pub fn allocate(&self, bytes: u64) -> Option<u64> {
        let bytes = bytes.max(1).checked_next_multiple_of(ALIGN)?;
        let mut live = self.live.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut at = self.base.next_multiple_of(ALIGN);
        for (&base, &len) in live.iter() {
            if base - at >= bytes {
                break;
            }
            at = base + len;
        }
        if at.checked_add(bytes)? > self.base.checked_add(self.bytes)? {
            return None;
        }
        live.insert(at, bytes);
        Some(at)
    }

    /// Returns the length of the live range that begins at `address`, if there is one.
    pub fn bytes_at(&self, address: u64) -> Option<u64> {
        self.live.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(&address).copied()
    }

    /// Frees the range that begins at `address`, and returns its length; `None` if there is no such range.
    pub fn release(&self, address: u64) -> Option<u64> {
        self.live.lock().unwrap_or_else(std::sync::PoisonError::into_inner).remove(&address)
    }

    /// Returns the live ranges, base to length.
    pub fn live(&self) -> BTreeMap<u64, u64> {
        self.live.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Makes these ranges the live ones.
    pub fn restore(&self, live: BTreeMap<u64, u64>) {
        *self.live.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = live;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_ranges_are_used_again_and_the_end_is_respected() {
        let heap = DeviceHeap::new(0x1000, 64);
        let a = heap.allocate(10).unwrap();
        let b = heap.allocate(16).unwrap();
        let c = heap.allocate(32).unwrap();
        assert_eq!((a, b, c), (0x1000, 0x1010, 0x1020));
        assert_eq!(heap.allocate(1), None);
        assert_eq!(heap.release(b), Some(16));
        assert_eq!(heap.release(b), None);
        assert_eq!(heap.allocate(17), None);
        assert_eq!(heap.allocate(0), Some(b));
        assert_eq!(heap.allocate(u64::MAX), None);
    }
}
