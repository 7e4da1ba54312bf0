//! The configuration of a run: the replay string, completed by the other options.

use super::absolute;
use crate::exit;
use crate::options::{NEVER, RunArgs};
use crate::refusal::Refusal;
use compilers::keep::{PROOFS, folder_of};
use names::schedule::{Plan, Seeded};
use names::{Engine, EqualValues, Laws, Named, Replay, Schedule, Volatile};
use protocol::options::Prune;
use std::path::PathBuf;

/// Returns the configuration: the replay string's values, and those of the options where the string has none.
pub(super) fn how(args: &RunArgs) -> Result<Replay, Refusal> {
    let chosen = args.execution.engine;
    let engine = match chosen.and_then(|chosen| chosen.engine).unwrap_or_default() {
        Engine::Virtual if args.captures().is_some() || args.sessions() => Engine::Capture,
        engine if args.gpu => engine.with_gpu(),
        engine => engine,
    };
    if args.captures().is_some() && !args.gpu {
        let why = "engine capture goes with --gpu: the virtual GPU checks each launch anyway";
        return Err(Refusal::new(exit::USAGE, why));
    }
    if args.sessions() && !args.gpu {
        let why = "engine session goes with --gpu: the virtual GPU checks all calls anyway";
        return Err(Refusal::new(exit::USAGE, why));
    }
    if args.captures().is_some() && args.save_launch.is_some() {
        let why = "--save-launch saves one launch, engine capture others: one at a time";
        return Err(Refusal::new(exit::USAGE, why));
    }
    let by_ranges = !args.nvtx_include.is_empty() || !args.nvtx_exclude.is_empty();
    if by_ranges && (engine.instruments() || args.sessions()) {
        let why = "NVTX ranges choose launches: of the virtual GPU, or of --gpu --engine capture";
        return Err(Refusal::new(exit::USAGE, why)
            .help("engines guard and collide check kernels (--kernel-name), a session has all calls"));
    }
    let engine = match (args.no_prune, engine.unpruned()) {
        (true, Some(engine)) => engine,
        (true, None) if engine == Engine::Virtual => engine,
        (true, None) => {
            return Err(Refusal::new(exit::USAGE, "--no-prune goes with engines virtual, collide and guard"));
        }
        (false, _) => engine,
    };
    // A delay detects changes only if other threads run, and a thread that begins late counts as having seen
    // what was released.
    let usual = || match engine {
        Engine::Collide { gpu: false, .. } | Engine::Guard { gpu: false, .. } => {
            Schedule::RoundRobin { quantum: 7 }
        }
        _ => Schedule::ConvergedFirst,
    };
    let run =
        Seeded { schedule: args.execution.schedule.clone().unwrap_or_else(usual), seed: args.execution.seed };
    let unnamed = || Named { plan: Plan { run, explored: None }, ..Named::default() };
    let named = args.execution.replay.clone().unwrap_or_else(unnamed);
    let volatile = args.execution.volatile.map(Volatile::from);
    let checks = args.execution.check;
    let equal = args.execution.equal_values.map(EqualValues::from);
    let chosen = args.gpu || args.execution.engine.is_some();
    let same = [
        ("engine", named.engine.is_none() || !chosen || named.engine == Some(engine)),
        ("lens", named.lens.is_none() || args.execution.lens.is_none() || named.lens == args.execution.lens),
        ("volatile", named.volatile.is_none() || volatile.is_none() || named.volatile == volatile),
        ("equal-values", named.equal_values.is_none() || equal.is_none() || named.equal_values == equal),
        ("check", named.checks.is_none() || checks.is_none() || named.checks == checks),
        ("devices", named.devices.is_none() || args.devices.is_none() || named.devices == args.devices),
        ("arch", named.arch.is_none() || args.arch.is_none() || named.arch == args.arch),
    ];
    if let Some((option, _)) = same.iter().find(|(_, same)| !same) {
        let message = format!("--{option} contradicts the replay string");
        return Err(Refusal::new(exit::USAGE, message).help(format!("leave --{option} out")));
    }
    let lens = args.execution.lens.clone().unwrap_or_default();
    let laws = Laws {
        volatile: volatile.unwrap_or_default(),
        equal_values: equal.unwrap_or_default(),
        checks: checks.unwrap_or_default(),
    };
    let how = named.or(lens, engine, laws, args.devices.unwrap_or(1));
    Ok(Replay { arch: how.arch.or(args.arch), ..how })
}

/// Returns the folder of proofs for later runs.
pub(super) fn proof_cache(args: &RunArgs) -> Option<PathBuf> {
    folder_of(PROOFS).filter(|_| !args.no_proof_cache).map(|folder| absolute(&folder))
}

/// Returns when accesses are skipped that a proof covers.
pub(super) fn prune(args: &RunArgs) -> Prune {
    match (args.no_prune, args.prove) {
        (true, _) => Prune::Never,
        (false, true) => Prune::Before,
        (false, false) if args.execution.prune_after == NEVER => Prune::Never,
        (false, false) => Prune::Beside { after: args.execution.prune_after },
    }
}
