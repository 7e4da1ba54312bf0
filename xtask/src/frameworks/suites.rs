//! `cargo xtask frameworks suites`: the frameworks' own tests under `warprace run`.
//!
//! A suite is run in pieces, each a process of its own whose tests check their results as on a GPU. Each piece leaves a log and a report
//! under `target/frameworks/suites`; `suites table` writes the page from all that are there. Numba's tests come with its wheel; those of
//! CuPy and Triton are in a copy of their sources, which is named.

mod pieces;
mod tally;

use super::{FRAMEWORKS, Framework, install};
use crate::cuda;
use crate::page::wrapped;
use crate::shell::{self, Outcome, root, target};
use pieces::{Piece, SUITES, Suite};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tally::Tally;

const PAGE: &str = "docs/results/frameworks.md";

/// Seconds after which a piece is ended.
const LIMIT: &str = "600";

/// What a piece came to.
struct Row {
    piece: String,
    tally: Tally,
    races: usize,
    verdict: String,
}

impl Row {
    /// Reads what a piece left in the suite's folder.
    fn read(folder: &Path, piece: &str) -> Option<Row> {
        let output = std::fs::read(folder.join(format!("{piece}.log"))).ok()?;
        let report = std::fs::read_to_string(folder.join(format!("{piece}.json"))).ok();
        let report: serde_json::Value =
            report.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Some(Row {
            piece: piece.to_owned(),
            tally: Tally::of(&String::from_utf8_lossy(&output)),
            races: report["races"].as_array().map_or(0, Vec::len),
            verdict: report["verdict"].as_str().unwrap_or("none").to_owned(),
        })
    }
}

/// Runs the pieces of a suite that are named, or all; or writes the page.
pub(super) fn run(args: &[&str]) -> Outcome {
    let usage =
        || "suites table | numba [PIECE...] | cupy SOURCES [PIECE...] | triton SOURCES [PIECE...]".to_owned();
    let (first, rest) = args.split_first().ok_or_else(usage)?;
    if *first == "table" {
        return write_page();
    }
    let suite = SUITES.iter().find(|suite| suite.name == *first).ok_or_else(usage)?;
    let framework = FRAMEWORKS.iter().find(|f| f.name == suite.framework).ok_or("no such framework")?;
    let folder = target().join("frameworks").join(framework.name);
    install(framework, &folder)?;
    let mut pip = Command::new(folder.join("venv/bin/pip"));
    pip.args(["install", "--quiet", "--no-input", "--disable-pip-version-check"]);
    shell::run(pip.args(suite.wheels))?;
    let (sources, named) = match suite.in_wheel {
        Some(inside) => (super::packages(&folder)?.join(inside), rest),
        None => {
            let (sources, named) = rest.split_first().ok_or_else(usage)?;
            (PathBuf::from(sources).canonicalize().map_err(|e| format!("{sources}: {e}"))?, named)
        }
    };
    let all = (suite.pieces)(&sources)?;
    if let Some(unknown) = named.iter().find(|name| all.iter().all(|piece| piece.name != **name)) {
        let known: Vec<&str> = all.iter().map(|piece| piece.name.as_str()).collect();
        return Err(format!("`{unknown}` is none of the pieces: {}", known.join(", ")));
    }
    let warprace = shell::build_release()?;
    let warprace = warprace.canonicalize().map_err(|e| format!("{}: {e}", warprace.display()))?;
    let mut rows = Vec::new();
    for piece in all.iter().filter(|piece| named.is_empty() || named.contains(&piece.name.as_str())) {
        shell::step(&piece.name);
        rows.push(piece.run(&warprace, suite, &folder)?);
    }
    print!("{}", table(&rows));
    Ok(())
}

/// The folder in which a suite's pieces leave what they found.
fn results(suite: &Suite) -> PathBuf {
    target().join("frameworks/suites").join(suite.name)
}

impl Piece {
    /// Runs the piece and reads what it left.
    fn run(&self, warprace: &Path, suite: &Suite, folder: &Path) -> Outcome<Row> {
        let results = results(suite);
        shell::make_dir(&results)?;
        let (json, log) =
            (results.join(format!("{}.json", self.name)), results.join(format!("{}.log", self.name)));
        let _ = std::fs::remove_file(&json);
        let mut run = Command::new("timeout");
        run.arg(LIMIT).arg(warprace).args(["run", "--json"]).arg(&json).arg("--");
        run.arg(folder.join("venv/bin/python")).args(&self.arguments);
        run.env("NVCC", cuda::ensure()?.root.join("bin/nvcc"));
        let ran = run.current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache")).output();
        let ran = ran.map_err(|e| format!("cannot run {}: {e}", warprace.display()))?;
        std::fs::write(&log, [ran.stdout, ran.stderr].concat())
            .map_err(|e| format!("{}: {e}", log.display()))?;
        Row::read(&results, &self.name).ok_or_else(|| format!("{} cannot be read", log.display()))
    }
}

/// The table of the pieces that did not simply pass, and the sum of all.
fn table(rows: &[Row]) -> String {
    let mut out =
        "| piece | tests | passed | failed | skipped | verdict | races |\n|---|---|---|---|---|---|---|\n"
            .to_owned();
    for Row { piece, tally, races, verdict } in rows {
        let end = if tally.died { " (its process ended before)" } else { "" };
        let _ = writeln!(
            out,
            "| `{piece}`{end} | {} | {} | {} | {} | {verdict} | {races} |",
            tally.ran,
            tally.passed(),
            tally.failed,
            tally.skipped
        );
    }
    let sum = |what: fn(&Tally) -> u32| rows.iter().map(|row| what(&row.tally)).sum::<u32>();
    let (passed, wanted) = (sum(Tally::passed), sum(|t| t.ran) - sum(|t| t.skipped));
    let rate = 100.0 * f64::from(passed) / f64::from(wanted.max(1));
    let ended = match rows.iter().filter(|row| row.tally.died).count() {
        0 => String::new(),
        died => {
            format!(" The processes of {died} pieces ended before their tests did: these are not counted.")
        }
    };
    let _ = writeln!(out, "\n{passed} of {wanted} tests that are not skipped pass: {rate:.1} %.{ended}");
    out
}

fn wheels(framework: &str) -> String {
    let named = FRAMEWORKS.iter().find(|f| f.name == framework);
    named.map_or_else(String::new, |Framework { wheels, .. }| wheels.join(", "))
}

/// Writes the page from what the pieces have left.
fn write_page() -> Outcome {
    let mut page = "# Frameworks' own tests\n\nMade by `cargo xtask frameworks suites`: each piece is one process under \
                    `warprace run`. A failure is a wrong result, or an error that a GPU does not have. A race is one of the \
                    test's kernel, which the suite may mean to have.\n"
        .to_owned();
    for suite in &SUITES {
        let folder = results(suite);
        let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let logs = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "log"));
        let mut names: Vec<String> =
            logs.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
        names.sort();
        let rows: Vec<Row> = names.iter().filter_map(|name| Row::read(&folder, name)).collect();
        let _ = write!(page, "\n## {}\n\n{} ({}).\n\n", suite.title, suite.what, wheels(suite.framework));
        page.push_str(&table(&rows));
        if !suite.findings.is_empty() {
            let _ = write!(page, "\n{}\n", suite.findings);
        }
    }
    std::fs::write(root().join(PAGE), wrapped(&page)).map_err(|e| format!("cannot write {PAGE}: {e}"))
}
