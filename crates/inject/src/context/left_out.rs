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
use instrument::guard::repeats::Repeats;
use kernels::Source;
use names::Volatile;
use protocol::RunOptions;
use prove::Prover;
use prove::launches::InBody;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Limits the time of one question.
const ONE: Duration = Duration::from_millis(500);

/// A kernel of which single launches can leave out checks.
struct Known {
    /// The texts of its module, without checks.
    texts: Arc<[String]>,
    groups: Groups,
}

/// The kernels, and what their launches have left out.
#[derive(Default)]
pub(crate) struct Proved {
    kernels: HashMap<String, Known>,
    /// For each kernel, what its last launch that was proved in part has left out.
    left_out: HashMap<String, LeftOut>,
    repeats: Repeats<Repeated, TaskId>,
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

impl Proved {
    /// Adds the kernels of a module.
    pub(crate) fn add(&mut self, texts: Vec<String>, groups: Vec<(String, Groups)>) {
        let texts: Arc<[String]> = texts.into();
        self.repeats.retain(|repeated| groups.iter().all(|(name, _)| *name != repeated.kernel));
        let known =
            groups.into_iter().map(|(name, groups)| (name, Known { texts: Arc::clone(&texts), groups }));
        self.kernels.extend(known);
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
        let may_repeat = self.lanes.is_quiet(name)
            && self.lanes.proved.kernels.get(name).is_some_and(|known| known.groups.are_fixed());
        if !may_repeat {
            return Beside::Other;
        }
        let own = self.lanes.own_bytes(&work.module.kernels()[work.kernel]);
        let repeated = Repeated {
            chain: placed.chain,
            kernel: name.to_owned(),
            extents: [work.grid, work.block],
            shared: work.dynamic_shared,
            bytes: work.params.get(..own).unwrap_or_default().to_vec(),
        };
        let is_known = |&task: &TaskId| self.order.is_known(placed.chain, task);
        let threads = work.grid.count().saturating_mul(work.block.count());
        match self.lanes.proved.repeats.has(&repeated, threads, &self.lanes.launches, is_known) {
            true => Beside::Repeat,
            false => Beside::First(repeated, placed.id),
        }
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
            let chain = repeated.chain;
            let is_known = |&task: &TaskId| self.order.is_known(chain, task);
            let lanes = &mut self.lanes;
            lanes.proved.repeats.checked(repeated, task, &lanes.launches, is_known);
        }
        let name = work.name().to_owned();
        let Some(known) = self.lanes.proved.kernels.get(&name) else { return };
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
