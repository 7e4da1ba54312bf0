//! The sink, to which instrumented kernels report: one record for each site and kind of check, at a fixed
//! address. The first thread with a failed check fills in the record; later ones are counted.

/// The bytes of a record.
pub const RECORD: u64 = 128;

/// The bound on a record's count: the exact number of very frequent races is of no interest, and counting is
/// slow.
pub const MOST: u32 = 1 << 20;

/// The default address of sinks.
pub const ADDRESS: u64 = 0x3000_0000_0000;

/// Offsets in a record.
pub mod field {
    /// `u32`: the number of failed checks, up to [`super::MOST`] and slightly more.
    pub const COUNT: u64 = 0;
    /// `u32`: 1 once the record is complete; [`super::WITH_OTHER`] if it also describes another access.
    pub const VALID: u64 = 4;
    /// `u64`: the address of the element: in the window of shared memory, or a generic one. For a register, the properties
    /// of the pair of accesses ([`super::register`]).
    pub const ADDRESS: u64 = 8;
    /// Three `u32`: `%tid` of the first thread.
    pub const THREAD: u64 = 16;
    /// Three `u32`: its `%ctaid`.
    pub const BLOCK: u64 = 28;
    /// `u64`: the value that it had read or written; for lanes of one instruction, the mask of those at this
    /// address; for tensor memory, what the two operations are ([`super::tensor`]).
    pub const EXPECTED: u64 = 40;
    /// `u64`: the value in memory after the delay.
    pub const FOUND: u64 = 48;
    /// `u32`: [`super::GLOBAL`], [`super::SHARED`], [`super::REGISTER`] or [`super::TENSOR`].
    pub const SPACE: u64 = 56;
    /// Three `u32`: `%ntid`.
    pub const THREADS: u64 = 64;
    /// Three `u32`: `%nctaid`.
    pub const BLOCKS: u64 = 76;
    /// `u32`, if the record is complete with [`super::WITH_OTHER`]: the number of the other access's check.
    pub const OTHER_CHECK: u64 = 88;
    /// `u32`: the linear index of its block.
    pub const OTHER_BLOCK: u64 = 92;
    /// `u32`: the linear index of its thread in bits 0 to 15; whether it was strong in bit 20, of another
    /// launch in bit 21, a write in bit 22, of another device in bit 25.
    pub const OTHER: u64 = 96;
    /// `u32`: whether the reporting thread's access was strong, in bit 9.
    pub const OWN: u64 = 100;
}

/// Returns text that writes the thread's coordinates to the record at the address in `record`; uses the
/// 32-bit register `scratch`.
pub(crate) fn place(record: &str, scratch: &str) -> String {
    let mut out = String::new();
    for (at, of) in
        [(field::THREAD, "tid"), (field::BLOCK, "ctaid"), (field::THREADS, "ntid"), (field::BLOCKS, "nctaid")]
    {
        for (i, axis) in ["x", "y", "z"].iter().enumerate() {
            let at = at + 4 * i as u64;
            out += &format!(
                "\tmov.u32 {scratch}, %{of}.{axis};\n\tst.volatile.global.u32 [{record}+{at}], {scratch};\n"
            );
        }
    }
    out
}

/// The value of [`field::VALID`] in complete records with both accesses.
pub const WITH_OTHER: u32 = 2;

/// Values of [`field::SPACE`].
pub const GLOBAL: u32 = 0;
pub const SHARED: u32 = 1;
pub const REGISTER: u32 = 2;
pub const TENSOR: u32 = 3;

/// Properties of two operations on tensor memory.
pub mod tensor {
    /// The lowest two bits: the kind of the earlier operation. Commits track the last two kinds.
    pub const KIND: u32 = 3;
    pub const LOAD: u32 = 0;
    pub const STORE: u32 = 1;
    pub const WRITE: u32 = 2;
    pub const READ: u32 = 3;
    /// Commits track the later operation; it writes; it is a deallocation.
    pub const TRACKED: u32 = 1 << 13;
    pub const OWN_WRITES: u32 = 1 << 14;
    pub const PLAIN: u32 = 1 << 15;
}

/// Properties of two accesses of a register, at least one of them by a matrix product.
pub mod register {
    /// The register holds a part of the accumulator; else, of matrix A.
    pub const ACCUMULATOR: u32 = 1;
    /// A `wgmma.wait_group` is missing; else, a `wgmma.fence`.
    pub const UNWAITED: u32 = 1 << 1;
    /// The earlier access is a product's; it writes.
    pub const PRODUCT: u32 = 1 << 2;
    pub const WRITES: u32 = 1 << 3;
    /// The later access is a product's; it writes.
    pub const LATER_PRODUCT: u32 = 1 << 4;
    pub const LATER_WRITES: u32 = 1 << 5;
    /// There is no earlier access: no fence precedes the product.
    pub const ALONE: u32 = 1 << 6;
}

/// The memory of the accesses in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    Global,
    Shared,
    /// A register of a matrix product.
    Register,
    /// Tensor memory: the address is a lane in the upper, a column in the lower 16 bits.
    Tensor,
}

/// The bit of [`field::OWN`] for an access through another proxy of what its launch has written before, which ordinary
/// order does not reach: a fetch, or a copy without a proxy fence.
pub(crate) const UNKEPT: u32 = 21;

/// A record that was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub count: u32,
    /// The first failed check; `None` if the thread has not completed it.
    pub first: Option<First>,
}

/// The first failed check of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    pub address: u64,
    pub memory: Memory,
    pub thread: [u32; 3],
    pub block: [u32; 3],
    /// The extents of its block.
    pub threads: [u32; 3],
    /// The extents of its grid.
    pub blocks: [u32; 3],
    /// The value that it had read or written; for lanes of one instruction, the mask of those at this
    /// address.
    pub expected: u64,
    /// The value in memory after the delay.
    pub found: u64,
    /// The other access, if it is known.
    pub other: Option<Other>,
}

/// The earlier of two accesses that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other {
    /// The number of its check.
    pub check: u32,
    /// The linear index of the block; that of the thread is `thread`.
    pub block: u32,
    pub thread: u16,
    pub writes: bool,
    pub strong: bool,
    /// Whether it was of another launch.
    pub apart: bool,
    /// Whether the later access's launch may have begun beside the earlier one's; `overlapped` is the
    /// converse.
    pub overlaps: bool,
    pub overlapped: bool,
    /// Whether it was of another device.
    pub elsewhere: bool,
    /// Whether the later access was strong.
    pub own_strong: bool,
    /// Whether only the proxy of the later access, a fetch or a copy, keeps the two from being ordered.
    pub unkept: bool,
}

impl Record {
    /// Reads a record; `None` if nothing was written there.
    pub fn read(bytes: &[u8; RECORD as usize]) -> Option<Record> {
        let word = |at: u64| {
            let at = at as usize;
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let long = |at: u64| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let triple = |at: u64| [word(at), word(at + 4), word(at + 8)];
        let count = word(field::COUNT);
        let valid = word(field::VALID);
        let other = || {
            let how = word(field::OTHER);
            let bit = |word: u32, bit: u32| word >> bit & 1 != 0;
            Other {
                check: word(field::OTHER_CHECK),
                block: word(field::OTHER_BLOCK),
                thread: how as u16,
                writes: bit(how, 22),
                strong: bit(how, 20),
                apart: bit(how, 21),
                overlaps: bit(how, 24),
                overlapped: bit(how, 23),
                elsewhere: bit(how, 25),
                own_strong: bit(word(field::OWN), 9),
                unkept: bit(word(field::OWN), UNKEPT),
            }
        };
        let first = matches!(valid, 1 | WITH_OTHER).then(|| First {
            address: long(field::ADDRESS),
            memory: match word(field::SPACE) {
                SHARED => Memory::Shared,
                REGISTER => Memory::Register,
                TENSOR => Memory::Tensor,
                _ => Memory::Global,
            },
            thread: triple(field::THREAD),
            block: triple(field::BLOCK),
            threads: triple(field::THREADS),
            blocks: triple(field::BLOCKS),
            expected: long(field::EXPECTED),
            found: long(field::FOUND),
            other: (valid == WITH_OTHER).then(other),
        });
        (count > 0).then_some(Record { count, first })
    }
}
