//! Random small kernels: what is proved must hold under exhaustive execution on the virtual GPU, over small
//! geometries, arguments and contents; what is called a race must be one when its launch is run again.
//!
//! `PROVE_KERNELS=N` and `PROVE_SEED=N` run more of them, and others; `PROVE_VOLATILE=weak` (or `strong`) asks about all by
//! that law, else every third kernel is asked about with volatile accesses as ordinary ones. `PROVE_WAITS`, `PROVE_DIVISIONS`,
//! `PROVE_GRIDS` and `PROVE_NAMED` are how many there are of these kinds, if not a quarter of `PROVE_KERNELS`. `PROVE_RACES=0` leaves out the search
//! for races of kernels that are not proved, which takes most of the time.

use events::observed::Bytes;
use kernels::Source;
use prove::facts::spread::Spread;
use prove::replay::{Argument, Bench, Contents, Outcome, Value, Witness};
use prove::{Facts, Prover, Verdict};
use simt::Schedule;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod pruned;
mod random;

use random::launches::{ARRAY, alike, observed, observed_shapes};
use random::{Dice, kernel, with_cluster, with_moved, with_small_shared, with_volatile};

/// The first seed, if `PROVE_SEED` names none.
const ORDINARY_SEED: u64 = 1;

/// Returns the number in a variable of the environment.
fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or)
}

/// Returns how many kernels a test asks about: `PROVE_KERNELS`, or `all` where `WARPRACE_EVERY` is set, as `cargo xtask
/// deep-test tests` does, or half of them.
fn kernels(all: u64) -> u64 {
    let every = std::env::var_os("WARPRACE_EVERY").is_some();
    number("PROVE_KERNELS", if every { all } else { all / 2 })
}

fn argument(index: u32, bytes: u32, value: Value) -> Argument {
    Argument { index, offset: 0, bytes, value }
}

/// Is that kernel asked about with volatile accesses as ordinary ones?
fn volatile_weak(seed: u64) -> bool {
    match std::env::var("PROVE_VOLATILE").as_deref() {
        Ok("weak") => true,
        Ok("strong") => false,
        _ => seed % 3 == 1 && !ONCE_WRONG.contains(&seed),
    }
}

/// Seeds of kernels that were proved although they race: an inequality that ended no loop (11734), and turns of an
/// inner loop that were taken for those of the outer loop's turn before (61768).
const ONCE_WRONG: [u64; 3] = [11734, 61768, 1_013_991];

#[test]
fn what_is_proved_holds_and_what_races_races() {
    let (count, first) = (kernels(240), number("PROVE_SEED", ORDINARY_SEED));
    let seeks_races = number("PROVE_RACES", 1) > 0;
    let (mut proved, mut racy, mut unknown, mut runs, mut ended) = (0, 0, 0, 0, 0);
    let mut with = std::collections::BTreeMap::from(random::FEATURES.map(|f| (f, (0, 0))));
    // Stages that go round, as many as a quarter.
    let rounds = random::ROUNDS_FROM + first..random::ROUNDS_FROM + first + count / 4;
    // And so many with clusters.
    let clusters = random::CLUSTERS_FROM + first..random::CLUSTERS_FROM + first + count / 4;
    // And so many with barriers of some lanes.
    let lanes = random::LANES_FROM + first..random::LANES_FROM + first + count / 4;
    let (mut with_lanes, mut of_lanes) = (0, 0);
    // And so many that hand over by mbarriers.
    let waits = random::WAITS_FROM + first..random::WAITS_FROM + first + number("PROVE_WAITS", count / 4);
    let (mut with_waits, mut of_waits, mut ended_waits) = (0, 0, 0);
    // And so many that divide by constants.
    let divisions = number("PROVE_DIVISIONS", count / 4);
    let divisions = random::DIVISIONS_FROM + first..random::DIVISIONS_FROM + first + divisions;
    let (mut with_divisions, mut of_divisions) = (0, 0);
    // And so many whose blocks meet at barriers of the grid.
    let grids = number("PROVE_GRIDS", count / 4);
    let grids = random::GRIDS_FROM + first..random::GRIDS_FROM + first + grids;
    let (mut with_grids, mut of_grids, mut ended_grids) = (0, 0, 0);
    // And so many whose warps meet at named barriers.
    let named = number("PROVE_NAMED", count / 4);
    let named = random::NAMED_FROM + first..random::NAMED_FROM + first + named;
    let (mut with_named, mut of_named, mut ended_named) = (0, 0, 0);
    let all = (first..first + count).chain(rounds).chain(clusters).chain(lanes).chain(waits);
    let all = all.chain(divisions).chain(grids).chain(named);
    for seed in all.chain(ONCE_WRONG) {
        let more = seed % 2 == 0 && !ONCE_WRONG.contains(&seed);
        let mut text = kernel(seed, more);
        if seed % 4 == 1 && !ONCE_WRONG.contains(&seed) {
            text = with_volatile(&text, seed);
        }
        if seed % 3 == 0 && seed < random::CLUSTERS_FROM && !ONCE_WRONG.contains(&seed) {
            text = with_small_shared(&text);
        }
        let asked = Facts { volatile_weak: volatile_weak(seed), ..Facts::default() };
        let parsed = ptx::parse(&text);
        assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
        let source = Source { tree: &parsed.module, text: &text, name: "random" };
        let mut prover = Prover::new(&[source]).expect("it links");
        let answer = prover.decide(0, &asked, &|| false).0;
        for (feature, (asked, proved)) in &mut with {
            if text.contains(feature) {
                *asked += 1;
                *proved += u32::from(matches!(answer.verdict, Verdict::Proved));
            }
        }
        let lanes = (random::LANES_FROM..random::WAITS_FROM).contains(&seed);
        with_lanes += u32::from(lanes);
        let waits = (random::WAITS_FROM..random::DIVISIONS_FROM).contains(&seed);
        with_waits += u32::from(waits);
        let divides = (random::DIVISIONS_FROM..random::GRIDS_FROM).contains(&seed);
        with_divisions += u32::from(divides);
        // Those that the barriers order.
        let of_grid = (random::GRIDS_FROM..random::NAMED_FROM).contains(&seed);
        let met = of_grid && answer.assumed.iter().any(|a| a.contains("cooperative"));
        with_grids += u32::from(of_grid);
        let named = seed >= random::NAMED_FROM;
        with_named += u32::from(named);
        match answer.verdict {
            Verdict::Proved => {
                proved += 1;
                of_lanes += u32::from(lanes);
                of_waits += u32::from(waits);
                of_divisions += u32::from(divides);
                of_grids += u32::from(met);
                of_named += u32::from(named);
            }
            _ => {
                // A few: launches cost more than proofs.
                let end = Instant::now() + Duration::from_secs(2);
                if seeks_races
                    && seed % 8 == 0
                    && let Verdict::Race(race) = prover.answer(0, &asked, &|| Instant::now() > end).verdict
                {
                    racy += 1;
                    let mut bench = Bench::load(&[source]).expect("it loads");
                    bench.volatile_weak = asked.volatile_weak;
                    let (again, ..) = bench.run(0, &race.witness, 1 << 22, &|| false);
                    assert!(
                        matches!(again, Outcome::Ended(f) if !f.is_empty()),
                        "{text}\n{:?}",
                        race.witness
                    );
                }
                unknown += 1;
                continue;
            }
        }
        let positive = answer.assumed.iter().any(|a| a.starts_with("arg2"));
        // What is proved of clusters of any size is so of these.
        let in_clusters = (random::CLUSTERS_FROM..random::LANES_FROM).contains(&seed);
        let made = if in_clusters { with_cluster(&text, [2, 4][seed as usize % 2]) } else { text.clone() };
        let parsed = ptx::parse(&made);
        assert!(parsed.errors.is_empty(), "{made}\n{:?}", parsed.errors);
        let source = Source { tree: &parsed.module, text: &made, name: "random" };
        let mut bench = Bench::load(&[source]).expect("it loads");
        bench.volatile_weak = asked.volatile_weak;
        // What whole warps execute together means nothing for a part of one.
        let whole = text.contains("matrix") || text.contains("wmma");
        let shapes = [(2, 1), (3, 2), (40, 1), (5, 3), (33, 2), (96, 1)];
        let shapes = if in_clusters {
            [(2, 4), (3, 4), (40, 4), (5, 8), (33, 8), (96, 4)]
        } else if named {
            [(64, 1), (96, 2), (128, 1), (100, 1), (33, 1), (112, 2)]
        } else if whole {
            [(32, 1), (32, 2), (64, 1), (64, 2), (128, 1), (96, 1)]
        } else {
            shapes
        };
        for (block, grid) in shapes {
            for n in [-1, 0, 1, 2, 3, 5, 8, 40] {
                if n <= 0 && positive {
                    continue;
                }
                for contents in [Contents::Zeros, Contents::Ascending] {
                    let arguments = vec![
                        argument(0, 8, Value::Array),
                        argument(1, 8, Value::Array),
                        argument(2, 4, Value::Scalar(n)),
                    ];
                    let witness = Witness {
                        grid: [grid, 1, 1],
                        block: [block, 1, 1],
                        dynamic_shared: 0,
                        arguments,
                        contents,
                        // Barriers of other kinds than `bar` in other orders of threads, too.
                        order: if seed >= random::ROUNDS_FROM { (runs % 4) as _ } else { 0 },
                    };
                    runs += 1;
                    // Arrivals at mbarriers in loops take the detector minutes.
                    let end = Instant::now() + Duration::from_secs(2);
                    let stop = || Instant::now() > end;
                    if let (Outcome::Ended(findings), ..) = bench.run(0, &witness, 1 << 16, &stop) {
                        ended += u64::from(in_clusters);
                        ended_waits += u64::from(waits);
                        ended_grids += u64::from(met);
                        ended_named += u64::from(named);
                        assert!(
                            findings.is_empty(),
                            "seed {seed}: proved, but {witness} races\nassumed: {:#?}\n{text}\n{:#?}\n{:#?}",
                            answer.assumed,
                            findings[0].sides,
                            findings[0]
                                .sides
                                .each_ref()
                                .map(|s| s.site.and_then(|s| bench.sites.get(s)).cloned()),
                        );
                    }
                }
            }
        }
    }
    println!(
        "{} kernels: {proved} proved ({runs} launches run), {unknown} not, of some of which {racy} raced",
        proved + unknown
    );
    println!("{ended} launches of kernels that were proved ran to their end in clusters");
    println!("{with_lanes} with barriers of some lanes: {of_lanes} proved");
    println!(
        "{with_waits} with mbarriers that some wait for: {of_waits} proved, {ended_waits} launches ended"
    );
    println!(
        "{with_grids} with barriers of the grid: {of_grids} proved by these, {ended_grids} launches ended"
    );
    println!("{with_named} with named barriers: {of_named} proved, {ended_named} launches ended");
    println!("{with_divisions} that divide by constants: {of_divisions} proved");
    for (feature, (asked, proved)) in &with {
        println!("{asked} with `{feature}`: {proved} proved");
    }
    // The test must not become empty.
    assert!(proved * 20 > count && (racy > 0 || !seeks_races), "{proved} proved, {racy} racy");
    // Few are proved of some features: of as many as are asked about some must be. Ordinary runs have one seed.
    let many = if first == ORDINARY_SEED { 25 } else { 250 };
    assert!(with_waits < many || of_waits > 0, "{of_waits} of {with_waits}");
    assert!(with_grids < many || of_grids > 0 && ended_grids > 0, "{of_grids} of {with_grids}");
    assert!(with_named < many || of_named > 0 && ended_named > 0, "{of_named} of {with_named}");
    assert!(with_divisions < many || of_divisions > 0, "{of_divisions} of {with_divisions}");
    assert!(with_lanes < many || of_lanes > 0, "{of_lanes} of {with_lanes}");
    assert!(with.values().all(|(asked, proved)| *asked < many || *proved > 0), "{with:?}");
}

#[test]
fn what_is_proved_of_an_observed_launch_holds_under_every_schedule() {
    let (count, first) = (kernels(180), number("PROVE_SEED", ORDINARY_SEED));
    let (mut proved, mut racy, mut unknown, mut partly_known) = (0, 0, 0, 0);
    for seed in first..first + count {
        let mut text = kernel(seed, true);
        if seed % 4 == 1 {
            text = with_volatile(&text, seed);
        }
        let asked = Facts { volatile_weak: volatile_weak(seed), ..Facts::default() };
        let parsed = ptx::parse(&text);
        assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
        let source = Source { tree: &parsed.module, text: &text, name: "random" };
        let mut prover = Prover::new(&[source]).expect("it links");
        let uses = prover.kernels()[0].uses;
        let mut dice = Dice(seed);
        let mut bench = Bench::load(&[source]).expect("it loads");
        bench.volatile_weak = asked.volatile_weak;
        for (block, grid) in observed_shapes(&text) {
            let n = dice.roll(9) as i32;
            let launch = Arc::new(observed(uses, block, grid, n, &mut dice));
            // Some never end.
            let end = Instant::now() + Duration::from_secs(2);
            let stop = || Instant::now() > end;
            // Of one array it is not known what it holds: then it may be anything.
            let array = seed as usize % launch.memory.len();
            let mut partly = (*launch).clone();
            partly.memory[array].contents = None;
            let answer = prover.answer_observed(0, &asked, &[Arc::new(partly.clone())], &stop);
            if let Verdict::Proved = answer.verdict {
                partly_known += 1;
                for salt in [1u8, 37, 101] {
                    let byte = |i: u64| (i as u8).wrapping_mul(salt) >> (salt & 3);
                    partly.memory[array].contents = Some(Bytes((0..ARRAY).map(byte).collect()));
                    let races = bench.races(&partly, Schedule::Random, salt.into());
                    assert!(
                        races.is_none_or(|f| f.is_empty()),
                        "seed {seed}: array {array} is not known, and contents {salt} race\n{:#?}\n{text}",
                        answer.assumed
                    );
                }
            }
            let end = Instant::now() + Duration::from_secs(2);
            let stop = || Instant::now() > end;
            let answer = prover.answer_observed(0, &asked, &[Arc::clone(&launch)], &stop);
            match answer.verdict {
                Verdict::Proved => proved += 1,
                Verdict::Partly(_) | Verdict::Unknown(_) => {
                    unknown += 1;
                    continue;
                }
                Verdict::Race(_) => {
                    racy += 1;
                    continue;
                }
            }
            for run in 0..8 {
                let schedule =
                    [Schedule::Random, Schedule::RoundRobin { quantum: 1 }][run as usize % 2].clone();
                let races = bench.races(&launch, schedule, run);
                assert!(
                    races.as_ref().is_none_or(Vec::is_empty),
                    "seed {seed}: proved, but a schedule of {:?} races\nassumed: {:#?}\n{text}\n{:#?}",
                    launch.info,
                    answer.assumed,
                    races.map(|f| f[0].sides.clone()),
                );
            }
            // Any other contents, if none are held.
            if answer.assumed.iter().any(|a| a.contains("holds")) {
                continue;
            }
            let mut other = (*launch).clone();
            for memory in &mut other.memory {
                memory.contents =
                    Some(Bytes((0..ARRAY).map(|i| (i as u8).wrapping_mul(37) & 0x0f).collect()));
            }
            let races = bench.races(&other, Schedule::Random, 1);
            assert!(
                races.is_none_or(|f| f.is_empty()),
                "seed {seed}: other contents race\n{:#?}\n{text}",
                answer.assumed
            );
        }
    }
    println!(
        "{count} kernels: {proved} launches proved, {partly_known} though an array is not known, {racy} race, {unknown} unknown"
    );
    assert!(proved > count / 8 && racy > 0 && partly_known > 0, "{proved} proved, {racy} racy");
}

/// What `run --prove` leaves out of a launch: also where other accesses of the kernel race.
#[test]
fn what_is_left_out_is_in_no_race_under_any_schedule() {
    let (count, first) = (kernels(180), number("PROVE_SEED", ORDINARY_SEED));
    let (launches, lines, races) = left_out(first..first + count);
    println!("{count} kernels: {lines} instructions of {launches} launches left out; {races} other races");
    assert!(launches * 10 > count && lines > launches as usize && races > 0, "{launches} of {count}");
}

/// Threads that had ended did not pass a barrier of as many threads as the block has.
#[test]
fn what_was_left_out_wrongly_is_not() {
    left_out([12478]);
}

/// Asserts for the random kernels of `seeds` that no instruction that a launch leaves out has a part in a race. Returns how many
/// launches left something out, how many instructions, and the races of other instructions.
fn left_out(seeds: impl IntoIterator<Item = u64>) -> (u64, usize, u64) {
    let (mut launches, mut lines, mut races) = (0, 0, 0);
    for seed in seeds {
        let text = kernel(seed, seed % 2 == 0);
        let parsed = ptx::parse(&text);
        let source = Source { tree: &parsed.module, text: &text, name: "random" };
        let prover = Prover::new(&[source]).expect("it links");
        let uses = prover.kernels()[0].uses;
        let mut dice = Dice(seed);
        let mut bench = Bench::load(&[source]).expect("it loads");
        bench.volatile_weak = volatile_weak(seed);
        for (block, grid) in observed_shapes(&text) {
            let n = dice.roll(9) as i32;
            let launch = observed(uses, block, grid, n, &mut dice);
            // Of any arguments, too, as a run asks first.
            let (mut asked, spread) =
                if dice.one(2) { alike(&launch, n) } else { (launch.clone(), Spread::default()) };
            if dice.one(2) {
                asked.facts.parameters.clear();
                asked.memory.clear();
            }
            let end = Instant::now() + Duration::from_secs(2);
            let stop = || Instant::now() > end;
            let free = prover.apart(0, &Arc::new(asked), &spread, bench.volatile_weak, &stop);
            let apart = free.lines();
            let Some(covered) = free.covered.filter(|_| !apart.is_empty()) else { continue };
            assert!(covered.arrays_of(&launch.info, &launch.facts, &launch.memory).is_some(), "seed {seed}");
            launches += 1;
            lines += apart.len();
            for run in 0..8 {
                let schedule =
                    [Schedule::Random, Schedule::RoundRobin { quantum: 1 }][run as usize % 2].clone();
                for finding in bench.races(&launch, schedule, run).unwrap_or_default() {
                    races += 1;
                    let line = |s: &events::Side| Some(bench.sites.get(s.site?)?.ptx_line);
                    let left_out = finding.sides.iter().filter_map(line).find(|line| apart.contains(line));
                    assert_eq!(left_out, None, "seed {seed}, {:?}\n{text}", launch.info);
                }
            }
        }
    }
    (launches, lines, races)
}

/// Elements of an array of which nothing is known may all be different.
const SCATTER: &str = ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 out, .param .u64 index, .param .u32 n) {
  .reg .u32 %r<4>; .reg .u64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [index];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd5, %rd1, %rd3;
  st.global.u32 [%rd5], %r1;
  ret;
}";

#[test]
fn what_large_arrays_held_is_not_taken_for_zeros() {
    let parsed = ptx::parse(SCATTER);
    let source = Source { tree: &parsed.module, text: SCATTER, name: "scatter" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let uses = prover.kernels()[0].uses;
    let mut launch = observed(uses, 64, 1, 1, &mut Dice(3));
    launch.memory.iter_mut().for_each(|m| m.contents = None);
    let answer = prover.answer_observed(0, &Facts::default(), &[Arc::new(launch)], &|| false);
    assert!(matches!(answer.verdict, Verdict::Unknown(_)), "{:?}", answer.verdict);
}

/// A race that is told although contents are not known is there with any contents.
#[test]
fn races_whatever_memory_holds_are_there_whatever_it_holds() {
    let (count, first) = (kernels(180), number("PROVE_SEED", ORDINARY_SEED));
    let (mut told, mut other, mut ended) = (0, 0, 0);
    for seed in first..first + count {
        let mut text = kernel(seed, seed % 2 == 0);
        if seed % 3 > 0 {
            text = with_moved(&text, seed);
        }
        let parsed = ptx::parse(&text);
        let source = Source { tree: &parsed.module, text: &text, name: "random" };
        let mut prover = Prover::new(&[source]).expect("it links");
        let uses = prover.kernels()[0].uses;
        let mut dice = Dice(seed);
        let mut bench = Bench::load(&[source]).expect("it loads");
        let (block, grid) = [(3, 2), (64, 1), (40, 2)][seed as usize % 3];
        let full = observed(uses, block, grid, dice.roll(9) as i32, &mut dice);
        let mut blind = full.clone();
        blind.memory.iter_mut().for_each(|m| m.contents = None);
        let end = Instant::now() + Duration::from_secs(2);
        let stop = || Instant::now() > end;
        let answer = prover.answer_observed(0, &Facts::default(), &[Arc::new(blind)], &stop);
        let Verdict::Race(_) = answer.verdict else {
            other += 1;
            continue;
        };
        told += 1;
        for salt in 0..3u8 {
            let mut launch = full.clone();
            for memory in launch.memory.iter_mut().filter(|_| salt > 0) {
                let byte = |i: u64| {
                    (i as u8).wrapping_mul(31 + 6 * salt) & if i.is_multiple_of(4) { 0x0f } else { 0 }
                };
                memory.contents = Some(Bytes((0..ARRAY).map(byte).collect()));
            }
            let mut orders = (0..12).map(|run| {
                let schedule = if run == 0 { Schedule::ConvergedFirst } else { Schedule::Random };
                bench.races(&launch, schedule, run)
            });
            // Some contents let it run for ever.
            let races = orders.find(|r| r.as_ref().is_none_or(|r| !r.is_empty()));
            assert!(races.is_some(), "seed {seed}: no race with contents {salt}\n{text}");
            ended += u64::from(races.flatten().is_some());
        }
    }
    println!("{count} kernels: {told} told to race, {other} not; {ended} other contents raced");
    assert!(told * 20 > count && ended > told, "{told} of {count} told, {ended} runs");
}
