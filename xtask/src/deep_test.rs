//! `cargo xtask deep-test`: tests that take too long, or need tools that are too rare, for `cargo xtask test`.
//!
//! `miri` runs crates' unit tests under Miri, which finds undefined behaviour: accesses outside of an allocation, aliasing
//! that Rust forbids, uninitialised reads, data races. Property tests take fewer turns there (`cfg!(miri)`), since Miri executes
//! some thousand times slower than the processor.

use crate::shell::{self, Outcome};
use std::process::{Command, Stdio};

/// Crates whose unit tests call no foreign code. `heap` is not among them: it calls mimalloc, which Miri cannot execute.
const CRATES: [&str; 3] = ["clocks", "snapshot", "ptx"];

/// Tests may read files.
const FLAGS: &str = "-Zmiri-disable-isolation";

pub(crate) fn run(arguments: &[&str]) -> Outcome {
    match arguments {
        ["miri", crates @ ..] => miri(crates),
        _ => Err(format!(
            "usage: cargo xtask deep-test miri [CRATE...]; without a name: {}",
            CRATES.join(", ")
        )),
    }
}

/// Runs the unit tests of `crates`, or of all of [`CRATES`] if none is named.
fn miri(crates: &[&str]) -> Outcome {
    if !has_miri() {
        return Err(
            "no nightly toolchain with Miri: install it with `rustup toolchain install nightly --profile \
                    minimal --component miri --component rust-src`"
                .into(),
        );
    }
    let crates = if crates.is_empty() { &CRATES } else { crates };
    for name in crates {
        shell::step(&format!("Miri on {name}"));
        let mut command = nightly();
        command.args(["miri", "test", "--lib", "--package", name, "--target-dir"]);
        command.arg(shell::target().join("miri")).env("MIRIFLAGS", FLAGS).current_dir(shell::root());
        shell::run(&mut command)?;
    }
    Ok(())
}

/// Returns the nightly toolchain's cargo, by way of rustup.
fn nightly() -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).env_remove("CARGO");
    command
}

fn has_miri() -> bool {
    let mut asked = nightly();
    asked.args(["miri", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}
