//! Instructions of fifth-generation tensor cores and of tensor memory (PTX §9.7.17).

use super::mods::Mods;
use super::{DecodeError, Decoded};
use crate::ast::ScalarType::{B32, B64, F32, S32, U32};
use crate::op::{
    MemSpace, Op, Tcgen05, TensorCopyShape, TensorFormat, TensorKind, TensorProduct, TensorReduction,
    TensorScaling, TensorShape, TensorTile,
};

pub(super) fn tcgen05(m: &mut Mods) -> Decoded {
    const NAMES: [&str; 12] = [
        "alloc",
        "dealloc",
        "relinquish_alloc_permit",
        "ld",
        "st",
        "wait::ld",
        "wait::st",
        "cp",
        "shift",
        "mma",
        "commit",
        "fence::before_thread_sync",
    ];
    if m.has("fence::after_thread_sync") {
        return Ok(Op::Tcgen05(Tcgen05::Fence { after: true }));
    }
    let name = m.pick(|name| NAMES.into_iter().find(|known| *known == name));
    let op = match name {
        Some("alloc") => {
            let pair = pair(m)?;
            sync_aligned(m)?;
            let space = m.space().unwrap_or(MemSpace::Generic);
            m.ty(|ty| ty == B32)?;
            Tcgen05::Alloc { pair, space }
        }
        Some("dealloc") => {
            let pair = pair(m)?;
            sync_aligned(m)?;
            m.ty(|ty| ty == B32)?;
            Tcgen05::Dealloc { pair }
        }
        Some("relinquish_alloc_permit") => {
            let pair = pair(m)?;
            sync_aligned(m)?;
            Tcgen05::Relinquish { pair }
        }
        Some("ld") => load(m)?,
        Some("st") => {
            sync_aligned(m)?;
            let tile = tile(m, "unpack::16b")?;
            m.ty(|ty| ty == B32)?;
            Tcgen05::Store { tile }
        }
        Some(wait @ ("wait::ld" | "wait::st")) => {
            sync_aligned(m)?;
            Tcgen05::Wait { stores: wait == "wait::st" }
        }
        Some("cp") => copy(m)?,
        Some("shift") => {
            m.need("down")?;
            Tcgen05::Shift { pair: pair(m)? }
        }
        Some("mma") => Tcgen05::Product(product(m)?),
        Some("commit") => {
            let pair = pair(m)?;
            m.need("mbarrier::arrive::one")?;
            let multicast = m.has("multicast::cluster");
            let space = m.space().unwrap_or(MemSpace::Generic);
            m.ty(|ty| ty == B64)?;
            Tcgen05::Commit { pair, space, multicast }
        }
        Some(_) => Tcgen05::Fence { after: false },
        // A newer instruction of the family.
        None => return Ok(Op::Unknown),
    };
    Ok(Op::Tcgen05(op))
}

fn sync_aligned(m: &mut Mods) -> Result<(), DecodeError> {
    m.need("sync")?;
    m.need("aligned")
}

fn pair(m: &mut Mods) -> Result<bool, DecodeError> {
    let group = m.pick(|name| match name {
        "cta_group::1" => Some(false),
        "cta_group::2" => Some(true),
        _ => None,
    });
    group.ok_or_else(|| m.missing("`.cta_group::1` or `.cta_group::2`"))
}

fn tile(m: &mut Mods, packing: &str) -> Result<TensorTile, DecodeError> {
    let shape = m.pick(|name| {
        Some(match name {
            "32x32b" => TensorShape::L32b32,
            "16x64b" => TensorShape::L16b64,
            "16x128b" => TensorShape::L16b128,
            "16x256b" => TensorShape::L16b256,
            "16x32bx2" => TensorShape::L16b32x2,
            _ => return None,
        })
    });
    let Some(shape) = shape else { return Err(m.missing("a shape")) };
    let count = m.pick(|name| {
        let count: u8 = name.strip_prefix('x')?.parse().ok()?;
        count.is_power_of_two().then_some(count)
    });
    let Some(count) = count else { return Err(m.missing("`.x1` to `.x128`")) };
    let tile = TensorTile { shape, count, packed: m.has(packing) };
    if tile.registers() > 128 {
        return Err(m.error(format!("`{}` has more than 128 registers", m.spelled())));
    }
    Ok(tile)
}

fn load(m: &mut Mods) -> Result<Tcgen05, DecodeError> {
    let reduces = m.has("red");
    sync_aligned(m)?;
    let tile = tile(m, "pack::16b")?;
    if !reduces {
        m.ty(|ty| ty == B32)?;
        return Ok(Tcgen05::Load { tile, reduction: None });
    }
    let (max, min) = (m.has("max"), m.has("min"));
    if max == min {
        return Err(m.missing("`.min` or `.max`"));
    }
    if !matches!(tile.shape, TensorShape::L32b32 | TensorShape::L16b32x2) || tile.count < 2 || tile.packed {
        return Err(m.error(format!("`{}` reduces an impossible shape", m.spelled())));
    }
    let (abs, nan) = (m.has("abs"), m.has("NaN"));
    let ty = m.ty(|ty| ty == F32 || matches!(ty, U32 | S32) && !abs && !nan)?;
    Ok(Tcgen05::Load { tile, reduction: Some(TensorReduction { max, abs, nan, ty }) })
}

fn copy(m: &mut Mods) -> Result<Tcgen05, DecodeError> {
    let pair = pair(m)?;
    let shape = m.pick(|name| {
        ["128x256b", "4x256b", "128x128b", "64x128b", "32x128b"].into_iter().find(|shape| *shape == name)
    });
    let warps =
        m.pick(|name| ["warpx2::02_13", "warpx2::01_23", "warpx4"].into_iter().find(|warps| *warps == name));
    let shape = match (shape, warps) {
        (Some("128x256b"), None) => TensorCopyShape::L128b256,
        (Some("4x256b"), None) => TensorCopyShape::L4b256,
        (Some("128x128b"), None) => TensorCopyShape::L128b128,
        (Some("64x128b"), Some("warpx2::02_13")) => TensorCopyShape::L64b128Pairs02,
        (Some("64x128b"), Some("warpx2::01_23")) => TensorCopyShape::L64b128Pairs01,
        (Some("32x128b"), Some("warpx4")) => TensorCopyShape::L32b128,
        (None, _) => return Err(m.missing("a shape")),
        _ => return Err(m.error(format!("`{}` names an impossible shape and warps", m.spelled()))),
    };
    let to = m.has("b8x16");
    let from = m.pick(|name| match name {
        "b6x16_p32" => Some(TensorFormat::Six),
        "b4x16_p64" => Some(TensorFormat::Four),
        _ => None,
    });
    if to != from.is_some() {
        return Err(m.error(format!("`{}` names one format of two", m.spelled())));
    }
    Ok(Tcgen05::Copy { pair, shape, from })
}

fn product(m: &mut Mods) -> Result<TensorProduct, DecodeError> {
    let (stationary, sparse) = (m.has("ws"), m.has("sp"));
    let pair = pair(m)?;
    let kind = m.pick(|name| {
        Some(match name {
            "kind::f16" => TensorKind::F16,
            "kind::tf32" => TensorKind::Tf32,
            "kind::f8f6f4" => TensorKind::F8f6f4,
            "kind::i8" => TensorKind::I8,
            "kind::mxf8f6f4" => TensorKind::Mxf8f6f4,
            "kind::mxf4" => TensorKind::Mxf4,
            "kind::mxf4nvf4" => TensorKind::Mxf4nvf4,
            _ => return None,
        })
    });
    let Some(kind) = kind else { return Err(m.missing("a kind")) };
    // The block scaling of a kind that has it is implied where it is not written.
    let scales = m.has("block_scale");
    let scaling = scaling(m, kind)?;
    if (scales || scaling.is_some()) && !kind.scales() || stationary && (kind.scales() || pair) {
        return Err(m.error(format!("`{}` is an impossible combination", m.spelled())));
    }
    let shifts = m.has("ashift");
    // The matrix may be read again all the same: permissions to keep it change no result.
    let kept = m.pick(|name| name.starts_with("collector::").then(|| name.to_owned()));
    if let Some(kept) = kept {
        let (buffer, usage) = kept["collector::".len()..].split_once("::").unwrap_or_default();
        let known = match buffer {
            "a" => !stationary,
            "b0" | "b1" | "b2" | "b3" => stationary,
            _ => false,
        };
        let shifted = shifts && matches!(usage, "use" | "fill");
        if !known || !matches!(usage, "fill" | "use" | "lastuse" | "discard") || shifted {
            return Err(m.error(format!("`{}` does not take `.{kept}`", m.spelled())));
        }
    }
    Ok(TensorProduct { pair, kind, sparse, stationary, scaling, shifts })
}

/// Takes the size of the blocks that share a scale factor (tables 59 and 60).
fn scaling(m: &mut Mods, kind: TensorKind) -> Result<Option<TensorScaling>, DecodeError> {
    let written = m.pick(|name| {
        ["scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"]
            .into_iter()
            .find(|size| *size == name)
    });
    let scaling = match (kind, written) {
        (TensorKind::Mxf8f6f4, None | Some("scale_vec::1X" | "block32"))
        | (TensorKind::Mxf4, None | Some("scale_vec::2X" | "block32"))
        | (TensorKind::Mxf4nvf4, Some("scale_vec::2X" | "block32")) => Some(TensorScaling::Block32),
        (TensorKind::Mxf4nvf4, Some("scale_vec::4X" | "block16")) => Some(TensorScaling::Block16),
        (TensorKind::Mxf4nvf4, None) => return Err(m.missing("a size of scale vectors")),
        (_, None) => None,
        (_, Some(_)) => {
            return Err(m.error(format!("`{}` has an impossible size of scale vectors", m.spelled())));
        }
    };
    Ok(scaling)
}
