//! Tests synchronisation, clusters and asynchronous copies (`fixtures/sync.cu`) under several schedules.

use crate::support;

use events::Dim3;
use simt::{FailureKind, Progress, Schedule, WaitingFor};
use support::Machine;

const PTX: &str = include_str!("fixtures/sync.ptx");

/// Returns a machine for each schedule to test.
fn machines() -> Vec<Machine> {
    let mut machines = Vec::new();
    for schedule in
        [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 1 }, Schedule::Random, Schedule::Random]
    {
        let mut m = Machine::new(PTX);
        m.options.schedule = schedule;
        m.options.seed = 10 + machines.len() as u64;
        machines.push(m);
    }
    machines
}

#[test]
fn named_barriers_hand_over_both_ways() {
    for m in machines() {
        let out = m.upload(&[0; 128]);
        m.finish("named_barriers", 1, 64, args![out]);
        let want = (0..128).map(|i| i / 32 * 100 + 31 - i % 32).collect::<Vec<u32>>();
        assert_eq!(m.words(out, 128), want, "{}", m.options.schedule);
    }
}

#[test]
fn barrier_reductions() {
    for m in machines() {
        let out = m.upload(&[0; 96]);
        m.finish("reductions", 1, 96, args![out]);
        assert_eq!(m.words(out, 96), [3210; 96]);
    }
}

#[test]
fn barriers_do_not_wait_for_exited_threads() {
    for m in machines() {
        let out = m.upload(&[0]);
        m.finish("early_exit", 1, 96, args![out]);
        assert_eq!(m.words(out, 1), [88]);
    }
}

#[test]
fn warp_wide_exchange() {
    let m = Machine::new(PTX);
    let out = m.upload(&[0; 288]);
    m.finish("warp_ops", 1, 32, args![out]);
    let words = m.words(out, 288);
    let row = |n: usize| &words[32 * n..32 * n + 32];
    let each = |f: &dyn Fn(u32) -> u32| (0..32).map(f).collect::<Vec<u32>>();
    assert_eq!(row(0), [0xaaaa_aaaa; 32]);
    assert_eq!(row(1), [3; 32]);
    assert_eq!(row(2), each(&|t| 0xf << (t / 4 * 4)));
    assert_eq!(row(3), [496; 32]);
    assert_eq!(row(4), each(&|t| t ^ 3));
    assert_eq!(row(5), each(&|t| if t % 8 < 2 { t } else { t - 2 }));
    assert_eq!(row(6), each(&|t| t / 4 * 4 + 1));
    assert_eq!(row(7), each(&|t| if t < 16 { 15 } else { 31 }));
    assert_eq!(row(8), [1; 32]);
}

#[test]
fn syncwarp_joins_different_places() {
    for m in machines() {
        let out = m.upload(&[0; 32]);
        m.finish("syncwarp", 1, 32, args![out]);
        assert_eq!(m.words(out, 32), (0..32).map(|t| t ^ 16).collect::<Vec<u32>>());
    }
}

#[test]
fn lanes_that_never_come_are_a_deadlock() {
    for m in machines() {
        let out = m.upload(&[0; 32]);
        let (progress, _) = m.run("lost_lanes", 1, 32, args![out]);
        let Progress::Failed(failure) = progress else { panic!("{progress:?}") };
        let FailureKind::Deadlock { waiting } = &failure.kind else { panic!("{failure:?}") };
        let mut missing: Vec<_> = waiting.iter().map(|w| (w.lanes, w.what)).collect();
        missing.sort_by_key(|m| m.0);
        assert_eq!(missing.len(), 2, "{missing:?}");
        assert_eq!(missing[0], (1 << 16, WaitingFor::Lanes { missing: 1 << 17 }));
        assert_eq!(missing[1], (1 << 17, WaitingFor::Lanes { missing: 1 << 16 }));
        assert!(failure.kind.cuda_error() == 702);
    }
}

#[test]
fn blocks_of_a_cooperative_launch_meet() {
    for mut m in machines() {
        m.cooperative = true;
        let n = 12 * 64;
        let (data, out) = (m.upload(&vec![0; n]), m.upload(&vec![0; n]));
        m.finish("grid_sync", 12, 64, args![data, out]);
        assert_eq!(m.words(out, n), (0..n as u32).map(|i| 2 + n as u32 - 1 - i).collect::<Vec<_>>());
        // The workspace has been unmapped.
        assert!(m.memory.regions().iter().all(|r| r.base < 1 << 48));
    }
}

#[test]
fn blocks_of_a_cluster_share_their_memory() {
    for mut m in machines() {
        m.cluster = Dim3::new(4, 1, 1);
        let out = m.upload(&[0; 32 * 8]);
        assert_eq!(m.module.kernels()[m.module.kernel("clusters").unwrap()].cluster, Some(m.cluster));
        m.finish("clusters", 8, 32, args![out]);
        let words = m.words(out, 32 * 4);
        // Each block read its neighbour's values before any addition, or block 0's word after some additions.
        for (i, w) in words.iter().enumerate() {
            let from = (i as u32 / 32 + 1) % 4;
            if (from, i % 32) != (0, 0) {
                assert_eq!(*w, 1000 * from + i as u32 % 32);
            }
        }
    }
}

#[test]
fn copies_arrive_when_waited_for() {
    for m in machines() {
        let input = m.upload(&(0..512).collect::<Vec<u32>>());
        let out = m.upload(&[0; 512]);
        m.finish("cp_async", 1, 64, args![input, out]);
        let want: Vec<u32> = (0..512).map(|i| i / 256 * 256 + (63 - i % 256 / 4) * 4 + i % 4).collect();
        assert_eq!(m.words(out, 512), want);
    }
}

#[test]
fn copies_that_are_not_waited_for_have_not_arrived() {
    let m = Machine::new(PTX);
    let input = m.upload(&(0..32).collect::<Vec<u32>>());
    let out = m.upload(&[0; 64]);
    m.finish("cp_async_early", 1, 32, args![input, out]);
    let words = m.words(out, 64);
    assert_eq!(words[..32], [u32::MAX; 32]);
    assert_eq!(words[32..], (0..32).collect::<Vec<u32>>());
}

#[test]
fn block_barriers_made_of_mbarriers() {
    for m in machines() {
        let out = m.upload(&[0; 192]);
        m.finish("block_barrier", 1, 64, args![out]);
        assert_eq!(m.words(out, 192), (0..192).map(|i| i / 64 * 1000 + 63 - i % 64).collect::<Vec<u32>>());
    }
}

#[test]
fn bulk_copies_both_ways() {
    for m in machines() {
        let input = m.upload(&(0..256).collect::<Vec<u32>>());
        let out = m.upload(&[0; 256]);
        m.finish("bulk", 1, 64, args![input, out]);
        assert_eq!(m.words(out, 256), (1..=256).collect::<Vec<u32>>());
    }
}

#[test]
fn a_deadlock_names_both_barriers() {
    let m = Machine::new(PTX);
    let out = m.upload(&[0]);
    let (progress, _) = m.run("deadlock", 1, 64, args![out]);
    let Progress::Failed(failure) = progress else { panic!("{progress:?}") };
    let FailureKind::Deadlock { waiting } = failure.kind else { panic!() };
    let what: Vec<_> = waiting.iter().map(|w| w.what).collect();
    let barrier = |id| WaitingFor::Barrier { id, arrived: 32, expected: 64 };
    assert_eq!(what, [barrier(1), barrier(2)]);
    assert!(waiting.iter().all(|w| m.sites.get(w.site.unwrap()).unwrap().text.starts_with("barrier.sync")));
}

#[test]
fn spinning_on_what_only_the_block_can_change_is_a_livelock() {
    for m in machines() {
        let out = m.upload(&[0]);
        let (progress, _) = m.run("shared_spin", 1, 64, args![out]);
        let Progress::Failed(failure) = progress else { panic!("{progress:?}") };
        let FailureKind::Deadlock { waiting } = failure.kind else { panic!() };
        assert!(waiting.iter().all(|w| matches!(w.what, WaitingFor::Spin { address: Some(_) })));
    }
}

#[test]
fn tensor_cores_multiply() {
    let m = Machine::new(PTX);
    let half = |v: u32| [0x0000u32, 0x3c00, 0x4000, 0x4200][v as usize];
    let pack = |f: &dyn Fn(u32) -> u32| {
        (0..128).map(|i| half(f(2 * i)) | half(f(2 * i + 1)) << 16).collect::<Vec<u32>>()
    };
    let (fa, fb) = (|i: u32| (i * 7) % 4, |i: u32| (i * 5 + i / 16) % 4);
    let (a, b, c) = (m.upload(&pack(&fa)), m.upload(&pack(&fb)), m.upload(&[0; 256]));
    m.finish("tensor", 1, 32, args![a, b, c]);
    for (i, got) in m.floats(c, 256).into_iter().enumerate() {
        let (row, col) = (i as u32 / 16, i as u32 % 16);
        let want: u32 = 1 + (0..16).map(|k| fa(row * 16 + k) * fb(col * 16 + k)).sum::<u32>();
        assert_eq!(got, want as f32);
    }
}

#[test]
fn a_seed_repeats_its_run() {
    let run = |seed| {
        let mut m = Machine::new(PTX);
        m.options.schedule = Schedule::Random;
        m.options.seed = seed;
        m.cooperative = true;
        let (data, out) = (m.upload(&[0; 256]), m.upload(&[0; 256]));
        m.finish("grid_sync", 4, 64, args![data, out])
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6), "another seed should spin another number of times");
}

/// Whether an operation other than a fence acquires is known before a kernel runs.
#[test]
fn what_acquires_is_known_beforehand() {
    let acquires = |body: &str| {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n.reg .b32 %r<3>;\n.reg .b64 %d;\n\
             ld.param.u64 %d, [p];\n{body}\nret;\n}}\n"
        );
        let m = Machine::new(&text);
        let uses = m.module.kernels()[m.module.kernel("k").unwrap()].uses;
        assert!(uses.fences_or_strong && !uses.relaxed, "{body}");
        !uses.fences_acquire
    };
    let fence = "fence.acq_rel.gpu;";
    assert!(!acquires(&format!("ld.volatile.global.u32 %r1, [%d];\n{fence}")));
    assert!(!acquires(&format!("atom.global.cas.b32 %r1, [%d], 0, 1;\nst.global.u32 [%d+4], %r1;\n{fence}")));
    assert!(!acquires(&format!("{fence}\nst.release.gpu.global.u32 [%d], 1;")));
    assert!(acquires(&format!("ld.acquire.gpu.global.u32 %r1, [%d];\n{fence}")));
    assert!(acquires("atom.acq_rel.gpu.global.add.u32 %r1, [%d], 1;\nst.global.u32 [%d+4], %r1;"));
}
