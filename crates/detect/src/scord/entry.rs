//! A metadata entry: what ScoRD knows of one granule of memory (Fig. 7).

use super::locks::Bloom;

/// Bits 21 to 16 of the word, in the figure's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    pub const MODIFIED: Flags = Flags(1 << 5);
    pub const BLK_SHARED: Flags = Flags(1 << 4);
    pub const DEV_SHARED: Flags = Flags(1 << 3);
    pub const IS_ATOM: Flags = Flags(1 << 2);
    /// The figure's `Scope`: set for block, clear for device.
    pub const BLOCK_SCOPE: Flags = Flags(1 << 1);
    pub const STRONG: Flags = Flags(1 << 0);
    pub const NONE: Flags = Flags(0);
    /// "All initialized to true": nobody has accessed the granule.
    pub const INITIAL: Flags = Flags(Self::MODIFIED.0 | Self::BLK_SHARED.0 | Self::DEV_SHARED.0);

    pub const fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    pub const fn with(self, flag: Flags, on: bool) -> Flags {
        if on { Flags(self.0 | flag.0) } else { Flags(self.0 & !flag.0) }
    }

    pub const fn is_initial(self) -> bool {
        self.0 & Self::INITIAL.0 == Self::INITIAL.0
    }
}

/// An entry taken apart. Every field holds no more bits than [`Widths`] allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub locks: Bloom,
    pub block: u32,
    pub dev_fence: u32,
    pub blk_fence: u32,
    pub barrier: u32,
    pub warp: u16,
    pub flags: Flags,
    /// Which of the granules that share the cache entry.
    pub tag: u8,
}

const _: () = assert!(size_of::<Entry>() == 32);

impl Entry {
    pub const INITIAL: Entry = Entry {
        locks: Bloom(0),
        block: 0,
        dev_fence: 0,
        blk_fence: 0,
        barrier: 0,
        warp: 0,
        flags: Flags::INITIAL,
        tag: 0,
    };
}

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
    /// Fig. 6 and Fig. 7.
    pub const PUBLISHED: Widths =
        Widths { block: 7, warp: 5, fence: 6, barrier: 8, lock_hash: 6, bloom_half: 8, lock_entries: 4 };
    /// No counter wraps and no identifier is shared within a launch; the lock table has room for
    /// two locks of each lane.
    pub const WIDE: Widths = Widths {
        block: 32,
        warp: 16,
        fence: 32,
        barrier: 32,
        lock_hash: 32,
        bloom_half: 32,
        lock_entries: 64,
    };

    pub const fn cut(value: u32, bits: u32) -> u32 {
        if bits >= 32 { value } else { value & ((1 << bits) - 1) }
    }
}

/// The eight-byte entry of Fig. 7.
///
/// | bits  | field |
/// |-------|-------|
/// | 63–58 | unused |
/// | 57–54 | tag |
/// | 53–47 | block |
/// | 46–42 | warp |
/// | 41–36 | device fence |
/// | 35–30 | block fence |
/// | 29–22 | barrier |
/// | 21–16 | flags |
/// | 15–0  | lock Bloom filter |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(u64);

const _: () = assert!(size_of::<Word>() == 8);

impl Word {
    pub const INITIAL: Word = Word::pack(&Entry::INITIAL);

    /// Packs an entry whose fields fit [`Widths::PUBLISHED`].
    pub const fn pack(entry: &Entry) -> Word {
        Word(
            (entry.tag as u64 & 0xf) << 54
                | (entry.block as u64 & 0x7f) << 47
                | (entry.warp as u64 & 0x1f) << 42
                | (entry.dev_fence as u64 & 0x3f) << 36
                | (entry.blk_fence as u64 & 0x3f) << 30
                | (entry.barrier as u64 & 0xff) << 22
                | (entry.flags.0 as u64 & 0x3f) << 16
                | (entry.locks.0 & 0xffff),
        )
    }

    pub const fn unpack(self) -> Entry {
        let Word(word) = self;
        Entry {
            locks: Bloom(word & 0xffff),
            block: (word >> 47 & 0x7f) as u32,
            dev_fence: (word >> 36 & 0x3f) as u32,
            blk_fence: (word >> 30 & 0x3f) as u32,
            barrier: (word >> 22 & 0xff) as u32,
            warp: (word >> 42 & 0x1f) as u16,
            flags: Flags((word >> 16 & 0x3f) as u8),
            tag: (word >> 54 & 0xf) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_the_bits_of_figure_7() {
        let zero = Entry { flags: Flags::NONE, ..Entry::INITIAL };
        let cases = [
            (Entry { tag: 0xf, ..zero }, (57, 54)),
            (Entry { block: 0x7f, ..zero }, (53, 47)),
            (Entry { warp: 0x1f, ..zero }, (46, 42)),
            (Entry { dev_fence: 0x3f, ..zero }, (41, 36)),
            (Entry { blk_fence: 0x3f, ..zero }, (35, 30)),
            (Entry { barrier: 0xff, ..zero }, (29, 22)),
            (Entry { flags: Flags(0x3f), ..zero }, (21, 16)),
            (Entry { locks: Bloom(0xffff), ..zero }, (15, 0)),
        ];
        for (entry, (high, low)) in cases {
            let mask = (u64::MAX >> (63 - high)) & (u64::MAX << low);
            assert_eq!(Word::pack(&entry), Word(mask), "{entry:?}");
            assert_eq!(Word(mask).unpack(), entry);
        }
    }

    #[test]
    fn a_fresh_word_reads_as_initial() {
        assert!(Word::INITIAL.unpack().flags.is_initial());
        assert_eq!(Word::INITIAL, Word(0b111000 << 16));
    }
}
