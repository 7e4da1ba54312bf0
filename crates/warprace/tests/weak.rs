//! `--explore N --strategy weak` and `--schedule weak` on the programs of `tests/weak`: the weak ones show the
//! value that no interleaving explains, at the lines that are marked, and the strong ones never do. Without
//! nvcc the tests say that they were skipped.

mod toolkit;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/weak")
}

/// A built program with its source.
struct Program {
    binary: PathBuf,
    text: String,
}

fn build(name: &str) -> Option<Program> {
    let nvcc = toolkit::toolkit()?.join("bin/nvcc");
    let source = folder().join(format!("{name}.cu"));
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("weak-{name}"));
    let mut command = Command::new(nvcc);
    command.args(["-lineinfo", "-std=c++17", "-gencode", "arch=compute_90,code=compute_90"]);
    let done = command.arg(&source).arg("-o").arg(&binary).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(Program { binary, text: std::fs::read_to_string(source).unwrap() })
}

impl Program {
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warprace"));
        command.arg("run").args(arguments).arg("--").arg(&self.binary).output().unwrap()
    }

    fn report(&self, arguments: &[&str]) -> Value {
        let json = self.binary.with_extension("json");
        let path = json.to_string_lossy().into_owned();
        self.run(&[&["--quiet", "--json", &path], arguments].concat());
        serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap()
    }

    /// Returns the number of the line with a mark.
    fn line(&self, mark: &str) -> u64 {
        1 + self.text.lines().position(|line| line.ends_with(mark)).unwrap() as u64
    }

    /// Returns what the program prints under schedule `weak` with each of some seeds.
    fn printed(&self, seeds: std::ops::Range<u32>) -> Vec<String> {
        let run = |seed: u32| self.run(&["--quiet", "--schedule", "weak", "--seed", &seed.to_string()]);
        seeds.map(|seed| String::from_utf8_lossy(&run(seed).stdout).trim().to_owned()).collect()
    }
}

/// Holds a pair of programs to its values: executions of the weak one show a read of this kind and value, and it
/// prints `wrong` under some seed; the strong one never does.
fn hold(name: &str, executions: &str, verdict: &str, (kind, value): (&str, &str), wrong: &str) {
    let (Some(weak), Some(strong)) = (build(&format!("{name}.weak")), build(&format!("{name}.strong")))
    else {
        return;
    };
    let explored = ["--explore", executions, "--strategy", "weak"];
    let report = weak.report(&explored);
    assert_eq!(report["verdict"], verdict);
    let lines = |execution: &Value| [0, 1].map(|i| execution["accesses"][i]["line"].as_u64().unwrap());
    let expected = [weak.line("//~ WRITE"), weak.line("//~ READ")];
    let all = report["weak"].as_array().expect("there are weak executions");
    let shown = all.iter().find(|e| e["kind"] == kind && lines(e) == expected);
    let shown = shown.unwrap_or_else(|| panic!("{all:?}"));
    assert_eq!(shown["values"][1], value);
    let string = shown["replay_string"].as_str().unwrap();
    let again = weak.report(&["--replay", string]);
    assert!(again["weak"].as_array().unwrap().iter().any(|e| lines(e) == expected), "{string}: {again}");
    assert_eq!(strong.report(&explored)["weak"], Value::Null);
    let seed = string.split("weak:seed=").nth(1).and_then(|rest| rest.split(':').next());
    let seed: u32 = seed.expect("the string has a seed").parse().unwrap();
    let printed = [weak.printed(seed..seed + 1), weak.printed(0..24)].concat();
    assert!(printed.iter().any(|line| line == wrong), "{printed:?}");
    let printed = strong.printed(0..24);
    assert!(printed.iter().all(|line| line != wrong), "{printed:?}");
}

#[test]
fn unfenced_message_passing_shows_the_old_value() {
    hold("message-passing", "40", "race", ("stale-read", "0"), "got 0");
}

#[test]
fn store_buffering_shows_both_old_values() {
    hold("store-buffering", "40", "clean", ("stale-read", "0"), "saw 0 0");
}

#[test]
fn load_buffering_shows_both_later_values() {
    hold("load-buffering", "4000", "clean", ("early-read", "1"), "saw 1 1");
}

#[test]
fn an_unfenced_bulk_copy_shows_an_old_value() {
    hold("bulk-copy", "24", "race", ("stale-read", "1"), "got 1");
}

/// A run under schedule `weak` is judged by no lens, and says so.
#[test]
fn a_weak_run_is_inconclusive() {
    let Some(program) = build("message-passing.strong") else { return };
    let report = program.report(&["--schedule", "weak"]);
    assert_eq!(report["verdict"], "inconclusive");
    assert!(report["inconclusive"][0].as_str().unwrap().contains("no lens judges"), "{report}");
}
