//! The tables of functions of the Runtime and Driver API, and of kinds of graph nodes and edges.

use super::named::Sources;
use host::api::{Edge, NodeType, RUNTIME, Served, find};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSymbol};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The test that asks every refused function, and reads of every other one whether it is heard as its row says.
const ASKED: &str = "crates/inject/tests/programs/functions.rs";

/// A library that is preloaded, as cargo has built it.
fn library(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_warprace")).parent().unwrap();
    let places = [folder.join(name), folder.join("deps").join(name)];
    let newest = places.iter().filter_map(|p| Some((p.metadata().ok()?.modified().ok()?, p))).max();
    newest.unwrap_or_else(|| panic!("{name} is not built")).1.clone()
}

/// The functions that a library exports.
fn exports(name: &str) -> BTreeSet<String> {
    let bytes = std::fs::read(library(name)).unwrap();
    let file = ElfFile64::<LittleEndian>::parse(&*bytes).unwrap();
    let symbols = file.dynamic_symbols().filter(ObjectSymbol::is_definition);
    symbols.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

/// A function without the suffix of its variant for per-thread default streams.
fn base(name: &str) -> &str {
    name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds")).unwrap_or(name)
}

fn words(served: Served) -> String {
    match served {
        Served::Heard(what) => format!("served: {}", what.words()),
        Served::Limited(what, limit) => format!("served: {}; {limit}", what.words()),
        Served::Refused => "refused: `cudaErrorNotSupported`, inconclusive by name".to_owned(),
        Served::Unanswered => "refused: `cudaErrorNotSupported`, named; the verdict stays".to_owned(),
    }
}

/// A test of a function of the runtime: a program that calls it, or the one that asks every refused function.
fn test_of(name: &str, served: bool, programs: &Sources, missing: &mut Vec<String>) -> String {
    if !served {
        return format!("`{ASKED}`");
    }
    match programs.calls(name) {
        Some(program) => format!("`{program}`"),
        None => {
            missing.push(format!("`{name}` is served, and no test calls it"));
            String::new()
        }
    }
}

fn runtime(programs: &Sources, missing: &mut Vec<String>) -> String {
    let listed = super::data("tests/coverage/runtime-api.txt");
    let mut out = format!(
        "## Runtime API\n\nThe {} functions of CUDA 13.0, and what the virtual GPU's detectors hear of each. The table\n\
         is `crates/host/src/api/runtime.rs`; the library's functions are defined against it.\n\n\
         With `--gpu` the program keeps CUDA's own runtime, which calls the driver. `prove` reads a program's\n\
         host code where it is given the source, and takes what it does not understand as unknown.\n\n\
         | function | virtual GPU, and lens `ptx` | a test |\n|---|---|---|\n",
        listed.len()
    );
    for name in &listed {
        let Some(function) = RUNTIME.iter().find(|function| function.name == *name) else {
            missing.push(format!("`host::api` lacks `{name}` of CUDA's header"));
            continue;
        };
        let test = test_of(name, function.served.is_served(), programs, missing);
        let _ = writeln!(out, "| `{name}` | {} | {test} |", words(function.served));
    }
    out
}

/// The rows of the driver's library, `STATE NAME SINCE … "LIMIT";` each, by name: a state, and a limit.
fn driver_rows() -> BTreeMap<String, (String, String)> {
    let path = super::workspace().join("crates/inject/src/api/driver/table.rs");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let row = |line: &str| {
        let (head, limit) = line.trim().strip_suffix(';')?.split_once('"').unwrap_or((line.trim(), ""));
        let mut words = head.split_whitespace();
        let state = words.next().filter(|w| matches!(*w, "served" | "limited" | "effect" | "query"))?;
        let name = words.next().filter(|w| w.starts_with("cu"))?;
        Some((name.to_owned(), (state.to_owned(), limit.trim_end_matches('"').to_owned())))
    };
    text.lines().filter_map(row).collect()
}

/// A function without the version of its form.
fn versionless(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((base, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => name,
    }
}

/// The name of the newest form of a function, which is what the header's name stands for.
fn newest<'r>(rows: &'r BTreeMap<String, (String, String)>, name: &str) -> Option<&'r String> {
    let named =
        rows.keys().filter(|row| *row == name || versionless(row) == name && versionless(name) == name);
    named.max()
}

/// Functions of the driver that have one body with a function of the runtime (`fn cudaX …, driver cuX`), with that function.
fn shared_bodies() -> BTreeMap<String, String> {
    let mut shared = BTreeMap::new();
    for (_, text) in Sources::of(&["crates/inject/src/api/runtime"], &["rs"]).files {
        for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("fn cuda")) {
            let mut parts = line.split(", driver ");
            let Some(runtime) = parts.next().and_then(|part| part.split([' ', ',', '(']).next()) else {
                continue;
            };
            for driver in parts.filter_map(|part| part.split([' ', ',', '(']).next()) {
                shared.insert(driver.to_owned(), format!("cuda{runtime}"));
            }
        }
    }
    shared
}

fn driver(programs: &Sources, missing: &mut Vec<String>) -> String {
    let (ours, watched) = (exports("libinject.so"), exports("libwarprace_gpu.so"));
    let (rows, shared) = (driver_rows(), shared_bodies());
    let listed = super::data("tests/coverage/driver-api.txt");
    let drivers = Sources::of(&["crates/gpu/tests/programs"], &["c"]);
    let mut out = format!(
        "\n## Driver API\n\nThe {} functions of CUDA 13.0. On the virtual GPU the library that is preloaded is the driver's,\n\
         too; the table is `crates/inject/src/api/driver/table.rs`. A function that shares its body with one\n\
         of the runtime has that function's test.\n\n\
         With `--gpu` the driver stays in its place and answers for itself. Calls that load, launch, order or\n\
         move memory are *watched*: each goes to the driver once, and engines `guard` and `collide` know of\n\
         it.\n\n\
         | function | virtual GPU | `guard`, `collide` | a test |\n|---|---|---|---|\n",
        listed.len()
    );
    for name in &listed {
        let is_watched = watched.iter().any(|symbol| base(symbol) == name);
        let on_gpu = if is_watched { "watched" } else { "the driver's own" };
        let Some(row) = newest(&rows, name) else {
            missing.push(format!("the driver's table lacks `{name}` of CUDA's header"));
            continue;
        };
        if !ours.contains(row) {
            missing.push(format!("the library lacks `{row}` of the driver's table"));
        }
        let (state, limit) = &rows[row];
        let (on_virtual, served) = match state.as_str() {
            "served" => ("served".to_owned(), true),
            "limited" => (format!("served; {limit}"), true),
            "effect" => ("refused: `CUDA_ERROR_NOT_SUPPORTED`, inconclusive by name".to_owned(), false),
            _ => ("refused: `CUDA_ERROR_NOT_SUPPORTED`, named; the verdict stays".to_owned(), false),
        };
        let runtimes = || programs.calls(shared.get(row)?);
        let test = if served {
            programs.calls(row).or_else(|| programs.calls(name)).or_else(runtimes)
        } else {
            Some(ASKED)
        };
        if test.is_none() {
            missing.push(format!("`{name}` of the driver is served, and no test calls it"));
        }
        let on_gpu_test = if is_watched { drivers.calls(name) } else { None };
        let tests: Vec<String> =
            test.into_iter().chain(on_gpu_test).map(|file| format!("`{file}`")).collect();
        let _ = writeln!(out, "| `{name}` | {on_virtual} | {on_gpu} | {} |", tests.join(", "));
    }
    out
}

fn graphs() -> String {
    let mut out = "\n## Graphs\n\nThe tables are in `crates/host/src/api/graph.rs`. A detector hears of nodes and edges each time\n\
                   that their graph is launched.\n\n| node | virtual GPU, and lens `ptx` | a test |\n|---|---|---|\n"
        .to_owned();
    for kind in NodeType::ALL {
        let test = match kind {
            NodeType::Kernel | NodeType::Memcpy | NodeType::Memset | NodeType::Host => {
                "tests/ui/inter-kernel/captured-graph.race.cu"
            }
            NodeType::Graph | NodeType::Empty | NodeType::WaitEvent | NodeType::EventRecord => {
                "crates/inject/tests/programs/graph_nodes.cu"
            }
            NodeType::MemAlloc | NodeType::MemFree => "tests/ui/memcpy-async/freed-in-a-graph.race.cu",
            NodeType::Conditional => "crates/inject/tests/programs/conditional.cu",
            NodeType::ExtSemaphoreSignal | NodeType::ExtSemaphoreWait => {
                "crates/inject/tests/programs/refused.cu"
            }
            NodeType::BatchMemOp => ASKED,
        };
        super::exists(test);
        let served = words(kind.served());
        let _ = writeln!(out, "| `{}` | {served} | `{test}` |", kind.name());
    }
    out += "\n| edge | port | virtual GPU, and lens `ptx` | a test |\n|---|---|---|---|\n";
    for edge in Edge::ALL {
        let test = match edge {
            Edge::Full => "tests/ui/inter-kernel/captured-graph.race.cu",
            Edge::Triggered => "tests/ui/inter-kernel/programmatic-graph-edge.race.cu",
            Edge::Begun => "tests/ui/inter-kernel/programmatic-graph-begun.race.cu",
        };
        super::exists(test);
        let (kind, port) = edge.names();
        let _ = writeln!(out, "| `{kind}` | `{port}` | served: {} | `{test}` |", edge.words());
    }
    out
}

pub(super) fn table() -> String {
    let programs =
        Sources::of(&["crates/inject/tests/programs", "tests/ui", "tests/bugs"], &["cu", "c", "h"]);
    let mut missing = Vec::new();
    let out = runtime(&programs, &mut missing) + &driver(&programs, &mut missing) + &graphs();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    out
}

/// Every exported function has a row as served or refused, and every row is exported.
#[test]
fn the_library_has_what_the_table_says() {
    let exported = exports("libinject.so");
    let ours = exported.iter().filter(|name| name.starts_with("cuda") || name.starts_with("__cuda"));
    let lacks: Vec<_> = ours.filter(|name| find(RUNTIME, name).is_none()).collect();
    assert!(lacks.is_empty(), "`host::api` lacks {lacks:?}");
    let more: Vec<_> = RUNTIME.iter().filter(|f| !exported.contains(f.name)).map(|f| f.name).collect();
    assert!(more.is_empty(), "the library lacks {more:?}");
}

/// Names of functions that a header declares: words behind `mark` and before a parenthesis.
fn declared(text: &str, mark: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rest in text.split(mark).skip(1) {
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0);
        let (name, behind) = rest.split_at(end);
        if name.starts_with("cu") && base(name) == name && behind.trim_start().starts_with('(') {
            found.insert(name.to_owned());
        }
    }
    found
}

/// A header of the toolkit, if there is one.
fn header(name: &str) -> Option<String> {
    let toolkit = std::env::var_os("WARPRACE_CUDA").map(PathBuf::from);
    let toolkit = toolkit.unwrap_or_else(|| super::workspace().join("target/cuda/nvidia/cu13"));
    let text = std::fs::read_to_string(toolkit.join("include").join(name)).ok();
    if text.is_none() {
        assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "there is no {name}");
        eprintln!("skipped: there is no {name}");
    }
    text
}

#[test]
fn the_lists_are_those_of_the_toolkit() {
    let lists = [("cuda_runtime_api.h", "CUDARTAPI", "runtime-api"), ("cuda.h", "CUDAAPI", "driver-api")];
    for (name, mark, list) in lists {
        let Some(text) = header(name) else { continue };
        let declared = declared(&text, mark);
        let listed: BTreeSet<String> =
            super::data(&format!("tests/coverage/{list}.txt")).into_iter().collect();
        let lacks: Vec<_> = declared.difference(&listed).collect();
        let more: Vec<_> = listed.difference(&declared).collect();
        assert!(lacks.is_empty() && more.is_empty(), "{list}.txt lacks {lacks:?} and has {more:?} besides");
    }
}

/// Words of a text that begin so.
fn words_of<'a>(text: &'a str, beginning: &str) -> BTreeSet<&'a str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(beginning)).collect()
}

#[test]
fn kinds_of_nodes_and_edges_are_those_of_the_toolkit() {
    let Some(text) = header("driver_types.h") else { return };
    let mut nodes = words_of(&text, "cudaGraphNodeType");
    nodes.remove("cudaGraphNodeType");
    nodes.remove("cudaGraphNodeTypeCount");
    let ours: BTreeSet<&str> = NodeType::ALL.iter().map(|kind| kind.name()).collect();
    let runtimes = ours.iter().copied().filter(|name| name.starts_with("cuda")).collect::<BTreeSet<_>>();
    assert_eq!(runtimes, nodes);
    let mut edges = words_of(&text, "cudaGraphDependencyType");
    edges.remove("cudaGraphDependencyType");
    edges.remove("cudaGraphDependencyType_enum");
    assert_eq!(Edge::ALL.iter().map(|edge| edge.names().0).collect::<BTreeSet<_>>(), edges);
    let ports = words_of(&text, "cudaGraphKernelNodePort");
    assert_eq!(Edge::ALL.iter().map(|edge| edge.names().1).collect::<BTreeSet<_>>(), ports);
}
