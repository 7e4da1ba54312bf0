//! Launches that are proved free of races as a whole, so that their kernel may run without checks.
//!
//! The proof is about one launch, for all contents of memory. Like [`race_free`](super::race_free) it assumes nothing
//! but the launch itself, and it also proves that each access of global memory stays in the allocation to which an
//! argument leads. So no access meets an access of the same launch, nor memory that no argument leads to.

use super::race_free::{in_place, is_inside};
use crate::answer::Prover;
use crate::exec::{Summary, summarise};
use crate::facts::observed;
use crate::facts::{Assumption, Facts};
use crate::kernel::access::Space;
use crate::pairs::decide::decide_some;
use crate::solver::symbols::{Axis, Kind};
use events::{Dim3, ObservedLaunch};
use ptx::ast::{Item, Space as Declared};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The reason why a launch is not proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Open {
    #[error("it is one of clusters")]
    Cluster,
    #[error("it has instructions that are not modelled")]
    Unmodelled,
    #[error("it waits at barriers other than those of a block and of warps")]
    Barriers,
    #[error("it uses variables of its module that are not constant")]
    Variables,
    #[error("an access may leave the memory of its argument")]
    Outside,
    #[error("two accesses may race")]
    Pairs,
    #[error("a proof needs assumptions about arithmetic or memory")]
    Assumptions,
    #[error("its time is used up")]
    Time,
}

impl Prover<'_> {
    /// Proves that no two accesses of this launch race, whatever memory holds, and that each access stays in the
    /// memory of an argument. Returns the variables in constant memory that the kernel may read.
    pub fn whole(
        &self,
        kernel: usize,
        launch: &Arc<ObservedLaunch>,
        volatile_weak: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, Open> {
        let described = &self.linked.kernels[kernel];
        if launch.info.cluster != Dim3::ONE || described.cluster.is_some() {
            return Err(Open::Cluster);
        }
        let named = self.variables(kernel);
        if named.iter().any(|(_, is_constant)| !is_constant) {
            return Err(Open::Variables);
        }
        let constants = || named.keys().map(|&name| name.to_owned()).collect();
        let mut missing = Missing { global: true, shared: true };
        let mut open = None;
        // What one arithmetic hides, the other one may show, and so may a block of any size: threads that are halved
        // until one is left are seen there only.
        for (exact, sized) in [(false, true), (true, true), (true, false), (false, false)] {
            let known = observed::facts(launch);
            let block = known.block.filter(|_| sized);
            let facts = Facts { volatile_weak, exact, block, ..known };
            match self.decided(kernel, launch, &facts, &mut missing, stop) {
                Ok(()) => return Ok(constants()),
                Err(Open::Time) => return Err(Open::Time),
                Err(why) => _ = open.get_or_insert(why),
            }
        }
        Err(open.unwrap_or(Open::Pairs))
    }

    /// Proves what is missing, as far as these facts show it.
    fn decided(
        &self,
        kernel: usize,
        launch: &ObservedLaunch,
        facts: &Facts,
        missing: &mut Missing,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Open> {
        let summary = summarise(&self.linked, kernel, facts, &|n| self.noreturn.contains(n), stop);
        let mut summary = summary.map_err(|_| if stop() { Open::Time } else { Open::Unmodelled })?;
        if summary.unmodelled.is_some() || summary.textures {
            return Err(Open::Unmodelled);
        }
        if summary.cluster.is_some() {
            return Err(Open::Cluster);
        }
        if summary.other_barriers || summary.pipelines.is_some() {
            return Err(Open::Barriers);
        }
        in_place(&mut summary, &self.linked.kernels[kernel]).ok_or(Open::Unmodelled)?;
        let mut open = None;
        if missing.global {
            match stays(&summary, launch).and_then(|()| pairs(&summary, facts, launch, Space::Global, stop)) {
                Err(Open::Time) => return Err(Open::Time),
                Err(why) => _ = open.get_or_insert(why),
                Ok(()) => missing.global = false,
            }
        }
        if missing.shared {
            match pairs(&summary, facts, launch, Space::Shared, stop) {
                Err(Open::Time) => return Err(Open::Time),
                Err(why) => _ = open.get_or_insert(why),
                Ok(()) => missing.shared = false,
            }
        }
        if missing.global || missing.shared { Err(open.unwrap_or(Open::Pairs)) } else { Ok(()) }
    }

    /// Returns the variables of its module that a kernel, or a function that it may call, names: those in global and
    /// constant memory, and textures; and whether they are in constant memory. Strings of the compiler's, whose names begin
    /// with `$`, are left out: nothing writes them.
    fn variables(&self, kernel: usize) -> BTreeMap<&str, bool> {
        let items = self.sources.iter().flat_map(|source| &source.tree.items);
        let of_module = items.filter_map(|item| match item {
            Item::Variable(variable) if variable.space != Declared::Shared => Some(variable),
            _ => None,
        });
        let variables: HashMap<&str, bool> = of_module
            .chain(self.linked.placed.iter().map(|placed| placed.decl))
            .map(|variable| (variable.name.text.as_str(), variable.space == Declared::Const))
            .filter(|(name, _)| !name.starts_with('$'))
            .collect();
        if variables.is_empty() {
            return BTreeMap::new();
        }
        let reached = self.linked.graph.reachable(self.linked.kernels[kernel].function);
        let texts = reached.iter().map(|&function| {
            let function = &self.linked.functions[function];
            let span = function.flat.function.span;
            &self.sources[function.source].text[span.start as usize..span.end as usize]
        });
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
        let words = texts.flat_map(|text| text.split(|c| !is_of_name(c)));
        words
            .filter_map(|word| variables.get_key_value(word))
            .map(|(name, constant)| (*name, *constant))
            .collect()
    }
}

/// What is not proved yet.
struct Missing {
    /// That accesses of global memory stay in the memory of arguments and do not race.
    global: bool,
    /// That accesses of shared memory do not race.
    shared: bool,
}

/// Proves that no two accesses of one space race. A value that threads read from one address counts as the value that all
/// of them read, which holds up to the first race, in either space.
fn pairs(
    summary: &Summary,
    facts: &Facts,
    launch: &ObservedLaunch,
    space: Space,
    stop: &dyn Fn() -> bool,
) -> Result<(), Open> {
    if summary.accesses.iter().any(|access| !matches!(access.space, Space::Shared | Space::Global)) {
        return Err(Open::Outside);
    }
    let decision = decide_some(summary, facts, &|a, b| a.space == space && b.space == space, stop);
    let (block, grid) = (launch.info.block, launch.info.grid);
    let given = |assumption: &Assumption| match assumption {
        // That volatile accesses are strong is no proof that a program may rely on it: there are hazards of that.
        Assumption::Distinct(..) | Assumption::VolatileIsWeak => true,
        Assumption::FlatBlocks(axis) => along(block, *axis) == 1,
        Assumption::FlatGrids(axis) => along(grid, *axis) == 1,
        _ => false,
    };
    match () {
        () if decision.gave_up => Err(Open::Time),
        () if !decision.open.is_empty() => Err(Open::Pairs),
        () if !decision.assumed.iter().all(given) => Err(Open::Assumptions),
        () => Ok(()),
    }
}

/// Returns an extent of a block or a grid.
fn along(extents: Dim3, axis: Axis) -> u32 {
    match axis {
        Axis::X => extents.x,
        Axis::Y => extents.y,
        Axis::Z => extents.z,
    }
}

/// Proves that each access of global memory stays in the memory of an argument, and that there are no others than those
/// of global and shared memory.
fn stays(summary: &Summary, launch: &ObservedLaunch) -> Result<(), Open> {
    let sizes: Vec<(String, u64)> =
        (0..launch.memory.len()).map(|n| (observed::name(launch, n), launch.memory[n].bytes)).collect();
    for access in summary.accesses.iter().filter(|access| access.space != Space::Shared) {
        let base = access.base.filter(|_| access.space == Space::Global).ok_or(Open::Outside)?;
        let Kind::Global(name) = &summary.syms.get(base).kind else { return Err(Open::Outside) };
        let (_, bytes) = sizes.iter().find(|(of, _)| of == name).ok_or(Open::Outside)?;
        if !is_inside(summary, access, *bytes) {
            return Err(Open::Outside);
        }
    }
    Ok(())
}
