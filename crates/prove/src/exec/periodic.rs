//! Periodic registers of a loop: `stage ^= 1`, and `stage = stage + 1 == stages ? 0 : stage + 1`.
//!
//! Their value in an iteration is written with remainders of the iteration count. This is proved by
//! induction: it holds in the first iteration, and if it holds in one, the loop's body establishes it for the
//! next.

use super::Exec;
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::Kind;

/// The form of a periodic register.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Round {
    /// This number minus the old value.
    Flip(i128),
    /// Grows by `step`, modulo `of`.
    Ring { step: i128, of: i128 },
    /// A bit that is inverted whenever a ring of this length, which began at this offset, restarts: the
    /// parity of a stage.
    Turned { ring: i128, shift: i128 },
}

impl Exec<'_> {
    /// Returns the possible period of a register that is `head` at the loop's head and `back` at its end.
    /// `rings` are the periods and start values of other registers.
    pub(super) fn looks_round(
        &self,
        head: Sym,
        first: &Poly,
        back: &Poly,
        rings: &[(i128, i128)],
    ) -> Option<Round> {
        let sum = back.plus(&Poly::sym(head));
        if let Some(sum) = sum.as_constant() {
            return Some(Round::Flip(sum));
        }
        let step = |p: &Poly| p.minus(&Poly::sym(head)).as_constant();
        let symbol = back.as_sym()?;
        let info = self.syms.get(symbol);
        let turned = |s: Sym| matches!(&self.syms.get(s).kind, Kind::Remainder { of, by } if of.as_sym() == Some(head) && by.as_constant() == Some(2));
        if info.cases.iter().any(|c| c.syms().into_iter().any(turned)) && self.syms.range(first).within(0, 1)
        {
            return rings.first().map(|&(ring, shift)| Round::Turned { ring, shift });
        }
        let round = match &info.kind {
            Kind::Remainder { of, by } => Round::Ring { step: step(of)?, of: by.as_constant()? },
            Kind::Chosen(_) => {
                let (mut found, mut ends) = (None, Vec::new());
                for case in &info.cases {
                    case.each_poly(&mut |p| {
                        let rest = p.minus(&Poly::mono(&[head], p.coefficient(head)));
                        match (p.coefficient(symbol), p.coefficient(head)) {
                            (a @ (1 | -1), b) if a == -b => {
                                let rest = rest.minus(&Poly::mono(&[symbol], a));
                                found = found.or(rest.as_constant().map(|c| -a * c));
                            }
                            (0, b @ (1 | -1)) => ends.extend(rest.as_constant().map(|c| -b * c)),
                            _ => {}
                        }
                    });
                }
                // The register restarts at this value, where one more step would complete the ring.
                let step = found?;
                Round::Ring { step, of: ends.into_iter().max()?.checked_add(step)? }
            }
            _ => return None,
        };
        let begins = |of: i128| self.syms.range(first).within(0, of - 1);
        matches!(round, Round::Ring { step, of } if step > 0 && of > step && begins(of)).then_some(round)
    }

    /// Returns the ring with which a bit is inverted that is `head` at the loop's head and `back` at its end: the first one
    /// with which that keeps the bit's period.
    pub(super) fn turned(
        &mut self,
        (turn, rings): (Sym, &[(i128, i128)]),
        head: Sym,
        (first, back): (&Poly, &Poly),
        path: &[Cond],
    ) -> Option<Round> {
        let mut all = rings.iter().map(|&(ring, shift)| Round::Turned { ring, shift });
        if rings.len() < 2 {
            return all.next();
        }
        let turn = Poly::sym(turn);
        all.find(|round| {
            let now = self.in_turn(round, first, &turn);
            let next = self.in_turn(round, first, &turn.plus_constant(1));
            let (Some(now), Some(next)) = (now, next) else { return false };
            let mut question = Instance::new(&self.syms);
            question.assume_all(path, &self.given);
            question.assume(&Cond::eq(&Poly::sym(head), &now));
            question.assume(&Cond::eq(back, &next).not());
            question.refuted()
        })
    }

    /// Returns the value in an iteration from the value in the first one.
    pub(super) fn in_turn(&mut self, round: &Round, first: &Poly, turn: &Poly) -> Option<Poly> {
        match round {
            Round::Flip(sum) => {
                let (_, odd) = self.syms.divide(turn, &Poly::constant(2));
                let change = first.scaled(-2)?.plus_constant(*sum);
                Some(first.plus(&self.syms.product(&change, &odd)?))
            }
            Round::Turned { ring, shift } => {
                let (rounds, _) = self.syms.divide(&turn.plus_constant(*shift), &Poly::constant(*ring));
                let (_, odd) = self.syms.divide(&rounds, &Poly::constant(2));
                let change = first.scaled(-2)?.plus_constant(1);
                Some(first.plus(&self.syms.product(&change, &odd)?))
            }
            Round::Ring { step, of } => {
                let grown = first.plus(&turn.scaled(*step)?);
                Some(self.syms.divide(&grown, &Poly::constant(*of)).1)
            }
        }
    }

    /// Returns whether an iteration that ends with the register as `back` preserves the period.
    pub(super) fn keeps_round(
        &mut self,
        round: &Round,
        (first, back): (&Poly, &Poly),
        turn: Sym,
        path: &[Cond],
    ) -> bool {
        let turn = Poly::sym(turn);
        let now = self.in_turn(round, first, &turn);
        if let (Round::Flip(sum), Some(now)) = (round, &now) {
            return *back == now.negated().plus_constant(*sum);
        }
        let Some(next) = self.in_turn(round, first, &turn.plus_constant(1)) else { return false };
        let mut question = Instance::new(&self.syms);
        question.assume_all(path, &self.given);
        question.assume(&Cond::eq(back, &next).not());
        question.refuted()
    }
}
