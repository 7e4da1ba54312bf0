//! The same kernels on a real GPU, under compute-sanitizer's racecheck, and under warprace.
//!
//! What is compared is the time that kernels take: on the GPU and under racecheck as the programs' own events
//! measure it, under warprace as the library does. Needs a GPU and `compute-sanitizer`.

use super::engine::{compile, name, once, programs};
use crate::cuda;
use crate::shell::{self, Outcome};
use std::path::Path;
use std::process::Command;

/// Each time is the best of so many.
const ROUNDS: usize = 3;

pub(super) fn run() -> Outcome {
    let toolkit = cuda::ensure()?;
    let gpu = gpu()?;
    let warprace = shell::build_release()?;
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{gpu}; milliseconds in kernels, best of {ROUNDS}, and how many times the GPU's own\n");
    println!("| kernel | GPU | racecheck | warprace, 1 job | warprace, {jobs} jobs |");
    println!("|---|---|---|---|---|");
    for source in programs(None)? {
        let program = compile(&toolkit, "native", &source, &["-gencode", "arch=compute_90,code=sm_90"])?;
        let alone = best(|| own_time(&mut Command::new(&program)))?;
        let checked = best(|| {
            let mut command = Command::new("compute-sanitizer");
            own_time(command.args(["--tool", "racecheck"]).arg(&program))
        })?;
        let ours = |jobs: usize| best(|| library_time(&warprace, &program, jobs));
        let (one, all) = (ours(1)?, ours(jobs)?);
        let times = |ms: f64| format!("{ms:.1} ({:.0}x)", ms / alone);
        println!("| {} | {alone:.3} | {} | {} | {} |", name(&source), times(checked), times(one), times(all));
    }
    Ok(())
}

/// The GPU's name.
fn gpu() -> Outcome<String> {
    let query = Command::new("nvidia-smi")
        .args(["--query-gpu=name,driver_version", "--format=csv,noheader"])
        .output();
    match query {
        Ok(done) if done.status.success() => {
            let text = String::from_utf8_lossy(&done.stdout);
            Ok(text.lines().next().unwrap_or("unknown GPU").replace(", ", ", driver "))
        }
        _ => Err("this bench needs an NVIDIA GPU: `nvidia-smi` does not answer".to_owned()),
    }
}

fn best(run: impl Fn() -> Outcome<f64>) -> Outcome<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        least = least.min(run()?);
    }
    Ok(least)
}

/// Returns the program's own time for its kernels.
fn own_time(command: &mut Command) -> Outcome<f64> {
    // Loading a kernel is no part of running it.
    command.env("CUDA_MODULE_LOADING", "EAGER");
    let shown = shell::display(command);
    let done = command.output().map_err(|e| format!("cannot run `{shown}`: {e}"))?;
    let text = String::from_utf8_lossy(&done.stdout);
    text.lines()
        .find_map(|line| line.strip_prefix("kernels: ")?.strip_suffix(" ms")?.parse().ok())
        .filter(|_| done.status.success())
        .ok_or_else(|| {
            format!("`{shown}` ended with {}:\n{text}{}", done.status, String::from_utf8_lossy(&done.stderr))
        })
}

fn library_time(warprace: &Path, program: &Path, jobs: usize) -> Outcome<f64> {
    let options = ["--jobs".to_owned(), jobs.to_string(), "--quiet".to_owned()];
    Ok(once(warprace, program, &options)?.number("kernel_ns") as f64 / 1e6)
}
