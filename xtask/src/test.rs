//! `cargo xtask test`, `bless`, `advice`, `fixes`, `slim` and `shrink`.

use crate::shell::{self, Outcome};
use crate::{cuda, shell::cargo};
use std::process::Command;

/// Everything, or only the fixtures that match, or all that can be built for `--arch ARCH`.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    if arguments.is_empty() {
        shell::step("running all tests");
        return prepared(&ALL, &[]);
    }
    prepared(&UI, arguments)
}

/// The same with every check of every fixture.
pub(crate) fn every(arguments: &[&str]) -> Outcome {
    let (test, more) = if arguments.is_empty() { (&ALL[..], &[][..]) } else { (&UI[..], arguments) };
    shell::step("running all tests, with every check of every fixture");
    shell::run(prepare(test, more)?.env("WARPRACE_EVERY", "1"))
}

/// The architectures that programs are commonly built for.
const ARCHITECTURES: [&str; 5] = ["default", "compute_75", "compute_80", "compute_90", "compute_100"];

/// The fixtures, or those that match, for every architecture.
pub(crate) fn architectures(filter: Option<&str>) -> Outcome {
    let mut failed = Vec::new();
    for arch in ARCHITECTURES {
        shell::step(&format!("fixtures built for {arch}"));
        // Their other schedules are tried by `test`.
        let arguments = [&["--quiet", "--arch", arch, "--seeds", "2"], filter.as_slice()].concat();
        if prepared(&UI, &arguments).is_err() {
            failed.push(arch);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("some fixtures fail for {}", failed.join(", "))) }
}

pub(crate) fn bless(filter: Option<&str>) -> Outcome {
    prepared(&UI, &[&["--bless"], filter.as_slice()].concat())
}

/// Does what reports advise to the racy fixtures.
pub(crate) fn advice(filter: Option<&str>) -> Outcome {
    prepared(&UI, &[&["--apply"], filter.as_slice()].concat())
}

/// Compares runs that skip what proofs cover with runs that check everything: all fixtures, or those that match, and
/// random kernels.
pub(crate) fn prune(filter: Option<&str>) -> Outcome {
    prepared(&UI, &[&["--proofs", "--seeds", "1"], filter.as_slice()].concat())?;
    if filter.is_some() {
        return Ok(());
    }
    let mut command = cargo(&["test", "--quiet", "-p", "prove", "--test", "soundness", "pruned_runs"]);
    if std::env::var_os("PROVE_KERNELS").is_none() {
        command.env("PROVE_KERNELS", "20000");
    }
    shell::run(&mut command)
}

/// Mends all racy fixtures and bugs, those whose name contains a word, or those that are not mended; writes the record and
/// its page.
pub(crate) fn fixes(filter: Option<&str>) -> Outcome {
    measured("every_offer_is_tried", filter)
}

/// Shrinks the findings of all racy fixtures, or of those whose name contains a word; writes the page of all.
pub(crate) fn shrink(filter: Option<&str>) -> Outcome {
    measured("every_finding_is_shrunk", filter)
}

/// Slims all seeded programs, or those whose name contains a word; writes the page of all.
pub(crate) fn slim(filter: Option<&str>) -> Outcome {
    measured("every_seeded_program_is_slimmed", filter)
}

/// Runs an ignored test of `fix`, `shrink` or `slim`.
fn measured(test: &str, filter: Option<&str>) -> Outcome {
    let toolkit = cuda::ensure()?;
    shell::build_checked()?;
    let words =
        ["test", "--quiet", "-p", "warprace", "--test", "fixes", "--", "--ignored", "--nocapture", test];
    let mut command = cargo(&words);
    command.env("WARPRACE_CUDA", &toolkit.root).env("WARPRACE_FIXES", filter.unwrap_or_default());
    shell::run(&mut command)
}

/// Asks every engine about the corpus of real bugs and writes its table, or asks the engines of this machine's GPU and
/// writes their record.
pub(crate) fn bugs(gpu: bool) -> Outcome {
    shell::step("asking every engine about tests/bugs");
    let test = if gpu { "a_gpu_is_recorded" } else { "the_table_is_written" };
    prepared(&["test", "--quiet", "-p", "warprace", "--test", "bugs", "--", "--ignored", test], &[])
}

const ALL: [&str; 3] = ["test", "--workspace", "--no-fail-fast"];

const UI: [&str; 7] = ["test", "--quiet", "-p", "warprace", "--test", "ui", "--"];

fn prepared(arguments: &[&str], more: &[&str]) -> Outcome {
    shell::run(&mut prepare(arguments, more)?)
}

/// Returns cargo's command with the compiler where tests look for it. Programs run under the build that the tests are of: it is
/// optimised enough, checks its own arithmetic and assertions, and needs no second build of everything.
fn prepare(arguments: &[&str], more: &[&str]) -> Outcome<Command> {
    let toolkit = cuda::ensure()?;
    shell::build_checked()?;
    let mut command = cargo(arguments);
    command.args(more).env("WARPRACE_CUDA", &toolkit.root).env("WARPRACE_REQUIRE_CUDA", "1");
    // The same cases for everybody: a change is not to fail for what another run has found. A plain `cargo test` tries new ones.
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        command.env("PROPTEST_RNG_SEED", "1");
    }
    Ok(command)
}
