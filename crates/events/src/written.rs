//! The bytes that lanes of one write stored, compared where lanes overlap.

use crate::ids::LaneMask;
use std::fmt::{self, Debug};

/// Most bytes that one lane of an access may store for its bytes to be compared.
pub const MOST_WRITTEN: usize = 64;

/// An engine's knowledge of the bytes that the lanes of a write stored.
#[derive(Clone, Copy, Default)]
pub enum Written<'a> {
    /// Nothing: lanes that overlap count as if they had stored different bytes.
    #[default]
    Unknown,
    /// The lanes that stored to some byte another value than the lowest lane that stored to that byte.
    Differing(LaneMask),
    /// All of them. They are compared only if a listener finds lanes that overlap.
    Bytes(&'a dyn WrittenBytes),
}

/// The bytes that each lane of a write stored.
pub trait WrittenBytes: Sync {
    /// Copies what `lane` stored to `to`, whose length is the lane's bytes.
    fn copy(&self, lane: usize, to: &mut [u8]);

    /// All lanes' words at once, of a write of four bytes a lane, if the engine has them side by side.
    fn words(&self) -> Option<&[u32; 32]> {
        None
    }
}

impl WrittenBytes for [u32; 32] {
    fn copy(&self, lane: usize, to: &mut [u8]) {
        to.copy_from_slice(&self[lane].to_le_bytes()[..to.len()]);
    }

    fn words(&self) -> Option<&[u32; 32]> {
        Some(self)
    }
}

impl Debug for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Written::Unknown => f.write_str("Unknown"),
            Written::Differing(lanes) => write!(f, "Differing({lanes:#x})"),
            Written::Bytes(_) => f.write_str("Bytes"),
        }
    }
}
