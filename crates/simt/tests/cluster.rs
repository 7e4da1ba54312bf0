//! Tests distributed shared memory, remote mbarriers, and several workers (`fixtures/cluster.cu`).

use crate::support;

use events::Dim3;
use simt::Schedule;
use support::Machine;

const PTX: &str = include_str!("fixtures/cluster.ptx");

fn machines(cluster: u32) -> Vec<Machine> {
    [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 2 }, Schedule::Random]
        .into_iter()
        .map(|schedule| {
            let mut m = Machine::new(PTX);
            m.options.schedule = schedule;
            m.cluster = Dim3::new(cluster, 1, 1);
            m
        })
        .collect()
}

#[test]
fn a_multicast_copy_reaches_every_block() {
    for m in machines(4) {
        let input = m.upload(&(0..64).collect::<Vec<u32>>());
        let out = m.upload(&[0; 256]);
        m.finish("multicast", 4, 64, args![input, out]);
        assert_eq!(m.words(out, 256), (0..256).map(|i| i / 64 * 1000 + i % 64).collect::<Vec<u32>>());
    }
}

#[test]
fn remote_stores_complete_on_the_other_mbarrier() {
    for m in machines(2) {
        let out = m.upload(&[0; 64]);
        m.finish("remote_stores", 2, 32, args![out]);
        let want = |i: u32| ((1 - i / 32) * 100 + i % 32) * 1000 + 496;
        assert_eq!(m.words(out, 64), (0..64).map(want).collect::<Vec<u32>>());
    }
}

#[test]
fn remote_arrivals_and_bulk_reductions() {
    for m in machines(2) {
        let out = m.upload(&[100; 32]);
        m.finish("remote_arrive", 2, 32, args![out]);
        assert_eq!(m.words(out, 32), (0..32).map(|t| 100 + 2 * (t + 1)).collect::<Vec<u32>>());
    }
}

#[test]
fn threads_that_arrived_at_a_cluster_barrier_and_left_count_once() {
    for m in machines(2) {
        let out = m.upload(&[0; 2]);
        m.finish("arrive_and_leave", 2, 64, args![out]);
        assert_eq!(m.words(out, 2), [8, 7]);
    }
}

#[test]
fn results_and_counts_do_not_depend_on_the_number_of_workers() {
    let input: Vec<u32> = (0..100_000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let run = |jobs| {
        let mut m = Machine::new(PTX);
        m.options.jobs = jobs;
        let (input, out) = (m.upload(&input), m.upload(&[0; 64]));
        let stats = m.finish("histogram", 200, 128, args![input, out, 100_000u32]);
        (m.words(out, 64), stats)
    };
    let one = run(1);
    assert_eq!(one.0.iter().sum::<u32>(), 100_000);
    for jobs in [2, 3, 8] {
        assert!(run(jobs) == one, "{jobs} workers");
    }
}

#[test]
fn only_blocks_that_cannot_communicate_run_on_several_workers() {
    let m = Machine::new(PTX);
    let uses = |name: &str| m.module.kernels()[m.module.kernel(name).unwrap()].uses;
    let histogram = uses("histogram");
    assert!(histogram.atomics && histogram.barrier_only() && !histogram.blocks_communicate, "{histogram:?}");
    let events = uses("events");
    assert!(events.blocks_communicate && events.fences_or_strong && events.partial_barriers, "{events:?}");
    assert!(uses("multicast").asynchronous && uses("multicast").cluster);
}
