//! Comparisons and selection: `set`, `setp`, `slct`, `testp` (PTX §9.3.1, §9.7.7, §9.7.3).

use super::fp::{F32, F64, Format};
use super::half::Half;
use super::int::IntTy;
use ptx::ast::ScalarType;
use ptx::op::{BoolOp, Cmp, FloatTest};
use std::cmp::Ordering;

/// Returns whether `cmp` holds for an ordering; `None` is unordered (a NaN operand).
#[inline(always)]
pub fn holds(cmp: Cmp, ordering: Option<Ordering>) -> bool {
    use Ordering::*;
    let Some(o) = ordering else {
        return matches!(cmp, Cmp::Equ | Cmp::Neu | Cmp::Ltu | Cmp::Leu | Cmp::Gtu | Cmp::Geu | Cmp::Nan);
    };
    match cmp {
        Cmp::Eq | Cmp::Equ => o == Equal,
        Cmp::Ne | Cmp::Neu => o != Equal,
        Cmp::Lt | Cmp::Lo | Cmp::Ltu => o == Less,
        Cmp::Le | Cmp::Ls | Cmp::Leu => o != Greater,
        Cmp::Gt | Cmp::Hi | Cmp::Gtu => o == Greater,
        Cmp::Ge | Cmp::Hs | Cmp::Geu => o != Less,
        Cmp::Num => true,
        Cmp::Nan => false,
    }
}

#[inline(always)]
pub fn int(ty: IntTy, cmp: Cmp, a: u64, b: u64) -> bool {
    let o = if ty.signed { ty.signed_value(a).cmp(&ty.signed_value(b)) } else { ty.wrap(a).cmp(&ty.wrap(b)) };
    holds(cmp, Some(o))
}

#[inline(always)]
pub fn single(cmp: Cmp, a: u32, b: u32, ftz: bool) -> bool {
    let x = |v: u32| f32::from_bits(if ftz { super::single::flush(v) } else { v });
    holds(cmp, x(a).partial_cmp(&x(b)))
}

#[inline(always)]
pub fn double(cmp: Cmp, a: u64, b: u64) -> bool {
    holds(cmp, f64::from_bits(a).partial_cmp(&f64::from_bits(b)))
}

#[inline(always)]
pub fn half(format: Half, cmp: Cmp, a: u16, b: u16, ftz: bool) -> bool {
    let x = |v: u16| format.value(if ftz { format.format().flush(v.into()) as u16 } else { v });
    holds(cmp, x(a).partial_cmp(&x(b)))
}

/// Compares two values of any unpacked type; `None` for types without a comparison.
#[inline(always)]
pub fn scalar(ty: ScalarType, cmp: Cmp, a: u64, b: u64, ftz: bool) -> Option<bool> {
    Some(match ty {
        ScalarType::F32 => single(cmp, a as u32, b as u32, ftz),
        ScalarType::F64 => double(cmp, a, b),
        ScalarType::F16 => half(Half::F16, cmp, a as u16, b as u16, ftz),
        ScalarType::Bf16 => half(Half::Bf16, cmp, a as u16, b as u16, ftz),
        _ => int(IntTy::of(ty)?, cmp, a, b),
    })
}

#[inline(always)]
pub fn combine(op: Option<BoolOp>, p: bool, c: bool) -> bool {
    match op {
        None => p,
        Some(BoolOp::And) => p && c,
        Some(BoolOp::Or) => p || c,
        Some(BoolOp::Xor) => p != c,
    }
}

/// Returns the bits of "true" in a `set` destination: 1.0 or all ones.
pub fn true_value(ty: ScalarType) -> Option<u64> {
    Some(match ty {
        ScalarType::F32 => F32.one(),
        ScalarType::F16 => Half::F16.format().one(),
        ScalarType::Bf16 => Half::Bf16.format().one(),
        _ => IntTy::of(ty)?.mask(),
    })
}

/// `slct`: returns whether the third operand is at least zero. -0 is; NaN is not.
#[inline(always)]
pub fn selects_first(src: ScalarType, c: u64, ftz: bool) -> bool {
    match src {
        ScalarType::F32 => single(Cmp::Ge, c as u32, 0, ftz),
        _ => (c as i32) >= 0,
    }
}

/// `testp`, PTX §9.7.3.1: zeros count as normal.
pub fn testp(ty: ScalarType, test: FloatTest, a: u64) -> bool {
    let f: Format = if ty == ScalarType::F64 { F64 } else { F32 };
    let (nan, inf, sub) = (f.is_nan(a), f.is_inf(a), f.is_subnormal(a));
    match test {
        FloatTest::Finite => !nan && !inf,
        FloatTest::Infinite => inf,
        FloatTest::Number => !nan,
        FloatTest::NotANumber => nan,
        FloatTest::Normal => !nan && !inf && !sub,
        FloatTest::Subnormal => sub,
    }
}
