//! Random programs with each shortcut on and off.

use crate::script;

use detect::ptx::PtxOptions;
use events::task::SyncUse;
use events::{AccessKind, AtomicOp, Class, Proxy, Scope, Sem, SiteId, Strength};
use script::either::{Random, by_either_way, is_racy_either_way};
use script::{Script, T, launch, seeds};

type Found = Vec<(Class, Option<SiteId>, Option<SiteId>)>;

/// What a script has found, by class and instructions.
fn told(script: &mut Script<'_>) -> Found {
    let findings = script.findings();
    let mut found: Found = findings.iter().map(|f| (f.class, f.sides[0].site, f.sides[1].site)).collect();
    found.sort_unstable();
    found
}

/// Which bytes the lanes of a warp touch.
fn addresses(random: &mut Random, bytes: u64, warp: u64) -> [u64; 32] {
    let base = random.below(20) * 64 + random.below(2) * bytes;
    let (shape, stride, own) = (random.below(6), bytes << random.below(6), warp * 4096 / 3 * 16 % 8192);
    let words = [(); 32].map(|()| random.below(64));
    std::array::from_fn(|lane| {
        let lane = lane as u64;
        match shape {
            0 => base + lane * bytes,
            1 => base,
            2 => base + lane / 16 * 128 + lane % 16 * bytes,
            3 => base + lane / 16 * 128,
            4 => own + lane * stride,
            _ => base + words[lane as usize] * bytes,
        }
    })
}

/// A launch with random accesses of the block's own memory; what was found, by instructions and class.
fn found(seed: u64, options: PtxOptions) -> Found {
    let mut random = Random(seed);
    let warps = 1 + random.below(3) as u16;
    let info = launch(1, 2, u32::from(warps) * 32, 1, SyncUse::default());
    let mut script = Script::with(info, options);
    // From a barrier behind every access to hardly any.
    let (steps, seldom) = (2 + random.below(30) as u32, 1 + random.below(4));
    for block in 0..2 {
        script.shared(Some(block));
        let bytes = 1 << random.below(5);
        for step in 0..steps {
            if random.below(seldom) == 0 {
                script.barrier(block);
            }
            let warp = random.below(warps.into()) as u16;
            let bytes = if random.below(8) == 0 { 1 << random.below(5) } else { bytes };
            let places = addresses(&mut random, bytes, warp.into());
            let mask = [u32::MAX, u32::MAX, u32::MAX, 0xffff, 0x5555_5555][random.below(5) as usize];
            let threads: Vec<(T, u64)> = (0..32u16)
                .filter(|lane| mask >> lane & 1 != 0)
                .map(|lane| (T(block, warp * 32 + lane), places[usize::from(lane)] % 8192))
                .collect();
            let kind = if random.below(3) == 0 { AccessKind::Write } else { AccessKind::Read };
            let size = (bytes.min(4) as u32, bytes.div_ceil(4) as u8);
            script.access(SiteId(step), &threads, kind, Strength::Weak, Proxy::Generic, size);
        }
        script.block_end(block);
    }
    told(&mut script)
}

#[test]
fn shared_accesses_are_found_by_either_way() {
    by_either_way(600, 200..590, found);
}

/// What is counted in a crowd of races behind a barrier must not depend on reads from before the barrier.
#[test]
fn a_crowd_of_races_behind_a_barrier_is_counted_alike() {
    assert!(is_racy_either_way(182, found));
}

/// A large launch, warps of which access scattered words of global memory.
fn scattered(seed: u64, options: PtxOptions) -> Found {
    let mut random = Random(seed);
    let mut script = Script::with(launch(1, 4, 1024, 1, SyncUse::default()), options);
    // From a few words that all meet in to so many that hardly any do.
    let words = 40 << random.below(10);
    let (steps, apart) = (4 + random.below(30) as u32, random.below(3) > 0);
    for step in 0..steps {
        if random.below(6) == 0 {
            script.barrier(random.below(4) as u32);
        }
        let (block, warp) = (random.below(4) as u32, random.below(3) as u16 * 10);
        let first = random.below(words);
        let mask = [u32::MAX, u32::MAX, u32::MAX, 0xffff, 0x5555_5555][random.below(5) as usize];
        let own = 4096 * 8 * u64::from(block * 32 + u32::from(warp));
        let threads: Vec<(T, u64)> = (0..32u16)
            .filter(|lane| mask >> lane & 1 != 0)
            .map(|lane| {
                let word = match apart {
                    // Lanes meet in nothing, and other warps in little.
                    true => (first * 3 + u64::from(lane) * 37 * (words / 40)) % (words * 64),
                    false => random.below(words),
                };
                let own = if random.below(3) > 0 && apart { own } else { 0 };
                (T(block, warp * 32 + lane), (1 << 20) + own + word * 4)
            })
            .collect();
        let kind = if random.below(2) == 0 { AccessKind::Write } else { AccessKind::Read };
        script.access(SiteId(step), &threads, kind, Strength::Weak, Proxy::Generic, (4, 1));
    }
    told(&mut script)
}

#[test]
fn scattered_accesses_are_found_by_either_way() {
    by_either_way(600, 200..590, scattered);
}

/// Warps that write all over some pages, some by the same instruction again and again; others read there now and then.
fn written_all_over(seed: u64, options: PtxOptions) -> Found {
    let mut random = Random(seed);
    let mut script = Script::with(launch(1, 4, 1024, 1, SyncUse::default()), options);
    let (pages, seldom) = (2 + random.below(3), 8 << random.below(8));
    let words = pages * 1024;
    let mut step = 0;
    for _ in 0..8 + random.below(16) {
        if random.below(8) == 0 {
            script.barrier(random.below(4) as u32);
        }
        let (block, warp) = (random.below(4) as u32, random.below(3) as u16 * 10);
        let kind = if random.below(8) > 0 { AccessKind::Write } else { AccessKind::Read };
        let mask = if random.below(8) > 0 { u32::MAX } else { 0x7fff_ffff };
        // Each thread has words of its own; now and then one is at others'.
        let own = (u64::from(block) * 3 + u64::from(warp) / 10) * 32;
        for _ in 0..1 + random.below(6) {
            let strays = random.below(seldom) == 0;
            let threads: Vec<(T, u64)> = (0..32u16)
                .filter(|lane| mask >> lane & 1 != 0)
                .map(|lane| {
                    let place = own + u64::from(lane) + random.below(words / 384) * 384;
                    let word = if strays && lane == 7 { random.below(words) } else { place };
                    (T(block, warp * 32 + lane), (1 << 20) + word % words * 4)
                })
                .collect();
            script.access(SiteId(step), &threads, kind, Strength::Weak, Proxy::Generic, (4, 1));
            step += u32::from(random.below(4) == 0);
        }
        step += 1;
    }
    told(&mut script)
}

#[test]
fn scattered_writes_that_wait_are_found_by_either_way() {
    by_either_way(600, 100..590, written_all_over);
}

/// Threads that work on words of global memory each by itself, often enough for lines to be kept word by word.
fn alone(seed: u64, options: PtxOptions) -> Found {
    let mut random = Random(seed);
    // A small launch, which keeps more reads, or a large one; one that only barriers order, or one that fences may.
    let (blocks, threads) = [(2, 64), (4, 1024)][random.below(2) as usize];
    let uses = SyncUse { fences_or_strong: random.below(3) == 0, ..SyncUse::default() };
    let mut script = Script::with(launch(1, blocks, threads, 1, uses), options);
    let (lines, apart) = (1 + random.below(3), random.below(4) > 0);
    for step in 0..100 + random.below(200) as u32 {
        if random.below(30) == 0 {
            script.barrier(random.below(blocks.into()) as u32);
        }
        let (block, thread) = (random.below(2) as u32, random.below(4) as u16 * 17);
        let bytes = [4, 4, 4, 8, 16][random.below(5) as usize];
        // Threads have places of their own as a rule.
        let own =
            if apart && random.below(100) > 0 { u64::from(block) * 4 + u64::from(thread % 4) } else { 0 };
        let place = own * 8192 + random.below(lines * 128 / bytes) * bytes;
        let kind = if random.below(2) == 0 { AccessKind::Write } else { AccessKind::Read };
        let size = (4, (bytes / 4) as u8);
        let at = [(T(block, thread), (1 << 20) + place)];
        script.access(SiteId(step), &at, kind, Strength::Weak, Proxy::Generic, size);
    }
    told(&mut script)
}

#[test]
fn accesses_of_single_threads_are_found_by_either_way() {
    by_either_way(600, 200..590, alone);
}

/// A large launch whose threads learn of each other by fences, too: warps read, write and count scattered words.
fn counted_and_fenced(seed: u64, options: PtxOptions) -> Found {
    let mut random = Random(seed);
    let uses = SyncUse {
        fences_or_strong: true,
        fences_acquire: true,
        atomics: true,
        blocks_communicate: true,
        ..SyncUse::default()
    };
    let mut script = Script::with(launch(1, 4, 1024, 1, uses), options);
    let (words, flags) = (40 << random.below(6), 1 + random.below(3));
    // How often threads write, count and synchronise.
    let often = [(); 3].map(|()| 1 + random.below(8));
    for step in 0..8 + random.below(60) as u32 {
        let (block, warp) = (random.below(4) as u32, random.below(3) as u16 * 10);
        if random.below(16) == 0 {
            script.barrier(block);
        }
        if random.below(often[0]) == 0 {
            let (t, flag) = (T(block, warp * 32), 0x2000 + random.below(flags) * 4);
            let (sees, sets) = (random.below(2) == 0, random.below(2) == 0);
            if sees {
                _ = script.ldv(t, flag);
                script.membar(t, Scope::Gpu);
            }
            if sets {
                script.membar(t, Scope::Gpu);
                script.stv(t, flag);
            }
        }
        let (first, spread) = (random.below(words), random.below(3) > 0);
        let lanes = [32, 32, 7, 1][random.below(4) as usize];
        let threads: Vec<(T, u64)> = (0..lanes)
            .map(|lane| {
                let word = match spread {
                    true => (first + u64::from(lane) * 37) % (words * 4),
                    false => random.below(words),
                };
                (T(block, warp * 32 + lane), (1 << 20) + word * 4)
            })
            .collect();
        let relaxed = Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu };
        let red = AccessKind::Atomic { op: AtomicOp::Add, returns: random.below(32) == 0 };
        let (kind, strength) = match (random.below(often[1] * 4), random.below(often[2])) {
            (0, _) => (AccessKind::Write, Strength::Weak),
            (_, 0) => (red, relaxed),
            _ => (AccessKind::Read, Strength::Weak),
        };
        script.access(SiteId(step), &threads, kind, strength, Proxy::Generic, (4, 1));
    }
    told(&mut script)
}

#[test]
fn counted_and_fenced_accesses_are_found_by_either_way() {
    by_either_way(900, 200..890, counted_and_fenced);
}

/// Warps that read and write whole lines of global memory in loops, and race there: what was found, and how often.
fn in_loops(seed: u64, options: PtxOptions) -> Vec<(Class, Option<SiteId>, Option<SiteId>, u64)> {
    let mut random = Random(seed);
    let mut script = Script::with(launch(1, 3, 128, 1, SyncUse::default()), options);
    for _ in 0..1 + random.below(4) {
        // Who does what in a loop, and how often; now and then one lane comes between.
        let steps: Vec<_> = (0..1 + random.below(5))
            .map(|_| {
                let by = (random.below(3) as u32, random.below(3) as u16);
                (
                    by,
                    random.below(12) as u32,
                    random.below(2) == 0,
                    random.below(5) * 32,
                    random.below(8) == 0,
                )
            })
            .collect();
        for turn in 0..1 + random.below(12) {
            for &((block, warp), site, write, at, alone) in &steps {
                let lanes = if alone && turn % 4 == 3 { 1 } else { 32u16 };
                let place = |lane: u16| (T(block, warp * 32 + lane), (1 << 20) + at + u64::from(lane) * 4);
                let threads: Vec<_> = (0..lanes).map(place).collect();
                let kind = if write { AccessKind::Write } else { AccessKind::Read };
                let site = SiteId(site * 2 + u32::from(write));
                script.access(site, &threads, kind, Strength::Weak, Proxy::Generic, (4, 1));
            }
        }
        if random.below(2) == 0 {
            script.barrier(random.below(3) as u32);
        }
    }
    let sites = |f: &events::Finding| (f.class, f.sides[0].site, f.sides[1].site, f.count);
    let mut found: Vec<_> = script.findings().iter().map(sites).collect();
    found.sort_unstable();
    found
}

/// Lines remember what happens there again and again; where memory is short they do not.
#[test]
fn races_in_loops_are_counted_by_either_way() {
    by_either_way(600, 200..590, in_loops);
}

/// Threads that pass data on by flags, locks and fences; what was found, and how often. None of their reads and atomics acquires.
fn fenced(seed: u64, fences_acquire: bool) -> Vec<(Class, Option<SiteId>, Option<SiteId>, u64)> {
    let mut random = Random(seed);
    let uses = SyncUse {
        fences_or_strong: true,
        fences_acquire,
        atomics: true,
        blocks_communicate: true,
        ..SyncUse::default()
    };
    let mut script = Script::with(launch(1, 3, 64, 1, uses), PtxOptions::default());
    for _ in 0..20 + random.below(60) {
        let t = T(random.below(3) as u32, random.below(6) as u16 * 11);
        let (data, flag) = (0x1000 + random.below(4) * 4, 0x2000 + random.below(3) * 4);
        let scope = [Scope::Cta, Scope::Gpu, Scope::Gpu, Scope::Sys][random.below(4) as usize];
        match random.below(8) {
            0 => script.write(t, data),
            1 => script.read(t, data),
            2 => _ = script.ldv(t, flag),
            3 => script.stv(t, flag),
            4 => _ = script.cas(t, flag, scope),
            5 => _ = script.exch(t, flag, random.below(2), scope),
            _ => script.membar(t, scope),
        }
    }
    let sites = |f: &events::Finding| (f.class, f.sides[0].site, f.sides[1].site, f.count);
    let mut found: Vec<_> = script.findings().iter().map(sites).collect();
    found.sort_unstable();
    found
}

/// What a thread has read where nothing but fences acquires need not be kept for later reads of the same place.
#[test]
fn what_only_fences_acquire_is_found_by_either_way() {
    let (mut races, seeds) = (0, seeds(2000));
    for seed in 0..seeds {
        let found = fenced(seed, true);
        assert_eq!(found, fenced(seed, false), "{seed}");
        races += u64::from(!found.is_empty());
    }
    assert!((seeds / 4..seeds).contains(&races), "{races}");
}
