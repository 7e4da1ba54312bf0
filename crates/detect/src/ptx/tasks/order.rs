//! Which task is ordered before which: vector clocks over streams and host threads.

use events::{Overlap, Scope, SiteId, StreamId, SyncNote, TaskId, TaskInfo, TaskKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far an operation of a launch reaches, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reach {
    pub(crate) scope: Scope,
    pub(crate) site: SiteId,
}

/// A task, as far as other tasks need to know it.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) kind: Kind,
    pub(crate) stream: StreamId,
    pub(crate) device: u32,
    /// Place in its stream, from 1.
    pub(crate) place: u32,
    /// Up to which place of each stream it is after.
    after: FxHashMap<StreamId, u32>,
    /// The order of the threads of a programmatic dependent launch; `after` orders what comes behind it.
    overlap: Option<Dependent>,
    /// The kernel that launched it, the one that launched that, and so on, with their places.
    within: Vec<Ancestor>,
    /// Children of the same kernel that it comes after directly.
    behind: Vec<TaskId>,
    /// Whether its predecessors were complete before it let a dependent launch begin.
    pub(crate) gates: bool,
    /// One of its threads has waited for what it is after, so that this was complete when it ended.
    pub(crate) waited: bool,
    pub(crate) ended: bool,
    /// Not all that it did is remembered.
    pub(crate) incomplete: AtomicBool,
    /// The widest scope of its release and of its acquire operations and fences.
    pub(crate) releases: Option<Reach>,
    pub(crate) acquires: Option<Reach>,
}

/// A kernel that launched a task, or that launched the launching kernel.
#[derive(Clone, Copy, Debug)]
struct Ancestor {
    task: TaskId,
    stream: StreamId,
    place: u32,
}

/// A programmatic dependent launch.
#[derive(Debug)]
struct Dependent {
    /// The kernels beside which it may begin once all their blocks have triggered.
    with: Vec<TaskId>,
    /// The predecessors of all its threads.
    early: Known,
    /// The predecessors of a thread that has waited: the kernels beside which the launch may begin, and what
    /// those had waited for.
    waited: Known,
    /// `waited` is all that the launch is after in its streams: no kernel between has left out to wait.
    whole: bool,
}

/// Tasks known to be complete: of each stream those up to a place, and single ones behind one that is not complete.
#[derive(Clone, Debug, Default)]
struct Known {
    upto: FxHashMap<StreamId, u32>,
    also: Vec<TaskId>,
}

/// Single tasks that [`Known::also`] has at most; a launch that would need more is taken to be after all before it.
const MOST: usize = 256;

impl Known {
    fn covers(&self, id: TaskId, task: &Task) -> bool {
        reaches(&self.upto, task) || self.also.contains(&id)
    }

    fn join(&mut self, other: &Known) {
        join(&mut self.upto, &other.upto);
        for task in &other.also {
            if !self.also.contains(task) {
                self.also.push(*task);
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Launch,
    Copy,
    Host { thread: u32 },
}

impl Task {
    pub(crate) fn is_host(&self) -> bool {
        matches!(self.kind, Kind::Host { .. })
    }

    pub(crate) fn forgot(&self) -> bool {
        self.incomplete.load(Ordering::Relaxed)
    }

    fn is_within(&self, task: TaskId) -> bool {
        self.within.iter().any(|ancestor| ancestor.task == task)
    }

    fn makes_tasks(&self) -> bool {
        matches!(self.kind, Kind::Host { thread } if thread != u32::MAX)
    }

    /// The scope that an operation of one needs to include the other's threads.
    pub(crate) fn scope_between(&self, other: &Task) -> Scope {
        if self.kind == Kind::Launch && other.kind == Kind::Launch && self.device == other.device {
            Scope::Gpu
        } else {
            Scope::Sys
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Order {
    tasks: BTreeMap<TaskId, Task>,
    /// The last task of each stream or host thread.
    last: FxHashMap<StreamId, TaskId>,
}

impl Order {
    pub(crate) fn start(&mut self, info: &TaskInfo) {
        let place = self.last.get(&info.stream).and_then(|t| self.tasks.get(t)).map_or(0, |t| t.place) + 1;
        let kind = match info.kind {
            TaskKind::Launch(_) => Kind::Launch,
            TaskKind::Copy | TaskKind::Memset => Kind::Copy,
            TaskKind::HostFunction => Kind::Host { thread: u32::MAX },
            TaskKind::HostSegment { thread } => Kind::Host { thread },
        };
        let mut after = self.closure(&info.after);
        let parent = info.launcher.and_then(|by| Some((by.task, self.tasks.get(&by.task)?)));
        let mut within = Vec::new();
        if let Some((id, parent)) = parent {
            join(&mut after, &parent.after);
            within.push(Ancestor { task: id, stream: parent.stream, place: parent.place });
            within.extend_from_slice(&parent.within);
        }
        let task = Task {
            kind,
            stream: info.stream,
            device: info.device,
            place,
            overlap: info.overlap.as_ref().map(|overlap| self.dependent(overlap, &after)),
            after,
            within,
            behind: if info.launcher.is_some() { info.after.clone() } else { Vec::new() },
            gates: info.overlap.is_none(),
            waited: info.overlap.is_none(),
            ended: false,
            incomplete: AtomicBool::new(false),
            releases: None,
            acquires: None,
        };
        self.tasks.insert(info.id, task);
        self.last.insert(info.stream, info.id);
    }

    /// The order of the threads of a dependent launch, before and after they wait.
    ///
    /// `griddepcontrol.wait` waits for the launch's prerequisite grids. That these are complete says nothing of what they
    /// have not themselves waited for.
    fn dependent(&self, overlap: &Overlap, all: &FxHashMap<StreamId, u32>) -> Dependent {
        let mut early = Known { upto: self.closure(&overlap.after), also: Vec::new() };
        let mut waited = early.clone();
        let mut whole = true;
        let has_begun = |task: &TaskId| overlap.begun.contains(task);
        for (id, with) in overlap.with.iter().filter_map(|id| Some((*id, self.tasks.get(id)?))) {
            let Some(own) = &with.overlap else {
                join(&mut early.upto, &with.after);
                join(&mut waited.upto, &with.after);
                raise(&mut waited.upto, with);
                continue;
            };
            whole &= with.waited && own.whole;
            early.join(if with.gates && !has_begun(&id) { &own.waited } else { &own.early });
            waited.join(if with.waited { &own.waited } else { &own.early });
            waited.also.push(id);
        }
        whole |= waited.also.len() > MOST || early.also.len() > MOST;
        if whole {
            waited = Known { upto: all.clone(), also: Vec::new() };
        }
        let with = overlap.with.iter().copied().filter(|task| !has_begun(task)).collect();
        Dependent { with, early, waited, whole }
    }

    /// The tasks and all that they are after.
    fn closure(&self, tasks: &[TaskId]) -> FxHashMap<StreamId, u32> {
        let mut known = FxHashMap::default();
        for task in tasks.iter().filter_map(|t| self.tasks.get(t)) {
            join(&mut known, &task.after);
            raise(&mut known, task);
        }
        known
    }

    pub(crate) fn after(&mut self, task: TaskId, earlier: &[TaskId]) {
        let known = self.closure(earlier);
        if let Some(task) = self.tasks.get_mut(&task) {
            join(&mut task.after, &known);
            if let Some(dependent) = &mut task.overlap {
                join(&mut dependent.waited.upto, &known);
            }
        }
    }

    pub(crate) fn get(&self, task: TaskId) -> Option<&Task> {
        self.tasks.get(&task)
    }

    /// Returns all tasks that are not forgotten.
    pub(super) fn tasks(&self) -> impl Iterator<Item = (TaskId, &Task)> {
        self.tasks.iter().map(|(id, task)| (*id, task))
    }

    pub(crate) fn get_mut(&mut self, task: TaskId) -> Option<&mut Task> {
        self.tasks.get_mut(&task)
    }

    /// Returns whether one is after the other. Tasks that were forgotten are before all.
    ///
    /// A kernel and what it launches are ordered in part, which [`children`](super::children) compares.
    pub(crate) fn ordered(&self, a: TaskId, b: TaskId) -> bool {
        let (Some(x), Some(y)) = (self.tasks.get(&a), self.tasks.get(&b)) else { return true };
        a == b || is_after(x, (b, y)) || is_after(y, (a, x)) || x.is_within(b) || y.is_within(a)
    }

    /// Returns whether `a` is `b`, or before what threads of `b` do that have waited.
    pub(super) fn is_before(&self, a: TaskId, b: TaskId) -> bool {
        let (Some(x), Some(y)) = (self.tasks.get(&a), self.tasks.get(&b)) else { return false };
        a == b || is_after(y, (a, x))
    }

    /// Returns the child of `parent` that `task` is, or that it is within, if that child may run beside `parent`.
    pub(crate) fn child_beside(&self, parent: TaskId, task: TaskId) -> Option<TaskId> {
        let within = &self.tasks.get(&task)?.within;
        let depth = within.iter().position(|ancestor| ancestor.task == parent)?;
        let child = if depth == 0 { task } else { within[depth - 1].task };
        let (child_task, parent_task) = (self.tasks.get(&child)?, self.tasks.get(&parent)?);
        (!reaches(&child_task.after, parent_task)).then_some(child)
    }

    /// Returns the children of the same kernel that a child comes after directly.
    pub(crate) fn behind(&self, child: TaskId) -> &[TaskId] {
        self.tasks.get(&child).map_or(&[], |task| &task.behind)
    }

    /// Returns why two tasks are not ordered by [`Order::ordered`].
    pub(crate) fn why_unordered(&self, a: TaskId, b: TaskId) -> SyncNote {
        let (Some(x), Some(y)) = (self.tasks.get(&a), self.tasks.get(&b)) else {
            return SyncNote::UnorderedTasks;
        };
        match reaches(&x.after, y) || reaches(&y.after, x) {
            true => SyncNote::NotWaitedBetween,
            false => SyncNote::UnorderedTasks,
        }
    }

    /// Returns whether what `task` does before it waits is ordered after what `earlier` did. `released`: `earlier` did it
    /// before its fence, and the fence before it triggered.
    pub(crate) fn before_wait_ordered(&self, earlier: TaskId, released: bool, task: TaskId) -> bool {
        let (Some(earlier_task), Some(task)) = (self.tasks.get(&earlier), self.tasks.get(&task)) else {
            return true;
        };
        let Some(dependent) = &task.overlap else { return true };
        dependent.early.covers(earlier, earlier_task) || released && dependent.with.contains(&earlier)
    }

    /// Returns the tasks that cannot race any more, and forgets them, unless they are `kept`.
    pub(crate) fn retire(&mut self, kept: impl Fn(TaskId) -> bool) -> Vec<TaskId> {
        // Later tasks are made by host threads, and are after what their maker is after. What all of
        // these tasks are after is settled.
        let makers: Vec<&Task> = self
            .tasks
            .iter()
            .filter(|(id, task)| {
                !task.ended || (task.makes_tasks() && self.last.get(&task.stream) == Some(id))
            })
            .map(|(_, task)| task)
            .collect();
        if !makers.iter().any(|t| t.makes_tasks()) {
            return Vec::new();
        }
        let settled: Vec<TaskId> = self
            .tasks
            .iter()
            .filter(|(id, task)| task.ended && makers.iter().all(|maker| is_all_after(maker, **id, task)))
            .map(|(id, _)| *id)
            .collect();
        for task in &settled {
            // A stream's last task tells the place of its next.
            let is_last = |task: &TaskId, of: &Task| self.last.get(&of.stream) == Some(task);
            if self.tasks.get(task).is_some_and(|of| !is_last(task, of)) && !kept(*task) {
                self.tasks.remove(task);
            }
        }
        settled
    }
}

/// Returns whether `earlier` is before what threads of `later` do that have waited.
fn is_after(later: &Task, (id, earlier): (TaskId, &Task)) -> bool {
    match &later.overlap {
        Some(dependent) => dependent.waited.covers(id, earlier),
        None => reaches(&later.after, earlier),
    }
}

/// Returns whether `earlier` is before all that `later` does.
fn is_all_after(later: &Task, id: TaskId, earlier: &Task) -> bool {
    match &later.overlap {
        Some(dependent) => dependent.early.covers(id, earlier),
        None => reaches(&later.after, earlier),
    }
}

/// Returns whether `task` is known to be complete. A kernel is once all that it launched is.
fn reaches(known: &FxHashMap<StreamId, u32>, task: &Task) -> bool {
    let covers = |stream, place| known.get(stream).is_some_and(|&known| known >= place);
    covers(&task.stream, task.place) || task.within.iter().any(|by| covers(&by.stream, by.place))
}

fn raise(known: &mut FxHashMap<StreamId, u32>, task: &Task) {
    let place = known.entry(task.stream).or_default();
    *place = (*place).max(task.place);
}

fn join(known: &mut FxHashMap<StreamId, u32>, other: &FxHashMap<StreamId, u32>) {
    for (&stream, &place) in other {
        let known = known.entry(stream).or_default();
        *known = (*known).max(place);
    }
}
