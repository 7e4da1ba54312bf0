//! Rounding by random bits.

use super::{Finite, Format, Round};

impl Format {
    /// Rounds away from zero if a number of `count` bits and the truncated part, of which as many bits follow the last one
    /// kept, have a carry, and towards zero otherwise. `finite` numbers beyond the range become the largest one.
    pub fn pack_random(self, x: Finite, (random, count): (u64, u32), finite: bool) -> u64 {
        let sign = if x.neg { self.sign() } else { 0 };
        let width = (128 - x.sig.leading_zeros()) as i32;
        let last = (x.exp + width - 1 - self.man_bits as i32).max(self.least_exp());
        // The exponent of the last random bit.
        let unit = last - count as i32;
        if x.sig == 0 || x.exp + width <= unit {
            return sign;
        }
        let exp = x.exp.min(unit);
        let sig = (x.sig << (x.exp - exp)) + (u128::from(random) << (unit - exp));
        let sum = Finite { sig, exp, ..x };
        let beyond = sum.top() >= 1 << (self.exp_bits - 1);
        if beyond && self.has_inf && !finite {
            return sign | (self.max + 1);
        }
        self.pack(sum, Round::Zero)
    }
}
