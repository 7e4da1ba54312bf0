//! Decides whether mbarriers order two accesses of a block ([`crate::sync::pipeline`]).

use crate::kernel::access::{Access, Doer};
use crate::pairs::pair::{Pair, Relation, home, meet};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::Poly;
use crate::solver::symbols::{Info, Syms};
use crate::sync::async_copies;
use crate::sync::barriers::{Phase, Reached};
use crate::sync::pipeline::{Arrival, Known, LATER, Origin, Pipelines, WARPGROUP, Ways};
use rustc_hash::FxHashSet;

/// Returns whether two accesses of a block are ordered whenever both are made and overlap.
pub(crate) fn handed_over(pair: Pair<'_>, a: &Access, b: &Access) -> bool {
    ordered(pair, a, b, &[true, false])
}

/// Returns whether the second access always comes before the first one if both are made and overlap.
pub(crate) fn handed_back(pair: Pair<'_>, a: &Access, b: &Access) -> bool {
    ordered(pair, a, b, &[false])
}

/// Returns whether two accesses are ordered in one of the directions: the first one before the second (true), or the
/// second one before the first.
fn ordered(pair: Pair<'_>, a: &Access, b: &Access, directions: &[bool]) -> bool {
    let Some(found) = &pair.summary.pipelines else { return false };
    if !matches!(pair.relation, Relation::Block { .. } | Relation::Own { .. }) {
        return false;
    }
    let home = |info: &Info, side: u8| home(info, side, pair);
    let mut question = Instance::of_many(&pair.summary.syms, &home);
    if meet(pair, a, b, &mut question).is_none() {
        return false;
    }
    let (cfg, shape) = (&pair.summary.cfg, &pair.summary.shape);
    let order =
        Order { found, ways: Ways { cfg, shape, branches: &found.branches }, syms: &pair.summary.syms };
    [Origin::Wait, Origin::Stage, Origin::Ring].into_iter().any(|origin| {
        let mut question = question.clone();
        order.asserted(pair, [a, b], (directions, origin), &mut question)
            && (question.refuted() || order.refuted_in_cases(&question))
    })
}

/// Limits the cases of a question.
const MOST_CASES: usize = 8;

struct Order<'a> {
    found: &'a Pipelines,
    ways: Ways<'a>,
    syms: &'a Syms,
}

/// A lower bound of the number of ended phases of the mbarrier at a place, in terms of a question.
struct Ended<'k> {
    of: &'k Known,
    least: Poly,
    at: Poly,
}

/// An access, its side in a question, and the arrivals that its thread may reach before the access is complete.
#[derive(Clone, Copy)]
struct First<'k> {
    access: &'k Access,
    side: u8,
    in_flight: &'k FxHashSet<Reached>,
}

impl First<'_> {
    /// Returns whether the access may be incomplete at an arrival, in the same iteration of a loop or as many later.
    fn is_in_flight(&self, arrival: &Arrival, l: usize, turn: usize) -> bool {
        let phase = match turn {
            0 => Phase::Same,
            1 => Phase::Next,
            _ => Phase::Later,
        };
        self.in_flight.iter().any(|(inst, phases)| *inst == arrival.inst && phases[l] == phase)
    }
}

impl Order<'_> {
    /// Asserts that the first access precedes no arrival that is known at the other one, by knowledge up to an origin. Returns
    /// whether there is any of that origin.
    fn asserted(
        &self,
        pair: Pair<'_>,
        [a, b]: [&Access; 2],
        (directions, origin): (&[bool], Origin),
        question: &mut Instance<'_>,
    ) -> bool {
        let ways =
            directions.iter().map(|forward| if *forward { ((a, 1), (b, 2)) } else { ((b, 2), (a, 1)) });
        let ways: Vec<_> = ways.map(|(first, (then, y))| (first, y, self.known_at(then), then)).collect();
        if !ways.iter().any(|(.., known, _)| known.iter().any(|k| k.origin == origin)) {
            return false;
        }
        let mut any = false;
        for ((first, x), y, known, then) in ways {
            let is_matrix = |x: &Access| matches!(x.doer, Doer::Warp { .. });
            // A matrix is not its thread's alone.
            if is_matrix(first) || is_matrix(then) {
                continue;
            }
            let Some(in_flight) = self.in_flight(pair, first) else { continue };
            let first = First { access: first, side: x, in_flight: &in_flight };
            for known in known.into_iter().filter(|k| k.origin <= origin) {
                let Some(only) = known.only.map(&mut |p| question.lowered(p, y)) else { continue };
                for c in self.before(question, first, (known, y)) {
                    question.assert(&c.and(only.clone()).not());
                    any |= known.origin == origin;
                }
            }
        }
        any
    }

    /// Returns whether a question is refuted for each barrier that the first thread may wait for, if instructions name
    /// several.
    fn refuted_in_cases(&self, question: &Instance<'_>) -> bool {
        let mut cases: Vec<&Cond> = Vec::new();
        for wait in self.found.waits.iter().filter(|wait| wait.only != Cond::True) {
            if !cases.contains(&&wait.only) {
                cases.push(&wait.only);
            }
        }
        let refuted = |assumed: &[Cond]| {
            let mut question = question.clone();
            assumed.iter().for_each(|c| question.assume_of(c, 1));
            question.refuted()
        };
        let others: Vec<Cond> = cases.iter().map(|c| c.not()).collect();
        !cases.is_empty()
            && cases.len() <= MOST_CASES
            && cases.into_iter().all(|c| refuted(std::slice::from_ref(c)))
            && refuted(&others)
    }

    /// Returns the arrivals that a thread may reach before its access is complete, with their iterations relative to it.
    /// For a bulk copy the phase counts in which its bytes are expected, and not what its thread does.
    fn in_flight(&self, pair: Pair<'_>, access: &Access) -> Option<FxHashSet<Reached>> {
        if !access.doer.is_late() || access.doer == Doer::Bulk {
            return Some(FxHashSet::default());
        }
        let steps = pair.summary.groups.completing(access);
        // Copies that make an arrival are complete there.
        let is_other = |a: &&Arrival| !(a.of_copies && access.doer == Doer::Copy);
        let arrivals = self.found.arrivals.iter().filter(is_other).map(|a| a.inst).collect();
        let own = pair.summary.ways_of(access);
        async_copies::beside((&own, self.ways.shape), steps, access.inst, &arrivals)
    }

    /// Returns the knowledge at an access.
    fn known_at(&self, access: &Access) -> Vec<&Known> {
        let mut all = Vec::new();
        for wait in &self.found.waits {
            if wait.of_loop.is_some_and(|l| !self.ways.shape.contains(l, access.block)) {
                continue;
            }
            let behind = wait.is_before(self.ways, access.inst);
            if behind {
                all.extend(&wait.behind);
            }
            if let Some(l) = wait.of_loop
                && self.ways.in_each_turn(wait.block, access.block, l)
            {
                // The wait has shown more about the stage itself.
                all.extend(wait.before.iter().filter(|known| !behind || known.origin == Origin::Ring));
            }
        }
        all
    }

    /// Returns the cases in which the first access precedes an arrival that is known at the other one.
    fn before(
        &self,
        question: &mut Instance<'_>,
        first: First<'_>,
        (known, other): (&Known, u8),
    ) -> Vec<Cond> {
        let (Some(least), Some(at)) =
            (question.lowered(&known.least, other), question.lowered(&known.at, other))
        else {
            return Vec::new();
        };
        let ended = Ended { of: known, least, at };
        let Some(arrives) = self.arrives(question, first, known.class) else { return Vec::new() };
        if first.access.doer == Doer::Bulk {
            return self.of_copy(question, first, (&ended, &arrives));
        }
        self.of_access(question, first, (&ended, &arrives))
    }

    /// Returns the condition under which a thread that completes the access is among those that arrive: its own, or any
    /// thread of its warpgroup, of each of which a wait completes a product (`docs/assumptions.md`, 12c).
    fn arrives(&self, question: &mut Instance<'_>, first: First<'_>, class: usize) -> Option<Cond> {
        let Some(who) = &self.found.classes[class].who else { return Some(Cond::True) };
        let mut of = |p: &Poly| question.lowered(p, first.side);
        let (from, end) = (of(&who.first)?, of(&who.end)?);
        if first.access.doer == Doer::Product {
            let begin = of(&self.found.warpgroup)?;
            let last = end.plus_constant(-who.stride);
            return Some(Cond::lt(&from, &begin.plus_constant(WARPGROUP)).and(Cond::le(&begin, &last)));
        }
        let (thread, beside) = (of(&self.found.thread)?, of(&who.beside)?);
        Some(Cond::le(&from, &thread).and(Cond::lt(&thread, &end)).and(Cond::Eq(beside)))
    }

    /// Returns the cases for a bulk copy: the phase in which its thread expects its bytes ends behind it.
    fn of_copy(
        &self,
        question: &mut Instance<'_>,
        first: First<'_>,
        (ended, arrives): (&Ended<'_>, &Cond),
    ) -> Vec<Cond> {
        let mut found = Vec::new();
        let expected = self.found.copies.expected.iter().filter(|(copy, _)| *copy == first.access.inst);
        for (_, n) in expected {
            let arrival = &self.found.arrivals[*n];
            if arrival.form.class == ended.of.class {
                found.extend(Self::is_over(question, first, (arrival, 0), (ended, arrives)));
            }
        }
        found
    }

    /// Returns the condition under which the phase of an arrival has ended, in this iteration or as many later.
    fn is_over(
        question: &mut Instance<'_>,
        first: First<'_>,
        (arrival, turn): (&Arrival, usize),
        (ended, arrives): (&Ended<'_>, &Cond),
    ) -> Option<Cond> {
        let number = question.lowered(&arrival.number[turn], first.side)?;
        let there = question.lowered(&arrival.at[turn], first.side)?;
        let only = arrival.only.map(&mut |p| question.lowered(p, first.side))?;
        // In the first iterations there may be no arrival; it would have a number below zero.
        let is_made = if arrival.line.first < 0 { Cond::Ge(number.clone()) } else { Cond::True };
        let is_over = Cond::lt(&number, &ended.least).and(Cond::eq(&there, &ended.at));
        Some(arrives.clone().and(only).and(is_made).and(is_over))
    }

    /// Returns the cases for accesses that are complete when their thread arrives.
    fn of_access(
        &self,
        question: &mut Instance<'_>,
        first: First<'_>,
        (ended, arrives): (&Ended<'_>, &Cond),
    ) -> Vec<Cond> {
        let access = first.access;
        let of_class = || self.found.arrivals.iter().filter(|a| a.form.class == ended.of.class);
        let mut found = Vec::new();
        // The access precedes all arrivals that its thread may make.
        let is_last = |s: &Arrival| {
            !s.completes(&access.doer)
                || self.ways.may_follow(s.inst, access.inst, None)
                || first.in_flight.iter().any(|(inst, _)| *inst == s.inst)
        };
        if !of_class().any(is_last) {
            found.push(arrives.clone().and(Cond::Ge(ended.least.plus_constant(-1))));
        }
        for arrival in of_class() {
            if arrival.of_loop.is_none()
                && of_class().all(|s| self.is_other(s, (arrival, 0), access) || !is_last(s))
            {
                found.extend(Self::is_over(question, first, (arrival, 0), (ended, arrives)));
            }
            let Some(l) = arrival.of_loop.filter(|&l| self.ways.shape.contains(l, access.block)) else {
                continue;
            };
            for turn in 0..LATER {
                let is_first = |s: &Arrival| {
                    s.completes(&access.doer)
                        && !first.is_in_flight(s, l, turn)
                        && (turn > 0 || !self.ways.may_follow(s.inst, access.inst, Some(l)))
                };
                let mut rest = of_class().filter(|s| s.inst != arrival.inst);
                let alone = rest.all(|s| {
                    self.is_other(s, (arrival, turn), access) || self.is_alike(s, arrival) && is_first(s)
                });
                if is_first(arrival) && alone {
                    found.extend(Self::is_over(question, first, (arrival, turn), (ended, arrives)));
                }
            }
        }
        found
    }

    /// Returns whether equal numbers of one thread's arrivals at both places imply the same iteration.
    fn is_alike(&self, one: &Arrival, other: &Arrival) -> bool {
        one.form == other.form && one.of_loop == other.of_loop && one.line == other.line
    }

    /// Returns whether an arrival never has the number that another one has as many iterations behind the access, or its
    /// thread is never that of the access.
    fn is_other(&self, one: &Arrival, (other, turn): (&Arrival, usize), access: &Access) -> bool {
        let each = other.line.each.max(1);
        let in_turn =
            one.form == other.form && one.of_loop == other.of_loop && one.line.each == other.line.each;
        if in_turn && (one.line.first - other.line.first) % each != 0 {
            return true;
        }
        // Numbers before a loop are less than those in it.
        let is_before = |p: &Arrival, q: &Arrival| {
            p.of_loop.is_none() && q.of_loop.is_some() && p.line.first < q.line.first
        };
        let is_once = |p: &Arrival, q: &Arrival| {
            p.of_loop.is_none() && q.of_loop.is_none() && p.line.first != q.line.first
        };
        if one.form == other.form
            && one.form.ring == 1
            && (is_before(one, other) || is_before(other, one) || is_once(one, other))
        {
            return true;
        }
        // The arrivals belong to one thread, in any iterations.
        let home = |info: &Info, side: u8| if info.attr.loops == 0 { 0 } else { side };
        let mut question = Instance::of_many(self.syms, &home);
        access.guard.iter().for_each(|c| question.assume_of(c, 1));
        question.assume_of(&other.only, 1);
        one.path.iter().for_each(|c| question.assume_of(c, 2));
        for (p, q) in [(&other.at[turn], &one.at[0]), (&other.number[turn], &one.number[0])] {
            let (Some(p), Some(q)) = (question.lowered(p, 1), question.lowered(q, 2)) else { return false };
            question.assert(&Cond::eq(&p, &q));
        }
        question.refuted()
    }
}
