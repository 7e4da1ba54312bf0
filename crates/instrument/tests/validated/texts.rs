//! The texts of every pass are valid.

use super::passes::{made, passes};
use std::path::{Path, PathBuf};

/// Collects the PTX files below a folder.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true => files(&path, out),
            false if path.extension().is_some_and(|end| end == "ptx") => out.push(path),
            false => {}
        }
    }
}

/// The share of the files with one instruction form each, and of their passes, that are validated here.
const SHARE: usize = 7;

/// The share of the pairs of a kernel and a pass, unless `WARPRACE_EVERY` is set.
const KERNELS: usize = 3;

#[test]
fn every_kind_of_text_of_the_repository_is_valid_with_every_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let all = |folders: &[&str]| {
        let mut found = Vec::new();
        folders.iter().for_each(|folder| files(&root.join(folder), &mut found));
        found.sort();
        found
    };
    let passes = passes();
    let kernels = all(&["crates/simt/tests", "crates/ptx/tests/fixtures", "tests/prove"]).into_iter();
    let forms = all(&["tests/ptx"]).into_iter().step_by(SHARE).enumerate();
    let every = std::env::var_os("WARPRACE_EVERY").is_some();
    // No kernel has the same passes as the one before, and none has all of them.
    let tasks = kernels
        .enumerate()
        .flat_map(|(k, file)| passes.iter().enumerate().map(move |(n, pass)| (k + n, file.clone(), pass)))
        .filter(|(n, ..)| every || n % KERNELS == 0)
        .map(|(_, file, pass)| (file, pass))
        .chain(forms.map(|(n, file)| (file, &passes[n % passes.len()])));
    let (mut valid, mut wrong) = (0, Vec::new());
    for (file, pass) in tasks {
        let original = std::fs::read_to_string(&file).unwrap();
        let Some(made) = made(&original, pass) else { continue };
        match made.validate() {
            Ok(_) => valid += 1,
            Err(fault) => wrong.push(format!("{} by {}: {fault}", file.display(), made.name)),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), valid + wrong.len(), wrong.join("\n"));
    assert!(valid > if every { 500 } else { 160 }, "{valid} texts");
}
