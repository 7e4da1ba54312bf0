//! Races between tasks: kernels, copies, the host.
//!
//! Two tasks that nothing orders may run at the same time, whenever this run happened to
//! run them. So they are not compared while they run: each leaves a *footprint*, the ranges it has
//! read and written, and is compared with the footprints of tasks it is unordered with.
//! Footprints are kept until every host thread, and so every later task, is after them.
//!
//! Tasks that run at the same time may also synchronise with each other by strong operations
//! that reach far enough. What they order then is not followed; if two tasks can have
//! communicated, nothing is reported between them, and the monitor's limits say so.

mod footprint;
mod order;

pub(crate) use footprint::{Pieces, Runs, runs_of};

use super::report::{Sink, group};
use crate::shadow::{Memory, lock};
use events::RangeAccess;
use events::finding::Actor;
use events::{
    BlockId, Class, Evidence, Finding, Level, Side, SiteId, Space, SyncNote, TaskId, TaskInfo, ThreadId,
};
use footprint::{By, Coverage, Run};
pub(crate) use order::Reach;
use order::{Kind, Order, Task};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

const PAGE: u64 = 4096;

/// A run and whose it is.
#[derive(Clone, Debug)]
struct Print {
    task: TaskId,
    run: Run,
    by: By,
}

/// What two unordered tasks did to the same memory.
#[derive(Debug, Default)]
struct Pair {
    findings: FxHashMap<(Option<SiteId>, Option<SiteId>), Finding>,
    /// A strong write of the one could be read by a strong read of the other.
    first_to_second: bool,
    second_to_first: bool,
    /// The one that reads or the one that writes does so strongly, but the other is out of its scope.
    narrow: Option<Narrow>,
}

/// A strong access of the one task that does not reach the host, as if the two passed a message.
#[derive(Clone, Copy, Debug)]
struct Narrow {
    reach: Reach,
    /// The task that writes it.
    sender: TaskId,
}

type Pairs = BTreeMap<(TaskId, TaskId), Pair>;

/// Parts that several workers can add to at the same time; neighbouring pages are of different ones.
const PARTS: usize = 16;

/// Some of the pages, by number, and what was found in them.
#[derive(Debug, Default)]
struct Part {
    pages: FxHashMap<u64, Vec<Print>>,
    pairs: Pairs,
}

#[derive(Debug)]
pub(crate) struct Tasks {
    memory: Arc<Memory>,
    order: Order,
    parts: [Mutex<Part>; PARTS],
    ended: u32,
    limits: Vec<String>,
}

/// What a task is to others whose prints it has met.
#[derive(Debug)]
pub(crate) struct Others {
    task: TaskId,
    known: FxHashMap<TaskId, Other>,
    /// The one that was asked for last: a page has many prints of each task, side by side.
    last: Option<(TaskId, Other)>,
}

#[derive(Clone, Copy, Debug)]
struct Other {
    /// One is after the other.
    ordered: bool,
    /// Of the same stream, whose later task may take its place.
    behind: bool,
}

impl Others {
    pub(crate) fn of(task: TaskId) -> Self {
        Others { task, known: FxHashMap::default(), last: None }
    }

    #[inline]
    fn knows(&mut self, order: &Order, other: TaskId) -> Other {
        match self.last {
            Some((task, known)) if task == other => known,
            _ => self.finds(order, other),
        }
    }

    fn finds(&mut self, order: &Order, other: TaskId) -> Other {
        let known = *self.known.entry(other).or_insert_with(|| {
            let stream = |task| order.get(task).map(|t| t.stream);
            let same = stream(other) == stream(self.task);
            Other {
                ordered: order.ordered(other, self.task),
                behind: same && order.before_wait_ordered(other, false, self.task),
            }
        });
        self.last = Some((other, known));
        known
    }
}

/// What a page's prints take.
fn room(prints: &Vec<Print>) -> u64 {
    let touches: usize = prints.iter().map(|print| print.run.bytes_of_touches()).sum();
    (prints.capacity() * size_of::<Print>() + touches + 48) as u64
}

impl Tasks {
    pub(crate) fn new(memory: Arc<Memory>) -> Self {
        Tasks { memory, order: Order::default(), parts: Default::default(), ended: 0, limits: Vec::new() }
    }

    /// Not all that the task did is remembered.
    pub(crate) fn incomplete(&self, task: TaskId) {
        if let Some(task) = self.order.get(task) {
            task.incomplete.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn start(&mut self, info: &TaskInfo) {
        self.order.start(info);
    }

    pub(crate) fn after(&mut self, task: TaskId, earlier: &[TaskId]) {
        self.order.after(task, earlier);
    }

    /// What `task` is after was complete before it let a dependent launch begin.
    pub(crate) fn gates(&mut self, task: TaskId) {
        if let Some(task) = self.order.get_mut(task) {
            task.gates = true;
        }
    }

    /// A task ended; `scopes` are the widest of a launch's release and acquire operations.
    pub(crate) fn end(&mut self, task: TaskId, scopes: (Option<Reach>, Option<Reach>)) {
        if let Some(task) = self.order.get_mut(task) {
            task.ended = true;
            (task.releases, task.acquires) = scopes;
        }
        self.ended += 1;
        if self.ended.is_multiple_of(32) {
            let settled = self.order.retire();
            for part in &mut self.parts {
                exclusive(part).pages.retain(|_, prints| {
                    let before = room(prints);
                    prints.retain(|p| settled.binary_search(&p.task).is_err());
                    let left = if prints.is_empty() { 0 } else { room(prints) };
                    self.memory.shrank(before.saturating_sub(left));
                    !prints.is_empty()
                });
            }
        }
    }

    pub(crate) fn range(&self, range: &RangeAccess) {
        let end = range.address.saturating_add(range.bytes);
        let mut at = range.address;
        while at < end {
            let page = at / PAGE;
            let stop = end.min((page + 1).saturating_mul(PAGE));
            let (from, to) = ((at - page * PAGE) as u16, (stop - page * PAGE) as u16);
            let run = Run::range(from, to, range.site, range.write);
            self.add(range.task, page, &Runs::range(run, range.address, range.bytes));
            at = stop;
        }
    }

    /// Compares what a dependent launch did before it waited for the kernel before it with what that one, and others
    /// that it is after otherwise, left there. All that it did is added by [`Tasks::add`].
    pub(crate) fn compare_before_wait(&self, task: TaskId, page: u64, Runs { runs, by }: &Runs) {
        let part = &mut *lock(&self.parts[page as usize % PARTS]);
        let Some(prints) = part.pages.get(&page) else { return };
        for old in prints.iter().filter(|p| p.task != task && self.order.ordered(p.task, task)) {
            if self.order.before_wait_ordered(old.task, old.run.released, task) {
                continue;
            }
            for run in runs.iter().filter(|run| old.run.meets(run)) {
                let new = Print { task, run: *run, by: by.clone() };
                compare(&self.order, &mut part.pairs, page * PAGE, old, &new, SyncNote::BeforeGridWait);
            }
        }
    }

    /// Adds to the footprint of `task`, and compares with what others left there.
    pub(crate) fn add(&self, task: TaskId, page: u64, runs: &Runs) {
        self.add_to(&mut Others::of(task), page, runs);
    }

    /// As above, one page after the other.
    pub(crate) fn add_to(&self, others: &mut Others, page: u64, Runs { runs, by }: &Runs) {
        let task = others.task;
        let part = &mut *lock(&self.parts[page as usize % PARTS]);
        let prints = part.pages.entry(page).or_default();
        for old in prints.iter().filter(|p| p.task != task && !others.knows(&self.order, p.task).ordered) {
            for run in runs.iter().filter(|run| old.run.meets(run)) {
                let new = Print { task, run: *run, by: by.clone() };
                compare(&self.order, &mut part.pairs, page * PAGE, old, &new, SyncNote::UnorderedTasks);
            }
        }
        if !self.memory.may_grow() {
            self.memory.refuse_tasks();
            return self.incomplete(task);
        }
        let before = if prints.capacity() == 0 { 0 } else { room(prints) };
        // What this stream did here before is behind what it does now.
        let mut coverage = None;
        prints.retain(|old| {
            !others.knows(&self.order, old.task).behind
                || !(runs.len() < 16 && runs.iter().any(|run| run.covers(&old.run))
                    || coverage.get_or_insert_with(|| Coverage::of(runs)).covers(&old.run))
        });
        prints.extend(runs.iter().map(|run| Print { task, run: *run, by: by.clone() }));
        let after = room(prints);
        self.memory.grew(after.saturating_sub(before));
        self.memory.shrank(before.saturating_sub(after));
    }

    /// Memory was freed, or is new: what happened there before is no matter.
    pub(crate) fn forget(&mut self, base: u64, bytes: u64) {
        let end = base.saturating_add(bytes);
        let (first, last) = (base / PAGE, end.saturating_sub(1) / PAGE);
        let clear = |page: u64, prints: &mut Vec<Print>| {
            let from = base.saturating_sub(page * PAGE).min(PAGE) as u16;
            let to = end.saturating_sub(page * PAGE).min(PAGE) as u16;
            let mut kept = Vec::with_capacity(prints.len());
            for print in prints.drain(..) {
                kept.extend(print.run.without(from, to).map(|run| Print { run, ..print.clone() }));
            }
            *prints = kept;
            !prints.is_empty()
        };
        let memory = &self.memory;
        let parts = self.parts.each_mut().map(exclusive);
        if last - first < parts.iter().map(|part| part.pages.len() as u64).sum() {
            for page in first..=last {
                let pages = &mut parts[page as usize % PARTS].pages;
                if let Some(prints) = pages.get_mut(&page) {
                    let before = room(prints);
                    if clear(page, prints) {
                        memory.shrank(before.saturating_sub(room(prints)));
                    } else {
                        pages.remove(&page);
                        memory.shrank(before);
                    }
                }
            }
        } else {
            for part in parts {
                part.pages.retain(|&page, prints| {
                    let before = room(prints);
                    let kept = !(first..=last).contains(&page) || clear(page, prints);
                    memory.shrank(if kept { before.saturating_sub(room(prints)) } else { before });
                    kept
                });
            }
        }
    }

    /// Hands over what is known of pairs of tasks that have both ended.
    pub(crate) fn publish(&mut self, sink: &Sink) {
        let (order, limits) = (&self.order, &mut self.limits);
        let mut pairs = Pairs::new();
        for part in &mut self.parts {
            for (key, pair) in std::mem::take(&mut exclusive(part).pairs) {
                pairs.entry(key).or_default().merge(pair);
            }
        }
        pairs.retain(|&(first, second), pair| {
            let (Some(a), Some(b)) = (order.get(first), order.get(second)) else { return false };
            if !(a.ended && b.ended) {
                return true;
            }
            // A flag may be among what was forgotten.
            let forgot = a.forgot() || b.forgot();
            let talk = ((pair.first_to_second || forgot) && synchronises(a, b))
                || ((pair.second_to_first || forgot) && synchronises(b, a));
            if talk && !pair.findings.is_empty() {
                let limit = "kernels or host threads that ran at the same time synchronised through memory: \
                             their accesses were not compared with each other";
                add_limit(limits, limit);
            } else {
                for (_, finding) in std::mem::take(&mut pair.findings) {
                    sink.add(explain(finding, pair, (first, a), (second, b)));
                }
            }
            false
        });
        exclusive(&mut self.parts[0]).pairs = pairs;
    }

    pub(crate) fn limit(&mut self, limit: &str) {
        add_limit(&mut self.limits, limit);
    }

    pub(crate) fn limits(&self) -> &[String] {
        &self.limits
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| lock(part).pages.values().map(room).sum::<u64>()).sum()
    }
}

impl Pair {
    fn merge(&mut self, other: Pair) {
        self.first_to_second |= other.first_to_second;
        self.second_to_first |= other.second_to_first;
        self.tell_narrow(other.narrow);
        for (sites, finding) in other.findings {
            self.add(sites, finding);
        }
    }

    /// Of several the first of the program is told, whichever was found first.
    fn tell_narrow(&mut self, new: Option<Narrow>) {
        self.narrow = [self.narrow, new].into_iter().flatten().min_by_key(|n| n.reach.site);
    }

    /// The task that has sent the other a message, if one alone has, or was meant to. The two are tasks `first` and `second`.
    fn sender(&self, first: TaskId, second: TaskId) -> Option<TaskId> {
        match (self.first_to_second, self.second_to_first) {
            (true, false) => Some(first),
            (false, true) => Some(second),
            _ => self.narrow.map(|n| n.sender),
        }
    }

    /// Of one pair of sites the lowest address is shown, whichever was found first.
    fn add(&mut self, sites: (Option<SiteId>, Option<SiteId>), finding: Finding) {
        group(&mut self.findings, sites, finding, |f| f.sides[0].address.max(f.sides[1].address));
    }
}

/// A worker that panics leaves at worst a page that was not compared.
fn exclusive(part: &mut Mutex<Part>) -> &mut Part {
    part.get_mut().unwrap_or_else(PoisonError::into_inner)
}

fn add_limit(limits: &mut Vec<String>, limit: &str) {
    if !limits.iter().any(|l| l == limit) {
        limits.push(limit.to_owned());
    }
}

/// Can a strong write of `a` that `b` has read have ordered anything?
fn synchronises(a: &Task, b: &Task) -> bool {
    let needed = a.scope_between(b);
    let enough = |task: &Task, by: Option<Reach>| task.is_host() || by.is_some_and(|r| r.scope >= needed);
    enough(a, a.releases) && enough(b, b.acquires)
}

/// `why` says why they are not ordered.
fn compare(order: &Order, pairs: &mut Pairs, base: u64, old: &Print, new: &Print, why: SyncNote) {
    let (Some(a), Some(b)) = (order.get(old.task), order.get(new.task)) else { return };
    let swapped = old.task > new.task;
    let key = if swapped { (new.task, old.task) } else { (old.task, new.task) };
    let needed = a.scope_between(b);
    let reaches = |task: &Task, run: &Run| task.is_host() || run.class.scope().is_some_and(|s| s >= needed);
    let strong = reaches(a, &old.run) && reaches(b, &new.run);
    if strong {
        let pair = pairs.entry(key).or_default();
        if old.run.class.writes() && (new.run.class.returns() || b.is_host()) {
            *(if swapped { &mut pair.second_to_first } else { &mut pair.first_to_second }) = true;
        }
        if new.run.class.writes() && (old.run.class.returns() || a.is_host()) {
            *(if swapped { &mut pair.first_to_second } else { &mut pair.second_to_first }) = true;
        }
        // The host's accesses may be atomic, too: that cannot be seen.
        if a.is_host() || b.is_host() || old.run.in_step(&new.run) || old.run.is_of_one_word(&new.run) {
            return;
        }
    }
    // Such as a kernel that polls what the host writes.
    let meant = |task: &Task, print: &Print, other: &Print| {
        let run = &print.run;
        let scope = run.class.scope().filter(|&s| !task.is_host() && s < needed)?;
        let polls = run.class.returns() && !run.class.writes() && other.run.class.writes();
        let tells = run.class.writes() && run.class.sem().releases();
        let sender = if polls { other.task } else { print.task };
        (polls || tells).then_some(Narrow { reach: Reach { scope, site: run.site()? }, sender })
    };
    let narrow = if b.is_host() { meant(a, old, new) } else { None };
    let narrow = narrow.or_else(|| if a.is_host() { meant(b, new, old) } else { None });
    let common = (old.run.from.max(new.run.from), old.run.to.min(new.run.to));
    let pair = pairs.entry(key).or_default();
    let mut meet = |first: u16, end: u16| {
        let sides = [side(base, first, old, a), side(base, first, new, b)];
        let sites = [sides[0].site, sides[1].site];
        let unit = u64::from(sides[0].size.min(sides[1].size).max(1));
        let finding = Finding {
            lens: "ptx".to_owned(),
            level: Level::Race,
            class: if strong { Class::MixedSize } else { class_between(a, b) },
            evidence: Evidence::Observed,
            space: Space::Global,
            sides,
            notes: vec![if strong { SyncNote::PartialOverlap } else { why.clone() }],
            count: u64::from(end - first).div_ceil(unit),
        };
        pair.add((sites[0].min(sites[1]), sites[0].max(sites[1])), finding);
    };
    // Runs of crowded pages are of several instructions.
    old.by.parts(&old.run, common, |from, to| new.by.parts(&new.run, (from, to), &mut meet));
    pair.tell_narrow(narrow);
}

fn class_between(a: &Task, b: &Task) -> Class {
    match (a.kind, b.kind) {
        (Kind::Host { .. }, Kind::Copy) | (Kind::Copy, _) | (_, Kind::Copy) => Class::MemcpyAsync,
        (Kind::Host { .. }, _) | (_, Kind::Host { .. }) => Class::HostDevice,
        _ if a.device != b.device => Class::MultiGpu,
        _ => Class::InterKernel,
    }
}

/// If the tasks have written and read a flag: why their fences or operations do not reach.
fn explain(
    mut finding: Finding,
    pair: &Pair,
    (first, a): (TaskId, &Task),
    (second, b): (TaskId, &Task),
) -> Finding {
    let needed = a.scope_between(b);
    let tried = pair.first_to_second || pair.second_to_first;
    let narrow = |task: &Task, by: Option<Reach>| by.filter(|r| !task.is_host() && r.scope < needed);
    let of_tasks = [(a, a.releases), (a, a.acquires), (b, b.releases), (b, b.acquires)]
        .into_iter()
        .filter_map(|(task, by)| narrow(task, by));
    let mut all: Vec<Reach> = pair.narrow.iter().map(|n| n.reach).collect();
    if tried || !all.is_empty() {
        all.extend(of_tasks);
    }
    // The two run side by side, and the one that was heard of first is so in this run only. What is sent comes before
    // what is received; and where nothing was, the host before the GPU.
    let ahead = match pair.sender(first, second).filter(|_| !all.is_empty() || tried) {
        Some(sender) => finding.sides[1].task == sender && finding.sides[0].task != sender,
        None => {
            matches!(finding.sides[0].who, Actor::Thread { .. } | Actor::Engine)
                && matches!(finding.sides[1].who, Actor::HostThread(_))
        }
    };
    if ahead {
        finding.sides.swap(0, 1);
    }
    if finding.class == Class::MixedSize {
        // Whatever the two have tried, these accesses are not atomic towards each other.
    } else if !all.is_empty() {
        finding.class = Class::FenceScope;
        finding.notes.clear();
        for Reach { scope, site } in all {
            let note = SyncNote::ScopeTooNarrow { site, scope, needed };
            if !finding.notes.contains(&note) {
                finding.notes.push(note);
            }
        }
    } else if tried {
        finding.class = Class::MissingFence;
    }
    finding
}

/// The access to byte `at` of the page.
fn side(base: u64, at: u16, print: &Print, task: &Task) -> Side {
    let run = &print.run;
    let toucher = match &print.by {
        By::Threads(touches) => touches.at(run, at),
        By::Range { .. } => None,
    };
    let who = match (task.kind, &toucher) {
        (Kind::Launch, Some(t)) => Actor::Thread { block: BlockId(t.block), thread: ThreadId(t.thread) },
        (Kind::Host { thread }, _) if thread != u32::MAX => Actor::HostThread(thread),
        _ => Actor::Engine,
    };
    let (address, size) = match print.by {
        By::Range { address, bytes } => (address, u32::try_from(bytes).unwrap_or(u32::MAX)),
        By::Threads(_) => {
            (base + u64::from(toucher.as_ref().map_or(run.from, |t| t.from)), u32::from(run.size))
        }
    };
    Side {
        site: toucher.map_or(run.site(), |t| t.site),
        task: print.task,
        who,
        kind: run.class.kind(0),
        strength: run.class.strength(),
        proxy: run.class.proxy(),
        address,
        size,
    }
}
