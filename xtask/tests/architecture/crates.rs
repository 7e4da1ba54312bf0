//! What crates are built of: nothing that they do not use, and no engine in what only prints and passes on.

use super::{all_sources, code, root, sources};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// The names in a section of a crate's manifest.
fn section(krate: &str, section: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("crates").join(krate).join("Cargo.toml")).unwrap();
    let begins = format!("{section}]");
    let section = text.split("\n[").find(|section| section.starts_with(&begins)).unwrap_or_default();
    let lines = section.lines().skip(1).filter(|line| !line.starts_with('#'));
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| !name.is_empty()).map(String::from).collect()
}

/// The workspace's crates that a crate is built of.
pub(super) fn dependencies(krate: &str) -> Vec<String> {
    let is_ours = |name: &String| root().join("crates").join(name).is_dir();
    section(krate, "dependencies").into_iter().filter(is_ours).collect()
}

/// The workspace's crates that a crate is built of, and those that these are built of.
fn linked(krate: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut left = dependencies(krate);
    while let Some(name) = left.pop() {
        if out.insert(name.clone()) {
            left.extend(dependencies(&name));
        }
    }
    out
}

/// Returns whether code names an item of a crate.
fn names(code: &str, krate: &str) -> bool {
    let krate = krate.replace('-', "_");
    code.match_indices(&krate).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + krate.len()..].trim_start();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':' && c != '.')
            && (after.starts_with("::") || after.starts_with(';') || after.starts_with("as "))
    })
}

/// The dependencies of a crate that no code names, and those that only tests name, though they are not for tests alone.
fn unused(krate: &str) -> Vec<String> {
    let folder = root().join("crates").join(krate);
    let (mut files, mut all) = (Vec::new(), Vec::new());
    sources(&folder.join("src"), &mut files);
    all_sources(&folder, &mut all);
    let texts =
        |files: &[PathBuf]| files.iter().map(|file| fs::read_to_string(file).unwrap()).collect::<Vec<_>>();
    let built: String = texts(&files).iter().map(|text| code(text)).collect();
    let whole: String = texts(&all).iter().map(|text| code(&text.replace("mod tests {", ""))).collect();
    let linked = section(krate, "dependencies").into_iter().filter(|name| !names(&built, name));
    let tested = section(krate, "dev-dependencies").into_iter().filter(|name| !names(&whole, name));
    linked
        .map(|name| format!("{krate} → {name}"))
        .chain(tested.map(|name| format!("{krate} → {name} (tests)")))
        .collect()
}

/// Crates that are linked or built for more than their items, with the reason.
const NAMED_NOWHERE: [(&str, &str); 3] = [
    ("warprace → inject", "the program contains the library"),
    ("warprace → gpu", "the program contains the library"),
    ("warprace → inject (tests)", "tests preload the library"),
];

#[test]
fn no_crate_links_what_it_does_not_use() {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        found.extend(unused(&entry.unwrap().file_name().to_string_lossy()));
    }
    found.retain(|arrow| NAMED_NOWHERE.iter().all(|(known, _)| known != arrow));
    assert!(found.is_empty(), "dependencies that no code uses:\n{}", found.join("\n"));
    assert!(names("use a::{b};\n x::y();", "x") && !names("self.x::<T>(); a::x::b(); x.y()", "x"));
}

#[test]
fn the_gpu_library_and_reports_link_no_engine_and_no_detector() {
    for krate in ["gpu", "report", "protocol", "mend", "trace"] {
        let linked = linked(krate);
        for engine in ["simt", "detect", "prove", "inject"] {
            assert!(!linked.contains(engine), "{krate} links {engine}");
        }
    }
    assert!(linked("inject").contains("simt") && linked("names").contains("events"));
}

/// Fuzz targets are a workspace of their own, which `cargo xtask test` does not build.
#[test]
fn fuzz_targets_link_each_crate_that_they_name() {
    let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    let mut found = 0;
    for entry in fs::read_dir(root().join("fuzz/fuzz_targets")).unwrap() {
        let target = entry.unwrap().path();
        let text = fs::read_to_string(&target).unwrap();
        let included = text.split("#[path = \"").skip(1).filter_map(|rest| rest.split('"').next());
        let files = included.map(|path| root().join("fuzz/fuzz_targets").join(path));
        let all: String = files.map(|file| code(&fs::read_to_string(file).unwrap())).collect();
        for krate in fs::read_dir(root().join("crates")).unwrap() {
            let krate = krate.unwrap().file_name().to_string_lossy().into_owned();
            if names(&all, &krate) {
                found += 1;
                let line = format!("\n{krate} = {{ path = ");
                assert!(
                    manifest.contains(&line),
                    "{} names {krate}, and fuzz/Cargo.toml does not",
                    target.display()
                );
            }
        }
    }
    assert!(found > 6, "only {found} crates were found");
}
