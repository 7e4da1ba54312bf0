//! What the detector's shadow state takes, and that it is counted.

use crate::script;

use detect::ptx::PtxOptions;
use events::task::SyncUse;
use events::{AccessKind, AtomicOp, Listener, Proxy, Scope, Sem, SiteId, Strength};
use script::{Script, T, all_uses, launch, strong};

const RED: AccessKind = AccessKind::Atomic { op: AtomicOp::Add, returns: false };

fn warp(block: u32, address: impl Fn(u64) -> u64) -> Vec<(T, u64)> {
    (0..32).map(|lane| (T(block, lane as u16), address(lane))).collect()
}

fn add(s: &mut Script<'_>, site: u32, threads: &[(T, u64)]) {
    s.access(SiteId(site), threads, RED, strong(Sem::Relaxed, Scope::Gpu), Proxy::Generic, (4, 1));
}

fn plain(s: &mut Script<'_>, site: u32, kind: AccessKind, threads: &[(T, u64)]) {
    s.access(SiteId(site), threads, kind, Strength::Weak, Proxy::Generic, (4, 1));
}

/// Every block's atomics were kept for each of the histogram's bins: nine kilobytes for a byte.
#[test]
fn a_histogram_takes_twelve_bytes_for_each() {
    let mut s = Script::with(launch(1, 64, 32, 1, SyncUse::default()), PtxOptions::default());
    for round in 0..256u64 {
        for block in 0..64 {
            let bin = |lane| (u64::from(block) * 7919 + lane * 104_729 + round * 1_299_709) % 4096 * 4;
            add(&mut s, 1 + round as u32 % 4, &warp(block, bin));
        }
    }
    let footprint = s.ear.monitor.account().footprint;
    assert_eq!(footprint.touched_bytes, 16384);
    assert!(footprint.shadow_bytes <= 12 * 16384, "{footprint:?}");
    // A thread that reads a bin still races with threads that added.
    plain(&mut s, 9, AccessKind::Read, &warp(3, |lane| lane * 4));
    assert!(!s.findings().is_empty());
}

/// A block that clears its counters and reads them behind barriers, as histograms in shared memory do.
#[test]
fn counters_between_barriers_are_clean_and_stay_small() {
    let mut s = Script::with(launch(1, 1, 32, 1, SyncUse::default()), PtxOptions::default());
    s.shared(Some(0));
    for _ in 0..50 {
        plain(&mut s, 1, AccessKind::Write, &warp(0, |lane| lane * 4));
        s.barrier(0);
        add(&mut s, 2, &warp(0, |lane| lane % 7 * 4));
        s.barrier(0);
        plain(&mut s, 3, AccessKind::Read, &warp(0, |lane| 124 - lane * 4));
        s.barrier(0);
    }
    s.block_end(0);
    let footprint = s.ear.monitor.account().footprint;
    // None of it has to be judged: all is put off until a barrier.
    assert_eq!((footprint.shadow_bytes, footprint.touched_bytes), (0, 0));
    assert_eq!(s.findings().len(), 0);
}

/// Lanes of one instruction were put together with those of another, which then seemed to race with itself.
#[test]
fn a_lane_is_not_told_of_with_another_instruction() {
    let mut s = Script::with(launch(1, 1, 32, 1, SyncUse::default()), PtxOptions::default());
    add(&mut s, 1, &[(T(0, 0), 0)]);
    add(&mut s, 2, &[(T(0, 1), 0)]);
    plain(&mut s, 3, AccessKind::Read, &[(T(0, 0), 0)]);
    let findings = s.findings();
    assert_eq!(findings.len(), 1);
    let sites = findings[0].sides.each_ref().map(|side| side.site);
    assert_eq!(sites, [Some(SiteId(2)), Some(SiteId(3))]);
}

/// Overlapping reads of all blocks, as of a filter's, took cells for every sixteen bytes.
#[test]
fn a_table_that_all_read_stays_small() {
    let mut s = Script::with(launch(1, 64, 64, 1, SyncUse::default()), PtxOptions::default());
    for block in 0..64 {
        for tap in 0..17 {
            let site = 1 + tap as u32;
            plain(&mut s, site, AccessKind::Read, &warp(block, |lane| 4096 + (lane + tap) * 4));
            plain(&mut s, site, AccessKind::Read, &warp(block, |lane| 4096 + lane * 64 + tap * 4));
        }
    }
    let footprint = s.ear.monitor.account().footprint;
    assert!(footprint.shadow_bytes <= 12 * footprint.touched_bytes + 8192, "{footprint:?}");
    // A thread that writes still races with threads that read.
    plain(&mut s, 99, AccessKind::Write, &[(T(3, 40), 4096 + 20)]);
    assert!(!s.findings().is_empty());
}

/// All writes of a location that all blocks write were kept, and each new one was compared with all of them.
#[test]
fn of_many_stores_that_race_few_are_kept() {
    for uses in [SyncUse::default(), all_uses()] {
        let mut s = Script::with(launch(1, 3000, 32, 1, uses), PtxOptions::default());
        for block in 0..3000 {
            plain(&mut s, 1, AccessKind::Write, &[(T(block, 0), 4096)]);
        }
        let footprint = s.ear.monitor.account().footprint;
        assert!(footprint.shadow_bytes < 64 << 10, "{footprint:?}");
        // The next thread still races with them.
        plain(&mut s, 2, AccessKind::Read, &[(T(1500, 1), 4096)]);
        let reads = |f: &events::Finding| f.sides.iter().any(|side| side.site == Some(SiteId(2)));
        assert!(s.findings().iter().any(reads));
    }
}

/// Shadow of shared memory was not counted while it was pages, and never given back when it was cells.
#[test]
fn shared_memory_is_counted_and_given_back() {
    let options = PtxOptions { max_shadow_bytes: Some(64 << 10), ..PtxOptions::default() };
    let mut s = Script::with(launch(1, 2000, 32, 1, all_uses()), options);
    for block in 0..2000 {
        s.shared(Some(block));
        // Strong accesses have exact cells.
        let threads = warp(block, |lane| lane * 4);
        s.access(SiteId(1), &threads, AccessKind::Write, Strength::Volatile, Proxy::Generic, (4, 1));
        s.block_end(block);
    }
    let footprint = s.ear.monitor.account().footprint;
    assert_eq!(footprint.touched_bytes, 128);
    assert!(footprint.shadow_bytes > 1024, "{footprint:?}");
    s.shared(None);
    plain(&mut s, 2, AccessKind::Write, &warp(0, |lane| 0x10000 + lane * 4));
    assert!(s.ear.monitor.account().limits.is_empty(), "{:?}", s.ear.monitor.account().limits);
    assert_eq!(s.ear.monitor.account().footprint.touched_bytes, 256);
}

/// The table by which pages are found, and what an access of the only worker adds.
const FIXED: u64 = 48 << 10;

/// A grid of blocks that write, meet at a barrier made of atomics, and read what their neighbours wrote, `rounds` times.
/// Without the acquiring side of the barrier, if so asked.
fn neighbours(cap: Option<u64>, rounds: u64, acquires: bool) -> Script<'static> {
    const BLOCKS: u32 = 48;
    let options = PtxOptions { max_shadow_bytes: cap, ..PtxOptions::default() };
    let mut s = Script::with(launch(1, BLOCKS, 32, 1, all_uses()), options);
    let (counter, flags) = (1 << 30, 1 << 31);
    let place =
        |block: u32, round: u64, page: u64| (u64::from(block) * 8 + page) * 4096 + round % 2 * (1 << 28);
    for round in 0..rounds {
        for block in 0..BLOCKS {
            for page in 0..8 {
                let address = |lane| place(block, round, page) + lane * 100;
                plain(&mut s, 1, AccessKind::Write, &warp(block, address));
            }
            s.barrier(block);
            s.fence(T(block, 0), Sem::AcqRel, Scope::Gpu);
            s.atom(T(block, 0), counter, Sem::Relaxed, Scope::Gpu);
            s.store(T(block, 0), flags + u64::from(block) * 4, Sem::Relaxed, Scope::Gpu);
        }
        for block in 0..BLOCKS {
            s.load(T(block, 0), counter, Sem::Relaxed, Scope::Gpu);
            if acquires {
                s.fence(T(block, 0), Sem::AcqRel, Scope::Gpu);
            }
            s.barrier(block);
            for page in 0..8 {
                let address = |lane| place((block + 1) % BLOCKS, round, page) + lane * 100;
                plain(&mut s, 2, AccessKind::Read, &warp(block, address));
            }
        }
    }
    for block in 0..BLOCKS {
        s.block_end(block);
    }
    s
}

/// With `--max-memory` synchronisation was forgotten with the locations, and a clean program had missing fences. And
/// the bound was none: pages that were there grew without end.
#[test]
fn a_cap_invents_no_race_and_holds() {
    assert!(neighbours(None, 3, true).findings().is_empty());
    assert!(!neighbours(None, 3, false).findings().is_empty());
    for cap in [16 << 10, 100 << 10, 500 << 10, 1 << 20, 2 << 20] {
        let mut s = neighbours(Some(cap), 3, true);
        assert!(s.findings().is_empty(), "with {cap} bytes");
        let held = s.ear.monitor.account().footprint.shadow_bytes;
        assert!(held <= cap + cap / 8 + FIXED, "{held} bytes of {cap}");
        let limits = s.ear.monitor.account().limits;
        assert!(limits[0].contains("--max-memory"), "{limits:?}");
        assert!(!limits[0].contains(" 0 % of the accesses"), "{limits:?}");
    }
}

#[test]
fn what_there_is_memory_for_is_still_checked() {
    let mut s = neighbours(Some(2 << 20), 3, false);
    assert!(!s.findings().is_empty());
    assert!(neighbours(Some(1 << 30), 3, true).ear.monitor.account().limits.is_empty());
}

/// The order of threads that synchronise one by one takes memory of its own; what there is no memory for is no
/// longer checked, and the kernel is named.
#[test]
fn synchronisation_beyond_the_cap_ends_the_check() {
    let options = PtxOptions { max_shadow_bytes: Some(256 << 10), ..PtxOptions::default() };
    let mut s = Script::with(launch(1, 2000, 32, 1, all_uses()), options);
    for block in 0..2000 {
        for lane in [0, 9] {
            s.store(
                T(block, lane),
                (1 << 30) + u64::from(block) * 256 + u64::from(lane) * 4,
                Sem::Release,
                Scope::Gpu,
            );
            s.write(T(block, lane), u64::from(block) * 128 + u64::from(lane) * 4);
        }
    }
    for block in 0..2000 {
        s.read(T(block, 4), u64::from(block) * 128 + 36);
        s.block_end(block);
    }
    assert!(s.findings().is_empty(), "nothing is checked by then");
    let limits = s.ear.monitor.account().limits;
    assert!(limits.iter().any(|l| l.starts_with("script: not checked to its end")), "{limits:?}");
    assert!(s.ear.monitor.account().footprint.shadow_bytes < 300 << 10);
}

/// A lock and what it protects, in one cell: that many threads try the lock is no reason to forget reads.
#[test]
fn a_lock_that_many_threads_take_costs_its_neighbour_nothing() {
    let mut s = Script::new(2, 128);
    let (lock, sum) = (0x1000, 0x1004);
    let turns = |s: &mut Script<'_>, fences: bool| {
        for thread in (0..128).rev() {
            for block in 0..2 {
                // The next holders try in vain.
                for waiting in (0..thread).take(4) {
                    s.swap(T(block, waiting), lock, (1, 1));
                }
                s.swap(T(block, thread), lock, (0, 1));
                if fences {
                    s.fence(T(block, thread), Sem::Sc, Scope::Gpu);
                }
                s.read(T(block, thread), sum);
                s.write(T(block, thread), sum);
                if fences {
                    s.fence(T(block, thread), Sem::Sc, Scope::Gpu);
                }
                s.atom(T(block, thread), lock, Sem::Relaxed, Scope::Gpu);
            }
        }
    };
    turns(&mut s, true);
    assert!(s.classes().is_empty());
    let limits = s.ear.monitor.account().limits;
    assert!(limits.is_empty(), "{limits:?}");
    let mut s = Script::new(2, 128);
    turns(&mut s, false);
    assert!(!s.classes().is_empty());
}

/// A pipeline's copies into the same buffers again and again were all kept.
#[test]
fn copies_that_follow_each_other_take_no_more_memory() {
    let uses = SyncUse { asynchronous: true, groups_only: true, ..SyncUse::default() };
    let mut s = Script::with(launch(1, 1, 64, 1, uses), PtxOptions::default());
    s.shared(Some(0));
    let mut bytes = Vec::new();
    for turn in 0..200u64 {
        for lane in 0..32u64 {
            let (by, op) = (T(0, lane as u16), turn * 32 + lane);
            s.copy(by, lane * 4, 4, op, true, Proxy::Generic);
            s.waited(by, &[op], false);
        }
        s.barrier(0);
        let others: Vec<_> = (0..32u64).map(|lane| (T(0, 32 + lane as u16), (31 - lane) * 4)).collect();
        plain(&mut s, 1, AccessKind::Read, &others);
        s.barrier(0);
        bytes.push(s.ear.monitor.account().footprint.shadow_bytes);
    }
    assert_eq!(bytes[20], bytes[199]);
    s.clean();
    // The last ones are.
    s.copy(T(0, 5), 20, 4, 1 << 20, true, Proxy::Generic);
    plain(&mut s, 2, AccessKind::Read, &[(T(0, 40), 20)]);
    assert_eq!(s.findings().len(), 1);
}

/// Where all copies are waited for by their own threads, those that others stand for are dropped. Whoever races with an
/// earlier access is told so all the same.
#[test]
fn copies_that_are_dropped_lose_no_race() {
    const STEPS: u64 = 24;
    for seed in 0..400 {
        let mut rng = oracle::random::Rng(seed);
        let program: Vec<(u32, T, u64)> = (0..STEPS)
            .map(|_| (rng.below(10) as u32, T(0, (rng.below(4) * 16) as u16), rng.below(3) * 4))
            .collect();
        let races = |groups_only: bool| {
            let uses = SyncUse { asynchronous: true, groups_only, ..SyncUse::default() };
            let mut s = Script::with(launch(1, 1, 64, 1, uses), PtxOptions::default());
            s.shared(Some(0));
            let mut open: Vec<(T, u64)> = Vec::new();
            let mut step = |(op, &(what, t, at)): (u64, &(u32, T, u64))| {
                match what {
                    0..=3 => {
                        s.copy(t, at, 4, op, what != 0, Proxy::Generic);
                        open.push((t, op));
                    }
                    4 | 5 => {
                        let own: Vec<u64> = open.iter().filter(|(by, _)| *by == t).map(|o| o.1).collect();
                        open.retain(|(by, _)| *by != t);
                        s.waited(t, &own, false);
                    }
                    6 | 7 => s.barrier(0),
                    8 => s.read(t, at),
                    _ => s.write(t, at),
                }
                !s.findings().is_empty()
            };
            (0..STEPS).zip(&program).map(&mut step).collect::<Vec<bool>>()
        };
        assert_eq!(races(true), races(false), "seed {seed}: {program:?}");
    }
}

/// One step of a random kernel of two warps: what, which warp, which of its lanes, and where.
#[derive(Clone, Copy, Debug)]
struct Step {
    what: u32,
    warp: u16,
    lanes: u32,
    base: u64,
    stride: u64,
}

impl Step {
    fn random(rng: &mut oracle::random::Rng) -> Self {
        let masks = [u32::MAX, u32::MAX, 0xffff, 0xffff_0000, 0x00ff_00f0, 0x10];
        Step {
            what: rng.below(14) as u32,
            warp: rng.below(2) as u16,
            lanes: masks[rng.below(6) as usize],
            base: rng.below(12) * 32,
            stride: [4, 4, 4, 8, 0][rng.below(5) as usize],
        }
    }

    fn threads(&self) -> Vec<(T, u64)> {
        let first = self.lanes.trailing_zeros() as u64;
        let at = |lane: u64| self.base + (lane - first) * self.stride;
        let lanes = (0..32u64).filter(|lane| self.lanes >> lane & 1 != 0);
        lanes.map(|lane| (T(0, self.warp * 32 + lane as u16), at(lane))).collect()
    }
}

/// Copies of a warp in one event are judged as those of its lanes are, one by one: they race at the same steps, also where
/// some lanes wait before others, and where flags carry the wait to others.
#[test]
fn copies_of_a_warp_are_those_of_its_lanes() {
    let mut racy = 0;
    for seed in 0..std::env::var("WARPRACE_SEEDS").map_or(600, |n| n.parse().unwrap()) {
        let mut rng = oracle::random::Rng(seed);
        let program: Vec<Step> = (0..20).map(|_| Step::random(&mut rng)).collect();
        let flags = seed % 3 == 0;
        let races = |together: bool| {
            let simple = SyncUse { asynchronous: true, groups_only: seed % 2 == 0, ..SyncUse::default() };
            let uses = if flags { all_uses() } else { simple };
            let mut s = Script::with(launch(1, 1, 64, 1, uses), PtxOptions::default());
            // Warp, lanes, and the lowest one's operation.
            let mut open: Vec<(u16, u32, u64)> = Vec::new();
            let steps = program.iter().enumerate().map(|(i, step)| {
                // Each step is an instruction of its own, so that each race is told.
                let (threads, first, site) = (step.threads(), 1 + i as u64 * 32, 1 + i as u32);
                s.shared(if step.what % 2 == 0 { None } else { Some(0) });
                match step.what {
                    0..=4 => {
                        let op = |nth: u64| events::AsyncOpId(first + nth);
                        let kind = |nth| match step.what {
                            2 | 3 => AccessKind::AsyncRead { op: op(nth) },
                            _ => AccessKind::AsyncWrite { op: op(nth) },
                        };
                        let mut copy = |nth, threads: &[(T, u64)]| {
                            s.access(
                                SiteId(site),
                                threads,
                                kind(nth),
                                Strength::Weak,
                                Proxy::Generic,
                                (4, 1),
                            );
                        };
                        if together {
                            copy(0, &threads);
                        } else {
                            (0..).zip(&threads).for_each(|(nth, thread)| copy(nth, &[*thread]));
                        }
                        open.push((step.warp, step.lanes, first));
                    }
                    5..=8 => {
                        let whole = step.what < 8;
                        for (warp, lanes, op) in std::mem::take(&mut open) {
                            if warp != step.warp {
                                open.push((warp, lanes, op));
                            } else if whole && together {
                                s.waited_by(T(0, warp * 32), lanes, &[op]);
                            } else {
                                // Some lanes wait alone, and the others then or never.
                                let all = (0..32).filter(|lane| lanes >> lane & 1 != 0);
                                for (nth, lane) in all.enumerate().filter(|(nth, _)| whole || nth % 3 == 0) {
                                    s.waited_by(T(0, warp * 32), 1 << lane, &[op + nth as u64]);
                                }
                            }
                        }
                    }
                    9 | 10 => s.barrier(0),
                    11 => plain(&mut s, site, AccessKind::Write, &threads),
                    12 if flags => {
                        s.shared(None);
                        s.atom(threads[0].0, 4096, Sem::AcqRel, Scope::Gpu);
                    }
                    _ => plain(&mut s, site, AccessKind::Read, &threads),
                }
                !s.findings().is_empty()
            });
            steps.collect::<Vec<bool>>()
        };
        let (expected, found) = (races(false), races(true));
        racy += usize::from(expected.contains(&true));
        assert_eq!(found, expected, "seed {seed}: {program:#?}");
    }
    assert!(racy > 200, "{racy}");
}
