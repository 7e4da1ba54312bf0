//! `cvt` and `cvt.pack`, PTX §9.7.9.21 and following.

mod narrow;

use super::fp::{self, BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, Format, Mode, Number, Round, TF32};
use super::int::IntTy;
use ptx::ast::ScalarType;
use ptx::op::Rounding;

/// The modifiers of a `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cvt {
    pub dst: ScalarType,
    pub src: ScalarType,
    pub rnd: Option<Rounding>,
    pub ftz: bool,
    pub sat: bool,
    pub relu: bool,
    pub satfinite: bool,
    pub scaled: bool,
}

/// The structure of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int(IntTy),
    Float(Format),
    /// Two elements with that number of bits each.
    Pair(Format, u32),
    /// Four elements with that number of bits each.
    Four(Format, u32),
    /// Two exponents.
    Exponents,
    /// Two fixed-point numbers.
    Fixed,
}

fn kind(ty: ScalarType) -> Option<Kind> {
    Some(match ty {
        ScalarType::F16 => Kind::Float(F16),
        ScalarType::Bf16 => Kind::Float(BF16),
        ScalarType::F32 => Kind::Float(F32),
        ScalarType::F64 => Kind::Float(F64),
        ScalarType::Tf32 => Kind::Float(TF32),
        ScalarType::E4m3 => Kind::Float(E4M3),
        ScalarType::E5m2 => Kind::Float(E5M2),
        ScalarType::F16x2 => Kind::Pair(F16, 16),
        ScalarType::Bf16x2 => Kind::Pair(BF16, 16),
        ScalarType::E4m3x2 => Kind::Pair(E4M3, 8),
        ScalarType::E5m2x2 => Kind::Pair(E5M2, 8),
        ScalarType::E2m1x2 => Kind::Pair(E2M1, 4),
        ScalarType::E2m3x2 => Kind::Pair(E2M3, 8),
        ScalarType::E3m2x2 => Kind::Pair(E3M2, 8),
        ScalarType::E4m3x4 => Kind::Four(E4M3, 8),
        ScalarType::E5m2x4 => Kind::Four(E5M2, 8),
        ScalarType::E2m1x4 => Kind::Four(E2M1, 4),
        ScalarType::E2m3x4 => Kind::Four(E2M3, 8),
        ScalarType::E3m2x4 => Kind::Four(E3M2, 8),
        ScalarType::Ue8m0x2 => Kind::Exponents,
        ScalarType::S2f6x2 => Kind::Fixed,
        _ => Kind::Int(IntTy::of(ty)?),
    })
}

/// Converts values: the sources in PTX order, those of a vector one by one. In a result with several elements, the first
/// source's is uppermost. Returns `None` for unsupported conversions.
pub fn cvt(how: Cvt, src: &[u64]) -> Option<u64> {
    let source = |i: usize| src.get(i).copied().unwrap_or(0);
    let (a, b) = (source(0), source(1));
    match (kind(how.src)?, kind(how.dst)?) {
        (Kind::Float(F32), Kind::Pair(to, bits) | Kind::Four(to, bits))
            if how.rnd == Some(Rounding::Stochastic) =>
        {
            Some(narrow::random(how, to, bits, src))
        }
        (Kind::Float(F32) | Kind::Pair(BF16, _), Kind::Exponents) => Some(narrow::exponents(how, a, b)),
        (Kind::Float(F32) | Kind::Pair(BF16, _), Kind::Fixed) => Some(narrow::fixed(how, src)),
        (Kind::Exponents, Kind::Pair(BF16, _)) => {
            Some(narrow::of_exponent(a >> 8 & 0xff) << 16 | narrow::of_exponent(a & 0xff))
        }
        (Kind::Fixed, Kind::Pair(BF16, _)) => narrow::scaled(how, a, if how.scaled { b } else { 0x7f7f }),
        (Kind::Pair(..), Kind::Pair(BF16, _)) if how.scaled => narrow::scaled(how, a, b),
        (Kind::Int(from), Kind::Int(to)) => {
            let v = from.value(a);
            Some(if how.sat { to.saturate(v) } else { to.wrap(v as u64) })
        }
        (Kind::Int(from), Kind::Float(to)) => {
            let rnd = how.rnd.map_or(Some(Round::Nearest), Round::of)?;
            Some(to.round(fp::from_integer(from.value(a)), Mode { rnd, ftz: false, sat: how.sat }))
        }
        (Kind::Float(from), Kind::Int(to)) => {
            let rnd = how.rnd.map_or(Some(Round::Zero), Round::of)?;
            Some(float_to_int(from, to, if how.ftz { from.flush(a) } else { a }, rnd))
        }
        (Kind::Float(from), Kind::Float(to)) => float_to_float(how, from, to, a),
        (Kind::Float(from), Kind::Pair(to, bits)) => {
            let (hi, lo) = (float_to_float(how, from, to, a)?, float_to_float(how, from, to, b)?);
            Some(hi << bits | lo)
        }
        (Kind::Pair(from, from_bits), Kind::Pair(to, to_bits)) => {
            narrow::pairs(how, (from, from_bits), (to, to_bits), a)
        }
        _ => None,
    }
}

/// Rounds to an integer and saturates to the type's range. The result of NaN depends on the width: zero up to
/// 32 bits, the top bit alone for 64 bits and always from `f64`, as recorded on hardware.
pub fn float_to_int(from: Format, to: IntTy, a: u64, rnd: Round) -> u64 {
    match from.unpack(a) {
        Number::Nan => {
            if to.bits == 64 || from == F64 {
                1 << (to.bits - 1)
            } else {
                0
            }
        }
        Number::Inf { neg } => to.wrap(if neg { to.min_value() } else { to.max_value() } as u64),
        Number::Finite(x) => match fp::to_integer(x, rnd) {
            Some(v) => to.saturate(v),
            None => to.wrap(if x.neg { to.min_value() } else { to.max_value() } as u64),
        },
    }
}

fn float_to_float(how: Cvt, from: Format, to: Format, a: u64) -> Option<u64> {
    if how.src == how.dst && how.rnd.is_none() && !how.ftz && !how.sat {
        // A move preserves NaN payloads.
        return Some(a);
    }
    // `.ftz` has no effect on conversions to `f16`.
    let a = if how.ftz && from == F32 && to != F16 { F32.flush(a) } else { a };
    let integral = matches!(
        how.rnd,
        Some(Rounding::NearestInt | Rounding::ZeroInt | Rounding::DownInt | Rounding::UpInt)
    );
    let rnd = how.rnd.map_or(Some(Round::Nearest), Round::of)?;
    let x = from.unpack(a);
    let x = match x {
        Number::Finite(f) if integral && f.exp < 0 => match fp::from_integer(fp::to_integer(f, rnd)?) {
            // Rounding to zero preserves the sign.
            Number::Finite(r) => Number::Finite(fp::Finite { neg: f.neg, ..r }),
            other => other,
        },
        other => other,
    };
    let mut r = match x {
        Number::Nan => nan(how, from, to, a),
        Number::Inf { neg } if how.satfinite => {
            if neg {
                to.sign() | to.max
            } else {
                to.max
            }
        }
        x => to.round(x, Mode { rnd, ftz: how.ftz && to == F32, sat: false }),
    };
    if how.satfinite && to.is_inf(r) {
        r = r & to.sign() | to.max;
    }
    if how.sat {
        r = to.saturate(r);
    }
    if how.relu {
        r = to.relu(r);
    }
    // A tf32 number is an f32 whose low bits are zero.
    Some(if to == TF32 { r << 13 } else { r })
}

/// Returns the result of converting a NaN, which PTX leaves open; as recorded on hardware. A conversion from
/// or to `f64` preserves sign and leading payload bits and makes the NaN quiet. Other results are canonical,
/// except that truncations of `f32` and extensions of `bf16` treat the bits like a number.
fn nan(how: Cvt, from: Format, to: Format, a: u64) -> u64 {
    let sign = a & from.sign() != 0;
    let payload = a & ((1 << from.man_bits) - 1);
    if to == F64 {
        if from == F32 {
            return nan_to_double(if how.ftz { F32.nan } else { a } as u32);
        }
        return u64::from(sign) << 63 | 0x7ff8_0000_0000_0000 | payload << (52 - from.man_bits);
    }
    if from == F64 {
        let sign = if sign { to.sign() } else { 0 };
        return sign | (to.max + 1) | 1 << (to.man_bits - 1) | payload >> (52 - to.man_bits);
    }
    if from == BF16 && to == F32 {
        return a << 16;
    }
    if to == TF32 && how.rnd == Some(Rounding::NearestAway) {
        return a >> 13;
    }
    to.nan
}

/// Converts a single-precision NaN as `cvt.f64.f32` does.
#[inline(always)]
pub fn nan_to_double(a: u32) -> u64 {
    let a = u64::from(a);
    (a >> 31) << 63 | 0x7ff8_0000_0000_0000 | (a & 0x7f_ffff) << 29
}

/// Converts a double-precision NaN as `cvt.rnd.f32.f64` does.
#[inline(always)]
pub fn nan_to_single(a: u64) -> u32 {
    (a >> 32) as u32 & 0x8000_0000 | 0x7fc0_0000 | (a >> 29) as u32 & 0x7f_ffff
}

/// `cvt.pack.sat.convertType.abType d, a, b{, c}`: saturates `a` and `b` to the narrow type and concatenates
/// them, `b` lowest; for results narrower than 16 bits, `c` is shifted up above them.
pub fn pack(convert: ScalarType, from: ScalarType, a: u64, b: u64, c: Option<u64>) -> Option<u64> {
    let (from, bits, signed) = match convert {
        ScalarType::U4 => (IntTy::of(from)?, 4, false),
        ScalarType::S4 => (IntTy::of(from)?, 4, true),
        other => {
            let to = IntTy::of(other)?;
            (IntTy::of(from)?, to.bits, to.signed)
        }
    };
    let limit = |v: u64| {
        let (lo, hi) = if signed {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        from.value(v).clamp(lo, hi) as u64 & ((1 << bits) - 1)
    };
    let both = limit(a) << bits | limit(b);
    let rest = c.map_or(0, |c| c << (2 * bits));
    Some((both | rest) & 0xffff_ffff)
}
