//! Holds the memory against the axiomatic checker: each outcome of a run is allowed, and each outcome that is
//! allowed without load buffering is produced.

mod machine;

use machine::{every_outcome, some_outcomes};
use oracle::outcomes::outcomes;
use oracle::{litmus, named, random};

/// The number of generated tests and of random programs: `WARPRACE_WEAK_PROGRAMS`, or few. The tests are a
/// stride through all of [`litmus::all`].
fn programs() -> u64 {
    std::env::var("WARPRACE_WEAK_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

/// The generated tests are run in all interleavings with all choices, and their outcomes are exactly those of
/// the checker.
#[test]
fn generated_tests_have_exactly_the_allowed_outcomes() {
    let all = litmus::all();
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
        for (outcome, _) in allowed.iter().filter(|(_, forward)| **forward) {
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
        for (outcome, _) in allowed.iter().filter(|(_, forward)| **forward) {
            assert!(produced.contains(outcome), "{}: missing {outcome:?}\n{}", test.name, test.program);
        }
    }
}

/// Random programs produce allowed outcomes only.
#[test]
fn random_programs_have_allowed_outcomes() {
    for seed in 0..programs() {
        let program = random::program(seed, 8);
        let allowed = outcomes(&program);
        for run in some_outcomes(&program, seed, 60) {
            let outcome = run.outcome(&program);
            assert!(allowed.contains_key(&outcome), "seed {seed}: {outcome:?}\n{program}");
        }
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
