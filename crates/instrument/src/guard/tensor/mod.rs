//! Tensor memory: operations of `tcgen05` whose completion nothing has waited for (PTX §9.7.17.6).
//!
//! An operation is *pending* from its issue on: a load or store of a warp until the warp has executed `tcgen05.wait`, a product,
//! copy or shift until some thread of the cluster has waited for an `mbarrier` with success; for a thread that issues products
//! itself, only waits before it last synchronised with others count. No thread can know of its completion before that, so that
//! every operation on the same cells races with it, if one of them writes, but for those that form a pipeline with it
//! (`docs/assumptions.md`, 12e). Of different warps of a kernel without `tcgen05.fence::before_thread_sync`
//! no two operations form one, since no warp knows what another one has issued.
//!
//! The table has, for each warp of a block, its last two loads, stores, and writes and reads of other kinds: their columns, and
//! their lanes, eight at a time. Waits are counted, and an operation is pending as long as the count is the same. An allocation
//! clears the list of its block. Blocks that share a place in the table overwrite each other's operations.
//!
//! The checks miss races of operations that one of them has waited for, and take any `mbarrier` to complete an operation. They
//! do not follow scale factors, copies to single lanes (`.4x256b`), D with disabled lanes, A of a product whose rows
//! are spread, and kernels that call functions.

mod cells;
mod runtime;

use super::around::Around;
use super::called::is_silent_call;
use super::thread::{WHO, unless};
use super::{Options, register};
use crate::collide::access::guard as guard_of;
use cells::Cells;
use kernels::effects::{Order, effects};
use ptx::ast::{FunctionKind, Operand};
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{Fence, MbarrierOp, Op, Sem, Tcgen05};
pub(super) use runtime::functions;
use runtime::{Kind, READS, TRACKED, UNTRACKED, WRITES};
use std::fmt::Write;

/// The register with the place of the thread's next operation in the table, 0 or 1.
const RING: &str = "ring";
/// The number of waits for commits that the thread may know of.
const KNOWN: &str = "commits";

/// A kernel's operations on tensor memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct TensorMemory {
    /// Whether no warp can know what another one has issued.
    unfenced: bool,
    /// Whether a relaxed wait can complete an operation.
    relaxed: bool,
}

/// An operation of an instruction on cells of tensor memory.
struct Operation<'t> {
    kind: Kind,
    cells: Cells<'t>,
    /// Whether a later operation is compared with it: a deallocation is none of tensor memory itself.
    stored: bool,
}

impl TensorMemory {
    /// Returns the properties of a kernel; `None` for functions, and for kernels in which others may wait.
    pub(super) fn of(flat: &Flat<'_>) -> Option<TensorMemory> {
        let any =
            |is: &dyn Fn(&Op) -> bool| flat.instructions.iter().any(|inst| inst.op.as_ref().is_ok_and(is));
        let known = flat.instructions.iter().all(|inst| match &inst.op {
            Ok(Op::Call) => is_silent_call(inst),
            Ok(op) => !matches!(op, Op::Unknown),
            Err(_) => false,
        });
        let used = any(&|op| matches!(op, Op::Tcgen05(_)));
        (used && known && flat.function.kind == FunctionKind::Entry).then(|| TensorMemory {
            unfenced: !any(&|op| matches!(op, Op::Tcgen05(Tcgen05::Fence { after: false }))),
            relaxed: any(&|op| {
                matches!(op, Op::Tcgen05(Tcgen05::Fence { after: true }) | Op::Fence(Fence::Thread { .. }))
            }),
        })
    }

    /// Returns the text for the beginning of the kernel.
    pub(super) fn beginning() -> String {
        let [ring, known] = [RING, KNOWN].map(register);
        format!("\n\t.reg .b32 {ring}, {known};\n\tmov.u32 {ring}, 0;\n\tmov.u32 {known}, 0;\n")
    }

    /// Returns whether all that an instruction does with memory is checked here.
    pub(super) fn checks(inst: &FlatInstruction<'_>) -> bool {
        matches!(
            inst.op,
            Ok(Op::Tcgen05(Tcgen05::Load { .. } | Tcgen05::Store { .. } | Tcgen05::Shift { .. }))
        )
    }

    /// Returns the text around an instruction, whose checks are numbered from `number` on.
    pub(super) fn around(
        self,
        (flat, inst, text): (&Flat<'_>, &FlatInstruction<'_>, &str),
        number: u32,
        options: &Options,
    ) -> Around {
        let Ok(op) = &inst.op else { return Around::default() };
        let waits = match op {
            Op::Tcgen05(Tcgen05::Wait { stores }) => Some(if *stores { Kind::Store } else { Kind::Load }),
            Op::Mbarrier { op: MbarrierOp::Wait { .. }, sem, .. } if self.relaxed || *sem != Sem::Relaxed => {
                Some(Kind::Write)
            }
            _ => None,
        };
        let learned =
            if self.unfenced && synchronises(op, inst) { learned(inst, options) } else { String::new() };
        if let Some(kind) = waits {
            let behind = waited(flat, inst, text, kind, options) + &learned;
            return Around { behind, ..Around::default() };
        }
        if let Op::Tcgen05(Tcgen05::Alloc { .. }) = op {
            return Around { before: cleared(inst, options), ..Around::default() };
        }
        let operations = cells::operations(flat, inst, text);
        if operations.is_empty() {
            return Around { behind: learned, ..Around::default() };
        }
        let (before, checks) = self.compared(inst, &operations, number, options);
        Around { before, behind: learned, checks }
    }

    /// Returns the text before an instruction that compares its operations and stores them.
    fn compared(
        self,
        inst: &FlatInstruction<'_>,
        operations: &[Operation<'_>],
        number: u32,
        options: &Options,
    ) -> (String, Vec<bool>) {
        let (skip, [ring, known]) = (unless(&guard_of(inst)), [RING, KNOWN].map(register));
        // A warp's operation is compared by all lanes, each with the operations of one warp of the block.
        let (pair, alone) = match &inst.op {
            Ok(Op::Tcgen05(Tcgen05::Copy { pair, .. } | Tcgen05::Shift { pair })) => (*pair, true),
            Ok(Op::Tcgen05(Tcgen05::Product(product))) => (product.pair, true),
            _ => (false, false),
        };
        let mut out = format!(
            "{{\n\t.reg .pred %wr_p<1>;\n\t.reg .b32 %wr_r<4>, %wr_c, %wr_l, %wr_n, %wr_m, %wr_w;\n\t.reg .b64 %wr_a<1>;\n{skip}\txor.b32 {ring}, {ring}, 1;\n"
        );
        out += if alone { "\tmov.u32 %wr_w, -1;\n" } else { "\tmov.u32 %wr_w, %laneid;\n" };
        let mut checks: Vec<bool> = Vec::new();
        for operation in operations {
            let writes = operation.kind.writes();
            let at = checks.iter().position(|of_writes| *of_writes == writes).unwrap_or(checks.len());
            if at == checks.len() {
                checks.push(writes);
            }
            let check = number + at as u32;
            out += &operation.cells.text();
            for peer in [false, true].into_iter().take(1 + usize::from(pair)) {
                let what = self.compares_with(operation.kind)
                    | (u32::from(!operation.stored) * runtime::PLAIN)
                    | operation.kind.place() << runtime::PLACE_AT
                    | u32::from(peer) << runtime::PEER_AT
                    | (u32::from(alone) * TRACKED)
                    | (u32::from(writes) * runtime::OWN_WRITES);
                // The operation is stored first, so that of two operations at one time at least one finds the other.
                let own = runtime::OWN | (u32::from(operation.stored) * runtime::STORED);
                for what in [what | own, what] {
                    let at = runtime::PLACE_AT;
                    let _ =
                        write!(out, "\tshl.b32 %wr_r0, {ring}, {at};\n\tor.b32 %wr_r0, %wr_r0, {what};\n");
                    let (check, who) = (check.to_string(), register(WHO));
                    let values = ["%wr_r0", &check, "%wr_c", "%wr_l", &who, "%wr_w", &known];
                    out += &runtime::called(runtime::Function::Compares, &values, options);
                }
            }
        }
        if !alone {
            // The instruction is one of all lanes. The barrier is not counted, which keeps it out of the threads' order.
            out += "\tbar.warp.sync -1;\n";
        }
        out += "$wr_end:\n\t}\n";
        (out, checks)
    }

    /// Returns the places of the operations that one of a kind may race with, as far as they are pending.
    fn compares_with(self, kind: Kind) -> u32 {
        let tracked = |of: u32| if self.unfenced { of } else { of & UNTRACKED };
        match kind {
            Kind::Load => WRITES,
            Kind::Store => WRITES | READS,
            Kind::Write => tracked(WRITES | READS),
            Kind::Read => tracked(WRITES),
        }
    }
}

/// Returns the text behind a wait: operations of a kind are complete, if the wait's result says so.
fn waited(flat: &Flat<'_>, inst: &FlatInstruction<'_>, text: &str, kind: Kind, options: &Options) -> String {
    let skip = unless(&guard_of(inst));
    let result = match (inst.args.first(), inst.source.operands.first()) {
        (Some(Arg::Reg(id)), Some(Operand::Name(name))) if flat.registers[id.0 as usize].ty.bits() == 1 => {
            text.get(name.span.start as usize..name.span.end as usize)
        }
        _ => None,
    };
    let unless = result.map(|result| format!("\t@!{result} bra $wr_end;\n")).unwrap_or_default();
    let kind = (kind.place() / 2).to_string();
    let call = runtime::called(runtime::Function::Done, &[&kind, &register(WHO)], options);
    format!("\n\t{{\n\t.reg .pred %wr_p<1>;\n{skip}{unless}{call}$wr_end:\n\t}}\n")
}

/// Returns whether a thread may learn at an instruction what other threads have waited for.
fn synchronises(op: &Op, inst: &FlatInstruction<'_>) -> bool {
    let effects = effects(op, &inst.args);
    let after = matches!(op, Op::Tcgen05(Tcgen05::Fence { after: true }));
    after || effects.synchronises() && !matches!(effects.order, Some(Order::Rendezvous | Order::TensorMemory))
}

/// Returns the text behind such an instruction.
fn learned(inst: &FlatInstruction<'_>, options: &Options) -> String {
    let (skip, load) = (unless(&guard_of(inst)), runtime::committed(&register(KNOWN), options));
    format!(
        "\n\t{{\n\t.reg .pred %wr_p<1>;\n\t.reg .b32 %wr_r<2>;\n\t.reg .b64 %wr_a<2>;\n{skip}{load}$wr_end:\n\t}}\n"
    )
}

/// Returns the text before an allocation.
fn cleared(inst: &FlatInstruction<'_>, options: &Options) -> String {
    let skip = unless(&guard_of(inst));
    let call = runtime::called(runtime::Function::Clears, &[&register(WHO)], options);
    format!("{{\n\t.reg .pred %wr_p<1>;\n{skip}{call}$wr_end:\n\t}}\n")
}
