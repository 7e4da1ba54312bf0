//! The records by which a program registers its containers.
//!
//! ```text
//! u32 magic 0x466243B1, u32 version 1 or 2, u64 address of a container, u64 extra
//! ```
//! In version 2 (`-rdc=true`), `extra` is the address of an array, ended by 0, of addresses of
//! containers that were linked into the first one: those hold the PTX.

use crate::container::{u32_at, u64_at};
use crate::error::Error;

pub const MAGIC: u32 = 0x4662_43B1;
pub const BYTES: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapper {
    pub version: u32,
    /// Address of the container.
    pub data: u64,
    /// Address of the list of prelinked containers (version 2), or 0.
    pub extra: u64,
}

impl Wrapper {
    /// Reads the wrapper at the start of `bytes`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() < BYTES {
            return Err(Error::Truncated {
                what: "wrapper",
                offset: 0,
                needed: BYTES as u64,
                available: bytes.len(),
            });
        }
        let magic = u32_at(bytes, 0);
        if magic != MAGIC {
            return Err(Error::Magic { what: "wrapper", offset: 0, found: magic, expected: MAGIC });
        }
        let version = u32_at(bytes, 4);
        if !matches!(version, 1 | 2) {
            return Err(Error::Version { what: "wrapper", offset: 0, found: version });
        }
        Ok(Wrapper { version, data: u64_at(bytes, 8), extra: u64_at(bytes, 16) })
    }

    pub fn to_bytes(self) -> [u8; BYTES] {
        let mut out = [0; BYTES];
        out[..4].copy_from_slice(&MAGIC.to_le_bytes());
        out[4..8].copy_from_slice(&self.version.to_le_bytes());
        out[8..16].copy_from_slice(&self.data.to_le_bytes());
        out[16..].copy_from_slice(&self.extra.to_le_bytes());
        out
    }
}
