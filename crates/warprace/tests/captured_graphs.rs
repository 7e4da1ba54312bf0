//! `--engine capture` and graphs, from their launch to the report, with a fake driver, since CI has no GPU.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Place(PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn build() -> Place {
    let place = Place(std::env::temp_dir().join(format!("warprace-graphs-{}", std::process::id())));
    std::fs::create_dir_all(place.0.join("driver")).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/tests/programs");
    let library = &["-shared", "-fPIC"][..];
    for (source, flags, to) in [("graph_driver.c", library, "driver/libcuda.so.1"), ("graphs.c", &[], "app")]
    {
        let mut gcc = Command::new("gcc");
        gcc.arg(sources.join(source)).args(flags).args(["-w", "-ldl", "-o", to]);
        let done = gcc.current_dir(&place.0).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    place
}

/// Returns the kernels `step` and `k`. The blocks of `k` all write to one word if the first word equals
/// `value`.
fn kernels(value: u32) -> String {
    format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n\
         .visible .entry step(.param .u64 p)\n{{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n\
         ld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r1;\nret;\n}}\n\
         .visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\n\
         ld.param.u64 %rd1, [p];\nmov.u32 %r1, %ctaid.x;\nld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, {value};\n\
         @%p1 st.global.u32 [%rd1+32], %r1;\nret;\n}}\n"
    )
}

/// Returns the output of the program and the driver, the exit code, and the report.
fn run(place: &Place, engine: &str, value: u32, what: &str) -> (Vec<String>, Option<i32>, Value) {
    let warprace = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let json = place.0.join("report.json");
    let _ = std::fs::remove_file(&json);
    let mut command = Command::new(warprace);
    command.args(["run", "--gpu", "--engine", engine, "--json"]).arg(&json).args(["--", "./app"]);
    command.args([&kernels(value), what]);
    command.current_dir(&place.0).env("LD_LIBRARY_PATH", place.0.join("driver")).env("PATH", "/nowhere");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    let report = std::fs::read(&json).unwrap_or_default();
    (said, output.status.code(), serde_json::from_slice(&report).unwrap_or_default())
}

#[test]
fn kernels_of_graphs_are_saved_as_they_begin() {
    let warprace = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    if !Path::new(&warprace).with_file_name("libwarprace_gpu.so").exists() {
        assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "there is no library");
        return println!("left out: no library; `cargo build -p gpu` makes it");
    }
    let place = build();
    const STEP: &str = "driver: step runs";
    const K: &str = "driver: k runs";
    const LAUNCHED: &str = "app: launch 0";
    const GONE: [&str; 2] = ["driver: an executable graph is gone", "driver: a graph is gone"];
    let told = |report: &Value| -> String {
        let limits = report["limits"].as_array().unwrap().iter().map(|limit| limit.as_str().unwrap());
        limits.filter(|limit| limit.starts_with("checked on")).collect()
    };
    let checked = |launches: u32, all: u32, blocks: u32, accesses: u32| {
        format!(
            "checked on the virtual GPU: {launches} of {all} launches, {blocks} of their {blocks} blocks, {accesses} memory accesses"
        )
    };

    // Both steps have run before `k` is saved, and the program sees one launch of each.
    let (said, code, report) = run(&place, "capture", 2, "plain");
    assert_eq!(said, [&[STEP, STEP, K, LAUNCHED][..], &GONE].concat());
    assert_eq!((code, &report["verdict"]), (Some(66), &"race".into()), "{report}");
    assert_eq!(
        (&report["races"][0]["class"], &report["races"][0]["engine"]),
        (&"inter-block".into(), &"virtual".into())
    );
    // Each step has two accesses, and `k` has those of 224 threads.
    assert_eq!(told(&report), checked(3, 3, 9, 4 + 2 * 224));
    // The value is exact: one less or one more yields no race.
    for value in [1, 3] {
        let (_, code, report) = run(&place, "capture", value, "plain");
        assert_eq!((code, &report["verdict"]), (Some(3), &"unseen".into()), "{report}");
        assert_eq!(told(&report), checked(3, 3, 9, 4 + 224));
    }

    // The second graph launch counts anew: the steps are saved three times, `k` twice.
    let (said, _, report) = run(&place, "capture", 4, "twice");
    assert_eq!(said[..8], [STEP, STEP, K, LAUNCHED, STEP, STEP, K, LAUNCHED]);
    assert_eq!(report["verdict"], "race");
    assert!(told(&report).contains("5 of 6 launches, 17 of their 17 blocks"), "{report}");
    let (_, _, report) = run(&place, "capture:1", 4, "twice");
    assert_eq!(report["verdict"], "unseen", "{report}");
    assert!(told(&report).contains("2 of 6 launches, 8 of their 8 blocks"), "{report}");

    // The graph is destroyed before its executable graph is launched.
    let (said, _, report) = run(&place, "capture", 2, "destroyed");
    assert_eq!(
        (&said[..], &report["verdict"]),
        (
            &[&[STEP, STEP, K, LAUNCHED][..], &GONE]
                .concat()
                .iter()
                .map(|s| s.to_string())
                .collect::<Vec<_>>()[..],
            &"race".into()
        )
    );

    // The arguments of `k` may change to memory on which no step has run.
    for what in ["changed", "updated"] {
        for (value, verdict) in [(2, "unseen"), (0, "race")] {
            let (said, _, report) = run(&place, "capture", value, what);
            assert!(said.contains(&K.to_owned()), "{said:?}");
            assert_eq!(report["verdict"], verdict, "{what} {value}: {report}");
        }
    }
    // A step that the program has disabled stays disabled.
    let (said, _, report) = run(&place, "capture", 1, "off");
    assert_eq!(
        (&said[..3], &report["verdict"]),
        (&[STEP, K, LAUNCHED].map(String::from)[..], &"race".into()),
        "{report}"
    );

    // Among independent nodes `k` may be the first. The driver is not asked for the edges of a graph without
    // edges.
    let (_, _, report) = run(&place, "capture", 0, "apart");
    assert_eq!(report["verdict"], "race", "{report}");

    // Nodes behind a host function are not saved, and the function runs once.
    let (said, _, report) = run(&place, "capture", 2, "mixed");
    assert_eq!(said[..5], [STEP, STEP, "driver: the host is told", K, LAUNCHED]);
    assert_eq!(report["verdict"], "inconclusive", "{report}");
    let why = report["inconclusive"].to_string();
    assert!(
        why.contains("kernel `k` was not checked: it is behind others in a graph that does more"),
        "{why}"
    );
    assert!(!why.contains("`step`"), "its first one was saved: {why}");

    // A graph that is never launched yields no message.
    let (_, _, report) = run(&place, "capture", 2, "idle");
    assert_eq!(report["verdict"], "unseen", "{report}");
}
