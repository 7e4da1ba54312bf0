//! `cargo xtask frameworks llama PROGRAM`: llama.cpp's `test-backend-ops` on the virtual GPU.
//!
//! The program compares each operator of the CUDA back end with the one for the CPU. It is asked for its cases; of each operator the
//! smallest ones run, of different types, in a process of their own under `warprace run`. Results must be right, and what is reported
//! must be what was held against the source before: [`KNOWN`].

mod cases;

use super::known::{Known, findings, is_known};
use crate::shell::{self, Outcome, target};
use cases::{Case, chosen};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Operators whose CUDA back end calls cuBLAS for all cases, or whose case has a part that does.
const BY_CUBLAS: [&str; 1] = ["OUT_PROD"];

/// Findings that are right.
///
/// Tiles of quantised matrices whose last rows lie behind the matrix are filled from its last row: several warps write that row's
/// values to one place, equal ones. In the attention by tensor cores the warps of a block wait at two `__syncthreads()`, one in each
/// branch, as a comment there says.
const KNOWN: [Known; 3] = [
    ("missing-barrier", "mmq-load-tiles.cuh"),
    ("same-instruction", "mmq-load-tiles.cuh"),
    ("divergent-barrier", "fattn-mma-f16.cuh"),
];

/// Fewer operators are an error.
const FEWEST: usize = 100;

/// What the cases of an operator came to.
struct Row {
    operator: String,
    cases: usize,
    passed: usize,
    findings: usize,
    instructions: u64,
    /// What is wrong; empty if nothing is.
    wrong: String,
}

/// Runs the named program.
pub(super) fn run(args: &[&str]) -> Outcome {
    let (program, named) = args.split_first().ok_or("frameworks llama PROGRAM [OPERATOR...]")?;
    let program =
        Path::new(program).canonicalize().map_err(|e| format!("there is no `{program}` to run: {e}"))?;
    let warprace = shell::build_release()?;
    let folder = target().join("frameworks/llama");
    shell::make_dir(&folder)?;
    let listed = under(&warprace, &program, &[], &["support", "--output", "csv", "-b", "CUDA0"])?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut rows = Vec::new();
    for (operator, cases) in chosen(&listed) {
        let wanted = named.is_empty() || named.contains(&operator.as_str());
        if wanted && !BY_CUBLAS.contains(&operator.as_str()) {
            let row = checked(&warprace, &program, &folder, &operator, &cases)?;
            println!("{operator}: {} of {} cases right, {} findings", row.passed, row.cases, row.findings);
            rows.push(row);
        }
    }
    summary(&rows, named.is_empty())
}

/// Runs the program with some words.
fn under(warprace: &Path, program: &Path, options: &[&str], words: &[&str]) -> Outcome<Output> {
    let mut run = Command::new(warprace);
    run.args(["run", "--arch", "sm_80"]).args(options).arg("--").arg(program).args(words);
    run.output().map_err(|e| format!("cannot run {}: {e}", warprace.display()))
}

/// Runs cases of an operator and reads what they came to.
fn checked(warprace: &Path, program: &Path, folder: &Path, operator: &str, cases: &[Case]) -> Outcome<Row> {
    let json = folder.join(format!("{operator}.json"));
    let _ = std::fs::remove_file(&json);
    let names: Vec<String> = cases.iter().map(Case::name).collect();
    let options = ["--json", json.to_str().ok_or("the folder's name is no text")?];
    let ran = under(warprace, program, &options, &["test", "-b", "CUDA0", "-o", &names.join(",")])?;
    let [output, report] = [&ran.stdout, &ran.stderr].map(|text| String::from_utf8_lossy(text));
    let log = folder.join(format!("{operator}.log"));
    std::fs::write(&log, format!("{output}{report}")).map_err(|e| format!("{}: {e}", log.display()))?;
    let told: Value = std::fs::read_to_string(&json)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let findings = findings(&told);
    let unknown = findings.iter().filter(|finding| !is_known(finding, &KNOWN)).count();
    let (passed, ran) = counts(&output);
    let wrong = match (passed == ran && ran >= cases.len(), unknown, is_whole(&told)) {
        (false, ..) => format!("not all cases are right, see {}", log.display()),
        (_, 1.., _) => format!("{unknown} findings are not known, see {}", log.display()),
        (_, _, false) => format!("not everything was checked, see {}", log.display()),
        (true, 0, true) => String::new(),
    };
    Ok(Row {
        operator: operator.to_owned(),
        cases: ran.max(cases.len()),
        passed,
        findings: findings.len(),
        instructions: told["summary"]["thread_instructions"].as_u64().unwrap_or(0),
        wrong,
    })
}

/// Reads how many cases have passed and how many have run: the line `  2/2 tests passed`. The program's list has some cases twice.
fn counts(output: &str) -> (usize, usize) {
    let line = output.lines().find_map(|line| line.trim().strip_suffix(" tests passed"));
    let counts = line.and_then(|counts| counts.split_once('/'));
    counts.and_then(|(passed, ran)| Some((passed.parse().ok()?, ran.parse().ok()?))).unwrap_or_default()
}

/// Returns whether all was checked. An operator whose smallest cases are copies launches no kernel.
fn is_whole(report: &Value) -> bool {
    let only_copies = |reason: &Value| {
        reason.as_str().is_some_and(|text| text.starts_with("no kernel was launched, so only copies"))
    };
    report["inconclusive"].as_array().is_some_and(|reasons| reasons.iter().all(only_copies))
}

fn summary(rows: &[Row], all: bool) -> Outcome {
    let sum = |of: fn(&Row) -> usize| rows.iter().map(of).sum::<usize>();
    let instructions: u64 = rows.iter().map(|row| row.instructions).sum();
    let reported: Vec<&str> =
        rows.iter().filter(|row| row.findings > 0).map(|row| row.operator.as_str()).collect();
    println!(
        "{} operators, {} of {} cases right, {} million instructions; findings in {}",
        rows.len(),
        sum(|row| row.passed),
        sum(|row| row.cases),
        instructions / 1_000_000,
        if reported.is_empty() { "none".to_owned() } else { reported.join(", ") }
    );
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| !row.wrong.is_empty())
        .map(|row| format!("{}: {}", row.operator, row.wrong))
        .collect();
    match (wrong.is_empty(), all && rows.len() < FEWEST) {
        (true, false) => Ok(()),
        (true, true) => Err(format!("{} operators are fewer than {FEWEST}", rows.len())),
        (false, _) => Err(wrong.join("\n")),
    }
}
