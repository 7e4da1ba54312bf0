//! Warp-level matrix instructions (PTX §9.7.15).

use super::bits::bool_op;
use super::mods::Mods;
use super::{DecodeError, Decoded};
use crate::ast::ScalarType::{self, *};
use crate::op::{BlockShape, BoolOp, Fragment, Layout, MemSpace, Op, Shape};

pub(super) fn layout(m: &mut Mods) -> Result<Layout, DecodeError> {
    let layout = m.pick(|name| match name {
        "row" => Some(Layout::Row),
        "col" => Some(Layout::Col),
        _ => None,
    });
    layout.ok_or_else(|| m.missing("`.row` or `.col`"))
}

/// Decodes a shape such as `m16n8k16`.
pub(super) fn shape(m: &mut Mods) -> Result<Shape, DecodeError> {
    let shape = m.pick(|name| {
        let (rows, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (columns, depth) = rest.split_once('k')?;
        Some(Shape { m: rows.parse().ok()?, n: columns.parse().ok()?, k: depth.parse().ok()? })
    });
    shape.ok_or_else(|| m.missing("a shape"))
}

pub(super) fn sync_aligned(m: &mut Mods) -> Result<(), DecodeError> {
    m.need("sync")?;
    m.need("aligned")
}

pub(super) fn is_fragment(ty: ScalarType) -> bool {
    matches!(ty, F16 | Bf16 | Tf32 | F32 | F64 | S8 | U8 | S4 | U4 | B1 | S32 | E4m3 | E5m2)
}

fn shared_or_global(m: &mut Mods) -> Result<MemSpace, DecodeError> {
    match m.space().unwrap_or(MemSpace::Generic) {
        space @ (MemSpace::Generic | MemSpace::Global | MemSpace::SharedCta) => Ok(space),
        _ => Err(m.error(format!("`{}` works on global and shared memory only", m.spelled()))),
    }
}

fn shared(m: &mut Mods) -> Result<MemSpace, DecodeError> {
    match m.space().unwrap_or(MemSpace::Generic) {
        space @ (MemSpace::Generic | MemSpace::SharedCta) => Ok(space),
        _ => Err(m.error(format!("`{}` works on shared memory only", m.spelled()))),
    }
}

pub(super) fn wmma(m: &mut Mods) -> Decoded {
    m.need("sync")?;
    // The qualifier is optional, as it did not exist before PTX 6.3.
    m.has("aligned");
    if m.has("load") {
        let fragment = m.pick(|name| match name {
            "a" => Some(Fragment::A),
            "b" => Some(Fragment::B),
            "c" => Some(Fragment::C),
            _ => None,
        });
        let Some(fragment) = fragment else {
            return Err(m.missing("`.a`, `.b` or `.c`"));
        };
        let (layout, shape, space) = (layout(m)?, shape(m)?, shared_or_global(m)?);
        return Ok(Op::WmmaLoad { fragment, layout, shape, space, ty: m.ty(is_fragment)? });
    }
    if m.has("store") {
        m.need("d")?;
        let (layout, shape, space) = (layout(m)?, shape(m)?, shared_or_global(m)?);
        return Ok(Op::WmmaStore { layout, shape, space, ty: m.ty(is_fragment)? });
    }
    m.need("mma")?;
    let bit_op = bit_op(m)?;
    let (a_layout, b_layout, shape) = (layout(m)?, layout(m)?, shape(m)?);
    let satfinite = m.has("satfinite");
    m.float_rounding()?;
    let d = m.ty(is_fragment)?;
    let second = m.ty(is_fragment)?;
    // Half-precision forms name only the types of D and C; A and B are `.f16`.
    let (a, b, c) = match m.try_ty() {
        None if d == F64 => return Err(m.missing("four types")),
        None => (F16, F16, second),
        Some(b) => (second, b, m.ty(is_fragment)?),
    };
    check_bit_op(m, a, bit_op)?;
    Ok(Op::WmmaMma { a_layout, b_layout, shape, d, a, b, c, satfinite, bit_op })
}

/// Decodes `.and.popc` or `.xor.popc`, if present.
pub(super) fn bit_op(m: &mut Mods) -> Result<Option<BoolOp>, DecodeError> {
    let bit_op = bool_op(m);
    if bit_op.is_some() {
        m.need("popc")?;
    }
    Ok(bit_op)
}

pub(super) fn check_bit_op(m: &Mods, a: ScalarType, bit_op: Option<BoolOp>) -> Result<(), DecodeError> {
    match bit_op {
        Some(BoolOp::And | BoolOp::Xor) if a == B1 => Ok(()),
        None if a != B1 => Ok(()),
        _ => Err(m.error("single-bit products and only they take `.and.popc` or `.xor.popc`")),
    }
}

fn count(m: &mut Mods) -> Result<u8, DecodeError> {
    let count = m.pick(|name| match name {
        "x1" => Some(1),
        "x2" => Some(2),
        "x4" => Some(4),
        _ => None,
    });
    count.ok_or_else(|| m.missing("`.x1`, `.x2` or `.x4`"))
}

fn block_shape(m: &mut Mods) -> Result<BlockShape, DecodeError> {
    let shape = m.pick(|name| match name {
        "m8n8" => Some(BlockShape::M8n8),
        "m8n16" => Some(BlockShape::M8n16),
        "m16n8" => Some(BlockShape::M16n8),
        "m16n16" => Some(BlockShape::M16n16),
        _ => None,
    });
    shape.ok_or_else(|| m.missing("a shape"))
}

pub(super) fn ldmatrix(m: &mut Mods) -> Decoded {
    sync_aligned(m)?;
    let (shape, count, trans, space) = (block_shape(m)?, count(m)?, m.has("trans"), shared(m)?);
    let narrow = m.pick(|name| match name {
        "b6x16_p32" => Some(6),
        "b4x16_p64" => Some(4),
        _ => None,
    });
    let (ty, bits) = match narrow {
        Some(bits) => {
            m.need("b8x16")?;
            (B8, bits)
        }
        None => {
            let ty = m.ty(|ty| matches!(ty, B8 | B16))?;
            (ty, ty.bits() as u8)
        }
    };
    let fits = match shape {
        BlockShape::M8n8 => bits == 16,
        BlockShape::M8n16 => bits < 8 && !trans,
        BlockShape::M16n16 => bits <= 8 && trans && count <= 2,
        BlockShape::M16n8 => false,
    };
    if !fits {
        return Err(m.error(format!("`{}` does not exist", m.spelled())));
    }
    Ok(Op::Ldmatrix { shape, count, trans, space, ty, bits })
}

pub(super) fn stmatrix(m: &mut Mods) -> Decoded {
    sync_aligned(m)?;
    let (shape, count, trans, space) = (block_shape(m)?, count(m)?, m.has("trans"), shared(m)?);
    let ty = m.ty(|ty| matches!(ty, B8 | B16))?;
    let fits = match shape {
        BlockShape::M8n8 => ty == B16,
        BlockShape::M16n8 => ty == B8 && trans,
        _ => false,
    };
    if !fits {
        return Err(m.error(format!("`{}` does not exist", m.spelled())));
    }
    Ok(Op::Stmatrix { shape, count, trans, space, ty })
}

pub(super) fn movmatrix(m: &mut Mods) -> Decoded {
    sync_aligned(m)?;
    m.need("m8n8")?;
    m.need("trans")?;
    Ok(Op::Movmatrix { ty: m.ty(|ty| ty == B16)? })
}
