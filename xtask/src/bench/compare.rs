//! What `warprace compare` costs beside its lenses one by one: each in a run of its own.

use super::cuda;
use super::engine::{compile, name};
use crate::shell::{self, Outcome, root};
use crate::threads::used;
use std::path::Path;
use std::process::Command;

/// One program bound by memory, one by barriers, one by atomics, one by locks, each small enough that the slowest lens
/// takes some seconds.
const PROGRAMS: [(&str, &[&str]); 4] = [
    ("memory", &["-DTURNS=1"]),
    ("barrier", &["-DTURNS=100"]),
    ("atomic", &["-DTURNS=100"]),
    ("lenses/locks", &[]),
];
const LENSES: [&str; 6] = ["ptx", "scord", "iguard", "hb", "gwcp", "hirace"];
const ROUNDS: usize = 2;
/// Exit codes beside success: with findings, since some lenses do not know all that orders, and where a lens has met its
/// bounds, as `hb` does on counters.
const ANSWERS: [i32; 3] = [0, 66, 67];

pub(super) fn run(names: &[&str]) -> Outcome {
    let (toolkit, warprace) = (cuda::ensure()?, shell::build_release()?);
    println!(
        "Seconds of processor time, best of {ROUNDS}\n\n| program | lenses one by one | compare | compare costs |"
    );
    println!("|---|---|---|---|");
    for (program, size) in
        PROGRAMS.iter().filter(|(p, _)| names.is_empty() || names.iter().any(|n| p.contains(n)))
    {
        let source = root().join("xtask/bench").join(program).with_extension("cu");
        let program = compile(&toolkit, "compare", &source, size)?;
        let best = |args: &[&str]| -> Outcome<f64> {
            let runs = (0..ROUNDS).map(|_| once(&warprace, args, &program));
            runs.collect::<Outcome<Vec<f64>>>().map(|times| times.into_iter().fold(f64::INFINITY, f64::min))
        };
        let mut apart = 0.0;
        for lens in LENSES {
            apart += best(&["run", "--quiet", "--jobs", "1", "--lens", lens])?;
        }
        let together = best(&["compare"])?;
        println!("| {} | {apart:.2} | {together:.2} | {:.2}x |", name(&source), together / apart);
    }
    Ok(())
}

/// Processor time of a run.
fn once(warprace: &Path, args: &[&str], program: &Path) -> Outcome<f64> {
    let mut command = Command::new(warprace);
    command.args(args).arg("--").arg(program);
    Ok(used(&mut command, &ANSWERS)?.total)
}
