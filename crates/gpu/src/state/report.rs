//! The result: its notes, its counts, and when it is written.

use super::State;
use super::launches::Launch;
use crate::log;
use crate::writer::Writer;
use events::Allocation;
use names::symbol;
use protocol::{KernelSummary, RunResult};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// Limits how many unchecked kernels the result lists by name.
const NAMED: usize = 20;
/// Interval between two writes of the result if nothing but launches has happened.
const PULSE: Duration = Duration::from_secs(1);
/// Writing the result counts as quick below this duration.
const QUICK: Duration = Duration::from_millis(5);
/// Writing takes at most one `SHARE`th of the time.
const SHARE: u32 = 20;

/// The note for a table that does not fit into the device's memory.
const ON_HOST: &str = "the GPU's memory is full: engine guard's table is in the host's, which is slower";

/// The note for launches on several devices, each of which has a table of its own.
const APART: &str =
    "engine guard compares what a GPU does with what the same GPU did: races between GPUs are not seen";

pub(super) struct Report {
    pub(super) result: RunResult,
    /// Indices into `result.kernels`, by name.
    kernels: HashMap<String, usize>,
    pub(super) allocations: Vec<Allocation>,
    /// Kernels that ran without checks, each with the reason.
    pub(super) left_out: BTreeMap<String, String>,
    /// Notes about kernels that engine `guard` cannot check on this machine, and about devices without a
    /// table.
    pub(super) unseen: BTreeSet<String>,
    /// Launches that the options for NVTX ranges leave out.
    pub(super) outside: u64,
    /// Notes about saved launches.
    pub(super) notes: Vec<String>,
    /// Whether something has changed since the result was written.
    pub(super) dirty: bool,
    written: Option<Instant>,
    pub(super) writer: Writer,
}

impl Report {
    pub(super) fn new(result: RunResult, writer: Writer) -> Report {
        Report {
            result,
            kernels: HashMap::new(),
            allocations: Vec::new(),
            left_out: BTreeMap::new(),
            unseen: BTreeSet::new(),
            outside: 0,
            notes: Vec::new(),
            dirty: false,
            written: None,
            writer,
        }
    }

    /// Returns the summary of a kernel, which the first call adds.
    pub(super) fn kernel(&mut self, name: &str) -> &mut KernelSummary {
        let all = &mut self.result.kernels;
        let at = match self.kernels.get(name) {
            Some(&at) => at,
            None => {
                all.push(KernelSummary { name: name.to_owned(), ..KernelSummary::default() });
                self.kernels.insert(name.to_owned(), all.len() - 1);
                all.len() - 1
            }
        };
        &mut all[at]
    }

    /// Counts a launch, and returns whether it is the first one of its kernel.
    pub(super) fn count(&mut self, name: &str, launch: &Launch, checked: bool) -> bool {
        let kernel = self.kernel(name);
        kernel.launches += 1;
        kernel.checked += u64::from(checked);
        kernel.blocks += launch.blocks;
        kernel.threads += launch.threads;
        let first = kernel.launches == 1;
        let sum = &mut self.result.counters;
        sum.launches += 1;
        sum.checked += u64::from(checked);
        sum.threads += launch.threads;
        self.dirty = true;
        first
    }

    /// Returns whether a launch is reported at once. A kernel may never end, so its first launch is if writing is quick.
    pub(super) fn is_due(&self, first: bool) -> bool {
        let cost = self.writer.cost();
        let rest = match first {
            true if cost < QUICK => Duration::ZERO,
            true => cost * SHARE,
            false => (cost * SHARE).max(PULSE),
        };
        self.written.is_none_or(|at| at.elapsed() >= rest)
    }

    /// Has the result written by another thread: the program does not wait for the write, since it may be measuring
    /// time. A failure to write is reported at the end of the process.
    pub(super) fn write_soon(&mut self) {
        let _ = self.writer.soon(&self.result);
    }
}

impl State {
    /// Writes the result file, if there is anything to report.
    pub(super) fn write(&mut self, finished: bool) {
        let first = self.report.written.is_none();
        if self.tell(finished)
            && let Err(error) = self.report.writer.now(&self.report.result)
            && (first || finished)
        {
            // The command line also reports a missing file.
            let file = self.options.results.display();
            log::complain(format_args!("warprace: cannot write what was seen to {file}: {error}\n"));
        }
    }

    /// Fills in the result; returns false if there is nothing to report.
    pub(super) fn tell(&mut self, finished: bool) -> bool {
        let report = &self.report;
        let told = report.result.uses_cuda || report.result.obstacle.is_some();
        if !told || (!report.dirty && !finished && report.written.is_some()) {
            return false;
        }
        let (inconclusive, limits) = (self.doubts(), self.limits());
        let proved_whole = self.proves_all();
        let report = &mut self.report;
        report.result.finished = finished;
        report.result.serial += 1;
        report.result.sink = self.checks.described(&report.allocations);
        report.result.inconclusive = inconclusive;
        report.result.limits = limits;
        report.result.proved_whole = proved_whole;
        report.written = Some(Instant::now());
        report.dirty = false;
        true
    }

    /// Returns notes about kernels that ran without checks.
    fn doubts(&self) -> Vec<String> {
        let is_saved =
            |kernel: &str| self.report.result.launches.iter().any(|launch| launch.kernel == kernel);
        let unsaved = self.captures.without_launch.iter().filter(|(kernel, _)| !is_saved(kernel));
        let mut out: Vec<String> = self
            .report
            .left_out
            .iter()
            .chain(unsaved)
            .take(NAMED)
            .map(|(kernel, why)| format!("kernel `{}` was not checked: {why}", symbol::short(kernel)))
            .collect();
        out.extend(self.about_libraries(false));
        out.extend(self.captures.unsaved.iter().chain(&self.report.unseen).cloned());
        if self.ended {
            let why = "engine guard cannot tell launches apart that graphs make by themselves, and looked at nothing";
            out.push(why.into());
        }
        if self.report.left_out.len() > NAMED {
            out.push(format!("{} more kernels were not checked", self.report.left_out.len() - NAMED));
        }
        out
    }

    /// Returns the note about launches outside of the chosen NVTX ranges.
    fn outside(&self) -> Option<String> {
        let (outside, all) = (self.report.outside, self.report.result.counters.launches);
        let what = format!("{outside} of {all} launches were left out by the filters, as asked for");
        (outside > 0).then_some(what)
    }

    /// Returns notes about unchecked instructions in checked kernels, about saved launches and the table.
    fn limits(&self) -> Vec<String> {
        self.checks
            .limits()
            .chain(self.report.notes.iter().take(NAMED).cloned())
            .chain(self.tables.on_host().then(|| ON_HOST.into()))
            .chain(self.tables.are_apart().map(|why| format!("{APART} ({why})")))
            .chain(self.about_libraries(true))
            .chain(self.trusted_in_vain())
            .chain(self.outside())
            .chain(self.proved())
            .chain(self.proofs.outcomes.notes(self.report.result.counters.proved_in_part))
            .collect()
    }
}
