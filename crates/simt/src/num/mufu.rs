//! The multi-function unit: the look-ups behind `.approx`.
//!
//! The unit interpolates quadratically, as Oberman and Siu describe for an earlier design ("A
//! high-performance area-efficient multifunction interpolator", ARITH 2005): the upper 6 or 7 bits of the
//! argument's fraction choose a segment, the rest is the offset, whose square is computed by an array of
//! partial products without its lower columns. Neither tables nor widths are published. Those here were found
//! by solving for the coefficients with an H200's results for all 2^23 fractions of every function; they
//! reproduce each of these results to the bit. `tanh` has another structure: its results are rounded from the
//! true value, which satisfies PTX's bound but not the bits (`docs/assumptions.md`).
//!
//! Subnormal inputs and results are zero, NaN is 0x7fffffff.

pub(super) mod lanes;
mod tables;

use super::fp::{BF16, F16, Finite, Format, Mode, Number, Round};
use super::half::Half;
use super::single::NAN;
use tables::{EX2, LG2, RCP, RSQRT, SIN, SQRT, Segment};

const SIGN: u32 = 1 << 31;
const INF: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;

/// Returns the square of an offset of `BITS` bits, computed from partial products without those below column
/// `CUT`, in units of 2^`CUT`.
#[inline(always)]
fn square<const BITS: u32, const CUT: u32>(x: u32) -> i64 {
    let mut sum = 0;
    // Bit i with itself is in column 2i, with each lower bit j in column i + j + 1, which is no higher.
    let mut i = CUT.div_ceil(2);
    while i < BITS {
        let with_lower = (x & ((1 << i) - 1)) >> (CUT - 1 - i);
        let row = (1 << (2 * i - CUT)) + with_lower;
        sum += row & 0u32.wrapping_sub(x >> i & 1);
        i += 1;
    }
    sum.into()
}

/// Returns the interpolated value in units of 2^-18 of the function's scale.
#[inline(always)]
fn interpolate<const BITS: u32, const CUT: u32>(table: &[Segment], fraction: u32) -> i64 {
    let segment = table[(fraction >> BITS) as usize];
    let offset = fraction & ((1 << BITS) - 1);
    segment.constant + 2 * segment.slope * i64::from(offset) + 4 * segment.curve * square::<BITS, CUT>(offset)
}

#[inline(always)]
fn interpolate_rcp(fraction: u32) -> i64 {
    interpolate::<16, 17>(&RCP, fraction)
}

/// Interpolates with segments of 17 bits, like all functions but the reciprocal.
#[inline(always)]
fn interpolate_17(table: &[Segment], fraction: u32) -> i64 {
    interpolate::<17, 19>(table, fraction)
}

/// Sign, exponent and fraction of a number; subnormals count as zero.
enum Class {
    Nan,
    Inf { neg: bool },
    Zero { neg: bool },
    Normal { neg: bool, exp: i32, fraction: u32 },
}

fn classify(a: u32) -> Class {
    let (neg, magnitude) = (a & SIGN != 0, a & !SIGN);
    if magnitude > INF {
        Class::Nan
    } else if magnitude == INF {
        Class::Inf { neg }
    } else if magnitude < 0x80_0000 {
        Class::Zero { neg }
    } else {
        Class::Normal { neg, exp: (magnitude >> 23) as i32 - 127, fraction: magnitude & 0x7f_ffff }
    }
}

fn signed(neg: bool, magnitude: u32) -> u32 {
    if neg { magnitude | SIGN } else { magnitude }
}

/// Returns `value * 2^exp` truncated to 24 bits, with zero below the normal range.
#[inline(always)]
fn truncated(neg: bool, value: i64, exp: i32) -> u32 {
    if value == 0 {
        return signed(neg, 0);
    }
    let value = value as u64;
    let up = value.leading_zeros();
    let fraction = (value << up >> 40) as u32 & 0x7f_ffff;
    let biased = 63 - up as i32 + exp + 127;
    // Truncation never reaches infinity.
    let magnitude = match biased {
        ..=0 => 0,
        255.. => INF - 1,
        _ => (biased as u32) << 23 | fraction,
    };
    signed(neg, magnitude)
}

/// `1 / a`.
pub(super) fn rcp(a: u32) -> u32 {
    match classify(a) {
        Class::Nan => NAN,
        Class::Inf { neg } => signed(neg, 0),
        Class::Zero { neg } => signed(neg, INF),
        Class::Normal { neg, exp, fraction } => truncated(neg, interpolate_rcp(fraction) >> 18, -24 - exp),
    }
}

/// Splits an exponent into an even part and the index of the table's half.
fn even(exp: i32, fraction: u32) -> (i32, u32) {
    let odd = exp & 1;
    ((exp - odd) / 2, fraction | (odd as u32) << 23)
}

/// Returns `1 / sqrt(a)`; zeros become infinity of their sign.
pub(super) fn rsqrt(a: u32) -> u32 {
    match classify(a) {
        Class::Zero { neg } => signed(neg, INF),
        Class::Inf { neg: false } => 0,
        Class::Normal { neg: false, exp, fraction } => {
            let (half, index) = even(exp, fraction);
            // Powers of four are exact.
            let value = if index == 0 { 1 << 24 } else { interpolate_17(&RSQRT, index) >> 18 };
            truncated(false, value, -24 - half)
        }
        _ => NAN,
    }
}

pub(super) fn sqrt(a: u32) -> u32 {
    match classify(a) {
        Class::Zero { neg } => signed(neg, 0),
        Class::Inf { neg: false } => INF,
        Class::Normal { neg: false, exp, fraction } => {
            let (half, index) = even(exp, fraction);
            truncated(false, interpolate_17(&SQRT, index) >> 18, half - 23)
        }
        _ => NAN,
    }
}

/// Returns the base-2 logarithm, computed in fixed point with 36 fraction bits.
pub(super) fn lg2(a: u32) -> u32 {
    match classify(a) {
        Class::Zero { .. } => SIGN | INF,
        Class::Inf { neg: false } => INF,
        Class::Normal { neg: false, exp: 0, fraction: 0 } => 0,
        Class::Normal { neg: false, exp, fraction } => {
            let sum = (i64::from(exp) << 36) + (interpolate_17(&LG2, fraction) >> 6);
            // Negative sums are complemented, not negated.
            truncated(sum < 0, if sum < 0 { !sum } else { sum }, -36)
        }
        _ => NAN,
    }
}

/// Returns a number in fixed point, truncated to `bits` fraction bits; saturates far beyond any use.
fn fixed(exp: i32, fraction: u32, bits: i32) -> i64 {
    let sig = i64::from(fraction | 1 << 23);
    let up = exp - 23 + bits;
    if up >= 0 { sig << up.min(32) } else { sig >> (-up).min(63) }
}

/// Returns `2^a` as a truncated value in units of 2^-23 and the power of two to multiply it with; special
/// results are `Err`.
fn power(a: u32) -> Result<(i64, i32), u32> {
    match classify(a) {
        Class::Nan => Err(NAN),
        Class::Inf { neg } => Err(if neg { 0 } else { INF }),
        Class::Zero { .. } => Err(ONE),
        Class::Normal { neg, exp, .. } if exp >= 8 => Err(if neg { 0 } else { INF }),
        Class::Normal { neg, exp, fraction } => {
            let magnitude = fixed(exp, fraction, 23);
            // Negative numbers are complemented; integers are negated and exact.
            let x = match (neg, magnitude & 0x7f_ffff) {
                (false, _) => magnitude,
                (true, 0) => -magnitude,
                (true, _) => !magnitude,
            };
            let value = interpolate_17(&EX2, (x & 0x7f_ffff) as u32) >> 18;
            Ok((value, (x >> 23) as i32))
        }
    }
}

/// `2^a`.
pub(super) fn ex2(a: u32) -> u32 {
    match power(a) {
        Err(special) => special,
        Ok((_, exp)) if exp >= 128 => INF,
        Ok((value, exp)) => truncated(false, value, exp - 23),
    }
}

/// Returns the sine of `turns * 2^25`, whose lower 23 bits are the position in a quarter wave.
fn sine(turns: i64, flip: bool) -> u32 {
    let quarter = turns >> 23 & 3;
    let fraction = (turns & 0x7f_ffff) as u32;
    // The second and fourth quarters run backwards.
    let fraction = if quarter & 1 == 1 { !fraction & 0x7f_ffff } else { fraction };
    let neg = (quarter >= 2) != flip;
    truncated(neg, interpolate_17(&SIN, fraction), -42)
}

/// Returns the sine of an angle in turns.
pub(super) fn sin(a: u32) -> u32 {
    match classify(a) {
        Class::Nan | Class::Inf { .. } => NAN,
        Class::Zero { neg } => signed(neg, 0),
        Class::Normal { neg, exp, fraction } => sine(fixed(exp, fraction, 25), neg),
    }
}

/// Returns the cosine of an angle in turns: the sine a quarter turn further.
pub(super) fn cos(a: u32) -> u32 {
    match classify(a) {
        Class::Nan | Class::Inf { .. } => NAN,
        Class::Zero { .. } => ONE,
        Class::Normal { exp, fraction, .. } => sine(fixed(exp, fraction, 25) + (1 << 23), false),
    }
}

/// Returns `2^a` of a half, truncated to the format; `bf16` results below the normal range are zero.
pub(super) fn ex2_half(half: Half, a: u16) -> u16 {
    let format: Format = if half == Half::F16 { F16 } else { BF16 };
    let bits = match power(half.value(a).to_bits()) {
        Err(special) => format.round(super::fp::F32.unpack(special.into()), Mode::RN),
        Ok((_, exp)) if exp > 128 => format.max + 1,
        Ok((value, exp)) => {
            let x = Finite { neg: false, sig: value as u128, exp: exp - 23, sticky: false };
            let bits = format.round(Number::Finite(x), Mode::round(Round::Zero));
            // Truncation alone never reaches infinity.
            if exp > if half == Half::F16 { 15 } else { 127 } { format.max + 1 } else { bits }
        }
    };
    if half == Half::Bf16 { format.flush(bits) as u16 } else { bits as u16 }
}

/// Returns the hyperbolic tangent; subnormals are not flushed.
pub(super) fn tanh(a: u32) -> u32 {
    let r = f64::from(f32::from_bits(a)).tanh() as f32;
    if r.is_nan() { NAN } else { r.to_bits() }
}

pub(super) fn tanh_half(half: Half, a: u16) -> u16 {
    half.round(f64::from(half.value(a)).tanh() as f32)
}

/// Classifies the upper word of a double; its fraction has 20 bits and is scaled to 23.
fn classify_high(a: u32) -> Class {
    let (neg, magnitude) = (a & SIGN != 0, a & !SIGN);
    if magnitude > 0x7ff0_0000 {
        Class::Nan
    } else if magnitude == 0x7ff0_0000 {
        Class::Inf { neg }
    } else if magnitude < 0x10_0000 {
        Class::Zero { neg }
    } else {
        Class::Normal { neg, exp: (magnitude >> 20) as i32 - 1023, fraction: (magnitude & 0xf_ffff) << 3 }
    }
}

/// Returns the upper word of `value * 2^(exp - 24)`, truncated, with zero below the normal range.
fn high(neg: bool, value: i64, exp: i32) -> u32 {
    let x = Finite { neg, sig: value as u128, exp: exp - 24, sticky: false };
    let a = (super::fp::F64.pack(x, Round::Zero) >> 32) as u32;
    if a & 0x7ff0_0000 == 0 { a & SIGN } else { a }
}

/// Returns the upper word of the reciprocal of the double with upper word `a` and a lower word of zero.
pub(super) fn rcp64h(a: u32) -> u32 {
    match classify_high(a) {
        Class::Nan => NAN,
        Class::Inf { neg } => signed(neg, 0),
        Class::Zero { neg } => signed(neg, 0x7ff0_0000),
        Class::Normal { neg, exp, fraction } => high(neg, interpolate_rcp(fraction) >> 18, -exp),
    }
}

/// Returns the upper word of the reciprocal square root of the double with upper word `a` and a lower word of
/// zero.
pub(super) fn rsqrt64h(a: u32) -> u32 {
    match classify_high(a) {
        Class::Zero { neg } => signed(neg, 0x7ff0_0000),
        Class::Inf { neg: false } => 0,
        Class::Normal { neg: false, exp, fraction } => {
            let (half, index) = even(exp, fraction);
            let value = if index == 0 { 1 << 24 } else { interpolate_17(&RSQRT, index) >> 18 };
            high(false, value, -half)
        }
        _ => NAN,
    }
}
