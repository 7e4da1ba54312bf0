//! Conversions (PTX §9.7.10, `cvt` and `cvt.pack`).

use super::mods::Mods;
use super::{DecodeError, Decoded};
use crate::ast::ScalarType::{self, *};
use crate::op::{Op, Rounding};

fn is_int(ty: ScalarType) -> bool {
    matches!(ty, U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64)
}

fn is_float(ty: ScalarType) -> bool {
    matches!(ty, F16 | Bf16 | F32 | F64)
}

/// Returns whether the type is a pair of halves.
fn is_half_pair(ty: ScalarType) -> bool {
    matches!(ty, F16x2 | Bf16x2)
}

/// Returns whether the type is a pair of signed floats of 8, 6 or 4 bits.
fn is_narrow_pair(ty: ScalarType) -> bool {
    matches!(ty, E4m3x2 | E5m2x2 | E2m1x2 | E2m3x2 | E3m2x2)
}

fn is_narrow_quad(ty: ScalarType) -> bool {
    matches!(ty, E4m3x4 | E5m2x4 | E2m1x4 | E2m3x4 | E3m2x4)
}

/// Decodes `cvt.pack.sat.convertType.s32{.b32}`.
fn pack(m: &mut Mods) -> Decoded {
    m.need("sat")?;
    let convert = m.ty(|ty| matches!(ty, U16 | S16 | U8 | S8 | U4 | S4))?;
    let from = m.ty(|ty| ty == S32)?;
    // Halves fill the destination; narrower results are shifted into a third operand.
    let with_c = m.has("b32");
    if with_c == (convert.bits() == 16) {
        return Err(m.bad_type(convert));
    }
    Ok(Op::CvtPack { convert, from, with_c })
}

pub(super) fn cvt(m: &mut Mods) -> Decoded {
    if m.has("pack") {
        return pack(m);
    }
    let rnd = m.rounding();
    let (ftz, sat) = (m.has("ftz"), m.has("sat"));
    let (relu, satfinite) = (m.has("relu"), m.has("satfinite"));
    // `.pzo` and formats without a name here are newer than [`Op`].
    if m.has("pzo") {
        return Ok(Op::Unknown);
    }
    let scaled = m.has("scaled::n2::ue8m0");
    let (dst, src) = (m.try_ty(), m.try_ty());
    if m.pick(|name| is_newer_format(name).then_some(())).is_some() {
        return Ok(Op::Unknown);
    }
    let (Some(dst), Some(src)) = (dst, src) else {
        return Err(m.missing("a destination and a source type"));
    };
    let form = form(dst, src).ok_or_else(|| {
        m.error(format!(
            "`{}` converts `.{}` into `.{}`, which does not exist",
            m.spelled(),
            src.name(),
            dst.name()
        ))
    })?;
    check_rounding(m, form, dst, src, rnd)?;
    let single = dst == F32 || src == F32;
    if ftz && !(single && matches!(form, Form::Integer | Form::ToInt | Form::ToFloat | Form::Float)) {
        return Err(m.error(format!("`{}` has no subnormals of `.f32` to flush", m.spelled())));
    }
    if sat
        && matches!(
            form,
            Form::HalfPair | Form::Narrow | Form::Quad | Form::Widen | Form::Scale | Form::Fixed | Form::Tf32
        )
    {
        return Err(m.error(format!("`{}` cannot saturate to [0, 1]", m.spelled())));
    }
    let halves_a_single = form == Form::Float && src == F32 && matches!(dst, F16 | Bf16);
    let relus = halves_a_single
        || matches!(
            form,
            Form::HalfPair | Form::Narrow | Form::Quad | Form::Widen | Form::Fixed | Form::Tf32
        );
    if relu && !relus {
        return Err(m.error(format!("`{}` does not take `.relu`", m.spelled())));
    }
    let finite =
        halves_a_single || !matches!(form, Form::Integer | Form::ToInt | Form::ToFloat | Form::Float);
    if satfinite && !finite {
        return Err(m.error(format!("`{}` does not take `.satfinite`", m.spelled())));
    }
    if !satfinite && matches!(form, Form::Narrow | Form::Quad | Form::Fixed) {
        return Err(m.missing("`.satfinite`"));
    }
    if scaled && !(form == Form::Fixed || form == Form::Widen && dst == Bf16x2 && src != Ue8m0x2) {
        return Err(m.error(format!("`{}` has no scale factors", m.spelled())));
    }
    Ok(Op::Cvt { dst, src, rnd, ftz, sat, relu, satfinite, scaled })
}

/// Returns whether a modifier names a format that [`Op`] does not represent.
fn is_newer_format(name: &str) -> bool {
    name == "ue5m3x2"
}

/// The kind of conversion between a pair of types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Integer,
    ToInt,
    ToFloat,
    Float,
    Tf32,
    /// From two `.f32` to two halves.
    HalfPair,
    /// To two narrow values.
    Narrow,
    /// From four `.f32` to four narrow values.
    Quad,
    /// From two narrow values to two halves.
    Widen,
    /// To two exponents.
    Scale,
    /// To two fixed-point numbers.
    Fixed,
}

fn form(dst: ScalarType, src: ScalarType) -> Option<Form> {
    Some(match (dst, src) {
        _ if is_int(dst) && is_int(src) => Form::Integer,
        _ if is_int(dst) && is_float(src) => Form::ToInt,
        _ if is_float(dst) && is_int(src) => Form::ToFloat,
        _ if is_float(dst) && is_float(src) => Form::Float,
        (Tf32, F32) => Form::Tf32,
        (F16x2 | Bf16x2, F32) => Form::HalfPair,
        _ if is_narrow_pair(dst) && (src == F32 || is_half_pair(src)) => Form::Narrow,
        _ if is_narrow_quad(dst) && src == F32 => Form::Quad,
        _ if is_half_pair(dst) && is_narrow_pair(src) => Form::Widen,
        (Bf16x2, Ue8m0x2 | S2f6x2) => Form::Widen,
        (S2f6x2, F32 | Bf16x2) => Form::Fixed,
        (Ue8m0x2, F32 | Bf16x2) => Form::Scale,
        _ => return None,
    })
}

fn check_rounding(
    m: &Mods,
    form: Form,
    dst: ScalarType,
    src: ScalarType,
    rnd: Option<Rounding>,
) -> Result<(), DecodeError> {
    use Rounding::*;
    let to_integer = matches!(rnd, Some(NearestInt | ZeroInt | DownInt | UpInt));
    let to_float = matches!(rnd, Some(Nearest | Zero | Down | Up));
    let fits = match form {
        Form::Integer => rnd.is_none(),
        Form::ToInt => to_integer,
        Form::ToFloat => to_float,
        // A conversion between equal types rounds to an integral value.
        Form::Float if dst == src => to_integer || rnd.is_none(),
        Form::Float if dst.bits() < src.bits() => to_float,
        // The conversion is exact, except between the two half formats.
        Form::Float => rnd.is_none() || to_float && (dst == Bf16 || src == Bf16),
        Form::Tf32 => matches!(rnd, Some(NearestAway | Nearest | Zero)),
        Form::HalfPair => matches!(rnd, Some(Nearest | Zero | Stochastic)),
        Form::Narrow => matches!(rnd, Some(Nearest | Zero)),
        Form::Quad => rnd == Some(Stochastic),
        Form::Widen | Form::Fixed => rnd == Some(Nearest),
        Form::Scale => matches!(rnd, Some(Zero | Up)),
    };
    match (fits, rnd) {
        (true, _) => Ok(()),
        (false, None) => Err(m.missing("a rounding mode")),
        (false, Some(_)) => Err(m.error(format!("`{}` has the wrong kind of rounding", m.spelled()))),
    }
}

/// Returns the number of source operands of a conversion: two `.f32` or a vector of four for packed results, random bits
/// and scale factors.
pub(super) fn sources(dst: ScalarType, src: ScalarType, rnd: Option<Rounding>, scaled: bool) -> usize {
    let pair = src == F32 && (is_half_pair(dst) || is_narrow_pair(dst) || matches!(dst, Ue8m0x2 | S2f6x2));
    1 + usize::from(pair) + usize::from(rnd == Some(Rounding::Stochastic)) + usize::from(scaled)
}
