//! Quotients and remainders by constants in the form that compilers generate: upper halves of products,
//! shifts, and corrections for negative numbers. [`super::inverse`] has the arithmetic.

use super::inverse::Fraction;
use super::{Exec, Val};
use crate::facts::Assumption;
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Range, Sym};
use crate::solver::symbols::Kind;
use ptx::ast::ScalarType;
use rustc_hash::FxHashMap;

/// Factors from these bounds on are no strides of arrays.
const LEAST_INVERSE: i128 = 1 << 8;
const LARGE_FACTOR: i128 = 1 << 24;

/// Limits nested quotients.
const MOST_NESTED: usize = 4;

/// Sums with more terms than this are left unchanged.
const FEW_TERMS: usize = 6;

/// Symbols that have one of two values, selected by a condition.
#[derive(Debug, Default)]
pub(crate) struct Splits {
    by_sym: FxHashMap<Sym, (Cond, Poly, Poly)>,
    known: FxHashMap<(Cond, Poly, Poly), Sym>,
}

impl Exec<'_> {
    /// Returns the upper half of a product with a constant.
    pub(super) fn high_product(&mut self, a: &Poly, b: &Poly, ty: ScalarType) -> Option<Poly> {
        let (x, c) = constant_factor(a, b)?;
        let by = 1i128.checked_shl(ty.bits()).filter(|_| ty.bits() <= 64)?;
        if let Some(x) = x.as_constant() {
            return Some(Poly::constant(x.checked_mul(c)?.div_euclid(by)));
        }
        let seen = self.as_seen(x, ty);
        let product = seen.scaled(c)?;
        if let Some(quotient) = self.divided(&product, by) {
            return Some(quotient);
        }
        let (quotient, _) = self.syms.divide(&product, &Poly::constant(by));
        // An executed instruction sees the integer itself.
        let Some(s) = seen.as_sym().filter(|&s| seen != *x && quotient.contains(s)) else {
            return Some(quotient);
        };
        let n = quotient.coefficient(s);
        Some(quotient.minus(&Poly::mono(&[s], n)).plus(&x.scaled(n)?))
    }

    /// Returns a product with twice the bits.
    pub(super) fn wide_product(&mut self, a: &Poly, b: &Poly, ty: ScalarType) -> Option<Poly> {
        match constant_factor(a, b) {
            Some((x, c)) if c.abs() >= LARGE_FACTOR => self.as_seen(x, ty).scaled(c),
            _ => self.syms.product(a, b),
        }
    }

    /// Returns an integer that an instruction of this type sees unchanged, with the type's bounds; names it
    /// if nothing else bounds it.
    fn as_seen(&mut self, x: &Poly, ty: ScalarType) -> Poly {
        let (signed, bits) = (ty.is_signed(), ty.bits());
        let whole = 1i128 << bits;
        let (lo, hi) = if signed { (-whole / 2, whole / 2 - 1) } else { (0, whole - 1) };
        let range = self.syms.range(x);
        if range.within(lo, hi) {
            return x.clone();
        }
        let range = Range::of(range.lo.map_or(lo, |l| l.max(lo)), range.hi.map_or(hi, |h| h.min(hi)));
        let attr = self.syms.attr(x);
        Poly::sym(self.syms.intern(Kind::Seen { of: x.clone(), signed, bits }, attr, range).0)
    }

    /// Returns `a >> n`.
    pub(super) fn shifted(&mut self, a: &Poly, n: i128, ty: ScalarType) -> Poly {
        let mut each = |e: &mut Self, a: &Poly| Some(e.shifted(a, n, ty));
        if let Some(both) = self.of_both(a, &mut each) {
            return both;
        }
        if n + 1 == i128::from(ty.bits()) && a.as_constant().is_none() {
            return self.sign(a, ty);
        }
        let a = self.seen_as(a, ty);
        self.divided(&a, 1 << n).unwrap_or_else(|| self.syms.divide(&a, &Poly::constant(1 << n)).0)
    }

    /// Returns the sign bit alone: 0, or 1 (unsigned) or -1 (signed) for a negative number.
    fn sign(&mut self, a: &Poly, ty: ScalarType) -> Poly {
        let seen = self.seen(a, true, ty.bits());
        let range = self.syms.range(&seen);
        if range.lo.is_some_and(|lo| lo >= 0) {
            // An unsigned number could be larger without an overflow.
            if !ty.is_signed() && range.hi.is_none_or(|hi| hi >> (ty.bits() - 1) != 0) {
                let text = format!("`{}` < 2^{}", self.show(&seen), ty.bits() - 1);
                self.assumed.insert(Assumption::Given(text));
            }
            return Poly::default();
        }
        let a = seen;
        // A quotient is negative where its dividend is.
        let positive = match self.fraction(&a, 1) {
            Some((x, f)) if f.c > 0 => x.plus_constant(f.k.div_euclid(f.c)),
            _ => a,
        };
        let negative = Poly::constant(if ty.is_signed() { -1 } else { 1 });
        match self.is_never_negative(&positive) {
            true => Poly::default(),
            false => self.split(Cond::Ge(positive), Poly::default(), negative),
        }
    }

    /// Returns `a & -unit`, if `a` has one of two values.
    pub(super) fn rounded(&mut self, a: &Poly, unit: i128) -> Option<Poly> {
        self.of_both(a, &mut |e, a| {
            let (_, rest) = e.syms.divide(a, &Poly::constant(unit));
            Some(a.minus(&rest))
        })
    }

    /// Returns the quotient and remainder of a possibly negative number, rounded towards zero.
    pub(super) fn truncated(&mut self, a: &Poly, by: i128) -> Option<(Poly, Poly)> {
        if by == 0 || by == -1 {
            return None;
        }
        let d = Poly::constant(by.abs());
        let (positive, _) = self.syms.divide(a, &d);
        let quotient = if self.is_never_negative(a) {
            positive
        } else {
            let (negative, _) = self.syms.divide(&a.plus_constant(-1), &d);
            self.split(Cond::Ge(a.clone()), positive, negative.plus_constant(1))
        };
        let rest = self.settled(a.minus(&quotient.scaled(by.abs())?));
        Some((if by < 0 { quotient.negated() } else { quotient }, rest))
    }

    /// Returns whether a sum with quotients is within bounds, using more than the quotients' own bounds.
    pub(super) fn is_fraction_within(&self, p: &Poly, lo: i128, hi: i128) -> bool {
        let divided = |s| matches!(self.syms.get(s).kind, Kind::Quotient { .. });
        p.terms().len() <= FEW_TERMS
            && p.syms().any(divided)
            && self.fraction(p, 1).is_some_and(|(_, f)| f.values().within(lo, hi))
    }

    /// Returns `floor(p / by)` as a division by a smaller number, if it is one.
    fn divided(&mut self, p: &Poly, by: i128) -> Option<Poly> {
        let (x, fraction) = self.fraction(p, by)?;
        if fraction.by == by && fraction.c.abs() < LEAST_INVERSE {
            return None;
        }
        let found = fraction.simpler()?;
        let top = x.scaled(found.u)?;
        let of = |e: &mut Self, m: i128| e.quotient_of(&top.plus_constant(m), found.d);
        if found.below == found.above || self.is_never_negative(&x) {
            return Some(of(self, found.above));
        }
        // The intermediate form is not worth two values.
        if found.u != 1 {
            return None;
        }
        let (above, below) = (of(self, found.above), of(self, found.below));
        Some(self.split(Cond::Ge(x), above, below))
    }

    /// Returns `floor(p / d)`; a quotient of a quotient becomes a quotient of the first dividend.
    fn quotient_of(&mut self, p: &Poly, d: i128) -> Poly {
        let inner = p.without_constant().as_sym().and_then(|s| match &self.syms.get(s).kind {
            Kind::Quotient { of, by } => Some((of.clone(), by.as_constant()?)),
            _ => None,
        });
        let whole = inner.and_then(|(of, by)| {
            Some((of.plus_constant(p.constant_term().checked_mul(by)?), by.checked_mul(d)?))
        });
        let (of, by) = whole.unwrap_or_else(|| (p.clone(), d));
        self.syms.divide(&of, &Poly::constant(by)).0
    }

    /// Returns `floor(p / by)` as a fraction of one number, and that number. Quotients in `p` with factor 1
    /// or -1 are absorbed, the last one first: `floor((floor(a / b) + r) / c)` is `floor((a + b r) / (b c))`,
    /// and `-floor(a / b)` is `floor((b - 1 - a) / b)`.
    fn fraction(&self, p: &Poly, by: i128) -> Option<(Poly, Fraction)> {
        let (mut top, mut by) = (p.clone(), by);
        for _ in 0..MOST_NESTED {
            let quotients = top.terms().iter().filter_map(|(m, c)| {
                let (&[s], 1 | -1) = (m.as_slice(), *c) else { return None };
                match &self.syms.get(s).kind {
                    Kind::Quotient { of, by } => Some((s, *c, of, by.as_constant()?)),
                    _ => None,
                }
            });
            let Some((s, c, of, b)) = quotients.max_by_key(|q| q.0) else { break };
            let rest = top.minus(&Poly::mono(&[s], c)).scaled(b)?;
            let own = if c == 1 { of.clone() } else { of.negated().plus_constant(b - 1) };
            top = rest.plus(&own);
            by = by.checked_mul(b).filter(|by| *by < 1 << 80)?;
        }
        let mut seen = None;
        for s in top.syms().filter(|&s| matches!(self.syms.get(s).kind, Kind::Seen { .. })) {
            if *seen.get_or_insert(s) != s {
                return None;
            }
        }
        if let Some(s) = seen
            && let Kind::Seen { of: x, .. } = &self.syms.get(s).kind
        {
            // An instruction that has seen the symbol has seen the integer itself.
            let top = top.substituted(s, x)?;
            let (m, a) = x.terms().iter().find(|(m, _)| !m.is_empty())?;
            let c = top.terms().iter().find(|(n, _)| n == m)?.1;
            let c = (c % a == 0).then_some(c / a)?;
            let k = top.minus(&x.scaled(c)?).as_constant()?;
            return Some((x.clone(), Fraction { c, k, by, range: self.syms.get(s).range }));
        }
        let x = top.without_constant();
        let c = x.content();
        let x = x.divided(c)?;
        let range = self.syms.range(&x);
        Some((x, Fraction { c, k: top.constant_term(), by, range }))
    }

    /// Returns a polynomial congruent to `p` modulo 2^`bits`, replacing `x mod m` by `x` where 2^`bits`
    /// divides `m`.
    pub(super) fn congruent(&mut self, p: &Poly, bits: u32) -> Poly {
        let mut out = p.clone();
        for (m, c) in p.terms() {
            let &[s] = m.as_slice() else { continue };
            if let Kind::Remainder { of, by } = &self.syms.get(s).kind
                && by.as_constant().is_some_and(|by| by > 1 && by % (1 << bits) == 0)
                && let Some(of) = of.scaled(*c)
            {
                out = out.minus(&Poly::mono(&[s], *c)).plus(&of);
            }
        }
        out
    }

    /// Rewrites a sum so that remainders and two-valued symbols are explicit.
    pub(super) fn settled(&mut self, p: Poly) -> Poly {
        let is_of_interest = |s: &Sym| {
            self.splits.by_sym.contains_key(s) || matches!(self.syms.get(*s).kind, Kind::Quotient { .. })
        };
        if p.terms().len() > FEW_TERMS || !p.syms().any(|s| is_of_interest(&s)) {
            return p;
        }
        let p = self.with_remainders(&p);
        let Some((cond, own)) = self.split_part(&p) else { return p };
        let (Some(yes), Some(no)) = (self.in_case(&p, &cond, true), self.in_case(&p, &cond, false)) else {
            return p;
        };
        let (first, second) = (self.with_remainders(&yes), self.with_remainders(&no));
        if own.terms().len() > 1 {
            // The part that depends on one condition becomes one symbol.
            let (yes, no) = (self.in_case(&own, &cond, true), self.in_case(&own, &cond, false));
            let (Some(yes), Some(no)) = (yes, no) else { return p };
            let (yes, no) = (self.with_remainders(&yes), self.with_remainders(&no));
            return p.minus(&own).plus(&self.split(cond, yes, no));
        }
        match first != yes && second != no && first.terms().len() <= 2 && second.terms().len() <= 2 {
            true => self.split(cond, first, second),
            false => p,
        }
    }

    /// Rewrites `x - d * floor(x / d)` as a remainder.
    fn with_remainders(&mut self, p: &Poly) -> Poly {
        let mut out = p.clone();
        for (m, n) in p.terms() {
            let &[s] = m.as_slice() else { continue };
            let Kind::Quotient { of, by } = &self.syms.get(s).kind else { continue };
            let Some(b) = by.as_constant().filter(|b| n % b == 0) else { continue };
            let (a, of) = (-n / b, of.clone());
            let mut own = of.terms().iter().filter(|(m, _)| !m.is_empty());
            let has = |(m, c): &(_, i128)| out.terms().iter().any(|(n, d)| n == m && *d == a * c);
            if !own.all(has) {
                continue;
            }
            let (quotient, rest) = self.syms.divide(&of, &Poly::constant(b));
            let (Some(whole), Some(rest)) = (of.scaled(a), rest.scaled(a)) else { continue };
            if quotient == Poly::sym(s) {
                out = out.minus(&Poly::mono(&[s], *n)).minus(&whole).plus(&rest);
            }
        }
        out
    }

    /// Returns one of two values, selected by a condition.
    fn split(&mut self, cond: Cond, yes: Poly, no: Poly) -> Poly {
        match self.syms.simplified(cond) {
            Cond::True => yes,
            Cond::False => no,
            _ if yes == no => yes,
            cond => {
                let key = (cond.clone(), yes, no);
                if let Some(&s) = self.splits.known.get(&key) {
                    return Poly::sym(s);
                }
                let (yes, no) = (Val::Int(key.1.clone()), Val::Int(key.2.clone()));
                let Val::Int(value) = self.choice(cond, yes, no) else { return key.1 };
                if let Some(s) = value.as_sym() {
                    self.splits.by_sym.insert(s, key.clone());
                    self.splits.known.insert(key, s);
                }
                value
            }
        }
    }

    /// Returns the first condition that selects a part of a sum, and that part.
    fn split_part(&self, p: &Poly) -> Option<(Cond, Poly)> {
        let cond = p.syms().find_map(|s| self.splits.by_sym.get(&s))?.0.clone();
        let of_it =
            |m: &[Sym]| m.iter().any(|s| self.splits.by_sym.get(s).is_some_and(|split| split.0 == cond));
        let own = p.terms().iter().filter(|(m, _)| of_it(m));
        let own = own.fold(Poly::default(), |sum, (m, c)| sum.plus(&Poly::mono(m, *c)));
        Some((cond, own))
    }

    /// Returns a sum in the case that the condition holds, or does not.
    fn in_case(&self, p: &Poly, cond: &Cond, holds: bool) -> Option<Poly> {
        p.map(|s| match self.splits.by_sym.get(&s) {
            Some((c, yes, no)) if c == cond => (if holds { yes } else { no }).clone(),
            _ => Poly::sym(s),
        })
    }

    /// Applies a function to both cases of a two-valued polynomial.
    fn of_both(&mut self, a: &Poly, f: &mut dyn FnMut(&mut Self, &Poly) -> Option<Poly>) -> Option<Poly> {
        let (cond, _) = self.split_part(a)?;
        let (yes, no) = (self.in_case(a, &cond, true)?, self.in_case(a, &cond, false)?);
        let known = self.known.len();
        self.known.push(cond.clone());
        let yes = f(self, &yes);
        self.known.truncate(known);
        self.known.push(cond.not());
        let no = f(self, &no);
        self.known.truncate(known);
        Some(self.split(cond, yes?, no?))
    }
}

/// Returns the other factor, and the constant one.
fn constant_factor<'p>(a: &'p Poly, b: &'p Poly) -> Option<(&'p Poly, i128)> {
    match (a.as_constant(), b.as_constant()) {
        (_, Some(c)) => Some((a, c)),
        (Some(c), _) => Some((b, c)),
        _ => None,
    }
}
