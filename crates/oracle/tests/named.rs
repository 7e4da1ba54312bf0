//! Checks that the classic litmus tests get their published verdicts.

use oracle::{check, named};

#[test]
fn classic_litmus_tests() {
    for test in named::all() {
        let verdict = check(&test.program);
        assert!(verdict.consistent_executions > 0, "{}: no execution is consistent", test.name);
        assert_eq!(!verdict.races.is_empty(), test.racy, "{}: {:?}\n{}", test.name, verdict, test.program);
    }
}

#[test]
fn random_programs_have_executions() {
    for seed in 0..200 {
        let program = oracle::random::program(seed, 8);
        assert!(check(&program).consistent_executions > 0, "seed {seed}:\n{program}");
    }
}
