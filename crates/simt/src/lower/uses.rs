//! What a function can synchronise with, found without running it.

use super::registers::{is_seen, reads};
use events::task::SyncUse;
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Flat};
use ptx::op::{AtomOp, BarKind, Fence, Mem, MemSpace, Op, Rmw, Sem};

/// The union of two.
pub(super) fn join(a: SyncUse, b: SyncUse) -> SyncUse {
    SyncUse {
        partial_barriers: a.partial_barriers || b.partial_barriers,
        fences_or_strong: a.fences_or_strong || b.fences_or_strong,
        atomics: a.atomics || b.atomics,
        asynchronous: a.asynchronous || b.asynchronous,
        cluster: a.cluster || b.cluster,
        blocks_communicate: a.blocks_communicate || b.blocks_communicate,
    }
}

/// What the function itself uses; callees not counted.
pub(super) fn of(flat: &Flat<'_>) -> SyncUse {
    let mut uses = SyncUse::default();
    let reads = reads(flat);
    for inst in &flat.instructions {
        let Ok(op) = &inst.op else { continue };
        match op {
            Op::BarWarpSync => uses.partial_barriers = true,
            Op::Bar { kind, .. } => {
                let skip = usize::from(matches!(kind, BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr));
                let operands = inst.args.get(skip..).unwrap_or(&[]);
                // `bar.red` ends in its predicate.
                let with_count = operands.len() > 1 + skip;
                let zero = matches!(operands.first(), Some(Arg::Int(0)) | None);
                if *kind == BarKind::Arrive || with_count || !zero {
                    uses.partial_barriers = true;
                }
            }
            Op::ClusterArrive { .. } | Op::ClusterWait { .. } | Op::Mapa { .. } => uses.cluster = true,
            Op::Fence(fence) => match fence {
                Fence::Thread { .. } => uses.fences_or_strong = true,
                Fence::Proxy(_) => uses.asynchronous = true,
                Fence::MbarrierInit => uses.asynchronous = true,
            },
            Op::Ld(mem) | Op::Ldu(mem) => memory(&mut uses, mem, true),
            Op::St(mem) => memory(&mut uses, mem, false),
            Op::Atom(op) => {
                let returns = inst.args.first().is_some_and(|d| is_seen(d, &reads));
                atomic(&mut uses, op, returns);
            }
            Op::Red(op) => atomic(&mut uses, op, false),
            Op::Mbarrier { .. }
            | Op::CpAsync { .. }
            | Op::CpAsyncCommit
            | Op::CpAsyncWait { .. }
            | Op::CpAsyncMbarrierArrive { .. }
            | Op::CpAsyncBulk { .. }
            | Op::CpAsyncBulkCommit
            | Op::CpAsyncBulkWait { .. }
            | Op::StAsync { .. }
            | Op::RedAsync { .. } => uses.asynchronous = true,
            Op::CpReduceAsyncBulk { .. } => {
                uses.asynchronous = true;
                uses.blocks_communicate = true;
            }
            // Integers only: their order does not show.
            Op::Sured { .. } => uses.atomics = true,
            Op::GridDepControl { .. } => uses.fences_or_strong = true,
            // Output, the heap and conditions are shared by all blocks, and their order shows.
            Op::Call
                if inst.args.iter().any(|a| {
                    matches!(a, Arg::Symbol("vprintf" | "malloc" | "free" | "cudaGraphSetConditional", _))
                }) =>
            {
                uses.blocks_communicate = true;
            }
            _ => {}
        }
    }
    uses
}

fn memory(uses: &mut SyncUse, mem: &Mem, read: bool) {
    if mem.space == MemSpace::SharedCluster {
        uses.cluster = true;
    }
    if mem.sem == Sem::Weak
        || matches!(mem.space, MemSpace::Local | MemSpace::Param | MemSpace::ParamFunc | MemSpace::Const)
    {
        return;
    }
    uses.fences_or_strong = true;
    if read && matches!(mem.space, MemSpace::Global | MemSpace::Generic) {
        uses.blocks_communicate = true;
    }
}

fn atomic(uses: &mut SyncUse, op: &AtomOp, returns: bool) {
    uses.atomics = true;
    if op.mem.space == MemSpace::SharedCluster {
        uses.cluster = true;
    }
    if returns || op.mem.sem != Sem::Relaxed {
        uses.fences_or_strong = true;
    }
    let commutes = match op.op {
        Rmw::And | Rmw::Or | Rmw::Xor | Rmw::Min | Rmw::Max => true,
        // Sums of floats depend on their order.
        Rmw::Add => !op.mem.ty.is_float() || op.mem.ty == ScalarType::Pred,
        Rmw::Inc | Rmw::Dec | Rmw::Exch | Rmw::Cas => false,
    };
    if (returns || !commutes) && matches!(op.mem.space, MemSpace::Global | MemSpace::Generic) {
        uses.blocks_communicate = true;
    }
}
