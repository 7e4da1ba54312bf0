//! `cargo xtask test` and `bless`.

use crate::shell::{self, Outcome};
use crate::{cuda, shell::cargo};

/// Everything, or only the fixtures that match.
pub(crate) fn run(filter: Option<&str>) -> Outcome {
    let Some(filter) = filter else {
        shell::step("running all tests");
        return prepared(&["test", "--workspace", "--no-fail-fast"], &[]);
    };
    prepared(&UI, &[filter])
}

pub(crate) fn bless(filter: Option<&str>) -> Outcome {
    prepared(&UI, &[&["--bless"], filter.as_slice()].concat())
}

const UI: [&str; 7] = ["test", "--quiet", "-p", "warprace", "--test", "ui", "--"];

/// Runs cargo with the compiler and the release build where tests look for them. Tests run programs
/// under the release build: the virtual GPU is several times slower without optimisation.
fn prepared(arguments: &[&str], more: &[&str]) -> Outcome {
    let toolkit = cuda::ensure()?;
    let warprace = shell::build_release()?;
    let mut command = cargo(arguments);
    command.args(more).env("WARPRACE_CUDA", &toolkit.root).env("WARPRACE_REQUIRE_CUDA", "1");
    command.env("WARPRACE_BIN", &warprace);
    shell::run(&mut command)
}
