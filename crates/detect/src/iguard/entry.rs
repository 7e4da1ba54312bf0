//! A metadata entry: what iGUARD knows of one granule of memory (Fig. 4).

/// One of the two accessors that an entry names, and what its counters read then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accessor {
    /// Index of the thread in its grid, blocks padded to whole warps.
    pub thread: u32,
    pub dev_fence: u32,
    pub blk_fence: u32,
    pub barrier: u32,
    pub warp_barrier: u32,
}

impl Accessor {
    pub const fn warp(&self) -> u32 {
        self.thread / 32
    }

    pub const fn lane(&self) -> u32 {
        self.thread % 32
    }
}

/// An entry taken apart. Every field holds no more bits than [`Widths`](super::Widths) allow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Locks that the last accessor held.
    pub locks: u64,
    pub writer: Accessor,
    pub accessor: Accessor,
    pub valid: bool,
    pub modified: bool,
    pub atomic: bool,
    /// Scope of the last atomic: block if set, device if not.
    pub block_scope: bool,
    pub blk_shared: bool,
    pub dev_shared: bool,
}

const _: () = assert!(size_of::<Entry>() == 56);

/// The sixteen-byte entry: a word for the last writer, one for the last accessor.
///
/// | bits  | writer's word | accessor's word |
/// |-------|---------------|-----------------|
/// | 63–58 | valid, modified, atomic, scope, block-shared, device-shared | tag (with 57–54) |
/// | 53–34 | thread | thread |
/// | 33–28 | device fence | device fence |
/// | 27–22 | block fence | block fence |
/// | 21–14 | block barrier | block barrier |
/// | 13–8  | warp barrier | warp barrier |
/// | 7–0   | locks, upper half | locks, lower half |
///
/// The paper's figure names the fields; their places are those of the released code. The tag
/// is zero: cells are found by their full address here, so none is ever shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words([u64; 2]);

const _: () = assert!(size_of::<Words>() == 16);

impl Words {
    /// Packs an entry whose fields fit [`Widths::PUBLISHED`](super::Widths::PUBLISHED).
    pub fn pack(entry: &Entry) -> Words {
        let flags = [
            entry.valid,
            entry.modified,
            entry.atomic,
            entry.block_scope,
            entry.blk_shared,
            entry.dev_shared,
        ];
        let flags = flags.into_iter().fold(0, |bits, flag| bits << 1 | u64::from(flag));
        Words([
            flags << 58 | pack(&entry.writer) | (entry.locks >> 8 & 0xff),
            pack(&entry.accessor) | (entry.locks & 0xff),
        ])
    }

    pub fn unpack(self) -> Entry {
        let Words([writer, accessor]) = self;
        let flag = |bit: u32| writer >> bit & 1 != 0;
        Entry {
            locks: (writer & 0xff) << 8 | (accessor & 0xff),
            writer: unpack(writer),
            accessor: unpack(accessor),
            valid: flag(63),
            modified: flag(62),
            atomic: flag(61),
            block_scope: flag(60),
            blk_shared: flag(59),
            dev_shared: flag(58),
        }
    }
}

const fn pack(a: &Accessor) -> u64 {
    (a.thread as u64 & 0xf_ffff) << 34
        | (a.dev_fence as u64 & 0x3f) << 28
        | (a.blk_fence as u64 & 0x3f) << 22
        | (a.barrier as u64 & 0xff) << 14
        | (a.warp_barrier as u64 & 0x3f) << 8
}

const fn unpack(word: u64) -> Accessor {
    Accessor {
        thread: (word >> 34 & 0xf_ffff) as u32,
        dev_fence: (word >> 28 & 0x3f) as u32,
        blk_fence: (word >> 22 & 0x3f) as u32,
        barrier: (word >> 14 & 0xff) as u32,
        warp_barrier: (word >> 8 & 0x3f) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_its_bits() {
        let none = Entry::default();
        let who = Accessor::default();
        let cases = [
            (Entry { valid: true, ..none }, 0, (63, 63)),
            (Entry { modified: true, ..none }, 0, (62, 62)),
            (Entry { atomic: true, ..none }, 0, (61, 61)),
            (Entry { block_scope: true, ..none }, 0, (60, 60)),
            (Entry { blk_shared: true, ..none }, 0, (59, 59)),
            (Entry { dev_shared: true, ..none }, 0, (58, 58)),
            (Entry { writer: Accessor { thread: 0xf_ffff, ..who }, ..none }, 0, (53, 34)),
            (Entry { accessor: Accessor { dev_fence: 0x3f, ..who }, ..none }, 1, (33, 28)),
            (Entry { writer: Accessor { blk_fence: 0x3f, ..who }, ..none }, 0, (27, 22)),
            (Entry { accessor: Accessor { barrier: 0xff, ..who }, ..none }, 1, (21, 14)),
            (Entry { writer: Accessor { warp_barrier: 0x3f, ..who }, ..none }, 0, (13, 8)),
            (Entry { locks: 0xff00, ..none }, 0, (7, 0)),
            (Entry { locks: 0x00ff, ..none }, 1, (7, 0)),
        ];
        for (entry, word, (high, low)) in cases {
            let mut expected = [0; 2];
            expected[word] = (u64::MAX >> (63 - high)) & (u64::MAX << low);
            assert_eq!(Words::pack(&entry), Words(expected), "{entry:?}");
            assert_eq!(Words(expected).unpack(), entry);
        }
    }
}
