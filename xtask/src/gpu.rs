//! `cargo xtask gpu-test`, `gpu-bench` and `gpu-suites`: scripts, so that they run where there is a GPU and no Rust.

use crate::shell::{self, Outcome, root};
use std::process::Command;

pub(crate) fn script(path: &str, args: &[&str]) -> Outcome {
    let warprace = shell::build_release()?;
    shell::run(Command::new("python3").arg(root().join(path)).args(args).env("WARPRACE_BIN", warprace))
}
