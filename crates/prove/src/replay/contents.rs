//! The contents of the arrays of a made-up launch.

/// The size of the array that each pointer parameter gets, in bytes.
pub const ARRAY_BYTES: u64 = 1 << 18;

/// The size of each array of [`Contents::ManyZeros`], in bytes.
const LARGE_BYTES: u64 = 1 << 24;

/// The contents of all arrays before the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    Zeros,
    /// Zeros in arrays of 16 MiB: for launches that leave smaller ones.
    ManyZeros,
    /// 32-bit words 0, 1, 2, and so on.
    Ascending,
    /// The contents before a launch of an observed run.
    Observed,
    /// Small bytes and words.
    Small(u64),
    /// Every bit is set.
    Ones,
}

impl std::fmt::Display for Contents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Contents::Zeros => f.write_str("arrays are full of zeros"),
            Contents::ManyZeros => f.write_str("arrays of 16 MiB are full of zeros"),
            Contents::Ascending => f.write_str("arrays hold 0, 1, 2, … (words of 32 bits)"),
            Contents::Small(_) => f.write_str("arrays hold small numbers"),
            Contents::Observed => f.write_str("arrays hold what they held then"),
            Contents::Ones => f.write_str("arrays are full of ones (all bits set)"),
        }
    }
}

/// Returns the contents of the nth array, as words.
pub(crate) fn fill(contents: Contents, nth: u64) -> Vec<u64> {
    let words = ARRAY_BYTES / 8;
    match contents {
        Contents::Zeros | Contents::Observed => vec![0; words as usize],
        Contents::ManyZeros => vec![0; (LARGE_BYTES / 8) as usize],
        Contents::Ones => vec![u64::MAX; words as usize],
        Contents::Ascending => (0..words).map(|i| (2 * i) | ((2 * i + 1) << 32)).collect(),
        Contents::Small(seed) => {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(nth);
            let mut next = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 40) % 17
            };
            (0..words).map(|_| next() | (next() << 32)).collect()
        }
    }
}
