//! Races between tasks: kernels, copies, the host.
//!
//! Two tasks that nothing orders may run at the same time, whenever this run happened to
//! run them. So they are not compared while they run: each leaves a *footprint*, the ranges it has
//! read and written, and is compared with the footprints of tasks it is unordered with.
//! Footprints are kept until every host thread, and so every later task, is after them.
//!
//! Tasks that run at the same time may also synchronise with each other by strong operations
//! that reach far enough. What they order then is not followed; if two tasks can have
//! communicated, nothing is reported between them, nor between what is before the sender and
//! what is after the receiver ([`messages`]), and the monitor's limits say so.

pub(super) mod children;
pub(super) mod early;
mod footprint;
mod messages;
mod order;
mod pair;
mod prints;

pub(crate) use footprint::{Pieces, Runs, runs_of};

use crate::lens::Shard;
use crate::ptx::report::sink::Sink;
use crate::shadow::{Memory, lock};
use events::RangeAccess;
use events::{SiteId, Space, SyncNote, TaskId, TaskInfo};
use footprint::Run;
use messages::{Messages, Told};
use order::Order;
pub(crate) use order::Reach;
pub(crate) use pair::{Pair, Pairs};
use pair::{compare, explain};
use prints::{Prints, room};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

const PAGE: u64 = 4096;

/// Parts that several workers can add to at the same time; neighbouring pages are of different ones.
const PARTS: usize = 16;

/// Some of the pages, by number, and what was found in them.
#[derive(Debug, Default)]
struct Part {
    pages: FxHashMap<u64, Vec<Prints>>,
    pairs: Pairs,
}

#[derive(Debug)]
pub(crate) struct Tasks {
    memory: Arc<Memory>,
    /// The memory of which footprints are kept.
    shard: Shard,
    order: Order,
    parts: [Mutex<Part>; PARTS],
    messages: Messages,
    ended: u32,
    limits: Vec<String>,
    /// Whether accesses race may depend on messages of tasks that have not ended.
    undecided: bool,
}

/// The relation of a task to others whose prints it has met.
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
    /// A task of the same stream, whose later task may take its place.
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

impl Tasks {
    pub(crate) fn new(memory: Arc<Memory>, shard: Shard) -> Self {
        Tasks {
            memory,
            shard,
            order: Order::default(),
            parts: Default::default(),
            messages: Messages::default(),
            ended: 0,
            limits: Vec::new(),
            undecided: false,
        }
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

    /// The predecessors of `task` were complete before it let a dependent launch begin.
    pub(crate) fn gates(&mut self, task: TaskId) {
        if let Some(task) = self.order.get_mut(task) {
            task.gates = true;
        }
    }

    /// A thread of `task` has waited for what it is after.
    pub(crate) fn waited(&mut self, task: TaskId) {
        if let Some(task) = self.order.get_mut(task) {
            task.waited = true;
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
            // A pair is published later, and needs both of its tasks.
            let mut pairs = FxHashSet::default();
            for part in &mut self.parts {
                pairs.extend(exclusive(part).pairs.keys().flat_map(|&(first, second)| [first, second]));
            }
            let settled = self.order.retire(|task| pairs.contains(&task));
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
            if !self.owns(page) {
                at = stop;
                continue;
            }
            let (from, to) = ((at - page * PAGE) as u16, (stop - page * PAGE) as u16);
            let run = Run::range(from, to, range.site, range.write);
            self.add(range.task, page, Runs::range(run, range.address, range.bytes));
            at = stop;
        }
    }

    /// Compares what a dependent launch did before it waited for the kernel before it with what that one, and others
    /// that it is after otherwise, left there. All that it did is added by [`Tasks::add`].
    pub(crate) fn compare_before_wait(&self, task: TaskId, page: u64, runs: Runs) {
        if !self.owns(page) {
            return;
        }
        let new = Prints::new(task, runs);
        let part = &mut *lock(&self.parts[page as usize % PARTS]);
        let Some(all) = part.pages.get(&page) else { return };
        for old in all.iter().filter(|old| old.task != task && self.order.ordered(old.task, task)) {
            old.meet(&new, |old, new| {
                if !self.order.before_wait_ordered(old.task, old.run.released, task) {
                    compare(&self.order, &mut part.pairs, page * PAGE, old, new, SyncNote::BeforeGridWait);
                }
            });
        }
    }

    /// Calls `child` for each child of `parent` that may run beside it and left something in the page, itself or by what it launched.
    pub(crate) fn children_in(&self, parent: TaskId, page: u64, mut child: impl FnMut(TaskId)) {
        let part = lock(&self.parts[page as usize % PARTS]);
        let mut last = None;
        for prints in part.pages.get(&page).into_iter().flatten() {
            let found = self.order.child_beside(parent, prints.task);
            if found.is_some() && found != last {
                found.into_iter().for_each(&mut child);
                last = found;
            }
        }
    }

    /// Compares what `parent` did, as far as it is not ordered before the launch of `child`, with what that one and all that
    /// it launched left in a page. `launch` is the launching instruction.
    pub(crate) fn compare_with_child(
        &self,
        (parent, child): (TaskId, TaskId),
        page: u64,
        runs: Runs,
        launch: SiteId,
    ) {
        let new = Prints::new(parent, runs);
        let part = &mut *lock(&self.parts[page as usize % PARTS]);
        let Some(all) = part.pages.get(&page) else { return };
        for old in all.iter().filter(|old| self.order.child_beside(parent, old.task) == Some(child)) {
            new.meet(old, |own, other| {
                if !own.run.released {
                    let why = SyncNote::NotBeforeLaunch { site: launch };
                    compare(&self.order, &mut part.pairs, page * PAGE, own, other, why);
                }
            });
        }
    }

    /// Returns the children of the same kernel that a child comes after directly.
    pub(crate) fn behind(&self, child: TaskId) -> &[TaskId] {
        self.order.behind(child)
    }

    /// Adds to the footprint of `task`, and compares with what others left there.
    pub(crate) fn add(&self, task: TaskId, page: u64, runs: Runs) {
        self.add_to(&mut Others::of(task), page, runs);
    }

    /// As above, one page after the other.
    pub(crate) fn add_to(&self, others: &mut Others, page: u64, runs: Runs) {
        if !self.owns(page) {
            return;
        }
        let (task, new) = (others.task, Prints::new(others.task, runs));
        let part = &mut *lock(&self.parts[page as usize % PARTS]);
        let all = part.pages.entry(page).or_default();
        for old in all.iter().filter(|old| old.is_near(&new) && old.task != task) {
            if !others.knows(&self.order, old.task).ordered {
                let why = self.order.why_unordered(old.task, task);
                old.meet(&new, |old, new| {
                    compare(&self.order, &mut part.pairs, page * PAGE, old, new, why.clone());
                });
            }
        }
        if !self.memory.may_grow() {
            self.memory.refuse_tasks();
            return self.incomplete(task);
        }
        let before = if all.is_empty() { 0 } else { room(all) };
        // Earlier accesses of this stream here are ordered before its new ones.
        let mut coverage = None;
        all.retain_mut(|old| {
            if old.is_near(&new) && others.knows(&self.order, old.task).behind {
                old.drop_behind(&new, &mut coverage);
            }
            !old.is_empty()
        });
        all.push(new);
        let after = room(all);
        self.memory.grew(after.saturating_sub(before));
        self.memory.shrank(before.saturating_sub(after));
    }

    /// Memory was freed, or is new: what happened there before is no matter.
    pub(crate) fn forget(&mut self, base: u64, bytes: u64) {
        let end = base.saturating_add(bytes);
        let (first, last) = (base / PAGE, end.saturating_sub(1) / PAGE);
        let clear = |page: u64, prints: &mut Vec<Prints>| {
            let from = base.saturating_sub(page * PAGE).min(PAGE) as u16;
            let to = end.saturating_sub(page * PAGE).min(PAGE) as u16;
            prints.iter_mut().for_each(|prints| prints.forget(from, to));
            prints.retain(|prints| !prints.is_empty());
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

    /// Returns whether this detector compares what tasks did in a page. Of detectors that divide memory, one does.
    fn owns(&self, page: u64) -> bool {
        self.shard.owns(Space::Global, page * PAGE)
    }

    /// Takes what is known of pairs of tasks.
    pub(crate) fn take_pairs(&mut self) -> Pairs {
        let mut pairs = Pairs::new();
        for part in &mut self.parts {
            join(&mut pairs, std::mem::take(&mut exclusive(part).pairs));
        }
        pairs
    }

    /// Adds what a detector of other memory knows of pairs of tasks.
    pub(crate) fn add_pairs(&mut self, pairs: Pairs) {
        join(&mut exclusive(&mut self.parts[0]).pairs, pairs);
    }

    /// Hands over what is known of pairs of tasks that have both ended.
    pub(crate) fn publish(&mut self, sink: &Sink) {
        let mut pairs = self.take_pairs();
        let Tasks { order, limits, messages, undecided, .. } = self;
        messages.hear(order, &pairs);
        *undecided = false;
        pairs.retain(|&(first, second), pair| {
            let (Some(a), Some(b)) = (order.get(first), order.get(second)) else { return false };
            if !(a.ended && b.ended) {
                return true;
            }
            if pair.findings.is_empty() {
                return false;
            }
            match messages.between(order, first, second) {
                Told::Yes => {
                    let limit = "kernels or host threads that ran at the same time synchronised through memory: \
                                 their accesses were not compared with each other";
                    add_limit(limits, limit);
                }
                Told::Perhaps => {
                    *undecided = true;
                    return true;
                }
                Told::No => {
                    for (_, finding) in std::mem::take(&mut pair.findings) {
                        sink.add_own(explain(finding, pair, first, a, second, b));
                    }
                }
            }
            false
        });
        exclusive(&mut self.parts[0]).pairs = pairs;
    }

    pub(crate) fn limit(&mut self, limit: &str) {
        add_limit(&mut self.limits, limit);
    }

    /// Returns what was not judged, as of the last [`Tasks::publish`].
    pub(crate) fn limits(&self) -> Vec<String> {
        let mut limits = self.limits.clone();
        if self.undecided {
            let limit = "whether accesses of two kernels or host threads race depends on messages of a kernel that \
                         had not ended: they are not reported";
            add_limit(&mut limits, limit);
        }
        limits
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| lock(part).pages.values().map(|all| room(all)).sum::<u64>()).sum()
    }
}

fn join(pairs: &mut Pairs, others: Pairs) {
    for (key, pair) in others {
        pairs.entry(key).or_default().merge(pair);
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
