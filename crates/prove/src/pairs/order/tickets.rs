//! Numbers that a counter gives out: no two threads get the same one.

use super::{FIRST, Order, SECOND};
use crate::facts::{Assumed, Assumption};
use crate::kernel::access::{Access, Space, Stored};
use crate::pairs::pair::meet;
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::Attr;

/// An atomic that has given its thread the numbers from `value` on, `step` of them.
#[derive(Clone)]
pub(super) struct Draw<'a> {
    pub(super) access: &'a Access,
    pub(super) value: Sym,
    pub(super) step: Poly,
    /// Whether the counter wraps: it begins at zero, and is not drawn from often enough to restart.
    pub(super) wraps: bool,
}

impl<'a> Order<'a> {
    /// Returns the assumptions under which the accesses are apart because each thread's number is unique.
    pub(super) fn numbered(&self, a: &Access, b: &Access) -> Option<Assumed> {
        let draws = self.draws();
        if draws.is_empty() {
            return None;
        }
        let apart = self.refuted(&|question| {
            meet(self.pair, a, b, question)?;
            for x in &draws {
                for y in draws.iter().filter(|y| y.access.base == x.access.base) {
                    if !(question.mentions(x.value, FIRST) && question.mentions(y.value, SECOND)) {
                        continue;
                    }
                    let at = (
                        question.lowered(&x.access.offset, FIRST)?,
                        question.lowered(&y.access.offset, SECOND)?,
                    );
                    let steps = (question.lowered(&x.step, FIRST)?, question.lowered(&y.step, SECOND)?);
                    let p = Poly::sym(question.variable(x.value, FIRST));
                    let q = Poly::sym(question.variable(y.value, SECOND));
                    question.assert(&Cond::Or(vec![
                        Cond::eq(&at.0, &at.1).not(),
                        Cond::le(&p.plus(&steps.0), &q),
                        Cond::le(&q.plus(&steps.1), &p),
                    ]));
                }
            }
            Some(())
        });
        let mut assumed = Assumed::new();
        for draw in draws.iter().filter(|_| apart) {
            assumed.append(&mut self.alone(draw.access)?);
            if draw.wraps {
                assumed.append(&mut self.zero(draw.access)?);
                continue;
            }
            let name = draw.access.base.and_then(|base| self.name(base)).unwrap_or_default();
            assumed.insert(Assumption::Fits(format!("what {name} counts")));
        }
        apart.then_some(assumed)
    }

    /// Returns the atomics on arrays whose only changes are additions of numbers that are not negative.
    pub(super) fn draws(&self) -> Vec<Draw<'a>> {
        let summary = self.summary();
        let grows = |x: &Access| {
            let adds = |w: &&Access| match &w.stored {
                Stored::Nothing => true,
                Stored::Added(step) => summary.syms.range(step).lo.is_some_and(|lo| lo >= 0),
                _ => false,
            };
            self.writes_to(x).is_some_and(|all| all.iter().all(|w| self.is_strong(w, x) && adds(w)))
        };
        let draw = |access: &'a Access| {
            let value = access.read?;
            if let Stored::Wrapped(bound) = &access.stored {
                let never = self.draws_at_most(access, bound);
                return never.then_some(Draw { access, value, step: Poly::constant(1), wraps: true });
            }
            let Stored::Added(step) = &access.stored else { return None };
            let of_turns = summary.syms.attr(&access.offset).join(summary.syms.attr(step)).loops != 0;
            let positive = summary.syms.range(step).lo.is_some_and(|lo| lo > 0);
            (!of_turns && positive && grows(access)).then(|| Draw {
                access,
                value,
                step: step.clone(),
                wraps: false,
            })
        };
        summary.accesses.iter().filter_map(draw).collect()
    }

    /// Returns whether the atomic is the only operation on its counter, and is made at most as often as the
    /// counter has values.
    fn draws_at_most(&self, access: &Access, bound: &Poly) -> bool {
        let alone = self.writes_to(access).is_some_and(|all| all.len() == 1);
        let one_place = self.summary().syms.attr(&access.offset) == Attr::GRID;
        let Some(times) = self.often(access).and_then(|often| self.number(often, access.space)) else {
            return false;
        };
        alone
            && one_place
            && self.is_strong(access, access)
            && access.space != Space::Shared
            && self.refuted(&|question| {
                access.guard.iter().for_each(|c| question.assume_of(c, FIRST));
                let (times, bound) = (question.lowered(&times, FIRST)?, question.lowered(bound, FIRST)?);
                // Bounds are unsigned.
                let small =
                    Cond::And(vec![Cond::Ge(bound.clone()), Cond::le(&bound.plus_constant(2), &times)]);
                question.assert(&small);
                Some(())
            })
    }
}
