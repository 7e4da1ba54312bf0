//! Random programs, and what is found of them by two ways.

#[allow(dead_code, reason = "it is the crate's, too")]
#[path = "../../src/random.rs"]
mod random;

use detect::ptx::PtxOptions;
use std::fmt::Debug;

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        random::next(&mut self.0) % n
    }
}

/// Runs programs of as many seeds with and without a bound, which find the same; how many have races is between two numbers.
pub(crate) fn by_either_way<F: PartialEq + Debug>(
    seeds: u64,
    racy: std::ops::Range<usize>,
    found: impl Fn(u64, PtxOptions) -> Vec<F>,
) {
    let mut races = 0;
    for seed in 0..seeds {
        let short = found(seed, PtxOptions::default());
        let long = found(seed, PtxOptions { max_shadow_bytes: Some(1 << 40), ..PtxOptions::default() });
        assert_eq!(short, long, "{seed}");
        races += usize::from(!short.is_empty());
    }
    assert!(racy.contains(&races), "{races}");
}
