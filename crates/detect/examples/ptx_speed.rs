//! Nanoseconds per warp access and shadow bytes per byte touched, for usual access patterns.
//!
//! `cargo run --release -p detect --example ptx_speed [SHORTCUT]` measures with all shortcuts, or without the one that is named.

use detect::ptx::{PtxMonitor, PtxObserver, PtxOptions, Shortcuts};
use events::access::Warp;
use events::task::{HostCall, LaunchInfo, SyncUse};
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, BlockId, Dim3, Listener, Monitor, Observer,
    Proxy, Scope, Sem, SiteId, Space, StreamId, Strength, Sync, TaskId, TaskInfo, TaskKind, Tell, WarpId,
};

const TASK: TaskId = TaskId(1);
const WARPS: u16 = 8;

/// Returns the processor time of this process in nanoseconds, which a busy machine does not stretch.
fn cpu_ns() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a `timespec` that the call may write.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

struct Run {
    observer: PtxObserver,
    accesses: u64,
}

impl Run {
    fn access(
        &mut self,
        at: (u32, u16),
        site: u32,
        kind: AccessKind,
        space: Space,
        address: impl Fn(u64) -> u64,
    ) {
        let addresses = std::array::from_fn(|lane| address(lane as u64));
        let atomic = matches!(kind, AccessKind::Atomic { .. });
        let strength =
            if atomic { Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu } } else { Strength::Weak };
        self.accesses += 1;
        self.observer.access(&Access {
            warp: Warp { task: TASK, block: BlockId(at.0), warp: WarpId(at.1) },
            site: SiteId(site),
            space,
            kind,
            strength,
            proxy: Proxy::Generic,
            size: 4,
            elements: 1,
            mask: u32::MAX,
            addresses: &addresses,
            stride: None,
            stored: if kind.writes() { u32::MAX } else { 0 },
            values: None,
            written: Default::default(),
        });
    }

    fn barrier(&mut self, block: u32) {
        let (id, members) = (BarrierId::Cta(0), BarrierMembers::WholeBlock);
        self.observer.sync(&Sync::BarrierComplete { task: TASK, block: BlockId(block), id, members });
    }
}

fn measure(name: &str, uses: SyncUse, blocks: u32, mut body: impl FnMut(&mut Run, u32)) {
    let without = std::env::args().nth(1);
    let named = Shortcuts::without_each().into_iter().find(|(name, _)| Some(*name) == without.as_deref());
    let shortcuts = named.map_or(Shortcuts::ALL, |(_, shortcuts)| shortcuts);
    let monitor = PtxMonitor::new(PtxOptions { shortcuts, ..PtxOptions::default() });
    monitor.task_start(&TaskInfo {
        id: TASK,
        kind: TaskKind::Launch(LaunchInfo {
            kernel: name.to_owned(),
            grid: Dim3::new(blocks, 1, 1),
            block: Dim3::new(u32::from(WARPS) * 32, 1, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 16384,
            uses,
        }),
        stream: StreamId(0),
        after: Vec::new(),
        call: HostCall::default(),
        device: 0,
        overlap: None,
        launcher: None,
    });
    let mut run = Run { observer: monitor.observer(0), accesses: 0 };
    let start = cpu_ns();
    for block in 0..blocks {
        run.observer.sync(&Sync::BlockStart { task: TASK, block: BlockId(block) });
        body(&mut run, block);
        run.observer.sync(&Sync::BlockEnd { task: TASK, block: BlockId(block) });
    }
    let each = (cpu_ns() - start) / run.accesses as f64;
    let footprint = monitor.account().footprint;
    let start = cpu_ns();
    monitor.task_end(TASK);
    let end = (cpu_ns() - start) / 1e6;
    let ratio = footprint.shadow_bytes as f64 / footprint.touched_bytes.max(1) as f64;
    let races = monitor.findings().len();
    println!(
        "{name:32} {each:8.1} ns/access  {:6} MB shadow {ratio:6.2} B/B  end {end:7.1} ms  {races} findings",
        footprint.shadow_bytes >> 20
    );
}

fn main() {
    let simple = SyncUse { atomics: true, ..SyncUse::default() };
    let full = SyncUse { fences_or_strong: true, partial_barriers: true, blocks_communicate: true, ..simple };
    let (read, write) = (AccessKind::Read, AccessKind::Write);
    let red = AccessKind::Atomic { op: AtomicOp::Add, returns: false };
    let atom = AccessKind::Atomic { op: AtomicOp::Add, returns: true };
    let global = Space::Global;
    let base = |b: u32, w: u16| u64::from(b) * 1024 + u64::from(w) * 128;
    for (kind, uses) in [("barrier-only", simple), ("fences", full)] {
        println!("-- {kind}");
        measure("vector add", uses, 4_000, |r, b| {
            for w in 0..WARPS {
                let at = base(b, w);
                r.access((b, w), 1, read, global, |l| 0x1000_0000 + at + l * 4);
                r.access((b, w), 2, read, global, |l| 0x2000_0000 + at + l * 4);
                r.access((b, w), 3, write, global, |l| 0x3000_0000 + at + l * 4);
            }
        });
        measure("stencil, unaligned neighbours", uses, 4_000, |r, b| {
            for w in 0..WARPS {
                let at = base(b, w);
                for k in 0..3 {
                    r.access((b, w), k, read, global, |l| 0x1000_0000 + at + l * 4 + u64::from(k) * 4);
                }
                r.access((b, w), 3, write, global, |l| 0x3000_0000 + at + l * 4);
            }
        });
        measure("shared tile with barriers", uses, 100, |r, b| {
            let shared = Space::Shared(BlockId(b));
            for _ in 0..16 {
                for w in 0..WARPS {
                    r.access((b, w), 1, write, shared, |l| u64::from(w) * 128 + l * 4);
                }
                r.barrier(b);
                for k in 0..16 {
                    for w in 0..WARPS {
                        r.access((b, w), 2, read, shared, |l| k * 64 + l % 16 * 4);
                        r.access((b, w), 3, read, shared, |l| u64::from(w) * 64 + l / 16 * 512 + k * 4);
                    }
                }
                r.barrier(b);
            }
        });
        measure("transpose, strided writes", uses, 500, |r, b| {
            for w in 0..WARPS {
                let at = base(b, w);
                r.access((b, w), 1, read, global, |l| 0x1000_0000 + at + l * 4);
                let (row, column) = (u64::from(b) % 64 * 8 + u64::from(w), u64::from(b) / 64 * 32);
                r.access((b, w), 2, write, global, |l| 0x3000_0000 + (column + l) * 2048 + row * 4);
            }
        });
        measure("random gather", uses, 500, |r, b| {
            let mut x = u64::from(b) + 1;
            for w in 0..WARPS {
                x = x.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
                r.access((b, w), 1, read, global, |l| {
                    0x1000_0000 + ((x ^ l).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44) * 4
                });
            }
        });
        measure("gather in a table of 4 KiB", uses, 500, |r, b| {
            let mut x = u64::from(b) + 1;
            for w in 0..WARPS {
                x = x.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
                r.access((b, w), 1, read, global, |l| {
                    0x1000_0000 + ((x ^ l).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) * 4
                });
            }
        });
        measure("uniform reads by all blocks", uses, 500, |r, b| {
            for k in 0..16 {
                for w in 0..WARPS {
                    r.access((b, w), 1, read, global, |_| 0x1000_0000 + k * 4);
                }
            }
        });
        measure("histogram, 256 bins, red", uses, 500, |r, b| {
            for w in 0..WARPS {
                let seed = u64::from(b) * 77 + u64::from(w);
                r.access((b, w), 1, red, global, |l| 0x1000_0000 + (seed * 31 + l * l) % 256 * 4);
            }
        });
        measure("one counter, atom", uses, 500, |r, b| {
            for w in 0..WARPS {
                r.access((b, w), 1, atom, global, |_| 0x1000_0000);
            }
        });
    }
}
