//! The engine alone and with the default detector, on one worker and on two, side by side.
//!
//! Each program under `xtask/bench` runs one kind of kernel; what is timed is the time spent in
//! kernels, as the library measures it.

use crate::cuda::{self, Toolkit};
use crate::measure::{Job, Measured, run as measure};
use crate::shell::{self, Outcome, root, target};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Every measurement is the best of so many: the machine is rarely quiet.
const ROUNDS: usize = 5;

const WAYS: [(&str, &[&str]); 4] = [
    ("engine", &["--no-detect", "--jobs", "1"]),
    ("engine, 2 jobs", &["--no-detect", "--jobs", "2"]),
    ("detector", &["--jobs", "1"]),
    ("detector, 2 jobs", &["--jobs", "2"]),
];

/// Measures all programs, or those whose name contains `filter`.
pub(super) fn run(filter: Option<&str>) -> Outcome {
    let toolkit = cuda::ensure()?;
    let warprace = shell::build_release()?;
    let programs = programs(filter)?;
    println!("Thread instructions per second, in millions; best of {ROUNDS}\n");
    println!(
        "| kernel | engine | 2 jobs | gain | work | with detector | 2 jobs | gain | work | detector costs | shadow bytes per byte touched |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for source in &programs {
        let program = compile(&toolkit, "engine", source, &[])?;
        let best = best_of(&warprace, &program)?;
        let rate =
            |m: &Measured| m.number("thread_instructions") as f64 / m.number("kernel_ns").max(1) as f64 * 1e3;
        let [engine, engine2, detector, detector2] = best.each_ref().map(rate);
        // Processor time of two workers for what takes one worker 1.
        let work = |one: &Measured, two: &Measured| two.cpu.as_secs_f64() / one.cpu.as_secs_f64().max(1e-9);
        let shadow = best[2].number("shadow_bytes") as f64 / best[2].number("touched_bytes").max(1) as f64;
        println!(
            "| {} | {engine:.0} | {engine2:.0} | {:.2}x | {:.2} | {detector:.0} | {detector2:.0} | {:.2}x | {:.2} | {:.1}x | {shadow:.1} |",
            name(source),
            engine2 / engine,
            work(&best[0], &best[1]),
            detector2 / detector,
            work(&best[2], &best[3]),
            engine / detector,
        );
    }
    Ok(())
}

/// The programs, or those whose name contains `filter`.
pub(super) fn programs(filter: Option<&str>) -> Outcome<Vec<PathBuf>> {
    let sources = root().join("xtask/bench");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&sources)
        .map_err(|e| format!("cannot read {}: {e}", sources.display()))?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "cu"))
        .filter(|p| filter.is_none_or(|name| p.to_string_lossy().contains(name)))
        .collect();
    programs.sort();
    match programs.is_empty() {
        true => Err(format!("there is no program `{}` in {}", filter.unwrap_or(""), sources.display())),
        false => Ok(programs),
    }
}

pub(super) fn name(source: &Path) -> String {
    source.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Compiles a program, with PTX and what `flags` ask for besides, into the folder of the command that measures it: others
/// have programs of the same name, or compile this one otherwise.
pub(super) fn compile(toolkit: &Toolkit, command: &str, source: &Path, flags: &[&str]) -> Outcome<PathBuf> {
    let out = target().join("bench").join(command);
    shell::make_dir(&out)?;
    let program = out.join(name(source));
    let mut nvcc = toolkit.nvcc();
    nvcc.args(["-O3", "-lineinfo", "-gencode", "arch=compute_90,code=compute_90"]).arg(source);
    shell::run(nvcc.args(flags).arg("-o").arg(&program))?;
    Ok(program)
}

/// The best run of each way, with the least processor time of any. The ways take turns, so that what else runs on the machine disturbs all alike.
fn best_of(warprace: &Path, program: &Path) -> Outcome<[Measured; 4]> {
    let mut best: [Option<Measured>; 4] = Default::default();
    for _ in 0..ROUNDS {
        for ((way, options), best) in WAYS.iter().zip(&mut best) {
            let options: Vec<String> =
                options.iter().map(|o| (*o).to_owned()).chain(["--quiet".to_owned()]).collect();
            let m = once(warprace, program, &options).map_err(|e| format!("{e} ({way})"))?;
            let least = best.as_ref().map_or(m.cpu, |b| b.cpu.min(m.cpu));
            if best.as_ref().is_none_or(|b| m.number("kernel_ns") < b.number("kernel_ns")) {
                *best = Some(m);
            }
            if let Some(best) = best {
                best.cpu = least;
            }
        }
    }
    let [Some(a), Some(b), Some(c), Some(d)] = best else { return Err("no round was run".into()) };
    Ok([a, b, c, d])
}

/// One run of a program, which must succeed without findings.
pub(super) fn once(warprace: &Path, program: &Path, options: &[String]) -> Outcome<Measured> {
    let m = measure(&Job {
        under: &[],
        warprace,
        options,
        program,
        args: &[],
        folder: &root(),
        stdin: None,
        limit: Duration::from_secs(300),
    })?;
    if m.report.is_null() || m.exit_code != Some(0) {
        let why = if m.timed_out { "took too long".to_owned() } else { m.stderr.clone() };
        return Err(format!("{} failed: {why}", program.display()));
    }
    Ok(m)
}
