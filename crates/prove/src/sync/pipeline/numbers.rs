//! The numbers of arrivals, and of the phases that waits are for.

use super::find::{Find, NESTED, PHASE, Use, WHICH};
use super::{Arrival, Form, LATER, Line, Pipelines, Wait};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::Poly;
use crate::solver::symbols::Syms;
use ptx::op::MbarrierOp;

/// Limits the first iterations in which an arrival is left out.
const MOST_LEFT_OUT: i128 = 8;

fn is_arrival(op: &MbarrierOp) -> bool {
    matches!(op, MbarrierOp::Arrive { .. })
}

fn is_by_parity(op: &MbarrierOp) -> bool {
    matches!(op, MbarrierOp::Wait { parity: true, .. })
}

impl<'a> Find<'a> {
    /// Gives each arrival a number: how often its thread has arrived there before. What follows from the numbers holds if those
    /// of one thread at one mbarrier differ, and none is made before as many phases have ended.
    pub(super) fn number_arrivals(
        &self,
        syms: &mut Syms,
        uses: &[Use<'a>],
        found: &mut Pipelines,
    ) -> Result<(), &'static str> {
        for u in uses.iter().filter(|u| is_arrival(&u.op)) {
            let line = self.number_of(syms, u, uses).ok_or(PHASE)?;
            let turn = self.turn(u.of_loop).ok_or(NESTED)?;
            let (at, number) = in_turns(syms, &u.form, &line, &turn).ok_or(WHICH)?;
            found.arrivals.push(Arrival {
                inst: u.inst,
                block: self.ways.block(u.inst),
                of_loop: u.of_loop,
                form: u.form,
                line,
                at,
                number,
                path: u.used.path.clone(),
                only: Cond::True,
                of_copies: u.of_copies,
            });
        }
        Ok(())
    }

    /// Returns an arrival's number.
    fn number_of(&self, syms: &Syms, u: &Use<'a>, uses: &[Use<'a>]) -> Option<Line> {
        let before = |place: i128| self.earlier(syms, u, uses, place);
        if u.of_loop.is_none() {
            return Some(Line::fixed(before(u.form.first)));
        }
        let (each, nth) = match self.among(u, uses, is_arrival) {
            Some((all, nth)) => (all.len() as i128, nth as i128),
            // It is left out in some iterations, perhaps in the first ones.
            None => match self.left_out(syms, u)? {
                0 => (1, 0),
                turns => {
                    let first = -(turns + u.form.shift).div_euclid(u.form.ring);
                    return Some(Line { each: 1, lag: u.form.shift, first });
                }
            },
        };
        // Arrivals before the loop may have gone round a part of the ring.
        let is_right = |line: &Line| {
            (0..u.form.ring).all(|turn| line.value(turn, u.form.ring) == nth + before(u.form.place(turn)))
        };
        let lines = [0, u.form.shift].map(|lag| Line { each, lag, first: nth + before(u.form.place(0)) });
        lines.into_iter().find(is_right)
    }

    /// Returns how many arrivals outside loops a thread may have made at a place before this one. A number may be too large:
    /// then more phases must have ended.
    fn earlier(&self, syms: &Syms, u: &Use<'a>, uses: &[Use<'a>], place: i128) -> i128 {
        let form = Form::fixed(u.form.class, place);
        let is_earlier = |v: &&Use<'_>| {
            is_arrival(&v.op)
                && (v.form, v.of_loop) == (form, None)
                && v.inst != u.inst
                && self.ways.may_follow(v.inst, u.inst, None)
                && !self.ways.may_follow(u.inst, v.inst, None)
                && self.may_both(syms, &v.used.path, &u.used.path)
        };
        uses.iter().filter(is_earlier).count() as i128
    }

    /// Returns how many first iterations of a loop leave a use out.
    fn left_out(&self, syms: &Syms, u: &Use<'a>) -> Option<i128> {
        let turn = self.turn(u.of_loop)?;
        let is_left_out = |turns: &i128| {
            let later = Cond::Ge(turn.plus_constant(-turns));
            self.holds(syms, &later, &u.used.path)
        };
        Some((1..=MOST_LEFT_OUT).rev().find(is_left_out).unwrap_or(0))
    }

    /// Computes how many phases have ended after each wait.
    pub(super) fn order_waits(&self, syms: &mut Syms, uses: &[Use<'a>], found: &mut Pipelines) {
        let is_wait = |op: &MbarrierOp| matches!(op, MbarrierOp::Wait { .. });
        // For a wait that is retried, the first instruction stands for all.
        let again = |u: &Use<'_>| {
            self.waited.iter().any(|w| w.wait != u.inst && w.region[self.ways.block(u.inst).0 as usize])
        };
        let waits: Vec<Use<'a>> = uses
            .iter()
            .filter(|u| !is_wait(&u.op) || !again(u))
            .map(|u| Use { used: u.used, ..*u })
            .collect();
        let mut lines: Vec<(usize, Line)> = Vec::new();
        let mut known = Vec::new();
        // Waits outside loops come first, in the order of control.
        let mut order: Vec<&Use<'a>> = waits.iter().filter(|u| is_wait(&u.op)).collect();
        order.sort_by_key(|u| {
            (u.of_loop.is_some(), self.ways.shape.place[self.ways.block(u.inst).0 as usize], u.inst)
        });
        for u in order {
            let Some(waited) = self.waited.iter().find(|w| w.wait == u.inst) else { continue };
            let line = if is_by_parity(&u.op) {
                self.by_parity(syms, u, &waits, &lines)
            } else {
                let given = |a: &&Arrival| {
                    a.form == u.form
                        && a.of_loop == u.of_loop
                        && self.asked.by_token(a.inst, u.inst)
                        && self.ways.is_first(a.inst, u.inst)
                };
                found.arrivals.iter().find(given).map(|a| Line { first: a.line.first + 1, ..a.line })
            };
            // An unsupported wait contributes no order.
            let Some(line) = line else { continue };
            lines.push((u.inst, line));
            known.push((is_by_parity(&u.op), u, waited, line));
        }
        // Waits that count consecutively in each iteration depend on each other.
        for (parity, u, waited, line) in known {
            let counted = |v: &&Use<'_>| lines.iter().any(|(i, _)| *i == v.inst);
            if parity
                && u.of_loop.is_some()
                && !self.among(u, &waits, is_by_parity).is_some_and(|(all, _)| all.iter().all(counted))
            {
                continue;
            }
            found.waits.push(Wait {
                block: waited.block,
                region: waited.region.clone(),
                inst: None,
                only: Cond::True,
                of_loop: u.of_loop,
                form: u.form,
                line,
                behind: Vec::new(),
                before: Vec::new(),
            });
        }
    }

    /// Returns the phase of a parity wait, from the knowledge before it.
    fn by_parity(
        &self,
        syms: &mut Syms,
        u: &Use<'a>,
        uses: &[Use<'a>],
        lines: &[(usize, Line)],
    ) -> Option<Line> {
        let first_of = |v: &Use<'_>| lines.iter().find(|(i, _)| *i == v.inst).map(|(_, line)| line.first);
        let known = |place: i128| {
            let waits = self.dominating(u, uses, is_by_parity, place);
            waits.filter_map(first_of).max().unwrap_or(0)
        };
        let (all, nth) = match u.of_loop {
            None => (Vec::new(), 0),
            Some(_) => self.among(u, uses, is_by_parity)?,
        };
        let each = all.len() as i128;
        if each == 1 && u.form.ring > 1 {
            return self.in_ring(syms, u, &known);
        }
        // The wait is the first one of an iteration, or follows another one.
        let base = if u.form.ring == 1 { known(u.form.first) } else { 0 };
        let least = if nth == 0 { base } else { first_of(all[nth - 1])? };
        let mut lines = [least, least + 1].into_iter().map(|first| Line { each, lag: 0, first });
        let line = lines.find(|line| self.is_for(syms, u, line))?;
        // The first wait of the next iteration is for at most one more phase.
        let last = nth + 1 == all.len();
        let begin = if nth == 0 { Some(line.first) } else { first_of(all[0]) };
        (!last || begin? + each <= line.first + 1).then_some(line)
    }

    /// Returns the phase of the only wait of each iteration for a mbarrier of a ring. `known` are the phases before the loop.
    fn in_ring(&self, syms: &mut Syms, u: &Use<'a>, known: &dyn Fn(i128) -> i128) -> Option<Line> {
        let ring = u.form.ring;
        for lag in [0, u.form.shift] {
            // The first wait for each mbarrier is for at most one more phase than are known.
            let rounds = Line { each: 1, lag, first: 0 };
            let first =
                (0..ring).map(|turn| known(u.form.place(turn)) + 1 - rounds.value(turn, ring)).min()?;
            let mut lines = [first, first - 1].into_iter().map(|first| Line { first, ..rounds });
            if let Some(line) = lines.find(|line| self.is_for(syms, u, line)) {
                return Some(line);
            }
        }
        None
    }

    /// Returns whether a wait by parity returns only when as many phases have ended, or at least one less has not.
    fn is_for(&self, syms: &mut Syms, u: &Use<'a>, line: &Line) -> bool {
        let (Some(given), Some(turn)) = (u.used.number.as_ref(), self.turn(u.of_loop)) else { return false };
        let (rounds, _) = syms.divide(&turn.plus_constant(line.lag), &Poly::constant(u.form.ring));
        let odd = match line.each % 2 {
            0 => Poly::default(),
            _ => syms.divide(&rounds, &Poly::constant(2)).1,
        };
        // The wait returns when the number of phases does not have that parity.
        let parity = match line.first.rem_euclid(2) {
            0 => odd.negated().plus_constant(1),
            _ => odd,
        };
        let mut question = Instance::new(syms);
        question.assume_all(&u.used.path, self.asked.given);
        question.assume(&Cond::eq(given, &parity).not());
        *given == parity || question.refuted()
    }
}

/// Returns the place of an mbarrier, and a number, in an iteration and in the next ones.
pub(super) fn in_turns(
    syms: &mut Syms,
    form: &Form,
    line: &Line,
    turn: &Poly,
) -> Option<([Poly; LATER], [Poly; LATER])> {
    let (mut at, mut number) = <([Poly; LATER], [Poly; LATER])>::default();
    for later in 0..LATER {
        let turn = turn.plus_constant(later as i128);
        at[later] = form.at(syms, &turn)?;
        number[later] = line.at(syms, &turn, form.ring)?;
    }
    Some((at, number))
}
