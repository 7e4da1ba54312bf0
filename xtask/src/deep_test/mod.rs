//! `cargo xtask deep-test`: tests that take too long, or need tools that are too rare, for `cargo xtask test`.
//!
//! | part | question | tool |
//! |---|---|---|
//! | [`miri`] | do the crates' unit tests have undefined behaviour? | nightly, Miri |
//! | [`models`] | does the biased lock exclude in every execution that C11 allows? | loom |
//! | [`threads`] | do the detector's tests with several threads race? | nightly, ThreadSanitizer, rust-src |
//! | [`fuzz`] | does a reader of untrusted bytes panic? | nightly, cargo-fuzz |
//! | [`covered`] | which lines does no test reach? | cargo-llvm-cov |
//! | [`every`] | does everything pass of which `cargo xtask test` tries some: fixtures' checks, seeds of random programs? | none |
//! | [`mutants`] | which changes of the detector's core does no test notice? | cargo-mutants |

mod covered;
mod every;
mod fuzz;
mod miri;
mod models;
mod mutants;
mod threads;

use crate::shell::{self, Outcome};
use std::process::{Command, Stdio};

/// A part by its name, and what it does with its arguments.
type Part = (&'static str, fn(&[&str]) -> Outcome);

const PARTS: [Part; 7] = [
    ("models", models::run),
    ("miri", miri::run),
    ("threads", threads::run),
    ("fuzz", fuzz::run),
    ("coverage", covered::run),
    ("tests", every::run),
    ("mutants", mutants::run),
];

/// Runs the part that is named, or every part but the mutants, which take hours.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    match arguments {
        [] => PARTS.iter().filter(|(name, _)| *name != "mutants").try_for_each(|(_, part)| part(&[])),
        [name, rest @ ..] => match PARTS.iter().find(|(part, _)| part == name) {
            Some((_, part)) => part(rest),
            None => {
                let names: Vec<_> = PARTS.iter().map(|(name, _)| *name).collect();
                Err(format!("deep-test has no part `{name}`, but {}", names.join(", ")))
            }
        },
    }
}

/// Returns the nightly toolchain's cargo, by way of rustup.
fn nightly() -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).env_remove("CARGO").current_dir(shell::root());
    command
}

/// Fails unless `command` runs, with the way to install it.
fn needs(mut command: Command, install: &str) -> Outcome {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if status.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    Err(format!("cannot run `{}`: install it with `{install}`", shell::display(&command)))
}

/// Fails unless cargo has the subcommand.
fn needs_subcommand(name: &str) -> Outcome {
    let mut command = shell::cargo(&[name, "--version"]);
    command.env_remove("RUSTFLAGS");
    needs(command, &format!("cargo install cargo-{name}"))
}
