//! `docs/coverage.md` is what the code says: which PTX instruction forms, API functions and ways to reach memory are served
//! by which engine.
//!
//! The table of instructions comes of running decoder, lowering, effects, instrumenting passes and the prover's executor on
//! one instruction of each form of `tests/coverage/ptx-isa.txt`; the table of functions of the symbols that the preloaded
//! libraries export; the table of ways of [`ways::Way`], an exhaustive enum to which the vocabulary of events maps.
//!
//! `WARPRACE_BLESS=1 cargo test -p warprace --test coverage` writes the page.

#[path = "coverage/functions.rs"]
mod functions;
#[path = "coverage/instructions.rs"]
mod instructions;
#[path = "coverage/named.rs"]
mod named;
#[path = "coverage/refused.rs"]
mod refused;
#[path = "coverage/ways.rs"]
mod ways;

use std::path::{Path, PathBuf};

/// What becomes of a form, a function or a way, in one column.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cell {
    Served,
    /// Served, but for what is named.
    Limit(String),
    /// A named error, or a verdict that names it as not checked.
    Refused(String),
    /// There is nothing to check, by definition of the column.
    Nothing,
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::Served => f.write_str("served"),
            Cell::Limit(what) => write!(f, "served; {what}"),
            Cell::Refused(how) => write!(f, "refused: {how}"),
            Cell::Nothing => f.write_str("–"),
        }
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &str) -> String {
    let path = workspace().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Panics unless a file exists, by its name from the workspace on.
fn exists(path: &str) {
    assert!(workspace().join(path).is_file(), "there is no {path}");
}

/// The lines of a data file, without comments.
fn data(path: &str) -> Vec<String> {
    let lines = read(path);
    lines.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
}

const INTRODUCTION: &str = "\
# What is covered

Which PTX instruction forms, API functions and ways to reach memory are checked, and by which
engine. This page is made of the tables that the code itself uses. A test holds it
(`crates/warprace/tests/coverage.rs`), and `warprace coverage` prints it.

* **served**: executed, or checked, as documented; a limit behind it is one that the report names.
* **refused**: an error or an inconclusive verdict that names it, never a silent pass.
* **–**: nothing to check in this column: the instruction accesses and orders no memory, or the
  engine judges by other means.

The columns: the *virtual GPU* executes a program's kernels; lens `ptx` judges what it does; engines
`guard` and `collide` instrument kernels on a real GPU; `prove` reasons about PTX without running
it.

";

#[test]
fn the_page_is_what_the_code_says() {
    let page = format!("{INTRODUCTION}{}\n{}\n{}", instructions::table(), functions::table(), ways::table());
    let path = workspace().join("docs/coverage.md");
    if std::env::var_os("WARPRACE_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = written.lines().zip(page.lines()).find(|(a, b)| a != b);
    assert!(
        written == page,
        "docs/coverage.md differs from the code; WARPRACE_BLESS=1 writes it. First difference: {differs:?}"
    );
}
