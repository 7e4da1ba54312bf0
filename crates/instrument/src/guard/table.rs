//! Reads a table (see [`super::runtime`]) from the host: the last accesses of a word.

use super::launches::LANES;
use super::runtime::{self, KEPT, LINE, ROW};

/// The bytes of a slot, and the number of slots of a word.
pub const SLOT: usize = 16;
pub const SLOTS: usize = 3;

/// An access of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The number of its check.
    pub check: u32,
    /// The linear index of the block; that of the thread is `thread`.
    pub block: u32,
    pub thread: u16,
    pub writes: bool,
    /// The accessed bytes of its word, a bit for each.
    pub bytes: u32,
    pub lane: usize,
    pub clock: u32,
}

/// Returns the line of a word of global memory, and the rest of its address.
fn line(address: u64, lines: u32) -> (u64, u32) {
    let number = address >> 7;
    let rest = (number >> lines) as u32;
    let turned = rest.wrapping_mul(0x9e37_79b1) >> (32 - lines);
    ((number as u32 ^ turned) as u64 & ((1 << lines) - 1), rest)
}

/// Returns the offsets of a word's slots in a table with 2^`lines` lines: its last write, and two reads.
pub fn places(address: u64, lines: u32) -> [u64; SLOTS] {
    let at = runtime::HEADER + line(address, lines).0 * LINE + (address >> 2 & 31) * SLOT as u64;
    [at, at + ROW, at + 2 * ROW]
}

/// Returns the offset of the `{clock, number}` of a lane's launch, if it is still recorded.
pub fn begun(lane: usize, number: u32) -> u64 {
    runtime::BEGUN + 8 * (lane as u64 * KEPT + u64::from(number) % KEPT)
}

/// Decodes the `which`-th slot of a word, if it has a weak access of that word by a launch with a lane of the
/// host.
pub fn entry(slot: [u32; 4], which: usize, address: u64, lines: u32) -> Option<Entry> {
    let [key, check, who, when] = slot;
    let own = line(address, lines).1 | 1 << 30;
    // A thread that has observed the word may be ordered further than recorded, and the host's access may be
    // strong, too.
    let is_plain = key & (1 << 28 | 1 << 31) == 0;
    let lane = (when >> 28) as usize;
    (key & 0x40ff_ffff == own && is_plain && lane < LANES).then_some(Entry {
        check: check & 0xffff,
        block: who >> 10,
        thread: (who & 0x3ff) as u16,
        writes: which == 0,
        bytes: key >> 24 & 0xf,
        lane,
        clock: when & 0x0fff_ffff,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_slot_says_is_read_as_kernels_write_it() {
        let (address, lines) = (0x7f12_3456_7894, runtime::FEWEST);
        let rest = (address >> 7 >> lines) as u32;
        // A weak write of the word's upper half, by check 5, thread 3 of block 9, in lane 2 at clock 77.
        let slot = [rest | 1 << 30 | 0b1100 << 24, 5 | 7 << 16, 9 << 10 | 3, 2 << 28 | 77];
        let entry = entry(slot, 0, address, lines).unwrap();
        assert_eq!((entry.check, entry.block, entry.thread, entry.writes), (5, 9, 3, true));
        assert_eq!((entry.bytes, entry.lane, entry.clock), (0b1100, 2, 77));
        let with = |word: usize, bits: u32| {
            let mut slot = slot;
            slot[word] ^= bits;
            super::entry(slot, 0, address, lines)
        };
        // Another word, an empty slot, a strong access, one by a thread that had observed the word, and one
        // of a launch without a lane of the host.
        for (word, bits) in [(0, 1), (0, 1 << 30), (0, 1 << 28), (0, 1 << 31), (3, 8 << 28)] {
            assert_eq!(with(word, bits), None);
        }
        let [write, first, last] = places(address, lines);
        assert_eq!((first - write, last - write, write % 16), (ROW, 2 * ROW, 0));
        assert!(last + SLOT as u64 <= super::super::table_bytes(lines));
        assert_eq!(begun(1, 257), runtime::BEGUN + 8 * (KEPT + 1));
    }
}
