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

/// Judges programs of some of `all` seeds by every way. How many of all have races is between two numbers.
pub(crate) fn by_either_way<F: PartialEq + Debug>(
    all: u64,
    racy: std::ops::Range<u64>,
    found: impl Fn(u64, PtxOptions) -> Vec<F>,
) {
    let seeds = super::seeds(all);
    let races: u64 = (0..seeds).map(|seed| u64::from(is_racy_either_way(seed, &found))).sum();
    assert!(racy.contains(&(races * all / seeds)), "{races} of {seeds}");
}

/// Runs a program with all shortcuts, without one of them, without any, with a bound on memory, and in parts of memory. All find the
/// same. Returns whether it has races.
///
/// Cells keep other accesses than word epochs, so that without these a program may have other findings; but it races
/// with them or not at all.
pub(crate) fn is_racy_either_way<F: PartialEq + Debug>(
    seed: u64,
    found: impl Fn(u64, PtxOptions) -> Vec<F>,
) -> bool {
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
    !short.is_empty()
}
