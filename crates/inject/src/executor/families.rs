//! Kernels launched by kernels: which may begin, and which kernels wait for them.
//!
//! A kernel's children begin once its own blocks have ended: nothing promises a child that it runs beside its parent
//! (Programming Guide, "CUDA Dynamic Parallelism", "Ordering and Concurrency"). They begin in the order of
//! their launches, as far as their streams allow. The kernel is complete once its children are; its tail launches
//! follow one by one.

use super::active::{Active, Next, complete, end, transfer};
use crate::backend::copy::{Pitch, Side};
use crate::backend::{Child, ChildWork, Copy, Fill};
use crate::context::{OpId, Runtime, Work};
use events::task::{HostCall, TaskKind};
use events::{Launcher, TaskId, TaskInfo, Tell};
use protocol::DeviceFailure;
use std::collections::{HashSet, VecDeque};

/// A kernel whose blocks have ended.
struct Parent {
    kernel: Active,
    /// The number of children that are not complete, tail launches that have not begun left out.
    left: usize,
    tails: VecDeque<Child>,
}

/// A child that has not begun.
struct Waiting {
    child: Child,
    device: u32,
    depth: u32,
}

/// All kernels that wait for their children, and the children.
#[derive(Default)]
pub(super) struct Families {
    parents: Vec<Parent>,
    waiting: VecDeque<Waiting>,
    /// Children that are not complete.
    open: HashSet<TaskId>,
}

impl Families {
    /// Takes a kernel whose blocks have ended. It is complete once its children are.
    pub(super) fn ended(&mut self, runtime: &Runtime, mut kernel: Active) {
        let children = kernel.grid.children();
        let (tails, others): (Vec<Child>, Vec<Child>) = children.into_iter().partition(|c| c.tail);
        let (device, depth, left) = (kernel.device, kernel.depth + 1, others.len());
        self.open.extend(others.iter().map(|child| child.task));
        // Of several waiting children those of the newest parent begin first: its parent waits for them, too.
        for child in others.into_iter().rev() {
            self.waiting.push_front(Waiting { child, device, depth });
        }
        self.parents.push(Parent { kernel, left, tails: tails.into() });
        self.go_on(runtime, self.parents.len() - 1);
    }

    /// Begins a parent's next tail launch, or completes the parent, if no other child is left.
    fn go_on(&mut self, runtime: &Runtime, index: usize) {
        let parent = &mut self.parents[index];
        if parent.left > 0 {
            return;
        }
        if let Some(child) = parent.tails.pop_front() {
            parent.left = 1;
            let (device, depth) = (parent.kernel.device, parent.kernel.depth + 1);
            self.open.insert(child.task);
            return self.waiting.push_front(Waiting { child, device, depth });
        }
        let Parent { kernel, .. } = self.parents.remove(index);
        end(runtime, &kernel);
        self.complete(runtime, kernel.id, &kernel.task);
    }

    /// Notes that a kernel, with all that it launched, is complete.
    pub(super) fn complete(&mut self, runtime: &Runtime, id: Option<OpId>, task: &TaskInfo) {
        if let Some(id) = id {
            complete(runtime, id, task.id);
        }
        let Some(launcher) = task.launcher else { return };
        self.open.remove(&task.id);
        if let Some(index) = self.parents.iter().position(|p| p.kernel.task.id == launcher.task) {
            self.parents[index].left -= 1;
            self.go_on(runtime, index);
        }
    }

    /// Returns the next kernel that may begin. Copies and memsets before it are done at once.
    pub(super) fn next(&mut self, runtime: &Runtime) -> Option<Next> {
        loop {
            match self.next_child(runtime)? {
                (task, device, depth, ChildWork::Kernel(mut work)) => {
                    let mut state = runtime.lock();
                    work.chosen = task
                        .launcher
                        .and_then(|launcher| self.parent_of(launcher))
                        .is_none_or(|parent| parent.kernel.work.chosen);
                    work.checked = runtime.backend.is_heard() && state.checks(&runtime.options, &work);
                    drop(state);
                    return Some(Next { id: None, task, device, work, depth });
                }
                (task, device, _, work) => {
                    runtime.backend.listener().task_start(&task);
                    moves(runtime, &task, device, &work);
                    runtime.backend.listener().task_end(task.id);
                    self.complete(runtime, None, &task);
                }
            }
        }
    }

    /// Returns the kernel that a thread belongs to which launches another one.
    fn parent_of(&self, launcher: Launcher) -> Option<&Parent> {
        self.parents.iter().find(|parent| parent.kernel.task.id == launcher.task)
    }

    /// Returns the next child that may begin, its device and its depth.
    fn next_child(&mut self, runtime: &Runtime) -> Option<(TaskInfo, u32, u32, ChildWork)> {
        // A tail launch begins once its parent is complete but for its tail launches.
        let open = |w: &Waiting, task: &TaskId| *task != w.child.launcher.task && self.open.contains(task);
        let free = |w: &Waiting| !w.child.after.iter().any(|task| open(w, task));
        let index = self.waiting.iter().position(free)?;
        let Waiting { child, device, depth } = self.waiting.remove(index)?;
        let Child { task, chain, after, site, launcher, work, .. } = child;
        let (kind, api) = match &work {
            ChildWork::Kernel(work) => (Work::Kernel(work.clone()).kind(), "<<<>>>"),
            ChildWork::Copy { .. } => (TaskKind::Copy, "cudaMemcpyAsync"),
            ChildWork::Fill { .. } => (TaskKind::Memset, "cudaMemsetAsync"),
        };
        // A child is where the host launched the kernel that it comes from.
        let within = self.parent_of(launcher).and_then(|parent| parent.kernel.task.call.within.clone());
        let call = HostCall { api: api.to_owned(), site: Some(site), within };
        let (launcher, overlap) = (Some(launcher), None);
        let task = TaskInfo { id: task, kind, stream: chain, after, call, device, overlap, launcher };
        runtime.lock().results.task(&task);
        Some((task, device, depth, work))
    }

    /// Ends the family of a kernel that has failed. Returns the operation that it belongs to, and that one's task.
    pub(super) fn lost(
        &mut self,
        runtime: &Runtime,
        kernel: &Active,
        active: &mut Vec<Active>,
    ) -> (Option<OpId>, TaskId) {
        let (mut id, mut task) = (kernel.id, kernel.task.clone());
        while let Some(launcher) = task.launcher {
            let Some(index) = self.parents.iter().position(|p| p.kernel.task.id == launcher.task) else {
                break;
            };
            let parent = self.parents.remove(index);
            end(runtime, &parent.kernel);
            (id, task) = (parent.kernel.id, parent.kernel.task.clone());
        }
        // All other kernels of the family are on the same device, which has lost its context.
        let device = kernel.device;
        self.waiting.retain(|waiting| waiting.device != device);
        for parent in self.parents.extract_if(.., |p| p.kernel.device == device && p.kernel.id.is_none()) {
            end(runtime, &parent.kernel);
        }
        for child in active.extract_if(.., |other| other.device == device && other.id.is_none()) {
            end(runtime, &child);
        }
        (id, task.id)
    }
}

/// Does a copy or memset. Its ends lie in memory that kernels may access, as the launching thread has checked.
fn moves(runtime: &Runtime, task: &TaskInfo, device: u32, work: &ChildWork) {
    let state = runtime.lock();
    let engine = |address: u64| {
        let memory = state.find(address)?;
        Some(memory.engine + (address - memory.base) as usize)
    };
    let side =
        |(address, _): (u64, Pitch)| Some(Side::Memory { engine: engine(address)?, address, tracked: true });
    let work = match *work {
        ChildWork::Kernel(_) => return,
        ChildWork::Copy { dst, src, shape } => {
            let (Some(to), Some(from)) = (side(dst), side(src)) else { return };
            let (src_pitch, dst_pitch) = (src.1, dst.1);
            Work::Copy(Box::new(Copy { shape, src: from, src_pitch, dst: to, dst_pitch }))
        }
        ChildWork::Fill { dst: (address, pitch), value, shape } => {
            let Some(engine) = engine(address) else { return };
            let element = [value, 0, 0, 0];
            Work::Fill(Fill { shape, pitch, engine, address, element, element_size: 1 })
        }
    };
    drop(state);
    transfer(runtime, task, device, &work);
    let mut state = runtime.lock();
    match work {
        Work::Copy(_) => state.results.counters().copies += 1,
        _ => state.results.counters().memsets += 1,
    }
}

/// Adds to the failure of a kernel that waits for good that its children had not begun, for which it may have waited.
pub(super) fn explain(failure: &mut DeviceFailure, children: usize) {
    if children > 0 {
        let launches = if children == 1 { "launch" } else { "launches" };
        let why = format!(
            " ({children} {launches} by its kernel had not begun: a child need not begin before its parent has ended)"
        );
        failure.waiting.iter_mut().for_each(|waiting| waiting.what += &why);
    }
}
