//! `cargo xtask bench`: speed of the engine alone and with the detector, side by side in one run.
//!
//! Each program under `xtask/bench` runs one kind of kernel through everything a user's program
//! goes through; what is timed is the time spent in kernels, as the library measures it.

use crate::cuda;
use crate::measure::{Job, Measured, run as measure};
use crate::shell::{self, Outcome, root, target};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Every measurement is the best of so many: the machine is rarely quiet.
const ROUNDS: usize = 3;

const WAYS: [(&str, &[&str]); 4] = [
    ("engine", &["--no-detect", "--jobs", "1"]),
    ("engine, 2 jobs", &["--no-detect", "--jobs", "2"]),
    ("detector", &["--jobs", "1"]),
    ("detector, 2 jobs", &["--jobs", "2"]),
];

pub(crate) fn run(args: &[&str]) -> Outcome {
    let toolkit = cuda::ensure()?;
    let warprace = shell::build_release()?;
    let sources = root().join("xtask/bench");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&sources)
        .map_err(|e| format!("cannot read {}: {e}", sources.display()))?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "cu"))
        .filter(|p| args.first().is_none_or(|name| p.to_string_lossy().contains(name)))
        .collect();
    programs.sort();
    let out = target().join("bench");
    shell::make_dir(&out)?;

    println!("{}\n", machine());
    println!("thread instructions per second, in millions; best of {ROUNDS}");
    println!(
        "| kernel | engine | 2 jobs | detector | 2 jobs | detector costs | 2 jobs gain | shadow bytes per byte |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for source in &programs {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let program = out.join(&name);
        let mut nvcc = toolkit.nvcc();
        nvcc.args(["-O3", "-gencode", "arch=compute_90,code=compute_90"]).arg(source).arg("-o").arg(&program);
        shell::run(&mut nvcc)?;
        let mut best = Vec::new();
        for (way, options) in WAYS {
            best.push(best_of(&warprace, &program, way, options)?);
        }
        let rate =
            |m: &Measured| m.number("thread_instructions") as f64 / m.number("kernel_ns").max(1) as f64 * 1e3;
        let rates: Vec<f64> = best.iter().map(rate).collect();
        let shadow = best[2].number("shadow_bytes") as f64 / best[2].number("touched_bytes").max(1) as f64;
        println!(
            "| {name} | {:.0} | {:.0} | {:.0} | {:.0} | {:.1}x | {:.2}x | {shadow:.1} |",
            rates[0],
            rates[1],
            rates[2],
            rates[3],
            rates[0] / rates[2],
            rates[1] / rates[0],
        );
    }
    Ok(())
}

fn best_of(warprace: &Path, program: &Path, way: &str, options: &[&str]) -> Outcome<Measured> {
    let options: Vec<String> =
        options.iter().map(|o| (*o).to_owned()).chain(["--quiet".to_owned()]).collect();
    let mut best: Option<Measured> = None;
    for _ in 0..ROUNDS {
        let m = measure(&Job {
            warprace,
            options: &options,
            program,
            args: &[],
            folder: &root(),
            limit: Duration::from_secs(300),
        })?;
        if m.report.is_null() || m.exit_code != Some(0) {
            let why = if m.timed_out { "took too long".to_owned() } else { m.stderr.clone() };
            return Err(format!("{} ({way}) failed: {why}", program.display()));
        }
        if best.as_ref().is_none_or(|b| m.number("kernel_ns") < b.number("kernel_ns")) {
            best = Some(m);
        }
    }
    best.ok_or_else(|| "no round was run".into())
}

/// What the numbers were measured on.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown CPU", |m| m.1);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} logical cores")
}
