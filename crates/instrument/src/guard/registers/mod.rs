//! Registers of products of warpgroups: accumulators, and fragments of A (PTX §9.7.16.7).
//!
//! A product accesses its registers until a `wgmma.wait_group` for its group. Another access of them before that races
//! with it, and so do an access before a product and the product without a `wgmma.fence` in between; the rules are those of
//! `docs/assumptions.md`, 12d. Only one thread takes part, so that its own registers can store what is to be compared.
//!
//! [`flow`] finds the accesses that some path may leave without a wait or a fence. Right kernels have none, and nothing is
//! inserted there. For the registers of the others the kernel keeps records of their last accesses, moved together with
//! the values by `mov`, and counts groups and fences ([`emit`]). What it reports has happened, whatever path led there.
//!
//! A thread keeps at most [`MOST`] records of each rule. Checks leave out further registers, functions, and kernels whose
//! calls may wait.

mod emit;
mod flow;
pub(super) mod report;
mod touches;

use super::around::Around;
use super::called::is_silent_call;
use super::products::Product;
use emit::Emitter;
use flow::{Candidate, Candidates, Rule};
use ptx::ast::FunctionKind;
use ptx::flat::{Flat, FlatInstruction};
use ptx::op::Op;
use std::collections::{BTreeMap, BTreeSet};
use touches::{Touch, Unit, Units};

/// The number of records of each rule that a thread keeps, of 8 bytes each.
const MOST: usize = 8;

/// The registers of a kernel for which records are kept.
pub(super) struct Registers {
    /// The accesses of each instruction that concern the records.
    touches: Vec<Vec<Touch>>,
    waits: BTreeMap<Unit, usize>,
    fences: BTreeMap<Unit, usize>,
    /// Products that may be the warp's first without any fence before.
    first: BTreeSet<usize>,
    shapes: BTreeMap<(u16, u16), u32>,
}

impl Registers {
    /// Returns the registers of a kernel that are to be checked; `None` if there are none.
    pub(super) fn of(flat: &Flat<'_>, text: &str) -> Option<Registers> {
        let units = Units::of(flat);
        if units.is_empty() || !is_followed(flat, text) {
            return None;
        }
        let touches: Vec<Vec<Touch>> = flat.instructions.iter().map(|inst| units.touches(inst)).collect();
        let Candidates { accesses, first } = flow::candidates(flat, &units, &touches);
        if accesses.is_empty() && first.is_empty() {
            return None;
        }
        let chosen = |rule| chosen(flat, &touches, accesses.iter().filter(|access| access.rule == rule));
        let (waits, fences) = (chosen(Rule::Wait), chosen(Rule::Fence));
        let kept = |touch: &Touch| waits.contains_key(&touch.unit()) || fences.contains_key(&touch.unit());
        let touches = touches.into_iter().map(|all| all.into_iter().filter(kept).collect()).collect();
        let first = first.into_iter().collect();
        Some(Registers { touches, waits, fences, first, shapes: flow::shapes(flat) })
    }

    /// Returns the text for the beginning of the kernel.
    pub(super) fn beginning(&self) -> String {
        emit::beginning(self.waits.len(), self.fences.len())
    }

    /// Returns the text around instruction `i`, whose checks are numbered from `number` on.
    pub(super) fn around(&self, i: usize, inst: &FlatInstruction<'_>, number: u32) -> Around {
        if let Some(behind) = emit::counted(inst) {
            return Around { behind, ..Around::default() };
        }
        let first = self.first.contains(&i);
        if self.touches[i].is_empty() && !first {
            return Around::default();
        }
        let shape = match &inst.op {
            Ok(Op::Wgmma(product)) => self.shapes[&(product.n, product.k)],
            _ => 0,
        };
        let mut emitter = Emitter::new(&self.waits, &self.fences, (number, shape), first);
        for touch in &self.touches[i] {
            emitter.touch(touch);
        }
        if first {
            emitter.first();
        }
        let (before, checks) = emitter.finish(inst);
        Around { before, checks, ..Around::default() }
    }
}

/// Returns whether all that commits and waits for products in a kernel is known.
fn is_followed(flat: &Flat<'_>, text: &str) -> bool {
    flat.function.kind == FunctionKind::Entry
        && flat.instructions.iter().all(|inst| match &inst.op {
            Ok(Op::Call) => is_silent_call(inst),
            Ok(Op::WgmmaWait) => flow::left(inst).is_some(),
            // The barrier before the product reconverges the warp behind the checks.
            Ok(Op::Wgmma(_)) => Product::of(inst, text).is_some(),
            _ => true,
        })
}

/// Returns the units to keep records of, numbered, for the candidates of one rule: those of other source lines first, as
/// many as there is room for.
fn chosen<'c>(
    flat: &Flat<'_>,
    touches: &[Vec<Touch>],
    candidates: impl Iterator<Item = &'c Candidate>,
) -> BTreeMap<Unit, usize> {
    let candidates: Vec<&Candidate> = candidates.collect();
    let (mut lines, mut insts) = (BTreeSet::new(), BTreeSet::new());
    let mut ranked: Vec<(u8, Unit)> = Vec::new();
    for candidate in candidates {
        let loc = flat.instructions[candidate.inst].loc.map(|loc| loc.0);
        let rank = match (lines.insert(loc), insts.insert(candidate.inst)) {
            (true, _) => 0,
            (_, true) => 1,
            _ => 2,
        };
        ranked.push((rank, candidate.unit));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    let mut kept = BTreeSet::new();
    for (_, unit) in ranked {
        let with: BTreeSet<Unit> = &kept | &sources(unit, touches);
        if with.len() <= MOST {
            kept = with;
        }
    }
    kept.into_iter().enumerate().map(|(i, unit)| (unit, i)).collect()
}

/// Returns a unit and those whose values `mov` may have given it.
fn sources(unit: Unit, touches: &[Vec<Touch>]) -> BTreeSet<Unit> {
    let mut all = BTreeSet::from([unit]);
    let mut before = 0;
    while all.len() > before {
        before = all.len();
        for touch in touches.iter().flatten() {
            if let Touch::Copy { to, from } = touch
                && all.contains(to)
            {
                all.extend(from);
            }
        }
    }
    all
}
