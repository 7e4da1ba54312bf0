//! Other schedules of a launch, from the same memory.
//!
//! Before a launch runs for good, it runs under each explored schedule on a copy of
//! everything kernels may write, which is put back afterwards: the program never learns
//! of it. Each exploration has a listener of its own, which knows of no other task, so
//! that what it finds is inside the launch.

use super::kernel::KernelWork;
use crate::engine;
use crate::hostmem::engine_portion;
use crate::runtime::Runtime;
use events::{Evidence, TaskInfo};
use report::protocol::RunOptions;
use simt::{AddressSpace, Progress, Schedule};
use std::sync::Arc;

/// Warp instructions that one exploration may take: several minutes.
const FUEL: u64 = 1 << 32;
const PORTION: u64 = 1 << 20;

/// A schedule to explore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Explored {
    pub(crate) schedule: Schedule,
    pub(crate) seed: u64,
}

/// The schedules of `--explore N`: besides the run's own, one round-robin, the rest random.
pub(crate) fn schedules(count: u32, seed: u64) -> Vec<Explored> {
    (1..count)
        .map(|n| match n {
            1 => Explored { schedule: Schedule::RoundRobin { quantum: 1 }, seed },
            _ => Explored { schedule: Schedule::Random, seed: seed + u64::from(n) - 1 },
        })
        .collect()
}

/// Runs `work` under every schedule that the run explores. `alone` tells that no other kernel is
/// in flight; otherwise memory cannot be put back, and the launch is left out.
pub(crate) fn explore(runtime: &Runtime, task: &TaskInfo, work: &KernelWork, device: u32, alone: bool) {
    if runtime.explored.is_empty() || !work.checked {
        return;
    }
    if !alone {
        let mut state = runtime.lock();
        return state.results.limit("launches beside other running kernels were not explored".into());
    }
    let memory = Saved::take(&runtime.space);
    for explored in &runtime.explored {
        one(runtime, task, work, device, explored);
        memory.put_back();
    }
}

fn one(runtime: &Runtime, task: &TaskInfo, work: &KernelWork, device: u32, explored: &Explored) {
    let Explored { schedule, seed } = explored;
    let name = format!("{schedule}:seed={seed}");
    let options = RunOptions { trace: None, ..runtime.options.clone() };
    let engine = engine::build(&options, runtime.space.clone());
    engine.task_start(&TaskInfo { after: Vec::new(), ..task.clone() });
    let host = Arc::new(Silent(runtime.output.clone()));
    let begun = work.begin_with(runtime, &*engine, host, task.id, device, schedule.clone(), *seed);
    // What the engine refuses it refuses under any schedule; the run itself will tell.
    let Ok(mut grid) = begun else { return };
    let mut spent = 0;
    let end = loop {
        match engine_portion(|| grid.run(PORTION)) {
            Progress::Running if spent < FUEL => spent += PORTION,
            Progress::Running => break Some("takes too long".to_owned()),
            Progress::Stalled(_) => break Some("can make no progress".to_owned()),
            Progress::Failed(failure) => break Some(failure.kind.to_string()),
            Progress::Finished => break None,
        }
    };
    engine.task_end(task.id);
    let mut findings = engine.findings();
    let replay = format!("{}+{name}", runtime.base_replay());
    for finding in &mut findings {
        if finding.evidence == Evidence::Observed {
            finding.evidence = Evidence::Explored { replay: replay.clone() };
        }
    }
    let mut state = runtime.lock();
    state.keep_findings(findings);
    if let Some(what) = end {
        state.results.limit(format!("under schedule {name}, kernel `{}` {what}", work.name()));
    }
}

/// A kernel's host that says nothing.
struct Silent(Arc<crate::output::Output>);

impl simt::Host for Silent {
    fn print(&self, _: &[u8]) {}

    fn global_timer_ns(&self) -> u64 {
        self.0.global_timer_ns()
    }
}

/// All memory that kernels may write, as it was.
struct Saved {
    regions: Vec<(*mut u8, Vec<u8>)>,
}

impl Saved {
    fn take(space: &AddressSpace) -> Saved {
        let regions = space
            .regions()
            .into_iter()
            .filter(|region| !region.read_only)
            .map(|region| {
                let mut bytes = vec![0; region.bytes as usize];
                // SAFETY: a mapped region's pointer is to so many bytes of the engine's own mapping,
                // and no kernel runs; the host's concurrent writes can at worst be torn, as they
                // would be for a kernel that reads them.
                unsafe { region.host.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
                (region.host, bytes)
            })
            .collect();
        Saved { regions }
    }

    fn put_back(&self) {
        for (host, bytes) in &self.regions {
            // SAFETY: as in `take`; regions are unmapped by this thread only, and not between
            // the two.
            unsafe { host.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_own_schedule_is_one_of_the_count() {
        assert!(schedules(0, 7).is_empty() && schedules(1, 7).is_empty());
        let names: Vec<String> =
            schedules(4, 7).iter().map(|e| format!("{}:seed={}", e.schedule, e.seed)).collect();
        assert_eq!(names, ["round-robin:seed=7", "random:seed=8", "random:seed=9"]);
    }
}
