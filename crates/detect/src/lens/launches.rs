//! The state of running launches, and the memory of one that has ended.

use events::TaskId;
use rustc_hash::FxHashMap;

/// The state that a lens keeps for a launch.
pub struct Launches<L> {
    running: FxHashMap<TaskId, L>,
    /// One that has ended: programs launch the same kernels again and again.
    spare: Option<L>,
}

impl<L> Default for Launches<L> {
    fn default() -> Self {
        Launches { running: FxHashMap::default(), spare: None }
    }
}

impl<L> Launches<L> {
    /// A launch begins: with `make` of the spare one, if there is one.
    pub fn start(&mut self, task: TaskId, make: impl FnOnce(Option<L>) -> L) {
        let launch = make(self.spare.take());
        self.running.insert(task, launch);
    }

    pub fn end(&mut self, task: TaskId) {
        self.spare = self.running.remove(&task).or(self.spare.take());
    }

    /// The launch's state; that of one whose beginning was not told is made.
    pub fn get(&mut self, task: TaskId, make: impl FnOnce() -> L) -> &mut L {
        self.running.entry(task).or_insert_with(make)
    }

    pub fn all(&self) -> impl Iterator<Item = &L> {
        self.running.values()
    }

    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut L> {
        self.running.values_mut()
    }
}
