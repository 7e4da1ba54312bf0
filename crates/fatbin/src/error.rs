//! Everything that can be wrong with device code in a file or in memory.

use thiserror::Error;

/// Offsets are in bytes from the start of what was being read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    #[error("not an ELF file")]
    NotElf,
    #[error("damaged ELF file: {0}")]
    DamagedElf(String),
    #[error("a 32-bit or big-endian ELF file; CUDA programs are 64-bit little-endian")]
    ForeignElf,
    #[error("truncated fatbin: {what} at offset {offset:#x} needs {needed} bytes, {available} are there")]
    Truncated { what: &'static str, offset: usize, needed: u64, available: usize },
    #[error(
        "not a fatbin: {what} at offset {offset:#x} has magic number {found:#010x}, not {expected:#010x}"
    )]
    Magic { what: &'static str, offset: usize, found: u32, expected: u32 },
    #[error("{what} at offset {offset:#x} has version {found}, which is not known")]
    Version { what: &'static str, offset: usize, found: u32 },
    #[error("{what} at offset {offset:#x} is {found} bytes, which cannot be")]
    Size { what: &'static str, offset: usize, found: u64 },
    #[error("cannot decompress a {method} image: {reason}")]
    Decompress { method: &'static str, reason: String },
    #[error("an image is larger than {limit} bytes when decompressed")]
    TooLarge { limit: usize },
    #[error("an image is compressed by an unknown method (flags {flags:#x})")]
    UnknownCompression { flags: u64 },
    #[error("the new container needs {needed} bytes, the old one has {available}")]
    NoRoom { needed: usize, available: usize },
    #[error("{what} at address {address:#x} is not in readable memory")]
    Unreadable { what: &'static str, address: u64 },
}

impl Error {
    /// The same error, found by a reader that started `by` bytes further on.
    pub(crate) fn moved_by(mut self, by: usize) -> Self {
        match &mut self {
            Error::Truncated { offset, .. }
            | Error::Magic { offset, .. }
            | Error::Version { offset, .. }
            | Error::Size { offset, .. } => *offset += by,
            _ => {}
        }
        self
    }
}
