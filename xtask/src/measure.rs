//! One run of a program under warprace, measured.

use crate::shell::{Outcome, target};
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Measured {
    /// `None` if it had to be ended by a signal or by the time limit.
    pub(crate) exit_code: Option<i32>,
    pub(crate) timed_out: bool,
    pub(crate) wall: Duration,
    /// Processor time of all its processes and threads.
    pub(crate) cpu: Duration,
    /// The document of `--json`; `Null` if none was written.
    pub(crate) report: Value,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Measured {
    pub(crate) fn number(&self, field: &str) -> u64 {
        self.report["summary"][field].as_u64().unwrap_or(0)
    }
}

/// A program to run, and how.
pub(crate) struct Job<'a> {
    /// A program that runs warprace, with its options; may be empty.
    pub(crate) under: &'a [&'a str],
    pub(crate) warprace: &'a Path,
    pub(crate) options: &'a [String],
    pub(crate) program: &'a Path,
    pub(crate) args: &'a [String],
    pub(crate) folder: &'a Path,
    pub(crate) stdin: Option<&'a Path>,
    pub(crate) limit: Duration,
}

pub(crate) fn run(job: &Job<'_>) -> Outcome<Measured> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = target();
    // The folder is missing if the programs were not built here.
    std::fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let json: PathBuf = folder.join(format!("measure-{}-{n}.json", std::process::id()));
    // `timeout` ends with 124, or is killed itself, when the limit is reached.
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", &job.limit.as_secs().max(1).to_string()]);
    // Proofs of an earlier run would make this one faster. Older builds have no option that leaves them unused, and need a
    // folder for the libraries that they contain.
    let cache = folder.join("measure-cache");
    let _ = std::fs::remove_dir_all(cache.join("warprace/proofs"));
    command
        .env("XDG_CACHE_HOME", &cache)
        .args(job.under)
        .arg(job.warprace)
        .args(["run", "--json"])
        .arg(&json);
    command.args(job.options);
    command.arg("--").arg(job.program).args(job.args).current_dir(job.folder);
    let stdin = match job.stdin {
        Some(file) => {
            Stdio::from(File::open(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?)
        }
        None => Stdio::null(),
    };
    let (start, used) = (Instant::now(), children_time());
    let done = command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .map_err(|e| format!("cannot run timeout: {e}"))?;
    let wall = start.elapsed();
    let report =
        std::fs::read(&json).ok().and_then(|t| serde_json::from_slice(&t).ok()).unwrap_or(Value::Null);
    let _ = std::fs::remove_file(&json);
    Ok(Measured {
        timed_out: matches!(done.status.code(), Some(124 | 137) | None) && wall >= job.limit,
        exit_code: done.status.code(),
        wall,
        cpu: children_time().saturating_sub(used),
        report,
        stdout: String::from_utf8_lossy(&done.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
    })
}

/// Processor time of all children that have ended, and of theirs.
fn children_time() -> Duration {
    // SAFETY: a plain structure of integers, which the call fills in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}
