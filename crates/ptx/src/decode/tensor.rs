//! Tensor copies and tensor maps (PTX §9.7.9.25.5, §9.7.9.26).

use super::Decoded;
use super::memory::reduction;
use super::mods::Mods;
use crate::ast::ScalarType::{B32, B64};
use crate::op::{MemSpace, Op, Scope, Sem, TensorCopy, TensorMode, TensorWay, TensormapField};

/// Decodes the rest of `cp{.reduce}.async.bulk…tensor`.
pub(super) fn copy(m: &mut Mods, reduce: bool) -> Decoded {
    // [`Op`] does not represent the stores along W of PTX 9.4.
    if m.pick(|name| name.starts_with("im2col_no_offs::").then_some(())).is_some() {
        return Ok(Op::Unknown);
    }
    let group = m.pick(|name| match name {
        "cta_group::1" => Some(false),
        "cta_group::2" => Some(true),
        _ => None,
    });
    let rows = m.pick(|name| match name {
        "tile::gather4" => Some(false),
        "tile::scatter4" => Some(true),
        _ => None,
    });
    let dim = m.pick(|name| match name {
        "1d" => Some(1),
        "2d" => Some(2),
        "3d" => Some(3),
        "4d" => Some(4),
        "5d" => Some(5),
        _ => None,
    });
    let Some(dim) = dim else { return Err(m.missing("`.1d` to `.5d`")) };
    let pixels = m.pick(|name| match name {
        "im2col" | "im2col_no_offs" => Some(TensorMode::Im2col),
        "im2col::w" => Some(TensorMode::W),
        "im2col::w::128" => Some(TensorMode::W128),
        _ => None,
    });
    if pixels.is_some() && dim < 3 {
        return Err(m.error("`.im2col` takes tensors of three to five dimensions"));
    }
    if rows.is_some() && (dim != 2 || pixels.is_some()) {
        return Err(m.error("`.tile::gather4` and `.tile::scatter4` take tensors of two dimensions"));
    }
    m.has("tile");
    let cache_hint = m.has("L2::cache_hint");
    if m.has("prefetch") {
        m.need("L2")?;
        m.need("global")?;
        return Ok(Op::CpAsyncBulkPrefetch);
    }
    let multicast = m.has("multicast::cluster");
    let mbarrier = m.has("mbarrier::complete_tx::bytes");
    if !mbarrier && !m.has("bulk_group") {
        return Err(m.missing("`.mbarrier::complete_tx::bytes` or `.bulk_group`"));
    }
    let op = if reduce { Some(reduction(m)?) } else { None };
    let way = match (m.space(), m.space()) {
        (Some(dst @ (MemSpace::SharedCta | MemSpace::SharedCluster)), Some(MemSpace::Global))
            if mbarrier && !reduce =>
        {
            TensorWay::Load { dst, multicast, pair: group == Some(true) }
        }
        (Some(MemSpace::Global), Some(MemSpace::SharedCta)) if !mbarrier && !multicast && group.is_none() => {
            TensorWay::Store
        }
        _ => {
            return Err(m.error(format!("`{}` names an impossible direction or completion", m.spelled())));
        }
    };
    if rows.is_some_and(|scatter| scatter != (way == TensorWay::Store) || reduce) {
        return Err(m.error(format!("`{}` names an impossible direction or completion", m.spelled())));
    }
    let along_w = matches!(pixels, Some(TensorMode::W | TensorMode::W128));
    if along_w && way == TensorWay::Store {
        return Err(m.error("tensor copies along W load"));
    }
    let mode = pixels.unwrap_or(if rows.is_some() { TensorMode::Rows } else { TensorMode::Tile });
    Ok(Op::Tensor(TensorCopy { dim, way, mode, op, cache_hint }))
}

pub(super) fn tensormap(m: &mut Mods) -> Decoded {
    if m.has("cp_fenceproxy") {
        m.need("global")?;
        m.need("shared::cta")?;
        m.need("tensormap::generic")?;
        m.need("release")?;
        let scope = m.scope().unwrap_or(Scope::Sys);
        m.need("sync")?;
        m.need("aligned")?;
        return Ok(Op::TensormapCopy { sem: Sem::Release, scope });
    }
    m.need("replace")?;
    m.need("tile")?;
    let field = m.pick(|name| {
        Some(match name {
            "global_address" => TensormapField::GlobalAddress,
            "rank" => TensormapField::Rank,
            "box_dim" => TensormapField::BoxDim,
            "global_dim" => TensormapField::GlobalDim,
            "global_stride" => TensormapField::GlobalStride,
            "element_stride" => TensormapField::ElementStride,
            "elemtype" => TensormapField::ElementType,
            "interleave_layout" => TensormapField::Interleave,
            "swizzle_mode" => TensormapField::Swizzle,
            "swizzle_atomicity" => TensormapField::SwizzleAtomicity,
            "fill_mode" => TensormapField::Fill,
            _ => return None,
        })
    });
    let Some(field) = field else { return Err(m.missing("a field")) };
    let space = match m.space().unwrap_or(MemSpace::Generic) {
        space @ (MemSpace::Generic | MemSpace::Global | MemSpace::SharedCta) => space,
        _ => return Err(m.error("a tensor map is in global or shared memory")),
    };
    m.need("b1024")?;
    let wide = if field.is_wide() { B64 } else { B32 };
    m.ty(|ty| ty == wide)?;
    Ok(Op::TensormapReplace { field, space })
}
