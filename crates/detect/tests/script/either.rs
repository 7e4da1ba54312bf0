//! Random programs, and what is found of them by two ways.

#[allow(dead_code, reason = "it is the crate's, too")]
#[path = "../../src/random.rs"]
mod random;

use detect::ptx::{PtxOptions, Shortcuts};
use std::fmt::Debug;

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        random::next(&mut self.0) % n
    }
}

/// Runs programs of as many seeds with all shortcuts, without one of them in turn, without any, and with a bound on memory, and in parts of memory. All find the
/// same; how many have races is between two numbers.
///
/// Cells keep other accesses than word epochs, so that without these a program may have other findings; but it races
/// with them or not at all.
pub(crate) fn by_either_way<F: PartialEq + Debug>(
    seeds: u64,
    racy: std::ops::Range<usize>,
    found: impl Fn(u64, PtxOptions) -> Vec<F>,
) {
    let mut races = 0;
    for seed in 0..seeds {
        let with = |shortcuts| found(seed, PtxOptions { shortcuts, ..PtxOptions::default() });
        let short = with(Shortcuts::ALL);
        let each = Shortcuts::without_each();
        let (name, without) = each[seed as usize % each.len()];
        let other = with(without);
        if name == "word_epochs" {
            assert_eq!(short.is_empty(), other.is_empty(), "{seed} without {name}: {short:?} {other:?}");
            let none = with(Shortcuts::NONE);
            assert_eq!(short.is_empty(), none.is_empty(), "{seed} without any: {short:?} {none:?}");
        } else {
            assert_eq!(short, other, "{seed} without {name}");
        }
        let bounded = PtxOptions { max_shadow_bytes: Some(1 << 40), ..PtxOptions::default() };
        assert_eq!(short, found(seed, bounded), "{seed} bounded");
        let histories = Shortcuts { word_epochs: true, ..Shortcuts::NONE };
        assert_eq!(short, with(histories), "{seed} with word epochs alone");
        let parts = 2 + seed as usize % 3;
        let divided = super::divided(parts, || with(Shortcuts::ALL));
        assert_eq!(short, divided, "{seed} with memory divided in {parts} parts");
        races += usize::from(!short.is_empty());
    }
    assert!(racy.contains(&races), "{races}");
}
