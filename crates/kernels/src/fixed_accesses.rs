//! Finds kernels whose accesses depend on the launch alone: its geometry and its arguments.
//!
//! Two launches of such a kernel that agree in these access the same memory at the same instructions, whatever memory
//! holds. The analysis marks registers that may hold something else, regardless of the order of instructions: values from
//! memory, of special registers that tell of the machine, and what is computed from these. Addresses and conditions must
//! not be marked.

use crate::effects::{self, Control, Effects, Extent, Order, effects};
use crate::registers::{Place, operand, visit};
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{MemSpace, Op};
use ptx::sreg::SpecialReg;

/// The largest number of instructions of a function that is analysed.
const LARGEST: usize = 1 << 14;

/// Returns whether the accesses of a kernel depend on its launch alone. Kernels that call functions, jump by tables, or
/// access memory by descriptors, textures or sizes in registers count as others.
pub fn are_fixed(flat: &Flat<'_>) -> bool {
    let all = &flat.instructions;
    if all.len() > LARGEST || !all.iter().all(is_understood) {
        return false;
    }
    let marked = marked(flat);
    let is_marked = |place: Place| match place {
        Place::Whole(id) | Place::Element(id, _) => marked.registers[id.0 as usize],
        Place::Carry => marked.carry,
    };
    all.iter().all(|inst| {
        let Some(Effects { touches, order, control, .. }) = effects_of(inst) else { return false };
        let decides = control != Control::Next || order.is_some() || !touches.is_empty();
        let is_guarded = inst.guard.is_some_and(|guard| is_marked(Place::Whole(guard.register)));
        let leads_elsewhere = touches.iter().any(|touch| {
            let (at, mut found) = (&inst.args[touch.operand], false);
            operand(at, &mut |place| found |= is_marked(place));
            found || reads_special(at)
        });
        !(decides && is_guarded || leads_elsewhere)
    })
}

fn effects_of(inst: &FlatInstruction<'_>) -> Option<Effects> {
    Some(effects(inst.op.as_ref().ok()?, &inst.args))
}

/// Returns whether an instruction's control flow, and its accesses, follow from its operands as this analysis reads them.
fn is_understood(inst: &FlatInstruction<'_>) -> bool {
    let Some(Effects { touches, order, control, .. }) = effects_of(inst) else { return false };
    let is_plain = |touch: &effects::Touch| {
        matches!(touch.place, effects::Place::Memory(_))
            && matches!(touch.extent, Extent::Elements { .. })
            && touch.operand < inst.args.len()
    };
    let is_known = matches!(order, None | Some(Order::Barrier(_) | Order::WarpBarrier | Order::Rendezvous));
    let goes_on = matches!(control, Control::Next | Control::Branch | Control::Return | Control::Exit);
    is_known && goes_on && touches.iter().all(is_plain) && !matches!(inst.op, Ok(Op::Unknown | Op::Elect))
}

/// The places that may hold something other than values of the launch.
struct Marked {
    registers: Vec<bool>,
    carry: bool,
}

fn marked(flat: &Flat<'_>) -> Marked {
    let mut marked = Marked { registers: vec![false; flat.registers.len()], carry: false };
    let mut changes = true;
    while changes {
        changes = false;
        for inst in &flat.instructions {
            let mut from = is_source(inst);
            visit(inst, |place, is_written| {
                let known = match place {
                    Place::Whole(id) | Place::Element(id, _) => &mut marked.registers[id.0 as usize],
                    Place::Carry => &mut marked.carry,
                };
                match is_written {
                    false => from |= *known,
                    true if from && !*known => (*known, changes) = (true, true),
                    true => {}
                }
            });
        }
    }
    marked
}

/// Returns whether an instruction's result may be another one in a launch with the same arguments.
fn is_source(inst: &FlatInstruction<'_>) -> bool {
    let Some(Effects { touches, order, .. }) = effects_of(inst) else { return true };
    let loads = !touches.is_empty() && !matches!(&inst.op, Ok(Op::Ld(mem)) if mem.space == MemSpace::Param);
    loads || order.is_some() || matches!(inst.op, Ok(Op::Activemask)) || inst.args.iter().any(reads_special)
}

/// Returns whether an operand is a special register that the launch alone does not tell.
fn reads_special(arg: &Arg<'_>) -> bool {
    use SpecialReg::{
        CtaidX, CtaidY, CtaidZ, Laneid, NctaidX, NctaidY, NctaidZ, NtidX, NtidY, NtidZ, TidX, TidY, TidZ,
    };
    let is_of_launch = |special: &SpecialReg| {
        matches!(special, TidX | TidY | TidZ | NtidX | NtidY | NtidZ | CtaidX | CtaidY | CtaidZ)
            || matches!(special, NctaidX | NctaidY | NctaidZ | Laneid)
    };
    match arg {
        Arg::Special(special) => !is_of_launch(special),
        Arg::Vector(items) | Arg::List(items) | Arg::Address { rest: items, .. } => {
            items.iter().any(reads_special)
        }
        Arg::Pair(a, b) => reads_special(a) || reads_special(b),
        Arg::Unresolved => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the accesses of a kernel with this body are fixed. Its parameters are `p` and `n`.
    fn fixed(body: &str) -> bool {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n\
             .reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\n\
             mov.u32 %r2, %tid.x;\n{body}\nret;\n}}\n"
        );
        let parsed = ptx::parse(&text);
        let function = parsed.module.items.iter().find_map(|item| match item {
            ptx::ast::Item::Function(function) => Some(function),
            _ => None,
        });
        are_fixed(&ptx::flat::flatten(function.unwrap()))
    }

    #[test]
    fn addresses_of_threads_and_arguments_are_fixed() {
        let store =
            "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r3;\nDONE:";
        assert!(fixed(&format!("setp.ge.u32 %p1, %r2, %r1;\n@%p1 bra DONE;\n{store}")));
        // A stored value may come from memory, as long as it decides nothing.
        assert!(fixed(&format!("ld.global.u32 %r3, [%rd1];\nbar.sync 0;\n{store}")));
        let turns =
            "mov.u32 %r4, 0;\nAGAIN:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, %r1;\n@%p2 bra AGAIN;\n";
        assert!(fixed(&format!("{turns}{store}")));
    }

    #[test]
    fn what_memory_decides_is_not_fixed() {
        let load = "ld.global.u32 %r3, [%rd1];\n";
        let store = "mul.wide.u32 %rd2, %r3, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r2;\n";
        assert!(!fixed(&format!("{load}{store}")), "an index");
        assert!(
            !fixed(&format!("{load}setp.ne.u32 %p1, %r3, 0;\n@%p1 st.global.u32 [%rd1], %r2;\n")),
            "a guard"
        );
        let branch = "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra DONE;\nst.global.u32 [%rd1], %r2;\nDONE:";
        assert!(!fixed(&format!("{load}{branch}")), "a branch");
        // The loop's turns: its counter is marked in a later instruction only.
        let turns =
            "mov.u32 %r4, 0;\nAGAIN:\nsetp.lt.u32 %p2, %r4, %r1;\nadd.u32 %r4, %r4, %r3;\n@%p2 bra AGAIN;\n";
        assert!(!fixed(&format!("{load}{turns}st.global.u32 [%rd1], %r2;\n")), "a loop");
        for special in ["%smid", "%clock", "%lanemask_lt"] {
            assert!(!fixed(&format!("mov.u32 %r3, {special};\n{store}")), "{special}");
        }
        let atom = "atom.global.add.u32 %r3, [%rd1], 1;\n";
        assert!(fixed(atom) && !fixed(&format!("{atom}{store}")), "a ticket");
        assert!(!fixed(&format!("shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\n{store}")), "another lane's value");
        assert!(!fixed("fence.acq_rel.gpu;\n") && !fixed("cp.async.wait_all;\n"), "order with others");
    }
}
