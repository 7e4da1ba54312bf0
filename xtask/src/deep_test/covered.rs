//! Lines that tests reach, by cargo-llvm-cov: of the crates that decide what a race is, under their own tests.

use super::needs_subcommand;
use crate::shell::{self, Outcome};

const CRATES: [&str; 8] =
    ["clocks", "events", "flowgraph", "stream_order", "ptx", "kernels", "weak", "detect"];

/// Prints the share of lines that tests reach, file by file, and writes pages under `target/coverage`.
pub(super) fn run(crates: &[&str]) -> Outcome {
    needs_subcommand("llvm-cov")?;
    let crates = if crates.is_empty() { &CRATES[..] } else { crates };
    shell::step(&format!("lines reached by the tests of {}", crates.join(", ")));
    let named: Vec<_> = crates.iter().flat_map(|name| ["--package", *name]).collect();
    let mut command = shell::cargo(&["llvm-cov", "--no-report"]);
    command.args(&named).env("PROPTEST_RNG_SEED", "1");
    shell::run(&mut command)?;
    let pages = shell::target().join("coverage");
    shell::run(shell::cargo(&["llvm-cov", "report", "--html", "--output-dir"]).arg(&pages))?;
    shell::run(&mut shell::cargo(&["llvm-cov", "report", "--summary-only"]))
}
