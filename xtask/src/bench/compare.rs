//! Measures `warprace compare` beside its lenses one by one: each in a run of its own.

use super::cuda;
use super::engine::{compile, name};
use crate::shell::{self, Outcome, root};
use crate::threads::{Used, used};
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
        "Seconds, best of {ROUNDS}\n\n| program | lenses one by one: processor time | by the clock | compare: processor time \
         | by the clock | compare costs | by the clock |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (program, size) in
        PROGRAMS.iter().filter(|(p, _)| names.is_empty() || names.iter().any(|n| p.contains(n)))
    {
        let source = root().join("xtask/bench").join(program).with_extension("cu");
        let program = compile(&toolkit, "compare", &source, size)?;
        let best = |args: &[&str]| -> Outcome<(f64, f64)> {
            let mut best = (f64::INFINITY, f64::INFINITY);
            for _ in 0..ROUNDS {
                let used = once(&warprace, args, &program)?;
                best = (best.0.min(used.total), best.1.min(used.wall));
            }
            Ok(best)
        };
        let mut apart = (0.0, 0.0);
        for lens in LENSES {
            let (total, wall) = best(&["run", "--no-proof-cache", "--quiet", "--jobs", "1", "--lens", lens])?;
            apart = (apart.0 + total, apart.1 + wall);
        }
        let together = best(&["compare"])?;
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2}x | {:.2}x |",
            name(&source),
            apart.0,
            apart.1,
            together.0,
            together.1,
            together.0 / apart.0,
            together.1 / apart.1
        );
    }
    Ok(())
}

fn once(warprace: &Path, args: &[&str], program: &Path) -> Outcome<Used> {
    let mut command = Command::new(warprace);
    command.args(args).arg("--").arg(program);
    used(&mut command, &ANSWERS)
}
