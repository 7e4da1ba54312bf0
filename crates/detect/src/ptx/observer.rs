//! One worker's ear: events of blocks in, races out.

use crate::ptx::PtxOptions;
use crate::ptx::launch::Launch;
use crate::ptx::ways::LaunchState;
use events::{Access, Observer, Sync, TaskId};
use rustc_hash::FxHashMap;
use std::sync::{Arc, RwLock};

/// The launches in flight, by task.
pub(crate) type Launches = Arc<RwLock<FxHashMap<TaskId, Arc<Launch>>>>;

/// See [`crate::ptx::PtxMonitor`].
#[derive(Debug)]
pub struct PtxObserver {
    options: PtxOptions,
    launches: Launches,
    /// State of the launch last heard of, and of others.
    current: Option<Box<LaunchState>>,
    others: FxHashMap<TaskId, Box<LaunchState>>,
}

impl PtxObserver {
    pub(crate) fn new(options: PtxOptions, launches: Launches) -> Self {
        PtxObserver { options, launches, current: None, others: FxHashMap::default() }
    }

    fn state(&mut self, task: TaskId) -> Option<&mut LaunchState> {
        if self.current.as_ref().is_none_or(|c| c.launch.task != task) {
            self.switch(task);
        }
        self.current.as_deref_mut().filter(|c| c.launch.task == task)
    }

    #[cold]
    fn switch(&mut self, task: TaskId) {
        self.rest();
        let launches = self.launches.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(launch) = launches.get(&task).cloned() else { return };
        // Forget launches that have ended.
        self.others.retain(|task, _| launches.contains_key(task));
        if let Some(old) = self.current.take()
            && launches.contains_key(&old.launch.task)
        {
            self.others.insert(old.launch.task, old);
        }
        drop(launches);
        let state = self.others.remove(&task);
        self.current = Some(state.unwrap_or_else(|| Box::new(LaunchState::new(launch, &self.options))));
    }
}

impl Observer for PtxObserver {
    /// Without atomic operations no thread takes a lock by its value.
    fn wants_values(&self, task: TaskId) -> bool {
        let current = self.current.as_ref().filter(|current| current.launch.task == task);
        current.is_none_or(|current| current.launch.info.uses.atomics)
    }

    fn access(&mut self, access: &Access<'_>) {
        if let Some(state) = self.state(access.warp.task) {
            state.hears(access);
        }
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        // These order nothing, and are many.
        if matches!(sync, Sync::Converge { .. } | Sync::Exit { .. }) {
            return;
        }
        if let Some(state) = self.state(sync.place().0) {
            state.sync(sync);
        }
    }

    fn rest(&mut self) {
        if let Some(state) = &mut self.current {
            state.judge_late();
            state.pick_up_proofs();
        }
    }
}
