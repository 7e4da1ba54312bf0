//! Campaigns over Slurm: the batch, the tasks, and the wait for their results.
//!
//! The results in the campaign's folder are all that counts. A task that Slurm starts again leaves out the runs
//! that have a result; runs of tasks that were lost are submitted once more when the queue is empty, and runs of
//! tasks that are slow when no task waits and nothing has come for a while. No lock and no message passes between
//! tasks.

use super::{Context, pool, progress::Progress, refused, words};
use crate::options::SlurmArgs;
use crate::refusal::Refusal;
use crate::run::quote;
use crate::{exit, interrupt, terminal};
use campaign::identity::Identity;
use campaign::merge::Merged;
use campaign::record;
use campaign::slurm::{Batch, Queue, Submission, job, most_chunks, queue};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Interval at which the folder and the queue are looked at.
const TICK: Duration = Duration::from_secs(2);

/// The time that a shared folder may need to show what a task on another machine wrote.
const SETTLE: Duration = Duration::from_secs(5);

/// Submissions in a row that may bring no result.
const FRUITLESS: u32 = 3;

/// Tasks of an array where Slurm does not say how many it allows.
const USUAL_MOST: usize = 1001;

/// How the wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// All runs have a result, or an interrupt has come.
    Here,
    /// The jobs go on without this process.
    Detached,
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

/// The jobs of a campaign.
struct Jobs<'a> {
    context: &'a Context<'a>,
    plan: Identity,
    most: usize,
    submitted: BTreeSet<u64>,
}

impl<'a> Jobs<'a> {
    fn new(context: &'a Context<'a>) -> Jobs<'a> {
        let config = ask("scontrol", &["show".into(), "config".into()]);
        let most = config.ok().and_then(|text| most_chunks(&text)).unwrap_or(USUAL_MOST);
        Jobs { context, plan: context.plan.identity(), most, submitted: known(context.store.root()) }
    }

    fn args(&self) -> &'a SlurmArgs {
        &self.context.args.slurm
    }

    /// The name of all jobs of the campaign.
    fn name(&self) -> String {
        format!("warprace-{}", &self.plan.to_string()[..12])
    }

    /// Submits an array for some runs. Writes the batch and its script first.
    fn submit(&mut self, runs: &[u64], chunk: usize) -> Result<(), Refusal> {
        let refuse = |message| {
            Refusal::new(exit::USAGE, message)
                .help("`--slurm` needs sbatch, squeue and scontrol on this machine")
        };
        let store = self.context.store;
        let folder = store.root().join("slurm");
        let batch = Batch::new(self.plan, runs, chunk, self.most);
        let number = (0..).find(|n| !folder.join(format!("{n}.batch")).exists()).unwrap_or(0u32);
        store
            .put(&folder.join(format!("{number}.batch")), record::seal(&batch).as_bytes())
            .map_err(refused)?;
        let script = folder.join(format!("{number}.sh"));
        let text = self.script(number).map_err(&refuse)?;
        store.put(&script, text.as_bytes()).map_err(refused)?;
        let args = self.args();
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
        if !self.context.args.outputs.quiet {
            let (runs, tasks) = (runs.len() as u64, batch.chunks.len() as u64);
            let (runs, tasks) = (words::count(runs, "run"), words::count(tasks, "task"));
            terminal::complain(format_args!("warprace: {runs} submitted as job {id} of {tasks}\n"));
        }
        Ok(())
    }

    /// Returns what each task of the array executes.
    fn script(&self, batch: u32) -> Result<String, String> {
        let own =
            std::env::current_exe().map_err(|e| format!("cannot tell where warprace itself is: {e}"))?;
        let file = &self.context.plan.campaign().file;
        let root = std::path::absolute(self.context.store.root()).map_err(|e| e.to_string())?;
        Ok(format!(
            "#!/bin/sh\nexec {} campaign --worker {batch} --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\" --output {} {}\n",
            quote(own.as_os_str()),
            quote(root.as_os_str()),
            quote(file.as_os_str())
        ))
    }

    /// Returns the tasks that have not ended; `None` if Slurm does not answer.
    fn queue(&self) -> Option<Queue> {
        let words = ["--noheader", "--array", "--format=%F %t %r"].map(str::to_owned).into_iter();
        let words: Vec<String> = words.chain([format!("--name={}", self.name())]).collect();
        ask("squeue", &words).ok().map(|answer| queue(&answer, &self.submitted))
    }

    /// Ends tasks that have nothing left to do.
    fn cancel(&self) {
        let running = self.queue().is_some_and(|queue| !queue.is_empty());
        let jobs: Vec<String> = self.submitted.iter().map(u64::to_string).collect();
        if running && !jobs.is_empty() {
            let _ = ask("scancel", &jobs);
        }
    }
}

/// Returns the jobs that were submitted for a folder.
fn known(root: &Path) -> BTreeSet<u64> {
    let entries = std::fs::read_dir(root.join("slurm")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".job")?.parse().ok()).collect()
}

/// The state of the wait for results.
struct Wait {
    known: HashSet<Identity>,
    progress: Progress,
    /// When the last result came, or runs were submitted.
    last: Instant,
    /// Since when the queue has been empty.
    empty_since: Option<Instant>,
    fruitless: u32,
    patience: Duration,
}

/// Submits all runs without a result, and waits for their results.
pub(super) fn follow(context: &Context<'_>, merged: &mut Merged<'_>) -> Result<Ended, Refusal> {
    let mut jobs = Jobs::new(context);
    let chunk = context.args.slurm.chunk as usize;
    let missing: Vec<u64> = merged.missing().collect();
    // Jobs of an earlier call may still have them.
    let is_running = jobs.queue().is_some_and(|queue| !queue.is_empty());
    if !missing.is_empty() && !is_running {
        jobs.submit(&missing, chunk)?;
    }
    if context.args.slurm.detach {
        return Ok(Ended::Detached);
    }
    let longest = context.plan.campaign().programs.iter().map(|program| program.timeout).max();
    let patience = context.args.slurm.patience.unwrap_or(longest.unwrap_or(0) + 60);
    let mut wait = Wait {
        known: merged
            .plan()
            .runs()
            .filter(|run| merged.is_done(run.number))
            .map(|run| run.identity)
            .collect(),
        progress: Progress::new(merged, missing.len() as u64, context.args.outputs.quiet),
        last: Instant::now(),
        empty_since: None,
        fruitless: 0,
        patience: Duration::from_secs(patience),
    };
    while merged.left() > 0 && interrupt::caught().is_none() {
        wait.look(&jobs, merged)?;
        wait.again(&mut jobs, merged)?;
        std::thread::sleep(TICK);
    }
    wait.progress.clear();
    match merged.left() {
        0 => jobs.cancel(),
        _ => {
            terminal::complain("warprace: the jobs go on; --status and --collect show what they have done\n")
        }
    }
    Ok(Ended::Here)
}

impl Wait {
    /// Merges the results that have come.
    fn look(&mut self, jobs: &Jobs<'_>, merged: &mut Merged<'_>) -> Result<(), Refusal> {
        for record in jobs.context.store.fresh(&mut self.known).map_err(refused)? {
            let before = merged.left();
            for key in merged.add(&record) {
                if let (Some(finding), Some(number)) = (merged.finding(key), merged.plan().number(record.run))
                {
                    self.progress.found(finding, &merged.plan().run(number), None);
                }
            }
            if merged.left() < before {
                (self.last, self.fruitless) = (Instant::now(), 0);
            }
        }
        self.progress.show(merged);
        Ok(())
    }

    /// Submits runs again whose tasks were lost or are slow.
    fn again(&mut self, jobs: &mut Jobs<'_>, merged: &Merged<'_>) -> Result<(), Refusal> {
        let Some(queue) = jobs.queue() else { return Ok(()) };
        let is_over = match queue.is_empty() {
            true => self.empty_since.get_or_insert_with(Instant::now).elapsed() > SETTLE,
            false => {
                self.empty_since = None;
                queue.waiting == 0 && self.last.elapsed() > self.patience
            }
        };
        if !is_over || merged.left() == 0 {
            return Ok(());
        }
        let mut missing: Vec<u64> = merged.missing().collect();
        if self.fruitless == FRUITLESS {
            let (runs, logs) = (words::count(merged.left(), "run"), jobs.context.store.root().join("slurm"));
            let message =
                format!("{runs} got no result although they were submitted {FRUITLESS} times again");
            return Err(Refusal::new(exit::INCONCLUSIVE, message)
                .help(format!("the logs of the tasks are in {}", logs.display())));
        }
        self.fruitless += 1;
        // Slow tasks go through their runs from the first: from the last, both meet.
        missing.reverse();
        let chunk = (jobs.args().chunk as usize / 4).max(1);
        jobs.submit(&missing, chunk)?;
        (self.last, self.empty_since) = (Instant::now(), None);
        Ok(())
    }
}

/// Prints how many runs have a result, and what Slurm still has.
pub(super) fn status(context: &Context<'_>, merged: &Merged<'_>) {
    let all = merged.plan().len();
    let (races, findings) = merged.found();
    terminal::print(format_args!(
        "{} of {} have a result: {}, {}\n",
        words::grouped(all - merged.left()),
        words::count(all, "run"),
        words::count(races as u64, "race"),
        words::count((findings - races) as u64, "hazard")
    ));
    if known(context.store.root()).is_empty() {
        return;
    }
    match Jobs::new(context).queue() {
        Some(Queue { running, waiting }) => terminal::print(format_args!(
            "Slurm: {} running, {} waiting\n",
            words::count(running, "task"),
            words::grouped(waiting)
        )),
        None => terminal::print("Slurm does not answer\n"),
    }
}

/// Runs the chunk of a batch that `SLURM_ARRAY_TASK_ID` names.
pub(super) fn work(context: &Context<'_>, batch: &str) -> Result<u8, Refusal> {
    let wrong = |message: String| Refusal::new(exit::USAGE, message);
    let index = std::env::var("SLURM_ARRAY_TASK_ID").ok().and_then(|index| index.parse::<usize>().ok());
    let index = index.ok_or_else(|| wrong("SLURM_ARRAY_TASK_ID names no chunk".into()))?;
    let path: PathBuf = context.store.root().join("slurm").join(format!("{batch}.batch"));
    let content =
        std::fs::read(&path).map_err(|e| wrong(format!("cannot read `{}`: {e}", path.display())))?;
    let batch = record::lines::<Batch>(&content).whole.pop();
    let batch = batch.ok_or_else(|| wrong(format!("`{}` is torn", path.display())))?;
    if batch.plan != context.plan.identity() {
        return Err(wrong(
            "the campaign's file or a program has changed since the runs were submitted".into(),
        ));
    }
    let known = |number: &&u64| **number < context.plan.len();
    let chunk: Vec<u64> = batch.chunks.get(index).into_iter().flatten().filter(known).copied().collect();
    interrupt::catch();
    let mut merged = Merged::new(context.plan);
    pool::run(context, &mut merged, &chunk, true)?;
    Ok(if interrupt::caught().is_some() { exit::INCONCLUSIVE } else { 0 })
}
