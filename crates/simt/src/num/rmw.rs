//! The values of `atom`, `red` and `redux` (PTX §9.7.13.5 to §9.7.13.15).

use super::fp::{F32, F64, Mode};
use super::half::Half;
use super::int::{self, IntTy};
use super::single::MinMax;
use super::{double, packed, single};
use ptx::ast::ScalarType;
use ptx::op::{ReduxOp, Rmw};

/// Returns the new value of a location that contained `old`.
///
/// `b` is the operand, for `cas` the value compared with, and `c` is `cas`'s new value. Vector forms
/// (`.v2.f32`, …) are applied element by element. `global` tells that the location is in global memory, where
/// `add.f32` flushes subnormals, unlike in shared memory (§9.7.13.5), and where `add.f64` does not change
/// NaNs. Returns `None` if the operation does not exist for the type.
pub fn apply(op: Rmw, ty: ScalarType, old: u64, b: u64, c: u64, global: bool) -> Option<u64> {
    if let Some((half, is_packed)) = Half::of(ty) {
        return half_op(op, half, is_packed, old, b, c);
    }
    Some(match (op, ty) {
        (Rmw::Exch, _) => b,
        (Rmw::Cas, _) => {
            if old == b {
                c
            } else {
                old
            }
        }
        (Rmw::Add, ScalarType::F32) => add_single(old as u32, b as u32, global).into(),
        (Rmw::Add, ScalarType::F64) if global && F64.is_nan(b) => b,
        (Rmw::Add, ScalarType::F64) if global && F64.is_nan(old) => old,
        (Rmw::Add, ScalarType::F64) => double::add(b, old, super::fp::Round::Nearest),
        _ => int_op(op, IntTy::of(ty)?, old, b)?,
    })
}

/// Computes `add.f32` for [`apply`].
#[inline(always)]
pub(crate) fn add_single(old: u32, b: u32, flush: bool) -> u32 {
    single::add(old, b, Mode { ftz: flush, ..Mode::RN })
}

fn int_op(op: Rmw, ty: IntTy, old: u64, b: u64) -> Option<u64> {
    Some(match op {
        Rmw::And => old & b,
        Rmw::Or => old | b,
        Rmw::Xor => old ^ b,
        Rmw::Add => int::add(ty, old, b, false),
        Rmw::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        Rmw::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
        Rmw::Min => int::min(ty, old, b, false),
        Rmw::Max => int::max(ty, old, b, false),
        Rmw::Exch | Rmw::Cas => return None,
    })
}

fn half_op(op: Rmw, half: Half, is_packed: bool, old: u64, b: u64, c: u64) -> Option<u64> {
    let f = |x: u16, y: u16| match op {
        Rmw::Add => half.add(x, y, Mode::RN),
        Rmw::Min => half.min(x, y, MinMax::default()),
        _ => half.max(x, y, MinMax::default()),
    };
    match op {
        Rmw::Exch => Some(b),
        Rmw::Cas => Some(if old == b { c } else { old }),
        Rmw::Add | Rmw::Min | Rmw::Max if is_packed => Some(packed::x2_16(old as u32, b as u32, f).into()),
        Rmw::Add | Rmw::Min | Rmw::Max => Some(f(old as u16, b as u16).into()),
        _ => None,
    }
}

/// Computes `redux.sync` over the participating lanes' values, PTX §9.7.13.10. `abs` and `nan` belong to the
/// `f32` forms. Returns `None` without lanes or for an operation that the type does not have.
pub fn redux(
    op: ReduxOp,
    ty: ScalarType,
    abs: bool,
    nan: bool,
    values: impl IntoIterator<Item = u32>,
) -> Option<u32> {
    let how = MinMax { ftz: false, nan, xorsign_abs: false };
    let int = IntTy::of(ty);
    let mut values = values.into_iter().map(|v| if abs { v & 0x7fff_ffff } else { v });
    let first = values.next()?;
    let first = if ty == ScalarType::F32 && F32.is_nan(first.into()) { single::NAN } else { first };
    values.try_fold(first, |x, y| {
        Some(match (op, ty, int) {
            (ReduxOp::And, ..) => x & y,
            (ReduxOp::Or, ..) => x | y,
            (ReduxOp::Xor, ..) => x ^ y,
            (ReduxOp::Min, ScalarType::F32, _) => single::min(x, y, how),
            (ReduxOp::Max, ScalarType::F32, _) => single::max(x, y, how),
            (ReduxOp::Add, _, Some(_)) => x.wrapping_add(y),
            (ReduxOp::Min, _, Some(t)) => int::min(t, x.into(), y.into(), false) as u32,
            (ReduxOp::Max, _, Some(t)) => int::max(t, x.into(), y.into(), false) as u32,
            _ => return None,
        })
    })
}
