//! Whether two accesses of two threads can meet.

use crate::access::{Access, AccessKind, Space};
use crate::barriers::Phase;
use crate::cond::Cond;
use crate::exec::Summary;
use crate::facts::{Assumed, Assumption};
use crate::poly::{Poly, Sym};
use crate::question::Instance;
use crate::syms::{Axis, Info, Kind, Level};
use ptx::op::Scope;

/// How two threads stand to each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// In different blocks.
    Grid,
    /// In one block and in the same interval; by loop with barriers, the phases of both.
    Block { who: Who, phases: Vec<(Phase, Phase)> },
}

/// Which threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    Any,
    SameWarp,
    OtherWarps,
}

/// Nothing to ask: two reads, atomics of each other's scope, or different arrays.
pub fn harmless(
    summary: &Summary,
    a: &Access,
    b: &Access,
    relation: &Relation,
    assumed: &mut Assumed,
) -> bool {
    if a.kind == AccessKind::Read && b.kind == AccessKind::Read {
        return true;
    }
    if let (Some(p), Some(q)) = (a.strong, b.strong)
        && a.bytes == b.bytes
        && a.elements == b.elements
    {
        let enough = match relation {
            Relation::Grid => Scope::Gpu,
            Relation::Block { .. } => Scope::Cta,
        };
        if p >= enough && q >= enough {
            return true;
        }
    }
    match (a.space, b.space) {
        (Space::Shared, Space::Global) | (Space::Global, Space::Shared) => return true,
        (Space::Shared, Space::Shared) if *relation == Relation::Grid => return true,
        _ => {}
    }
    if let (Some(p), Some(q)) = (a.base, b.base)
        && p != q
    {
        let name = |s: Sym| match &summary.syms.get(s).kind {
            Kind::Shared(name) | Kind::Global(name) => Some(name.clone()),
            Kind::Param { index, offset, .. } => {
                Some(crate::exec::param_name(&summary.names, *index, *offset))
            }
            Kind::Local => Some("local memory".into()),
            _ => None,
        };
        if let (Some(p), Some(q)) = (name(p), name(q)) {
            let (p, q) = if p < q { (p, q) } else { (q, p) };
            assumed.insert(Assumption::Distinct(p, q));
            return true;
        }
    }
    false
}

/// Is it proved that they never overlap?
pub fn apart(summary: &Summary, a: &Access, b: &Access, relation: &Relation, tracked: &[usize]) -> bool {
    let syms = &summary.syms;
    let mut same_turn = 0u64;
    if let Relation::Block { phases, .. } = relation {
        for (&l, pair) in tracked.iter().zip(phases) {
            if matches!(
                pair,
                (Phase::Same, Phase::Same) | (Phase::Next, Phase::Next) | (Phase::First, Phase::First)
            ) {
                same_turn |= 1 << l;
            }
        }
    }
    let shares = |info: &Info| match relation {
        Relation::Grid => info.attr.level == Level::Grid && info.attr.loops == 0,
        Relation::Block { who, .. } => {
            let level = if *who == Who::SameWarp { Level::Warp } else { Level::Block };
            info.attr.level <= level && info.attr.loops & !same_turn == 0
        }
    };
    let mut question = Instance::of_two(syms, &shares);
    summary.given.iter().for_each(|c| question.assume(c));
    let whole = |x: &Access| x.base.map_or_else(|| x.offset.clone(), |s| x.offset.plus(&Poly::sym(s)));
    let (Some(p), Some(q)) = (question.lowered(&whole(a), 1), question.lowered(&whole(b), 2)) else {
        return false;
    };
    let distance = p.minus(&q);
    if a.bytes == b.bytes {
        // Both are multiples of their size, or the kernel fails.
        question.assert(&Cond::Eq(distance));
    } else {
        question.assert(&Cond::Ge(distance.plus_constant(i128::from(a.bytes) - 1)));
        question.assert(&Cond::Ge(distance.negated().plus_constant(i128::from(b.bytes) - 1)));
    }
    for (access, side) in [(a, 1), (b, 2)] {
        access.guard.iter().for_each(|c| question.assume_of(c, side));
    }
    different_elements(summary, &mut question);
    let mut differ = Vec::new();
    for (s, info) in syms.all() {
        let coordinate = match relation {
            Relation::Grid => matches!(info.kind, Kind::Ctaid(_)),
            Relation::Block { .. } => matches!(info.kind, Kind::Tid(_)),
        };
        if coordinate {
            let (p, q) = (question.variable(s, 1), question.variable(s, 2));
            differ.push(Cond::Ne(Poly::sym(p).minus(&Poly::sym(q))));
        }
    }
    debug_assert_eq!(differ.len(), Axis::ALL.len());
    let bounds = question.bounds().to_vec();
    let differ = Cond::Or(differ).simplified(&|s: Sym| bounds[s.0 as usize]);
    question.assert(&differ);
    if let (Relation::Block { who, .. }, Some((warp, _))) = (relation, &summary.warp)
        && let (Some(p), Some(q)) = (question.lowered(warp, 1), question.lowered(warp, 2))
    {
        match who {
            Who::Any => {}
            Who::SameWarp => question.assert(&Cond::eq(&p, &q)),
            Who::OtherWarps => question.assert(&Cond::eq(&p, &q).not()),
        }
    }
    if let Relation::Block { phases, .. } = relation {
        for (&l, &(p, q)) in tracked.iter().zip(phases) {
            phase_facts(summary, &mut question, l, p, q);
        }
    }
    question.refuted()
}

/// Where all elements of an array are different, equal ones were read at one place.
fn different_elements(summary: &Summary, question: &mut Instance<'_>) {
    for x in &summary.elements {
        for y in summary.elements.iter().filter(|y| (y.array, y.bytes) == (x.array, x.bytes)) {
            if !(question.mentions(x.value, 1) && question.mentions(y.value, 2)) {
                continue;
            }
            let values = (question.variable(x.value, 1), question.variable(y.value, 2));
            let places = (question.lowered(&x.offset, 1), question.lowered(&y.offset, 2));
            if let (Some(p), Some(q)) = places {
                let differ = Cond::Ne(Poly::sym(values.0).minus(&Poly::sym(values.1)));
                question.assert(&Cond::Or(vec![differ, Cond::eq(&p, &q)]));
            }
        }
    }
}

/// What phases say of the turns of both threads.
fn phase_facts(summary: &Summary, question: &mut Instance<'_>, l: usize, p: Phase, q: Phase) {
    let Some(turn) = summary.turns[l] else { return };
    for (phase, side) in [(p, 1), (q, 2)] {
        match phase {
            Phase::First => {
                question.assume_of(&Cond::Eq(Poly::sym(turn)), side);
                for (&head, (of, first)) in &summary.heads {
                    let used = question.mentions(head, side);
                    if *of == l && used {
                        question.assume_of(&Cond::eq(&Poly::sym(head), first), side);
                    }
                }
            }
            Phase::Further => question.assume_of(&Cond::Ge(Poly::sym(turn).plus_constant(-1)), side),
            _ => {}
        }
    }
    let (x, y) = (question.variable(turn, 1), question.variable(turn, 2));
    let difference = Poly::sym(y).minus(&Poly::sym(x));
    match (p, q) {
        (Phase::Same, Phase::Next) => question.assert(&Cond::Eq(difference.plus_constant(-1))),
        (Phase::Next, Phase::Same) => question.assert(&Cond::Eq(difference.plus_constant(1))),
        (Phase::Same, Phase::Later) => question.assert(&Cond::Ge(difference.plus_constant(-2))),
        (Phase::Later, Phase::Same) => question.assert(&Cond::Ge(difference.negated().plus_constant(-2))),
        (Phase::Next, Phase::Later) => question.assert(&Cond::Ge(difference.plus_constant(-1))),
        (Phase::Later, Phase::Next) => question.assert(&Cond::Ge(difference.negated().plus_constant(-1))),
        _ => {}
    }
}
