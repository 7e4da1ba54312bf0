//! `warprace fix`, `slim` and `shrink` on the fixtures and the corpus of real bugs: what is offered is built
//! from source and run again.
//!
//! A sample is tried by every run of the tests; `cargo xtask fixes` tries all and writes
//! `docs/results/fix.md`. Without nvcc the tests say that they were skipped.

mod toolkit;

use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace exists")
}

fn warprace() -> Command {
    let path = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let mut command = Command::new(path);
    command.current_dir(workspace());
    command
}

/// A racy program, in a folder of its own.
struct Case {
    name: String,
    /// The text that is built, with its includes found from anywhere.
    text: String,
    nvcc: Vec<String>,
    run: Vec<String>,
    arguments: Vec<String>,
}

impl Case {
    /// Reads a fixture of `tests/ui`.
    fn fixture(name: &str) -> Case {
        let folder = workspace().join("tests/ui");
        let text = std::fs::read_to_string(folder.join(name)).expect("the fixture is there");
        let words = |key: &str| -> Vec<String> {
            let line = text.lines().find_map(|l| l.strip_prefix(&format!("//@ {key}: ")));
            line.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
        };
        let beside = folder.join(name).parent().expect("a fixture has a folder").to_path_buf();
        let others = words("aux").into_iter().map(|aux| beside.join(aux).to_string_lossy().into_owned());
        Case {
            name: name.to_owned(),
            nvcc: words("nvcc").into_iter().chain(others).collect(),
            run: words("run"),
            arguments: words("args"),
            text: text.replace("\"../support/", &format!("\"{}/support/", folder.display())),
        }
    }

    /// Reads a miniature of `tests/bugs`, with a `main` that runs the racy variant.
    fn bug(name: &str) -> Case {
        let folder = workspace().join("tests/bugs");
        let text = std::fs::read_to_string(folder.join(format!("{name}.cu"))).expect("the bug is there");
        let run = text.lines().find_map(|l| l.strip_prefix("//@ run: ")).unwrap_or_default();
        Case {
            name: name.to_owned(),
            nvcc: vec!["-g".into(), format!("-I{}", folder.display())],
            run: run.split_whitespace().map(str::to_owned).collect(),
            arguments: vec![],
            text: format!("{text}\n#include <cuda/barrier>\nint main() {{ run<false>(); return 0; }}\n"),
        }
    }

    fn file(&self, folder: &Path) -> PathBuf {
        let name = self.name.replace(['/', '.'], "-");
        folder.join(format!("{name}.cu"))
    }
}

/// The compiler, and a folder for what it makes.
struct Builder {
    nvcc: PathBuf,
    folder: PathBuf,
}

impl Builder {
    fn new(name: &str) -> Option<Builder> {
        let nvcc = toolkit::toolkit()?.join("bin/nvcc");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        Some(Builder { nvcc, folder })
    }

    fn flags(&self, case: &Case) -> Vec<String> {
        let mut flags = vec!["-lineinfo".to_owned()];
        if !case.nvcc.iter().any(|f| f.starts_with("-std")) {
            flags.push("-std=c++17".into());
        }
        if !case.nvcc.iter().any(|f| f.starts_with("-arch") || f.starts_with("-gencode")) {
            flags.extend(["-gencode".into(), "arch=compute_90,code=compute_90".into()]);
        }
        flags.extend(case.nvcc.iter().cloned());
        flags
    }

    fn build(&self, case: &Case, source: &Path) -> Result<PathBuf, String> {
        let program = source.with_extension("");
        let mut command = Command::new(&self.nvcc);
        command.current_dir(workspace().join("tests/ui")).args(self.flags(case));
        let done = command.arg(source).arg("-o").arg(&program).output().expect("nvcc runs");
        match done.status.success() {
            true => Ok(program),
            false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
        }
    }

    /// Returns the command by which `warprace fix` builds changed sources.
    fn command(&self, case: &Case) -> String {
        let flags = self.flags(case).join(" ");
        let folder = workspace().join("tests/ui");
        format!("cd {} && {} {flags} {{source}} -o {{program}}", folder.display(), self.nvcc.display())
    }
}

/// The offer of `warprace fix`.
struct Offered {
    text: String,
    built: bool,
}

fn fix(
    builder: &Builder,
    case: &Case,
    program: &Path,
    with_compiler: bool,
) -> Result<Option<Offered>, String> {
    let json = program.with_extension("json");
    let mut command = warprace();
    command.arg("fix").arg("--all").arg("--project").arg(&builder.folder).arg("--json").arg(&json);
    if !case.run.is_empty() {
        command.arg(format!("--run={}", case.run.join(" ")));
    }
    if with_compiler {
        command.arg("--build").arg(builder.command(case)).args(["--tries", "40"]);
    }
    let done = command.arg("--").arg(program).args(&case.arguments).output().expect("warprace runs");
    let text =
        std::fs::read_to_string(&json).map_err(|_| String::from_utf8_lossy(&done.stderr).into_owned())?;
    let value: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let Some(offer) = value["offers"].get(0) else { return Ok(None) };
    let files = offer["files"].as_array().map_or(0, Vec::len);
    if files != 1 {
        return Err(format!("{files} files are changed"));
    }
    let text = offer["files"][0]["text"].as_str().unwrap_or_default().to_owned();
    Ok(Some(Offered { text, built: with_compiler }))
}

/// Runs a program under 20 schedules and with prediction. The error says what is wrong with it.
fn clean(case: &Case, program: &Path) -> Result<(), String> {
    let json = program.with_extension("report.json");
    let mut command = warprace();
    command.args(["run", "--quiet", "--explore", "20", "--predict", "--timeout", "120", "--json"]).arg(&json);
    command.args(&case.run).arg("--").arg(program).args(&case.arguments).output().expect("warprace runs");
    let text = std::fs::read_to_string(&json).map_err(|e| e.to_string())?;
    let value: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let (verdict, code) = (&value["verdict"], &value["program"]["exit_code"]);
    match (verdict.as_str(), code.as_i64()) {
        (Some("clean"), Some(0)) => Ok(()),
        _ => Err(format!("{verdict}, exit code {code}, {}", value["races"][0]["title"])),
    }
}

/// The result for a case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mended {
    InPtx,
    WithCompiler,
    No,
}

/// Mends a case, and tries the offer: built from source and run. An offer that does not hold is an error.
fn mend(builder: &Builder, case: &Case, with_compiler: bool) -> Result<Mended, String> {
    let source = case.file(&builder.folder);
    std::fs::write(&source, &case.text).map_err(|e| e.to_string())?;
    let program = builder.build(case, &source)?;
    let mut offered = fix(builder, case, &program, false)?;
    if offered.is_none() && with_compiler {
        offered = fix(builder, case, &program, true)?;
    }
    let Some(Offered { text, built }) = offered else { return Ok(Mended::No) };
    let changed =
        source.with_file_name(format!("mended-{}", source.file_name().unwrap_or_default().to_string_lossy()));
    std::fs::write(&changed, text).map_err(|e| e.to_string())?;
    let mended = builder.build(case, &changed)?;
    let result = clean(case, &mended);
    for path in [&program, &mended] {
        let _ = std::fs::remove_file(path);
    }
    result.map(|()| if built { Mended::WithCompiler } else { Mended::InPtx })
}

/// Changes that are found in the PTX alone, one for each kind, hold when the source is built.
#[test]
fn offers_of_a_sample_hold_when_they_are_built() {
    let Some(builder) = Builder::new("fixes-sample") else { return };
    for name in ["missing-barrier/tile-load.race.cu", "atomic-scope/cas-loop.race.cu"] {
        let mended = mend(&builder, &Case::fixture(name), false).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(mended == Mended::InPtx, "{name} is not mended");
    }
}

/// The program that `shrink` writes is built, and has the same race.
#[test]
fn a_shrunk_program_builds_and_races() {
    let Some(builder) = Builder::new("fixes-shrink") else { return };
    let case = Case::fixture("missing-barrier/tile-load.race.cu");
    let source = case.file(&builder.folder);
    std::fs::write(&source, &case.text).unwrap();
    let program = builder.build(&case, &source).unwrap();
    let small = builder.folder.join("small");
    let done = warprace().args(["shrink", "-o"]).arg(&small).arg("--").arg(&program).output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{told}{}", String::from_utf8_lossy(&done.stderr));
    assert!(told.contains("4 blocks of 128 threads became 1 block of 65 threads"), "{told}");
    let replayed = warprace().arg("replay").arg(small.join("shrunk.launch")).output().unwrap();
    assert_eq!(replayed.status.code(), Some(66));
    let alone = builder.build(&Case { nvcc: vec![], ..case }, &small.join("shrunk.cu")).unwrap();
    let ran = warprace().arg("run").arg("--").arg(&alone).output().unwrap();
    let report = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(66), "{report}");
    assert!(report.contains("race[missing-barrier]") && report.contains("tile[t] = in[i];"), "{report}");
}

/// A barrier that nothing needs goes, and the one that orders the tile stays.
#[test]
fn slim_removes_what_is_not_needed() {
    let Some(builder) = Builder::new("fixes-slim") else { return };
    let case = Case::fixture("missing-barrier/tile-load.clean.cu");
    let twice = case.text.replace("    out[i] = mirrored;", "    __syncthreads();\n    out[i] = mirrored;");
    assert_ne!(twice, case.text);
    let source = case.file(&builder.folder);
    std::fs::write(&source, &twice).unwrap();
    let program = builder.build(&case, &source).unwrap();
    let mut command = warprace();
    command.args(["slim", "--apply", "--project"]).arg(&builder.folder).arg("--").arg(&program);
    let done = command.output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{told}{}", String::from_utf8_lossy(&done.stderr));
    let after = std::fs::read_to_string(&source).unwrap();
    assert_eq!(after.matches("__syncthreads();").count(), 1, "{told}");
    let program = builder.build(&case, &source).unwrap();
    clean(&case, &program).unwrap();
}

fn racy(folder: &Path, into: &mut Vec<String>, root: &Path) {
    for entry in std::fs::read_dir(folder).expect("the folder can be listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            racy(&path, into, root);
        } else if path.to_string_lossy().ends_with(".race.cu") {
            into.push(path.strip_prefix(root).expect("it is inside").to_string_lossy().into_owned());
        }
    }
}

/// Tries everything, and writes the table. `WARPRACE_FIXES` restricts it to names that contain a word; no
/// table is written then.
#[test]
#[ignore = "takes an hour: `cargo xtask fixes`"]
fn every_offer_is_tried() {
    let Some(builder) = Builder::new("fixes") else { return };
    let filter = std::env::var("WARPRACE_FIXES").unwrap_or_default();
    let (ui, bugs) = (workspace().join("tests/ui"), workspace().join("tests/bugs"));
    let mut names = Vec::new();
    racy(&ui, &mut names, &ui);
    let mut cases: Vec<Case> =
        names.iter().filter(|n| n.contains(&filter)).map(|n| Case::fixture(n)).collect();
    for entry in std::fs::read_dir(&bugs).expect("the corpus can be listed").flatten() {
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|e| e == "cu") && name.contains(&filter) {
            cases.push(Case::bug(&name));
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(String, Result<Mended, String>)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = mend(&builder, case, true);
                    let said = match &result {
                        Ok(Mended::InPtx) => "mended".to_owned(),
                        Ok(Mended::WithCompiler) => "mended with --build".to_owned(),
                        Ok(Mended::No) => "no offer".to_owned(),
                        Err(e) => format!("WRONG: {}", e.lines().next().unwrap_or_default()),
                    };
                    println!("{}: {said}", case.name);
                    results.lock().expect("no thread panics").push((case.name.clone(), result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics");
    results.sort_by(|a, b| a.0.cmp(&b.0));
    if filter.is_empty() {
        std::fs::write(workspace().join("docs/results/fix.md"), page(&results)).expect("the page is written");
    }
    let wrong: Vec<&str> =
        results.iter().filter(|(_, r)| r.is_err()).map(|(name, _)| name.as_str()).collect();
    assert!(wrong.is_empty(), "offers that do not hold: {}", wrong.join(", "));
}

/// Returns the first line of what a command prints.
fn said(command: &str, arguments: &[&str]) -> String {
    let done = Command::new(command).args(arguments).current_dir(workspace()).output().expect("it runs");
    String::from_utf8_lossy(&done.stdout).lines().next().unwrap_or_default().to_owned()
}

fn page(results: &[(String, Result<Mended, String>)]) -> String {
    let (date, commit) = (said("date", &["+%-d %B %Y"]), said("git", &["rev-parse", "--short=8", "HEAD"]));
    let mut out = format!(
        "# Mending, measured\n\n\
        `cargo xtask fixes` has `warprace fix --all` mend each racy fixture and each real bug: in the PTX\n\
        alone and, where that finds nothing, with `--build`. Each offer is then built from source, and has\n\
        to be clean under 20 schedules and prediction, with exit code 0.\n\n\
        {date}, commit {commit}, dev profile.\n\n\
        | | programs | mended in the PTX | with `--build` | no offer | wrong offer | mended |\n\
        |---|---|---|---|---|---|---|\n"
    );
    for (title, fixtures) in [("racy fixtures", true), ("real bugs", false)] {
        let of: Vec<_> = results.iter().filter(|(name, _)| name.contains('/') == fixtures).collect();
        let count =
            |what: Mended| of.iter().filter(|(_, r)| matches!(r, Ok(found) if *found == what)).count();
        let (ptx, built, none) = (count(Mended::InPtx), count(Mended::WithCompiler), count(Mended::No));
        let percent = (ptx + built) * 100 / of.len().max(1);
        let wrong = of.len() - ptx - built - none;
        let _ =
            writeln!(out, "| {title} | {} | {ptx} | {built} | {none} | {wrong} | {percent} % |", of.len());
    }
    let listed = |out: &mut String, is: &dyn Fn(&Result<Mended, String>) -> bool| {
        for (name, _) in results.iter().filter(|(_, result)| is(result)) {
            let _ = writeln!(out, "* `{name}`");
        }
    };
    if results.iter().any(|(_, result)| result.is_err()) {
        out += "\n## Wrong offers\n\n\
            Offered after edits of the PTX; built from source, the change does not compile or leaves a race:\n\n";
        listed(&mut out, &|result| result.is_err());
    }
    out += "\n## No offer\n\nNo change that was tried left these without a finding:\n\n";
    listed(&mut out, &|result| matches!(result, Ok(Mended::No)));
    out
}
