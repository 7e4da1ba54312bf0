//! Mutation testing by cargo-mutants: which changes of the detector's core does no test notice?

use super::needs_subcommand;
use crate::shell::{self, Outcome};

/// The detector's core: what orders accesses, what a history keeps, what a pair of accesses is.
const FILES: [(&str, &str); 3] = [
    ("clocks", "crates/clocks/src/*.rs"),
    ("detect", "crates/detect/src/ptx/order/*.rs"),
    ("detect", "crates/detect/src/ptx/access/*.rs"),
];

/// Tries the mutants of each of [`FILES`], or of the glob that is named with its crate.
pub(super) fn run(arguments: &[&str]) -> Outcome {
    needs_subcommand("mutants")?;
    match arguments {
        [] => FILES.iter().try_for_each(|(name, files)| try_all(name, files)),
        [name, files] => try_all(name, files),
        _ => Err("usage: cargo xtask deep-test mutants [CRATE GLOB]".into()),
    }
}

fn try_all(name: &str, files: &str) -> Outcome {
    shell::step(&format!("mutants of {files}"));
    let mut command =
        shell::cargo(&["mutants", "--in-place", "--package", name, "--file", files, "--output"]);
    command.arg(shell::target().join("mutants")).args(["--", "--lib", "--test", "all"]);
    shell::run(command.env("PROPTEST_RNG_SEED", "1"))
}
