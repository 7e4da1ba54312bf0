//! Integer, extended-precision, floating-point and packed arithmetic (PTX §9.7.1 to §9.7.6).

use super::mods::Mods;
use super::{DecodeError, Decoded};
use crate::ast::ScalarType::{self, *};
use crate::op::{MixedSum, MulPart, Op, Precision, Rounding};

fn is_int(ty: ScalarType) -> bool {
    matches!(ty, U16 | U32 | U64 | S16 | S32 | S64)
}

/// Returns whether a type is a packed integer: halves for `add`, `min` and `max`, bytes from PTX 9.2 on.
fn is_packed_int(ty: ScalarType) -> bool {
    matches!(ty, U16x2 | S16x2 | U8x4 | S8x4)
}

fn is_half(ty: ScalarType) -> bool {
    matches!(ty, F16 | F16x2 | Bf16 | Bf16x2)
}

fn is_float(ty: ScalarType) -> bool {
    is_half(ty) || matches!(ty, F32 | F32x2 | F64)
}

fn is_32_or_64(ty: ScalarType) -> bool {
    matches!(ty, U32 | S32 | U64 | S64)
}

/// Returns whether a type takes `.ftz`: formats whose subnormals an operation can keep or flush.
fn flushes(ty: ScalarType) -> bool {
    matches!(ty, F32 | F32x2 | F16 | F16x2)
}

fn clamps(ty: ScalarType) -> bool {
    matches!(ty, F32 | F16 | F16x2)
}

/// Returns an error for modifiers of floating-point arithmetic that the type does not take.
fn check_float(
    m: &Mods,
    ty: ScalarType,
    rnd: Option<Rounding>,
    ftz: bool,
    sat: bool,
) -> Result<(), DecodeError> {
    // ptxas also accepts `fma.rz.bf16` and the like, which the manual does not list.
    if matches!(ty, F16 | F16x2) && !matches!(rnd, None | Some(Rounding::Nearest)) {
        return Err(m.error(format!("`{}` rounds a half other than to nearest", m.spelled())));
    }
    if !is_float(ty) && rnd.is_some() {
        return Err(m.error(format!("`{}` rounds an integer", m.spelled())));
    }
    check_ftz(m, ty, ftz)?;
    if sat && is_float(ty) && !clamps(ty) {
        return Err(m.error(format!("`.{}` does not take `.sat`", ty.name())));
    }
    Ok(())
}

fn check_ftz(m: &Mods, ty: ScalarType, ftz: bool) -> Result<(), DecodeError> {
    if ftz && !flushes(ty) {
        return Err(m.error(format!("`.{}` does not take `.ftz`", ty.name())));
    }
    Ok(())
}

/// Returns the type that follows `.f32` in instructions of mixed precision (`add.f32.f16`).
fn narrow(m: &mut Mods, ty: ScalarType) -> Option<ScalarType> {
    match ty {
        F32 if m.has("f16") => Some(F16),
        F32 if m.has("bf16") => Some(Bf16),
        _ => None,
    }
}

/// The modifiers of `add` and `sub`.
struct Sum {
    ty: ScalarType,
    /// The first source's type, if the precision is mixed.
    narrow: Option<ScalarType>,
    rnd: Option<Rounding>,
    ftz: bool,
    sat: bool,
}

fn sum(m: &mut Mods) -> Result<Sum, DecodeError> {
    let (rnd, ftz, sat) = (m.float_rounding()?, m.has("ftz"), m.has("sat"));
    let ty = m.ty(|ty| is_int(ty) || is_packed_int(ty) || is_float(ty))?;
    let narrow = narrow(m, ty);
    if ftz && narrow.is_some() {
        return Err(m.error(format!("`{}` does not take `.ftz`", m.spelled())));
    }
    check_float(m, ty, rnd, ftz, sat)?;
    // `.sat` on integers other than `.s32` exists from PTX 9.2 on.
    if sat && matches!(ty, U16 | S16 | U64 | S64) {
        return Err(m.bad_type(ty));
    }
    Ok(Sum { ty, narrow, rnd, ftz, sat })
}

pub(super) fn add(m: &mut Mods) -> Decoded {
    if m.has("cc") {
        return Ok(Op::AddCarry { ty: m.ty(is_32_or_64)?, carry_in: false, carry_out: true });
    }
    let Sum { ty, narrow, rnd, ftz, sat } = sum(m)?;
    Ok(match narrow {
        Some(narrow) => Op::Mixed { sum: MixedSum::Add, narrow, rnd, sat },
        None => Op::Add { ty, rnd, ftz, sat },
    })
}

pub(super) fn sub(m: &mut Mods) -> Decoded {
    if m.has("cc") {
        return Ok(Op::SubCarry { ty: m.ty(is_32_or_64)?, carry_in: false, carry_out: true });
    }
    let Sum { ty, narrow, rnd, ftz, sat } = sum(m)?;
    Ok(match narrow {
        Some(narrow) => Op::Mixed { sum: MixedSum::Sub, narrow, rnd, sat },
        None => Op::Sub { ty, rnd, ftz, sat },
    })
}

pub(super) fn addc(m: &mut Mods) -> Decoded {
    let carry_out = m.has("cc");
    Ok(Op::AddCarry { ty: m.ty(is_32_or_64)?, carry_in: true, carry_out })
}

pub(super) fn subc(m: &mut Mods) -> Decoded {
    let carry_out = m.has("cc");
    Ok(Op::SubCarry { ty: m.ty(is_32_or_64)?, carry_in: true, carry_out })
}

fn part(m: &mut Mods) -> Option<MulPart> {
    m.pick(|name| match name {
        "lo" => Some(MulPart::Lo),
        "hi" => Some(MulPart::Hi),
        "wide" => Some(MulPart::Wide),
        _ => None,
    })
}

/// Decodes `.lo`, `.hi` or `.wide`, which integers require and floats exclude.
fn part_of(m: &mut Mods, ty: ScalarType) -> Result<Option<MulPart>, DecodeError> {
    let part = part(m);
    match part {
        None if !is_float(ty) => Err(m.missing("`.lo`, `.hi` or `.wide`")),
        Some(MulPart::Wide) if ty.bits() == 64 => Err(m.bad_type(ty)),
        Some(_) if is_float(ty) => Err(m.bad_type(ty)),
        _ => Ok(part),
    }
}

fn is_mul(ty: ScalarType) -> bool {
    is_int(ty) || is_float(ty)
}

pub(super) fn mul(m: &mut Mods) -> Decoded {
    let (rnd, ftz, sat) = (m.float_rounding()?, m.has("ftz"), m.has("sat"));
    let ty = m.ty(is_mul)?;
    let part = part_of(m, ty)?;
    check_float(m, ty, rnd, ftz, sat)?;
    if sat && !is_float(ty) {
        return Err(m.bad_type(ty));
    }
    Ok(Op::Mul { ty, part, rnd, ftz, sat })
}

pub(super) fn mad(m: &mut Mods) -> Decoded {
    if m.has("cc") {
        return mad_carry(m, false, true);
    }
    let (rnd, ftz, sat) = (m.float_rounding()?, m.has("ftz"), m.has("sat"));
    let ty = m.ty(|ty| is_int(ty) || matches!(ty, F32 | F64))?;
    let part = part_of(m, ty)?;
    if sat && is_int(ty) && (ty, part) != (S32, Some(MulPart::Hi)) {
        return Err(m.error("integer `mad.sat` exists as `mad.hi.sat.s32` only"));
    }
    fused(m, ty, part, rnd, ftz, sat, false)
}

pub(super) fn madc(m: &mut Mods) -> Decoded {
    let carry_out = m.has("cc");
    mad_carry(m, true, carry_out)
}

fn mad_carry(m: &mut Mods, carry_in: bool, carry_out: bool) -> Decoded {
    let ty = m.ty(is_32_or_64)?;
    match part(m) {
        Some(part @ (MulPart::Lo | MulPart::Hi)) => Ok(Op::MadCarry { ty, part, carry_in, carry_out }),
        _ => Err(m.missing("`.lo` or `.hi`")),
    }
}

pub(super) fn fma(m: &mut Mods) -> Decoded {
    if m.has("oob") {
        return Ok(Op::Unknown);
    }
    let (rnd, ftz, sat, relu) = (m.float_rounding()?, m.has("ftz"), m.has("sat"), m.has("relu"));
    let ty = m.ty(is_float)?;
    if let Some(narrow) = narrow(m, ty) {
        return match (rnd, ftz || relu) {
            (Some(_), false) => Ok(Op::Mixed { sum: MixedSum::Fma, narrow, rnd, sat }),
            (None, _) => Err(m.missing("a rounding mode")),
            (_, true) => Err(m.error(format!("`{}` does not take `.ftz` and `.relu`", m.spelled()))),
        };
    }
    if relu && (sat || !is_half(ty)) {
        return Err(m.error(format!("`{}` does not take `.relu`", m.spelled())));
    }
    fused(m, ty, None, rnd, ftz, sat, relu)
}

fn fused(
    m: &Mods,
    ty: ScalarType,
    part: Option<MulPart>,
    rnd: Option<Rounding>,
    ftz: bool,
    sat: bool,
    relu: bool,
) -> Decoded {
    check_float(m, ty, rnd, ftz, sat)?;
    if is_float(ty) && rnd.is_none() {
        return Err(m.missing("a rounding mode"));
    }
    Ok(Op::Mad { ty, part, rnd, ftz, sat, relu })
}

fn part24(m: &mut Mods) -> Result<MulPart, DecodeError> {
    match part(m) {
        Some(part @ (MulPart::Lo | MulPart::Hi)) => Ok(part),
        _ => Err(m.missing("`.lo` or `.hi`")),
    }
}

pub(super) fn mul24(m: &mut Mods) -> Decoded {
    let part = part24(m)?;
    Ok(Op::Mul24 { ty: m.ty(|ty| matches!(ty, U32 | S32))?, part })
}

pub(super) fn mad24(m: &mut Mods) -> Decoded {
    let (part, sat) = (part24(m)?, m.has("sat"));
    let ty = m.ty(|ty| matches!(ty, U32 | S32))?;
    if sat && (ty, part) != (S32, MulPart::Hi) {
        return Err(m.error("`mad24.sat` exists as `mad24.hi.sat.s32` only"));
    }
    Ok(Op::Mad24 { ty, part, sat })
}

pub(super) fn sad(m: &mut Mods) -> Decoded {
    Ok(Op::Sad { ty: m.ty(is_int)? })
}

pub(super) fn div(m: &mut Mods) -> Decoded {
    let full = m.has("full");
    let (precision, ftz) = (precision(m)?, m.has("ftz"));
    let precision = if full { Some(Precision::Full) } else { precision };
    let ty = m.ty(|ty| is_int(ty) || matches!(ty, F32 | F64))?;
    check_ftz(m, ty, ftz)?;
    let precision = match (ty, precision) {
        (F32, None) => return Err(m.missing("`.approx`, `.full` or a rounding mode")),
        (F64, None) => return Err(m.missing("a rounding mode")),
        (F64, Some(Precision::Approx | Precision::Full)) => return Err(m.bad_type(ty)),
        (F32 | F64, _) => precision,
        (_, None) => None,
        _ => return Err(m.bad_type(ty)),
    };
    Ok(Op::Div { ty, precision, ftz })
}

fn precision(m: &mut Mods) -> Result<Option<Precision>, DecodeError> {
    if m.has("approx") {
        return Ok(Some(Precision::Approx));
    }
    Ok(m.float_rounding()?.map(Precision::Ieee))
}

pub(super) fn rem(m: &mut Mods) -> Decoded {
    Ok(Op::Rem { ty: m.ty(is_int)? })
}

/// Returns the operand type of `abs` and `neg`, and whether it has `.ftz`.
fn sign(m: &mut Mods, packed: bool) -> Result<(ScalarType, bool), DecodeError> {
    let ftz = m.has("ftz");
    let ty = m.ty(|ty| match ty {
        S16 | S32 | S64 | F32 | F64 => true,
        S16x2 | S8x4 => packed,
        _ => is_half(ty),
    })?;
    check_ftz(m, ty, ftz)?;
    Ok((ty, ftz))
}

pub(super) fn abs(m: &mut Mods) -> Decoded {
    let (ty, ftz) = sign(m, false)?;
    Ok(Op::Abs { ty, ftz })
}

pub(super) fn neg(m: &mut Mods) -> Decoded {
    let (ty, ftz) = sign(m, true)?;
    Ok(Op::Neg { ty, ftz })
}

struct MinMax {
    ty: ScalarType,
    ftz: bool,
    nan: bool,
    xorsign_abs: bool,
    relu: bool,
}

fn min_max(m: &mut Mods) -> Result<MinMax, DecodeError> {
    let (ftz, nan, relu) = (m.has("ftz"), m.has("NaN"), m.has("relu"));
    let xorsign_abs = m.has("xorsign");
    // `.abs` follows `.xorsign`, or stands alone in the three-input form.
    if xorsign_abs {
        m.need("abs")?;
    }
    let ty = m.ty(|ty| is_int(ty) || is_packed_int(ty) || is_half(ty) || matches!(ty, F32 | F64))?;
    check_ftz(m, ty, ftz)?;
    if (nan || xorsign_abs) && !(is_half(ty) || ty == F32) {
        return Err(m.error(format!("`.{}` does not take `.NaN` or `.xorsign.abs`", ty.name())));
    }
    if relu && !(ty == S32 || is_packed_int(ty)) {
        return Err(m.error(format!("`.{}` does not take `.relu`", ty.name())));
    }
    Ok(MinMax { ty, ftz, nan, xorsign_abs, relu })
}

pub(super) fn min(m: &mut Mods) -> Decoded {
    let MinMax { ty, ftz, nan, xorsign_abs, relu } = min_max(m)?;
    Ok(Op::Min { ty, ftz, nan, xorsign_abs, relu })
}

pub(super) fn max(m: &mut Mods) -> Decoded {
    let MinMax { ty, ftz, nan, xorsign_abs, relu } = min_max(m)?;
    Ok(Op::Max { ty, ftz, nan, xorsign_abs, relu })
}

fn root(m: &mut Mods) -> Result<(ScalarType, Precision, bool), DecodeError> {
    let (precision, ftz) = (precision(m)?, m.has("ftz"));
    let ty = m.ty(|ty| matches!(ty, F32 | F64))?;
    let Some(precision) = precision else {
        return Err(m.missing("`.approx` or a rounding mode"));
    };
    Ok((ty, precision, ftz))
}

pub(super) fn rcp(m: &mut Mods) -> Decoded {
    let (ty, precision, ftz) = root(m)?;
    if ty == F64 && precision == Precision::Approx && !ftz {
        return Err(m.missing("`.ftz`"));
    }
    Ok(Op::Rcp { ty, precision, ftz })
}

pub(super) fn sqrt(m: &mut Mods) -> Decoded {
    let (ty, precision, ftz) = root(m)?;
    if ty == F64 && precision == Precision::Approx {
        return Err(m.bad_type(ty));
    }
    check_ftz(m, ty, ftz)?;
    Ok(Op::Sqrt { ty, precision, ftz })
}

pub(super) fn rsqrt(m: &mut Mods) -> Decoded {
    m.need("approx")?;
    let ftz = m.has("ftz");
    Ok(Op::Rsqrt { ty: m.ty(|ty| matches!(ty, F32 | F64))?, ftz })
}

fn approx_f32(m: &mut Mods) -> Result<bool, DecodeError> {
    m.need("approx")?;
    let ftz = m.has("ftz");
    m.ty(|ty| ty == F32)?;
    Ok(ftz)
}

pub(super) fn sin(m: &mut Mods) -> Decoded {
    Ok(Op::Sin { ftz: approx_f32(m)? })
}

pub(super) fn cos(m: &mut Mods) -> Decoded {
    Ok(Op::Cos { ftz: approx_f32(m)? })
}

pub(super) fn lg2(m: &mut Mods) -> Decoded {
    Ok(Op::Lg2 { ftz: approx_f32(m)? })
}

fn is_approx(ty: ScalarType) -> bool {
    matches!(ty, F32 | F16 | F16x2 | Bf16 | Bf16x2)
}

pub(super) fn ex2(m: &mut Mods) -> Decoded {
    m.need("approx")?;
    let ftz = m.has("ftz");
    let ty = m.ty(is_approx)?;
    // §9.7.4: halves keep subnormals, bfloats flush them.
    let fits = match ty {
        F16 | F16x2 => !ftz,
        Bf16 | Bf16x2 => ftz,
        _ => true,
    };
    if !fits {
        return Err(m.error(format!("`{}` has the wrong `.ftz`", m.spelled())));
    }
    Ok(Op::Ex2 { ty, ftz })
}

pub(super) fn tanh(m: &mut Mods) -> Decoded {
    m.need("approx")?;
    Ok(Op::Tanh { ty: m.ty(is_approx)? })
}

pub(super) fn copysign(m: &mut Mods) -> Decoded {
    Ok(Op::Copysign { ty: m.ty(|ty| matches!(ty, F32 | F64))? })
}

fn is_dp(ty: ScalarType) -> bool {
    matches!(ty, U32 | S32)
}

pub(super) fn dp4a(m: &mut Mods) -> Decoded {
    let a = m.ty(is_dp)?;
    Ok(Op::Dp4a { a, b: m.ty(is_dp)? })
}

pub(super) fn dp2a(m: &mut Mods) -> Decoded {
    let hi = match part(m) {
        Some(MulPart::Lo) => false,
        Some(MulPart::Hi) => true,
        _ => return Err(m.missing("`.lo` or `.hi`")),
    };
    let a = m.ty(is_dp)?;
    Ok(Op::Dp2a { a, b: m.ty(is_dp)?, hi })
}
