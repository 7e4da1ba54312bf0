//! Engine `guard`: passes to each launch its identity, and the launches ordered before it.

use super::left_out::{Came, Proved};
use super::{Runtime, State};
use crate::backend::{KernelWork, Module, Progress, Terms};
use crate::instrumented;
use crate::order::{Known, Placed};
use events::task::HostCall;
use events::{Dim3, SiteId, StreamId, TaskId, TaskInfo};
use instrument::guard::chain::Chain;
use instrument::guard::launches::{BYTES, Before, Devices, Early, Launched, Launches};
use instrument::guard::{self, CHECKS, ranges};
use kernels::Kernel;
use protocol::{Check, RunOptions};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Limits the ranges of one call that are checked, such as the rows of a copy in two dimensions.
const MOST: usize = 256;

/// Assigns launches to lanes. A chain of the order has lanes while there are any left.
#[derive(Default)]
pub(crate) struct Lanes {
    /// Whether a programmatic edge of a graph was taken as a full dependency.
    full: bool,
    /// Kernels with the launch parameter, by name. Modules may have kernels of one name: those with equal parameters count
    /// as one, which does whatever one of them does.
    kernels: HashMap<String, Vec<Launched>>,
    /// The kernels of which launches can leave out checks.
    pub(super) proved: Proved,
    pub(super) launches: Launches,
    pub(super) chains: HashMap<StreamId, Chain>,
    /// The tasks of each lane by their numbers, from 1 on.
    tasks: Vec<Vec<TaskId>>,
    /// Launches that may be ordered before everything from now on without a call that says so: kernels that
    /// signal the host while they run, and all earlier launches when freed memory is allocated again.
    told: Before,
    /// Launches that may synchronise with others while they run; with the device if only with those of the device.
    learners: Vec<(StreamId, TaskId, Option<Devices>)>,
    /// The devices with launches that may acquire from other devices.
    widened: Devices,
    freed: bool,
    /// The launch parameters of copies and similar calls, until they are made.
    calls: HashMap<TaskId, [u8; BYTES as usize]>,
    /// Checks of calls, by the call and whether it writes.
    checks: HashMap<(HostCall, bool), u32>,
    /// The module with the checking kernel for calls.
    ranges: Option<Arc<dyn Module>>,
}

impl Lanes {
    pub(crate) fn add(&mut self, kernels: impl IntoIterator<Item = (String, Launched)>) {
        for (name, kernel) in kernels {
            let known = self.kernels.entry(name).or_default();
            let is_alike =
                |other: &&mut Launched| (other.parameters, other.at) == (kernel.parameters, kernel.at);
            match known.iter_mut().find(is_alike) {
                Some(other) => *other = either(*other, kernel),
                None => known.push(kernel),
            }
        }
    }

    /// Returns what is known of a kernel, if it has the launch parameter.
    fn known(&self, kernel: &Kernel) -> Option<Launched> {
        let last = kernel.params.last().filter(|last| last.size == BYTES)?;
        let has = |known: &&Launched| {
            kernel.params.len() == known.parameters as usize + 1 && last.offset == known.at
        };
        self.kernels.get(&kernel.name)?.iter().find(has).copied()
    }

    /// Returns the index of a kernel's launch parameter, which the program does not see.
    pub(crate) fn parameter(&self, kernel: &Kernel) -> Option<usize> {
        Some(self.known(kernel)?.parameters as usize)
    }

    /// Returns whether launches of a kernel synchronise with others by launch and end only.
    pub(super) fn is_quiet(&self, kernel: &str) -> bool {
        self.kernels.get(kernel).is_some_and(|known| {
            known.iter().all(|kernel| !(kernel.acquires || kernel.tells || kernel.publishes))
        })
    }

    /// Returns the bytes of the parameters that the program sees.
    pub(crate) fn own_bytes(&self, kernel: &Kernel) -> usize {
        let end = |last: usize| kernel.params[last].offset + kernel.params[last].size;
        match self.parameter(kernel) {
            Some(at) => at.checked_sub(1).map_or(0, end) as usize,
            None => kernel.param_bytes as usize,
        }
    }

    /// Returns the clock at a point of the order.
    fn before(&self, known: &Known) -> Before {
        let mut out = self.told;
        for (&stream, chain) in &self.chains {
            let Some(last) = known.last(stream) else { continue };
            for &lane in chain.lanes() {
                let number = self.tasks[lane].partition_point(|&task| task <= last) as u32;
                out.numbers[lane] = out.numbers[lane].max(number);
            }
        }
        for &(.., within) in self.learners.iter().filter(|&&(chain, task, _)| known.covers(chain, task)) {
            match within {
                Some(device) => out.within.join(device),
                None => out.all = true,
            }
        }
        out
    }

    /// Assigns a launch to a lane and returns its launch parameter.
    fn next(
        &mut self,
        placed: &Placed,
        kernel: &Launched,
        before: &mut Before,
        device: u32,
    ) -> Option<[u8; BYTES as usize]> {
        let chain = self.chains.entry(placed.chain).or_default();
        // The launch parameter can name one kernel that the launch may overlap, the last of its chain. Other
        // programmatic edges of a graph's node count as full dependencies.
        let last = chain.last().and_then(|(lane, _)| self.tasks.get(lane)?.last());
        let overlap = placed.overlap.as_ref();
        let told_of = overlap.filter(|o| o.begun.is_empty() && o.with.len() == 1 && last == o.with.first());
        self.full |= overlap.is_some() && told_of.is_none();
        let (lane, told) = self.launches.launched(chain, (kernel, told_of.is_some()), before)?;
        self.launches.is_on(lane, Devices::of(device).unwrap_or(Devices::ALL));
        if self.tasks.len() <= lane {
            self.tasks.resize_with(lane + 1, Vec::new);
        }
        self.tasks[lane].push(placed.id);
        Some(told)
    }

    /// Writes the launch parameter into a launch's parameters. Kernels are instrumented for `several` devices or
    /// for one: those for one know no devices, and whatever acquires may have acquired from all launches. Returns the
    /// offset of the launch parameter.
    fn launched(
        &mut self,
        placed: &Placed,
        work: &mut KernelWork,
        device: u32,
        several: bool,
    ) -> Option<usize> {
        let kernel = &work.module.kernels()[work.kernel];
        let Some(parameter) = self.parameter(kernel) else {
            // The launch cannot be identified.
            if let Some(chain) = self.chains.get_mut(&placed.chain) {
                chain.unknown();
            }
            return None;
        };
        let offset = kernel.params[parameter].offset as usize;
        let launched = self.known(kernel)?;
        let mut before = self.before(&placed.known);
        let within = Devices::of(device).filter(|_| several && !launched.acquires_far);
        if launched.acquires {
            before.all |= within.is_none();
            before.within.join(within.unwrap_or_default());
        }
        let told = self.next(placed, &launched, &mut before, device);
        if launched.acquires {
            self.learners.push((placed.chain, placed.id, within));
        }
        if launched.acquires_far {
            self.widened.join(Devices::of(device).unwrap_or(Devices::ALL));
        }
        if launched.tells {
            self.told.join(&before);
        }
        let told = told.unwrap_or(Launches::UNKNOWN);
        if let Some(place) = work.params.get_mut(offset..offset + BYTES as usize) {
            place.copy_from_slice(&Launches::with_table(told, instrumented::TABLE_AT, device));
        }
        Some(offset)
    }
}

/// Returns a kernel that may be either of two.
fn either(one: Launched, other: Launched) -> Launched {
    Launched {
        acquires: one.acquires || other.acquires,
        acquires_far: one.acquires_far || other.acquires_far,
        tells: one.tells || other.tells,
        publishes: one.publishes || other.publishes,
        early: if one.early == other.early { one.early } else { Early::Unknown },
        gates: one.gates && other.gates,
        ..one
    }
}

impl State {
    /// Assigns a copy or a similar call, which accesses these ranges, to a lane.
    pub(crate) fn called(&mut self, placed: &Placed, device: u32, ranges: &[(Range<u64>, bool)]) {
        self.came(placed, Came::At(ranges));
        let mut before = self.lanes.before(&placed.known);
        if let Some(told) = self.lanes.next(placed, &Launched::plain(0), &mut before, device) {
            let told = Launches::with_table(told, instrumented::TABLE_AT, device);
            self.lanes.calls.insert(placed.id, told);
        }
    }

    /// Returns the check of a call that reads or writes; `None` if there is no room for more.
    fn check_of(&mut self, runtime: &Runtime, call: &HostCall, writes: bool) -> Option<u32> {
        let key = (call.clone(), writes);
        if let Some(&number) = self.lanes.checks.get(&key) {
            return Some(number);
        }
        let (sink, _) = instrumented::sink(&runtime.options, &*runtime.backend, &mut self.results).ok()?;
        let number = sink.checks.len() as u32;
        if number >= CHECKS {
            return None;
        }
        let site = call.site.unwrap_or(SiteId(0));
        let by = Some(sink.calls.len() as u32);
        sink.checks.push(Check { site, writes, size: 4, asynchronous: None, call: by, maybe: false });
        sink.calls.push(call.clone());
        self.lanes.checks.insert(key, number);
        Some(number)
    }

    /// Assigns a launch to a lane, and has it leave out the checks of accesses that are proved.
    pub(crate) fn launched(
        &mut self,
        options: &RunOptions,
        placed: &Placed,
        work: &mut KernelWork,
        device: u32,
    ) {
        let widened = self.lanes.widened;
        let place = self.place_beside(options, placed, work);
        self.came(placed, Came::Kernel(work));
        if let Some(offset) = self.lanes.launched(placed, work, device, options.devices != 1) {
            self.leave_out(options, place, work, offset);
        }
        if self.lanes.widened != widened {
            instrumented::mark(guard::WIDENED, self.lanes.widened.word());
        }
        if std::mem::take(&mut self.lanes.full) {
            let what = "engine guard takes programmatic edges of graphs as full dependencies, but for one from the kernel before";
            self.results.limit(what.into());
        }
    }

    /// Records that memory was freed.
    pub(super) fn gave_back(&mut self) {
        self.lanes.freed = true;
    }

    /// Records an allocation. Accesses through an earlier allocation of the same memory cannot race with the
    /// new one's.
    pub(super) fn gave_away(&mut self) {
        if self.lanes.freed {
            let all = self.lanes.launches.so_far();
            self.lanes.told.join(&all);
        }
    }
}

/// Runs engine `guard`'s checks for the ranges that a copy or a similar call accesses, before the call.
pub(crate) fn accesses(runtime: &Runtime, task: &TaskInfo, device: u32, all: &[(Range<u64>, bool)]) {
    let mut state = runtime.lock();
    let Some(told) = state.lanes.calls.remove(&task.id) else { return };
    if state.lanes.ranges.is_none() {
        state.lanes.ranges = instrumented::ranges(&runtime.options, &*runtime.backend);
    }
    let Some(module) = state.lanes.ranges.clone() else { return };
    let checks: Vec<Option<u32>> =
        all.iter().map(|(_, writes)| state.check_of(runtime, &task.call, *writes)).collect();
    drop(state);
    for ((range, writes), check) in all.iter().zip(checks).take(MOST) {
        let (Some(check), bytes) = (check, range.end - range.start) else { continue };
        let work = KernelWork {
            module: Arc::clone(&module),
            kernel: 0,
            grid: Dim3::new(ranges::blocks(bytes), 1, 1),
            block: Dim3::new(ranges::THREADS, 1, 1),
            cluster: Dim3::ONE,
            dynamic_shared: 0,
            cooperative: false,
            has_run: false,
            chosen: true,
            params: ranges::parameters((range.start, bytes), *writes, check, &told).to_vec(),
            overlaps: false,
            checked: false,
        };
        let terms = Terms { task, device, number: 0, heap: None, stack_limit: 1 << 10, depth: 0, pending: 0 };
        if let Ok(mut running) = runtime.backend.launch(&work, &terms) {
            // The kernel never waits.
            while matches!(running.run(1 << 20), Progress::Running) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_does_what_any_of_its_name_does() {
        let mut lanes = Lanes::default();
        let (quiet, acquires) = (Launched::plain(1), Launched { acquires: true, ..Launched::plain(1) });
        let mut add = |kernel: Launched| {
            lanes.add([("k".to_owned(), kernel)]);
            lanes.is_quiet("k")
        };
        assert!(add(quiet) && !add(acquires) && !add(quiet));
        assert!(!add(Launched::plain(2)), "another number of parameters");
        assert!(!lanes.is_quiet("other"));
        assert_eq!(lanes.kernels["k"], [acquires, Launched::plain(2)]);
    }
}
