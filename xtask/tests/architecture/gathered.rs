//! Rule of CONTRIBUTING.md: a crate with `autotests = false` names every file of its folder `tests`, so that none of them
//! is left out in silence.

use crate::root;
use std::fs;
use std::path::Path;

/// Returns the files of a crate's `tests` that neither its manifest nor `tests/all.rs` names.
fn left_out(folder: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    if !manifest.lines().any(|line| line == "autotests = false") {
        return Vec::new();
    }
    let all = fs::read_to_string(folder.join("tests/all.rs")).unwrap_or_default();
    let mut missing = Vec::new();
    for entry in fs::read_dir(folder.join("tests")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let named = match name.strip_suffix(".rs") {
            Some(stem) => {
                all.lines().any(|line| line == format!("mod {stem};"))
                    || manifest.contains(&format!("path = \"tests/{name}\""))
            }
            None => !path.join("main.rs").exists() || manifest.contains(&format!("tests/{name}/main.rs")),
        };
        if !named {
            missing.push(path.display().to_string());
        }
    }
    missing
}

#[test]
fn every_file_of_tests_is_compiled() {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let missing: Vec<_> = crates.flat_map(|entry| left_out(&entry.unwrap().path())).collect();
    assert!(missing.is_empty(), "neither in tests/all.rs (`mod NAME;`) nor in Cargo.toml: {missing:#?}");
}
