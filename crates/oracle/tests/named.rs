//! Checks that the classic litmus tests get their published verdicts.

use events::Sem;
use oracle::{Race, check, named};

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

/// With `fence.sc` the race of the data is none: were the reader's fence first, its atomic would precede in causality order the
/// exchange that it reads from (PTX §8.10.6). The flag's own race remains. With `fence.acq_rel` both race.
#[test]
fn fence_sc_orders_data_around_a_flag_out_of_scope() {
    let (data, flag) = (Race((0, 0), (1, 2)), Race((0, 2), (1, 0)));
    let races = |sem| check(&named::flag_of_block_scope(sem)).races.into_keys().collect::<Vec<_>>();
    assert_eq!(races(Sem::Sc), [flag]);
    assert_eq!(races(Sem::AcqRel), [data, flag]);
}
