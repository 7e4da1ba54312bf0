//! Finds what every launch of a kernel does before an unknown value can have an effect.
//!
//! The kernel is *cut*: a thread stops forever at an instruction whose effect may depend on memory contents
//! or on an unknown argument (a branch, an access with an unknown address, a compare-and-swap). Everything
//! that the threads of a cut kernel do under some schedule is a prefix of an execution under any contents:
//! the same instructions, at the same addresses, ordered by the same barriers and strong operations. A race
//! of the cut kernel is therefore a race of the kernel in every launch of that shape.

use crate::kernel::instructions::{is_fixed, number, read};
use kernels::effects::{Control, Order, Place, TouchKind};
use kernels::{effects, registers};
use ptx::flat::{Arg, Base, Flat, FlatInstruction, VarRole};
use ptx::op::{MemSpace, Op, Rmw};
use ptx::sreg::SpecialReg;
use std::collections::BTreeSet;

/// The unknown inputs of a launch, besides memory contents.
pub(crate) struct UnknownInputs<'a> {
    /// Unknown parameters, by index.
    pub(crate) parameters: &'a BTreeSet<u32>,
    /// Whether the number of blocks is unknown.
    pub(crate) grid: bool,
}

/// Returns the text of a module in which a kernel is cut. Line numbers are preserved.
pub(crate) fn cut(text: &str, flat: &Flat<'_>, hidden: &UnknownInputs<'_>) -> Option<String> {
    let unknown = unknown(flat, hidden);
    let mut places: Vec<usize> = flat
        .instructions
        .iter()
        .filter(|inst| is_cut(inst, &unknown))
        .map(|inst| inst.source.span.start as usize)
        .collect();
    places.sort_unstable();
    places.dedup();
    let mut out = String::with_capacity(text.len() + 64 * places.len());
    let mut at = 0;
    for (n, place) in places.into_iter().enumerate() {
        out.push_str(text.get(at..place)?);
        out.push_str(&format!("$warprace_cut_{n}: bra $warprace_cut_{n}; "));
        at = place;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Returns the registers whose values may differ for other contents and arguments.
fn unknown(flat: &Flat<'_>, hidden: &UnknownInputs<'_>) -> Vec<bool> {
    let mut unknown = vec![false; flat.registers.len()];
    loop {
        let mut changed = false;
        for inst in &flat.instructions {
            let mut from = is_source(flat, inst, hidden);
            registers::visit(inst, |place, written| {
                // The condition code is not tracked.
                from |= !written && number(place).is_none_or(|r| unknown[r as usize]);
            });
            if !from {
                continue;
            }
            registers::visit(inst, |place, written| {
                if let Some(r) = number(place).filter(|_| written) {
                    changed |= !std::mem::replace(&mut unknown[r as usize], true);
                }
            });
        }
        if !changed {
            return unknown;
        }
    }
}

/// Returns whether an instruction's result is unknown, whatever its operands are.
fn is_source(flat: &Flat<'_>, inst: &FlatInstruction<'_>, hidden: &UnknownInputs<'_>) -> bool {
    let Ok(op) = &inst.op else { return true };
    let parameter = |id: &ptx::flat::VarId| match flat.variables[id.0 as usize].role {
        VarRole::Param(n) => Some(n),
        _ => None,
    };
    let special = |a: &Arg<'_>| match a {
        Arg::Special(s) => {
            !is_fixed(*s)
                || hidden.grid && matches!(s, SpecialReg::NctaidX | SpecialReg::NctaidY | SpecialReg::NctaidZ)
        }
        _ => false,
    };
    if inst.args.iter().any(special) {
        return true;
    }
    let effects = effects(op, &inst.args);
    match op {
        Op::Ld(mem) | Op::Ldu(mem) if matches!(mem.space, MemSpace::Param | MemSpace::ParamFunc) => {
            match &inst.args[1] {
                Arg::Address { base: Base::Variable(id), .. } => {
                    parameter(id).is_none_or(|n| hidden.parameters.contains(&n))
                }
                _ => true,
            }
        }
        Op::Activemask | Op::Unknown | Op::Alloca { .. } | Op::StackSave { .. } => true,
        _ => {
            !effects.touches.is_empty()
                || !matches!(effects.control, Control::Next)
                || matches!(effects.order, Some(Order::Mbarrier(_)))
        }
    }
}

/// Returns whether an instruction's effect may depend on unknown values.
fn is_cut(inst: &FlatInstruction<'_>, unknown: &[bool]) -> bool {
    let Ok(op) = &inst.op else { return true };
    let open = |args: &[&Arg<'_>]| {
        let mut found = Vec::new();
        args.iter().for_each(|a| read(a, &mut found));
        found.into_iter().any(|r| unknown[r as usize])
    };
    let all: Vec<&Arg<'_>> = inst.args.iter().collect();
    let effects = effects(op, &inst.args);
    let acts = !effects.touches.is_empty() || effects.order.is_some();
    let goes = !matches!(effects.control, Control::Next | Control::Break);
    if (acts || goes) && inst.guard.is_some_and(|g| unknown[g.register.0 as usize]) {
        return true;
    }
    let plain = |t: &kernels::effects::Touch| {
        matches!(t.place, Place::Memory(_))
            && !matches!(t.kind, TouchKind::AsyncRead | TouchKind::AsyncWrite | TouchKind::AsyncAtomic(_))
    };
    match op {
        Op::Unknown | Op::Call | Op::Alloca { .. } => return true,
        Op::Ld(_) | Op::Ldu(_) => return inst.args.get(1).is_none_or(|a| open(&[a])),
        Op::St(_) => return inst.args.first().is_none_or(|a| open(&[a])),
        Op::Atom(a) => return a.op == Rmw::Cas || inst.args.get(1).is_none_or(|a| open(&[a])),
        Op::Red(a) => return a.op == Rmw::Cas || inst.args.first().is_none_or(|a| open(&[a])),
        _ => {}
    }
    if !effects.touches.iter().all(plain) || !effects.touches.is_empty() && open(&all) {
        return true;
    }
    match effects.order {
        // The exchanged value goes into registers only; the last operand names the participating lanes.
        Some(Order::Rendezvous) => all.last().is_none_or(|a| open(&[a])),
        Some(Order::Aligned | Order::GridDependency { .. }) => false,
        Some(_) => open(&all),
        None => goes && !matches!(op, Op::Bra { .. }) && open(&all),
    }
}
