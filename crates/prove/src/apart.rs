//! Accesses that take part in no race of one launch, so that whoever runs it need not look at them.
//!
//! Shared memory only: nobody but the launch's own threads can race there. Accesses of global memory are held against other
//! tasks, too, about which nothing is asked here.
//!
//! Unlike a proof for people, this one may take nothing for granted but the launch itself: pairs are told apart by where
//! variables lie in shared memory, and an answer that assumes that something does not overflow, or is zero, is no
//! answer. That a global array is left by no access is assumed where one thread's load stands for its block's.

use crate::access::{Access, AccessKind, Space};
use crate::answer::Prover;
use crate::decide::decide_some;
use crate::exec::{Summary, summarise};
use crate::facts::{Assumption, Facts};
use crate::observed;
use crate::poly::Poly;
use crate::syms::{Kind, Level};
use events::{Dim3, ObservedLaunch};
use kernels::Kernel;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Prover<'_> {
    /// Lines of the PTX text whose accesses of shared memory race with nothing in that launch, whatever memory holds:
    /// weak reads and writes. Contents are not looked at. Empty where `stop` ends it early.
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
        // Waits for phases acquire, too.
        if summary.other_barriers {
            return BTreeSet::new();
        }
        let Some(()) = in_place(&mut summary, described) else { return BTreeSet::new() };
        let proved = proved(&summary, &facts, stop);
        let flat = &self.linked.functions[described.function].flat;
        let line = |i: usize| self.line(kernel, flat.instructions[i].source.opcode.span.start);
        // Of several instructions in one line none is told apart from the others.
        let others: FxHashSet<u32> =
            summary.accesses.iter().map(|a| a.inst).filter(|i| !proved.contains(i)).map(line).collect();
        proved.into_iter().map(line).filter(|line| !others.contains(line)).collect()
    }
}

/// Makes addresses in shared memory offsets into all of it; `None` if it is not known where something lies.
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

/// Instructions whose accesses are in no pair that may race.
fn proved(summary: &Summary, facts: &Facts, stop: &dyn Fn() -> bool) -> BTreeSet<usize> {
    let plain = |a: &Access| {
        a.space == Space::Shared && a.strong.is_none() && a.base.is_none() && a.kind != AccessKind::Atomic
    };
    // An acquire may observe what a plain store has left: who does not see that store sees an older one.
    let strong = |a: &Access| a.space != Space::Global && a.strong.is_some();
    if summary.accesses.iter().any(strong) || !summary.accesses.iter().any(plain) {
        return BTreeSet::new();
    }
    // What one thread reads there is taken to be what all of its block read, as there is no race about it.
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
