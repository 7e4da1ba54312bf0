//! Every fuzz target for some time, from the inputs that the repository has.

use super::{needs, nightly};
use crate::shell::{self, Outcome};
use std::fs;
use std::path::Path;

/// Seconds for each target, if none are given.
const SECONDS: &str = "60";

/// Runs each target of `fuzz` for the seconds given.
pub(super) fn run(arguments: &[&str]) -> Outcome {
    let mut version = nightly();
    version.args(["fuzz", "--version"]);
    needs(version, "cargo install cargo-fuzz")?;
    let seconds = arguments.first().copied().unwrap_or(SECONDS);
    for name in targets()? {
        shell::step(&format!("fuzzing `{name}` for {seconds} s"));
        let corpus = shell::root().join("fuzz/corpus").join(&name);
        shell::make_dir(&corpus)?;
        if name == "ptx" {
            seed(&shell::root().join("crates/ptx/tests/fixtures"), &corpus)?;
        }
        let mut command = nightly();
        command.args(["fuzz", "run", &name, "--", "-max_len=20000", "-timeout=20", "-rss_limit_mb=4096"]);
        command.arg(format!("-max_total_time={seconds}"));
        shell::run(&mut command)?;
    }
    Ok(())
}

/// Returns the names of the targets, in the order of the alphabet.
fn targets() -> Outcome<Vec<String>> {
    let folder = shell::root().join("fuzz/fuzz_targets");
    let entries = fs::read_dir(&folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let stem = |entry: fs::DirEntry| Some(entry.path().file_stem()?.to_str()?.to_owned());
    let mut names: Vec<_> = entries.flatten().filter_map(stem).collect();
    names.sort();
    Ok(names)
}

/// Copies the fixtures into the corpus, which is not committed.
fn seed(fixtures: &Path, corpus: &Path) -> Outcome {
    let entries = fs::read_dir(fixtures).map_err(|e| format!("cannot read {}: {e}", fixtures.display()))?;
    for file in entries.flatten().map(|entry| entry.path()).filter(|file| file.is_file()) {
        let into = corpus.join(file.file_name().unwrap_or_default());
        fs::copy(&file, &into).map_err(|e| format!("cannot write {}: {e}", into.display()))?;
    }
    Ok(())
}
