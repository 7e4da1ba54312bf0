//! The detector against the oracle for programs with asynchronous operations: in each run of a random program, it
//! reports exactly the races that the run has.

use super::number;
use detect::ptx::{PtxMonitor, PtxOptions};
use events::sync::ProxySpace;
use events::task::{HostCall, LaunchInfo};
use events::{
    BlockId, Dim3, Level, Listener, Monitor, Scope, Sem, Space, StreamId, TaskId, TaskInfo, TaskKind, Tell,
};
use oracle::interleave::instruction;
use oracle::pipeline::order::{Race, Races};
use oracle::pipeline::run::At;
use oracle::pipeline::{Object, Op, Program, Range, Run, Thread, races, random, run, told};
use oracle::random::Rng;
use std::collections::BTreeSet;

fn task(program: &Program) -> TaskInfo {
    TaskInfo {
        id: TaskId(1),
        kind: TaskKind::Launch(LaunchInfo {
            kernel: "pipeline".to_owned(),
            grid: Dim3::new(program.blocks(), 1, 1),
            block: Dim3::new(128, 1, 1),
            cluster: Dim3::new(program.blocks(), 1, 1),
            cooperative: false,
            shared_bytes: 1024,
            uses: program.uses(),
        }),
        stream: StreamId(0),
        after: Vec::new(),
        call: HostCall::default(),
        device: 0,
        overlap: None,
        launcher: None,
    }
}

/// The racing pairs of instructions that the detector reports.
fn seen(program: &Program, run: &Run) -> BTreeSet<Race> {
    let monitor = PtxMonitor::new(PtxOptions::default());
    let task = task(program);
    monitor.task_start(&task);
    let mut observer = monitor.observer(0);
    told::tell(program, run, task.id, &mut observer);
    monitor.task_end(task.id);
    let at = |f: &events::Finding, side: usize| {
        let (thread, index) = f.sides[side].site.map(instruction).expect("kernels' accesses have sites");
        At { thread, index }
    };
    let races = monitor.findings().into_iter().filter(|f| f.level == Level::Race);
    races.map(|f| (at(&f, 0).min(at(&f, 1)), at(&f, 0).max(at(&f, 1)))).collect()
}

/// The differences between what the detector reports of a run and the run's races.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    /// Reported, and no race.
    more: BTreeSet<Race>,
    /// A race, and not reported.
    missing: BTreeSet<Race>,
}

/// Returns the race as the instructions that are reported, which are those of the threads' leaders.
fn led(program: &Program, (a, b): Race) -> Race {
    let leader = |at: At| At { thread: program.leader(at.thread), ..at };
    (leader(a).min(leader(b)), leader(a).max(leader(b)))
}

/// Compares a run. A race may be missing for which another one [stands](stands_for).
fn compare(program: &Program, run: &Run) -> Option<(Races, Result<usize, Difference>)> {
    let races = races(program, run)?;
    let seen = seen(program, run);
    let of_leaders: BTreeSet<Race> = races.pairs.iter().map(|race| led(program, *race)).collect();
    let more: BTreeSet<Race> = seen.difference(&of_leaders).copied().collect();
    let reported: Vec<Race> =
        races.pairs.iter().copied().filter(|race| seen.contains(&led(program, *race))).collect();
    let unseen = races.pairs.iter().filter(|race| !seen.contains(&led(program, **race)));
    let (stood_for, missing): (BTreeSet<Race>, BTreeSet<Race>) =
        unseen.partition(|race| stands_for(**race, &reported, &races, run));
    let same = more.is_empty() && missing.is_empty();
    Some((races, if same { Ok(stood_for.len()) } else { Err(Difference { more, missing }) }))
}

/// Returns whether a race that is reported stands for `race`: both have the same later access, and the earlier access of
/// the one that is reported is ordered behind the earlier one of `race`, at the bytes of the race (`detect::ptx`, "Guarantee").
fn stands_for(race: Race, reported: &[Race], races: &Races, run: &Run) -> bool {
    let at = |at: At| run.steps.iter().position(|step| step.at == at);
    let (old, new) = if at(race.0) < at(race.1) { race } else { (race.1, race.0) };
    reported.iter().any(|&(a, b)| {
        let witness = if a == new { b } else { a };
        (a == new || b == new) && at(witness) < at(new) && races.stands_for(witness, old, new)
    })
}

/// Removes instructions from a program as long as some run of it differs. `first` is a run that does, of the whole program.
fn shrunk(mut program: Program, first: (Run, Difference)) -> String {
    let differs = |program: &Program| {
        (0..40).find_map(|seed| {
            let run = run(program, &mut Rng(seed))?;
            let (_, difference) = compare(program, &run)?;
            difference.err().map(|difference| (run, difference))
        })
    };
    'smaller: loop {
        for t in (0..program.threads.len()).filter(|&t| program.leader(t) == t) {
            for at in 0..program.threads[t].code.len() {
                let mut less = program.clone();
                for thread in (0..program.threads.len()).filter(|&u| program.leader(u) == t) {
                    less.threads[thread].code.remove(at);
                }
                if differs(&less).is_some() {
                    program = less;
                    continue 'smaller;
                }
            }
        }
        break;
    }
    // A difference that few runs have is told of the whole program.
    let (run, difference) = differs(&program).unwrap_or(first);
    let steps =
        run.steps.iter().map(|s| format!("{}.{} {:?} {:?}", s.at.thread, s.at.index, s.what, s.phase));
    format!("{difference:?}\n{program}{}", steps.collect::<Vec<_>>().join(", "))
}

#[derive(Default)]
struct Counts {
    runs: u64,
    racy: u64,
    clean: u64,
    endless: u64,
    long: u64,
    stood_for: u64,
    failures: Vec<String>,
}

impl Counts {
    fn sum(self, other: Counts) -> Counts {
        Counts {
            runs: self.runs + other.runs,
            racy: self.racy + other.racy,
            clean: self.clean + other.clean,
            endless: self.endless + other.endless,
            long: self.long + other.long,
            stood_for: self.stood_for + other.stood_for,
            failures: [self.failures, other.failures].concat(),
        }
    }

    fn add(&mut self, seed: u64, schedules: u64) {
        let program = random::program(seed);
        let mut rng = Rng(seed);
        for _ in 0..schedules {
            let Some(run) = run(&program, &mut rng) else {
                self.endless += 1;
                continue;
            };
            let Some((races, compared)) = compare(&program, &run) else {
                self.long += 1;
                continue;
            };
            self.runs += 1;
            *(if races.pairs.is_empty() { &mut self.clean } else { &mut self.racy }) += 1;
            match compared {
                Ok(stood_for) => self.stood_for += u64::from(stood_for > 0),
                Err(difference) => {
                    self.failures.push(format!("seed {seed}: {}", shrunk(program, (run, difference))));
                    return;
                }
            }
        }
    }
}

/// Completion, proxies, groups and phases of objects in random programs: each run has the races that the detector reports, and no
/// others.
#[test]
fn random_pipelines() {
    let first = number("WARPRACE_ORACLE_FIRST", 0);
    let seeds = number("WARPRACE_ORACLE_SEEDS", super::seeds::seeds(2000));
    let schedules = number("WARPRACE_ORACLE_SCHEDULES", 4);
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
    let Counts { runs, racy, clean, endless, long, stood_for, failures } = counts;
    println!(
        "{seeds} programs from seed {first}: {runs} runs, {racy} with races, {clean} without, {stood_for} where later accesses \
         stood for earlier ones; {endless} without end, {long} too long; {} differ",
        failures.len()
    );
    let shown = failures.iter().take(6).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(failures.is_empty(), "{} of {seeds} programs differ:\n{shown}", failures.len());
}

fn thread(block: u32, warp: u16, code: &[Op]) -> Thread {
    Thread { block, warp, code: code.to_vec(), follows: None }
}

/// The races that the detector reports in some runs of a program, each of which agrees with the oracle.
fn reported(threads: &[Thread]) -> BTreeSet<Race> {
    let program = Program { threads: threads.to_vec() };
    let mut all = BTreeSet::new();
    for seed in 0..20 {
        let run = run(&program, &mut Rng(seed)).expect("threads that end");
        let (_, compared) = compare(&program, &run).expect("a short run");
        assert!(compared.is_ok(), "{compared:?}\n{program}");
        all.extend(seen(&program, &run));
    }
    all
}

const OBJECT: Object = Object { block: 0, number: 0 };
const STAGE: Range = Range { space: Space::Shared(BlockId(0)), start: 64, bytes: 16 };
const SOURCE: Range = Range { space: Space::Global, start: 0x1000, bytes: 16 };
const RESULT: Range = Range { start: 0x2000, ..SOURCE };
const INIT: Op = Op::Init { object: OBJECT, count: 1 };
const AWAIT: Op = Op::Await { object: OBJECT, parity: 0, sem: Sem::Acquire, scope: Scope::Cta };
const STORE: Op = Op::Bulk { from: STAGE, to: RESULT, signals: None, reduces: false };
const FENCE: Op = Op::ProxyFence { space: None };

fn arrive(bytes: u64, sem: Sem) -> Op {
    Op::Arrive { object: OBJECT, bytes, sem, scope: Scope::Cta }
}

/// `cp.async` is of the generic proxy: a bulk copy of its result needs a proxy fence behind the wait. The detector asked for none behind
/// asynchronous operations.
#[test]
fn a_bulk_copy_of_what_cp_async_wrote_needs_a_proxy_fence() {
    let copy = Op::Copy { from: SOURCE, to: STAGE };
    let race = |a: usize, b: usize| (At { thread: 0, index: a }, At { thread: 0, index: b });
    let waited = [copy, Op::Commit, Op::Wait { keep: 0 }];
    let racy = [&waited[..], &[STORE]].concat();
    assert_eq!(reported(&[thread(0, 0, &racy)]), [race(0, 3)].into());
    let early = [copy, Op::Commit, FENCE, Op::Wait { keep: 0 }, STORE];
    assert_eq!(reported(&[thread(0, 0, &early)]), [race(0, 4)].into());
    let clean = [&waited[..], &[FENCE, STORE]].concat();
    assert_eq!(reported(&[thread(0, 0, &clean)]), [].into());

    let arrived = [INIT, copy, Op::ArriveCopies { object: OBJECT, noinc: true }, AWAIT];
    let racy = [&arrived[..], &[STORE]].concat();
    assert_eq!(reported(&[thread(0, 0, &racy)]), [race(1, 4)].into());
    let clean = [&arrived[..], &[FENCE, STORE]].concat();
    assert_eq!(reported(&[thread(0, 0, &clean)]), [].into());
    let global = [&arrived[..], &[Op::ProxyFence { space: Some(ProxySpace::Global) }, STORE]].concat();
    assert_eq!(reported(&[thread(0, 0, &global)]), [race(1, 5)].into());
}

/// A thread that issues a bulk copy does not access the copy's object itself: a thread that has waited for the copy may invalidate it.
#[test]
fn an_object_may_be_invalidated_behind_a_wait_for_a_copy() {
    let load = Op::Bulk { from: SOURCE, to: STAGE, signals: Some(OBJECT), reduces: false };
    let producer = [Op::Barrier, arrive(16, Sem::Release), load];
    let consumer = [INIT, Op::Barrier, AWAIT, Op::Inval { object: OBJECT }];
    assert_eq!(reported(&[thread(0, 0, &consumer), thread(0, 1, &producer)]), [].into());
}

/// The test took races for lost of which another one told: it compared instructions, which race by what an operation writes
/// and are ordered at its object, as a whole.
#[test]
fn order_at_an_object_is_not_order_of_what_copies_write() {
    let program = random::program(301_202);
    let mut rng = Rng(301_202);
    let runs: Vec<_> = (0..4).filter_map(|_| run(&program, &mut rng)).collect();
    let told = runs.iter().map(|run| compare(&program, run).expect("a short run").1.expect("no difference"));
    assert!(told.sum::<usize>() > 0);
}

/// A wait observes the arrivals of copies and the expected bytes of its phase, whatever these release (PTX §8.9.5).
#[test]
fn an_object_may_be_invalidated_behind_a_wait_for_arrivals_that_release_nothing() {
    let inval = Op::Inval { object: OBJECT };
    let consumer = [INIT, Op::Barrier, AWAIT, inval];
    let copies = [Op::Barrier, Op::ArriveCopies { object: OBJECT, noinc: true }];
    let relaxed = [Op::Barrier, arrive(0, Sem::Relaxed)];
    for producer in [&copies[..], &relaxed] {
        assert_eq!(reported(&[thread(0, 0, &consumer), thread(0, 1, producer)]), [].into());
    }
    let wait = Op::Await { object: OBJECT, parity: 0, sem: Sem::Relaxed, scope: Scope::Cta };
    let relaxed = [INIT, Op::Barrier, wait, inval];
    let producer = [Op::Barrier, arrive(0, Sem::Release)];
    assert_eq!(reported(&[thread(0, 0, &relaxed), thread(0, 1, &producer)]), [].into());
}

/// The detector forgot arrivals that release nothing.
#[test]
fn a_relaxed_arrival_races_with_an_invalidation_that_waits_for_nothing() {
    let invalidates = [INIT, Op::Barrier, Op::Inval { object: OBJECT }];
    let threads = [thread(0, 0, &invalidates), thread(0, 1, &[Op::Barrier, arrive(0, Sem::Relaxed)])];
    let program = Program { threads: threads.to_vec() };
    // A thread cannot arrive at an object that is no more.
    let runs: Vec<Run> = (0..20).filter_map(|seed| run(&program, &mut Rng(seed))).collect();
    assert!(!runs.is_empty());
    let race = (At { thread: 0, index: 2 }, At { thread: 1, index: 1 });
    for run in runs {
        assert_eq!(seen(&program, &run), [race].into());
    }
}
