//! Decides whether mbarriers order two accesses of a block ([`crate::sync::pipeline`]).

use crate::kernel::access::{Access, Doer};
use crate::pairs::pair::{Pair, Relation, home, meet};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::symbols::{Info, Syms};
use crate::sync::pipeline::{Arrival, Known, Pipelines, Ways};

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
    let mut any = false;
    for forward in directions {
        let ((first, x), (then, y)) = if *forward { ((a, 1), (b, 2)) } else { ((b, 2), (a, 1)) };
        for known in order.known_at(then) {
            for c in order.before(&mut question, (first, x), (then, known, y)) {
                question.assert(&c.not());
                any = true;
            }
        }
    }
    any && question.refuted()
}

struct Order<'a> {
    found: &'a Pipelines,
    ways: Ways<'a>,
    syms: &'a Syms,
}

impl Order<'_> {
    /// Returns the knowledge at an access.
    fn known_at(&self, access: &Access) -> Vec<&Known> {
        let mut all = Vec::new();
        for wait in &self.found.waits {
            if wait.of_loop.is_some_and(|l| !self.ways.shape.contains(l, access.block)) {
                continue;
            }
            if wait.is_before(self.ways, access.inst) {
                all.extend(&wait.behind);
            } else if let Some(l) = wait.of_loop
                && self.ways.in_each_turn(wait.block, access.block, l)
            {
                all.extend(&wait.before);
            }
        }
        all
    }

    /// Returns the cases in which the first access precedes an arrival that is known at the other one.
    fn before(
        &self,
        question: &mut Instance<'_>,
        (access, side): (&Access, u8),
        (then, known, other): (&Access, &Known, u8),
    ) -> Vec<Cond> {
        let bulk = access.doer == Doer::Bulk;
        // A copy in flight may not be done when its thread arrives, and a matrix is not its thread's alone.
        if !(bulk || access.doer == Doer::Thread) || matches!(then.doer, Doer::Warp { .. }) {
            return Vec::new();
        }
        let of_class = || self.found.arrivals.iter().filter(|a| a.form.class == known.class);
        let class = &self.found.classes[known.class];
        let (Some(thread), Some(least), Some(at)) = (
            question.lowered(&self.found.thread, side),
            question.lowered(&known.least, other),
            question.lowered(&known.at, other),
        ) else {
            return Vec::new();
        };
        let count = question.lowered(&class.count, side);
        let from = class.from.as_ref().map(|f| question.lowered(f, side));
        let arrives = match (from, count) {
            (None, _) => Cond::True,
            (Some(Some(from)), Some(count)) => {
                Cond::le(&from, &thread).and(Cond::lt(&thread, &from.plus(&count)))
            }
            _ => return Vec::new(),
        };
        let mut found = Vec::new();
        if bulk {
            // The phase in which the thread expects its bytes ends behind the copy.
            for (_, n) in self.found.copies.expected.iter().filter(|(copy, _)| *copy == access.inst) {
                let arrival = &self.found.arrivals[*n];
                if let (true, Some(number), Some(there)) = (
                    arrival.form.class == known.class,
                    question.lowered(&arrival.number[0], side),
                    question.lowered(&arrival.at[0], side),
                ) {
                    found.push(arrives.clone().and(Cond::lt(&number, &least)).and(Cond::eq(&there, &at)));
                }
            }
            return found;
        }
        // The access precedes all arrivals that its thread may make.
        if of_class().all(|s| !self.ways.may_follow(s.inst, access.inst, None)) {
            found.push(arrives.clone().and(Cond::Ge(least.plus_constant(-1))));
        }
        for arrival in of_class() {
            let Some(l) = arrival.of_loop.filter(|&l| self.ways.shape.contains(l, access.block)) else {
                continue;
            };
            for turn in 0..2 {
                let first = |s: &Arrival| turn > 0 || !self.ways.may_follow(s.inst, access.inst, Some(l));
                let rest = of_class().filter(|s| s.inst != arrival.inst);
                if !first(arrival)
                    || !rest
                        .clone()
                        .all(|s| self.is_other(s, arrival, access) || self.is_alike(s, arrival) && first(s))
                {
                    continue;
                }
                let (Some(number), Some(there)) = (
                    question.lowered(&arrival.number[turn], side),
                    question.lowered(&arrival.at[turn], side),
                ) else {
                    continue;
                };
                let done = Cond::lt(&number, &least).and(Cond::eq(&there, &at));
                found.push(arrives.clone().and(done));
            }
        }
        found
    }

    /// Returns whether equal numbers of one thread's arrivals at both places imply the same iteration.
    fn is_alike(&self, one: &Arrival, other: &Arrival) -> bool {
        one.form == other.form && one.of_loop == other.of_loop && one.line == other.line
    }

    /// Returns whether an arrival never has the number of another one, or its thread is never that of the
    /// access.
    fn is_other(&self, one: &Arrival, other: &Arrival, access: &Access) -> bool {
        let each = other.line.each.max(1);
        let in_turn =
            one.form == other.form && one.of_loop == other.of_loop && one.line.each == other.line.each;
        if in_turn && (one.line.first - other.line.first) % each != 0 {
            return true;
        }
        // The arrivals belong to one thread, in any iterations.
        let home = |info: &Info, side: u8| if info.attr.loops == 0 { 0 } else { side };
        let mut question = Instance::of_many(self.syms, &home);
        access.guard.iter().for_each(|c| question.assume_of(c, 1));
        one.path.iter().for_each(|c| question.assume_of(c, 2));
        question.refuted()
    }
}
