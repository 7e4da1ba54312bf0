//! Splits equalities between numbers in positional notation.
//!
//! In `rest + stride * sum = 0`, both `rest` and `sum` are zero if the rest is smaller than the stride:
//! threads of a block and blocks of a grid, columns and rows, and iterations of a grid-stride loop have this
//! form.

use super::Problem;
use crate::solver::poly::{Mono, Poly, Sym, gcd};
use rustc_hash::FxHashSet;

/// Equalities with more terms are not split.
const MOST_TERMS: usize = 24;

/// Limits the distance from a rest's own symbols at which other symbols are considered, and their number.
const MOST_HOPS: usize = 3;
const MOST_COMPARED: usize = 12;
/// Constraints of one thread that are looked at for a rest by themselves.
const MOST_OF_SIDE: usize = 48;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Places {
    Divided,
    Contradict,
}

impl Problem {
    /// Splits one equality into two.
    pub(super) fn by_place(&mut self) -> Option<Places> {
        for i in 0..self.eq.len() {
            if self.eq[i].terms().len() > MOST_TERMS {
                continue;
            }
            let (rest, sum) = match self.by_number(i) {
                Some(Some(both)) => both,
                Some(None) => return Some(Places::Contradict),
                None => match self.by_product(i) {
                    Some(both) => both,
                    None => continue,
                },
            };
            self.eq[i] = rest;
            self.eq.push(sum);
            return Some(Places::Divided);
        }
        None
    }

    /// Splits an equality with a constant stride: `rest` must equal its only multiple of the stride in its
    /// range; `Some(None)` if there is none. The bound of the rest may also follow from constraints on sums
    /// (`x + 3072 * y`, where `x < 3072` is known).
    fn by_number(&self, i: usize) -> Option<Option<(Poly, Poly)>> {
        let p = &self.eq[i];
        let mut strides: Vec<i128> =
            p.terms().iter().filter(|(m, c)| !m.is_empty() && c.abs() > 1).map(|(_, c)| c.abs()).collect();
        strides.sort_unstable_by_key(|c| std::cmp::Reverse(*c));
        strides.dedup();
        strides.into_iter().find_map(|stride| {
            let of = |whole: bool| {
                let terms = p.terms().iter().filter(|(m, c)| (!m.is_empty() && c % stride == 0) == whole);
                terms.fold(Poly::default(), |sum, (m, c)| sum.plus(&Poly::mono(m, *c)))
            };
            let (rest, sum) = (of(false), of(true).divided(stride)?);
            if rest.as_constant().is_some() {
                return None;
            }
            let range = self.range(&rest);
            if let (Some(lo), Some(hi)) = (range.lo, range.hi) {
                let first = lo.checked_add(stride - 1)?.div_euclid(stride).checked_mul(stride)?;
                if first > hi {
                    return Some(None);
                }
                if first.checked_add(stride)? > hi {
                    return Some(Some((rest.plus_constant(-first), sum.plus_constant(first / stride))));
                }
            }
            self.is_smaller(&rest, &Poly::constant(stride), i).then_some(Some((rest, sum)))
        })
    }

    /// Splits an equality whose stride is a product of positive symbols, if the constraints bound the rest by
    /// it.
    fn by_product(&self, i: usize) -> Option<(Poly, Poly)> {
        let p = &self.eq[i];
        let mut strides: Vec<Mono> = Vec::new();
        for (m, _) in p.terms().iter().filter(|(m, _)| m.len() > 1) {
            for left_out in 0..m.len() {
                let mut stride = m.clone();
                stride.remove(left_out);
                if !strides.contains(&stride) {
                    strides.push(stride);
                }
            }
        }
        let positive = |m: &Mono| m.iter().all(|s| self.bounds[s.0 as usize].lo.is_some_and(|lo| lo > 0));
        strides.sort_unstable_by_key(|m| std::cmp::Reverse(m.len()));
        strides.into_iter().filter(positive).find_map(|stride| {
            let sum = p.divided_part(&stride)?;
            if sum.degree() != 1 {
                return None;
            }
            // Rows that are rounded up to 32 columns: the stride of `32 * pitch * rows * z` is all but `z`.
            let factor = gcd(sum.content(), sum.constant_term()).max(1);
            let sum = sum.divided(factor)?;
            let stride = Poly::mono(&stride, factor);
            let rest = p.minus(&stride.times(&sum)?);
            let smaller = rest.as_constant().is_none() && self.is_smaller(&rest, &stride, i);
            smaller.then_some((rest, sum))
        })
    }

    /// Returns whether `-stride < rest < stride` follows from the constraints on their symbols, or on symbols
    /// that are compared with them.
    fn is_smaller(&self, rest: &Poly, stride: &Poly, i: usize) -> bool {
        let own: FxHashSet<Sym> = rest.syms().chain(stride.syms()).collect();
        let smaller = |syms: &FxHashSet<Sym>| {
            [rest.clone(), rest.negated()].iter().all(|rest| {
                let mut least = self.of_syms(syms, i);
                least.ge.push(rest.minus(stride));
                least.linear()
            })
        };
        smaller(&own)
            || self.is_smaller_by_sides(rest, stride, i)
            || self.compared(&own, i).is_some_and(|wider| smaller(&wider))
            || self.divided(&own, i).is_some_and(|wider| smaller(&wider))
    }

    /// Returns whether `-stride < rest < stride` follows from the constraints of each thread by itself: what one thread adds
    /// is below the stride, and what the other one takes away is not negative.
    fn is_smaller_by_sides(&self, rest: &Poly, stride: &Poly, i: usize) -> bool {
        if self.ge.len() + self.eq.len() > 2 * MOST_OF_SIDE {
            return false;
        }
        let Some([one, other, (common, _)]) = self.by_sides(rest) else { return false };
        let below = |p: &Poly, side: u8| {
            let mut own = self.of_side(side, i);
            own.ge.push(p.minus(stride));
            own.linear()
        };
        let never_positive = |p: &Poly, side: u8| {
            self.range(p).hi.is_some_and(|hi| hi <= 0) || {
                let mut own = self.of_side(side, i);
                own.ge.push(p.plus_constant(-1));
                own.linear()
            }
        };
        [false, true].into_iter().all(|negated| {
            let signed = |p: &Poly| if negated { p.negated() } else { p.clone() };
            let parts = [(signed(&one.0), one.1), (signed(&other.0), other.1)];
            [[0, 1], [1, 0]].into_iter().any(|[adds, takes]| {
                let ((p, side), (q, far)) = (&parts[adds], &parts[takes]);
                never_positive(q, *far) && below(&p.plus(&signed(&common)), *side)
            })
        })
    }

    /// Divides a sum into the parts of two threads and what is common to both; `None` if it has other parts.
    fn by_sides(&self, p: &Poly) -> Option<[(Poly, u8); 3]> {
        let mut parts: Vec<(Poly, u8)> = vec![(Poly::default(), 0)];
        for (m, c) in p.terms() {
            let mut sides: Vec<u8> = m.iter().map(|s| self.sides[s.0 as usize]).filter(|&n| n > 0).collect();
            sides.dedup();
            let side = match sides[..] {
                [] => 0,
                [one] => one,
                _ => return None,
            };
            let term = Poly::mono(m, *c);
            match parts.iter_mut().find(|(_, n)| *n == side) {
                Some((sum, _)) => *sum = sum.plus(&term),
                None => parts.push((term, side)),
            }
        }
        let [common, one, other] = parts.try_into().ok()?;
        Some([one, other, common])
    }

    /// Returns the constraints on one thread's symbols and shared ones, without the `i`-th equality.
    fn of_side(&self, side: u8, i: usize) -> Problem {
        self.restricted(i, |s| [0, side].contains(&self.sides[s.0 as usize]))
    }

    /// Adds to some symbols those of the equalities that define quotients among them: `5 * quotient + rest =
    /// width * row + column < 5 * n`. Returns `None` if there are none, or too many.
    fn divided(&self, own: &FxHashSet<Sym>, i: usize) -> Option<FxHashSet<Sym>> {
        let mut wider = own.clone();
        let others = self.eq.iter().enumerate().filter(|(n, _)| *n != i).map(|(_, p)| p);
        for p in others.filter(|p| p.degree() > 1) {
            // A quotient is a linear term with a factor.
            let quotient = |(m, c): &(Mono, i128)| m.len() == 1 && c.abs() > 1 && own.contains(&m[0]);
            if p.terms().iter().any(quotient) {
                wider.extend(p.syms());
            }
        }
        (wider.len() > own.len() && wider.len() <= own.len() + MOST_COMPARED).then_some(wider)
    }

    /// Adds to some symbols those that bound them: `block < blocks`, `32 * blocks <= width`. Returns `None`
    /// if there are no others, or too many.
    fn compared(&self, own: &FxHashSet<Sym>, i: usize) -> Option<FxHashSet<Sym>> {
        let others = self.eq.iter().enumerate().filter(|(n, _)| *n != i).map(|(_, p)| p);
        let short: Vec<&Poly> =
            self.ge.iter().chain(others).filter(|p| p.degree() == 1 && p.syms().count() <= 3).collect();
        let mut wider = own.clone();
        for _ in 0..MOST_HOPS {
            let next: Vec<Sym> = short
                .iter()
                .filter(|p| p.syms().any(|s| wider.contains(&s)))
                .flat_map(|p| p.syms())
                .filter(|s| !wider.contains(s))
                .collect();
            wider.extend(next);
            if wider.len() > own.len() + MOST_COMPARED {
                return None;
            }
        }
        (wider.len() > own.len()).then_some(wider)
    }

    /// Returns the constraints on these symbols only, without the `i`-th equality.
    fn of_syms(&self, syms: &FxHashSet<Sym>, i: usize) -> Problem {
        self.restricted(i, |s| syms.contains(&s))
    }

    /// Returns the constraints all of whose symbols are `own`, without the `i`-th equality.
    fn restricted(&self, i: usize, own: impl Fn(Sym) -> bool) -> Problem {
        let own = |p: &Poly| p.syms().all(&own);
        let others = self.eq.iter().enumerate().filter(|(n, p)| *n != i && own(p));
        Problem {
            bounds: self.bounds.clone(),
            sides: self.sides.clone(),
            ge: self.ge.iter().filter(|p| own(p)).cloned().collect(),
            eq: others.map(|(_, p)| p.clone()).collect(),
            ..Problem::default()
        }
    }
}
