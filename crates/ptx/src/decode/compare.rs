//! Comparison and selection (PTX §9.7.7, §9.7.8, `testp`).

use super::Decoded;
use super::bits::bool_op;
use super::mods::Mods;
use crate::ast::ScalarType::{self, *};
use crate::op::{Cmp, FloatTest, Op};

fn is_compared(ty: ScalarType) -> bool {
    matches!(
        ty,
        B16 | B32 | B64 | U16 | U32 | U64 | S16 | S32 | S64 | F16 | F16x2 | Bf16 | Bf16x2 | F32 | F64
    )
}

fn is_selected(ty: ScalarType) -> bool {
    matches!(ty, B16 | B32 | B64 | U16 | U32 | U64 | S16 | S32 | S64 | F32 | F64)
}

fn cmp(m: &mut Mods) -> Result<Cmp, super::DecodeError> {
    let cmp = m.pick(|name| {
        Some(match name {
            "eq" => Cmp::Eq,
            "ne" => Cmp::Ne,
            "lt" => Cmp::Lt,
            "le" => Cmp::Le,
            "gt" => Cmp::Gt,
            "ge" => Cmp::Ge,
            "lo" => Cmp::Lo,
            "ls" => Cmp::Ls,
            "hi" => Cmp::Hi,
            "hs" => Cmp::Hs,
            "equ" => Cmp::Equ,
            "neu" => Cmp::Neu,
            "ltu" => Cmp::Ltu,
            "leu" => Cmp::Leu,
            "gtu" => Cmp::Gtu,
            "geu" => Cmp::Geu,
            "num" => Cmp::Num,
            "nan" => Cmp::Nan,
            _ => return None,
        })
    });
    cmp.ok_or_else(|| m.missing("a comparison"))
}

/// Returns an error for a comparison that the type does not have (PTX §9.3.1).
fn check(m: &Mods, cmp: Cmp, ty: ScalarType) -> Result<(), super::DecodeError> {
    use Cmp::*;
    let fits = match cmp {
        Eq | Ne => true,
        Lt | Le | Gt | Ge => !ty.is_bits(),
        Lo | Ls | Hi | Hs => ty.is_unsigned(),
        Equ | Neu | Ltu | Leu | Gtu | Geu | Num | Nan => ty.is_float(),
    };
    if fits { Ok(()) } else { Err(m.bad_type(ty)) }
}

fn check_ftz(m: &Mods, ty: ScalarType, ftz: bool) -> Result<(), super::DecodeError> {
    if ftz && !matches!(ty, F32 | F16 | F16x2) {
        return Err(m.error(format!("`.{}` does not take `.ftz`", ty.name())));
    }
    Ok(())
}

pub(super) fn set(m: &mut Mods) -> Decoded {
    let (cmp, combine, ftz) = (cmp(m)?, bool_op(m), m.has("ftz"));
    let dst = m.ty(|ty| matches!(ty, U16 | S16 | U32 | S32 | F32 | F16 | F16x2 | Bf16 | Bf16x2))?;
    let src = m.ty(is_compared)?;
    let fits = match src {
        F16 | Bf16 => matches!(dst, U16 | S16 | U32 | S32 | F16 | Bf16),
        F16x2 | Bf16x2 => matches!(dst, U32 | S32) || dst == src,
        _ => matches!(dst, U32 | S32 | F32 | F16 | Bf16),
    };
    if !fits {
        return Err(m.bad_type(dst));
    }
    check(m, cmp, src)?;
    check_ftz(m, src, ftz)?;
    Ok(Op::Set { cmp, combine, dst, src, ftz })
}

pub(super) fn setp(m: &mut Mods) -> Decoded {
    let (cmp, combine, ftz) = (cmp(m)?, bool_op(m), m.has("ftz"));
    let ty = m.ty(is_compared)?;
    check(m, cmp, ty)?;
    check_ftz(m, ty, ftz)?;
    Ok(Op::Setp { cmp, combine, ty, ftz })
}

pub(super) fn selp(m: &mut Mods) -> Decoded {
    Ok(Op::Selp { ty: m.ty(is_selected)? })
}

pub(super) fn slct(m: &mut Mods) -> Decoded {
    let ftz = m.has("ftz");
    let dst = m.ty(is_selected)?;
    let src = m.ty(|ty| matches!(ty, S32 | F32))?;
    Ok(Op::Slct { dst, src, ftz })
}

pub(super) fn testp(m: &mut Mods) -> Decoded {
    let test = m.pick(|name| {
        Some(match name {
            "finite" => FloatTest::Finite,
            "infinite" => FloatTest::Infinite,
            "number" => FloatTest::Number,
            "notanumber" => FloatTest::NotANumber,
            "normal" => FloatTest::Normal,
            "subnormal" => FloatTest::Subnormal,
            _ => return None,
        })
    });
    let Some(test) = test else {
        return Err(m.missing("a property"));
    };
    Ok(Op::Testp { ty: m.ty(|ty| matches!(ty, F32 | F64))?, test })
}
