//! Places in an instrumented function: errors there, and the targets of branches and calls.

use crate::Reason;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::Op;
use ptx::print_instruction;

/// A place in the instrumented text, and what is wrong there.
pub(crate) type At = (u32, Reason);

/// Returns the function that an instruction calls by its name.
pub(crate) fn callee<'a>(inst: &FlatInstruction<'a>) -> Option<&'a str> {
    let name = |arg: &Arg<'a>| match arg {
        Arg::Symbol(name, 0) => Some(*name),
        _ => None,
    };
    matches!(inst.op, Ok(Op::Call)).then(|| inst.args.iter().find_map(name)).flatten()
}

/// Returns the target of a direct branch.
pub(crate) fn target(flat: &Flat<'_>, inst: &FlatInstruction<'_>) -> Option<usize> {
    match (&inst.op, &inst.args[..]) {
        (Ok(Op::Bra { .. }), [Arg::Label(label)]) => Some(flat.labels[label.0 as usize].target as usize),
        _ => None,
    }
}

/// Returns an error at an instruction.
pub(crate) fn at(inst: &FlatInstruction<'_>, reason: impl FnOnce(String) -> Reason) -> At {
    (inst.source.span.start, reason(print_instruction(inst.source)))
}
