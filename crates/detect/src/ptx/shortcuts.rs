//! The switches of the ways that are faster than exact cells.
//!
//! The crate's `design.md` lists the ways in their order. None of them changes whether a program races: a test runs
//! random programs with each switch on and off and compares the findings.

/// Which ways an access may take before the exact cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortcuts {
    /// Accesses of pages that one worker reaches are judged in place, without the general path of an access.
    pub direct: bool,
    /// Accesses of a block's shared memory are put off until its next barrier.
    pub deferral: bool,
    /// A line repeats what it did for an access that it remembers, races included.
    pub replay: bool,
    /// Words keep epochs: a write, two reads and an access set.
    pub word_epochs: bool,
    /// Lines of counters keep two atomics for each word.
    pub tallies: bool,
}

impl Shortcuts {
    pub const ALL: Shortcuts =
        Shortcuts { direct: true, deferral: true, replay: true, word_epochs: true, tallies: true };

    pub const NONE: Shortcuts =
        Shortcuts { direct: false, deferral: false, replay: false, word_epochs: false, tallies: false };

    /// Returns the shortcuts without one, for each of them, with its name.
    pub fn without_each() -> [(&'static str, Shortcuts); 5] {
        let all = Shortcuts::ALL;
        [
            ("direct", Shortcuts { direct: false, ..all }),
            ("deferral", Shortcuts { deferral: false, ..all }),
            ("replay", Shortcuts { replay: false, ..all }),
            ("word_epochs", Shortcuts { word_epochs: false, ..all }),
            ("tallies", Shortcuts { tallies: false, ..all }),
        ]
    }
}

impl Default for Shortcuts {
    fn default() -> Self {
        Shortcuts::ALL
    }
}
