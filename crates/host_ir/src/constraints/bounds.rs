//! Between which numbers the values of a launch are: by their types, and by what is said of them.

use super::super::linear::Sum;
use crate::relation::Test;
use std::collections::HashMap;

/// Integers from the first to the second one.
pub(super) type Range = (i128, i128);

pub(super) struct Width(u32);

/// Integers of so many bits, with their signs.
pub(super) fn of_bits(bits: u32) -> Width {
    Width(bits.clamp(1, 64))
}

impl Width {
    pub(super) fn range(&self) -> Range {
        (-(1 << (self.0 - 1)), (1 << (self.0 - 1)) - 1)
    }

    pub(super) fn holds(&self, range: Range) -> bool {
        self.range().0 <= range.0 && range.1 <= self.range().1
    }
}

/// Sums that are kept, and how often they are looked at again behind a new one.
const MOST_KEPT: usize = 64;
const MOST_ROUNDS: usize = 3;

/// Bounds by atom.
#[derive(Clone, Default)]
pub(super) struct Bounds {
    ranges: HashMap<u32, Range>,
    /// Sums that are not negative: a bound that is learned later bounds their other atoms, too.
    kept: Vec<Sum>,
}

impl Bounds {
    pub(super) fn within(&mut self, atom: u32, width: Width) {
        self.ranges.insert(atom, width.range());
    }

    fn atom(&self, atom: u32) -> Range {
        self.ranges.get(&atom).copied().unwrap_or_else(|| Width(64).range())
    }

    /// The least and the greatest number that a sum can be; `None` where these are too large.
    pub(super) fn of(&self, sum: &Sum) -> Option<Range> {
        let mut found = (sum.constant, sum.constant);
        for (&a, &c) in &sum.terms {
            let (lo, hi) = self.atom(a);
            let (x, y) = (lo.checked_mul(c)?, hi.checked_mul(c)?);
            found = (found.0.checked_add(x.min(y))?, found.1.checked_add(x.max(y))?);
        }
        Some(found)
    }

    /// Returns whether a value is below its least and above its greatest number: what was learned holds of nothing.
    pub(super) fn contradict(&self) -> bool {
        self.ranges.values().any(|(least, most)| least > most)
    }

    pub(super) fn fits(&self, sum: &Sum, bits: u32) -> bool {
        self.of(sum).is_some_and(|range| of_bits(bits).holds(range))
    }

    pub(super) fn product(&self, x: &Sum, y: &Sum) -> Option<Range> {
        let (a, b) = (self.of(x)?, self.of(y)?);
        let mut all = Vec::new();
        for p in [a.0, a.1] {
            for q in [b.0, b.1] {
                all.push(p.checked_mul(q)?);
            }
        }
        Some((*all.iter().min()?, *all.iter().max()?))
    }

    /// A value that is one atom is within that range, too.
    pub(super) fn narrow(&mut self, of: &Sum, range: Range) {
        self.learn(of, Test::Ge, &Sum::of(range.0));
        self.learn(of, Test::Le, &Sum::of(range.1));
    }

    /// Learns from a relation that holds.
    pub(super) fn learn(&mut self, left: &Sum, test: Test, right: &Sum) {
        let up = right.plus(left, -1);
        let down = left.plus(right, -1);
        match test {
            Test::Le => self.is_not_negative(&up),
            Test::Lt => self.is_not_negative(&up.plus(&Sum::of(-1), 1)),
            Test::Ge => self.is_not_negative(&down),
            Test::Gt => self.is_not_negative(&down.plus(&Sum::of(-1), 1)),
            Test::Eq => {
                self.is_not_negative(&up);
                self.is_not_negative(&down);
            }
            _ => {}
        }
    }

    fn is_not_negative(&mut self, sum: &Sum) {
        let mut changed = self.tighten(sum);
        for _ in 0..MOST_ROUNDS {
            if !changed {
                break;
            }
            changed = false;
            for kept in self.kept.clone() {
                changed |= self.tighten(&kept);
            }
        }
        if sum.terms.len() > 1 && self.kept.len() < MOST_KEPT && !self.kept.contains(sum) {
            self.kept.push(sum.clone());
        }
    }

    /// Bounds each atom of a sum that is not negative by the others; returns whether one has a new bound.
    fn tighten(&mut self, sum: &Sum) -> bool {
        let mut changed = false;
        for (&a, &c) in &sum.terms {
            let rest = sum.plus(&Sum::atom(a), -c);
            let Some((_, most)) = self.of(&rest) else { continue };
            let (lo, hi) = self.atom(a);
            let new = match c > 0 {
                true => (lo.max(-most.div_euclid(c)), hi),
                false => (lo, hi.min(most.div_euclid(-c))),
            };
            changed |= new != (lo, hi);
            self.ranges.insert(a, new);
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_follow_from_relations() {
        let mut bounds = Bounds::default();
        for a in [1, 2] {
            bounds.within(a, of_bits(32));
        }
        let (x, y) = (Sum::atom(1), Sum::atom(2));
        assert!(!bounds.fits(&x.plus(&Sum::of(255), 1), 32));
        bounds.learn(&x, Test::Lt, &Sum::of(1000));
        bounds.learn(&Sum::of(1), Test::Le, &x);
        assert_eq!(bounds.of(&x), Some((1, 999)));
        assert!(bounds.fits(&x.plus(&Sum::of(255), 1), 32));
        bounds.learn(&y.times(256), Test::Le, &x.plus(&Sum::of(255), 1));
        assert_eq!(bounds.of(&y).expect("small").1, 4);
        bounds.learn(&x, Test::Le, &y.times(256));
        assert_eq!(bounds.of(&y), Some((1, 4)));
        assert_eq!(bounds.product(&x, &y), Some((1, 3996)));
        // Bounds of either value bound the other one, in any order of the constraints.
        let (z, w) = (Sum::atom(3), Sum::atom(4));
        for a in [3, 4] {
            bounds.within(a, of_bits(32));
        }
        bounds.learn(&w, Test::Ge, &z);
        bounds.learn(&w, Test::Le, &Sum::of(10));
        assert_eq!(bounds.of(&z).expect("small").1, 10);
    }
}
