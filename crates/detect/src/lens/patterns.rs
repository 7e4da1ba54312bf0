//! The situations that the ScoR micro-benchmarks test (Table I of the ScoRD paper), as
//! event scripts: two threads, volatile data unless noted, eighteen with a race and
//! fourteen without by the reckoning of ScoRD and iGUARD.

use super::script::{Script, T};
use super::serial::Lens;
use events::Scope::{self, Cta, Gpu};

const DATA: u64 = 0x1000;
const LOCK: u64 = 0x2000;
const FLAG: u64 = 0x3000;

/// One instruction of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum I {
    Load,
    Store,
    Atomic(Scope),
    Fence(Scope),
    /// Spin on a compare-and-swap of the lock, without a fence.
    Cas(Scope),
    /// Exchange the lock free, without a fence.
    Free(Scope),
    /// Exchange the flag to a value.
    Set(u64),
    /// Spin on exchanging the flag away.
    Take,
    /// Spin on adding nothing to the flag until it has the value.
    Await(u64),
}
use I::{Atomic, Await, Cas, Fence, Free, Load, Set, Store, Take};

pub(crate) struct Pattern {
    pub(crate) name: &'static str,
    pub(crate) racy: bool,
    threads: &'static [(T, &'static [I])],
}

impl Pattern {
    /// Schedules worth trying: the thread that goes first whenever it can.
    pub(crate) fn orders(&self) -> Vec<Vec<usize>> {
        let forward: Vec<usize> = (0..self.threads.len()).collect();
        let backward = forward.iter().rev().copied().collect();
        if self.threads.len() == 1 { vec![forward] } else { vec![forward, backward] }
    }

    /// Runs the pattern: always the first thread of `order` that is not blocked.
    pub(crate) fn run<L: Lens>(&self, lens: L, order: &[usize]) -> Script<L> {
        let mut script = Script::new(lens, 2, 64);
        let mut next = vec![0; self.threads.len()];
        // An event for a failed attempt is made once, not forever.
        let mut failed = vec![false; self.threads.len()];
        'steps: loop {
            for &who in order {
                let (thread, instructions) = self.threads[who];
                let Some(&instruction) = instructions.get(next[who]) else { continue };
                if blocked(&script, instruction) {
                    if !failed[who] {
                        failed[who] = true;
                        step(&mut script, thread, instruction);
                    }
                    continue;
                }
                failed[who] = false;
                step(&mut script, thread, instruction);
                next[who] += 1;
                continue 'steps;
            }
            break;
        }
        for (who, (_, instructions)) in self.threads.iter().enumerate() {
            assert_eq!(next[who], instructions.len(), "{} deadlocks", self.name);
        }
        script
    }
}

fn blocked<L: Lens>(script: &Script<L>, instruction: I) -> bool {
    match instruction {
        Cas(_) => script.value(LOCK) != 0,
        Take => script.value(FLAG) == 0,
        Await(value) => script.value(FLAG) != value,
        _ => false,
    }
}

fn step<L: Lens>(s: &mut Script<L>, t: T, instruction: I) {
    match instruction {
        Load => {
            s.ldv(t, DATA);
        }
        Store => s.stv(t, DATA),
        Atomic(scope) => {
            s.exch(t, DATA, 1, scope);
        }
        Fence(scope) => s.membar(t, scope),
        Cas(scope) => {
            s.cas(t, LOCK, scope);
        }
        Free(scope) => {
            s.exch(t, LOCK, 0, scope);
        }
        Set(value) => {
            s.exch(t, FLAG, value, Gpu);
        }
        Take => {
            s.exch(t, FLAG, 0, Gpu);
        }
        Await(_) => {
            s.add(t, FLAG, 0, Gpu);
        }
    }
}

const A: T = T(0, 0);
/// Another warp of A's block.
const W: T = T(0, 32);
/// Another block.
const B: T = T(1, 0);
const BW: T = T(1, 32);

const DEVICE: &[I] = &[Cas(Gpu), Fence(Gpu), Store, Fence(Gpu), Free(Gpu)];
const BLOCK: &[I] = &[Cas(Cta), Fence(Cta), Store, Fence(Cta), Free(Cta)];
const DEVICE_UNFENCED_EXIT: &[I] = &[Cas(Gpu), Fence(Gpu), Store, Free(Gpu)];
const BLOCK_UNFENCED_EXIT: &[I] = &[Cas(Cta), Fence(Cta), Store, Free(Cta)];
const DEVICE_UNFENCED_ENTRY: &[I] = &[Cas(Gpu), Store, Fence(Gpu), Free(Gpu)];
const BLOCK_UNFENCED_ENTRY: &[I] = &[Cas(Cta), Store, Fence(Cta), Free(Cta)];
const CONSUMER: &[I] = &[Take, Load];

macro_rules! patterns {
    ($($verdict:ident $name:literal: $($t:ident $instructions:expr),+;)*) => {
        pub(crate) const ALL: &[Pattern] = &[$(Pattern {
            name: $name,
            racy: patterns!(@ $verdict),
            threads: &[$(($t, $instructions)),+],
        }),*];
    };
    (@ racy) => { true };
    (@ clean) => { false };
}

patterns! {
    // Fences.
    clean "message through a device fence, blocks": A &[Store, Fence(Gpu), Set(1)], B CONSUMER;
    clean "message through a device fence, warps": A &[Store, Fence(Gpu), Set(1)], W CONSUMER;
    clean "message through a block fence, warps": A &[Store, Fence(Cta), Set(1)], W CONSUMER;
    clean "chain of messages through two blocks":
        A &[Store, Fence(Cta), Set(1)],
        W &[Await(1), Load, Store, Fence(Gpu), Set(2)],
        B &[Await(2), Load, Store, Fence(Cta), Set(3)],
        BW &[Await(3), Load];
    racy "message through a block fence, blocks": A &[Store, Fence(Cta), Set(1)], B CONSUMER;
    racy "read again after the message":
        A &[Load, Fence(Gpu), Set(1), Load], B &[Take, Store];
    // Atomics.
    clean "device atomics, blocks": A &[Atomic(Gpu)], B &[Atomic(Gpu)];
    clean "block atomics, warps": A &[Atomic(Cta)], W &[Atomic(Cta)];
    clean "device and block atomics, warps": A &[Atomic(Gpu)], W &[Atomic(Cta)];
    clean "atomic and store of one thread": A &[Atomic(Cta), Store];
    clean "chain of atomics through two blocks":
        A &[Atomic(Cta), Fence(Cta), Set(1)],
        W &[Await(1), Atomic(Gpu), Fence(Gpu), Set(2)],
        B &[Await(2), Atomic(Cta), Fence(Cta), Set(3)],
        BW &[Await(3), Atomic(Gpu)];
    racy "block atomics, blocks": A &[Atomic(Cta)], B &[Atomic(Cta)];
    racy "device atomic and store, blocks": A &[Atomic(Gpu)], B &[Store];
    racy "device atomic and store, warps": A &[Atomic(Gpu)], W &[Store];
    racy "block atomic and store, warps": A &[Atomic(Cta)], W &[Store];
    // Locks.
    clean "device lock, blocks": A DEVICE, B DEVICE;
    clean "block lock, warps": A BLOCK, W BLOCK;
    clean "device and block lock, warps": A DEVICE, W BLOCK;
    clean "store after the lock by one thread":
        A &[Cas(Cta), Fence(Cta), Store, Fence(Cta), Free(Cta), Store];
    clean "store after an unfenced unlock by one thread":
        A &[Cas(Cta), Fence(Cta), Store, Free(Cta), Store];
    racy "block lock, blocks": A BLOCK, B BLOCK;
    racy "device lock with a block fence, blocks":
        A &[Cas(Gpu), Fence(Cta), Store, Fence(Gpu), Free(Gpu)], B DEVICE;
    racy "device lock without a fence on entry, blocks": A DEVICE_UNFENCED_ENTRY, B DEVICE;
    racy "device lock without a fence on exit, blocks": A DEVICE_UNFENCED_EXIT, B DEVICE_UNFENCED_EXIT;
    racy "device lock and nothing, blocks": A DEVICE, B &[Store];
    racy "store after a lock others read under, blocks":
        A &[Cas(Gpu), Fence(Gpu), Load, Fence(Gpu), Free(Gpu), Store],
        B &[Cas(Gpu), Fence(Gpu), Load, Fence(Gpu), Free(Gpu)];
    racy "block lock without a fence on entry, warps": A BLOCK_UNFENCED_ENTRY, W BLOCK;
    racy "block lock without a fence on exit, warps": A BLOCK_UNFENCED_EXIT, W BLOCK_UNFENCED_EXIT;
    racy "mixed locks without a fence on entry, warps": A DEVICE_UNFENCED_ENTRY, W BLOCK;
    racy "mixed locks without a fence on exit, warps": A DEVICE_UNFENCED_EXIT, W BLOCK_UNFENCED_EXIT;
    racy "block lock and nothing, warps":
        A &[Cas(Cta), Fence(Gpu), Store, Fence(Gpu), Free(Cta)], W &[Store];
    racy "device lock and nothing, warps": A DEVICE, W &[Store];
}

/// Returns a lens's verdicts on every pattern: its name, and whether a race was found in any and in every
/// order.
pub(crate) fn score<L: Lens>(lens: impl Fn() -> L) -> Vec<(&'static Pattern, bool, bool)> {
    let judged = ALL.iter().map(|pattern| {
        let found = |order: &Vec<usize>| !pattern.run(lens(), order).end().is_empty();
        let found: Vec<bool> = pattern.orders().iter().map(found).collect();
        (pattern, found.contains(&true), !found.contains(&false))
    });
    judged.collect()
}

/// Names of the patterns on which a lens differs from the suite's labels: a racy one that
/// some order hides, or a clean one that is reported in some order.
pub(crate) fn disagreements<L: Lens>(lens: impl Fn() -> L) -> Vec<&'static str> {
    let wrong = score(lens).into_iter().filter(|(pattern, any, all)| if pattern.racy { !all } else { *any });
    wrong.map(|(pattern, ..)| pattern.name).collect()
}

#[test]
fn the_suite_has_the_papers_numbers() {
    let racy = ALL.iter().filter(|p| p.racy).count();
    assert_eq!((racy, ALL.len() - racy), (18, 14));
}
