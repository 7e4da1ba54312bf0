//! Holds the memory against the axiomatic checker: each outcome of a run is allowed, and each outcome of the
//! litmus tests that is allowed is produced.

mod machine;

use machine::{every_outcome, outcomes_within, some_outcomes};
use oracle::Program;
use oracle::outcomes::outcomes;
use oracle::{crossings, litmus, named, random, sizes};
use std::collections::BTreeSet;

/// The number of generated tests and of random programs: `WARPRACE_WEAK_PROGRAMS`, or few, of which there are more where
/// `WARPRACE_EVERY` is set. The tests are a stride through all of [`litmus::all`].
fn programs() -> u64 {
    let few = if std::env::var_os("WARPRACE_EVERY").is_some() { 150 } else { 50 };
    std::env::var("WARPRACE_WEAK_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(few)
}

/// The generated tests are run in all interleavings with all choices, and their outcomes are exactly those of
/// the checker.
#[test]
fn generated_tests_have_exactly_the_allowed_outcomes() {
    let all: Vec<_> = litmus::all().into_iter().chain(crossings::all()).collect();
    assert!(all.len() >= 500, "{} tests", all.len());
    let mut wrong = Vec::new();
    for test in all.iter().step_by((all.len() / programs() as usize).max(1)) {
        let allowed = outcomes(&test.program);
        let Some(produced) = every_outcome(&test.program, 4_000_000) else {
            wrong.push(format!("{}: too many runs", test.name));
            continue;
        };
        for outcome in &produced {
            if !allowed.contains_key(outcome) {
                wrong.push(format!("{}: forbidden {outcome:?}", test.name));
            }
        }
        for outcome in allowed.keys() {
            if !produced.contains(outcome) {
                wrong.push(format!("{}: missing {outcome:?}", test.name));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        all.len(),
        wrong[..wrong.len().min(12)].join("\n")
    );
}

/// The named tests, which have guards, barriers and locks, produce allowed outcomes only.
#[test]
fn named_tests_have_allowed_outcomes() {
    for test in named::all() {
        let allowed = outcomes(&test.program);
        let produced = every_outcome(&test.program, 4_000_000).unwrap();
        for outcome in &produced {
            assert!(allowed.contains_key(outcome), "{}: {outcome:?}\n{}", test.name, test.program);
        }
        for outcome in allowed.keys() {
            assert!(produced.contains(outcome), "{}: missing {outcome:?}\n{}", test.name, test.program);
        }
    }
}

/// Random programs produce allowed outcomes only.
#[test]
fn random_programs_have_allowed_outcomes() {
    for seed in 0..programs() {
        let program = match seed % 4 {
            0 => random::crossing(seed, 6),
            _ => random::program(seed, 8),
        };
        let allowed = outcomes(&program);
        for run in some_outcomes(&program, seed, 60) {
            let outcome = run.outcome(&program);
            assert!(allowed.contains_key(&outcome), "seed {seed}: {outcome:?}\n{program}");
        }
    }
}

/// Every fourth random program has other proxies.
fn random_program(seed: u64) -> Program {
    if seed.is_multiple_of(4) { random::crossing(seed, 4) } else { random::program(seed, 6) }
}

/// Small random programs are run in all interleavings with all choices. Their outcomes are allowed, and nearly
/// all programs have all that are: the crate's page names the exceptions.
#[test]
fn small_random_programs_have_the_allowed_outcomes() {
    let (mut exact, mut long, mut less) = (0, 0, Vec::new());
    for seed in 0..programs() {
        let program = random_program(seed);
        let Some(produced) = every_outcome(&program, 20_000) else {
            long += 1;
            continue;
        };
        let allowed = outcomes(&program);
        for outcome in &produced {
            assert!(allowed.contains_key(outcome), "seed {seed}: {outcome:?}\n{program}");
        }
        match allowed.len() == produced.len() {
            true => exact += 1,
            false => less.push(seed),
        }
    }
    let part = less.len();
    println!("{exact} programs exactly, {part} in part (seeds {less:?}), {long} have too many runs");
    assert!(part * 50 <= exact, "{part} of {exact} in part: {less:?}");
}

/// Words and their halves have exactly the allowed outcomes, where accesses of different sizes do not race.
#[test]
fn sizes_have_exactly_the_allowed_outcomes() {
    let mut held = 0;
    for (name, program) in sizes::all() {
        let Some(allowed) = sizes::outcomes(&program) else { continue };
        let produced = every_outcome(&program, 400_000).unwrap();
        assert_eq!(produced, allowed, "{name}\n{program}");
        held += 1;
    }
    assert!(held >= 500, "{held} tests");
}

/// Without a window no access is late, and no outcome needs one.
#[test]
fn the_window_bounds_lateness() {
    let tests = litmus::all();
    let buffered = tests.iter().filter(|t| t.name == "LB relaxed.Gpu fence none blocks");
    for test in buffered {
        let allowed = outcomes(&test.program);
        let forward: BTreeSet<_> = allowed.iter().filter(|(_, f)| **f).map(|(o, _)| o.clone()).collect();
        assert!(forward.len() < allowed.len());
        assert_eq!(outcomes_within(&test.program, 0, 10_000), Some(forward));
        assert_eq!(outcomes_within(&test.program, 1, 10_000), Some(allowed.into_keys().collect()));
    }
}

/// So do random programs that synchronise by barriers of all kinds.
#[test]
fn random_barriers_have_allowed_outcomes() {
    for seed in 0..programs() {
        let program = random::meetings(seed, 7);
        let events: usize = program.threads.iter().map(|t| t.code.len() + 2).sum();
        if events > 26 {
            continue;
        }
        let allowed = outcomes(&program);
        for run in some_outcomes(&program, seed, 60) {
            let outcome = run.outcome(&program);
            assert!(allowed.contains_key(&outcome), "seed {seed}: {outcome:?}\n{program}");
        }
    }
}
