//! How wide the numbers are that the hardware keeps, and a warp by such numbers.

/// Bits of the identifiers and counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    pub block: u32,
    pub warp: u32,
    pub fence: u32,
    pub barrier: u32,
    /// Bits of a lock's hash in the lock table.
    pub lock_hash: u32,
    /// Bits of each half (block scope, device scope) of the Bloom filter.
    pub bloom_half: u32,
    /// Entries of a warp's lock table.
    pub lock_entries: usize,
}

impl Widths {
    /// Fig. 6 and Fig. 7. Of the release counter §VI gives no width, and the entry's eight bytes have
    /// no room for it: it does not wrap here.
    pub const PUBLISHED: Widths =
        Widths { block: 7, warp: 5, fence: 6, barrier: 8, lock_hash: 6, bloom_half: 8, lock_entries: 4 };
    /// No counter wraps and no identifier is shared within a launch; the lock table has room for
    /// two locks of each lane.
    pub const WIDE: Widths = Widths {
        block: 32,
        warp: 8,
        fence: 32,
        barrier: 32,
        lock_hash: 32,
        bloom_half: 32,
        lock_entries: 64,
    };

    /// §VI splits the barrier's identifier: one of its bits tells that the warp has diverged.
    pub const fn barrier_bits(&self, divergence: bool) -> u32 {
        if divergence && self.barrier < 32 { self.barrier - 1 } else { self.barrier }
    }
}

/// A warp as the hardware numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpSlot {
    pub block: u32,
    pub warp: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_fields_fill_58_of_the_words_64_bits() {
        let w = Widths::PUBLISHED;
        let (tag, flags) = (4, 6);
        let used = tag + w.block + w.warp + 2 * w.fence + w.barrier + flags + 2 * w.bloom_half;
        assert_eq!(used, 58, "Fig. 7: bits 63 to 58 are unused");
        assert!(used + 5 <= 64, "§VI puts the thread's five bits there");
        assert_eq!(w.barrier_bits(true), 7, "§VI: a 7-bit BarrierID and hasDiverged");
    }
}
