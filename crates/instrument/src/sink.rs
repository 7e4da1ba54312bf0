//! Where instrumented kernels say what they have seen: one record for each site and kind of check, at a fixed
//! address. The first thread that fails a check fills the record in, later ones are counted.

/// Bytes of a record.
pub const RECORD: u64 = 64;

/// How far a record is counted: what races billions of times need not tell so, and counting is slow.
pub const MOST: u32 = 1 << 20;

/// Offsets in a record.
pub mod field {
    /// `u32`: how often, up to [`super::MOST`] and a little more.
    pub const COUNT: u64 = 0;
    /// `u32`: 1 once the rest is complete.
    pub const VALID: u64 = 4;
    /// `u64`: the address accessed: a generic one, or an offset in shared memory, as the instruction has it.
    pub const ADDRESS: u64 = 8;
    /// Three `u32`: `%tid` of the first thread.
    pub const THREAD: u64 = 16;
    /// Three `u32`: its `%ctaid`.
    pub const BLOCK: u64 = 28;
}

/// A record that somebody has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub count: u32,
    /// `None` while, or if, the thread did not get so far.
    pub first: Option<First>,
}

/// The first failed check of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    pub address: u64,
    pub thread: [u32; 3],
    pub block: [u32; 3],
}

impl Record {
    /// Reads a record; `None` if nothing was ever written there.
    pub fn read(bytes: &[u8; RECORD as usize]) -> Option<Record> {
        let word = |at: u64| {
            let at = at as usize;
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let triple = |at: u64| [word(at), word(at + 4), word(at + 8)];
        let count = word(field::COUNT);
        let first = (word(field::VALID) == 1).then(|| First {
            address: u64::from(word(field::ADDRESS)) | u64::from(word(field::ADDRESS + 4)) << 32,
            thread: triple(field::THREAD),
            block: triple(field::BLOCK),
        });
        (count > 0).then_some(Record { count, first })
    }
}
