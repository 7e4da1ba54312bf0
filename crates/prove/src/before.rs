//! What every launch does before anything that is not known decides.
//!
//! The kernel is *cut*: where a thread comes to an instruction that what memory holds, or an argument that is not known, could
//! make another one of (a branch, an access whose place is not known, a compare-and-swap), it waits for ever. All that the threads
//! of a cut kernel do under some schedule is the beginning of an execution under any contents: the same instructions, at
//! the same addresses, ordered by the same barriers and strong operations. So a race of these is one of the kernel in
//! every launch of that shape.

use crate::vocabulary::{is_fixed, number, read};
use kernels::effects::{Control, Order, Place, TouchKind};
use kernels::{effects, registers};
use ptx::flat::{Arg, Base, Flat, FlatInstruction, VarRole};
use ptx::op::{MemSpace, Op, Rmw};
use ptx::sreg::SpecialReg;
use std::collections::BTreeSet;

/// What is not known of a launch, beside what memory holds.
pub(crate) struct Hidden<'a> {
    /// Parameters, by index.
    pub(crate) parameters: &'a BTreeSet<u32>,
    /// The number of blocks.
    pub(crate) grid: bool,
}

/// The text of a module in which a kernel is cut; lines stay where they are.
pub(crate) fn cut(text: &str, flat: &Flat<'_>, hidden: &Hidden<'_>) -> Option<String> {
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

/// Registers whose values may be others with other contents and arguments.
fn unknown(flat: &Flat<'_>, hidden: &Hidden<'_>) -> Vec<bool> {
    let mut unknown = vec![false; flat.registers.len()];
    loop {
        let mut changed = false;
        for inst in &flat.instructions {
            let mut from = is_source(flat, inst, hidden);
            registers::visit(inst, |place, written| {
                // The condition code is not followed.
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

/// Is its result not known, whatever its operands are?
fn is_source(flat: &Flat<'_>, inst: &FlatInstruction<'_>, hidden: &Hidden<'_>) -> bool {
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

/// Could it be another one, or act elsewhere?
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
        // What is exchanged goes into registers only; who takes part is the last operand.
        Some(Order::Rendezvous) => all.last().is_none_or(|a| open(&[a])),
        Some(Order::Aligned | Order::GridDependency { .. }) => false,
        Some(_) => open(&all),
        None => goes && !matches!(op, Op::Bra { .. }) && open(&all),
    }
}
