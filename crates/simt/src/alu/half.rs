//! Row functions of half precision: one number in the lower half of each word, or two numbers.

use super::{AluFn, each2, map1, map2, map3, rows2, test_rows};
use crate::num::half::Half::{self, Bf16, F16};
use crate::num::halves::{self as h, Modifiers, pair, pair3};
use crate::num::single::MinMax;
use events::LaneMask;
use ptx::op::Cmp;

const PLAIN: Modifiers = Modifiers::NONE;

/// Encodes modifiers as `x`.
pub(crate) fn modifiers(how: Modifiers) -> u32 {
    u32::from(how.ftz) | u32::from(how.sat) << 1 | u32::from(how.relu) << 2
}

#[inline(always)]
fn modified(x: u32) -> Modifiers {
    Modifiers { ftz: x & 1 != 0, sat: x & 2 != 0, relu: x & 4 != 0 }
}

/// Encodes the modifiers of `min` or `max` as `x`.
pub(crate) fn extreme(how: MinMax, max: bool) -> u32 {
    u32::from(how.ftz) | u32::from(how.nan) << 1 | u32::from(how.xorsign_abs) << 2 | u32::from(max) << 3
}

#[inline(always)]
fn min_max(half: Half, a: u32, b: u32, x: u32) -> u32 {
    let how = MinMax { ftz: x & 1 != 0, nan: x & 2 != 0, xorsign_abs: x & 4 != 0 };
    h::min_max(half, a, b, how, x & 8 != 0)
}

/// Encodes a comparison as `x`: a bit each for less, equal, greater and unordered operands, and one for
/// `.ftz`.
pub(crate) fn comparison(cmp: Cmp, ftz: bool) -> u32 {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let orders = [Some(Less), Some(Equal), Some(Greater), None];
    let holds = |(i, &order)| u32::from(crate::num::compare::holds(cmp, order)) << i;
    orders.iter().enumerate().map(holds).sum::<u32>() | u32::from(ftz) << 4
}

#[inline(always)]
fn compare_f32(x: u32, a: f32, b: f32) -> bool {
    let (less, equal, greater) = (a < b, a == b, a > b);
    let unordered = a.is_nan() | b.is_nan();
    (less & (x & 1 != 0)) | (equal & (x & 2 != 0)) | (greater & (x & 4 != 0)) | (unordered & (x & 8 != 0))
}

#[inline(always)]
fn compare(half: Half, x: u32, a: u32, b: u32) -> bool {
    let of = |v: u32| h::value(half, if x & 16 != 0 { h::flush(half, v) } else { v });
    compare_f32(x, of(a), of(b))
}

#[inline(always)]
fn one_if(holds: bool, one: u32) -> u32 {
    if holds { one } else { 0 }
}

alu! { x:
    add_f16 = bin [u32, u32] |a, b| h::add(F16, a, b, PLAIN);
    sub_f16 = bin [u32, u32] |a, b| h::sub(F16, a, b, PLAIN);
    mul_f16 = bin [u32, u32] |a, b| h::mul(F16, a, b, PLAIN);
    fma_f16 = tri [u32, u32, u32] |a, b, c| h::fma(F16, a, b, c, PLAIN);
    add_bf16 = bin [u32, u32] |a, b| h::add(Bf16, a, b, PLAIN);
    sub_bf16 = bin [u32, u32] |a, b| h::sub(Bf16, a, b, PLAIN);
    mul_bf16 = bin [u32, u32] |a, b| h::mul(Bf16, a, b, PLAIN);
    fma_bf16 = tri [u32, u32, u32] |a, b, c| h::fma(Bf16, a, b, c, PLAIN);
    add_f16x2 = bin [u32, u32] |a, b| pair(a, b, |a, b| h::add(F16, a, b, PLAIN));
    sub_f16x2 = bin [u32, u32] |a, b| pair(a, b, |a, b| h::sub(F16, a, b, PLAIN));
    mul_f16x2 = bin [u32, u32] |a, b| pair(a, b, |a, b| h::mul(F16, a, b, PLAIN));
    fma_f16x2 = tri [u32, u32, u32] |a, b, c| pair3(a, b, c, |a, b, c| h::fma(F16, a, b, c, PLAIN));
    add_bf16x2 = bin [u32, u32] |a, b| pair(a, b, |a, b| h::add(Bf16, a, b, PLAIN));
    sub_bf16x2 = bin [u32, u32] |a, b| pair(a, b, |a, b| h::sub(Bf16, a, b, PLAIN));
    mul_bf16x2 = bin [u32, u32] |a, b| pair(a, b, |a, b| h::mul(Bf16, a, b, PLAIN));
    fma_bf16x2 = tri [u32, u32, u32] |a, b, c| pair3(a, b, c, |a, b, c| h::fma(Bf16, a, b, c, PLAIN));

    // Arithmetic with the modifiers in `x`.
    add_with_f16 = bin [u32, u32] let how = modified(x), |a, b| h::add(F16, a, b, how);
    sub_with_f16 = bin [u32, u32] let how = modified(x), |a, b| h::sub(F16, a, b, how);
    mul_with_f16 = bin [u32, u32] let how = modified(x), |a, b| h::mul(F16, a, b, how);
    fma_with_f16 = tri [u32, u32, u32] let how = modified(x), |a, b, c| h::fma(F16, a, b, c, how);
    add_with_bf16 = rows [u32, u32] let how = modified(x), |a, b| each2(a, b, |a, b| h::add(Bf16, a, b, how));
    sub_with_bf16 = rows [u32, u32] let how = modified(x), |a, b| each2(a, b, |a, b| h::sub(Bf16, a, b, how));
    mul_with_bf16 = bin [u32, u32] let how = modified(x), |a, b| h::mul(Bf16, a, b, how);
    fma_with_bf16 = tri [u32, u32, u32] let how = modified(x), |a, b, c| h::fma(Bf16, a, b, c, how);
    add_with_f16x2 = bin [u32, u32] let how = modified(x), |a, b| pair(a, b, |a, b| h::add(F16, a, b, how));
    sub_with_f16x2 = bin [u32, u32] let how = modified(x), |a, b| pair(a, b, |a, b| h::sub(F16, a, b, how));
    mul_with_f16x2 = bin [u32, u32] let how = modified(x), |a, b| pair(a, b, |a, b| h::mul(F16, a, b, how));
    fma_with_f16x2 = tri [u32, u32, u32] let how = modified(x), |a, b, c| pair3(a, b, c, |a, b, c| h::fma(F16, a, b, c, how));
    add_with_bf16x2 = bin [u32, u32] let how = modified(x), |a, b| pair(a, b, |a, b| h::add(Bf16, a, b, how));
    sub_with_bf16x2 = bin [u32, u32] let how = modified(x), |a, b| pair(a, b, |a, b| h::sub(Bf16, a, b, how));
    mul_with_bf16x2 = bin [u32, u32] let how = modified(x), |a, b| pair(a, b, |a, b| h::mul(Bf16, a, b, how));
    fma_with_bf16x2 = tri [u32, u32, u32] let how = modified(x), |a, b, c| pair3(a, b, c, |a, b, c| h::fma(Bf16, a, b, c, how));

    // `x` is 1 for `.ftz`.
    abs_f16 = un [u32] |a| h::abs(F16, a, x != 0);
    neg_f16 = un [u32] |a| h::neg(F16, a, x != 0);
    abs_bf16 = un [u32] |a| h::abs(Bf16, a, x != 0);
    neg_bf16 = un [u32] |a| h::neg(Bf16, a, x != 0);
    abs_f16x2 = un [u32] |a| pair(a, a, |a, _| h::abs(F16, a, x != 0));
    neg_f16x2 = un [u32] |a| pair(a, a, |a, _| h::neg(F16, a, x != 0));
    abs_bf16x2 = un [u32] |a| pair(a, a, |a, _| h::abs(Bf16, a, x != 0));
    neg_bf16x2 = un [u32] |a| pair(a, a, |a, _| h::neg(Bf16, a, x != 0));

    min_max_f16 = bin [u32, u32] |a, b| min_max(F16, a, b, x);
    min_max_bf16 = bin [u32, u32] |a, b| min_max(Bf16, a, b, x);
    min_max_f16x2 = bin [u32, u32] |a, b| pair(a, b, |a, b| min_max(F16, a, b, x));
    min_max_bf16x2 = bin [u32, u32] |a, b| pair(a, b, |a, b| min_max(Bf16, a, b, x));

    compare_f16 = test [u32] |a, b| compare(F16, x, a, b);
    compare_bf16 = test [u32] |a, b| compare(Bf16, x, a, b);
    compare_single = test [u32] |a, b| {
        let of = |v: u32| f32::from_bits(if x & 16 != 0 { crate::num::single::flush(v) } else { v });
        compare_f32(x, of(a), of(b))
    };
    compare_double = test [f64] |a, b| {
        let (less, equal, greater) = (a < b, a == b, a > b);
        let unordered = a.is_nan() | b.is_nan();
        (less & (x & 1 != 0)) | (equal & (x & 2 != 0)) | (greater & (x & 4 != 0)) | (unordered & (x & 8 != 0))
    };
    // The upper half of `x` is the value stored if the comparison holds.
    set_f16 = rows [u32, u32] |a, b| each2(a, b, |a, b| one_if(compare(F16, x, a, b), x >> 16));
    set_bf16 = rows [u32, u32] |a, b| each2(a, b, |a, b| one_if(compare(Bf16, x, a, b), x >> 16));
    set_f16x2 = rows [u32, u32] |a, b| each2(a, b, |a, b| pair(a, b, |a, b| one_if(compare(F16, x, a, b), x >> 16)));
    set_bf16x2 = rows [u32, u32] |a, b| each2(a, b, |a, b| pair(a, b, |a, b| one_if(compare(Bf16, x, a, b), x >> 16)));
}
