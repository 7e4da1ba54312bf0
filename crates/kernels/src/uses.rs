//! The synchronisation that a function may use, found statically.

use crate::device_runtime;
use crate::effects::{Control, Effects, Order, Place, Touch, TouchKind, effects};
use crate::registers::{is_seen, read};
use events::task::SyncUse;
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{BarKind, Fence, MemSpace, Op, ProxyFence, Rmw, Scope, Sem};

/// Returns the union of two sets of uses.
pub(crate) fn join(a: SyncUse, b: SyncUse) -> SyncUse {
    SyncUse {
        partial_barriers: a.partial_barriers || b.partial_barriers,
        fences_or_strong: a.fences_or_strong || b.fences_or_strong,
        relaxed: [a, b].iter().all(|uses| uses.relaxed || !uses.fences_or_strong)
            && (a.fences_or_strong || b.fences_or_strong),
        fences_acquire: [a, b].iter().all(|uses| uses.fences_acquire || !uses.fences_or_strong)
            && (a.fences_or_strong || b.fences_or_strong),
        atomics: a.atomics || b.atomics,
        asynchronous: a.asynchronous || b.asynchronous,
        groups_only: [a, b].iter().all(|uses| uses.groups_only || !uses.asynchronous)
            && (a.asynchronous || b.asynchronous),
        cluster: a.cluster || b.cluster,
        narrow_fences: a.narrow_fences || b.narrow_fences,
        triggers: a.triggers || b.triggers,
        launches: a.launches || b.launches,
        blocks_communicate: a.blocks_communicate || b.blocks_communicate,
    }
}

/// Returns the uses of the function itself, without its callees.
pub(crate) fn of(flat: &Flat<'_>) -> SyncUse {
    let mut uses = SyncUse::default();
    let read = read(flat);
    let (mut relaxed, mut fences_acquire, mut groups) = (true, true, true);
    for inst in &flat.instructions {
        let Ok(op) = &inst.op else { continue };
        let effects = effects(op, &inst.args);
        let waits = matches!(effects.order, Some(Order::Fence(_) | Order::GridDependency { .. }));
        relaxed &= !waits && effects.touches.iter().all(|touch| orders_nothing(touch.sem));
        fences_acquire &=
            !effects.touches.iter().any(|touch| matches!(touch.sem, Sem::Acquire | Sem::AcqRel));
        groups &= completes_by_groups(op, &effects);
        uses.triggers |= matches!(effects.order, Some(Order::GridDependency { wait: false }));
        order(&mut uses, inst, &effects);
        for touch in &effects.touches {
            memory(&mut uses, inst, op, touch, &read);
        }
        // The blocks that begin depend on which clusters are cancelled.
        uses.blocks_communicate |= matches!(op, Op::TryCancel { .. });
        // `mapa` computes addresses of other blocks' memory.
        uses.cluster |= matches!(op, Op::Mapa { .. });
        if effects.control == Control::Call && calls_shared_service(&inst.args) {
            uses.blocks_communicate = true;
        }
        if effects.control == Control::Call && device_runtime::is_launch(&inst.args) {
            // A launch passes on what its thread knows, as a release does.
            (uses.launches, uses.fences_or_strong, relaxed) = (true, true, false);
        }
    }
    uses.relaxed = relaxed && uses.fences_or_strong;
    uses.fences_acquire = fences_acquire && uses.fences_or_strong;
    uses.groups_only = groups && uses.asynchronous;
    uses
}

/// Returns whether an instruction is not asynchronous, or is `cp.async`, or waits for `cp.async`.
fn completes_by_groups(op: &Op, effects: &Effects) -> bool {
    use TouchKind::{AsyncAtomic, AsyncRead, AsyncWrite};
    let copies = effects.touches.iter().any(|t| matches!(t.kind, AsyncRead | AsyncWrite | AsyncAtomic(_)));
    let other = matches!(
        effects.order,
        Some(Order::Fence(Fence::Proxy(_) | Fence::MbarrierInit) | Order::Mbarrier(_))
    );
    !other && !matches!(op, Op::CpAsyncMbarrierArrive { .. }) && (!copies || matches!(op, Op::CpAsync { .. }))
}

/// Returns whether an access is neither an acquire nor a release.
fn orders_nothing(sem: Sem) -> bool {
    matches!(sem, Sem::Weak | Sem::Volatile | Sem::Mmio | Sem::Relaxed)
}

fn order(uses: &mut SyncUse, inst: &FlatInstruction<'_>, effects: &Effects) {
    match effects.order {
        None | Some(Order::Rendezvous | Order::Aligned) => {}
        Some(Order::WarpBarrier) => uses.partial_barriers = true,
        Some(Order::Barrier(kind)) => {
            let reduces = effects.results;
            let operands = inst.args.get(reduces..).unwrap_or(&[]);
            // The last operand of `bar.red` is its predicate.
            let with_count = operands.len() > 1 + reduces;
            let zero = matches!(operands.first(), Some(Arg::Int(0)) | None);
            if kind == BarKind::Arrive || with_count || !zero {
                uses.partial_barriers = true;
            }
        }
        Some(Order::ClusterArrive(_) | Order::ClusterWait) => uses.cluster = true,
        Some(Order::Fence(Fence::Thread { sem, scope })) => {
            uses.fences_or_strong = true;
            uses.narrow_fences |= sem == Sem::Sc && matches!(scope, Scope::Cta | Scope::Cluster);
        }
        Some(Order::GridDependency { .. }) => uses.fences_or_strong = true,
        // A fence of threads as well.
        Some(Order::Fence(Fence::Proxy(ProxyFence::TensormapGeneric { .. }))) => {
            uses.asynchronous = true;
            uses.fences_or_strong = true;
        }
        Some(
            Order::Fence(Fence::Proxy(_) | Fence::MbarrierInit)
            | Order::Mbarrier(_)
            | Order::AsyncGroup
            | Order::Warpgroup
            | Order::TensorMemory,
        ) => uses.asynchronous = true,
    }
}

/// Returns whether a call uses a service that all blocks share (output, the heap, graph conditions), whose
/// order is visible.
fn calls_shared_service(args: &[Arg<'_>]) -> bool {
    args.iter()
        .any(|a| matches!(a, Arg::Symbol("vprintf" | "malloc" | "free" | "cudaGraphSetConditional", _)))
        || device_runtime::is_call(args)
}

fn memory(uses: &mut SyncUse, inst: &FlatInstruction<'_>, op: &Op, touch: &Touch, read: &[bool]) {
    let space = match touch.place {
        Place::Memory(space) => space,
        Place::Texture | Place::Surface | Place::Multimem => {
            // Reductions through surfaces are on integers only, so their order is invisible.
            uses.atomics |= matches!(touch.kind, TouchKind::Atomic(_));
            return;
        }
        Place::Tensor | Place::Descriptor | Place::TensorMemory => {
            uses.asynchronous = true;
            // As of a bulk reduction.
            uses.blocks_communicate |= matches!(touch.kind, TouchKind::AsyncAtomic(_));
            return;
        }
    };
    match touch.kind {
        TouchKind::Read | TouchKind::Write => {
            uses.cluster |= space == MemSpace::SharedCluster;
            let private =
                matches!(space, MemSpace::Local | MemSpace::Param | MemSpace::ParamFunc | MemSpace::Const);
            if touch.sem != Sem::Weak && !private {
                uses.fences_or_strong = true;
                uses.blocks_communicate |= touch.kind == TouchKind::Read && reaches_all_blocks(space);
            }
        }
        TouchKind::Atomic(rmw) => {
            uses.atomics = true;
            uses.cluster |= space == MemSpace::SharedCluster;
            let returns = matches!(op, Op::Atom(_)) && inst.args.first().is_some_and(|d| is_seen(d, read));
            uses.fences_or_strong |= returns || touch.sem != Sem::Relaxed;
            let sums_floats = matches!(op, Op::Atom(a) | Op::Red(a)
                if a.mem.ty.is_float() && a.mem.ty != ScalarType::Pred);
            if (returns || !commutes(rmw, sums_floats)) && reaches_all_blocks(space) {
                uses.blocks_communicate = true;
            }
        }
        TouchKind::AsyncRead | TouchKind::AsyncWrite => uses.asynchronous = true,
        TouchKind::AsyncAtomic(_) => {
            uses.asynchronous = true;
            // A bulk reduction's result may reveal the order of blocks; shared memory is the cluster's own.
            uses.blocks_communicate |= matches!(op, Op::CpReduceAsyncBulk { .. });
        }
    }
}

fn reaches_all_blocks(space: MemSpace) -> bool {
    matches!(space, MemSpace::Global | MemSpace::Generic)
}

/// Returns whether the result is independent of the order of operations.
fn commutes(op: Rmw, of_floats: bool) -> bool {
    match op {
        Rmw::And | Rmw::Or | Rmw::Xor | Rmw::Min | Rmw::Max => true,
        // Sums of floats depend on their order.
        Rmw::Add => !of_floats,
        Rmw::Inc | Rmw::Dec | Rmw::Exch | Rmw::Cas => false,
    }
}
