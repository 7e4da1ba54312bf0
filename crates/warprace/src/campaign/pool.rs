//! Runs of a campaign on this machine, several at a time.

use super::Context;
use super::job::{Job, Left, Place};
use super::progress::Progress;
use crate::folder::Folder;
use crate::refusal::Refusal;
use crate::slurm::{host, refused};
use crate::{exit, interrupt};
use campaign::documents::{program_key, shell};
use campaign::merge::Merged;
use campaign::record::{Record, key};
use report::Document;
use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

/// Interval at which runs are polled.
const TICK: Duration = Duration::from_millis(3);

/// The time that runs have to end after an interrupt.
const GRACE: Duration = Duration::from_secs(3);

/// Runs that wait for a processor, or for a GPU.
struct Waiting {
    processors: VecDeque<u64>,
    gpus: VecDeque<u64>,
}

struct Pool<'a, 'p> {
    context: &'a Context<'a>,
    merged: &'a mut Merged<'p>,
    host: String,
    scratch: Folder,
    at_once: usize,
    gpus: Vec<String>,
    waiting: Waiting,
    running: Vec<Job>,
    /// Runs of which one attempt was lost.
    again: HashSet<u64>,
    /// Whether a task of Slurm runs a part: other tasks may have results for some of its runs.
    is_part: bool,
    progress: Progress,
}

/// Runs all runs with these numbers, until an interrupt.
pub(super) fn run(
    context: &Context<'_>,
    merged: &mut Merged<'_>,
    numbers: &[u64],
    quiet: bool,
) -> Result<(), Refusal> {
    let on_gpu = |number: &u64| context.plan.run(*number).engine.on_gpu();
    let (gpu, processor): (VecDeque<u64>, VecDeque<u64>) = numbers.iter().partition(|number| on_gpu(number));
    let default = std::thread::available_parallelism().map_or(1, usize::from);
    let mut pool = Pool {
        context,
        host: host(),
        scratch: Folder::new(false).map_err(|message| Refusal::new(exit::USAGE, message))?,
        at_once: context.args.jobs.unwrap_or(default),
        gpus: gpus(context.args.gpus),
        progress: Progress::new(merged, numbers.len() as u64, quiet),
        merged,
        waiting: Waiting { processors: processor, gpus: gpu },
        running: Vec::new(),
        again: HashSet::new(),
        is_part: context.args.slurm.worker.is_some(),
    };
    let done = pool.all();
    pool.stop();
    pool.progress.clear();
    done
}

/// Returns the GPUs, as `CUDA_VISIBLE_DEVICES` names them.
fn gpus(number: Option<u32>) -> Vec<String> {
    let named = std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default();
    let mut all: Vec<String> = named.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    if all.is_empty() {
        let entries = std::fs::read_dir("/dev").into_iter().flatten().flatten();
        let is_gpu = |name: &str| name.strip_prefix("nvidia").is_some_and(|n| n.parse::<u32>().is_ok());
        let count = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_gpu)).count();
        // Without a GPU the run itself says so.
        all = (0..count.max(1)).map(|n| n.to_string()).collect();
    }
    if let Some(number) = number {
        all.truncate(number as usize);
    }
    all
}

impl Pool<'_, '_> {
    fn all(&mut self) -> Result<(), Refusal> {
        while interrupt::caught().is_none() {
            self.fill()?;
            if self.running.is_empty() {
                break;
            }
            let ended = self.ended();
            let is_idle = ended.is_empty();
            for (number, left) in ended {
                // A run that ends with an interrupt may have been interrupted, too.
                if interrupt::caught().is_none() {
                    self.take(number, left)?;
                }
            }
            self.progress.show(self.merged);
            if is_idle {
                std::thread::sleep(TICK);
            }
        }
        Ok(())
    }

    /// Starts runs until all processors and GPUs have one.
    fn fill(&mut self) -> Result<(), Refusal> {
        while self.running.iter().filter(|job| job.gpu.is_none()).count() < self.at_once
            && let Some(number) = self.waiting.processors.pop_front()
        {
            self.start(number, None)?;
        }
        while let Some(gpu) =
            (0..self.gpus.len()).find(|gpu| !self.running.iter().any(|job| job.gpu == Some(*gpu)))
            && let Some(number) = self.waiting.gpus.pop_front()
        {
            self.start(number, Some(gpu))?;
        }
        Ok(())
    }

    fn start(&mut self, number: u64, gpu: Option<usize>) -> Result<(), Refusal> {
        let run = self.context.plan.run(number);
        if self.is_part && self.context.store.has(run.identity) {
            return Ok(());
        }
        let results = self.scratch.path().join(number.to_string());
        let place = Place { base: self.context.base(), results: &results };
        let gpu = gpu.map(|index| (index, self.gpus[index].as_str()));
        let job = Job::start(&run, &place, gpu).map_err(|message| Refusal::new(exit::USAGE, message))?;
        self.running.push(job);
        Ok(())
    }

    /// Returns the runs that have ended.
    fn ended(&mut self) -> Vec<(u64, Left)> {
        let mut out = Vec::new();
        let host = &self.host;
        self.running.retain_mut(|job| match job.poll(host) {
            Some(left) => {
                out.push((job.number, left));
                false
            }
            None => true,
        });
        out
    }

    /// Keeps the result of a run. A run that something else has killed is repeated once.
    fn take(&mut self, number: u64, left: Left) -> Result<(), Refusal> {
        let run = self.context.plan.run(number);
        if left.is_lost && self.again.insert(number) {
            let waiting =
                if run.engine.on_gpu() { &mut self.waiting.gpus } else { &mut self.waiting.processors };
            waiting.push_front(number);
            return Ok(());
        }
        let (record, document) = left.record(&run);
        self.keep(number, &record, document.as_ref())?;
        for key in self.merged.add(&record) {
            if let Some(finding) = self.merged.finding(key) {
                self.progress.found(finding, &run, document.as_ref());
            }
        }
        Ok(())
    }

    /// Writes the descriptions, and then the result that names them.
    fn keep(&self, number: u64, record: &Record, document: Option<&Document>) -> Result<(), Refusal> {
        let Context { store, plan, .. } = self.context;
        let written = || {
            if let Some(document) = document {
                let arguments = plan.run(number).arguments;
                store.show(program_key(&record.program, arguments), plan, number, &shell(document))?;
                for finding in document.races.iter().chain(&document.hazards) {
                    store.show(key(&record.program, finding), plan, number, finding)?;
                }
            }
            store.write(record)
        };
        written().map_err(refused)
    }

    /// Ends the runs that still run: their results are not known.
    fn stop(&mut self) {
        self.running.iter().for_each(Job::ask_to_end);
        let until = Instant::now() + GRACE;
        while !self.running.is_empty() && Instant::now() < until {
            drop(self.ended());
            std::thread::sleep(TICK);
        }
        for mut job in self.running.drain(..) {
            job.kill();
            job.bury();
        }
    }
}
