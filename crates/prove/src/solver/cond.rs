//! Conditions on polynomials: guards, definitions, facts.

use crate::solver::poly::{Poly, Sym};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    True,
    False,
    /// The polynomial is not negative.
    Ge(Poly),
    /// The polynomial is zero.
    Eq(Poly),
    Ne(Poly),
    And(Vec<Cond>),
    Or(Vec<Cond>),
}

impl Cond {
    /// Returns `a <= b`.
    pub fn le(a: &Poly, b: &Poly) -> Cond {
        Cond::Ge(b.minus(a))
    }

    /// Returns `a < b`.
    pub fn lt(a: &Poly, b: &Poly) -> Cond {
        Cond::Ge(b.minus(a).plus_constant(-1))
    }

    pub fn eq(a: &Poly, b: &Poly) -> Cond {
        Cond::Eq(a.minus(b))
    }

    pub fn not(&self) -> Cond {
        match self {
            Cond::True => Cond::False,
            Cond::False => Cond::True,
            Cond::Ge(p) => Cond::Ge(p.negated().plus_constant(-1)),
            Cond::Eq(p) => Cond::Ne(p.clone()),
            Cond::Ne(p) => Cond::Eq(p.clone()),
            Cond::And(all) => Cond::Or(all.iter().map(Cond::not).collect()),
            Cond::Or(any) => Cond::And(any.iter().map(Cond::not).collect()),
        }
    }

    pub fn and(self, other: Cond) -> Cond {
        match (self, other) {
            (Cond::True, c) | (c, Cond::True) => c,
            (Cond::False, _) | (_, Cond::False) => Cond::False,
            (a, b) => Cond::And(vec![a, b]),
        }
    }

    pub fn or(self, other: Cond) -> Cond {
        match (self, other) {
            (Cond::False, c) | (c, Cond::False) => c,
            (Cond::True, _) | (_, Cond::True) => Cond::True,
            (a, b) => Cond::Or(vec![a, b]),
        }
    }

    pub fn each_poly(&self, f: &mut impl FnMut(&Poly)) {
        match self {
            Cond::True | Cond::False => {}
            Cond::Ge(p) | Cond::Eq(p) | Cond::Ne(p) => f(p),
            Cond::And(all) | Cond::Or(all) => all.iter().for_each(|c| c.each_poly(f)),
        }
    }

    pub fn syms(&self) -> Vec<Sym> {
        let mut found = Vec::new();
        self.each_poly(&mut |p| found.extend(p.syms()));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Replaces each polynomial. Returns `None` if a polynomial becomes too large.
    pub fn map(&self, f: &mut impl FnMut(&Poly) -> Option<Poly>) -> Option<Cond> {
        Some(match self {
            Cond::True => Cond::True,
            Cond::False => Cond::False,
            Cond::Ge(p) => Cond::Ge(f(p)?),
            Cond::Eq(p) => Cond::Eq(f(p)?),
            Cond::Ne(p) => Cond::Ne(f(p)?),
            Cond::And(all) => Cond::And(all.iter().map(|c| c.map(f)).collect::<Option<_>>()?),
            Cond::Or(any) => Cond::Or(any.iter().map(|c| c.map(f)).collect::<Option<_>>()?),
        })
    }

    /// Returns what follows from the symbols' minimum and maximum values alone.
    pub fn simplified(self, bounds: &impl Fn(Sym) -> crate::solver::poly::Range) -> Cond {
        match self {
            Cond::Ge(p) => {
                let range = p.range(bounds);
                match (range.lo, range.hi) {
                    (Some(lo), _) if lo >= 0 => Cond::True,
                    (_, Some(hi)) if hi < 0 => Cond::False,
                    _ => Cond::Ge(p),
                }
            }
            Cond::Eq(p) => match Self::zero(&p, bounds) {
                Some(true) => Cond::True,
                Some(false) => Cond::False,
                None => Cond::Eq(p),
            },
            Cond::Ne(p) => match Self::zero(&p, bounds) {
                Some(true) => Cond::False,
                Some(false) => Cond::True,
                None => Cond::Ne(p),
            },
            Cond::And(all) => {
                let mut left = Vec::new();
                for c in all {
                    match c.simplified(bounds) {
                        Cond::True => {}
                        Cond::False => return Cond::False,
                        Cond::And(inner) => left.extend(inner),
                        c => left.push(c),
                    }
                }
                match left.len() {
                    0 => Cond::True,
                    1 => left.remove(0),
                    _ => Cond::And(left),
                }
            }
            Cond::Or(any) => {
                let mut left = Vec::new();
                for c in any {
                    match c.simplified(bounds) {
                        Cond::False => {}
                        Cond::True => return Cond::True,
                        Cond::Or(inner) => left.extend(inner),
                        c => left.push(c),
                    }
                }
                match left.len() {
                    0 => Cond::False,
                    1 => left.remove(0),
                    _ => Cond::Or(left),
                }
            }
            c => c,
        }
    }

    fn zero(p: &Poly, bounds: &impl Fn(Sym) -> crate::solver::poly::Range) -> Option<bool> {
        let range = p.range(bounds);
        match (range.lo, range.hi) {
            (Some(0), Some(0)) => Some(true),
            (Some(lo), _) if lo > 0 => Some(false),
            (_, Some(hi)) if hi < 0 => Some(false),
            _ => None,
        }
    }

    /// Evaluates the condition for given values of all symbols.
    pub fn evaluate(&self, value: &impl Fn(Sym) -> Option<i128>) -> Option<bool> {
        Some(match self {
            Cond::True => true,
            Cond::False => false,
            Cond::Ge(p) => p.evaluate(value)? >= 0,
            Cond::Eq(p) => p.evaluate(value)? == 0,
            Cond::Ne(p) => p.evaluate(value)? != 0,
            Cond::And(all) => {
                for c in all {
                    if !c.evaluate(value)? {
                        return Some(false);
                    }
                }
                true
            }
            Cond::Or(any) => {
                for c in any {
                    if c.evaluate(value)? {
                        return Some(true);
                    }
                }
                false
            }
        })
    }
}

/// Adds a condition to a path.
pub(crate) fn push(path: &mut Vec<Cond>, c: &Cond) {
    match c {
        Cond::True => {}
        Cond::And(all) => all.iter().for_each(|c| push(path, c)),
        c if path.contains(c) => {}
        c => path.push(c.clone()),
    }
}
