//! Row functions of `cvt` and `cvt.pack`.

use super::{AluFn, each, each2, map1, map2, map3, rows1, rows2};
use crate::num::convert::{nan_to_double, nan_to_single};
use crate::num::fp::{BF16, E4M3, E5M2, F16, F32, F64, Format, Mode, Round, TF32};
use crate::num::half::Half;
use crate::num::int::IntTy;
use crate::num::narrow::{Finish, FromDouble, FromSingle, odd_double};
use crate::num::{halves, single};
use events::LaneMask;
use std::sync::LazyLock;

/// A conversion's modifiers, and those of its types that a row function does not fix; packed into the
/// immediate `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct How {
    pub format: Format,
    /// The integer type of source or destination.
    pub int: IntTy,
    /// The source's integer type, if both types are integers.
    pub from: IntTy,
    /// Whether the destination register has 16 bits.
    pub short: bool,
    pub rnd: Round,
    pub ftz: bool,
    pub sat: bool,
    pub relu: bool,
    pub satfinite: bool,
}

const FORMATS: [Format; 7] = [F16, BF16, F32, F64, TF32, E4M3, E5M2];
const ROUNDINGS: [Round; 5] = [Round::Nearest, Round::Zero, Round::Down, Round::Up, Round::NearestAway];

impl How {
    pub(crate) fn new() -> How {
        How {
            format: F32,
            int: IntTy::S32,
            from: IntTy::S32,
            short: false,
            rnd: Round::Nearest,
            ftz: false,
            sat: false,
            relu: false,
            satfinite: false,
        }
    }

    pub(crate) fn pack(self) -> u32 {
        let place = |found: Option<usize>| found.unwrap_or(0) as u32;
        let int = |t: IntTy| (t.bits.trailing_zeros() - 3) | u32::from(t.signed) << 2;
        place(FORMATS.iter().position(|f| *f == self.format))
            | place(ROUNDINGS.iter().position(|r| *r == self.rnd)) << 4
            | u32::from(self.ftz) << 8
            | u32::from(self.sat) << 9
            | u32::from(self.relu) << 10
            | u32::from(self.satfinite) << 11
            | int(self.int) << 12
            | int(self.from) << 16
            | u32::from(self.short) << 20
    }

    #[inline(always)]
    fn unpack(x: u32) -> How {
        let int = |v: u32| IntTy { bits: 8 << (v & 3), signed: v & 4 != 0 };
        How {
            format: FORMATS[(x & 15).min(6) as usize],
            int: int(x >> 12),
            from: int(x >> 16),
            short: x >> 20 & 1 != 0,
            rnd: ROUNDINGS[(x >> 4 & 15).min(4) as usize],
            ftz: x >> 8 & 1 != 0,
            sat: x >> 9 & 1 != 0,
            relu: x >> 10 & 1 != 0,
            satfinite: x >> 11 & 1 != 0,
        }
    }

    #[inline(always)]
    fn from_single(x: u32) -> FromSingle {
        let how = How::unpack(x);
        let mode = Mode { rnd: how.rnd, ftz: false, sat: how.sat };
        FromSingle::new(how.format, mode, Finish { satfinite: how.satfinite, relu: how.relu })
    }

    #[inline(always)]
    fn from_double(x: u32) -> FromDouble {
        let how = How::unpack(x);
        let mode = Mode { rnd: how.rnd, ftz: how.ftz, sat: how.sat };
        FromDouble::new(how.format, mode, Finish { satfinite: how.satfinite, relu: how.relu })
    }

    #[inline(always)]
    fn half(&self) -> Half {
        if self.format == F16 { Half::F16 } else { Half::Bf16 }
    }
}

/// Flushes a subnormal number to zero if `x` has the `.ftz` bit.
#[inline(always)]
fn input(x: u32, a: u32) -> u32 {
    if x >> 8 & 1 != 0 { single::flush(a) } else { a }
}

/// Defines a function that rounds a row to integral values in one of four directions.
macro_rules! integral {
    ($name:ident, $f:ty) => {
        #[inline(always)]
        fn $name(rnd: Round, a: &[$f; 32]) -> [$f; 32] {
            match rnd {
                Round::Nearest | Round::NearestAway => each(a, <$f>::round_ties_even),
                Round::Zero => each(a, <$f>::trunc),
                Round::Down => each(a, <$f>::floor),
                Round::Up => each(a, <$f>::ceil),
            }
        }
    };
}
integral!(integral_f32, f32);
integral!(integral_f64, f64);

/// Converts integral numbers to integers of up to 32 bits: saturates to the type's range and extends to the
/// register's width. NaN becomes `nan`.
#[inline(always)]
fn small_int(how: &How, a: &[f64; 32], nan: u32) -> [u32; 32] {
    let IntTy { bits, signed } = how.int;
    let whole = 1u64 << bits;
    let (least, most) =
        if signed { (-((whole / 2) as f64), (whole / 2 - 1) as f64) } else { (0.0, (whole - 1) as f64) };
    each(a, |v| {
        let limited = if v > least { v } else { least };
        let limited = if limited < most { limited } else { most };
        // Adding 1.5 * 2^52 aligns the integer's lowest bit with the significand's lowest bit.
        let v = if v.is_nan() { nan } else { (limited + 6_755_399_441_055_744.0).to_bits() as u32 };
        extended(how, v)
    })
}

/// Extends an integer to a register of up to 32 bits.
#[inline(always)]
fn extended(how: &How, v: u32) -> u32 {
    let up = 32 - how.int.bits.min(32);
    let wide = if how.int.signed { ((v << up) as i32 >> up) as u32 } else { v << up >> up };
    if how.short { wide & 0xffff } else { wide }
}

/// Converts integral numbers to integers of 64 bits; NaN becomes the top bit alone.
#[inline(always)]
fn large_int(how: &How, a: &[f64; 32]) -> [u64; 32] {
    let nan = |a: f64, v: u64| if a.is_nan() { 1 << 63 } else { v };
    if how.int.signed { each(a, |a| nan(a, a as i64 as u64)) } else { each(a, |a| nan(a, a as u64)) }
}

/// Converts `f16` or `bf16` numbers to `f64`, exactly.
#[inline(always)]
fn doubles_of_halves(how: &How, a: &[u32; 32]) -> [f64; 32] {
    match how.half() {
        Half::F16 => each(a, |a| f64::from(halves::value(Half::F16, a))),
        Half::Bf16 => each(a, |a| f64::from(halves::value(Half::Bf16, a))),
    }
}

/// Converts `f32` numbers to `f64`, exactly; flushes subnormals if `x` has the `.ftz` bit.
#[inline(always)]
fn doubles_of_singles(x: u32, a: &[u32; 32]) -> [f64; 32] {
    if x >> 8 & 1 != 0 {
        each(a, |a| f64::from(f32::from_bits(single::flush(a))))
    } else {
        each(a, |a| f64::from(f32::from_bits(a)))
    }
}

/// Returns the result of converting an `f64` NaN: the top bit alone.
#[inline(always)]
fn top_bit(how: &How) -> u32 {
    1 << (how.int.bits.min(32) - 1)
}

/// Converts an integer of up to 32 bits to `f64`, exactly.
#[inline(always)]
fn double_of_int(how: &How, a: u32) -> f64 {
    let up = 32 - how.int.bits.min(32);
    if how.int.signed { f64::from((a << up) as i32 >> up) } else { f64::from(a << up >> up) }
}

/// Converts an integer of 64 bits to `f64`, rounding to odd.
#[inline(always)]
fn double_of_long(how: &How, a: u64) -> u64 {
    let neg = how.int.signed && (a as i64) < 0;
    odd_double(neg, if neg { a.wrapping_neg() } else { a })
}

#[inline(always)]
fn single_of_half(half: Half, a: u32) -> u32 {
    let v = halves::value(half, a);
    // A `bf16` NaN is extended bit by bit, like a number.
    if half == Half::F16 && v.is_nan() { single::NAN } else { v.to_bits() }
}

#[inline(always)]
fn double_of_half(half: Half, a: u32) -> u64 {
    let v = halves::value(half, a);
    let bits = v.to_bits();
    let quiet = u64::from(bits >> 31) << 63 | 0x7ff8_0000_0000_0000 | u64::from(bits & 0x7f_ffff) << 29;
    if v.is_nan() { quiet } else { f64::from(v).to_bits() }
}

/// Returns the `f16` values of all 8-bit patterns of a format.
fn eights(format: Format) -> [u16; 256] {
    std::array::from_fn(|bits| F16.round(format.unpack(bits as u64), Mode::RN) as u16)
}

static EIGHTS: LazyLock<[[u16; 256]; 2]> = LazyLock::new(|| [eights(E4M3), eights(E5M2)]);

#[inline(always)]
fn table(x: u32) -> &'static [u16; 256] {
    &EIGHTS[usize::from(How::unpack(x).format == E5M2)]
}

/// Applies `.relu` to both halves of an `f16x2`.
#[inline(always)]
fn positive(a: u32) -> u32 {
    halves::pair(a, a, |a, _| if a & 0x8000 != 0 && !halves::is_nan(Half::F16, a) { 0 } else { a })
}

/// Defines a function that applies `.sat` to an `f32` or `f64`; NaN becomes zero.
macro_rules! limit {
    ($name:ident, $u:ty, $sign:expr, $infinity:expr, $one:expr) => {
        #[inline(always)]
        fn $name(sat: bool, a: $u) -> $u {
            let nan = a & !$sign > $infinity;
            let limited = if a & $sign != 0 || nan {
                0
            } else if a > $one {
                $one
            } else {
                a
            };
            if sat { limited } else { a }
        }
    };
}
limit!(limit_f32, u32, 1u32 << 31, 0x7f80_0000, 0x3f80_0000);
limit!(limit_f64, u64, 1u64 << 63, 0x7ff0_0000_0000_0000, 0x3ff0_0000_0000_0000);

/// Saturates an integer to the range of another type.
#[inline(always)]
fn saturated(how: &How, a: u64) -> u64 {
    how.int.saturate(how.from.value(a))
}

alu! { x:
    // Conversions that the host's instructions perform.
    cvt_f32_s32 = un [i32] |a| (a as f32).to_bits();
    cvt_f32_u32 = un [u32] |a| (a as f32).to_bits();
    cvt_f64_s32 = un [i32] |a| f64::from(a).to_bits();
    cvt_f64_u32 = un [u32] |a| f64::from(a).to_bits();
    cvt_f64_f32 = rows [f32] |a| each(a, |a| if a.is_nan() { nan_to_double(a.to_bits()) } else { f64::from(a).to_bits() });
    cvt_f32_f64 = rows [f64] |a| each(a, |a| if a.is_nan() { nan_to_single(a.to_bits()) } else { (a as f32).to_bits() });

    // From floating-point numbers to narrower ones.
    single_to = rows [u32] let n = How::from_single(x), |a| each(a, |a| n.round(input(x, a)));
    single_to_pair16 = rows [u32, u32] let n = How::from_single(x), |a, b| {
        let (a, b) = (each(a, |a| n.round(input(x, a))), each(b, |b| n.round(input(x, b))));
        each2(&a, &b, |a, b| a << 16 | b)
    };
    single_to_pair8 = rows [u32, u32] let n = How::from_single(x), |a, b| {
        let (a, b) = (each(a, |a| n.round(input(x, a))), each(b, |b| n.round(input(x, b))));
        each2(&a, &b, |a, b| a << 8 | b)
    };
    single_to_tf32 = rows [u32] let n = How::from_single(x), |a| each(a, |a| n.round(input(x, a)) << 13);
    single_to_tf32_away = rows [u32] let n = How::from_single(x), |a| each(a, |a| {
        let nan = f32::from_bits(a).is_nan();
        let r = n.round(a) << 13;
        if nan { a & !0x1fff } else { r }
    });
    double_to = rows [u64] let n = How::from_double(x), |a| each(a, |a| n.round_keeping_nan(a) as u32);
    f16_to = rows [u32] let n = How::from_single(x), |a| each(a, |a| n.round(halves::value(Half::F16, a).to_bits()));
    bf16_to = rows [u32] let n = How::from_single(x), |a| each(a, |a| n.round(halves::value(Half::Bf16, a).to_bits()));
    f16x2_to_pair8 = rows [u32] let n = How::from_single(x), |a| {
        let of = |a: u32| n.round(halves::value(Half::F16, a).to_bits());
        let (high, low) = (each(a, |a| of(a >> 16)), each(a, |a| of(a & 0xffff)));
        each2(&high, &low, |a, b| a << 8 | b)
    };
    // Fast paths for rounding to nearest.
    single_to_f16 = un [f32] |a| halves::round(Half::F16, a);
    single_to_bf16 = un [f32] |a| halves::round(Half::Bf16, a);
    single_to_f16x2 = bin [f32, f32] |a, b| halves::round(Half::F16, a) << 16 | halves::round(Half::F16, b);
    single_to_bf16x2 = bin [f32, f32] |a, b| halves::round(Half::Bf16, a) << 16 | halves::round(Half::Bf16, b);

    // From floating-point numbers to wider ones.
    f16_to_single = un [u32] |a| single_of_half(Half::F16, a);
    bf16_to_single = un [u32] |a| single_of_half(Half::Bf16, a);
    f16_to_double = rows [u32] |a| each(a, |a| double_of_half(Half::F16, a));
    bf16_to_double = rows [u32] |a| each(a, |a| double_of_half(Half::Bf16, a));
    pair8_to_f16x2 = rows [u32] let t = table(x), |a| {
        let wide = each(a, |a| u32::from(t[(a >> 8 & 255) as usize]) << 16 | u32::from(t[(a & 255) as usize]));
        if x >> 10 & 1 != 0 { each(&wide, positive) } else { wide }
    };
    single_to_double = rows [u32] |a| each(a, |a| {
        // `.ftz` makes a NaN canonical.
        let nan = nan_to_double(if x >> 8 & 1 != 0 { single::NAN } else { a });
        let v = f32::from_bits(input(x, a));
        limit_f64(x >> 9 & 1 != 0, if v.is_nan() { nan } else { f64::from(v).to_bits() })
    });
    single_to_single = un [u32] |a| {
        let a = input(x, a);
        limit_f32(x >> 9 & 1 != 0, if f32::from_bits(a).is_nan() { single::NAN } else { a })
    };

    // To integral floating-point numbers.
    integral_single = rows [u32] let rnd = How::unpack(x).rnd, |a| {
        let whole = integral_f32(rnd, &each(a, |a| f32::from_bits(input(x, a))));
        each(&whole, |v| limit_f32(x >> 9 & 1 != 0, if v.is_nan() { single::NAN } else { v.to_bits() }))
    };
    integral_double = rows [f64] let rnd = How::unpack(x).rnd, |a| {
        let whole = integral_f64(rnd, a);
        each2(a, &whole, |a, v| {
            let quiet = a.to_bits() | 0x0008_0000_0000_0000;
            limit_f64(x >> 9 & 1 != 0, if a.is_nan() { quiet } else { v.to_bits() })
        })
    };
    integral_f16 = rows [u32] let rnd = How::unpack(x).rnd, |a| {
        each(&integral_f32(rnd, &each(a, |a| halves::value(Half::F16, a))), |v| halves::round(Half::F16, v))
    };
    integral_bf16 = rows [u32] let rnd = How::unpack(x).rnd, |a| {
        each(&integral_f32(rnd, &each(a, |a| halves::value(Half::Bf16, a))), |v| halves::round(Half::Bf16, v))
    };

    // From floating-point numbers to integers.
    single_to_int = rows [u32] let how = How::unpack(x), |a| small_int(&how, &integral_f64(how.rnd, &doubles_of_singles(x, a)), 0);
    single_to_long = rows [u32] let how = How::unpack(x), |a| large_int(&how, &integral_f64(how.rnd, &doubles_of_singles(x, a)));
    double_to_int = rows [f64] let how = How::unpack(x), |a| small_int(&how, &integral_f64(how.rnd, a), top_bit(&how));
    double_to_long = rows [f64] let how = How::unpack(x), |a| large_int(&how, &integral_f64(how.rnd, a));
    half_to_int = rows [u32] let how = How::unpack(x), |a| small_int(&how, &integral_f64(how.rnd, &doubles_of_halves(&how, a)), 0);
    half_to_long = rows [u32] let how = How::unpack(x), |a| large_int(&how, &integral_f64(how.rnd, &doubles_of_halves(&how, a)));

    // From integers to floating-point numbers.
    int_to_float = rows [u32] let how = (How::unpack(x), How::from_double(x)), |a| {
        let exact = each(a, |a| double_of_int(&how.0, a).to_bits());
        each(&exact, |a| how.1.round(a) as u32)
    };
    int_to_double = rows [u32] let how = How::unpack(x), |a| each(a, |a| double_of_int(&how, a).to_bits());
    long_to_float = rows [u64] let how = (How::unpack(x), How::from_double(x)), |a| {
        let odd = each(a, |a| double_of_long(&how.0, a));
        each(&odd, |a| how.1.round(a) as u32)
    };
    signed_long_to_single = un [i64] |a| (a as f32).to_bits();
    unsigned_long_to_single = un [u64] |a| (a as f32).to_bits();
    signed_long_to_double = un [i64] |a| (a as f64).to_bits();
    unsigned_long_to_double = un [u64] |a| (a as f64).to_bits();

    // Between integers, saturating.
    saturate_32_32 = un [u32] let how = How::unpack(x), |a| extended(&how, saturated(&how, a.into()) as u32);
    saturate_32_64 = un [u32] let how = How::unpack(x), |a| saturated(&how, a.into());
    saturate_64_32 = un [u64] let how = How::unpack(x), |a| extended(&how, saturated(&how, a) as u32);
    saturate_64_64 = un [u64] let how = How::unpack(x), |a| saturated(&how, a);
    // `cvt.pack`; [`pack_x`] encodes `x`.
    pack_halves = bin [i32, i32] let limits = pack_limits(x), |a, b| packed(limits, a, b);
    pack_below = tri [i32, i32, u32] let limits = pack_limits(x), |a, b, c| packed(limits, a, b) | c << (2 * limits.2);
}

/// Returns the range and the width of the type that [`pack_x`] encoded.
#[inline(always)]
fn pack_limits(x: u32) -> (i32, i32, u32) {
    let (bits, signed) = (x & 31, x & 32 != 0);
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1, bits) } else { (0, (1 << bits) - 1, bits) }
}

/// Saturates two numbers to the range and concatenates them.
#[inline(always)]
fn packed((least, most, bits): (i32, i32, u32), a: i32, b: i32) -> u32 {
    let cut = |v: i32| v.clamp(least, most) as u32 & ((1 << bits) - 1);
    cut(a) << bits | cut(b)
}

/// Encodes the destination type of `cvt.pack`, of at most 16 bits, as `x`.
pub(crate) fn pack_x(bits: u32, signed: bool) -> u32 {
    bits | u32::from(signed) << 5
}
