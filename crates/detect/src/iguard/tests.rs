//! A test for each row of Table 2, racy and clean twins, and the suite's patterns.

use super::Widths;
use super::{Iguard, Options, Shared};
use crate::lens::patterns;
use crate::lens::script::{Script, T, strong};
use events::Scope::{Cta, Gpu};
use events::{AtomicOp, Class, Finding, Sem, Space, SyncNote};

const X: u64 = 0x1000;
const L: u64 = 0x2000;
const M: u64 = 0x2004;
const A: T = T(0, 0);
/// Another lane of A's warp, another warp of its block, another block.
const A1: T = T(0, 1);
const W: T = T(0, 32);
const B: T = T(1, 0);

fn script() -> Script<Iguard> {
    Script::new(Iguard::new(Options::default()), 4, 96)
}

/// The abbreviations of Table 4.
fn kinds(findings: &[Finding]) -> Vec<String> {
    let kind = |f: &Finding| match f.notes.as_slice() {
        [SyncNote::Rule(rule)] => rule.split(['(', ')']).nth(1).unwrap().to_owned(),
        other => panic!("{other:?}"),
    };
    let mut kinds: Vec<String> = findings.iter().map(kind).collect();
    kinds.sort();
    kinds
}

// P1 to P6.

#[test]
fn p1_the_first_access_is_no_race() {
    let mut s = script();
    s.write(A, X);
    s.read(B, X + 4);
    assert_eq!(s.end(), []);
}

#[test]
fn p2_loads_alone_are_no_race() {
    let mut s = script();
    s.read(A, X);
    s.read(W, X);
    s.read(B, X);
    assert_eq!(s.end(), []);
}

#[test]
fn p3_program_order_is_the_threads() {
    let mut s = script();
    s.write(A, X);
    s.read(A, X);
    s.write(A, X);
    assert_eq!(s.end(), []);
}

#[test]
fn p4_a_warp_barrier_orders_lanes_and_r2_misses_it() {
    for (sync, expected) in [(true, vec![]), (false, vec!["ITS"])] {
        let mut s = script();
        s.write(A, X);
        if sync {
            s.syncwarp(A, u32::MAX);
        }
        s.read(A1, X);
        assert_eq!(kinds(&s.end()), expected);
    }
}

#[test]
fn p4_lanes_that_execute_together_are_in_lockstep() {
    let mut s = script();
    s.write_warp(A, 0b11, |lane| X + 4 * u64::from(lane));
    s.read_warp(A, 0b11, |lane| X + 4 * u64::from(1 ^ lane));
    assert_eq!(s.end(), [], "the reader's mask holds the writer");
    let mut s = script();
    s.write_warp(A, 0b01, |_| X);
    s.read_warp(A, 0b10, |_| X);
    assert_eq!(s.classes(), [Class::DivergentWarp]);
}

#[test]
fn p5_a_block_barrier_orders_a_block() {
    for (thread, barrier, expected) in [(W, true, vec![]), (W, false, vec!["BR"]), (B, true, vec!["DR"])] {
        let mut s = script();
        s.write(A, X);
        if barrier {
            s.barrier(0);
            s.barrier(1);
        }
        s.read(thread, X);
        assert_eq!(kinds(&s.end()), expected);
    }
}

#[test]
fn p6_atomics_of_enough_scope_and_r1_without() {
    for (other, scope, expected) in
        [(B, Gpu, vec![]), (B, Cta, vec!["AS"]), (W, Cta, vec![]), (W, Gpu, vec![])]
    {
        let mut s = script();
        s.add(A, X, 1, scope);
        s.add(other, X, 1, scope);
        assert_eq!(kinds(&s.end()), expected, "{other:?} {scope:?}");
    }
}

// R1 to R5; R1 and R2 are above.

#[test]
fn r1_concerns_loads_too() {
    let mut s = script();
    s.add(A, X, 1, Cta);
    s.membar(A, Gpu);
    s.ldv(B, X);
    assert_eq!(kinds(&s.end()), ["AS"]);
}

#[test]
fn r2_a_fence_of_the_earlier_lane_is_enough() {
    let mut s = script();
    s.write(A, X);
    s.membar(A, Cta);
    s.read(A1, X);
    assert_eq!(s.end(), []);
    let mut s = script();
    s.write(A, X);
    s.membar(A1, Cta);
    s.read(A1, X);
    assert_eq!(kinds(&s.end()), ["ITS"], "fences are the thread's, not the warp's");
}

#[test]
fn r3_intra_block() {
    for (fence, expected) in [(false, vec![Class::MissingBarrier]), (true, vec![])] {
        let mut s = script();
        s.write(A, X);
        if fence {
            s.membar(A, Cta);
        }
        s.write(W, X);
        assert_eq!(s.classes(), expected);
    }
}

#[test]
fn r4_inter_block() {
    for (scope, expected) in
        [(None, vec![Class::InterBlock]), (Some(Cta), vec![Class::FenceScope]), (Some(Gpu), vec![])]
    {
        let mut s = script();
        s.write(A, X);
        if let Some(scope) = scope {
            s.membar(A, scope);
        }
        s.write(B, X);
        assert_eq!(s.classes(), expected, "{scope:?}");
    }
}

#[test]
fn r5_missing_lock() {
    for (lock, expected) in
        [(None, vec![Class::LockMissing]), (Some(M), vec![Class::LockWrong]), (Some(L), vec![])]
    {
        let mut s = script();
        s.lock(A, L, Gpu);
        s.stv(A, X);
        s.unlock(A, L, Gpu);
        if let Some(lock) = lock {
            s.lock(B, lock, Gpu);
        }
        s.stv(B, X);
        assert_eq!(s.classes(), expected, "{lock:?}");
    }
}

/// Fig. 9: lanes lock different locks and write one word.
#[test]
fn threads_that_lock_for_themselves_are_recognised() {
    let run = |lanes: u32, locks: [u64; 2]| {
        let mut s = script();
        let lock = move |lane: u32| locks[lane as usize % 2];
        if lanes == 0b11 {
            s.atom_warp(A, lanes, AtomicOp::Cas, (0, 1), Sem::Relaxed, Gpu, lock);
            s.membar_warp(A, lanes, Gpu);
        } else {
            s.lock(A, locks[0], Gpu);
            s.lock(A1, locks[1], Gpu);
        }
        // The critical sections diverge, so that lockstep does not excuse them.
        s.stv(A, X);
        s.membar(A, Gpu);
        s.stv(A1, X);
        kinds(&s.end())
    };
    assert_eq!(run(0b11, [L, M]), ["IL"], "locks of their own");
    assert_eq!(run(0b01, [L, M]), [""; 0], "one at a time: taken for the warp's locks");
}

#[test]
fn a_locks_protocol_is_the_launchs() {
    use crate::lens::serial::Lens;
    let mut s = script();
    s.atom_warp(A, 0b11, AtomicOp::Cas, (0, 1), Sem::Relaxed, Gpu, |lane| L + 4 * u64::from(lane));
    assert!(s.ear.lens.launches.all().all(|l| l.counters.held(0) == 0));
    s.ear.lens.finish(crate::lens::script::TASK);
    assert_eq!(s.ear.lens.launches.all().count(), 0);
}

// Around the table.

#[test]
fn readers_between_barriers_do_not_disturb_the_next_writer() {
    let mut s = script();
    s.read(W, X);
    s.barrier(0);
    s.read(A, X);
    s.write(A, X);
    assert_eq!(s.end(), [], "the barrier ordered W's load");
}

#[test]
fn an_unsynchronised_reader_is_remembered_behind_ones_own_load() {
    let mut s = script();
    s.read(W, X);
    s.read(A, X);
    s.write(A, X);
    assert_eq!(kinds(&s.end()), ["BR"]);
}

#[test]
fn writer_and_reader_are_kept_apart() {
    let mut s = script();
    s.write(A, X);
    s.read(A, X);
    s.membar(A, Cta);
    // The writer's counters, not the reader's, decide for a load.
    s.read(W, X);
    assert_eq!(s.end(), []);
    let mut s = script();
    s.write(A, X);
    s.barrier(0);
    s.read(W, X);
    s.write(A, X);
    assert_eq!(kinds(&s.end()), ["BR"], "the last accessor decides for a store");
}

#[test]
fn a_grids_synchronisation_is_safe_for_the_threads_that_fenced() {
    let run = |writer: T| {
        let mut s = script();
        s.write(writer, X);
        s.barrier(0);
        s.membar(A, Gpu);
        s.add(A, L, 1, Gpu);
        s.add(B, L, 0, Gpu);
        s.barrier(1);
        s.read(B, X);
        kinds(&s.end())
    };
    assert_eq!(run(A), [""; 0]);
    assert_eq!(run(W), ["DR"], "§7.1, Fig. 10");
}

#[test]
fn a_release_and_an_acquire_count_as_fences() {
    let mut s = script();
    s.write(A, X);
    s.write_in(A, Space::Global, L, 1, strong(Sem::Release, Gpu));
    s.read_in(B, Space::Global, L, strong(Sem::Acquire, Gpu));
    s.read(B, X);
    assert_eq!(s.end(), []);
}

#[test]
fn a_published_barrier_counter_wraps_after_256() {
    let run = |widths| {
        let mut s = Script::new(Iguard::new(Options { widths, ..Options::default() }), 4, 96);
        s.write(A, X);
        for _ in 0..256 {
            s.barrier(0);
        }
        s.read(W, X);
        s.end().len()
    };
    assert_eq!((run(Widths::PUBLISHED), run(Widths::WIDE)), (1, 0), "§6.7 names this error");
}

/// The letter of §6.2 and of Table 2: the flags stay, and program order asks for them.
#[test]
fn by_the_letter_shared_flags_are_never_cleared() {
    let run = |shared| {
        let mut s = Script::new(Iguard::new(Options { shared, ..Options::default() }), 4, 96);
        s.write(A, X);
        s.barrier(0);
        s.read(W, X);
        s.barrier(0);
        s.write(W, X);
        s.read(W, X);
        kinds(&s.end())
    };
    assert_eq!(run(Shared::SinceStore), [""; 0]);
    assert_eq!(run(Shared::Ever), ["BR"], "W's load after its own store, as others have read before");
}

#[test]
fn a_load_with_a_scope_is_no_store() {
    let (relaxed, global) = (strong(Sem::Relaxed, Gpu), Space::Global);
    let mut s = script();
    s.read_in(A, global, X, relaxed);
    s.read(B, X);
    assert_eq!(s.end(), [], "nobody writes");
    let mut s = script();
    s.read_in(A, global, X, relaxed);
    s.write_in(B, global, X, 1, relaxed);
    s.read_in(A, global, X, relaxed);
    assert_eq!(s.end(), [], "atomics of sufficient scope");
}

#[test]
fn scor_patterns_score_18_of_18_and_0_of_14() {
    assert_eq!(patterns::disagreements(|| Iguard::new(Options::default())), [""; 0]);
    // Its third block stores what it has loaded, which other blocks have accessed before: by the
    // letter no program order.
    let letter = ["chain of messages through two blocks"];
    assert_eq!(patterns::disagreements(|| Iguard::new(Options::published())), letter);
    let flags = Options { shared: Shared::SinceStore, ..Options::published() };
    assert_eq!(patterns::disagreements(|| Iguard::new(flags)), [""; 0]);
}
