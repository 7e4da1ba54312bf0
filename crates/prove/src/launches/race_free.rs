//! Accesses that take part in no race of one launch, so that a detector can skip them.
//!
//! Accesses of shared memory race with the launch's own threads only. Accesses of global memory also race with
//! other tasks, which are not analysed here: a detector still needs the bytes that each of them touches.
//!
//! Unlike a proof for a report, this one may assume nothing but the launch itself: pairs are separated by the
//! placement of variables in shared memory, and an answer that assumes the absence of overflow, or that
//! something is zero, is discarded. The exception is that no access leaves its global array. Where this is not
//! proved, too, a detector that skips accesses of global memory must check it (see [`GlobalAccess`]).

use crate::answer::Prover;
use crate::exec::{Summary, summarise, summarise_own};
use crate::facts::assume::Part;
use crate::facts::observed;
use crate::facts::spread::Spread;
use crate::facts::{Assumption, Facts};
use crate::kernel::access::{Access, AccessKind, Space};
use crate::kernel::instructions;
use crate::launches::covered::{Covered, named};
use crate::pairs::decide::decide_some;
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::Poly;
use crate::solver::symbols::{Kind, Level};
use events::{Dim3, ObservedLaunch};
use kernels::Kernel;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Instructions that race with nothing in some launches, by line of the PTX text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaceFree {
    /// The launches that the proof is about; `None` if nothing is proved.
    pub covered: Option<Covered>,
    /// Instructions whose weak accesses of shared memory race with nothing.
    pub shared: BTreeSet<u32>,
    /// All instructions that access global memory; empty if none of them is proved.
    pub global: BTreeMap<u32, GlobalAccess>,
}

/// An instruction that accesses global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalAccess {
    /// Whether its accesses race with no access of the launch, if all instructions access their arrays only.
    pub proved: bool,
    /// The array's index among those of [`Covered::arrays_of`].
    pub array: usize,
    /// Whether it is proved that its accesses stay in the array.
    pub is_inside: bool,
}

impl RaceFree {
    /// Returns the lines of the instructions whose accesses race with nothing.
    pub fn lines(&self) -> BTreeSet<u32> {
        let global = self.global.iter().filter(|(_, access)| access.proved).map(|(&line, _)| line);
        self.shared.iter().copied().chain(global).collect()
    }

    /// Returns the proof as text, which [`RaceFree::parsed`] reads; `None` if nothing is proved.
    pub fn text(&self) -> Option<Value> {
        let covered = self.covered.as_ref()?;
        let global = self.global.iter().map(|(line, a)| json!([line, a.proved, a.array, a.is_inside]));
        Some(json!([covered.text(), self.shared, global.collect::<Vec<_>>()]))
    }

    /// Reads a proof; `None` if the text is none.
    pub fn parsed(text: Value) -> Option<RaceFree> {
        let (covered, shared, all) =
            serde_json::from_value::<(Value, BTreeSet<u32>, Vec<(u32, bool, usize, bool)>)>(text).ok()?;
        let covered = Covered::parsed(covered)?;
        let mut global = BTreeMap::new();
        for (line, proved, array, is_inside) in all {
            if array >= covered.arrays() {
                return None;
            }
            global.insert(line, GlobalAccess { proved, array, is_inside });
        }
        Some(RaceFree { covered: Some(covered), shared, global })
    }
}

/// Which threads read one value by a load from one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    /// All threads of a block, since nothing races with the load.
    OfBlocks,
    /// None: each thread may have read another value.
    OfThreads,
}

/// A read may race whose value counts as one for all threads of a block.
struct ReadsRace;

impl Prover<'_> {
    /// Returns the instructions whose weak reads and writes race with nothing in this launch, nor in those that differ
    /// from it as `spread` says, for all contents of memory. Contents are not used. Global memory needs the launch's
    /// arguments and allocations. Returns nothing if `stop` ends the analysis early.
    pub fn apart(
        &self,
        kernel: usize,
        launch: &Arc<ObservedLaunch>,
        spread: &Spread,
        volatile_weak: bool,
        stop: &dyn Fn() -> bool,
    ) -> RaceFree {
        let described = &self.linked.kernels[kernel];
        if launch.info.cluster != Dim3::ONE || described.cluster.is_some() {
            return RaceFree::default();
        }
        let spread = spread.clone();
        let facts = Facts { volatile_weak, exact: true, spread, ..observed::facts(launch) };
        let noreturn = |n: &str| self.noreturn.contains(n);
        let Ok(summary) = summarise(&self.linked, kernel, &facts, &noreturn, stop) else {
            return RaceFree::default();
        };
        match self.apart_in(kernel, launch, &facts, summary, Reads::OfBlocks, stop) {
            Ok(free) => free,
            // Accesses that do not depend on the values that race are apart, whatever each thread has read.
            Err(ReadsRace) => summarise_own(&self.linked, kernel, &facts, &noreturn, stop)
                .ok()
                .and_then(|summary| {
                    self.apart_in(kernel, launch, &facts, summary, Reads::OfThreads, stop).ok()
                })
                .unwrap_or_default(),
        }
    }

    /// Returns the instructions that race with nothing by this summary; an error if a read may race whose value counts as one
    /// for all threads of a block.
    fn apart_in(
        &self,
        kernel: usize,
        launch: &ObservedLaunch,
        facts: &Facts,
        mut summary: Summary,
        reads: Reads,
        stop: &dyn Fn() -> bool,
    ) -> Result<RaceFree, ReadsRace> {
        let described = &self.linked.kernels[kernel];
        if summary.unmodelled.is_some() || summary.inlined || !summary.is_plain() || summary.cluster.is_some()
        {
            return Ok(RaceFree::default());
        }
        // Waits for phases are acquires too.
        if summary.other_barriers || in_place(&mut summary, described).is_none() {
            return Ok(RaceFree::default());
        }
        let flat = &self.linked.functions[described.function].flat;
        let line = |i: usize| self.line(kernel, flat.instructions[i].source.opcode.span.start);
        // Several instructions in one line cannot be distinguished, so all of them must be proved.
        let lines = |proved: &BTreeSet<usize>| -> BTreeSet<u32> {
            let others = summary.accesses.iter().map(|a| a.inst).filter(|i| !proved.contains(i));
            let others: FxHashSet<u32> = others.map(line).collect();
            proved.iter().map(|&i| line(i)).filter(|line| !others.contains(line)).collect()
        };
        let shared = lines(&proved_shared(&summary, facts, reads, stop)?);
        let mut global = BTreeMap::new();
        // Fetches of textures are no accesses of the summary.
        if let Some(arrays) = arrays(&summary, launch, &line).filter(|_| !summary.textures) {
            let proved = lines(&proved_global(&summary, facts, reads, stop)?);
            if !proved.is_empty() {
                global = arrays;
                for (line, access) in &mut global {
                    access.proved = proved.contains(line);
                }
            }
        }
        if shared.is_empty() && global.is_empty() {
            return Ok(RaceFree::default());
        }
        let accessed: Vec<usize> = global.values().map(|access| access.array).collect();
        let (covered, numbers) = Covered::new(launch, &facts.spread, summary.read.iter().copied(), &accessed);
        for (access, number) in global.values_mut().zip(numbers) {
            access.array = number;
        }
        Ok(RaceFree { covered: Some(covered), shared, global })
    }

    /// Returns the parts of its parameters that a kernel loads as integers.
    pub fn loaded(&self, kernel: usize) -> BTreeSet<Part> {
        let flat = &self.linked.functions[self.linked.kernels[kernel].function].flat;
        flat.instructions.iter().flat_map(|inst| instructions::integers_loaded(flat, inst)).collect()
    }
}

/// Returns the array of each instruction that accesses global memory, as an index into the launch's memory, by line,
/// with nothing proved but that its accesses stay inside; `None` if an array is unknown, or a line accesses several.
fn arrays(
    summary: &Summary,
    launch: &ObservedLaunch,
    line: &dyn Fn(usize) -> u32,
) -> Option<BTreeMap<u32, GlobalAccess>> {
    let named = named(launch);
    let mut arrays = BTreeMap::<u32, GlobalAccess>::new();
    for access in summary.accesses.iter().filter(|a| a.space == Space::Global) {
        let Kind::Global(name) = &summary.syms.get(access.base?).kind else { return None };
        let array = *named.get(name)?;
        let is_inside = is_inside(summary, access, launch.memory[array].bytes);
        let new = || GlobalAccess { proved: false, array, is_inside };
        let known = arrays.entry(line(access.inst)).or_insert_with(new);
        if known.array != array {
            return None;
        }
        known.is_inside &= is_inside;
    }
    Some(arrays)
}

/// Returns whether an access certainly stays in its array of so many bytes.
pub(super) fn is_inside(summary: &Summary, access: &Access, bytes: u64) -> bool {
    let last = Poly::constant(i128::from(bytes) - i128::from(access.bytes));
    [Cond::Ge(access.offset.clone()), Cond::le(&access.offset, &last)].into_iter().all(|inside| {
        let mut question = Instance::new(&summary.syms);
        question.assume_all(&access.guard, &summary.given);
        // Parts of a condition that get too large would be left out, and the question would be another one.
        let Some(outside) = inside.not().map(&mut |p| question.lowered(p, 1)) else { return false };
        question.assert(&outside);
        question.refuted()
    })
}

/// Converts addresses in shared memory to offsets into the whole; `None` if a variable's placement is
/// unknown.
pub(super) fn in_place(summary: &mut Summary, kernel: &Kernel) -> Option<()> {
    for access in &mut summary.accesses {
        let Some(base) = access.base else { continue };
        let Kind::Shared(name) = &summary.syms.get(base).kind else { continue };
        let mut places = kernel.shared_variables.iter().filter(|v| v.name == *name);
        let place = places.next().filter(|_| places.next().is_none())?;
        access.offset = access.offset.plus(&Poly::constant(i128::from(place.offset)));
        access.base = None;
    }
    Some(())
}

/// Returns instructions whose accesses of shared memory are in no pair that may race.
fn proved_shared(
    summary: &Summary,
    facts: &Facts,
    reads: Reads,
    stop: &dyn Fn() -> bool,
) -> Result<BTreeSet<usize>, ReadsRace> {
    let plain = |a: &Access| {
        a.space == Space::Shared && a.strong.is_none() && a.base.is_none() && a.kind != AccessKind::Atomic
    };
    // An acquire may observe a plain store, and a thread that does not see that store sees an older value.
    let strong = |a: &Access| a.space != Space::Global && a.strong.is_some();
    if summary.accesses.iter().any(strong) || !summary.accesses.iter().any(plain) {
        return Ok(BTreeSet::new());
    }
    let shared = |a: &Access| a.space != Space::Global;
    proved((summary, reads), facts, &plain, &shared, stop)
}

/// The same of global memory. Accesses of arrays that strong operations access are not among them.
fn proved_global(
    summary: &Summary,
    facts: &Facts,
    reads: Reads,
    stop: &dyn Fn() -> bool,
) -> Result<BTreeSet<usize>, ReadsRace> {
    let strong = |a: &&Access| a.strong.is_some() || a.kind == AccessKind::Atomic;
    let flags: FxHashSet<_> = summary.accesses.iter().filter(strong).map(|a| a.base).collect();
    let plain = |a: &Access| a.space == Space::Global && !flags.contains(&a.base);
    if !summary.accesses.iter().any(plain) {
        return Ok(BTreeSet::new());
    }
    let global = |a: &Access| a.space == Space::Global;
    proved((summary, reads), facts, &plain, &global, stop)
}

/// Which accesses.
type Choice<'a> = &'a dyn Fn(&Access) -> bool;

/// Returns instructions of which all accesses are `plain`, and in no pair of `asked` accesses that may race.
fn proved(
    (summary, reads): (&Summary, Reads),
    facts: &Facts,
    plain: Choice<'_>,
    asked: Choice<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<BTreeSet<usize>, ReadsRace> {
    // A value that one thread reads may count as the value that all threads of its block read, since there is no
    // race on it.
    let uniform = |a: &Access| {
        let address = a.base.map_or_else(|| a.offset.clone(), |s| a.offset.plus(&Poly::sym(s)));
        let is_one = summary.syms.attr(&address).level < Level::Thread;
        reads == Reads::OfBlocks && a.kind == AccessKind::Read && is_one
    };
    let wanted = |a: &Access, b: &Access| asked(a) && asked(b) || uniform(a) || uniform(b);
    let decision = decide_some(summary, facts, &wanted, stop);
    let given = |a: &Assumption| {
        matches!(a, Assumption::Distinct(..) | Assumption::VolatileIsStrong | Assumption::VolatileIsWeak)
    };
    let open = |at: usize| decision.open.iter().any(|o| o.first == at || o.second == at);
    let accesses = || summary.accesses.iter().enumerate();
    if decision.gave_up || !decision.assumed.iter().all(given) {
        return Ok(BTreeSet::new());
    }
    if accesses().any(|(i, a)| uniform(a) && open(i)) {
        return Err(ReadsRace);
    }
    let mut found: BTreeSet<usize> = accesses().filter(|(_, a)| plain(a)).map(|(_, a)| a.inst).collect();
    for (i, a) in accesses() {
        if !plain(a) || open(i) {
            found.remove(&a.inst);
        }
    }
    Ok(found)
}
