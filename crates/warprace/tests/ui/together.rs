//! Compiles several fixtures as one program, since nvcc spends most of its time for a small program on the
//! toolkit's headers.
//!
//! A generated source includes the fixtures one after the other, renames each `main`, and calls the one whose
//! name the program was started by; every fixture is a link to that program. Fixtures share a program only if
//! they are built with the same flags and declare no common name, so the code equals that of separate
//! programs, and reports name the fixtures' own files and lines. Constants, which reports do not name, are
//! renamed. Fixtures that do not fit, or do not compile
//! in this form, are compiled alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::arch::Arch;
use crate::fixture::Fixture;
use crate::setup::{Setup, unique};

/// Limits the fixtures of a program. With more, the program's kernels cost each run more than the shared
/// compilation saves.
const MOST: usize = 8;

struct Group<'a> {
    arch: Option<Arch>,
    flags: &'a [String],
    heavy: bool,
    names: BTreeSet<String>,
    /// The names that the fixtures' own headers declare, with their headers.
    provided: BTreeMap<String, PathBuf>,
    includes: BTreeSet<String>,
    fixtures: Vec<&'a Fixture>,
}

/// Compiles the fixtures that are not compiled yet and can share a program. The others are compiled on
/// demand.
pub(crate) fn compile(setup: &Setup, fixtures: &[Fixture]) -> Result<(), String> {
    let groups = groups(setup, fixtures)?;
    let started = Instant::now();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..setup.workers.min(groups.len()) {
            scope.spawn(|| {
                while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match one(setup, group) {
                        Ok(()) => _ = done.fetch_add(group.fixtures.len(), Ordering::Relaxed),
                        Err(message) => println!("not compiled together: {}\n{message}", named(group)),
                    }
                }
            });
        }
    });
    if !groups.is_empty() {
        let seconds = started.elapsed().as_secs_f64();
        println!("compiled {} fixtures as {} programs in {seconds:.1}s", done.into_inner(), groups.len());
    }
    Ok(())
}

fn named(group: &Group) -> String {
    group.fixtures.iter().map(|fixture| fixture.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn groups<'a>(setup: &Setup, fixtures: &'a [Fixture]) -> Result<Vec<Group<'a>>, String> {
    let mut groups: Vec<Group> = Vec::new();
    for fixture in fixtures.iter().filter(|fixture| fixture.suits_others()) {
        if setup.program(fixture)?.exists() {
            continue;
        }
        let (arch, includes) = (setup.arch(fixture), includes(&fixture.text));
        let names = &declared(&fixture.text) - &constants(&fixture.text);
        let heavy = includes.iter().any(|header| header.contains('/'));
        let mut provided = BTreeMap::new();
        own_headers(&fixture.path, &fixture.text, &mut provided);
        let apart = |names: &BTreeSet<String>, provided: &BTreeMap<String, PathBuf>| {
            provided.keys().all(|name| !names.contains(name))
        };
        let fits = groups.iter_mut().find(|group| {
            (group.arch, group.flags, group.heavy) == (arch, &fixture.nvcc[..], heavy)
                && group.fixtures.len() < MOST
                && group.names.is_disjoint(&names)
                && apart(&group.names, &provided)
                && apart(&names, &group.provided)
                && provided.iter().all(|(name, at)| group.provided.get(name).is_none_or(|known| known == at))
        });
        match fits {
            Some(group) => {
                group.names.extend(names);
                group.provided.extend(provided);
                group.includes.extend(includes);
                group.fixtures.push(fixture);
            }
            None => {
                let (flags, fixtures) = (&fixture.nvcc[..], vec![fixture]);
                groups.push(Group { arch, flags, heavy, names, provided, includes, fixtures });
            }
        }
    }
    groups.retain(|group| group.fixtures.len() > 1);
    // The slowest groups come first.
    groups.sort_by_key(|group| !group.heavy);
    Ok(groups)
}

/// Collects the names that the headers beside a text declare, with their headers.
fn own_headers(path: &Path, text: &str, into: &mut BTreeMap<String, PathBuf>) {
    let header = |line: &str| Some(line.strip_prefix("#include \"")?.split_once('"')?.0.to_owned());
    for header in text.lines().filter_map(header) {
        let Ok(at) = path.with_file_name(header).canonicalize() else { continue };
        let Ok(text) = std::fs::read_to_string(&at) else { continue };
        into.extend(declared(&text).into_iter().map(|name| (name, at.clone())));
        own_headers(&at, &text, into);
    }
}

/// Returns the headers of the toolkit and the language that a text includes.
fn includes(text: &str) -> BTreeSet<String> {
    let header = |line: &str| Some(line.strip_prefix("#include <")?.split_once('>')?.0.to_owned());
    text.lines().filter_map(header).collect()
}

fn one(setup: &Setup, group: &Group) -> Result<(), String> {
    let mut source = String::new();
    for header in &group.includes {
        source += &format!("#include <{header}>\n");
    }
    source += "#include <cstring>\n";
    let mut calls = String::new();
    for (n, fixture) in group.fixtures.iter().enumerate() {
        let constants = constants(&fixture.text);
        for name in &constants {
            source += &format!("#define {name} {name}_of_fixture_{n}\n");
        }
        source +=
            &format!("#define main fixture_{n}\n#include \"{}\"\n#undef main\n", fixture.path.display());
        for name in macros(&fixture.text).chain(constants.iter().map(String::as_str)) {
            source += &format!("#undef {name}\n");
        }
        let name = file_name(&setup.program(fixture)?);
        calls += &format!(
            "    if (std::strncmp(name, \"{name}\", {}) == 0) return call(fixture_{n}, argc, argv);\n",
            name.len()
        );
    }
    source += "static int call(int (*fixture)(), int, char **) { return fixture(); }\n";
    source += "static int call(int (*fixture)(int, char **), int argc, char **argv) { return fixture(argc, argv); }\n";
    source += "int main(int argc, char **argv) {\n    const char *slash = std::strrchr(argv[0], '/');\n";
    source += "    const char *name = slash ? slash + 1 : argv[0];\n";
    source += &format!("{calls}    return 125;\n}}\n");
    let path = setup.out.join(format!("together-{}.cu", unique()));
    let at = |path: &Path, e: std::io::Error| format!("  {}: {e}", path.display());
    std::fs::create_dir_all(&setup.out).map_err(|e| at(&setup.out, e))?;
    std::fs::write(&path, source).map_err(|e| at(&path, e))?;
    let program = path.with_extension("partial");
    let done = setup.nvcc(group.arch, group.flags, &[&path], &program);
    let _ = std::fs::remove_file(&path);
    done?;
    for fixture in &group.fixtures {
        let link = setup.program(fixture)?;
        std::fs::hard_link(&program, &link).map_err(|e| at(&link, e))?;
    }
    std::fs::remove_file(&program).map_err(|e| at(&program, e))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the macros that the fixture defines.
fn macros(text: &str) -> impl Iterator<Item = &str> {
    let defined = text.lines().filter_map(|line| line.strip_prefix("#define "));
    defined.filter_map(|line| line.split(|c: char| !is_of_a_name(c)).find(|word| !word.is_empty()))
}

/// Returns the constants that are declared at the beginnings of lines, `constexpr int N = 64, M = 2 * N;`.
fn constants(text: &str) -> BTreeSet<String> {
    let declared = text.lines().filter_map(|line| line.strip_prefix("constexpr "));
    let parts = declared.flat_map(|rest| rest.split(',')).filter_map(|part| part.split_once(" = "));
    let names = parts.map(|(before, _)| before.rsplit(' ').next().unwrap_or(before).to_owned());
    names.filter(|name| !name.is_empty() && name.chars().all(is_of_a_name)).collect()
}

fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the names that a text declares at namespace scope, judged by its words: names in front of a token
/// that continues, ends or begins a declaration. A name that is wrongly included only keeps two fixtures
/// apart.
fn declared(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    // Open brackets, without those of namespaces.
    let mut open: Vec<char> = Vec::new();
    let (mut statement, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") || rest.starts_with('#') {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
            continue;
        }
        if c == '"' {
            let inside = &rest[1..];
            rest = inside.find('"').map_or("", |end| &inside[end + 1..]);
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let outside = open.iter().all(|bracket| *bracket == 'n');
        match c {
            '(' | '[' | '{' | ';' | '='
                if outside && !statement.trim_start().starts_with("namespace cg =") =>
            {
                let last = statement.trim_end().rsplit(|c: char| !is_of_a_name(c)).next().unwrap_or("");
                if !last.starts_with("__") && last != "main" {
                    names.insert(last.to_owned());
                }
            }
            _ => {}
        }
        match c {
            '{' if outside && statement.trim_start().starts_with("namespace") => open.push('n'),
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => _ = open.pop(),
            _ => {}
        }
        if outside && matches!(c, ';' | '}' | '{') || (c == '}' && open.iter().all(|bracket| *bracket == 'n'))
        {
            statement.clear();
        } else if outside {
            statement.push(c);
        }
    }
    names.remove("");
    names
}
