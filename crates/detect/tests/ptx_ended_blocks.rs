//! Locks and flags that go through many blocks, which end: what is forgotten of them changes no finding.

use crate::script;

use detect::ptx::PtxOptions;
use events::task::SyncUse;
use events::{Class, Scope, Sem, SiteId};
use script::either::Random;
use script::{Script, T, all_uses, launch};

const LOCK: u64 = 0x2000;
const X: u64 = 0x1000;
const BLOCKS: u32 = 40;
/// Blocks that run side by side.
const RESIDENT: u32 = 4;

#[test]
fn a_lock_orders_blocks_of_which_most_have_ended() {
    for narrow in [false, true] {
        let mut s = Script::new(BLOCKS, 64);
        for block in 0..BLOCKS {
            for t in [T(block, 0), T(block, 33)] {
                if narrow {
                    s.membar(t, Scope::Cta);
                }
                s.lock(t, LOCK, Scope::Gpu);
                s.read(t, X);
                s.write(t, X);
                s.unlock(t, LOCK, Scope::Gpu);
            }
            if block >= RESIDENT {
                s.block_end(block - RESIDENT);
            }
        }
        s.clean();
        s.write(T(BLOCKS - 2, 1), X);
        assert!(!s.findings().is_empty());
    }
}

/// One step of a thread. `narrow` says that its `fence.sc` may be of block scope.
fn step(script: &mut Script<'_>, random: &mut Random, t: T, narrow: bool) {
    let (data, flag) = (X + random.below(4) * 4, LOCK + random.below(3) * 4);
    let scope = [Scope::Cta, Scope::Gpu, Scope::Gpu, Scope::Sys][random.below(4) as usize];
    match random.below(16) {
        0 => script.write(t, data),
        1 => script.read(t, data),
        2 => _ = script.ldv(t, flag),
        3 => script.stv(t, flag),
        4 => _ = script.cas(t, flag, scope),
        5 => _ = script.cas_acquire(t, flag, scope),
        6 => _ = script.exch(t, flag, random.below(2), scope),
        7 => _ = script.exch_release(t, flag, random.below(2), scope),
        8 => script.load(t, flag, Sem::Acquire, scope),
        9 => script.store(t, flag, Sem::Release, scope),
        10 => script.fence(t, Sem::AcqRel, scope),
        11 => script.barrier(t.0),
        12 => script.atom(t, flag, Sem::AcqRel, scope),
        _ => script.membar(t, if narrow { scope } else { Scope::Gpu }),
    }
}

/// Threads of blocks that follow each other; what was found, and how often. `ends` says that the end of blocks is told.
fn found(seed: u64, uses: SyncUse, ends: bool) -> Vec<(Class, Option<SiteId>, Option<SiteId>, u64)> {
    let mut random = Random(seed);
    let mut script = Script::with(launch(1, BLOCKS, 64, 1, uses), PtxOptions::default());
    for first in 0..BLOCKS - RESIDENT {
        for _ in 0..4 + random.below(8) {
            let block = first + random.below(RESIDENT.into()) as u32;
            let t = T(block, random.below(6) as u16 * 11);
            step(&mut script, &mut random, t, uses.narrow_fences);
        }
        if ends {
            script.block_end(first);
        }
    }
    let sites = |f: &events::Finding| (f.class, f.sides[0].site, f.sides[1].site, f.count);
    let mut found: Vec<_> = script.findings().iter().map(sites).collect();
    found.sort_unstable();
    found
}

#[test]
fn what_ended_blocks_have_released_matters_to_no_block_after_them() {
    for seed in 0..300 {
        for narrow_fences in [false, true] {
            let uses = SyncUse { narrow_fences, ..all_uses() };
            assert_eq!(found(seed, uses, true), found(seed, uses, false), "{seed} {narrow_fences}");
        }
    }
}
