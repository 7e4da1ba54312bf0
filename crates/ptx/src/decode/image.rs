//! Textures and surfaces (PTX §9.7.11 and §9.7.12).

use super::mods::Mods;
use super::{DecodeError, Decoded};
use crate::ast::ScalarType::*;
use crate::op::{Boundary, Op, Rmw, Surface, SurfaceQuery, TexGeometry};

fn geometry(m: &mut Mods) -> Option<TexGeometry> {
    m.pick(|name| {
        Some(match name {
            "1d" => TexGeometry::D1,
            "2d" => TexGeometry::D2,
            "3d" => TexGeometry::D3,
            "a1d" => TexGeometry::A1,
            "a2d" => TexGeometry::A2,
            "cube" => TexGeometry::Cube,
            _ => return None,
        })
    })
}

/// Decodes the forms that nvcc generates for `tex1D` and its variants. [`Op`] does not represent levels,
/// gradients, multi-sample and half results.
pub(super) fn tex(m: &mut Mods) -> Decoded {
    let Some(geometry) = geometry(m) else { return Ok(Op::Unknown) };
    if m.has("level") || m.has("grad") || m.has("base") || m.vector() != 4 {
        return Ok(Op::Unknown);
    }
    let ty = m.ty(|_| true)?;
    let coordinates = m.ty(|_| true)?;
    if !matches!(ty, U32 | S32 | F32) || !matches!(coordinates, S32 | F32) {
        return Ok(Op::Unknown);
    }
    Ok(Op::Tex { geometry, ty, coordinates })
}

/// Decodes the common modifiers of surface accesses; returns `None` for forms that [`Op`] does not represent.
fn surface(m: &mut Mods) -> Result<Option<Surface>, DecodeError> {
    // `.p` addresses samples and converts formats; nvcc does not generate it.
    if m.has("p") {
        return Ok(None);
    }
    m.need("b")?;
    m.skip_cache_hints();
    // Surface instructions address a cube's faces as layers.
    let geometry = geometry(m).filter(|&geometry| geometry != TexGeometry::Cube);
    let Some(geometry) = geometry else { return Err(m.missing("a geometry")) };
    let boundary = m.pick(|name| {
        Some(match name {
            "trap" => Boundary::Trap,
            "clamp" => Boundary::Clamp,
            "zero" => Boundary::Zero,
            _ => return None,
        })
    });
    let vector = m.vector();
    let ty = m.ty(|ty| matches!(ty, B8 | B16 | B32 | B64 | U32 | S32 | U64 | S64))?;
    if vector > 4 || u32::from(vector) * ty.bits() > 128 {
        return Err(m.error(format!("`{}` moves more than 16 bytes", m.spelled())));
    }
    Ok(Some(Surface { geometry, ty, vector, boundary: boundary.unwrap_or(Boundary::Trap) }))
}

pub(super) fn suld(m: &mut Mods) -> Decoded {
    Ok(surface(m)?.map_or(Op::Unknown, Op::Suld))
}

pub(super) fn sust(m: &mut Mods) -> Decoded {
    Ok(surface(m)?.map_or(Op::Unknown, Op::Sust))
}

pub(super) fn sured(m: &mut Mods) -> Decoded {
    let op = m.pick(|name| {
        Some(match name {
            "add" => Rmw::Add,
            "min" => Rmw::Min,
            "max" => Rmw::Max,
            "and" => Rmw::And,
            "or" => Rmw::Or,
            _ => return None,
        })
    });
    let Some(op) = op else { return Err(m.missing("an operation")) };
    let Some(surface) = surface(m)? else { return Ok(Op::Unknown) };
    if surface.vector != 1 || surface.ty.bits() < 32 {
        return Err(m.bad_type(surface.ty));
    }
    Ok(Op::Sured { op, surface })
}

pub(super) fn suq(m: &mut Mods) -> Decoded {
    let query = m.pick(|name| {
        Some(match name {
            "width" => SurfaceQuery::Width,
            "height" => SurfaceQuery::Height,
            "depth" => SurfaceQuery::Depth,
            "array_size" => SurfaceQuery::ArraySize,
            "memory_layout" => SurfaceQuery::MemoryLayout,
            _ => return None,
        })
    });
    let Some(query) = query else { return Ok(Op::Unknown) };
    m.ty(|ty| ty == B32)?;
    Ok(Op::Suq { query })
}
