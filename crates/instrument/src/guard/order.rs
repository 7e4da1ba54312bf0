//! The ordering effects of instructions, and the properties of a kernel that follow from them.

use super::access::publishes_objects;
use super::arrivals::Venue;
use super::bulk;
use super::called::{self, Calls};
use super::completion::{self, Wait};
use super::flags::{self, Found, Reach};
use super::meetings::{self, Group};
use super::pending;
use super::products::is_product;
use super::properties::Properties;
use super::{Options, emit};
use crate::collide::access::{Text, address, guard as guard_of};
use crate::edit::Edits;
use kernels::effects::{Control, Extent, Order, Place, TouchKind, effects, uses_descriptors};
use ptx::ast::{Operand, ScalarType};
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{BarKind, Fence, MbarrierOp, Op, ProxyFence, Sem};

/// Returns whether the operation starts copies or products that the clock follows.
fn is_bulk(op: &Op) -> bool {
    bulk::is_bulk(op) || is_product(op)
}

/// Returns whether it is a barrier of the whole block, the only kind that numbers its time.
fn whole(kind: BarKind, args: &[Arg<'_>]) -> bool {
    match kind {
        BarKind::Sync => matches!(args, [Arg::Int(0)]),
        BarKind::Arrive => false,
        BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr => matches!(args, [_, Arg::Int(0), _]),
    }
}

/// Returns whether a membermask names all lanes. A register counts if its only definition is all ones.
fn full(flat: &Flat<'_>, arg: Option<&Arg<'_>>) -> bool {
    let all = |value: i128| value as u32 == u32::MAX;
    match arg {
        Some(Arg::Int(value)) => all(*value),
        Some(Arg::Reg(id)) => {
            let mut definitions = flat.instructions.iter().filter(|inst| {
                let mut defines = false;
                kernels::registers::visit(inst, |place, written| {
                    defines |= written && place == kernels::registers::Place::Whole(*id);
                });
                defines
            });
            let said = definitions.next().is_some_and(|inst| {
                let value = matches!(inst.args.get(1), Some(Arg::Int(value)) if all(*value));
                matches!(inst.op, Ok(Op::Mov { .. })) && inst.guard.is_none() && value
            });
            said && definitions.next().is_none()
        }
        _ => false,
    }
}

/// Returns the properties common to all of these functions.
pub(super) fn known(flats: &[&Flat<'_>], calls: &Calls<'_>) -> Properties {
    let mut known = Properties {
        blocks: true,
        warps: true,
        clock: false,
        far: false,
        fine: false,
        fences: false,
        reads: true,
        bulk: false,
        arrive: false,
        meets: flats.iter().any(|flat| flat.instructions.iter().any(|inst| is_partial(flat, inst))),
        module_meets: false,
        clusters: false,
        early: false,
        left: 0,
        arrivals: false,
        counts: false,
    };
    let all = || flats.iter().flat_map(|flat| flat.instructions.iter().map(move |inst| (*flat, inst)));
    let (mut fine, mut sc) = (true, false);
    for (flat, inst) in all() {
        let exact = is_exact(inst) && !calls.unknown(inst);
        known.reads &= exact;
        fine &= exact && has_location(flat, inst);
        sc |= matches!(inst.op, Ok(Op::Fence(Fence::Thread { sem: Sem::Sc, .. })));
        known.arrive |= inst.op.as_ref().is_ok_and(|op| {
            let alone =
                matches!(op, Op::CpAsyncMbarrierArrive { .. } | Op::StAsync { .. } | Op::RedAsync { .. });
            alone || is_bulk(op) && !matches!(op, Op::Wgmma(_))
        });
        match &inst.op {
            Ok(Op::Bar { kind, .. }) if !whole(*kind, &inst.args) => known.blocks = false,
            Ok(Op::BarWarpSync) if !full(flat, inst.args.first()) => known.warps = false,
            // The clock tells whether the copy was waited for.
            Ok(op) if is_bulk(op) => (known.clock, known.bulk) = (true, true),
            _ if calls.unknown(inst) => (known.blocks, known.warps) = (false, false),
            _ => {}
        }
    }
    let (mut releases, mut acquires) = (false, false);
    for (flat, inst) in all() {
        let ordering = ordering(flat, inst, known, calls);
        known.clock |= ordering.acquires;
        releases |= ordering.releases && ordering.reach != Reach::Block;
        acquires |= ordering.acquires && ordering.reach != Reach::Block;
    }
    known.far = releases && acquires;
    known.fine = known.far && fine;
    known.fences = known.far && known.clock && sc;
    known
}

/// Returns whether the ordering effect of an instruction and its memory are known.
fn is_exact(inst: &FlatInstruction<'_>) -> bool {
    let Ok(op) = &inst.op else { return false };
    let heap = matches!(op, Op::Call) && called::is_heap(inst);
    let odd = match op {
        Op::Unknown | Op::Multimem | Op::StAsync { .. } | Op::RedAsync { .. } | Op::GridDepControl { .. } => {
            true
        }
        Op::Fence(Fence::Proxy(fence)) => !matches!(fence, ProxyFence::Async { .. }),
        op => uses_descriptors(op),
    };
    !heap && !odd
}

/// Returns whether every strong access of an instruction has one element and a known address.
fn has_location(flat: &Flat<'_>, inst: &FlatInstruction<'_>) -> bool {
    let Ok(op) = &inst.op else { return false };
    effects(op, &inst.args).touches.iter().all(|touch| {
        let image = matches!(touch.place, Place::Texture | Place::Surface);
        let one = matches!(touch.extent, Extent::Elements { count: 1, .. });
        touch.sem == Sem::Weak
            || image
            || is_bulk(op)
            || one && address(flat, inst, "", touch.operand).is_ok()
    })
}

/// The ordering effect of an instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Ordering {
    /// The barrier count, for a barrier that numbers time.
    counts: Option<emit::Count>,
    /// Whether it is a fence.
    fence: bool,
    releases: bool,
    acquires: bool,
    /// The reach of the release or acquire.
    reach: Reach,
}

fn ordering(flat: &Flat<'_>, inst: &FlatInstruction<'_>, known: Properties, calls: &Calls<'_>) -> Ordering {
    let mut out = Ordering::default();
    let Ok(op) = &inst.op else { return out };
    let effects = effects(op, &inst.args);
    out.reach = Reach::Device;
    match effects.order {
        // Products of a warpgroup are complete when one of its warps has waited.
        Some(Order::Warpgroup) if matches!(op, Op::Wgmma(_) | Op::WgmmaWait) => {
            (out.releases, out.acquires) = (matches!(op, Op::Wgmma(_)), matches!(op, Op::WgmmaWait));
            out.reach = Reach::Block;
        }
        // The thread's own asynchronous copies.
        None
        | Some(
            Order::Rendezvous | Order::Aligned | Order::AsyncGroup | Order::Warpgroup | Order::TensorMemory,
        ) => {}
        // It orders no threads. The clock advances: accesses before it are told from those behind it.
        Some(Order::Fence(Fence::Proxy(ProxyFence::Async { .. }))) => {
            (out.releases, out.reach) = (true, Reach::Block);
        }
        // It releases objects, and no data. Before relaxed arrivals of the cluster it counts as a release of both.
        Some(Order::Fence(Fence::MbarrierInit)) => {
            (out.releases, out.fence) = (true, publishes_objects(flat));
            out.reach = if out.fence { Reach::Cluster } else { Reach::Block };
        }
        Some(Order::Barrier(kind)) if whole(kind, &inst.args) => {
            out.counts = Some(emit::BLOCK);
            (out.releases, out.acquires) = (!known.blocks, !known.blocks);
            out.reach = Reach::Block;
        }
        // `bar.arrive` does not wait.
        Some(Order::Barrier(BarKind::Arrive)) => (out.releases, out.reach) = (true, Reach::Block),
        Some(Order::Mbarrier(operation)) => {
            out.releases = matches!(operation, MbarrierOp::Arrive { .. } | MbarrierOp::CompleteTx);
            out.acquires = matches!(operation, MbarrierOp::Wait { .. });
            out.reach = reach(op, known);
        }
        Some(Order::WarpBarrier) => {
            out.counts = full(flat, inst.args.first()).then_some(emit::WARP);
            (out.releases, out.acquires) = (!known.warps, !known.warps);
            out.reach = Reach::Block;
        }
        Some(Order::ClusterArrive(sem)) => out.releases = sem != Sem::Relaxed,
        Some(Order::ClusterWait) => out.acquires = true,
        Some(order) => {
            (out.releases, out.acquires) = (true, true);
            out.fence = matches!(order, Order::Fence(_));
            out.reach = match order {
                Order::Fence(Fence::Thread { scope, .. }) => Reach::of(scope),
                Order::Barrier(_) => Reach::Block,
                _ => Reach::Device,
            };
        }
    }
    if effects.control == Control::Call && (called::is_heap(inst) || calls.unknown(inst)) {
        (out.releases, out.acquires, out.reach) = (true, true, Reach::Device);
    }
    // These arrive when the thread's copies complete, as bulk copies do.
    let stores = matches!(op, Op::StAsync { .. } | Op::RedAsync { .. });
    out.releases |= stores || matches!(op, Op::CpAsyncMbarrierArrive { .. }) || is_bulk(op);
    for touch in &effects.touches {
        let releases = matches!(touch.sem, Sem::Release | Sem::AcqRel);
        let acquires = matches!(touch.sem, Sem::Acquire | Sem::AcqRel);
        if (releases || acquires) && !(out.releases || out.acquires) {
            out.reach = Reach::of(touch.scope);
        } else if releases || acquires {
            out.reach = out.reach.max(Reach::of(touch.scope));
        }
        out.releases |= releases;
        out.acquires |= acquires;
    }
    out
}

/// Returns the reach of an `mbarrier` operation. A wait acquires from asynchronous operations of other blocks whatever its
/// scope.
fn reach(op: &Op, known: Properties) -> Reach {
    match op {
        Op::Mbarrier { op: MbarrierOp::Wait { .. }, .. } if known.arrive => Reach::Device,
        Op::Mbarrier { scope, .. } => Reach::of(*scope),
        _ => Reach::Device,
    }
}

/// Returns the register with an instruction's result.
fn found<'t>(flat: &Flat<'_>, inst: &FlatInstruction<'_>, text: &'t str) -> Found<'t> {
    let (Some(Arg::Reg(id)), Some(Operand::Name(name))) = (inst.args.first(), inst.source.operands.first())
    else {
        return Found::Nothing;
    };
    let Some(spelled) = text.get(name.span.start as usize..name.span.end as usize) else {
        return Found::Nothing;
    };
    let register = &flat.registers[id.0 as usize];
    match (&inst.op, register.ty) {
        (Ok(Op::Mbarrier { .. }), ScalarType::Pred) => Found::Whether(spelled),
        (Ok(Op::Ld(_) | Op::Atom(_)), ty) if register.vector == 1 && matches!(ty.bits(), 32 | 64) => {
            Found::Value(spelled, ty.bits())
        }
        _ => Found::Nothing,
    }
}

/// A strong access to memory that other blocks may share: its address, whether it writes, and whether its
/// result observes other writes.
struct Flag<'t> {
    at: (Text<'t>, i64),
    writes: bool,
    reads: bool,
}

/// Returns the flag that an instruction may write or read; `None` for most instructions.
fn flag<'t>(flat: &Flat<'_>, inst: &FlatInstruction<'_>, text: &'t str) -> Option<Flag<'t>> {
    let op = inst.op.as_ref().ok()?;
    let effects = effects(op, &inst.args);
    let touch = effects
        .touches
        .iter()
        .find(|touch| touch.sem != Sem::Weak && matches!(touch.place, Place::Memory(_)))?;
    if !matches!(op, Op::Ld(_) | Op::St(_) | Op::Atom(_) | Op::Red(_)) {
        return None;
    }
    Some(Flag {
        at: address(flat, inst, text, touch.operand).ok()?,
        writes: touch.kind != TouchKind::Read,
        // PTX §8.8: a reduction has no result, and acquires nothing.
        reads: matches!(op, Op::Ld(_) | Op::Atom(_)),
    })
}

/// Returns whether it is a barrier of some threads, of a warp or of the block.
pub(super) fn is_partial(flat: &Flat<'_>, inst: &FlatInstruction<'_>) -> bool {
    match &inst.op {
        Ok(Op::Bar { kind, .. }) => !whole(*kind, &inst.args),
        Ok(Op::BarWarpSync) => !full(flat, inst.args.first()),
        _ => false,
    }
}

/// Returns the participants of such a barrier, and whether they wait for each other.
fn group<'t>(flat: &Flat<'_>, inst: &FlatInstruction<'_>, text: &'t str) -> Option<(Group<'t>, bool)> {
    if !is_partial(flat, inst) {
        return None;
    }
    let spelled = |operand: usize| {
        let span = match (inst.args.get(operand)?, inst.source.operands.get(operand)?) {
            (Arg::Reg(_), Operand::Name(name)) => name.span,
            (Arg::Int(_), Operand::Int(_, span)) => *span,
            _ => return None,
        };
        text.get(span.start as usize..span.end as usize)
    };
    match &inst.op {
        Ok(Op::Bar { kind: BarKind::Sync, .. }) => Some((Group::Named(spelled(0)?), true)),
        Ok(Op::Bar { kind: BarKind::Arrive, .. }) => Some((Group::Named(spelled(0)?), false)),
        Ok(Op::Bar { .. }) => Some((Group::Named(spelled(1)?), true)),
        Ok(Op::BarWarpSync) => Some((Group::Lanes(spelled(0)?), true)),
        _ => None,
    }
}

/// Returns whether threads may synchronise at an instruction, and whether all threads of a block do.
pub(super) fn meets_others(
    flat: &Flat<'_>,
    inst: &FlatInstruction<'_>,
    known: Properties,
    calls: &Calls<'_>,
) -> (bool, bool) {
    let Ordering { counts, acquires, .. } = ordering(flat, inst, known, calls);
    let whole = counts.is_some_and(emit::Count::is_block);
    (whole || counts.is_some() || acquires || is_partial(flat, inst), whole)
}

/// Inserts the text for the ordering effects of an instruction.
pub(super) fn order(
    (flat, inst, text): (&Flat<'_>, &FlatInstruction<'_>, &str),
    (known, calls): (Properties, &Calls<'_>),
    options: &Options,
    edits: &mut Edits<'_>,
) {
    let Ordering { counts, fence, releases, acquires, reach } = ordering(flat, inst, known, calls);
    let (guard, span) = (guard_of(inst), inst.source.span);
    let (found, flag) = (found(flat, inst, text), flag(flat, inst, text));
    if let Some(count) = counts {
        edits.insert(span.start, emit::wrap(&guard, count, known, options));
        edits.insert_behind(span.end, emit::count(&guard, count, known, options));
    }
    let reach = if known.far { reach } else { Reach::Block };
    let done = Wait::of(flat, inst, text).filter(|_| known.bulk);
    let at = flag.as_ref().filter(|_| known.fine).map(|flag| flag.at);
    let group = group(flat, inst, text).filter(|_| known.meets);
    // Without acquires the clock orders nothing.
    let arrival = Venue::of_arrival(flat, inst, text, known).filter(|_| known.clock);
    if releases && known.clock {
        let how = if fence { flags::Release::Fence } else { flags::Release::At(at) };
        edits.insert(span.start, flags::release(&guard, (how, reach, arrival), known, options));
    } else if let Some(arrival) = arrival {
        let unordered = match inst.op {
            Ok(Op::ClusterArrive { .. } | Op::Ret | Op::Exit) => arrival.relaxed(&guard, options),
            _ => arrival.ticked(&guard, options),
        };
        edits.insert(span.start, unordered);
    }
    // Behind the release, whose clock they use.
    if known.bulk
        && let Some(before) = completion::before((flat, inst, text), &guard, known, options)
    {
        edits.insert(span.start, before);
    }
    let meets = known.fences && matches!(inst.op, Ok(Op::Bar { .. } | Op::BarWarpSync));
    if meets {
        edits.insert(span.start, pending::hands_on(&guard, known, options));
    }
    let met = group.map(|(group, waits)| meetings::meeting(&guard, group, waits, options));
    if let Some([before, _]) = &met {
        edits.insert(span.start, before.clone());
    }
    // A write of a flag extends the reach of the operations before an earlier fence.
    if known.fine && !(releases && reach == Reach::Device) {
        let arrives = matches!(
            inst.op,
            Ok(Op::ClusterArrive { .. } | Op::Mbarrier { op: MbarrierOp::Arrive { .. }, .. })
        );
        match &flag {
            Some(flag) if flag.writes => {
                edits.insert(span.start, flags::raise(&guard, Some(flag.at), options))
            }
            _ if arrives => edits.insert(span.start, flags::raise(&guard, None, options)),
            _ => {}
        }
    }
    if let Some(flag) = flag.filter(|flag| flag.reads && known.clock) {
        let at = flag.at;
        let [before, behind] = flags::look(&guard, at, found, known.fine, options);
        edits.insert(span.start, before);
        edits.insert_behind(span.end, behind);
    }
    if let Some(done) = done.as_ref().filter(|_| !acquires) {
        edits.insert_behind(span.end, emit::waited(&guard, done, known, options));
    }
    if acquires {
        // A fence acquires through earlier reads; the clock increment of its own release does not count.
        let arrivals = Venue::of_wait(flat, inst, text, known);
        let from = flags::From { fence, reach, flag: at.is_some(), some: group.is_some(), arrivals };
        edits.insert_behind(span.end, flags::acquire(&guard, found, from, done.as_ref(), known, options));
    }
    if let Some([_, behind]) = met {
        edits.insert_behind(span.end, behind);
    }
    if meets && !matches!(inst.op, Ok(Op::Bar { kind: BarKind::Arrive, .. })) {
        let whole = counts.is_some_and(emit::Count::is_block);
        edits.insert_behind(span.end, pending::takes(&guard, whole, known, options));
    }
}
