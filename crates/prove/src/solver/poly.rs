//! Polynomials with integer coefficients over symbols. The prover expresses addresses and guards as such
//! polynomials.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A symbol: an input, a coordinate, a loop counter, or an unknown value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(pub u32);

/// A product of symbols, sorted; empty for the constant term.
pub type Mono = SmallVec<[Sym; 4]>;

/// Larger coefficients are given up, so that sums stay far from overflow.
const LARGEST: i128 = 1 << 80;
/// Polynomials with more terms or a higher degree are given up, too.
const MOST_TERMS: usize = 40;
const MOST_FACTORS: usize = 4;

/// A sum of monomials, sorted and without zero coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Poly {
    terms: Vec<(Mono, i128)>,
}

impl Poly {
    pub fn constant(c: i128) -> Poly {
        match c {
            0 => Poly::default(),
            c => Poly { terms: vec![(Mono::new(), c)] },
        }
    }

    pub fn sym(s: Sym) -> Poly {
        Poly { terms: vec![(SmallVec::from_slice(&[s]), 1)] }
    }

    pub fn mono(m: &[Sym], c: i128) -> Poly {
        if c == 0 {
            return Poly::default();
        }
        Poly { terms: vec![(SmallVec::from_slice(m), c)] }
    }

    pub fn terms(&self) -> &[(Mono, i128)] {
        &self.terms
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the value of a polynomial without symbols.
    pub fn as_constant(&self) -> Option<i128> {
        match &self.terms[..] {
            [] => Some(0),
            [(m, c)] if m.is_empty() => Some(*c),
            _ => None,
        }
    }

    /// Returns the symbol if the polynomial is a single symbol.
    pub fn as_sym(&self) -> Option<Sym> {
        match &self.terms[..] {
            [(m, 1)] if m.len() == 1 => Some(m[0]),
            _ => None,
        }
    }

    pub fn constant_term(&self) -> i128 {
        self.terms.first().filter(|(m, _)| m.is_empty()).map_or(0, |t| t.1)
    }

    pub fn without_constant(&self) -> Poly {
        Poly { terms: self.terms.iter().filter(|(m, _)| !m.is_empty()).cloned().collect() }
    }

    pub fn coefficient(&self, s: Sym) -> i128 {
        self.terms.iter().find(|(m, _)| m.as_slice() == [s]).map_or(0, |t| t.1)
    }

    /// Returns all symbols, with repetitions.
    pub fn syms(&self) -> impl Iterator<Item = Sym> + '_ {
        self.terms.iter().flat_map(|(m, _)| m.iter().copied())
    }

    pub fn contains(&self, s: Sym) -> bool {
        self.syms().any(|t| t == s)
    }

    pub fn degree(&self) -> usize {
        self.terms.iter().map(|(m, _)| m.len()).max().unwrap_or(0)
    }

    fn combine(&self, other: &Poly, factor: i128) -> Poly {
        let (a, b) = (&self.terms, &other.terms);
        let mut terms = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let order = match (a.get(i), b.get(j)) {
                (Some(x), Some(y)) => x.0.cmp(&y.0),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            match order {
                std::cmp::Ordering::Less => {
                    terms.push(a[i].clone());
                    i += 1;
                }
                std::cmp::Ordering::Greater => {
                    terms.push((b[j].0.clone(), b[j].1 * factor));
                    j += 1;
                }
                std::cmp::Ordering::Equal => {
                    let c = a[i].1 + b[j].1 * factor;
                    if c != 0 {
                        terms.push((a[i].0.clone(), c));
                    }
                    i += 1;
                    j += 1;
                }
            }
        }
        Poly { terms }
    }

    pub fn plus(&self, other: &Poly) -> Poly {
        self.combine(other, 1)
    }

    pub fn minus(&self, other: &Poly) -> Poly {
        self.combine(other, -1)
    }

    pub fn negated(&self) -> Poly {
        Poly::default().minus(self)
    }

    pub fn plus_constant(&self, c: i128) -> Poly {
        self.plus(&Poly::constant(c))
    }

    /// Returns whether all operations can take the polynomial without overflow.
    pub fn is_small(&self) -> bool {
        self.terms.len() <= MOST_TERMS
            && self.terms.iter().all(|(m, c)| c.abs() < LARGEST && m.len() <= MOST_FACTORS)
    }

    pub fn scaled(&self, c: i128) -> Option<Poly> {
        if c == 0 {
            return Some(Poly::default());
        }
        let mut terms = self.terms.clone();
        for term in &mut terms {
            term.1 = term.1.checked_mul(c).filter(|p| p.unsigned_abs() < LARGEST.unsigned_abs())?;
        }
        Some(Poly { terms })
    }

    /// Returns the product, or `None` if it gets too large.
    pub fn times(&self, other: &Poly) -> Option<Poly> {
        let mut sums: FxHashMap<Mono, i128> = FxHashMap::default();
        for (m, c) in &self.terms {
            for (n, d) in &other.terms {
                let mut product = m.clone();
                product.extend_from_slice(n);
                product.sort_unstable();
                let value = c.checked_mul(*d).filter(|p| p.unsigned_abs() < LARGEST.unsigned_abs())?;
                let sum = sums.entry(product).or_insert(0);
                *sum = sum.checked_add(value)?;
            }
        }
        let mut terms: Vec<_> = sums.into_iter().filter(|t| t.1 != 0).collect();
        terms.sort_unstable();
        Some(Poly { terms }).filter(Poly::is_small)
    }

    /// Divides all coefficients by `c`; `None` if a remainder is left.
    pub fn divided(&self, c: i128) -> Option<Poly> {
        if c == 0 {
            return None;
        }
        let terms = self.terms.iter().map(|(m, d)| (d % c == 0).then(|| (m.clone(), d / c)));
        Some(Poly { terms: terms.collect::<Option<_>>()? })
    }

    /// Returns the factor of `m` in the monomials that contain `m`; `None` if there are none.
    pub fn divided_part(&self, m: &[Sym]) -> Option<Poly> {
        let mut terms = Vec::new();
        for (whole, c) in &self.terms {
            let mut rest = whole.clone();
            let all = m.iter().all(|s| match rest.iter().position(|t| t == s) {
                Some(at) => {
                    rest.remove(at);
                    true
                }
                None => false,
            });
            if all {
                terms.push((rest, *c));
            }
        }
        terms.sort_unstable();
        (!terms.is_empty()).then_some(Poly { terms })
    }

    /// Divides every monomial by `s`; `None` if one does not contain it.
    pub fn divided_by_sym(&self, s: Sym) -> Option<Poly> {
        let mut terms = Vec::with_capacity(self.terms.len());
        for (m, c) in &self.terms {
            let mut m = m.clone();
            m.remove(m.iter().position(|&t| t == s)?);
            terms.push((m, *c));
        }
        terms.sort_unstable();
        Some(Poly { terms })
    }

    /// Replaces each symbol; `None` if the result gets too large.
    pub fn map(&self, mut f: impl FnMut(Sym) -> Poly) -> Option<Poly> {
        let mut sum = Poly::default();
        for (m, c) in &self.terms {
            let mut product = Poly::constant(*c);
            for &s in m {
                product = product.times(&f(s))?;
            }
            sum = sum.plus(&product);
        }
        Some(sum).filter(Poly::is_small)
    }

    pub fn substituted(&self, s: Sym, value: &Poly) -> Option<Poly> {
        if !self.contains(s) {
            return Some(self.clone());
        }
        self.map(|t| if t == s { value.clone() } else { Poly::sym(t) })
    }

    /// Returns the greatest common divisor of all coefficients except the constant term; 0 for a constant.
    pub fn content(&self) -> i128 {
        self.terms.iter().filter(|(m, _)| !m.is_empty()).fold(0, |g, (_, c)| gcd(g, *c))
    }

    /// Evaluates the polynomial for given values of all symbols.
    pub fn evaluate(&self, value: &impl Fn(Sym) -> Option<i128>) -> Option<i128> {
        let mut sum = 0i128;
        for (m, c) in &self.terms {
            let mut product = *c;
            for &s in m {
                product = product.checked_mul(value(s)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    /// Computes the least and greatest value from those of the symbols; `None` is unbounded.
    pub fn range(&self, bounds: &impl Fn(Sym) -> Range) -> Range {
        let mut sum = Range::exactly(0);
        for (m, c) in &self.terms {
            let mut product = Range::exactly(*c);
            let mut i = 0;
            while i < m.len() {
                let b = bounds(m[i]);
                // A square is not negative.
                if m.get(i + 1) == Some(&m[i]) && b.lo.is_none_or(|lo| lo < 0) {
                    let top = b.lo.zip(b.hi).and_then(|(l, h)| l.abs().max(h.abs()).checked_pow(2));
                    product = product.times(Range { lo: Some(0), hi: top });
                    i += 2;
                    continue;
                }
                product = product.times(b);
                i += 1;
            }
            sum = sum.plus(product);
        }
        sum
    }
}

/// An interval of integers; `None` is unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Range {
    pub lo: Option<i128>,
    pub hi: Option<i128>,
}

impl Range {
    pub fn exactly(c: i128) -> Range {
        Range { lo: Some(c), hi: Some(c) }
    }

    pub fn of(lo: i128, hi: i128) -> Range {
        Range { lo: Some(lo), hi: Some(hi) }
    }

    pub fn plus(self, other: Range) -> Range {
        let add = |a: Option<i128>, b: Option<i128>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
        Range { lo: add(self.lo, other.lo), hi: add(self.hi, other.hi) }
    }

    pub fn times(self, other: Range) -> Range {
        if let (Some(a), Some(b), Some(c), Some(d)) = (self.lo, self.hi, other.lo, other.hi) {
            let ends = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            if ends.iter().all(Option::is_some) {
                let ends = ends.map(|e| e.unwrap_or(0));
                return Range { lo: ends.iter().min().copied(), hi: ends.iter().max().copied() };
            }
            return Range::default();
        }
        let zero = Range::exactly(0);
        if self == zero || other == zero {
            return zero;
        }
        let mul = |a: Option<i128>, b: Option<i128>| a.zip(b).and_then(|(a, b)| a.checked_mul(b));
        let (p, q) = (self.lo.is_some_and(|l| l >= 0), other.lo.is_some_and(|l| l >= 0));
        let (m, n) = (self.hi.is_some_and(|h| h <= 0), other.hi.is_some_and(|h| h <= 0));
        match (p, q, m, n) {
            (true, true, ..) => Range { lo: mul(self.lo, other.lo), hi: mul(self.hi, other.hi) },
            (_, _, true, true) => Range { lo: mul(self.hi, other.hi), hi: mul(self.lo, other.lo) },
            (true, _, _, true) => Range { lo: mul(self.hi, other.lo), hi: mul(self.lo, other.hi) },
            (_, true, true, _) => Range { lo: mul(self.lo, other.hi), hi: mul(self.hi, other.lo) },
            _ => Range::default(),
        }
    }

    pub fn within(self, lo: i128, hi: i128) -> bool {
        self.lo.is_some_and(|l| l >= lo) && self.hi.is_some_and(|h| h <= hi)
    }

    pub fn join(self, other: Range) -> Range {
        Range {
            lo: self.lo.zip(other.lo).map(|(a, b)| a.min(b)),
            hi: self.hi.zip(other.hi).map(|(a, b)| a.max(b)),
        }
    }
}

pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic() {
        let (x, y) = (Poly::sym(Sym(1)), Poly::sym(Sym(2)));
        let a = x.plus(&y).times(&x.minus(&y)).unwrap();
        let b = x.times(&x).unwrap().minus(&y.times(&y).unwrap());
        assert_eq!(a, b);
        assert!(a.minus(&b).is_zero());
        assert_eq!(a.substituted(Sym(1), &y), Some(Poly::default()));
        assert_eq!(x.scaled(6).unwrap().plus_constant(3).content(), 6);
        let range = a.range(&|_| Range::of(-2, 3));
        assert_eq!(range, Range::of(-9, 9));
    }
}
