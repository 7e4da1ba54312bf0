//! Evaluates any pure instruction, given as its decoded [`Op`].

use super::fp::{Mode, Round};
use super::half::Half;
use super::int::{self, IntTy};
use super::single::MinMax;
use super::{approx, bits, compare, convert, double, packed, single, video};
use ptx::ast::ScalarType;
use ptx::op::{MixedSum, MulPart, Op, Precision};

/// An instruction's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The first destination, zero-extended from the result's width.
    pub d: u64,
    /// The second destination: `q` of `setp p|q`, the predicate of `lop3.BoolOp d|p`, or the carry (borrow)
    /// out of an extended-precision instruction.
    pub second: bool,
}

impl From<u64> for Value {
    #[inline(always)]
    fn from(d: u64) -> Value {
        Value { d, second: false }
    }
}

/// Evaluates a pure instruction.
///
/// `src` are the bits of its source operands in PTX order (predicates 0 or 1; immediates as the type's bits;
/// for `lop3` the table too), `carry` is the condition code's carry flag. Missing optional sources may be
/// omitted. Returns `None` if `op` is not a pure instruction (memory, control, warp-wide), or has an
/// unsupported type or modifier.
///
/// `mov`, `cvta`, `isspacep` depend on the machine's register layout and are not evaluated here.
pub fn eval(op: &Op, src: &[u64], carry: bool) -> Option<Value> {
    let s = |i: usize| src.get(i).copied().unwrap_or(0);
    let (a, b, c) = (s(0), s(1), s(2));
    let value = match *op {
        Op::Add { ty, rnd, ftz, sat } => add_sub(ty, Mode::of(rnd, ftz, sat)?, a, b, false)?,
        Op::Sub { ty, rnd, ftz, sat } => add_sub(ty, Mode::of(rnd, ftz, sat)?, a, b, true)?,
        Op::Mul { ty, part, rnd, ftz, sat } => match IntTy::of(ty) {
            Some(t) => int::mul(t, part.unwrap_or(MulPart::Lo), a, b),
            None => mul(ty, Mode::of(rnd, ftz, sat)?, a, b)?,
        },
        Op::Mad { ty, part, rnd, ftz, sat, relu } => match IntTy::of(ty) {
            Some(t) => int::mad(t, part.unwrap_or(MulPart::Lo), a, b, c, sat),
            None => fma(ty, Mode::of(rnd, ftz, sat)?, relu, a, b, c)?,
        },
        Op::Mixed { sum, narrow, rnd, sat } => {
            let (half, _) = Half::of(narrow)?;
            let widened = |x: u64| half.value(x as u16).to_bits();
            let mode = Mode::of(rnd, false, sat)?;
            match sum {
                MixedSum::Add => single::add(widened(a), b as u32, mode),
                MixedSum::Sub => single::sub(widened(a), b as u32, mode),
                MixedSum::Fma => single::fma(widened(a), widened(b), c as u32, mode),
            }
            .into()
        }
        Op::AddCarry { ty, carry_in, .. } => {
            let (d, second) = int::add_carry(IntTy::of(ty)?, a, b, carry && carry_in);
            return Some(Value { d, second });
        }
        Op::SubCarry { ty, carry_in, .. } => {
            let (d, second) = int::sub_carry(IntTy::of(ty)?, a, b, carry && carry_in);
            return Some(Value { d, second });
        }
        Op::MadCarry { ty, part, carry_in, .. } => {
            let (d, second) = int::mad_carry(IntTy::of(ty)?, part, a, b, c, carry && carry_in);
            return Some(Value { d, second });
        }
        Op::Mul24 { ty, part } => int::mul24(IntTy::of(ty)?.signed, part, a, b),
        Op::Mad24 { ty, part, sat } => int::mad24(IntTy::of(ty)?.signed, part, a, b, c, sat),
        Op::Sad { ty } => int::sad(IntTy::of(ty)?, a, b, c),
        Op::Div { ty, precision, ftz } => div(ty, precision, ftz, a, b)?,
        Op::Rem { ty } => int::rem(IntTy::of(ty)?, a, b),
        Op::Abs { ty, ftz } => sign(ty, ftz, a, true)?,
        Op::Neg { ty, ftz } => sign(ty, ftz, a, false)?,
        Op::Min { ty, ftz, nan, xorsign_abs, relu } => {
            min_max(ty, MinMax { ftz, nan, xorsign_abs }, relu, false, src)?
        }
        Op::Max { ty, ftz, nan, xorsign_abs, relu } => {
            min_max(ty, MinMax { ftz, nan, xorsign_abs }, relu, true, src)?
        }
        Op::Rcp { ty, precision, ftz } => match (ty, precision) {
            (ScalarType::F32, Precision::Ieee(r)) => {
                single::rcp(a as u32, Mode::of(Some(r), ftz, false)?).into()
            }
            (ScalarType::F32, _) => approx::rcp(a as u32, ftz).into(),
            (ScalarType::F64, Precision::Ieee(r)) => double::rcp(a, Round::of(r)?),
            (ScalarType::F64, _) => approx::rcp_f64(a),
            _ => return None,
        },
        Op::Sqrt { ty, precision, ftz } => match (ty, precision) {
            (ScalarType::F32, Precision::Ieee(r)) => {
                single::sqrt(a as u32, Mode::of(Some(r), ftz, false)?).into()
            }
            (ScalarType::F32, _) => approx::sqrt(a as u32, ftz).into(),
            (ScalarType::F64, Precision::Ieee(r)) => double::sqrt(a, Round::of(r)?),
            _ => return None,
        },
        Op::Rsqrt { ty: ScalarType::F64, ftz } => approx::rsqrt_f64(a, ftz),
        Op::Rsqrt { ftz, .. } => approx::rsqrt(a as u32, ftz).into(),
        Op::Sin { ftz } => approx::sin(a as u32, ftz).into(),
        Op::Cos { ftz } => approx::cos(a as u32, ftz).into(),
        Op::Lg2 { ftz } => approx::lg2(a as u32, ftz).into(),
        Op::Ex2 { ty: ScalarType::F32, ftz } => approx::ex2(a as u32, ftz).into(),
        Op::Ex2 { ty, .. } => half_unary(ty, a, approx::ex2_half)?,
        Op::Tanh { ty: ScalarType::F32 } => approx::tanh(a as u32).into(),
        Op::Tanh { ty } => half_unary(ty, a, approx::tanh_half)?,
        Op::Copysign { ty: ScalarType::F64 } => double::copysign(a, b),
        Op::Copysign { .. } => single::copysign(a as u32, b as u32).into(),
        Op::Testp { ty, test } => compare::testp(ty, test, a).into(),
        Op::Popc { ty } => bits::popc(IntTy::of(ty)?, a).into(),
        Op::Clz { ty } => bits::clz(IntTy::of(ty)?, a).into(),
        Op::Bfind { ty, shiftamt } => bits::bfind(IntTy::of(ty)?, a, shiftamt).into(),
        Op::Fns => bits::fns(a as u32, b as u32, c as i32).into(),
        Op::Brev { ty } => bits::brev(IntTy::of(ty)?, a),
        Op::Bfe { ty } => bits::bfe(IntTy::of(ty)?, a, b, c),
        Op::Bfi { ty } => bits::bfi(IntTy::of(ty)?, a, b, c, s(3)),
        Op::Bmsk { clamp } => bits::bmsk(clamp, a as u32, b as u32).into(),
        Op::Szext { ty, clamp } => bits::szext(IntTy::of(ty)?.signed, clamp, a as u32, b as u32).into(),
        Op::Dp4a { a: x, b: y } => int::dp4a(is_signed(x), is_signed(y), a as u32, b as u32, c as u32).into(),
        Op::Dp2a { a: x, b: y, hi } => {
            int::dp2a(is_signed(x), is_signed(y), hi, a as u32, b as u32, c as u32).into()
        }
        Op::Video(how) => video::scalar(&how, a as u32, b as u32, c as u32).into(),
        Op::VideoMad(how) => video::mad(&how, a as u32, b as u32, c as u32).into(),
        Op::VideoSimd(how) => video::simd(&how, a as u32, b as u32, c as u32).into(),
        Op::Set { cmp, combine, dst, src: ty, ftz } => {
            let third = if combine.is_some() { c != 0 } else { false };
            if let Some((half, true)) = Half::of(ty) {
                let one = compare::true_value(if dst == ScalarType::F16x2 {
                    ScalarType::F16
                } else if dst == ScalarType::Bf16x2 {
                    ScalarType::Bf16
                } else {
                    ScalarType::U16
                })? as u16;
                packed::x2_16(a as u32, b as u32, |x, y| {
                    let p = compare::half(half, cmp, x, y, ftz);
                    if compare::combine(combine, p, third) { one } else { 0 }
                })
                .into()
            } else {
                let p = compare::combine(combine, compare::scalar(ty, cmp, a, b, ftz)?, third);
                if p { compare::true_value(dst)? } else { 0 }
            }
        }
        Op::Setp { cmp, combine, ty, ftz } => {
            let third = c != 0;
            let (p, q) = if let Some((half, true)) = Half::of(ty) {
                let at = |i: u32| compare::half(half, cmp, (a >> i) as u16, (b >> i) as u16, ftz);
                (at(0), at(16))
            } else {
                let p = compare::scalar(ty, cmp, a, b, ftz)?;
                (p, !p)
            };
            let [p, q] = [p, q].map(|x| compare::combine(combine, x, third));
            return Some(Value { d: p.into(), second: q });
        }
        Op::Selp { .. } => {
            if c != 0 {
                a
            } else {
                b
            }
        }
        Op::Slct { src: ty, ftz, .. } => {
            if compare::selects_first(ty, c, ftz) {
                a
            } else {
                b
            }
        }
        Op::And { .. } => a & b,
        Op::Or { .. } => a | b,
        Op::Xor { .. } => a ^ b,
        Op::Not { ty: ScalarType::Pred } => a ^ 1,
        Op::Not { ty } => IntTy::of(ty)?.wrap(!a),
        Op::Cnot { ty } => bits::cnot(IntTy::of(ty)?, a),
        Op::Lop3 { combine } => {
            let d = bits::lop3(a as u32, b as u32, c as u32, s(3) as u8);
            let second = combine.is_some() && compare::combine(combine, d != 0, s(4) != 0);
            return Some(Value { d: d.into(), second });
        }
        Op::Shf { left, wrap } => bits::shf(left, wrap, a as u32, b as u32, c as u32).into(),
        Op::Shl { ty } => bits::shl(IntTy::of(ty)?, a, b as u32),
        Op::Shr { ty } => bits::shr(IntTy::of(ty)?, a, b as u32),
        Op::Prmt { mode } => bits::prmt(mode, a as u32, b as u32, c as u32).into(),
        Op::Cvt { dst, src: from, rnd, ftz, sat, relu, satfinite, scaled } => {
            convert::cvt(convert::Cvt { dst, src: from, rnd, ftz, sat, relu, satfinite, scaled }, src)?
        }
        Op::CvtPack { convert: to, from, with_c } => convert::pack(to, from, a, b, with_c.then_some(c))?,
        _ => return None,
    };
    Some(value.into())
}

fn is_signed(ty: ScalarType) -> bool {
    IntTy::of(ty).is_some_and(|t| t.signed)
}

/// Returns the 16-bit integer type of a packed integer type.
fn packed_int(ty: ScalarType) -> Option<IntTy> {
    match ty {
        ScalarType::U16x2 => Some(IntTy::U16),
        ScalarType::S16x2 => Some(IntTy::S16),
        _ => None,
    }
}

fn add_sub(ty: ScalarType, mode: Mode, a: u64, b: u64, negate: bool) -> Option<u64> {
    if let Some(t) = IntTy::of(ty) {
        return Some(if negate { int::sub(t, a, b, mode.sat) } else { int::add(t, a, b, mode.sat) });
    }
    if let Some(t) = packed_int(ty) {
        return Some(
            packed::x2_16(a as u32, b as u32, |x, y| {
                let (x, y) = (x.into(), y.into());
                (if negate { int::sub(t, x, y, mode.sat) } else { int::add(t, x, y, mode.sat) }) as u16
            })
            .into(),
        );
    }
    if let Some((half, is_packed)) = Half::of(ty) {
        let f = |x, y| if negate { half.sub(x, y, mode) } else { half.add(x, y, mode) };
        return Some(half_binary(is_packed, a, b, f));
    }
    let single = |x, y| if negate { single::sub(x, y, mode) } else { single::add(x, y, mode) };
    Some(match ty {
        ScalarType::F32 => single(a as u32, b as u32).into(),
        ScalarType::F32x2 => packed::x2_32(a, b, 0, |x, y, _| single(x, y)),
        ScalarType::F64 if negate => double::sub(a, b, mode.rnd),
        ScalarType::F64 => double::add(a, b, mode.rnd),
        _ => return None,
    })
}

fn half_binary(is_packed: bool, a: u64, b: u64, f: impl Fn(u16, u16) -> u16) -> u64 {
    if is_packed { packed::x2_16(a as u32, b as u32, f).into() } else { f(a as u16, b as u16).into() }
}

fn half_unary(ty: ScalarType, a: u64, f: impl Fn(Half, u16) -> u16) -> Option<u64> {
    let (half, is_packed) = Half::of(ty)?;
    Some(half_binary(is_packed, a, 0, |x, _| f(half, x)))
}

fn mul(ty: ScalarType, mode: Mode, a: u64, b: u64) -> Option<u64> {
    if let Some((half, is_packed)) = Half::of(ty) {
        return Some(half_binary(is_packed, a, b, |x, y| half.mul(x, y, mode)));
    }
    Some(match ty {
        ScalarType::F32 => single::mul(a as u32, b as u32, mode).into(),
        ScalarType::F32x2 => packed::x2_32(a, b, 0, |x, y, _| single::mul(x, y, mode)),
        ScalarType::F64 => double::mul(a, b, mode.rnd),
        _ => return None,
    })
}

fn fma(ty: ScalarType, mode: Mode, relu: bool, a: u64, b: u64, c: u64) -> Option<u64> {
    if let Some((half, is_packed)) = Half::of(ty) {
        let f = |x, y, z| half.fma(x, y, z, mode, relu);
        return Some(if is_packed {
            packed::x2_16_3(a as u32, b as u32, c as u32, f).into()
        } else {
            f(a as u16, b as u16, c as u16).into()
        });
    }
    Some(match ty {
        ScalarType::F32 => single::fma(a as u32, b as u32, c as u32, mode).into(),
        ScalarType::F32x2 => packed::x2_32(a, b, c, |x, y, z| single::fma(x, y, z, mode)),
        ScalarType::F64 => double::fma(a, b, c, mode.rnd),
        _ => return None,
    })
}

fn div(ty: ScalarType, precision: Option<Precision>, ftz: bool, a: u64, b: u64) -> Option<u64> {
    if let Some(t) = IntTy::of(ty) {
        return Some(int::div(t, a, b));
    }
    let (x, y) = (a as u32, b as u32);
    Some(match (ty, precision?) {
        (ScalarType::F32, Precision::Ieee(r)) => single::div(x, y, Mode::of(Some(r), ftz, false)?).into(),
        (ScalarType::F32, Precision::Approx) => approx::div(x, y, ftz).into(),
        (ScalarType::F32, Precision::Full) => approx::div_full(x, y, ftz).into(),
        (ScalarType::F64, Precision::Ieee(r)) => double::div(a, b, Round::of(r)?),
        _ => return None,
    })
}

/// Evaluates `abs` (if `absolute`) or `neg`.
fn sign(ty: ScalarType, ftz: bool, a: u64, absolute: bool) -> Option<u64> {
    if let Some(t) = IntTy::of(ty) {
        return Some(if absolute { int::abs(t, a) } else { int::neg(t, a) });
    }
    if let Some((half, is_packed)) = Half::of(ty) {
        let f = |x, _| if absolute { half.abs(x, ftz) } else { half.neg(x, ftz) };
        return Some(half_binary(is_packed, a, 0, f));
    }
    Some(match (ty, absolute) {
        (ScalarType::F32, true) => single::abs(a as u32, ftz).into(),
        (ScalarType::F32, false) => single::neg(a as u32, ftz).into(),
        (ScalarType::F64, true) => double::abs(a),
        (ScalarType::F64, false) => double::neg(a),
        _ => return None,
    })
}

/// Evaluates `min` or `max` of two or three operands.
fn min_max(ty: ScalarType, how: MinMax, relu: bool, max: bool, src: &[u64]) -> Option<u64> {
    let (&first, rest) = src.split_first()?;
    rest.iter().try_fold(first, |a, &b| {
        if let Some(t) = IntTy::of(ty) {
            return Some(if max { int::max(t, a, b, relu) } else { int::min(t, a, b, relu) });
        }
        if let Some(t) = packed_int(ty) {
            return Some(
                packed::x2_16(a as u32, b as u32, |x, y| {
                    let (x, y) = (x.into(), y.into());
                    (if max { int::max(t, x, y, relu) } else { int::min(t, x, y, relu) }) as u16
                })
                .into(),
            );
        }
        if let Some((half, is_packed)) = Half::of(ty) {
            let f = |x, y| if max { half.max(x, y, how) } else { half.min(x, y, how) };
            return Some(half_binary(is_packed, a, b, f));
        }
        let (x, y) = (a as u32, b as u32);
        Some(match (ty, max) {
            (ScalarType::F32, true) => single::max(x, y, how).into(),
            (ScalarType::F32, false) => single::min(x, y, how).into(),
            (ScalarType::F64, true) => double::max(a, b),
            (ScalarType::F64, false) => double::min(a, b),
            _ => return None,
        })
    })
}
