//! Verdicts are justified: what was not checked is not clean, and findings are reported however the run ends.
//! These tests need nvcc, which `cargo xtask test` provides.
//!
//! **Size:** one program is compiled once for all of its runs.

mod toolkit;

use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use toolkit::toolkit;

/// The program of all tests; its first argument selects its behaviour.
const SOURCE: &str = r#"
    #include <csignal>
    #include <cstdio>
    #include <cstring>
    #include <unistd.h>

    __device__ int data, sink, mutex, turn, word;

    __global__ void fine(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
    __global__ void racy() { word = threadIdx.x; }
    // No race to PTX; one to ScoRD.
    __global__ void both_volatile() { *(volatile int *)&word = blockIdx.x; }

    __device__ int *kept;
    __global__ void allocates() { kept = (int *)malloc(64); }
    __global__ void frees() { free(kept); }

    // Races at once, and then takes for ever.
    __global__ void endless(int *p) {
        p[0] = threadIdx.x;
        for (unsigned long i = 0; i < 1ul << 50; i++)
            *(volatile int *)&p[1 + threadIdx.x] = i;
    }

    // The second block cannot take the lock before the first one has given it back; to GWCP, whose sections
    // do not conflict, it can.
    __global__ void predictable() {
        if (blockIdx.x == 1)
            while (atomicAdd(&turn, 0) == 0) {}
        while (atomicCAS(&mutex, 0, 1)) {}
        __threadfence();
        if (blockIdx.x == 0) {
            atomicExch(&turn, 1);
            data = 1;
        }
        __threadfence();
        atomicExch(&mutex, 0);
        if (blockIdx.x == 1)
            sink = data;
    }

    int main(int argc, char **argv) {
        const char *what = argc > 1 ? argv[1] : "fine";
        int *p;
        cudaMalloc(&p, 4096);
        cudaMemset(p, 0, 4096);
        if (!strcmp(what, "no-launch")) return 0;
        if (!strcmp(what, "stubborn")) signal(SIGINT, SIG_IGN);
        if (!strcmp(what, "reads") && getchar() == 'r') racy<<<1, 64>>>();
        if (!strcmp(what, "volatile")) both_volatile<<<2, 1>>>();
        if (!strcmp(what, "predictable")) predictable<<<2, 1>>>();
        if (!strcmp(what, "heap")) {
            allocates<<<1, 1>>>();
            frees<<<1, 1>>>();
            return cudaDeviceSynchronize();
        }
        if (!strcmp(what, "fine")) {
            fine<<<4, 32>>>(p);
            racy<<<1, 1>>>();
        }
        if (!strcmp(what, "registered")) {
            char *own = (char *)aligned_alloc(4096, 8192);
            cudaHostRegister(own, 8192, cudaHostRegisterMapped);
            fine<<<4, 32>>>((int *)own);
            own[3] = 9;
        }
        if (!strcmp(what, "endless") || !strcmp(what, "stubborn")) {
            endless<<<1, 64>>>(p);
            printf("%d\n", getpid());
            fflush(stdout);
        }
        return cudaDeviceSynchronize();
    }
"#;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verdicts");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn compile(name: &str, source: &str, flags: &[&str]) -> Option<PathBuf> {
    let (text, program) = (folder().join(format!("{name}.cu")), folder().join(name));
    std::fs::write(&text, source).unwrap();
    let mut nvcc = Command::new(toolkit()?.join("bin/nvcc"));
    nvcc.args(["-lineinfo", "-gencode=arch=compute_90,code=compute_90"]).args(flags);
    let done = nvcc.arg(&text).arg("-o").arg(&program).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(program)
}

fn program() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(|| compile("program", SOURCE, &[])).as_ref()
}

fn warprace() -> Command {
    let program = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let mut command = Command::new(program);
    command.env_remove("LD_PRELOAD").env("NO_COLOR", "1");
    // SAFETY: `signal` may be called between fork and exec. A script's background processes ignore
    // interrupts, which their children would inherit.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        });
    }
    command
}

/// The result of `warprace WORDS --json FILE -- PROGRAM what`.
struct Ran {
    output: Output,
    json: PathBuf,
    document: Value,
}

impl Ran {
    fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    #[track_caller]
    fn says(&self, expected: &str) {
        assert!(self.text().contains(expected), "`{expected}` is not in:\n{}", self.text());
    }

    /// Asserts that the verdict is inconclusive for this reason, in the text and in JSON.
    #[track_caller]
    fn is_inconclusive(&self, reason: &str) {
        assert_eq!(self.document["verdict"], "inconclusive", "{}", self.text());
        assert!(!self.text().contains("clean"), "{}", self.text());
        let reasons = self.document["inconclusive"].as_array().unwrap();
        assert!(reasons.iter().any(|r| r.as_str().unwrap().contains(reason)), "{reasons:?}");
        self.says("inconclusive");
        self.says(reason);
    }
}

fn json(name: &str) -> PathBuf {
    folder().join(format!("{name}.json"))
}

fn read(json: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap()
}

fn run(name: &str, words: &[&str], what: &str) -> Option<Ran> {
    let json = json(name);
    let _ = std::fs::remove_file(&json);
    let mut command = warprace();
    command.args(words).arg("--json").arg(&json).arg("--").arg(program()?).arg(what);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let document = read(&json);
    Some(Ran { output, json, document })
}

#[test]
fn a_trace_is_not_clean() {
    let trace = folder().join("recorded.trace");
    let Some(ran) = run("trace", &["trace", "-o", trace.to_str().unwrap()], "fine") else { return };
    ran.is_inconclusive("nothing was checked: the run was recorded");
    ran.says(&format!("warprace predict {}", trace.display()));
    assert_eq!((ran.code(), ran.document["summary"]["lens"].as_str()), (Some(67), Some("")));
    let predicted = warprace().arg("predict").arg(&trace).output().unwrap();
    let said = String::from_utf8_lossy(&predicted.stdout);
    assert!(predicted.status.success() && said.contains("clean: no race"), "{said}");
    assert!(!said.contains("0 instructions"), "a trace does not tell them: {said}");
}

#[test]
fn a_run_without_a_launch_is_not_clean() {
    let Some(ran) = run("no-launch", &["run"], "no-launch") else { return };
    ran.is_inconclusive("no kernel was launched");
    assert_eq!(ran.code(), Some(67));
}

/// Each explored launch begins with the heap that the launch found, as with its memory.
#[test]
fn explored_launches_free_what_an_earlier_kernel_allocated() {
    let Some(ran) = run("explored-heap", &["run", "--explore", "4"], "heap") else { return };
    assert_eq!((ran.code(), ran.document["verdict"].as_str()), (Some(0), Some("clean")), "{}", ran.text());
}

/// Memory of `cudaHostRegister` has no second mapping, so the host's accesses to it are not checked.
#[test]
fn registered_memory_is_not_called_clean() {
    let Some(ran) = run("registered", &["run"], "registered") else { return };
    assert_eq!((ran.code(), ran.document["verdict"].as_str()), (Some(0), Some("clean")));
    ran.says("clean of what was checked: no race");
    ran.says("memory registered by `cudaHostRegister`");
    assert_eq!(ran.document["summary"]["unchecked"], 1);
}

#[test]
fn what_filters_leave_out_is_not_called_clean() {
    let Some(ran) = run("filters", &["run", "--kernel-name", "kne=fine"], "fine") else { return };
    assert_eq!((ran.code(), ran.document["verdict"].as_str()), (Some(0), Some("clean")));
    ran.says("clean of what was checked: no race");
    ran.says("1 of 2 launches were left out by the filters");
    let Some(ran) = run("filters-all", &["run", "--launch-skip", "9"], "fine") else { return };
    ran.is_inconclusive("the filters left out all of them");
    assert_eq!(ran.code(), Some(67));
    let Some(ran) = run("no-filters", &["run"], "fine") else { return };
    ran.says("clean: no race");
}

/// A run of the endless kernel.
struct Endless {
    child: Child,
    json: PathBuf,
    pid: i32,
    temporary: PathBuf,
}

/// Starts a run and waits until its race has been found.
fn endless(name: &str, what: &str) -> Option<Endless> {
    endless_until(name, &[], what, "same-instruction")
}

/// Starts a run and waits until its result on disk contains `says`.
fn endless_until(name: &str, options: &[&str], what: &str, says: &str) -> Option<Endless> {
    let (json, temporary) = (json(name), folder().join(format!("{name}.tmp")));
    let _ = std::fs::remove_file(&json);
    let _ = std::fs::remove_dir_all(&temporary);
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = warprace();
    command
        .args(["run", "--jobs", "1", "--json"])
        .arg(&json)
        .args(options)
        .arg("--")
        .arg(program()?)
        .arg(what);
    command.env("TMPDIR", &temporary).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let pid = line.trim().parse().unwrap();
    let found = || {
        let folders = std::fs::read_dir(&temporary).unwrap().flatten();
        let mut files = folders.flat_map(|f| std::fs::read_dir(f.path()).unwrap().flatten());
        files.any(|f| std::fs::read_to_string(f.path()).is_ok_and(|text| text.contains(says)))
    };
    wait_until(says, found);
    Some(Endless { child, json, pid, temporary })
}

#[track_caller]
fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < Duration::from_secs(120), "in two minutes not: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(pid: i32, signal: &str) {
    let done = Command::new("kill").args([signal, &pid.to_string()]).status().unwrap();
    assert!(done.success());
}

fn is_alive(pid: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A zombie is no longer running.
    status.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

impl Endless {
    fn finish(self) -> Ran {
        let output = self.child.wait_with_output().unwrap();
        let document = read(&self.json);
        Ran { output, json: self.json, document }
    }
}

/// Asserts that the running kernel's race is reported, and the kernel with its progress.
#[track_caller]
fn tells_of_the_running_kernel(ran: &Ran) {
    assert_eq!((ran.code(), ran.document["verdict"].as_str()), (Some(66), Some("race")), "{}", ran.text());
    let kernel = &ran.document["kernels"][0];
    assert_eq!((kernel["launches"].as_u64(), kernel["unfinished"].as_u64()), (Some(1), Some(1)), "{kernel}");
    assert!(kernel["instructions"].as_u64().unwrap() > 0, "{kernel}");
    ran.says("ran 1 kernel in 1 launch");
    ran.says("kernel `endless` had not ended: 0 of 1 blocks had");
}

#[test]
fn findings_of_a_running_kernel_survive_an_interrupt() {
    let Some(run) = endless("interrupted", "endless") else { return };
    signal(run.child.id() as i32, "-INT");
    let ran = run.finish();
    tells_of_the_running_kernel(&ran);
    ran.says("SIGINT (signal 2) ended the program");
}

#[test]
fn findings_of_a_running_kernel_survive_a_kill_of_the_program() {
    let Some(run) = endless("killed", "endless") else { return };
    signal(run.pid, "-KILL");
    tells_of_the_running_kernel(&run.finish());
}

/// Text of a result while a launch runs under another schedule.
const EXPLORING: &str = "\"exploring\":\"";

#[test]
fn who_is_killed_in_an_exploration_names_its_schedule() {
    let options = ["--explore", "2", "--seed", "7"];
    let Some(run) = endless_until("exploring", &options, "endless", EXPLORING) else { return };
    signal(run.pid, "-KILL");
    let ran = run.finish();
    ran.is_inconclusive("kernel `endless` was being explored under another schedule");
    let replay = "converged-first:seed=7+round-robin:seed=7:launch=1";
    ran.says(replay);
    let again = ["--replay", replay];
    let Some(again) = endless_until("exploring-again", &again, "endless", EXPLORING) else { return };
    signal(again.pid, "-KILL");
    again.finish().says(replay);
}

#[test]
fn a_second_interrupt_ends_at_once() {
    let Some(run) = endless("stubborn", "stubborn") else { return };
    let warprace = run.child.id() as i32;
    signal(warprace, "-INT");
    std::thread::sleep(Duration::from_millis(600));
    assert!(is_alive(run.pid), "the program ignores the first");
    signal(warprace, "-INT");
    tells_of_the_running_kernel(&run.finish());
}

#[test]
fn a_kill_of_warprace_leaves_nothing() {
    let Some(mut run) = endless("abandoned", "endless") else { return };
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    wait_until("the program has ended, too", || !is_alive(run.pid));
    let left = || std::fs::read_dir(&run.temporary).unwrap().count();
    assert_eq!(left(), 1, "nobody could remove the folder");
    let output = warprace().args(["run", "--", "/bin/true"]).env("TMPDIR", &run.temporary).output().unwrap();
    assert_eq!((output.status.code(), left()), (Some(65), 0));
}

/// A shell between the two does not notice warprace's death; the library does.
#[test]
fn a_kill_of_warprace_ends_what_the_program_started() {
    let Some(program) = program() else { return };
    let mut command = warprace();
    let script = format!("'{}' endless; true", program.display());
    command.args(["run", "--", "/bin/sh", "-c", &script]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let pid = line.trim().parse().unwrap();
    wait_until("the program has ended, too", || !is_alive(pid));
}

/// Returns the replay string of the first finding of a list, and its lines.
fn first(document: &Value, list: &str) -> (String, [Value; 2]) {
    let finding = &document[list][0];
    let lines = [0, 1].map(|i| finding["accesses"][i]["line"].clone());
    (finding["replay_string"].as_str().unwrap_or_else(|| panic!("{document:#}")).to_owned(), lines)
}

fn explain(json: &Path, input: &str) -> Output {
    let mut command = warprace();
    command
        .args(["explain", "--yes"])
        .arg(json)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    child.wait_with_output().unwrap()
}

#[track_caller]
fn is_explained(output: &Output) {
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    assert!(said.contains("<-- (1)") && said.contains("<-- (2)"), "{said}{errors}");
}

#[test]
fn a_replay_string_names_lens_volatile_and_devices() {
    let words = ["run", "--lens", "scord:granularity=8", "--devices", "2"];
    let Some(ran) = run("scord", &words, "volatile") else { return };
    assert_eq!(ran.code(), Some(66), "{}", ran.text());
    assert_eq!(ran.document["summary"]["lens"], "scord:granularity=8");
    let (replay, lines) = first(&ran.document, "races");
    assert_eq!(replay, "lens=scord:granularity=8+devices=2+converged-first:seed=0");
    let again = run("scord-again", &["run", "--replay", &replay], "volatile").unwrap();
    assert_eq!((again.code(), first(&again.document, "races").1), (Some(66), lines));
    is_explained(&explain(&ran.json, ""));
    // Replay strings of older reports contain the schedule only, and options beside them supply the rest.
    let old = ["run", "--replay", "converged-first:seed=0", "--volatile", "weak"];
    let old = run("old-replay", &old, "volatile").unwrap();
    assert_eq!((old.code(), first(&old.document, "races").0.contains("volatile=weak")), (Some(66), true));
    let contradicts = ["run", "--replay", "lens=hb+random:seed=1", "--lens", "scord", "--", "/bin/true"];
    let output = warprace().args(contradicts).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
}

#[test]
fn hazards_of_gwcp_are_replayed_and_explained() {
    let Some(ran) = run("hazard", &["run", "--predict"], "predictable") else { return };
    let (replay, lines) = first(&ran.document, "hazards");
    assert_eq!(replay, "lens=gwcp+converged-first:seed=0");
    let again = run("hazard-again", &["run", "--replay", &replay], "predictable").unwrap();
    let all = again.document["races"].as_array().unwrap();
    let same = |f: &Value| [0, 1].map(|i| f["accesses"][i]["line"].clone()) == lines;
    assert!(all.iter().any(same), "{:#}", again.document);
    // The finding follows the race that was confirmed, if one was.
    let number = ran.document["races"].as_array().unwrap().len() + 1;
    let output =
        warprace().args(["explain", "--yes"]).arg(&ran.json).arg(number.to_string()).output().unwrap();
    is_explained(&output);
}

#[test]
fn programs_that_read_their_input_are_explained() {
    let Some(program) = program() else { return };
    let json = json("reads");
    let mut command = warprace();
    command.args(["run", "--json"]).arg(&json).arg("--").arg(program).arg("reads");
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"r").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(66), "{}", String::from_utf8_lossy(&output.stderr));
    is_explained(&explain(&json, "r"));
    let output = explain(&json, "");
    assert_eq!(output.status.code(), Some(64));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("standard input must be given again"), "{said}");
}

#[test]
fn the_library_refuses_options_that_it_cannot_read() {
    let Some(program) = program() else { return };
    let library = Path::new(env!("CARGO_BIN_EXE_warprace")).with_file_name("libinject.so");
    let library = [library.clone(), library.parent().unwrap().join("deps/libinject.so")];
    let library = library.iter().find(|path| path.exists()).expect("cargo builds it");
    for (field, value) in [("lens", "tsan"), ("plan", "random"), ("strategy", "bfs")] {
        let options = format!("{{\"version\":1,\"{field}\":\"{value}\"}}");
        let mut command = Command::new(program);
        let output = command.env("LD_PRELOAD", library).env("WARPRACE_OPTIONS", options).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{field}: {said}");
        assert!(said.contains("warprace: WARPRACE_OPTIONS: ") && said.contains("expected"), "{said}");
    }
}

#[test]
fn paths_that_are_not_utf8_keep_the_report() {
    let Some(program) = program() else { return };
    let folder = folder().join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir_all(&folder).unwrap();
    let (copy, json) = (folder.join("app"), folder.join("report.json"));
    std::fs::copy(program, &copy).unwrap();
    let mut command = warprace();
    command.arg("run").arg("--json").arg(&json).arg("--").arg(&copy).arg("reads").env("TMPDIR", &folder);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"r").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(66), "{said}");
    assert!(said.contains(r"caf\xe9/app"), "the command to replay is one for a shell: {said}");
    is_explained(&explain(&json, "r"));
}

#[test]
fn what_cannot_be_served_is_named() {
    // Scripts that load the driver, as Numba does, and do nothing with it.
    let (text, seeks) = (folder().join("seeks.c"), folder().join("seeks"));
    let source = "#include <dlfcn.h>\nint main(void) { return dlopen(\"libcuda.so.1\", RTLD_NOW) == 0; }";
    std::fs::write(&text, source).unwrap();
    let Some(linked) = compile("linked", "int main() { return 0; }", &["-cudart", "shared"]) else { return };
    let done = Command::new("gcc").arg(&text).arg("-ldl").arg("-o").arg(&seeks).status().unwrap();
    assert!(done.success());
    let no_path = |program: &Path| {
        let mut command = warprace();
        command.args(["run", "--"]).arg(program).env_remove("LD_LIBRARY_PATH");
        command.output().unwrap()
    };
    let output = no_path(&seeks);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("loads the CUDA driver (libcuda.so) and calls none of its functions"), "{said}");
    assert_eq!(output.status.code(), Some(65));
    let output = no_path(&linked);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the dynamic loader did not start"), "{said}");
    assert!(said.contains("if it did not find libcudart.so"), "{said}");
    assert!(said.contains("LD_LIBRARY_PATH") && !said.contains("not a CUDA program"), "{said}");
}

/// The runtime of AddressSanitizer requires to be the first library, so the preloaded one comes second.
#[test]
fn builds_with_address_sanitizer_are_checked() {
    let flags = ["-Xcompiler", "-fsanitize=address"];
    let source = SOURCE;
    let Some(program) = compile("sanitized", source, &flags) else { return };
    let mut command = warprace();
    command.args(["run", "--"]).arg(&program).arg("reads").env("ASAN_OPTIONS", "detect_leaks=0");
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"r").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("not a CUDA program"), "{said}");
    assert_eq!(output.status.code(), Some(66), "{said}");
}

#[test]
fn a_machine_without_address_space_is_told_of() {
    let Some(program) = program() else { return };
    let script = format!(
        "ulimit -v 1000000; exec '{}' run -- '{}'",
        env!("CARGO_BIN_EXE_warprace"),
        program.display()
    );
    let output = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("could not reserve address space") && said.contains("ulimit -v"), "{said}");
}

/// Runs warprace with these words in a shell.
fn shell(words: &[OsString], redirection: &str) -> Output {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("\"$0\" \"$@\" {redirection}"));
    command.arg(env!("CARGO_BIN_EXE_warprace")).args(words);
    command.output().unwrap()
}

#[test]
fn a_closed_pipe_and_a_full_disk_are_no_panic() {
    let Some(program) = program() else { return };
    let trace = folder().join("volatile.trace");
    let mut command = warprace();
    command.args(["trace", "-q", "-o"]).arg(&trace).arg("--").arg(program).arg("volatile");
    assert_eq!(command.output().unwrap().status.code(), Some(67));
    let tables = folder().join("tables");
    let words = |words: &[&OsStr]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let (trace, tables) = (trace.as_os_str(), tables.as_os_str());
    let new = OsStr::new;
    for (words, code) in [
        (words(&[new("compare"), trace]), 66),
        (words(&[new("compare"), new("--json"), trace]), 66),
        (words(&[new("predict"), trace]), 74),
        (words(&[new("inspect"), program.as_os_str()]), 74),
        (words(&[new("trace"), new("export"), trace, new("-o"), tables]), 74),
    ] {
        let output = shell(&words, ">/dev/full");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.contains("cannot write to the standard output: no space left"), "{words:?}: {said}");
        // Neither stdout nor stderr can be written.
        let output = shell(&words, "2>&1 >/dev/full | true");
        assert!(output.status.success(), "{words:?}");
        let output = shell(&words, "2>/dev/full >/dev/full");
        assert_eq!(output.status.code(), Some(code), "{words:?}");
        let output = shell(&words, "| exec 0<&-; exit 0");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{words:?}");
    }
}
