//! What the host finds in a table (see [`super::runtime`]): who accessed a word last.

use super::launches::LANES;
use super::runtime::{self, KEPT, LINE, ROW};

/// Bytes of a slot, and how many of them a word has.
pub const SLOT: usize = 16;
pub const SLOTS: usize = 3;

/// An access of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The number of its check.
    pub check: u32,
    /// Linear, as the thread.
    pub block: u32,
    pub thread: u16,
    pub writes: bool,
    /// Of its word, a bit for each.
    pub bytes: u32,
    pub lane: usize,
    pub clock: u32,
}

/// Where the line of a word of global memory is, and the rest of its address.
fn line(address: u64, lines: u32) -> (u64, u32) {
    let number = address >> 7;
    let rest = (number >> lines) as u32;
    let turned = rest.wrapping_mul(0x9e37_79b1) >> (32 - lines);
    ((number as u32 ^ turned) as u64 & ((1 << lines) - 1), rest)
}

/// Where in a table with 2^`lines` lines the slots of a word of global memory are: of its last write, and of two reads.
pub fn places(address: u64, lines: u32) -> [u64; SLOTS] {
    let at = runtime::HEADER + line(address, lines).0 * LINE + (address >> 2 & 31) * SLOT as u64;
    [at, at + ROW, at + 2 * ROW]
}

/// Where `{clock, number}` of a lane's launch stands, if it is still known.
pub fn begun(lane: usize, number: u32) -> u64 {
    runtime::BEGUN + 8 * (lane as u64 * KEPT + u64::from(number) % KEPT)
}

/// What is in the `which`-th slot of a word, if that is a weak access of it by a launch that the host knows of.
pub fn entry(slot: [u32; 4], which: usize, address: u64, lines: u32) -> Option<Entry> {
    let [key, check, who, when] = slot;
    let own = line(address, lines).1 | 1 << 30;
    // Of who has observed the word more may be ordered than is known; of what is strong the host may be strong, too.
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
        // Another word, nobody, a strong one, one by who had observed the word, and of launches that the host knows nothing of.
        for (word, bits) in [(0, 1), (0, 1 << 30), (0, 1 << 28), (0, 1 << 31), (3, 8 << 28)] {
            assert_eq!(with(word, bits), None);
        }
        let [write, first, last] = places(address, lines);
        assert_eq!((first - write, last - write, write % 16), (ROW, 2 * ROW, 0));
        assert!(last + SLOT as u64 <= super::super::table_bytes(lines));
        assert_eq!(begun(1, 257), runtime::BEGUN + 8 * (KEPT + 1));
    }
}
