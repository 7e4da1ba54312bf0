//! The command line of `warprace prove`: files of every kind, launches of a run, errors, and the time limit.
//!
//! **Size:** each way to use it is one test, beside the programs that it analyses.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

mod toolkit;

fn warprace(folder: &Path, words: &[&str]) -> Output {
    // Host code is read only if a test provides clang.
    with_clang(folder, words, "none")
}

fn with_clang(folder: &Path, words: &[&str], clang: &str) -> Output {
    let bin = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let mut command = Command::new(bin);
    command.args(words).current_dir(folder).env_remove("LD_PRELOAD").env("WARPRACE_CLANG", clang);
    // Answers must not need a solver that a machine may lack; one that is asked takes up to three seconds a pair.
    command.env("WARPRACE_SMT", "none").output().expect("it starts")
}

/// The source's host code determines the launches that its first kernel needs.
const LAUNCHES: &str = "
__global__ void row(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 1; }
__global__ void each(int *a, int n) { if (threadIdx.x < n) a[blockIdx.x * 128 + threadIdx.x] = n; }
int main(int argc, char **) {
    int *a;
    cudaMalloc(&a, 4096);
    row<<<4, 64>>>(a, 64);
    each<<<(argc + 127) / 128, 128>>>(a, argc);
    return cudaDeviceSynchronize();
}
";

#[test]
fn host_code_says_how_kernels_are_launched() {
    let Some(nvcc) = toolkit::toolkit().map(|root| root.join("bin/nvcc")) else { return };
    let folder = folder("host");
    std::fs::write(folder.join("app.cu"), LAUNCHES).expect("written");
    let nvcc = nvcc.to_str().expect("UTF-8");
    let words = ["prove", "--", nvcc, "-arch=sm_90", "-o", "app", "app.cu"];
    // Without clang, no host code is known to make the racing launch.
    let without = with_clang(&folder, &words, "/nowhere/clang++");
    assert_eq!(without.status.code(), Some(0), "{}", text(&without));
    assert!(
        text(&without).contains("race (in a launch that was not seen): `row(int*, int)`"),
        "{}",
        text(&without)
    );
    assert!(text(&without).contains("clang++ is not installed"), "{}", text(&without));
    // Only this part needs clang.
    let Some(clang) = clang() else { return };
    let with = with_clang(&folder, &words, clang.to_str().expect("UTF-8"));
    assert_eq!(with.status.code(), Some(0), "{}", text(&with));
    assert!(text(&with).contains("assuming 128 * gridDim.x <= arg1 + 127"), "{}", text(&with));
}

/// The host code determines everything except memory contents.
const VOLATILE: &str = "
__global__ void both(volatile int *a) { if (threadIdx.x % 32 == 0) *a = threadIdx.x; }
int main() {
    int *a;
    cudaMalloc(&a, 4);
    both<<<1, 33>>>(a);
    return cudaDeviceSynchronize();
}
";

#[test]
fn launches_of_host_code_are_judged_by_the_law_of_volatile_that_is_asked_for() {
    let Some(nvcc) = toolkit::toolkit().map(|root| root.join("bin/nvcc")) else { return };
    let Some(clang) = clang() else { return };
    let folder = folder("volatile");
    std::fs::write(folder.join("app.cu"), VOLATILE).expect("written");
    let (nvcc, clang) = (nvcc.to_str().expect("UTF-8"), clang.to_str().expect("UTF-8"));
    let asked = |law: &str| {
        let words = ["prove", "--volatile", law, "--", nvcc, "-arch=sm_90", "-o", "app", "app.cu"];
        with_clang(&folder, &words, clang)
    };
    let (strong, weak) = (asked("strong"), asked("weak"));
    assert_eq!(strong.status.code(), Some(0), "{}", text(&strong));
    assert_eq!(weak.status.code(), Some(66), "{}", text(&weak));
}

/// Two programs of one project: their kernels, and a shared part with host code that alone launches its
/// kernel.
const ROWS: &str = "
#include \"part.h\"
__global__ void row(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 1; }
int main() {
    int *a;
    cudaMalloc(&a, 4096);
    row<<<4, 64>>>(a, PITCH);
    columns(a, 64);
    return cudaDeviceSynchronize();
}
";
const PART: &str = "
#include \"part.h\"
__global__ void column(int *a, int pitch) { a[threadIdx.x * pitch + blockIdx.x] = 1; }
void start(int *a, int pitch) { column<<<pitch, 16>>>(a, pitch); }
";
const HOST: &str = "
#include \"part.h\"
void start(int *a, int pitch);
void columns(int *a, int pitch) { start(a, pitch / 2); }
";

/// Writes a compilation database in CMake's form, for programs that differ in the pitch of their rows.
fn project(folder: &Path, nvcc: &str, pitches: &[(&str, u32)]) {
    let file = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    std::fs::create_dir_all(folder.join("inc")).expect("a folder");
    file("inc/part.h", "void columns(int *a, int pitch);\n");
    file("part.cu", PART);
    file("host.cpp", HOST);
    let mut entries = vec![
        serde_json::json!({"directory": folder, "file": "part.cu",
            "command": format!("{nvcc} -I inc --generate-code=arch=compute_90,code=[compute_90,sm_90] -x cu -c part.cu -o part.o")}),
        serde_json::json!({"directory": folder, "file": folder.join("host.cpp"),
            "arguments": ["c++", "-Iinc", "-O3", "-Wall", "-o", "host.o", "-c", folder.join("host.cpp")]}),
        serde_json::json!({"directory": folder, "file": "notes.txt", "command": "cp notes.txt other.txt"}),
    ];
    for (name, pitch) in pitches {
        file(name, &ROWS.replace("PITCH", &pitch.to_string()));
        entries.push(serde_json::json!({"directory": ".", "file": name,
            "command": format!("{nvcc} -Iinc -gencode arch=compute_90,code=sm_90 -MD -MF x.d -c {name} -o x.o")}));
    }
    file("compile_commands.json", &serde_json::Value::from(entries).to_string());
}

#[test]
fn projects_are_asked_about_by_their_compile_commands() {
    let Some(nvcc) = toolkit::toolkit().map(|root| root.join("bin/nvcc")) else { return };
    let folder = folder("project");
    project(&folder, nvcc.to_str().expect("UTF-8"), &[("rows.cu", 64), ("narrow.cu", 63)]);
    // The analysis also works without clang, but then for any pitch.
    let any = ["prove", "--any-launch", "-p", "compile_commands.json"];
    let without = with_clang(&folder, &any, "/nowhere/clang++");
    assert_eq!(without.status.code(), Some(66), "{}", text(&without));
    assert!(text(&without).contains("clang++ is not installed"), "{}", text(&without));
    let Some(clang) = clang() else { return };
    let clang = clang.to_str().expect("UTF-8");
    let both = with_clang(&folder, &["prove", "--json", "all.json", "-p", "."], clang);
    assert_eq!(both.status.code(), Some(66), "{}", text(&both));
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("all.json")).expect("written")).expect("JSON");
    let answers: Vec<(&str, &str)> = json["proofs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|p| (p["kernel"].as_str().expect("a name"), p["verdict"].as_str().expect("a word")))
        .collect();
    let expected =
        [("column(int*, int)", "proved"), ("row(int*, int)", "proved"), ("row(int*, int)", "race")];
    assert_eq!(answers, expected, "{}", text(&both));
    // A source that cannot be read may contain launches, which are unknown; the report says so.
    project(&folder, nvcc.to_str().expect("UTF-8"), &[("rows.cu", 64)]);
    let one = with_clang(&folder, &["prove", "-p", "compile_commands.json"], clang);
    assert_eq!(one.status.code(), Some(0), "{}", text(&one));
    std::fs::write(folder.join("host.cpp"), "#include \"missing.h\"\n").expect("written");
    let broken = with_clang(&folder, &["prove", "-p", "compile_commands.json"], clang);
    assert_ne!(broken.status.code(), Some(0), "{}", text(&broken));
    assert!(text(&broken).contains("unknown: the host code of "), "{}", text(&broken));
    assert!(text(&broken).contains("'missing.h' file not found"), "{}", text(&broken));
}

/// Checks pairs of kernels that differ only in their launches, and the number of kernels.
fn hosted(name: &str, kernels: usize) {
    let Some(nvcc) = toolkit::toolkit().map(|root| root.join("bin/nvcc")) else { return };
    let Some(clang) = clang() else { return };
    let folder = folder(name);
    let (source, nvcc) = (tests().join(format!("{name}.cu")), nvcc.to_str().expect("UTF-8").to_owned());
    let words = ["prove", "--json", "all.json", "--", &nvcc, "-std=c++17", "-arch=compute_90", "-ptx"];
    let words = [&words[..], &["-o", "hosted.ptx", source.to_str().expect("UTF-8")]].concat();
    let output = with_clang(&folder, &words, clang.to_str().expect("UTF-8"));
    assert_eq!(output.status.code(), Some(66), "{}", text(&output));
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("all.json")).expect("written")).expect("JSON");
    let proofs = json["proofs"].as_array().expect("a list");
    for proof in proofs {
        let kernel = proof["kernel"].as_str().unwrap_or_default();
        let expected = match kernel {
            k if k.contains("_race") => "race",
            k if k.contains("_open") => "unknown",
            // Values that the host code reads or computes may be so large that indices wrap around.
            k if ["line_clean(int*, int)", "whole_tiles_clean", "structure_clean"]
                .iter()
                .any(|n| k.starts_with(n)) =>
            {
                "proved-conditionally"
            }
            // Some arguments make the kernel's pitch too small.
            k if k.starts_with("unasked_clean") => "proved-without-arguments",
            _ => "proved",
        };
        assert_eq!(proof["verdict"], expected, "{proof}");
    }
    // A race in a launch that may not be made is no alarm, but it is named.
    assert!(text(&output).contains("shows a race here; whether"), "{}", text(&output));
    assert_eq!(proofs.len(), kernels, "{proofs:?}");
}

#[test]
fn host_code_tells_clean_launches_from_racy_ones() {
    // One additional kernel is never launched.
    hosted("hosted", 44);
}

#[test]
fn executing_host_code_tells_what_memory_holds_and_what_is_launched() {
    hosted("made", 43);
}

#[test]
fn addresses_in_memory_textures_and_surfaces_lead_to_what_is_known_of_the_host() {
    hosted("pointed", 18);
}

#[test]
fn numbers_beside_those_that_decide_and_before_atomics_that_do_are_told_apart() {
    hosted("decided", 8);
}

/// Answers must depend on the program's input. A version took the host code's behaviour without arguments for
/// that of every run, took pointers that it may pass as distinct, and ignored conditions that it checks.
#[test]
fn answers_hold_for_whatever_the_program_is_given() {
    let Some(nvcc) = toolkit::toolkit().map(|root| root.join("bin/nvcc")) else { return };
    let Some(clang) = clang() else { return };
    let folder = folder("given");
    let (source, nvcc) = (tests().join("given.cu"), nvcc.to_str().expect("UTF-8").to_owned());
    let words = ["prove", "--json", "all.json", "--", &nvcc, "-std=c++17", "-arch=compute_90", "-ptx"];
    let words = [&words[..], &["-o", "given.ptx", source.to_str().expect("UTF-8")]].concat();
    let output = with_clang(&folder, &words, clang.to_str().expect("UTF-8"));
    assert_eq!(output.status.code(), Some(66), "{}", text(&output));
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("all.json")).expect("written")).expect("JSON");
    let proofs = json["proofs"].as_array().expect("a list");
    let mut wrong = Vec::new();
    for proof in proofs {
        let kernel = proof["kernel"].as_str().unwrap_or_default();
        let verdict = proof["verdict"].as_str().unwrap_or_default();
        let holds = match kernel {
            k if k.starts_with("chosen_race") || k.starts_with("warp_race") => verdict == "race",
            // A claim must not exceed what is known; a missing race or proof is acceptable.
            k if k.contains("_race") => verdict != "proved",
            k if k.contains("_open") => !["race", "proved"].contains(&verdict),
            _ => verdict != "race",
        };
        if !holds {
            wrong.push(format!("{kernel}: {verdict}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(proofs.len(), 14, "{proofs:?}");
    let all = text(&output);
    assert!(all.contains("    if the program is started with the arguments `"), "{all}");
    assert!(all.contains("proved for the run without arguments: `"), "{all}");
}

/// Races in launches that no known code makes form a level of their own.
#[test]
fn a_race_of_a_launch_that_was_not_seen_counts_only_if_asked_for() {
    let folder = folder("unseen");
    let ptx = tests().join("patterns.ptx");
    let ptx = ptx.to_str().expect("UTF-8");
    let words = ["prove", "--kernel-name", "kne=transpose_race", "--json", "u.json", "--sarif", "u.sarif"];
    let unseen = warprace(&folder, &[&words[..], &["--html", "u.html", ptx]].concat());
    assert_eq!(unseen.status.code(), Some(0), "{}", text(&unseen));
    assert!(
        text(&unseen).contains("race (in a launch that was not seen)[missing-barrier]"),
        "{}",
        text(&unseen)
    );
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("written");
    let json: serde_json::Value = serde_json::from_str(&read("u.json")).expect("JSON");
    assert_eq!(json["verdict"], "race-in-unseen-launch");
    assert_eq!(json["proofs"][0]["verdict"], "race-in-unseen-launch");
    assert!(json["races"].as_array().is_some_and(Vec::is_empty), "{json}");
    assert_eq!(json["unseen_launches"].as_array().map(Vec::len), Some(1));
    let sarif: serde_json::Value = serde_json::from_str(&read("u.sarif")).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "note");
    assert!(read("u.html").contains("race (in a launch that was not seen)"));
    // The replay line states the launch, which counts from then on.
    let replay = json["unseen_launches"][0]["replay"].as_str().expect("a line");
    let (_, rest) = replay.split_once("--launch '").expect("the launch");
    let (launch, _) = rest.split_once('\'').expect("its end");
    let again = warprace(&folder, &["prove", "--launch", launch, "--kernel-name", "kne=transpose_race", ptx]);
    assert_eq!(again.status.code(), Some(66), "{replay}: {}", text(&again));
    let any = warprace(&folder, &["prove", "--any-launch", "--kernel-name", "kne=transpose_race", ptx]);
    assert_eq!(any.status.code(), Some(66), "{}", text(&any));
}

/// Answers that exist before a signal are reported.
#[cfg(target_os = "linux")]
#[test]
fn what_was_decided_until_a_signal_is_reported() {
    let folder = folder("signal");
    std::fs::write(folder.join("k.ptx"), pathological()).expect("written");
    let bin = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let mut command = Command::new(bin);
    command.args(["prove", "--timeout", "60", "k.ptx"]).current_dir(&folder);
    let command = command.env("WARPRACE_SMT", "none").stdout(std::process::Stdio::piped());
    let child = command.stderr(std::process::Stdio::piped()).spawn();
    let child = child.expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.expect("it starts").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(67), "{}", text(&output));
    assert!(text(&output).contains("SIGTERM ended it"), "{}", text(&output));
    assert!(text(&output).contains("unknown: `"), "{}", text(&output));
}

/// Proofs about no launch are named; they looked like other proofs.
#[test]
fn questions_about_no_launch_are_named() {
    let folder = folder("vacuous");
    let kernel = |name: &str, body: &str| {
        format!(
            ".visible .entry {name}(.param .u64 a, .param .u32 n) {{
            .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d<4>;
            ld.param.u64 %d1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;
            {body} mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r2; ret; }}\n"
        )
    };
    let needs = "setp.eq.s32 %p1, %r1, 777; @%p1 bra GO; trap; GO:";
    let text_of = [
        ".version 8.0\n.target sm_80\n.address_size 64\n".to_owned(),
        kernel("plain", ""),
        kernel("traps", "trap;"),
        kernel("needs", needs),
    ];
    std::fs::write(folder.join("k.ptx"), text_of.concat()).expect("written");
    for (name, words, code, expected) in [
        ("plain", &["--grid", "1"][..], 0, "proved"),
        (
            "plain",
            &["--grid", "1", "--block", "2048"],
            67,
            "no launch has 2048 threads a block: it takes at most 1024",
        ),
        ("plain", &["--assume", "arg1 > 3 && arg1 < 2"], 67, "no launch satisfies all that is assumed of it"),
        ("traps", &["--grid", "1"], 67, "no thread comes to its end"),
        ("needs", &["--grid", "1", "--assume", "arg1 == 5"], 67, "each launch that was tried ends in a trap"),
        ("needs", &["--grid", "1", "--assume", "arg1 == 777"], 0, "proved"),
    ] {
        let name = format!("kne={name}");
        let words = [&["prove", "--kernel-name", &name], words, &["k.ptx"]].concat();
        let output = warprace(&folder, &words);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", text(&output));
        assert!(text(&output).contains(expected), "{words:?}: {}", text(&output));
    }
}

fn clang() -> Option<PathBuf> {
    let clangs =
        ["clang++", "clang++-21", "clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++-16"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |name: &&str| std::env::split_paths(&path).map(|p| p.join(name)).find(|p| p.is_file());
    clangs.iter().find_map(found)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prove").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/prove").canonicalize().expect("it is there")
}

#[test]
fn ptx_is_proved_and_refuted() {
    let folder = folder("ptx");
    let ptx = tests().join("patterns.ptx");
    let ptx = ptx.to_str().expect("UTF-8");
    let clean = warprace(&folder, &["prove", "--kernel-name", "kne=transpose_clean", ptx]);
    assert_eq!(clean.status.code(), Some(0), "{}", text(&clean));
    assert!(text(&clean).contains("proved: `transpose_clean`\n    assuming "), "{}", text(&clean));
    let words = ["prove", "--any-launch", "--kernel-name", "kne=transpose_race", "--json", "r.json", ptx];
    let racy = warprace(&folder, &words);
    assert_eq!(racy.status.code(), Some(66), "{}", text(&racy));
    assert!(text(&racy).contains("race[missing-barrier]"), "{}", text(&racy));
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("r.json")).expect("written")).expect("JSON");
    assert_eq!(json["verdict"], "race");
    assert_eq!(json["proofs"][0]["verdict"], "race");
    // The explanation lists the threads, their accesses and the known facts.
    let explained = warprace(&folder, &["explain", "r.json", "1"]);
    let words = text(&explained);
    assert_eq!(explained.status.code(), Some(0), "{words}");
    for expected in [
        "In the launch <<<(2, 2), (16, 16)>>>",
        "####  write of 4 bytes, PTX line",
        "  * distinct(arg0, arg1)",
    ] {
        assert!(words.contains(expected), "{expected}: {words}");
    }
    // Facts from options decide: the same kernel has no race with one thread, and the proof states the
    // assumption.
    let told = warprace(&folder, &["prove", "--kernel-name", "kne=transpose_race", "--block", "1", ptx]);
    assert_eq!(told.status.code(), Some(0), "{}", text(&told));
    assert!(text(&told).contains("assuming blockDim is (1, 1, 1)"), "{}", text(&told));
}

#[test]
fn what_is_wrong_is_named() {
    let folder = folder("wrong");
    std::fs::write(folder.join("no.ptx"), "neither PTX nor a program").expect("written");
    std::fs::write(folder.join("a.cu"), "").expect("written");
    std::fs::write(folder.join("damaged.ptx"), ".version 7.0\n.target sm_70\n.visible .entry k( {")
        .expect("written");
    std::fs::write(folder.join("facts"), "{}\n").expect("written");
    let ptx = tests().join("patterns.ptx");
    let ptx = ptx.to_str().expect("UTF-8");
    std::fs::write(
        folder.join("compile_commands.json"),
        "[{\"directory\": \"/p\", \"file\": \"a.c\", \"command\": \"cc -c a.c\"}]",
    )
    .expect("written");
    let clang = r#"[{"directory": "/p", "file": "a.cu", "command": "clang++ -c a.cu"}]"#;
    std::fs::write(folder.join("clang.json"), clang).expect("written");
    let broken = r#"[{"directory": "/", "file": "a.cu", "command": "/nowhere/nvcc -c a.cu"}]"#;
    std::fs::write(folder.join("broken.json"), broken).expect("written");
    for (words, code, expected) in [
        (&["prove", "-p", "missing.json"][..], 64, "there is no file `missing.json`"),
        (&["prove", "-p", "facts"], 64, "`facts` is no compilation database"),
        (&["prove", "-p", "."], 64, "none of the 1 commands in `./compile_commands.json` compiles CUDA"),
        (
            &["prove", "-p", "clang.json"],
            67,
            "unknown: a.cu: `clang++` compiles it; only sources that nvcc compiles",
        ),
        (&["prove", "-p", "broken.json"], 67, "unknown: a.cu: cannot start `/nowhere/nvcc`"),
        (&["prove", "-p", ".", ptx], 64, "cannot be used with"),
        (&["prove", "missing.ptx"], 64, "there is no file `missing.ptx`"),
        (&["prove", "no.ptx"], 64, "is no ELF file, fatbin or PTX text"),
        (
            &["prove", "a.cu"],
            64,
            "help: it is a source: say how it is compiled, `warprace prove -- nvcc a.cu`",
        ),
        (&["prove", "damaged.ptx"], 67, "unknown: damaged.ptx"),
        (&["prove", "--kernel-name", "kne=nobody", ptx], 64, "no kernel matches"),
        (&["prove", "--assume", "nobody: x == 1", "--kernel-name", "kne=stencil_clean", ptx], 0, "proved"),
        (&["prove", "--assume", "x == 1", "--kernel-name", "kne=stencil_clean", ptx], 67, "no parameter `x`"),
        (&["prove", "--facts", "missing", ptx], 64, "there is no file `missing`"),
        (&["prove", "--facts", "facts", ptx], 64, "line 1"),
        (&["prove", "--facts", "/dev/null", ptx], 64, "no kernel of it was launched"),
        (&["prove", "--", "false", "a.cu"], 64, "`false` failed"),
        (&["prove", "--", "no-such-compiler", "a.cu"], 64, "cannot start `no-such-compiler`"),
        (&["prove", "--timeout", "0", "--kernel-name", "kne=tree_reduce_clean", ptx], 67, "its time"),
    ] {
        let output = warprace(&folder, words);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", text(&output));
        assert!(text(&output).contains(expected), "{words:?}: {}", text(&output));
    }
}

#[test]
fn fatbins_are_read() {
    let Some(tool) = toolkit::toolkit().map(|root| root.join("bin/fatbinary")) else { return };
    let folder = folder("fatbin");
    let ptx = tests().join("ordered.ptx");
    let image = format!("--image3=kind=ptx,sm=75,file={}", ptx.display());
    let made = Command::new(tool).args(["--create=k.fatbin", &image]).current_dir(&folder).status();
    assert!(made.expect("it starts").success());
    let proved = warprace(&folder, &["prove", "--kernel-name", "kne=message_clean", "k.fatbin"]);
    assert_eq!(proved.status.code(), Some(0), "{}", text(&proved));
    assert!(text(&proved).contains("assuming arg1 is zero before the launch"), "{}", text(&proved));
    assert!(text(&proved).contains("volatile accesses are strong"), "{}", text(&proved));
}

/// Pairs of kernels with host code are compiled by `prove`, run once, and analysed as they were launched.
#[test]
fn launches_of_a_run_are_settled() {
    let Some(nvcc) = toolkit::toolkit().map(|root| root.join("bin/nvcc")) else { return };
    let folder = folder("launched");
    let source = tests().join("launched.cu");
    let source = source.to_str().expect("UTF-8");
    let nvcc = nvcc.to_str().expect("UTF-8");
    let flags = ["-std=c++17", "-arch=sm_90", "-lineinfo", "-Wno-deprecated-gpu-targets", "-o", "launched"];
    let mut words = vec!["prove", "--any-launch", "--kernel-name", "kne=row_pitch_clean", "--", nvcc];
    words.extend(flags);
    words.push(source);
    let compiled = warprace(&folder, &words);
    // The kernel has a race for some pitch; the host passes one that is large enough.
    assert_eq!(compiled.status.code(), Some(66), "{}", text(&compiled));
    let run = warprace(&folder, &["run", "-q", "--no-detect", "--facts", "facts", "--", "./launched"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run));
    let proved = warprace(&folder, &["prove", "--facts", "facts", "--json", "all.json", "./launched"]);
    assert_eq!(proved.status.code(), Some(66), "{}", text(&proved));
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("all.json")).expect("written")).expect("JSON");
    let proofs = json["proofs"].as_array().expect("a list");
    let mut wrong = Vec::new();
    for proof in proofs {
        let kernel = proof["kernel"].as_str().unwrap_or_default();
        let expected = if kernel.ends_with("_race") { "race" } else { "proved" };
        if proof["verdict"] != expected {
            wrong.push(format!("{kernel}: {} {}", proof["verdict"], proof["doubts"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(proofs.len() >= 50, "{} kernels", proofs.len());
    // With `run --prove`, kernels without an observed race are proved, and the verdict is the run's.
    let run = ["run", "--prove", "--json", "run.json", "--", "./launched"];
    let run = warprace(&folder, &run);
    assert_eq!(run.status.code(), Some(66), "{}", text(&run));
    assert!(text(&run).contains("proved: `row_pitch_clean`"), "{}", text(&run));
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("run.json")).expect("written")).expect("JSON");
    let proofs = json["proofs"].as_array().expect("a list");
    assert!(proofs.len() >= 30, "{proofs:?}");
    for proof in proofs {
        let kernel = proof["kernel"].as_str().unwrap_or_default();
        assert_eq!(proof["verdict"] == "proved", !kernel.ends_with("_race"), "{proof}");
    }
    // The run itself finds the same races with no more shadow memory: what is clean is put off, and needs none.
    let observed = |document: &serde_json::Value| {
        let races = document["races"].as_array().cloned().unwrap_or_default();
        let observed = races.into_iter().filter(|race| race["evidence"] != "proved");
        observed.map(|race| (race["id"].clone(), race["class"].clone())).collect::<Vec<_>>()
    };
    let ran = |words: &[&str]| {
        let words = [&["run", "-q", "--json", "run.json"], words, &["--", "./launched"]].concat();
        let run = warprace(&folder, &words);
        let written = std::fs::read(folder.join("run.json"));
        written
            .map(|w| serde_json::from_slice(&w).expect("JSON"))
            .unwrap_or_else(|e| panic!("{e}: {}", text(&run)))
    };
    let whole: serde_json::Value = ran(&[]);
    assert!(!observed(&whole).is_empty());
    assert_eq!(observed(&json), observed(&whole));
    for kernel in ["kne=reversed_tiles_clean", "kne=reversed_tiles_race"] {
        let [all, pruned] = [&[][..], &["--prove"][..]].map(|words| {
            let document: serde_json::Value = ran(&[&["--kernel-name", kernel], words].concat());
            document["summary"]["shadow_bytes"].as_u64().expect("a number")
        });
        assert!(pruned <= all, "{kernel}: {pruned} and {all} bytes");
    }
    // A race of a launch is repeated by its replay line.
    let again = ["prove", "--facts", "facts", "--kernel-name", "kne=scatter_race", "launched"];
    let again = warprace(&folder, &again);
    assert_eq!(again.status.code(), Some(66), "{}", text(&again));
    assert!(text(&again).contains("warprace prove --facts facts --kernel-name kne=scatter_race launched"));
}

/// Returns kernels with unreadable addresses, with threads that may end at thousands of places, and with a
/// launch that touches all of memory.
fn pathological() -> String {
    let mut text = ".version 8.0\n.target sm_80\n.address_size 64\n".to_owned();
    let mut kernel = |name: &str, body: &str| {
        text += &format!(
            ".visible .entry {name}(.param .u64 a, .param .u64 b) {{
            .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>;
            ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b];
            mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
            {body} ret; }}\n"
        );
    };
    let store = "mul.wide.s32 %d5, %r5, 4; add.s64 %d6, %d1, %d5; st.global.u32 [%d6], %r4;\n";
    let mut nested = "mov.u32 %r5, %r4;".to_owned();
    let mut ways = String::new();
    for n in 0..400 {
        nested += &format!("mad.lo.s32 %r5, %r5, %r5, %r{}; rem.u32 %r5, %r5, 1000;\n", 1 + n % 4);
        nested += if n % 20 == 0 { store } else { "" };
    }
    for n in 0..3000 {
        ways += &format!("ld.global.u32 %r5, [%d2+{}]; setp.gt.s32 %p1, %r5, {n}; @%p1 ret;\n", 4 * n);
        ways += &format!("st.global.u32 [%d1+{}], %r5;\n", 4 * n);
    }
    kernel("nested", &nested);
    kernel("ways", &ways);
    let turns = "mul.lo.s32 %r5, %r4, 2654435761; LOOP: mad.lo.s32 %r5, %r5, 1664525, 1013904223; and.b32 %r5, %r5, 65535;\n";
    kernel("wide", &format!("{turns} {store} bra LOOP;"));
    text
}

/// The measure is the peak resident memory that Linux reports.
#[cfg(target_os = "linux")]
#[test]
fn a_question_takes_less_than_two_gigabytes() {
    let folder = folder("memory");
    std::fs::write(folder.join("k.ptx"), pathological()).expect("written");
    let bin = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let words = ["prove", "--timeout", "2", "--json", "k.json", "k.ptx"];
    let start = std::time::Instant::now();
    let mut child = Command::new(bin);
    let child = child.args(words).current_dir(&folder).env("WARPRACE_SMT", "none");
    let mut child = child.stdout(std::process::Stdio::null()).spawn().expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("it is ours").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let json = std::fs::read_to_string(folder.join("k.json")).expect("it ended by itself");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let proofs = json["proofs"].as_array().expect("a list");
    let count = |verdict: &str| proofs.iter().filter(|p| p["verdict"] == verdict).count();
    assert!(proofs.len() == 3 && count("unknown") > 0 && count("proved") == 0, "{json}");
    assert!(start.elapsed().as_secs() < 120, "it ends when its time is used up");
    assert!((1 << 10..2 << 20).contains(&most), "{most} kB");
}

/// Analyses fixtures whose host code determines the launches. Each entry has the fixture's name and its
/// kernels' answers.
#[test]
fn fixtures_are_judged_by_their_host_code() {
    let Some(nvcc) = toolkit::toolkit().map(|root| root.join("bin/nvcc")) else { return };
    let Some(clang) = clang() else { return };
    let (folder, nvcc) = (folder("fixtures"), nvcc.to_str().expect("UTF-8").to_owned());
    for (fixture, expected) in [
        // The grid barrier begins with zeros in every launch.
        ("missing-fence/grid-sync-once-a-round.race", &["race"][..]),
        // An earlier kernel constructs the object.
        ("inter-block/barrier-of-device-scope.race", &["proved", "race"]),
        ("lock-missing/semaphore-released-early.race", &["proved", "race"]),
        ("lock-wrong/two-semaphores.race", &["proved", "race"]),
        ("lock-wrong/two-semaphores.clean", &["proved", "unknown"]),
        // Kernels that begin early race with other launches, which the proof of one launch does not cover.
        ("inter-kernel/programmatic-launch-half.race", &["proved", "proved"]),
        ("inter-kernel/programmatic-launch-clears.clean", &["proved", "proved"]),
        // Several host threads launch these kernels.
        ("inter-kernel/two-host-threads.race", &["proved", "proved-conditionally"]),
    ] {
        let source = tests().join(format!("../ui/{fixture}.cu"));
        let words = ["prove", "--json", "all.json", "--", &nvcc, "-std=c++17", "-arch=sm_90", "-ptx"];
        let words = [&words[..], &["-o", "fixture.ptx", source.to_str().expect("UTF-8")]].concat();
        let output = with_clang(&folder, &words, clang.to_str().expect("UTF-8"));
        let json = std::fs::read(folder.join("all.json")).expect("written");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        let proofs = json["proofs"].as_array().expect("a list");
        let verdicts: Vec<&str> = proofs.iter().filter_map(|p| p["verdict"].as_str()).collect();
        assert_eq!(verdicts, expected, "{fixture}: {}", text(&output));
    }
}
