//! A test for each row of the tables, racy and clean twins, and the suite's patterns.

use super::entry::Widths;
use super::{Granularity, Options, Readers, Scord};
use crate::lens::patterns;
use crate::lens::script::{Script, T, strong};
use events::Scope::{Cta, Gpu};
use events::{Class, Finding, Sem, Space, Strength, SyncNote};

const X: u64 = 0x1000;
const L: u64 = 0x2000;
const M: u64 = 0x2004;
const A: T = T(0, 0);
const W: T = T(0, 32);
const B: T = T(1, 0);

fn script() -> Script<Scord> {
    with(Options::default())
}

fn with(options: Options) -> Script<Scord> {
    Script::new(Scord::new(options), 4, 96)
}

fn rules(findings: &[Finding]) -> Vec<&str> {
    let note = |f: &Finding| match f.notes.as_slice() {
        [SyncNote::Rule(rule)] => rule.split(':').next().unwrap().to_owned(),
        other => panic!("{other:?}"),
    };
    let mut rules: Vec<String> = findings.iter().map(note).collect();
    rules.sort();
    rules.into_iter().map(|r| &*r.leak()).collect()
}

// Table III.

#[test]
fn table_iii_a_the_first_access_is_no_race() {
    let mut s = script();
    s.stv(A, X);
    assert_eq!(s.end(), []);
}

#[test]
fn table_iii_b_program_order_is_the_warps() {
    let mut s = script();
    s.st(A, X);
    s.ld(A, X);
    s.st(T(0, 5), X);
    assert_eq!(s.end(), [], "the unit is the warp: lane 5 of the same one does not race");
}

#[test]
fn table_iii_c_a_barrier_orders_a_block() {
    let mut s = script();
    s.st(A, X);
    s.barrier(0);
    s.st(W, X);
    assert_eq!(s.end(), []);
}

#[test]
fn table_iii_c_a_barrier_does_not_order_blocks() {
    let mut s = script();
    s.st(A, X);
    s.barrier(0);
    s.barrier(1);
    s.st(B, X);
    assert_eq!(s.classes(), [Class::InterBlock]);
}

#[test]
fn a_barrier_does_not_order_what_another_block_read() {
    let mut s = script();
    s.ldv(A, X);
    s.ldv(B, X);
    s.barrier(1);
    s.stv(T(1, 32), X);
    assert_eq!(rules(&s.end()), ["ScoRD Table IV (a)"], "DevShared: the barrier is block 1's only");
}

// Table IV.

#[test]
fn table_iv_a_missing_block_fence() {
    for (fence, expected) in [(false, vec!["ScoRD Table IV (a)"]), (true, vec![])] {
        let mut s = script();
        s.stv(A, X);
        if fence {
            s.fence(A, Cta);
        }
        s.ldv(W, X);
        assert_eq!(rules(&s.end()), expected, "fence: {fence}");
    }
}

#[test]
fn table_iv_b_missing_device_fence() {
    for (scope, expected) in [(Cta, vec![Class::FenceScope]), (Gpu, vec![])] {
        let mut s = script();
        s.stv(A, X);
        s.fence(A, scope);
        s.ldv(B, X);
        assert_eq!(s.classes(), expected, "{scope:?}");
    }
    let mut s = script();
    s.stv(A, X);
    s.fence(B, Gpu);
    s.ldv(B, X);
    assert_eq!(rules(&s.end()), ["ScoRD Table IV (b)"], "the fence must be the earlier warp's");
}

#[test]
fn table_iv_c_fences_order_strong_accesses_only() {
    let run = |options| {
        let mut s = with(options);
        s.stv(A, X);
        s.fence(A, Gpu);
        s.ld(B, X);
        rules(&s.end()).len()
    };
    assert_eq!(run(Options::default()), 1);
    assert_eq!(run(Options { strong_accesses: false, ..Options::default() }), 0);
}

#[test]
fn table_iv_d_scoped_atomic() {
    for (first, second, expected) in [
        (Cta, Cta, vec!["ScoRD Table IV (d)"]),
        (Cta, Gpu, vec!["ScoRD Table IV (d)"]),
        (Gpu, Gpu, vec![]),
        // Only the earlier scope is kept: the other order finds it.
        (Gpu, Cta, vec![]),
    ] {
        let mut s = script();
        s.exch(A, X, 1, first);
        s.exch(B, X, 2, second);
        assert_eq!(rules(&s.end()), expected, "{first:?} {second:?}");
    }
    let mut s = script();
    s.exch(A, X, 1, Cta);
    s.fence(A, Gpu);
    s.ldv(B, X);
    assert_eq!(rules(&s.end()), ["ScoRD Table IV (d)"], "a load meets a block-scoped atomic");
}

#[test]
fn table_iv_e_missing_lock_on_load() {
    for (held, expected) in [(false, vec!["ScoRD Table IV (e)"]), (true, vec![])] {
        let mut s = script();
        s.lock(A, L, Gpu);
        s.stv(A, X);
        s.unlock(A, L, Gpu);
        if held {
            s.lock(B, L, Gpu);
        }
        s.ldv(B, X);
        assert_eq!(rules(&s.end()), expected);
    }
}

#[test]
fn table_iv_e_does_not_concern_what_nobody_wrote() {
    let mut s = script();
    s.lock(A, L, Gpu);
    s.ldv(A, X);
    s.unlock(A, L, Gpu);
    s.ldv(B, X);
    assert_eq!(s.end(), []);
}

#[test]
fn table_iv_f_missing_lock_on_store() {
    for (lock, expected) in [(M, vec![Class::LockWrong]), (L, vec![])] {
        let mut s = script();
        s.lock(A, L, Gpu);
        s.ldv(A, X);
        s.unlock(A, L, Gpu);
        s.lock(B, lock, Gpu);
        s.stv(B, X);
        s.unlock(B, lock, Gpu);
        assert_eq!(s.classes(), expected);
    }
}

#[test]
fn block_scoped_locks_of_two_blocks_exclude_nothing() {
    let mut s = script();
    s.lock(A, L, Cta);
    s.stv(A, X);
    s.fence(A, Gpu);
    s.unlock(A, L, Cta);
    s.lock(B, L, Cta);
    s.stv(B, X);
    // The lock variable itself races, too; the fences would have sufficed for the data.
    assert_eq!(s.classes(), [Class::AtomicScope, Class::LockScope]);
}

// The text around the tables.

#[test]
fn readers_after_a_barrier_do_not_race_with_each_other() {
    for readers in [Readers::Separate, Readers::Keep] {
        let mut s = with(Options { readers, ..Options::default() });
        s.st(A, X);
        s.barrier(0);
        s.ld(W, X);
        s.ld(T(0, 64), X);
        assert_eq!(s.end(), [], "{readers:?}");
    }
}

#[test]
fn a_store_after_anothers_load_needs_a_barrier() {
    for (barrier, expected) in [(true, vec![]), (false, vec![Class::MissingBarrier])] {
        let mut s = script();
        s.st(A, X);
        s.barrier(0);
        s.ld(W, X);
        if barrier {
            s.barrier(0);
        }
        s.st(A, X);
        assert_eq!(s.classes(), expected);
    }
}

#[test]
fn shared_memory_is_not_checked() {
    let mut s = script();
    let shared = Space::Shared(events::BlockId(0));
    s.write_in(A, shared, X, 1, Strength::Weak);
    s.write_in(W, shared, X, 1, Strength::Weak);
    assert_eq!(s.end(), []);
}

#[test]
fn a_release_and_an_acquire_count_as_fences() {
    let (release, acquire) = (strong(Sem::Release, Gpu), strong(Sem::Acquire, Gpu));
    let run = |acquire_release| {
        let mut s = with(Options { acquire_release, ..Options::default() });
        s.stv(A, X);
        s.write_in(A, Space::Global, L, 1, release);
        s.read_in(B, Space::Global, L, acquire);
        s.ldv(B, X);
        s.end().len()
    };
    assert_eq!((run(true), run(false)), (0, 2), "without: the flag and the data");
}

#[test]
fn locks_of_acquire_and_release_forms_are_inferred() {
    for (lock, expected) in [(L, vec![]), (M, vec![Class::LockWrong])] {
        let mut s = script();
        s.cas_acquire(A, L, Gpu);
        s.stv(A, X);
        s.exch_release(A, L, 0, Gpu);
        s.cas_acquire(B, lock, Gpu);
        s.stv(B, X);
        s.exch_release(B, lock, 0, Gpu);
        assert_eq!(s.classes(), expected);
    }
}

#[test]
fn lanes_of_one_instruction_race_by_the_extension_only() {
    let run = |same_instruction| {
        let mut s = with(Options { same_instruction, ..Options::default() });
        s.st_warp(A, 0b11, |_| X);
        s.classes()
    };
    assert_eq!(run(true), [Class::SameInstruction]);
    assert_eq!(run(false), []);
}

#[test]
fn published_fence_counters_wrap_into_a_false_race() {
    let run = |widths| {
        let mut s = with(Options { widths, ..Options::default() });
        s.stv(A, X);
        for _ in 0..64 {
            s.fence(A, Gpu);
        }
        s.ldv(B, X);
        s.end().len()
    };
    assert_eq!((run(Widths::PUBLISHED), run(Widths::WIDE)), (1, 0), "§IV-A names this false race");
}

#[test]
fn coarser_granules_report_neighbours() {
    let run = |granularity| {
        let mut s = with(Options { granularity, ..Options::default() });
        s.stv(A, X);
        s.stv(B, X + 4);
        s.stv(A, X + 32);
        s.stv(B, X + 40);
        s.end().iter().map(|f| f.count).sum::<u64>()
    };
    assert_eq!([Granularity::Bytes4, Granularity::Bytes8, Granularity::Bytes16].map(run), [0, 1, 2]);
}

#[test]
fn the_metadata_cache_forgets_an_aliased_granule() {
    let run = |cached, between| {
        let mut s = with(Options { cached, ..Options::default() });
        s.stv(A, X);
        if between {
            s.stv(A, X + 4);
        }
        s.stv(B, X);
        s.end().len()
    };
    assert_eq!((run(true, false), run(true, true), run(false, true)), (1, 0, 1));
}

#[test]
fn both_sides_of_a_finding_are_named() {
    let mut s = script();
    s.stv(A, X);
    s.ldv(B, X);
    let findings = s.end();
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(finding.lens, "scord");
    assert_ne!(finding.sides[0].site, finding.sides[1].site);
    let block = |i: usize| match finding.sides[i].who {
        events::finding::Actor::Thread { block, .. } => block.0,
        other => panic!("{other:?}"),
    };
    assert_eq!((block(0), block(1), finding.sides[0].address), (0, 1, X));
}

#[test]
fn freed_memory_starts_afresh() {
    use crate::lens::serial::Lens;
    let mut s = script();
    s.stv(A, X);
    s.lens.forget(X, 4);
    s.stv(B, X);
    assert_eq!(s.end(), []);
}

#[test]
fn scor_patterns_score_18_of_18_and_0_of_14() {
    assert_eq!(patterns::disagreements(|| Scord::new(Options::default())), [""; 0]);
    assert_eq!(patterns::disagreements(|| Scord::new(Options::published())), [""; 0]);
}
