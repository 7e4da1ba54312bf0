//! The corpus of real bugs in `tests/bugs` of the workspace: each miniature is found, each fix is clean.
//!
//! `cargo xtask bugs` runs an ignored test, which asks every engine and writes `docs/bugs.md`; `cargo xtask bugs gpu` runs
//! another, which asks the engines of a real GPU and writes `tests/bugs/gpu.json`.

#[path = "bugs/bug.rs"]
mod bug;
#[path = "bugs/gpu.rs"]
mod gpu;
#[path = "bugs/program.rs"]
mod program;
#[path = "bugs/table.rs"]
mod table;
mod toolkit;
#[path = "bugs/ways.rs"]
mod ways;

use bug::Bug;
use program::Program;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use ways::Way;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace exists")
}

fn warprace() -> PathBuf {
    std::env::var_os("WARPRACE_BIN").map_or_else(|| env!("CARGO_BIN_EXE_warprace").into(), PathBuf::from)
}

/// Calls `job` with every item, from as many threads as there are processors, and returns the results in order.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], job: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let next = Mutex::new(0..items.len());
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(i) = next.lock().expect("no job panics with the lock").next() else { return };
                    *results[i].lock().expect("each result is written once") = Some(job(&items[i]));
                }
            });
        }
    });
    results.into_iter().map(|r| r.into_inner().expect("no job panicked").expect("every job ran")).collect()
}

/// Builds the corpus under the test's folder `name`; `None` without nvcc.
fn built(name: &str) -> Option<Vec<Program>> {
    let nvcc = toolkit::toolkit()?.join("bin/nvcc");
    let corpus = workspace().join("tests/bugs");
    Some(program::build(
        &nvcc,
        &corpus,
        &Path::new(env!("CARGO_TARGET_TMPDIR")).join(name),
        &bug::all(&corpus),
    ))
}

/// Every miniature with its program's path.
fn cases(programs: &[Program]) -> Vec<(&Bug, &Path)> {
    programs.iter().flat_map(|p| p.bugs.iter().map(|b| (b, p.path.as_path()))).collect()
}

#[test]
fn every_bug_is_found_and_every_fix_is_clean() {
    let Some(programs) = built("bugs") else { return };
    let cases = cases(&programs);
    let wrong: Vec<String> = in_parallel(&cases, |(bug, program)| check(bug, program)).concat();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

fn check(bug: &Bug, program: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    let race = ways::ask(&warprace(), program, bug, "race", Way::Run);
    if race.pairs() != bug.pairs {
        wrong.push(format!("{}: lines {:?} race, not {:?}", bug.name, race.pairs(), bug.pairs));
    }
    for (pair, class) in &race.races {
        if !bug.classes.is_empty() && !bug.classes.contains(class) {
            wrong.push(format!("{}: {pair:?} is called {class}, not {}", bug.name, bug.classes.join(" or ")));
        }
    }
    let fixed = ways::ask(&warprace(), program, bug, "fixed", Way::Run);
    if fixed.verdict != bug.fixed || !fixed.races.is_empty() {
        wrong.push(format!(
            "{}: the fix is {}, not {}: {:?}",
            bug.name, fixed.verdict, bug.fixed, fixed.races
        ));
    }
    wrong
}

#[test]
fn the_corpus_spans_projects_and_classes() {
    let bugs = bug::all(&workspace().join("tests/bugs"));
    let projects: BTreeSet<&str> = bugs.iter().map(|b| b.project.as_str()).collect();
    assert!(bugs.len() >= 80, "{} bugs", bugs.len());
    assert!(projects.len() >= 30, "{} projects", projects.len());
}

#[test]
#[ignore = "asks every engine; `cargo xtask bugs` runs it"]
fn the_table_is_written() {
    let programs = built("bugs-table").expect("there is nvcc");
    let rows = in_parallel(&cases(&programs), |(bug, program)| {
        let ask = |variant| Way::ALL.map(|way| ways::ask(&warprace(), program, bug, variant, way)).to_vec();
        table::Row { bug: (*bug).clone(), race: ask("race"), fixed: ask("fixed") }
    });
    let record = gpu::Record::read(&workspace().join("tests/bugs"));
    let page = table::page(&rows, record.as_ref());
    std::fs::write(workspace().join("docs/bugs.md"), page).expect("the page can be written");
}

#[test]
#[ignore = "needs a GPU; `cargo xtask bugs gpu` runs it"]
fn a_gpu_is_recorded() {
    let programs = built("bugs-gpu").expect("there is nvcc");
    gpu::record(&warprace(), &workspace().join("tests/bugs"), &cases(&programs));
}
