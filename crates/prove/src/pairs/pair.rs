//! Decides whether two accesses of two threads can overlap.

use crate::exec::{Element, Summary};
use crate::facts::{Assumed, Assumption};
use crate::kernel::access::{Access, AccessKind, Doer, Space};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::{Poly, Sym};
use crate::solver::smt::Smt;
use crate::solver::symbols::{Axis, Info, Kind, Level};
use crate::sync::barriers::Phase;
use ptx::op::{Scope, Sem};

/// Two accesses that were not proved apart, by index in [`Summary::accesses`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPair {
    pub first: usize,
    pub second: usize,
    pub same_block: bool,
}

/// The relation of two threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// In different blocks.
    Grid,
    /// In different blocks, in the same interval between barriers of the grid; with both phases by loop with
    /// such barriers.
    Blocks { phases: Vec<(Phase, Phase)> },
    /// In one block, in the same interval; with both phases by loop with barriers.
    Block { threads: Threads, phases: Vec<(Phase, Phase)> },
    /// In different blocks of one cluster, in the same interval between its barriers; with both phases by
    /// loop with such barriers.
    Cluster { phases: Vec<(Phase, Phase)> },
    /// One thread: the first access is a copy that it has begun, and the second one precedes the wait for it;
    /// with their phases by loop.
    Own { phases: Vec<(Phase, Phase)> },
}

/// The pair of threads within a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Threads {
    Any,
    OtherWarps,
    /// Both are in this group of lanes ([`Summary::lanes`]), and in no later one.
    Lanes(u8),
}

/// Returns whether a pair needs no query: two reads, atomics within each other's scope, or different arrays.
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
        && (a.bytes == b.bytes && a.elements == b.elements || of_one_word(a, b))
    {
        let enough = match relation {
            Relation::Grid | Relation::Blocks { .. } => Scope::Gpu,
            Relation::Cluster { .. } => Scope::Cluster,
            Relation::Block { .. } | Relation::Own { .. } => Scope::Cta,
        };
        if p >= enough && q >= enough {
            return true;
        }
    }
    match (a.space, b.space) {
        (Space::Shared | Space::Distributed, Space::Global)
        | (Space::Global, Space::Shared | Space::Distributed) => return true,
        (Space::Shared, Space::Shared)
            if matches!(relation, Relation::Grid | Relation::Blocks { .. } | Relation::Cluster { .. }) =>
        {
            return true;
        }
        _ => {}
    }
    of_different_arrays(summary, a, b, assumed)
}

/// Returns whether two accesses are of arrays that are assumed to be different.
fn of_different_arrays(summary: &Summary, a: &Access, b: &Access, assumed: &mut Assumed) -> bool {
    let (Some(p), Some(q)) = (a.base, b.base) else { return false };
    // Rows of one table may be the same, and so may rows of two.
    let is_row = |s: Sym| summary.row(s).is_some();
    if p == q || is_row(p) && is_row(q) {
        return false;
    }
    if [p, q].into_iter().any(|s| matches!(summary.syms.get(s).kind, Kind::Tensor(_))) {
        assumed.insert(Assumption::TensorsDivided);
        return true;
    }
    let name = |s: Sym| match &summary.syms.get(s).kind {
        Kind::Shared(name) | Kind::Global(name) => Some(name.clone()),
        Kind::Param { index, offset, .. } => Some(crate::exec::param_name(&summary.names, *index, *offset)),
        Kind::Local => Some("local memory".into()),
        Kind::Env(_) => Some("the memory of the grid's barrier".into()),
        _ => summary.row(s).map(|_| "the rows".to_owned()),
    };
    let of_device =
        |s: Sym| is_row(s) || matches!(&summary.syms.get(s).kind, Kind::Param { .. } | Kind::Global(_));
    if of_device(p) && of_device(q) && (summary.is_loose(p) || summary.is_loose(q)) {
        return false;
    }
    let (Some(p), Some(q)) = (name(p), name(q)) else { return false };
    let (p, q) = if p < q { (p, q) } else { (q, p) };
    assumed.insert(Assumption::Distinct(p, q));
    true
}

/// Returns whether one access is a strong load or store of a byte or a half, and the other a strong read (of
/// an atomic, for example) of a word, as libcu++ implements its small atomics. Both are aligned, or the
/// kernel fails: if they overlap, the part lies in the word, and they access one location (assumption 6a).
fn of_one_word(a: &Access, b: &Access) -> bool {
    let plain = |x: &Access| x.elements == 1 && x.sem != Sem::Volatile;
    let is_part = |x: &Access| matches!(x.bytes, 1 | 2) && x.kind != AccessKind::Atomic;
    let is_word = |x: &Access| x.bytes == 4 && x.kind != AccessKind::Write;
    plain(a) && plain(b) && (is_part(a) && is_word(b) || is_part(b) && is_word(a))
}

impl Relation {
    /// Returns the relation of any two threads of one block, at any time.
    pub(crate) fn any_of_block() -> Relation {
        Relation::Block { threads: Threads::Any, phases: Vec::new() }
    }

    /// Returns the relation from the other thread's view.
    pub(crate) fn turned(&self) -> Relation {
        match self {
            Relation::Grid => Relation::Grid,
            Relation::Block { threads, phases } => {
                Relation::Block { threads: *threads, phases: phases.iter().map(|&(p, q)| (q, p)).collect() }
            }
            Relation::Blocks { phases } => {
                Relation::Blocks { phases: phases.iter().map(|&(p, q)| (q, p)).collect() }
            }
            Relation::Cluster { phases } => {
                Relation::Cluster { phases: phases.iter().map(|&(p, q)| (q, p)).collect() }
            }
            Relation::Own { phases } => {
                Relation::Own { phases: phases.iter().map(|&(p, q)| (q, p)).collect() }
            }
        }
    }
}

/// Two accesses of two threads, and the threads' relation.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) summary: &'a Summary,
    pub(crate) relation: &'a Relation,
    /// Loops whose iterations barriers distinguish.
    pub(crate) tracked: &'a [usize],
}

/// Returns whose value of a symbol a thread of a query sees: 0 is shared by all. Threads 1 and 2 are those of
/// the pair; 3 is any thread, 4 any thread of the second one's block, 5 any thread of the first one's.
pub(crate) fn home(info: &Info, side: u8, pair: Pair<'_>) -> u8 {
    let attr = info.attr;
    let of_block = attr.level <= Level::Block && attr.loops == 0;
    match side {
        1 | 2 => {
            let shared = match pair.relation {
                Relation::Grid => attr.level == Level::Grid && attr.loops == 0,
                Relation::Block { phases, .. }
                | Relation::Blocks { phases }
                | Relation::Cluster { phases }
                | Relation::Own { phases } => {
                    let level = match pair.relation {
                        Relation::Cluster { .. } | Relation::Blocks { .. } => Level::Grid,
                        Relation::Own { .. } => Level::Thread,
                        Relation::Block { threads: Threads::Lanes(_), .. } => Level::Warp,
                        _ => Level::Block,
                    };
                    let in_turn = |(l, pair): (&usize, &(Phase, Phase))| match pair {
                        (Phase::Same, Phase::Same)
                        | (Phase::Next, Phase::Next)
                        | (Phase::First, Phase::First) => 1u64 << l,
                        (Phase::Ago(n), Phase::Ago(m)) if n == m => 1u64 << l,
                        _ => 0,
                    };
                    let same_turn = pair.tracked.iter().zip(phases).map(in_turn).fold(0, |m, l| m | l);
                    attr.level <= level && attr.loops & !same_turn == 0
                }
            };
            if shared { 0 } else { side }
        }
        4 if of_block => home(info, 2, pair),
        5 if of_block => home(info, 1, pair),
        _ if attr.level == Level::Grid && attr.loops == 0 => 0,
        _ => side,
    }
}

/// Returns whether the accesses are proved never to overlap.
///
/// The first attempt uses their addresses only: an unrolled loop has many guards, most of which only bound
/// its iterations.
pub(crate) fn apart(pair: Pair<'_>, a: &Access, b: &Access) -> bool {
    let home = |info: &Info, side: u8| home(info, side, pair);
    let refuted = |a: &Access, b: &Access, bare: bool| {
        let mut question = Instance::of_many(&pair.summary.syms, &home);
        question.bare = bare;
        meet(pair, a, b, &mut question).is_some() && question.refuted()
    };
    let bare = |x: &Access| Access { guard: Vec::new(), ..x.clone() };
    let guarded = !(a.guard.is_empty() && b.guard.is_empty());
    guarded && refuted(&bare(a), &bare(b), true) || refuted(a, b, false)
}

/// Returns whether an SMT solver proves that the accesses never overlap.
pub(crate) fn apart_by(smt: &Smt, pair: Pair<'_>, a: &Access, b: &Access, stop: &dyn Fn() -> bool) -> bool {
    let home = |info: &Info, side: u8| home(info, side, pair);
    let mut question = Instance::of_many(&pair.summary.syms, &home);
    meet(pair, a, b, &mut question).is_some() && smt.refutes(&question.smt(), stop)
}

/// Asserts that two different threads make both accesses and that these overlap. Returns `None` if the query
/// becomes too large.
pub(crate) fn meet(pair: Pair<'_>, a: &Access, b: &Access, question: &mut Instance<'_>) -> Option<()> {
    let Pair { summary, relation, tracked } = pair;
    summary.given.iter().for_each(|c| question.assume(c));
    let whole = |x: &Access| x.base.map_or_else(|| x.offset.clone(), |s| x.offset.plus(&Poly::sym(s)));
    let (p, q) = (question.lowered(&whole(a), 1)?, question.lowered(&whole(b), 2)?);
    let distance = p.minus(&q);
    // A matrix's rows, bulk copies and tiles may begin at any address.
    let aligned = |x: &Access| !(matches!(x.doer, Doer::Warp { row: Some(_) }) || x.doer.is_async_proxy());
    if a.bytes == b.bytes && aligned(a) && aligned(b) {
        // Both are multiples of their size, or the kernel fails.
        question.assert(&Cond::Eq(distance.clone()));
    } else {
        question.assert(&Cond::Ge(distance.plus_constant(i128::from(a.bytes) - 1)));
        question.assert(&Cond::Ge(distance.negated().plus_constant(i128::from(b.bytes) - 1)));
    }
    for (access, side) in [(a, 1), (b, 2)] {
        access.guard.iter().for_each(|c| question.assume_of(c, side));
    }
    elements(summary, question);
    of_one_row(summary, (a, b), question);
    in_one_memory(summary, a, b, question);
    apart_by_threads(pair, (a, b), &distance, question);
    if let Relation::Block { phases, .. }
    | Relation::Blocks { phases }
    | Relation::Cluster { phases }
    | Relation::Own { phases } = relation
    {
        for (&l, &(p, q)) in tracked.iter().zip(phases) {
            phase_facts(summary, question, l, p, q);
        }
    }
    Some(())
}

/// Asserts that both accesses are in the shared memory of one block.
fn in_one_memory(summary: &Summary, a: &Access, b: &Access, question: &mut Instance<'_>) {
    let Some(cluster) = summary.cluster.as_ref().filter(|_| a.rank.is_some() || b.rank.is_some()) else {
        return;
    };
    let rank = |x: &Access| x.rank.clone().unwrap_or_else(|| cluster.rank.clone());
    if let (Some(p), Some(q)) = (question.lowered(&rank(a), 1), question.lowered(&rank(b), 2)) {
        question.assert(&Cond::eq(&p, &q));
    }
}

/// Asserts that the two threads are in different blocks of one cluster.
fn in_one_cluster(summary: &Summary, question: &mut Instance<'_>) {
    let Some(cluster) = &summary.cluster else { return };
    if let (Some(p), Some(q)) = (question.lowered(&cluster.rank, 1), question.lowered(&cluster.rank, 2)) {
        question.assert(&Cond::Ne(p.minus(&q)));
    }
    for place in &cluster.place {
        if let (Some(p), Some(q)) = (question.lowered(place, 1), question.lowered(place, 2)) {
            question.assert(&Cond::eq(&p, &q));
        }
    }
}

/// Asserts that the two threads differ, as far as the pair requires it.
fn apart_by_threads(
    pair: Pair<'_>,
    (a, b): (&Access, &Access),
    distance: &Poly,
    question: &mut Instance<'_>,
) {
    let Pair { summary, relation, .. } = pair;
    if matches!(relation, Relation::Cluster { .. }) {
        return in_one_cluster(summary, question);
    }
    let syms = &summary.syms;
    let mut differ = Vec::new();
    for (s, info) in syms.all() {
        let coordinate = match relation {
            Relation::Grid | Relation::Blocks { .. } => matches!(info.kind, Kind::Ctaid(_)),
            Relation::Block { .. } => matches!(info.kind, Kind::Tid(_)),
            Relation::Cluster { .. } | Relation::Own { .. } => false,
        };
        if coordinate {
            let (p, q) = (question.variable(s, 1), question.variable(s, 2));
            differ.push(Cond::Ne(Poly::sym(p).minus(&Poly::sym(q))));
        }
    }
    debug_assert!(differ.len() == Axis::ALL.len() || matches!(relation, Relation::Own { .. }));
    let bounds = question.bounds().to_vec();
    let differ = Cond::Or(differ).simplified(&|s: Sym| bounds[s.0 as usize]);
    let own = matches!(relation, Relation::Own { .. });
    match (&a.doer, &b.doer) {
        _ if own => {}
        // A product is made by other threads of its warpgroup, too.
        (x, y) if !matches!(x, Doer::Warp { .. }) && !matches!(y, Doer::Warp { .. }) => {
            question.assert(&differ)
        }
        _ if matches!(relation, Relation::Grid | Relation::Blocks { .. }) => question.assert(&differ),
        // One instruction gives each lane the same part of a row each time, so only the threads that supply
        // addresses, or the rows of one address, must differ.
        (Doer::Warp { row: None }, Doer::Warp { row: None }) if a.inst == b.inst => question.assert(&differ),
        (Doer::Warp { row: Some(x) }, Doer::Warp { row: Some(y) }) if a.inst == b.inst => {
            if let Some(warp) = &summary.warp_number
                && let (Some(p), Some(q)) = (question.lowered(warp, 1), question.lowered(warp, 2))
            {
                let (x, y) = (question.variable(*x, 1), question.variable(*y, 2));
                let rows = Cond::Ne(Poly::sym(x).minus(&Poly::sym(y)));
                question.assert(&Cond::Or(vec![Cond::eq(&p, &q).not(), rows, Cond::Ne(distance.clone())]));
            }
        }
        // The thread that supplies an address or begins a copy may be the same as the other one.
        _ => {}
    }
    if let (Relation::Block { threads, .. }, Some(groups)) = (relation, &summary.lanes) {
        let at = match threads {
            Threads::Any => return,
            Threads::OtherWarps => None,
            Threads::Lanes(n) => Some(usize::from(*n)),
        };
        for (n, group) in groups.iter().enumerate() {
            let Some(both) = group.both(question) else { continue };
            match at {
                Some(at) if n == at => question.assert(&both),
                Some(at) if n < at => {}
                _ => question.assert(&both.not()),
            }
        }
    }
}

/// Asserts facts about elements: if all elements of an array are different, equal ones were read at one
/// index; if they do not decrease, a later element is not smaller. Each is within the bounds of all.
fn elements(summary: &Summary, question: &mut Instance<'_>) {
    for x in &summary.elements {
        for side in [1, 2] {
            within_bounds(x, question, side);
        }
        for y in summary.elements.iter().filter(|y| (y.array, y.bytes) == (x.array, x.bytes)) {
            if !(question.mentions(x.value, 1) && question.mentions(y.value, 2)) {
                continue;
            }
            let values = (question.variable(x.value, 1), question.variable(y.value, 2));
            let places = (question.lowered(&x.offset, 1), question.lowered(&y.offset, 2));
            if let (Some(p), Some(q)) = places {
                let (v, w) = (Poly::sym(values.0), Poly::sym(values.1));
                if x.different {
                    question.assert(&Cond::Or(vec![Cond::Ne(v.minus(&w)), Cond::eq(&p, &q)]));
                }
                if x.grow {
                    question.assert(&Cond::Or(vec![Cond::lt(&q, &p), Cond::le(&v, &w)]));
                    question.assert(&Cond::Or(vec![Cond::lt(&p, &q), Cond::le(&w, &v)]));
                }
            }
        }
    }
}

/// Asserts that an element that a side reads is within the bounds of its array's elements.
fn within_bounds(x: &Element, question: &mut Instance<'_>, side: u8) {
    let (value, [least, most]) = (Poly::sym(x.value), &x.bounds);
    if question.mentions(x.value, side) {
        let conditions =
            [least.as_ref().map(|b| Cond::le(b, &value)), most.as_ref().map(|b| Cond::le(&value, b))];
        conditions.iter().flatten().for_each(|c| question.assume_of(c, side));
    }
}

/// Asserts that accesses of rows of one table meet in one row only: each of its elements leads to an array of its own, and
/// no access leaves its array.
fn of_one_row(summary: &Summary, (a, b): (&Access, &Access), question: &mut Instance<'_>) {
    let row = |x: &Access| x.base.and_then(|base| summary.row(base));
    let (Some(x), Some(y)) = (row(a), row(b)) else { return };
    if (x.array, x.bytes) != (y.array, y.bytes) {
        return;
    }
    let values = (question.variable(x.value, 1), question.variable(y.value, 2));
    let places = (question.lowered(&x.offset, 1), question.lowered(&y.offset, 2));
    if let (Some(p), Some(q)) = places {
        question.assert(&Cond::eq(&p, &q));
        question.assert(&Cond::eq(&Poly::sym(values.0), &Poly::sym(values.1)));
    }
}

/// Asserts what phases say about the iterations of both threads.
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
    // Iterations are counted from the one in which the interval began; that one is known if a copy was made
    // before the loop.
    let begun = [p, q].into_iter().find_map(|phase| match phase {
        Phase::Entered(n) => Some(n),
        _ => None,
    });
    if let Some(n) = begun {
        for (phase, side) in [(p, 1), (q, 2)] {
            if let Some((from, than)) = from_begin(phase) {
                let turn = Poly::sym(turn).plus_constant(-(i128::from(n) + from));
                let holds = match than {
                    Than::Exactly => Cond::Eq(turn),
                    Than::AtLeast => Cond::Ge(turn),
                    Than::AtMost => Cond::Ge(turn.negated()),
                };
                question.assume_of(&holds, side);
            }
        }
    }
    let (x, y) = (question.variable(turn, 1), question.variable(turn, 2));
    let difference = Poly::sym(y).minus(&Poly::sym(x));
    let (Some((n, of_x)), Some((m, of_y))) = (from_begin(p), from_begin(q)) else { return };
    let further = difference.plus_constant(n - m);
    match (of_x, of_y) {
        (Than::Exactly, Than::Exactly) if (n, m) == (0, 0) => {}
        (Than::Exactly, Than::Exactly) => question.assert(&Cond::Eq(further)),
        (Than::Exactly | Than::AtMost, Than::Exactly | Than::AtLeast) => question.assert(&Cond::Ge(further)),
        (Than::Exactly | Than::AtLeast, Than::Exactly | Than::AtMost) => {
            question.assert(&Cond::Ge(further.negated()));
        }
        (Than::AtLeast, Than::AtLeast) | (Than::AtMost, Than::AtMost) => {}
    }
}

/// The relation of a number to a bound.
enum Than {
    Exactly,
    AtLeast,
    AtMost,
}

/// Returns how many iterations after the beginning of the interval.
fn from_begin(phase: Phase) -> Option<(i128, Than)> {
    match phase {
        Phase::Same => Some((0, Than::Exactly)),
        Phase::Next => Some((1, Than::Exactly)),
        Phase::Later => Some((2, Than::AtLeast)),
        Phase::Ago(n) => Some((-i128::from(n), Than::Exactly)),
        Phase::LongAgo(n) => Some((-i128::from(n), Than::AtMost)),
        Phase::Out | Phase::First | Phase::Further | Phase::Entered(_) | Phase::Lost => None,
    }
}
