//! The detector against the axiomatic oracle: over all interleavings of a litmus
//! program, it must report exactly the races that sequentially consistent executions have.
//!
//! `WARPRACE_ORACLE_SEEDS` sets how many random programs are tried (from
//! `WARPRACE_ORACLE_FIRST`, 0), for long sweeps.

use detect::ptx::{PtxMonitor, PtxOptions};
use events::task::{HostCall, LaunchInfo, SyncUse};
use events::{Dim3, Listener, Monitor, Sem, StreamId, TaskId, TaskInfo, TaskKind, Tell};
use oracle::interleave::{instruction, interleavings, replay};
use oracle::model::Race;
use oracle::program::{Action, Strength};
use oracle::{Program, check};
use std::collections::BTreeSet;

const INTERLEAVINGS: usize = 3000;

/// `relaxed` is a large launch, of which it is known that only barriers order threads.
fn task(relaxed: bool) -> TaskInfo {
    let uses = SyncUse {
        partial_barriers: !relaxed,
        fences_or_strong: true,
        relaxed,
        atomics: true,
        blocks_communicate: true,
        ..SyncUse::default()
    };
    TaskInfo {
        id: TaskId(1),
        kind: TaskKind::Launch(LaunchInfo {
            kernel: "litmus".to_owned(),
            grid: Dim3::new(if relaxed { 100 } else { 4 }, 1, 1),
            block: Dim3::new(64, 1, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 0,
            uses,
        }),
        stream: StreamId(0),
        after: Vec::new(),
        call: HostCall::default(),
        device: 0,
        overlap: None,
    }
}

/// The racing instruction pairs that the detector sees, and whether all interleavings were tried.
fn observed(program: &Program, relaxed: bool) -> (BTreeSet<Race>, bool) {
    let mut races = BTreeSet::new();
    let all = interleavings(program, INTERLEAVINGS, &mut |schedule| {
        races.extend(observed_in(program, schedule, relaxed));
        true
    });
    (races, all)
}

fn observed_in(program: &Program, schedule: &[usize], relaxed: bool) -> Vec<Race> {
    let monitor = PtxMonitor::new(PtxOptions::default());
    let task = task(relaxed);
    monitor.task_start(&task);
    let mut observer = monitor.observer(0);
    replay(program, schedule, task.id, &mut observer);
    monitor.task_end(task.id);
    let pair = |f: &events::Finding| {
        let site = |i: usize| f.sides[i].site.map(instruction).expect("kernels' accesses have sites");
        Race(site(0).min(site(1)), site(0).max(site(1)))
    };
    monitor.findings().iter().map(pair).collect()
}

/// What a program showed.
#[derive(Default)]
struct Outcome {
    /// Races that some interleaving has; the detector saw exactly these if all were tried.
    interleaved: usize,
    /// Races of executions that no interleaving has: the oracle's only.
    weak_only: usize,
    /// All interleavings were tried.
    exhaustive: bool,
}

fn compare(name: &str, program: &Program, relaxed: bool) -> Result<Outcome, String> {
    let verdict = check(program);
    let (seen, all) = observed(program, relaxed);
    for race in &seen {
        if !verdict.races.contains_key(race) {
            return Err(format!("{name}: {race:?} is no race\n{program}"));
        }
    }
    for (race, sequential) in &verdict.races {
        if *sequential && all && !seen.contains(race) {
            return Err(format!("{name}: {race:?} is not seen\n{program}"));
        }
    }
    let weak_only = verdict.races.keys().filter(|race| !seen.contains(race)).count();
    Ok(Outcome { interleaved: seen.len(), weak_only, exhaustive: all })
}

#[test]
fn named_litmus_tests() {
    for test in oracle::named::all() {
        compare(test.name, &test.program, false).map(drop).unwrap();
        let racy = check(&test.program).races.values().any(|sequential| *sequential);
        assert_eq!(!observed(&test.program, false).0.is_empty(), racy, "{}", test.name);
    }
}

/// An earlier atomic of the same thread raced with the same store, and was dropped for the later one.
#[test]
fn each_instruction_has_its_own_race() {
    compare("seed 213435", &oracle::random::program(213_435, 8), false).map(drop).unwrap();
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

#[test]
fn random_litmus_tests() {
    sweep(false);
}

/// In large launches words keep less of relaxed operations than cells do.
#[test]
fn random_relaxed_litmus_tests() {
    sweep(true);
}

/// Without what orders threads, but for barriers.
fn relaxed(program: Program) -> Program {
    let weaken = |action: &mut Action| match action {
        Action::Exchange { sem, .. } | Action::Add { sem, .. } | Action::CompareSwap { sem, .. } => {
            *sem = Sem::Relaxed;
        }
        Action::Read { strength: Strength::Strong(sem, _), .. }
        | Action::Write { strength: Strength::Strong(sem, _), .. } => *sem = Sem::Relaxed,
        _ => {}
    };
    let mut program = program;
    for thread in &mut program.threads {
        thread.code.retain(|instruction| !matches!(instruction.action, Action::Fence { .. }));
        thread.code.iter_mut().for_each(|instruction| weaken(&mut instruction.action));
    }
    program
}

fn sweep(weakened: bool) {
    let first = number("WARPRACE_ORACLE_FIRST", 0);
    let seeds = number("WARPRACE_ORACLE_SEEDS", 1500);
    let (mut failures, mut racy, mut weak, mut hidden, mut cut) = (Vec::new(), 0, 0, 0, 0);
    for seed in first..first + seeds {
        let program = oracle::random::program(seed, 8);
        let program = if weakened { relaxed(program) } else { program };
        match compare(&format!("seed {seed}"), &program, weakened) {
            Ok(outcome) => {
                racy += usize::from(outcome.interleaved > 0);
                weak += usize::from(outcome.weak_only > 0);
                hidden += usize::from(outcome.weak_only > 0 && outcome.interleaved == 0);
                cut += usize::from(!outcome.exhaustive);
            }
            Err(failure) => failures.push(failure),
        }
    }
    println!(
        "{seeds} programs from seed {first}: {racy} with races that interleavings show; {weak} with races of \
         weak executions only, {hidden} of them with no other; {cut} with more than {INTERLEAVINGS} interleavings; \
         {} differ",
        failures.len()
    );
    let shown = failures.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {seeds} programs differ:\n{shown}", failures.len());
}
