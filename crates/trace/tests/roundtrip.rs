//! Traces are read as they were written; damage is reported, and everything before it can still be read.

use events::RangeAccess;
use events::access::Warp;
use events::sync::{Member, ProxySpace, ProxyWay};
use events::task::Parameter;
use events::*;
use names::Engine;
use proptest::prelude::*;
use std::borrow::Cow;
use std::sync::{Arc, Mutex};
use trace::{Audience, Deal, Error, Recorder, play, play_together};

/// Writes down everything it hears.
#[derive(Default)]
struct Log(Arc<Mutex<Vec<String>>>);
struct Ear(Arc<Mutex<Vec<String>>>);

impl Observer for Ear {
    fn access(&mut self, access: &Access<'_>) {
        // Only the lanes of the mask mean anything.
        let lanes: Vec<_> = (0..32).filter(|l| access.mask >> l & 1 != 0).collect();
        let addresses: Vec<u64> = lanes.iter().map(|&l| access.addresses[l]).collect();
        let values: Option<Vec<_>> = access.values.map(|v| lanes.iter().map(|&l| v[l]).collect());
        let Access {
            warp, site, space, kind, strength, proxy, size, elements, mask, stored, written, ..
        } = access;
        self.0.lock().unwrap().push(format!(
            "{warp:?} {site:?} {space:?} {kind:?} {strength:?} {proxy:?} {size} {elements} {mask:x} {stored:x} {addresses:x?} {values:?} {written:?}"
        ));
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.0.lock().unwrap().push(format!("{sync:?}"));
    }
}

impl Listener for Log {
    fn host(&self, event: &HostEvent<'_>) {
        self.0.lock().unwrap().push(format!("host {event:?}"));
    }

    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn account(&self) -> Account {
        Account::default()
    }
}

impl Monitor for Log {
    type Observer = Ear;

    fn observer(&self, _: usize) -> Ear {
        Ear(Arc::clone(&self.0))
    }
}

/// A random fact about tensor memory.
fn tensor(e: u64, f: u64, g: u64) -> Tensor {
    let (column, columns, writes) = (e as u16, f as u16, g & 8 != 0);
    let accumulator =
        Accumulator { address: e as u32, rows: (e >> 32) as u16, columns: (f >> 32) as u16, kind: g as u8 };
    let action = [
        TensorAction::Load,
        TensorAction::Store,
        TensorAction::Copy { quarter: writes },
        TensorAction::Shift,
        TensorAction::Product(accumulator),
    ];
    let lanes = u128::from(e) << 64 | u128::from(f);
    match g % 4 {
        0 => Tensor::Fence { after: writes },
        1 => Tensor::Alloc { column, columns, address: f },
        2 => Tensor::Dealloc { column, columns },
        _ => Tensor::Access {
            op: AsyncOpId(f),
            action: action[(g >> 4) as usize % 5],
            pair: g & 4 != 0,
            cells: TensorCells { block: BlockId(e as u32), lanes, column, columns },
            writes,
        },
    }
}

/// One random event, told to any monitor.
fn tell<M: Monitor>(monitor: &M, observer: &mut M::Observer, seed: &[u64; 8]) {
    let [a, b, c, d, e, f, g, h] = *seed;
    let warp = Warp { task: TaskId(a as u32 % 3), block: BlockId(b as u32), warp: WarpId((c % 32) as u16) };
    let (site, lanes, lane) = (SiteId(d as u32), e as u32 | 1, (f % 32) as u8);
    let space = if g % 2 == 0 { Space::Global } else { Space::Shared(BlockId((g >> 33) as u32)) };
    let scope = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys][(g >> 2) as usize % 4];
    let sem = [Sem::Relaxed, Sem::Acquire, Sem::Release, Sem::AcqRel, Sem::Sc][(g >> 4) as usize % 5];
    let ops = [AsyncOpId(e), AsyncOpId(f)];
    let (task, block) = (warp.task, warp.block);
    let members = [Member { block, warp: warp.warp, arrived: lanes, waited: e as u32 }];
    let sync = match h % 34 {
        0 => Sync::BarrierArrive { warp, site, id: BarrierId::Cta(lane), lanes, waits: f % 2 == 0, sem },
        1 => Sync::BarrierComplete {
            task,
            block,
            id: BarrierId::Cluster(block),
            members: BarrierMembers::WholeBlock,
        },
        2 => Sync::BarrierComplete {
            task,
            block,
            id: BarrierId::Cta(3),
            members: BarrierMembers::Some(&members),
        },
        3 => Sync::ClusterWait { warp, site, lanes },
        4 => Sync::WarpSync { warp, site, lanes },
        5 => Sync::Fence { warp, site, lanes, sem, scope },
        6 => Sync::ProxyFence {
            warp,
            site,
            lanes,
            proxy: Proxy::Async,
            space: Some(ProxySpace::SharedCluster),
            way: [ProxyWay::Both, ProxyWay::Release, ProxyWay::Acquire][(g % 3) as usize],
        },
        7 => Sync::Rendezvous { warp, site, lanes },
        8 => Sync::Converge { warp, active: lanes },
        9 => Sync::MbarrierInit { warp, site, lane, space, address: e, expected: f as u32 },
        10 => Sync::MbarrierInval { warp, site, lane, space, address: e },
        11 => Sync::MbarrierArrive { warp, site, lane, space, address: e, phase: f, sem, scope },
        12 => Sync::MbarrierCompleteTx { task, space, address: e, phase: f, op: ops[0] },
        13 => Sync::MbarrierWait { warp, site, lanes, space, address: e, phase: f, sem, scope },
        14 => {
            Sync::AsyncWaited { warp, site, lanes, ops: &ops, reads_only: g % 3 == 0, together: g % 5 == 0 }
        }
        15 => Sync::AsyncArrive { warp, site, lane, ops: &ops, space, address: e, phase: f },
        16 => Sync::BlockStart { task, block },
        17 => Sync::BlockEnd { task, block },
        18 => Sync::Exit { warp, lanes },
        23 => {
            Sync::MbarrierTouch { warp, site, lanes, space, address: e, op: (f % 2 == 0).then_some(ops[0]) }
        }
        32 => {
            let bytes = f as u32;
            Sync::MbarrierBytes { task, space, address: e, phase: g, bytes, received: g % 2 == 0 }
        }
        33 => Sync::ProductCommitted { warp, site, lanes, op: ops[0], group: f as u32 },
        24 => Sync::ClusterExit { warp, site: (f % 2 == 0).then_some(site), lanes },
        25 => Sync::Heap { warp, site, lane, address: e, bytes: f, free: g % 3 == 0 },
        27 => Sync::Launch { warp, site, lane, task: TaskId(f as u32) },
        19 => Sync::GridDependency { warp, site, lanes, wait: f % 2 == 0 },
        31 => Sync::Tensor { warp, site, lanes, what: tensor(e, f, g) },
        26 => Sync::Misuse {
            warp,
            site,
            lanes,
            what: match g % 3 {
                0 => Misuse::OtherBarrier {
                    id: lane % 16,
                    first: SiteId(c as u32 % 1000),
                    by: WarpId(d as u16 % 32),
                    lane,
                },
                1 => Misuse::ProductRegister(ProductRegister {
                    first: (f % 2 == 0).then_some(SiteId(c as u32 % 1000)),
                    earlier: RegisterAccess { writes: f & 2 != 0, product: f & 4 != 0 },
                    later: RegisterAccess { writes: f & 8 != 0, product: f & 16 != 0 },
                    accumulator: f & 32 != 0,
                    unwaited: f & 64 != 0,
                }),
                _ => Misuse::NotMember { member: f as u32 },
            },
        },
        20 => return monitor.task_after(task, &[TaskId(e as u32), TaskId(f as u32)]),
        21 => {
            return monitor.range(&RangeAccess {
                task,
                site: Some(site),
                address: e,
                bytes: f >> 26,
                write: g % 2 == 0,
            });
        }
        22 => return monitor.free(e, f),
        30 => Sync::MbarrierFence { warp, site, lanes },
        _ => {
            let kinds = [
                AccessKind::Read,
                AccessKind::Write,
                AccessKind::Atomic { op: AtomicOp::Cas, returns: true },
                AccessKind::AsyncRead { op: ops[0] },
                AccessKind::AsyncWrite { op: ops[1] },
            ];
            let even: [u64; 32] = std::array::from_fn(|l| e.wrapping_add((f % 64).wrapping_mul(l as u64)));
            let wild: [u64; 32] = std::array::from_fn(|l| e.rotate_left(l as u32 * 7) ^ f);
            let values: [(u64, u64); 32] = std::array::from_fn(|l| (f.rotate_left(l as u32), e));
            let strengths = [Strength::Weak, Strength::Volatile, Strength::Strong { sem, scope }];
            return observer.access(&Access {
                warp,
                site,
                space,
                kind: kinds[a as usize % 5],
                strength: strengths[b as usize % 3],
                proxy: Proxy::Generic,
                size: 1 << (d % 5),
                elements: if a % 5 < 3 { 1 << (c % 4) } else { 1 },
                mask: lanes,
                addresses: if g % 3 == 0 { &wild } else { &even },
                stride: None,
                stored: lanes & f as u32,
                values: (d % 2 == 0).then_some(&values),
                written: match kinds[a as usize % 5].writes() && c % 3 == 0 {
                    true => Written::Differing(lanes & e as u32),
                    false => Written::Unknown,
                },
            });
        }
    };
    observer.sync(&sync);
}

fn file(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("warprace-trace-{}-{name}", std::process::id()))
}

fn record(name: &str, seeds: &[[u64; 8]]) -> (Vec<u8>, Vec<String>) {
    let path = file(name);
    let recorder = Recorder::create(&path, Engine::Virtual).unwrap();
    let log = Log::default();
    let (mut hand, mut ear) = (recorder.observer(0), log.observer(0));
    let start = TaskInfo {
        id: TaskId(7),
        kind: TaskKind::Memset,
        stream: StreamId(1),
        after: vec![TaskId(3)],
        call: Default::default(),
        device: 0,
        overlap: None,
        launcher: None,
    };
    let launch = |task: u32, blocks_communicate: bool, cluster: Dim3| TaskInfo {
        id: TaskId(task),
        kind: TaskKind::Launch(LaunchInfo {
            kernel: "kernel".into(),
            grid: Dim3::ONE,
            block: Dim3::ONE,
            cluster,
            cooperative: false,
            shared_bytes: 0,
            uses: events::task::SyncUse { blocks_communicate, ..Default::default() },
        }),
        ..start.clone()
    };
    let pair = Dim3::new(2, 1, 1);
    let kernels = [launch(0, false, Dim3::ONE), launch(1, true, Dim3::ONE), launch(2, false, pair)];
    for task in [&start].into_iter().chain(&kernels) {
        recorder.task_start(task);
        log.task_start(task);
    }
    for (n, seed) in seeds.iter().enumerate() {
        if n % 16 == 15 {
            recorder.flush().unwrap();
        }
        tell(&recorder, &mut hand, seed);
        tell(&log, &mut ear, seed);
    }
    recorder.task_end(TaskId(7));
    log.task_end(TaskId(7));
    let site = Site {
        function: "kernel".into(),
        text: "ret".into(),
        ptx_line: 3,
        frames: Vec::new(),
        variable: None,
        role: None,
    };
    let facts = LaunchFacts {
        dynamic_shared: 64,
        bytes: (0..16).collect(),
        parameters: vec![Parameter { offset: 0, bytes: 8 }, Parameter { offset: 12, bytes: 4 }],
        shared: vec![SharedVariable { name: "tile".into(), offset: 16, bytes: Some(256) }],
    };
    assert_eq!(facts.parameter(1), Some(&[12, 13, 14, 15][..]));
    let last = [
        HostEvent::Launched(TaskId(1), Cow::Owned(facts)),
        HostEvent::Site(SiteId(0), Cow::Owned(site)),
        HostEvent::End,
    ];
    for event in &last {
        recorder.host(event);
        log.host(event);
    }
    assert_eq!(recorder.account().limits, [""; 0]);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let heard = log.0.lock().unwrap().clone();
    (bytes, heard)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_recorded_is_played(seeds in prop::collection::vec(any::<[u64; 8]>(), 0..200)) {
        let (bytes, told) = record("roundtrip", &seeds);
        let log = Log::default();
        let (played, result) = play(bytes.as_slice(), &log);
        result.unwrap();
        prop_assert!(played.complete);
        prop_assert_eq!(&*log.0.lock().unwrap(), &told);
    }

    #[test]
    fn several_that_are_played_to_hear_the_same(
        seeds in prop::collection::vec(any::<[u64; 8]>(), 0..200),
        others in 0..4usize,
        damage in prop::option::of(any::<prop::sample::Index>()),
        blocks in any::<bool>(),
    ) {
        let (mut bytes, _) = record("together", &seeds);
        if let Some(at) = damage {
            let at = at.index(bytes.len());
            bytes[at] ^= 0x10;
        }
        let heard = |log: &Log| log.0.lock().unwrap().clone();
        let alone = Log::default();
        let (played, result) = play(bytes.as_slice(), &alone);
        let logs: Vec<Log> = (0..=others).map(|_| Log::default()).collect();
        let audience: Vec<&dyn Audience> = logs.iter().map(|log| log as &dyn Audience).collect();
        let deal = if blocks { Deal::Blocks } else { Deal::Everything };
        let (played_together, result_together) = play_together(bytes.as_slice(), &audience, deal);
        prop_assert_eq!(played_together.len(), audience.len());
        prop_assert_eq!(&played, &played_together[0].played);
        prop_assert_eq!(format!("{result:?}"), format!("{result_together:?}"));
        let all: Vec<Vec<String>> = logs.iter().map(heard).collect();
        let alone = heard(&alone);
        // No player receives an event that did not happen, or in another order.
        for log in &all {
            let mut rest = alone.iter();
            prop_assert!(log.iter().all(|event| rest.any(|e| e == event)));
        }
        // An event of a kernel's block is heard by one, and by the first if the kernel has clusters.
        let once = |event: &String| blocks && !event.starts_with("host ");
        let of_first = |event: &String| once(event) && event.contains("TaskId(2)");
        for event in &alone {
            let times = |log: &Vec<String>| log.iter().filter(|e| *e == event).count();
            let heard: usize = all.iter().map(times).sum();
            let expected = if once(event) { 1 } else { all.len() };
            prop_assert_eq!(heard, expected * times(&alone), "{}", event);
            prop_assert!(!of_first(event) || times(&all[0]) > 0);
        }
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic(
        seeds in prop::collection::vec(any::<[u64; 8]>(), 1..50),
        at in any::<prop::sample::Index>(),
        flip in 1u8..,
    ) {
        let (mut bytes, told) = record("damage", &seeds);
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let log = Log::default();
        let (_, result) = play(bytes.as_slice(), &log);
        prop_assert!(result.is_err());
        let heard = log.0.lock().unwrap();
        prop_assert!(told.starts_with(&heard));
    }
}

#[test]
fn a_killed_program_leaves_a_readable_trace() {
    let seeds: Vec<[u64; 8]> = (0..20u64).map(|i| std::array::from_fn(|k| i * 977 + k as u64)).collect();
    let (bytes, told) = record("killed", &seeds);
    for length in 12..bytes.len() {
        let log = Log::default();
        let (played, result) = play(&bytes[..length], &log);
        assert!(!played.complete);
        assert!(matches!(result, Ok(()) | Err(Error::Truncated { .. })), "cut at {length}: {result:?}");
        assert!(told.starts_with(&log.0.lock().unwrap()));
    }
}

#[test]
fn other_files_are_not_traces() {
    assert!(matches!(play(&b"\x7FELF........"[..], &NoMonitor).1, Err(Error::NotATrace)));
    assert!(matches!(play(&b"WARPRACE\xFF\0\0\0"[..], &NoMonitor).1, Err(Error::Version(255))));
    assert!(matches!(play(&b""[..], &NoMonitor).1, Err(Error::NotATrace)));
}

#[test]
fn no_more_than_asked_for_is_recorded_and_it_reads_as_a_whole() {
    let path = file("up-to");
    let recorder = Recorder::create(&path, Engine::Virtual).unwrap().up_to(5);
    let mut observer = recorder.observer(0);
    let warp = Warp { task: TaskId(1), block: BlockId(0), warp: WarpId(0) };
    for site in 0..20 {
        recorder.host(&events::HostEvent::Free { base: site.into(), bytes: 8 });
        observer.sync(&Sync::WarpSync { warp, site: SiteId(site), lanes: 1 });
    }
    recorder.host(&events::HostEvent::End);
    let log = Log::default();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let (played, result) = play(&bytes[..], &log);
    assert!(result.is_ok() && played.complete, "{result:?}");
    let log = log.0.lock().unwrap();
    // Host events are complete up to the end.
    let count = |what: &str| log.iter().filter(|line| line.contains(what)).count();
    assert_eq!((count("WarpSync"), count("Free")), (5, 20), "{log:?}");
}

#[test]
fn a_full_disk_is_told_once() {
    let Ok(recorder) = Recorder::create(std::path::Path::new("/dev/full"), Engine::Virtual) else {
        return;
    };
    recorder.task_end(TaskId(1));
    assert!(recorder.close().is_err());
}

/// A trace that an earlier build has made.
#[test]
fn traces_of_version_1_are_read() {
    let bytes = include_bytes!("data/version-1.trace");
    assert_eq!(bytes[8..12], [1, 0, 0, 0]);
    let log = Log::default();
    let (played, result) = play(&bytes[..], &log);
    result.unwrap();
    assert!(played.complete && played.launches.is_empty());
    assert_eq!((played.accesses(), played.sites.len()), (161, 41));
    let told = log.0.lock().unwrap().join("\n");
    for expected in ["_Z3sumPKiif", "cudaMemset", "cudaMalloc", "_Z4fillPii", "End"] {
        assert!(told.contains(expected), "{expected}");
    }
}

#[test]
fn a_trace_names_its_engine_and_unknown_ones_are_refused() {
    let path = std::env::temp_dir().join(format!("warprace-engine-{}", std::process::id()));
    let engine: Engine = "collide:patient".parse().unwrap();
    let recorder = Recorder::create(&path, engine).unwrap();
    recorder.task_end(TaskId(1));
    assert_eq!(recorder.close().unwrap().bytes, std::fs::metadata(&path).unwrap().len());
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let (played, result) = play(&bytes[..], &NoMonitor);
    result.unwrap();
    assert_eq!(played.engine, engine);
    let unknown = play(&b"WARPRACE\x03\0\0\0\x04loom"[..], &NoMonitor).1.unwrap_err();
    assert_eq!(unknown.to_string(), "the trace is of engine `loom`, which this warprace does not know");
    let short = play(&b"WARPRACE\x03\0\0\0\x09loom"[..], &NoMonitor).1;
    assert!(matches!(short, Err(Error::Truncated { .. })));
}

/// A file of a build before traces named their engine.
#[test]
fn traces_of_version_2_are_read() {
    let path = std::env::temp_dir().join(format!("warprace-version-2-{}", std::process::id()));
    let recorder = Recorder::create(&path, Engine::Virtual).unwrap();
    recorder.task_end(TaskId(1));
    recorder.close().unwrap();
    let newest = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    // The header of version 2 ends where that of version 3 names the engine.
    let older = [b"WARPRACE\x02\0\0\0", &newest[12 + 1 + "virtual".len()..]].concat();
    let (played, result) = play(&older[..], &NoMonitor);
    result.unwrap();
    assert!(played.complete && played.engine == Engine::Virtual);
}

/// Until version 3 each lane told of its own copies.
#[test]
fn waits_of_single_lanes_are_read() {
    // Tag, task, block, warp, site, lane, two operations and whether only their reads are over.
    let bytes = trace::seal(&[vec![15, 0, 0, 0, 0, 3, 2, 10, 2, 0]]).unwrap();
    let log = Log::default();
    // It was cut short.
    let _ = play(&bytes[..], &log);
    let told = log.0.lock().unwrap().join("\n");
    let expected = "lanes: 8, ops: [AsyncOpId(5), AsyncOpId(6)], reads_only: false";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn newer_versions_are_refused_by_name() {
    let newer = play(&b"WARPRACE\x08\0\0\0"[..], &NoMonitor).1.unwrap_err();
    assert_eq!(newer.to_string(), "trace version 8, but this warprace reads versions 1 to 7");
    assert!(matches!(play(&b"WARPRACE\0\0\0\0"[..], &NoMonitor).1, Err(Error::Version(0))));
}
