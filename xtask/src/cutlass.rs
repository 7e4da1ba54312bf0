//! `cargo xtask cutlass FOLDER`: programs of CUTLASS and of kernels written with it, on the virtual GPU.
//!
//! FOLDER has the programs, built by nvcc with PTX inside (docs/results/cutlass.md says from which sources and how). Each runs under
//! `warprace run` in a process of its own, at the small sizes that `arguments.txt` has for it, and checks its own result. The command
//! fails if a result is wrong, if something was not checked, or if a finding was not held against the source before: [`KNOWN`].

use crate::shell::{self, Outcome, target};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Sizes by the names of programs; others have no arguments.
const ARGUMENTS: &str = include_str!("cutlass/arguments.txt");

/// Findings that are right: a class, and ends of the paths of the files of both sides, in either order.
const KNOWN: [(&str, [&str; 2]); 29] = [
    // Remote arrivals at mbarriers and waits for them have no scope written, so they reach one block (PTX §9.7.14.15).
    ("async-copy", ["arch/copy_sm90_tma.hpp", "arch/copy_sm90_tma.hpp"]),
    ("async-copy", ["arch/copy_sm90_tma.hpp", "arch/mma_sm90_gmma.hpp"]),
    ("async-copy", ["arch/copy_sm100_tma.hpp", "arch/copy_sm100_tma.hpp"]),
    ("async-copy", ["arch/copy_sm100_tma.hpp", "arch/copy_sm90_tma.hpp"]),
    ("async-copy", ["arch/copy_sm100_tma.hpp", "algorithm/copy.hpp"]),
    ("async-copy", ["kernel/sm100_tile_scheduler.hpp", "kernel/sm100_tile_scheduler.hpp"]),
    // Both blocks of a pair copy scales to the pair's tensor memory, one of them without waiting for them and without a commit.
    ("async-copy", ["arch/copy_sm100_tma.hpp", "arch/copy_sm100.hpp"]),
    ("cluster-dsmem", ["arch/copy_sm100.hpp", "cutlass/device_kernel.h"]),
    // Warps of a pair hand these over by such arrivals: operands that they have copied or converted, and the end of their work on tensor
    // memory, behind which it is deallocated.
    ("async-copy", ["algorithm/copy.hpp", "arch/mma_sm100_umma.hpp"]),
    ("async-copy", ["arch/copy_sm80.hpp", "arch/mma_sm100_umma.hpp"]),
    ("tensor-memory", ["arch/mma_sm100_umma.hpp", "arch/tmem_allocator_sm100.hpp"]),
    // A tensor map that is changed while copies by it, which complete at mbarriers, may still read it.
    ("async-copy", ["arch/copy_sm90_tma.hpp", "arch/copy_sm90_desc.hpp"]),
    // mbarriers that are initialised behind the fence, and published by a barrier that releases nothing.
    ("cluster-dsmem", ["arch/barrier.h", "arch/barrier.h"]),
    ("missing-barrier", ["arch/barrier.h", "arch/barrier.h"]),
    // Stores to shared memory that a product or a copy reads, without a proxy fence.
    ("proxy", ["arch/copy_sm80.hpp", "arch/mma_sm90_gmma.hpp"]),
    ("proxy", ["algorithm/copy.hpp", "arch/mma_sm100_umma.hpp"]),
    ("proxy", ["arch/copy_sm80.hpp", "arch/mma_sm100_umma.hpp"]),
    ("proxy", ["algorithm/fill.hpp", "arch/mma_sm90_gmma.hpp"]),
    ("proxy", ["arch/copy_sm75.hpp", "arch/copy_sm90_tma.hpp"]),
    ("proxy", ["hopper/bulk_store.cu", "arch/copy_sm90_tma.hpp"]),
    // A load from tensor memory, used and deallocated without `tcgen05.wait::ld`.
    ("tensor-memory", ["arch/copy_sm100.hpp", "arch/tmem_allocator_sm100.hpp"]),
    ("tensor-memory", ["arch/copy_sm100.hpp", "arch/copy_sm100.hpp"]),
    ("tensor-memory", ["arch/copy_sm100.hpp", "arch/mma_sm100_umma.hpp"]),
    // A product overwrites what another one may still read, with another accumulator, so that they form no pipeline.
    ("tensor-memory", ["arch/mma_sm100_umma.hpp", "arch/mma_sm100_umma.hpp"]),
    // A plain read of a counter before the loop of compare-and-swaps.
    ("weak-vs-atomic", ["reference/reference_abs_error.hpp", "reference/reference_abs_error.hpp"]),
    // Lanes read what others of their warp have stored.
    ("divergent-warp", ["hopper/stsm.cu", "arch/copy_sm90.hpp"]),
    ("divergent-warp", ["hopper/stsm.cu", "algorithm/copy.hpp"]),
    // All lanes of a warp initialise the same mbarriers.
    ("divergent-warp", ["ops/thread/util/sync.cuh", "ops/thread/util/sync.cuh"]),
    // The warps of a block wait at a barrier in two branches.
    ("divergent-barrier", ["ops/group/group.cuh", "ops/group/group.cuh"]),
];

/// A program that takes longer is ended, and listed as too slow.
const LONGEST: Duration = Duration::from_secs(600);

/// Words by which programs say what their own checks came to.
const RIGHT: [&str; 6] = ["Passed", "PASSED", "passed", "Success", "successful", "Error count: 0"];
const WRONG: [&str; 3] = ["Disposition: Failed", "FAILED", "failed"];

/// What a program came to.
struct Row {
    name: String,
    verdict: String,
    check: &'static str,
    seconds: f64,
    /// What is wrong; empty if nothing is.
    wrong: String,
}

/// Runs the programs of a folder, or those of them that are named.
pub(crate) fn run(args: &[&str]) -> Outcome {
    let (folder, named) = args.split_first().ok_or("cutlass FOLDER [PROGRAM...]")?;
    let programs = programs(Path::new(folder), named)?;
    let warprace = shell::build_release()?;
    let logs = target().join("cutlass");
    shell::make_dir(&logs)?;
    println!("| program | arguments | verdict | own check | seconds |\n|---|---|---|---|---:|");
    let mut rows = Vec::new();
    for program in &programs {
        let row = checked(&warprace, program, &logs)?;
        println!(
            "| `{}` | {} | {} | {} | {:.1} |",
            row.name,
            arguments(&row.name),
            row.verdict,
            row.check,
            row.seconds
        );
        rows.push(row);
    }
    let right = rows.iter().filter(|row| row.check == "passed").count();
    println!("{} programs, {right} of them passed their own check", rows.len());
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| !row.wrong.is_empty())
        .map(|row| format!("{}: {}", row.name, row.wrong))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Returns the files of the folder, by name.
fn programs(folder: &Path, named: &[&str]) -> Outcome<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && (named.is_empty() || named.contains(&name(path).as_str())))
        .map(|path| path.canonicalize().unwrap_or(path))
        .collect();
    found.sort();
    if found.is_empty() { Err(format!("no such programs in {}", folder.display())) } else { Ok(found) }
}

fn name(program: &Path) -> String {
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the arguments of a program.
fn arguments(name: &str) -> &'static str {
    let of = |line: &'static str| line.split_once(' ').filter(|(first, _)| *first == name);
    ARGUMENTS.lines().find_map(of).map_or("", |(_, arguments)| arguments)
}

/// Runs a program and reads what it came to.
fn checked(warprace: &Path, program: &Path, logs: &Path) -> Outcome<Row> {
    let name = name(program);
    let json = logs.join(format!("{name}.json"));
    let _ = std::fs::remove_file(&json);
    let begin = Instant::now();
    let mut run = Command::new("timeout");
    run.arg(LONGEST.as_secs().to_string()).arg(warprace).args(["run", "--jobs", "2", "--json"]).arg(&json);
    run.arg("--").arg(program).args(arguments(&name).split_whitespace());
    let ran = run.output().map_err(|e| format!("cannot run {}: {e}", warprace.display()))?;
    let seconds = begin.elapsed().as_secs_f64();
    let output = String::from_utf8_lossy(&ran.stdout).into_owned();
    let log = logs.join(format!("{name}.log"));
    let report = String::from_utf8_lossy(&ran.stderr);
    std::fs::write(&log, format!("{output}{report}")).map_err(|e| format!("{}: {e}", log.display()))?;
    let told: Value = std::fs::read_to_string(&json)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let check = own_check(&output, told["program"]["exit_code"].as_i64());
    let verdict = told["verdict"].as_str().unwrap_or("too slow").to_owned();
    let wrong = what_is_wrong(&told, check);
    Ok(Row { name, verdict, check, seconds, wrong })
}

/// Returns what a program's own check came to, by what it printed and how it ended.
fn own_check(output: &str, exit: Option<i64>) -> &'static str {
    let has = |words: &[&str]| words.iter().any(|word| output.contains(word));
    match (exit, has(&WRONG), has(&RIGHT)) {
        (Some(0), false, true) => "passed",
        (Some(0), false, false) => "none",
        _ => "failed",
    }
}

/// Returns why a program counts as wrong; empty if it does not.
fn what_is_wrong(told: &Value, check: &str) -> String {
    if check == "failed" {
        return "its own check failed, or it did not end".to_owned();
    }
    let all = ["races", "hazards"].iter().filter_map(|kind| told[*kind].as_array()).flatten();
    let unknown = all.filter(|finding| !is_known(finding)).count();
    if unknown > 0 {
        return format!("{unknown} findings are not known");
    }
    match told["inconclusive"].as_array() {
        Some(reasons) if reasons.is_empty() => String::new(),
        _ => "not everything was checked".to_owned(),
    }
}

/// Returns whether a finding is one of [`KNOWN`].
fn is_known(finding: &Value) -> bool {
    let Some([first, second]) = finding["accesses"].as_array().map(Vec::as_slice) else { return false };
    let [first, second] =
        [first, second].map(|side| without_turns(side["file"].as_str().unwrap_or_default()));
    KNOWN.iter().any(|(class, [a, b])| {
        let pair = |x: &str, y: &str| first.ends_with(x) && second.ends_with(y);
        finding["class"] == *class && (pair(a, b) || pair(b, a))
    })
}

/// Returns a path without `folder/..`, which headers that include each other by relative paths have.
fn without_turns(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            ("..", Some(last)) if !matches!(*last, ".." | "") => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_whatever_path_it_was_included() {
        assert_eq!(without_turns("ops/thread/memory/tile/../../util/sync.cuh"), "ops/thread/util/sync.cuh");
        assert_eq!(without_turns("../a/../../b.h"), "../../b.h");
        assert_eq!(without_turns("/../b.h"), "/../b.h");
    }

    #[test]
    fn a_program_that_prints_a_failure_has_failed_whatever_it_returns() {
        assert_eq!(own_check("Disposition: Passed", Some(0)), "passed");
        assert_eq!(own_check("Disposition: Failed", Some(0)), "failed");
        assert_eq!(own_check("[  PASSED  ] 3 tests.\n[  FAILED  ] 1 test", Some(1)), "failed");
        assert_eq!(own_check("CUTE_GEMM: 1.0 GFlop/s", Some(0)), "none");
        assert_eq!(own_check("passed", None), "failed");
    }

    #[test]
    fn a_finding_is_known_by_its_class_and_both_files_in_either_order() {
        let side = |file: &str| serde_json::json!({ "file": file });
        let of = |class: &str, files: [&str; 2]| serde_json::json!({ "class": class, "accesses": files.map(side) });
        let files = ["x/cute/arch/mma_sm90_gmma.hpp", "x/cute/arch/copy_sm80.hpp"];
        assert!(is_known(&of("proxy", files)));
        assert!(!is_known(&of("async-copy", files)));
        assert!(!is_known(&of("proxy", [files[0], "x/other.hpp"])));
    }

    #[test]
    fn arguments_are_those_of_the_whole_name() {
        assert!(arguments("48_hopper_warp_specialized_gemm").contains("--m=256"));
        assert_eq!(arguments("48_hopper_warp"), "");
    }
}
