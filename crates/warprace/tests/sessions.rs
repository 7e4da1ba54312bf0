//! Sessions that were recorded on a GPU (`tests/gpu/sessions`), replayed without one.

use serde_json::Value;
use snapshot::session::{Call, Limits, Session, Step, Writer};
use snapshot::{Image, Layout, Object, Surface};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn warprace() -> PathBuf {
    std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into()).into()
}

/// Returns whether the library is there that a test needs.
fn has(library: &str) -> bool {
    let found = warprace().with_file_name(library).exists();
    assert!(found || std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "there is no {library}");
    if !found {
        println!("left out: no {library}; `cargo build -p gpu -p inject` makes it");
    }
    found
}

/// Runs warprace in a folder, and returns its output and the JSON report.
fn run(folder: &Path, words: &[&str], behind: &[&str]) -> (Output, Value) {
    let json = folder.join("report.json");
    let _ = std::fs::remove_file(&json);
    let mut command = Command::new(warprace());
    command.args(words).arg("--json").arg(&json).args(behind).current_dir(folder);
    let output = command.output().unwrap();
    let report = std::fs::read(&json).unwrap_or_default();
    (output, serde_json::from_slice(&report).unwrap_or_default())
}

/// Returns the lines that a fixture marks.
fn marked(fixture: &Path) -> BTreeSet<u64> {
    let text = std::fs::read_to_string(fixture).unwrap();
    let lines = text.lines().zip(1u64..).filter(|(line, _)| line.contains("//~"));
    lines.map(|(_, number)| number).collect()
}

/// Each file is of the fixture with its name, as a GPU has run it.
#[test]
fn sessions_of_a_gpu_have_the_races_of_their_fixtures() {
    if !has("libinject.so") {
        return;
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").canonicalize().unwrap();
    let folder = std::env::temp_dir().join(format!("warprace-sessions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut files = 0;
    for class in
        std::fs::read_dir(tests.join("gpu/sessions")).unwrap().flatten().filter(|e| e.path().is_dir())
    {
        for file in std::fs::read_dir(class.path()).unwrap().flatten() {
            let path = file.path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let fixture = tests.join("ui").join(class.file_name()).join(format!("{name}.cu"));
            let (_, report) = run(&folder, &["replay", "--quiet"], &[path.to_str().unwrap()]);
            files += 1;
            if name.ends_with(".clean") {
                assert!(
                    ["clean", "unseen"].contains(&report["verdict"].as_str().unwrap_or_default()),
                    "{name}: {report}"
                );
                continue;
            }
            assert_eq!(report["verdict"], "race", "{name}: {report}");
            let lines = marked(&fixture);
            for race in report["races"].as_array().unwrap() {
                for side in race["accesses"].as_array().unwrap() {
                    let line = side["line"].as_u64().unwrap_or_default();
                    assert!(lines.contains(&line), "{name}: line {line}: {race}");
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(files > 0, "there are no sessions");
}

/// The driver counts handles of each kind from 1. A surface took the place of a conditional node's cell, so that the
/// kernel that sets the condition failed.
#[test]
fn a_surface_and_a_condition_have_one_handle() {
    if !has("libinject.so") {
        return;
    }
    let path = "../../tests/gpu/sessions/inter-kernel/conditional-body.race.session";
    let file = File::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let session = Session::read(file, Limits::default()).unwrap();
    let folder = std::env::temp_dir().join(format!("warprace-handles-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let changed = folder.join("changed.session");
    let mut writer = Writer::new(File::create(&changed).unwrap(), &session.header).unwrap();
    for text in &session.texts {
        writer.text(text).unwrap();
    }
    for site in &session.sites {
        writer.site(site).unwrap();
    }
    let mut base = None;
    for call in &session.calls {
        writer.call(call).unwrap();
        match &call.step {
            Step::Allocated { base: at, .. } => base = base.or(Some(*at)),
            Step::Condition { handle, .. } => {
                let base = base.expect("memory comes first");
                let layout = Layout { base, row: 64, slice: 64, width: 4, height: 0, depth: 0 };
                let image = Image::Surface(Surface { layout, element: 4, layered: false });
                let step = Step::Image(Object { handle: *handle, image });
                writer.call(&Call { step, ..call.clone() }).unwrap();
            }
            _ => {}
        }
    }
    writer.finish().unwrap();
    let (_, report) = run(&folder, &["replay", "--quiet"], &[changed.to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((&report["verdict"], report["errors"].as_array().map(Vec::len)), (&"race".into(), Some(0)));
}

/// `tests/gpu/libraries.json` is what a GPU's run of `cublas.cu` reported: each side lies on a line that the program
/// marks.
#[test]
fn what_a_gpu_said_of_libraries_lies_on_the_marked_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/gpu");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let (program, record) = (read("cublas.cu"), read("libraries.json"));
    let record: Value = serde_json::from_str(&record).unwrap();
    let lines = program.lines().zip(1u64..).filter(|(line, _)| line.contains("// LINE("));
    let marked: BTreeSet<u64> = lines.map(|(_, number)| number).collect();
    for mode in ["before", "after", "copy", "shared", "clean"] {
        for trust in ["", " --trust cublas"] {
            let said = &record[format!("cublas {mode}{trust}")];
            let hazards = said["hazards"].as_array().unwrap();
            let mut sides = hazards.iter().flat_map(|hazard| hazard.as_array().unwrap());
            assert!(sides.all(|side| marked.contains(&side[2].as_u64().unwrap())), "{mode}: {said}");
            let waits = ["shared", "clean"].contains(&mode);
            assert_eq!((said["races"].as_array().unwrap().len(), hazards.is_empty()), (0, waits), "{mode}");
        }
    }
}
