//! The detector against the axiomatic oracle: over all interleavings of a litmus
//! program, it must report exactly the races that sequentially consistent executions have.
//!
//! `WARPRACE_ORACLE_SEEDS` sets how many random programs are tried (from
//! `WARPRACE_ORACLE_FIRST`, 0), for long sweeps; `WARPRACE_EVERY` has each test try four times as many as otherwise.

#[path = "oracle/pipelines.rs"]
mod pipelines;
#[path = "script/seeds.rs"]
mod seeds;

use detect::ptx::{PtxMonitor, PtxOptions};
use events::task::{HostCall, LaunchInfo, SyncUse};
use events::{Dim3, Listener, Monitor, Scope, Sem, StreamId, TaskId, TaskInfo, TaskKind, Tell};
use oracle::interleave::{Ran, instruction, interleavings, random_schedule, replay, run};
use oracle::model::Race;
use oracle::observed::Access;
use oracle::program::{Action, Instruction, Place, Strength, Thread};
use oracle::random::Rng;
use oracle::{Program, check};
use std::collections::BTreeSet;

const INTERLEAVINGS: usize = 3000;

/// `relaxed` is a large launch, of which it is known that only barriers order threads.
fn task(program: &Program, relaxed: bool) -> TaskInfo {
    let mut code = program.threads.iter().flat_map(|thread| &thread.code);
    let narrow =
        code.any(|i| matches!(i.action, Action::Fence { sem: Sem::Sc, scope: Scope::Cta | Scope::Cluster }));
    let uses = SyncUse {
        narrow_fences: narrow,
        cluster: program.has_cluster(),
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
            cluster: Dim3::new(if program.has_cluster() { 4 } else { 1 }, 1, 1),
            cooperative: false,
            shared_bytes: 0,
            uses,
        }),
        stream: StreamId(0),
        after: Vec::new(),
        call: HostCall::default(),
        device: 0,
        overlap: None,
        launcher: None,
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
    let task = task(program, relaxed);
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
    /// Races of interleavings that were not seen because a later access of the thread, which is reported, stood for
    /// the earlier one (`detect::ptx`, "Guarantee").
    stood_for: usize,
}

fn compare(name: &str, program: &Program, relaxed: bool) -> Result<Outcome, String> {
    let verdict = check(program);
    let (seen, all) = observed(program, relaxed);
    for race in &seen {
        if !verdict.races.contains_key(race) {
            return Err(format!("{name}: {race:?} is no race\n{program}"));
        }
    }
    let mut stood_for = 0;
    for (race, sequential) in &verdict.races {
        if *sequential && all && !seen.contains(race) {
            if !relaxed || !later_is_seen(race, &seen, program) {
                return Err(format!("{name}: {race:?} is not seen\n{program}"));
            }
            stood_for += 1;
        }
    }
    let weak_only = verdict.races.keys().filter(|race| !seen.contains(race)).count();
    Ok(Outcome { interleaved: seen.len(), weak_only, exhaustive: all, stood_for })
}

/// Do both threads of a race have one with each other on the same location, in which one of them comes later than in
/// this one, and the other not later?
fn later_is_seen(race: &Race, seen: &BTreeSet<Race>, program: &Program) -> bool {
    let location = |(thread, at): (usize, usize)| program.threads[thread].code[at].action.location();
    let stands = |old: (usize, usize), new: (usize, usize), other: &Race| {
        let (a, b) = if other.0.0 == old.0 { (other.0, other.1) } else { (other.1, other.0) };
        a.0 == old.0 && b.0 == new.0 && a.1 > old.1 && b.1 <= new.1 && location(a) == location(old)
    };
    seen.iter().any(|other| stands(race.0, race.1, other) || stands(race.1, race.0, other))
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

/// In a large launch a thread's write stands for what the thread did there before. A thread that then
/// observes that write is ordered behind it, but not behind what it stands for: the race that is told is that
/// of the write and its observer.
#[test]
fn a_write_that_is_observed_stands_for_earlier_accesses_of_its_thread() {
    for (seed, told) in [(3662, Race((0, 2), (1, 0))), (202_722, Race((0, 1), (1, 3)))] {
        let program = relaxed(oracle::random::program(seed, 8));
        let outcome = compare(&format!("seed {seed}"), &program, true).unwrap();
        let (seen, all) = observed(&program, true);
        assert!(all && outcome.stood_for == 1 && seen.contains(&told), "seed {seed}: {seen:?}");
    }
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
    let seeds = number("WARPRACE_ORACLE_SEEDS", seeds::seeds(1500));
    let (mut failures, mut racy, mut weak, mut hidden, mut cut) = (Vec::new(), 0, 0, 0, 0);
    let mut stood_for = 0;
    for seed in first..first + seeds {
        let program = oracle::random::program(seed, 8);
        let program = if weakened { relaxed(program) } else { program };
        match compare(&format!("seed {seed}"), &program, weakened) {
            Ok(outcome) => {
                racy += usize::from(outcome.interleaved > 0);
                weak += usize::from(outcome.weak_only > 0);
                hidden += usize::from(outcome.weak_only > 0 && outcome.interleaved == 0);
                cut += usize::from(!outcome.exhaustive);
                stood_for += u64::from(outcome.stood_for > 0);
            }
            Err(failure) => failures.push(failure),
        }
    }
    println!(
        "{seeds} programs from seed {first}: {racy} with races that interleavings show; {weak} with races of \
         weak executions only, {hidden} of them with no other; {cut} with more than {INTERLEAVINGS} interleavings; \
         {stood_for} where later accesses stood for earlier ones; {} differ",
        failures.len()
    );
    assert!(
        stood_for <= 1 + seeds / 1000,
        "{stood_for} of {seeds} programs have races of which another one tells"
    );
    let shown = failures.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {seeds} programs differ:\n{shown}", failures.len());
}

/// Barriers of every kind, fences and flags of any threads: each run has the races that the model gives its execution, whatever the
/// order of its `fence.sc` operations, and no others.
#[test]
fn random_fences_and_barriers() {
    let first = number("WARPRACE_ORACLE_FIRST", 0);
    let seeds = number("WARPRACE_ORACLE_SEEDS", seeds::seeds(3000));
    let schedules = number("WARPRACE_ORACLE_SCHEDULES", 12);
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let counts = std::thread::scope(|scope| {
        let each = |worker: u64| {
            scope.spawn(move || {
                let mut counts = Counts::default();
                for seed in (first..first + seeds).filter(|seed| seed % workers == worker) {
                    counts.add(seed, schedules);
                }
                counts
            })
        };
        let all: Vec<_> = (0..workers).map(each).collect();
        all.into_iter().map(|worker| worker.join().expect("a worker")).fold(Counts::default(), Counts::sum)
    });
    let Counts { runs, racy, beside, forced, stood_for, failures } = counts;
    println!(
        "{seeds} programs from seed {first}: {runs} runs, {racy} with races, {beside} with races beside others only, {forced} where \
         fences are forced, {stood_for} where later accesses stood for earlier ones; {} differ",
        failures.len()
    );
    let shown = failures.iter().take(3).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {seeds} programs differ:\n{shown}", failures.len());
    assert!(stood_for <= 1 + runs / 10_000, "in {stood_for} of {runs} runs another race tells");
}

/// What runs of random programs showed.
#[derive(Default)]
struct Counts {
    runs: u64,
    racy: u64,
    /// Races of executions that contradict the axioms by accesses that race themselves.
    beside: u64,
    /// Runs with fewer races than if all `fence.sc` were acquire-release fences.
    forced: u64,
    /// Runs in which a later access, the race of which is reported, stood for one that is ordered before it.
    stood_for: u64,
    failures: Vec<String>,
}

impl Counts {
    fn sum(self, other: Counts) -> Counts {
        Counts {
            runs: self.runs + other.runs,
            racy: self.racy + other.racy,
            beside: self.beside + other.beside,
            forced: self.forced + other.forced,
            stood_for: self.stood_for + other.stood_for,
            failures: [self.failures, other.failures].concat(),
        }
    }

    /// Compares some runs of a random program.
    fn add(&mut self, seed: u64, schedules: u64) {
        let program = oracle::random::meetings(seed, 9);
        let mut rng = Rng(seed);
        let mut tried = BTreeSet::new();
        for _ in 0..schedules {
            let Some(schedule) = random_schedule(&program, &mut rng) else {
                self.failures.push(format!("seed {seed}: threads wait for ever\n{program}"));
                return;
            };
            if !tried.insert(schedule.clone()) {
                continue;
            }
            if let Err(failure) = self.compare(&program, &schedule) {
                self.failures.push(format!("seed {seed}: {failure}"));
                return;
            }
        }
    }

    /// Compares one run: the detector reports the races of [`Observed::beside`](oracle::observed::Observed), but for those that another
    /// one [stands for](stands_for), and none if no order of the fences that contradicts no axiom has one.
    fn compare(&mut self, program: &Program, schedule: &[usize]) -> Result<(), String> {
        let Some(races) = oracle::observed::races(program, schedule) else { return Ok(()) };
        let seen: BTreeSet<Race> = observed_in(program, schedule, false).into_iter().collect();
        let ran = run(program, schedule).expect("a complete schedule");
        self.runs += 1;
        self.racy += u64::from(!seen.is_empty());
        self.beside += u64::from(races.beside != races.consistent);
        self.forced += u64::from(without_sc(program, schedule) != races.beside);
        let missing: Vec<_> = races.beside.difference(&seen).collect();
        self.stood_for += u64::from(!missing.is_empty());
        let more = !seen.is_subset(&races.beside) || races.consistent.is_empty() && !seen.is_empty();
        if more || !missing.iter().all(|race| stands_for(race, &seen, &races.ordered, &ran)) {
            let differs: Vec<_> = races.beside.symmetric_difference(&seen).collect();
            return Err(format!(
                "of {schedule:?} {:?}, beside {:?}, seen {seen:?}, differs {differs:?}\n{program}",
                races.consistent, races.beside
            ));
        }
        Ok(())
    }
}

/// Returns whether a race that is `seen` stands for `race`: both have the same later access, and the earlier access of the one that is seen
/// is ordered behind the earlier one of `race` (`detect::ptx`, "Guarantee").
fn stands_for(race: &Race, seen: &BTreeSet<Race>, ordered: &BTreeSet<(Access, Access)>, ran: &[Ran]) -> bool {
    let at = |access: Access| ran.iter().position(|ran| (ran.thread, ran.index) == access);
    let (old, new) = if at(race.0) < at(race.1) { (race.0, race.1) } else { (race.1, race.0) };
    seen.iter().any(|other| {
        let witness = match other {
            Race(a, b) if *a == new => *b,
            Race(a, b) if *b == new => *a,
            _ => return false,
        };
        at(witness) < at(new) && ordered.contains(&(old, witness))
    })
}

/// An acquiring read, the last write before which is out of scope, ignored what the same thread's earlier relaxed reads had observed.
#[test]
fn an_acquire_out_of_scope_acquires_what_its_thread_read_before() {
    holds_for([2_091_122, 2_153_508]);
}

/// A write that follows one which its thread had observed, but did not know, was not taken to be behind it: the readers of that
/// one, and the `fence.sc` before them, counted for nothing.
#[test]
fn a_write_is_behind_the_readers_of_a_write_that_its_thread_observed() {
    holds_for([5711]);
}

/// If a location has many accesses, the detector reports one for those ordered before it, including other threads'.
#[test]
fn a_later_access_stands_for_what_is_ordered_before_it() {
    let counts = holds_for([2_081_891, 2_188_476]);
    assert!(counts.stood_for > 0);
}

/// A strong read of its thread's own weak write comes behind the strong writes before that one. The oracle took these to force nothing
/// beside races.
#[test]
fn a_strong_read_of_an_own_weak_write_is_behind_earlier_strong_writes() {
    holds_for([2_125_992, 2_144_877, 2_265_061, 2_286_414]);
}

/// Compares runs of random programs that once differed.
fn holds_for<const N: usize>(seeds: [u64; N]) -> Counts {
    let mut counts = Counts::default();
    seeds.into_iter().for_each(|seed| counts.add(seed, 12));
    assert!(counts.failures.is_empty(), "{}", counts.failures.join("\n"));
    counts
}

/// The races of a run if no order of `fence.sc` operations counted.
fn without_sc(program: &Program, schedule: &[usize]) -> BTreeSet<Race> {
    let mut program = program.clone();
    for instruction in program.threads.iter_mut().flat_map(|thread| &mut thread.code) {
        if let Action::Fence { sem, .. } = &mut instruction.action {
            *sem = Sem::AcqRel;
        }
    }
    oracle::observed::races(&program, schedule).map(|races| races.beside).unwrap_or_default()
}

/// Draws counters of a large launch: two threads of one block and one of another that add, read and write, with barriers.
fn counters(seed: u64) -> Program {
    let mut rng = Rng(seed ^ 0xC0_0C7E);
    let barriers = [rng.below(3), rng.below(2)];
    let places = [(0, 0), (0, 1), (1, 0)].map(|(block, warp)| Place { gpu: 0, block, warp });
    let thread = |place: Place| {
        let code = (0..1 + rng.below(4)).map(|nth| counter(&mut rng, nth as u8, place).into());
        let mut code: Vec<Instruction> = code.collect();
        for _ in 0..barriers[usize::from(place.block)] {
            let at = rng.below(code.len() as u64 + 1) as usize;
            code.insert(at, Action::Barrier.into());
        }
        Thread { place, code }
    };
    Program { threads: places.map(thread).into() }
}

/// Draws an operation on one of two counters.
fn counter(rng: &mut Rng, register: u8, place: Place) -> Action {
    let at = (rng.below(5) / 4) as u8;
    let value = 1 + u32::from(register) + 10 * u32::from(place.warp) + 20 * u32::from(place.block);
    let relaxed = Strength::Strong(Sem::Relaxed, Scope::Gpu);
    match rng.below(10) {
        0..6 => Action::Add { to: register, at, value, sem: Sem::Relaxed, scope: Scope::Gpu },
        6 | 7 => Action::Read { to: register, from: at, strength: Strength::Weak },
        8 => Action::Read { to: register, from: at, strength: relaxed },
        _ => Action::Write { to: at, value, strength: Strength::Weak },
    }
}

/// In large launches whose threads only barriers order, a word keeps the newest atomic that returns what it found, and two
/// reads. Every access that races with an earlier one is reported nevertheless, with one partner at least; an access that
/// only races with what a write stood for comes after a reported race of that write.
#[test]
fn every_racing_access_of_a_large_launch_is_reported() {
    let seeds = number("WARPRACE_ORACLE_SEEDS", seeds::seeds(2000));
    let (mut runs, mut racy, mut excused) = (0u64, 0u64, 0u64);
    for seed in number("WARPRACE_ORACLE_FIRST", 0)..number("WARPRACE_ORACLE_FIRST", 0) + seeds {
        let program = counters(seed);
        let mut rng = Rng(seed);
        for _ in 0..6 {
            let schedule = random_schedule(&program, &mut rng).expect("barriers of whole blocks");
            let Some(races) = oracle::observed::races(&program, &schedule) else { continue };
            let seen: BTreeSet<Race> = observed_in(&program, &schedule, true).into_iter().collect();
            let ran = run(&program, &schedule).expect("a complete schedule");
            let at = |access: Access| ran.iter().position(|ran| (ran.thread, ran.index) == access);
            let sides =
                |race: &Race| if at(race.0) < at(race.1) { (race.0, race.1) } else { (race.1, race.0) };
            let shown =
                || format!("seed {seed}, {schedule:?}: seen {seen:?} of {:?}\n{program}", races.beside);
            runs += 1;
            racy += u64::from(!seen.is_empty());
            assert!(seen.is_subset(&races.beside), "{}", shown());
            for (old, new) in races.beside.iter().map(sides) {
                let ordered = |a, b| a == b || races.ordered.contains(&(a, b));
                let behind = |race: &Race| ordered(old, sides(race).0) && ordered(sides(race).1, new);
                if !seen.iter().any(|race| sides(race).1 == new) {
                    assert!(seen.iter().any(behind), "{new:?} is not reported; {}", shown());
                    excused += 1;
                }
            }
        }
    }
    println!(
        "{runs} runs, {racy} with races, {excused} accesses behind a race of what stood for their partner"
    );
    assert!(racy * 4 > runs);
}
