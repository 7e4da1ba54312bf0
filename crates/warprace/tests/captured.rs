//! `--engine capture`, from the program's launch to the report, with a fake driver, since CI has no GPU. The
//! kernels run where they are checked, on the virtual GPU.

#[path = "../../gpu/tests/place/mod.rs"]
mod place;

use place::{Place, build};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Returns a kernel `k` with one pointer parameter, whose threads all execute `access` on the pointer's first
/// word.
fn kernel(access: &str) -> String {
    format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n\
         ld.param.u64 %rd1, [p];\nmov.u32 %r1, %ctaid.x;\n{access};\nret;\n}}\n"
    )
}

/// Runs the program and returns its output and the JSON report.
fn run(place: &Place, options: &[&str], ptx: &str) -> (Output, Value) {
    run_as(place, options, &[ptx])
}

fn run_as(place: &Place, options: &[&str], arguments: &[&str]) -> (Output, Value) {
    let warprace = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let json = place.0.join("report.json");
    let _ = std::fs::remove_file(&json);
    let mut command = Command::new(warprace);
    command
        .args(["run", "--gpu"])
        .args(options)
        .arg("--json")
        .arg(&json)
        .arg("--")
        .arg("./app")
        .args(arguments);
    command.current_dir(&place.0).env("LD_LIBRARY_PATH", place.0.join("driver")).env("PATH", "/nowhere");
    let output = command.output().unwrap();
    let report = std::fs::read(&json).unwrap_or_default();
    (output, serde_json::from_slice(&report).unwrap_or_default())
}

#[test]
fn launches_are_checked_exactly_beside_the_program() {
    let warprace = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    if !Path::new(&warprace).with_file_name("libwarprace_gpu.so").exists() {
        assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "there is no library");
        return println!("left out: no library; `cargo build -p gpu` makes it");
    }
    let place = build("captures");
    let limit = "checked on the virtual GPU: 1 of 1 launches, 7 of their 7 blocks, 224 memory accesses";
    let says = |report: &Value, what: &str| report["limits"].as_array().unwrap().iter().any(|l| l == what);

    // All blocks write to one word. The kernel is loaded without checks.
    let (output, report) = run(&place, &["--engine", "capture"], &kernel("st.global.u32 [%rd1], %r1"));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("module without checks") && said.contains("launch of 7 blocks"), "{said}");
    assert_eq!((output.status.code(), &report["verdict"]), (Some(66), &"race".into()), "{report}");
    assert_eq!(report["races"][0]["class"], "inter-block");
    assert_eq!(report["races"][0]["engine"], "virtual");
    assert!(says(&report, limit), "{report}");
    assert_eq!((&report["summary"]["launches"], &report["summary"]["checked"]), (&1.into(), &1.into()));

    // A sample is never clean. The program ends as it does alone.
    let clean = kernel("ld.global.u32 %r1, [%rd1]");
    let (output, report) = run(&place, &["--engine", "capture:1"], &clean);
    assert_eq!((output.status.code(), &report["verdict"]), (Some(3), &"unseen".into()), "{report}");
    assert!(says(&report, limit), "{report}");

    // For a program with much memory, the memory that the launch may reach is saved.
    let racy = kernel("st.global.u32 [%rd1], %r1");
    let (_, report) = run_as(&place, &["--engine", "capture"], &[&racy, "large"]);
    assert_eq!((&report["verdict"], &report["summary"]["checked"]), (&"race".into(), &1.into()), "{report}");
    let far = kernel("ld.global.u32 %r1, [%rd1+4096]");
    let (_, report) = run_as(&place, &["--engine", "capture"], &[&far, "large"]);
    assert_eq!(report["verdict"], "inconclusive", "{report}");
    assert!(report["inconclusive"].to_string().contains("cudaErrorIllegalAddress"), "{report}");

    // A texture's contents decide whether threads race. Its array lies at an address without program memory.
    let fetches = |value: u32| {
        format!(
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<2>;\n.reg .b32 %r<7>;\n\
             .reg .b64 %rd<2>;\n.shared .align 4 .b8 s[4];\nld.param.u64 %rd1, [p];\nmov.u32 %r5, %tid.x;\nmov.u32 %r6, 3;\n\
             tex.1d.v4.u32.s32 {{%r1, %r2, %r3, %r4}}, [%rd1, {{%r6}}];\nsetp.eq.u32 %p1, %r1, {value};\n\
             @%p1 st.shared.u32 [s], %r5;\nret;\n}}\n"
        )
    };
    for (value, verdict) in [(0x0707_0707, "race"), (7, "unseen")] {
        let (_, report) = run_as(&place, &["--engine", "capture"], &[&fetches(value), "texture"]);
        assert_eq!(report["verdict"], verdict, "{report}");
        assert_eq!(report["summary"]["checked"], 1, "{report}");
    }
    let (_, report) = run_as(&place, &["--engine", "capture"], &[&fetches(7)]);
    assert!(report["inconclusive"].to_string().contains("it failed with"), "no such texture: {report}");

    // The program's own launch prints a kernel's output, and the replay does not. Here the fake driver's
    // launch prints nothing.
    let prints = ".version 7.0\n.target sm_75\n.address_size 64\n.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n\
         .global .align 1 .b8 says[8] = {112, 114, 105, 110, 116, 101, 100, 0};\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n\
         mov.u64 %rd1, says;\ncvta.global.u64 %rd1, %rd1;\nmov.u64 %rd2, 0;\n{\n.param .b64 f;\nst.param.b64 [f], %rd1;\n\
         .param .b64 v;\nst.param.b64 [v], %rd2;\n.param .b32 r;\ncall.uni (r), vprintf, (f, v);\n}\nret;\n}\n";
    let (output, report) = run(&place, &["--engine", "capture"], prints);
    assert_eq!(report["summary"]["checked"], 1, "{report}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("printed"), "{output:?}");

    // A kernel that the virtual GPU cannot run is named.
    let (_, report) = run(&place, &["--engine", "capture"], &kernel("st.global.u32 [%rd1+-64], %r1"));
    assert_eq!(report["verdict"], "inconclusive", "{report}");
    assert!(report["inconclusive"].to_string().contains("kernel `k` was not checked: it failed"), "{report}");
    let left_out = ["--engine", "capture", "--kernel-name", "other"];
    let (_, report) = run(&place, &left_out, &clean);
    assert_eq!(report["summary"]["checked"], 0, "{report}");

    // With `--capture` the saved files stay, and the replay line names the file.
    let folder = place.0.join("kept");
    let kept = ["--engine", "capture", "--capture", folder.to_str().unwrap()];
    let (_, report) = run(&place, &kept, &kernel("st.global.u32 [%rd1], %r1"));
    assert!(report["races"][0]["replay"].as_str().unwrap().contains(".launch"), "{report}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn capture_is_for_gpus() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warprace"));
    let output = command.args(["run", "--engine", "capture", "--", "true"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(64) && said.contains("goes with --gpu"), "{said}");
}
