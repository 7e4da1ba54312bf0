//! Elimination of variables from linear constraints.

use crate::solver::poly::{Mono, Poly, gcd};
use rustc_hash::FxHashMap;

/// The largest number of rows during an elimination.
const MOST_ROWS: usize = 800;

/// Eliminates the monomials of `rows`, each of which is at least 0, by Fourier–Motzkin. Returns true if they
/// have no solution.
///
/// The order of elimination determines how much of the integrality is preserved. In `256 a + 8 b + c = 0`,
/// eliminating the small `c` first leaves multiples of 8, and eliminating `b` next leaves multiples of 256;
/// eliminating `a` first leaves fractions. Therefore monomials with large factors are eliminated last: first
/// among those of equal cost, and if that proves nothing, among all.
pub(super) fn eliminate(rows: &[Poly]) -> bool {
    eliminate_by(rows, false) || eliminate_by(rows, true)
}

fn eliminate_by(rows: &[Poly], exact_first: bool) -> bool {
    let mut column: FxHashMap<&Mono, usize> = FxHashMap::default();
    for (m, _) in rows.iter().flat_map(Poly::terms) {
        if !m.is_empty() {
            let next = column.len();
            column.entry(m).or_insert(next);
        }
    }
    let width = column.len();
    let mut table = Table::default();
    for p in rows {
        let mut row = vec![0i128; width];
        let mut c = 0;
        for (m, value) in p.terms() {
            match column.get(m) {
                Some(&at) => row[at] = *value,
                None => c = *value,
            }
        }
        if table.add(row, c) {
            return true;
        }
    }
    let mut left: Vec<usize> = (0..width).collect();
    while !left.is_empty() {
        let cost = |&v: &usize| {
            let (mut p, mut n) = (0usize, 0usize);
            let (mut most, mut least) = (0, 0);
            for row in table.rows.keys() {
                match row[v].signum() {
                    1 => (p, most) = (p + 1, most.max(row[v])),
                    -1 => (n, least) = (n + 1, least.min(row[v])),
                    _ => {}
                }
            }
            // An elimination is exact if one side has factors of 1 only (Pugh): it then has no integer
            // solution that the original lacks.
            let factor = if p * n == 0 { 0 } else { most.min(-least) };
            let inexact = if exact_first { factor } else { 0 };
            (inexact, (p * n) as i64 - (p + n) as i64, factor)
        };
        let Some(at) = (0..left.len()).min_by_key(|&i| (cost(&left[i]), left[i])) else { return false };
        let v = left.swap_remove(at);
        let mut next = Table::default();
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        let mut all: Vec<(Vec<i128>, i128)> = table.rows.into_iter().collect();
        all.sort_unstable();
        for (row, c) in all {
            match row[v].signum() {
                1 => positive.push((row, c)),
                -1 => negative.push((row, c)),
                _ => {
                    if next.add(row, c) {
                        return true;
                    }
                }
            }
        }
        for (p, c) in &positive {
            for (n, d) in &negative {
                let g = gcd(p[v], n[v]);
                let (a, b) = (-n[v] / g, p[v] / g);
                let sum = |x: i128, y: i128| x.checked_mul(a)?.checked_add(y.checked_mul(b)?);
                let row: Option<Vec<i128>> = p.iter().zip(n).map(|(&x, &y)| sum(x, y)).collect();
                // Rows that overflow are dropped.
                let (Some(row), Some(constant)) = (row, sum(*c, *d)) else { continue };
                if next.add(row, constant) {
                    return true;
                }
                if next.rows.len() > MOST_ROWS {
                    return false;
                }
            }
        }
        table = next;
    }
    false
}

/// Rows `Σ a x + c >= 0`, the tightest one for each direction.
#[derive(Default)]
struct Table {
    rows: FxHashMap<Vec<i128>, i128>,
}

impl Table {
    /// Adds a row. Returns true for a contradiction.
    fn add(&mut self, mut row: Vec<i128>, mut c: i128) -> bool {
        // A row with `i128::MIN`, which cannot be negated, is dropped.
        if row.contains(&i128::MIN) {
            return false;
        }
        let g = row.iter().fold(0, |g, &a| gcd(g, a));
        if g == 0 {
            return c < 0;
        }
        if g > 1 {
            row.iter_mut().for_each(|a| *a /= g);
            c = c.div_euclid(g);
        }
        let opposite: Vec<i128> = row.iter().map(|a| -a).collect();
        if self.rows.get(&opposite).is_some_and(|d| c.checked_add(*d).is_some_and(|sum| sum < 0)) {
            return true;
        }
        self.rows.entry(row).and_modify(|d| *d = c.min(*d)).or_insert(c);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::poly::Sym;

    /// Returns whether `x + 8 y + width * z = 0` is refuted, where x is a difference of two numbers from 0 to
    /// 7, y a positive difference of two numbers from 0 to `most`, and z a difference of two numbers below
    /// 32.
    fn apart(width: i128, most: i128) -> bool {
        let v = |n: u32| Poly::sym(Sym(n));
        let between = |p: Poly, most: i128| [p.clone(), p.negated().plus_constant(most)];
        let difference = |a: u32, c: i128| v(a).minus(&v(a + 1)).scaled(c).unwrap_or_default();
        // The variables with the large factor have the smallest numbers, so they would be eliminated first.
        let sum = difference(0, width).plus(&difference(2, 8)).plus(&difference(4, 1));
        let mut rows = vec![sum.clone(), sum.negated(), difference(2, 1).plus_constant(-1)];
        for (n, most) in [(0, 31), (1, 31), (2, most), (3, most), (4, 7), (5, 7)] {
            rows.extend(between(v(n), most));
        }
        eliminate(&rows)
    }

    /// The test covers the division of `i128::MIN` by -1, the greatest common divisor of two such factors.
    #[test]
    fn factors_without_an_opposite_say_nothing() {
        let mut table = Table::default();
        assert!(!table.add(vec![i128::MIN, 3], 0) && !table.add(vec![i128::MIN], -1));
        assert!(table.rows.is_empty());
    }

    #[test]
    fn indices_of_two_dimensions_are_apart_by_numbers() {
        assert!(apart(256, 31));
        assert!(apart(10_000, 3));
        // If a row is shorter than the elements next to it, there are solutions.
        assert!(!apart(248, 31));
        assert!(!apart(16, 3));
    }
}
