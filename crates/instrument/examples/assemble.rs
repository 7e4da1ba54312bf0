//! Checks that `ptxas` accepts the output of every pass on the PTX of programs.
//!
//! ```text
//! assemble PTXAS JOBS PASSES FOLDER...
//! ```
//!
//! Each PTX text in the executables under the folders is instrumented by `PASSES` (`guard
//! collide:balanced:shuffle:trap`; `all`) and assembled for its own target and, if possible, for `sm_120`.
//! Each failure is named; the last line has the counts. The exit code is 1 if there was a failure, 2 if there
//! was nothing to do.

use events::SiteTable;
use fatbin::Binary;
use instrument::collide::Options;
use instrument::guard;
use instrument::pass::{Instrumented, Pass};
use std::collections::{BTreeMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const ALL: [&str; 10] = [
    "guard",
    "guard:unpruned",
    "guard,collide:balanced",
    "guard,collide:sampled",
    "collide:balanced",
    "collide:balanced:unpruned",
    "collide:fastest:shuffle:trap",
    "collide:fastest:shuffle",
    "collide:patient",
    "collide:sampled",
];
/// The addresses at which the library places the sink and the table on a GPU.
const SINK: u64 = 0x3000_0000_0000;
const TABLE: u64 = 0x6000_0000_0000;
/// An architecture that runs code for all older ones.
const NEWEST: &str = "sm_120";

/// Returns a text with the checks of a pass, which is validated.
fn instrumented(text: &str, pass: &str) -> Result<String, String> {
    let (mut sites, every) = (SiteTable::default(), |_: &str| true);
    let mut words = pass.split(':');
    let name = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let (prune, has) = (!words.contains(&"unpruned"), |word| words.contains(&word));
    let guarding = guard::Options {
        sink: SINK,
        table: Some(TABLE),
        lines: guard::FEWEST + 2,
        exchange: true,
        told: !guard::launches::launches(text),
        first_check: 0,
        prune,
    };
    let preset = words.iter().find_map(|word| Options::preset(word, SINK));
    let colliding = Options {
        shuffle: has("shuffle").then_some(7),
        trap: has("trap"),
        prune,
        ..preset.unwrap_or_else(|| Options::balanced(SINK))
    };
    let pass = match name {
        "guard" => Pass::Guard(guarding, None),
        "collide" => Pass::Collide(colliding),
        "guard,collide" => Pass::Guard(guarding, Some(colliding)),
        _ => return Err(format!("no pass `{pass}`")),
    };
    let mut made = Instrumented::of(&[text.to_owned()], false, &pass, 0, &mut sites, &every)
        .map_err(|e| e.to_string())?;
    let made_text = made.texts.pop().unwrap_or_default();
    let declared = pass.declared(made.checks.len() as u32);
    validate::validate(text, &made_text, &declared).map_err(|fault| format!("not valid: {fault}"))?;
    Ok(made_text)
}

/// Returns `sm_90` of `.target sm_90, debug`.
fn target(text: &str) -> Option<&str> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(".target"))?;
    line.split([',', ' ', '\t']).find(|word| word.starts_with("sm_"))
}

struct Task {
    name: String,
    text: String,
    pass: String,
    arch: String,
    relocatable: bool,
}

fn assemble(ptxas: &Path, task: &Task, at: &Path) -> Result<(), String> {
    let text = instrumented(&task.text, &task.pass)?;
    let written = at.with_extension("ptx");
    std::fs::write(&written, text).map_err(|e| e.to_string())?;
    let mut command = Command::new(ptxas);
    command.arg("-arch").arg(&task.arch).arg(&written).arg("-o").arg(at.with_extension("cubin"));
    if task.relocatable {
        command.arg("--compile-only");
    }
    let done = command.stdin(Stdio::null()).output().map_err(|e| e.to_string())?;
    match done.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&done.stderr).lines().take(3).collect::<Vec<_>>().join("; ")),
    }
}

/// Collects the files under a folder, each once: fixtures that were compiled together are links to one
/// program.
fn files(folder: &Path, seen: &mut HashSet<(u64, u64)>, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.symlink_metadata() {
            Ok(meta) if meta.is_dir() => files(&path, seen, out),
            Ok(meta) if meta.is_file() && seen.insert((meta.dev(), meta.ino())) => out.push(path),
            _ => {}
        }
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [ptxas, jobs, passes, folders @ ..] = &args[..] else {
        eprintln!("assemble PTXAS JOBS PASSES FOLDER...");
        return ExitCode::from(2);
    };
    let passes: Vec<String> = match passes.as_str() {
        "all" => ALL.map(str::to_owned).to_vec(),
        some => some.split_whitespace().map(str::to_owned).collect(),
    };
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    folders.iter().for_each(|folder| files(Path::new(folder), &mut seen, &mut found));
    let mut tasks = Vec::new();
    for file in &found {
        let Ok(bytes) = std::fs::read(file) else { continue };
        let Ok(binary) = Binary::parse(&bytes) else { continue };
        let texts: Vec<(String, bool)> =
            binary.entries().filter_map(|entry| Some((entry.ptx().ok()?, entry.is_relocatable()))).collect();
        for (text, relocatable) in texts.into_iter().filter(|(text, _)| text.contains(".entry")) {
            let Some(own) = target(&text) else { continue };
            // Code for `sm_90a` runs on that architecture alone, and code of the toolkit may be for a newer
            // one.
            let number = |arch: &str| arch.strip_prefix("sm_").and_then(|number| number.parse::<u32>().ok());
            let newer = (number(own) < number(NEWEST) && number(own).is_some()).then_some(NEWEST);
            for arch in [Some(own), newer].into_iter().flatten() {
                for pass in &passes {
                    tasks.push(Task {
                        name: file.display().to_string(),
                        text: text.clone(),
                        pass: pass.clone(),
                        arch: arch.to_owned(),
                        relocatable,
                    });
                }
            }
        }
    }
    let folder = std::env::temp_dir().join(format!("assemble-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let counts: Mutex<BTreeMap<(String, String), u32>> = Mutex::default();
    std::thread::scope(|scope| {
        for worker in 0..jobs.parse().unwrap_or(1).max(1) {
            let (folder, next, failed, counts, tasks) = (&folder, &next, &failed, &counts, &tasks);
            scope.spawn(move || {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match assemble(Path::new(ptxas), task, &folder.join(worker.to_string())) {
                        Ok(()) => {
                            let key = (task.arch.clone(), task.pass.clone());
                            *counts.lock().expect("no worker panics with it").entry(key).or_default() += 1;
                        }
                        Err(why) => {
                            println!("{} by {} for {}: {why}", task.name, task.pass, task.arch);
                            failed.lock().expect("no worker panics with it").push(task.name.clone());
                        }
                    }
                }
            });
        }
    });
    let _ = std::fs::remove_dir_all(&folder);
    for ((arch, pass), count) in counts.into_inner().expect("no worker panics with it") {
        println!("{arch}: {count} texts by {pass}");
    }
    let failed = failed.into_inner().expect("no worker panics with it");
    println!("{} instrumented texts assembled, {} refused", tasks.len() - failed.len(), failed.len());
    match (tasks.is_empty(), failed.is_empty()) {
        (true, _) => ExitCode::from(2),
        (false, done) => ExitCode::from(u8::from(!done)),
    }
}
