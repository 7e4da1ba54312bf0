//! `predict`, `compare` and `trace export` on a synthetic trace.

use events::access::Warp;
use events::task::{HostCall, LaunchInfo, SyncUse};
use events::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use trace::Recorder;

const BLOCKS: u32 = 4;
const WARPS: u16 = 2;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("warprace-offline-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn warprace(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warprace"));
    command.args(args).env("NO_COLOR", "1").output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A kernel whose instruction on line N of `made_up.cu` is site N.
struct Kernel<'a> {
    observer: &'a mut dyn Observer,
    task: TaskId,
}

impl Kernel<'_> {
    fn access(
        &mut self,
        (block, warp): (u32, u16),
        line: u32,
        kind: AccessKind,
        strength: Strength,
        address: impl Fn(u64) -> u64,
    ) {
        let warp = Warp { task: self.task, block: BlockId(block), warp: WarpId(warp) };
        self.observer.access(&Access {
            warp,
            site: SiteId(line),
            space: Space::Global,
            kind,
            strength,
            proxy: Proxy::Generic,
            size: 4,
            elements: 1,
            mask: u32::MAX,
            addresses: &std::array::from_fn(|lane| address(lane as u64)),
            stride: None,
            stored: if kind.writes() { u32::MAX } else { 0 },
            values: (strength != Strength::Weak).then_some(&[(0, 1); 32]),
            written: Default::default(),
        });
    }

    fn fence(&mut self, (block, warp): (u32, u16), line: u32) {
        let warp = Warp { task: self.task, block: BlockId(block), warp: WarpId(warp) };
        let (site, lanes, sem, scope) = (SiteId(line), u32::MAX, Sem::Sc, Scope::Gpu);
        self.observer.sync(&Sync::Fence { warp, site, lanes, sem, scope });
    }

    fn barrier(&mut self, block: u32, line: u32) {
        let task = self.task;
        let (id, sem, site) = (BarrierId::Cta(0), Sem::AcqRel, SiteId(line));
        for warp in 0..WARPS {
            let warp = Warp { task, block: BlockId(block), warp: WarpId(warp) };
            self.observer.sync(&Sync::BarrierArrive { warp, site, id, lanes: u32::MAX, waits: true, sem });
        }
        let (block, members) = (BlockId(block), BarrierMembers::WholeBlock);
        self.observer.sync(&Sync::BarrierComplete { task, block, id, members });
    }
}

fn launch(id: u32, kernel: &str, uses: SyncUse) -> TaskInfo {
    TaskInfo {
        id: TaskId(id),
        kind: TaskKind::Launch(LaunchInfo {
            kernel: kernel.to_owned(),
            grid: Dim3::new(BLOCKS, 1, 1),
            block: Dim3::new(u32::from(WARPS) * 32, 1, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 0,
            uses,
        }),
        stream: StreamId(0),
        after: if id == 1 { vec![] } else { vec![TaskId(id - 1)] },
        call: HostCall::default(),
        device: 0,
        overlap: None,
        launcher: None,
    }
}

const BASE: u64 = 0x7000_0000;

/// Creates a recorder that has the sites and the allocations.
fn recorder(path: &Path) -> Recorder {
    let recorder = Recorder::create(path, names::Engine::Virtual).unwrap();
    let mut sites = SiteTable::default();
    for line in 0..40 {
        let frame = Frame { file: "made_up.cu".into(), line, column: 1, function: "kernel".into() };
        sites.push(Site {
            function: "kernel".into(),
            text: String::new(),
            ptx_line: line,
            frames: vec![frame],
            variable: None,
            role: None,
        });
    }
    recorder.sites(&sites, SiteId(0));
    let (kind, call) = (AllocKind::Device, HostCall::default());
    recorder.alloc(&Allocation { base: BASE, bytes: 1 << 20, kind, name: None, call, device: 0 });
    recorder
}

/// Records two kernels: one whose blocks synchronise by barriers only, and one with fences and atomics.
fn record(path: &Path) {
    let (recorder, base) = (recorder(path), BASE);
    let mut observer = recorder.observer(0);
    let (read, write) = (AccessKind::Read, AccessKind::Write);

    recorder.task_start(&launch(1, "by_barriers", SyncUse::default()));
    let mut kernel = Kernel { observer: &mut observer, task: TaskId(1) };
    for block in 0..BLOCKS {
        let own =
            |warp: u16| move |lane: u64| base + u64::from(block) * 0x4000 + 4 * (u64::from(warp) * 32 + lane);
        for warp in 0..WARPS {
            kernel.access((block, warp), 2, write, Strength::Weak, own(warp));
        }
        kernel.barrier(block, 3);
        for warp in 0..WARPS {
            // The barrier orders these accesses.
            kernel.access((block, warp), 4, read, Strength::Weak, own(1 - warp));
            // The other warp reads without a barrier.
            kernel.access((block, warp), 5, write, Strength::Weak, own(warp));
            kernel.access((block, warp), 6, read, Strength::Weak, own(1 - warp));
            // All blocks write one word in each of several pages.
            kernel.access((block, warp), 7, write, Strength::Weak, |lane| base + 0x8_0000 + lane * 0x1000);
        }
    }
    recorder.task_end(TaskId(1));

    let uses =
        SyncUse { fences_or_strong: true, atomics: true, blocks_communicate: true, ..SyncUse::default() };
    recorder.task_start(&launch(2, "by_fences", uses));
    let mut kernel = Kernel { observer: &mut observer, task: TaskId(2) };
    let add = AccessKind::Atomic { op: AtomicOp::Add, returns: true };
    let relaxed = |scope| Strength::Strong { sem: Sem::Relaxed, scope };
    for block in 0..BLOCKS {
        let at = (block, 0);
        // Volatile data is written before a fence, which suffices for some detectors.
        kernel.access(at, 21, write, Strength::Volatile, |lane| base + 4 * lane);
        kernel.fence(at, 22);
        kernel.access(at, 23, add, relaxed(Scope::Gpu), |_| base + 0x2000);
        kernel.access(at, 24, add, relaxed(Scope::Cta), |_| base + 0x3000);
        // There is no fence.
        kernel.access(at, 25, write, Strength::Weak, |lane| base + 0x1_0000 + lane * 0x1000);
    }
    recorder.task_end(TaskId(2));
    recorder.close().unwrap();
}

const DETECTORS: [&str; 7] = ["ptx", "scord", "scord:published", "iguard", "hb", "gwcp", "hirace"];

#[test]
fn the_number_of_jobs_does_not_show() {
    let folder = folder("jobs");
    let trace = folder.join("trace");
    record(&trace);
    let trace = trace.to_str().unwrap();
    for detector in DETECTORS {
        // The footprint, and the launch with the largest one, may differ.
        let said = |jobs: &str| predicted(&folder, &[trace, "--detector", detector, "--jobs", jobs]);
        let alone = said("1");
        assert!(alone.0.contains("made_up.cu:7"), "{detector}: {}", alone.0);
        for jobs in ["2", "3", "8"] {
            assert!(said(jobs) == alone, "{detector} with {jobs} jobs: {}", said(jobs).0);
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Returns the output of `predict`, and its JSON without the footprint.
fn predicted(folder: &Path, args: &[&str]) -> (String, String) {
    let json = folder.join("json");
    let output = warprace(&[&["predict"][..], args, &["--json", json.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(66), "{args:?}: {}", stderr(&output));
    let json = std::fs::read_to_string(json).unwrap();
    let memory = |line: &str| line.contains("shadow_bytes") || line.contains("touched_bytes");
    let json: Vec<&str> = json.lines().filter(|line| !memory(line)).collect();
    (stdout(&output), json.join("\n"))
}

#[test]
fn the_number_of_parts_does_not_show() {
    let folder = folder("parts");
    let trace = folder.join("trace");
    record(&trace);
    let trace = trace.to_str().unwrap();
    for detector in DETECTORS.iter().filter(|name| **name != "scord:published") {
        let whole = predicted(&folder, &[trace, "--detector", detector]);
        for (parts, jobs) in [("2", "1"), ("3", "2"), ("64", "1")] {
            let args = [trace, "--detector", detector, "--parts", parts, "--jobs", jobs];
            let merged = predicted(&folder, &args);
            assert!(merged == whole, "{detector} in {parts} parts: {}", merged.0);
        }
    }
    let output = warprace(&["predict", trace, "--detector", "scord:published", "--parts", "2"]);
    assert_eq!(output.status.code(), Some(64), "{}", stderr(&output));
    assert!(stderr(&output).contains("judges all of memory"), "{}", stderr(&output));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Parts that do not fit are divided until they do.
#[test]
fn memory_that_does_not_suffice_for_all_suffices_for_parts() {
    let folder = folder("bounded");
    let trace = folder.join("trace");
    let recorder = recorder(&trace);
    let mut observer = recorder.observer(0);
    recorder.task_start(&launch(1, "wide", SyncUse::default()));
    let mut kernel = Kernel { observer: &mut observer, task: TaskId(1) };
    for page in 0..2000u64 {
        for block in 0..BLOCKS {
            let at = |lane: u64| BASE + page * 0x1000 + 4 * lane;
            let other = |lane: u64| BASE + page * 0x1000 + 0x800 + 4 * (lane + 32 * u64::from(block));
            kernel.access((block, 0), 31, AccessKind::Write, Strength::Weak, at);
            kernel.access((block, 1), 32, AccessKind::Write, Strength::Weak, other);
        }
    }
    recorder.task_end(TaskId(1));
    recorder.close().unwrap();
    let trace = trace.to_str().unwrap();
    let whole = predicted(&folder, &[trace]);
    let json = std::fs::read_to_string(folder.join("json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let quarter = (json["summary"]["shadow_bytes"].as_u64().unwrap() / 4).to_string();
    let bounded = warprace(&["predict", trace, "--max-memory", &quarter]);
    assert!(stderr(&bounded).contains("divided into parts of 2"), "{}", stderr(&bounded));
    assert!(predicted(&folder, &[trace, "--max-memory", &quarter]) == whole);
    // What no part can do without is told of.
    let output = warprace(&["predict", trace, "--max-memory", "1K"]);
    assert!(stdout(&output).contains("memory limit"), "{}", stdout(&output));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A result that a crash has torn is made again; one that is there is used.
#[test]
fn results_of_parts_are_kept() {
    let folder = folder("kept");
    let (trace, results) = (folder.join("trace"), folder.join("results"));
    record(&trace);
    let trace = trace.to_str().unwrap();
    let whole = predicted(&folder, &[trace]);
    let args = [trace, "--parts", "3", "--output", results.to_str().unwrap()];
    assert!(predicted(&folder, &args) == whole);
    let plan = std::fs::read_dir(results.join("parts")).unwrap().next().unwrap().unwrap().path();
    let [first, second, third] = ["0", "1", "2"].map(|part| plan.join(part));
    let made = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    let (torn, before) = (std::fs::read(&first).unwrap(), made(&second));
    std::fs::write(&first, &torn[..torn.len() / 2]).unwrap();
    std::fs::remove_file(&third).unwrap();
    assert!(predicted(&folder, &args) == whole);
    assert_eq!((std::fs::read(&first).unwrap() == torn, made(&second)), (true, before));
    assert!(third.exists());
    // The same folder has no results for another analysis.
    let args = [trace, "--volatile", "weak", "--parts", "3", "--output", results.to_str().unwrap()];
    predicted(&folder, &args);
    assert_eq!(std::fs::read_dir(results.join("parts")).unwrap().count(), 2);
    std::fs::remove_dir_all(folder).unwrap();
}

/// All blocks execute atomics without results and plain writes on the same words.
#[test]
fn the_number_of_jobs_does_not_change_how_often_atomics_race() {
    let folder = folder("atomics");
    let trace = folder.join("trace");
    let recorder = recorder(&trace);
    let mut observer = recorder.observer(0);
    recorder.task_start(&launch(1, "by_atomics", SyncUse { atomics: true, ..SyncUse::default() }));
    let mut kernel = Kernel { observer: &mut observer, task: TaskId(1) };
    let add = AccessKind::Atomic { op: AtomicOp::Add, returns: false };
    let relaxed = Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu };
    for round in 0..2000 {
        for block in 0..BLOCKS {
            let word = BASE + round % 7 * 4;
            let other = word + 4 * u64::from(block % 2);
            kernel.access((block, 0), 31, add, relaxed, |_| word);
            kernel.access((block, 1), 32, AccessKind::Write, Strength::Weak, |_| other);
        }
    }
    recorder.task_end(TaskId(1));
    recorder.close().unwrap();
    let said = |jobs: &str| stdout(&warprace(&["predict", trace.to_str().unwrap(), "--jobs", jobs]));
    let alone = said("1");
    assert!(alone.contains("= seen: "), "{alone}");
    for jobs in ["2", "3", "4"] {
        assert_eq!(said(jobs), alone, "{jobs} jobs");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_precedes_damage_is_analysed() {
    let folder = folder("damage");
    let path = folder.join("trace");
    record(&path);
    let whole = std::fs::read(&path).unwrap();
    // The second kernel's chunk is cut off or flipped; the first one's findings remain.
    let cut = whole.len() - 100;
    let mut flipped = whole.clone();
    flipped[cut] ^= 0x10;
    for (bytes, expected) in [(&whole[..cut], "ends in the middle"), (&flipped[..], "damaged")] {
        std::fs::write(&path, bytes).unwrap();
        for jobs in ["1", "2"] {
            for detector in ["ptx", "scord"] {
                let args = ["predict", path.to_str().unwrap(), "--jobs", jobs, "--detector", detector];
                let output = warprace(&args);
                assert_eq!(output.status.code(), Some(66), "{}", stderr(&output));
                assert!(stdout(&output).contains("made_up.cu:7"), "{}", stdout(&output));
                assert!(!stdout(&output).contains("made_up.cu:25"), "{}", stdout(&output));
                assert!(stderr(&output).contains(expected), "{}", stderr(&output));
            }
        }
        let out = folder.join("tables");
        let output = warprace(&["trace", "export", path.to_str().unwrap(), "-o", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(67), "{}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(std::fs::read_to_string(out.join("accesses.csv")).unwrap().lines().count() > 32);
    }
    std::fs::write(&path, "no trace at all").unwrap();
    for args in [vec!["predict"], vec!["predict", "--jobs", "2"], vec!["compare"]] {
        let output = warprace(&[&args[..], &[path.to_str().unwrap()]].concat());
        assert_eq!(output.status.code(), Some(64), "{}", stdout(&output));
        assert!(stderr(&output).contains("not a warprace trace"), "{}", stderr(&output));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn traffic_is_counted_and_its_estimate_labelled() {
    let folder = folder("traffic");
    let path = folder.join("trace");
    record(&path);
    let output = warprace(&["predict", "--detector", "scord", "--traffic", path.to_str().unwrap()]);
    let text = stdout(&output);
    let row = |name: &str| -> Vec<f64> {
        let line =
            text.lines().find(|l| l.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{text}"));
        line.rsplit("  ").filter_map(|n| n.trim().parse().ok()).collect()
    };
    let (metadata, data) = (row("L2 accesses for metadata"), row("L2 accesses for data"));
    assert!(metadata[1] > metadata[0] && metadata[0] > 0.0 && metadata[2] == 0.0, "{text}");
    assert!(data.iter().all(|&n| n == data[0] && n > 0.0), "{text}");
    let relative = row("DRAM accesses, relative");
    assert!(relative[1] > relative[0] && relative[0] > 1.0, "{text}");
    assert!(text.contains("ESTIMATED"), "{text}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Compares the table with the blessed one; `WARPRACE_BLESS=1` accepts the new table.
#[test]
fn compare_says_who_found_what_and_why_others_did_not() {
    let folder = folder("compare");
    let path = folder.join("trace");
    record(&path);
    let output = warprace(&["compare", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(66), "{}", stderr(&output));
    let text = stdout(&output).replace(path.to_str().unwrap(), "TRACE");
    // Only the machine-independent part of the summary is compared.
    let (races, summary) = text.split_once("detector ").unwrap();
    let mut said = races.to_owned();
    for line in summary.lines().skip(1) {
        let mut words = line.split_whitespace();
        said += &format!("{} {}\n", words.next().unwrap(), words.next().unwrap());
    }
    let blessed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/offline/compare.txt");
    if std::env::var_os("WARPRACE_BLESS").is_some() {
        std::fs::create_dir_all(blessed.parent().unwrap()).unwrap();
        std::fs::write(&blessed, &said).unwrap();
    }
    assert_eq!(said, std::fs::read_to_string(blessed).unwrap());
    std::fs::remove_dir_all(folder).unwrap();
}

/// The findings have the same identity, class and count as in the detector's own report.
#[test]
fn compare_names_and_counts_what_a_report_does() {
    let folder = folder("compare-counts");
    let (path, report) = (folder.join("trace"), folder.join("report.json"));
    record(&path);
    let trace = path.to_str().unwrap();
    let compared = warprace(&["compare", "--json", trace]);
    let compared: serde_json::Value = serde_json::from_slice(&compared.stdout).unwrap();
    for lens in ["ptx", "hb", "hirace"] {
        warprace(&["predict", "--detector", lens, "--json", report.to_str().unwrap(), trace]);
        let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
        let of = |finding: &serde_json::Value| {
            ["id", "class", "count"].map(|field| finding[field].to_string()).join(" ")
        };
        let mut reported: Vec<String> = report["races"].as_array().unwrap().iter().map(of).collect();
        let rows = compared["races"].as_array().unwrap().iter().map(|row| &row["detectors"][lens]);
        let mut rows: Vec<String> = rows.filter(|opinion| opinion["id"].is_string()).map(of).collect();
        reported.sort();
        rows.sort();
        assert!(!reported.is_empty());
        assert_eq!(reported, rows, "{lens}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn traces_remember_the_names_of_shared_variables() {
    let folder = folder("shared");
    let path = folder.join("trace");
    let recorder = recorder(&path);
    recorder.task_start(&launch(1, "tiles", SyncUse::default()));
    let tile = SharedVariable { name: "_ZZ5tilesvE4tile".into(), offset: 0, bytes: Some(4096) };
    recorder.launched(TaskId(1), &LaunchFacts { shared: vec![tile], ..LaunchFacts::default() });
    let mut observer = recorder.observer(0);
    for (warp, line, kind) in [(0, 2, AccessKind::Write), (1, 3, AccessKind::Read)] {
        observer.access(&Access {
            warp: Warp { task: TaskId(1), block: BlockId(0), warp: WarpId(warp) },
            site: SiteId(line),
            space: Space::Shared(BlockId(0)),
            kind,
            strength: Strength::Weak,
            proxy: Proxy::Generic,
            size: 4,
            elements: 1,
            mask: u32::MAX,
            addresses: &std::array::from_fn(|lane| 4 * lane as u64),
            stride: None,
            stored: if kind.writes() { u32::MAX } else { 0 },
            values: None,
            written: Default::default(),
        });
    }
    recorder.task_end(TaskId(1));
    drop(observer);
    recorder.close().unwrap();
    let output = warprace(&["predict", path.to_str().unwrap()]);
    let text = stdout(&output);
    assert!(text.contains("write and read of shared memory `tile`"), "{text}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn tables_are_exported() {
    let folder = folder("export");
    let path = folder.join("trace");
    record(&path);
    let (trace, out) = (path.to_str().unwrap(), folder.join("tables"));
    let output = warprace(&["trace", "export", trace, "-o", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let accesses = std::fs::read_to_string(out.join("accesses.csv")).unwrap();
    // The trace has two kernels: 4 blocks × 2 warps × 5 accesses and 4 blocks × 4, of 32 threads each, below
    // a header.
    assert_eq!(accesses.lines().count(), 1 + (BLOCKS as usize * 2 * 5 + BLOCKS as usize * 4) * 32);
    for table in ["sync", "tasks", "sites"] {
        assert!(out.join(table).with_extension("csv").exists(), "{table}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A newer build can read traces of older builds.
#[test]
fn a_trace_of_version_1_has_the_findings_that_it_had() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/tests/data/version-1.trace");
    let output = warprace(&["predict", trace]);
    let text = stdout(&output) + &stderr(&output);
    let races = |class: &str| text.matches(&format!("race[{class}]")).count();
    assert_eq!((races("memcpy-async"), races("divergent-warp"), races("inter-kernel")), (2, 1, 1), "{text}");
    assert!(text.contains("ran 2 kernels in 2 launches: 96 threads, 161 memory accesses"), "{text}");
}
