//! Products, quotients, remainders, shifts and masks, as values with relations of their own.

use super::super::linear::Sum;
use super::atoms::Operation;
use super::bounds::of_bits;
use super::reader::{Reader, Said};
use crate::relation::{Expr, Test};

/// Larger shifts have no products that are sizes.
const MOST_SHIFT: i128 = 40;

impl<'a> Reader<'_, '_, 'a> {
    /// Returns the result of an operation on two sums that is no sum of them.
    pub(super) fn operation(
        &mut self,
        depth: usize,
        name: &'a str,
        of: &Operation<'_>,
        x: &Sum,
        y: &Sum,
    ) -> Option<Sum> {
        match (of.op, y.constant()) {
            ("mul", _) => self.product(depth, name, of, x, y),
            ("shl", _) => self.power(depth, name, of, x, y),
            ("sdiv" | "udiv", Some(c)) if c > 0 => Some(self.quotient(depth, name, of, x, c)),
            ("lshr" | "ashr", Some(c)) if (0..=MOST_SHIFT).contains(&c) => {
                Some(self.quotient(depth, name, of, x, 1 << c))
            }
            ("sdiv" | "udiv", None) => Some(self.quotient_by_value(depth, name, of, x, y)),
            ("srem" | "urem", Some(c)) if c > 0 => Some(self.remainder(depth, name, of, x, c)),
            ("srem" | "urem", None) => Some(self.remainder_by_value(depth, name, of, x, y)),
            ("and", Some(c)) if c > 0 && (c + 1).count_ones() == 1 => {
                let unsigned = Operation { op: "urem", ..*of };
                Some(self.remainder(depth, name, &unsigned, x, c + 1))
            }
            ("and", Some(c)) if c < 0 && c > -(1 << MOST_SHIFT) && (-c).count_ones() == 1 => {
                Some(self.multiple(depth, name, of, x, -c))
            }
            ("and", Some(c)) if self.clears_low_bits(x, c) => {
                Some(self.multiple(depth, name, of, x, 1 << c.trailing_zeros()))
            }
            // No more than what is not negative of both.
            ("and", _) => {
                let masked = self.itself(depth, name);
                for side in [x, y] {
                    if of.exact && self.is_never_negative(side) {
                        self.says(&Sum::of(0), Test::Le, &masked, true);
                        self.says(&masked, Test::Le, side, true);
                    }
                }
                Some(masked)
            }
            _ => None,
        }
    }

    /// Returns whether a mask only clears the lowest bits of a number: it has all others that the number can have.
    fn clears_low_bits(&self, x: &Sum, mask: i128) -> bool {
        let all = mask | ((1 << mask.trailing_zeros().min(100)) - 1);
        mask > 0
            && mask.trailing_zeros() < MOST_SHIFT as u32
            && (all + 1).count_ones() == 1
            && self.bounds.of(x).is_some_and(|(least, most)| least >= 0 && most <= all)
    }

    fn product(&mut self, depth: usize, name: &'a str, of: &Operation<'_>, x: &Sum, y: &Sum) -> Option<Sum> {
        let range = self.bounds.product(x, y);
        let exact = of.exact && (of.signed || range.is_some_and(|r| of_bits(of.bits).holds(r)));
        let product = self.itself(depth, name);
        if let (true, Some(range)) = (exact, range) {
            self.bounds.narrow(&product, range);
        }
        let right = Expr::Mul(Box::new(x.expr()), Box::new(y.expr()));
        self.side.push(Said { left: product.expr(), test: Test::Eq, right, exact });
        Some(product)
    }

    /// A shift to the left by a value: between the products of the least and of the greatest one.
    fn power(&mut self, depth: usize, name: &'a str, of: &Operation<'_>, x: &Sum, y: &Sum) -> Option<Sum> {
        let (x, y) = (self.bounds.of(x)?, self.bounds.of(y)?);
        if !of.exact || x.0 < 0 || y.0 < 0 || y.1 > MOST_SHIFT || x.1 >= 1 << MOST_SHIFT {
            return None;
        }
        let range = (x.0 << y.0, x.1 << y.1);
        if !of.signed && !of_bits(of.bits).holds(range) {
            return None;
        }
        let power = self.itself(depth, name);
        self.says(&Sum::of(range.0), Test::Le, &power, true);
        if of_bits(of.bits).holds(range) {
            self.says(&power, Test::Le, &Sum::of(range.1), true);
        }
        Some(power)
    }

    fn quotient(&mut self, depth: usize, name: &'a str, of: &Operation<'_>, x: &Sum, by: i128) -> Sum {
        // Without a sign, what is below zero is large.
        let exact = of.exact && (matches!(of.op, "sdiv" | "ashr") || self.is_never_negative(x));
        let is_multiple = x.constant % by == 0 && x.terms.values().all(|c| c % by == 0);
        if exact && is_multiple {
            let terms = x.terms.iter().map(|(&a, c)| (a, c / by)).collect();
            return Sum { terms, constant: x.constant / by };
        }
        let q = self.itself(depth, name);
        // Rounded towards zero: of a number below zero, up.
        let above = if of.op == "sdiv" { x.plus(&Sum::of(by - 1), 1) } else { x.clone() };
        let product = q.times(by);
        if let Some((&a, _)) = q.terms.iter().next() {
            self.quotients.insert(a, (x.clone(), by, exact));
        }
        self.says(&product, Test::Le, &above, exact);
        self.says(x, Test::Le, &product.plus(&Sum::of(by - 1), 1), exact);
        q
    }

    fn quotient_by_value(
        &mut self,
        depth: usize,
        name: &'a str,
        of: &Operation<'_>,
        x: &Sum,
        y: &Sum,
    ) -> Sum {
        let q = self.itself(depth, name);
        let (Some(x_range), Some(y_range)) = (self.bounds.of(x), self.bounds.of(y)) else { return q };
        if !of.exact || x_range.0 < 0 || y_range.0 < 1 {
            return q;
        }
        self.says(&Sum::of(x_range.0 / y_range.1), Test::Le, &q, true);
        self.says(&q, Test::Le, &Sum::of(x_range.1 / y_range.0), true);
        let product = || Expr::Mul(Box::new(q.expr()), Box::new(y.expr()));
        self.side.push(Said { left: product(), test: Test::Le, right: x.expr(), exact: true });
        let above = Expr::Add(Box::new(product()), Box::new(y.expr()));
        self.side.push(Said { left: x.expr(), test: Test::Lt, right: above, exact: true });
        q
    }

    fn remainder(&mut self, depth: usize, name: &'a str, of: &Operation<'_>, x: &Sum, by: i128) -> Sum {
        let exact = of.exact && self.is_never_negative(x);
        let rest = self.itself(depth, name);
        // The sign is that of the number.
        if of.op == "srem" && !exact {
            self.says(&Sum::of(1 - by), Test::Le, &rest, true);
            self.says(&rest, Test::Le, &Sum::of(by - 1), true);
            return rest;
        }
        let right = Expr::Rem(Box::new(x.expr()), Box::new(Expr::Number(by)));
        self.side.push(Said { left: rest.expr(), test: Test::Eq, right, exact });
        // That is so of any number.
        self.says(&Sum::of(0), Test::Le, &rest, true);
        self.says(&rest, Test::Le, &Sum::of(by - 1), true);
        rest
    }

    fn remainder_by_value(
        &mut self,
        depth: usize,
        name: &'a str,
        of: &Operation<'_>,
        x: &Sum,
        y: &Sum,
    ) -> Sum {
        let rest = self.itself(depth, name);
        let (Some(x_range), Some(y_range)) = (self.bounds.of(x), self.bounds.of(y)) else { return rest };
        if of.exact && y_range.0 >= 1 && x_range.0 >= 0 {
            self.says(&Sum::of(0), Test::Le, &rest, true);
            self.says(&rest, Test::Le, &y.plus(&Sum::of(-1), 1), true);
            self.says(&rest, Test::Le, x, true);
        }
        rest
    }

    /// A number whose lowest bits were cleared: a multiple of that power of two, not above the number.
    fn multiple(&mut self, depth: usize, name: &'a str, of: &Operation<'_>, x: &Sum, by: i128) -> Sum {
        let sum = self.unnamed(of.bits).times(by);
        self.says(&sum, Test::Le, x, of.exact);
        self.says(x, Test::Le, &sum.plus(&Sum::of(by - 1), 1), of.exact);
        self.narrowed |= !self.bounds.fits(&sum, of.bits);
        self.multiples.insert((depth, name), (sum.clone(), of.exact && self.bounds.fits(&sum, of.bits)));
        sum
    }
}
