//! `cargo xtask bench`: how fast the virtual GPU and the detectors are, and what memory they take.
//!
//! [`engine`] runs CUDA programs through everything a user's program goes through, without and with the
//! default detector, [`kinds`] many small kernels, each of one kind, and [`programs`] other people's programs. [`lenses`]
//! compares the detectors, [`compare`] says what it costs to ask all of them at once. [`counts`] holds two builds against each other by instructions.
//! [`curve`] is what the analysis of a trace costs over its size.
//! [`native`] compares with a real GPU and with racecheck on it.
//! [`prove`] is about the prover, [`hosted`] about what it says of the fixtures from their host code alone, [`samples`] likewise of
//! NVIDIA's cuda-samples, [`ran`] what it says of launches that programs make, beside what a run finds in them.
//! `docs/benchmarks.md` explains the tables.

mod asked;
mod compare;
mod counts;
mod curve;
mod engine;
mod hosted;
mod kept;
mod kinds;
mod known;
mod lenses;
mod native;
mod programs;
mod prove;
mod ran;
mod samples;

use crate::cuda;
use crate::shell::Outcome;

pub(crate) fn run(args: &[&str]) -> Outcome {
    println!("{}\n", machine());
    match args {
        [] => {
            engine::run(None)?;
            println!();
            lenses::run()
        }
        ["compare", names @ ..] => compare::run(names),
        ["counts", rest @ ..] => counts::run(rest),
        ["curve", rest @ ..] => curve::run(rest),
        ["engine"] => engine::run(None),
        ["lenses"] => lenses::run(),
        ["kinds", rest @ ..] => kinds::run(rest),
        ["native"] => native::run(),
        ["programs", rest @ ..] => programs::run(rest),
        ["prove", rest @ ..] => prove::run(rest),
        ["traces"] => lenses::traces(),
        [kernel] => engine::run(Some(kernel)),
        _ => {
            Err("usage: cargo xtask bench [compare ...|counts ...|curve ...|engine|kinds ...|lenses|traces|native|programs ...|prove ...|KERNEL]"
                .to_owned())
        }
    }
}

/// Describes the machine on which the numbers were measured.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown CPU", |m| m.1);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes: u64 = memory
        .lines()
        .find_map(|l| l.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse().ok())
        .unwrap_or(0);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown").to_owned();
    format!("{model}, {cores} logical cores, {} GiB; load average {load} at the start", kilobytes >> 20)
}
