//! The properties of kernels that the host uses: with what other launches, devices and the host they may synchronise.

use super::called::{self, Calls};
use super::early;
use super::launches::{self, Early, Launched};
use kernels::effects::{Control, Order, Touch, effects};
use ptx::ast::{Function, Module};
use ptx::flat::{Flat, FlatInstruction};
use ptx::op::{Fence, Op, Scope, Sem};

/// Returns the properties of a kernel to which a launch parameter can be added.
pub(super) fn launched(
    module: &Module,
    (function, flat): (&Function, &Flat<'_>),
    calls: &Calls<'_>,
    functions: &[Flat<'_>],
) -> Option<Launched> {
    let mut bytes = 0u64;
    for param in &function.params {
        let one = u64::from(param.ty.bits() / 8) * u64::from(param.vector);
        let dims = param.dims.iter().try_fold(1u64, |n, dim| n.checked_mul((*dim)?))?;
        let align = u64::from(param.align.unwrap_or(1)).max(one).max(1);
        bytes = bytes.checked_next_multiple_of(align)?.checked_add(one.checked_mul(dims)?)?;
    }
    let at = u32::try_from(bytes.next_multiple_of(8)).ok().filter(|at| *at <= launches::MOST)?;
    let of = |flat: &Flat<'_>, sems, wide: &[Scope]| {
        flat.instructions.iter().any(|inst| calls.unknown(inst) || meets(inst, sems, wide))
    };
    let any = |sems, wide: &[Scope]| {
        of(flat, sems, wide) || functions.iter().any(|function| of(function, sems, wide))
    };
    let alone = functions.is_empty() && !flat.instructions.iter().any(|inst| calls.unknown(inst));
    Some(Launched {
        parameters: function.params.len() as u32,
        at,
        acquires: any([Sem::Acquire, Sem::AcqRel], &[Scope::Gpu, Scope::Sys]),
        acquires_far: any([Sem::Acquire, Sem::AcqRel], &[Scope::Sys]) && observes_far(flat, calls, functions),
        tells: any([Sem::Release, Sem::AcqRel], &[Scope::Sys]),
        publishes: any([Sem::Release, Sem::AcqRel], &[Scope::Gpu, Scope::Sys]),
        early: match (early::has_them(module), alone) {
            (false, _) => Early::Never,
            (true, false) => Early::Unknown,
            (true, true) => early::early(flat),
        },
        gates: alone && early::gates(flat),
    })
}

/// Returns whether an instruction may release to the host or other launches, or acquire from them: a fence
/// does both, other operations those of `sems`; `wide` lists the scopes that reach them.
fn meets(inst: &FlatInstruction<'_>, sems: [Sem; 2], wide: &[Scope]) -> bool {
    let Ok(op) = &inst.op else { return true };
    let effects = effects(op, &inst.args);
    let fence = match effects.order {
        Some(Order::Fence(Fence::Thread { scope, .. })) => wide.contains(&scope),
        _ => false,
    };
    let heap = effects.control == Control::Call && called::is_heap(inst);
    let touches = |touch: &Touch| sems.contains(&touch.sem) && wide.contains(&touch.scope);
    fence || heap || effects.touches.iter().any(touches)
}

/// Returns whether a kernel may observe writes of another device, which needs a strong access of system scope.
fn observes_far(flat: &Flat<'_>, calls: &Calls<'_>, functions: &[Flat<'_>]) -> bool {
    let observes = |inst: &FlatInstruction<'_>| {
        let Some(op) = inst.op.as_ref().ok().filter(|op| !matches!(op, Op::Unknown)) else { return true };
        let effects = effects(op, &inst.args);
        let is_plain = matches!(op, Op::Ld(_) | Op::St(_) | Op::Atom(_) | Op::Red(_) | Op::Fence(_));
        let is_known = is_plain || effects.touches.iter().all(|touch| touch.sem == Sem::Weak);
        let heap = effects.control == Control::Call && called::is_heap(inst);
        let reads = |touch: &Touch| touch.sem != Sem::Weak && touch.scope == Scope::Sys;
        heap || !is_known || calls.unknown(inst) || effects.touches.iter().any(reads)
    };
    std::iter::once(flat).chain(functions).any(|flat| flat.instructions.iter().any(observes))
}
