//! `--explore N --strategy weak`: executions whose reads may return old values, as PTX allows.
//!
//! No lens listens to them: lenses take it that a read returns the last write before it, so that they would
//! order threads by observations that did not happen. Races are found by other schedules; these executions
//! show the values that they lead to.

use super::Subject;
use crate::backend::virtual_gpu::machine::{self, Machine};
use crate::backend::virtual_gpu::{VirtualGpu, weak};
use crate::backend::{KernelWork, Ledger};
use names::Schedule;
use names::schedule::{Explored, Seeded};
use protocol::RunOptions;
use simt::{AddressSpace, Stronger};
use std::sync::Arc;

/// Limits the warp instructions of one execution, which take a hundred times longer than others.
const FUEL: u64 = 1 << 22;

/// Returns the executions of `--explore N --strategy weak`; the run itself is one of the count.
pub(in crate::backend::virtual_gpu) fn executions(
    count: u32,
    seed: u64,
    window: Option<u32>,
) -> Vec<Explored> {
    let schedule = Schedule::Weak { window };
    let how = |n: u32| Seeded { schedule: schedule.clone(), seed: seed.wrapping_add(u64::from(n) - 1) };
    (1..count).map(|n| Explored { how: how(n), launch: None }).collect()
}

/// Returns the machine of the run itself, to which nothing listens if its own schedule is `weak`.
pub(in crate::backend::virtual_gpu) fn machine(
    options: &RunOptions,
    memory: Arc<AddressSpace>,
) -> Box<dyn Machine> {
    match options.plan.run.schedule {
        Schedule::Weak { .. } => machine::build(&deaf(options), memory),
        _ => machine::build(options, memory),
    }
}

/// Records that no lens judges a run whose own schedule is `weak`.
pub(super) fn doubt(gpu: &VirtualGpu, ledger: &dyn Ledger) {
    if matches!(gpu.options.plan.run.schedule, Schedule::Weak { .. }) && gpu.options.detect {
        ledger
            .doubt("no lens judges kernels that run under schedule `weak`: races were not looked for".into());
    }
}

/// Describes what weak executions of a kernel treat as stronger than PTX requires.
pub(super) fn limit(work: &KernelWork, stronger: &[Stronger]) -> String {
    let names: Vec<String> = stronger.iter().map(ToString::to_string).collect();
    format!(
        "weak executions of kernel `{}` make everything written so far visible at each of these: {}",
        work.short_name(),
        names.join(", ")
    )
}

fn deaf(options: &RunOptions) -> RunOptions {
    RunOptions { trace: None, detect: false, ..options.clone() }
}

impl Subject<'_> {
    /// Runs the launch once with weak memory, and records the values that no interleaving explains.
    pub(super) fn execute_weakly(&self, how: &Seeded) {
        let machine = machine::build(&deaf(&self.gpu.options), self.gpu.space.clone());
        let Some((end, _)) = self.run(&*machine, how, FUEL, |_| false) else { return };
        let replay = self.replay(how);
        let outcomes = self.outcomes.take();
        self.ledger.showed(outcomes.iter().map(|o| weak::describe(o, self.work, &replay)).collect());
        self.tell(how, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_itself_is_one_of_the_count() {
        assert!(executions(1, 7, None).is_empty());
        let names: Vec<String> = executions(3, 7, None).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["weak:seed=7", "weak:seed=8"]);
        assert_eq!(executions(2, 7, Some(3))[0].to_string(), "weak/3:seed=7");
    }
}
