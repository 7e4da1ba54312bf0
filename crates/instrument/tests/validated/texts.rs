//! The texts of every pass are valid.

use crate::passes::{made, passes};
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
    let tasks = kernels
        .flat_map(|file| passes.iter().map(move |pass| (file.clone(), pass)))
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
    assert!(valid > 500, "{valid} texts");
}
