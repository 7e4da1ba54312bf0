//! `mma` (PTX §9.7.15.5, §9.7.15.6).

use super::matrix::{bit_op, check_bit_op, is_fragment, layout, shape, sync_aligned};
use super::mods::Mods;
use super::{DecodeError, Decoded};
use crate::ast::ScalarType::{self, *};
use crate::op::{BlockScale, Layout, MmaKind, Op, Shape};

/// A word behind `.kind::`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    F8f6f4,
    Mxf8f6f4,
    Mxf4,
    Mxf4nvf4,
}

pub(super) fn mma(m: &mut Mods) -> Decoded {
    let sparse = m.has("sp::ordered_metadata") || m.has("sp");
    sync_aligned(m)?;
    let bit_op = bit_op(m)?;
    let kind = m.pick(|name| {
        Some(match name {
            "kind::f8f6f4" => Kind::F8f6f4,
            "kind::mxf8f6f4" => Kind::Mxf8f6f4,
            "kind::mxf4" => Kind::Mxf4,
            "kind::mxf4nvf4" => Kind::Mxf4nvf4,
            _ => return None,
        })
    });
    let (a_layout, b_layout, shape) = (layout(m)?, layout(m)?, shape(m)?);
    let satfinite = m.has("satfinite");
    m.float_rounding()?;
    let factor = |ty| if kind.is_some() { is_narrow(ty) } else { is_fragment(ty) };
    let (d, a) = (m.ty(is_fragment)?, m.ty(factor)?);
    let (b, c) = (m.ty(factor)?, m.ty(is_fragment)?);
    check_bit_op(m, a, bit_op)?;
    let kind = match kind {
        Some(kind) => Some(narrow(m, kind, (shape, sparse), [d, a, b, c])?),
        None => None,
    };
    if sparse && kind.is_none() {
        check_sparse(m, shape, [d, a, b, c])?;
    }
    if (sparse || kind.is_some()) && (a_layout, b_layout) != (Layout::Row, Layout::Col) {
        return Err(m.error(format!("`{}` has impossible layouts", m.spelled())));
    }
    if sparse && satfinite && d != S32 {
        return Err(m.bad_type(d));
    }
    Ok(Op::Mma { a_layout, b_layout, shape, d, a, b, c, satfinite, bit_op, sparse, kind })
}

fn is_narrow(ty: ScalarType) -> bool {
    matches!(ty, E4m3 | E5m2 | E3m2 | E2m3 | E2m1)
}

fn impossible(m: &Mods) -> DecodeError {
    m.error(format!("`{}` has an impossible shape or result", m.spelled()))
}

fn check_sparse(m: &Mods, shape: Shape, [d, a, b, c]: [ScalarType; 4]) -> Result<(), DecodeError> {
    let depths: &[u16] = match (a, b) {
        (F16, F16) | (Bf16, Bf16) => &[16, 32],
        (Tf32, Tf32) => &[8, 16],
        (S8 | U8, S8 | U8) => &[32, 64],
        (S4 | U4, S4 | U4) => &[64, 128],
        (E4m3 | E5m2, E4m3 | E5m2) => &[64],
        _ => return Err(m.error(format!("`{}` mixes types", m.spelled()))),
    };
    let result = match a {
        F16 | E4m3 | E5m2 => matches!(d, F16 | F32),
        Bf16 | Tf32 => d == F32,
        _ => d == S32,
    };
    if (shape.m, shape.n) != (16, 8) || !depths.contains(&shape.k) || !result || c != d {
        return Err(impossible(m));
    }
    Ok(())
}

/// Checks a product of narrow floats, and decodes its scale factors.
fn narrow(
    m: &mut Mods,
    kind: Kind,
    (shape, sparse): (Shape, bool),
    [d, a, b, c]: [ScalarType; 4],
) -> Result<MmaKind, DecodeError> {
    let packed = matches!(kind, Kind::Mxf4 | Kind::Mxf4nvf4);
    let scaled = kind != Kind::F8f6f4;
    let depth = if packed { 64 } else { 32 } << u16::from(sparse);
    let result = c == d && (d == F32 || d == F16 && !scaled);
    if (shape.m, shape.n, shape.k) != (16, 8, depth) || !result {
        return Err(impossible(m));
    }
    if packed && (a, b) != (E2m1, E2m1) {
        return Err(m.bad_type(if a == E2m1 { b } else { a }));
    }
    let scale = if scaled { Some(scale(m, kind)?) } else { None };
    Ok(MmaKind { packed, scale })
}

fn scale(m: &mut Mods, kind: Kind) -> Result<BlockScale, DecodeError> {
    m.need("block_scale")?;
    let blocks = m.pick(|name| match name {
        "scale_vec::1X" => Some(1),
        "scale_vec::2X" => Some(2),
        "scale_vec::4X" => Some(4),
        _ => None,
    });
    let ty = m.ty(|ty| matches!(ty, Ue8m0 | Ue4m3))?;
    let blocks = match (kind, blocks) {
        (Kind::Mxf8f6f4, None | Some(1)) => 1,
        (Kind::Mxf4, None | Some(2)) => 2,
        (Kind::Mxf4nvf4, Some(blocks @ (2 | 4))) => blocks,
        (Kind::Mxf4nvf4, None) => return Err(m.missing("`.scale_vec::2X` or `.scale_vec::4X`")),
        _ => return Err(m.error(format!("`{}` has an impossible number of scale factors", m.spelled()))),
    };
    if ty == Ue4m3 && (kind, blocks) != (Kind::Mxf4nvf4, 4) {
        return Err(m.bad_type(ty));
    }
    Ok(BlockScale { blocks, ty })
}
