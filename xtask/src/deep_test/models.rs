//! The models of `models`, a workspace of its own: files of other crates compiled with loom's atomics and mutexes.

use crate::shell::{self, Outcome};

pub(super) fn run(filter: &[&str]) -> Outcome {
    shell::step("the biased lock under loom");
    let mut command = shell::cargo(&["test", "--release", "--target-dir"]);
    command.arg(shell::target().join("models")).arg("--").args(filter);
    command.env("RUSTFLAGS", "--cfg loom").current_dir(shell::root().join("models"));
    shell::run(&mut command)
}
