//! Selects row functions of half precision, and of comparisons that are rare for other types.

use super::{BIN32, Choice, TRI32, UN32, W, nearest};
use crate::alu::AluFn;
use crate::alu::half::{comparison, extreme, modifiers, select as s};
use crate::num::compare::true_value;
use crate::num::half::Half;
use crate::num::halves::Modifiers;
use crate::num::single::MinMax;
use ptx::ast::ScalarType;
use ptx::op::{Cmp, Op};

/// The selectors for `f16`, `bf16`, `f16x2` and `bf16x2`.
struct Four([fn() -> AluFn; 4]);

impl Four {
    fn of(&self, (half, packed): (Half, bool)) -> AluFn {
        self.0[usize::from(half == Half::Bf16) + 2 * usize::from(packed)]()
    }
}

/// Selects the row function of an instruction with `sources` sources.
pub(super) fn select(op: &Op, sources: usize) -> Option<Choice> {
    let with = |plain: Four, any: Four, ty, how: Modifiers, widths| {
        let ty = Half::of(ty)?;
        let f = if how == Modifiers::NONE { plain.of(ty) } else { any.of(ty) };
        Some(Choice { f, widths, x: modifiers(how) })
    };
    let sign =
        |four: Four, ty, ftz: bool| Some(Choice { f: four.of(Half::of(ty)?), widths: UN32, x: ftz.into() });
    let min_max = |ty, how: MinMax, max: bool| {
        let four = Four([s::min_max_f16, s::min_max_bf16, s::min_max_f16x2, s::min_max_bf16x2]);
        Some(Choice { f: four.of(Half::of(ty)?), widths: BIN32, x: extreme(how, max) })
    };
    match *op {
        Op::Add { ty, rnd, ftz, sat } if nearest(rnd) => with(
            Four([s::add_f16, s::add_bf16, s::add_f16x2, s::add_bf16x2]),
            Four([s::add_with_f16, s::add_with_bf16, s::add_with_f16x2, s::add_with_bf16x2]),
            ty,
            Modifiers { ftz, sat, relu: false },
            BIN32,
        ),
        Op::Sub { ty, rnd, ftz, sat } if nearest(rnd) => with(
            Four([s::sub_f16, s::sub_bf16, s::sub_f16x2, s::sub_bf16x2]),
            Four([s::sub_with_f16, s::sub_with_bf16, s::sub_with_f16x2, s::sub_with_bf16x2]),
            ty,
            Modifiers { ftz, sat, relu: false },
            BIN32,
        ),
        Op::Mul { ty, rnd, ftz, sat, .. } if nearest(rnd) => with(
            Four([s::mul_f16, s::mul_bf16, s::mul_f16x2, s::mul_bf16x2]),
            Four([s::mul_with_f16, s::mul_with_bf16, s::mul_with_f16x2, s::mul_with_bf16x2]),
            ty,
            Modifiers { ftz, sat, relu: false },
            BIN32,
        ),
        Op::Mad { ty, rnd, ftz, sat, relu, .. } if nearest(rnd) => with(
            Four([s::fma_f16, s::fma_bf16, s::fma_f16x2, s::fma_bf16x2]),
            Four([s::fma_with_f16, s::fma_with_bf16, s::fma_with_f16x2, s::fma_with_bf16x2]),
            ty,
            Modifiers { ftz, sat, relu },
            TRI32,
        ),
        Op::Abs { ty, ftz } => sign(Four([s::abs_f16, s::abs_bf16, s::abs_f16x2, s::abs_bf16x2]), ty, ftz),
        Op::Neg { ty, ftz } => sign(Four([s::neg_f16, s::neg_bf16, s::neg_f16x2, s::neg_bf16x2]), ty, ftz),
        Op::Min { ty, ftz, nan, xorsign_abs, relu: false } if sources < 3 => {
            min_max(ty, MinMax { ftz, nan, xorsign_abs }, false)
        }
        Op::Max { ty, ftz, nan, xorsign_abs, relu: false } if sources < 3 => {
            min_max(ty, MinMax { ftz, nan, xorsign_abs }, true)
        }
        Op::Setp { cmp, combine: None, ty, ftz } if Half::of(ty).is_some() => compare(cmp, ty, ftz),
        Op::Set { cmp, combine: None, dst, src, ftz } => set(cmp, dst, src, ftz),
        _ => None,
    }
}

/// Selects the function of a `setp` of one pair of numbers, for any comparison.
pub(super) fn compare(cmp: Cmp, ty: ScalarType, ftz: bool) -> Option<Choice> {
    let narrow: &[W] = &[W::P, W::W32, W::W32];
    let (f, widths): (_, &[W]) = match ty {
        ScalarType::F16 => (s::compare_f16(), narrow),
        ScalarType::Bf16 => (s::compare_bf16(), narrow),
        ScalarType::F32 => (s::compare_single(), narrow),
        ScalarType::F64 => (s::compare_double(), &[W::P, W::W64, W::W64]),
        _ => return None,
    };
    Some(Choice { f, widths, x: comparison(cmp, ftz) })
}

/// Selects the function of a `set` with a result of 16 bits or of two times 16 bits.
fn set(cmp: Cmp, dst: ScalarType, src: ScalarType, ftz: bool) -> Option<Choice> {
    let ty = Half::of(src)?;
    let one = match dst {
        ScalarType::F16 | ScalarType::F16x2 => ScalarType::F16,
        ScalarType::Bf16 | ScalarType::Bf16x2 => ScalarType::Bf16,
        ScalarType::U16 | ScalarType::S16 => ScalarType::U16,
        ScalarType::U32 | ScalarType::S32 if ty.1 => ScalarType::U16,
        _ => return None,
    };
    let value = true_value(one)? as u32;
    let f = Four([s::set_f16, s::set_bf16, s::set_f16x2, s::set_bf16x2]).of(ty);
    Some(Choice { f, widths: BIN32, x: comparison(cmp, ftz) | value << 16 })
}
