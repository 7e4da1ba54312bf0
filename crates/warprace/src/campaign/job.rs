//! One run of a campaign: a `warprace run` of its own.

use crate::child;
use campaign::plan::Run;
use campaign::record::{About, Record};
use report::Document;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time that a run has to report after its time limit. Then it is killed.
const PATIENCE: Duration = Duration::from_secs(60);

/// The bytes that are kept of the end of what a run writes to stderr.
const SHOWN: usize = 4000;

/// The end of the output of a run.
type Said = Arc<Mutex<Vec<u8>>>;

/// A run that has been started.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) number: u64,
    /// The index of the GPU that it uses.
    pub(super) gpu: Option<usize>,
    child: Child,
    since: Instant,
    limit: Duration,
    results: PathBuf,
    said: Said,
    is_killed: bool,
}

/// The report and the circumstances of a run that has ended.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) document: Option<Document>,
    pub(super) about: About,
    pub(super) message: String,
    /// Whether something else may have killed it: Slurm signals all processes of a task that it ends.
    pub(super) is_lost: bool,
}

/// The folders of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// The folder that paths of the campaign file are relative to.
    pub(super) base: &'a Path,
    /// A folder for files of this run, which is created.
    pub(super) results: &'a Path,
}

impl Job {
    pub(super) fn start(run: &Run<'_>, place: &Place<'_>, gpu: Option<(usize, &str)>) -> Result<Job, String> {
        let name = &run.program.name;
        let failed = |e: std::io::Error| format!("cannot run `{name}`: {e}");
        std::fs::create_dir_all(place.results).map_err(failed)?;
        let (timeout, own) = (run.program.timeout.to_string(), run.options());
        let mut options = vec!["--timeout", &timeout];
        options.extend(run.program.options.iter().chain(&own).map(String::as_str));
        let mut command = child::Run {
            name,
            options,
            jobs: 1,
            command: run.program.command.iter().chain(run.arguments).map(String::as_str).collect(),
            results: place.results,
            directory: &place.base.join(&run.program.directory),
            stdin: run.program.stdin.as_deref(),
            env: &run.program.env,
        }
        .command()?;
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        if let Some((_, gpu)) = gpu {
            command.env("CUDA_VISIBLE_DEVICES", gpu);
        }
        child::alone(&mut command);
        let mut child = command.spawn().map_err(failed)?;
        Ok(Job {
            number: run.number,
            gpu: gpu.map(|(index, _)| index),
            said: child.stderr.take().map(listen).unwrap_or_default(),
            child,
            since: Instant::now(),
            limit: Duration::from_secs(run.program.timeout),
            results: place.results.to_owned(),
            is_killed: false,
        })
    }

    /// Returns what the run left if it has ended. Kills it if it goes on long after its time limit.
    pub(super) fn poll(&mut self, host: &str) -> Option<Left> {
        if self.since.elapsed() > self.limit + PATIENCE && !self.is_killed {
            self.kill();
        }
        let status = self.child.try_wait().ok()??;
        let took = self.since.elapsed();
        let json = std::fs::read(self.results.join("json")).unwrap_or_default();
        let document: Option<Document> = serde_json::from_slice(&json).ok();
        let _ = std::fs::remove_dir_all(&self.results);
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&said).trim().trim_start_matches("error: ").to_owned();
        let message = match said.is_empty() {
            true => format!("the run wrote no report ({status})"),
            false => said,
        };
        let timed_out = took >= self.limit;
        let own = document.as_ref().map_or(status.signal(), |document| document.program.signal);
        let is_lost = !timed_out && !self.is_killed && matches!(own, Some(libc::SIGTERM | libc::SIGKILL));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let about = About {
            milliseconds: took.as_millis() as u64,
            at: now.as_secs(),
            host: host.to_owned(),
            timed_out,
        };
        Some(Left { document, about, message, is_lost })
    }

    /// Asks the run to end.
    pub(super) fn ask_to_end(&self) {
        // SAFETY: the child has not been waited for, so its id is still valid.
        unsafe { libc::kill(self.child.id().cast_signed(), libc::SIGTERM) };
    }

    /// Kills the run with all processes of its group.
    pub(super) fn kill(&mut self) {
        self.is_killed = true;
        // SAFETY: the child has not been waited for, so its id, which is the group's, is still valid.
        unsafe { libc::kill(-self.child.id().cast_signed(), libc::SIGKILL) };
    }

    /// Waits for a run that was killed.
    pub(super) fn bury(mut self) {
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.results);
    }
}

impl Left {
    /// Returns the result.
    pub(super) fn record(self, run: &Run<'_>) -> (Record, Option<Document>) {
        let name = &run.program.name;
        match self.document {
            Some(document) => (Record::of(run.identity, name, &document, self.about), Some(document)),
            None => (Record::not_run(run.identity, name, self.message, self.about), None),
        }
    }
}

/// Reads a pipe to its end on a thread of its own, and keeps the end of what was read. Processes that the program
/// leaves may hold the pipe open, so nothing waits for the thread.
fn listen(mut pipe: ChildStderr) -> Said {
    let said = Said::default();
    let kept = said.clone();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(n @ 1..) = pipe.read(&mut buffer) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(&buffer[..n]);
            let more = kept.len().saturating_sub(SHOWN);
            kept.drain(..more);
        }
    });
    said
}
