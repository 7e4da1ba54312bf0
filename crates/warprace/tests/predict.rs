//! Prediction, confirmation and replay on the micro-benchmarks in `tests/gwcp` of the workspace.
//!
//! Each program runs under `warprace run --predict`: the races of all racy programs are found, although the
//! usual schedule orders most of them, and correct programs stay clean. Each finding is then explained, and
//! replayed by its replay string. On a trace of the usual schedule, every published detector gives the
//! verdict of the program's `lens-` lines, and the README's table counts those lines.
//!
//! Run with `cargo test -p warprace --test predict -- FILTER`. Without nvcc the tests do nothing.

#[path = "ui/apply.rs"]
#[allow(dead_code, reason = "as in `check`")]
mod apply;
#[path = "ui/arch.rs"]
#[allow(dead_code, reason = "as in `check`")]
mod arch;
#[path = "ui/check.rs"]
#[allow(dead_code, reason = "the fixtures' own way of checking is left out")]
mod check;
#[path = "ui/engines.rs"]
#[allow(dead_code, reason = "as in `check`")]
mod engines;
#[path = "ui/fixture.rs"]
mod fixture;
#[path = "ui/normal.rs"]
#[allow(dead_code, reason = "as in `check`")]
mod normal;
#[path = "ui/offline.rs"]
#[allow(dead_code, reason = "as in `check`")]
mod offline;
#[path = "ui/proofs.rs"]
mod proofs;
#[path = "ui/prune.rs"]
mod prune;
#[path = "ui/sample.rs"]
mod sample;
#[path = "ui/setup.rs"]
#[allow(dead_code, reason = "as in `check`")]
mod setup;
#[path = "ui/twin.rs"]
#[allow(dead_code, reason = "as in `check`")]
mod twin;
#[path = "ui/waits.rs"]
#[allow(dead_code, reason = "as in `check`")]
mod waits;

use events::Evidence;
use fixture::{Expected, Fixture};
use report::model::Described;
use setup::Setup;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const CATEGORIES: [&str; 3] = ["norace", "dynamic", "predictable"];

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/gwcp");
    if let Err(message) = table(&folder) {
        eprintln!("error: {message}");
        return ExitCode::FAILURE;
    }
    let setup = match Setup::from_environment("tests/gwcp") {
        Ok(Some(setup)) => setup,
        Ok(None) => {
            println!("micro-benchmarks left out: no nvcc; `cargo xtask test` installs it");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::FAILURE;
        }
    };
    let programs = programs(&setup.folder);
    assert!(!programs.is_empty(), "there are no programs in {}", setup.folder.display());
    let next = AtomicUsize::new(0);
    let failures: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..setup.workers {
            scope.spawn(|| {
                while let Some((name, path)) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !setup.filters.is_empty() && !setup.filters.iter().any(|f| name.contains(f)) {
                        continue;
                    }
                    let done = program(&setup, name, path);
                    println!("test {name} ... {}", if done.is_ok() { "ok" } else { "FAILED" });
                    if let Err(message) = done {
                        let mut failures = failures.lock().unwrap_or_else(|e| e.into_inner());
                        failures.push(format!("---- {name}\n{}", message.trim_end()));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(|e| e.into_inner());
    println!("\n{}", failures.join("\n\n"));
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns names and paths in order.
fn programs(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut out = Vec::new();
    for category in CATEGORIES {
        for entry in std::fs::read_dir(folder.join(category)).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|e| e == "cu") {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                out.push((format!("{category}/{name}"), path.clone()));
            }
        }
    }
    out.sort();
    out
}

/// Columns of the README's table.
const LENSES: [&str; 5] = ["hb", "scord", "iguard", "gwcp", "hirace"];

/// Compares the README's table of each lens's reports with the lines that every program has.
fn table(folder: &Path) -> Result<(), String> {
    let mut rows = String::from("| category | programs |");
    LENSES.iter().for_each(|lens| rows += &format!(" `{lens}` |"));
    rows += "\n|---|---|---|---|---|---|---|\n";
    for category in CATEGORIES {
        let mut counts = [0; LENSES.len()];
        let mut all = 0;
        for (name, path) in programs(folder).iter().filter(|(name, _)| name.starts_with(category)) {
            let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
            let fixture = Fixture::parse(name, path, &text)?;
            all += 1;
            for (lens, count) in LENSES.iter().zip(&mut counts) {
                let verdict = fixture.lenses.get(lens).ok_or(format!("{name} has no `lens-{lens}` line"))?;
                *count += u32::from(*verdict == Expected::Race);
            }
        }
        let counts: Vec<String> = counts.iter().map(u32::to_string).collect();
        rows += &format!("| {category} | {all} | {} |\n", counts.join(" | "));
    }
    let readme = std::fs::read_to_string(folder.join("README.md")).map_err(|e| e.to_string())?;
    match readme.contains(&rows) {
        true => Ok(()),
        false => Err(format!("the table in tests/gwcp/README.md should be\n\n{rows}")),
    }
}

fn program(setup: &Setup, name: &str, path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let fixture = Fixture::parse(name, path, &text)?;
    let program = setup.compile(&fixture)?;
    offline::lens_lines(setup, &fixture, &program)?;
    let predict = ["--predict".to_owned()];
    let done = check::run(setup, &fixture, &program, &predict)?;
    let wrong = check::judge(&fixture, &done);
    if !wrong.is_empty() {
        return Err(check::explain(setup, &fixture, &program, &predict, &wrong));
    }
    if fixture.expected != Expected::Race {
        return Ok(());
    }
    let mut findings: Vec<&Described> = done.document.races.iter().collect();
    for f in &findings {
        if !matches!(f.evidence, Evidence::Observed | Evidence::Confirmed { .. }) {
            return Err(format!("  a prediction's evidence is {:?}", f.evidence));
        }
    }
    for number in 1..=findings.len() {
        explained(setup, &program, number)?;
    }
    // Findings of a few schedules without prediction must be repeatable too.
    let explore = ["--explore".to_owned(), "8".to_owned()];
    let explored = check::run(setup, &fixture, &program, &explore)?;
    findings.extend(&explored.document.races);
    let search = ["--explore", "300", "--strategy", "dfs"].map(str::to_owned);
    let searched = check::run(setup, &fixture, &program, &search)?;
    if searched.document.races.is_empty() {
        return Err(check::explain(setup, &fixture, &program, &search, "  the search finds no race\n"));
    }
    findings.extend(&searched.document.races);
    for f in findings {
        let replay = match &f.evidence {
            Evidence::Confirmed { replay } | Evidence::Explored { replay } => replay,
            _ => &done.document.summary.replay,
        };
        let again = ["--replay".to_owned(), replay.clone()];
        let replayed = check::run(setup, &fixture, &program, &again)?;
        let same = |g: &Described| {
            g.class == f.class
                && g.evidence == f.evidence
                && g.accesses == f.accesses
                && check::lines(&fixture, g) == check::lines(&fixture, f)
        };
        if replayed.code != Some(66) || !replayed.document.races.iter().any(same) {
            return Err(check::explain(
                setup,
                &fixture,
                &program,
                &again,
                "  the replay shows another thing\n",
            ));
        }
    }
    Ok(())
}

/// Checks that `warprace explain` names both accesses. The JSON report is that of the last run.
fn explained(setup: &Setup, program: &Path, number: usize) -> Result<(), String> {
    let mut command = std::process::Command::new(&setup.warprace);
    command.args(["explain", "--yes"]).arg(program.with_extension("json")).arg(number.to_string());
    let output = command.output().map_err(|e| format!("  cannot run warprace: {e}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let once = |mark: &str| said.lines().filter(|line| line.contains(mark)).count() == 1;
    if output.status.success()
        && once("<-- (1)")
        && once("<-- (2)")
        && said.contains("Nothing orders (1) and (2)")
    {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("  finding {number} is not explained ({}):\n{said}{errors}", output.status))
}
