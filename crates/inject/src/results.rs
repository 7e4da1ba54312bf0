//! The process's report to the command line, written to disk as it grows.
//!
//! **Size:** one record, whose parts are written together.

use crate::backend::KernelWork;
use crate::backend::{Refused, Stats};
use crate::caller::{Caller, set_named};
use crate::tensors;
use events::finding::FindingKey;
use events::task::HostCall;
use events::{Account, Allocation, Evidence, Finding, SiteId, SiteTable, Space, TaskId, TaskInfo};
use instrument::prune::Pruned;
use names::{Engine, Replay};
use protocol::{
    Counters, DeviceFailure, KernelSummary, PROTOCOL_VERSION, RESULT_EXTENSION, Reported, RunResult, Running,
    Sink, UnsupportedCall, WeakOutcome,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Number of latest tasks whose descriptions are stored for findings that name them.
const TASKS_KEPT: usize = 1 << 16;

/// Limits the reported allocations of programs with instrumented kernels.
const ALLOCATIONS: usize = 1 << 16;

/// Maximum age of the counters on disk while the program waits or computes.
const STALE: Duration = Duration::from_millis(100);

/// Minimum interval between writes while a kernel runs; writing takes at most one [`SHARE`]th of the time.
const PULSE: Duration = Duration::from_secs(1);
const SHARE: u32 = 20;

mod driver;

pub(crate) struct Results {
    folder: PathBuf,
    engine: Engine,
    /// Nanoseconds since the epoch, which distinguish programs of one process.
    begun: u128,
    result: RunResult,
    sites: SiteTable,
    /// Host call sites by return address.
    calls: HashMap<Caller, SiteId>,
    /// Addresses of call sites that are not described yet.
    undescribed: HashMap<SiteId, Caller>,
    kernels: HashMap<String, usize>,
    findings: HashMap<FindingKey, usize>,
    tasks: VecDeque<TaskInfo>,
    tensors: tensors::History,
    named_tasks: BTreeSet<TaskId>,
    unsupported: HashMap<String, usize>,
    /// Functions of the driver that the program has requested.
    driver_functions: BTreeSet<String>,
    /// Memory that instrumented kernels may access.
    allocations: Vec<Allocation>,
    /// Launches that have begun and not ended.
    running: BTreeMap<TaskId, Running>,
    /// Findings of running launches so far; the detector reports them again when the launches end.
    so_far: Vec<Reported>,
    /// The detector's latest limits.
    limits: Vec<String>,
    /// Instructions of instrumented kernels that need no check.
    pruned: Pruned,
    /// Whether a launch was run under a schedule other than its own.
    explored: bool,
    dirty: bool,
    written: Option<Instant>,
    /// Duration of the last write.
    cost: Duration,
}

impl Results {
    pub(crate) fn new(folder: PathBuf, engine: Engine, replay: Option<Replay>) -> Self {
        Results {
            folder,
            engine,
            begun: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos()),
            result: RunResult {
                version: PROTOCOL_VERSION,
                pid: std::process::id(),
                // SAFETY: has no preconditions.
                parent: unsafe { libc::getppid() } as u32,
                program: std::fs::read_link("/proc/self/exe").unwrap_or_default(),
                replay,
                ..RunResult::default()
            },
            sites: SiteTable::default(),
            calls: HashMap::new(),
            undescribed: HashMap::new(),
            kernels: HashMap::new(),
            findings: HashMap::new(),
            tasks: VecDeque::new(),
            tensors: tensors::History::default(),
            named_tasks: BTreeSet::new(),
            unsupported: HashMap::new(),
            driver_functions: BTreeSet::new(),
            allocations: Vec::new(),
            running: BTreeMap::new(),
            so_far: Vec::new(),
            limits: Vec::new(),
            pruned: Pruned::default(),
            explored: false,
            dirty: false,
            written: None,
            cost: Duration::ZERO,
        }
    }

    /// Returns an empty record for the child of a fork, which inherits nothing.
    pub(crate) fn forked(&self) -> Self {
        Self::new(self.folder.clone(), self.engine, self.result.replay.clone())
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.dirty && self.written.is_none_or(|at| at.elapsed() >= STALE)
    }

    pub(crate) fn counters(&mut self) -> &mut Counters {
        self.dirty = true;
        &mut self.result.counters
    }

    /// Notes that the program asked for the devices' compute capability.
    pub(crate) fn asked_for_capability(&mut self, sm: u32) {
        self.dirty |= self.result.capability.is_none();
        self.result.capability = Some(sm);
    }

    pub(crate) fn uses_cuda(&mut self) {
        self.dirty |= !self.result.uses_cuda;
        self.result.uses_cuda = true;
    }

    pub(crate) fn obstacle(&mut self, obstacle: protocol::Obstacle) {
        self.dirty = true;
        self.result.obstacle.get_or_insert(obstacle);
    }

    /// Records a reason that makes a clean verdict impossible.
    pub(crate) fn inconclusive(&mut self, reason: String) {
        push_once(&mut self.result.inconclusive, reason, &mut self.dirty);
    }

    /// Records accesses that are not checked. A clean verdict is then restricted to what was checked.
    pub(crate) fn unchecked(&mut self, what: String) {
        if !self.result.limits.contains(&what) {
            self.counters().unchecked += 1;
        }
        self.limit(what);
    }

    pub(crate) fn limit(&mut self, limit: String) {
        push_once(&mut self.result.limits, limit, &mut self.dirty);
    }

    /// Records a value of a run with weak memory, the first of each pair of instructions.
    pub(crate) fn showed(&mut self, outcome: WeakOutcome) {
        self.dirty = true;
        let key = |o: &WeakOutcome| (o.kind, o.access.site, o.missed.site);
        match self.result.weak.iter_mut().find(|known| key(known) == key(&outcome)) {
            Some(known) => known.executions += outcome.executions,
            None => self.result.weak.push(outcome),
        }
    }

    /// Adds to the counts of instructions that need no check.
    pub(crate) fn pruned(&mut self, more: Pruned) {
        let before = self.pruned.describe();
        self.pruned.add(more);
        self.replace_limit(before, self.pruned.describe());
    }

    /// Records a limit whose numbers have grown, in the place of what it was before.
    pub(crate) fn replace_limit(&mut self, before: Option<String>, after: Option<String>) {
        self.result.limits.retain(|limit| Some(limit) != before.as_ref());
        if let Some(limit) = after {
            self.limit(limit);
        }
    }

    /// Returns whether the run was killed, so that no process reads this record.
    pub(crate) fn is_abandoned(&self) -> bool {
        // A run that has ended regularly removes its folder, and processes that go on afterwards do not
        // matter to it.
        let Ok(folder) = std::fs::File::open(&self.folder) else { return false };
        // SAFETY: has no memory preconditions; the descriptor is open.
        let unlocked = unsafe { libc::flock(folder.as_raw_fd(), libc::LOCK_SH | libc::LOCK_NB) == 0 };
        unlocked && self.folder.is_dir()
    }

    /// Returns whether this process has used CUDA, or was prevented from it.
    pub(crate) fn has_something_to_say(&self) -> bool {
        self.result.uses_cuda || self.result.obstacle.is_some()
    }

    /// Returns whether this program has submitted work, or was prevented from it. A program that only starts
    /// another one has not.
    pub(crate) fn has_worked(&self) -> bool {
        let Counters { launches, copies, memsets, allocations, .. } = self.result.counters;
        launches + copies + memsets + allocations > 0 || self.result.obstacle.is_some()
    }

    /// Returns the sink of instrumented kernels, and the sites that checks refer to.
    pub(crate) fn sink_and_sites(&mut self) -> (&mut Option<Sink>, &mut SiteTable) {
        (&mut self.result.sink, &mut self.sites)
    }

    /// Moves the site table out, for a caller that adds to it while it uses the rest.
    pub(crate) fn lend_sites(&mut self) -> SiteTable {
        std::mem::take(&mut self.sites)
    }

    pub(crate) fn return_sites(&mut self, sites: SiteTable) {
        self.sites = sites;
    }

    /// Records memory that kernels may access.
    pub(crate) fn allocated(&mut self, allocation: impl FnOnce() -> Allocation) {
        let instruments = self.result.replay.as_ref().is_some_and(|replay| replay.engine.instruments());
        if instruments && self.allocations.len() < ALLOCATIONS {
            self.allocations.push(allocation());
        }
    }

    /// Returns the site of a call that returns to `caller`.
    pub(crate) fn call_site(&mut self, api: &str, caller: Caller) -> HostCall {
        if caller.address == 0 {
            return HostCall { api: api.to_owned(), site: None, within: None };
        }
        let id = *self.calls.entry(caller).or_insert_with(|| {
            let id = self.sites.push(events::Site {
                function: String::new(),
                text: String::new(),
                ptx_line: 0,
                frames: Vec::new(),
                variable: None,
                role: None,
            });
            self.undescribed.insert(id, caller);
            id
        });
        HostCall { api: api.to_owned(), site: Some(id), within: None }
    }

    /// Adds a source position that was recorded, with a number, and returns the caller that stands for it.
    pub(crate) fn recorded(&mut self, number: usize, site: events::Site) -> Caller {
        let caller = Caller { address: number + 1, ..Caller::default() };
        let id = self.sites.push(site);
        self.calls.insert(caller, id);
        caller
    }

    pub(crate) fn unsupported(&mut self, api: &str, caller: Caller, matters: bool) {
        self.dirty = true;
        set_named(true);
        let call = self.call_site(api, caller);
        let calls = &mut self.result.unsupported_calls;
        let at = *self.unsupported.entry(api.to_owned()).or_insert_with(|| {
            calls.push(UnsupportedCall { call, count: 0, matters });
            calls.len() - 1
        });
        calls[at].count += 1;
    }

    /// Records a submitted task.
    pub(crate) fn task(&mut self, task: &TaskInfo) {
        if self.tasks.len() == TASKS_KEPT {
            self.tasks.pop_front();
        }
        self.tasks.push_back(task.clone());
    }

    /// Records the list of the tensors that the program has names for while it submits the next task.
    pub(crate) fn tensors(&mut self, list: &str) {
        let next = self.tasks.back().map_or(0, |task| task.id.0 + 1);
        self.tensors.add(TaskId(next), list);
    }

    fn name_task(&mut self, task: TaskId) {
        if self.named_tasks.insert(task)
            && let Some(info) = self.tasks.iter().rev().find(|t| t.id == task)
        {
            let launcher = info.launcher;
            self.result.tasks.push(info.clone());
            // A report names the thread that launched it.
            if let Some(launcher) = launcher {
                self.name_task(launcher.task);
            }
        }
    }

    fn kernel(&mut self, work: &KernelWork) -> &mut KernelSummary {
        let name = work.name();
        let at = match self.kernels.get(name) {
            Some(&at) => at,
            None => {
                let kernel = &work.module.kernels()[work.kernel];
                self.result.kernels.push(KernelSummary {
                    name: name.to_owned(),
                    has_line_info: kernel.has_line_info,
                    shared: work.shared(),
                    ..KernelSummary::default()
                });
                self.kernels.insert(name.to_owned(), self.result.kernels.len() - 1);
                self.result.kernels.len() - 1
            }
        };
        &mut self.result.kernels[at]
    }

    /// Records that a kernel has begun or continues.
    pub(crate) fn launch_runs(&mut self, task: TaskId, work: &KernelWork, stats: &Stats, spent: Duration) {
        self.dirty = true;
        let running = self.running.entry(task).or_insert_with(|| Running {
            kernel: work.name().to_owned(),
            checked: work.checked,
            has_line_info: work.module.kernels()[work.kernel].has_line_info,
            blocks: work.grid.count(),
            threads: stats.sampled.unwrap_or(work.grid.count()) * work.block.count(),
            ..Running::default()
        });
        running.blocks_done = stats.blocks_done;
        running.warp_instructions = stats.warp_instructions;
        running.thread_instructions = stats.thread_instructions;
        running.accesses = stats.accesses;
        running.ns = spent.as_nanos() as u64;
    }

    /// Records that a launch is explored under another schedule first, or no longer. Returns whether the
    /// result should be written: soon, since the duration is unknown, and at once the first time.
    pub(crate) fn explores(&mut self, task: TaskId, replay: Option<&str>) -> bool {
        let Some(running) = self.running.get_mut(&task) else { return false };
        if running.exploring.as_deref() == replay {
            return replay.is_some() && self.is_due(0);
        }
        running.exploring = replay.map(str::to_owned);
        self.dirty = true;
        let first = !std::mem::replace(&mut self.explored, true);
        replay.is_some() && (first || self.written.is_none_or(|at| at.elapsed() >= self.cost * SHARE))
    }

    /// Records that a kernel has ended for any reason.
    pub(crate) fn launch_done(&mut self, task: TaskId, work: &KernelWork, stats: &Stats, spent: Duration) {
        self.dirty = true;
        self.running.remove(&task);
        let all = work.grid.count();
        let threads = stats.sampled.unwrap_or(all) * work.block.count();
        let kernel = self.kernel(work);
        kernel.launches += 1;
        kernel.checked += u64::from(work.checked);
        kernel.blocks += stats.blocks_done;
        kernel.threads += threads;
        kernel.thread_instructions += stats.thread_instructions;
        kernel.accesses += stats.accesses;
        kernel.ns += spent.as_nanos() as u64;
        let sum = &mut self.result.counters;
        sum.launches += 1;
        sum.checked += u64::from(work.checked);
        sum.threads += threads;
        sum.warp_instructions += stats.warp_instructions;
        sum.thread_instructions += stats.thread_instructions;
        sum.accesses += stats.accesses;
        sum.checked_accesses += if work.checked { stats.accesses } else { 0 };
        if let Some(sampled) = stats.sampled {
            sum.sampled += sampled;
            sum.sampled_of += all;
        }
        self.result.kernel_ns += spent.as_nanos() as u64;
    }

    /// Records a kernel's failure.
    pub(crate) fn failure(&mut self, failure: DeviceFailure) {
        self.dirty = true;
        use protocol::FailureKind as Kind;
        if matches!(failure.what, Kind::Unsupported | Kind::NoEnd) {
            self.inconclusive(failure.doubt());
        }
        self.name_task(failure.task);
        self.result.failures.push(failure);
    }

    /// Records that the engine refused a launch.
    pub(crate) fn refused(&mut self, work: &KernelWork, task: TaskId, refused: &Refused) {
        self.running.remove(&task);
        let failure = DeviceFailure {
            task,
            kernel: work.name().to_owned(),
            what: protocol::FailureKind::Launch,
            site: None,
            block: None,
            thread: None,
            address: None,
            allocation: None,
            waiting: Vec::new(),
            error: refused.error.name().to_string_lossy().into_owned(),
            text: refused.why.clone(),
        };
        self.failure(failure);
    }

    /// Adds findings; returns true if one is new.
    pub(crate) fn findings(
        &mut self,
        findings: Vec<Finding>,
        allocation_of: impl Fn(u64) -> Option<Allocation>,
    ) -> bool {
        let mut new = false;
        // The detector has reported everything that it had.
        self.so_far.clear();
        for finding in findings {
            self.dirty = true;
            let key = finding.key();
            let schedule = schedule_of(&finding.evidence);
            if let Some(&at) = self.findings.get(&key) {
                let Reported { finding: known, schedules, .. } = &mut self.result.findings[at];
                schedules.extend(schedule.filter(|new| !schedules.contains(new)));
                let count = known.count + finding.count;
                // Observed evidence takes precedence: this very run and its two sides show the race.
                if finding.evidence == Evidence::Observed && known.evidence != Evidence::Observed {
                    *known = finding;
                }
                known.count = count;
                continue;
            }
            new = true;
            self.findings.insert(key, self.result.findings.len());
            let reported = self.reported(finding, schedule, &allocation_of);
            self.result.findings.push(reported);
        }
        new
    }

    fn reported(
        &mut self,
        finding: Finding,
        schedule: Option<String>,
        allocation_of: &impl Fn(u64) -> Option<Allocation>,
    ) -> Reported {
        for side in &finding.sides {
            self.name_task(side.task);
        }
        let allocation = match finding.space {
            Space::Global => allocation_of(finding.sides[1].address),
            Space::Shared(_) | Space::Tensor(_) => None,
        };
        let tensor = allocation.as_ref().and_then(|held| self.tensor(&finding, held));
        let global = finding.locations().filter(|at| at.space == Space::Global);
        let others = global.filter_map(|at| allocation_of(at.address)).collect();
        let schedules = schedule.into_iter().collect();
        Reported { engine: self.engine, finding, allocation, others, tensor, schedules }
    }

    /// Returns the tensor that a finding is about, as the code that submitted one of its tasks named it.
    fn tensor(&self, finding: &Finding, held: &Allocation) -> Option<protocol::Tensor> {
        let [a, b] = &finding.sides;
        let address = a.address.max(b.address);
        let at = |task| self.tensors.at(task, address, held.base..held.base + held.bytes);
        at(b.task).or_else(|| at(a.task)).filter(|_| held.name.is_none())
    }

    /// Returns whether the findings of running kernels should be written: soon if there are more than before,
    /// later otherwise.
    pub(crate) fn is_due(&self, so_far: usize) -> bool {
        let Some(written) = self.written else { return true };
        let pulse = match self.result.running.iter().any(|running| running.ns == 0) {
            // For one running launch the file says only that it has begun.
            true => STALE,
            false => PULSE,
        };
        let rest = (self.cost * SHARE).max(if so_far > self.so_far.len() { Duration::ZERO } else { pulse });
        written.elapsed() >= rest
    }

    /// Replaces the findings of running kernels.
    pub(crate) fn findings_so_far(
        &mut self,
        findings: Vec<Finding>,
        allocation: impl Fn(u64) -> Option<Allocation>,
    ) {
        self.so_far = findings.into_iter().map(|f| self.reported(f, None, &allocation)).collect();
    }

    /// Writes the file, if there is anything to report and a run to read it.
    pub(crate) fn write(&mut self, finished: bool, account: Account) {
        let Account { limits, scope, overlooked, footprint } = account;
        self.result.counters.overlooked = overlooked;
        self.result.partial |= !scope.is_empty();
        self.result.seeks_driver |= crate::detour::is_driver_sought();
        let told = self.result.uses_cuda || self.result.obstacle.is_some() || self.result.seeks_driver;
        if self.folder.as_os_str().is_empty() || !told {
            return;
        }
        let begun = Instant::now();
        // Counts in limits grow, so earlier texts are replaced.
        let before = std::mem::replace(&mut self.limits, limits.clone());
        self.result.inconclusive.retain(|reason| !before.contains(reason));
        for limit in limits {
            self.inconclusive(limit);
        }
        for limit in scope {
            self.limit(limit);
        }
        self.result.finished = finished;
        self.result.serial += 1;
        self.result.shadow_bytes = self.result.shadow_bytes.max(footprint.shadow_bytes);
        self.result.touched_bytes = self.result.touched_bytes.max(footprint.touched_bytes);
        self.result.running = self.running.values().cloned().collect();
        let kept = self.result.findings.len();
        self.result.findings.extend(self.so_far.iter().cloned());
        if let Some(sink) = &mut self.result.sink {
            sink.allocations.clone_from(&self.allocations);
        }
        self.describe_calls();
        self.result.sites = self.sites.clone();
        // The process id alone is not unique when a process executes another program.
        let name = format!("{}-{:x}.{RESULT_EXTENSION}", self.result.pid, self.begun);
        let path = self.folder.join(name);
        if let Err(error) = self.result.write(&path) {
            // This is reported once, since the command line also reports the missing file.
            if self.written.is_none() && self.folder.is_dir() {
                crate::output::complain(format_args!("warprace: cannot write {}: {error}\n", path.display()));
            }
        }
        self.result.findings.truncate(kept);
        self.written = Some(Instant::now());
        self.cost = begun.elapsed();
        self.dirty = false;
    }

    /// Returns all sites, with the source lines of the host calls that the result names.
    pub(crate) fn described_sites(&mut self) -> &SiteTable {
        self.describe_calls();
        &self.sites
    }

    /// Returns whether exactly one launch has ended.
    pub(crate) fn is_first_launch(&self) -> bool {
        self.result.counters.launches == 1
    }

    /// Finds source lines for the host calls that the result names.
    fn describe_calls(&mut self) {
        let tasks = self.result.tasks.iter().map(|t| &t.call);
        let unsupported = self.result.unsupported_calls.iter().map(|u| &u.call);
        let allocations = self.result.findings.iter().flat_map(|f| f.allocation.iter().chain(&f.others));
        let failed = self.result.failures.iter().filter_map(|f| f.allocation.as_ref());
        let instrumented = self.result.sink.iter().flat_map(|sink| &sink.allocations);
        let named = tasks
            .chain(unsupported)
            .chain(allocations.chain(failed).chain(instrumented).map(|a| &a.call))
            .filter_map(|call| call.site)
            .chain(self.result.sink.iter().flat_map(|sink| &sink.calls).filter_map(|call| call.site))
            .chain(self.result.findings.iter().flat_map(|f| &f.finding.sides).filter_map(|side| side.site));
        let wanted: BTreeSet<SiteId> = named.collect();
        for id in wanted {
            if let Some(caller) = self.undescribed.remove(&id) {
                self.sites.set(id, crate::lines::describe_call(caller));
            }
        }
    }
}

/// Returns the explored schedule of such evidence.
fn schedule_of(evidence: &Evidence) -> Option<String> {
    let replay: Replay = evidence.replay()?.parse().ok()?;
    Some(replay.plan.explored?.how.to_string())
}

fn push_once(list: &mut Vec<String>, text: String, dirty: &mut bool) {
    if !list.contains(&text) {
        list.push(text);
        *dirty = true;
    }
}
