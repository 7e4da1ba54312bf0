//! Job arrays of Slurm over a shared folder: submitted, watched, and submitted again where tasks are lost or slow.
//!
//! The work is numbered, and a number has a result or has none: results in the folder are all that counts. A task that Slurm
//! starts again leaves out what has a result; the work of tasks that were lost is submitted once more when the queue is
//! empty, and that of tasks that are slow when no task waits and nothing has come for a while. No lock and no message passes
//! between tasks.

use crate::options::SlurmArgs;
use crate::refusal::Refusal;
use crate::run::quote;
use crate::{exit, terminal};
use campaign::identity::Identity;
use campaign::record;
use campaign::slurm::{Batch, Queue, Submission, job, most_chunks, queue};
use campaign::store::Store;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Interval at which the folder and the queue are looked at.
pub(crate) const TICK: Duration = Duration::from_secs(2);

/// The time that a shared folder may need to show what a task on another machine wrote.
const SETTLE: Duration = Duration::from_secs(5);

/// Submissions in a row that may bring no result.
const FRUITLESS: u32 = 3;

/// Tasks of an array where Slurm does not say how many it allows.
const USUAL_MOST: usize = 1001;

/// The work of one call.
pub(crate) struct Work<'a> {
    pub(crate) store: &'a Store,
    pub(crate) args: &'a SlurmArgs,
    /// What the numbers are numbers of.
    pub(crate) plan: Identity,
    /// The words of warprace in a task, between which the number of the batch comes: before `--worker N`, and behind.
    pub(crate) words: (Vec<OsString>, Vec<OsString>),
    /// One piece of work, in words.
    pub(crate) noun: &'static str,
    pub(crate) quiet: bool,
}

/// The jobs of some work.
pub(crate) struct Jobs<'a> {
    work: Work<'a>,
    most: usize,
    submitted: BTreeSet<u64>,
}

/// Runs one command of Slurm and returns its answer.
fn ask(program: &str, words: &[String]) -> Result<String, String> {
    let done = Command::new(program).args(words).output();
    let done = done.map_err(|e| format!("cannot run `{program}`: {e}"))?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => Err(format!("`{program}` failed: {}", String::from_utf8_lossy(&done.stderr).trim())),
    }
}

/// Returns a count with its noun.
fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns the jobs that were submitted for a folder.
pub(crate) fn known(root: &Path) -> BTreeSet<u64> {
    let entries = std::fs::read_dir(root.join("slurm")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".job")?.parse().ok()).collect()
}

impl<'a> Jobs<'a> {
    pub(crate) fn new(work: Work<'a>) -> Jobs<'a> {
        let config = ask("scontrol", &["show".into(), "config".into()]);
        let most = config.ok().and_then(|text| most_chunks(&text)).unwrap_or(USUAL_MOST);
        Jobs { most, submitted: known(work.store.root()), work }
    }

    /// The name of all jobs of the work.
    fn name(&self) -> String {
        format!("warprace-{}", &self.work.plan.to_string()[..12])
    }

    /// Submits an array for some numbers. Writes the batch and its script first.
    pub(crate) fn submit(&mut self, numbers: &[u64], chunk: usize) -> Result<(), Refusal> {
        let refuse = |message| {
            Refusal::new(exit::USAGE, message)
                .help("`--slurm` needs sbatch, squeue and scontrol on this machine")
        };
        let Work { store, args, .. } = self.work;
        let folder = store.root().join("slurm");
        let batch = Batch::new(self.work.plan, numbers, chunk, self.most);
        let number = (0..).find(|n| !folder.join(format!("{n}.batch")).exists()).unwrap_or(0u32);
        store
            .put(&folder.join(format!("{number}.batch")), record::seal(&batch).as_bytes())
            .map_err(refused)?;
        let script = folder.join(format!("{number}.sh"));
        let text = self.script(number).map_err(&refuse)?;
        store.put(&script, text.as_bytes()).map_err(refused)?;
        let submission = Submission {
            partition: args.partition.clone(),
            account: args.account.clone(),
            time: args.time.clone(),
            throttle: args.throttle,
            cpus: args.cpus,
            options: args.sbatch.clone(),
        };
        let log = folder.join("%A_%a.log");
        let words = submission.words(&self.name(), &batch, &log.to_string_lossy(), &script.to_string_lossy());
        let answer = ask("sbatch", &words).map_err(&refuse)?;
        let id = job(&answer).ok_or_else(|| refuse(format!("`sbatch` answered `{}`", answer.trim())))?;
        store.put(&folder.join(format!("{id}.job")), b"").map_err(refused)?;
        self.submitted.insert(id);
        if !self.work.quiet {
            let (all, tasks) = (numbers.len() as u64, batch.chunks.len() as u64);
            let (all, tasks) = (count(all, self.work.noun), count(tasks, "task"));
            terminal::complain(format_args!("warprace: {all} submitted as job {id} of {tasks}\n"));
        }
        Ok(())
    }

    /// Returns what each task of the array executes.
    fn script(&self, batch: u32) -> Result<String, String> {
        let own =
            std::env::current_exe().map_err(|e| format!("cannot tell where warprace itself is: {e}"))?;
        let root = std::path::absolute(self.work.store.root()).map_err(|e| e.to_string())?;
        let quoted = |words: &[OsString]| words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
        Ok(format!(
            "#!/bin/sh\nexec {} {} --worker {batch} --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\" --output {} {}\n",
            quote(own.as_os_str()),
            quoted(&self.work.words.0),
            quote(root.as_os_str()),
            quoted(&self.work.words.1)
        ))
    }

    /// Returns the tasks that have not ended; `None` if Slurm does not answer.
    pub(crate) fn queue(&self) -> Option<Queue> {
        let words = ["--noheader", "--array", "--format=%F %t %r"].map(str::to_owned).into_iter();
        let words: Vec<String> = words.chain([format!("--name={}", self.name())]).collect();
        ask("squeue", &words).ok().map(|answer| queue(&answer, &self.submitted))
    }

    pub(crate) fn is_running(&self) -> bool {
        self.queue().is_some_and(|queue| !queue.is_empty())
    }

    /// Ends tasks that have nothing left to do.
    pub(crate) fn cancel(&self) {
        let jobs: Vec<String> = self.submitted.iter().map(u64::to_string).collect();
        if self.is_running() && !jobs.is_empty() {
            let _ = ask("scancel", &jobs);
        }
    }
}

/// The state of the wait for results.
pub(crate) struct Wait {
    /// When the last result came, or work was submitted.
    last: Instant,
    /// Since when the queue has been empty.
    empty_since: Option<Instant>,
    fruitless: u32,
    patience: Duration,
}

impl Wait {
    pub(crate) fn new(patience: Duration) -> Wait {
        Wait { last: Instant::now(), empty_since: None, fruitless: 0, patience }
    }

    /// A result has come.
    pub(crate) fn came(&mut self) {
        (self.last, self.fruitless) = (Instant::now(), 0);
    }

    /// Submits work again whose tasks were lost or are slow. `missing` has no result.
    pub(crate) fn again(
        &mut self,
        jobs: &mut Jobs<'_>,
        missing: impl FnOnce() -> Vec<u64>,
        chunk: usize,
    ) -> Result<(), Refusal> {
        let Some(queue) = jobs.queue() else { return Ok(()) };
        let is_over = match queue.is_empty() {
            true => self.empty_since.get_or_insert_with(Instant::now).elapsed() > SETTLE,
            false => {
                self.empty_since = None;
                queue.waiting == 0 && self.last.elapsed() > self.patience
            }
        };
        let mut missing = if is_over { missing() } else { Vec::new() };
        if missing.is_empty() {
            return Ok(());
        }
        if self.fruitless == FRUITLESS {
            let all = count(missing.len() as u64, jobs.work.noun);
            let message = format!("{all} got no result although they were submitted {FRUITLESS} times again");
            let logs = jobs.work.store.root().join("slurm");
            return Err(Refusal::new(exit::INCONCLUSIVE, message)
                .help(format!("the logs of the tasks are in {}", logs.display())));
        }
        self.fruitless += 1;
        // Slow tasks go through their chunks from the first number: from the last, both meet.
        missing.reverse();
        jobs.submit(&missing, (chunk / 4).max(1))?;
        (self.last, self.empty_since) = (Instant::now(), None);
        Ok(())
    }
}

/// Returns the numbers of the chunk of a batch that `SLURM_ARRAY_TASK_ID` names.
pub(crate) fn chunk(store: &Store, plan: Identity, batch: &str, changed: &str) -> Result<Vec<u64>, Refusal> {
    let wrong = |message: String| Refusal::new(exit::USAGE, message);
    let index = std::env::var("SLURM_ARRAY_TASK_ID").ok().and_then(|index| index.parse::<usize>().ok());
    let index = index.ok_or_else(|| wrong("SLURM_ARRAY_TASK_ID names no chunk".into()))?;
    let path: PathBuf = store.root().join("slurm").join(format!("{batch}.batch"));
    let content =
        std::fs::read(&path).map_err(|e| wrong(format!("cannot read `{}`: {e}", path.display())))?;
    let batch = record::lines::<Batch>(&content).whole.pop();
    let batch = batch.ok_or_else(|| wrong(format!("`{}` is torn", path.display())))?;
    if batch.plan != plan {
        return Err(wrong(format!("{changed} has changed since the work was submitted")));
    }
    Ok(batch.chunks.get(index).cloned().unwrap_or_default())
}

/// Returns the name of this machine.
pub(crate) fn host() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer is writable for its whole length.
    let code = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    match code {
        0 => String::from_utf8_lossy(&name[..end]).into_owned(),
        _ => "unknown".into(),
    }
}

/// Returns the refusal for an error of the folder.
pub(crate) fn refused(error: campaign::store::Error) -> Refusal {
    use campaign::store::Error;
    let code = if matches!(error, Error::Write { .. }) { exit::OUTPUT } else { exit::USAGE };
    let help = match &error {
        error if error.is_full() => {
            Some("the results that are there stay: run the campaign again when there is room")
        }
        Error::Read { .. } => Some("run the campaign first, or name its folder with --output"),
        Error::Foreign(_) => Some("name another folder with --output"),
        _ => None,
    };
    let refusal = Refusal::new(code, error.to_string());
    match help {
        Some(help) => refusal.help(help),
        None => refusal,
    }
}
