//! The machine against happens-before on random histories, and the suite's patterns.

use super::Hirace;
use crate::hb;
use crate::lens::patterns;
use crate::lens::script::{Script, T, strong};
use crate::lens::serial::Lens;
use events::Scope::{Cta, Gpu};
use events::{Class, Sem, Space, Strength};
use names::lens::{ClockOptions, HiraceOptions};

const X: u64 = 0x1000;
const A: T = T(0, 0);
const A1: T = T(0, 1);
const W: T = T(0, 32);
const B: T = T(1, 0);

fn script() -> Script<Hirace> {
    Script::new(Hirace::new(HiraceOptions::default()), 4, 96)
}

#[test]
fn barriers_and_their_absence() {
    for (other, barrier, expected) in [
        (W, true, vec![]),
        (W, false, vec![Class::MissingBarrier]),
        (B, true, vec![Class::InterBlock]),
        (A1, false, vec![Class::DivergentWarp]),
        (A1, true, vec![]),
    ] {
        let mut s = script();
        s.write(A, X);
        if barrier {
            s.barrier(0);
            s.barrier(1);
        }
        s.read(other, X);
        assert_eq!(s.classes(), expected, "{other:?} {barrier}");
    }
}

#[test]
fn lanes_of_one_store_race() {
    let mut s = script();
    s.write_warp(A, 0b11, |_| X);
    assert_eq!(s.classes(), [Class::SameInstruction]);
}

#[test]
fn atomics_of_enough_scope_do_not_race() {
    for (first, second, other, expected) in [
        (Gpu, Gpu, B, vec![]),
        (Cta, Gpu, B, vec![Class::AtomicScope]),
        (Gpu, Cta, B, vec![Class::AtomicScope]),
        (Cta, Gpu, W, vec![]),
    ] {
        let mut s = script();
        s.add(A, X, 1, first);
        s.add(other, X, 1, second);
        assert_eq!(s.classes(), expected);
    }
    let mut s = script();
    s.add(A, X, 1, Gpu);
    s.read(B, X);
    assert_eq!(s.classes(), [Class::WeakVsAtomic]);
}

#[test]
fn a_warp_barrier_covers_its_mask() {
    for (mask, expected) in [(0b11, vec![]), (0b110, vec![Class::DivergentWarp])] {
        let mut s = script();
        s.write(A, X);
        s.syncwarp(A, mask);
        s.read(A1, X);
        assert_eq!(s.classes(), expected);
    }
    // A third lane that was not in the barrier between the first two.
    let mut s = script();
    s.write(A, X);
    s.syncwarp(A, 0b11);
    s.read(A1, X);
    s.read(T(0, 2), X);
    assert_eq!(s.classes(), [Class::DivergentWarp]);
}

#[test]
fn bytes_of_one_word_are_apart() {
    let mut s = script();
    s.write_byte(A, X);
    s.write_byte(W, X + 1);
    assert_eq!(s.end(), []);
    let mut s = script();
    s.write(A, X);
    s.write_byte(W, X + 1);
    assert_eq!(s.classes(), [Class::MissingBarrier]);
}

#[test]
fn a_race_is_reported_once_for_a_datum_unless_restarted() {
    let run = |restart| {
        let mut s = Script::new(Hirace::new(HiraceOptions { restart }), 4, 96);
        s.write(A, X);
        s.write(W, X);
        s.write(B, X);
        s.end().len()
    };
    assert_eq!((run(false), run(true)), (1, 2));
}

fn random(seed: &mut u64) -> u32 {
    crate::random::next(seed) as u32
}

/// One random history, told to a lens up to its first race: the step at which that was.
fn first_race<L: Lens>(lens: L, seed: u64, masks: [u32; 3]) -> Option<u32> {
    let mut seed = seed;
    let mut s = Script::new(lens, 2, 64);
    (0..7).find(|_| {
        let block = random(&mut seed) % 2;
        let thread = T(block, (random(&mut seed) % 2) as u16 * 32 + (random(&mut seed) % 3) as u16);
        match random(&mut seed) % 10 {
            0..=2 => {
                s.read(thread, X);
            }
            3 => s.write(thread, X),
            4 => {
                s.add(thread, X, 1, Cta);
            }
            5 => {
                s.add(thread, X, 1, Gpu);
            }
            6..=8 => s.syncwarp(thread, masks[random(&mut seed) as usize % 3]),
            _ => s.barrier(block),
        }
        !s.ear.lens.take_findings().is_empty()
    })
}

fn against_happens_before(masks: [u32; 3], judge: impl Fn(u64, Option<u32>, Option<u32>)) {
    let mut races = 0;
    for seed in 0..10_000 {
        let seed = seed * 7919 + 13;
        let own = first_race(Hirace::new(HiraceOptions::default()), seed, masks);
        let exact = first_race(hb::build(ClockOptions::default()), seed, masks);
        judge(seed, own, exact);
        races += usize::from(exact.is_some());
    }
    assert!((2_000..9_000).contains(&races), "{races}: the histories are one-sided");
}

#[test]
fn with_whole_barriers_the_machine_agrees_with_happens_before() {
    against_happens_before([u32::MAX; 3], |seed, own, exact| assert_eq!(own, exact, "history {seed}"));
}

#[test]
fn with_barriers_of_some_lanes_no_race_is_missed() {
    let extra = std::cell::Cell::new(0);
    against_happens_before([u32::MAX, 0b011, 0b110], |seed, own, exact| {
        let step = |race: Option<u32>| race.unwrap_or(u32::MAX);
        assert!(step(own) <= step(exact), "history {seed}: {own:?} {exact:?}");
        extra.set(extra.get() + u32::from(own != exact));
    });
    assert!(extra.get() < 100, "{} of 10000 reported too much", extra.get());
}

#[test]
fn strong_accesses_count_as_atomics() {
    let mut s = script();
    s.write_in(A, Space::Global, X, 1, strong(Sem::Relaxed, Gpu));
    s.read_in(B, Space::Global, X, strong(Sem::Relaxed, Gpu));
    assert_eq!(s.classes(), []);
    let mut s = script();
    s.write_in(A, Space::Global, X, 1, Strength::Volatile);
    s.read_in(B, Space::Global, X, Strength::Volatile);
    assert_eq!(s.classes(), [Class::InterBlock]);
}

/// Without fences and locks HiRace reports everything that they order.
#[test]
fn scor_patterns_with_fences_or_locks_are_all_reported() {
    let scores = patterns::score(|| Hirace::new(HiraceOptions::default()));
    let racy: Vec<_> = scores.iter().filter(|(p, ..)| p.racy).collect();
    assert!(racy.iter().all(|(_, _, all)| *all), "18 of 18");
    let clean: Vec<_> = scores.iter().filter(|(p, any, _)| !p.racy && !any).map(|(p, ..)| p.name).collect();
    assert_eq!(
        clean,
        [
            "device atomics, blocks",
            "block atomics, warps",
            "device and block atomics, warps",
            "atomic and store of one thread",
            "store after the lock by one thread",
            "store after an unfenced unlock by one thread",
        ]
    );
}
