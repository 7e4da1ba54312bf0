//! The registers that an instruction reads and writes.

use crate::effects::{Carry, Effects, effects};
use ptx::flat::{Arg, Base, Binding, Flat, FlatInstruction, RegId};

/// A location in the register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A whole register.
    Whole(RegId),
    /// One element of a vector register. Malformed PTX may name an element that does not exist.
    Element(RegId, u8),
    /// The condition code's carry flag.
    Carry,
}

/// The results of an instruction.
#[derive(Default)]
struct Written {
    /// The number of leading operands that are written.
    results: usize,
    /// Whether they are read as well.
    updates: bool,
    carry: Carry,
}

/// Returns the results of an instruction; nothing for an undecodable one.
fn written(inst: &FlatInstruction<'_>) -> Written {
    inst.op.as_ref().map_or_else(
        |_| Written::default(),
        |op| {
            let Effects { results, updates, carry, .. } = effects(op, &inst.args);
            Written { results, updates, carry }
        },
    )
}

/// Calls `f(place, is_written)` for all places, reads first. The results of a guarded instruction count as
/// read, too, since the old value may remain.
pub fn visit(inst: &FlatInstruction<'_>, mut f: impl FnMut(Place, bool)) {
    let Written { results, updates, carry } = written(inst);
    if let Some(guard) = inst.guard {
        f(Place::Whole(guard.register), false);
    }
    let is_result = |i: usize, arg: &Arg<'_>| i < results && !matches!(arg, Arg::Address { .. });
    for (i, arg) in inst.args.iter().enumerate() {
        if !is_result(i, arg) || inst.guard.is_some() || updates {
            operand(arg, &mut |place| f(place, false));
        }
    }
    if carry.read || (carry.written && inst.guard.is_some()) {
        f(Place::Carry, false);
    }
    for (i, arg) in inst.args.iter().enumerate() {
        if is_result(i, arg) {
            operand(arg, &mut |place| f(place, true));
        }
    }
    if carry.written {
        f(Place::Carry, true);
    }
}

/// Calls `f` for each register that an operand names.
pub fn operand(arg: &Arg<'_>, f: &mut impl FnMut(Place)) {
    match arg {
        Arg::Reg(id) | Arg::NotReg(id) => f(Place::Whole(*id)),
        Arg::Element(id, element) => f(Place::Element(*id, *element)),
        Arg::Address { base, rest, .. } => {
            if let Base::Reg(id) = base {
                f(Place::Whole(*id));
            }
            rest.iter().for_each(|a| operand(a, f));
        }
        Arg::Vector(items) | Arg::List(items) => items.iter().for_each(|a| operand(a, f)),
        Arg::Pair(a, b) => {
            operand(a, f);
            operand(b, f);
        }
        Arg::Special(_)
        | Arg::Variable(..)
        | Arg::Symbol(..)
        | Arg::Label(_)
        | Arg::BranchTargets(_)
        | Arg::CallTargets(_)
        | Arg::Prototype(_)
        | Arg::Int(_)
        | Arg::F32(_)
        | Arg::F64(_)
        | Arg::Sink
        | Arg::Unresolved => {}
    }
}

/// Returns, for each register, whether any instruction reads it. nvcc gives every `atom` a result, used or
/// not.
pub fn read(flat: &Flat<'_>) -> Vec<bool> {
    let mut read = vec![false; flat.registers.len()];
    let mut mark = |place| {
        if let Place::Whole(id) | Place::Element(id, _) = place {
            read[id.0 as usize] = true;
        }
    };
    for inst in &flat.instructions {
        let Written { results, updates, .. } = written(inst);
        if let Some(guard) = inst.guard {
            mark(Place::Whole(guard.register));
        }
        for (i, arg) in inst.args.iter().enumerate() {
            if i >= results || updates || matches!(arg, Arg::Address { .. }) {
                operand(arg, &mut mark);
            }
        }
    }
    for binding in &flat.returns {
        if let Binding::Reg(id) = binding {
            mark(Place::Whole(*id));
        }
    }
    read
}

/// Returns whether a value written to this operand is ever read. `read` is the result of [`read()`].
pub fn is_seen(arg: &Arg<'_>, read: &[bool]) -> bool {
    match arg {
        Arg::Reg(id) | Arg::Element(id, _) => read[id.0 as usize],
        Arg::Vector(items) => items.iter().any(|item| is_seen(item, read)),
        _ => false,
    }
}
