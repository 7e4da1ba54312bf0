//! Accesses of two unordered tasks to the same memory: races, messages, and why a message orders nothing.

use super::footprint::{By, Run};
use super::order::{Kind, Order, Reach, Task};
use super::prints::Print;
use crate::ptx::report::sink::group;
use events::finding::Actor;
use events::{
    BlockId, Class, Evidence, Finding, Level, Scope, Side, SiteId, Space, Strength, SyncNote, TaskId,
    ThreadId,
};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Accesses of two unordered tasks to the same memory.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pair {
    #[serde(with = "by_sites")]
    pub(super) findings: FxHashMap<Sites, Finding>,
    /// A strong write of the one could be read by a strong read of the other.
    pub(super) first_to_second: bool,
    pub(super) second_to_first: bool,
    /// The one that reads or the one that writes does so strongly, but the other is out of its scope.
    narrow: Vec<Narrow>,
    /// So many of those are kept.
    bound: usize,
}

/// The sites of two accesses, in order.
type Sites = (Option<SiteId>, Option<SiteId>);

/// Findings by their sites, as a list.
mod by_sites {
    use super::{Finding, FxHashMap, Sites, sites};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(of: &FxHashMap<Sites, Finding>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(of.values())
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<FxHashMap<Sites, Finding>, D::Error> {
        let list = Vec::<Finding>::deserialize(from)?;
        Ok(list.into_iter().map(|finding| (sites(&finding), finding)).collect())
    }
}

fn sites(finding: &Finding) -> Sites {
    let [a, b] = [finding.sides[0].site, finding.sides[1].site];
    (a.min(b), a.max(b))
}

/// A strong access of the one task that does not reach the host, as if the two passed a message.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Narrow {
    reach: Reach,
    /// The task that writes it.
    sender: TaskId,
}

pub(crate) type Pairs = BTreeMap<(TaskId, TaskId), Pair>;

impl Pair {
    pub(super) fn merge(&mut self, other: Pair) {
        self.first_to_second |= other.first_to_second;
        self.second_to_first |= other.second_to_first;
        self.tell_narrow(other.narrow, other.bound);
        other.findings.into_values().for_each(|finding| self.add(finding));
    }

    /// Records accesses out of the other task's scope. The first ones of the program stay, whichever was found first: two
    /// instructions between devices, one towards the host.
    fn tell_narrow(&mut self, new: impl IntoIterator<Item = Narrow>, bound: usize) {
        for new in new {
            if !self.narrow.iter().any(|old| old.reach.site == new.reach.site) {
                self.narrow.push(new);
            }
        }
        self.bound = self.bound.max(bound);
        self.narrow.sort_by_key(|n| n.reach.site);
        self.narrow.truncate(self.bound);
    }

    /// The task that has sent the other a message, if one alone has, or was meant to. The two are tasks `first` and `second`.
    fn sender(&self, first: TaskId, second: TaskId) -> Option<TaskId> {
        match (self.first_to_second, self.second_to_first) {
            (true, false) => Some(first),
            (false, true) => Some(second),
            _ => self.narrow.first().map(|n| n.sender),
        }
    }

    /// The lowest address of a pair of sites is shown, whichever was found first.
    fn add(&mut self, finding: Finding) {
        group(&mut self.findings, sites(&finding), finding, |f| f.sides[0].address.max(f.sides[1].address));
    }
}

/// Returns whether a strong write of `a` that `b` has read can have ordered anything.
pub(super) fn synchronises(a: &Task, b: &Task) -> bool {
    let needed = a.scope_between(b);
    let enough = |task: &Task, by: Option<Reach>| task.is_host() || by.is_some_and(|r| r.scope >= needed);
    enough(a, a.releases) && enough(b, b.acquires)
}

/// `why` says why they are not ordered.
pub(super) fn compare(
    order: &Order,
    pairs: &mut Pairs,
    base: u64,
    old: Print<'_>,
    new: Print<'_>,
    why: SyncNote,
) {
    let (Some(a), Some(b)) = (order.get(old.task), order.get(new.task)) else { return };
    let swapped = old.task > new.task;
    let key = if swapped { (new.task, old.task) } else { (old.task, new.task) };
    let needed = a.scope_between(b);
    // The host's accesses of a word may be atomic: that cannot be seen. No others can be (docs/assumptions.md, H6).
    let reaches = |task: &Task, run: &Run| match task.is_host() {
        true => run.may_be_word(),
        false => run.class.scope().is_some_and(|s| s >= needed),
    };
    let strong = reaches(a, &old.run) && reaches(b, &new.run);
    if strong {
        let pair = pairs.entry(key).or_default();
        if old.run.class.writes() && (new.run.class.returns() || b.is_host()) {
            *(if swapped { &mut pair.second_to_first } else { &mut pair.first_to_second }) = true;
        }
        if new.run.class.writes() && (old.run.class.returns() || a.is_host()) {
            *(if swapped { &mut pair.first_to_second } else { &mut pair.second_to_first }) = true;
        }
        if a.is_host() || b.is_host() || old.run.in_step(&new.run) || old.run.is_of_one_word(&new.run) {
            return;
        }
    }
    let narrow = if b.is_host() { meant_for_host(needed, a, old, new) } else { None };
    let narrow = narrow.or_else(|| if a.is_host() { meant_for_host(needed, b, new, old) } else { None });
    let between_devices = !a.is_host() && !b.is_host() && a.device != b.device;
    let (narrow, bound) = match between_devices {
        true => (flag_between(needed, old, new), 2),
        false => (narrow.into_iter().collect(), 1),
    };
    let common = (old.run.from.max(new.run.from), old.run.to.min(new.run.to));
    let pair = pairs.entry(key).or_default();
    let mut meet = |first: u16, end: u16| {
        let sides = [side(base, first, old, a), side(base, first, new, b)];
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
        pair.add(finding);
    };
    // Runs of crowded pages are of several instructions.
    old.by.parts(&old.run, common, |from, to| new.by.parts(&new.run, (from, to), &mut meet));
    pair.tell_narrow(narrow, bound);
}

/// Two strong accesses of kernels on two devices, one of which only writes what the other one reads: a flag, whose accesses
/// should have reached the other device.
fn flag_between(needed: Scope, old: Print<'_>, new: Print<'_>) -> SmallVec<[Narrow; 1]> {
    let scope = |print: &Print<'_>| print.run.class.scope();
    let sets = |print: &Print<'_>| print.run.class.writes() && !print.run.class.returns();
    let (Some(_), Some(_)) = (scope(&old), scope(&new)) else { return SmallVec::new() };
    let sender = match (sets(&old) && new.run.class.returns(), sets(&new) && old.run.class.returns()) {
        (true, false) => old.task,
        (false, true) => new.task,
        _ => return SmallVec::new(),
    };
    let narrow = |print: &Print<'_>| {
        let scope = scope(print).filter(|scope| *scope < needed)?;
        Some(Narrow { reach: Reach { scope, site: print.run.site()? }, sender })
    };
    [&old, &new].into_iter().filter_map(narrow).collect()
}

fn class_between(a: &Task, b: &Task) -> Class {
    match (a.kind, b.kind) {
        (Kind::Host { .. }, Kind::Copy) | (Kind::Copy, _) | (_, Kind::Copy) => Class::MemcpyAsync,
        (Kind::Host { .. }, _) | (_, Kind::Host { .. }) => Class::HostDevice,
        _ if a.device != b.device => Class::MultiGpu,
        _ => Class::InterKernel,
    }
}

/// Returns the access of a task, such as a kernel that polls what the host writes, if it is meant to reach the host and does not.
fn meant_for_host(needed: Scope, task: &Task, print: Print<'_>, other: Print<'_>) -> Option<Narrow> {
    let run = &print.run;
    let scope = run.class.scope().filter(|&s| !task.is_host() && s < needed)?;
    let polls = run.class.returns() && !run.class.writes() && other.run.class.writes();
    let tells = run.class.writes() && run.class.sem().releases();
    let sender = if polls { other.task } else { print.task };
    (polls || tells).then_some(Narrow { reach: Reach { scope, site: run.site()? }, sender })
}

/// If the tasks have written and read a flag: why their fences or operations do not reach.
pub(super) fn explain(
    mut finding: Finding,
    pair: &Pair,
    first: TaskId,
    a: &Task,
    second: TaskId,
    b: &Task,
) -> Finding {
    if let [SyncNote::NotBeforeLaunch { .. }] = finding.notes[..] {
        // No flag lets a kernel wait for what it launched.
        return finding;
    }
    let needed = a.scope_between(b);
    let tried = pair.first_to_second || pair.second_to_first;
    let all = too_narrow(pair, a, b);
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
    let strong = match [finding.sides[0].strength, finding.sides[1].strength].map(scope_of) {
        [Some(first), Some(second)] if finding.class == Class::MultiGpu => Some((first, second)),
        _ => None,
    };
    if let Some((first, second)) = strong {
        // A flag or counter of both devices: it is what should order, and its own scope is wrong.
        finding.notes = vec![SyncNote::StrongScopes { first, second }];
    } else if finding.class == Class::MixedSize {
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
        let ends = pair.sender(first, second).map(|sender| if sender == first { (a, b) } else { (b, a) });
        let missing = ends.map_or_else(Vec::new, |(from, to)| missing_ends(from, to));
        if !missing.is_empty() {
            finding.notes = missing;
        }
    }
    finding
}

/// Returns the operations and fences of a flag that two tasks have written and read, whose scopes do not include both.
fn too_narrow(pair: &Pair, a: &Task, b: &Task) -> Vec<Reach> {
    let needed = a.scope_between(b);
    let mut all: Vec<Reach> = pair.narrow.iter().map(|n| n.reach).collect();
    if pair.first_to_second || pair.second_to_first || !all.is_empty() {
        let of_tasks = [(a, a.releases), (a, a.acquires), (b, b.releases), (b, b.acquires)];
        let narrow =
            |(task, by): (&Task, Option<Reach>)| by.filter(|reach| !task.is_host() && reach.scope < needed);
        all.extend(of_tasks.into_iter().filter_map(narrow));
    }
    all
}

/// Returns a note for each of release and acquire that a message from one task to another lacks.
fn missing_ends(from: &Task, to: &Task) -> Vec<SyncNote> {
    let mut missing = Vec::new();
    if !from.is_host() && from.releases.is_none() {
        missing.push(SyncNote::NoRelease { flag: None });
    }
    if !to.is_host() && to.acquires.is_none() {
        missing.push(SyncNote::NoAcquire { flag: None });
    }
    missing
}

/// The scope of a strong access.
fn scope_of(strength: Strength) -> Option<Scope> {
    match strength {
        Strength::Weak => None,
        Strength::Volatile => Some(Scope::Sys),
        Strength::Strong { scope, .. } => Some(scope),
    }
}

/// The access to byte `at` of the page.
fn side(base: u64, at: u16, print: Print<'_>, task: &Task) -> Side {
    let run = &print.run;
    let toucher = match print.by {
        By::Threads(touches) => touches.at(run, at),
        By::Range { .. } => None,
    };
    let who = match (task.kind, &toucher) {
        (Kind::Launch, Some(t)) => Actor::Thread { block: BlockId(t.block), thread: ThreadId(t.thread) },
        (Kind::Host { thread }, _) if thread != u32::MAX => Actor::HostThread(thread),
        _ => Actor::Engine,
    };
    let (address, size) = match *print.by {
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
