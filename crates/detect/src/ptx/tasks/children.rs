//! Kernels that a kernel launches (CUDA dynamic parallelism): which of the kernel's accesses their launch orders.
//!
//! Source: Programming Guide, "CUDA Dynamic Parallelism", "Memory Coherence and Consistency". What happens before a
//! launch, in the launching thread or known to it, happens before all of the child, and before all that the child
//! launches. The rest of the parent runs beside the child, on whose end it cannot wait. The launching thread's knowledge
//! is stored at each launch. When the parent ends, after its children, its shadow is compared with their footprints,
//! but for what that knowledge covers. A child that comes after another child of its kernel knows what that one knew.

use crate::ptx::history::page::Page;
use crate::ptx::tasks::{Pieces, Tasks, runs_of};
use crate::shadow::lock;
use clocks::Clock;
use events::{SiteId, TaskId};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, OnceLock};

/// One launch of a child.
#[derive(Clone, Debug)]
struct Child {
    site: SiteId,
    /// The clock of the launching thread at the launch.
    known: Clock,
}

/// The children of one launch.
#[derive(Debug, Default)]
pub(crate) struct Children {
    launched: Mutex<Vec<(TaskId, Child)>>,
    /// With what their predecessors among them knew.
    all: OnceLock<FxHashMap<TaskId, Child>>,
}

impl Children {
    /// Records a launch by a thread that knows `known`.
    pub(crate) fn launch(&self, task: TaskId, site: SiteId, known: Clock) {
        lock(&self.launched).push((task, Child { site, known }));
    }

    /// Returns whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.launched).is_empty()
    }

    /// Returns all of them. Their tasks are numbered in the order of the launches, so each comes behind its predecessors.
    fn all(&self, tasks: &Tasks) -> &FxHashMap<TaskId, Child> {
        self.all.get_or_init(|| {
            let mut all: FxHashMap<TaskId, Child> = FxHashMap::default();
            let mut launched = lock(&self.launched);
            launched.sort_unstable_by_key(|(task, _)| *task);
            for (task, child) in launched.iter() {
                let mut child = child.clone();
                for before in tasks.behind(*task).iter().filter_map(|before| all.get(before)) {
                    child.known.join(&before.known);
                }
                all.insert(*task, child);
            }
            all
        })
    }

    /// Compares a page of the shadow of `parent` with what its children left there.
    pub(crate) fn compare(
        &self,
        parent: TaskId,
        (number, page): (u64, &mut Page),
        tasks: &Tasks,
        pieces: &mut Pieces,
    ) {
        let mut here = Vec::new();
        tasks.children_in(parent, number, |child| here.push(child));
        here.sort_unstable();
        here.dedup();
        for task in here {
            let Some(child) = self.all(tasks).get(&task) else { continue };
            let runs = runs_of(page, &child.known, pieces);
            tasks.compare_with_child((parent, task), number, runs, child.site);
        }
    }
}
