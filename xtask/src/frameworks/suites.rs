//! `cargo xtask frameworks suites`: tests of Numba's own suite under `warprace run`.
//!
//! The suite comes with the wheel. Each of its modules is a process of its own, whose tests check their results as on a GPU.

use super::{FRAMEWORKS, install};
use crate::page::wrapped;
use crate::shell::{self, Outcome, root, target};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The page to which `--write` writes the table.
const PAGE: &str = "docs/results/frameworks.md";

/// What the suite's tests import besides.
const WHEELS: [&str; 3] = ["cffi", "filecheck", "psutil"];

/// Seconds after which a module is ended.
const LIMIT: &str = "600";

/// The modules of `numba.cuda.tests.cudapy` that launch kernels and need nothing that is refused.
const MODULES: &[&str] = &[
    "test_sync",
    "test_sm",
    "test_warp_ops",
    "test_cooperative_groups",
    "test_constmem",
    "test_localmem",
    "test_matmul",
    "test_laplace",
    "test_transpose",
    "test_reduction",
    "test_array_args",
    "test_blackscholes",
    "test_boolean",
    "test_complex_kernel",
    "test_device_func",
    "test_forall",
    "test_freevar",
    "test_globals",
    "test_idiv",
    "test_lang",
    "test_mandel",
    "test_minmax",
    "test_montecarlo",
    "test_powi",
    "test_print",
    "test_record_dtype",
    "test_slicing",
    "test_intrinsics",
    "test_atomics",
];

/// What a module's tests came to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    ran: u32,
    failed: u32,
    skipped: u32,
    /// The module's process ended before its tests did.
    died: bool,
}

impl Tally {
    /// Reads the last lines that `unittest` prints.
    fn of(output: &str) -> Tally {
        let Some((_, end)) = output.rsplit_once("\nRan ") else {
            return Tally { died: true, ..Tally::default() };
        };
        let count = |name: &str| {
            let (_, rest) = end.split_once(&format!("{name}=")).unwrap_or_default();
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest[..digits].parse().unwrap_or(0)
        };
        let ran = end.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        Tally { ran, failed: count("failures") + count("errors"), skipped: count("skipped"), died: false }
    }

    fn passed(&self) -> u32 {
        self.ran.saturating_sub(self.failed + self.skipped)
    }
}

struct Row {
    module: String,
    tally: Tally,
    races: usize,
    verdict: String,
}

/// Runs one module.
fn module(warprace: &Path, folder: &Path, name: &str) -> Outcome<Row> {
    let json = folder.join("suite.json");
    let _ = std::fs::remove_file(&json);
    let mut run = Command::new("timeout");
    run.arg(LIMIT)
        .arg(warprace)
        .arg("run")
        .arg("--json")
        .arg(&json)
        .arg("--")
        .arg(folder.join("venv/bin/python"));
    run.args(["-m", "unittest", "-v", &format!("numba.cuda.tests.cudapy.{name}")]);
    let ran = run.current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache")).output();
    let ran = ran.map_err(|e| format!("cannot run {}: {e}", warprace.display()))?;
    let output = String::from_utf8_lossy(&ran.stderr);
    let log = folder.join(format!("suite-{name}.log"));
    std::fs::write(&log, &*output).map_err(|e| format!("cannot write {}: {e}", log.display()))?;
    let report: serde_json::Value =
        std::fs::read_to_string(&json).ok().and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default();
    let races = report["races"].as_array().map_or(0, Vec::len);
    let verdict = report["verdict"].as_str().unwrap_or("none").to_owned();
    Ok(Row { module: name.to_owned(), tally: Tally::of(&output), races, verdict })
}

fn table(rows: &[Row]) -> String {
    let mut out =
        "| module | tests | passed | failed | skipped | verdict | races |\n|---|---|---|---|---|---|---|\n"
            .to_owned();
    for Row { module, tally, races, verdict } in rows {
        let end = if tally.died { " (its process ended before)" } else { "" };
        let (ran, passed) = (tally.ran, tally.passed());
        let _ = writeln!(
            out,
            "| `{module}`{end} | {ran} | {passed} | {} | {} | {verdict} | {races} |",
            tally.failed, tally.skipped
        );
    }
    let sum = |what: fn(&Tally) -> u32| rows.iter().map(|row| what(&row.tally)).sum::<u32>();
    let (passed, wanted) = (sum(Tally::passed), sum(|t| t.ran) - sum(|t| t.skipped));
    let rate = 100.0 * f64::from(passed) / f64::from(wanted.max(1));
    let _ = writeln!(out, "\n{passed} of {wanted} tests that are not skipped pass: {rate:.1} %.");
    out
}

/// Runs the modules that are named, or all, and prints their table; `--write` writes the page.
pub(super) fn run(args: &[&str]) -> Outcome {
    let write = args.contains(&"--write");
    let named: Vec<&str> = args.iter().copied().filter(|arg| *arg != "--write").collect();
    if let Some(unknown) = named.iter().find(|name| !MODULES.contains(name)) {
        return Err(format!("`{unknown}` is none of the modules: {}", MODULES.join(", ")));
    }
    let warprace = shell::build_release()?;
    let numba = FRAMEWORKS.iter().find(|f| f.name == "numba").ok_or("there is no Numba")?;
    let folder = target().join("frameworks/numba");
    install(numba, &folder)?;
    let mut pip = Command::new(folder.join("venv/bin/pip"));
    shell::run(pip.args(["install", "--quiet", "--no-input", "--disable-pip-version-check"]).args(WHEELS))?;
    let mut rows = Vec::new();
    for name in MODULES.iter().filter(|name| named.is_empty() || named.contains(name)) {
        shell::step(name);
        rows.push(module(&warprace, &folder, name)?);
    }
    let table = table(&rows);
    print!("{table}");
    if write {
        let page = format!(
            "# Frameworks' own tests\n\nMade by `cargo xtask frameworks suites --write`: modules of `numba.cuda.tests.cudapy` \
             ({}), each in one process under `warprace run`. A failure is a wrong result, or an error that a GPU does not \
             have. A race is one of the test's kernel, which the suite may mean to have.\n\n{table}",
            numba.wheels.join(", ")
        );
        std::fs::write(root().join(PAGE), wrapped(&page)).map_err(|e| format!("cannot write {PAGE}: {e}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_is_of_the_last_lines() {
        let output =
            "test_a ... ok\n\n-----\nRan 12 tests in 3.4s\n\nFAILED (failures=1, errors=2, skipped=3)\n";
        let tally = Tally { ran: 12, failed: 3, skipped: 3, died: false };
        assert_eq!((Tally::of(output), tally.passed()), (tally, 6));
        assert_eq!(Tally::of("\nRan 1 test in 0.1s\n\nOK\n"), Tally { ran: 1, ..Tally::default() });
        assert!(Tally::of("test_a ... ok\n").died);
    }
}
