//! Branch-free `f16` and `bf16` arithmetic for the row functions of half precision.
//!
//! [`Half`] is the specification; these functions return the same bits (`lower/select/tests.rs`) without
//! branches, so that the compiler vectorises loops over lanes. A number is in the lower 16 bits of a word,
//! whose upper bits are ignored in operands and zero in results.

use super::half::Half;
use super::narrow::{odd_f32, odd_f64, odd_single};
use super::single::MinMax;

/// The canonical NaN, the result of every instruction.
const NAN: u32 = 0x7fff;
const SIGN: u32 = 0x8000;

/// Modifiers of inputs and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    pub ftz: bool,
    pub sat: bool,
    pub relu: bool,
}

impl Modifiers {
    pub const NONE: Modifiers = Modifiers { ftz: false, sat: false, relu: false };
}

/// Returns the exact value; NaN remains NaN.
#[inline(always)]
pub fn value(half: Half, a: u32) -> f32 {
    match half {
        Half::Bf16 => f32::from_bits(a << 16),
        Half::F16 => {
            let magnitude = a & 0x7fff;
            // Moves the fields, then corrects the bias by an exact product.
            let finite = (f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000)).to_bits();
            let m = if magnitude >= 0x7c00 { 0x7f80_0000 | magnitude << 13 } else { finite };
            f32::from_bits((a & SIGN) << 16 | m)
        }
    }
}

/// Rounds to nearest even; NaN becomes 0x7fff. The argument may be the result of rounding to odd.
#[inline(always)]
pub fn round(half: Half, x: f32) -> u32 {
    let bits = x.to_bits();
    let r = match half {
        Half::Bf16 => (bits.wrapping_add(0x7fff + (bits >> 16 & 1))) >> 16,
        Half::F16 => {
            let magnitude = bits & 0x7fff_ffff;
            // Subnormal result: adding 0.5 aligns the last bit at 2^-24 and rounds.
            let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
            let m = magnitude.wrapping_sub(0x3800_0000);
            let normal = m.wrapping_add(0xfff + (m >> 13 & 1)) >> 13;
            let finite = if magnitude < 0x3880_0000 { small } else { normal };
            bits >> 16 & SIGN | if magnitude >= 0x4780_0000 { 0x7c00 } else { finite }
        }
    };
    if x.is_nan() { NAN } else { r }
}

/// Returns the magnitude below which a number, rounded with an unbounded exponent, is below the normal range:
/// the least normal number minus a quarter of the subnormal unit.
#[inline(always)]
fn tiny(half: Half) -> f32 {
    f32::from_bits(match half {
        Half::F16 => 0x387f_f000,
        Half::Bf16 => 0x007f_c000,
    })
}

/// Replaces a subnormal by the zero of its sign.
#[inline(always)]
pub fn flush(half: Half, a: u32) -> u32 {
    let least = match half {
        Half::F16 => 0x400,
        Half::Bf16 => 0x80,
    };
    if a & 0x7fff < least { a & SIGN } else { a & 0xffff }
}

#[inline(always)]
fn input(half: Half, a: u32, how: Modifiers) -> u32 {
    if how.ftz { flush(half, a) } else { a }
}

/// Rounds a result and applies the modifiers.
#[inline(always)]
fn output(half: Half, x: f32, how: Modifiers) -> u32 {
    let r = round(half, x);
    let r = if how.ftz && x.abs() < tiny(half) { r & SIGN } else { r };
    let r = if how.sat { saturate(half, r) } else { r };
    if how.relu { relu(half, r) } else { r }
}

/// Clamps to [+0, 1]; NaN becomes +0.
#[inline(always)]
fn saturate(half: Half, r: u32) -> u32 {
    let one = match half {
        Half::F16 => 0x3c00,
        Half::Bf16 => 0x3f80,
    };
    if r & SIGN != 0 || is_nan(half, r) { 0 } else { r.min(one) }
}

/// Replaces negative numbers by +0, and NaN by the canonical one.
#[inline(always)]
fn relu(half: Half, r: u32) -> u32 {
    let positive = if r & SIGN != 0 { 0 } else { r };
    if is_nan(half, r) { NAN } else { positive }
}

#[inline(always)]
pub fn is_nan(half: Half, a: u32) -> bool {
    let infinity = match half {
        Half::F16 => 0x7c00,
        Half::Bf16 => 0x7f80,
    };
    a & 0x7fff > infinity
}

/// Adds two numbers. The sum is rounded to `f32` first, which is harmless: 24 bits are at least twice 11 plus
/// two. Sums below the normal range are exact.
#[inline(always)]
pub fn add(half: Half, a: u32, b: u32, how: Modifiers) -> u32 {
    output(half, value(half, input(half, a, how)) + value(half, input(half, b, how)), how)
}

#[inline(always)]
pub fn sub(half: Half, a: u32, b: u32, how: Modifiers) -> u32 {
    add(half, a, b ^ SIGN, how)
}

#[inline(always)]
pub fn mul(half: Half, a: u32, b: u32, how: Modifiers) -> u32 {
    let (a, b) = (value(half, input(half, a, how)), value(half, input(half, b, how)));
    let product = match half {
        // Exact: 22 bits, well inside the range.
        Half::F16 => a * b,
        // 16 bits, but possibly beyond the range of `f32`.
        Half::Bf16 => odd_single(f64::from(a) * f64::from(b)),
    };
    output(half, product, how)
}

#[inline(always)]
pub fn fma(half: Half, a: u32, b: u32, c: u32, how: Modifiers) -> u32 {
    let of = |x| value(half, input(half, x, how));
    let (a, b, c) = (of(a), of(b), of(c));
    // The product is exact, and so is the error of the sum.
    let sum = match half {
        Half::F16 => {
            let p = a * b;
            let s = p + c;
            let q = s - p;
            odd_f32(s, (p - (s - q)) + (c - q))
        }
        Half::Bf16 => {
            let (p, c) = (f64::from(a) * f64::from(b), f64::from(c));
            let s = p + c;
            let q = s - p;
            odd_single(odd_f64(s, (p - (s - q)) + (c - q)))
        }
    };
    output(half, sum, how)
}

#[inline(always)]
pub fn abs(half: Half, a: u32, ftz: bool) -> u32 {
    sign_op(half, a & 0x7fff, ftz)
}

#[inline(always)]
pub fn neg(half: Half, a: u32, ftz: bool) -> u32 {
    sign_op(half, a & 0xffff ^ SIGN, ftz)
}

#[inline(always)]
fn sign_op(half: Half, a: u32, ftz: bool) -> u32 {
    let r = if ftz { flush(half, a) } else { a };
    if is_nan(half, a) { NAN } else { r }
}

/// Computes `min` or, if `max`, `max`.
#[inline(always)]
pub fn min_max(half: Half, a: u32, b: u32, how: MinMax, max: bool) -> u32 {
    let of = |x: u32| if how.ftz { flush(half, x) } else { x & 0xffff };
    let (a, b) = (of(a), of(b));
    let sign = (a ^ b) & SIGN;
    let magnitude = if how.xorsign_abs { 0x7fff } else { 0xffff };
    let (x, y) = (a & magnitude, b & magnitude);
    let (p, q) = (is_nan(half, x), is_nan(half, y));
    // Maps numbers to integers of the same order, with -0 below +0.
    let key = |v: u32| (v << 16 ^ (((v << 16) as i32 >> 31) as u32 >> 1)) as i32;
    let greater = key(x) > key(y);
    let first = q | !p & (greater == max);
    let r = if first { x } else { y };
    let r = if how.xorsign_abs { r | sign } else { r };
    if p & q | how.nan & (p | q) { NAN } else { r }
}

/// Applies `f` to both halves.
#[inline(always)]
pub fn pair(a: u32, b: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    f(a >> 16, b >> 16) << 16 | f(a & 0xffff, b & 0xffff)
}

/// Applies `f` to both halves of three operands.
#[inline(always)]
pub fn pair3(a: u32, b: u32, c: u32, f: impl Fn(u32, u32, u32) -> u32) -> u32 {
    f(a >> 16, b >> 16, c >> 16) << 16 | f(a & 0xffff, b & 0xffff, c & 0xffff)
}
