//! `warprace fix`, `slim` and `shrink` on the fixtures and the corpus of real bugs: what is offered is built
//! from source and run again. `warprace report --issue` shows it.
//!
//! A sample is tried by every run of the tests; `cargo xtask fixes`, `shrink` and `slim` try all and write
//! `docs/results/fix.md`, `shrink.md` and `slim.md`. Without nvcc the tests say that they were skipped.

#[path = "fixes/case.rs"]
mod case;
#[path = "fixes/mended.rs"]
mod mended;
#[path = "fixes/record.rs"]
mod record;
#[path = "fixes/seeded.rs"]
mod seeded;
#[path = "fixes/shrunk.rs"]
mod shrunk;
#[path = "fixes/slimmed.rs"]
mod slimmed;
mod toolkit;

use case::{Builder, Case};
use mended::{Mended, clean, fix, mend};
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

/// Returns the first line of what a command prints.
fn said(command: &str, arguments: &[&str]) -> String {
    let done = Command::new(command).args(arguments).current_dir(workspace()).output().expect("it runs");
    String::from_utf8_lossy(&done.stdout).lines().next().unwrap_or_default().to_owned()
}

/// Calls `job` for each item from as many threads as `WARPRACE_JOBS` says, or as there are processors.
fn in_parallel<T: Sync>(items: &[T], job: impl Fn(&T) + Sync) {
    let asked = std::env::var("WARPRACE_JOBS").ok().and_then(|jobs| jobs.parse().ok());
    let jobs = asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(2, usize::from));
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    job(item);
                }
            });
        }
    });
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

/// A fixture whose finding was shrunk.
struct Small {
    program: PathBuf,
    /// What `shrink` has printed.
    told: String,
    /// The stand-alone program.
    alone: PathBuf,
}

/// Shrinks the finding of a fixture, replays the saved `file` and builds the stand-alone program.
fn small(builder: &Builder, fixture: &str, file: &str) -> Small {
    let case = Case::fixture(fixture);
    let source = case.file(&builder.folder);
    std::fs::write(&source, &case.text).unwrap();
    let program = builder.build(&case, &source).unwrap();
    let folder = builder.folder.join("small");
    let done = warprace().args(["shrink", "-o"]).arg(&folder).arg("--").arg(&program).output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{told}{}", String::from_utf8_lossy(&done.stderr));
    let replayed = warprace().arg("replay").arg(folder.join(file)).output().unwrap();
    assert_eq!(replayed.status.code(), Some(66));
    let alone = builder.build(&Case { nvcc: vec![], ..case }, &folder.join("shrunk.cu")).unwrap();
    Small { program, told, alone }
}

/// Runs a racy program and returns the report.
fn report(options: &[&str], program: &Path) -> String {
    let ran = warprace().arg("run").args(options).arg("--").arg(program).output().unwrap();
    let report = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(66), "{report}");
    report
}

/// The program that `shrink` writes is built, and has the same race.
#[test]
fn a_shrunk_program_builds_and_races() {
    let Some(builder) = Builder::new("fixes-shrink") else { return };
    let small = small(&builder, "missing-barrier/tile-load.race.cu", "shrunk.launch");
    assert!(small.told.contains("4 blocks of 128 threads became 1 block of 33 threads"), "{}", small.told);
    let report = report(&[], &small.alone);
    assert!(report.contains("race[missing-barrier]") && report.contains("tile[t] = in[i];"), "{report}");
}

/// Two launches of one thread each are left of a race between streams. They are replayed, and built as a program; in the
/// program itself they are cut down by `--launch-shape`.
#[test]
fn two_launches_that_race_become_a_session_and_a_program() {
    let Some(builder) = Builder::new("fixes-shrink-two") else { return };
    let small = small(&builder, "inter-kernel/two-streams.race.cu", "shrunk.session");
    for kernel in ["produce", "consume"] {
        let line = format!("2 blocks of 64 threads became 1 block of 1 thread (`{kernel}`)");
        assert!(small.told.contains(&line), "{}", small.told);
    }
    let shapes =
        ["--launch-shape", "_Z7producePi=1,1,1/1,1,1", "--launch-shape", "_Z7consumePKiPi=1,1,1/1,1,1"];
    for (options, program) in [(&[][..], &small.alone), (&shapes[..], &small.program)] {
        let report = report(options, program);
        assert!(
            report.contains("race[inter-kernel]") && report.contains("in 2 launches: 2 threads"),
            "{report}"
        );
        let cut = report.contains("launches of `produce` were cut down by `--launch-shape`");
        assert_eq!(cut, !options.is_empty(), "{report}");
    }
}

/// The report of a run and the change that `fix` offers become an issue: with both lines, the replay line of the run,
/// which shows the race again, and the diff; with notes and without code, if that is asked.
#[test]
fn a_report_becomes_an_issue() {
    let Some(builder) = Builder::new("fixes-issue") else { return };
    let case = Case::fixture("missing-barrier/tile-load.race.cu");
    let source = case.file(&builder.folder);
    std::fs::write(&source, &case.text).unwrap();
    let program = builder.build(&case, &source).unwrap();
    let (report, change) = (builder.folder.join("report.json"), program.with_extension("json"));
    let ran = warprace().args(["run", "--json"]).arg(&report).arg("--").arg(&program).output().unwrap();
    assert_eq!(ran.status.code(), Some(66));
    fix(&builder, &case, &program, false).unwrap().expect("a change is offered");
    let issue = |options: &[&std::ffi::OsStr]| {
        let mut command = warprace();
        command.current_dir(&builder.folder).args(["report", "--issue", "1"]).args(options).arg(&report);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    let text = issue(&["--fix".as_ref(), change.as_os_str()]);
    let (tile, out) = (line_of(&case.text, "tile[t] = in[i];"), line_of(&case.text, "= tile["));
    for part in [
        format!(".cu:{tile}`"),
        format!(".cu:{out}`"),
        "tile[t] = in[i];".into(),
        "+    __syncthreads();".into(),
    ] {
        assert!(text.contains(&part), "`{part}` is missing in {text}");
    }
    let replay = text.lines().find(|line| line.starts_with("warprace run --replay")).expect("a replay line");
    let again = warprace().args(replay.split_whitespace().skip(1)).output().unwrap();
    assert_eq!(again.status.code(), Some(66), "{}", String::from_utf8_lossy(&again.stderr));
    let notes = builder.folder.join("notes.md");
    std::fs::write(&notes, "# Mirrored rows are wrong\n\n## Affected\n\ncommit 1a2b3c\n").unwrap();
    let text = issue(&["--no-code".as_ref(), "--notes".as_ref(), notes.as_os_str()]);
    assert!(text.starts_with("# Mirrored rows are wrong\n") && text.contains("commit 1a2b3c"), "{text}");
    assert!(text.contains(&format!(".cu:{tile}`")) && !text.contains("tile[t]"), "{text}");
}

/// Returns the number of the only line that contains a text.
fn line_of(source: &str, text: &str) -> usize {
    let mut lines = source.lines().zip(1..).filter(|(line, _)| line.contains(text));
    match (lines.next(), lines.next()) {
        (Some((_, number)), None) => number,
        other => panic!("`{text}` is in no line, or in several: {other:?}"),
    }
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

/// Tries everything, and writes the record and its page. `WARPRACE_FIXES` restricts it to names that contain a
/// word, or to the programs that the record does not call mended (`unmended`); their rows are replaced.
#[test]
#[ignore = "takes an hour: `cargo xtask fixes`"]
fn every_offer_is_tried() {
    let Some(builder) = Builder::new("fixes") else { return };
    let filter = std::env::var("WARPRACE_FIXES").unwrap_or_default();
    let record = Mutex::new(record::Record::read());
    let known = record::Record::read();
    let wanted = |name: &str| match filter.as_str() {
        "unmended" => !known.is_mended(name),
        words => words.split(',').any(|word| name.contains(word)),
    };
    let cases = case::cases(true, wanted);
    let commit = said("git", &["rev-parse", "--short=8", "HEAD"]);
    in_parallel(&cases, |case| {
        let result = mend(&builder, case, true);
        let (word, why) = match &result {
            Ok(Mended::InPtx) => ("ptx", ""),
            Ok(Mended::WithCompiler) => ("build", ""),
            Ok(Mended::No) => ("none", ""),
            Err(e) => ("wrong", e.lines().next().unwrap_or_default()),
        };
        println!("{}: {word} {why}", case.name);
        let mut record = record.lock().expect("no thread panics");
        record.set(&case.name, word, &commit);
        record.write();
    });
    let record = record.into_inner().expect("no thread panics");
    assert!(record.wrong().is_empty(), "offers that do not hold: {}", record.wrong().join(", "));
}

/// Shrinks every finding of the racy fixtures and writes the page.
#[test]
#[ignore = "takes an hour: `cargo xtask shrink`"]
fn every_finding_is_shrunk() {
    let Some(builder) = Builder::new("shrink") else { return };
    shrunk::all(&builder, &std::env::var("WARPRACE_FIXES").unwrap_or_default());
}

/// Two seeded programs lose what they do not need and keep what they need.
#[test]
fn slim_finds_what_was_seeded() {
    let Some(builder) = Builder::new("slim-sample") else { return };
    for program in seeded::all().iter().take(2) {
        let found = slimmed::try_one(&builder, program).unwrap_or_else(|e| panic!("{}: {e}", program.name));
        assert_eq!((found.removed, found.lost), (program.redundant.len(), 0), "{}", program.name);
    }
}

/// Slims every seeded program, shows that each mutant races, and writes the page.
#[test]
#[ignore = "takes half an hour: `cargo xtask slim`"]
fn every_seeded_program_is_slimmed() {
    let Some(builder) = Builder::new("slim") else { return };
    slimmed::all(&builder, &std::env::var("WARPRACE_FIXES").unwrap_or_default());
}
