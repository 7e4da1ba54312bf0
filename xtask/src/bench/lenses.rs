//! The detectors beside each other: on made-up events, where no engine hides what they cost, and one
//! large program with locks; how many bytes a trace takes, and what a second job gains in analysing it.

use super::engine::{compile, name, once};
use crate::cuda;
use crate::shell::{self, Outcome, cargo, root, target};
use crate::threads::{Used, used};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Programs that are recorded.
const RECORDED: [&str; 5] = ["atomic", "barrier", "memory", "queue", "lenses/locks"];
/// Those whose analysis is divided: bound by memory, by barriers, by locks.
const DIVIDED: [&str; 3] = ["memory", "barrier", "lenses/locks"];
const ROUNDS: usize = 3;
/// The exit code of `predict` with findings.
const RACES: i32 = 66;

pub(super) fn run() -> Outcome {
    shell::step("building the lenses' benchmark (release)");
    shell::run(&mut cargo(&["build", "--quiet", "--release", "-p", "detect", "--example", "lens_speed"]))?;
    println!("## Lenses on made-up events, best of 2\n");
    speed(&["--rounds", "2", "--limit", "300"])?;
    println!("\n## Compressed and uncompressed clocks: 4096 blocks of one warp, 16 at a time\n");
    let blocks = ["--threads", "131072", "--block", "32", "--resident", "16"];
    let kernels = ["--locks", "64", "--lockers", "1", "--rounds", "1", "--limit", "300"];
    let lenses = ["--lenses", "hb,hb:uncompressed,gwcp,gwcp:uncompressed"];
    speed(&[blocks.as_slice(), &kernels, &lenses].concat())?;
    println!("\n## A hundred thousand threads and a thousand locks under `gwcp`\n");
    locks()?;
    println!("\n## Traces\n");
    traces()
}

fn speed(args: &[&str]) -> Outcome {
    shell::run(Command::new(target().join("release/examples/lens_speed")).args(args))
}

/// `warprace run --lens gwcp` of `lenses/locks.cu`, with the memory that it took.
fn locks() -> Outcome {
    let warprace = shell::build_release()?;
    let program = compile(&cuda::ensure()?, "lenses", &root().join("xtask/bench/lenses/locks.cu"), &[])?;
    let mut command = Command::new(&warprace);
    command.args(["run", "--lens", "gwcp", "--"]).arg(&program);
    let cannot = |e: std::io::Error| format!("cannot run {}: {e}", warprace.display());
    let child = command.spawn().map_err(cannot)?;
    let (mut status, pid) = (0, child.id() as libc::pid_t);
    // SAFETY: a `rusage` of zeros is one.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child is this process's own and is waited for here alone; the places written to are there.
    if unsafe { libc::wait4(pid, &mut status, 0, &mut usage) } != pid {
        return Err(cannot(std::io::Error::last_os_error()));
    }
    if status != 0 {
        return Err(format!("the program with locks ended with wait status {status}"));
    }
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    println!(
        "peak resident memory {} MiB, {:.1} s of processor time",
        usage.ru_maxrss >> 10,
        seconds(usage.ru_utime) + seconds(usage.ru_stime)
    );
    Ok(())
}

/// Traces, and what a second job gains in analysing them.
pub(super) fn traces() -> Outcome {
    println!("| kernel | thread accesses | trace bytes | bytes per access |\n|---|---|---|---|");
    for program in RECORDED {
        let (name, trace, accesses) = record(program)?;
        let bytes = std::fs::metadata(&trace).map_err(|e| format!("cannot read the trace: {e}"))?.len();
        println!("| {name} | {accesses} | {bytes} | {:.4} |", bytes as f64 / accesses.max(1) as f64);
    }
    println!(
        "\n## A second job in offline analysis: best times of {ROUNDS} rounds, median gains of a round\n"
    );
    println!(
        "| trace | lens | 1 job, s | 2 jobs, s | gain | two processes | processor time, s | busiest thread, s |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for program in DIVIDED {
        let (name, trace, _) = record(program)?;
        for lens in ["ptx", "hb", "gwcp", "scord", "iguard", "hirace"] {
            let ([one, two], [gain, machine]) = predict(&trace, lens)?;
            println!(
                "| {name} | {lens} | {:.2} | {:.2} | {gain:.2}x | {machine:.2}x | {:.2}, {:.2} | {:.2} |",
                one.wall, two.wall, one.total, two.total, two.busiest,
            );
        }
        let _ = std::fs::remove_file(&trace);
    }
    Ok(())
}

/// Records a program: its name, the trace, and the accesses of its threads.
fn record(program: &str) -> Outcome<(String, PathBuf, u64)> {
    let (toolkit, warprace) = (cuda::ensure()?, shell::build_release()?);
    let trace = target().join("bench/recorded.trace");
    let source = root().join("xtask/bench").join(program).with_extension("cu");
    let program = compile(&toolkit, "lenses", &source, &[])?;
    let options = ["--no-detect", "--quiet"].map(str::to_owned);
    let accesses = once(&warprace, &program, &options)?.number("accesses");
    let mut record = Command::new(&warprace);
    record.arg("trace").arg("-o").arg(&trace).arg("--").arg(&program);
    let done = record.output().map_err(|e| format!("cannot run {}: {e}", warprace.display()))?;
    // A recording is never called clean: nothing was checked.
    if done.status.code() != Some(67) {
        return Err(format!("recording failed: {}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok((name(&source), trace, accesses))
}

/// `predict` on one thread and on two. Each time is the best for itself; the gains are medians of the rounds',
/// in which what is compared follows each other, because a machine may be faster in one round than in another:
/// that of a second job, and, as what the machine has to give, that of two processes of one job each that run at
/// the same time.
fn predict(trace: &Path, lens: &str) -> Outcome<([Used; 2], [f64; 2])> {
    let once = |jobs: &str| {
        let mut predict = Command::new(target().join("release/warprace"));
        predict.arg("predict").arg(trace).args(["--quiet", "--detector", lens, "--jobs", jobs]);
        // A lens that does not know locks has findings.
        used(&mut predict, &[0, RACES])
    };
    let mut best = [Used { wall: f64::INFINITY, total: f64::INFINITY, busiest: f64::INFINITY }; 2];
    let mut gains = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let runs = [once("1")?, once("2")?];
        for (best, run) in best.iter_mut().zip(runs) {
            best.wall = best.wall.min(run.wall);
            best.total = best.total.min(run.total);
            best.busiest = best.busiest.min(run.busiest);
        }
        let start = Instant::now();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| once("1"));
            once("1")?;
            other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        gains[0].push(runs[0].wall / runs[1].wall);
        gains[1].push(2.0 * runs[0].wall / start.elapsed().as_secs_f64());
    }
    Ok((best, gains.map(median)))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
