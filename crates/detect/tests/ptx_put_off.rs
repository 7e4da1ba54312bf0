//! Accesses that are put off, or known to change nothing, beside the same judged as they come: a bound on memory, however wide, has
//! every access judged at once and in full.

use crate::script;

use detect::ptx::PtxOptions;
use events::task::SyncUse;
use events::{AccessKind, AtomicOp, Class, Finding, Proxy, Scope, Sem, SiteId, Strength, SyncNote};
use script::either::{Random, by_either_way};
use script::{Script, T, launch};

/// The instructions that write and race. Of those that they race with as many are told of as are kept, and that differs: what a
/// thread does later to the same bytes stands for what it did.
type Found = Vec<SiteId>;

fn found(script: &mut Script<'_>) -> Found {
    let findings = script.findings();
    let sides = findings.iter().flat_map(|finding| &finding.sides);
    let mut found: Vec<_> = sides.filter(|side| side.kind.writes()).filter_map(|side| side.site).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Weak accesses of a block's own memory beside relaxed ones, between barriers.
fn relaxed(seed: u64, options: PtxOptions) -> Found {
    let mut random = Random(seed);
    let uses = SyncUse { fences_or_strong: true, relaxed: true, atomics: true, ..SyncUse::default() };
    // A small launch, or a large one.
    let blocks = [2, 64][random.below(2) as usize];
    let mut script = Script::with(launch(1, blocks, 96, 1, uses), options);
    let volatile = Strength::Volatile;
    let gpu = Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu };
    let (lines, mixed, seldom) = (1 + random.below(8), random.below(3) == 0, 2 + random.below(8));
    for block in 0..2 {
        script.shared(Some(block));
        let mut interval = 0;
        for _ in 0..2 + random.below(40) {
            if random.below(seldom) == 0 {
                script.barrier(block);
                interval += 1;
            }
            let (warp, first) = (random.below(3) as u16, random.below(lines) * 128);
            // As a rule lines are weak or strong.
            let weak = if random.below(12) == 0 || mixed { random.below(2) == 0 } else { first % 256 == 0 };
            let size = if random.below(30) == 0 { 2 } else { 4 };
            let (stride, mask) =
                (random.below(3) * u64::from(size), [u32::MAX, 0xff, 1 << 7][random.below(3) as usize]);
            let threads: Vec<(T, u64)> = (0..32u16)
                .filter(|lane| mask >> lane & 1 != 0)
                .map(|lane| (T(block, warp * 32 + lane), first + u64::from(lane) * stride % 128))
                .collect();
            let atomic = AccessKind::Atomic { op: AtomicOp::Add, returns: random.below(2) == 0 };
            let (kind, strength) = match random.below(4) {
                0 if !weak => (atomic, gpu),
                1 => (AccessKind::Write, if weak { Strength::Weak } else { volatile }),
                _ => (AccessKind::Read, if weak { Strength::Weak } else { volatile }),
            };
            // What a thread does there again stands for what it did: one instruction for both.
            let at = (interval * 3 + u32::from(warp)) * 8 + first as u32 / 128;
            let site = SiteId((at * 2 + u32::from(weak)) * 2 + u32::from(kind.writes()));
            script.access(site, &threads, kind, strength, Proxy::Generic, (size, 1));
        }
        script.block_end(block);
    }
    found(&mut script)
}

#[test]
fn relaxed_operations_of_shared_memory_are_found_by_either_way() {
    by_either_way(2000, 600..1990, relaxed);
}

/// Weak accesses of several sizes, at words that each thread has for itself or that others have, too, between barriers.
fn weak(seed: u64, options: PtxOptions) -> Found {
    let mut random = Random(seed);
    let mut script = Script::with(launch(1, 2, 96, 1, SyncUse::default()), options);
    // How far apart the threads' own parts are, and how careless they are.
    let (pitch, careless, seldom) = (4 << random.below(5), 5 + random.below(200), 2 + random.below(9));
    for block in 0..2 {
        script.shared(Some(block));
        let mut interval = 0;
        for _ in 0..2 + random.below(60) {
            if random.below(seldom) == 0 {
                script.barrier(block);
                interval += 1;
            }
            let (warp, size) =
                (random.below(3) as u16, [4, 4, 4, 8, 16, 2, 1][random.below(7) as usize].min(pitch as u32));
            let mask = [u32::MAX, u32::MAX, 0xffff, 0x5555_5555, 1 << 9][random.below(5) as usize];
            let (turn, only_reads) = (interval as u16 % 2 * 32, random.below(3) == 0);
            let careless = random.below(careless) == 0;
            // Each at its own part, another one in each interval, or where its neighbour is; or all at words that no
            // thread writes.
            let place = |lane: u16| match (only_reads, careless) {
                (true, _) => 0x2000 + u64::from(lane % 5) * 16,
                (false, true) => u64::from(warp * 32 + lane / 2) * pitch,
                (false, false) => u64::from((warp * 32 + lane) ^ turn) * pitch,
            };
            let threads: Vec<(T, u64)> = (0..32u16)
                .filter(|lane| mask >> lane & 1 != 0)
                .map(|lane| (T(block, warp * 32 + lane), place(lane)))
                .collect();
            let kind = if only_reads || random.below(2) == 0 { AccessKind::Read } else { AccessKind::Write };
            // What a thread does there again stands for what it did: one instruction for both.
            let site = SiteId((interval * 3 + u32::from(warp)) * 2 + u32::from(kind == AccessKind::Write));
            script.access(site, &threads, kind, Strength::Weak, Proxy::Generic, (size, 1));
        }
        script.block_end(block);
    }
    found(&mut script)
}

#[test]
fn weak_accesses_of_shared_memory_are_found_by_either_way() {
    by_either_way(4000, 600..3400, weak);
}

/// The same where warps synchronise, and where fences and flags order threads, too.
fn fenced(seed: u64, options: PtxOptions) -> Found {
    let mut random = Random(seed);
    let relaxed = random.below(3) == 0;
    let uses = SyncUse {
        fences_or_strong: true,
        relaxed,
        partial_barriers: !relaxed && random.below(3) == 0,
        atomics: true,
        blocks_communicate: !relaxed,
        ..SyncUse::default()
    };
    let mut script = Script::with(launch(1, 2, 96, 1, uses), options);
    let (lines, careful) = (2 + random.below(6), random.below(2) == 0);
    let (mut intervals, mut messages) = ([0; 2], 0);
    for _ in 0..10 + random.below(60) {
        let block = random.below(2) as u32;
        let (warp, lane) = (random.below(3) as u16, random.below(32) as u16);
        let t = T(block, warp * 32 + lane);
        match random.below(16) {
            0 | 1 => {
                script.barrier(block);
                intervals[block as usize] += 1;
            }
            2 => script.syncwarp(t, u32::MAX),
            3 => script.syncwarp(t, 1 << lane | 0xff),
            4 if uses.partial_barriers => script.named_barrier(block, 1, &[warp, (warp + 1) % 3]),
            4 | 5 if !relaxed => {
                let lanes = if random.below(2) == 0 { u32::MAX } else { 1 << lane };
                script.membar_warp(t, lanes, [Scope::Cta, Scope::Gpu][random.below(2) as usize]);
            }
            6..9 if !relaxed => {
                // One thread hands a word on to another, in the block's memory or for all, and may forget how.
                messages += 1;
                let data = 0x1000 + 4 * u64::from(messages);
                let other = T(block, random.below(96) as u16);
                let space = (random.below(3) > 0).then_some(block);
                let mut does = || random.below(6) > 0;
                let (site, kinds) = (SiteId(messages), [AccessKind::Write, AccessKind::Read]);
                for (t, kind) in [t, other].into_iter().zip(kinds) {
                    let touch = |script: &mut Script<'_>| {
                        script.shared(None);
                        script.access(site, &[(t, data)], kind, Strength::Weak, Proxy::Generic, (4, 1));
                        script.shared(space);
                    };
                    let fence = |script: &mut Script<'_>, does| {
                        if does {
                            script.membar(t, Scope::Cta);
                        }
                    };
                    if kind.writes() {
                        touch(&mut script);
                        fence(&mut script, does());
                        script.stv(t, 0x2000);
                    } else {
                        _ = script.ldv(t, 0x2000);
                        fence(&mut script, does());
                        touch(&mut script);
                    }
                }
            }
            _ => {
                script.shared(Some(block));
                let line = random.below(lines);
                let weak = if careful { line.is_multiple_of(2) } else { random.below(8) == 0 };
                let (stride, mask) = (
                    [0, 4, 4, 8][random.below(4) as usize],
                    [u32::MAX, 0xffff, 1 << lane][random.below(3) as usize],
                );
                let threads: Vec<(T, u64)> = (0..32u16)
                    .filter(|lane| mask >> lane & 1 != 0)
                    .map(|lane| (T(block, warp * 32 + lane), line * 128 + u64::from(lane) * stride % 128))
                    .collect();
                let kind = if random.below(3) == 0 { AccessKind::Write } else { AccessKind::Read };
                let strength = if weak { Strength::Weak } else { Strength::Volatile };
                let at = ((intervals[block as usize] * 2 + block) * 3 + u32::from(warp)) * 8 + line as u32;
                let site = SiteId(1000 + (at * 2 + u32::from(weak)) * 2 + u32::from(kind.writes()));
                script.access(site, &threads, kind, strength, Proxy::Generic, (4, 1));
            }
        }
    }
    (0..2).for_each(|block| script.block_end(block));
    found(&mut script)
}

#[test]
fn what_warps_and_fences_order_is_found_by_either_way() {
    by_either_way(4000, 1000..3990, fenced);
}

/// Threads of a block that hand on words by flags in its own memory, and may forget how: what is said of the races.
fn explained(seed: u64, options: PtxOptions) -> Vec<(SiteId, Class, Vec<SyncNote>)> {
    let mut random = Random(seed);
    let uses = SyncUse { fences_or_strong: true, ..SyncUse::default() };
    let mut script = Script::with(launch(1, 2, 96, 1, uses), options);
    for turn in 0..random.below(60) {
        let block = random.below(2) as u32;
        if random.below(3) == 0 {
            script.barrier(block);
            continue;
        }
        // As a rule a flag is set, and nothing else, or all is as it ought to be.
        let (alone, careless) = (random.below(2) == 0, random.below(6) == 0);
        let [from, to] = [(); 2].map(|()| T(block, random.below(3) as u16 * 32 + random.below(2) as u16));
        let (data, flag) = (0x1000 + 4 * turn, 4 * random.below(3));
        // A loop's instructions come again.
        let site = |at: u64| SiteId((turn % 2 * 10 + at) as u32);
        let own = random.below(3) > 0;
        let weak = |script: &mut Script<'_>, t, kind, at| {
            script.shared(None);
            script.access(site(at), &[(t, data)], kind, Strength::Weak, Proxy::Generic, (4, 1));
        };
        let strong = |script: &mut Script<'_>, t, kind, at| {
            script.shared(own.then_some(block));
            script.access(site(at), &[(t, flag)], kind, Strength::Volatile, Proxy::Generic, (4, 1));
        };
        if alone {
            strong(&mut script, from, AccessKind::Write, 0);
            continue;
        }
        let early = careless && random.below(2) == 0;
        if early {
            strong(&mut script, from, AccessKind::Write, 0);
        }
        weak(&mut script, from, AccessKind::Write, 1);
        if !careless || random.below(3) == 0 {
            script.membar(from, [Scope::Cta, Scope::Gpu][random.below(2) as usize]);
        }
        if !early {
            strong(&mut script, from, AccessKind::Write, 2);
        }
        strong(&mut script, to, AccessKind::Read, 3);
        if !careless || random.below(3) == 0 {
            script.membar(to, Scope::Cta);
        }
        weak(&mut script, to, AccessKind::Read, 4);
    }
    (0..2).for_each(|block| script.block_end(block));
    let told = |f: Finding| Some((f.sides[1].site?, f.class, f.notes));
    let mut found: Vec<_> = script.findings().into_iter().filter_map(told).collect();
    found.sort_by_key(|(site, ..)| *site);
    found
}

/// What operations tell of flags that are put off is told when a race is explained, and nothing is said that would not have been.
#[test]
fn races_are_explained_alike_by_either_way() {
    by_either_way(2000, 500..2000, explained);
}

/// Tiles that a block's threads copy into its own memory, wait for and read, with barriers that are missing now and then.
fn groups(seed: u64, options: PtxOptions) -> Found {
    let mut random = Random(seed);
    let uses = SyncUse { asynchronous: true, groups_only: true, ..SyncUse::default() };
    let mut script = Script::with(launch(1, 2, 96, 1, uses), options);
    let (stages, careless) = (1 + random.below(3), random.below(2) == 0);
    let mut op = 1;
    for block in 0..2 {
        script.shared(Some(block));
        let misses = |random: &mut Random| careless && random.below(6) == 0;
        for turn in 0..1 + random.below(8) {
            let stage = turn % stages * 512;
            let mut waits = Vec::new();
            for warp in 0..3u16 {
                let threads: Vec<(T, u64)> = (0..32)
                    .map(|lane| (T(block, warp * 32 + lane), stage + u64::from(warp * 32 + lane) * 4))
                    .collect();
                if random.below(5) == 0 {
                    // By hand.
                    script.access(
                        SiteId(1),
                        &threads,
                        AccessKind::Write,
                        Strength::Weak,
                        Proxy::Generic,
                        (4, 1),
                    );
                    continue;
                }
                // Of one lane, now and then, in cells.
                let threads = if random.below(4) == 0 { &threads[..1] } else { &threads[..] };
                let kind = AccessKind::AsyncWrite { op: events::AsyncOpId(op) };
                script.access(SiteId(2), threads, kind, Strength::Weak, Proxy::Generic, (4, 1));
                waits.push((warp, if threads.len() == 1 { 1 } else { u32::MAX }, op));
                op += 32;
            }
            for (warp, lanes, op) in waits {
                if !misses(&mut random) {
                    script.waited_by(T(block, warp * 32), lanes, &[op]);
                }
            }
            if !misses(&mut random) {
                script.barrier(block);
            }
            for read in 0..random.below(4) {
                let (warp, shape) = (random.below(3) as u16, random.below(3));
                let place = |lane: u64| match shape {
                    0 => lane * 4,
                    1 => lane * 12 % 384,
                    _ => lane / 8 * 128 + lane % 8 * 4,
                };
                let threads: Vec<(T, u64)> =
                    (0..32).map(|lane| (T(block, warp * 32 + lane), stage + place(lane.into()))).collect();
                let site = SiteId(3 + read as u32);
                script.access(site, &threads, AccessKind::Read, Strength::Weak, Proxy::Generic, (4, 1));
            }
            if !misses(&mut random) {
                script.barrier(block);
            }
        }
        script.block_end(block);
    }
    found(&mut script)
}

#[test]
fn tiles_that_are_copied_are_found_by_either_way() {
    by_either_way(1000, 200..800, groups);
}

/// Behind a barrier lines begin anew, but not under a copy that its thread has not waited for.
#[test]
fn a_barrier_does_not_end_a_copy() {
    for (waits, copies_first) in [(true, true), (true, false), (false, true), (false, false)] {
        let uses = SyncUse { asynchronous: true, groups_only: true, ..SyncUse::default() };
        let mut script = Script::with(launch(1, 1, 64, 1, uses), PtxOptions::default());
        script.shared(Some(0));
        let (copier, other) = (T(0, 3), T(0, 40));
        if !copies_first {
            // So that the line is one of cells before.
            script.write(copier, 64);
            script.write(T(0, 4), 68);
        }
        script.copy(copier, 72, 4, 1, true, Proxy::Generic);
        if waits {
            script.waited(copier, &[1], false);
        }
        script.barrier(0);
        script.read(other, 64);
        script.read(other, 72);
        match waits {
            true => script.clean(),
            false => script.races(events::Class::AsyncCopy),
        }
    }
}
