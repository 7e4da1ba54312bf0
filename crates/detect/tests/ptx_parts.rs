//! Atomics of one and two bytes that libcu++ makes of the word around them (assumption 6a).

use crate::script;

use events::Sem::{AcqRel, Acquire, Relaxed, Release};
use events::{AccessKind, AtomicOp, Class, Proxy, Scope, Sem, SiteId, Strength};
use script::{Script, T, strong};

const A: T = T(0, 0);
const B: T = T(1, 0);
const C: T = T(2, 0);

const DATA: u64 = 0x100;
const WORD: u64 = 0x200;
const HALF: u64 = 0x202;

const CAS: AccessKind = AccessKind::Atomic { op: AtomicOp::Cas, returns: true };

fn at(s: &mut Script<'_>, site: u32, t: T, kind: AccessKind, of: (u64, u32), strength: Strength) {
    s.access(SiteId(site), &[(t, of.0)], kind, strength, Proxy::Generic, (of.1, 1));
}

fn swap(s: &mut Script<'_>, t: T, sem: Sem) {
    at(s, 90, t, CAS, (WORD, 4), strong(sem, Scope::Gpu));
}

fn load(s: &mut Script<'_>, t: T, sem: Sem) {
    at(s, 91, t, AccessKind::Read, (HALF, 2), strong(sem, Scope::Gpu));
}

fn store(s: &mut Script<'_>, t: T, sem: Sem) {
    at(s, 92, t, AccessKind::Write, (HALF, 2), strong(sem, Scope::Gpu));
}

#[test]
fn a_load_of_a_part_acquires_what_a_swap_of_its_word_released() {
    for (release, acquire, expected) in [(Release, Acquire, 0), (Relaxed, Acquire, 1), (Release, Relaxed, 1)]
    {
        let mut s = Script::new(3, 32);
        s.write(A, DATA);
        swap(&mut s, A, release);
        load(&mut s, B, acquire);
        s.read(B, DATA);
        assert_eq!(s.findings().len(), expected, "{release:?} {acquire:?}");
    }
}

#[test]
fn a_swap_of_the_word_acquires_what_a_store_of_its_part_released_and_hands_it_on() {
    let mut s = Script::new(3, 32);
    s.write(A, DATA);
    store(&mut s, A, Release);
    swap(&mut s, B, AcqRel);
    s.read(B, DATA);
    s.clean();
    // A relaxed one hands it on, too.
    let mut s = Script::new(3, 32);
    s.write(A, DATA);
    store(&mut s, A, Release);
    swap(&mut s, B, Relaxed);
    load(&mut s, C, Acquire);
    s.read(C, DATA);
    s.clean();
}

/// What the part held before a store of its own is not what the swap has left there.
#[test]
fn a_store_of_the_part_hides_the_swap_before_it() {
    let mut s = Script::new(3, 32);
    s.write(A, DATA);
    swap(&mut s, A, Release);
    store(&mut s, C, Relaxed);
    load(&mut s, B, Acquire);
    s.read(B, DATA);
    assert_eq!(s.findings().len(), 1);
}

/// §8.9.5: a thread that observed the swap knows what came before it, though it observed a part of it.
#[test]
fn a_swap_that_was_observed_in_part_races_with_no_later_store_of_its_word() {
    let mut s = Script::new(3, 32);
    swap(&mut s, A, Relaxed);
    load(&mut s, B, Relaxed);
    s.write(B, WORD);
    s.clean();
}

#[test]
fn other_sizes_and_volatile_and_stores_of_the_word_race_as_ever() {
    let wide = strong(Relaxed, Scope::Gpu);
    for (second, of, strength) in [
        (AccessKind::Read, (HALF, 2), Strength::Volatile),
        (AccessKind::Read, (WORD, 8), wide),
        (AccessKind::Write, (WORD, 8), wide),
    ] {
        let mut s = Script::new(3, 32);
        swap(&mut s, A, Relaxed);
        at(&mut s, 93, B, second, of, strength);
        s.races(Class::MixedSize);
    }
    let mut s = Script::new(3, 32);
    at(&mut s, 94, A, AccessKind::Write, (WORD, 4), wide);
    load(&mut s, B, Acquire);
    s.races(Class::MixedSize);
    // Scopes count, and ordinary accesses are what they are.
    let mut s = Script::new(3, 32);
    at(&mut s, 95, A, CAS, (WORD, 4), strong(Relaxed, Scope::Cta));
    load(&mut s, B, Relaxed);
    s.races(Class::AtomicScope);
    let mut s = Script::new(3, 32);
    swap(&mut s, A, Relaxed);
    at(&mut s, 96, B, AccessKind::Read, (HALF, 2), Strength::Weak);
    s.races(Class::WeakVsAtomic);
}
