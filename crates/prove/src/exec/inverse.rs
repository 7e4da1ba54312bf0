//! Divisions that are written as multiplications.
//!
//! Compilers divide by a constant `d` by multiplying by a number close to `2^n / d` and shifting right
//! (Granlund, Montgomery, *Division by Invariant Integers using Multiplication*, PLDI 1994). No table of such
//! numbers is used. For all integers `c`, `x`, `k` and `u`, and all positive `b` and `d`,
//!
//! ```text
//! floor((c x + k) / b) = floor((u x + floor((e x + k d) / b)) / d)        where e = c d - u b
//! ```
//!
//! because `(c x + k) / b = (u x + (e x + k d) / b) / d`, and rounding the numerator down before the division
//! by the integer `d` does not change the rounded quotient. If the inner quotient is constant for all
//! possible `x`, the expression is a division by `d`. The inner quotient is monotone in `x`, so its values at
//! both ends of the range decide; for signed numbers those next to zero decide too. The candidates `u / d`
//! are convergents of the continued fraction of `c / b`, which include all fractions that are close enough.

use crate::solver::poly::Range;

/// Limits the divisors that are searched for.
const LARGEST_DIVISOR: i128 = 1 << 40;

/// `floor((c * x + k) / by)`, for an `x` in the range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fraction {
    pub(super) c: i128,
    pub(super) k: i128,
    pub(super) by: i128,
    pub(super) range: Range,
}

/// `floor((u * x + m) / d)`, where `m` is `below` for negative `x` and `above` otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    pub(super) u: i128,
    pub(super) d: i128,
    pub(super) below: i128,
    pub(super) above: i128,
}

/// Returns `floor((a * x + b) / by)`.
fn line(a: i128, b: i128, by: i128, x: i128) -> Option<i128> {
    Some(a.checked_mul(x)?.checked_add(b)?.div_euclid(by))
}

impl Fraction {
    /// Returns the minimum and maximum values.
    pub(super) fn values(&self) -> Range {
        let at = |x: Option<i128>| line(self.c, self.k, self.by, x?);
        let (first, last) = (at(self.range.lo), at(self.range.hi));
        if self.c >= 0 { Range { lo: first, hi: last } } else { Range { lo: last, hi: first } }
    }

    /// Returns the same value as a division by less than half of `by`, if there is one.
    pub(super) fn simpler(&self) -> Option<Division> {
        let (c, by) = (self.c, self.by);
        Convergents::of(c, by)
            .take_while(|&(_, d)| d <= LARGEST_DIVISOR && d <= by / 2 && d * d <= by << 4)
            .find_map(|(u, d)| {
                let e = c.checked_mul(d)?.checked_sub(u.checked_mul(by)?)?;
                let k = self.k.checked_mul(d)?;
                let m = |x: i128| line(e, k, by, x);
                if e == 0 {
                    let m = m(0)?;
                    return Some(Division { u, d, below: m, above: m });
                }
                let (lo, hi) = (self.range.lo?, self.range.hi?);
                let (below, above) = (m(lo)?, m(hi)?);
                let split = || lo < 0 && hi >= 0 && m(-1) == Some(below) && m(0) == Some(above);
                (below == above || split()).then_some(Division { u, d, below, above })
            })
    }
}

/// The convergents `u / d` of a fraction, with growing `d`.
struct Convergents {
    left: (i128, i128),
    before: (i128, i128),
    last: (i128, i128),
}

impl Convergents {
    fn of(c: i128, by: i128) -> Self {
        Convergents { left: (c, by), before: (0, 1), last: (1, 0) }
    }
}

impl Iterator for Convergents {
    type Item = (i128, i128);

    fn next(&mut self) -> Option<(i128, i128)> {
        let (c, by) = self.left;
        if by == 0 {
            return None;
        }
        let (whole, rest) = (c.div_euclid(by), c.rem_euclid(by));
        let grown = |last: i128, before: i128| whole.checked_mul(last)?.checked_add(before);
        let next = (grown(self.last.0, self.before.0)?, grown(self.last.1, self.before.1)?);
        self.left = (by, rest);
        self.before = std::mem::replace(&mut self.last, next);
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(d: &Division, x: i128) -> i128 {
        (d.u * x + if x < 0 { d.below } else { d.above }).div_euclid(d.d)
    }

    fn interesting(range: Range, mut also: impl FnMut() -> u64) -> Vec<i128> {
        let (lo, hi) = (range.lo.unwrap_or(0), range.hi.unwrap_or(0));
        let near = [lo, hi, 0, lo / 2, hi / 2].into_iter().flat_map(|x| x - 40..=x + 40);
        let random = (0..200).map(|_| lo + (i128::from(also()) << 20 | i128::from(also())) % (hi - lo + 1));
        near.chain(random.collect::<Vec<_>>()).filter(|x| (lo..=hi).contains(x)).collect()
    }

    fn dice() -> impl FnMut() -> u64 {
        let mut seed = 7u64;
        move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed >> 20
        }
    }

    /// This is Granlund and Montgomery's number, with as many bits as it needs.
    #[test]
    fn inverses_of_all_divisors_are_found() {
        for bits in [16u32, 32, 64] {
            for d in (3..3000i128).chain([1 << 15 | 1, (1 << 20) - 3, 1_000_000_007]) {
                if d >= 1 << (bits - 1) || d & (d - 1) == 0 {
                    continue;
                }
                let log = 128 - (d - 1).leading_zeros();
                let by = 1i128 << (bits + log);
                let c = by / d + 1;
                let range = Range::of(0, (1 << bits) - 1);
                let found = Fraction { c, k: 0, by, range }.simpler();
                assert_eq!(found, Some(Division { u: 1, d, below: 0, above: 0 }), "{d} of {bits} bits");
                let (by, range) = (by / 2, Range::of(-(1 << (bits - 1)), (1 << (bits - 1)) - 1));
                let found = Fraction { c: by / d + 1, k: 0, by, range }.simpler();
                assert_eq!(
                    found,
                    Some(Division { u: 1, d, below: -1, above: 0 }),
                    "{d} of {bits} bits, signed"
                );
            }
        }
    }

    /// The result has the same value for all numbers.
    #[test]
    fn what_is_found_is_the_same() {
        let mut dice = dice();
        let (mut found, mut inexact) = (0, 0);
        for _ in 0..60_000 {
            let bits = [8u32, 16, 32][(dice() % 3) as usize];
            let (by, d) = (1i128 << (bits + (dice() % 6) as u32), i128::from(dice() % 90 + 1));
            let c = by * i128::from(dice() % 4 + 1) / d + i128::from(dice() % 9) - 4;
            let c = if dice().is_multiple_of(5) { c - by } else { c };
            let k = if dice().is_multiple_of(2) { 0 } else { i128::from(dice()) % (2 * by) - by };
            let top = i128::from(dice()) % (1 << bits);
            let range = match dice() % 3 {
                0 => Range::of(0, top),
                1 => Range::of(-top - 1, top),
                _ => Range::of(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            };
            let fraction = Fraction { c, k, by, range };
            let values = fraction.values();
            let division = fraction.simpler();
            inexact += i32::from(division.is_none());
            found += i32::from(division.is_some());
            for x in interesting(range, &mut dice) {
                let is = (c * x + k).div_euclid(by);
                assert!(values.lo <= Some(is) && values.hi >= Some(is));
                if let Some(division) = division {
                    assert_eq!(value(&division, x), is, "{fraction:?} {division:?} at {x}");
                }
            }
        }
        assert!(found > 5000 && inexact > 5000, "{found} found, {inexact} not");
    }

    /// The predecessor of an inverse is no inverse for 32-bit numbers.
    #[test]
    fn other_numbers_are_no_inverses() {
        for d in 3..500i128 {
            let log = 128 - (d - 1).leading_zeros();
            let by = 1i128 << (32 + log);
            let range = Range::of(0, (1 << 32) - 1);
            for c in [by / d, by / d + 1 + (1 << log)] {
                if c * d == by {
                    continue;
                }
                let is = Fraction { c, k: 0, by, range }.simpler();
                assert!(is.is_none_or(|is| (is.u, is.d) != (1, d)), "{c} / {by} {is:?}");
            }
        }
    }
}
