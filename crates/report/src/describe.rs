//! From the results of all processes to one described run.
//!
//! **Size:** a run's verdict, its sums and its findings are put together here; what each is called is in the modules below.

use crate::advice::{self, Chooser};
use crate::attribute::user_frame;
use crate::explain::Explainer;
use crate::model::completeness::Completeness;
use crate::model::interleaving::Interleaving;
use crate::model::{
    Access, Described, Document, JSON_VERSION, Kernel, LevelField, Place, Program, Summary, Verdict,
    WeakExecution,
};
use crate::pair::is_discard;
use crate::source::Sources;
use events::finding::Actor;
use events::task::TaskKind;
use events::{Dim3, Finding, Launcher, Level, Side, Site, SiteId, TaskId, TaskInfo};
use kernels::libraries::is_library;
use names::{Replay, symbol};
use protocol::{FailureKind, Reported, RunResult};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;

mod failure;
mod group;
mod memory;
mod misuse;
mod pipeline;
mod ring;
mod weak;
mod words;

use group::Keyed;
use words::{brief_memory, coordinates, deed, kind_name, space_name, title, what};

pub use failure::{NO_PTX_HELP, STRIPPED_HELP, no_ptx_help, obstacle};

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Exit(i32),
    Signal(i32),
}

/// The detector's task with the accesses of kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checking {
    /// A detector listens.
    Detect,
    /// No detector listens: `--no-detect`.
    Off,
    /// They are recorded to this file, in the user's words.
    Record(String),
}

/// All there is to describe.
pub struct Run<'a> {
    pub results: &'a [RunResult],
    pub program: String,
    /// The program and its arguments, if there was one.
    pub command: &'a [OsString],
    pub ending: Ending,
    pub checking: Checking,
    /// The command that runs a process, or the saved launch that it was, again by a replay string.
    pub replay: &'a dyn Fn(&RunResult, &str) -> String,
    /// More reasons why nothing can be concluded, known to the caller.
    pub inconclusive: Vec<String>,
    pub sources: &'a Sources,
    /// The threads' actions around findings, by process and index of the finding.
    pub interleavings: HashMap<(u32, usize), Interleaving>,
}

/// Describes a run: findings merged by source line, failures, the verdict and what it rests on.
pub fn describe(run: &Run<'_>) -> Document {
    let mut all = Vec::new();
    let mut errors = Vec::new();
    let mut inconclusive = run.inconclusive.clone();
    let mut limits = Vec::new();
    let mut weak: Vec<WeakExecution> = Vec::new();
    for result in run.results {
        let context = Context::new(result, run);
        all.extend(result.findings.iter().enumerate().map(|(i, r)| context.finding(i, r)));
        errors.extend(result.failures.iter().map(|f| context.failure(f)));
        errors.extend(result.obstacle.iter().map(failure::obstacle));
        weak.extend(result.weak.iter().map(|w| context.weak(w)));
        for reason in context.doubts() {
            push_new(&mut inconclusive, reason);
        }
        for limit in &result.limits {
            push_new(&mut limits, limit.clone());
        }
    }
    let merged = group::by_statement(all);
    let (races, lower): (Vec<_>, Vec<_>) = merged.into_iter().partition(|d| d.level.0 == Level::Race);
    let (hazards, unseen_launches) = lower.into_iter().partition(|d| d.level.0 == Level::Hazard);
    let kernels = kernels(run.results);
    let summary = summary(run, &kernels);
    let on_gpu = run.results.iter().filter_map(|r| r.replay.as_ref()).any(|replay| replay.engine.on_gpu());
    if run.checking == Checking::Detect
        && !on_gpu
        && summary.checked > 0
        && summary.checked < summary.launches
    {
        let (left_out, all) = (summary.launches - summary.checked, summary.launches);
        push_new(
            &mut limits,
            format!("{left_out} of {all} launches were left out by the filters, as asked for"),
        );
    }
    inconclusive.extend(doubts_of_run(run, &summary));
    let mut document = Document {
        version: JSON_VERSION,
        verdict: Verdict::Clean,
        races,
        hazards,
        unseen_launches,
        kernels,
        inconclusive,
        errors,
        weak,
        limits,
        suppressed: Vec::new(),
        suppressions: Vec::new(),
        warnings: Vec::new(),
        baseline: None,
        proofs: Vec::new(),
        program: Program {
            path: run.program.clone(),
            name: String::new(),
            command: run.command.iter().map(|word| word.as_os_str().into()).collect(),
            exit_code: match run.ending {
                Ending::Exit(code) => Some(code),
                Ending::Signal(_) => None,
            },
            signal: match run.ending {
                Ending::Signal(signal) => Some(signal),
                Ending::Exit(_) => None,
            },
            processes: run.results.iter().filter(|r| r.uses_cuda).count() as u64,
            unwatched: 0,
        },
        completeness: Completeness::default(),
        campaign: None,
        summary,
    };
    document.completeness = Completeness::of_run(&document.summary, &document.kernels);
    document.verdict = document.judged();
    document
}

fn push_new(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}

/// Reasons that only the whole run shows.
fn doubts_of_run(run: &Run<'_>, summary: &Summary) -> Vec<String> {
    let mut out = Vec::new();
    match &run.checking {
        Checking::Detect => {}
        Checking::Off => out.push("nothing was checked: --no-detect".into()),
        Checking::Record(file) => out.push(format!(
            "nothing was checked: the run was recorded to `{file}`; `warprace predict {file}` checks it"
        )),
    }
    if run.results.iter().any(|r| r.uses_cuda && r.obstacle.is_none()) {
        let ended_early = matches!(run.ending, Ending::Signal(_) | Ending::Exit(1..));
        let operators: u64 = run.results.iter().map(|r| r.counters.operators).sum();
        if summary.launches == 0 && operators == 0 {
            let asked = run.results.iter().find_map(|r| r.capability).filter(|_| ended_early);
            let why = match (ended_early, asked) {
                (true, None) => "the program ended before".to_owned(),
                (true, Some(sm)) => format!(
                    "the program ended before; it asked for the device's compute capability, which is {}.{}: `--arch` \
                     chooses another device (`--arch sm_100`)",
                    sm / 10,
                    sm % 10
                ),
                (false, _) => "the program launches none with these arguments".to_owned(),
            };
            // Copies, and what the host does, may have raced all the same.
            let copies =
                summary.copies + summary.memsets > 0 || run.results.iter().any(|r| !r.findings.is_empty());
            out.push(if copies {
                format!("no kernel was launched, so only copies and what the host does were checked: {why}")
            } else {
                format!("no kernel was launched, so nothing was checked: {why}")
            });
            // One of the calls that could not have mattered may be the reason.
            if ended_early {
                let calls = run.results.iter().flat_map(|r| &r.unsupported_calls).filter(|c| !c.matters);
                out.extend(calls.map(|c| format!("`{}` is not supported", c.call.api)));
            }
        } else if summary.launches > 0 && summary.checked == 0 && run.checking == Checking::Detect {
            let on_gpu = run.results.iter().filter_map(|r| r.replay.as_ref()).any(|r| r.engine.on_gpu());
            // There each kernel without checks has its own reason.
            if !on_gpu {
                let launched = launched(run.results);
                out.push(format!(
                    "no launch was checked: the filters left out all of them (launched: {})",
                    launched
                ));
            }
        }
    }
    if let Ending::Signal(signal) = run.ending {
        out.push(format!("{} ended the program", signal_name(signal)));
    }
    out
}

/// The names of kernels that were launched, the first few of many.
fn launched(results: &[RunResult]) -> String {
    const NAMED: usize = 8;
    let mut names: Vec<String> = Vec::new();
    for kernel in results.iter().flat_map(|r| &r.kernels).filter(|k| k.launches > 0) {
        push_new(&mut names, format!("`{}`", symbol::short(&kernel.name)));
    }
    if names.len() > NAMED {
        let more = names.len() - NAMED;
        names.truncate(NAMED);
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

/// `SIGSEGV (signal 11)`.
pub fn signal_name(signal: i32) -> String {
    const NAMES: [(i32, &str); 14] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
    ];
    match NAMES.iter().find(|(n, _)| *n == signal) {
        Some((n, name)) => format!("{name} (signal {n})"),
        None => format!("signal {signal}"),
    }
}

fn kernels(results: &[RunResult]) -> Vec<Kernel> {
    let mut out: Vec<Kernel> = Vec::new();
    for k in results.iter().flat_map(|r| &r.kernels) {
        let sum = named(&mut out, &k.name, k.has_line_info);
        sum.launches += k.launches;
        sum.checked += k.checked;
        sum.threads += k.threads;
        sum.instructions += k.thread_instructions;
        sum.accesses += k.accesses;
        sum.ns += k.ns;
    }
    for r in results.iter().flat_map(|r| &r.running) {
        let sum = named(&mut out, &r.kernel, r.has_line_info);
        sum.launches += 1;
        sum.checked += u64::from(r.checked);
        sum.unfinished += 1;
        sum.threads += r.threads;
        sum.instructions += r.thread_instructions;
        sum.accesses += r.accesses;
        sum.ns += r.ns;
    }
    out
}

fn named<'a>(kernels: &'a mut Vec<Kernel>, mangled: &str, line_info: bool) -> &'a mut Kernel {
    let at = kernels.iter().position(|o| o.mangled == mangled).unwrap_or_else(|| {
        kernels.push(Kernel {
            name: symbol::full(mangled),
            mangled: mangled.to_owned(),
            line_info,
            ..Kernel::default()
        });
        kernels.len() - 1
    });
    &mut kernels[at]
}

fn summary(run: &Run<'_>, kernels: &[Kernel]) -> Summary {
    let mut s =
        Summary { kernels: kernels.iter().filter(|k| k.launches > 0).count() as u64, ..Summary::default() };
    if let Some(replay) = run.results.iter().find_map(|r| r.replay.as_ref()) {
        s.lens = match (&run.checking, replay.engine.lens()) {
            (Checking::Detect, Some(own)) => own.into(),
            (Checking::Detect, None) => replay.lens.to_string(),
            _ => String::new(),
        };
        s.engine = replay.engine.to_string();
        s.schedule = replay.plan.to_string();
        s.replay = replay.to_string();
    }
    for r in run.results {
        let c = &r.counters;
        s.launches += c.launches;
        s.checked += c.checked;
        s.proved += c.proved;
        s.proved_in_part += c.proved_in_part;
        s.threads += c.threads;
        s.warp_instructions += c.warp_instructions;
        s.thread_instructions += c.thread_instructions;
        s.accesses += c.accesses;
        s.copies += c.copies;
        s.memsets += c.memsets;
        s.allocations += c.allocations;
        s.checked_accesses += c.checked_accesses - c.overlooked.min(c.checked_accesses);
        s.partial |= r.partial;
        s.sampled += c.sampled;
        s.sampled_of += c.sampled_of;
        s.unchecked += c.unchecked;
        s.kernel_ns += r.kernel_ns;
        s.shadow_bytes += r.shadow_bytes;
        s.touched_bytes += r.touched_bytes;
        for running in &r.running {
            s.launches += 1;
            s.checked += u64::from(running.checked);
            s.threads += running.threads;
            s.warp_instructions += running.warp_instructions;
            s.thread_instructions += running.thread_instructions;
            s.accesses += running.accesses;
            s.kernel_ns += running.ns;
            s.checked_accesses += if running.checked { running.accesses } else { 0 };
        }
    }
    let mut launching = run.results.iter().filter(|r| r.counters.launches > 0).peekable();
    s.proved_whole = launching.peek().is_some() && launching.all(|r| r.proved_whole);
    s
}

/// One process's tables.
struct Context<'a> {
    result: &'a RunResult,
    run: &'a Run<'a>,
    tasks: HashMap<TaskId, &'a TaskInfo>,
    explainer: Explainer<'a>,
    lines: OnceCell<group::Lines>,
    /// Stores by which several threads write one element.
    contended: OnceCell<HashSet<Option<SiteId>>>,
}

impl<'a> Context<'a> {
    fn new(result: &'a RunResult, run: &'a Run<'a>) -> Self {
        Context {
            result,
            run,
            tasks: result.tasks.iter().map(|t| (t.id, t)).collect(),
            explainer: Explainer { sites: &result.sites, sources: run.sources },
            lines: OnceCell::new(),
            contended: OnceCell::new(),
        }
    }

    /// Why this process's part of the verdict is weak.
    fn doubts(&self) -> Vec<String> {
        let r = self.result;
        let mut out = r.inconclusive.clone();
        // Failures are described below, in the reader's words.
        out.retain(|reason| !r.failures.iter().any(|f| *reason == f.doubt()));
        for call in r.unsupported_calls.iter().filter(|c| c.matters) {
            let times = if call.count > 1 { format!(" ({} times)", call.count) } else { String::new() };
            out.push(format!("`{}` is not supported and did nothing{times}", call.call.api));
        }
        for f in &r.failures {
            let text = match f.text.as_str() {
                "" => String::new(),
                _ if f.what == FailureKind::Deadlock => String::new(),
                text => format!(" ({text})"),
            };
            let kernel = symbol::short(&f.kernel);
            out.push(format!("kernel `{kernel}` was not run to its end: {}{text}", failure::brief(f)));
        }
        if let Some(o) = &r.obstacle {
            out.push(failure::obstacle(o).title);
        }
        for running in &r.running {
            let (kernel, done, all) = (symbol::short(&running.kernel), running.blocks_done, running.blocks);
            out.push(match &running.exploring {
                Some(replay) => format!(
                    "kernel `{kernel}` was being explored under another schedule, and had not run under its own: \
                     `--replay {replay}` runs it so again"
                ),
                None => format!(
                    "kernel `{kernel}` had not ended: {done} of {all} blocks had, and what it would have done was \
                     not checked"
                ),
            });
        }
        if !r.finished && matches!(self.run.ending, Ending::Exit(_)) {
            out.push(format!("process {} ended without saying what it still had to say", r.pid));
        }
        out
    }

    fn finding(&self, number: usize, reported: &Reported) -> Keyed {
        let f = &reported.finding;
        let memory = match (&reported.allocation, &reported.tensor) {
            (Some(held), Some(tensor)) => self.tensor(f, held, tensor),
            (held, _) => self.memory(f, held.as_ref()),
        };
        let mut accesses = [self.access(&f.sides[0]), self.access(&f.sides[1])];
        let apart = f.sides[0].task != f.sides[1].task;
        // The user's line of a library's kernel is that of its launch.
        if apart || accesses.iter().any(|access| is_library(&access.file)) {
            for (access, side) in accesses.iter_mut().zip(&f.sides) {
                self.launched(access, side, apart);
            }
        }
        for (access, side) in accesses.iter_mut().zip(&f.sides) {
            // The memory at the later of the two starts is described.
            let start = f.sides[0].address.max(f.sides[1].address);
            access.offset = memory.offset.wrapping_sub(start.wrapping_sub(side.address)).cast_signed();
        }
        let mut memory = memory;
        misuse::amend(f, &mut accesses, &mut memory);
        let replay = self.replay(f);
        let tasks = f.sides.each_ref().map(|side| self.tasks.get(&side.task).copied());
        let contended =
            f.sides.iter().any(|side| side.kind.writes() && self.contended().contains(&side.site));
        let advice = Chooser { finding: f, sites: &self.result.sites, tasks, contended }.ways();
        let location = |at| self.location(at, f.sides[0].task, &reported.others);
        let dialect = crate::dialect::Dialect::of(&accesses);
        let space = match misuse::is_without_memory(f.class) {
            true => "none",
            false => space_name(f, reported.allocation.as_ref()),
        };
        let described = Described {
            pipeline: self.pipeline(f, &accesses),
            id: String::new(),
            level: LevelField(f.level),
            class: f.class,
            engine: reported.engine,
            evidence: f.evidence.clone(),
            space: space.into(),
            title: title(f, &accesses, brief_memory(&memory)),
            memory,
            count: f.count,
            fix: dialect.advice(advice::help(&advice), space),
            accesses,
            why: dialect.reason(self.explainer.why(f, &location), space),
            advice,
            replay: (self.run.replay)(self.result, &replay),
            page: String::new(),
            replay_string: replay,
            schedules: reported.schedules.clone(),
            also: Vec::new(),
            interleaving: self.run.interleavings.get(&(self.result.pid, number)).cloned(),
            history: None,
        };
        self.keyed(f, described)
    }

    fn contended(&self) -> &HashSet<Option<SiteId>> {
        self.contended.get_or_init(|| {
            let found = self.result.findings.iter().map(|reported| &reported.finding.sides);
            let one_store = found
                .filter(|[a, b]| a.site.is_some() && a.site == b.site && a.kind.writes() && b.kind.writes());
            one_store.map(|[a, _]| a.site).collect()
        })
    }

    /// The string that shows a finding again; empty if nothing was run.
    fn replay(&self, f: &Finding) -> String {
        match (f.evidence.replay(), &self.result.replay) {
            (Some(replay), _) => replay.to_owned(),
            (None, None) => String::new(),
            // The lens of a prediction differs from the run's: the replay string names it.
            (None, Some(run)) => match f.lens.parse() {
                Ok(lens) if run.lens.name() != f.lens => Replay { lens, ..run.clone() }.to_string(),
                _ => run.to_string(),
            },
        }
    }

    fn site(&self, id: Option<SiteId>) -> Option<&'a Site> {
        self.result.sites.get(id?)
    }

    /// The site of an access; of what the host does, the call's.
    fn site_of(&self, side: &Side) -> Option<&'a Site> {
        let own = self.site(side.site);
        match side.who {
            Actor::Thread { .. } => own,
            _ => own.or_else(|| self.site(self.tasks.get(&side.task)?.call.site)),
        }
    }

    /// Grid and block extents of a launch.
    fn grid_of(&self, task: TaskId) -> Option<(Dim3, Dim3)> {
        match &self.tasks.get(&task)?.kind {
            TaskKind::Launch(l) => Some((l.grid, l.block)),
            _ => None,
        }
    }

    /// Sets the call that launched the kernel (and its stream, if the two accesses are of different
    /// launches).
    fn launched(&self, access: &mut Access, side: &Side, apart: bool) {
        let task = self.tasks.get(&side.task).filter(|t| matches!(t.kind, TaskKind::Launch(_)));
        access.launched_by = task.and_then(|t| self.call_place(&t.call));
        // The compiler makes this function of a launch in CUDA's own syntax.
        if let Some(by) =
            access.launched_by.as_mut().filter(|by| by.function.starts_with("__cudaLaunchKernel"))
        {
            by.function = "<<<…>>>".into();
        }
        if let (Some(by), Some(launcher)) = (&mut access.launched_by, task.and_then(|t| t.launcher)) {
            by.function = self.launching_thread(launcher);
        }
        // Streams of kernels are numbered apart from the host's.
        let stream = |t: &&TaskInfo| apart && t.launcher.is_none();
        access.stream = task.copied().filter(stream).map(|t| t.stream.0);
    }

    /// Returns the thread of a kernel that launched another one.
    fn launching_thread(&self, launcher: Launcher) -> String {
        let Some(parent) = self.tasks.get(&launcher.task) else { return "<<<…>>>".into() };
        let TaskKind::Launch(info) = &parent.kind else { return "<<<…>>>".into() };
        let block = info.grid.coordinates(launcher.block.0.into());
        let thread = info.block.coordinates(launcher.thread.0.into());
        let kernel = symbol::short(&info.kernel);
        format!("<<<…>>> in thread {} of block {} of {kernel}", coordinates(thread), coordinates(block))
    }

    fn access(&self, side: &Side) -> Access {
        let task = self.tasks.get(&side.task).copied();
        let own = self.site_of(side);
        let mut access = located(own);
        if let Some(within) = task.and_then(|task| task.call.within.as_deref()) {
            (access.test, access.nvtx) = (within.test.clone(), within.ranges.clone());
        }
        access.kind = kind_name(side.kind).into();
        access.size = side.size;
        access.what =
            deed(&access.instruction).unwrap_or_else(|| what(side, is_discard(&access.instruction)));
        if is_discard(&access.instruction) {
            access.kind = "discard".into();
        }
        match side.who {
            Actor::Thread { block, thread } => {
                let kernel = match task.map(|t| &t.kind) {
                    Some(TaskKind::Launch(l)) => l.kernel.as_str(),
                    _ => own.map_or("", |s| &s.function),
                };
                access.kernel = symbol::full(kernel);
                access.line_info = self.result.kernels.iter().any(|k| k.name == kernel && k.has_line_info);
                let (grid, extent) = self.grid_of(side.task).unwrap_or((Dim3::ONE, Dim3::ONE));
                let (b, t) = (grid.coordinates(block.0.into()), extent.coordinates(thread.0.into()));
                access.block = Some([b.x, b.y, b.z]);
                access.thread = Some([t.x, t.y, t.z]);
                access.grid = Some([grid.x, grid.y, grid.z]);
                access.extent = Some([extent.x, extent.y, extent.z]);
                access.who = format!("thread {} of block {}", coordinates(t), coordinates(b));
            }
            Actor::Engine => {
                let api = task.map_or("", |t| t.call.api.as_str());
                if let Some(what) = words::of_pool(api) {
                    access.what = format!("{what} of {}", words::bytes(side.size));
                }
                access.kernel = api.into();
                let node = match task.map(|t| &t.kind) {
                    Some(TaskKind::Copy) => "a copy node of ",
                    Some(TaskKind::Memset) => "a memset, allocation or free node of ",
                    _ => "a node of ",
                };
                access.who = match api {
                    "" => "a copy".into(),
                    _ if api.starts_with("cudaGraphLaunch") => format!("{node}`{api}`"),
                    _ => format!("`{api}`"),
                };
            }
            Actor::Unseen => {
                access.what = access.kind.clone();
                access.who = "a thread that was not seen".into();
            }
            Actor::HostThread(n) => {
                access.kernel = task.map_or_else(String::new, |t| t.call.api.clone());
                access.who = if n == 0 { "the host".into() } else { format!("host thread {n}") };
            }
        }
        if access.function.is_empty() {
            access.function = access.kernel.clone();
        }
        access
    }
}

/// Returns the part of an access that follows from its site.
fn located(site: Option<&Site>) -> Access {
    let Some(site) = site else { return Access::default() };
    let named = |mangled: &str| symbol::short(if mangled.is_empty() { &site.function } else { mangled });
    let frame = user_frame(site);
    Access {
        file: frame.map_or_else(String::new, |f| f.file.clone()),
        line: frame.map_or(0, |f| f.line),
        column: frame.map_or(0, |f| f.column),
        function: named(frame.map_or("", |f| &f.function)),
        inlined: site
            .frames
            .iter()
            .map(|f| Place { file: f.file.clone(), line: f.line, function: named(&f.function) })
            .collect(),
        instruction: site.text.clone(),
        ptx_line: site.ptx_line,
        ..Access::default()
    }
}
