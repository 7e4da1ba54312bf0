//! Explores other schedules of a launch, from the same memory.
//!
//! Before a launch runs for the program, it runs under each explored schedule, and all memory that kernels
//! may write is restored afterwards, so the program cannot observe the exploration. Each exploration has its
//! own listener, which has no other task, so its findings are inside the launch.
//!
//! * [`predict`]: races that other schedules may have, and schedules that try to show them.
//! * [`search`]: all schedules of a small launch, up to the order of independent steps.
//! * [`weakly`]: executions whose reads may return old values.
//! * [`saved`]: the memory.

pub(super) mod predict;
mod saved;
mod search;
pub(super) mod weakly;

use super::machine::{self, Machine};
use super::{VirtualGpu, launch};
use crate::backend::{KernelWork, Ledger, Terms};
use crate::gate::engine_portion;
use crate::progress::Line;
use events::{Evidence, Finding, Level, TaskInfo, Tell};
use names::schedule::{Explored, Plan, Seeded};
use names::{Replay, Schedule, Strategy};
use protocol::RunOptions;
use saved::Saved;
use simt::schedule::path::Log;
use simt::{Outcome, Progress, Stats};
use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Limits the warp instructions of one exploration: several minutes.
const FUEL: u64 = 1 << 32;
const PORTION: u64 = 1 << 20;

/// Minimum fuel for instructions of waiting loops.
const WAITING_FUEL: u64 = 1 << 26;

/// Returns the schedules of `--explore N` besides the run's own: round-robin, then alternately random ones,
/// random priorities (PCT) for bugs of depth 2 and 3, and shuffles of warps, lanes and blocks.
pub(super) fn schedules(count: u32, seed: u64) -> Vec<Explored> {
    let how = |n: u32| {
        let schedule = match n {
            1 => Schedule::RoundRobin { quantum: 1 },
            n => match (n - 2) % 8 {
                1 => Schedule::Pct { depth: 2, steps: None },
                3 => Schedule::ShuffleWarps,
                5 => Schedule::Pct { depth: 3, steps: None },
                6 => Schedule::ShuffleLanes,
                7 => Schedule::ShuffleBlocks,
                _ => Schedule::Random,
            },
        };
        Seeded { schedule, seed: seed.wrapping_add(u64::from(n) - 1) }
    };
    (1..count).map(|n| Explored { how: how(n), launch: None }).collect()
}

/// A launch to explore.
struct Subject<'a> {
    gpu: &'a VirtualGpu,
    ledger: &'a dyn Ledger,
    work: &'a KernelWork,
    terms: &'a Terms<'a>,
    begun: Instant,
    line: RefCell<Line>,
    /// The values of the last run that no interleaving explains.
    outcomes: RefCell<Vec<Outcome>>,
}

/// The end of an exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    Finished,
    /// The fuel was used up.
    OutOfFuel,
    Stalled,
    Failed(String),
    /// The caller has seen enough.
    Enough,
}

/// Runs `work` under every schedule that the run explores. `alone` means that no other kernel is in flight;
/// otherwise memory cannot be restored, and the launch is not explored.
pub(super) fn explore(
    gpu: &VirtualGpu,
    work: &KernelWork,
    terms: &Terms<'_>,
    alone: bool,
    ledger: &dyn Ledger,
) {
    weakly::doubt(gpu, ledger);
    let mine = |e: &&Explored| e.launch.is_none_or(|launch| launch == terms.number);
    let explored: Vec<&Explored> = gpu.explored.iter().filter(mine).collect();
    let predict = gpu.options.predict > 0 && predict::is_worthwhile(gpu, ledger, work);
    let searches = matches!(gpu.options.strategy, Strategy::Dfs { .. }) && gpu.options.explore > 1;
    if explored.is_empty() && !predict && !searches || !work.checked || gpu.options.trace.is_some() {
        return;
    }
    if work.module.kernels()[work.kernel].uses.launches {
        // Its children would have to run again with it.
        let kernel = work.short_name();
        return ledger.limit(format!("launches of `{kernel}`, which launches kernels, were not explored"));
    }
    if !alone {
        return ledger.limit("launches beside other running kernels were not explored".into());
    }
    let line = RefCell::new(Line::new(gpu.options.progress));
    let subject =
        Subject { gpu, ledger, work, terms, begun: Instant::now(), line, outcomes: RefCell::default() };
    let memory = Saved::take(&gpu.space, terms.heap.map(|heap| gpu.heap(heap)));
    let mut steps = None;
    for Explored { how, .. } in explored {
        let mut how = how.clone();
        if let Schedule::Pct { steps: unknown @ None, .. } = &mut how.schedule {
            // The replay string must contain the number of steps for which the priorities were drawn.
            let measured = *steps.get_or_insert_with(|| subject.steps(&memory));
            *unknown = Some(measured);
        }
        match how.schedule {
            Schedule::Weak { .. } => subject.execute_weakly(&how),
            _ => subject.explore(&how),
        }
        memory.put_back();
    }
    if searches {
        search::search(&subject, &memory);
    }
    if predict {
        predict::predict(&subject, &memory);
    }
    ledger.explores(terms.task.id, None);
}

/// Returns the schedule under which the process's `number`-th launch runs for the program: the run's own. A
/// recorder receives no explorations, so under a recorder it is the replayed one.
pub(super) fn own_schedule(gpu: &VirtualGpu, number: u64) -> Seeded {
    let replayed = gpu.explored.iter().find(|e| e.launch == Some(number));
    match replayed {
        Some(explored)
            if gpu.options.trace.is_some() && !matches!(explored.how.schedule, Schedule::Weak { .. }) =>
        {
            explored.how.clone()
        }
        _ => gpu.options.plan.run.clone(),
    }
}

impl Subject<'_> {
    /// Returns the options for listeners of explorations.
    fn options(&self) -> RunOptions {
        RunOptions { trace: None, ..self.gpu.options.clone() }
    }

    /// Returns the replay string of an exploration.
    fn replay(&self, how: &Seeded) -> String {
        let options = &self.gpu.options;
        let explored = Explored { how: how.clone(), launch: Some(self.terms.number) };
        let plan = Plan { run: options.plan.run.clone(), explored: Some(explored) };
        Replay { plan, ..options.replay() }.to_string()
    }

    /// Returns the number of the launch's instructions under its own schedule.
    fn steps(&self, memory: &Saved) -> u64 {
        let options = RunOptions { detect: false, ..self.options() };
        let deaf = machine::build(&options, self.gpu.space.clone());
        let how = self.gpu.options.plan.run.clone();
        let run = self.run(&*deaf, &how, FUEL, |_| false);
        memory.put_back();
        run.map_or(0, |(_, stats)| stats.warp_instructions).max(1)
    }

    fn explore(&self, how: &Seeded) {
        let machine = machine::build(&self.options(), self.gpu.space.clone());
        // A launch that the engine refuses is refused under any schedule, and the run itself reports that.
        let Some((end, _)) = self.run(&*machine, how, FUEL, |_| false) else { return };
        let findings = self.explored(machine.listener().findings(), how);
        self.keep(findings);
        self.tell(how, end);
    }

    /// Marks findings as results of an exploration. With a directed schedule the race was predicted.
    fn explored(&self, mut findings: Vec<Finding>, how: &Seeded) -> Vec<Finding> {
        let directed = matches!(how.schedule, Schedule::Meet(_));
        for finding in &mut findings {
            if finding.evidence == Evidence::Observed {
                let replay = self.replay(how);
                finding.evidence = match (directed, finding.level) {
                    (true, Level::Race) => Evidence::Confirmed { replay },
                    _ => Evidence::Explored { replay },
                };
            }
        }
        findings
    }

    fn keep(&self, findings: Vec<Finding>) {
        self.ledger.keep(findings);
    }

    /// Records how an exploration failed to finish.
    fn tell(&self, how: &Seeded, end: End) {
        let what = match end {
            End::Finished | End::Enough => return,
            End::OutOfFuel => "takes too long".to_owned(),
            End::Stalled => "can make no progress".to_owned(),
            End::Failed(what) => what,
        };
        let text = format!("under schedule {how}, kernel `{}` {what}", self.work.short_name());
        self.ledger.limit(text);
    }

    /// Runs the launch for `machine`'s listener. `enough` is called from time to time, with true once the
    /// schedule has completed its directed part.
    fn run(
        &self,
        machine: &dyn Machine,
        how: &Seeded,
        fuel: u64,
        enough: impl FnMut(bool) -> bool,
    ) -> Option<(End, Stats)> {
        self.run_logged(machine, how, fuel, None, enough)
    }

    /// Runs the launch as [`Subject::run`] does, and logs the decisions of a schedule of turns.
    fn run_logged(
        &self,
        machine: &dyn Machine,
        how: &Seeded,
        fuel: u64,
        log: Option<Arc<Mutex<Log>>>,
        mut enough: impl FnMut(bool) -> bool,
    ) -> Option<(End, Stats)> {
        machine.listener().task_start(&TaskInfo { after: Vec::new(), ..self.terms.task.clone() });
        let host = Arc::new(Silent(self.gpu.output.clone()));
        let begun = launch::begin(self.gpu, machine, self.work, self.terms, host, how.clone(), log);
        let mut grid = begun.ok()?;
        let replay = self.replay(how);
        let portion = if matches!(how.schedule, Schedule::Meet(_)) { PORTION >> 6 } else { PORTION };
        let end = loop {
            // If the program is stopped, the result names the schedule that did not end.
            self.ledger.explores(self.terms.task.id, Some(&replay));
            let progress = engine_portion(|| grid.run(portion));
            let Stats { warp_instructions, waiting_instructions, .. } = grid.stats();
            let out_of_fuel = || {
                // The number of polls does not count as work to explore.
                warp_instructions - waiting_instructions >= fuel
                    || waiting_instructions >= fuel.max(WAITING_FUEL)
            };
            match progress {
                Progress::Failed(failure) => break End::Failed(failure.kind.to_string()),
                Progress::Finished => break End::Finished,
                _ if out_of_fuel() => break End::OutOfFuel,
                Progress::Running => {}
                Progress::Stalled(stall) => {
                    // No other work can resolve a stall here. Loops that count their attempts continue with
                    // the next portion.
                    if !grid.pass_time() && !stall.may_end {
                        break End::Stalled;
                    }
                }
            }
            self.line.borrow_mut().show(self.begun.elapsed(), || {
                let blocks = format!("{} of {}", grid.stats().blocks_done, self.work.grid.count());
                format!("{}: {blocks} blocks under schedule {how}", self.work.short_name())
            });
            if enough(grid.schedule_is_over()) {
                break End::Enough;
            }
        };
        machine.listener().task_end(self.terms.task.id);
        self.outcomes.replace(grid.outcomes());
        let stronger = grid.stronger();
        if !stronger.is_empty() {
            self.ledger.limit(weakly::limit(self.work, &stronger));
        }
        Some((end, grid.stats()))
    }
}

/// A host of kernels that discards output.
struct Silent(Arc<crate::output::Output>);

impl simt::Host for Silent {
    fn print(&self, _: &[u8]) {}

    fn global_timer_ns(&self) -> u64 {
        self.0.tick()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_own_schedule_is_one_of_the_count() {
        assert!(schedules(0, 7).is_empty() && schedules(1, 7).is_empty());
        let names: Vec<String> = schedules(4, 7).iter().map(|e| e.to_string()).collect();
        let all = schedules(1 + 1 + 8, 0);
        assert!(all.iter().any(|e| e.how.schedule == Schedule::ShuffleBlocks), "{all:?}");
        assert_eq!(names, ["round-robin:seed=7", "random:seed=8", "pct/2:seed=9"]);
    }
}
