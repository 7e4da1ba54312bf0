//! A test for each row of the tables, racy and clean twins, and the suite's patterns.
//!
//! **Size:** a list of short tests, one for each row of the paper's tables.

use super::{Granularity, Mapping, Options, Readers, Releases, Scord, Widths};
use crate::lens::patterns;
use crate::lens::script::{Script, T, strong};
use events::Scope::{Cta, Gpu};
use events::{AtomicOp, Class, Finding, Scope, Sem, Space, Strength, SyncNote};

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
    s.write(A, X);
    s.read(A, X);
    s.write(T(0, 5), X);
    assert_eq!(s.end(), [], "the unit is the warp: lane 5 of the same one does not race");
}

#[test]
fn table_iii_c_a_barrier_orders_a_block() {
    let mut s = script();
    s.write(A, X);
    s.barrier(0);
    s.write(W, X);
    assert_eq!(s.end(), []);
}

#[test]
fn table_iii_c_a_barrier_does_not_order_blocks() {
    let mut s = script();
    s.write(A, X);
    s.barrier(0);
    s.barrier(1);
    s.write(B, X);
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
            s.membar(A, Cta);
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
        s.membar(A, scope);
        s.ldv(B, X);
        assert_eq!(s.classes(), expected, "{scope:?}");
    }
    let mut s = script();
    s.stv(A, X);
    s.membar(B, Gpu);
    s.ldv(B, X);
    assert_eq!(rules(&s.end()), ["ScoRD Table IV (b)"], "the fence must be the earlier warp's");
}

#[test]
fn table_iv_c_fences_order_strong_accesses_only() {
    let run = |options| {
        let mut s = with(options);
        s.stv(A, X);
        s.membar(A, Gpu);
        s.read(B, X);
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
    s.membar(A, Gpu);
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
    s.membar(A, Gpu);
    s.unlock(A, L, Cta);
    s.lock(B, L, Cta);
    s.stv(B, X);
    // The lock variable itself races, too; the fences would have sufficed for the data.
    assert_eq!(s.classes(), [Class::AtomicScope, Class::LockScope]);
}

// The text around the tables.

#[test]
fn readers_after_a_barrier_do_not_race_with_each_other() {
    for (readers, expected) in [(Readers::Separate, 0), (Readers::Keep, 0), (Readers::Replace, 1)] {
        let mut s = with(Options { readers, ..Options::default() });
        s.write(A, X);
        s.barrier(0);
        s.read(W, X);
        s.read(T(0, 64), X);
        assert_eq!(s.end().len(), expected, "{readers:?}: by the letter the second reader meets the first");
    }
}

#[test]
fn a_store_after_anothers_load_needs_a_barrier() {
    for (barrier, expected) in [(true, vec![]), (false, vec![Class::MissingBarrier])] {
        let mut s = script();
        s.write(A, X);
        s.barrier(0);
        s.read(W, X);
        if barrier {
            s.barrier(0);
        }
        s.write(A, X);
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

// §VI: acquire and release.

type S = Script<Scord>;

fn release(s: &mut S, t: T, address: u64, scope: Scope) {
    s.write_in(t, Space::Global, address, 1, strong(Sem::Release, scope));
}

fn acquire(s: &mut S, t: T, address: u64, scope: Scope) {
    s.read_in(t, Space::Global, address, strong(Sem::Acquire, scope));
}

const BOTH: [Releases; 2] = [Releases::File, Releases::Transitive];

/// Rows found under a reading of releases.
fn under(releases: Releases, run: impl Fn(&mut S)) -> usize {
    let mut s = with(Options { releases, ..Options::default() });
    run(&mut s);
    s.end().len()
}

#[test]
fn an_acquire_of_what_was_released_orders() {
    let message = |s: &mut S| {
        s.write(A, X);
        release(s, A, L, Gpu);
        acquire(s, B, L, Gpu);
        s.read(B, X);
    };
    for releases in BOTH {
        assert_eq!(under(releases, message), 0, "{releases:?}: weak accesses, too");
    }
    let published = {
        let mut s = with(Options::published());
        message(&mut s);
        s.end()
    };
    assert_eq!(published, [], "`scord:published` knows §VI");
    assert_ne!(under(Releases::Ignored, message), 0);
}

#[test]
fn an_unrelated_release_orders_nothing() {
    let run = |s: &mut S| {
        s.stv(A, X);
        release(s, A, M, Gpu);
        s.ldv(B, X);
    };
    for releases in BOTH {
        assert_eq!(under(releases, run), 1, "{releases:?}");
    }
    assert_eq!(under(Releases::Fences, run), 0, "as a fence it would: nobody asks who acquired");
}

#[test]
fn an_access_after_the_release_is_not_ordered_by_it() {
    for releases in BOTH {
        let found = under(releases, |s| {
            release(s, A, L, Gpu);
            s.stv(A, X);
            acquire(s, B, L, Gpu);
            s.ldv(B, X);
        });
        assert_eq!(found, 1, "{releases:?}");
    }
}

#[test]
fn a_release_of_block_scope_reaches_its_block_only() {
    for releases in BOTH {
        for (reader, expected) in [(W, 0), (B, 1)] {
            let found = under(releases, |s| {
                s.stv(A, X);
                s.atom_warp(A, 1, AtomicOp::Exch, (1, 0), Sem::Release, Cta, |_| L);
                s.read_in(reader, Space::Global, L, strong(Sem::Acquire, Gpu));
                s.ldv(reader, X);
            });
            // In another block the flag itself is a scoped race, too.
            assert_eq!(found, expected * 2, "{releases:?} {reader:?}");
        }
    }
}

#[test]
fn synchronisation_composes_unless_the_letter_is_asked_for() {
    let chain = |s: &mut S| {
        s.stv(A, X);
        release(s, A, L, Gpu);
        acquire(s, B, L, Gpu);
        release(s, B, M, Gpu);
        acquire(s, T(2, 0), M, Gpu);
        s.ldv(T(2, 0), X);
    };
    assert_eq!(under(Releases::Transitive, chain), 0);
    assert_eq!(under(Releases::File, chain), 1, "§VI sends the releaser's name only");
}

#[test]
fn barriers_hand_on_what_was_acquired_and_what_is_released() {
    let run = |s: &mut S| {
        s.stv(W, X);
        s.barrier(0);
        release(s, A, L, Gpu);
        acquire(s, B, L, Gpu);
        s.barrier(1);
        s.ldv(T(1, 32), X);
    };
    assert_eq!(under(Releases::Transitive, run), 0);
    let late = |s: &mut S| {
        s.barrier(0);
        s.stv(W, X);
        release(s, A, L, Gpu);
        acquire(s, B, L, Gpu);
        s.ldv(B, X);
    };
    assert_eq!(under(Releases::Transitive, late), 1, "no barrier between W's store and A's release");
}

#[test]
fn a_read_and_a_fence_acquire() {
    let run = |s: &mut S| {
        s.stv(A, X);
        release(s, A, L, Gpu);
        s.read_in(B, Space::Global, L, strong(Sem::Relaxed, Gpu));
        s.membar(B, Gpu);
        s.ldv(B, X);
    };
    assert_eq!(under(Releases::Transitive, run), 0);
}

#[test]
fn a_read_modify_write_hands_a_release_on_and_a_store_does_not() {
    for (handed, expected) in [(true, 0), (false, 1)] {
        let found = under(Releases::Transitive, |s| {
            s.stv(A, X);
            release(s, A, L, Gpu);
            if handed {
                s.add(W, L, 1, Gpu);
            } else {
                s.write_in(W, Space::Global, L, 2, strong(Sem::Relaxed, Gpu));
            }
            acquire(s, B, L, Gpu);
            s.ldv(B, X);
        });
        assert_eq!(found, expected, "handed on: {handed}");
    }
}

#[test]
fn a_load_with_a_scope_is_no_store() {
    let mut s = script();
    s.read_in(A, Space::Global, X, strong(Sem::Relaxed, Gpu));
    s.read(B, X);
    assert_eq!(s.end(), [], "nobody writes");
}

// §VI: independent thread scheduling.

#[test]
fn threads_of_a_warp_that_has_diverged_are_told_apart() {
    let run = |divergence, reconverges: bool| {
        let mut s = with(Options { divergence, ..Options::default() });
        s.stv(A, X);
        if reconverges {
            s.write_warp(A, u32::MAX, |lane| X + 0x100 + 4 * u64::from(lane));
            s.read_warp(A, u32::MAX, |_| X);
        } else {
            s.ldv(T(0, 5), X);
        }
        s.classes()
    };
    assert_eq!(run(true, false), [Class::DivergentWarp]);
    assert_eq!(run(false, false), [], "the unit is the warp");
    assert_eq!(run(true, true), [], "hasDiverged is clear again");
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
        s.write_warp(A, 0b11, |_| X);
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
            s.membar(A, Gpu);
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
    const MEMORY: u64 = 1 << 20;
    let run = |cached, mapping, between: Option<u64>| {
        let mut s = with(Options { cached, mapping, memory: MEMORY, ..Options::default() });
        s.stv(A, X);
        if let Some(distance) = between {
            s.stv(A, X + distance);
        }
        s.stv(B, X);
        s.end().len()
    };
    for (mapping, near, far) in [(Mapping::Neighbours, 0, 1), (Mapping::Modulo, 1, 0)] {
        assert_eq!(run(true, mapping, None), 1, "{mapping:?}");
        assert_eq!(run(true, mapping, Some(4)), near, "{mapping:?}: the next word");
        assert_eq!(run(true, mapping, Some(MEMORY / 16)), far, "{mapping:?}: a sixteenth of memory on");
        assert_eq!(run(false, mapping, Some(4)) + run(false, mapping, Some(MEMORY / 16)), 2);
    }
}

#[test]
fn freed_memory_starts_afresh_in_the_cache_too() {
    use crate::lens::serial::Lens;
    for mapping in [Mapping::Neighbours, Mapping::Modulo] {
        let mut s = with(Options { cached: true, mapping, memory: 1 << 16, ..Options::default() });
        let last = (1 << 12) - 4;
        s.stv(A, last);
        s.stv(A, 2 * last);
        s.ear.lens.forget(last, last + 4);
        s.stv(B, last);
        s.stv(B, 2 * last);
        assert_eq!(s.end(), [], "{mapping:?}: the range wraps round the cache's end");
    }
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
    s.ear.lens.forget(X, 4);
    s.stv(B, X);
    assert_eq!(s.end(), []);
}

#[test]
fn scor_patterns_score_18_of_18_and_0_of_14() {
    assert_eq!(patterns::disagreements(|| Scord::new(Options::default())), [""; 0]);
    assert_eq!(patterns::disagreements(|| Scord::new(Options::published())), [""; 0]);
}
