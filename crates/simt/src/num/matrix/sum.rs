//! Sums of products as the matrix units compute them.
//!
//! PTX leaves the precision of floating-point accumulation open (§9.7.15.5.14). This model of an H200 was
//! derived from recordings and reproduces all of them: all products of an instruction are exact; they and the
//! accumulator are truncated to a multiple of 2^-25 of the largest exponent among them (a product's exponent
//! being the sum of its factors' exponents, before normalisation); the sum is truncated towards zero to
//! `f32`, or rounded to nearest for `f16` results.

use super::super::fp::{BF16, E4M3, E5M2, F16, F32, Finite, Format, Mode, Number, Round, TF32};
use super::super::int::IntTy;
use super::super::{double, single};
use super::Mma;
use ptx::ast::ScalarType;
use ptx::op::BoolOp;

/// The number of bits retained below the largest exponent.
pub(super) const KEPT: i32 = 25;

/// The same for 8-bit floats in products of warpgroups.
pub(super) const KEPT_OF_EIGHT: i32 = 13;

/// The computation of a dot product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Product {
    Float {
        ab: Format,
        tf32: bool,
        /// The number of products summed at a time.
        step: usize,
        c: ScalarType,
        d: ScalarType,
    },
    /// 8-bit floats are extended to `f16`, multiplied in two steps and added to C by `add.f32`.
    Eight {
        a: Format,
        b: Format,
        c: ScalarType,
        d: ScalarType,
    },
    Double,
    Int {
        a_signed: bool,
        b_signed: bool,
        bits: u32,
        saturate: bool,
    },
    Bits {
        and: bool,
    },
}

impl Product {
    /// Returns the computation of an instruction; `None` if no such instruction exists.
    pub fn of(mma: &Mma) -> Option<Product> {
        // `wmma` on tf32 expands to instructions of half the depth.
        let step = if mma.wmma && mma.a == ScalarType::Tf32 { 4 } else { usize::from(mma.shape.k) };
        let float = |ab, tf32| Some(Product::Float { ab, tf32, step, c: mma.c, d: mma.d });
        match (mma.a, mma.b) {
            (ScalarType::F16, ScalarType::F16) => float(F16, false),
            (ScalarType::Bf16, ScalarType::Bf16) => float(BF16, false),
            (ScalarType::Tf32, ScalarType::Tf32) => float(TF32, true),
            (ScalarType::F64, ScalarType::F64) => Some(Product::Double),
            (ScalarType::B1, ScalarType::B1) => Some(Product::Bits { and: mma.bit_op == Some(BoolOp::And) }),
            (a, b) => {
                if let (Some(a), Some(b)) = (eight(a), eight(b)) {
                    return Some(Product::Eight { a, b, c: mma.c, d: mma.d });
                }
                let ((a_signed, bits), (b_signed, other)) = (small_int(a)?, small_int(b)?);
                (bits == other).then_some(Product::Int { a_signed, b_signed, bits, saturate: mma.satfinite })
            }
        }
    }

    /// Returns the sum of `c` and the products of `a` and `b`, as bits of the result's type.
    pub fn dot(self, a: &[u64], b: &[u64], c: u64) -> u64 {
        match self {
            Product::Float { ab, tf32, step, c: from, d } => {
                // A register contains a tf32 number in its upper bits.
                let cut = |v: u64| if tf32 { v >> 13 & 0x7ffff } else { v };
                let (from, d) = (format(from), format(d));
                let mut sum = c;
                for (i, (a, b)) in a.chunks(step).zip(b.chunks(step)).enumerate() {
                    let pairs = a.iter().zip(b).map(|(&x, &y)| (cut(x), cut(y)));
                    sum = aligned(ab, ab, pairs, if i == 0 { from } else { d }, sum, d);
                }
                sum
            }
            Product::Eight { a: fa, b: fb, c: from, d } => {
                let half = |f: Format, v: u64| F16.round(f.unpack(v), Mode::RN);
                let mut partial = 0;
                // The lower two bytes of every register come first, then the upper two.
                for part in 0..2 {
                    let pairs = a.iter().zip(b).enumerate().filter(|(i, _)| i / 2 % 2 == part);
                    let pairs = pairs.map(|(_, (&x, &y))| (half(fa, x), half(fb, y)));
                    partial = aligned(F16, F16, pairs, F32, partial, F32);
                }
                let c = F32.round(format(from).unpack(c), Mode::RN);
                let sum = single::add(c as u32, partial as u32, Mode::RN).into();
                if d == ScalarType::F32 { sum } else { format(d).round(F32.unpack(sum), Mode::RN) }
            }
            Product::Double => {
                a.iter().zip(b).fold(c, |sum, (&x, &y)| double::fma(x, y, sum, Round::Nearest))
            }
            Product::Int { a_signed, b_signed, bits, saturate } => {
                let (ta, tb) = (IntTy { bits, signed: a_signed }, IntTy { bits, signed: b_signed });
                let sum = a
                    .iter()
                    .zip(b)
                    .fold(i128::from(c as i32), |sum, (&x, &y)| sum + ta.value(x) * tb.value(y));
                if saturate { IntTy::S32.saturate(sum) } else { IntTy::S32.wrap(sum as u64) }
            }
            Product::Bits { and } => {
                let count = a.iter().zip(b).filter(|&(&x, &y)| if and { x & y == 1 } else { x != y }).count();
                u64::from((c as u32).wrapping_add(count as u32))
            }
        }
    }
}

fn eight(ty: ScalarType) -> Option<Format> {
    match ty {
        ScalarType::E4m3 => Some(E4M3),
        ScalarType::E5m2 => Some(E5M2),
        _ => None,
    }
}

fn small_int(ty: ScalarType) -> Option<(bool, u32)> {
    match ty {
        ScalarType::S8 => Some((true, 8)),
        ScalarType::U8 => Some((false, 8)),
        ScalarType::S4 => Some((true, 4)),
        ScalarType::U4 => Some((false, 4)),
        _ => None,
    }
}

fn format(ty: ScalarType) -> Format {
    if ty == ScalarType::F16 { F16 } else { F32 }
}

/// A term of the sum: its value, and its exponent for the alignment.
#[derive(Clone, Copy)]
struct Term {
    value: Finite,
    exponent: i32,
}

/// Returns the exponent of a number; that of a subnormal is the least normal exponent.
fn field_exponent(f: Format, x: Finite) -> i32 {
    x.exp + f.man_bits as i32
}

/// Computes one element of an 8-bit floating-point product of a warpgroup: all products and C are aligned
/// together, and cut 13 bits below the largest exponent; a `f32` result keeps 13 bits of its fraction.
/// Recorded on an H100.
pub(super) fn eight_of_warpgroup(mma: &Mma, a: &[u8], b: &[u8], c: u64) -> Option<u64> {
    let (fa, fb) = (eight(mma.a)?, eight(mma.b)?);
    let d = format(mma.d);
    let pairs = a.iter().zip(b).map(|(&x, &y)| (x.into(), y.into()));
    let sum = aligned_within(KEPT_OF_EIGHT, (fa, fb), pairs, (d, c), d);
    let finite = d != F32 || sum >> 23 & 0xff != 0xff;
    Some(if d == F32 && finite { sum & !((1 << (23 - KEPT_OF_EIGHT)) - 1) } else { sum })
}

fn aligned(
    fa: Format,
    fb: Format,
    pairs: impl Iterator<Item = (u64, u64)>,
    fc: Format,
    c: u64,
    fd: Format,
) -> u64 {
    aligned_within(KEPT, (fa, fb), pairs, (fc, c), fd)
}

/// Returns the sum of products and of a number in the format `fc`, cut `kept` bits below the largest exponent.
fn aligned_within(
    kept: i32,
    (fa, fb): (Format, Format),
    pairs: impl Iterator<Item = (u64, u64)>,
    (fc, c): (Format, u64),
    fd: Format,
) -> u64 {
    // Whether positive and negative infinities occurred, and whether NaN did.
    let (mut infinities, mut nan) = ([false; 2], false);
    let mut terms: [Option<Term>; 33] = [None; 33];
    let mut count = 0;
    let mut note = |x: Number, exponent: i32| match x {
        Number::Nan => nan = true,
        Number::Inf { neg } => infinities[usize::from(neg)] = true,
        Number::Finite(value) if value.sig != 0 => {
            terms[count] = Some(Term { value, exponent });
            count += 1;
        }
        Number::Finite(_) => {}
    };
    for (x, y) in pairs {
        let (x, y) = (fa.unpack(x), fb.unpack(y));
        let exponent = match (x, y) {
            (Number::Finite(p), Number::Finite(q)) => field_exponent(fa, p) + field_exponent(fb, q),
            _ => 0,
        };
        note(super::super::fp::mul(x, y), exponent);
    }
    let c = fc.unpack(c);
    note(c, if let Number::Finite(v) = c { field_exponent(fc, v) } else { 0 });
    match (nan, infinities) {
        (true, _) | (_, [true, true]) => return fd.nan,
        (_, [true, false]) => return fd.max + 1,
        (_, [false, true]) => return fd.sign() | (fd.max + 1),
        _ => {}
    }
    let Some(largest) = terms.iter().flatten().map(|t| t.exponent).max() else { return 0 };
    let unit = largest - kept;
    let sum: i128 = terms
        .iter()
        .flatten()
        .map(|t| {
            let up = t.value.exp - unit;
            // A term's bits move up by at most `kept`; bits far below the unit vanish.
            let magnitude = if up >= 0 { t.value.sig << up } else { t.value.sig >> (-up).min(127) };
            if t.value.neg { -(magnitude as i128) } else { magnitude as i128 }
        })
        .sum();
    let value = Finite { neg: sum < 0, sig: sum.unsigned_abs(), exp: unit, sticky: false };
    if sum == 0 {
        return 0;
    }
    if fd != F32 {
        return fd.pack(value, Round::Nearest);
    }
    // Truncation, except that a result beyond the range is infinite.
    let top = unit + 127 - value.sig.leading_zeros() as i32;
    if top > 127 { u64::from(value.neg) << 31 | (F32.max + 1) } else { F32.pack(value, Round::Zero) }
}

/// Computes one element of `mma.m8n8k4`: C plus a chain of four single-precision `fma`s.
pub(super) fn four(a: [u16; 4], b: [u16; 4], c: u64, c_ty: ScalarType, d_ty: ScalarType) -> u64 {
    let wide = |f: Format, v: u64| F32.round(f.unpack(v), Mode::RN) as u32;
    let chain =
        (0..4).fold(0, |sum, i| single::fma(wide(F16, a[i].into()), wide(F16, b[i].into()), sum, Mode::RN));
    let sum = single::add(wide(format(c_ty), c), chain, Mode::RN);
    if d_ty == ScalarType::F16 { F16.round(F32.unpack(sum.into()), Mode::RN) } else { sum.into() }
}
