//! All seeds of the detector's random programs, of which `cargo test` tries a quarter.

use crate::shell::{self, Outcome};

/// Runs the detector's integration tests whose name contains the filter, or all, with every seed.
pub(super) fn run(filter: &[&str]) -> Outcome {
    shell::step("detect's random programs, all seeds");
    let mut command = shell::cargo(&["test", "-p", "detect", "--test", "all", "--test", "oracle", "--"]);
    command.args(filter).env("WARPRACE_ALL_SEEDS", "1").env("PROPTEST_RNG_SEED", "1");
    shell::run(&mut command)
}
