//! Rules of ARCHITECTURE.md: modules of a crate point one way, and so do crates; its map has all of them, and
//! each path that it names exists. Rules of CONTRIBUTING.md: no file is long without a reason, and libraries
//! name their errors.

#[path = "architecture/crates.rs"]
mod crates;
#[path = "architecture/gathered.rs"]
mod gathered;
#[path = "architecture/licences.rs"]
mod licences;

use crates::dependencies;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module, by its names below the crate's root.
type Module = Vec<String>;

/// Modules of one folder by what each imports of the others, whether itself or by a module inside it.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// All Rust files of a folder and those in it, but for those that tests alone include.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") && !is_test(&path) {
            into.push(path);
        }
    }
}

/// Returns whether the module above declares the file for tests only.
fn is_test(path: &Path) -> bool {
    let (Some(stem), Some(folder)) = (path.file_stem().and_then(|s| s.to_str()), path.parent()) else {
        return false;
    };
    let parents =
        [folder.join("mod.rs"), folder.join("lib.rs"), folder.join("main.rs"), folder.with_extension("rs")];
    let declared = |parent: &PathBuf| {
        let text = fs::read_to_string(parent).unwrap_or_default();
        let mut lines = text.lines().map(str::trim).skip_while(|line| *line != "#[cfg(test)]");
        let mut found = false;
        while let Some(line) = lines.next() {
            found |= line == "#[cfg(test)]"
                && lines
                    .next()
                    .is_some_and(|next| next.trim_start_matches("pub(crate) ") == format!("mod {stem};"));
        }
        found
    };
    parents.iter().any(declared)
}

/// The code of a text, without comments and without an inner module of tests, which is the last thing in a file.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]"
            && lines.clone().next().is_some_and(|l| l.trim().starts_with("mod tests {"))
        {
            break;
        }
        code.push_str(line.split("//").next().unwrap_or_default());
        code.push('\n');
    }
    code
}

/// The paths of a text that begin with `crate::` or `super::`, lists taken apart; comments and inner tests left out.
fn paths(text: &str) -> BTreeSet<String> {
    let code = code(text);
    let mut out = BTreeSet::new();
    for begin in ["crate::", "super::"] {
        for (at, _) in code.match_indices(begin) {
            let before = code[..at].chars().next_back();
            if before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':') {
                tree(String::new(), &code[at..], &mut out);
            }
        }
    }
    out
}

/// Reads one path, or the list of paths that it ends in; returns what is behind it.
fn tree<'t>(mut path: String, mut text: &'t str, out: &mut BTreeSet<String>) -> &'t str {
    loop {
        text = text.trim_start();
        let name = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        path.push_str(&text[..name]);
        text = &text[name..];
        let Some(rest) = text.strip_prefix("::") else { break };
        path.push_str("::");
        text = rest;
        if let Some(mut list) = text.strip_prefix('{') {
            loop {
                list = list.trim_start();
                if list.is_empty() || list.starts_with('}') {
                    return list.get(1..).unwrap_or_default();
                }
                list = tree(path.clone(), list, out);
                // ` as NAME` or nothing, and a comma or the end.
                list = &list[list.find([',', '}']).unwrap_or(list.len())..];
                list = list.strip_prefix(',').unwrap_or(list);
            }
        }
    }
    out.insert(path);
    text
}

/// The module that a path names in `here`, or has the item it names.
fn resolved(path: &str, here: &[String], all: &BTreeSet<Module>) -> Option<Module> {
    let mut names = path.split("::").peekable();
    let mut at = here.to_vec();
    match names.next()? {
        "crate" => at.clear(),
        _ => at.truncate(at.len().checked_sub(1)?),
    }
    while names.next_if_eq(&"super").is_some() {
        at.pop()?;
    }
    for name in names {
        at.push(name.to_owned());
        if !all.contains(&at) {
            at.pop();
            break;
        }
    }
    Some(at)
}

/// Returns the neighbours that modules of a crate import, by the folder they are in.
fn neighbours(src: &Path) -> BTreeMap<String, Imports> {
    let mut files = Vec::new();
    sources(src, &mut files);
    let module = |path: &Path| -> Module {
        let names = path.strip_prefix(src).unwrap().with_extension("");
        let mut names: Module =
            names.components().map(|name| name.as_os_str().to_string_lossy().into_owned()).collect();
        if names.last().is_some_and(|name| name == "mod")
            || names.len() == 1 && matches!(names[0].as_str(), "lib" | "main")
        {
            names.pop();
        }
        names
    };
    let all: BTreeSet<Module> = files.iter().map(|file| module(file)).collect();
    let mut out: BTreeMap<String, Imports> = BTreeMap::new();
    for file in &files {
        let here = module(file);
        for path in paths(&fs::read_to_string(file).unwrap()) {
            let Some(there) = resolved(&path, &here, &all) else { continue };
            let common = here.iter().zip(&there).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (here.get(common), there.get(common)) {
                let folder = out.entry(here[..common].join("/")).or_default();
                folder.entry(to.clone()).or_default();
                folder.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    out
}

/// Takes away, again and again, what imports nothing that is left, and what nothing that is left imports: circles
/// and what lies between them stay.
fn circles(mut graph: Imports) -> Imports {
    loop {
        let before = graph.len();
        let left: BTreeSet<String> = graph.keys().cloned().collect();
        graph.values_mut().for_each(|imports| imports.retain(|name| left.contains(name)));
        let imported: BTreeSet<String> = graph.values().flatten().cloned().collect();
        graph.retain(|module, imports| !imports.is_empty() && imported.contains(module));
        if graph.len() == before {
            return graph;
        }
    }
}

/// Lines that a file may have without saying why.
const LINES: usize = 500;

/// Why a file is long, as its header says: `//! **Size:** …`.
fn reason(text: &str) -> Option<&str> {
    let mut header = text.lines().take_while(|line| line.starts_with("//!"));
    header.find_map(|line| line.strip_prefix("//! **Size:** ")).filter(|reason| !reason.is_empty())
}

/// All Rust files of a folder and those in it, tests and all.
fn all_sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            all_sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn long_files_say_why_in_their_headers() {
    let mut files = Vec::new();
    for folder in ["crates", "xtask", "fuzz"] {
        all_sources(&root().join(folder), &mut files);
    }
    assert!(files.len() > 500, "the sources were not found");
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let lines = text.lines().count();
        if lines > LINES && reason(&text).is_none() {
            found.push(format!("{}: {lines} lines", file.strip_prefix(root()).unwrap().display()));
        }
    }
    assert!(
        found.is_empty(),
        "more than {LINES} lines, and no `//! **Size:** why` in the header:\n{}",
        found.join("\n")
    );
}

/// Public functions of a text whose error is a `String` or nothing: a caller cannot decide by it.
fn unnamed_errors(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim())
        .collect::<Vec<_>>()
        .join(" ");
    let signatures =
        code.split("pub fn ").skip(1).map(|rest| rest.split(['{', ';']).next().unwrap_or_default());
    let functions = signatures.filter(|signature| {
        let answer = signature.rsplit_once("-> ").map_or("", |(_, answer)| answer);
        let answer = answer.split(" where ").next().unwrap_or_default().trim();
        answer.starts_with("Result<") && (answer.ends_with(", String>") || answer.ends_with(", ()>"))
    });
    let name = |signature: &str| signature.split(['(', '<']).next().unwrap_or_default().to_owned();
    let mut found: Vec<String> = functions.map(name).collect();
    let types = ["type Err = String;", "type Error = String;", "type Err = ();", "type Error = ();"];
    found
        .extend(types.iter().filter(|unnamed| code.contains(**unnamed)).map(|unnamed| (*unnamed).to_owned()));
    found
}

/// The command line has no callers, and prints what it is told.
#[test]
fn public_functions_of_libraries_name_their_errors() {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.ends_with("warprace") {
            sources(&folder.join("src"), &mut files);
        }
    }
    assert!(files.len() > 300, "the sources were not found");
    let mut wrong = Vec::new();
    for file in files {
        for found in unnamed_errors(&fs::read_to_string(&file).unwrap()) {
            wrong.push(format!("{}: {found}", file.strip_prefix(root()).unwrap().display()));
        }
    }
    assert!(wrong.is_empty(), "an error that is a String or nothing:\n{}", wrong.join("\n"));
}

#[test]
fn unnamed_errors_are_found() {
    let text = "pub fn a(x: u8) -> Result<u8, String> {}\npub fn b<T>(\n    t: T, // why\n) -> Result<(), ()> where T: Copy {}\n\
                pub(crate) fn c() -> Result<u8, String> {}\npub fn d() -> Result<HashMap<u8, String>, E> {}\n\
                pub fn e(f: impl Fn() -> Result<u8, String>) -> u8 {}\ntype Err = String;\n// pub fn f() -> Result<u8, String> {}\n";
    assert_eq!(unnamed_errors(text), ["a", "b", "type Err = String;"]);
}

#[test]
fn a_reason_is_in_the_header_or_none() {
    assert_eq!(reason("//! Doc.\n//!\n//! **Size:** a list.\nfn f() {}\n"), Some("a list."));
    assert_eq!(reason("//! Doc.\nfn f() {}\n//! **Size:** a list.\n"), None);
    assert_eq!(reason("//! **Size:** \n"), None);
}

#[test]
fn modules_of_a_crate_import_each_other_in_no_circle() {
    let mut crates: Vec<PathBuf> =
        fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    crates.push(root().join("xtask"));
    assert!(crates.len() > 10, "the crates were not found");
    let mut found = Vec::new();
    for krate in crates {
        let name = krate.file_name().unwrap().to_string_lossy().into_owned();
        for (folder, imports) in neighbours(&krate.join("src")) {
            let lines = circles(imports).into_iter();
            found.extend(lines.map(|(from, to)| format!("{name}/{folder}: {from} imports {to:?}")));
        }
    }
    assert!(found.is_empty(), "circles of imports:\n{}", found.join("\n"));
}

#[test]
fn circles_are_found_and_lines_are_not() {
    let graph = |edges: &[(&str, &[&str])]| -> Imports {
        edges
            .iter()
            .map(|(from, to)| (from.to_string(), to.iter().map(ToString::to_string).collect()))
            .collect()
    };
    assert!(circles(graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])).is_empty());
    let found = circles(graph(&[("top", &["a"]), ("a", &["b"]), ("b", &["a", "low"]), ("low", &[])]));
    assert_eq!(found.keys().map(String::as_str).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn paths_are_read_from_lists_and_code_but_not_from_comments_and_tests() {
    let text = "//! [`x`](crate::doc)\nuse crate::{a, b::{C as D, d::{self}}, e};\nfn f() { crate::g::h(); $crate::i!(); }\n\
                use super::super::j::K;\nuse super::{l, M};\n#[cfg(test)]\nmod tests {\n    use crate::only_tests;\n}\n";
    let names: Vec<String> = paths(text).into_iter().collect();
    assert_eq!(
        names,
        [
            "crate::a",
            "crate::b::C",
            "crate::b::d::self",
            "crate::e",
            "crate::g::h",
            "crate::i",
            "super::M",
            "super::l",
            "super::super::j::K"
        ]
    );
}

#[test]
fn paths_lead_to_modules() {
    let module = |path: &str| -> Module { path.split('/').map(String::from).collect() };
    let all = BTreeSet::from(["a", "a/b", "a/c", "d"].map(module));
    let of = |path| resolved(path, &module("a/b"), &all).map(|module| module.join("/"));
    assert_eq!(of("crate::a::c::Item").as_deref(), Some("a/c"));
    assert_eq!(of("super::c").as_deref(), Some("a/c"));
    assert_eq!(of("super::Item").as_deref(), Some("a"));
    assert_eq!(of("super::super::d::f").as_deref(), Some("d"));
    assert_eq!(of("super::super::super::e"), None);
}

fn page() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// The crates of the map and how far to the right each stands.
fn map(page: &str) -> BTreeMap<String, usize> {
    let begins = page.find("\nwarprace  ").expect("the map begins with warprace");
    let map = page[begins + 1..].split("```").next().unwrap();
    let place = |line: &str| {
        let name = line.split_whitespace().next()?;
        Some((name.to_owned(), line.len() - line.trim_start().len()))
    };
    map.lines().filter_map(place).collect()
}

#[test]
fn the_map_has_every_crate_and_arrows_point_to_the_right() {
    let map = map(&page());
    let crates: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(map.keys().cloned().collect::<BTreeSet<_>>(), crates);
    let mut arrows = 0;
    for (krate, place) in &map {
        for used in dependencies(krate) {
            arrows += 1;
            assert!(map[&used] > *place, "{krate} uses {used}, which is not to the right of it");
        }
    }
    assert!(arrows > 40, "the dependencies were not found");
}

/// Returns whether there is such a module, or such a word in the last of its modules.
fn exists(path: &str) -> bool {
    let mut parts = path.split("::");
    let mut folder = root().join("crates").join(parts.next().unwrap_or_default()).join("src");
    let mut files = vec![folder.join("lib.rs"), folder.join("main.rs")];
    for part in parts {
        let (file, module) = (folder.join(format!("{part}.rs")), folder.join(part));
        if file.is_file() || module.is_dir() {
            files = vec![file, module.join("mod.rs")];
            folder = module;
            continue;
        }
        let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
        return texts
            .into_iter()
            .any(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == part));
    }
    folder.is_dir() || files.iter().any(|file| file.is_file())
}

/// Returns the spans between backticks outside blocks of code.
fn spans(page: &str) -> Vec<&str> {
    let text = page.split("```").step_by(2);
    text.flat_map(|text| text.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn what_the_map_names_exists() {
    let page = page();
    let mut found = 0;
    for span in spans(&page) {
        let path = span.split(' ').next().unwrap_or_default();
        let first = path.split("::").next().unwrap_or_default();
        if path.starts_with("crates/") || path.starts_with("docs/") {
            assert!(root().join(path).exists(), "`{span}` is not there");
        } else if path.contains("::") && root().join("crates").join(first).is_dir() {
            assert!(exists(path), "`{span}` is not there");
        } else {
            continue;
        }
        found += 1;
    }
    assert!(found > 25, "only {found} paths were found");
    assert!(!exists("simt::nowhere") && !exists("nowhere::grid") && exists("simt::grid::Grid"));
}
