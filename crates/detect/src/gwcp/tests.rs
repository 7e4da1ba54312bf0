//! The paper's figures, a test for each rule, idioms of locks, and the suite's patterns.

use super::build;
use crate::lens::patterns;
use crate::lens::script::{Script, T, strong};
use crate::lens::serial::Lens;
use events::Scope::{self, Cta, Gpu};
use events::{Class, Evidence, Finding, Sem, Space};
use names::lens::ClockOptions;

const X: u64 = 0x1000;
const Y: u64 = 0x1100;
const L: u64 = 0x2000;
const M: u64 = 0x2100;
const F: u64 = 0x3000;
const A: T = T(0, 0);
/// Another warp of A's block, another block, its other warp.
const W: T = T(0, 32);
const B: T = T(1, 0);
const BW: T = T(1, 32);

type S = Script<Box<dyn Lens>>;

fn script() -> S {
    Script::new(build(ClockOptions::default()), 4, 96)
}

/// How a lens judges a script: `None` if clean, else whether all findings are predictions.
fn verdict(findings: &[Finding]) -> Option<Evidence> {
    let first = findings.first()?;
    assert!(findings.iter().all(|f| f.evidence == first.evidence), "{findings:?}");
    Some(first.evidence.clone())
}

fn both(run: impl Fn(&mut S)) -> (Option<Evidence>, Option<Evidence>) {
    let mut predictive = script();
    run(&mut predictive);
    let mut plain = Script::new(crate::hb::build(ClockOptions::default()), 4, 96);
    run(&mut plain);
    (verdict(&predictive.end()), verdict(&plain.end()))
}

const OBSERVED: Option<Evidence> = Some(Evidence::Observed);
const PREDICTED: Option<Evidence> = Some(Evidence::Predicted);

/// A section in which `t` stores to `place`.
fn section(s: &mut S, t: T, lock: u64, scope: Scope, place: u64) {
    s.lock(t, lock, scope);
    s.stv(t, place);
    s.unlock(t, lock, scope);
}

/// Fig. 3: an access before one section, one inside the next.
#[test]
fn figure_3_happens_before_hides_a_race() {
    let run = |s: &mut S| {
        s.stv(A, X);
        section(s, A, L, Gpu, Y);
        s.lock(B, L, Gpu);
        s.stv(B, X);
        s.unlock(B, L, Gpu);
    };
    assert_eq!(both(run), (PREDICTED, None));
}

/// Fig. 4: both accesses unprotected, sections that have nothing to do with each other between.
#[test]
fn figure_4_unprotected_accesses_around_sections() {
    let run = |s: &mut S| {
        s.stv(A, X);
        section(s, A, L, Gpu, Y);
        section(s, B, L, Gpu, Y + 4);
        s.stv(B, X);
    };
    assert_eq!(both(run), (PREDICTED, None));
}

/// Fig. 5: sections that conflict, but whose scopes do not overlap, order nothing.
#[test]
fn figure_5_sections_of_insufficient_scope() {
    let run = |s: &mut S| {
        s.stv(A, X);
        section(s, A, L, Gpu, Y);
        section(s, W, L, Gpu, Y);
        s.lock(W, M, Cta);
        s.ldv(W, F);
        s.unlock(W, M, Cta);
        s.lock(B, M, Cta);
        s.ldv(B, F);
        s.unlock(B, M, Cta);
        s.stv(B, X);
    };
    let mut s = script();
    run(&mut s);
    let classes = s.classes();
    assert!(classes.contains(&Class::InterBlock), "{classes:?}");
}

#[test]
fn rule_i_conflicting_sections_are_ordered() {
    let run = |s: &mut S| {
        s.stv(A, X);
        section(s, A, L, Gpu, Y);
        s.lock(B, L, Gpu);
        s.ldv(B, Y);
        s.stv(B, X);
        s.unlock(B, L, Gpu);
    };
    assert_eq!(both(run), (None, None));
    // Before its conflicting access the second section is not ordered yet.
    let run = |s: &mut S| {
        s.stv(A, X);
        section(s, A, L, Gpu, Y);
        s.lock(B, L, Gpu);
        s.stv(B, X);
        s.ldv(B, Y);
        s.unlock(B, L, Gpu);
    };
    assert_eq!(both(run), (PREDICTED, None));
}

#[test]
fn rule_i_reads_do_not_conflict_with_reads() {
    let run = |s: &mut S| {
        s.stv(A, X);
        for t in [A, B] {
            s.lock(t, L, Gpu);
            s.ldv(t, Y);
            s.unlock(t, L, Gpu);
        }
        s.stv(B, X);
    };
    assert_eq!(both(run), (PREDICTED, None));
}

#[test]
fn rule_ii_sections_with_ordered_events_are_ordered_whole() {
    // The events in L's sections are ordered by M's; only then is what A did at the end of its
    // section of L before what B does behind its own.
    let run = |ordered: bool| {
        move |s: &mut S| {
            s.lock(A, L, Gpu);
            section(s, A, M, Gpu, Y);
            s.stv(A, X);
            s.unlock(A, L, Gpu);
            s.lock(B, L, Gpu);
            section(s, B, M, Gpu, if ordered { Y } else { Y + 4 });
            s.unlock(B, L, Gpu);
            s.stv(B, X);
        }
    };
    assert_eq!(both(run(true)), (None, None));
    assert_eq!(both(run(false)), (PREDICTED, None));
}

#[test]
fn rule_iii_barriers_order_all() {
    let run = |s: &mut S| {
        s.stv(A, X);
        s.barrier(0);
        s.stv(W, X);
    };
    assert_eq!(both(run), (None, None));
    // A barrier passes on what must come first, not what merely did.
    let run = |s: &mut S| {
        s.stv(B, X);
        section(s, B, L, Gpu, Y);
        section(s, A, L, Gpu, Y + 4);
        s.barrier(0);
        s.stv(W, X);
    };
    assert_eq!(both(run), (PREDICTED, None));
}

#[test]
fn rule_iv_composes_with_happens_before() {
    // B's section conflicts with A's; W learns of it through a lock without any conflict.
    let run = |s: &mut S| {
        s.stv(A, X);
        section(s, A, L, Gpu, Y);
        section(s, B, L, Gpu, Y);
        section(s, B, M, Gpu, F);
        section(s, W, M, Gpu, F + 4);
        s.stv(W, X);
    };
    assert_eq!(both(run), (None, None));
}

#[test]
fn unordered_accesses_are_observed_not_predicted() {
    let run = |s: &mut S| {
        s.stv(A, X);
        s.stv(B, X);
    };
    assert_eq!(both(run), (OBSERVED, OBSERVED));
}

#[test]
fn messages_are_not_reordered() {
    let run = |s: &mut S| {
        s.stv(A, X);
        s.membar(A, Gpu);
        s.exch(A, F, 1, Gpu);
        s.add(B, F, 0, Gpu);
        s.membar(B, Gpu);
        s.ldv(B, X);
    };
    assert_eq!(both(run), (None, None));
    // Not even if the receiver takes the flag as one would take a lock.
    let run = |s: &mut S| {
        s.stv(A, X);
        s.membar(A, Gpu);
        s.exch(A, F, 0, Gpu);
        s.lock(B, F, Gpu);
        s.ldv(B, X);
    };
    assert_eq!(both(run), (None, None));
}

#[test]
fn a_lock_left_with_another_value_is_a_message() {
    let run = |free: u64| {
        move |s: &mut S| {
            s.stv(A, X);
            s.lock(A, L, Gpu);
            s.membar(A, Gpu);
            s.exch(A, L, free, Gpu);
            s.add(B, L, 0, Gpu);
            s.membar(B, Gpu);
            s.ldv(B, X);
        }
    };
    assert_eq!(both(run(2)), (None, None));
    assert_eq!(both(run(0)), (PREDICTED, None));
}

#[test]
fn acquire_and_release_forms_are_locks() {
    let section = |s: &mut S, t: T, place: u64| {
        s.cas_acquire(t, L, Gpu);
        s.stv(t, place);
        s.write_in(t, Space::Global, L, 0, strong(Sem::Release, Gpu));
    };
    let run = |second: u64| {
        move |s: &mut S| {
            s.stv(A, X);
            section(s, A, Y);
            section(s, B, second);
            s.stv(B, X);
        }
    };
    assert_eq!(both(run(Y)), (None, None));
    assert_eq!(both(run(Y + 4)), (PREDICTED, None));
}

#[test]
fn test_and_set_locks_are_locks() {
    let section = |s: &mut S, t: T, place: u64| {
        s.exch(t, L, 1, Gpu);
        s.membar(t, Gpu);
        s.stv(t, place);
        s.unlock(t, L, Gpu);
    };
    let run = |second: u64| {
        move |s: &mut S| {
            s.stv(A, X);
            section(s, A, Y);
            section(s, B, second);
            s.stv(B, X);
        }
    };
    assert_eq!(both(run(Y)), (None, None));
    assert_eq!(both(run(Y + 4)), (PREDICTED, None));
}

#[test]
fn ticket_locks_are_locks() {
    let (tickets, serving) = (M, L);
    let section = |s: &mut S, t: T, place: u64| {
        let ticket = s.add(t, tickets, 1, Gpu);
        assert_eq!(s.ldv(t, serving), ticket);
        s.membar(t, Gpu);
        s.stv(t, place);
        s.membar(t, Gpu);
        s.write_in(t, Space::Global, serving, ticket + 1, events::Strength::Volatile);
    };
    let run = |second: u64| {
        move |s: &mut S| {
            s.stv(A, X);
            section(s, A, Y);
            section(s, B, second);
            s.stv(B, X);
        }
    };
    assert_eq!(both(run(Y)), (None, None));
    assert_eq!(both(run(Y + 4)), (PREDICTED, None));
}

#[test]
fn block_scoped_sections_of_one_block_are_ordered() {
    let run = |other: T| {
        move |s: &mut S| {
            section(s, B, L, Cta, Y);
            section(s, other, L, Cta, Y);
        }
    };
    assert_eq!(both(run(BW)), (None, None));
    assert_eq!(both(run(A)).0, OBSERVED);
}

#[test]
fn a_lock_taken_without_a_fence_orders_nothing() {
    let run = |s: &mut S| {
        s.cas(A, L, Gpu);
        s.stv(A, X);
        s.unlock(A, L, Gpu);
        section(s, B, L, Gpu, X);
    };
    assert_eq!(both(run), (PREDICTED, None));
}

#[test]
fn a_long_queue_is_searched_and_gives_the_same_answer() {
    // Forty sections, all by others; the last conflicts with what B does in its own.
    let run = |s: &mut S| {
        s.stv(A, X);
        for n in 0..40 {
            let t = T(n as u32 % 3, 32 * (n as u16 % 2));
            section(s, t, L, Gpu, Y + 4 * n);
        }
        s.lock(T(3, 0), L, Gpu);
        s.ldv(T(3, 0), Y + 4 * 39);
        s.unlock(T(3, 0), L, Gpu);
        // The 39th section happened after A's first one, which followed the store.
        s.stv(T(3, 0), X);
    };
    assert_eq!(both(run), (None, None));
}

#[test]
fn compressed_and_plain_clocks_agree_on_every_pattern() {
    let verdicts = |compressed| {
        let scores = patterns::score(|| build(ClockOptions { compressed }));
        scores.into_iter().map(|(p, any, all)| (p.name, any, all)).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(true), verdicts(false));
}

/// Prediction finds in either order what happens-before finds in one; scopes that overlap by
/// the paper's reading hide the lock with a block fence.
#[test]
fn scor_patterns_differ_where_consumers_have_no_fence() {
    let expected = [
        "message through a device fence, blocks",
        "message through a device fence, warps",
        "message through a block fence, warps",
        "chain of messages through two blocks",
        "chain of atomics through two blocks",
        "device lock with a block fence, blocks",
    ];
    assert_eq!(patterns::disagreements(|| build(ClockOptions::default())), expected);
}
