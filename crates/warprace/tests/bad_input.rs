//! Bad input: each kind gives one clear error and its exit code.
//!
//! Most tests need nvcc, which `cargo xtask test` provides.
//!
//! **Size:** one test for each kind of bad input; they share how programs are compiled and run.

mod toolkit;

use serde_json::Value;
use snapshot::{Launch, Object, Range, Target};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use toolkit::toolkit;

const KERNEL: &str = "
    #include <cstdio>
    #include <cstdlib>
    #include <csignal>
    #include <unistd.h>
    __global__ void k(int *p) { p[threadIdx.x] += 1; }
    static int *launch() {
        int *p = nullptr;
        cudaMalloc(&p, 128);
        cudaMemset(p, 0, 128);
        k<<<1, 32>>>(p);
        printf(\"%s\\n\", cudaGetErrorName(cudaDeviceSynchronize()));
        fflush(stdout);
        return p;
    }
";

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad-input");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles a program; `None` without nvcc.
fn compile(name: &str, source: &str, flags: &[&str]) -> Option<PathBuf> {
    let nvcc = toolkit()?.join("bin/nvcc");
    let (text, program) = (folder().join(format!("{name}.cu")), folder().join(name));
    std::fs::write(&text, source).unwrap();
    let done = Command::new(nvcc)
        .args(["-std=c++17"])
        .args(flags)
        .arg(&text)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(program)
}

/// Returns the ordinary program, whose PTX is stored uncompressed.
fn plain() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM
        .get_or_init(|| {
            let flags = ["-gencode=arch=compute_90,code=compute_90", "--compress-mode=none"];
            compile("plain", &format!("{KERNEL} int main() {{ return launch() == nullptr; }}"), &flags)
        })
        .as_ref()
}

/// Compiles a program with the kernel and this `main`.
fn with_main(name: &str, body: &str) -> Option<PathBuf> {
    let flags = ["-lineinfo", "-gencode=arch=compute_90,code=compute_90"];
    compile(name, &format!("{KERNEL} {body}"), &flags)
}

fn warprace() -> Command {
    let program = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let mut command = Command::new(program);
    command.env_remove("LD_PRELOAD").env("NO_COLOR", "1");
    command
}

fn run(options: &[&str], program: &Path) -> Output {
    warprace().arg("run").args(options).arg("--").arg(program).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Asserts the exit code, that every text is present, and that there is exactly one error.
#[track_caller]
fn refused(output: &Output, code: i32, texts: &[&str]) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    for expected in texts {
        assert!(text.contains(expected), "`{expected}` is not in:\n{text}");
    }
    let errors = text.lines().filter(|l| l.starts_with("error")).count();
    assert_eq!(errors, 1, "{text}");
    assert!(!text.contains("panicked"), "{text}");
}

#[test]
fn no_such_program() {
    refused(&run(&[], Path::new("./no-such-program")), 64, &["there is no file `./no-such-program`"]);
    refused(&run(&[], Path::new("no-such-program")), 64, &["no program `no-such-program` in PATH"]);
}

#[test]
fn not_a_program() {
    let text = folder().join("text.txt");
    // An earlier run of the test has made the file executable.
    let _ = std::fs::remove_file(&text);
    std::fs::write(&text, "hello\n").unwrap();
    refused(&run(&[], &text), 64, &["is not executable", "help: if it is a program, `chmod +x"]);
    for (name, help) in [
        ("source.cu", "help: it is a source: compile it (`nvcc -lineinfo "),
        ("script.py", "help: for a Python script, say `warprace run -- python3 "),
    ] {
        let source = folder().join(name);
        std::fs::write(&source, "\n").unwrap();
        refused(&run(&[], &source), 64, &["is not executable", help]);
    }
    refused(&run(&[], &folder()), 64, &["is a folder, not a program"]);
    let mut mode = std::fs::metadata(&text).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    std::fs::set_permissions(&text, mode).unwrap();
    refused(&run(&[], &text), 64, &["is not a program: it is not an ELF file"]);
}

#[test]
fn an_unreadable_file() {
    let file = folder().join("unreadable");
    std::fs::write(&file, "\x7fELF").unwrap();
    let mut mode = std::fs::metadata(&file).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o111);
    std::fs::set_permissions(&file, mode).unwrap();
    if std::fs::read(&file).is_ok() {
        // Root can read every file, so this file stands for one that is unreadable.
        let output = warprace().args(["inspect", "/proc/self/mem"]).output().unwrap();
        refused(&output, 64, &["cannot read `/proc/self/mem`"]);
        return;
    }
    refused(&run(&[], &file), 64, &["cannot read", "permission denied"]);
}

#[test]
fn a_truncated_program() {
    let Some(plain) = plain() else { return };
    let bytes = std::fs::read(plain).unwrap();
    let cut = folder().join("cut");
    std::fs::copy(plain, &cut).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    refused(&run(&[], &cut), 65, &["cannot be run here: damaged ELF file"]);
}

/// Returns the file offset of the container with the PTX, found by its magic number and the text behind it.
fn ptx_container(bytes: &[u8]) -> usize {
    let text = bytes.windows(8).position(|w| w == b".version").expect("PTX is stored as it is");
    let magic = 0xBA55_ED50u32.to_le_bytes();
    bytes[..text].windows(4).rposition(|w| w == magic).expect("in a container")
}

#[test]
fn a_truncated_fatbin() {
    let Some(plain) = plain() else { return };
    let mut bytes = std::fs::read(plain).unwrap();
    let at = ptx_container(&bytes) + 8;
    bytes[at..at + 8].copy_from_slice(&0x0010_0000u64.to_le_bytes());
    let damaged = folder().join("damaged-fatbin");
    std::fs::copy(plain, &damaged).unwrap();
    std::fs::write(&damaged, bytes).unwrap();
    let texts = ["error[bad-fatbin]", "truncated fatbin: container at offset"];
    refused(&run(&[], &damaged), 65, &texts);
    let output = warprace().arg("inspect").arg(&damaged).output().unwrap();
    refused(&output, 65, &["truncated fatbin"]);
}

#[test]
fn malformed_ptx() {
    let Some(plain) = plain() else { return };
    let mut bytes = std::fs::read(plain).unwrap();
    let text = ptx_container(&bytes);
    let at = text + bytes[text..].windows(4).position(|w| w == b"add.").expect("the kernel adds");
    bytes[at..at + 4].copy_from_slice(b")]}(");
    let damaged = folder().join("malformed-ptx");
    std::fs::copy(plain, &damaged).unwrap();
    std::fs::write(&damaged, bytes).unwrap();
    refused(&run(&[], &damaged), 65, &["error[bad-ptx]", "malformed-ptx", "cannot be read"]);
}

#[test]
fn no_ptx() {
    let body = "int main() { return launch() == nullptr; }";
    let flags = ["-gencode=arch=compute_90a,code=sm_90a"];
    let Some(program) = compile("no-ptx", &format!("{KERNEL} {body}"), &flags) else { return };
    let texts = ["device code without PTX", "sm_90a cubin", "-gencode arch=compute_90a,code=compute_90a"];
    refused(&run(&[], &program), 65, &texts);
    let output = warprace().arg("inspect").arg(&program).output().unwrap();
    assert!(stdout(&output).contains("no PTX: warprace cannot run this"), "{}", stdout(&output));
}

#[test]
fn a_stripped_static_runtime() {
    let body = "int main() { return launch() == nullptr; }";
    let flags = ["-arch=sm_90", "-Xlinker", "-s"];
    let Some(program) = compile("stripped", &format!("{KERNEL} {body}"), &flags) else { return };
    refused(&run(&[], &program), 65, &["is stripped", "do not strip the program", "nvcc -cudart shared"]);
}

/// The JSON document alone must not look clean either.
#[test]
fn nothing_checked_is_not_clean_in_json() {
    let json = folder().join("nothing.json");
    let output = run(&["--json", json.to_str().unwrap()], Path::new("/bin/true"));
    refused(&output, 65, &["`/bin/true` is not a CUDA program"]);
    let document: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!(document["verdict"], "inconclusive");
    assert!(document["inconclusive"][0].as_str().unwrap().starts_with("nothing was checked"), "{document}");
}

/// A program without device code that queries devices uses CUDA.
#[test]
fn asking_for_devices_is_using_cuda() {
    let source = "#include <cstdio>\nint main() { int n = 0; cudaGetDeviceCount(&n); printf(\"%d\\n\", n); }";
    let Some(program) = compile("devices", source, &[]) else { return };
    let output = run(&[], &program);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(67), "1\n"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("no kernel was launched"), "{errors}");
}

#[test]
fn not_a_cuda_program() {
    let output = run(&[], Path::new("/bin/echo"));
    refused(&output, 65, &["`/bin/echo` is not a CUDA program"]);
    assert_eq!(stdout(&output), "\n", "the program's output is its own");
    let output = warprace().args(["inspect", "/bin/echo"]).output().unwrap();
    refused(&output, 65, &["has nothing to do with CUDA"]);
}

#[test]
fn the_programs_own_exit_code() {
    let Some(program) = with_main("exits", "int main() { launch(); return 3; }") else { return };
    let output = run(&[], &program);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert_eq!(stdout(&output), "cudaSuccess\n");
    assert!(stderr(&output).contains("clean: no race"), "{}", stderr(&output));
}

#[test]
fn a_crash_keeps_the_report_and_the_signal() {
    use std::os::unix::process::ExitStatusExt;
    let body = "int main() { launch(); volatile int *p = nullptr; *p = 1; return 0; }";
    let Some(program) = with_main("crashes", body) else { return };
    let output = run(&[], &program);
    assert_eq!(output.status.signal(), Some(11), "{}", stderr(&output));
    assert_eq!(stdout(&output), "cudaSuccess\n");
    let text = stderr(&output);
    assert!(text.contains("ran 1 kernel in 1 launch"), "{text}");
    assert!(text.contains("SIGSEGV (signal 11) ended the program"), "{text}");
}

#[test]
fn a_kill_keeps_the_report_and_the_signal() {
    use std::os::unix::process::ExitStatusExt;
    let body = "int main() { launch(); kill(getpid(), SIGKILL); return 0; }";
    let Some(program) = with_main("killed", body) else { return };
    let output = run(&[], &program);
    assert_eq!(output.status.signal(), Some(9), "{}", stderr(&output));
    assert!(stderr(&output).contains("SIGKILL (signal 9) ended the program"), "{}", stderr(&output));
    assert!(stderr(&output).contains("ran 1 kernel in 1 launch"), "{}", stderr(&output));
}

#[test]
fn a_signal_to_warprace_goes_to_the_program() {
    use std::os::unix::process::ExitStatusExt;
    let body = "int main() { launch(); for (;;) pause(); }";
    let Some(program) = with_main("waits", body) else { return };
    let mut child = warprace()
        .args(["run", "--"])
        .arg(&program)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The program's first line says that it waits.
    let mut line = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert_eq!(line, "cudaSuccess\n");
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(15), "{}", stderr(&output));
    assert!(stderr(&output).contains("SIGTERM (signal 15) ended the program"), "{}", stderr(&output));
}

#[test]
fn a_hang_is_a_deadlock_with_its_lines() {
    let source = "
        #include <cstdio>
        __global__ void stuck() {
            if (threadIdx.x < 32)
                asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");
        }
        int main() {
            stuck<<<1, 64>>>();
            printf(\"%s\\n\", cudaGetErrorName(cudaDeviceSynchronize()));
        }
    ";
    let Some(program) = compile("hangs", source, &["-lineinfo", "-arch=sm_90"]) else { return };
    let output = run(&[], &program);
    refused(&output, 67, &["error[deadlock]", "hangs.cu:5", "bar.sync"]);
    assert_ne!(stdout(&output), "cudaSuccess\n");
}

#[test]
fn an_illegal_address_has_its_line() {
    let source = "
        #include <cstdio>
        __global__ void out_of_bounds(int *p) {
            p[threadIdx.x + 1000000] = 1;
        }
        int main() {
            int *p;
            cudaMalloc(&p, 128);
            out_of_bounds<<<1, 32>>>(p);
            printf(\"%s\\n\", cudaGetErrorName(cudaDeviceSynchronize()));
        }
    ";
    let Some(program) = compile("illegal", source, &["-lineinfo", "-arch=sm_90"]) else { return };
    let output = run(&[], &program);
    refused(&output, 67, &["error[illegal-address]", "illegal.cu:4", "cudaErrorIllegalAddress"]);
    assert_eq!(stdout(&output), "cudaErrorIllegalAddress\n");
}

#[test]
fn a_full_disk_for_the_log() {
    let Some(plain) = plain() else { return };
    let output = run(&["--log-file", "/dev/full"], plain);
    refused(&output, 74, &["cannot write /dev/full: no space left on device", "clean: no race"]);
    let output = run(&["--json", "/dev/full"], plain);
    refused(&output, 74, &["cannot write /dev/full: no space left on device", "clean: no race"]);
    let output = run(&["--json", "/no/such/folder/x.json"], plain);
    refused(&output, 64, &["there is no folder `/no/such/folder`"]);
}

#[test]
fn a_kill_leaves_a_trace_that_predict_reads() {
    let body = "int main() { launch(); kill(getpid(), SIGKILL); return 0; }";
    let Some(program) = with_main("killed_traced", body) else { return };
    let trace = folder().join("killed.trace");
    let output = warprace().args(["trace", "-o"]).arg(&trace).arg("--").arg(&program).output().unwrap();
    assert!(stderr(&output).contains("SIGKILL"), "{}", stderr(&output));
    let output = warprace().arg("predict").arg(&trace).output().unwrap();
    let said = stdout(&output) + &stderr(&output);
    assert!(said.contains("1 kernel"), "the launch before the kill is analysed: {said}");
    assert!(said.contains("did not end in order"), "{said}");
}

#[test]
fn a_full_disk_for_the_trace() {
    let Some(plain) = plain() else { return };
    let output = warprace().args(["trace", "-o", "/dev/full", "--"]).arg(plain).output().unwrap();
    assert_ne!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).to_lowercase().contains("no space left on device"), "{}", stderr(&output));
}

#[test]
fn log_and_json_name_the_process() {
    let Some(plain) = plain() else { return };
    let folder = folder().join("logs");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let (log, json) = (folder.join("%p.log"), folder.join("%p.json"));
    let output = run(&["--log-file", log.to_str().unwrap(), "--json", json.to_str().unwrap()], plain);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.iter().all(|n| n.bytes().next().is_some_and(|b| b.is_ascii_digit())), "{names:?}");
    let json: Value = serde_json::from_slice(&std::fs::read(folder.join(&names[0])).unwrap()).unwrap();
    assert_eq!(json["verdict"], "clean");
    assert_eq!(json["summary"]["launches"], 1);
    let log = std::fs::read_to_string(folder.join(&names[1])).unwrap();
    assert!(log.contains("clean: no race"), "{log}");
}

#[test]
fn filters_that_leave_nothing_are_inconclusive() {
    let Some(plain) = plain() else { return };
    let output = run(&["--kernel-name", "kne=other"], plain);
    assert_eq!(output.status.code(), Some(67), "{}", stderr(&output));
    assert!(stderr(&output).contains("the filters left out all of them"), "{}", stderr(&output));
    let output = run(&["--kernel-name", "kne=k"], plain);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // The user asked for a run without the detector.
    let output = run(&["--no-detect"], plain);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("nothing was checked: --no-detect"), "{}", stderr(&output));
}

#[test]
fn quiet_says_nothing_about_a_clean_program() {
    let Some(plain) = plain() else { return };
    let output = run(&["--quiet"], plain);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn wrong_options() {
    let output = warprace().args(["run", "--frobnicate", "--", "/bin/true"]).output().unwrap();
    refused(&output, 64, &["unexpected argument '--frobnicate'"]);
    let output = warprace().args(["run"]).output().unwrap();
    refused(&output, 64, &["required arguments"]);
    let output = warprace().arg("--help").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("Examples:"));
}

/// Runs a committed launch with `warprace replay`.
fn replay(options: &[&str], file: &Path) -> Output {
    warprace().arg("replay").args(options).arg(file).output().unwrap()
}

fn saved(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/snapshots").join(name)
}

/// Returns the exit code, and the class and lines of each race.
fn races(output: &Output) -> (Option<i32>, Vec<(String, u64, u64)>) {
    let document: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(output)));
    let races = document["races"].as_array().unwrap().iter();
    let line = |race: &Value, i: usize| race["accesses"][i]["line"].as_u64().unwrap();
    let named = |race: &Value| (race["class"].as_str().unwrap().to_owned(), line(race, 0), line(race, 1));
    (output.status.code(), races.map(named).collect())
}

#[test]
fn a_saved_launch_runs_again_without_its_program() {
    let quiet = ["--json", "-", "--quiet"];
    let race = ("missing-barrier".to_owned(), 15, 15);
    let with = |more: &[&str], name: &str| races(&replay(&[&quiet[..], more].concat(), &saved(name)));
    assert_eq!(with(&[], "scatter.launch"), (Some(66), vec![race.clone()]));
    assert_eq!(with(&["--lens", "hb", "--explore", "3"], "scatter.launch").0, Some(66));
    assert_eq!(with(&["--predict=5"], "scatter.launch"), (Some(66), vec![race]));
    assert_eq!(with(&["--predict=5"], "scatter-apart.launch"), (Some(0), vec![]));
    // The replay line names the file.
    let text = stderr(&replay(&[], &saved("scatter.launch")));
    assert!(text.contains("replay: warprace replay --replay converged-first:seed=0"), "{text}");
}

#[test]
fn a_sample_of_blocks_shows_races_of_neighbours_and_is_never_clean() {
    let verdict = |options: &[&str], name: &str| {
        let output = replay(&[&["--json", "-"], options].concat(), &saved(name));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = |of: &Value| of.as_str().unwrap().to_owned();
        let limits: Vec<String> = document["limits"].as_array().unwrap().iter().map(text).collect();
        (output.status.code(), text(&document["verdict"]), limits.join("; "), document)
    };
    for seed in ["0", "1", "2"] {
        let (code, said, limits, found) =
            verdict(&["--blocks", "64", "--seed", seed, "--jobs", "2"], "spread.launch");
        assert_eq!((code, said.as_str()), (Some(66), "race"), "{seed}: {limits}");
        assert!(limits.contains("of 4096 blocks of `spread` were run"), "{limits}");
        assert!(
            found["races"][0]["replay"].as_str().unwrap().contains("replay --blocks 64 --replay"),
            "{found}"
        );
    }
    let (code, said, limits, found) = verdict(&["--blocks", "64"], "apart.launch");
    assert_eq!((code, said.as_str()), (Some(0), "unseen"), "{limits}");
    let blocks = found["summary"]["sampled"].as_u64().unwrap();
    assert!((64..72).contains(&blocks) && found["summary"]["sampled_of"] == 4096, "{found}");
    assert_eq!(found["summary"]["threads"], blocks * 64);
    // A sample as large as the grid is no sample.
    assert_eq!(verdict(&["--blocks", "4096"], "apart.launch").1, "clean");
    let (code, said, limits, _) = verdict(&["--blocks", "64"], "ticket.launch");
    assert_eq!((code, said.as_str()), (Some(0), "clean"));
    assert!(limits.contains("all 4096 blocks of `ticket` were run"), "{limits}");
}

#[test]
fn a_launch_saved_on_a_gpu_runs_again_without_one() {
    let file = saved("three-h100.launch");
    let race = ("inter-block".to_owned(), 2, 2);
    assert_eq!(races(&replay(&["--json", "-", "--quiet"], &file)), (Some(66), vec![race.clone()]));
    assert_eq!(races(&replay(&["--json", "-", "--quiet", "--predict=2"], &file)), (Some(66), vec![race]));
    assert_eq!(races(&replay(&["--json", "-", "--quiet", "--lens", "hb"], &file)).0, Some(66));
    // The message names the memory at the driver's address.
    let text = stderr(&replay(&[], &file));
    assert!(text.contains("global memory from `cuMemAlloc`, byte 0 of 65,536"), "{text}");
    assert!(text.contains("(2) write of 4 bytes") && text.contains("kernel: `wr(int*)`"), "{text}");
}

/// The contents of a saved launch, which can be written again.
#[derive(Default)]
struct Kept {
    launch: Option<Launch>,
    ranges: Vec<(Range, Vec<u8>)>,
}

impl Target for Kept {
    type Error = std::convert::Infallible;

    fn launch(&mut self, launch: Launch) -> Result<(), Self::Error> {
        self.launch = Some(launch);
        Ok(())
    }

    fn range(&mut self, range: Range) -> Result<(), Self::Error> {
        let bytes = vec![0; range.allocation.bytes as usize];
        self.ranges.push((range, bytes));
        Ok(())
    }

    fn bytes(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Self::Error> {
        if let Some((_, all)) = self.ranges.last_mut() {
            all[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        }
        Ok(())
    }

    fn object(&mut self, _: Object) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// A saved cooperative launch ran on a GPU that had room for all of its blocks, so the virtual GPU must not
/// reject it for lack of room.
#[test]
fn a_cooperative_launch_that_was_saved_has_room() {
    let mut kept = Kept::default();
    let file = std::fs::File::open(saved("three-h100.launch")).unwrap();
    snapshot::read(std::io::BufReader::new(file), Default::default(), &mut kept).unwrap();
    let launch = kept.launch.unwrap();
    // These are more blocks than 132 multiprocessors hold with 32 blocks each.
    let grid = events::Dim3::new(132 * 32 + 1, 1, 1);
    let many = Launch { grid, cooperative: true, ..launch };
    let mut writer = snapshot::Writer::new(Vec::new(), &many).unwrap();
    for (range, all) in &kept.ranges {
        let contents = |offset: u64, into: &mut [u8]| {
            into.copy_from_slice(&all[offset as usize..][..into.len()]);
            Ok(())
        };
        writer.range(range, contents).unwrap();
    }
    let file = std::env::temp_dir().join(format!("many-{}.launch", std::process::id()));
    std::fs::write(&file, writer.finish().unwrap()).unwrap();
    let output = replay(&["--json", "-", "--quiet"], &file);
    let _ = std::fs::remove_file(&file);
    assert_eq!(races(&output), (Some(66), vec![("inter-block".to_owned(), 2, 2)]), "{output:?}");
}

#[test]
fn a_damaged_launch_is_one_error() {
    let whole = std::fs::read(saved("scatter.launch")).unwrap();
    let mut changed = whole.clone();
    changed[200] ^= 0x55;
    for (bytes, expected) in [
        (&whole[..whole.len() - 9], "ends too early"),
        (&changed[..], "is damaged"),
        (&b"\x7fELF"[..], "not a saved launch"),
        (&b""[..], "not a saved launch"),
    ] {
        let file = folder().join("damaged.launch");
        std::fs::write(&file, bytes).unwrap();
        let output = replay(&[], &file);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(65), "{text}");
        assert!(text.contains(expected) && text.matches("error").count() == 1, "{expected}: {text}");
    }
    assert_eq!(replay(&[], Path::new("/nowhere/x.launch")).status.code(), Some(65));
}

#[test]
fn a_launch_is_saved_as_it_was_committed() {
    let source = std::fs::read_to_string(saved("scatter.cu")).unwrap();
    let Some(program) = compile("scatter", &source, &["-lineinfo", "-arch=compute_75"]) else { return };
    let file = folder().join("scatter.launch");
    let _ = std::fs::remove_file(&file);
    let file_name = file.to_str().unwrap();
    let output = run(&["--kernel-name", "kns=scatter", "--save-launch", file_name], &program);
    assert_eq!(output.status.code(), Some(66), "{}", stderr(&output));
    assert!(stderr(&output).contains("saved launch 2 (`scatter`)"), "{}", stderr(&output));
    let quiet = ["--json", "-", "--quiet"];
    assert_eq!(races(&replay(&quiet, &file)), races(&replay(&quiet, &saved("scatter.launch"))));
}
