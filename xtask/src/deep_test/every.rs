//! All tests of the workspace, with the checks that `cargo xtask test` makes of some fixtures made of all.

use crate::shell::Outcome;
use crate::test;

/// Runs the fixtures that match a filter, or all tests.
pub(super) fn run(arguments: &[&str]) -> Outcome {
    test::every(arguments)
}
