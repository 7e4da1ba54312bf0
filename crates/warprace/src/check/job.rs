//! Runs one program of a project under a `warprace run` of its own.

use crate::child::Run;
use crate::project::Program;
use report::Document;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

/// Limits how much of a failed program's output is shown.
const SHOWN: usize = 4000;

/// A program to run.
#[derive(Debug)]
pub(super) struct Job<'a> {
    program: &'a Program,
    options: &'a [String],
    folder: &'a Path,
    workers: usize,
    /// Whether the program's report draws interleavings.
    drawn: bool,
}

/// A running program.
#[derive(Debug)]
pub(super) struct Running {
    name: String,
    child: Child,
    since: Instant,
    timeout: Option<Duration>,
    /// Whether the program was asked to end because its time is over.
    ended: bool,
    results: PathBuf,
}

/// The result of a program.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) name: String,
    /// The exit code of `warprace run`; `None` if a signal ended it.
    pub(super) code: Option<u8>,
    pub(super) took: Duration,
    /// The program's document; `None` if the program was not started.
    pub(super) document: Option<Document>,
    /// The message of `warprace run` if there is no document.
    pub(super) said: String,
    /// The end of the program's output.
    pub(super) output: String,
}

impl<'a> Job<'a> {
    /// Creates a job. `workers` threads execute the program's kernels, unless its options set another number.
    pub(super) fn new(program: &'a Program, options: &'a [String], folder: &'a Path, workers: usize) -> Self {
        Job { program, options, folder, workers: workers.max(1), drawn: false }
    }

    pub(super) fn drawn(self, drawn: bool) -> Self {
        Job { drawn, ..self }
    }

    /// Starts the program. `results` is a folder that this call creates.
    pub(super) fn start(self, results: &Path) -> Result<Running, String> {
        let Program { name, command, options, directory, stdin, env, timeout } = self.program;
        let failed = |e| format!("cannot run `{name}`: {e}");
        std::fs::create_dir(results).map_err(failed)?;
        let file = |name: &str| File::create(results.join(name)).map_err(failed);
        let mut options: Vec<&str> = self.options.iter().chain(options).map(String::as_str).collect();
        let html = results.join("html");
        if let Some(html) = html.to_str().filter(|_| self.drawn) {
            // This HTML report is discarded: its drawings are also in the document.
            options.extend(["--html", html]);
        }
        let run = Run {
            name,
            options,
            jobs: self.workers,
            command: command.iter().map(String::as_str).collect(),
            results,
            directory: &self.folder.join(directory),
            stdin: stdin.as_deref(),
            env,
        };
        let mut run = run.command()?;
        run.stdout(file("out")?).stderr(file("err")?);
        Ok(Running {
            name: name.clone(),
            child: run.spawn().map_err(failed)?,
            since: Instant::now(),
            timeout: timeout.map(Duration::from_secs),
            ended: false,
            results: results.to_owned(),
        })
    }
}

impl Running {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the outcome if the program has ended. Asks the program to end if its time is over.
    pub(super) fn poll(&mut self) -> Option<Outcome> {
        if let Some(timeout) = self.timeout
            && self.since.elapsed() > timeout
            && !self.ended
        {
            self.ended = true;
            // SAFETY: the child has not been waited for, so its id is still valid.
            unsafe { libc::kill(self.child.id().cast_signed(), libc::SIGTERM) };
        }
        let status = self.child.try_wait().ok()??;
        let text = |name: &str| {
            let bytes = std::fs::read(self.results.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(SHOWN)..]).into_owned()
        };
        let json = std::fs::read(self.results.join("json")).unwrap_or_default();
        Some(Outcome {
            name: std::mem::take(&mut self.name),
            code: status.code().map(|code| code as u8),
            took: self.since.elapsed(),
            document: serde_json::from_slice(&json).ok(),
            said: text("err"),
            output: text("out") + &text("err"),
        })
    }
}
