//! Speed and memory of the papers' lenses on made-up event streams.
//!
//! `cargo run --release -p detect --example lens_speed -- [THREADS [LENS…]]` tells each lens the
//! events of three kernels of that many threads: one that synchronises by barriers, one whose
//! warps take locks in turn (a thousand of them), one of atomics. It prints thread accesses and
//! synchronisation operations per second, and bytes of the lens's state for each thread at the
//! end of the kernel.

use detect::lens::{Lens, named};
use events::access::Warp;
use events::task::{LaunchInfo, SyncUse};
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, BlockId, Dim3, LaneMask, Proxy, Scope, Sem,
    SiteId, Space, Strength, Sync, TaskId, WarpId,
};
use std::time::Instant;

const TASK: TaskId = TaskId(1);
const BLOCK: u32 = 256;
const LOCKS: u64 = 1000;
/// Blocks that run side by side, as on a GPU.
const RESIDENT: u32 = 128;

struct Kernel<'a> {
    lens: &'a mut dyn Lens,
    events: u64,
}

impl Kernel<'_> {
    fn launch(lens: &mut dyn Lens, blocks: u32, fences_or_strong: bool) -> Kernel<'_> {
        let info = LaunchInfo {
            kernel: "made_up".to_owned(),
            grid: Dim3::new(blocks, 1, 1),
            block: Dim3::new(BLOCK, 1, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 0,
            uses: SyncUse { fences_or_strong, ..SyncUse::default() },
            resident: None,
        };
        lens.launch(TASK, &info);
        Kernel { lens, events: 0 }
    }

    #[allow(clippy::too_many_arguments)]
    fn access(
        &mut self,
        site: u32,
        warp: Warp,
        mask: LaneMask,
        kind: AccessKind,
        strength: Strength,
        values: Option<(u64, u64)>,
        address: impl Fn(u64) -> u64,
    ) {
        self.events += u64::from(mask.count_ones());
        let values = values.map(|v| [v; 32]);
        self.lens.access(&Access {
            warp,
            site: SiteId(site),
            space: Space::Global,
            kind,
            strength,
            proxy: Proxy::Generic,
            size: 4,
            elements: 1,
            mask,
            addresses: &std::array::from_fn(|lane| address(lane as u64)),
            stored: if kind.writes() { mask } else { 0 },
            values: values.as_ref(),
        });
    }

    fn fence(&mut self, site: u32, warp: Warp, lanes: LaneMask) {
        self.events += u64::from(lanes.count_ones());
        let (site, sem, scope) = (SiteId(site), Sem::Sc, Scope::Gpu);
        self.lens.sync(&Sync::Fence { warp, site, lanes, sem, scope });
    }

    fn barrier(&mut self, block: u32) {
        self.events += u64::from(BLOCK);
        for warp in warps(block) {
            let (id, sem, site) = (BarrierId::Cta(0), Sem::AcqRel, SiteId(0));
            self.lens.sync(&Sync::BarrierArrive { warp, site, id, lanes: u32::MAX, waits: true, sem });
        }
        let (block, id, members) = (BlockId(block), BarrierId::Cta(0), BarrierMembers::WholeBlock);
        self.lens.sync(&Sync::BarrierComplete { task: TASK, block, id, members });
    }

    fn end(&mut self, block: u32) {
        for warp in warps(block) {
            self.lens.sync(&Sync::Exit { warp, lanes: u32::MAX });
        }
        self.lens.sync(&Sync::BlockEnd { task: TASK, block: BlockId(block) });
    }
}

fn warps(block: u32) -> impl Iterator<Item = Warp> {
    (0..BLOCK as u16 / 32).map(move |warp| Warp { task: TASK, block: BlockId(block), warp: WarpId(warp) })
}

fn thread(warp: Warp, lane: u64) -> u64 {
    u64::from(warp.block.0) * u64::from(BLOCK) + u64::from(warp.warp.0) * 32 + lane
}

const RELAXED: Strength = Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu };

/// Each block reverses its part of an array four times.
fn barriers(kernel: &mut Kernel<'_>, block: u32) {
    for round in 0..4u64 {
        for warp in warps(block) {
            let own = |lane| 4 * thread(warp, lane);
            kernel.access(1, warp, u32::MAX, AccessKind::Write, Strength::Weak, None, own);
        }
        kernel.barrier(block);
        for warp in warps(block) {
            let last = u64::from(block + 1) * u64::from(BLOCK) - 1;
            let first = u64::from(block) * u64::from(BLOCK);
            let other = |lane| 4 * (last - (thread(warp, lane) - first));
            kernel.access(2, warp, u32::MAX, AccessKind::Read, Strength::Weak, None, other);
        }
        if round != 3 {
            kernel.barrier(block);
        }
    }
}

/// The first lane of each warp adds to one of a thousand counters, under its lock.
fn locks(kernel: &mut Kernel<'_>, block: u32) {
    for warp in warps(block) {
        let (lock, data) = (thread(warp, 0) / 32 % LOCKS, (1 << 32) + thread(warp, 0) / 32 % LOCKS * 4);
        let lock = |_| (2 << 32) + lock * 4;
        let atomic = |op| AccessKind::Atomic { op, returns: true };
        kernel.access(3, warp, 1, atomic(AtomicOp::Cas), RELAXED, Some((0, 1)), lock);
        kernel.fence(4, warp, 1);
        kernel.access(5, warp, 1, AccessKind::Read, Strength::Volatile, None, |_| data);
        kernel.access(6, warp, 1, AccessKind::Write, Strength::Volatile, None, |_| data);
        kernel.fence(7, warp, 1);
        kernel.access(8, warp, 1, atomic(AtomicOp::Exch), RELAXED, Some((1, 0)), lock);
    }
}

/// A histogram of 4096 bins.
fn atomics(kernel: &mut Kernel<'_>, block: u32) {
    let kind = AccessKind::Atomic { op: AtomicOp::Add, returns: false };
    for warp in warps(block) {
        for round in 0..4 {
            let bin = |lane: u64| 4 * (thread(warp, lane).wrapping_mul(0x9e37_79b9 + round) >> 7 & 4095);
            kernel.access(9, warp, u32::MAX, kind, RELAXED, None, bin);
        }
    }
}

type Body = fn(&mut Kernel<'_>, u32);

fn main() {
    let mut args = std::env::args().skip(1);
    let threads: u32 = args.next().map_or(Ok(1 << 17), |a| a.parse()).expect("a number of threads");
    let mut names: Vec<String> = args.collect();
    if names.is_empty() {
        names = named::SERIAL.map(str::to_owned).to_vec();
        names.extend(["hb:uncompressed", "gwcp:uncompressed"].map(str::to_owned));
    }
    let blocks = threads.div_ceil(BLOCK);
    println!("{} threads in {blocks} blocks\n", blocks * BLOCK);
    println!("| lens | kernel | million events/s | state, bytes per thread | findings |");
    println!("|---|---|---|---|---|");
    let kernels: [(&str, Body); 3] = [("barriers", barriers), ("locks", locks), ("atomics", atomics)];
    for name in &names {
        for (kernel, body) in kernels {
            let mut lens = named::build(name).expect("a lens");
            let start = Instant::now();
            let mut running = Kernel::launch(&mut lens, blocks, kernel == "locks");
            for block in 0..blocks {
                body(&mut running, block);
                if block >= RESIDENT {
                    running.end(block - RESIDENT);
                }
            }
            let events = running.events;
            let seconds = start.elapsed().as_secs_f64();
            let bytes = lens.footprint().shadow_bytes as f64 / f64::from(blocks * BLOCK);
            lens.finish(TASK);
            let findings = lens.take_findings().len();
            println!(
                "| {name} | {kernel} | {:.2} | {bytes:.0} | {findings} |",
                events as f64 / seconds / 1e6
            );
        }
    }
}
