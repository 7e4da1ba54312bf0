//! Directed rounding by the host's arithmetic.
//!
//! The host rounds to nearest. The rounding error is computed exactly (Dekker 1971, Knuth's TwoSum, the
//! residual of a fused multiply-add, and for fused multiply-adds themselves the error terms of Boldo and
//! Muller, "Exact and approximated error of the FMA", 2011); its sign tells whether the directed result is
//! the nearest number or its neighbour.
//!
//! This holds only if nothing overflows and no error is below the least subnormal number. Otherwise, and for
//! zeros, infinities and NaN, each function returns `None`, and [`super::fp`] computes the result.

use super::fp::Round;

/// Rounds in a direction: returns `nearest` (finite, not zero) or its neighbour, depending on the sign of
/// `error`, the rounding error or a number of its sign.
#[inline(always)]
fn step64(nearest: f64, error: f64, rnd: Round) -> Option<u64> {
    let bits = nearest.to_bits();
    Some(bits.wrapping_add_signed(step(bits >> 63 != 0, error, rnd)?))
}

/// Returns the correction of the nearest number's magnitude in units of the last place, by that number's sign
/// and the sign of the rounding error.
#[inline(always)]
fn step(neg: bool, error: f64, rnd: Round) -> Option<i64> {
    let away = match rnd {
        Round::Up if error > 0.0 => !neg,
        Round::Down if error < 0.0 => neg,
        Round::Zero if error != 0.0 && (error < 0.0) != neg => false,
        Round::Up | Round::Down | Round::Zero => return Some(0),
        Round::Nearest | Round::NearestAway => return None,
    };
    Some(if away { 1 } else { -1 })
}

/// Returns whether the magnitude is in `2^low..2^1000`.
#[inline(always)]
fn between(x: f64, low: i32) -> bool {
    let exp = (x.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    exp >= low && exp < 1000
}

/// Returns whether the magnitude is below 2^1000. Additions of such numbers lose nothing to overflow or
/// underflow.
#[inline(always)]
fn moderate(x: f64) -> bool {
    between(x, -1023)
}

/// Returns the sum and its rounding error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let b_part = s - a;
    (s, (a - (s - b_part)) + (b - b_part))
}

#[inline(always)]
pub(super) fn add(a: u64, b: u64, rnd: Round) -> Option<u64> {
    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
    let (s, error) = two_sum(a, b);
    if !moderate(a) || !moderate(b) || s == 0.0 {
        return None;
    }
    step64(s, error, rnd)
}

#[inline(always)]
pub(super) fn mul(a: u64, b: u64, rnd: Round) -> Option<u64> {
    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
    let p = a * b;
    if !between(p, -900) {
        return None;
    }
    step64(p, a.mul_add(b, -p), rnd)
}

#[inline(always)]
pub(super) fn fma(a: u64, b: u64, c: u64, rnd: Round) -> Option<u64> {
    let (a, b, c) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
    let r = a.mul_add(b, c);
    let p = a * b;
    if !between(p, -900) || !moderate(c) || r == 0.0 {
        return None;
    }
    let (c_high, c_low) = two_sum(c, a.mul_add(b, -p));
    let (high, low) = two_sum(p, c_high);
    step64(r, ((high - r) + low) + c_low, rnd)
}

#[inline(always)]
pub(super) fn div(a: u64, b: u64, rnd: Round) -> Option<u64> {
    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
    let q = a / b;
    if !between(a, -800) || !between(b, -800) || !between(q, -800) {
        return None;
    }
    let rest = (-q).mul_add(b, a);
    step64(q, if b < 0.0 { -rest } else { rest }, rnd)
}

#[inline(always)]
pub(super) fn sqrt(a: u64, rnd: Round) -> Option<u64> {
    let a = f64::from_bits(a);
    if a < 0.0 || !between(a, -800) {
        return None;
    }
    let q = a.sqrt();
    step64(q, (-q).mul_add(q, a), rnd)
}

/// A bound below which the result of `.ftz` may depend on the rounding error.
const SMALL: f32 = 4.0 * f32::MIN_POSITIVE;

/// Rounds `sum + error` to an `f32` in a direction.
#[inline(always)]
fn step32(sum: f64, error: f64, rnd: Round) -> Option<u32> {
    let r = sum as f32;
    if r.is_nan() || r.abs() < SMALL || r.abs() >= f32::MAX {
        return None;
    }
    // If the sum is not an `f32`, its own remainder decides, because the error is less than half of its last
    // place.
    let rest = sum - f64::from(r);
    let error = if rest == 0.0 { error } else { rest };
    Some(r.to_bits().wrapping_add_signed(step(r < 0.0, error, rnd)? as i32))
}

#[inline(always)]
pub(super) fn add_f32(a: u32, b: u32, rnd: Round) -> Option<u32> {
    let (s, error) = two_sum(f32::from_bits(a).into(), f32::from_bits(b).into());
    step32(s, error, rnd)
}

/// Multiplies two `f32`, whose product is exact in `f64`.
#[inline(always)]
pub(super) fn mul_f32(a: u32, b: u32, rnd: Round) -> Option<u32> {
    step32(f64::from(f32::from_bits(a)) * f64::from(f32::from_bits(b)), 0.0, rnd)
}

#[inline(always)]
pub(super) fn fma_f32(a: u32, b: u32, c: u32, rnd: Round) -> Option<u32> {
    let p = f64::from(f32::from_bits(a)) * f64::from(f32::from_bits(b));
    let (s, error) = two_sum(p, f32::from_bits(c).into());
    step32(s, error, rnd)
}

#[cfg(test)]
mod tests {
    use super::super::fp::{F32, F64, Mode};
    use super::*;

    struct Rng(u64);

    impl Rng {
        fn draw(&mut self) -> u64 {
            // splitmix64
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        /// Draws the bits of a number with `man` fraction bits: any, special, near `like`, or with few bits
        /// set.
        fn number(&mut self, exp_bits: u32, man: u32, like: u64) -> u64 {
            let top = exp_bits + man;
            let any = self.draw() & (u64::MAX >> (63 - top));
            let middle = ((1u64 << (exp_bits - 1)) - 40 + self.draw() % 80) << man;
            let sign = (self.draw() & 1) << top;
            let fraction = (1u64 << man) - 1;
            match self.draw() % 8 {
                0 => any,
                1 => sign | (self.draw() % 4),
                2 => sign | ((1 << exp_bits) - 1 - self.draw() % 3) << man | (any & fraction),
                3 => like ^ (self.draw() & 7) ^ sign,
                4 => sign | middle | (any & fraction & !(fraction >> (self.draw() % 8))),
                5 => sign | middle | (1 << (self.draw() % u64::from(man))),
                _ => sign | middle | (any & fraction),
            }
        }
    }

    const DIRECTIONS: [Round; 3] = [Round::Zero, Round::Down, Round::Up];

    #[test]
    fn doubles_are_what_integers_compute() {
        let mut rng = Rng(1);
        let mut taken = 0;
        for _ in 0..300_000 {
            let a = rng.number(11, 52, 0);
            let b = rng.number(11, 52, a);
            let product = (f64::from_bits(a) * f64::from_bits(b)).to_bits();
            let near = if rng.draw() & 1 == 0 { product ^ 1 << 63 } else { a };
            let c = rng.number(11, 52, near);
            let rnd = DIRECTIONS[(rng.draw() % 3) as usize];
            let mode = Mode::round(rnd);
            let results = [
                (add(a, b, rnd), F64.add(a, b, mode)),
                (mul(a, b, rnd), F64.mul(a, b, mode)),
                (fma(a, b, c, rnd), F64.fma(a, b, c, mode)),
                (div(a, b, rnd), F64.div(a, b, mode)),
                (sqrt(a, rnd), F64.sqrt(a, mode)),
            ];
            for (i, (fast, exact)) in results.into_iter().enumerate() {
                let Some(fast) = fast else { continue };
                assert_eq!(fast, exact, "operation {i} of {a:#x}, {b:#x}, {c:#x}, {rnd:?}");
                taken += 1;
            }
        }
        assert!(taken > 600_000, "{taken}");
    }

    #[test]
    fn singles_are_what_integers_compute() {
        let mut rng = Rng(2);
        let mut taken = 0;
        for _ in 0..300_000 {
            let a = rng.number(8, 23, 0) as u32;
            let b = rng.number(8, 23, a.into()) as u32;
            let product = (f32::from_bits(a) * f32::from_bits(b)).to_bits();
            let near = if rng.draw() & 1 == 0 { product ^ 1 << 31 } else { a };
            let c = rng.number(8, 23, near.into()) as u32;
            let rnd = DIRECTIONS[(rng.draw() % 3) as usize];
            let mode = Mode::round(rnd);
            let [wide_a, wide_b, wide_c] = [a, b, c].map(u64::from);
            let results = [
                (add_f32(a, b, rnd), F32.add(wide_a, wide_b, mode)),
                (mul_f32(a, b, rnd), F32.mul(wide_a, wide_b, mode)),
                (fma_f32(a, b, c, rnd), F32.fma(wide_a, wide_b, wide_c, mode)),
            ];
            for (i, (fast, exact)) in results.into_iter().enumerate() {
                let Some(fast) = fast else { continue };
                assert_eq!(u64::from(fast), exact, "operation {i} of {a:#x}, {b:#x}, {c:#x}, {rnd:?}");
                taken += 1;
            }
        }
        assert!(taken > 400_000, "{taken}");
    }
}
