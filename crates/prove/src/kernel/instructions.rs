//! Properties of a kernel that follow from its instructions alone.

use crate::facts::assume::Part;
use crate::kernel::access::Fence;
use kernels::device_runtime::names_a_launch;
use kernels::effects::uses_descriptors;
use kernels::registers::Place as Register;
use ptx::flat::{Arg, Base, Flat, FlatInstruction, VarRole};
use ptx::op::{MemSpace, Op, Scope, TensorCopy, TensorMode, TensorWay};
use ptx::sreg::SpecialReg;

/// Returns the name of an unsupported effect on memory or control.
pub(crate) fn not_understood(
    op: Option<&Op>,
    inst: &FlatInstruction<'_>,
    noreturn: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let args = &inst.args[..];
    let what = match op {
        None | Some(Op::Unknown) => return Some(format!("it has `{}`, not modelled yet", spelled(inst))),
        Some(Op::Call) => {
            let name = args.iter().find_map(|a| match a {
                Arg::Symbol(name, _) => Some(*name),
                _ => None,
            });
            return match name {
                Some(name) if leaves_memory(name) || noreturn(name) => None,
                Some(name) if names_a_launch(name) => {
                    Some("it launches kernels (dynamic parallelism), not modelled yet".into())
                }
                Some(name) => {
                    Some(format!("it calls `{name}`, which is not followed: it calls itself, or is not here"))
                }
                None => Some("it calls a function by its address".into()),
            };
        }
        Some(Op::BrxIdx) => "`brx.idx`",
        Some(Op::CpAsync { .. }) if !matches!(args, [_, _, Arg::Int(4 | 8 | 16), ..]) => {
            "`cp.async` of such a size"
        }
        Some(Op::CpAsyncMbarrierArrive { noinc: false, .. }) => {
            "`cp.async.mbarrier.arrive` that adds to what is counted"
        }
        // Others of their uses are reported by `sync::bulk_copies`.
        Some(op) if is_load(op) || is_bulk_store(op) || is_box_store(op) => return None,
        Some(Op::Wgmma(product)) if product.sparse => "sparse products of warpgroups",
        Some(Op::Wgmma(_)) => return None,
        Some(
            Op::CpAsyncBulk { .. } | Op::CpReduceAsyncBulk { .. } | Op::StAsync { .. } | Op::RedAsync { .. },
        ) => "asynchronous bulk copies",
        Some(Op::StBulk { .. }) => "`st.bulk`",
        Some(Op::TryCancel { .. }) => "`clusterlaunchcontrol`",
        Some(op) if uses_descriptors(op) => "tensor copies, products of warpgroups or tensor memory",
        // Other uses of mbarriers and clusters are reported by `meetings`.
        Some(Op::Multimem) => "`multimem`",
        Some(Op::Suld(_) | Op::Sust(_) | Op::Sured { .. }) => "surfaces",
        Some(Op::WmmaLoad { ty, .. } | Op::WmmaStore { ty, .. }) if ty.bits() < 8 => {
            "matrix loads and stores of less than bytes"
        }
        Some(Op::Ldmatrix { ty, count, .. } | Op::Stmatrix { ty, count, .. })
            if ty.bits() != 16 || *count > 4 =>
        {
            "matrix loads and stores of other rows than of 16 bytes"
        }
        Some(Op::Discard { .. }) => "`discard`",
        Some(Op::Alloca { .. }) => "`alloca`",
        _ => return None,
    };
    Some(format!("it has {what}, not modelled yet"))
}

/// Returns whether an instruction is a bulk copy that completes at an mbarrier of its block.
pub(crate) fn is_load(op: &Op) -> bool {
    matches!(
        op,
        Op::CpAsyncBulk {
            dst: MemSpace::SharedCta | MemSpace::SharedCluster,
            src: MemSpace::Global,
            multicast: false,
            ..
        }
    ) || is_box_load(op)
}

/// Returns whether an instruction makes copies of its thread signal an mbarrier.
pub(crate) fn signals(op: &Op) -> bool {
    is_load(op) || matches!(op, Op::CpAsyncMbarrierArrive { .. })
}

/// Returns whether an instruction is a tensor copy that completes at an mbarrier of its block.
pub(crate) fn is_box_load(op: &Op) -> bool {
    let way = |copy: &TensorCopy| matches!(copy.way, TensorWay::Load { multicast: false, pair: false, .. });
    matches!(op, Op::Tensor(copy) if way(copy))
}

/// Returns whether an instruction is a bulk copy from shared to global memory, which completes by a group.
pub(crate) fn is_bulk_store(op: &Op) -> bool {
    matches!(op, Op::CpAsyncBulk { dst: MemSpace::Global, src: MemSpace::SharedCta, .. })
}

/// Returns whether an instruction is a tensor copy of a box out of shared memory, which completes by a group.
pub(crate) fn is_box_store(op: &Op) -> bool {
    let is_plain = |copy: &TensorCopy| copy.op.is_none() && copy.mode == TensorMode::Tile;
    matches!(op, Op::Tensor(copy) if copy.way == TensorWay::Store && is_plain(copy))
}

/// Returns an instruction's name with its modifiers.
pub(crate) fn spelled(inst: &FlatInstruction<'_>) -> String {
    let mut name = inst.source.opcode.text.to_string();
    for modifier in &inst.source.modifiers {
        name.push('.');
        name.push_str(&modifier.text);
    }
    name
}

/// Returns whether a CUDA function writes to no memory of the program, and orders nothing.
pub(crate) fn leaves_memory(function: &str) -> bool {
    ["vprintf", "cudaGraphSetConditional"].contains(&function)
}

/// Returns whether execution can continue although an instruction is not modelled.
pub(crate) fn goes_on(op: &Op) -> bool {
    !matches!(op, Op::Unknown | Op::Call | Op::BrxIdx | Op::Alloca { .. })
}

/// Returns whether an instruction writes to global memory.
pub(crate) fn writes_global(op: &Op, args: &[Arg<'_>]) -> bool {
    use kernels::effects::{Place, TouchKind};
    kernels::effects(op, args).touches.iter().any(|t| {
        let reads = matches!(t.kind, TouchKind::Read | TouchKind::AsyncRead);
        let shared = Place::Memory(MemSpace::SharedCta) == t.place
            || Place::Memory(MemSpace::SharedCluster) == t.place;
        !reads && !shared
    })
}

/// Returns whether a kernel has atomics with a scope beyond the block, so that it is meant for several
/// blocks.
pub(crate) fn talks_to_other_blocks(flat: &Flat<'_>) -> bool {
    flat.instructions.iter().any(|inst| match &inst.op {
        Ok(Op::Atom(atom) | Op::Red(atom)) => {
            atom.mem.scope > Scope::Cta && matches!(atom.mem.space, MemSpace::Global | MemSpace::Generic)
        }
        _ => false,
    })
}

/// Returns the unconditional fences of a function.
pub(crate) fn fences(flat: &Flat<'_>) -> Vec<Fence> {
    let fence = |(inst, i): (usize, &ptx::flat::FlatInstruction<'_>)| match i.op {
        Ok(Op::Fence(ptx::op::Fence::Thread { sem, scope })) if i.guard.is_none() => {
            Some(Fence { inst, sem, scope })
        }
        _ => None,
    };
    flat.instructions.iter().enumerate().filter_map(fence).collect()
}

/// Returns the number of a register.
pub(crate) fn number(place: Register) -> Option<u32> {
    match place {
        Register::Whole(r) | Register::Element(r, _) => Some(r.0),
        Register::Carry => None,
    }
}

/// Collects the registers of an operand.
pub(crate) fn read(arg: &Arg<'_>, found: &mut Vec<u32>) {
    match arg {
        Arg::Reg(r) | Arg::NotReg(r) | Arg::Element(r, _) => found.push(r.0),
        Arg::Address { base, rest, .. } => {
            if let ptx::flat::Base::Reg(r) = base {
                found.push(r.0);
            }
            rest.iter().for_each(|a| read(a, found));
        }
        Arg::Vector(items) | Arg::List(items) => items.iter().for_each(|a| read(a, found)),
        Arg::Pair(a, b) => {
            read(a, found);
            read(b, found);
        }
        _ => {}
    }
}

/// Returns whether every execution of a launch reads the same value from a special register.
pub(crate) fn is_fixed(s: SpecialReg) -> bool {
    use SpecialReg as S;
    // These registers hold the address of a cooperative launch's workspace: its place differs, its contents
    // are always zero.
    let workspace = matches!(s, S::EnvReg(1 | 2));
    let varies = matches!(
        s,
        S::Warpid | S::Nwarpid | S::Smid | S::Nsmid | S::Gridid | S::EnvReg(_) | S::Pm(_) | S::Pm64(_)
    );
    (workspace || !varies)
        && !s.name().contains("clock")
        && !s.name().contains("globaltimer")
        && !s.name().contains("graph_exec")
}

/// Returns the index of the parameter at an address, and the offset in it.
pub(crate) fn parameter(flat: &Flat<'_>, at: &Arg<'_>) -> Option<(u32, u32)> {
    let Arg::Address { base: Base::Variable(id), offset, .. } = at else { return None };
    let VarRole::Param(index) = flat.variables[id.0 as usize].role else { return None };
    Some((index, u32::try_from(*offset).ok()?))
}

/// Returns the parts of its kernel's parameters that an instruction loads as integers.
pub(crate) fn integers_loaded(flat: &Flat<'_>, inst: &FlatInstruction<'_>) -> Vec<Part> {
    let Some(Op::Ld(mem) | Op::Ldu(mem)) = inst.op.as_ref().ok() else { return Vec::new() };
    let of_parameter = matches!(mem.space, MemSpace::Param | MemSpace::ParamFunc);
    let place = inst.args.get(1).and_then(|at| parameter(flat, at));
    let Some((index, offset)) = place.filter(|_| of_parameter && !mem.ty.is_float()) else {
        return Vec::new();
    };
    let bytes = mem.ty.bytes();
    (0..u32::from(mem.vector)).map(|n| Part { index, offset: offset + n * bytes, bytes }).collect()
}
