//! Runs a program under warprace, with edited PTX or not, and reads what was found.

use crate::folder::Folder;
use protocol::texts;
use report::Document;
use report::proof::Proved;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Schedules under which an offered change has been run.
pub(crate) const SCHEDULES: u32 = 20;

/// Seconds that a run may take in any case.
const SHORTEST: u64 = 20;

/// How thorough a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// One schedule.
    Once,
    /// Twenty schedules, and those that prediction asks for.
    All,
}

/// A program to run again and again.
pub(crate) struct Runs {
    pub(crate) program: Vec<OsString>,
    /// Options of `warprace run`.
    pub(crate) options: Vec<String>,
    /// The folder of PTX texts, reports and programs that were built.
    folder: Folder,
    /// Seconds after which a run is ended.
    limit: u64,
}

/// PTX texts: the original and, if it is changed, the new one.
pub(crate) struct Edited<'t> {
    pub(crate) original: &'t str,
    pub(crate) new: String,
}

impl Runs {
    pub(crate) fn new(program: Vec<OsString>, options: Vec<String>) -> Result<Runs, String> {
        Ok(Runs { program, options, folder: Folder::new(false)?, limit: 600 })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Bounds later runs by the time that one took.
    pub(crate) fn bound(&mut self, seconds: u64) {
        self.limit = SHORTEST.max(10 * seconds).min(600);
    }

    fn texts(&self) -> PathBuf {
        self.folder.path().join("texts")
    }

    /// Returns the PTX texts that the program has loaded so far.
    pub(crate) fn loaded(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.texts()).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.retain(|p| p.file_name().is_some_and(|name| texts::is_original(&name.to_string_lossy())));
        paths.sort();
        paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
    }

    /// Runs the program itself with edited PTX.
    pub(crate) fn patched(&self, edited: &[Edited<'_>], depth: Depth) -> Result<Document, String> {
        let folder = self.texts();
        let write = |e: &Edited<'_>| std::fs::write(texts::edited(&folder, e.original), &e.new);
        edited.iter().try_for_each(write).map_err(|e| format!("cannot write edited PTX: {e}"))?;
        let seen = self.run(&self.program, depth);
        for e in edited {
            let _ = std::fs::remove_file(texts::edited(&folder, e.original));
        }
        seen
    }

    /// Runs another build of the program.
    pub(crate) fn built(&self, built: &Path, depth: Depth) -> Result<Document, String> {
        let mut program = self.program.clone();
        program[0] = built.into();
        self.run(&program, depth)
    }

    /// Runs the program itself with more options.
    pub(crate) fn with(&self, more: &[&str]) -> Result<Document, String> {
        self.once(&self.program, more)
    }

    fn run(&self, program: &[OsString], depth: Depth) -> Result<Document, String> {
        if depth == Depth::Once {
            return self.once(program, &[]);
        }
        let schedules = SCHEDULES.to_string();
        let mut found = self.once(program, &["--explore", &schedules, "--predict"])?;
        let whole = found.limits.iter().any(|limit| limit.contains("not explored"));
        let named = |o: &String| ["--schedule", "--seed", "--replay"].iter().any(|n| o.starts_with(n));
        for seed in 1..SCHEDULES {
            if !whole || self.options.iter().any(named) || found.findings().next().is_some() {
                break;
            }
            let seed = seed.to_string();
            found = self.once(program, &["--schedule", "random", "--seed", &seed])?;
        }
        Ok(found)
    }

    fn once(&self, program: &[OsString], more: &[&str]) -> Result<Document, String> {
        let folder = self.folder.path();
        let _ = std::fs::create_dir_all(self.texts());
        let (json, log, facts) = (folder.join("report.json"), folder.join("report.log"), self.facts());
        let _ = std::fs::remove_file(&json);
        let mut command = warprace()?;
        command.args(["run", "--quiet", "--module-texts"]).arg(self.texts());
        command.arg("--json").arg(&json).arg("--log-file").arg(&log).arg("--facts").arg(facts);
        command.arg("--timeout").arg(self.limit.to_string());
        command.args(&self.options).args(more).arg("--").args(program);
        let done = command.output().map_err(|e| format!("cannot run warprace: {e}"))?;
        let text = std::fs::read_to_string(&json).map_err(|_| {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            let said = said.trim().trim_start_matches("error: ").to_owned();
            if said.is_empty() { format!("the run wrote no report ({})", done.status) } else { said }
        })?;
        serde_json::from_str(&text).map_err(|e| format!("the report cannot be read: {e}"))
    }

    fn facts(&self) -> PathBuf {
        self.folder.path().join("launches")
    }

    /// Returns the launches of the last run.
    pub(crate) fn launched(&self) -> Vec<events::task::LaunchInfo> {
        let text = std::fs::read_to_string(self.facts()).unwrap_or_default();
        let launch = |line: &str| serde_json::from_str::<events::ObservedLaunch>(line).ok();
        text.lines().filter_map(launch).map(|launch| launch.info).collect()
    }

    /// Asks the prover about the last run's launches of kernels of a text. Returns its answers and the races
    /// that it showed; `None` if the text alone is no whole module.
    pub(crate) fn proved(&self, text: &str) -> Option<(Vec<Proved>, bool)> {
        let facts = self.facts();
        self.asked(text, &["--facts".as_ref(), facts.as_os_str()])
    }

    /// Asks the prover about all launches of some kernels of a text.
    pub(crate) fn proved_for_all(&self, text: &str, kernels: &[String]) -> Option<(Vec<Proved>, bool)> {
        let names: Vec<String> = kernels.iter().map(|kernel| format!("--kernel-name=kne={kernel}")).collect();
        let words: Vec<&OsStr> = names.iter().map(OsStr::new).collect();
        self.asked(text, &words)
    }

    fn asked(&self, text: &str, about: &[&OsStr]) -> Option<(Vec<Proved>, bool)> {
        let folder = self.folder.path();
        let (file, json) = (folder.join("asked.ptx"), folder.join("proof.json"));
        std::fs::write(&file, text).ok()?;
        let _ = std::fs::remove_file(&json);
        let mut command = warprace().ok()?;
        command.args(["prove", "--quiet", "--timeout", "10", "--json"]).arg(&json);
        command.args(about).arg(&file).output().ok()?;
        let document: Document = serde_json::from_str(&std::fs::read_to_string(&json).ok()?).ok()?;
        let answers: Vec<Proved> = document.proofs.iter().map(|proof| proof.verdict).collect();
        (!answers.is_empty()).then_some((answers, !document.races.is_empty()))
    }
}

/// Returns a command that is this program, without output on the terminal.
pub(crate) fn warprace() -> Result<Command, String> {
    let path = std::env::current_exe().map_err(|e| format!("cannot tell where warprace itself is: {e}"))?;
    let mut command = Command::new(path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    Ok(command)
}
