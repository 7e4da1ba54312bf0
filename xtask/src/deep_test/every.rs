//! All tests of the workspace, with the checks, random programs and seeds that `cargo xtask test` tries a part of.

use crate::shell::Outcome;
use crate::test;

/// Runs the fixtures that match a filter, or all tests.
pub(super) fn run(arguments: &[&str]) -> Outcome {
    test::every(arguments)
}
