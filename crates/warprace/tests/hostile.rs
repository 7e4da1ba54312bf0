//! Valid traces with random changes. This is a bounded form of the fuzz target `trace`.

#[path = "hostile/exercise.rs"]
mod exercise;

use events::access::Warp;
use events::task::{LaunchInfo, SyncUse};
use events::{
    Access, AccessKind, AsyncOpId, AtomicOp, BarrierId, BarrierMembers, BlockId, Dim3, Monitor, Observer,
    Proxy, Scope, Sem, SiteId, Space, Strength, Sync, TaskId, TaskInfo, TaskKind, Tell, WarpId,
};
use trace::Recorder;

/// Number of test runs, each with a few changes.
const RUNS: u64 = 2000;

#[test]
fn changed_records_are_errors_or_events_but_never_a_panic() {
    let chunks = recorded();
    exercise::exercise(&chunks);
    for seed in 1..=RUNS {
        let mut random = Random(seed);
        let mut changed = chunks.clone();
        for _ in 0..random.below(6) + 1 {
            let chunk = random.below(changed.len());
            random.change(&mut changed[chunk]);
        }
        exercise::exercise(&changed);
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// Changes one byte, drops or repeats a part, or inserts a number that is too large.
    fn change(&mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let at = self.below(bytes.len());
        let end = (at + 1 + self.below(40)).min(bytes.len());
        match self.below(6) {
            0..3 => bytes[at] ^= 1 << self.below(8),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            _ => drop(bytes.splice(at..at + 1, [0xFF, 0xFF, 0xFF, 0xFF, 0x0F])),
        }
    }
}

/// Records a trace with all kinds of events: barriers, atomics, fences, mbarriers, asynchronous copies.
fn recorded() -> Vec<Vec<u8>> {
    let path = std::env::temp_dir().join(format!("warprace-hostile-{}", std::process::id()));
    let recorder = Recorder::create(&path, names::Engine::Virtual).unwrap();
    kernel(&recorder, TaskId(0), SyncUse::default());
    let uses = SyncUse {
        partial_barriers: true,
        fences_or_strong: true,
        relaxed: false,
        fences_acquire: false,
        atomics: true,
        asynchronous: true,
        groups_only: false,
        cluster: false,
        narrow_fences: true,
        triggers: false,
        launches: false,
        blocks_communicate: true,
    };
    kernel(&recorder, TaskId(1), uses);
    recorder.close().unwrap();
    let chunks = trace::unseal(std::fs::File::open(&path).unwrap()).unwrap();
    std::fs::remove_file(&path).unwrap();
    chunks
}

fn kernel(recorder: &Recorder, task: TaskId, uses: SyncUse) {
    let launch = LaunchInfo {
        kernel: "kernel".into(),
        grid: Dim3::new(3, 1, 1),
        block: Dim3::new(64, 1, 1),
        cluster: Dim3::ONE,
        cooperative: false,
        shared_bytes: 1024,
        uses,
    };
    recorder.task_start(&TaskInfo {
        id: task,
        kind: TaskKind::Launch(launch),
        stream: Default::default(),
        after: Vec::new(),
        call: Default::default(),
        device: 0,
        overlap: None,
        launcher: None,
    });
    let mut ear = recorder.observer(0);
    for block in (0..3).map(BlockId) {
        ear.sync(&Sync::BlockStart { task, block });
        for round in 0..2 {
            for warp in 0..2 {
                warp_acts(&mut ear, Warp { task, block, warp: WarpId(warp) }, round, uses.asynchronous);
            }
            let id = BarrierId::Cta(0);
            ear.sync(&Sync::BarrierComplete { task, block, id, members: BarrierMembers::WholeBlock });
        }
        ear.sync(&Sync::BlockEnd { task, block });
    }
    recorder.task_end(task);
}

fn warp_acts(ear: &mut impl Observer, warp: Warp, round: u32, everything: bool) {
    let (site, lanes) = (SiteId(round * 10 + u32::from(warp.warp.0)), u32::MAX);
    let base = 0x7f00_0000 + u64::from(warp.block.0) * 128;
    let addresses: [u64; 32] = std::array::from_fn(|lane| base + 4 * lane as u64);
    let access = |space, kind: AccessKind, strength, values| Access {
        warp,
        site,
        space,
        kind,
        strength,
        proxy: Proxy::Generic,
        size: 4,
        elements: 1,
        mask: lanes,
        addresses: &addresses,
        stride: None,
        stored: if kind.writes() { lanes } else { 0 },
        values,
        written: Default::default(),
    };
    let plain = |space, kind| access(space, kind, Strength::Weak, None);
    ear.access(&plain(Space::Global, AccessKind::Read));
    ear.access(&plain(Space::Shared(warp.block), AccessKind::Write));
    ear.access(&plain(Space::Global, AccessKind::Write));
    if everything {
        let gpu = Scope::Gpu;
        let cas = AccessKind::Atomic { op: AtomicOp::Cas, returns: true };
        let values = [(0, 1); 32];
        let strength = Strength::Strong { sem: Sem::Relaxed, scope: gpu };
        ear.access(&access(Space::Global, cas, strength, Some(&values)));
        ear.sync(&Sync::Fence { warp, site, lanes, sem: Sem::AcqRel, scope: gpu });
        ear.sync(&Sync::WarpSync { warp, site, lanes: 0xFFFF });
        let op = AsyncOpId(u64::from(round));
        let (space, address, lane) = (Space::Shared(warp.block), 512, 0);
        ear.sync(&Sync::MbarrierInit { warp, site, lane, space, address, expected: 2 });
        ear.access(&Access { mask: 1, stored: 1, ..plain(space, AccessKind::AsyncWrite { op }) });
        let (phase, sem, scope) = (0, Sem::Release, Scope::Cta);
        ear.sync(&Sync::MbarrierArrive { warp, site, lane, space, address, phase, sem, scope });
        ear.sync(&Sync::MbarrierCompleteTx { task: warp.task, space, address, phase, op });
        let sem = Sem::Acquire;
        ear.sync(&Sync::MbarrierWait { warp, site, lanes, space, address, phase, sem, scope });
        ear.sync(&Sync::AsyncWaited {
            warp,
            site,
            lanes: 1 << lane,
            ops: &[op],
            reads_only: false,
            together: false,
        });
        ear.sync(&Sync::Converge { warp, active: 1 });
    }
    let (id, waits, sem) = (BarrierId::Cta(0), true, Sem::AcqRel);
    ear.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits, sem });
}
