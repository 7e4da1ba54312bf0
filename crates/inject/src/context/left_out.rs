//! Engine `guard`: checks that a launch leaves out, since the prover shows that their accesses race with nothing.
//!
//! Only launches that wait for proofs are asked about (`--prune-after 0`), as those on a GPU do: by the same question, so
//! that tests on the virtual GPU are about the same kernels. A launch is asked about each time.

use super::State;
use crate::backend::KernelWork;
use crate::order::Placed;
use events::{AllocKind, Dim3, LaunchInfo, ObservedLaunch, StreamId, TaskId};
use instrument::guard::groups::{Groups, LeftOut};
use instrument::guard::launches::{BYTES, Launches};
use instrument::guard::others::Others;
use instrument::guard::repeats::Repeats;
use kernels::Source;
use names::Volatile;
use protocol::RunOptions;
use prove::Prover;
use prove::launches::InBody;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Limits the time of one question.
const ONE: Duration = Duration::from_millis(500);

/// A kernel of which single launches can leave out checks.
#[derive(Clone, PartialEq)]
struct Known {
    /// The texts of its module, without checks.
    texts: Arc<[String]>,
    groups: Groups,
}

/// The kernels, and what their launches have left out.
#[derive(Default)]
pub(crate) struct Proved {
    /// Kernels by their names; `None` stands for kernels of one name that differ.
    kernels: HashMap<String, Option<Known>>,
    /// For each kernel, what its last launch that was proved in part has left out.
    left_out: HashMap<String, LeftOut>,
    repeats: Repeats<Repeated, TaskId>,
    others: Others<StreamId>,
}

/// The properties that a launch shares with its repeats ([`instrument::guard::repeats`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Repeated {
    chain: StreamId,
    kernel: String,
    extents: [Dim3; 2],
    shared: u32,
    /// Its arguments.
    bytes: Vec<u8>,
    /// The allocations to which they lead.
    memory: Vec<u64>,
}

/// The relation of a launch to work that is not ordered with it.
pub(super) enum Beside {
    /// There is none.
    Alone,
    /// The launch repeats one that has made its checks of global memory.
    Repeat,
    /// The launch makes its checks of global memory. Others may repeat it, as the task of this number.
    First(Repeated, TaskId),
    Other,
}

/// Work that leaves accesses in the table.
pub(super) enum Came<'w> {
    Kernel(&'w KernelWork),
    /// A copy or memset, by the ranges that it accesses.
    At(&'w [(Range<u64>, bool)]),
}

impl Proved {
    /// Adds the kernels of a module.
    pub(crate) fn add(&mut self, texts: Vec<String>, groups: Vec<(String, Groups)>) {
        let texts: Arc<[String]> = texts.into();
        self.repeats.retain(|repeated| groups.iter().all(|(name, _)| *name != repeated.kernel));
        for (name, groups) in groups {
            let known = Some(Known { texts: Arc::clone(&texts), groups });
            let other = self.kernels.entry(name).or_insert_with(|| known.clone());
            if *other != known {
                *other = None;
            }
        }
    }

    /// Returns a kernel, if the program has one of this name.
    fn known(&self, name: &str) -> Option<&Known> {
        self.kernels.get(name)?.as_ref()
    }
}

impl State {
    /// Returns the relation of a launch to other work, before it is assigned to a lane.
    pub(super) fn place_beside(&self, options: &RunOptions, placed: &Placed, work: &KernelWork) -> Beside {
        if options.devices != 1 || !is_asked(options, work) {
            return Beside::Other;
        }
        if self.is_alone(placed) {
            return Beside::Alone;
        }
        let name = work.name();
        let Some(memory) = self.reached(work).filter(|_| self.lanes.is_quiet(name)) else {
            return Beside::Other;
        };
        let repeated = Repeated {
            chain: placed.chain,
            kernel: name.to_owned(),
            extents: [work.grid, work.block],
            shared: work.dynamic_shared,
            bytes: self.own_params(work).to_vec(),
            memory,
        };
        let is_known = |&task: &TaskId| self.is_over(&repeated, task);
        let threads = work.grid.count().saturating_mul(work.block.count());
        match self.lanes.proved.repeats.has(&repeated, threads, &self.lanes.launches, is_known) {
            true => Beside::Repeat,
            false => Beside::First(repeated, placed.id),
        }
    }

    /// Returns whether the run of a launch is over whose first launch is this task.
    fn is_over(&self, repeated: &Repeated, first: TaskId) -> bool {
        let Repeated { chain, memory, .. } = repeated;
        self.order.is_known(*chain, first) || self.lanes.proved.others.are_at(memory, *chain, first.0.into())
    }

    /// Returns the bytes of a launch's own arguments.
    fn own_params<'w>(&self, work: &'w KernelWork) -> &'w [u8] {
        let own = self.lanes.own_bytes(&work.module.kernels()[work.kernel]);
        work.params.get(..own).unwrap_or_default()
    }

    /// Returns the allocations to which a launch's arguments lead; `None` if it may access other memory.
    fn reached(&self, work: &KernelWork) -> Option<Vec<u64>> {
        self.lanes.proved.known(work.name()).filter(|known| known.groups.are_fixed())?;
        let words = self.own_params(work).as_chunks::<8>().0.iter();
        let found = words.filter_map(|word| self.find(u64::from_le_bytes(*word)));
        Some(found.map(|memory| memory.base).collect())
    }

    /// Records a kernel, copy or memset, which leaves accesses in the table.
    pub(super) fn came(&mut self, placed: &Placed, work: Came<'_>) {
        let memory = match work {
            Came::Kernel(work) => self.reached(work),
            Came::At(ranges) => {
                ranges.iter().map(|(range, _)| Some(self.find(range.start)?.base)).collect::<Option<_>>()
            }
        };
        self.lanes.proved.others.came(placed.chain, placed.id.0.into(), memory.as_deref());
    }

    /// Makes a launch leave out the checks of accesses that are proved. The launch parameter is at `offset`.
    pub(super) fn leave_out(
        &mut self,
        options: &RunOptions,
        beside: Beside,
        work: &mut KernelWork,
        offset: usize,
    ) {
        if !is_asked(options, work) {
            return;
        }
        let is_free = matches!(beside, Beside::Alone | Beside::Repeat);
        if let Beside::First(repeated, task) = beside {
            let mut repeats = std::mem::take(&mut self.lanes.proved.repeats);
            let key = repeated.clone();
            repeats.checked(repeated, task, &self.lanes.launches, |&task| self.is_over(&key, task));
            self.lanes.proved.repeats = repeats;
        }
        let name = work.name().to_owned();
        let Some(known) = self.lanes.proved.known(&name) else { return };
        let launch = Arc::new(self.observed(work));
        let free = apart(&known.texts, &launch, options.volatile == Volatile::Weak);
        let is_free = is_free && is_of_device(&launch);
        let in_global = |line: u32| is_free && free.global.contains(&line);
        let left_out = known.groups.left_out(|line, _| free.shared.contains(&line) || in_global(line));
        self.counts(name, left_out);
        let place =
            work.params.get_mut(offset..).and_then(|rest| rest.first_chunk_mut::<{ BYTES as usize }>());
        if let Some(told) = place {
            *told = Launches::without(*told, left_out.groups);
        }
    }

    /// Counts a launch that leaves out checks.
    fn counts(&mut self, kernel: String, left_out: LeftOut) {
        if left_out.groups == 0 {
            return;
        }
        let (counters, all) = (self.results.counters(), &mut self.lanes.proved.left_out);
        let before = LeftOut::note(counters.proved_in_part, all.values());
        counters.proved_in_part += 1;
        all.insert(kernel, left_out);
        let after = LeftOut::note(counters.proved_in_part, all.values());
        self.results.replace_limit(before, after);
    }

    /// Returns a launch's inputs, without the launch parameter.
    fn observed(&self, work: &KernelWork) -> ObservedLaunch {
        let kernel = &work.module.kernels()[work.kernel];
        let mut facts = work.facts();
        facts.parameters.truncate(self.lanes.parameter(kernel).unwrap_or(facts.parameters.len()));
        facts.bytes.truncate(self.lanes.own_bytes(kernel));
        let info = LaunchInfo {
            kernel: kernel.name.clone(),
            grid: work.grid,
            block: work.block,
            cluster: work.cluster,
            cooperative: work.cooperative,
            shared_bytes: kernel.static_shared.saturating_add(work.dynamic_shared),
            uses: kernel.uses,
        };
        ObservedLaunch { info, facts, memory: self.observed_memory() }
    }

    /// Returns whether everything that the program has submitted is ordered with a launch: all of it was in the legacy
    /// stream.
    fn is_alone(&self, placed: &Placed) -> bool {
        self.has_no_streams() && self.lanes.chains.keys().all(|&chain| chain == placed.chain)
    }
}

/// Returns whether the prover is asked about a launch.
fn is_asked(options: &RunOptions, work: &KernelWork) -> bool {
    options.prune.waits() && !work.overlaps && work.cluster == Dim3::ONE
}

/// Returns whether a launch's arguments lead to memory of the device alone.
fn is_of_device(launch: &ObservedLaunch) -> bool {
    let words = launch.facts.bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let reached = words.filter_map(|word| launch.holder(word));
    reached.map(|holder| launch.memory[holder].kind).all(|kind| kind == AllocKind::Device)
}

/// Asks the prover which accesses of a launch race with nothing.
fn apart(texts: &[String], launch: &Arc<ObservedLaunch>, volatile_weak: bool) -> InBody {
    let begin = Instant::now();
    let parsed: Vec<ptx::Parse> = texts.iter().map(|text| ptx::parse(text)).collect();
    let sources = Source::all(&parsed, texts, "");
    let Ok(prover) = Prover::new(&sources) else { return InBody::default() };
    let kernel = prover.kernels().iter().position(|kernel| kernel.name == launch.info.kernel);
    let of = |kernel| prover.apart_in_body(kernel, launch, volatile_weak, &|| begin.elapsed() > ONE);
    kernel.map(of).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_one_name_that_differ_are_not_asked_about() {
        let mut proved = Proved::default();
        let mut add = |text: &str| {
            proved.add(vec![text.to_owned()], vec![("k".to_owned(), Groups::default())]);
            proved.known("k").is_some()
        };
        assert!(add("one") && add("one"), "a module is loaded twice");
        assert!(!add("other") && !add("one"));
    }
}
