//! Kernels that wait for a long time, for other threads, or for ever (`waits/waits.cu`): what ends them, and
//! what is reported.

mod toolkit;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use toolkit::toolkit;

const SOURCE: &str = include_str!("waits/waits.cu");

/// Returns the program, which is compiled once; `None` without nvcc.
fn program() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || {
        let nvcc = toolkit()?.join("bin/nvcc");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("waits");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/waits/waits.cu");
        let flags = ["-std=c++17", "-lineinfo", "-gencode", "arch=compute_90,code=compute_90", "-o"];
        let done = Command::new(nvcc).args(flags).arg(&program).arg(source).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Some(program)
    };
    PROGRAM.get_or_init(compile).as_ref()
}

/// Runs the program; `None` without nvcc.
fn run(options: &[&str], what: &str) -> Option<Output> {
    run_with(options, &[what])
}

fn run_with(options: &[&str], arguments: &[&str]) -> Option<Output> {
    let warprace = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let mut command = Command::new("timeout");
    command.arg("300").arg(warprace).env_remove("LD_PRELOAD").env("NO_COLOR", "1");
    Some(command.arg("run").args(options).arg("--").arg(program()?).args(arguments).output().unwrap())
}

/// Returns the report of a run with this exit code.
fn said(output: &Output, code: i32) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

/// Returns the source line that has this comment.
fn line(comment: &str) -> String {
    let n = SOURCE.lines().position(|l| l.ends_with(&format!("// {comment}"))).unwrap() + 1;
    format!("waits.cu:{n}")
}

#[test]
fn a_long_loop_without_stores_is_no_deadlock() {
    let Some(output) = run(&[], "long-loop") else { return };
    said(&output, 0);
    assert_eq!(output.stdout, b"cudaSuccess\n");
}

#[test]
fn waits_of_libcu_that_never_end_are_deadlocks() {
    for what in ["barrier", "latch"] {
        for options in [&[][..], &["--explore", "12"], &["--predict"]] {
            let Some(output) = run(options, what) else { return };
            let text = said(&output, 67);
            assert!(text.contains("error[deadlock]") && text.contains(&line(what)), "{what}: {text}");
        }
    }
}

#[test]
fn a_loop_that_counts_in_vain_is_a_deadlock() {
    let Some(output) = run(&[], "counts") else { return };
    let text = said(&output, 67);
    assert!(text.contains("error[deadlock]") && text.contains(&line("counts")), "{text}");
}

#[test]
fn a_kernel_is_left_waiting_while_a_host_thread_may_help() {
    let Some(output) = run(&[], "host") else { return };
    said(&output, 0);
    assert_eq!(output.stdout, b"cudaSuccess\n");
}

#[test]
fn what_runs_on_has_no_end_in_sight() {
    let Some(output) = run(&["--max-instructions", "3000000"], "runs-on") else { return };
    let text = said(&output, 67);
    for part in ["error[no-end-in-sight]", "3000000 instructions", "--max-instructions", &line("runs on")] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert_eq!(output.stdout, b"cudaErrorLaunchTimeout\n");
}

#[test]
fn confirmation_does_not_depend_on_how_often_a_loop_polls() {
    for polls in ["200", "200000"] {
        let Some(output) = run_with(&["--predict"], &["impatient", polls]) else { return };
        let text = said(&output, 66);
        for part in ["predicted, then confirmed by a run", "// written", "// read"] {
            assert!(text.contains(part), "{polls} polls, no `{part}`: {text}");
        }
    }
}

/// Under priority schedules, a poller with the highest priority would run until its fuel is used up.
#[test]
fn exploration_of_pollers_that_store_ends() {
    for options in [&["--explore", "12"][..], &["--explore", "3", "--strategy", "dfs"], &["--predict=20"]] {
        let Some(output) = run(options, "queue") else { return };
        let text = said(&output, 0);
        assert!(!text.contains("too long"), "{options:?}: {text}");
    }
    let Some(output) = run(&["--explore", "12"], "queue-race") else { return };
    let text = said(&output, 66);
    for part in ["race[", "// taken", "// put"] {
        assert!(text.contains(part), "no `{part}`: {text}");
    }
}

#[test]
fn a_lane_outside_of_its_mask_is_no_deadlock() {
    let Some(output) = run(&[], "foreign") else { return };
    let text = said(&output, 67);
    assert!(text.contains("error[membermask]") && text.contains("undefined behaviour"), "{text}");
    assert!(text.contains(&line("foreign")), "{text}");
}

#[test]
fn an_mbarrier_begun_anew_while_in_use_is_named() {
    let Some(output) = run(&[], "anew") else { return };
    let text = said(&output, 67);
    assert!(text.contains("error[deadlock]") && text.contains("`mbarrier.init` began anew"), "{text}");
}
