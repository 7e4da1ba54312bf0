//! The inner loops, over eight columns at a time. The compiler on its own would vectorise along the other
//! dimension.

use super::super::Words;
use super::{Factors, LARGEST, NOWHERE, SMALLEST, WIDTH};
use std::arch::x86_64::*;

#[inline(always)]
fn integers<T: Copy>(row: &[T; WIDTH]) -> __m256i {
    const { assert!(size_of::<T>() == 4) };
    // SAFETY: both are 32 bytes of numbers.
    unsafe { std::mem::transmute_copy(row) }
}

/// Implements [`super::one_sum`].
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn one_sum(
    sum: &mut [u32; WIDTH],
    (a, a_exponents): (&[f32], &[i32]),
    (b, b_exponents): (&[[f32; WIDTH]], &[[i32; WIDTH]]),
    kept: i32,
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
    let scale = within(_mm256_sub_epi32(_mm256_set1_epi32(kept + 127), largest), 1, 254);
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
    let power = within(_mm256_add_epi32(largest, _mm256_set1_epi32(1023 - kept)), 1, 2046);
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

/// Returns sums of products of pairs of 16-bit integers.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn products(a: &[u32], b: &[[u32; WIDTH]]) -> [i32; WIDTH] {
    let mut sum = _mm256_setzero_si256();
    for (&a, b) in a.iter().zip(b) {
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_set1_epi32(a as i32), integers(b)));
    }
    // SAFETY: both are 32 bytes of numbers.
    unsafe { std::mem::transmute(sum) }
}

/// Decodes numbers of `EXP` and `MAN` bits in the low bits of 32: returns their values, their exponents, and
/// the mask of numbers outside the supported range, like [`super::number`].
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
fn numbers<const EXP: u32, const MAN: u32>(bits: __m256i) -> (__m256, __m256i, __m256i) {
    let top = EXP + MAN;
    let magnitude = _mm256_and_si256(bits, _mm256_set1_epi32((1 << top) - 1));
    let zero = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
    let field = _mm256_srl_epi32(magnitude, _mm_cvtsi32_si128(MAN as i32));
    let bias = _mm256_set1_epi32((1 << (EXP - 1)) - 1);
    let exponent = _mm256_sub_epi32(_mm256_max_epi32(field, _mm256_set1_epi32(1)), bias);
    let sign = _mm256_and_si256(
        _mm256_sll_epi32(bits, _mm_cvtsi32_si128(31 - top as i32)),
        _mm256_set1_epi32(i32::MIN),
    );
    // Moves the fraction to its place in an `f32`; a product corrects the exponent's bias if it differs,
    // exactly even for subnormals.
    let value = _mm256_castsi256_ps(_mm256_sll_epi32(magnitude, _mm_cvtsi32_si128(23 - MAN as i32)));
    let (value, bad) = if EXP == 8 {
        let small = _mm256_cmpgt_epi32(_mm256_set1_epi32(SMALLEST), exponent);
        let outside = _mm256_or_si256(small, _mm256_cmpgt_epi32(exponent, _mm256_set1_epi32(LARGEST)));
        (value, _mm256_andnot_si256(zero, outside))
    } else {
        let power = f32::from_bits((127 + 127 - ((1 << (EXP - 1)) - 1)) << 23);
        // A number of type `.e4m3` may have the largest exponent.
        let none = match EXP {
            4 => _mm256_cmpeq_epi32(magnitude, _mm256_set1_epi32(0x7f)),
            _ => _mm256_cmpeq_epi32(field, _mm256_set1_epi32((1 << EXP) - 1)),
        };
        (_mm256_mul_ps(value, _mm256_set1_ps(power)), none)
    };
    let value = _mm256_or_ps(value, _mm256_castsi256_ps(sign));
    (value, _mm256_blendv_epi8(exponent, _mm256_set1_epi32(NOWHERE), zero), bad)
}

/// Implements [`super::decode`] for words at their positions.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn decode<const EXP: u32, const MAN: u32, const SHIFT: u32, const EACH: usize>(
    words: &[u32],
    out: &mut Factors,
) -> bool {
    let mut bad = _mm256_setzero_si256();
    let out = out.values.as_chunks_mut::<WIDTH>().0.iter_mut().zip(out.exponents.as_chunks_mut::<WIDTH>().0);
    // The number of words in a fragment is a multiple of 32.
    let eights = words.chunks_exact(WIDTH / EACH);
    for (words, (values, exponents)) in eights.zip(out) {
        let bits = if EACH == 4 {
            let two = u64::from(words[0]) | u64::from(words[1]) << 32;
            _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(two as i64))
        } else if EACH == 2 {
            let four: &[u32; 4] = words.first_chunk().expect("chunks of four");
            // SAFETY: both are 16 bytes of numbers.
            _mm256_cvtepu16_epi32(unsafe { std::mem::transmute::<[u32; 4], __m128i>(*four) })
        } else {
            let eight: &[u32; WIDTH] = words.first_chunk().expect("chunks of eight");
            _mm256_srl_epi32(integers(eight), _mm_cvtsi32_si128(SHIFT as i32))
        };
        let (value, exponent, outside) = numbers::<EXP, MAN>(bits);
        // SAFETY: all are 32 bytes of numbers.
        unsafe {
            *values = std::mem::transmute::<__m256, [f32; WIDTH]>(value);
            *exponents = std::mem::transmute::<__m256i, [i32; WIDTH]>(exponent);
        }
        bad = _mm256_or_si256(bad, outside);
    }
    _mm256_testz_si256(bad, bad) != 0
}

/// Implements [`super::decode_columns`] for words at their positions.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn decode_columns<'a, const EXP: u32, const MAN: u32, const SHIFT: u32, const EACH: usize>(
    groups: &[[u32; WIDTH]],
    rows: impl Iterator<Item = (&'a mut [[f32; WIDTH]], &'a mut [[i32; WIDTH]])>,
) -> bool {
    let mut bad = _mm256_setzero_si256();
    for (words, (values, exponents)) in groups.iter().zip(rows) {
        for j in 0..EACH {
            let shift = SHIFT as usize + 32 / EACH * j;
            let bits = _mm256_srl_epi32(integers(words), _mm_cvtsi32_si128(shift as i32));
            let element = _mm256_set1_epi32((u32::MAX >> (32 - 32 / EACH as u32)) as i32);
            let bits = if EACH > 1 { _mm256_and_si256(bits, element) } else { bits };
            let (value, exponent, outside) = numbers::<EXP, MAN>(bits);
            // SAFETY: all are 32 bytes of numbers.
            unsafe {
                values[j] = std::mem::transmute::<__m256, [f32; WIDTH]>(value);
                exponents[j] = std::mem::transmute::<__m256i, [i32; WIDTH]>(exponent);
            }
            bad = _mm256_or_si256(bad, outside);
        }
    }
    _mm256_testz_si256(bad, bad) != 0
}

/// Returns the words of every fourth lane: lanes 0, 4, 8 and so on, then lanes 1, 5, 9 and so on.
#[target_feature(enable = "avx2")]
pub(super) fn columns(lanes: &Words) -> [[u32; WIDTH]; 4] {
    let rows: [__m256i; 4] = std::array::from_fn(|i| {
        let row: &[u32; WIDTH] = lanes[i * WIDTH..].first_chunk().expect("four times eight lanes");
        integers(row)
    });
    // Lanes 0 to 3 and 16 to 19, then 4 to 7 and 20 to 23, and so on: two 4x4 squares side by side.
    let a = _mm256_permute2x128_si256::<0x20>(rows[0], rows[2]);
    let b = _mm256_permute2x128_si256::<0x31>(rows[0], rows[2]);
    let c = _mm256_permute2x128_si256::<0x20>(rows[1], rows[3]);
    let d = _mm256_permute2x128_si256::<0x31>(rows[1], rows[3]);
    let (ab, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let (cd, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    let columns = [
        _mm256_unpacklo_epi64(ab, cd),
        _mm256_unpackhi_epi64(ab, cd),
        _mm256_unpacklo_epi64(ab_high, cd_high),
        _mm256_unpackhi_epi64(ab_high, cd_high),
    ];
    // SAFETY: both are 128 bytes of numbers.
    unsafe { std::mem::transmute::<[__m256i; 4], [[u32; WIDTH]; 4]>(columns) }
}
