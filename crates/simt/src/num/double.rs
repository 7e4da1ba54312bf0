//! `f64` arithmetic on bit patterns, PTX §9.7.3. No flushing exists for `f64`.

use super::directed;
use super::fp::{F64, Mode, Round};

/// The NaN of an invalid operation.
pub const NAN: u64 = 0xfff8_0000_0000_0000;
const QUIET: u64 = 0x0008_0000_0000_0000;
const SIGN: u64 = 1 << 63;

#[inline(always)]
fn is_nan(a: u64) -> bool {
    a & !SIGN > 0x7ff0_0000_0000_0000
}

/// Returns the NaN result of an instruction: the first NaN among its operands in the given order, made quiet,
/// or [`NAN`] if the operation itself is invalid. PTX leaves this open; the order is the H200's: addends and
/// second factors before first factors.
#[cold]
fn nan_of(operands: &[u64]) -> u64 {
    operands.iter().find(|&&x| is_nan(x)).map_or(NAN, |x| x | QUIET)
}

#[inline(always)]
fn pick(bits: u64, operands: &[u64]) -> u64 {
    if is_nan(bits) { nan_of(operands) } else { bits }
}

#[inline(always)]
pub fn add(a: u64, b: u64, rnd: Round) -> u64 {
    let r = if rnd == Round::Nearest {
        (f64::from_bits(a) + f64::from_bits(b)).to_bits()
    } else {
        directed::add(a, b, rnd).unwrap_or_else(|| F64.add(a, b, Mode::round(rnd)))
    };
    pick(r, &[b, a])
}

#[inline(always)]
pub fn sub(a: u64, b: u64, rnd: Round) -> u64 {
    let r = add(a, b ^ SIGN, rnd);
    // A NaN retains its sign.
    pick(r, &[b, a])
}

#[inline(always)]
pub fn mul(a: u64, b: u64, rnd: Round) -> u64 {
    let r = if rnd == Round::Nearest {
        (f64::from_bits(a) * f64::from_bits(b)).to_bits()
    } else {
        directed::mul(a, b, rnd).unwrap_or_else(|| F64.mul(a, b, Mode::round(rnd)))
    };
    pick(r, &[b, a])
}

#[inline(always)]
pub fn fma(a: u64, b: u64, c: u64, rnd: Round) -> u64 {
    let r = if rnd == Round::Nearest {
        f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()
    } else {
        directed::fma(a, b, c, rnd).unwrap_or_else(|| F64.fma(a, b, c, Mode::round(rnd)))
    };
    pick(r, &[b, c, a])
}

#[inline(always)]
pub fn div(a: u64, b: u64, rnd: Round) -> u64 {
    let r = if rnd == Round::Nearest {
        (f64::from_bits(a) / f64::from_bits(b)).to_bits()
    } else {
        directed::div(a, b, rnd).unwrap_or_else(|| F64.div(a, b, Mode::round(rnd)))
    };
    pick(r, &[a, b])
}

#[inline(always)]
pub fn rcp(a: u64, rnd: Round) -> u64 {
    div(1f64.to_bits(), a, rnd)
}

#[inline(always)]
pub fn sqrt(a: u64, rnd: Round) -> u64 {
    let r = if rnd == Round::Nearest {
        f64::from_bits(a).sqrt().to_bits()
    } else {
        directed::sqrt(a, rnd).unwrap_or_else(|| F64.sqrt(a, Mode::round(rnd)))
    };
    pick(r, &[a])
}

/// `.sat` exists on `cvt` to `f64` only: clamps to [+0, 1], NaN to +0.
#[inline(always)]
pub fn finish(a: u64, mode: Mode) -> u64 {
    if mode.sat { F64.saturate(a) } else { a }
}

/// `min` and `max`: if one operand is NaN, the result is the other; -0 is below +0.
#[inline(always)]
fn min_max(a: u64, b: u64, max: bool) -> u64 {
    if is_nan(a) {
        return if is_nan(b) { b | QUIET } else { b };
    }
    if is_nan(b) {
        return a;
    }
    let key = |x: u64| (x ^ (((x as i64) >> 63) as u64 >> 1)) as i64;
    if (key(a) > key(b)) == max { a } else { b }
}

#[inline(always)]
pub fn min(a: u64, b: u64) -> u64 {
    min_max(a, b, false)
}

#[inline(always)]
pub fn max(a: u64, b: u64) -> u64 {
    min_max(a, b, true)
}

/// `abs`: a NaN becomes quiet and retains its sign.
#[inline(always)]
pub fn abs(a: u64) -> u64 {
    if is_nan(a) { a | QUIET } else { a & !SIGN }
}

#[inline(always)]
pub fn neg(a: u64) -> u64 {
    if is_nan(a) { a | QUIET } else { a ^ SIGN }
}

/// `copysign`: returns the magnitude of `b` with the sign of `a`.
#[inline(always)]
pub fn copysign(a: u64, b: u64) -> u64 {
    a & SIGN | b & !SIGN
}
