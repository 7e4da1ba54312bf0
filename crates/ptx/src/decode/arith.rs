//! Integer, extended-precision, floating-point and packed arithmetic, and
//! conversions (PTX §9.7.1 to §9.7.6, §9.7.10 `cvt`).

use super::Decoded;
use super::mods::Mods;
use crate::ast::ScalarType::{self, *};
use crate::op::{MulPart, Op, Precision, Rounding};

fn is_int(ty: ScalarType) -> bool {
    matches!(ty, U16 | U32 | U64 | S16 | S32 | S64 | U16x2 | S16x2)
}

fn is_int_scalar(ty: ScalarType) -> bool {
    matches!(ty, U16 | U32 | U64 | S16 | S32 | S64)
}

fn is_float(ty: ScalarType) -> bool {
    matches!(ty, F16 | F16x2 | Bf16 | Bf16x2 | F32 | F32x2 | F64)
}

fn is_number(ty: ScalarType) -> bool {
    is_int(ty) || is_float(ty)
}

/// Packed bytes occur in `add`, `sub`, `min` and `max` from PTX 9.x on; they decode by their type.
fn is_32_or_64(ty: ScalarType) -> bool {
    matches!(ty, U32 | S32 | U64 | S64)
}

/// A second type behind `.f32`: mixed precision (`add.f32.f16`), beyond [`Op`].
fn mixed_precision(m: &mut Mods, ty: ScalarType) -> bool {
    ty == F32 && (m.has("f16") || m.has("bf16"))
}

pub(super) fn add(m: &mut Mods) -> Decoded {
    if m.has("cc") {
        return Ok(Op::AddCarry { ty: m.ty(is_32_or_64)?, carry_in: false, carry_out: true });
    }
    let (rnd, ftz, sat) = (m.float_rounding()?, m.has("ftz"), m.has("sat"));
    let ty = m.ty(is_number)?;
    if mixed_precision(m, ty) {
        return Ok(Op::Unknown);
    }
    check_float_only(m, ty, rnd, ftz)?;
    Ok(Op::Add { ty, rnd, ftz, sat })
}

pub(super) fn sub(m: &mut Mods) -> Decoded {
    if m.has("cc") {
        return Ok(Op::SubCarry { ty: m.ty(is_32_or_64)?, carry_in: false, carry_out: true });
    }
    let (rnd, ftz, sat) = (m.float_rounding()?, m.has("ftz"), m.has("sat"));
    let ty = m.ty(is_number)?;
    if mixed_precision(m, ty) {
        return Ok(Op::Unknown);
    }
    check_float_only(m, ty, rnd, ftz)?;
    Ok(Op::Sub { ty, rnd, ftz, sat })
}

fn check_float_only(
    m: &Mods,
    ty: ScalarType,
    rnd: Option<Rounding>,
    ftz: bool,
) -> Result<(), super::DecodeError> {
    if !is_float(ty) && (rnd.is_some() || ftz) {
        return Err(m.error(format!("`{}` rounds an integer", m.spelled())));
    }
    Ok(())
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

/// Integers need a part, floats have none.
fn part_of(m: &mut Mods, ty: ScalarType) -> Result<Option<MulPart>, super::DecodeError> {
    let part = part(m);
    match part {
        None if !is_float(ty) => Err(m.missing("`.lo`, `.hi` or `.wide`")),
        Some(MulPart::Wide) if ty.bits() == 64 => Err(m.bad_type(ty)),
        Some(_) if is_float(ty) => Err(m.bad_type(ty)),
        _ => Ok(part),
    }
}

fn is_mul(ty: ScalarType) -> bool {
    is_int_scalar(ty) || is_float(ty)
}

pub(super) fn mul(m: &mut Mods) -> Decoded {
    let (rnd, ftz, sat) = (m.float_rounding()?, m.has("ftz"), m.has("sat"));
    let ty = m.ty(is_mul)?;
    let part = part_of(m, ty)?;
    if mixed_precision(m, ty) {
        return Ok(Op::Unknown);
    }
    check_float_only(m, ty, rnd, ftz)?;
    Ok(Op::Mul { ty, part, rnd, ftz, sat })
}

pub(super) fn mad(m: &mut Mods) -> Decoded {
    if m.has("cc") {
        return mad_carry(m, false, true);
    }
    fused(m)
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
    fused(m)
}

fn fused(m: &mut Mods) -> Decoded {
    let (rnd, ftz, sat, relu) = (m.float_rounding()?, m.has("ftz"), m.has("sat"), m.has("relu"));
    let ty = m.ty(is_mul)?;
    let part = part_of(m, ty)?;
    if mixed_precision(m, ty) {
        return Ok(Op::Unknown);
    }
    check_float_only(m, ty, rnd, ftz)?;
    if sat && !is_float(ty) && (ty, part) != (S32, Some(MulPart::Hi)) {
        return Err(m.error("integer `mad.sat` exists as `mad.hi.sat.s32` only"));
    }
    Ok(Op::Mad { ty, part, rnd, ftz, sat, relu })
}

fn part24(m: &mut Mods) -> Result<MulPart, super::DecodeError> {
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
    Ok(Op::Mad24 { ty: m.ty(|ty| matches!(ty, U32 | S32))?, part, sat })
}

pub(super) fn sad(m: &mut Mods) -> Decoded {
    Ok(Op::Sad { ty: m.ty(is_int_scalar)? })
}

pub(super) fn div(m: &mut Mods) -> Decoded {
    let full = m.has("full");
    let (precision, ftz) = (precision(m)?, m.has("ftz"));
    let precision = if full { Some(Precision::Full) } else { precision };
    let ty = m.ty(|ty| is_int_scalar(ty) || matches!(ty, F32 | F64))?;
    let precision = match (ty, precision) {
        (F32, None) => return Err(m.missing("`.approx`, `.full` or a rounding mode")),
        (F64, None) => Some(Precision::Ieee(Rounding::Nearest)),
        (F64, Some(Precision::Approx | Precision::Full)) => return Err(m.bad_type(ty)),
        (F32 | F64, _) => precision,
        (_, None) if !ftz => None,
        _ => return Err(m.bad_type(ty)),
    };
    Ok(Op::Div { ty, precision, ftz })
}

fn precision(m: &mut Mods) -> Result<Option<Precision>, super::DecodeError> {
    if m.has("approx") {
        return Ok(Some(Precision::Approx));
    }
    Ok(m.float_rounding()?.map(Precision::Ieee))
}

pub(super) fn rem(m: &mut Mods) -> Decoded {
    Ok(Op::Rem { ty: m.ty(is_int_scalar)? })
}

pub(super) fn abs(m: &mut Mods) -> Decoded {
    let ftz = m.has("ftz");
    Ok(Op::Abs { ty: m.ty(|ty| ty.is_signed() || is_float(ty))?, ftz })
}

pub(super) fn neg(m: &mut Mods) -> Decoded {
    let ftz = m.has("ftz");
    Ok(Op::Neg { ty: m.ty(|ty| ty.is_signed() || is_float(ty))?, ftz })
}

struct MinMax {
    ty: ScalarType,
    ftz: bool,
    nan: bool,
    xorsign_abs: bool,
    relu: bool,
}

fn min_max(m: &mut Mods) -> Result<MinMax, super::DecodeError> {
    let (ftz, nan, relu) = (m.has("ftz"), m.has("NaN"), m.has("relu"));
    let xorsign_abs = m.has("xorsign");
    // `.abs` comes with `.xorsign`, or alone in the three-input form.
    if xorsign_abs {
        m.need("abs")?;
    }
    let ty = m.ty(is_number)?;
    if !is_float(ty) && (ftz || nan || xorsign_abs) {
        return Err(m.bad_type(ty));
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

fn root(m: &mut Mods) -> Result<(ScalarType, Precision, bool), super::DecodeError> {
    let (precision, ftz) = (precision(m)?, m.has("ftz"));
    let ty = m.ty(|ty| matches!(ty, F32 | F64))?;
    match precision {
        Some(precision) => Ok((ty, precision, ftz)),
        None => Err(m.missing("`.approx` or a rounding mode")),
    }
}

pub(super) fn rcp(m: &mut Mods) -> Decoded {
    let (ty, precision, ftz) = root(m)?;
    Ok(Op::Rcp { ty, precision, ftz })
}

pub(super) fn sqrt(m: &mut Mods) -> Decoded {
    let (ty, precision, ftz) = root(m)?;
    Ok(Op::Sqrt { ty, precision, ftz })
}

pub(super) fn rsqrt(m: &mut Mods) -> Decoded {
    m.need("approx")?;
    let ftz = m.has("ftz");
    Ok(Op::Rsqrt { ty: m.ty(|ty| matches!(ty, F32 | F64))?, ftz })
}

fn approx_f32(m: &mut Mods) -> Result<bool, super::DecodeError> {
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
    Ok(Op::Ex2 { ty: m.ty(is_approx)?, ftz })
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

pub(super) fn cvt(m: &mut Mods) -> Decoded {
    if m.has("pack") {
        m.need("sat")?;
        let convert = m.ty(|ty| ty.is_signed() || ty.is_unsigned())?;
        let from = m.ty(|ty| ty == S32)?;
        let with_c = m.try_ty() == Some(B32);
        return Ok(Op::CvtPack { convert, from, with_c });
    }
    let rnd = m.rounding();
    let (ftz, sat) = (m.has("ftz"), m.has("sat"));
    let (relu, satfinite) = (m.has("relu"), m.has("satfinite"));
    // `.scaled::n2::ue8m0` and formats without a name here are newer than [`Op`].
    if m.pick(|name| name.contains("::").then_some(())).is_some() {
        return Ok(Op::Unknown);
    }
    let (Some(dst), Some(src)) = (m.try_ty(), m.try_ty()) else {
        let newer = |name: &str| name.starts_with('e') || name.starts_with("ue") || name.starts_with('s');
        return if m.pick(|name| newer(name).then_some(())).is_some() {
            Ok(Op::Unknown)
        } else {
            Err(m.missing("a destination and a source type"))
        };
    };
    for ty in [dst, src] {
        if matches!(ty, Pred | B1 | B4 | B8 | B16 | B64 | B128 | U4 | S4 | Texref | Samplerref | Surfref) {
            return Err(m.bad_type(ty));
        }
    }
    Ok(Op::Cvt { dst, src, rnd, ftz, sat, relu, satfinite })
}
