//! Tests threads that wait: for lanes, for mbarrier objects, for memory (`fixtures/waiting.ptx`).

use crate::support;

use events::Dim3;
use simt::{Failure, FailureKind, Progress, Schedule, WaitingFor};
use support::Machine;

const PTX: &str = include_str!("fixtures/waiting.ptx");

fn machines() -> Vec<Machine> {
    [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 1 }, Schedule::Random]
        .into_iter()
        .map(|schedule| {
            let mut m = Machine::new(PTX);
            m.options.schedule = schedule;
            m
        })
        .collect()
}

fn failure(progress: Progress) -> Failure {
    match progress {
        Progress::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lanes_exchange_from_two_places() {
    for m in machines() {
        let out = m.upload(&[0; 32 * 5]);
        m.finish("two_places", 1, 32, args![out]);
        let value = |lane: u32| lane + 100 + 1000 * (lane & 1);
        let ballot =
            (0..32).filter(|l| if l & 1 == 0 { *l < 5 } else { *l >= 5 }).fold(0, |m, l| m | 1u32 << l);
        let sum: u32 = (0..32).map(|l| if l & 1 == 0 { l } else { value(l) }).sum();
        for (lane, got) in m.words(out, 160).chunks(5).enumerate() {
            let lane = lane as u32;
            let want = [value(lane ^ 1), ballot, 0xff << (lane & !7), sum, u32::from(lane == 0)];
            assert_eq!(got, want, "lane {lane}");
        }
    }
}

#[test]
fn two_kinds_of_shuffle_do_not_meet() {
    for m in machines() {
        let FailureKind::Deadlock { waiting } = failure(m.run("two_operations", 1, 32, args![0u64]).0).kind
        else {
            panic!()
        };
        let mut missing: Vec<_> = waiting.iter().map(|w| w.what).collect();
        missing.sort_by_key(|w| matches!(w, WaitingFor::Lanes { missing: 0xffff }));
        let lanes = |missing| WaitingFor::Lanes { missing };
        assert_eq!(missing, [lanes(0xffff_0000), lanes(0xffff)]);
    }
}

#[test]
fn a_lane_outside_of_its_mask_is_named() {
    let m = Machine::new(PTX);
    let flag = m.upload(&[0]);
    let Progress::Stalled(stall) = m.run("foreign_lane", 1, 32, args![flag]).0 else { panic!() };
    let failure = Failure::stuck(stall.waiting);
    assert!(matches!(failure.kind, FailureKind::Membermask { member: 1, .. }), "{failure:?}");
    assert!(m.sites.get(failure.site.unwrap()).unwrap().text.starts_with("shfl.sync"));
}

#[test]
fn lanes_of_one_access_reach_several_ranks() {
    for mut m in machines() {
        m.cluster = Dim3::new(4, 1, 1);
        let out = m.upload(&[0; 128]);
        m.finish("across_ranks", 4, 32, args![out]);
        // Thread t of all four blocks adds the value that block t % 4 stored in word t.
        let want = |i: u32| {
            let (block, t) = (i / 32, i % 32);
            if block == (t + 1) % 4 { 4 * ((t % 4) * 100 + t) } else { 0 }
        };
        assert_eq!(m.words(out, 128), (0..128).map(want).collect::<Vec<u32>>());
    }
}

#[test]
fn an_mbarrier_begun_anew_while_in_use_is_named() {
    for m in machines() {
        let FailureKind::Deadlock { waiting } = failure(m.run("begun_anew", 1, 1, args![0u64]).0).kind else {
            panic!()
        };
        let WaitingFor::Mbarrier { replaced: Some(site), .. } = waiting[0].what else {
            panic!("{waiting:?}")
        };
        assert!(m.sites.get(site).unwrap().text.starts_with("mbarrier.init"));
    }
}

/// An arrival before `mbarrier.init` waits for it in every schedule, so that detectors receive both sides of
/// the race.
#[test]
fn who_comes_before_the_object_waits_for_it() {
    for m in machines() {
        let out = m.upload(&[0]);
        m.finish("late_object", 1, 64, args![out, 0u32]);
        assert_eq!(m.words(out, 1), [1]);
        let failure = failure(m.run("late_object", 1, 64, args![out, 1u32]).0);
        assert!(
            matches!(&failure.kind, FailureKind::IllegalInstruction { why } if why.contains("no mbarrier"))
        );
        assert!(m.sites.get(failure.site.unwrap()).unwrap().text.starts_with("mbarrier.arrive"));
    }
}

/// Eight times the blocks cost about eight times the time, not 64 times. The best of three times counts, since other
/// programs may use the processor.
#[test]
fn waiting_blocks_are_not_looked_at_for_each_that_comes() {
    let mut m = Machine::new(PTX);
    m.options.resident_blocks = Some(1 << 20);
    let time = |blocks: u32| {
        let flag = m.upload(&[0]);
        let begun = std::time::Instant::now();
        m.finish("crowd", blocks, 32, args![flag]);
        begun.elapsed().as_secs_f64()
    };
    let best = |blocks| (0..3).map(|_| time(blocks)).fold(f64::INFINITY, f64::min);
    time(500);
    let (few, many) = (best(1_000), best(8_000));
    assert!(many < 30.0 * few, "{few} s, {many} s");
}

/// Runs on after stalls, as long as the kernel may still end.
fn to_the_end(m: &Machine, kernel: &str, threads: u32, args: &[support::Arg]) -> Progress {
    let size = |x| Dim3::new(x, 1, 1);
    let mut grid = m.grid(kernel, size(1), size(threads), args, std::sync::Arc::new(events::NoMonitor));
    loop {
        match grid.run(1 << 20) {
            Progress::Stalled(stall) if !grid.pass_time() && !stall.may_end => {
                return Progress::Stalled(stall);
            }
            Progress::Stalled(_) | Progress::Running => {}
            over => return over,
        }
    }
}

#[test]
fn a_long_loop_without_stores_does_not_wait() {
    for m in machines() {
        let (out, input) = (m.upload(&[0]), m.upload(&[1; 16]));
        let turns = if m.options.schedule == Schedule::ConvergedFirst { 3_000_000u32 } else { 100_000 };
        assert_eq!(to_the_end(&m, "long_loop", 1, args![out, turns, input]), Progress::Finished);
        let sum = (0..turns).fold(1u32, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        assert_eq!(m.words(out, 1), [sum.wrapping_add(turns)]);
    }
}

#[test]
fn a_loop_that_gives_up_is_run_until_it_does() {
    for m in machines() {
        let (flag, out) = (m.upload(&[0]), m.upload(&[0]));
        assert_eq!(to_the_end(&m, "gives_up", 1, args![flag, 300_000u32, out]), Progress::Finished);
        assert_eq!(m.words(out, 1), [300_000]);
    }
}

#[test]
fn a_count_that_nobody_asks_for_keeps_no_loop_alive() {
    for m in machines() {
        let (flag, out) = (m.upload(&[0]), m.upload(&[0]));
        let Progress::Stalled(stall) = to_the_end(&m, "counts_polls", 32, args![flag, out]) else { panic!() };
        assert!(!stall.may_end);
        assert_eq!(stall.waiting[0].what, WaitingFor::Spin { address: Some(flag) });
    }
}

#[test]
fn a_wait_with_an_eye_on_the_clock_is_a_deadlock_if_days_do_not_help() {
    for m in machines() {
        let out = m.upload(&[0; 2]);
        let end = failure(to_the_end(&m, "backs_off", 32, args![0u64, out]));
        assert!(matches!(end.kind, FailureKind::Deadlock { .. }), "{end:?}");
    }
}

#[test]
fn a_wait_for_so_long_at_most_ends_when_the_time_is_over() {
    for m in machines() {
        let out = m.upload(&[0; 2]);
        let limit = 60_000_000_000u64;
        assert_eq!(to_the_end(&m, "backs_off", 32, args![limit, out]), Progress::Finished);
        let waited = m.words(out, 2);
        let waited = u64::from(waited[0]) | u64::from(waited[1]) << 32;
        assert!(waited > limit && waited < 4 * limit, "{waited} ns");
    }
}

#[test]
fn no_end_in_sight_is_said_after_a_number_of_instructions() {
    for mut m in machines() {
        m.options.max_instructions = 100_000;
        let out = m.upload(&[0]);
        let end = failure(to_the_end(&m, "runs_on", 32, args![out]));
        assert!(
            matches!(&end.kind, FailureKind::NoEnd { instructions: 100_000, waiting } if waiting.len() == 1)
        );
        let stopped = m.words(out, 1)[0];
        let out = m.upload(&[0]);
        failure(to_the_end(&m, "runs_on", 32, args![out]));
        assert_eq!(m.words(out, 1), [stopped], "always at the same place");
    }
}

#[test]
fn who_sleeps_lets_others_run_in_turns() {
    let mut m = Machine::new(PTX);
    m.options.schedule = Schedule::RoundRobin { quantum: 7 };
    let out = m.upload(&[0; 3]);
    m.finish("asleep", 1, 64, args![out]);
    assert_eq!(m.words(out, 3), [100, 0, 100]);
}
