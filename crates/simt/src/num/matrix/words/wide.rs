//! The inner loops of [`vectors`](super::vectors) for sixteen sums at a time: eight columns of two rows.

use super::{Factors, MOST, NOWHERE, WIDTH, unusual};
use std::arch::x86_64::*;

/// The sums of two rows.
type Two = [u32; 2 * WIDTH];

/// Implements [`super::sums`] for accumulators that were checked. The number of rows is even.
#[target_feature(enable = "avx512f,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn sums(
    (rows, k, columns): (usize, usize, usize),
    (step, kept): (usize, i32),
    a: &Factors,
    b: &Factors,
    sums: &mut [u32; MOST],
) -> bool {
    let (values, exponents) = (b.values.as_chunks::<WIDTH>().0, b.exponents.as_chunks::<WIDTH>().0);
    let mut tiny = false;
    for (pair, sums) in sums[..rows * columns].chunks_exact_mut(2 * columns).enumerate() {
        let (first, second) = sums.split_at_mut(columns);
        let row = |row| (2 * pair + row) * k..(2 * pair + row + 1) * k;
        let of_a = [row(0), row(1)].map(|row| (&a.values[row.clone()], &a.exponents[row]));
        let blocks = first.as_chunks_mut::<WIDTH>().0.iter_mut().zip(second.as_chunks_mut::<WIDTH>().0);
        for (block, (first, second)) in blocks.enumerate() {
            let mut both: Two = [0; 2 * WIDTH];
            both[..WIDTH].copy_from_slice(first);
            both[WIDTH..].copy_from_slice(second);
            let of_b = block * k..(block + 1) * k;
            let (values, exponents) = (&values[of_b.clone()], &exponents[of_b]);
            let mut from = 0;
            while from < k {
                if from > 0 && unusual(&both) {
                    return false;
                }
                let now = from..(from + step).min(k);
                from = now.end;
                let a = of_a.map(|(values, exponents)| (&values[now.clone()], &exponents[now.clone()]));
                tiny |= one_sum(&mut both, a, (&values[now.clone()], &exponents[now]), kept);
            }
            first.copy_from_slice(&both[..WIDTH]);
            second.copy_from_slice(&both[WIDTH..]);
        }
    }
    !tiny
}

#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn twice<T: Copy>(row: &[T; WIDTH]) -> __m512i {
    const { assert!(size_of::<T>() == 4) };
    // SAFETY: both are 32 bytes of numbers.
    _mm512_broadcast_i64x4(unsafe { std::mem::transmute_copy::<[T; WIDTH], __m256i>(row) })
}

/// Implements [`super::one_sum`] for two rows of A.
#[inline]
#[target_feature(enable = "avx512f,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
fn one_sum(
    sum: &mut Two,
    [first, second]: [(&[f32], &[i32]); 2],
    (b, b_exponents): (&[[f32; WIDTH]], &[[i32; WIDTH]]),
    kept: i32,
) -> bool {
    /// The lanes of the second row.
    const UPPER: __mmask16 = 0xff00;
    // SAFETY: both are 64 bytes of numbers.
    let own = unsafe { std::mem::transmute::<Two, __m512i>(*sum) };
    let mut largest = exponents(own);
    for ((&first, &second), b) in first.1.iter().zip(second.1).zip(b_exponents) {
        let a = _mm512_mask_blend_epi32(UPPER, _mm512_set1_epi32(first), _mm512_set1_epi32(second));
        largest = _mm512_max_epi32(largest, _mm512_add_epi32(a, twice(b)));
    }
    let scale = scale(largest, kept);
    let mut total = halves(_mm512_cvttps_epi32(_mm512_mul_ps(_mm512_castsi512_ps(own), scale)));
    for ((first, second), b) in first.0.chunks(8).zip(second.0.chunks(8)).zip(b.chunks(8)) {
        let mut part = _mm512_setzero_si512();
        for ((&first, &second), b) in first.iter().zip(second).zip(b) {
            let a = _mm512_mask_blend_ps(UPPER, _mm512_set1_ps(first), _mm512_set1_ps(second));
            let product = _mm512_mul_ps(a, _mm512_castsi512_ps(twice(b)));
            part = _mm512_add_epi32(part, _mm512_cvttps_epi32(_mm512_mul_ps(product, scale)));
        }
        let part = halves(part);
        total = (_mm512_add_pd(total.0, part.0), _mm512_add_pd(total.1, part.1));
    }
    let (sums, tiny) = rounded(total, (largest, kept), 29);
    // SAFETY: both are 64 bytes of numbers.
    *sum = unsafe { std::mem::transmute::<[__m256; 2], Two>(sums) };
    tiny
}

/// Returns the exponents of sixteen accumulators: those of zeros are smaller than all others.
#[inline]
#[target_feature(enable = "avx512f")]
fn exponents(own: __m512i) -> __m512i {
    let field = _mm512_and_si512(_mm512_srli_epi32::<23>(own), _mm512_set1_epi32(255));
    let exponent = _mm512_sub_epi32(_mm512_max_epi32(field, _mm512_set1_epi32(1)), _mm512_set1_epi32(127));
    let zero = _mm512_testn_epi32_mask(own, _mm512_set1_epi32(i32::MAX));
    _mm512_mask_blend_epi32(zero, exponent, _mm512_set1_epi32(NOWHERE))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn within(v: __m512i, low: i32, high: i32) -> __m512i {
    _mm512_min_epi32(_mm512_max_epi32(v, _mm512_set1_epi32(low)), _mm512_set1_epi32(high))
}

/// Returns the powers of two that make integers of terms: `kept` bits of the term with the largest exponent.
#[inline]
#[target_feature(enable = "avx512f")]
fn scale(largest: __m512i, kept: i32) -> __m512 {
    let scale = within(_mm512_sub_epi32(_mm512_set1_epi32(kept + 127), largest), 1, 254);
    _mm512_castsi512_ps(_mm512_slli_epi32::<23>(scale))
}

/// Returns integers in double precision, in two halves.
#[inline]
#[target_feature(enable = "avx512f")]
fn halves(v: __m512i) -> (__m512d, __m512d) {
    let (low, high) = (_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64::<1>(v));
    (_mm512_cvtepi32_pd(low), _mm512_cvtepi32_pd(high))
}

/// Returns the sums of integers that [`scale`] made, without the last `cut` bits of their fractions in double precision, and
/// whether one is outside the supported range.
#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn rounded(total: (__m512d, __m512d), (largest, kept): (__m512i, i32), cut: i32) -> ([__m256; 2], bool) {
    let power = within(_mm512_add_epi32(largest, _mm512_set1_epi32(1023 - kept)), 1, 2046);
    let exact = |total, power| {
        let power = _mm512_slli_epi64::<52>(_mm512_cvtepi32_epi64(power));
        _mm512_mul_pd(total, _mm512_castsi512_pd(power))
    };
    let low = exact(total.0, _mm512_castsi512_si256(power));
    let high = exact(total.1, _mm512_extracti64x4_epi64::<1>(power));
    let only = |exact, bits| _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(exact), bits));
    let tiny = |exact| {
        let size = only(exact, _mm512_set1_epi64(i64::MAX));
        let below = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(size, _mm512_set1_pd(f64::from(f32::MIN_POSITIVE)));
        below & _mm512_cmp_pd_mask::<_CMP_NEQ_OQ>(size, _mm512_setzero_pd()) != 0
    };
    let narrow = |exact| _mm512_cvtpd_ps(only(exact, _mm512_set1_epi64(!((1 << cut) - 1))));
    ([narrow(low), narrow(high)], tiny(low) || tiny(high))
}
