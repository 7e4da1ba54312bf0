//! Campaigns on one machine: resumed, killed, torn, with programs that crash, hang and fork. These tests need nvcc,
//! which `cargo xtask test` provides.

mod toolkit;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use toolkit::toolkit;

/// The program's source: `order` has a race only where block 0 runs first.
const SOURCE: &str = r#"
    #include <cstdlib>
    #include <cstring>
    #include <unistd.h>

    __global__ void racy(int *p) { *p = threadIdx.x; }
    __global__ void fine(int *p) { p[threadIdx.x] = 1; }

    __global__ void order(int *flag, int *data, int *out) {
        if (blockIdx.x == 0) {
            *data = 1;
            atomicExch(flag, 1);
        } else if (atomicAdd(flag, 0) == 1) {
            *out = *data;
        }
    }

    int main(int argc, char **argv) {
        int *p;
        cudaMalloc(&p, 4096);
        cudaMemset(p, 0, 4096);
        if (!strcmp(argv[1], "racy")) racy<<<1, 64>>>(p);
        else if (!strcmp(argv[1], "order")) order<<<2, 1>>>(p, p + 1, p + 2);
        else fine<<<1, 64>>>(p);
        int code = cudaDeviceSynchronize();
        if (!strcmp(argv[1], "crash")) abort();
        if (!strcmp(argv[1], "hang")) for (;;) pause();
        if (!strcmp(argv[1], "fork") && fork() == 0) { setsid(); _exit(0); }
        return code;
    }
"#;

const CAMPAIGN: &str = "\
schedules = ['converged-first', 'random']
seeds = 4
timeout = 2

[[program]]
name = 'all'
command = ['./program']
arguments = [['racy'], ['order'], ['fine']]

[[program]]
name = 'odd'
command = ['./program']
arguments = [['crash'], ['fork'], ['hang']]
schedules = ['converged-first']
seeds = 1
";

/// The runs of the campaign.
const RUNS: u64 = 2 * 4 * 3 + 3;

/// A folder for one test, with the program in it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Option<Scratch> {
        static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
        let build = || {
            let toolkit = toolkit()?;
            let folder =
                Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("campaign-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            let (text, program) = (folder.join("program.cu"), folder.join("program"));
            fs::write(&text, SOURCE).unwrap();
            let mut nvcc = Command::new(toolkit.join("bin/nvcc"));
            nvcc.args(["-lineinfo", "-w", "-gencode=arch=compute_90,code=compute_90"]);
            let done = nvcc.arg(&text).arg("-o").arg(&program).output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            Some(program)
        };
        let program = PROGRAM.get_or_init(build).as_ref()?;
        let folder = program.with_file_name(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::copy(program, folder.join("program")).unwrap();
        fs::write(folder.join("c.toml"), CAMPAIGN).unwrap();
        Some(Scratch(folder))
    }

    fn command(&self, words: &[&str]) -> Command {
        let program =
            std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
        let mut command = Command::new(program);
        command.env_remove("LD_PRELOAD").env("NO_COLOR", "1").current_dir(&self.0).stdin(Stdio::null());
        command.arg("campaign").args(words).arg("c.toml");
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Starts a campaign, and waits until it has some new results.
    fn begin(&self, new: usize) -> Child {
        let before = self.results().len();
        let child = self.command(&["--quiet"]).stderr(Stdio::null()).spawn().unwrap();
        let since = Instant::now();
        while self.results().len() < before + new {
            assert!(since.elapsed() < Duration::from_secs(120), "no results came");
            std::thread::sleep(Duration::from_millis(5));
        }
        child
    }

    /// Returns the files of single results.
    fn results(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.0.join("c.results/runs")).into_iter().flatten().flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
        files.map(|file| file.path()).collect()
    }

    fn report(&self) -> Value {
        let text = fs::read_to_string(self.0.join("c.results/report.json")).unwrap();
        let mut value = serde_json::from_str(&text).unwrap();
        timeless(&mut value);
        value
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes what depends on clocks and on the folder.
fn timeless(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(timeless),
        Value::Object(map) => {
            for key in ["milliseconds", "first_at", "ns", "kernel_ns", "replay", "command"] {
                map.remove(key);
            }
            map.values_mut().for_each(timeless);
        }
        _ => {}
    }
}

fn signal(child: &Child, signal: i32) {
    // SAFETY: the child has not been waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
}

#[test]
fn a_campaign_that_was_killed_and_torn_equals_one_that_was_not() {
    let (Some(whole), Some(broken)) = (Scratch::new("whole"), Scratch::new("broken")) else { return };
    let done = whole.run(&[]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(66), "{said}");
    assert!(said.contains("27 of 27 runs, 2 races, 0 hazards"), "{said}");

    let mut child = broken.begin(3);
    signal(&child, libc::SIGKILL);
    child.wait().unwrap();
    let mut child = broken.begin(4);
    // A shell that runs tests in the background has SIGINT ignored.
    signal(&child, libc::SIGTERM);
    assert_eq!(child.wait().unwrap().code(), Some(66));
    let there = broken.results().len() as u64;
    assert!((7..RUNS).contains(&there), "{there} results");
    let torn = &broken.results()[0];
    let content = fs::read(torn).unwrap();
    fs::write(torn, &content[..content.len() / 2]).unwrap();
    let status = String::from_utf8_lossy(&broken.run(&["--status"]).stdout).into_owned();
    assert!(status.contains(&format!("{} of 27 runs have a result", there - 1)), "{status}");
    // Without the description of a finding its first run is repeated.
    let shown = broken.0.join("c.results/shown");
    fs::remove_dir_all(fs::read_dir(shown).unwrap().next().unwrap().unwrap().path()).unwrap();

    let done = broken.run(&[]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("1 result was torn by a crash"), "{said}");
    assert_eq!(done.status.code(), Some(66), "{said}");
    assert_eq!(broken.report(), whole.report());
    let before: Vec<_> =
        broken.results().iter().map(|path| path.metadata().unwrap().modified().unwrap()).collect();
    assert_eq!(broken.run(&[]).status.code(), Some(66));
    let after: Vec<_> =
        broken.results().iter().map(|path| path.metadata().unwrap().modified().unwrap()).collect();
    assert_eq!(before, after, "nothing is run twice");
}

#[test]
fn crashes_hangs_and_forks_are_results() {
    let Some(scratch) = Scratch::new("odd") else { return };
    let done = scratch.run(&["--junit", "c.xml"]);
    assert_eq!(done.status.code(), Some(66));
    let report = scratch.report();
    let campaign = |name: &str| report[name]["campaign"].clone();
    assert_eq!(campaign("odd")["outcomes"], serde_json::json!({ "crashed": 1, "ended": 1, "timed-out": 1 }));
    assert_eq!(campaign("all")["outcomes"], serde_json::json!({ "ended": 24 }));
    let races = report["all"]["races"].as_array().unwrap();
    let history = |class: &str| {
        let race = races
            .iter()
            .find(|race| race["class"] == class)
            .unwrap_or_else(|| panic!("no {class}: {races:?}"));
        race["history"].clone()
    };
    let same = history("missing-barrier");
    assert_eq!((&same["runs"], &same["of"], &same["first_run"]), (&8.into(), &24.into(), &0.into()));
    let order = races.iter().find(|race| race["class"] == "missing-fence").unwrap();
    let runs = order["history"]["runs"].as_u64().unwrap();
    assert!((1..8).contains(&runs), "an order has it, and an order has not: {order}");
    let kernels: Vec<&str> = report["all"]["kernels"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|kernel| kernel["name"].as_str())
        .collect();
    assert_eq!(kernels, ["racy(int*)", "order(int*, int*, int*)", "fine(int*)"]);
    assert!(scratch.0.join("c.xml").is_file());
    let page = fs::read_to_string(scratch.0.join("c.results/report.html")).unwrap();
    assert!(page.contains("\"growth\":[") && page.contains("first in run "));
    let rows = fs::read_to_string(scratch.0.join("c.results/runs.csv"));
    assert!(rows.is_ok_and(|rows| rows.lines().count() as u64 == RUNS + 1) || cfg!(feature = "parquet"));

    // The replay string shows the race again.
    let replay = order["replay_string"].as_str().unwrap();
    let mut again = Command::new(env!("CARGO_BIN_EXE_warprace"));
    again.args(["run", "--quiet", "--replay", replay, "--", "./program", "order"]).current_dir(&scratch.0);
    assert_eq!(again.output().unwrap().status.code(), Some(66));
}

#[test]
fn mistakes_and_changes_of_the_file_are_named() {
    let Some(scratch) = Scratch::new("mistakes") else { return };
    let file = scratch.0.join("c.toml");
    let refused = |text: &str, code: i32, expected: &str| {
        fs::write(&file, text).unwrap();
        let done = scratch.run(&["--jobs", "1"]);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.code() == Some(code) && said.contains(expected), "{said}");
    };
    let one = "[[program]]\nname = 'a'\ncommand = ['./program']\narguments = [['fine']]\n";
    refused(&format!("{one}sedes = 1"), 64, "`c.toml`, line 5: unknown field `sedes`");
    refused(&format!("{one}options = ['--chekc']"), 64, "`c.toml`, line 5: unexpected argument '--chekc'");
    refused(&one.replace("./program", "./missing"), 64, "`c.toml`, line 1: there is no program `./missing`");
    refused(one, 0, "1 of 1 run, 0 races");
    refused(&format!("{one}seeds = 2"), 0, "2 of 2 runs, 0 races");
    assert_eq!(scratch.results().len(), 2, "the first run is the same in both files");
    refused(&format!("{one}seeds = [7]"), 0, "2 results were left out");
}
