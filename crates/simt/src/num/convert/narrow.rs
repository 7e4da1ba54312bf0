//! Conversions with random bits or scale factors, to exponents and to fixed point (PTX §9.7.9.22).

use super::super::fp::{self, BF16, E2M1, F32, Finite, Format, Mode, Number, Round};
use super::{Cvt, Kind, float_to_float, kind};
use ptx::ast::ScalarType;
use ptx::op::Rounding;

/// Returns the part `i`, from the lowest on, of parts of `bits` bits.
fn part(value: u64, i: u32, bits: u32) -> u64 {
    value >> (i * bits) & ((1 << bits) - 1)
}

/// `.rs`: converts two or four singles by random bits, the last source.
pub(super) fn random(how: Cvt, to: Format, width: u32, src: &[u64]) -> u64 {
    let (&random, values) = src.split_last().unwrap_or((&0, &[]));
    values.iter().enumerate().fold(0, |all, (i, &value)| {
        // The first half of the sources takes its random bits from the upper half.
        let upper = u32::from(i < values.len() / 2);
        let half = part(random, upper, 16);
        let (random, count) = match (values.len(), to.man_bits) {
            (2, 10) => (half & 0x1fff, 13),
            (2, _) => (half, 16),
            // Four-bit results take the lower or the upper bytes of both halves.
            _ if to == E2M1 => (part(random, upper, 8) | part(random, 2 + upper, 8) << 8, 16),
            _ => (half, 16),
        };
        all << width | one_random(how, to, value, (random, count))
    })
}

fn one_random(how: Cvt, to: Format, value: u64, random: (u64, u32)) -> u64 {
    let rounded = match F32.unpack(value) {
        Number::Finite(x) => to.pack_random(x, random, how.satfinite),
        Number::Inf { neg } if how.satfinite => to.max | if neg { to.sign() } else { 0 },
        other => to.round(other, Mode::RN),
    };
    if how.relu { to.relu(rounded) } else { rounded }
}

/// Converts a number to an exponent of two, of its magnitude: the next lower or the next higher one.
pub(super) fn exponent(how: Cvt, single: u64) -> u64 {
    let magnitude = single & 0x7fff_ffff;
    let (field, fraction) = (magnitude >> 23, magnitude & 0x7f_ffff);
    if field == 0xff && fraction != 0 {
        return 0xff;
    }
    // The least exponent is that of 2^-127, a subnormal number.
    let above = fraction != 0 && field != 0xff && magnitude > 0x40_0000;
    let exponent = field + u64::from(above && how.rnd == Some(Rounding::Up));
    if how.satfinite { exponent.min(0xfe) } else { exponent }
}

/// Returns the `bf16` of an exponent of two.
pub(super) fn of_exponent(exponent: u64) -> u64 {
    match exponent {
        0xff => BF16.nan,
        0 => 0x40,
        exponent => exponent << 7,
    }
}

/// Multiplies a number by 2^`power`.
fn shifted(x: Number, power: i32) -> Number {
    match x {
        Number::Finite(x) => Number::Finite(Finite { exp: x.exp + power, ..x }),
        other => other,
    }
}

/// Returns the power of two of a scale factor; `None` if it is NaN.
fn power(scale: u64) -> Option<i32> {
    (scale != 0xff).then_some(scale as i32 - 127)
}

/// Converts two narrow numbers to `bf16` and multiplies them by scale factors.
pub(super) fn scaled(how: Cvt, a: u64, scales: u64) -> Option<u64> {
    let each = |i: u32| -> Option<u64> {
        let (x, scale) = (element(how.src, a, i)?, power(part(scales, i, 8)));
        let x = scale.map_or(Number::Nan, |power| shifted(x, power));
        let mut rounded = BF16.round(x, Mode::RN);
        if how.satfinite && BF16.is_inf(rounded) {
            rounded = rounded & BF16.sign() | BF16.max;
        }
        Some(if how.relu { BF16.relu(rounded) } else { rounded })
    };
    Some(each(1)? << 16 | each(0)?)
}

/// Returns the value of an element of a pair.
fn element(ty: ScalarType, pair: u64, i: u32) -> Option<Number> {
    if ty == ScalarType::S2f6x2 {
        let value = i128::from(part(pair, i, 8) as u8 as i8);
        return Some(shifted(fp::from_integer(value), -6));
    }
    let Kind::Pair(format, bits) = kind(ty)? else { return None };
    Some(format.unpack(part(pair, i, bits) & (2 * format.sign() - 1)))
}

/// Converts two singles, or two `bf16`, to fixed point with six bits behind the point. Numbers are divided by scale factors.
pub(super) fn fixed(how: Cvt, src: &[u64]) -> u64 {
    let single = how.src == ScalarType::F32;
    let value = |i: usize| src.get(i).copied().unwrap_or(0);
    // The upper number comes first.
    let values = match single {
        true => [value(0), value(1)],
        false => [part(value(0), 1, 16) << 16, part(value(0), 0, 16) << 16],
    };
    let scales = if how.scaled { value(if single { 2 } else { 1 }) } else { 0x7f7f };
    let [high, low] = [0, 1].map(|i| {
        let scale = power(part(scales, 1 - i, 8));
        let x = scale.map_or(Number::Nan, |power| shifted(F32.unpack(values[i as usize]), 6 - power));
        let rounded = match x {
            Number::Nan => 127,
            Number::Inf { neg } => {
                if neg {
                    -128
                } else {
                    127
                }
            }
            Number::Finite(x) => match fp::to_integer(x, Round::Nearest) {
                Some(whole) => whole.clamp(-128, 127),
                None => {
                    if x.neg {
                        -128
                    } else {
                        127
                    }
                }
            },
        };
        let rounded = if how.relu { rounded.max(0) } else { rounded };
        u64::from(rounded as u8)
    });
    high << 8 | low
}

/// Converts two singles to narrow numbers, or two narrow ones without scale factors.
pub(super) fn exponents(how: Cvt, a: u64, b: u64) -> u64 {
    match how.src {
        ScalarType::F32 => exponent(how, a) << 8 | exponent(how, b),
        _ => exponent(how, part(a, 1, 16) << 16) << 8 | exponent(how, part(a, 0, 16) << 16),
    }
}

/// Converts each element of a pair, whose padding is ignored.
pub(super) fn pairs(
    how: Cvt,
    (from, from_bits): (Format, u32),
    (to, to_bits): (Format, u32),
    a: u64,
) -> Option<u64> {
    let each = |i| float_to_float(how, from, to, part(a, i, from_bits) & (2 * from.sign() - 1));
    Some(each(1)? << to_bits | each(0)?)
}
