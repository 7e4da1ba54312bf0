//! The inner loops, of eight columns at a time. Left to itself, the compiler makes vectors of the other direction.

use super::{KEPT, NOWHERE, WIDTH};
use std::arch::x86_64::*;

#[inline(always)]
fn integers<T: Copy>(row: &[T; WIDTH]) -> __m256i {
    const { assert!(size_of::<T>() == 4) };
    // SAFETY: both are 32 bytes of numbers.
    unsafe { std::mem::transmute_copy(row) }
}

/// As [`super::one_sum`].
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn one_sum(
    sum: &mut [u32; WIDTH],
    (a, a_exponents): (&[f32], &[i32]),
    (b, b_exponents): (&[[f32; WIDTH]], &[[i32; WIDTH]]),
) -> bool {
    let own = integers(sum);
    let field = _mm256_and_si256(_mm256_srli_epi32::<23>(own), _mm256_set1_epi32(255));
    let exponent = _mm256_sub_epi32(_mm256_max_epi32(field, _mm256_set1_epi32(1)), _mm256_set1_epi32(127));
    let magnitude = _mm256_and_si256(own, _mm256_set1_epi32(i32::MAX));
    let zero = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
    let mut largest = _mm256_blendv_epi8(exponent, _mm256_set1_epi32(NOWHERE), zero);
    for (&a, b) in a_exponents.iter().zip(b_exponents) {
        largest = _mm256_max_epi32(largest, _mm256_add_epi32(_mm256_set1_epi32(a), integers(b)));
    }
    let within =
        |v, low, high| _mm256_min_epi32(_mm256_max_epi32(v, _mm256_set1_epi32(low)), _mm256_set1_epi32(high));
    let scale = within(_mm256_sub_epi32(_mm256_set1_epi32(KEPT + 127), largest), 1, 254);
    let scale = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(scale));
    let own = _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_castsi256_ps(own), scale));
    let halves = |v| {
        (_mm256_cvtepi32_pd(_mm256_castsi256_si128(v)), _mm256_cvtepi32_pd(_mm256_extracti128_si256::<1>(v)))
    };
    let mut total = halves(own);
    for (a, b) in a.chunks(8).zip(b.chunks(8)) {
        let mut part = _mm256_setzero_si256();
        for (&a, b) in a.iter().zip(b) {
            let product = _mm256_mul_ps(_mm256_set1_ps(a), _mm256_castsi256_ps(integers(b)));
            part = _mm256_add_epi32(part, _mm256_cvttps_epi32(_mm256_mul_ps(product, scale)));
        }
        let part = halves(part);
        total = (_mm256_add_pd(total.0, part.0), _mm256_add_pd(total.1, part.1));
    }
    let power = within(_mm256_add_epi32(largest, _mm256_set1_epi32(1023 - KEPT)), 1, 2046);
    let exact = |total, power| {
        let power = _mm256_slli_epi64::<52>(_mm256_cvtepi32_epi64(power));
        _mm256_mul_pd(total, _mm256_castsi256_pd(power))
    };
    let low = exact(total.0, _mm256_castsi256_si128(power));
    let high = exact(total.1, _mm256_extracti128_si256::<1>(power));
    let tiny = |exact| {
        let size = _mm256_and_pd(exact, _mm256_castsi256_pd(_mm256_set1_epi64x(i64::MAX)));
        let below = _mm256_cmp_pd::<_CMP_LT_OQ>(size, _mm256_set1_pd(f64::from(f32::MIN_POSITIVE)));
        let some = _mm256_cmp_pd::<_CMP_NEQ_OQ>(size, _mm256_setzero_pd());
        _mm256_movemask_pd(_mm256_and_pd(below, some)) != 0
    };
    let narrow = |exact| {
        let kept = _mm256_castsi256_pd(_mm256_set1_epi64x(!((1 << 29) - 1)));
        _mm256_cvtpd_ps(_mm256_and_pd(exact, kept))
    };
    let result = _mm256_set_m128(narrow(high), narrow(low));
    // SAFETY: both are 32 bytes of numbers.
    *sum = unsafe { std::mem::transmute::<__m256, [u32; WIDTH]>(result) };
    tiny(low) || tiny(high)
}

/// Sums of products of pairs of 16-bit integers.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn products(a: &[u32], b: &[[u32; WIDTH]]) -> [i32; WIDTH] {
    let mut sum = _mm256_setzero_si256();
    for (&a, b) in a.iter().zip(b) {
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_set1_epi32(a as i32), integers(b)));
    }
    // SAFETY: both are 32 bytes of numbers.
    unsafe { std::mem::transmute(sum) }
}
