//! Refutes integer constraints.
//!
//! The solver answers one question: has a conjunction of polynomial constraints and clauses no integer
//! solution? The answer `true` is a proof; `false` proves nothing. Nonlinear monomials are treated as
//! variables of their own, related by products of constraints with nonnegative factors. The linear rest is
//! decided by Fourier–Motzkin elimination with integer tightening, after equalities are substituted (the
//! exact part of the Omega test, Pugh, Supercomputing 1991). Clauses and the order of twins are split by
//! cases.

mod eliminate;
mod places;
mod smtlib;

use crate::solver::cond::Cond;
use crate::solver::poly::{Mono, Poly, Range, Sym};
use eliminate::eliminate;
use places::Places;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The largest number of cases per question.
const MOST_CASES: u32 = 400;
const MOST_LEMMAS: usize = 260;
const MOST_DEPTH: u32 = 7;
/// A range wider than that of every coordinate.
const WIDE: i128 = 1 << 24;

/// A conjunction of constraints and clauses.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// The bounds of each variable.
    pub bounds: Vec<Range>,
    /// The thread that each variable belongs to; 0 for one that all threads share.
    pub sides: Vec<u8>,
    ge: Vec<Poly>,
    eq: Vec<Poly>,
    clauses: Vec<Vec<Cond>>,
    /// Pairs of variables for the same symbol in two threads.
    pub twins: Vec<(Sym, Sym)>,
    contradiction: bool,
}

impl Problem {
    pub fn variable(&mut self, range: Range) -> Sym {
        self.variable_of(range, 0)
    }

    /// Creates a variable of one thread.
    pub fn variable_of(&mut self, range: Range, side: u8) -> Sym {
        self.bounds.push(range);
        self.sides.push(side);
        Sym((self.bounds.len() - 1) as u32)
    }

    pub fn assert(&mut self, cond: &Cond) {
        match cond {
            Cond::True => {}
            Cond::False => self.contradiction = true,
            Cond::Ge(p) => self.ge.push(p.clone()),
            Cond::Eq(p) => self.eq.push(p.clone()),
            Cond::Ne(p) => {
                let above = Cond::Ge(p.plus_constant(-1));
                let below = Cond::Ge(p.negated().plus_constant(-1));
                self.clauses.push(vec![above, below]);
            }
            Cond::And(all) => all.iter().for_each(|c| self.assert(c)),
            Cond::Or(any) => self.clauses.push(any.clone()),
        }
    }

    /// Returns whether the conjunction certainly has no solution.
    pub fn refuted(&self) -> bool {
        let mut cases = MOST_CASES;
        self.clone().refute(&mut cases, 0)
    }

    fn refute(mut self, cases: &mut u32, depth: u32) -> bool {
        if *cases == 0 {
            return false;
        }
        *cases -= 1;
        if self.contradiction || self.simplify() || self.linear() {
            return true;
        }
        if depth >= MOST_DEPTH {
            return false;
        }
        // Splits the clause with the fewest cases that are not refuted at once.
        let clauses = std::mem::take(&mut self.clauses);
        let mut live: Vec<Vec<Cond>> = Vec::new();
        let mut units = Vec::new();
        for clause in clauses {
            let bounds = |s: Sym| self.bounds[s.0 as usize];
            match Cond::Or(clause).simplified(&bounds) {
                Cond::True => {}
                Cond::False => return true,
                Cond::Or(any) => live.push(any),
                one => units.push(one),
            }
        }
        if !units.is_empty() {
            self.clauses = live;
            units.iter().for_each(|one| self.assert(one));
            return self.refute(cases, depth);
        }
        live.sort_by_key(Vec::len);
        if !live.is_empty() {
            let clause = live.remove(0);
            self.clauses = live;
            return clause.iter().all(|case| {
                let mut one = self.clone();
                one.assert(case);
                one.refute(cases, depth + 1)
            });
        }
        let Some((a, b)) = self.split_twins() else { return false };
        let (a, b) = (Poly::sym(a), Poly::sym(b));
        let order = [Cond::lt(&a, &b), Cond::lt(&b, &a), Cond::eq(&a, &b)];
        order.iter().all(|case| {
            let mut one = self.clone();
            one.assert(case);
            one.refute(cases, depth + 1)
        })
    }

    /// Returns a pair of twins that are both factors of products.
    fn split_twins(&mut self) -> Option<(Sym, Sym)> {
        let mut factors: FxHashSet<Sym> = FxHashSet::default();
        for p in self.ge.iter().chain(&self.eq) {
            for (m, _) in p.terms() {
                if m.len() > 1 {
                    factors.extend(m.iter().copied());
                }
            }
        }
        let at = self.twins.iter().position(|(a, b)| factors.contains(a) && factors.contains(b))?;
        Some(self.twins.remove(at))
    }

    fn range(&self, p: &Poly) -> Range {
        p.range(&|s| self.bounds[s.0 as usize])
    }

    /// Normalises, substitutes equalities, and tightens bounds. Returns true for a contradiction.
    fn simplify(&mut self) -> bool {
        for _ in 0..40 {
            if self.normalise() {
                return true;
            }
            if self.tighten() {
                return true;
            }
            match self.by_place() {
                Some(Places::Contradict) => return true,
                Some(Places::Divided) => continue,
                None => {}
            }
            if !self.substitute() {
                return false;
            }
        }
        false
    }

    fn normalise(&mut self) -> bool {
        let mut sides: FxHashMap<Poly, i128> = FxHashMap::default();
        for p in std::mem::take(&mut self.ge) {
            let (rest, c) = (p.without_constant(), p.constant_term());
            let g = rest.content();
            if g == 0 {
                if c < 0 {
                    return true;
                }
                continue;
            }
            let Some(rest) = rest.divided(g) else { continue };
            let c = c.div_euclid(g);
            sides.entry(rest).and_modify(|d| *d = c.min(*d)).or_insert(c);
        }
        let mut rows: Vec<(Poly, i128)> = sides.iter().map(|(p, c)| (p.clone(), *c)).collect();
        rows.sort_unstable();
        for (rest, c) in rows {
            if let Some(d) = sides.get(&rest.negated()) {
                if c + d < 0 {
                    return true;
                }
                if c + d == 0 {
                    self.eq.push(rest.plus_constant(c));
                    continue;
                }
            }
            self.ge.push(rest.plus_constant(c));
        }
        let mut equal = Vec::new();
        for mut p in std::mem::take(&mut self.eq) {
            // A positive factor of all terms can be left out.
            while let Some(s) = p.terms().first().and_then(|(m, _)| {
                m.iter().copied().find(|&s| {
                    self.bounds[s.0 as usize].lo.is_some_and(|lo| lo > 0) && p.divided_by_sym(s).is_some()
                })
            }) {
                p = p.divided_by_sym(s).unwrap_or_default();
            }
            let (rest, c) = (p.without_constant(), p.constant_term());
            let g = rest.content();
            if g == 0 {
                if c != 0 {
                    return true;
                }
                continue;
            }
            if c % g != 0 {
                return true;
            }
            let Some(p) = p.divided(g) else { continue };
            let range = self.range(&p);
            if range.lo.is_some_and(|lo| lo > 0) || range.hi.is_some_and(|hi| hi < 0) {
                return true;
            }
            equal.push(p);
        }
        equal.sort_unstable();
        equal.dedup();
        self.eq = equal;
        false
    }

    /// Tightens the bounds of variables by single constraints. Returns true for a contradiction.
    fn tighten(&mut self) -> bool {
        for _ in 0..4 {
            let mut changed = false;
            let both = self.eq.iter().flat_map(|p| [p.clone(), p.negated()]);
            let rows: Vec<Poly> = self.ge.iter().cloned().chain(both).collect();
            for p in &rows {
                for (m, c) in p.terms() {
                    if m.len() != 1 {
                        continue;
                    }
                    // c * x >= -rest implies c * x >= -max(rest).
                    let s = m[0];
                    let rest = p.minus(&Poly::mono(m, *c));
                    if rest.contains(s) {
                        continue;
                    }
                    let Some(most) = self.range(&rest).hi else { continue };
                    let bound = &mut self.bounds[s.0 as usize];
                    if *c > 0 {
                        let lo = (-most).div_euclid(*c) + i128::from((-most).rem_euclid(*c) != 0);
                        if bound.lo.is_none_or(|old| lo > old) {
                            bound.lo = Some(lo);
                            changed = true;
                        }
                    } else {
                        let hi = most.div_euclid(-*c);
                        if bound.hi.is_none_or(|old| hi < old) {
                            bound.hi = Some(hi);
                            changed = true;
                        }
                    }
                    if bound.lo.zip(bound.hi).is_some_and(|(lo, hi)| lo > hi) {
                        return true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        false
    }

    /// Substitutes one equality; returns false if none can be substituted.
    fn substitute(&mut self) -> bool {
        let mut factors: FxHashSet<Sym> = FxHashSet::default();
        for (m, _) in self.ge.iter().chain(&self.eq).flat_map(Poly::terms) {
            if m.len() > 1 {
                factors.extend(m.iter().copied());
            }
        }
        // Symbols that name sums and are factors stay, because their products would grow.
        let mut found = None;
        let mut best = usize::MAX;
        for (i, p) in self.eq.iter().enumerate() {
            for (m, c) in p.terms() {
                if m.len() != 1 || c.abs() != 1 {
                    continue;
                }
                let rest = p.minus(&Poly::mono(m, *c));
                if rest.contains(m[0]) {
                    continue;
                }
                let grows = factors.contains(&m[0]) && rest.terms().len() > 1;
                // Symbols that name sums are substituted first, because the bounds of coordinates are more
                // informative.
                let bounds = self.bounds[m[0].0 as usize];
                let narrow = bounds.lo.zip(bounds.hi).is_some_and(|(lo, hi)| hi - lo < WIDE);
                let cost = 2 * usize::from(rest.degree() > 1) + 4 * usize::from(grows) + usize::from(narrow);
                if cost < best && !(grows && rest.terms().len() > 2) {
                    best = cost;
                    found = Some((i, m[0], if *c == 1 { rest.negated() } else { rest }));
                }
            }
        }
        let Some((i, s, value)) = found else { return false };
        self.eq.remove(i);
        let own = self.bounds[s.0 as usize];
        if let Some(lo) = own.lo {
            self.ge.push(value.plus_constant(-lo));
        }
        if let Some(hi) = own.hi {
            self.ge.push(value.negated().plus_constant(hi));
        }
        // Constraints that get too large are dropped: fewer constraints refute less.
        let replace = |p: &Poly| p.substituted(s, &value);
        self.ge = self.ge.iter().filter_map(replace).collect();
        self.eq = self.eq.iter().filter_map(replace).collect();
        let clauses = std::mem::take(&mut self.clauses);
        for clause in clauses {
            let clause: Option<Vec<Cond>> =
                clause.iter().map(|c| c.map(&mut |p| p.substituted(s, &value))).collect();
            self.clauses.extend(clause);
        }
        if let Some(t) = value.as_sym() {
            for pair in &mut self.twins {
                if pair.0 == s {
                    pair.0 = t;
                }
                if pair.1 == s {
                    pair.1 = t;
                }
            }
        }
        self.twins.retain(|(a, b)| a != b && *a != s && *b != s);
        true
    }

    /// Decides the remaining problem as linear constraints. Returns true if they have no solution.
    fn linear(&self) -> bool {
        let mut rows: Vec<Poly> = self.ge.clone();
        for p in &self.eq {
            rows.push(p.clone());
            rows.push(p.negated());
        }
        let mut used: Vec<Sym> = rows.iter().flat_map(Poly::syms).collect();
        used.sort_unstable();
        used.dedup();
        let mut simple = rows.clone();
        simple.retain(|p| p.degree() <= 1);
        for &s in &used {
            let b = self.bounds[s.0 as usize];
            simple.extend(b.lo.and_then(i128::checked_neg).map(|low| Poly::sym(s).plus_constant(low)));
            simple.extend(b.hi.map(|hi| Poly::sym(s).negated().plus_constant(hi)));
        }
        // Products with the limits of machine integers are of no use.
        let telling: Vec<Poly> =
            simple.iter().filter(|p| p.constant_term().abs() < 1 << 20).cloned().collect();
        self.lemmas(&rows, &telling).into_iter().for_each(|p| rows.push(p));
        rows.extend(simple);
        eliminate(&rows)
    }

    /// Computes products of constraints that relate the products of variables in `rows`.
    fn lemmas(&self, rows: &[Poly], simple: &[Poly]) -> Vec<Poly> {
        let mut products: FxHashSet<Mono> = FxHashSet::default();
        for (m, _) in rows.iter().flat_map(Poly::terms) {
            if m.len() > 1 {
                for mask in 1u32..1 << m.len() {
                    let part: Mono =
                        m.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, &s)| s).collect();
                    if part.len() > 1 {
                        products.insert(part);
                    }
                }
            }
        }
        let mut sorted: Vec<&Mono> = products.iter().collect();
        sorted.sort_unstable();
        let mut factors: Vec<Mono> = Vec::new();
        for m in &sorted {
            for i in 0..m.len() {
                let mut rest: Mono = (*m).clone();
                rest.remove(i);
                factors.push(rest);
            }
        }
        factors.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then(a.cmp(b)));
        factors.dedup();
        let mut found = Vec::new();
        for factor in factors {
            // (f - lo) * g >= 0
            let least = factor.iter().map(|s| self.bounds[s.0 as usize].lo);
            let Some(least) = least.collect::<Option<SmallVec<[i128; 4]>>>() else { continue };
            if least.iter().any(|&lo| lo < 0) {
                continue;
            }
            let lo = least.iter().try_fold(1i128, |p, lo| p.checked_mul(*lo));
            let f = Poly::mono(&factor, 1).plus_constant(-lo.unwrap_or(0));
            for g in simple {
                // Only products that occur are relevant.
                let relevant = g.terms().iter().any(|(m, _)| {
                    m.len() == 1 && {
                        let mut whole = factor.clone();
                        whole.push(m[0]);
                        whole.sort_unstable();
                        products.contains(&whole)
                    }
                });
                if !relevant {
                    continue;
                }
                let Some(product) = f.times(g) else { continue };
                let known = product.terms().iter().all(|(m, _)| m.len() <= 1 || products.contains(m));
                if known && !product.is_zero() {
                    found.push(product);
                    if found.len() >= MOST_LEMMAS {
                        return found;
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
