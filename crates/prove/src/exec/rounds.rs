//! Registers of a loop that go round: `stage ^= 1`, and `stage = stage + 1 == stages ? 0 : stage + 1`.
//!
//! What a register holds in a turn is written with the remainder of the turn's number. That it does follows by induction: it
//! holds in the first turn, and if it holds in one, the loop's body leaves what is to be held in the next.

use super::Exec;
use crate::cond::Cond;
use crate::poly::{Poly, Sym};
use crate::question::Instance;
use crate::syms::Kind;

/// How a register goes round.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Round {
    /// This, less what it was.
    Flip(i128),
    /// Grows by `step`, modulo `of`.
    Ring { step: i128, of: i128 },
    /// A bit that is turned whenever a ring of so many, which began so far on, begins anew: the parity of a stage.
    Turned { ring: i128, shift: i128 },
}

impl Exec<'_> {
    /// How a register may go round that is `head` at the loop's head and `back` at its end.
    /// `rings` are those that other registers go round, and where these began.
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
                // Begins anew where it is this, and one step further would be one turn of the ring.
                let step = found?;
                Round::Ring { step, of: ends.into_iter().max()?.checked_add(step)? }
            }
            _ => return None,
        };
        let begins = |of: i128| self.syms.range(first).within(0, of - 1);
        matches!(round, Round::Ring { step, of } if step > 0 && of > step && begins(of)).then_some(round)
    }

    /// What it holds in a turn, from what it holds in the first.
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

    /// Does a turn at the end of which the register is `back` keep it going round?
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
