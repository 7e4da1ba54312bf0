//! Runs the fixtures in `tests/ui` of the workspace.
//!
//! A fixture is a CUDA program whose first lines state warprace's expected verdict, and whose racing lines
//! are marked; [`fixture`] documents the format. Each fixture is compiled by nvcc (results are cached by
//! content), run under `warprace run`, and compared: every marked race is found on its two lines, and no
//! other; clean fixtures are clean under many schedules; the report's text equals the blessed one; and the
//! advice agrees with the clean twin.
//!
//! `cargo xtask test FILTER`, `cargo xtask bless FILTER`, `cargo xtask advice FILTER` and `cargo xtask prune
//! FILTER` are the usual ways to run this.

#[path = "ui/apply.rs"]
mod apply;
#[path = "ui/arch.rs"]
mod arch;
#[path = "ui/check.rs"]
mod check;
#[path = "ui/engines.rs"]
mod engines;
#[path = "ui/fixture.rs"]
mod fixture;
#[path = "ui/normal.rs"]
mod normal;
#[path = "ui/offline.rs"]
mod offline;
#[path = "ui/proofs.rs"]
mod proofs;
#[path = "ui/prune.rs"]
mod prune;
#[path = "ui/sample.rs"]
mod sample;
#[path = "ui/setup.rs"]
mod setup;
#[path = "ui/together.rs"]
mod together;
#[path = "ui/twin.rs"]
mod twin;
#[path = "ui/waits.rs"]
mod waits;

use fixture::Fixture;
use setup::Setup;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

fn main() -> ExitCode {
    let setup = match Setup::from_environment("tests/ui") {
        Ok(Some(setup)) => setup,
        Ok(None) => {
            println!("fixtures left out: no nvcc; `cargo xtask test` installs it");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::FAILURE;
        }
    };
    let (fixtures, mut failures) = load(&setup);
    println!("running {} fixtures, clean ones under {} schedules", fixtures.len(), setup.seeds);
    let started = Instant::now();
    if let Err(message) = together::compile(&setup, &fixtures) {
        println!("compiled one by one: {message}");
    }
    failures.extend(run_all(&setup, &fixtures));
    failures.sort();
    if !failures.is_empty() {
        println!("\nfailures:");
    }
    for (name, message) in &failures {
        println!("\n---- {name}\n{}", message.trim_end());
    }
    let failed = failures.len();
    let passed = fixtures.len().saturating_sub(failed);
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {word}. {passed} passed; {failed} failed; finished in {:.1}s",
        started.elapsed().as_secs_f64()
    );
    if failed > 0 && !setup.bless {
        println!(
            "`cargo xtask bless FILTER` accepts changed reports (only the text: verdicts and lines never)"
        );
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

type Failures = Vec<(String, String)>;

fn load(setup: &Setup) -> (Vec<Fixture>, Failures) {
    let mut paths = Vec::new();
    collect(&setup.folder, &mut paths);
    paths.sort();
    let (mut fixtures, mut failures) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.strip_prefix(&setup.folder).unwrap_or(&path).to_string_lossy().into_owned();
        if !setup.filters.is_empty() && !setup.filters.iter().any(|f| name.contains(f)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        match Fixture::parse(&name, &path, &text) {
            Ok(fixture) if setup.apply && fixture.expected == fixture::Expected::Clean => {}
            Ok(fixture) if setup.arch(&fixture).is_some_and(|arch| !arch.suits(&fixture)) => {}
            Ok(fixture) => fixtures.push(fixture),
            Err(message) => failures.push((name, format!("  {message}"))),
        }
    }
    (fixtures, failures)
}

fn collect(folder: &std::path::Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|n| n != "support") {
                collect(&path, out);
            }
        } else if path.extension().is_some_and(|x| x == "cu") {
            out.push(path);
        }
    }
}

fn run_all(setup: &Setup, fixtures: &[Fixture]) -> Failures {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..setup.workers.min(fixtures.len()) {
            scope.spawn(|| {
                while let Some(fixture) = fixtures.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let started = Instant::now();
                    let done = check::fixture(setup, fixture);
                    let seconds = started.elapsed().as_secs_f64();
                    let word = if done.is_ok() { "ok" } else { "FAILED" };
                    if done.is_err() || !setup.quiet {
                        println!("test {} ... {word} ({seconds:.1}s)", fixture.name);
                    }
                    if let Err(message) = done {
                        let mut list = failures.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        list.push((fixture.name.clone(), message));
                    }
                }
            });
        }
    });
    failures.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}
