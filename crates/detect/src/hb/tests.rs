//! Racy and clean twins for each kind of order, and the suite's patterns.

use super::build;
use crate::lens::patterns;
use crate::lens::script::{Script, T, strong};
use crate::lens::serial::Lens;
use events::Scope::{Cta, Gpu};
use events::{BlockId, Class, Sem, Space, Strength};
use names::lens::ClockOptions;

const X: u64 = 0x1000;
const L: u64 = 0x2000;
const F: u64 = 0x3000;
const A: T = T(0, 0);
/// Another lane of A's warp, another warp of its block, another block.
const A1: T = T(0, 1);
const W: T = T(0, 32);
const B: T = T(1, 0);

fn script() -> Script<Box<dyn Lens>> {
    Script::new(build(ClockOptions::default()), 4, 96)
}

#[test]
fn program_order_is_each_threads() {
    let mut s = script();
    s.write(A, X);
    s.read(A, X);
    s.write(A, X);
    assert_eq!(s.end(), []);
    let mut s = script();
    s.write(A, X);
    s.read(A1, X);
    assert_eq!(s.classes(), [Class::DivergentWarp], "lockstep orders nothing");
}

#[test]
fn lanes_of_one_store_race() {
    let mut s = script();
    s.write_warp(A, 0b11, |_| X);
    assert_eq!(s.classes(), [Class::SameInstruction]);
    let mut s = script();
    s.write_warp(A, u32::MAX, |lane| X + 4 * u64::from(lane));
    assert_eq!(s.end(), []);
}

#[test]
fn barriers_order_their_block() {
    for (other, barrier, expected) in
        [(W, true, vec![]), (W, false, vec![Class::MissingBarrier]), (B, true, vec![Class::InterBlock])]
    {
        let mut s = script();
        s.write(A, X);
        if barrier {
            s.barrier(0);
            s.barrier(1);
        }
        s.write(other, X);
        assert_eq!(s.classes(), expected);
    }
}

#[test]
fn a_named_barrier_orders_its_members_only() {
    let mut s = script();
    s.write(A, X);
    s.named_barrier(0, 1, &[0, 1]);
    s.read(W, X);
    assert_eq!(s.classes(), []);
    let mut s = script();
    s.write(A, X);
    s.named_barrier(0, 1, &[0, 1]);
    s.read(T(0, 64), X);
    assert_eq!(s.classes(), [Class::MissingBarrier]);
}

#[test]
fn warp_barriers_order_their_lanes() {
    for (mask, expected) in [(0b11, vec![]), (0b110, vec![Class::DivergentWarp])] {
        let mut s = script();
        s.write(A, X);
        s.syncwarp(A, mask);
        s.read(A1, X);
        assert_eq!(s.classes(), expected);
    }
}

#[test]
fn bytes_of_one_word_are_apart() {
    let mut s = script();
    s.write(A, X);
    s.write(W, X + 4);
    assert_eq!(s.end(), []);
}

#[test]
fn a_message_needs_a_fence_on_both_sides() {
    let run = |before: Option<_>, after: Option<_>| {
        let mut s = script();
        s.stv(A, X);
        if let Some(scope) = before {
            s.membar(A, scope);
        }
        s.exch(A, F, 1, Gpu);
        s.add(B, F, 0, Gpu);
        if let Some(scope) = after {
            s.membar(B, scope);
        }
        s.ldv(B, X);
        s.classes()
    };
    assert_eq!(run(Some(Gpu), Some(Gpu)), []);
    assert_eq!(run(Some(Gpu), None), [Class::InterBlock]);
    assert_eq!(run(None, Some(Gpu)), [Class::InterBlock]);
    assert_eq!(run(Some(Cta), Some(Cta)), [Class::InterBlock]);
    assert_eq!(run(Some(Cta), Some(Gpu)), [], "the papers want one device scope of the two");
}

#[test]
fn a_spin_on_a_volatile_flag_is_no_race_if_a_fence_follows() {
    let run = |fence: bool, early: bool| {
        let mut s = script();
        // One site, as in a loop.
        let look = |s: &mut Script<_>| s.ldv(B, F);
        if early {
            look(&mut s);
        }
        s.stv(A, X);
        s.membar(A, Gpu);
        s.stv(A, F);
        look(&mut s);
        look(&mut s);
        if fence {
            s.membar(B, Gpu);
        }
        s.ldv(B, X);
        s.classes()
    };
    assert_eq!(run(true, false), []);
    assert_eq!(run(true, true), [], "a first look before the flag was set");
    assert_eq!(run(false, false), [Class::InterBlock], "the flag and the data");
}

#[test]
fn acquire_and_release_forms() {
    let run = |acquire| {
        let mut s = script();
        s.write(A, X);
        s.write_in(A, Space::Global, F, 1, strong(Sem::Release, Gpu));
        s.read_in(B, Space::Global, F, strong(acquire, Gpu));
        s.read(B, X);
        s.classes()
    };
    assert_eq!(run(Sem::Acquire), []);
    assert_eq!(run(Sem::Relaxed), [Class::InterBlock]);
}

#[test]
fn what_follows_a_release_is_not_published_by_it() {
    let mut s = script();
    s.membar(A, Gpu);
    s.exch(A, F, 1, Gpu);
    s.stv(A, X);
    s.add(B, F, 0, Gpu);
    s.membar(B, Gpu);
    s.ldv(B, X);
    assert_eq!(s.classes(), [Class::InterBlock]);
}

#[test]
fn atomics_race_by_scope() {
    for (other, first, second, expected) in [
        (B, Cta, Cta, vec![Class::AtomicScope]),
        (B, Gpu, Cta, vec![Class::AtomicScope]),
        (W, Gpu, Cta, vec![]),
        (B, Gpu, Gpu, vec![]),
    ] {
        let mut s = script();
        s.add(A, X, 1, first);
        s.add(other, X, 1, second);
        assert_eq!(s.classes(), expected);
    }
    let mut s = script();
    s.add(A, X, 1, Gpu);
    s.ldv(B, X);
    assert_eq!(s.classes(), [Class::WeakVsAtomic]);
}

#[test]
fn an_early_atomic_is_not_hidden_by_a_later_one() {
    let mut s = script();
    s.add(A, X, 1, Gpu);
    s.add(B, X, 1, Gpu);
    s.membar(B, Gpu);
    s.exch(B, F, 1, Gpu);
    s.add(W, F, 0, Gpu);
    s.membar(W, Gpu);
    s.ldv(W, X);
    assert_eq!(s.classes(), [Class::WeakVsAtomic], "W knows of B's atomic, not of A's");
}

#[test]
fn shared_memory_is_each_blocks_own() {
    let run = |a: u32, b: T| {
        let mut s = script();
        s.write_in(A, Space::Shared(BlockId(0)), 16, 1, Strength::Weak);
        s.write_in(b, Space::Shared(BlockId(a)), 16, 1, Strength::Weak);
        s.classes()
    };
    assert_eq!(run(0, W), [Class::MissingBarrier]);
    assert_eq!(run(1, B), []);
}

#[test]
fn all_readers_are_remembered() {
    let mut s = script();
    for block in 0..4 {
        for warp in 0..3 {
            s.read_warp(T(block, warp * 32), u32::MAX, |_| X);
        }
    }
    s.barrier(3);
    s.write(T(3, 0), X);
    let findings = s.end();
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].class, Class::InterBlock);
}

/// Blocks that read everything they are given are one record, and a store after a barrier of
/// a launch of one block does not race with any of them.
#[test]
fn a_block_of_readers_is_compressed_and_ordered_by_its_barrier() {
    let mut s = Script::new(build(ClockOptions::default()), 1, 96);
    for warp in 0..3 {
        s.read_warp(T(0, warp * 32), u32::MAX, |_| X);
    }
    s.barrier(0);
    s.write(W, X);
    assert_eq!(s.end(), []);
}

#[test]
fn locks_order_critical_sections() {
    for (lock, expected) in [(L, vec![]), (L + 4, vec![Class::InterBlock])] {
        let mut s = script();
        s.lock(A, L, Gpu);
        s.write(A, X);
        s.unlock(A, L, Gpu);
        s.lock(B, lock, Gpu);
        s.write(B, X);
        s.unlock(B, lock, Gpu);
        assert_eq!(s.classes(), expected);
    }
}

#[test]
fn compressed_and_plain_clocks_agree_on_every_pattern() {
    let verdicts = |compressed| {
        let scores = patterns::score(|| build(ClockOptions { compressed }));
        scores.into_iter().map(|(p, any, all)| (p.name, any, all)).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(true), verdicts(false));
}

/// Verdicts of happens-before that differ from the suite's labels, and why.
#[test]
fn scor_patterns_differ_where_fences_are_missing_on_one_side() {
    let expected = [
        // The consumer has no fence after its spin: it acquires nothing.
        "message through a device fence, blocks",
        "message through a device fence, warps",
        "message through a block fence, warps",
        "chain of messages through two blocks",
        "chain of atomics through two blocks",
        // Race-free in one of the two orders.
        "device lock with a block fence, blocks",
        "device lock without a fence on entry, blocks",
        "store after a lock others read under, blocks",
        "block lock without a fence on entry, warps",
        "mixed locks without a fence on entry, warps",
    ];
    assert_eq!(patterns::disagreements(|| build(ClockOptions::default())), expected);
}
