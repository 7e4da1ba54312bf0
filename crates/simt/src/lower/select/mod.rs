//! Selects the row function that computes an instruction, if there is one.
//!
//! All other instructions use `num::eval`, lane by lane: this table affects only speed.

pub(super) mod convert;
mod half;
#[cfg(test)]
mod tests;

use crate::alu::{AluFn, and_pred, direction, not_pred, or_pred, select as s, xor_pred};
use crate::num::fp::Round;
use ptx::ast::ScalarType::{self, *};
use ptx::op::{Cmp, MulPart, Op, Precision, Rounding, VideoOp, VideoSimd};

/// Widths of a function's operands, destination first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum W {
    W32,
    W64,
    P,
}
use W::{P, W32, W64};

pub(in crate::lower) struct Choice {
    pub f: AluFn,
    pub widths: &'static [W],
    pub x: u32,
}

fn choice(f: AluFn, widths: &'static [W]) -> Option<Choice> {
    Some(Choice { f, widths, x: 0 })
}

const UN32: &[W] = &[W32, W32];
const UN64: &[W] = &[W64, W64];
const BIN32: &[W] = &[W32, W32, W32];
const BIN64: &[W] = &[W64, W64, W64];
const TRI32: &[W] = &[W32, W32, W32, W32];
const TRI64: &[W] = &[W64, W64, W64, W64];
const PREDS: &[W] = &[P, P, P];
const SHIFT64: &[W] = &[W64, W64, W32];

fn nearest(rnd: Option<Rounding>) -> bool {
    matches!(rnd, None | Some(Rounding::Nearest))
}

/// Selects a function that rounds in a direction other than to nearest.
fn toward(f: AluFn, widths: &'static [W], rnd: Option<Rounding>, ftz: bool) -> Option<Choice> {
    let rnd = rnd.and_then(Round::of)?;
    matches!(rnd, Round::Zero | Round::Down | Round::Up).then(|| Choice { f, widths, x: direction(rnd, ftz) })
}

/// Selects a function of the multi-function unit.
fn unit(f: AluFn, widths: &'static [W], ftz: bool) -> Option<Choice> {
    Some(Choice { f, widths, x: direction(Round::Nearest, ftz) })
}

/// Selects the row function of an instruction. `small` holds the immediate values, if any, of the second and
/// later operands.
pub(in crate::lower) fn select(op: &Op, small: &[Option<u64>]) -> Option<Choice> {
    if let Some(choice) = half::select(op, small.len()) {
        return Some(choice);
    }
    match *op {
        Op::Add { ty, rnd, ftz, sat } if nearest(rnd) => match (ty, ftz, sat) {
            (F32, false, false) => choice(s::add_f32(), BIN32),
            (F32, true, false) => choice(s::add_ftz_f32(), BIN32),
            (F32, false, true) => choice(s::add_sat_f32(), BIN32),
            (F64, ..) => choice(s::add_f64(), BIN64),
            (U32 | S32 | B32, _, false) => choice(s::add32(), BIN32),
            (U64 | S64 | B64, _, false) => choice(s::add64(), BIN64),
            (U16 | S16 | B16, _, false) => choice(s::add16(), BIN32),
            _ => None,
        },
        Op::Sub { ty, rnd, ftz, sat } if nearest(rnd) => match (ty, ftz, sat) {
            (F32, false, false) => choice(s::sub_f32(), BIN32),
            (F32, true, false) => choice(s::sub_ftz_f32(), BIN32),
            (F64, ..) => choice(s::sub_f64(), BIN64),
            (U32 | S32 | B32, _, false) => choice(s::sub32(), BIN32),
            (U64 | S64 | B64, _, false) => choice(s::sub64(), BIN64),
            (U16 | S16 | B16, _, false) => choice(s::sub16(), BIN32),
            _ => None,
        },
        Op::Mul { ty, part, rnd, ftz, sat } if nearest(rnd) => match (ty, part, ftz, sat) {
            (F32, _, false, false) => choice(s::mul_f32(), BIN32),
            (F32, _, true, false) => choice(s::mul_ftz_f32(), BIN32),
            (F32, _, false, true) => choice(s::mul_sat_f32(), BIN32),
            (F64, ..) => choice(s::mul_f64(), BIN64),
            (U32 | S32 | B32, Some(MulPart::Lo), ..) => choice(s::mul32(), BIN32),
            (U64 | S64 | B64, Some(MulPart::Lo), ..) => choice(s::mul64(), BIN64),
            (U16 | S16 | B16, Some(MulPart::Lo), ..) => choice(s::mul16(), BIN32),
            (U32, Some(MulPart::Hi), ..) => choice(s::mulhi_u32(), BIN32),
            (S32, Some(MulPart::Hi), ..) => choice(s::mulhi_s32(), BIN32),
            (U64, Some(MulPart::Hi), ..) => choice(s::mulhi_u64(), BIN64),
            (S64, Some(MulPart::Hi), ..) => choice(s::mulhi_s64(), BIN64),
            (U32, Some(MulPart::Wide), ..) => choice(s::mulwide_u32(), &[W64, W32, W32]),
            (S32, Some(MulPart::Wide), ..) => choice(s::mulwide_s32(), &[W64, W32, W32]),
            (U16, Some(MulPart::Wide), ..) => choice(s::mulwide_u16(), BIN32),
            (S16, Some(MulPart::Wide), ..) => choice(s::mulwide_s16(), BIN32),
            _ => None,
        },
        Op::Mad { ty, part, rnd, ftz, sat, relu: false } if nearest(rnd) => match (ty, part, ftz, sat) {
            (F32, _, false, false) => choice(s::fma_f32(), TRI32),
            (F32, _, true, false) => choice(s::fma_ftz_f32(), TRI32),
            (F32, _, false, true) => choice(s::fma_sat_f32(), TRI32),
            (F64, ..) => choice(s::fma_f64(), TRI64),
            (U32 | S32, Some(MulPart::Lo), _, false) => choice(s::mad32(), TRI32),
            (U64 | S64, Some(MulPart::Lo), _, false) => choice(s::mad64(), TRI64),
            (U16 | S16, Some(MulPart::Lo), _, false) => choice(s::mad16(), TRI32),
            (U32, Some(MulPart::Wide), ..) => choice(s::madwide_u32(), &[W64, W32, W32, W64]),
            (S32, Some(MulPart::Wide), ..) => choice(s::madwide_s32(), &[W64, W32, W32, W64]),
            _ => None,
        },
        Op::Div { ty, precision, ftz } => match (ty, precision, ftz) {
            (F32, Some(Precision::Ieee(Rounding::Nearest)), false) => choice(s::div_f32(), BIN32),
            (F64, Some(Precision::Ieee(Rounding::Nearest)), _) => choice(s::div_f64(), BIN64),
            (F64, Some(Precision::Ieee(rnd)), _) => toward(s::div_to_f64(), BIN64, Some(rnd), false),
            (F32, Some(Precision::Approx), _) => unit(s::div_approx(), BIN32, ftz),
            (F32, Some(Precision::Full), _) => unit(s::div_full(), BIN32, ftz),
            (U32, ..) => choice(s::div_u32(), BIN32),
            (U16, ..) => choice(s::div_u16(), BIN32),
            (S32, ..) => choice(s::div_s32(), BIN32),
            (U64, ..) => choice(s::div_u64(), BIN64),
            (S64, ..) => choice(s::div_s64(), BIN64),
            _ => None,
        },
        Op::Add { ty, rnd, ftz, sat: false } => match ty {
            F32 => toward(s::add_to_f32(), BIN32, rnd, ftz),
            F64 => toward(s::add_to_f64(), BIN64, rnd, false),
            _ => None,
        },
        Op::Sub { ty, rnd, ftz, sat: false } => match ty {
            F32 => toward(s::sub_to_f32(), BIN32, rnd, ftz),
            F64 => toward(s::sub_to_f64(), BIN64, rnd, false),
            _ => None,
        },
        Op::Mul { ty, rnd, ftz, sat: false, .. } => match ty {
            F32 => toward(s::mul_to_f32(), BIN32, rnd, ftz),
            F64 => toward(s::mul_to_f64(), BIN64, rnd, false),
            _ => None,
        },
        Op::Mad { ty, rnd, ftz, sat: false, relu: false, .. } => match ty {
            F32 => toward(s::fma_to_f32(), TRI32, rnd, ftz),
            F64 => toward(s::fma_to_f64(), TRI64, rnd, false),
            _ => None,
        },
        Op::Rcp { ty: F64, precision: Precision::Ieee(rnd), .. } if !nearest(Some(rnd)) => {
            toward(s::rcp_to_f64(), UN64, Some(rnd), false)
        }
        Op::Sqrt { ty: F64, precision: Precision::Ieee(rnd), .. } if !nearest(Some(rnd)) => {
            toward(s::sqrt_to_f64(), UN64, Some(rnd), false)
        }
        Op::Rcp { ty: F32, precision: Precision::Approx, ftz } => unit(s::rcp_approx(), UN32, ftz),
        Op::Sqrt { ty: F32, precision: Precision::Approx, ftz } => unit(s::sqrt_approx(), UN32, ftz),
        Op::Rsqrt { ty: F32, ftz } => unit(s::rsqrt_approx(), UN32, ftz),
        Op::Sin { ftz } => unit(s::sin_approx(), UN32, ftz),
        Op::Cos { ftz } => unit(s::cos_approx(), UN32, ftz),
        Op::Lg2 { ftz } => unit(s::lg2_approx(), UN32, ftz),
        Op::Ex2 { ty: F32, ftz } => unit(s::ex2_approx(), UN32, ftz),
        Op::Rem { ty } => match ty {
            U32 => choice(s::rem_u32(), BIN32),
            U16 => choice(s::rem_u16(), BIN32),
            S32 => choice(s::rem_s32(), BIN32),
            U64 => choice(s::rem_u64(), BIN64),
            S64 => choice(s::rem_s64(), BIN64),
            _ => None,
        },
        Op::Rcp { ty, precision: Precision::Ieee(Rounding::Nearest), ftz: false } => match ty {
            F32 => choice(s::rcp_f32(), UN32),
            F64 => choice(s::rcp_f64(), UN64),
            _ => None,
        },
        Op::Sqrt { ty, precision: Precision::Ieee(Rounding::Nearest), ftz: false } => match ty {
            F32 => choice(s::sqrt_f32(), UN32),
            F64 => choice(s::sqrt_f64(), UN64),
            _ => None,
        },
        Op::Abs { ty, ftz } => match (ty, ftz) {
            (F32, false) => choice(s::abs_f32(), UN32),
            (F32, true) => choice(s::abs_ftz_f32(), UN32),
            (F64, _) => choice(s::abs_f64(), UN64),
            (S32, _) => choice(s::abs_s32(), UN32),
            (S64, _) => choice(s::abs_s64(), UN64),
            _ => None,
        },
        Op::Neg { ty, ftz } => match (ty, ftz) {
            (F32, false) => choice(s::neg_f32(), UN32),
            (F32, true) => choice(s::neg_ftz_f32(), UN32),
            (F64, _) => choice(s::neg_f64(), UN64),
            (S32, _) => choice(s::neg_s32(), UN32),
            (S64, _) => choice(s::neg_s64(), UN64),
            _ => None,
        },
        Op::Min { ty, ftz, nan: false, xorsign_abs: false, relu: false } if small.len() < 3 => {
            match (ty, ftz) {
                (F32, false) => choice(s::min_f32(), BIN32),
                (F32, true) => choice(s::min_ftz_f32(), BIN32),
                (F64, _) => choice(s::min_f64(), BIN64),
                (U32, _) => choice(s::min_u32(), BIN32),
                (S32, _) => choice(s::min_s32(), BIN32),
                (U64, _) => choice(s::min_u64(), BIN64),
                (S64, _) => choice(s::min_s64(), BIN64),
                _ => None,
            }
        }
        Op::Max { ty, ftz, nan: false, xorsign_abs: false, relu: false } if small.len() < 3 => {
            match (ty, ftz) {
                (F32, false) => choice(s::max_f32(), BIN32),
                (F32, true) => choice(s::max_ftz_f32(), BIN32),
                (F64, _) => choice(s::max_f64(), BIN64),
                (U32, _) => choice(s::max_u32(), BIN32),
                (S32, _) => choice(s::max_s32(), BIN32),
                (U64, _) => choice(s::max_u64(), BIN64),
                (S64, _) => choice(s::max_s64(), BIN64),
                _ => None,
            }
        }
        Op::And { ty } => match ty {
            Pred => choice(and_pred, PREDS),
            _ => logic(ty, s::and32(), s::and64()),
        },
        Op::Or { ty } => match ty {
            Pred => choice(or_pred, PREDS),
            _ => logic(ty, s::or32(), s::or64()),
        },
        Op::Xor { ty } => match ty {
            Pred => choice(xor_pred, PREDS),
            _ => logic(ty, s::xor32(), s::xor64()),
        },
        Op::Not { ty } => match ty.bits() {
            32 => choice(s::not32(), UN32),
            64 => choice(s::not64(), UN64),
            16 => choice(s::not16(), UN32),
            1 => choice(not_pred, &[P, P]),
            _ => None,
        },
        Op::Shl { ty } => match ty.bits() {
            16 => choice(s::shl_b16(), BIN32),
            32 => choice(s::shl_b32(), BIN32),
            64 => choice(s::shl_b64(), SHIFT64),
            _ => None,
        },
        Op::Shr { ty } => match (ty.bits(), ty.is_signed()) {
            (16, false) => choice(s::shr_u16(), BIN32),
            (16, true) => choice(s::shr_s16(), BIN32),
            (32, false) => choice(s::shr_u32(), BIN32),
            (32, true) => choice(s::shr_s32(), BIN32),
            (64, false) => choice(s::shr_u64(), SHIFT64),
            (64, true) => choice(s::shr_s64(), SHIFT64),
            _ => None,
        },
        Op::Shf { left, wrap } => match (left, wrap) {
            (true, true) => choice(s::shf_l_wrap(), TRI32),
            (true, false) => choice(s::shf_l_clamp(), TRI32),
            (false, true) => choice(s::shf_r_wrap(), TRI32),
            (false, false) => choice(s::shf_r_clamp(), TRI32),
        },
        Op::Lop3 { combine: None } => {
            let table = (*small.get(3)?)?;
            Some(Choice { f: s::lop3(), widths: TRI32, x: table as u32 & 0xff })
        }
        Op::Bfind { ty: ty @ (U32 | S32), shiftamt } => {
            let x = u32::from(ty == S32) | u32::from(shiftamt) << 1;
            Some(Choice { f: s::bfind32(), widths: UN32, x })
        }
        Op::Popc { ty } if ty.bits() == 32 => choice(s::popc32(), UN32),
        Op::Popc { ty } if ty.bits() == 64 => choice(s::popc64(), &[W32, W64]),
        Op::Clz { ty } if ty.bits() == 32 => choice(s::clz32(), UN32),
        Op::Clz { ty } if ty.bits() == 64 => choice(s::clz64(), &[W32, W64]),
        Op::Brev { ty } if ty.bits() == 32 => choice(s::brev32(), UN32),
        Op::Bfe { ty: ty @ (U32 | S32) } => {
            let x = field(*small.get(1)?, *small.get(2)?)?;
            Some(Choice { f: if ty == U32 { s::bfe_u32() } else { s::bfe_s32() }, widths: UN32, x })
        }
        Op::Bfi { ty: B32 } => {
            let x = field(*small.get(2)?, *small.get(3)?)?;
            Some(Choice { f: s::bfi_b32(), widths: BIN32, x })
        }
        Op::Prmt { mode: ptx::op::PrmtMode::Index } => choice(s::prmt(), TRI32),
        // The building block of sums of absolute differences.
        Op::VideoSimd(VideoSimd {
            op: VideoOp::AbsDiff,
            lanes: 4,
            a: U32,
            b: U32,
            accumulate: true,
            mask: 0b1111,
            a_select: 0x3210,
            b_select: 0x7654,
            ..
        }) => choice(s::vabsdiff4_add(), TRI32),
        Op::Selp { ty } => match ty.bits() {
            64 => choice(s::selp64(), &[W64, W64, W64, P]),
            16 | 32 => choice(s::selp32(), &[W32, W32, W32, P]),
            _ => None,
        },
        Op::Setp { cmp, combine: None, ty, ftz } => compare(cmp, ty, ftz),
        _ => None,
    }
}

fn logic(ty: ScalarType, narrow: AluFn, wide: AluFn) -> Option<Choice> {
    match ty.bits() {
        16 | 32 => choice(narrow, BIN32),
        64 => choice(wide, BIN64),
        _ => None,
    }
}

/// Encodes position and length of a bit field if both are constant and the field lies inside the word.
fn field(position: Option<u64>, length: Option<u64>) -> Option<u32> {
    let (p, l) = (position? & 0xff, length? & 0xff);
    ((1..32).contains(&l) && p + l <= 32).then_some((p | l << 8) as u32)
}

fn compare(cmp: Cmp, ty: ScalarType, ftz: bool) -> Option<Choice> {
    let f: AluFn = match (ty, cmp) {
        (B32 | U32 | S32, Cmp::Eq) => s::eq_32(),
        (B32 | U32 | S32, Cmp::Ne) => s::ne_32(),
        (U32 | B32, Cmp::Lt | Cmp::Lo) => s::lt_u32(),
        (U32 | B32, Cmp::Le | Cmp::Ls) => s::le_u32(),
        (U32 | B32, Cmp::Gt | Cmp::Hi) => s::gt_u32(),
        (U32 | B32, Cmp::Ge | Cmp::Hs) => s::ge_u32(),
        (S32, Cmp::Lt) => s::lt_s32(),
        (S32, Cmp::Le) => s::le_s32(),
        (S32, Cmp::Gt) => s::gt_s32(),
        (S32, Cmp::Ge) => s::ge_s32(),
        (B64 | U64 | S64, Cmp::Eq) => s::eq_64(),
        (B64 | U64 | S64, Cmp::Ne) => s::ne_64(),
        (U64, Cmp::Lt | Cmp::Lo) => s::lt_u64(),
        (U64, Cmp::Le | Cmp::Ls) => s::le_u64(),
        (U64, Cmp::Gt | Cmp::Hi) => s::gt_u64(),
        (U64, Cmp::Ge | Cmp::Hs) => s::ge_u64(),
        (S64, Cmp::Lt) => s::lt_s64(),
        (S64, Cmp::Le) => s::le_s64(),
        (S64, Cmp::Gt) => s::gt_s64(),
        (S64, Cmp::Ge) => s::ge_s64(),
        (B16 | U16 | S16, Cmp::Eq) => s::eq_16(),
        (B16 | U16 | S16, Cmp::Ne) => s::ne_16(),
        (S16, Cmp::Lt) => s::lt_s16(),
        (S16, Cmp::Le) => s::le_s16(),
        (S16, Cmp::Gt) => s::gt_s16(),
        (S16, Cmp::Ge) => s::ge_s16(),
        (F32, Cmp::Lt) if ftz => s::lt_ftz_f32(),
        (F32, Cmp::Le) if ftz => s::le_ftz_f32(),
        (F32, Cmp::Gt) if ftz => s::gt_ftz_f32(),
        (F32, Cmp::Ge) if ftz => s::ge_ftz_f32(),
        (F32, _) if ftz => return half::compare(cmp, ty, ftz),
        (F32, Cmp::Eq) => s::eq_f32(),
        (F32, Cmp::Ne) => s::ne_f32(),
        (F32, Cmp::Neu) => s::neu_f32(),
        (F32, Cmp::Lt) => s::lt_f32(),
        (F32, Cmp::Le) => s::le_f32(),
        (F32, Cmp::Gt) => s::gt_f32(),
        (F32, Cmp::Ge) => s::ge_f32(),
        (F64, Cmp::Eq) => s::eq_f64(),
        (F64, Cmp::Ne) => s::ne_f64(),
        (F64, Cmp::Neu) => s::neu_f64(),
        (F64, Cmp::Lt) => s::lt_f64(),
        (F64, Cmp::Le) => s::le_f64(),
        (F64, Cmp::Gt) => s::gt_f64(),
        (F64, Cmp::Ge) => s::ge_f64(),
        _ => return half::compare(cmp, ty, ftz),
    };
    choice(f, if ty.bits() == 64 { &[P, W64, W64] } else { &[P, W32, W32] })
}
