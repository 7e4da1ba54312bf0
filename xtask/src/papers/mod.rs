//! `cargo xtask papers PAPER FOLDER`: a published detector's tables, with the paper's numbers beside warprace's.
//!
//! FOLDER has programs of public suites, which the user has built: no file of theirs is in this repository. The page
//! says which, from which repository and commit.

mod iguard;
mod predatar;
mod scord;

use crate::measure::{Job, Measured, run as measure};
use crate::page;
use crate::shell::{self, Outcome};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const USAGE: &str = "usage: cargo xtask papers predatar|iguard|scord FOLDER [--only TEXT] [--limit SECONDS] [--write]

Runs the programs of a paper's tables, which you have built in FOLDER (docs/results/papers says how), and prints the
tables. With --write they go to docs/results/papers/PAPER.md.";

/// A program, and what it reads.
struct Program {
    /// The name of its file in FOLDER.
    name: &'static str,
    arguments: &'static [&'static str],
    /// What is written to its standard input.
    stdin: fn() -> String,
    /// Files that it reads, in the folder in which it runs.
    files: &'static [Input],
    /// Options of `run` and `trace` that choose a schedule under which it ends.
    schedule: &'static [&'static str],
}

/// Returns a program that reads nothing.
const fn program(name: &'static str, arguments: &'static [&'static str]) -> Program {
    Program { name, arguments, stdin: nothing, files: &[], schedule: &[] }
}

/// A file that a program reads.
struct Input {
    name: &'static str,
    text: fn() -> String,
}

/// What a command needs.
struct Tools {
    warprace: PathBuf,
    /// The user's builds.
    programs: PathBuf,
    /// The folder in which programs run and records lie.
    work: PathBuf,
    limit: Duration,
}

/// What a detector said of a record.
struct Answer {
    /// Distinct pairs of places.
    pairs: usize,
    wall: Duration,
    /// The most memory that the analysis held at once, in KiB.
    peak: u64,
}

pub(crate) fn run(args: &[&str]) -> Outcome {
    let (mut names, mut only, mut write, mut limit) = (Vec::new(), "", false, 120);
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        let mut value = || args.next().copied().ok_or_else(|| format!("`{arg}` needs a value; {USAGE}"));
        match arg {
            "--only" => only = value()?,
            "--limit" => limit = value()?.parse().map_err(|_| USAGE)?,
            "--write" => write = true,
            _ if arg.starts_with('-') => return Err(USAGE.to_owned()),
            name => names.push(name),
        }
    }
    let [paper, folder] = names[..] else { return Err(USAGE.to_owned()) };
    if write && !only.is_empty() {
        return Err("`--write` is for all programs, not for some".to_owned());
    }
    let table = match paper {
        "predatar" => predatar::tables,
        "iguard" => iguard::tables,
        "scord" => scord::tables,
        other => return Err(format!("there is no paper `{other}`; {USAGE}")),
    };
    let programs = Path::new(folder).canonicalize().map_err(|e| format!("cannot read {folder}: {e}"))?;
    let work = shell::target().join("papers").join(paper);
    shell::make_dir(&work)?;
    let limit = Duration::from_secs(limit);
    let tools = Tools { warprace: shell::build_release()?, programs, work, limit };
    let text = page::wrapped(&table(&tools, only)?);
    print!("{text}");
    if !write {
        return Ok(());
    }
    let path = shell::root().join(format!("docs/results/papers/{paper}.md"));
    path.parent().map_or(Ok(()), shell::make_dir)?;
    std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

impl Tools {
    /// Returns the program's file, unless FOLDER lacks it.
    fn file(&self, program: &Program) -> Option<PathBuf> {
        let file = self.programs.join(program.name);
        file.is_file().then_some(file)
    }

    /// Writes what the program reads, and returns the file of its standard input.
    fn prepare(&self, program: &Program) -> Outcome<PathBuf> {
        let stdin = (format!("{}.in", program.name), (program.stdin)());
        let files = program.files.iter().map(|file| (file.name.to_owned(), (file.text)()));
        for (name, text) in files.chain([stdin.clone()]) {
            let path = self.work.join(name);
            std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        }
        Ok(self.work.join(stdin.0))
    }

    /// Runs a program under `warprace run`.
    fn run(&self, program: &Program, file: &Path, options: &[&str]) -> Outcome<Measured> {
        let stdin = self.prepare(program)?;
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        measure(&Job {
            under: &[],
            warprace: &self.warprace,
            options: &owned(&[&["--jobs", "1"], program.schedule, options].concat()),
            program: file,
            args: &owned(program.arguments),
            folder: &self.work,
            stdin: Some(&stdin),
            limit: self.limit,
        })
    }

    /// Records a program's execution, and returns the record and how long that took.
    fn record(&self, program: &Program, file: &Path) -> Outcome<(PathBuf, Duration)> {
        let stdin = self.prepare(program)?;
        let trace = self.work.join(format!("{}.trace", program.name));
        let mut command = self.timed_out();
        command.args(["trace", "--quiet", "-o"]).arg(&trace).args(program.schedule);
        command.arg("--").arg(file).args(program.arguments);
        let input = File::open(&stdin).map_err(|e| format!("cannot open {}: {e}", stdin.display()))?;
        let (_, wall, _) = watched(command.stdin(input))?;
        Ok((trace, wall))
    }

    /// Asks a detector about a record. `None` if it did not answer in time.
    fn ask(&self, trace: &Path, lens: &str) -> Outcome<Option<Answer>> {
        let json = trace.with_extension("json");
        let _ = std::fs::remove_file(&json);
        let mut command = self.timed_out();
        command.args(["predict", "--quiet", "--detector", lens, "--json"]).arg(&json).arg(trace);
        let (_, wall, peak) = watched(&mut command)?;
        let text = std::fs::read_to_string(&json).unwrap_or_default();
        let document: Value = serde_json::from_str(&text).unwrap_or_default();
        let answered = document["races"].is_array();
        Ok(answered.then(|| Answer { pairs: pairs(&document).len(), wall, peak }))
    }

    /// Returns what ScoRD's model of a GPU's memory says of a record.
    fn traffic(&self, trace: &Path) -> Outcome<String> {
        let mut command = self.timed_out();
        command.args(["predict", "--quiet", "--detector", "scord", "--traffic"]).arg(trace);
        let done = command.output().map_err(|e| format!("cannot run timeout: {e}"))?;
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }

    /// Returns `timeout LIMIT warprace`, run where programs run.
    fn timed_out(&self) -> Command {
        let mut command = Command::new("timeout");
        command.arg(self.limit.as_secs().to_string()).arg(&self.warprace).current_dir(&self.work);
        command
    }
}

/// Runs a command in silence, and returns its exit code, its time and the most memory that it or a child of it held at
/// once, in KiB.
fn watched(command: &mut Command) -> Outcome<(Option<i32>, Duration, u64)> {
    let start = Instant::now();
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let child = child.map_err(|e| format!("cannot run {}: {e}", shell::display(command)))?;
    let mut status = 0;
    // SAFETY: `rusage` is a structure of integers; the call fills in both variables for a child of this process, which
    // nothing else waits for.
    let peak = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        match libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage) {
            -1 => return Err(format!("cannot wait: {}", std::io::Error::last_os_error())),
            _ => usage.ru_maxrss as u64,
        }
    };
    Ok((std::process::ExitStatus::from_raw(status).code(), start.elapsed(), peak))
}

/// Returns the distinct pairs of places that a document reports, whichever access came first. A place is a line of a
/// source or, in programs without line information, of the PTX. A predicted race counts.
fn pairs(document: &Value) -> BTreeSet<[String; 2]> {
    let list = |key: &str| document[key].as_array().cloned().unwrap_or_default();
    let place = |access: &Value| match access["line"].as_u64() {
        Some(line) if line > 0 => format!("{}:{line}", access["file"].as_str().unwrap_or_default()),
        _ => format!("{}:{}", access["kernel"].as_str().unwrap_or_default(), access["ptx_line"]),
    };
    let both = |finding: &Value| {
        let mut places = [0, 1].map(|at| place(&finding["accesses"][at]));
        places.sort();
        places
    };
    list("races").iter().chain(&list("hazards")).map(both).collect()
}

/// Returns a sentence about the command, the day, the machine and the commit.
fn made(paper: &str) -> String {
    let said = |command: &str, arguments: &[&str]| {
        let done = Command::new(command).args(arguments).current_dir(shell::root()).output();
        done.map(|done| String::from_utf8_lossy(&done.stdout).trim().to_owned()).unwrap_or_default()
    };
    let (day, commit) = (said("date", &["+%-d %B %Y"]), said("git", &["rev-parse", "--short=8", "HEAD"]));
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "Made by `cargo xtask papers {paper} FOLDER --write` on {day}, commit {commit}, on {cores} cores of an x86-64 machine, \
         without a GPU: the virtual GPU, with one worker, at a load average of {load}."
    )
}

/// Returns no input.
fn nothing() -> String {
    String::new()
}
