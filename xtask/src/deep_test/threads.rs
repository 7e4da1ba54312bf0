//! ThreadSanitizer over the detector's tests: its observers run on several threads and share pages, locks and clocks.
//!
//! The standard library is built with the sanitizer, too. ThreadSanitizer does not know `membarrier(2)` and would report the
//! biased lock: [`UNBIASED`] makes it a mutex there, and `deep-test models` checks the bias.

use super::{needs, nightly};
use crate::shell::{self, Outcome};

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The flag by which no worker becomes the owner of a biased lock.
const UNBIASED: &str = "--cfg unbiased";

/// Runs the tests of `detect` whose name contains the filter, or those that use several threads.
pub(super) fn run(filter: &[&str]) -> Outcome {
    let mut version = nightly();
    version.arg("--version");
    needs(version, "rustup toolchain install nightly --profile minimal --component rust-src")?;
    let several = ["ptx_observers", "ptx_parts", "shards", "ptx_tasks"];
    let filter = if filter.is_empty() { &several } else { filter };
    shell::step("detect's tests under ThreadSanitizer");
    for (kind, filter) in [("--lib", &["shadow"][..]), ("--test=all", filter)] {
        let mut command = nightly();
        command.args([
            "test",
            "-Zbuild-std",
            "--target",
            TARGET,
            "--package",
            "detect",
            kind,
            "--target-dir",
        ]);
        command.arg(shell::target().join("threads")).arg("--").args(filter);
        command
            .env("RUSTFLAGS", format!("-Zsanitizer=thread {UNBIASED}"))
            .env("PROPTEST_RNG_SEED", "1")
            .env("TSAN_OPTIONS", "halt_on_error=1");
        shell::run(&mut command)?;
    }
    Ok(())
}
