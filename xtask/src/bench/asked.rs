//! One question to `warprace prove -p` for a bench: a compilation database in, answers, time and memory out.
//! The compilers' results are stored.

use super::kept;
use crate::cuda;
use crate::shell::{self, Outcome, target};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Seconds for one program, compilers and all its kernels.
const LIMIT: u64 = 300;

/// Compilers whose results are [`kept`].
pub(super) struct Compilers {
    pub(super) nvcc: PathBuf,
    /// None if the prover is to find none, either.
    clang: Option<PathBuf>,
    folder: PathBuf,
}

impl Compilers {
    pub(super) fn kept() -> Outcome<Self> {
        let nvcc = cuda::ensure()?.root.join("bin/nvcc");
        let folder = target().join("bench/prove/compilers");
        shell::make_dir(&folder)?;
        Ok(Self {
            nvcc: kept::stand_in(&folder, &nvcc)?,
            clang: clang().map(|clang| kept::stand_in(&folder, &clang)).transpose()?,
            folder,
        })
    }

    /// How many results there are.
    pub(super) fn results(&self) -> usize {
        std::fs::read_dir(self.folder.join("kept")).map_or(0, Iterator::count)
    }
}

/// The clang that `prove` would find.
fn clang() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("WARPRACE_CLANG") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["clang++".to_owned()].into_iter().chain((16..=21).rev().map(|n| format!("clang++-{n}")));
    let mut all = names.flat_map(|name| std::env::split_paths(&path).map(move |p| p.join(&name)));
    all.find(|p| p.is_file())
}

/// The result of one program.
pub(super) struct Answered {
    pub(super) proofs: Vec<Value>,
    pub(super) wall: Duration,
    /// Memory of the prover's process alone, in KiB.
    pub(super) memory: u64,
}

/// Asks about each of several programs, so many at a time.
pub(super) fn each<T: Sync>(programs: &[T], at_a_time: usize, ask: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    ask(program);
                }
            });
        }
    });
}

/// Asks about the program of a database, which is written into `folder`; `about` says which sources these are.
pub(super) fn ask(
    warprace: &Path,
    compilers: &Compilers,
    folder: &Path,
    entries: &Value,
    about: &str,
    options: &[&str],
) -> Outcome<Answered> {
    let (database, report) = (folder.join("compile_commands.json"), folder.join("report.json"));
    std::fs::write(&database, entries.to_string())
        .map_err(|e| format!("cannot write {}: {e}", database.display()))?;
    let _ = std::fs::remove_file(&report);
    let mut prove = Command::new(warprace);
    if let Some(clang) = &compilers.clang {
        prove.env("WARPRACE_CLANG", clang);
    }
    prove
        .env(kept::ABOUT, about)
        .args(["prove", "--no-proof-cache"])
        .args(options)
        .arg("--json")
        .arg(&report)
        .arg("-p")
        .arg(&database);
    let (wall, memory) = watched(&mut prove)?;
    let document: Value = std::fs::read(&report)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .ok_or("nothing was written: it has no kernel that it launches")?;
    let proofs = document["proofs"].as_array().cloned().unwrap_or_default();
    match document["inconclusive"].as_array().and_then(|all| all.first()) {
        Some(problem) if problem.as_str().is_some_and(|p| p.contains(" failed: ")) => {
            Err(problem.as_str().unwrap_or_default().to_owned())
        }
        _ => Ok(Answered { proofs, wall, memory }),
    }
}

/// Runs a question to its end. Returns its time, and the most memory that its process had, in KiB.
pub(super) fn watched(question: &mut Command) -> Outcome<(Duration, u64)> {
    let start = Instant::now();
    let mut child = question
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("cannot run {}: {e}", shell::display(question)))?;
    let mut memory = 0;
    loop {
        memory = memory.max(peak(child.id()));
        match child.try_wait() {
            Ok(Some(_)) => return Ok((start.elapsed(), memory)),
            Ok(None) if start.elapsed().as_secs() < LIMIT => std::thread::sleep(Duration::from_millis(5)),
            _ => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    Err(format!("it took more than {LIMIT} seconds"))
}

/// The most memory that a process has had, in KiB; 0 if it has ended.
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}
