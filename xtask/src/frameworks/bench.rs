//! `cargo xtask frameworks bench`: what `warprace run` costs a program of Triton.
//!
//! Start-up is the time of a program that imports Triton and PyTorch and launches nothing, with warprace less without. Kernels are those
//! of `xtask/bench/triton_kernels.py`, of the sizes of tutorials, on a device of 9.0; their results are compared with PyTorch's.

use super::{FRAMEWORKS, install};
use crate::shell::{self, Outcome, root, target};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const KERNELS: [&str; 4] =
    ["matmul_512", "softmax_1823x781", "layer_norm_1151x8192", "attention_1x2x1024x64"];

/// Runs of which the shortest counts.
const RUNS: usize = 3;

/// Imports that a program of Triton begins with.
const IMPORTS: &str = "import torch, triton, triton.language";

/// Measures and prints.
pub(super) fn run() -> Outcome {
    let warprace = shell::build_release()?;
    let framework = FRAMEWORKS.iter().find(|f| f.name == "torch").ok_or("there is no PyTorch")?;
    let folder = target().join("frameworks/torch");
    install(framework, &folder)?;
    let without = shortest(|| python(&folder, None))?;
    let with = shortest(|| python(&folder, Some(&warprace)))?;
    println!(
        "start-up: {:.2} s without warprace, {:.2} s with it; of processor time {:.2} s and {:.2} s",
        without.wall, with.wall, without.processor, with.processor
    );
    for name in KERNELS {
        println!("{name}: {:.2} s", kernel(&folder, &warprace, name)?);
    }
    Ok(())
}

/// A program in the framework's environment, under warprace if one is given.
fn python(folder: &Path, warprace: Option<&Path>) -> Command {
    let python = folder.join("venv/bin/python");
    let mut command = match warprace {
        Some(warprace) => {
            let mut run = Command::new(warprace);
            run.args(["run", "--arch", "sm_90", "--"]).arg(python);
            run
        }
        None => Command::new(python),
    };
    command.current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache"));
    command
}

/// Seconds that a run took.
struct Taken {
    wall: f64,
    /// Of all processes of the run together. A busy machine changes it less.
    processor: f64,
}

/// The shortest times among several runs of the imports.
fn shortest(command: impl Fn() -> Command) -> Outcome<Taken> {
    let mut shortest = Taken { wall: f64::INFINITY, processor: f64::INFINITY };
    for _ in 0..RUNS {
        let (begun, before) = (Instant::now(), processor());
        let mut run = command();
        run.args(["-c", IMPORTS])
            .output()
            .map_err(|e| format!("cannot run {}: {e}", shell::display(&run)))?;
        shortest.wall = shortest.wall.min(begun.elapsed().as_secs_f64());
        shortest.processor = shortest.processor.min(processor() - before);
    }
    Ok(shortest)
}

/// Seconds of processor time that this process's ended children have taken.
fn processor() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call writes the structure; a zeroed one is valid.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    [usage.ru_utime, usage.ru_stime].iter().map(|time| time.tv_sec as f64 + time.tv_usec as f64 / 1e6).sum()
}

/// Seconds of a kernel, whose run must have no race. Triton's reductions have hazards.
fn kernel(folder: &Path, warprace: &Path, name: &str) -> Outcome<f64> {
    let mut run = python(folder, Some(warprace));
    run.arg(root().join("xtask/bench/triton_kernels.py")).arg(name);
    let ran = run.output().map_err(|e| format!("cannot run {}: {e}", shell::display(&run)))?;
    if !ran.status.success() {
        return Err(format!("{name} should have no race:\n{}", String::from_utf8_lossy(&ran.stderr)));
    }
    let answer: Value = serde_json::from_slice(&ran.stdout).map_err(|e| format!("{name}'s answer: {e}"))?;
    answer["seconds"].as_f64().ok_or_else(|| format!("{name} says no time"))
}
