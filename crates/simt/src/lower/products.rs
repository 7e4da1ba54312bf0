//! Finds the instructions that may access a register of an unfinished matrix product, or one that a product may access before
//! the next `wgmma.fence` (PTX §9.7.16.7).
//!
//! Only these report their accesses to the engine's record of such registers. The analysis asks two questions of each place of a
//! function: whether a product may be without a wait there, and whether one may follow without a fence. Both answers may be "yes"
//! too often; the engine's record is exact.

use crate::program::Touch;
use kernels::blocks::Block;
use kernels::registers::Place;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::Op;
use std::collections::HashMap;

/// A register, or an element of a vector register.
type Unit = (u32, u8);

/// The registers of a function's products and of their copies, numbered, and the instructions that access them.
#[derive(Debug, Default)]
pub(super) struct Tracked {
    numbers: HashMap<Unit, u32>,
    /// The elements of each tracked register.
    elements: HashMap<u32, Vec<u8>>,
    /// Whether an instruction has to report its accesses.
    reports: Vec<bool>,
}

impl Tracked {
    /// `next` is the number of the first register; returns with it the number behind the last.
    pub(super) fn of(flat: &Flat<'_>, blocks: &[Block], next: &mut u32) -> Tracked {
        let is_product = |inst: &FlatInstruction<'_>| matches!(inst.op, Ok(Op::Wgmma(_)));
        if !flat.instructions.iter().any(is_product) {
            return Tracked::default();
        }
        let mut tracked = Tracked::default();
        for inst in flat.instructions.iter().filter(|inst| is_product(inst)) {
            for arg in inst.args.iter().take(2) {
                if let Arg::Vector(items) = arg {
                    items.iter().filter_map(unit).for_each(|unit| tracked.add(unit, next));
                }
            }
        }
        tracked.add_copies(flat, next);
        tracked.reports = reports(flat, blocks);
        tracked
    }

    fn add(&mut self, unit: Unit, next: &mut u32) {
        self.numbers.entry(unit).or_insert_with(|| {
            self.elements.entry(unit.0).or_default().push(unit.1);
            *next += 1;
            *next - 1
        });
    }

    /// Adds what `mov` copies from and to tracked registers.
    fn add_copies(&mut self, flat: &Flat<'_>, next: &mut u32) {
        loop {
            let before = self.numbers.len();
            for inst in &flat.instructions {
                let [d, a] = inst.args.as_slice() else { continue };
                if !matches!(inst.op, Ok(Op::Mov { .. })) {
                    continue;
                }
                let (d, a) = (units(d), units(a));
                if d.iter().chain(&a).any(|unit| self.numbers.contains_key(unit)) {
                    d.iter().chain(&a).for_each(|&unit| self.add(unit, next));
                }
            }
            if self.numbers.len() == before {
                return;
            }
        }
    }

    /// Returns the number of a product's register.
    pub(super) fn number(&self, arg: &Arg<'_>) -> Option<u32> {
        self.numbers.get(&unit(arg)?).copied()
    }

    /// Returns the accesses that instruction `i` has to report.
    pub(super) fn touches(&self, i: usize, inst: &FlatInstruction<'_>) -> Vec<Touch> {
        if !self.reports.get(i).is_some_and(|&reports| reports) || matches!(inst.op, Ok(Op::Wgmma(_))) {
            return Vec::new();
        }
        let known =
            |units: &[Unit]| units.iter().filter_map(|unit| self.numbers.get(unit).copied()).collect();
        if let (Ok(Op::Mov { .. }), [d, a]) = (&inst.op, inst.args.as_slice()) {
            let to: Vec<u32> = known(&units(d));
            return to.into_iter().map(|to| Touch::Copy { to, from: known(&units(a)).into() }).collect();
        }
        let mut touches = Vec::new();
        kernels::registers::visit(inst, |place, written| {
            let units: Vec<Unit> = match place {
                Place::Whole(id) => {
                    self.elements.get(&id.0).into_iter().flatten().map(|&e| (id.0, e)).collect()
                }
                Place::Element(id, e) => vec![(id.0, e)],
                Place::Carry => Vec::new(),
            };
            let numbers: Vec<u32> = known(&units);
            let touch = if written { Touch::Write } else { Touch::Read };
            touches.extend(numbers.into_iter().map(touch));
        });
        // A guarded write counts as a read, too, which the write covers.
        let written: Vec<Touch> = touches.iter().filter(|t| matches!(t, Touch::Write(_))).cloned().collect();
        if inst.guard.is_some() {
            touches.retain(|touch| match touch {
                Touch::Read(number) => !written.contains(&Touch::Write(*number)),
                _ => true,
            });
        }
        touches
    }
}

fn unit(arg: &Arg<'_>) -> Option<Unit> {
    match arg {
        Arg::Reg(id) => Some((id.0, 0)),
        Arg::Element(id, element) => Some((id.0, *element)),
        _ => None,
    }
}

/// Returns the registers that an operand of `mov` names.
fn units(arg: &Arg<'_>) -> Vec<Unit> {
    match arg {
        Arg::Vector(items) => items.iter().filter_map(unit).collect(),
        _ => unit(arg).into_iter().collect(),
    }
}

/// The effect of an instruction on one of the two questions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    None,
    Begins,
    Ends,
}

fn pending(inst: &FlatInstruction<'_>) -> Effect {
    match inst.op {
        Ok(Op::Wgmma(_)) => Effect::Begins,
        Ok(Op::WgmmaWait) if inst.guard.is_none() && matches!(inst.args.as_slice(), [Arg::Int(0)]) => {
            Effect::Ends
        }
        _ => Effect::None,
    }
}

fn unfenced(inst: &FlatInstruction<'_>) -> Effect {
    match inst.op {
        Ok(Op::Wgmma(_)) => Effect::Begins,
        Ok(Op::WgmmaFence) if inst.guard.is_none() => Effect::Ends,
        _ => Effect::None,
    }
}

fn after(state: bool, effect: Effect) -> bool {
    match effect {
        Effect::None => state,
        Effect::Begins => true,
        Effect::Ends => false,
    }
}

/// Returns, for each instruction, whether a product may be pending there or follow without a fence.
fn reports(flat: &Flat<'_>, blocks: &[Block]) -> Vec<bool> {
    let mut reports = vec![false; flat.instructions.len()];
    let mut at_start = vec![false; blocks.len()];
    let mut at_end = vec![false; blocks.len()];
    loop {
        let before = (at_start.clone(), at_end.clone());
        for (b, block) in blocks.iter().enumerate() {
            let mut state = at_start[b];
            let inside = block.start..block.end;
            for (inst, report) in flat.instructions[inside.clone()].iter().zip(&mut reports[inside]) {
                *report |= state;
                state = after(state, pending(inst));
            }
            block.successors.iter().for_each(|&next| at_start[next] |= state);
        }
        for (b, block) in blocks.iter().enumerate().rev() {
            let mut state = block.successors.iter().any(|&next| at_end[next]);
            let inside = block.start..block.end;
            for (inst, report) in flat.instructions[inside.clone()].iter().zip(&mut reports[inside]).rev() {
                *report |= state;
                state = after(state, unfenced(inst));
            }
            at_end[b] = state;
        }
        if before.0 == at_start && before.1 == at_end {
            return reports;
        }
    }
}
