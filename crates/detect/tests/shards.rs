//! A lens divided among shards reports exactly what it reports alone.

use detect::lens::pairs::merge;
use detect::lens::{Lens, Shard};
use detect::named;
use events::access::Warp;
use events::task::{LaunchInfo, SyncUse};
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, BlockId, Dim3, Finding, Proxy, Scope, Sem,
    SiteId, Space, Strength, Sync, TaskId, WarpId,
};
use proptest::prelude::*;

const TASK: TaskId = TaskId(1);
const BLOCKS: u32 = 3;
const WARPS: u16 = 2;

fn launch(lens: &mut dyn Lens) {
    let uses =
        SyncUse { fences_or_strong: true, atomics: true, blocks_communicate: true, ..SyncUse::default() };
    let info = LaunchInfo {
        kernel: "random".to_owned(),
        grid: Dim3::new(BLOCKS, 1, 1),
        block: Dim3::new(u32::from(WARPS) * 32, 1, 1),
        cluster: Dim3::ONE,
        cooperative: false,
        shared_bytes: 0,
        uses,
    };
    lens.launch(TASK, &info);
}

/// One random event. Few sites, pages, locks and lanes, so that much collides.
fn tell(lens: &mut dyn Lens, bits: u64) {
    let take = |from: u32, n: u64| (bits >> from) % n;
    let block = BlockId(take(0, u64::from(BLOCKS)) as u32);
    let warp = Warp { task: TASK, block, warp: WarpId(take(8, u64::from(WARPS)) as u16) };
    let site = SiteId(take(12, 12) as u32);
    let mask = [1u32, 0b110, 0xFF, u32::MAX][take(16, 4) as usize];
    let scope = [Scope::Cta, Scope::Gpu][take(20, 2) as usize];
    let kind = take(24, 16);
    match kind {
        0 => {
            for index in 0..WARPS {
                let warp = Warp { warp: WarpId(index), ..warp };
                let (id, sem) = (BarrierId::Cta(0), Sem::AcqRel);
                lens.sync(&Sync::BarrierArrive { warp, site, id, lanes: u32::MAX, waits: true, sem });
            }
            let (id, members) = (BarrierId::Cta(0), BarrierMembers::WholeBlock);
            lens.sync(&Sync::BarrierComplete { task: TASK, block, id, members });
        }
        1 => lens.sync(&Sync::WarpSync { warp, site, lanes: mask }),
        2..=4 => lens.sync(&Sync::Fence { warp, site, lanes: mask, sem: Sem::Sc, scope }),
        _ => {
            let relaxed = Strength::Strong { sem: Sem::Relaxed, scope };
            let (kind, strength) = match kind {
                5 | 6 => (AccessKind::Atomic { op: AtomicOp::Cas, returns: true }, relaxed),
                7 | 8 => (AccessKind::Atomic { op: AtomicOp::Exch, returns: true }, relaxed),
                9 => (AccessKind::Read, Strength::Volatile),
                10 => (AccessKind::Write, Strength::Volatile),
                11 | 12 => (AccessKind::Read, Strength::Weak),
                13 => (AccessKind::Write, Strength::Strong { sem: Sem::Release, scope }),
                _ => (AccessKind::Write, Strength::Weak),
            };
            let atomic = matches!(kind, AccessKind::Atomic { .. });
            let page = take(32, if atomic { 2 } else { 6 });
            // Some accesses straddle pages, and with them shards.
            let base = 0x1_0000 + page * 0x1000 + if take(36, 3) == 0 { 0xFC0 } else { 0x10 };
            let stride = [0u64, 4, 8, 132][take(40, 4) as usize];
            let stride = if atomic { 0 } else { stride };
            let space = if !atomic && take(44, 4) == 0 { Space::Shared(block) } else { Space::Global };
            let size = take(52, 6) as usize;
            let old = take(48, 2);
            let stored = if kind == (AccessKind::Atomic { op: AtomicOp::Cas, returns: true }) && old == 1 {
                0
            } else if kind.writes() {
                mask
            } else {
                0
            };
            let new = u64::from(matches!(kind, AccessKind::Atomic { op: AtomicOp::Cas, .. }));
            lens.access(&Access {
                warp,
                site,
                space,
                kind,
                strength,
                proxy: Proxy::Generic,
                size: [1, 2, 4, 4, 8, 16][size],
                elements: if !atomic && take(56, 4) == 0 { 2 } else { 1 },
                mask,
                addresses: &std::array::from_fn(|lane| base + stride * lane as u64),
                stride: None,
                stored,
                values: (strength != Strength::Weak).then_some(&[(old, new); 32]),
                written: Default::default(),
            });
        }
    }
}

fn tell_all(lens: &mut dyn Lens, events: &[u64]) {
    launch(lens);
    for &bits in events {
        tell(lens, bits);
    }
    lens.finish(TASK);
}

fn alone(name: &str, events: &[u64]) -> Vec<Finding> {
    let mut lens = named::build(name).unwrap();
    tell_all(&mut *lens, events);
    lens.take_findings()
}

fn divided(name: &str, shards: usize, events: &[u64]) -> Vec<Finding> {
    merge(Shard::all(shards).map(|shard| {
        let mut lens = named::build(name).unwrap();
        assert!(lens.restrict(shard), "{name} can be divided");
        tell_all(&mut *lens, events);
        lens.take_dated()
    }))
}

const LENSES: [&str; 11] = [
    "scord",
    "scord:narrow,readers=replace,locks=circular,divergence=threads,relaxed=volatile",
    "scord:releases=fences",
    "scord:granularity=16,cached,mapping=neighbours",
    "iguard",
    "iguard:published",
    "hb",
    "gwcp",
    "gwcp:uncompressed",
    "hirace",
    "hirace:restart",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn shards_report_what_one_does(events in prop::collection::vec(any::<u64>(), 1..120), shards in 2..5usize) {
        for name in LENSES {
            prop_assert_eq!(divided(name, shards, &events), alone(name, &events), "{} in {}", name, shards);
        }
    }
}

/// Entries of pages far apart share a place, or what an entry says decides what a warp knows.
#[test]
fn some_lenses_cannot_be_divided() {
    for name in ["scord:published", "scord:cached", "scord:releases=file", "scord:traffic"] {
        assert!(!named::build(name).unwrap().restrict(Shard::WHOLE), "{name}");
    }
}

#[test]
fn the_random_streams_race_in_several_shards() {
    let events: Vec<u64> =
        (1..400u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)).collect();
    for name in LENSES {
        let with_findings = Shard::all(2)
            .filter(|&shard| {
                let mut lens = named::build(name).unwrap();
                lens.restrict(shard);
                tell_all(&mut *lens, &events);
                !lens.take_dated().is_empty()
            })
            .count();
        assert_eq!(with_findings, 2, "{name}");
    }
}

/// A damaged trace may tell of accesses at the very end of the address space, where the next granule has no address.
#[test]
fn the_last_bytes_of_the_address_space_are_heard() {
    for name in LENSES {
        let mut lens = named::build(name).unwrap();
        launch(&mut *lens);
        for (site, (before, stride, size)) in
            [(3, 0, 4), (7, 0, 8), (0, 0, 1), (127, 4, 4), (40, 4, 4), (15, 1, 16), (200, 8, 8)]
                .into_iter()
                .enumerate()
        {
            for kind in
                [AccessKind::Read, AccessKind::Write, AccessKind::Atomic { op: AtomicOp::Add, returns: true }]
            {
                let atomic = matches!(kind, AccessKind::Atomic { .. });
                let warp = Warp {
                    task: TASK,
                    block: BlockId(site as u32 % BLOCKS),
                    warp: WarpId(site as u16 % WARPS),
                };
                lens.access(&Access {
                    warp,
                    site: SiteId(site as u32),
                    space: Space::Global,
                    kind,
                    strength: if atomic {
                        Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu }
                    } else {
                        Strength::Weak
                    },
                    proxy: Proxy::Generic,
                    size,
                    elements: 1,
                    mask: u32::MAX,
                    addresses: &std::array::from_fn(|lane| {
                        (u64::MAX - before).wrapping_add(stride * lane as u64)
                    }),
                    stride: None,
                    stored: if kind.writes() { u32::MAX } else { 0 },
                    values: atomic.then_some(&[(0, 1); 32]),
                    written: Default::default(),
                });
            }
        }
        lens.finish(TASK);
        drop(lens.take_findings());
    }
}
