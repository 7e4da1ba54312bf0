//! Lens `gwcp` orders what the textbook algorithm orders, on random programs with locks of both
//! scopes, nested sections, block barriers and warp barriers.
//!
//! Beside accesses that many threads share, each program has *probes*: locations that are written
//! once and read once. For those the lens, whose shadow memory forgets what later accesses stand
//! for, must say exactly what the textbook says.

use crate::textbook;

use detect::lens::Lens;
use detect::named;
use events::access::Warp;
use events::task::{LaunchInfo, SyncUse};
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, BlockId, Dim3, Proxy, Sem, SiteId, Space,
    Strength, Sync, TaskId, WarpId,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use textbook::{Op, Place, Scope, Textbook, Thread};

const TASK: TaskId = TaskId(1);
const BLOCKS: usize = 2;
const WARPS: usize = 2;
const LANES: usize = 2;
const LOCKS: usize = 3;
const SHARED: u64 = 5;

/// Sites of what a program does not name: locks, fences, private words.
const REST: SiteId = SiteId(1_000_000);

fn places() -> Vec<Place> {
    let warps = (0..BLOCKS).flat_map(|block| (0..WARPS).map(move |warp| Place { block, warp }));
    warps.flat_map(|place| [place; LANES]).collect()
}

/// A program from random numbers: what a thread cannot do is left out, and all locks are given back.
fn program(numbers: &[u32]) -> Vec<Op> {
    let threads = places().len();
    let mut holders: Vec<Option<Thread>> = vec![None; LOCKS];
    let mut probes: Vec<(Thread, u64)> = Vec::new();
    let mut next_probe = 100;
    let mut ops = Vec::new();
    for &number in numbers {
        let take = |from: u32, n: usize| (number >> from) as usize % n;
        let t = take(0, threads);
        let l = take(8, LOCKS);
        match take(12, 16) {
            0..=4 if holders[l].is_none() => {
                holders[l] = Some(t);
                ops.push(Op::Acquire(t, l, if take(20, 4) == 0 { Scope::Block } else { Scope::Device }));
            }
            // Whoever holds it gives it back, else no lock would ever be free.
            0..=4 => ops.extend(holders[l].take().map(|holder| Op::Release(holder, l))),
            5 | 6 => ops.push(Op::Read(holders[l].unwrap_or(t), take(16, SHARED as usize) as u64)),
            7 | 8 => ops.push(Op::Write(holders[l].unwrap_or(t), take(16, SHARED as usize) as u64)),
            9 => ops.push(Op::Barrier(take(16, BLOCKS))),
            10 => ops.push(Op::WarpBarrier(t)),
            11..=13 => {
                ops.push(Op::Write(t, next_probe));
                probes.push((t, next_probe));
                next_probe += 1;
            }
            _ => {
                if let Some(at) = (!probes.is_empty()).then(|| take(16, probes.len()))
                    && probes[at].0 != t
                {
                    ops.push(Op::Read(t, probes.swap_remove(at).1));
                }
            }
        }
    }
    let open = holders.iter().enumerate().filter_map(|(l, t)| t.map(|t| Op::Release(t, l)));
    ops.extend(open.collect::<Vec<_>>());
    // Another thread reads the last write, too.
    ops.extend(probes.iter().map(|&(t, x)| Op::Read((t + 3) % threads, x)));
    ops
}

/// Tells a lens what the operations are in CUDA's idioms.
struct Emitter<'a> {
    lens: &'a mut dyn Lens,
    places: Vec<Place>,
    scopes: Vec<Scope>,
    words: u64,
}

impl Emitter<'_> {
    fn warp(&self, t: Thread) -> (Warp, u32) {
        let Place { block, warp } = self.places[t];
        (Warp { task: TASK, block: BlockId(block as u32), warp: WarpId(warp as u16) }, (t % LANES) as u32)
    }

    fn access(
        &mut self,
        t: Thread,
        site: SiteId,
        kind: AccessKind,
        strength: Strength,
        at: u64,
        values: (u64, u64),
    ) {
        let (warp, lane) = self.warp(t);
        let mask = 1 << lane;
        self.lens.access(&Access {
            warp,
            site,
            space: Space::Global,
            kind,
            strength,
            proxy: Proxy::Generic,
            size: 4,
            elements: 1,
            mask,
            addresses: &[at; 32],
            stride: None,
            stored: if kind.writes() { mask } else { 0 },
            values: (strength != Strength::Weak).then_some(&[values; 32]),
            written: Default::default(),
        });
    }

    fn fence(&mut self, t: Thread, scope: events::Scope) {
        let (warp, lane) = self.warp(t);
        self.lens.sync(&Sync::Fence { warp, site: REST, lanes: 1 << lane, sem: Sem::Sc, scope });
    }

    /// A store next to a fence would be a release, a load an acquire: a word that no other thread accesses, and
    /// this thread never again, stands between.
    fn own_word(&mut self, t: Thread) {
        self.words += 1;
        let at = 0x9000_0000 + 64 * self.words;
        self.access(t, REST, AccessKind::Write, Strength::Weak, at, (0, 0));
    }

    fn atomic(&mut self, t: Thread, op: AtomicOp, scope: events::Scope, l: usize, values: (u64, u64)) {
        let kind = AccessKind::Atomic { op, returns: true };
        let strength = Strength::Strong { sem: Sem::Relaxed, scope };
        self.access(t, REST, kind, strength, 0x8000_0000 + 64 * l as u64, values);
    }

    fn step(&mut self, step: usize, op: Op) {
        let site = SiteId(step as u32);
        let scope =
            |scope: Scope| if scope == Scope::Block { events::Scope::Cta } else { events::Scope::Gpu };
        match op {
            Op::Read(t, x) => self.access(t, site, AccessKind::Read, Strength::Weak, 64 * x, (0, 0)),
            Op::Write(t, x) => self.access(t, site, AccessKind::Write, Strength::Weak, 64 * x, (0, 0)),
            Op::Acquire(t, l, s) => {
                self.scopes[l] = s;
                self.atomic(t, AtomicOp::Cas, scope(s), l, (0, 1));
                self.fence(t, scope(s));
                self.own_word(t);
            }
            Op::Release(t, l) => {
                let s = scope(self.scopes[l]);
                self.own_word(t);
                self.fence(t, s);
                self.atomic(t, AtomicOp::Exch, s, l, (1, 0));
            }
            Op::Barrier(block) => {
                let (block, id) = (BlockId(block as u32), BarrierId::Cta(0));
                for warp in 0..WARPS {
                    let warp = Warp { task: TASK, block, warp: WarpId(warp as u16) };
                    let (lanes, sem) = (u32::MAX, Sem::AcqRel);
                    self.lens.sync(&Sync::BarrierArrive { warp, site: REST, id, lanes, waits: true, sem });
                }
                let members = BarrierMembers::WholeBlock;
                self.lens.sync(&Sync::BarrierComplete { task: TASK, block, id, members });
            }
            Op::WarpBarrier(t) => {
                let (warp, _) = self.warp(t);
                self.lens.sync(&Sync::WarpSync { warp, site: REST, lanes: (1 << LANES) - 1 });
            }
        }
    }
}

/// Pairs of steps that the lens reports.
fn reported(name: &str, ops: &[Op]) -> BTreeSet<(usize, usize)> {
    let mut lens = named::build(name).unwrap();
    let uses =
        SyncUse { fences_or_strong: true, atomics: true, blocks_communicate: true, ..SyncUse::default() };
    let info = LaunchInfo {
        kernel: "random".to_owned(),
        grid: Dim3::new(BLOCKS as u32, 1, 1),
        block: Dim3::new(32 * WARPS as u32, 1, 1),
        cluster: Dim3::ONE,
        cooperative: false,
        shared_bytes: 0,
        uses,
    };
    lens.launch(TASK, &info);
    let mut emitter =
        Emitter { lens: &mut *lens, places: places(), scopes: vec![Scope::Device; LOCKS], words: 0 };
    ops.iter().enumerate().for_each(|(step, &op)| emitter.step(step, op));
    lens.finish(TASK);
    let sites = lens.take_findings().into_iter().map(|f| f.sides.map(|side| side.site.unwrap_or(REST)));
    let steps = sites.filter(|sites| !sites.contains(&REST));
    steps.map(|[a, b]| (a.0.min(b.0) as usize, a.0.max(b.0) as usize)).collect()
}

fn by_the_book(ops: &[Op]) -> BTreeSet<(usize, usize)> {
    let mut textbook = Textbook::new(&places());
    ops.iter().enumerate().for_each(|(step, &op)| textbook.step(step, op));
    textbook.races
}

/// Only pairs at probes.
fn probes(ops: &[Op], races: &BTreeSet<(usize, usize)>) -> BTreeSet<(usize, usize)> {
    let probe = |step: usize| matches!(ops[step], Op::Read(_, x) | Op::Write(_, x) if x >= SHARED);
    races.iter().copied().filter(|&(a, _)| probe(a)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_lens_reports_what_the_textbook_does(numbers in prop::collection::vec(any::<u32>(), 1..160)) {
        let ops = program(&numbers);
        let expected = by_the_book(&ops);
        for name in ["gwcp", "gwcp:uncompressed"] {
            let found = reported(name, &ops);
            prop_assert!(found.is_subset(&expected), "{} reports {:?} in {:?}", name,
                found.difference(&expected).collect::<Vec<_>>(), ops);
            prop_assert_eq!(probes(&ops, &found), probes(&ops, &expected), "{} in {:?}", name, ops);
        }
    }
}

/// The random programs must not be so simple that any order would do.
#[test]
fn the_random_programs_race_and_are_ordered_and_differ_from_happens_before() {
    let (mut races, mut ordered, mut predicted) = (0, 0, 0);
    for seed in 1..200u32 {
        let numbers: Vec<u32> =
            (1..120u32).map(|i| (seed << 8 ^ i).wrapping_mul(0x9e37_79b9).rotate_left(seed % 31)).collect();
        let ops = program(&numbers);
        let gwcp = probes(&ops, &by_the_book(&ops));
        let hb = probes(&ops, &reported("hb", &ops));
        let reads = ops.iter().filter(|op| matches!(op, Op::Read(_, x) if *x >= SHARED)).count();
        races += gwcp.len();
        ordered += reads - gwcp.len();
        predicted += gwcp.difference(&hb).count();
    }
    assert!(races > 500 && ordered > 300 && predicted > 40, "{races} {ordered} {predicted}");
}

/// By a barrier a thread may know the acquire of a later section and not that of an earlier one, which
/// came first by happens-before only. The paper's queue is in the order of acquires: what the front
/// hides is not dequeued.
#[test]
fn a_barrier_may_tell_of_a_later_section_before_an_earlier_one() {
    // Threads: 0 to 3 are of block 0, 4 to 7 of block 1.
    let device = Scope::Device;
    let mut ops = vec![Op::Write(4, 100)];
    for (t, l) in [(4, 0), (2, 0)] {
        ops.extend([Op::Acquire(t, l, device), Op::Write(t, 200 + t as u64), Op::Release(t, l)]);
    }
    ops.extend([Op::Barrier(0), Op::Acquire(0, 0, device), Op::Release(0, 0), Op::Read(0, 100)]);
    let expected = by_the_book(&ops);
    assert_eq!(expected, BTreeSet::from([(0, ops.len() - 1)]), "nothing orders block 1's section");
    assert_eq!(reported("gwcp", &ops), expected);
}

/// What a release says of the past of the thread that learns it is passed on, too: thread 7's first
/// section comes before thread 0's, which thread 7 comes to know by a barrier, and passes on to thread 2.
#[test]
fn what_others_know_of_a_thread_it_passes_on() {
    let device = Scope::Device;
    let section = |t, l| [Op::Acquire(t, l, device), Op::Release(t, l)];
    let mut ops = vec![Op::Write(7, 100)];
    ops.extend([section(7, 1), section(0, 1)].concat());
    ops.push(Op::Barrier(0));
    ops.extend([section(0, 1), section(7, 1), section(2, 1)].concat());
    ops.push(Op::Read(2, 100));
    assert_eq!(by_the_book(&ops), BTreeSet::new());
    assert_eq!(reported("gwcp", &ops), BTreeSet::new());
    assert_eq!(reported("gwcp:uncompressed", &ops), BTreeSet::new());
}
