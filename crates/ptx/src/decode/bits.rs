//! Bit manipulation, logic and shifts (PTX §9.7.1, §9.7.9).

use super::Decoded;
use super::mods::Mods;
use crate::ast::ScalarType::{self, *};
use crate::op::{BoolOp, Op, PrmtMode};

fn is_b32_b64(ty: ScalarType) -> bool {
    matches!(ty, B32 | B64)
}

fn is_logic(ty: ScalarType) -> bool {
    matches!(ty, Pred | B16 | B32 | B64)
}

fn is_word(ty: ScalarType) -> bool {
    matches!(ty, U32 | S32 | U64 | S64)
}

pub(super) fn popc(m: &mut Mods) -> Decoded {
    Ok(Op::Popc { ty: m.ty(is_b32_b64)? })
}

pub(super) fn clz(m: &mut Mods) -> Decoded {
    Ok(Op::Clz { ty: m.ty(is_b32_b64)? })
}

pub(super) fn brev(m: &mut Mods) -> Decoded {
    Ok(Op::Brev { ty: m.ty(is_b32_b64)? })
}

pub(super) fn bfi(m: &mut Mods) -> Decoded {
    Ok(Op::Bfi { ty: m.ty(is_b32_b64)? })
}

pub(super) fn bfe(m: &mut Mods) -> Decoded {
    Ok(Op::Bfe { ty: m.ty(is_word)? })
}

pub(super) fn bfind(m: &mut Mods) -> Decoded {
    let shiftamt = m.has("shiftamt");
    Ok(Op::Bfind { ty: m.ty(is_word)?, shiftamt })
}

pub(super) fn fns(m: &mut Mods) -> Decoded {
    m.ty(|ty| ty == B32)?;
    Ok(Op::Fns)
}

/// Decodes `.clamp` or `.wrap`; returns whether it is `.clamp`.
fn clamp(m: &mut Mods) -> Result<bool, super::DecodeError> {
    let clamp = m.pick(|name| match name {
        "clamp" => Some(true),
        "wrap" => Some(false),
        _ => None,
    });
    clamp.ok_or_else(|| m.missing("`.clamp` or `.wrap`"))
}

pub(super) fn bmsk(m: &mut Mods) -> Decoded {
    let clamp = clamp(m)?;
    m.ty(|ty| ty == B32)?;
    Ok(Op::Bmsk { clamp })
}

pub(super) fn szext(m: &mut Mods) -> Decoded {
    let clamp = clamp(m)?;
    Ok(Op::Szext { ty: m.ty(|ty| matches!(ty, U32 | S32))?, clamp })
}

pub(super) fn and(m: &mut Mods) -> Decoded {
    Ok(Op::And { ty: m.ty(is_logic)? })
}

pub(super) fn or(m: &mut Mods) -> Decoded {
    Ok(Op::Or { ty: m.ty(is_logic)? })
}

pub(super) fn xor(m: &mut Mods) -> Decoded {
    Ok(Op::Xor { ty: m.ty(is_logic)? })
}

pub(super) fn not(m: &mut Mods) -> Decoded {
    Ok(Op::Not { ty: m.ty(is_logic)? })
}

pub(super) fn cnot(m: &mut Mods) -> Decoded {
    Ok(Op::Cnot { ty: m.ty(|ty| matches!(ty, B16 | B32 | B64))? })
}

pub(super) fn bool_op(m: &mut Mods) -> Option<BoolOp> {
    m.pick(|name| match name {
        "and" => Some(BoolOp::And),
        "or" => Some(BoolOp::Or),
        "xor" => Some(BoolOp::Xor),
        _ => None,
    })
}

pub(super) fn lop3(m: &mut Mods) -> Decoded {
    let combine = bool_op(m);
    if combine == Some(BoolOp::Xor) {
        return Err(m.error("`lop3` combines by `.and` or `.or`"));
    }
    m.ty(|ty| ty == B32)?;
    Ok(Op::Lop3 { combine })
}

pub(super) fn shf(m: &mut Mods) -> Decoded {
    let left = m.pick(|name| match name {
        "l" => Some(true),
        "r" => Some(false),
        _ => None,
    });
    let Some(left) = left else {
        return Err(m.missing("`.l` or `.r`"));
    };
    let wrap = !clamp(m)?;
    m.ty(|ty| ty == B32)?;
    Ok(Op::Shf { left, wrap })
}

pub(super) fn shl(m: &mut Mods) -> Decoded {
    Ok(Op::Shl { ty: m.ty(|ty| matches!(ty, B16 | B32 | B64))? })
}

pub(super) fn shr(m: &mut Mods) -> Decoded {
    Ok(Op::Shr { ty: m.ty(|ty| matches!(ty, B16 | B32 | B64 | U16 | U32 | U64 | S16 | S32 | S64))? })
}

pub(super) fn prmt(m: &mut Mods) -> Decoded {
    let mode = m.pick(|name| {
        Some(match name {
            "f4e" => PrmtMode::F4e,
            "b4e" => PrmtMode::B4e,
            "rc8" => PrmtMode::Rc8,
            "ecl" => PrmtMode::Ecl,
            "ecr" => PrmtMode::Ecr,
            "rc16" => PrmtMode::Rc16,
            _ => return None,
        })
    });
    m.ty(|ty| ty == B32)?;
    Ok(Op::Prmt { mode: mode.unwrap_or(PrmtMode::Index) })
}
