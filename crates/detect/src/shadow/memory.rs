//! How much shadow memory there may be.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A count of bytes with a cap. The cap is for new memory only: what there is stays in use.
#[derive(Debug)]
pub(crate) struct Memory {
    bytes: AtomicU64,
    cap: u64,
    refused: AtomicBool,
}

impl Memory {
    pub(crate) fn new(cap: Option<u64>) -> Self {
        Memory { bytes: AtomicU64::new(0), cap: cap.unwrap_or(u64::MAX), refused: AtomicBool::new(false) }
    }

    pub(crate) fn grew(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn shrank(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// May there be more? A refusal is remembered.
    pub(crate) fn may_grow(&self) -> bool {
        let may = self.bytes() < self.cap;
        if !may {
            self.refused.store(true, Ordering::Relaxed);
        }
        may
    }

    pub(crate) fn refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_remembered() {
        let memory = Memory::new(Some(10));
        memory.grew(9);
        assert!(memory.may_grow() && !memory.refused());
        memory.grew(1);
        assert!(!memory.may_grow());
        memory.shrank(5);
        assert!(memory.may_grow() && memory.refused());
    }
}
