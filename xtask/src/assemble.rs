//! `cargo xtask assemble`: has ptxas assemble the fixtures' kernels with checks, for every architecture that
//! they are built for.

use crate::cuda;
use crate::shell::{self, Outcome, cargo};
use std::process::Command;

/// The passes unless others are named: those that differ most. `all` takes a while; `.ci/run` names the last of these.
const USUAL: &str = "guard collide:balanced:shuffle:trap guard,collide:balanced";

/// The passes, and folders of programs; without a folder those that `cargo xtask test` has left.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let toolkit = cuda::ensure()?;
    let (passes, folders) = arguments.split_first().unwrap_or((&USUAL, &[]));
    let fixtures = shell::target().join("tmp/ui");
    if folders.is_empty() && !fixtures.is_dir() {
        return Err(format!("{} is not there: `cargo xtask test` builds the fixtures", fixtures.display()));
    }
    // As the tests were built.
    shell::run(&mut cargo(&["build", "--quiet", "-p", "instrument", "--example", "assemble"]))?;
    shell::step(&format!("assembling instrumented kernels ({passes})"));
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut command = Command::new(shell::target().join("debug/examples/assemble"));
    command.arg(toolkit.root.join("bin/ptxas")).arg(jobs).arg(passes);
    match folders.is_empty() {
        true => command.arg(fixtures),
        false => command.args(folders),
    };
    shell::run(&mut command)
}
