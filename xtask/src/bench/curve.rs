//! What the analysis of a trace costs over its size: `docs/traces.md` has the table.
//!
//! A kernel of `xtask/bench/curve.cu` is recorded with more and more launches. Traces that are larger than what records in a few
//! minutes are recorded ones whose tasks happen several times (`crates/trace/examples/repeat.rs`).

use super::cuda;
use super::engine::compile;
use crate::shell::{self, Outcome, root, target};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const USAGE: &str = "usage: cargo xtask bench curve [LARGEST [MEGABYTES]]";

/// Warp events of a launch for a megabyte of the array, about.
const EVENTS: u64 = 2 * 512 * 8 * 7;

/// Recorded traces have at most so many events.
const RECORDED: u64 = 300_000_000;

/// A command that has ended.
struct Done {
    wall: Duration,
    /// The largest resident set, in megabytes.
    peak: u64,
}

pub(super) fn run(args: &[&str]) -> Outcome {
    let number = |at: usize, usual: u64| {
        args.get(at).map_or(Ok(usual), |text| text.parse().map_err(|_| USAGE.to_owned()))
    };
    let (largest, megabytes) = (number(0, 100_000_000)?, number(1, 4)?);
    let warprace = shell::build_release()?;
    let program = compile(&cuda::ensure()?, "curve", &root().join("xtask/bench/curve.cu"), &[])?;
    let folder = target().join("bench/curve");
    println!("| events | how | trace | one pass | peak | 4 parts | peak | `--max-memory` of half | peak |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut events = 1_000_000;
    while events <= largest {
        let trace = folder.join("trace");
        let launches = (events / (EVENTS * megabytes)).max(1);
        let how = made(&warprace, &program, &trace, (megabytes, launches))?;
        row(&warprace, &trace, how)?;
        std::fs::remove_file(&trace).map_err(|e| format!("cannot remove {}: {e}", trace.display()))?;
        events *= 10;
    }
    Ok(())
}

/// Makes a trace, and returns how.
fn made(
    warprace: &Path,
    program: &Path,
    trace: &Path,
    (megabytes, launches): (u64, u64),
) -> Outcome<&'static str> {
    let most = (RECORDED / (EVENTS * megabytes)).max(1);
    let times = launches.div_ceil(most);
    let recorded = if times == 1 { trace.to_owned() } else { trace.with_extension("once") };
    let mut record = Command::new(warprace);
    record.args(["trace", "--quiet", "-o"]).arg(&recorded).arg("--").arg(program);
    record.args([megabytes.to_string(), (launches / times).to_string()]);
    measured(&mut record, 67)?;
    if times == 1 {
        return Ok("recorded");
    }
    let mut repeat = shell::cargo(&["run", "--quiet", "-p", "trace", "--example", "repeat", "--"]);
    measured(repeat.arg(&recorded).arg(trace).arg(times.to_string()), 0)?;
    std::fs::remove_file(&recorded).map_err(|e| format!("cannot remove {}: {e}", recorded.display()))?;
    Ok("repeated")
}

/// Prints a row of the table.
fn row(warprace: &Path, trace: &Path, how: &str) -> Outcome {
    let json = trace.with_extension("json");
    let predict = |options: &[&str]| {
        let mut command = Command::new(warprace);
        command.args(["predict", "--quiet", "--json"]).arg(&json).args(options).arg(trace);
        measured(&mut command, 0)
    };
    let whole = predict(&[])?;
    let report = shell::read(&json)?;
    let report: serde_json::Value = serde_json::from_str(&report).map_err(|e| e.to_string())?;
    let shadow = report["summary"]["shadow_bytes"].as_u64().unwrap_or(0);
    let accesses = report["summary"]["accesses"].as_u64().unwrap_or(0);
    let parts = predict(&["--parts", "4"])?;
    let half = predict(&["--max-memory", &(shadow / 2).max(1 << 20).to_string()])?;
    let size = std::fs::metadata(trace).map_or(0, |file| file.len());
    println!(
        "| {} (accesses of threads) | {how} | {:.1} MB | {:.1} s | {} MB | {:.1} s | {} MB | {:.1} s | {} MB |",
        accesses,
        size as f64 / 1e6,
        whole.wall.as_secs_f64(),
        whole.peak,
        parts.wall.as_secs_f64(),
        parts.peak,
        half.wall.as_secs_f64(),
        half.peak,
    );
    Ok(())
}

/// Runs a command to its end, which has to be with an exit code.
fn measured(command: &mut Command, code: i32) -> Outcome<Done> {
    let start = Instant::now();
    let child = command.stdout(Stdio::null()).spawn();
    let child = child.map_err(|e| format!("cannot run {}: {e}", shell::display(command)))?;
    // SAFETY: plain structures of integers, which the call fills in; the child is waited for here only.
    let (status, usage) = unsafe {
        let (mut status, mut usage): (i32, libc::rusage) = (0, std::mem::zeroed());
        libc::wait4(child.id().cast_signed(), &mut status, 0, &mut usage);
        (ExitStatus::from_raw(status), usage)
    };
    match status.code() {
        Some(ended) if ended == code => {
            Ok(Done { wall: start.elapsed(), peak: usage.ru_maxrss as u64 / 1000 })
        }
        _ => Err(format!("{} ended with {status}", shell::display(command))),
    }
}
