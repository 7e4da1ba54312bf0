//! `cargo xtask assemble`: has ptxas assemble the fixtures' kernels with checks, for every architecture that
//! they are built for.

use crate::cuda;
use crate::shell::{self, Outcome, cargo};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The passes unless others are named: those that differ most. `all` takes a while; `.ci/run` names the last of these.
const USUAL: &str = "guard collide:balanced:shuffle:trap guard,collide:balanced";

/// Returns a folder with a fifth of the programs that the fixtures are, which their hashes choose. Fixtures that are compiled
/// together are links to one program, which stands there once.
fn some(fixtures: &Path) -> Outcome<PathBuf> {
    let failed = |e: std::io::Error| format!("cannot choose among {}: {e}", fixtures.display());
    let into = fixtures.with_file_name("ui-some");
    let _ = std::fs::remove_dir_all(&into);
    shell::make_dir(&into)?;
    let mut first: BTreeMap<u64, String> = BTreeMap::new();
    for entry in std::fs::read_dir(fixtures).map_err(failed)?.flatten() {
        let (about, name) = (entry.metadata().map_err(failed)?, entry.file_name());
        let name = name.to_string_lossy().into_owned();
        // Compiled fixtures end in their hash.
        if about.is_file() && name.ends_with(|c: char| c.is_ascii_hexdigit()) && !name.contains('.') {
            let known = first.entry(about.ino()).or_insert_with(|| name.clone());
            *known = name.min(std::mem::take(known));
        }
    }
    for name in first.values().filter(|name| name.ends_with(['0', '1', '2'])) {
        std::fs::hard_link(fixtures.join(name), into.join(name)).map_err(failed)?;
    }
    Ok(into)
}

/// The passes, and folders of programs; without a folder those that `cargo xtask test` has left, or a fifth of them with
/// `some`.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let toolkit = cuda::ensure()?;
    let (passes, folders) = arguments.split_first().unwrap_or((&USUAL, &[]));
    let mut fixtures = shell::target().join("tmp/ui");
    let sampled = folders == ["some"];
    if (sampled || folders.is_empty()) && !fixtures.is_dir() {
        return Err(format!("{} is not there: `cargo xtask test` builds the fixtures", fixtures.display()));
    }
    if sampled {
        fixtures = some(&fixtures)?;
    }
    // As the tests were built.
    shell::run(&mut cargo(&["build", "--quiet", "-p", "instrument", "--example", "assemble"]))?;
    shell::step(&format!("assembling instrumented kernels ({passes})"));
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut command = Command::new(shell::target().join("debug/examples/assemble"));
    command.arg(toolkit.root.join("bin/ptxas")).arg(jobs).arg(passes);
    match sampled || folders.is_empty() {
        true => command.arg(fixtures),
        false => command.args(folders),
    };
    shell::run(&mut command)
}
