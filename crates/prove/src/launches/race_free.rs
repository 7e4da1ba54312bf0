//! Accesses that take part in no race of one launch, so that a detector can skip them.
//!
//! This covers shared memory only, where only the launch's own threads can race. Accesses of global memory
//! also race with other tasks, which are not analysed here.
//!
//! Unlike a proof for a report, this one may assume nothing but the launch itself: pairs are separated by the
//! placement of variables in shared memory, and an answer that assumes the absence of overflow, or that
//! something is zero, is discarded. The exception is that no access leaves its global array, which is assumed
//! where one thread's load stands for its block's.

use crate::answer::Prover;
use crate::exec::{Summary, summarise};
use crate::facts::observed;
use crate::facts::{Assumption, Facts};
use crate::kernel::access::{Access, AccessKind, Space};
use crate::pairs::decide::decide_some;
use crate::solver::poly::Poly;
use crate::solver::symbols::{Kind, Level};
use events::{Dim3, ObservedLaunch};
use kernels::Kernel;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Prover<'_> {
    /// Returns lines of the PTX text whose weak reads and writes of shared memory race with nothing in this
    /// launch, for all contents of memory. Contents are not used. Returns an empty set if `stop` ends the
    /// analysis early.
    pub fn apart(
        &self,
        kernel: usize,
        launch: &Arc<ObservedLaunch>,
        volatile_weak: bool,
        stop: &dyn Fn() -> bool,
    ) -> BTreeSet<u32> {
        let described = &self.linked.kernels[kernel];
        if launch.info.cluster != Dim3::ONE || described.cluster.is_some() {
            return BTreeSet::new();
        }
        let facts = Facts { volatile_weak, exact: true, ..observed::facts(launch) };
        let summary = summarise(&self.linked, kernel, &facts, &|n| self.noreturn.contains(n), stop);
        let Some(mut summary) = summary
            .ok()
            .filter(|s| s.unmodelled.is_none() && !s.inlined && s.is_plain() && s.cluster.is_none())
        else {
            return BTreeSet::new();
        };
        // Waits for phases are acquires too.
        if summary.other_barriers {
            return BTreeSet::new();
        }
        let Some(()) = in_place(&mut summary, described) else { return BTreeSet::new() };
        let proved = proved(&summary, &facts, stop);
        let flat = &self.linked.functions[described.function].flat;
        let line = |i: usize| self.line(kernel, flat.instructions[i].source.opcode.span.start);
        // Several instructions in one line cannot be distinguished, so all of them must be proved.
        let others: FxHashSet<u32> =
            summary.accesses.iter().map(|a| a.inst).filter(|i| !proved.contains(i)).map(line).collect();
        proved.into_iter().map(line).filter(|line| !others.contains(line)).collect()
    }
}

/// Converts addresses in shared memory to offsets into the whole; `None` if a variable's placement is
/// unknown.
fn in_place(summary: &mut Summary, kernel: &Kernel) -> Option<()> {
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

/// Returns instructions whose accesses are in no pair that may race.
fn proved(summary: &Summary, facts: &Facts, stop: &dyn Fn() -> bool) -> BTreeSet<usize> {
    let plain = |a: &Access| {
        a.space == Space::Shared && a.strong.is_none() && a.base.is_none() && a.kind != AccessKind::Atomic
    };
    // An acquire may observe a plain store, and a thread that does not see that store sees an older value.
    let strong = |a: &Access| a.space != Space::Global && a.strong.is_some();
    if summary.accesses.iter().any(strong) || !summary.accesses.iter().any(plain) {
        return BTreeSet::new();
    }
    // A value that one thread reads from shared memory counts as the value that all threads of its block
    // read, since there is no race on it.
    let uniform = |a: &Access| {
        let address = a.base.map_or_else(|| a.offset.clone(), |s| a.offset.plus(&Poly::sym(s)));
        a.kind == AccessKind::Read && summary.syms.attr(&address).level < Level::Thread
    };
    let shared = |a: &Access| a.space != Space::Global;
    let wanted = |a: &Access, b: &Access| shared(a) && shared(b) || uniform(a) || uniform(b);
    let decision = decide_some(summary, facts, &wanted, stop);
    let given = |a: &Assumption| {
        matches!(a, Assumption::Distinct(..) | Assumption::VolatileIsStrong | Assumption::VolatileIsWeak)
    };
    let open = |at: usize| decision.open.iter().any(|o| o.first == at || o.second == at);
    let accesses = || summary.accesses.iter().enumerate();
    if decision.gave_up
        || !decision.assumed.iter().all(given)
        || accesses().any(|(i, a)| uniform(a) && open(i))
    {
        return BTreeSet::new();
    }
    let mut found: BTreeSet<usize> = accesses().filter(|(_, a)| plain(a)).map(|(_, a)| a.inst).collect();
    for (i, a) in accesses() {
        if !plain(a) || open(i) {
            found.remove(&a.inst);
        }
    }
    found
}
