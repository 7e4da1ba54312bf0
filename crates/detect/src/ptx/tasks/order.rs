//! Which task is ordered before which: vector clocks over streams and host threads.

use events::{Overlap, Scope, SiteId, StreamId, TaskId, TaskInfo, TaskKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far an operation of a launch reaches, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// A programmatic dependent launch: beside which kernel it may begin, and what all of it is after.
    overlap: Option<(TaskId, FxHashMap<StreamId, u32>)>,
    /// What it is after was complete before it let a dependent launch begin.
    pub(crate) gates: bool,
    pub(crate) ended: bool,
    /// Not all that it did is remembered.
    pub(crate) incomplete: AtomicBool,
    /// The widest scope of its release and of its acquire operations and fences.
    pub(crate) releases: Option<Reach>,
    pub(crate) acquires: Option<Reach>,
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
        let task = Task {
            kind,
            stream: info.stream,
            device: info.device,
            place,
            after: FxHashMap::default(),
            overlap: info.overlap.as_ref().map(|overlap| (overlap.with, self.before_wait(overlap))),
            gates: info.overlap.is_none(),
            ended: false,
            incomplete: AtomicBool::new(false),
            releases: None,
            acquires: None,
        };
        self.tasks.insert(info.id, task);
        self.last.insert(info.stream, info.id);
        self.after(info.id, &info.after);
    }

    /// What a dependent launch is after before it waits.
    fn before_wait(&self, overlap: &Overlap) -> FxHashMap<StreamId, u32> {
        let mut known = self.closure(&overlap.after);
        if let Some(with) = self.tasks.get(&overlap.with) {
            match &with.overlap {
                Some((_, early)) if !with.gates => join(&mut known, early),
                _ => join(&mut known, &with.after),
            }
        }
        known
    }

    /// The tasks and all that they are after.
    fn closure(&self, tasks: &[TaskId]) -> FxHashMap<StreamId, u32> {
        let mut known = FxHashMap::default();
        for task in tasks.iter().filter_map(|t| self.tasks.get(t)) {
            join(&mut known, &task.after);
            let place = known.entry(task.stream).or_default();
            *place = (*place).max(task.place);
        }
        known
    }

    pub(crate) fn after(&mut self, task: TaskId, earlier: &[TaskId]) {
        let known = self.closure(earlier);
        if let Some(task) = self.tasks.get_mut(&task) {
            join(&mut task.after, &known);
        }
    }

    pub(crate) fn get(&self, task: TaskId) -> Option<&Task> {
        self.tasks.get(&task)
    }

    pub(crate) fn get_mut(&mut self, task: TaskId) -> Option<&mut Task> {
        self.tasks.get_mut(&task)
    }

    /// Is one after the other? Tasks that were forgotten are before all.
    pub(crate) fn ordered(&self, a: TaskId, b: TaskId) -> bool {
        let (Some(x), Some(y)) = (self.tasks.get(&a), self.tasks.get(&b)) else { return true };
        a == b || is_after(x, y) || is_after(y, x)
    }

    /// Is what `task` does before it waits for the kernel before it after what `earlier` did, which `task` is after
    /// otherwise? `released`: before that kernel let it begin.
    pub(crate) fn before_wait_ordered(&self, earlier: TaskId, released: bool, task: TaskId) -> bool {
        let (Some(earlier_task), Some(task)) = (self.tasks.get(&earlier), self.tasks.get(&task)) else {
            return true;
        };
        let Some((with, early)) = &task.overlap else { return true };
        reaches(early, earlier_task) || released && earlier == *with
    }

    /// Forgets tasks that cannot race any more and tells which those are.
    pub(crate) fn retire(&mut self) -> Vec<TaskId> {
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
            .filter(|(_, task)| task.ended && makers.iter().all(|maker| is_all_after(maker, task)))
            .map(|(id, _)| *id)
            .collect();
        for task in &settled {
            // A stream's last task tells the place of its next.
            if self.tasks.get(task).is_some_and(|t| self.last.get(&t.stream) != Some(task)) {
                self.tasks.remove(task);
            }
        }
        settled
    }
}

fn is_after(later: &Task, earlier: &Task) -> bool {
    reaches(&later.after, earlier)
}

/// Whatever it has waited for?
fn is_all_after(later: &Task, earlier: &Task) -> bool {
    reaches(later.overlap.as_ref().map_or(&later.after, |(_, early)| early), earlier)
}

fn reaches(known: &FxHashMap<StreamId, u32>, task: &Task) -> bool {
    known.get(&task.stream).is_some_and(|&place| place >= task.place)
}

fn join(known: &mut FxHashMap<StreamId, u32>, other: &FxHashMap<StreamId, u32>) {
    for (&stream, &place) in other {
        let known = known.entry(stream).or_default();
        *known = (*known).max(place);
    }
}
