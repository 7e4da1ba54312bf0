//! From results as the library writes them to the text and JSON that people read.
//!
//! **Size:** a list of results and their reports, which share one builder.

use events::SharedVariable;
use events::access::{AccessKind, Proxy, Space, Strength};
use events::finding::Actor;
use events::task::{HostCall, LaunchInfo, TaskKind};
use events::{
    AllocKind, Allocation, BlockId, Class, Dim3, Evidence, Finding, Frame, Level, Location, Side, Site,
    SiteId, StreamId, Surroundings, SyncNote, TaskId, TaskInfo, ThreadId,
};
use names::Engine;
use protocol::{
    Counters, DeviceFailure, FailureKind, KernelSummary, Obstacle, Reported, RunResult, Running,
    UnsupportedCall, Waiting, WaitsAt,
};
use report::model::Document;
use report::render::{Github, Html, Issue, Json, Junit, Renderer, Sarif};
use report::source::Sources;
use report::{Checking, Ending, Run, Style, Text, Verdict, describe};
use std::path::Path;

const KERNEL: &str = "_Z8blockSumPKfPfi";

fn source(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn frame(file: &str, line: u32, column: u32, function: &str) -> Frame {
    Frame { file: file.into(), line, column, function: function.into() }
}

fn site(text: &str, frames: Vec<Frame>, variable: Option<&str>) -> Site {
    Site {
        function: KERNEL.into(),
        text: text.into(),
        ptx_line: 40,
        frames,
        variable: variable.map(str::to_owned),
        role: None,
    }
}

fn side(site: u32, thread: u16, kind: AccessKind) -> Side {
    Side {
        site: Some(SiteId(site)),
        task: TaskId(3),
        who: Actor::Thread { block: BlockId(1), thread: ThreadId(thread) },
        kind,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address: 256,
        size: 4,
    }
}

fn race(class: Class, sides: [Side; 2], count: u64) -> Reported {
    Reported {
        engine: Engine::Virtual,
        finding: Finding {
            lens: "ptx".into(),
            level: Level::Race,
            class,
            evidence: Evidence::Observed,
            space: Space::Shared(BlockId(1)),
            sides,
            notes: vec![SyncNote::Nothing],
            count,
        },
        allocation: None,
        others: Vec::new(),
        tensor: None,
        schedules: Vec::new(),
    }
}

/// A process that ran `blockSum` once.
fn result() -> RunResult {
    let mut result = RunResult {
        version: 1,
        pid: 7,
        program: "/app/reduce".into(),
        finished: true,
        uses_cuda: true,
        tasks: vec![TaskInfo {
            id: TaskId(3),
            kind: TaskKind::Launch(LaunchInfo {
                kernel: KERNEL.into(),
                grid: Dim3::new(4, 1, 1),
                block: Dim3::new(16, 16, 1),
                cluster: Dim3::ONE,
                cooperative: false,
                shared_bytes: 1024,
                uses: events::task::SyncUse::default(),
            }),
            stream: StreamId(0),
            after: vec![],
            call: HostCall { api: "<<<>>>".into(), site: None, within: None },
            device: 0,
            overlap: None,
            launcher: None,
        }],
        kernels: vec![KernelSummary {
            name: KERNEL.into(),
            launches: 1,
            checked: 1,
            blocks: 4,
            threads: 1024,
            thread_instructions: 123_456,
            accesses: 7_000,
            has_line_info: true,
            ns: 0,
            shared: Vec::new(),
        }],
        counters: Counters {
            modules: 1,
            launches: 1,
            checked: 1,
            threads: 1024,
            warp_instructions: 4_000,
            thread_instructions: 123_456,
            accesses: 7_000,
            ..Counters::default()
        },
        replay: Some("converged-first:seed=1".parse().unwrap()),
        ..RunResult::default()
    };
    let reduce = source("reduce.cu");
    let shared = Some("_ZZ8blockSumPKfPfiE7partial");
    result.sites.push(site("st.shared.f32 [%r1], %f1", vec![frame(&reduce, 9, 13, KERNEL)], shared));
    result.sites.push(site("ld.shared.f32 %f1, [%r1]", vec![frame(&reduce, 9, 13, KERNEL)], shared));
    result
}

fn describe_ended(results: &[RunResult], ending: Ending) -> (Document, String) {
    let sources = Sources::new(Some(env!("CARGO_MANIFEST_DIR").into()));
    let document = describe(&Run {
        results,
        program: "./reduce".into(),
        command: &["./reduce".into(), "1000".into()],
        ending,
        checking: Checking::Detect,
        replay: &|_, replay| format!("warprace run --replay {replay} -- ./reduce 1000"),
        inconclusive: vec![],
        sources: &sources,
        interleavings: Default::default(),
    });
    let text = Text { style: Style::default(), sources: &sources }.document(&document);
    (document, text)
}

fn describe_all(results: &[RunResult]) -> (Document, String) {
    describe_ended(results, Ending::Exit(0))
}

/// Compares with the file beside this one; `WARPRACE_BLESS=1` rewrites it.
fn expect(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    if std::env::var_os("WARPRACE_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "WARPRACE_BLESS=1 rewrites {}", path.display());
}

#[test]
fn a_race_shows_both_sides() {
    let mut r = result();
    r.findings.push(race(
        Class::MissingBarrier,
        [side(0, 64, AccessKind::Write), side(1, 0, AccessKind::Read)],
        1_500,
    ));
    let (document, text) = describe_all(&[r]);
    assert_eq!(document.verdict, Verdict::Race);
    expect("race.txt", &text);
}

#[test]
fn the_json_has_the_documented_shape() {
    let mut r = result();
    r.findings.push(race(
        Class::MissingBarrier,
        [side(0, 64, AccessKind::Write), side(1, 0, AccessKind::Read)],
        2,
    ));
    let json = serde_json::to_value(describe_all(&[r]).0).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["verdict"], "race");
    let race = &json["races"][0];
    assert_eq!(race["class"], "missing-barrier");
    assert_eq!(race["space"], "shared");
    assert_eq!(race["count"], 2);
    assert_eq!(race["replay"], "warprace run --replay converged-first:seed=1 -- ./reduce 1000");
    let access = &race["accesses"][0];
    assert_eq!(access["file"], source("reduce.cu"));
    assert_eq!((access["line"].as_u64(), access["column"].as_u64()), (Some(9), Some(13)));
    assert_eq!(access["function"], "blockSum");
    assert_eq!(access["kernel"], "blockSum(float const*, float*, int)");
    assert_eq!((&access["kind"], access["size"].as_u64()), (&"write".into(), Some(4)));
    assert_eq!(access["block"], serde_json::json!([1, 0, 0]));
    assert_eq!(access["thread"], serde_json::json!([0, 4, 0]));
    assert_eq!(access["inlined"][0]["line"], 9);
    assert!(race["why"].as_str().unwrap().contains("barrier"));
    assert!(race["fix"].as_str().unwrap().contains("__syncthreads"));
    assert_eq!(json["hazards"], serde_json::json!([]));
    assert_eq!(json["inconclusive"], serde_json::json!([]));
    assert_eq!(json["kernels"][0]["name"], "blockSum(float const*, float*, int)");
    // A written document can be read.
    serde_json::from_value::<Document>(json).unwrap();
}

#[test]
fn a_run_on_a_gpu_is_clean_if_all_of_it_was_proved() {
    let of = |proved_whole: bool, proved: u64| {
        let mut r = result();
        r.replay = Some("engine=gpu:guard+converged-first:seed=0".parse().unwrap());
        r.proved_whole = proved_whole;
        r.counters.proved = proved;
        r
    };
    let (document, text) = describe_all(&[of(true, 1)]);
    assert_eq!(document.verdict, Verdict::Clean);
    assert!(text.contains("clean (proved): every launch is free of races"), "{text}");
    assert!(text.contains("checked 1 of 1 launch (1 proved)"), "{text}");
    assert_eq!(describe_all(&[of(false, 0)]).0.verdict, Verdict::Unseen);
    let mut in_part = of(false, 0);
    in_part.counters.proved_in_part = 1;
    let (document, text) = describe_all(&[in_part]);
    assert_eq!((document.verdict, document.completeness.proved_in_part), (Verdict::Unseen, 1));
    assert!(text.contains("checked 1 of 1 launch (0 proved, 1 in part)"), "{text}");
    // One process of several was sampled; one that launches nothing says nothing.
    assert_eq!(describe_all(&[of(true, 1), of(false, 1)]).0.verdict, Verdict::Unseen);
    let idle = RunResult { counters: Counters::default(), kernels: vec![], ..of(false, 0) };
    assert_eq!(describe_all(&[of(true, 1), idle]).0.verdict, Verdict::Clean);
}

#[test]
fn a_finding_tells_its_engine_and_its_evidence() {
    for (engine, evidence, json, seen) in [
        (
            Engine::Virtual,
            Evidence::Observed,
            r#"{"engine":"virtual","evidence":"observed"}"#,
            "seen: 2 times",
        ),
        (
            Engine::Prover,
            Evidence::Proved { replay: "random:seed=3".into() },
            r#"{"engine":"prover","evidence":{"proved":{"replay":"random:seed=3"}}}"#,
            "warprace run --replay random:seed=3 --",
        ),
    ] {
        let mut r = result();
        let sides = [side(0, 64, AccessKind::Write), side(1, 0, AccessKind::Read)];
        let mut found = Reported { engine, ..race(Class::MissingBarrier, sides, 2) };
        found.finding.evidence = evidence;
        r.findings.push(found);
        let (document, text) = describe_all(&[r]);
        let race = serde_json::to_value(&document.races[0]).unwrap();
        let told = serde_json::json!({ "engine": race["engine"], "evidence": race["evidence"] });
        assert_eq!(told.to_string(), json);
        assert!(text.contains(seen), "{text}");
    }
}

#[test]
fn unrolled_and_opposite_pairs_are_one_report() {
    let mut r = result();
    let reduce = source("reduce.cu");
    r.sites.push(site("st.shared.f32 [%r9], %f1", vec![frame(&reduce, 9, 13, KERNEL)], None));
    let (w, rd) = (AccessKind::Write, AccessKind::Read);
    r.findings.push(race(Class::DivergentWarp, [side(0, 2, w), side(1, 1, rd)], 1));
    r.findings.push(race(Class::MissingBarrier, [side(1, 64, rd), side(2, 0, w)], 10));
    r.findings.push(race(Class::MissingBarrier, [side(0, 64, w), side(0, 0, w)], 100));
    r.sites.push(site("st.shared.f32 [%r9], %f1", vec![frame(&reduce, 12, 9, KERNEL)], None));
    r.findings.push(race(Class::MissingBarrier, [side(0, 64, w), side(3, 0, w)], 1000));
    let (document, _) = describe_all(&[r]);
    let got: Vec<_> = document.races.iter().map(|d| (d.class, d.count)).collect();
    assert_eq!(got, [(Class::MissingBarrier, 111), (Class::MissingBarrier, 1000)]);
}

/// Threads that are near each other and far apart make of one statement several classes.
#[test]
fn one_pair_of_statements_is_one_report() {
    let mut r = result();
    let w = AccessKind::Write;
    let at = |space, class, count| {
        let mut reported = race(class, [side(0, 64, w), side(0, 0, w)], count);
        reported.finding.space = space;
        reported
    };
    let classes = [Class::SameInstruction, Class::MissingBarrier, Class::InterBlock, Class::DivergentWarp];
    r.findings.extend(classes.map(|class| at(Space::Global, class, 10)));
    r.findings.push(at(Space::Shared(BlockId(1)), Class::MissingBarrier, 1));
    let (document, text) = describe_all(&[r]);
    let got: Vec<_> = document.races.iter().map(|d| (d.class, d.count, d.also.len())).collect();
    assert_eq!(got, [(Class::InterBlock, 40, 3), (Class::MissingBarrier, 1, 0)]);
    let also =
        "= also: `same-instruction` (10 times), `missing-barrier` (10 times), `divergent-warp` (10 times)";
    assert!(text.contains(also), "{text}");
    assert!(text.contains("= seen: 40 times"), "{text}");
}

/// The cause is told: a fence that a lock lacks, not that lanes diverge.
#[test]
fn a_lock_without_fences_is_one_report() {
    let mut r = result();
    let w = AccessKind::Write;
    for class in [Class::DivergentWarp, Class::MissingFence, Class::LockMissing] {
        r.findings.push(race(class, [side(0, 64, w), side(0, 0, w)], 1));
    }
    let (document, _) = describe_all(&[r]);
    assert_eq!(document.races.iter().map(|d| d.class).collect::<Vec<_>>(), [Class::MissingFence]);
}

/// `atomicAdd()` of a work list's counter between two accesses is no flag, if others raced that had met at none:
/// fences there would mend nothing.
#[test]
fn a_counter_that_some_threads_met_at_is_no_flag_without_a_fence() {
    let mut r = result();
    let w = AccessKind::Write;
    for class in [Class::DivergentWarp, Class::MissingFence, Class::InterBlock, Class::MissingBarrier] {
        r.findings.push(race(class, [side(0, 64, w), side(0, 0, w)], 1));
    }
    let (document, _) = describe_all(&[r]);
    let got: Vec<_> = document.races.iter().map(|d| (d.class, d.also.len())).collect();
    assert_eq!(got, [(Class::InterBlock, 3)]);
}

#[test]
fn unrolled_loads_without_line_information_are_one_report() {
    let mut r = result();
    r.kernels[0].has_line_info = false;
    let first = r.sites.len() as u32;
    for n in 0..32 {
        let mut load = site(&format!("ld.global.u32 %r{n}, [%rd1+{}]", 4 * n), vec![], None);
        load.ptx_line = 100 + n;
        r.sites.push(load);
    }
    let mut store = site("st.global.u32 [%rd2], %r7", vec![], None);
    store.ptx_line = 60;
    r.sites.push(store);
    for n in 0..32 {
        let sides = [side(first + 32, 0, AccessKind::Write), side(first + n, 64, AccessKind::Read)];
        r.findings.push(race(Class::MissingBarrier, sides, 2));
    }
    // Another kind of access is another statement.
    let sides = [side(first + 32, 0, AccessKind::Write), side(first + 32, 64, AccessKind::Write)];
    r.findings.push(race(Class::MissingBarrier, sides, 1));
    let (document, text) = describe_all(&[r]);
    let got: Vec<_> = document.races.iter().map(|d| (d.count, d.also.len())).collect();
    assert_eq!(got, [(64, 31), (1, 0)]);
    let lines = "32 pairs of instructions, in PTX lines 60, 100, 101, 102, 103, 104, 105, 106 and 25 more";
    assert!(text.contains(lines), "{text}");
    let members: u64 = document.races[0].also.iter().map(|member| member.count).sum();
    assert_eq!(members + 2, document.races[0].count, "the shown pair counted twice");
}

/// The identity that suppressions and baselines use.
#[test]
fn a_finding_keeps_its_identity_when_lines_and_addresses_shift() {
    let ids = |shift: u32, address: u64| -> Vec<String> {
        let mut r = result();
        r.sites = events::SiteTable::default();
        for line in [6, 9, 12, 9] {
            let frames = vec![frame("/src/a.cu", line + shift, 5, KERNEL)];
            r.sites.push(site("st.shared.f32 [%r1], %f1", frames, None));
        }
        for [a, b] in [[0, 1], [1, 2], [3, 2]] {
            let mut reported = race(
                Class::MissingBarrier,
                [side(a, 64, AccessKind::Write), side(b, 0, AccessKind::Read)],
                1,
            );
            reported.finding.sides.iter_mut().for_each(|side| side.address = address);
            r.findings.push(reported);
        }
        describe_all(&[r]).0.races.into_iter().map(|race| race.id).collect()
    };
    let before = ids(0, 256);
    assert_eq!(before.len(), 2);
    assert!(before.iter().all(|id| id.len() == 16) && before[0] != before[1], "{before:?}");
    assert_eq!(ids(40, 512), before);
}

/// nvcc merges statements and writes line 0; the program was compiled with `-lineinfo`.
#[test]
fn an_instruction_without_a_line_does_not_ask_for_line_information() {
    let mut r = result();
    r.sites.push(site("st.shared.f32 [%r1], %f1", vec![], None));
    r.findings.push(race(
        Class::SameInstruction,
        [side(2, 1, AccessKind::Write), side(2, 0, AccessKind::Write)],
        1,
    ));
    let (_, text) = describe_all(&[r]);
    assert!(text.contains("PTX line 40") && !text.contains("-lineinfo"), "{text}");
}

#[test]
fn shared_memory_and_locks_have_names() {
    let mut r = result();
    let named = |name: &str, offset, bytes| SharedVariable { name: name.into(), offset, bytes };
    r.kernels[0].shared = vec![named("_ZZ8blockSumPKfPfiE5gates", 192, Some(64)), named("tail", 256, None)];
    let w = AccessKind::Write;
    let mut reported = race(Class::LockWrong, [side(2, 64, w), side(2, 0, w)], 1);
    r.sites.push(site("st.shared.f32 [%r1], %f1", vec![frame("/src/a.cu", 3, 5, KERNEL)], None));
    let shared = |address| Location { space: Space::Shared(BlockId(1)), address };
    let global = |address| Location { space: Space::Global, address };
    reported.finding.notes =
        vec![SyncNote::Locks { first: vec![shared(204)], second: vec![global(0x5008), global(0x7000)] }];
    reported.others = vec![Allocation {
        base: 0x5000,
        bytes: 64,
        kind: AllocKind::Device,
        name: None,
        call: HostCall { api: "cudaMalloc".into(), site: None, within: None },
        device: 0,
    }];
    r.findings.push(reported);
    let race = &describe_all(&[r]).0.races[0];
    assert_eq!((race.memory.variable.as_deref(), race.memory.offset), (Some("tail"), 0));
    assert_eq!(
        race.why,
        "the lock in element 3 of 4 bytes of shared memory `gates` of block (1, 0, 0) is held at (1) and the locks \
         in element 2 of 4 bytes of global memory from `cudaMalloc` and global memory at 0x7000 are held at (2): none in common"
    );
}

#[test]
fn frames_of_libraries_are_folded() {
    let mut r = result();
    let header = "/opt/cuda/targets/x86_64-linux/include/cccl/cuda/std/__atomic/api/owned.h";
    let mut frames: Vec<Frame> = (0..7).map(|n| frame(header, 10 + n, 3, "_ZN4cuda3std4loadEv")).collect();
    frames.push(frame(&source("reduce.cu"), 6, 5, KERNEL));
    r.sites.push(site("ld.relaxed.gpu.u32 %r1, [%rd1]", frames, None));
    r.findings.push(race(
        Class::AtomicScope,
        [side(2, 64, AccessKind::Read), side(1, 0, AccessKind::Write)],
        1,
    ));
    let (document, text) = describe_all(&[r]);
    assert!(
        text.contains("= inlined: (1) … 7 frames of libcu++ into `blockSum` (tests/data/reduce.cu:6)"),
        "{text}"
    );
    assert_eq!(document.races[0].accesses[0].inlined.len(), 8);
}

#[test]
fn library_code_is_attributed_to_the_user() {
    let mut r = result();
    let reduce = source("reduce.cu");
    let library = "/opt/cuda/include/cub/block/block_scan.cuh";
    r.sites.push(site(
        "st.shared.f32 [%r1], %f1",
        vec![
            frame(library, 300, 5, "_ZN3cub9BlockScanIfLi256EE4SyncEv"),
            frame(library, 20, 3, "_ZN3cub9BlockScanIfLi256EE3SumEv"),
            frame(&reduce, 6, 5, KERNEL),
        ],
        None,
    ));
    r.findings.push(race(
        Class::MissingBarrier,
        [side(2, 64, AccessKind::Write), side(1, 0, AccessKind::Read)],
        1,
    ));
    let (document, text) = describe_all(&[r]);
    let access = &document.races[0].accesses[0];
    assert_eq!((access.line, access.function.as_str()), (6, "blockSum"));
    assert_eq!(access.inlined.len(), 3);
    expect("library.txt", &text);
}

/// The test and the NVTX ranges of both accesses are one note each, in every form of the report.
#[test]
fn a_race_names_its_test_and_its_ranges() {
    let mut r = result();
    let within =
        Surroundings { test: "Sum.Large".into(), ranges: vec!["epoch".into(), "solver@sweep".into()] };
    r.tasks[0].call.within = Some(Box::new(within));
    r.findings.push(race(
        Class::MissingBarrier,
        [side(0, 64, AccessKind::Write), side(1, 0, AccessKind::Read)],
        1,
    ));
    let mut apart = r.clone();
    let (document, text) = describe_all(&[r]);
    assert!(
        text.contains("= test: Sum.Large\n") && text.contains("= nvtx: epoch > solver@sweep\n"),
        "{text}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&Json.render(std::slice::from_ref(&document))).unwrap();
    let access = &json["races"][0]["accesses"][1];
    assert_eq!((&access["test"], &access["nvtx"][1]), (&"Sum.Large".into(), &"solver@sweep".into()));
    let sources = Sources::default();
    assert!(Html { sources: &sources }.render(std::slice::from_ref(&document)).contains("Sum.Large"));
    let github = Github { sources: &sources }.render(std::slice::from_ref(&document));
    assert!(github.contains("%0Atest: Sum.Large%0Anvtx: epoch > solver@sweep%0Awhy: "), "{github}");
    let sarif: serde_json::Value =
        serde_json::from_str(&Sarif { sources: &sources }.render(std::slice::from_ref(&document))).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["properties"]["test"], "Sum.Large");
    assert!(result["message"]["text"].as_str().unwrap().contains("\nTest: Sum.Large\nNVTX: epoch > "));
    let issue = Issue { sources: &sources, change: None, notes: None, quotes: false, version: "1.2.3" };
    let issue = issue.render(&document, &document.races[0]);
    assert!(issue.contains("\nTest: `Sum.Large`.\n\nNVTX range: `epoch > solver@sweep`.\n"), "{issue}");
    assert!(Junit.render(&[document]).contains("test: Sum.Large\nnvtx: epoch &gt; solver@sweep\n"));

    let mut other = apart.tasks[0].clone();
    (other.id, other.call.within) = (TaskId(4), None);
    apart.tasks.push(other);
    apart.findings[0].finding.sides[1].task = TaskId(4);
    let text = describe_all(&[apart]).1;
    assert!(text.contains("= test: (1) Sum.Large\n"), "{text}");
}

#[test]
fn host_copies_and_allocations_have_their_calls() {
    let mut r = result();
    let main = source("main.cu");
    r.sites.push(Site {
        function: "main".into(),
        text: String::new(),
        ptx_line: 0,
        frames: vec![frame(&main, 57, 0, "main")],
        variable: None,
        role: None,
    });
    let call = HostCall { api: "cudaMemcpyAsync".into(), site: Some(SiteId(2)), within: None };
    r.tasks.push(TaskInfo {
        id: TaskId(4),
        kind: TaskKind::Copy,
        stream: StreamId(2),
        after: vec![],
        call,
        device: 0,
        overlap: None,
        launcher: None,
    });
    let copy = Side {
        site: None,
        task: TaskId(4),
        who: Actor::Engine,
        kind: AccessKind::Write,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address: 0x1000_0010,
        size: 4,
    };
    let mut kernel = side(1, 0, AccessKind::Read);
    kernel.address = 0x1000_0010;
    let mut finding = race(Class::MemcpyAsync, [kernel, copy], 1);
    finding.finding.space = Space::Global;
    finding.finding.notes = vec![SyncNote::UnorderedTasks];
    finding.allocation = Some(Allocation {
        base: 0x1000_0000,
        bytes: 4096,
        kind: AllocKind::Device,
        name: None,
        call: HostCall { api: "cudaMalloc".into(), site: Some(SiteId(2)), within: None },
        device: 0,
    });
    r.findings.push(finding);
    let (document, text) = describe_all(&[r]);
    let access = &document.races[0].accesses[1];
    assert_eq!((access.line, access.block, access.kernel.as_str()), (57, None, "cudaMemcpyAsync"));
    assert_eq!(document.races[0].memory.offset, 16);
    expect("copy.txt", &text);
}

#[test]
fn without_line_information_the_instruction_is_shown() {
    let mut r = result();
    r.kernels[0].has_line_info = false;
    r.sites.push(site("st.shared.f32 [%r1], %f1", vec![], None));
    r.findings.push(race(
        Class::SameInstruction,
        [side(2, 1, AccessKind::Write), side(2, 0, AccessKind::Write)],
        1,
    ));
    expect("no_lines.txt", &describe_all(&[r]).1);
}

#[test]
fn failures_make_the_verdict_inconclusive() {
    let mut r = result();
    r.failures.push(DeviceFailure {
        task: TaskId(3),
        kernel: KERNEL.into(),
        what: FailureKind::Deadlock,
        site: Some(SiteId(0)),
        block: Some(Dim3::new(1, 0, 0)),
        thread: None,
        address: None,
        allocation: None,
        waiting: vec![
            Waiting {
                site: Some(SiteId(0)),
                block: Dim3::new(1, 0, 0),
                first_thread: ThreadId(0),
                threads: 32,
                what: "waits at barrier 0 (32 of 256 threads are there)".into(),
                at: WaitsAt::Block,
            },
            Waiting {
                site: Some(SiteId(1)),
                block: Dim3::new(1, 0, 0),
                first_thread: ThreadId(32),
                threads: 224,
                what: "spins on shared memory".into(),
                at: WaitsAt::Spin,
            },
        ],
        error: "cudaErrorLaunchTimeout".into(),
        text: String::new(),
    });
    let (document, text) = describe_all(&[r]);
    assert_eq!(document.verdict, Verdict::Inconclusive);
    expect("deadlock.txt", &text);
}

/// A reason that happened to contain a failure's kernel and text was dropped with the failure's own.
#[test]
fn a_reason_that_looks_like_a_failures_stays() {
    let mut r = result();
    let failure = DeviceFailure {
        task: TaskId(3),
        kernel: KERNEL.into(),
        what: FailureKind::Unsupported,
        site: None,
        block: None,
        thread: None,
        address: None,
        allocation: None,
        waiting: vec![],
        error: "cudaErrorUnknown".into(),
        text: "wgmma".into(),
    };
    let other = format!("kernel {KERNEL}: wgmma in a copy was left out");
    r.inconclusive = vec![failure.doubt(), other.clone()];
    r.failures.push(failure);
    let reasons = describe_all(&[r]).0.inconclusive;
    let of_kernel: Vec<&String> = reasons.iter().filter(|reason| reason.contains("wgmma")).collect();
    assert_eq!(of_kernel.len(), 2, "{reasons:?}");
    assert!(reasons.iter().any(|reason| reason.contains("in a copy was left out")), "{reasons:?}");
}

#[test]
fn an_illegal_address_names_the_allocation_beside_it() {
    let mut r = result();
    r.failures.push(DeviceFailure {
        task: TaskId(3),
        kernel: KERNEL.into(),
        what: FailureKind::IllegalAddress,
        site: Some(SiteId(1)),
        block: Some(Dim3::new(3, 0, 0)),
        thread: Some(Dim3::new(15, 15, 0)),
        address: Some(0x1000_1000),
        allocation: Some(Allocation {
            base: 0x1000_0000,
            bytes: 4000,
            kind: AllocKind::Device,
            name: None,
            call: HostCall { api: "cudaMalloc".into(), site: None, within: None },
            device: 0,
        }),
        waiting: vec![],
        error: "cudaErrorIllegalAddress".into(),
        text: String::new(),
    });
    expect("illegal.txt", &describe_all(&[r]).1);
}

#[test]
fn verdicts() {
    let verdict = |change: &dyn Fn(&mut RunResult), ending| {
        let mut r = result();
        change(&mut r);
        let document = describe_ended(&[r], ending).0;
        (document.verdict, document.inconclusive)
    };
    let ok = Ending::Exit(0);
    assert_eq!(verdict(&|_| {}, ok), (Verdict::Clean, vec![]));
    // Its own failure is the program's own business.
    assert_eq!(verdict(&|_| {}, Ending::Exit(3)), (Verdict::Clean, vec![]));
    let (v, why) = verdict(&|_| {}, Ending::Signal(11));
    assert_eq!((v, why), (Verdict::Inconclusive, vec!["SIGSEGV (signal 11) ended the program".to_owned()]));
    let (v, why) = verdict(&|r| (r.counters.launches, r.counters.copies, r.counters.memsets) = (0, 0, 0), ok);
    assert!(v == Verdict::Inconclusive && why[0].contains("so nothing was checked"), "{why:?}");
    // Copies alone are nothing to call clean, but they are checked.
    let copies = |r: &mut RunResult| (r.counters.launches, r.counters.copies) = (0, 3);
    let (v, why) = verdict(&copies, ok);
    assert!(v == Verdict::Inconclusive && why[0].contains("only copies and what the host does"), "{why:?}");
    // Filters that match nothing: the names there are help to write others.
    let (_, why) = verdict(&|r| r.counters.checked = 0, ok);
    assert!(why[0].ends_with("left out all of them (launched: `blockSum`)"), "{why:?}");
    let running = |r: &mut RunResult| {
        let blocks =
            Running { kernel: KERNEL.into(), checked: true, blocks: 9, blocks_done: 2, ..Running::default() };
        r.running.push(blocks);
    };
    let (v, why) = verdict(&running, ok);
    assert!(v == Verdict::Inconclusive && why[0].contains("had not ended: 2 of 9 blocks"), "{why:?}");
    let exploring = |r: &mut RunResult| {
        let how = "converged-first:seed=0+random:seed=3:launch=1";
        r.running.push(Running { kernel: KERNEL.into(), exploring: Some(how.into()), ..Running::default() });
    };
    let (v, why) = verdict(&exploring, Ending::Signal(15));
    let names = why.iter().any(|w| w.contains("explored") && w.contains("random:seed=3:launch=1"));
    assert!(v == Verdict::Inconclusive && names, "{why:?}");
    assert_eq!(verdict(&|r| r.counters.checked = 0, ok).0, Verdict::Inconclusive);
    assert_eq!(verdict(&|r| r.finished = false, ok).0, Verdict::Inconclusive);
    let call = |matters| UnsupportedCall {
        call: HostCall { api: "cudaGraphInstantiate".into(), site: None, within: None },
        count: 2,
        matters,
    };
    assert_eq!(verdict(&|r| r.unsupported_calls.push(call(false)), ok).0, Verdict::Clean);
    let (v, why) = verdict(&|r| r.unsupported_calls.push(call(true)), ok);
    assert_eq!(v, Verdict::Inconclusive);
    assert_eq!(why, ["`cudaGraphInstantiate` is not supported and did nothing (2 times)"]);
    // Why it gave up may be a call that could not have mattered otherwise.
    let gave_up = |r: &mut RunResult| {
        (r.counters.launches, r.counters.copies, r.counters.memsets) = (0, 0, 0);
        r.unsupported_calls.push(call(false));
    };
    let (_, why) = verdict(&gave_up, Ending::Exit(1));
    let early = "no kernel was launched, so nothing was checked: the program ended before";
    assert_eq!(why, [early, "`cudaGraphInstantiate` is not supported"]);
    let no_ptx = Obstacle::NoPtx { object: "/app/x".into(), images: vec!["sm_90a cubin".into()] };
    assert_eq!(verdict(&|r| r.obstacle = Some(no_ptx.clone()), ok).0, Verdict::Inconclusive);
}

/// Instructions of `sm_90a` do not compile for `compute_90`.
#[test]
fn code_of_an_architectures_own_is_built_for_that_architecture() {
    let help = |images: &[&str]| {
        let images: Vec<String> = images.iter().map(|image| (*image).to_owned()).collect();
        report::describe::no_ptx_help(&images)
    };
    assert!(help(&["sm_90a cubin"]).contains("-gencode arch=compute_90a,code=compute_90a"));
    assert!(help(&["sm_100a cubin", "sm_90a cubin"]).contains("arch=compute_90a,code=compute_90a"));
    assert!(help(&["sm_100f cubin"]).contains("arch=compute_100f,code=compute_100f"));
    assert!(help(&["sm_90 cubin", "sm_86 cubin"]).contains("arch=compute_90,code=compute_90`"));
    // The device that is named runs none of the PTX.
    assert!(help(&["sm_90 cubin", "sm_100a PTX"]).contains("`--arch sm_100`"));
}

#[test]
fn only_so_many_findings_are_printed() {
    let mut r = result();
    let reduce = source("reduce.cu");
    for line in 1..=5 {
        r.sites.push(site("st.shared.f32 [%r1], %f1", vec![frame(&reduce, line, 1, KERNEL)], None));
        let at = r.sites.len() as u32 - 1;
        r.findings.push(race(
            Class::SameInstruction,
            [side(at, 1, AccessKind::Write), side(at, 0, AccessKind::Write)],
            1,
        ));
    }
    let document = describe_all(&[r]).0;
    assert_eq!(document.races.len(), 5);
    let sources = Sources::new(None);
    let style = Style { limit: Some(2), quiet: true, ..Style::default() };
    let text = Text { style, sources: &sources }.document(&document);
    assert_eq!(text.matches("race[").count(), 2);
    assert!(text.contains("and 3 more (--print-limit 0 prints all)"), "{text}");
    assert!(!text.contains("warprace: "), "{text}");
}
