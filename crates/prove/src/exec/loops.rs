//! Finds how a loop's registers change from iteration to iteration.

use super::periodic::Round;
use super::{Edges, Exec, NotUnderstood, State, Val};
use crate::solver::cond::{Cond, push};
use crate::solver::instance::Instance;
use crate::solver::poly::{Poly, Range, Sym};
use crate::solver::symbols::{Attr, Kind};
use ptx::flat::RegId;
use std::collections::{BTreeMap, BTreeSet};

/// The hypothesis about a register at the loop's head.
#[derive(Clone, Debug, PartialEq)]
enum Guess {
    /// It is the same in every iteration.
    Same,
    /// It grows by this in each iteration.
    Step(Poly),
    /// It is periodic.
    Round(Round),
    Value {
        attr: Attr,
        bounds: Bounds,
    },
    Pred(Attr),
    Any(Attr),
}

/// Which bounds of the first value are retained; each is given up for the next if an iteration violates it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bounds {
    Both,
    Least,
    Most,
    None,
}

impl Exec<'_> {
    /// Executes a loop and returns the states on the edges that leave it.
    pub(super) fn turn_around(&mut self, l: usize, first: State) -> Result<Edges, NotUnderstood> {
        let header = self.shape.loops[l].header;
        let turn = match self.turns[l] {
            Some(s) => s,
            None => {
                let attr = Attr { loops: self.nest(l), ..Attr::GRID };
                let range = Range { lo: Some(0), hi: None };
                let (s, _) = self.syms.intern(Kind::Turn { header }, attr, range);
                self.turns[l] = Some(s);
                s
            }
        };
        let mut guesses: BTreeMap<RegId, Guess> = BTreeMap::new();
        for r in self.written(l) {
            let Some(v) = first.regs.get(&r) else { continue };
            let attr = self.attr(v);
            let attr = Attr { loops: attr.loops | self.nest(l), ..attr };
            let guess = match v {
                Val::Int(_) => Guess::Value { attr, bounds: Bounds::Both },
                Val::Pred(_) => Guess::Pred(attr),
                Val::Any(_) => Guess::Any(attr),
            };
            guesses.insert(r, guess);
        }
        let recording = std::mem::replace(&mut self.recording, false);
        let mut facts: Vec<Cond> = Vec::new();
        // Registers that were taken to be periodic, and are not.
        let mut other: BTreeSet<RegId> = BTreeSet::new();
        for attempt in 0.. {
            if attempt > 12 {
                return Err(NotUnderstood("a loop that is not understood".into()));
            }
            let (state, heads) = self.head(l, &first, &guesses, &[]);
            let edges = self.region(Some(l), header, state)?;
            let back: Vec<State> =
                edges.into_iter().filter(|((_, to), _)| *to == header).map(|e| e.1).collect();
            let Some(back) = self.join_back(l, back) else { break };
            let mut changed = false;
            let mut stepped = false;
            let old = guesses.clone();
            let rings: Vec<(i128, i128)> = guesses
                .iter()
                .filter_map(|(r, guess)| match (guess, &first.regs[r]) {
                    (Guess::Round(Round::Ring { step: 1, of }), Val::Int(p)) => Some((*of, p.as_constant()?)),
                    _ => None,
                })
                .collect();
            for (r, guess) in &mut guesses {
                let values = (&first.regs[r], back.regs.get(r));
                let new = match self.goes_round((turn, &rings), guess, heads.get(r), values, &back.path) {
                    Some(round) if !other.contains(r) => Guess::Round(round),
                    _ => self.next_guess(l, guess, heads.get(r), values.0, values.1),
                };
                if matches!(guess, Guess::Round(_)) && new != *guess {
                    other.insert(*r);
                }
                stepped |= is_closed(&new) && new != *guess;
                changed |= new != *guess;
                *guess = new;
            }
            // Linear registers are found while all others are unknown, so the other hypotheses wait for them.
            if stepped {
                for (r, guess) in &mut guesses {
                    if !is_closed(guess) {
                        *guess = old[r].clone();
                    }
                }
            }
            if !changed {
                facts = self.turn_facts(l, turn, &first, &back);
                break;
            }
        }
        self.recording = recording;
        let (state, heads) = self.head(l, &first, &guesses, &facts);
        for (r, s) in heads {
            if let Some(Val::Int(p)) = first.regs.get(&r) {
                self.heads.insert(s, (l, p.clone()));
            }
        }
        let edges = self.region(Some(l), header, state)?;
        Ok(edges.into_iter().filter(|((_, to), _)| *to != header).collect())
    }

    /// Returns the loop and its enclosing loops: values that change with the loop's iteration restart in each
    /// iteration of the others.
    fn nest(&self, l: usize) -> u64 {
        std::iter::successors(Some(l), |&l| self.shape.loops[l].parent).fold(0, |mask, l| mask | 1 << l)
    }

    /// Returns the registers that the loop writes.
    fn written(&self, l: usize) -> Vec<RegId> {
        let mut found = Vec::new();
        for (b, _) in self.shape.loops[l].body.iter().enumerate().filter(|(_, inside)| **inside) {
            let block = &self.cfg.blocks[b];
            for i in block.start..block.end {
                kernels::registers::visit(&self.flat.instructions[i as usize], |place, written| {
                    if let (kernels::registers::Place::Whole(r), true) = (place, written) {
                        found.push(r);
                    }
                });
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the state at the head in any iteration, and the symbols for registers that are not linear.
    fn head(
        &mut self,
        l: usize,
        first: &State,
        guesses: &BTreeMap<RegId, Guess>,
        facts: &[Cond],
    ) -> (State, BTreeMap<RegId, Sym>) {
        let header = self.shape.loops[l].header;
        let mut state = first.clone();
        let mut heads = BTreeMap::new();
        for r in self.written(l) {
            // A register that is not set before the loop is set in it before its use.
            let Some(guess) = guesses.get(&r) else {
                state.regs.remove(&r);
                continue;
            };
            let value = match (guess, &first.regs[&r]) {
                (Guess::Same, v) => v.clone(),
                (Guess::Step(step), Val::Int(p)) => {
                    let turn = Poly::sym(self.turns[l].unwrap_or(Sym(0)));
                    match self.syms.product(step, &turn) {
                        Some(grown) => Val::Int(p.plus(&grown)),
                        None => Val::Any(Attr { loops: self.nest(l), ..Attr::THREAD }),
                    }
                }
                (Guess::Round(round), Val::Int(p)) => {
                    let turn = Poly::sym(self.turns[l].unwrap_or(Sym(0)));
                    match self.in_turn(round, p, &turn) {
                        Some(p) => Val::Int(p),
                        None => Val::Any(Attr { loops: self.nest(l), ..Attr::THREAD }),
                    }
                }
                (Guess::Value { attr, bounds }, Val::Int(p)) => {
                    let range = bounds.of(self.syms.range(p));
                    let s = self.syms.fresh(Kind::Head { header, register: r.0 }, *attr, range);
                    heads.insert(r, s);
                    Val::Int(Poly::sym(s))
                }
                (Guess::Pred(attr), _) => {
                    let kind = Kind::Head { header, register: r.0 };
                    let s = self.syms.fresh(kind, *attr, Range::of(0, 1));
                    Val::Pred(Cond::Ge(Poly::sym(s).plus_constant(-1)))
                }
                (Guess::Any(attr) | Guess::Value { attr, .. }, _) => Val::Any(*attr),
                (Guess::Step(_) | Guess::Round(_), _) => {
                    Val::Any(Attr { loops: self.nest(l), ..Attr::THREAD })
                }
            };
            state.regs.insert(r, value);
        }
        for c in facts {
            push(&mut state.path, c);
        }
        (state, heads)
    }

    /// Returns whether a register is periodic: by hypothesis, or by its value at the loop's end.
    fn goes_round(
        &mut self,
        (turn, rings): (Sym, &[(i128, i128)]),
        guess: &Guess,
        head: Option<&Sym>,
        (first, back): (&Val, Option<&Val>),
        path: &[Cond],
    ) -> Option<Round> {
        let (Val::Int(first), Some(Val::Int(back))) = (first, back) else { return None };
        match guess {
            Guess::Round(round) => self.keeps_round(round, (first, back), turn, path).then(|| round.clone()),
            Guess::Value { .. } => {
                let head = *head?;
                match self.looks_round(head, first, back, rings)? {
                    Round::Turned { .. } => self.turned((turn, rings), head, (first, back), path),
                    round => Some(round),
                }
            }
            _ => None,
        }
    }

    fn join_back(&mut self, l: usize, mut back: Vec<State>) -> Option<State> {
        if back.len() <= 1 {
            return back.pop();
        }
        // Every branch in the loop may affect which path leads back.
        let header = self.shape.loops[l].header;
        let all = self.shape.loops[l].body.clone();
        let control = all
            .iter()
            .enumerate()
            .filter(|(_, inside)| **inside)
            .filter_map(|(b, _)| self.branches[b])
            .fold(Attr::GRID, Attr::join);
        let mut joined = self.join(header, back)?;
        for v in joined.regs.values_mut() {
            if let Val::Any(a) = v {
                *a = a.join(control);
            }
            if let Val::Int(p) = v
                && let Some(s) = p.as_sym()
                && matches!(self.syms.get(s).kind, Kind::Chosen(_))
            {
                let attr = self.syms.get(s).attr.join(control);
                self.syms.get_mut(s).attr = attr;
            }
        }
        Some(joined)
    }

    fn next_guess(
        &mut self,
        l: usize,
        guess: &Guess,
        head: Option<&Sym>,
        first: &Val,
        back: Option<&Val>,
    ) -> Guess {
        let bit = 1u64 << l;
        let lost = Attr { loops: self.nest(l), ..Attr::THREAD };
        let Some(back) = back else {
            return Guess::Any(lost);
        };
        let attr = self.attr(back).join(self.attr(first));
        let attr = Attr { loops: attr.loops | self.nest(l), ..attr };
        match guess {
            Guess::Same if back == first => Guess::Same,
            Guess::Step(step) => {
                let turn = Poly::sym(self.turns[l].unwrap_or(Sym(0))).plus_constant(1);
                let next = match first {
                    Val::Int(p) => self.syms.product(step, &turn).map(|grown| p.plus(&grown)),
                    _ => None,
                };
                match back {
                    Val::Int(p) if Some(p) == next.as_ref() => guess.clone(),
                    _ => Guess::Value { attr, bounds: Bounds::None },
                }
            }
            // The register was not periodic here.
            Guess::Round(_) => Guess::Value { attr, bounds: Bounds::None },
            Guess::Same => match back {
                Val::Int(_) => Guess::Value { attr, bounds: Bounds::None },
                Val::Pred(_) => Guess::Pred(attr),
                Val::Any(_) => Guess::Any(attr),
            },
            Guess::Value { attr: old, bounds } => {
                let (Val::Int(p), Some(&s)) = (back, head) else { return Guess::Any(attr.join(*old)) };
                let step = p.minus(&Poly::sym(s));
                if step.is_zero() {
                    return Guess::Same;
                }
                if self.syms.attr(&step).loops & bit == 0 && !step.contains(s) {
                    return Guess::Step(step);
                }
                let Val::Int(initial) = first else { return Guess::Any(attr) };
                let (range, kept) = (self.syms.range(p), bounds.of(self.syms.range(initial)));
                let low = kept.lo.is_none_or(|a| range.lo.is_some_and(|b| b >= a));
                let high = kept.hi.is_none_or(|a| range.hi.is_some_and(|b| b <= a));
                let bounds = match (bounds, low && high) {
                    (b, true) => *b,
                    (Bounds::Both, _) if low => Bounds::Least,
                    (Bounds::Both, _) if high => Bounds::Most,
                    _ => Bounds::None,
                };
                Guess::Value { attr: attr.join(*old), bounds }
            }
            Guess::Pred(old) => match back {
                Val::Pred(_) => Guess::Pred(attr.join(*old)),
                _ => Guess::Any(attr.join(*old)),
            },
            Guess::Any(old) => Guess::Any(attr.join(*old)),
        }
    }

    /// Rewrites `x % c` as `x - c * (x / c)`, so that the rest of `x - x % c` is divisible.
    fn whole_divisions(&mut self, p: &Poly) -> Poly {
        let mut out = p.clone();
        for s in p.syms() {
            let Kind::Remainder { of, by } = self.syms.get(s).kind.clone() else { continue };
            if by.as_constant().is_none() {
                continue;
            }
            let (quotient, _) = self.syms.divide(&of, &by);
            let value = by.times(&quotient).map(|q| of.minus(&q));
            if let Some(new) = value.and_then(|v| out.substituted(s, &v)) {
                out = new;
            }
        }
        out
    }

    /// Returns a condition on `q` that follows from one on `q % m`, if the latter has held at the end of every
    /// iteration so far: counters wrap around only after the loop has ended.
    fn unwrapped(&self, c: &Cond, turn: Sym, bit: u64, entry: &[Cond]) -> Option<Cond> {
        let (Cond::Ne(p) | Cond::Ge(p)) = c else { return None };
        p.syms().find_map(|s| {
            let Kind::Remainder { of, by } = &self.syms.get(s).kind else { return None };
            let (by, factor) = (by.as_constant()?, p.coefficient(s));
            let rest = p.minus(&Poly::mono(&[s], factor));
            if rest.contains(s) || rest.contains(turn) {
                return None;
            }
            let of = centred(of, by);
            let without = of.scaled(factor)?.plus(&rest);
            if let Cond::Ne(_) = c {
                // If `q` is what the remainder is compared with, so is the remainder.
                let compared = rest.divided(factor.abs())?.scaled(-factor.signum())?;
                return self.syms.range(&compared).within(0, by - 1).then_some(Cond::Ne(without));
            }
            // The first `q` is its own remainder. While none has passed the limit, the next one is, too.
            let (first, step) = by_turns(&of, turn)?;
            let fixed = |s: Sym| s == turn || self.syms.get(s).attr.loops & bit == 0;
            if !of.syms().chain(rest.syms()).all(fixed) {
                return None;
            }
            let step = self.syms.range(&step);
            let limit = self.syms.range(&rest).hi?.div_euclid(factor.abs());
            let stays = match factor < 0 {
                true => step.lo.is_some_and(|lo| lo > 0) && limit.checked_add(step.hi?)? < by,
                false => step.hi.is_some_and(|hi| hi < 0) && limit.checked_neg()?.checked_add(step.lo?)? >= 0,
            };
            let own =
                || self.syms.range(&first).within(0, by - 1) || self.begins_within(&first, by - 1, entry);
            (stays && own()).then_some(Cond::Ge(without))
        })
    }

    /// Returns whether these conditions imply that `p` lies between zero and `most`: a counter that begins below the limit
    /// with which it is compared.
    fn begins_within(&self, p: &Poly, most: i128, conditions: &[Cond]) -> bool {
        [p.clone(), p.negated().plus_constant(most)].into_iter().all(|bound| {
            let mut question = Instance::new(&self.syms);
            question.assume_all(conditions, &self.given);
            question.assume(&Cond::Ge(bound).not());
            question.refuted()
        })
    }

    /// Returns conditions that hold in every iteration because the previous iteration continued the loop.
    fn turn_facts(&mut self, l: usize, turn: Sym, first: &State, back: &State) -> Vec<Cond> {
        let bit = 1u64 << l;
        let k = Poly::sym(turn);
        let mut facts = Vec::new();
        for c in &back.path {
            let c = &self.unwrapped(c, turn, bit, &first.path).unwrap_or_else(|| c.clone());
            let known = c.syms().iter().all(|&s| s == turn || self.syms.get(s).attr.loops & bit == 0);
            if !known || first.path.contains(c) {
                continue;
            }
            if let Cond::Ne(p) = c
                && let Some(last) = last_turn(&self.whole_divisions(p), turn)
            {
                // The bound does not apply if the limit has been passed already or is never reached.
                let never = Cond::Ge(last.negated().plus_constant(-1));
                let mut question = Instance::new(&self.syms);
                question.assume_all(&first.path, &self.given);
                question.assume(&never);
                let bound = Cond::Ge(last.minus(&k));
                facts.push(if question.refuted() { bound } else { Cond::Or(vec![bound, never]) });
                continue;
            }
            let at = |value: Poly| c.map(&mut |p| p.substituted(turn, &value));
            let (Some(before), Some(zero)) = (at(k.plus_constant(-1)), at(Poly::constant(-1))) else {
                continue;
            };
            // The first iteration has no predecessor, but most loops also test the condition before it.
            let mut question = Instance::new(&self.syms);
            question.assume_all(&first.path, &self.given);
            question.assume(&zero.not());
            if question.refuted() {
                facts.push(before);
            } else {
                let later = Cond::And(vec![Cond::Ge(k.plus_constant(-1)), before]);
                facts.push(Cond::Or(vec![Cond::Eq(k.clone()), later]));
            }
        }
        facts
    }
}

/// Returns the value of a polynomial that is linear in the iteration before the first one, and what each adds.
fn by_turns(p: &Poly, turn: Sym) -> Option<(Poly, Poly)> {
    let (mut first, mut step) = (Poly::default(), Poly::default());
    for (m, c) in p.terms() {
        match m.iter().filter(|&&s| s == turn).count() {
            0 => first = first.plus(&Poly::mono(m, *c)),
            1 => step = step.plus(&Poly::mono(m, *c).divided_by_sym(turn)?),
            _ => return None,
        }
    }
    Some((first, step))
}

/// Returns a polynomial with the same remainder by `by`, and its factors as close to zero as possible.
fn centred(p: &Poly, by: i128) -> Poly {
    let factor = |c: i128| if c > by / 2 { c - by } else { c };
    let terms = p.terms().iter().map(|(m, c)| Poly::mono(m, if m.is_empty() { *c } else { factor(*c) }));
    terms.fold(Poly::default(), |sum, term| sum.plus(&term))
}

/// Returns whether a register's value is known in every iteration.
fn is_closed(guess: &Guess) -> bool {
    matches!(guess, Guess::Same | Guess::Step(_) | Guess::Round(_))
}

impl Bounds {
    fn of(self, range: Range) -> Range {
        match self {
            Bounds::Both => range,
            Bounds::Least => Range { hi: None, ..range },
            Bounds::Most => Range { lo: None, ..range },
            Bounds::None => Range::default(),
        }
    }
}

/// Returns the iteration at whose end `p` would be zero, if `p` is linear in it. `p` is not zero at the end
/// of any earlier iteration.
fn last_turn(p: &Poly, turn: Sym) -> Option<Poly> {
    let b = p.coefficient(turn);
    let rest = p.minus(&Poly::mono(&[turn], b));
    if b == 0 || rest.contains(turn) {
        return None;
    }
    rest.negated().divided(b)
}
