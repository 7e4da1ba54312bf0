//! `cargo xtask test` and `bless`.

use crate::shell::{self, Outcome};
use crate::{cuda, shell::cargo};
use std::process::Command;

pub(crate) fn run(filter: Option<&str>) -> Outcome {
    let toolkit = cuda::ensure()?;
    let warprace = shell::build_release()?;
    let prepared = |command: &mut Command| {
        command
            .env("WARPRACE_CUDA", &toolkit.root)
            .env("WARPRACE_REQUIRE_CUDA", "1")
            .env("WARPRACE_BIN", &warprace);
    };
    if filter.is_none() {
        shell::step("testing the crates");
        let mut crates = cargo(&["test", "--workspace"]);
        prepared(&mut crates);
        // The fixtures come last, when everything below them is known to work.
        crates.env("WARPRACE_UI", "skip");
        shell::run(&mut crates)?;
    }
    shell::step("testing the fixtures in tests/ui");
    let mut ui = cargo(&["test", "--quiet", "-p", "warprace", "--test", "ui", "--"]);
    prepared(&mut ui);
    ui.args(filter);
    shell::run(&mut ui)
}

pub(crate) fn bless(filter: Option<&str>) -> Outcome {
    let toolkit = cuda::ensure()?;
    let warprace = shell::build_release()?;
    let mut ui = cargo(&["test", "--quiet", "-p", "warprace", "--test", "ui", "--", "--bless"]);
    ui.env("WARPRACE_CUDA", &toolkit.root).env("WARPRACE_REQUIRE_CUDA", "1").env("WARPRACE_BIN", &warprace);
    ui.args(filter);
    shell::run(&mut ui)
}
