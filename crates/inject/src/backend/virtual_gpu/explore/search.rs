//! `--explore N --strategy dfs`: systematically searches a launch's schedules.

use super::saved::Saved;
use super::{End, Subject};
use crate::backend::virtual_gpu::machine::{self, Heard, Machine};
use detect::lens::{Lens, Overlooks, Serial};
use detect::ptx::PtxMonitor;
use events::{
    Access, Erased, Finding, LaunchInfo, Listener, Monitor, Observer, StreamId, Sync, TaskId, TaskInfo,
    TaskKind, Tell,
};
use names::schedule::{Path, Seeded};
use names::{Schedule, Strategy};
use simt::schedule::path::Log;
use simt::schedule::search::{Effect, Ran, Search};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Limits the warp instructions of one run of the search.
const FUEL: u64 = 1 << 24;

/// The last bound before the unbounded search, if the user gives no bound.
const LAST_BOUND: u32 = 6;

/// Limits how many steps of runs are stored in all.
const REMEMBERED: usize = 1 << 18;

/// Returns the bounds on preemptions of successive searches. `dfs/PREEMPTIONS` is one search; `dfs` begins
/// without preemptions and allows one more each time (iterative context bounding: Musuvathi and Qadeer, PLDI
/// 2007), since most races need few.
fn bounds(strategy: Strategy) -> Vec<Option<u32>> {
    match strategy {
        Strategy::Dfs { preemptions: Some(bound) } => vec![Some(bound)],
        _ => (0..=LAST_BOUND).map(Some).chain([None]).collect(),
    }
}

/// Runs schedules until all are covered, up to the order of independent steps, or their number is used up.
pub(super) fn search(subject: &Subject<'_>, memory: &Saved) {
    let options = &subject.gpu.options;
    let name = subject.work.short_name();
    let limit = |text: String| subject.ledger.limit(text);
    let count = options.explore.saturating_sub(1);
    let mut left = count;
    // Schedules of a smaller bound need not run again.
    let (mut known, mut remembered): (HashMap<Path, Vec<Ran>>, usize) = (HashMap::new(), 0);
    for bound in bounds(options.strategy) {
        let mut search = Search::new(bound);
        while let Some(path) = search.next().cloned() {
            if let Some(ran) = known.get(&path) {
                search.ran(ran);
                continue;
            }
            if left == 0 {
                return limit(format!("the search of the schedules of `{name}` ended after {count}"));
            }
            left -= 1;
            let how = Seeded { schedule: Schedule::Path(path.clone()), seed: 0 };
            let Some((end, ran)) = run(subject, memory, &how) else { return };
            if end == End::OutOfFuel {
                return limit(format!("kernel `{name}` is too long for a search of its schedules"));
            }
            subject.tell(&how, end);
            search.ran(&ran);
            if remembered + ran.len() <= REMEMBERED {
                remembered += ran.len();
                known.insert(path, ran);
            }
        }
        if !search.is_partial() {
            return;
        }
    }
    limit(format!("the search of the schedules of `{name}` kept to its bounds"));
}

/// Runs one schedule and records its findings.
fn run(subject: &Subject<'_>, memory: &Saved, how: &Seeded) -> Option<(End, Vec<Ran>)> {
    let log = Arc::new(Mutex::new(Log::default()));
    let effects = Arc::new(Mutex::new(Vec::new()));
    let lens: Box<dyn Lens> = Box::new(Noting::new(subject, &log, &effects));
    let memory_of = subject.gpu.space.clone();
    let monitor = Erased::new(Arc::new(Serial::new(lens)));
    let heard = Heard { memory: memory_of, monitor: Arc::new(monitor) };
    let run = subject.run_logged(&heard, how, FUEL, Some(Arc::clone(&log)), |_| false);
    memory.put_back();
    let (end, _) = run?;
    let findings = heard.listener().findings();
    subject.keep(subject.explored(findings, how));
    Some((end, steps(&log, &effects)))
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn steps(log: &Mutex<Log>, effects: &Mutex<Vec<Effect>>) -> Vec<Ran> {
    let made = std::mem::take(&mut lock(log).made);
    let mut effects = std::mem::take(&mut *lock(effects));
    effects.resize_with(made.len(), Effect::default);
    made.into_iter().zip(effects).map(|(made, effect)| Ran { made, effect }).collect()
}

/// Lens `ptx`, which also records the effects of each step.
struct Noting {
    ptx: PtxMonitor,
    observer: <PtxMonitor as Monitor>::Observer,
    log: Arc<Mutex<Log>>,
    effects: Arc<Mutex<Vec<Effect>>>,
}

impl Noting {
    fn new(subject: &Subject<'_>, log: &Arc<Mutex<Log>>, effects: &Arc<Mutex<Vec<Effect>>>) -> Noting {
        let ptx = machine::exact(&subject.gpu.options);
        let observer = ptx.observer(0);
        Noting { ptx, observer, log: Arc::clone(log), effects: Arc::clone(effects) }
    }

    /// Adds to the effect of the current step.
    fn note(&self, note: impl FnOnce(&mut Effect)) {
        let Some(step) = lock(&self.log).made.len().checked_sub(1) else { return };
        let mut effects = lock(&self.effects);
        if effects.len() <= step {
            effects.resize_with(step + 1, Effect::default);
        }
        note(&mut effects[step]);
    }
}

impl Lens for Noting {
    fn name(&self) -> &'static str {
        "ptx"
    }

    fn overlooks(&self) -> Overlooks {
        Overlooks::default()
    }

    fn launch(&mut self, task: TaskId, info: &LaunchInfo) {
        self.ptx.task_start(&TaskInfo {
            id: task,
            kind: TaskKind::Launch(info.clone()),
            stream: StreamId(0),
            after: Vec::new(),
            call: events::task::HostCall::default(),
            device: 0,
            overlap: None,
            launcher: None,
        });
    }

    fn finish(&mut self, task: TaskId) {
        self.ptx.task_end(task);
    }

    fn access(&mut self, access: &Access<'_>) {
        self.note(|effect| effect.access(access));
        self.observer.access(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.note(|effect| effect.sync(sync));
        self.observer.sync(sync);
    }

    fn forget(&mut self, _: u64, _: u64) {}

    fn take_findings(&mut self) -> Vec<Finding> {
        self.ptx.findings()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.ptx.so_far()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_grow_unless_there_is_one() {
        assert_eq!(bounds("dfs/2".parse().unwrap()), [Some(2)]);
        let all = bounds("dfs".parse().unwrap());
        assert_eq!((all[0], all[1], all.last()), (Some(0), Some(1), Some(&None)));
    }
}
