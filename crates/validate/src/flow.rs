//! Control flow: added branches stay in their place, and the choice between two bodies is one of the block.

use crate::place::{At, at, target};
use crate::weave::Woven;
use crate::{Reason, loops, tool};
use ptx::flat::{Arg, Flat, FlatGuard, FlatInstruction};
use ptx::op::{Op, Tcgen05, VoteMode};
use ptx::sreg::SpecialReg;
use std::ops::Range;

/// Checks the branches of a function with added code.
pub(crate) fn check(flat: &Flat<'_>, woven: &Woven) -> Result<(), At> {
    for unit in &woven.units {
        let original = unit.clone().find(|i| woven.origins[*i].is_some());
        for i in unit.clone().filter(|i| woven.origins[*i].is_none()) {
            let inst = &flat.instructions[i];
            match &inst.op {
                Ok(Op::Bra { .. }) => {}
                Ok(Op::BrxIdx | Op::Ret | Op::Exit) => return Err(at(inst, Reason::Branch)),
                _ => continue,
            }
            let to = target(flat, inst).ok_or_else(|| at(inst, Reason::Branch))?;
            if woven.copies.get(1).is_some_and(|second| second.start == to) && names_plain(inst) {
                choice(flat, woven, unit, i)?;
                continue;
            }
            let skips = original.is_some_and(|original| (i < original) != (to <= original));
            let inside = (unit.start..=unit.end).contains(&to);
            if !inside || skips && !original.is_some_and(|o| skips_nothing(flat, i, o, to)) {
                return Err(at(inst, Reason::Branch));
            }
        }
        loops::bounded(flat, unit.clone())?;
    }
    matrices(flat, woven)
}

/// Returns whether a branch at `i` to `to` skips an instruction forwards only where that is not executed.
fn skips_nothing(flat: &Flat<'_>, i: usize, original: usize, to: usize) -> bool {
    i < original && to > original && opposite(flat.instructions[i].guard, flat.instructions[original].guard)
}

/// Returns whether exactly one of two guards holds.
fn opposite(a: Option<FlatGuard>, b: Option<FlatGuard>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.register == b.register && a.negated != b.negated)
}

fn names_plain(inst: &FlatInstruction<'_>) -> bool {
    matches!(inst.source.operands.first(), Some(ptx::ast::Operand::Name(name)) if name.text == tool::PLAIN)
}

/// Checks the branch at `i` to the second body: it precedes the program's instructions, and its predicate is made of
/// values that all threads of a block have in common, by instructions that all threads execute.
fn choice(flat: &Flat<'_>, woven: &Woven, unit: &Range<usize>, i: usize) -> Result<(), At> {
    let inst = &flat.instructions[i];
    let early = woven.origins[..i].iter().all(Option::is_none);
    let common = unit.clone().take_while(|at| *at < i).all(|at| {
        let before = &flat.instructions[at];
        let pure = matches!(
            before.op,
            Ok(Op::Mov { .. }
                | Op::Mad { .. }
                | Op::Mul { .. }
                | Op::Add { .. }
                | Op::Shr { .. }
                | Op::Cvt { .. }
                | Op::Setp { .. })
        );
        let sources = before.args.iter().skip(1).all(|arg| match arg {
            Arg::Int(_) => true,
            Arg::Reg(id) => {
                flat.registers[id.0 as usize].name.starts_with("%wr_") && defined(flat, unit.start..at, *id)
            }
            Arg::Special(register) => is_common(*register),
            _ => false,
        });
        pure && before.guard.is_none() && sources
    });
    let own = inst.guard.is_some_and(|guard| defined(flat, unit.start..i, guard.register));
    match early && common && own {
        true => Ok(()),
        false => Err(at(inst, Reason::Choice)),
    }
}

fn defined(flat: &Flat<'_>, range: Range<usize>, register: ptx::flat::RegId) -> bool {
    flat.instructions[range].iter().any(|inst| inst.args.first() == Some(&Arg::Reg(register)))
}

/// Returns whether a register has one value for all threads of a block.
fn is_common(register: SpecialReg) -> bool {
    use SpecialReg::*;
    matches!(
        register,
        CtaidX | CtaidY | CtaidZ | NctaidX | NctaidY | NctaidZ | NtidX | NtidY | NtidZ | Gridid
    )
}

/// Checks that each added barrier of a whole warp is passed by all lanes that reach the `.aligned` instruction behind.
fn matrices(flat: &Flat<'_>, woven: &Woven) -> Result<(), At> {
    for unit in &woven.units {
        let Some(barrier) = unit
            .clone()
            .find(|i| woven.origins[*i].is_none() && matches!(flat.instructions[*i].op, Ok(Op::BarWarpSync)))
        else {
            continue;
        };
        let inst = &flat.instructions[barrier];
        let next = (unit.end..flat.instructions.len()).find(|i| woven.origins[*i].is_some());
        let next = next.map(|i| &flat.instructions[i]);
        let together = next.is_some_and(|next| {
            matches!(
                next.op,
                Ok(Op::WmmaLoad { .. }
                    | Op::WmmaStore { .. }
                    | Op::Ldmatrix { .. }
                    | Op::Stmatrix { .. }
                    | Op::TensormapCopy { .. }
                    | Op::Wgmma(_)
                    | Op::Tcgen05(Tcgen05::Load { .. } | Tcgen05::Store { .. } | Tcgen05::Dealloc { .. }))
            )
        });
        let all =
            matches!(inst.args[..], [Arg::Int(mask)] if mask as u32 == u32::MAX) && inst.guard.is_none();
        let labelled = next.is_some_and(|next| {
            let to = position(flat, next);
            flat.labels
                .iter()
                .any(|label| (unit.end as u32..=to).contains(&label.target) && !tool::is_own(label.name))
        });
        let alone = unit.clone().all(|i| woven.origins[i].is_none());
        let guard = next.and_then(|next| next.guard);
        if !together || !all || !alone || labelled || avoided(flat, unit, barrier, guard) {
            return Err(at(inst, Reason::Convergence));
        }
    }
    Ok(())
}

fn position(flat: &Flat<'_>, inst: &FlatInstruction<'_>) -> u32 {
    flat.instructions.iter().position(|other| std::ptr::eq(other, inst)).unwrap_or(0) as u32
}

/// Returns whether a path through a unit avoids an instruction, other than by a branch that the opposite of `guard`
/// takes.
fn avoided(flat: &Flat<'_>, unit: &Range<usize>, without: usize, guard: Option<FlatGuard>) -> bool {
    let (mut seen, mut rest) = (vec![false; unit.len() + 1], vec![unit.start]);
    while let Some(i) = rest.pop() {
        if i >= unit.end {
            return true;
        }
        if i == without || std::mem::replace(&mut seen[i - unit.start], true) {
            continue;
        }
        let inst = &flat.instructions[i];
        let to = target(flat, inst);
        rest.extend(to.filter(|_| !opposite(inst.guard, guard)));
        if to.is_none() || inst.guard.is_some() {
            rest.push(i + 1);
        }
    }
    false
}

/// Returns whether the instruction exchanges values within a warp.
pub(crate) fn is_collective(op: &Op) -> bool {
    matches!(op, Op::Shfl { .. } | Op::Match { .. } | Op::Vote { .. } | Op::Redux { .. } | Op::Elect)
}

/// Returns whether the result of a vote is the same for all lanes of its mask.
pub(crate) fn is_agreed(op: &Op) -> bool {
    matches!(op, Op::Vote { mode: VoteMode::All })
}

/// Checks the branches of an added function.
pub(crate) fn helper(flat: &Flat<'_>) -> Result<(), At> {
    for inst in &flat.instructions {
        let away = match &inst.op {
            Ok(Op::Bra { .. }) => target(flat, inst).is_none(),
            Ok(Op::BrxIdx | Op::Exit) => true,
            _ => false,
        };
        if away {
            return Err(at(inst, Reason::Branch));
        }
    }
    loops::bounded(flat, 0..flat.instructions.len())
}
