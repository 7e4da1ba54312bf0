//! Matrix instructions of a warpgroup (PTX §9.7.15.5).

use super::Decoded;
use super::matrix::{bit_op, shape, sync_aligned};
use super::mods::Mods;
use crate::ast::ScalarType::{self, *};
use crate::op::{BoolOp, Op, Wgmma};

pub(super) fn wgmma(m: &mut Mods) -> Decoded {
    let fence = m.has("fence");
    let commit = !fence && m.has("commit_group");
    let wait = !fence && !commit && m.has("wait_group");
    if fence || commit || wait {
        sync_aligned(m)?;
        return Ok(match (fence, commit) {
            (true, _) => Op::WgmmaFence,
            (_, true) => Op::WgmmaCommit,
            _ => Op::WgmmaWait,
        });
    }
    m.need("mma_async")?;
    let sparse = m.has("sp");
    sync_aligned(m)?;
    let bit_op = bit_op(m)?;
    let shape = shape(m)?;
    let satfinite = m.has("satfinite");
    let (d, a, b) = (m.ty(is_wgmma)?, m.ty(is_wgmma)?, m.ty(is_wgmma)?);
    let depth = match (a, b) {
        (F16, F16) | (Bf16, Bf16) => 16,
        (Tf32, Tf32) => 8,
        (E4m3 | E5m2, E4m3 | E5m2) | (S8 | U8, S8 | U8) => 32,
        (B1, B1) if !sparse => 256,
        _ => return Err(m.error(format!("`{}` mixes types", m.spelled()))),
    };
    let sum = match a {
        F16 | E4m3 | E5m2 => matches!(d, F16 | F32),
        Bf16 | Tf32 => d == F32,
        _ => d == S32,
    };
    // Integers: 8, 16, 24, and then multiples of 16.
    let columns = match a {
        S8 | U8 | B1 => shape.n.is_multiple_of(16) || matches!(shape.n, 8 | 24),
        _ => shape.n.is_multiple_of(8),
    };
    let depth = if sparse { 2 * depth } else { depth };
    if shape.m != 64 || shape.k != depth || !columns || !(8..=256).contains(&shape.n) || !sum {
        return Err(m.error(format!("`{}` has an impossible shape or result", m.spelled())));
    }
    if (a == B1) != (bit_op == Some(BoolOp::And)) || bit_op == Some(BoolOp::Xor) {
        return Err(m.error("single-bit products and only they take `.and.popc`"));
    }
    if satfinite && d != S32 {
        return Err(m.bad_type(d));
    }
    Ok(Op::Wgmma(Wgmma { n: shape.n, k: shape.k, d, a, b, sparse, satfinite, bit_op }))
}

fn is_wgmma(ty: ScalarType) -> bool {
    matches!(ty, F16 | Bf16 | Tf32 | F32 | S8 | U8 | B1 | S32 | E4m3 | E5m2)
}
