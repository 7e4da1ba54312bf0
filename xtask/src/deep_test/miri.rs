//! Unit tests under Miri, which finds undefined behaviour: accesses outside of an allocation, aliasing that Rust forbids,
//! uninitialised reads, data races. Property tests take fewer turns there (`cfg!(miri)`), since Miri executes some thousand
//! times slower than the processor.

use super::{needs, nightly};
use crate::shell::{self, Outcome};

/// Crates whose unit tests call no foreign code. `heap` is not among them: it calls mimalloc, which Miri cannot execute.
/// `snapshot` has no unit tests, and no unsafe code.
const CRATES: [&str; 2] = ["clocks", "ptx"];

/// Tests may read files.
const FLAGS: &str = "-Zmiri-disable-isolation";

/// Runs the unit tests of `crates`, or of all of [`CRATES`] if none is named.
pub(super) fn run(crates: &[&str]) -> Outcome {
    let mut version = nightly();
    version.args(["miri", "--version"]);
    needs(
        version,
        "rustup toolchain install nightly --profile minimal --component miri --component rust-src",
    )?;
    let crates = if crates.is_empty() { &CRATES } else { crates };
    for name in crates {
        shell::step(&format!("Miri on {name}"));
        let mut command = nightly();
        command.args(["miri", "test", "--lib", "--package", name, "--target-dir"]);
        command.arg(shell::target().join("miri")).env("MIRIFLAGS", FLAGS);
        shell::run(&mut command)?;
    }
    Ok(())
}
