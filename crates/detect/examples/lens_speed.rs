//! Speed and memory of all lenses on made-up event streams.
//!
//! ```text
//! cargo run --release -p detect --example lens_speed -- [OPTIONS]
//!   --threads N,N…      sizes of the launch (4096, 131072, 1048576)
//!   --block N           threads of a block (256)
//!   --resident N        blocks that run side by side (128)
//!   --locks N           locks of the kernel `locks` (1000)
//!   --lockers N         threads of each warp that take one (32)
//!   --kernels NAME,…    of barriers, locks, warps (locks that the lanes of a warp take together), narrow (locks
//!                       beside fences of block scope), atomics
//!   --lenses NAME,…     as `--lens` of `warprace run`
//!   --rounds N          the best of so many (3)
//!   --limit N           seconds after which a row is given up (120)
//! ```
//!
//! Each lens is told the events of five kernels: one that synchronises by barriers, three whose threads
//! take locks in turn, and one of atomics. No engine runs, so that the lens is all that is measured;
//! what making the events costs is printed, too, as the lens `(none)`, and is part of the other rows.
//! An event is one thread's access, fence or arrival. Time is processor time, which other
//! processes do not stretch much. State is what the lens says that it holds, the most at any of sixteen
//! moments of the launch, and vector clocks are a part of it. Each row is a process of its own, of
//! which the last column is the most memory that was resident, with all that is around the state.

use detect::lens::Lens;
use detect::named;
use detect::ptx::PtxMonitor;
use events::access::Warp;
use events::observer::{Footprint, NoMonitor, Observer};
use events::task::{HostCall, LaunchInfo, SyncUse};
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, BlockId, Dim3, Finding, LaneMask, Monitor,
    Proxy, Scope, Sem, SiteId, Space, StreamId, Strength, Sync, TaskId, TaskInfo, TaskKind, Tell, WarpId,
};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const TASK: TaskId = TaskId(1);

#[derive(Clone, Copy)]
struct Size {
    blocks: u32,
    block: u32,
    resident: u32,
    locks: u64,
    lockers: u32,
}

/// The listening lens, and the time that it takes.
trait Ear {
    fn observer(&mut self) -> &mut dyn Observer;
    fn footprint(&self) -> Footprint;
    /// Bytes of vector clocks.
    fn clocks(&self) -> u64;
    fn end(self: Box<Self>) -> Vec<Finding>;
}

struct OfLens(Box<dyn Lens>);

impl Observer for OfLens {
    fn access(&mut self, access: &Access<'_>) {
        self.0.access(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.0.sync(sync);
    }
}

impl Ear for OfLens {
    fn observer(&mut self) -> &mut dyn Observer {
        self
    }

    fn footprint(&self) -> Footprint {
        self.0.footprint()
    }

    fn clocks(&self) -> u64 {
        self.0.clock_bytes()
    }

    fn end(mut self: Box<Self>) -> Vec<Finding> {
        self.0.finish(TASK);
        self.0.take_findings()
    }
}

struct OfMonitor<M: Monitor>(M, M::Observer);

impl<M: Monitor> Ear for OfMonitor<M> {
    fn observer(&mut self) -> &mut dyn Observer {
        &mut self.1
    }

    fn footprint(&self) -> Footprint {
        self.0.account().footprint
    }

    fn clocks(&self) -> u64 {
        0
    }

    fn end(self: Box<Self>) -> Vec<Finding> {
        self.0.task_end(TASK);
        self.0.findings()
    }
}

fn of_monitor<M: Monitor + 'static>(monitor: M, info: &LaunchInfo) -> Box<dyn Ear> {
    monitor.task_start(&TaskInfo {
        id: TASK,
        kind: TaskKind::Launch(info.clone()),
        stream: StreamId(0),
        after: Vec::new(),
        call: HostCall::default(),
        device: 0,
        overlap: None,
        launcher: None,
    });
    let observer = monitor.observer(0);
    Box::new(OfMonitor(monitor, observer))
}

fn ear(name: &str, info: &LaunchInfo) -> Result<Box<dyn Ear>, names::lens::Error> {
    Ok(match name {
        "(none)" => of_monitor(NoMonitor, info),
        "ptx" => of_monitor(PtxMonitor::default(), info),
        name => {
            let mut lens = named::build(name)?;
            lens.launch(TASK, info);
            Box::new(OfLens(lens))
        }
    })
}

struct Kernel<'a> {
    size: Size,
    ear: &'a mut dyn Ear,
    events: u64,
}

/// An instruction of some lanes.
#[derive(Clone, Copy)]
struct Does {
    site: u32,
    kind: AccessKind,
    strength: Strength,
    values: Option<(u64, u64)>,
}

const RELAXED: Strength = Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu };

impl Kernel<'_> {
    fn access(&mut self, does: Does, warp: Warp, mask: LaneMask, address: impl Fn(u64) -> u64) {
        self.events += u64::from(mask.count_ones());
        let values = does.values.map(|v| [v; 32]);
        self.ear.observer().access(&Access {
            warp,
            site: SiteId(does.site),
            space: Space::Global,
            kind: does.kind,
            strength: does.strength,
            proxy: Proxy::Generic,
            size: 4,
            elements: 1,
            mask,
            addresses: &std::array::from_fn(|lane| address(lane as u64)),
            stride: None,
            stored: if does.kind.writes() { mask } else { 0 },
            values: values.as_ref(),
            written: Default::default(),
        });
    }

    fn plain(&mut self, site: u32, kind: AccessKind, warp: Warp, address: impl Fn(u64) -> u64) {
        let does = Does { site, kind, strength: Strength::Weak, values: None };
        self.access(does, warp, u32::MAX, address);
    }

    fn fence(&mut self, site: u32, warp: Warp, lanes: LaneMask) {
        self.events += u64::from(lanes.count_ones());
        let (site, sem, scope) = (SiteId(site), Sem::Sc, Scope::Gpu);
        self.ear.observer().sync(&Sync::Fence { warp, site, lanes, sem, scope });
    }

    fn barrier(&mut self, block: u32) {
        self.events += u64::from(self.size.block);
        for warp in self.warps(block) {
            let (id, sem, site) = (BarrierId::Cta(0), Sem::AcqRel, SiteId(0));
            let arrive = Sync::BarrierArrive { warp, site, id, lanes: u32::MAX, waits: true, sem };
            self.ear.observer().sync(&arrive);
        }
        let (block, id, members) = (BlockId(block), BarrierId::Cta(0), BarrierMembers::WholeBlock);
        self.ear.observer().sync(&Sync::BarrierComplete { task: TASK, block, id, members });
    }

    fn start(&mut self, block: u32) {
        self.ear.observer().sync(&Sync::BlockStart { task: TASK, block: BlockId(block) });
    }

    fn end(&mut self, block: u32) {
        for warp in self.warps(block) {
            self.ear.observer().sync(&Sync::Exit { warp, lanes: u32::MAX });
        }
        self.ear.observer().sync(&Sync::BlockEnd { task: TASK, block: BlockId(block) });
    }

    fn warps(&self, block: u32) -> impl Iterator<Item = Warp> + use<> {
        let warps = self.size.block as u16 / 32;
        (0..warps).map(move |warp| Warp { task: TASK, block: BlockId(block), warp: WarpId(warp) })
    }

    fn thread(&self, warp: Warp, lane: u64) -> u64 {
        u64::from(warp.block.0) * u64::from(self.size.block) + u64::from(warp.warp.0) * 32 + lane
    }
}

/// Each block reverses its part of an array four times.
fn barriers(kernel: &mut Kernel<'_>, block: u32) {
    let (first, all) = (u64::from(block) * u64::from(kernel.size.block), u64::from(kernel.size.block));
    for round in 0..4u64 {
        for warp in kernel.warps(block) {
            let own = kernel.thread(warp, 0);
            kernel.plain(1, AccessKind::Write, warp, |lane| 4 * (own + lane));
        }
        kernel.barrier(block);
        for warp in kernel.warps(block) {
            let own = kernel.thread(warp, 0);
            kernel.plain(2, AccessKind::Read, warp, |lane| 4 * (2 * first + all - 1 - own - lane));
        }
        if round != 3 {
            kernel.barrier(block);
        }
    }
}

/// Lanes add to counters under locks: a CAS and a fence, a fence and an exchange. `place` is that of each lane's lock.
fn section(kernel: &mut Kernel<'_>, warp: Warp, mask: LaneMask, place: impl Fn(u64) -> u64) {
    let does = |site, kind, strength, values| Does { site, kind, strength, values };
    let atomic =
        |site, op, values| does(site, AccessKind::Atomic { op, returns: true }, RELAXED, Some(values));
    let data = |site, kind| does(site, kind, Strength::Volatile, None);
    let (lock, counter) = (|lane| (2 << 32) + place(lane), |lane| (1 << 32) + place(lane));
    kernel.access(atomic(3, AtomicOp::Cas, (0, 1)), warp, mask, lock);
    kernel.fence(4, warp, mask);
    kernel.access(data(5, AccessKind::Read), warp, mask, counter);
    kernel.access(data(6, AccessKind::Write), warp, mask, counter);
    kernel.fence(7, warp, mask);
    kernel.access(atomic(8, AtomicOp::Exch, (1, 0)), warp, mask, lock);
}

/// Every thread adds to a counter under its lock.
fn locks(kernel: &mut Kernel<'_>, block: u32) {
    for warp in kernel.warps(block) {
        for lane in 0..kernel.size.lockers.into() {
            let place = kernel.thread(warp, lane) % kernel.size.locks * 4;
            section(kernel, warp, 1 << lane, |_| place);
        }
    }
}

/// The same, lanes of a warp together, as an engine runs a warp whose locks are all free.
fn warps(kernel: &mut Kernel<'_>, block: u32) {
    for warp in kernel.warps(block) {
        let (first, locks) = (kernel.thread(warp, 0), kernel.size.locks);
        section(kernel, warp, u32::MAX, |lane| (first + lane) % locks * 4);
    }
}

/// A histogram of 4096 bins.
fn atomics(kernel: &mut Kernel<'_>, block: u32) {
    let kind = AccessKind::Atomic { op: AtomicOp::Add, returns: false };
    let does = Does { site: 9, kind, strength: RELAXED, values: None };
    for warp in kernel.warps(block) {
        let own = kernel.thread(warp, 0);
        for round in 0..4 {
            let bin = |lane: u64| 4 * ((own + lane).wrapping_mul(0x9e37_79b9 + round) >> 7 & 4095);
            kernel.access(does, warp, u32::MAX, bin);
        }
    }
}

type Body = fn(&mut Kernel<'_>, u32);

const KERNELS: [(&str, Body, SyncUse); 5] = {
    const NOTHING: SyncUse = SyncUse {
        partial_barriers: false,
        fences_or_strong: false,
        relaxed: false,
        fences_acquire: false,
        atomics: false,
        asynchronous: false,
        groups_only: false,
        cluster: false,
        narrow_fences: false,
        triggers: false,
        launches: false,
        blocks_communicate: false,
    };
    let atomic = SyncUse { atomics: true, ..NOTHING };
    let locking = SyncUse { fences_or_strong: true, blocks_communicate: true, ..atomic };
    // Somewhere in the kernel is a fence of block scope, too.
    let narrow = SyncUse { narrow_fences: true, ..locking };
    [
        ("barriers", barriers, NOTHING),
        ("locks", locks, locking),
        ("warps", warps, locking),
        ("narrow", locks, narrow),
        ("atomics", atomics, atomic),
    ]
};

struct Measured {
    seconds: f64,
    events: u64,
    bytes: u64,
    clocks: u64,
    findings: usize,
}

fn measure(lens: &str, size: Size, body: Body, uses: SyncUse) -> Result<Measured, names::lens::Error> {
    let info = LaunchInfo {
        kernel: "made_up".to_owned(),
        grid: Dim3::new(size.blocks, 1, 1),
        block: Dim3::new(size.block, 1, 1),
        cluster: Dim3::ONE,
        cooperative: false,
        shared_bytes: 0,
        uses,
    };
    let mut ear = ear(lens, &info)?;
    let mut kernel = Kernel { size, ear: &mut *ear, events: 0 };
    let (mut bytes, mut clocks, mut looking) = (0, 0, Duration::ZERO);
    let start = processor_time();
    for block in 0..size.blocks {
        kernel.start(block);
        body(&mut kernel, block);
        if (block + 1) % size.blocks.div_ceil(16) == 0 || block + 1 == size.blocks {
            let before = processor_time();
            bytes = bytes.max(kernel.ear.footprint().shadow_bytes);
            clocks = clocks.max(kernel.ear.clocks());
            looking += processor_time() - before;
        }
        if block >= size.resident {
            kernel.end(block - size.resident);
        }
    }
    let events = kernel.events;
    let seconds = (processor_time() - start - looking).as_secs_f64();
    let findings = ear.end().len();
    Ok(Measured { seconds, events, bytes, clocks, findings })
}

fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every Linux, and `time` is there to be written to.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The most memory that this process has had resident, in MiB.
fn peak_resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

struct Settings {
    threads: Vec<u32>,
    size: Size,
    kernels: Vec<String>,
    lenses: Vec<String>,
    rounds: u32,
    limit: Duration,
    /// This process is one row's.
    one: bool,
}

fn settings() -> Result<Settings, String> {
    let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let mut lenses = list("(none),ptx");
    lenses.extend(names::lens::SERIAL.map(str::to_owned));
    let mut set = Settings {
        threads: vec![4096, 1 << 17, 1 << 20],
        size: Size { blocks: 0, block: 256, resident: 128, locks: 1000, lockers: 32 },
        kernels: KERNELS.map(|k| k.0.to_owned()).to_vec(),
        lenses,
        rounds: 3,
        limit: Duration::from_secs(120),
        one: false,
    };
    let mut args = std::env::args().skip(1);
    while let Some(option) = args.next() {
        if option == "--one" {
            set.one = true;
            continue;
        }
        let value = args.next().ok_or_else(|| format!("`{option}` needs a value"))?;
        let number =
            |text: &str| text.parse::<u32>().map_err(|_| format!("`{text}` of `{option}` is no number"));
        match option.as_str() {
            "--threads" => set.threads = value.split(',').map(number).collect::<Result<_, _>>()?,
            "--block" => set.size.block = number(&value)?.clamp(32, 1024) / 32 * 32,
            "--resident" => set.size.resident = number(&value)?,
            "--locks" => set.size.locks = number(&value)?.max(1).into(),
            "--lockers" => set.size.lockers = number(&value)?.min(32),
            "--kernels" => set.kernels = list(&value),
            "--lenses" => set.lenses = list(&value),
            "--rounds" => set.rounds = number(&value)?.max(1),
            "--limit" => set.limit = Duration::from_secs(number(&value)?.into()),
            _ => return Err(format!("there is no option `{option}`")),
        }
    }
    Ok(set)
}

/// Measures one row in this process.
fn row(lens: &str, kernel: &str, threads: u32, set: &Settings) -> Result<String, String> {
    let (_, body, uses) =
        KERNELS.iter().find(|k| k.0 == kernel).ok_or_else(|| format!("there is no kernel `{kernel}`"))?;
    let size = Size { blocks: threads.div_ceil(set.size.block), ..set.size };
    let threads = size.blocks * size.block;
    let measured = || measure(lens, size, *body, *uses).map_err(|e| e.to_string());
    let mut best = measured()?;
    for _ in 1..set.rounds {
        let one = measured()?;
        if one.seconds < best.seconds {
            best = one;
        }
    }
    let speed = best.events as f64 / best.seconds / 1e6;
    let each = |bytes: u64| bytes as f64 / f64::from(threads);
    let (bytes, clocks, resident) = (each(best.bytes), each(best.clocks), peak_resident());
    let findings = best.findings;
    Ok(format!(
        "| {threads} | {kernel} | {lens} | {speed:.2} | {bytes:.1} | {clocks:.1} | {findings} | {resident} |"
    ))
}

/// Has a process of its own measure a row.
fn elsewhere(lens: &str, kernel: &str, threads: u32, set: &Settings) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let Settings { size, rounds, limit, .. } = set;
    let mut command = Command::new(program);
    command.args(["--one", "--threads", &threads.to_string(), "--kernels", kernel, "--lenses", lens]);
    command.args(["--block", &size.block.to_string(), "--resident", &size.resident.to_string()]);
    command.args(["--locks", &size.locks.to_string(), "--lockers", &size.lockers.to_string()]);
    command.args(["--rounds", &rounds.to_string()]);
    let cannot = |e: std::io::Error| format!("cannot run a process for a row: {e}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(cannot)?;
    let start = Instant::now();
    while child.try_wait().map_err(cannot)?.is_none() {
        if start.elapsed() > *limit {
            child.kill().map_err(cannot)?;
            child.wait().map_err(cannot)?;
            return Ok(format!("| {threads} | {kernel} | {lens} | over {} s | | | | |", limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let done = child.wait_with_output().map_err(cannot)?;
    if done.status.success() {
        Ok(String::from_utf8_lossy(&done.stdout).trim_end().to_owned())
    } else {
        Err(format!("{lens} on `{kernel}` of {threads} threads ended with {}", done.status))
    }
}

const HEADER: &str = "\
| threads | kernel | lens | million events/s | state, bytes per thread | clocks, bytes per thread | findings \
| resident, MiB |
|---|---|---|---|---|---|---|---|";

fn run() -> Result<(), String> {
    let set = settings()?;
    if !set.one {
        println!("{HEADER}");
    }
    for &threads in &set.threads {
        for kernel in &set.kernels {
            for lens in &set.lenses {
                let measure = if set.one { row } else { elsewhere };
                println!("{}", measure(lens, kernel, threads, &set)?);
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
