//! Products of sixteen rows of A, decoded once, with many columns of B: a vector has one column of the sums.
//!
//! A row of A and a column of B have eight words each. Exponents stay in the words that their numbers are in, so that a vector
//! operation adds those of two numbers of 16 bits, or of four of 8 bits, at once. The terms of a sum are truncated to integers;
//! their sum fits into 32 bits but for the rarest of inputs, for which another function computes the product.

use super::vectors::columns;
use super::{KEPT, KEPT_OF_EIGHT, LARGEST, SMALLEST, SMALLEST_SUM, WIDTH, unusual};
use crate::num::matrix::{Mma, Words};
use ptx::ast::ScalarType;
use std::arch::x86_64::*;

/// The rows of A.
const ROWS: usize = 16;

/// The words of a row of A, and of a column of B.
const WORDS: usize = 8;

/// The largest depth.
const DEPTH: usize = 32;

/// The exponent of zero, in bytes: below the sum of the least exponents of two factors by more than the largest exponent of one.
const NOWHERE_8: i8 = -64;
/// The sum of exponents of bytes below which a factor is zero.
const LEAST_8: i32 = -32;
/// The exponent of zero in wider integers.
const NOWHERE: i16 = -8192;

/// The rows of A of a warp's part of a product, and the working memory for columns of B.
pub struct Rows {
    ty: ScalarType,
    b: ScalarType,
    k: usize,
    kept: i32,
    /// The elements of A: those that are first in their words, then those that are second, and so on.
    values: [[f32; ROWS]; DEPTH],
    exponents: [[u32; ROWS]; WORDS],
    /// Eight columns of B, in the same order.
    b_values: [[f32; DEPTH]; WIDTH],
    b_exponents: [[u32; WORDS]; WIDTH],
}

/// Calls a function whose constants describe the numbers of a type: bits of exponent and fraction, and numbers in a word.
macro_rules! of_type {
    ($ty:expr, $self:ident.$call:ident($($arg:expr),*)) => {
        match $ty {
            ScalarType::F16 => $self.$call::<5, 10, 2>($($arg),*),
            ScalarType::Bf16 => $self.$call::<8, 7, 2>($($arg),*),
            ScalarType::Tf32 => $self.$call::<8, 10, 1>($($arg),*),
            ScalarType::E4m3 => $self.$call::<4, 3, 4>($($arg),*),
            ScalarType::E5m2 => $self.$call::<5, 2, 4>($($arg),*),
            _ => false,
        }
    };
}

impl Rows {
    /// Without rows, to be loaded.
    pub(super) fn empty() -> Box<Rows> {
        Box::new(Rows {
            ty: ScalarType::F16,
            b: ScalarType::F16,
            k: 0,
            kept: 0,
            values: [[0.0; ROWS]; DEPTH],
            exponents: [[0; ROWS]; WORDS],
            b_values: [[0.0; DEPTH]; WIDTH],
            b_exponents: [[0; WORDS]; WIDTH],
        })
    }

    /// Decodes a fragment of A. Returns `None` for uncommon products, for numbers outside the supported range, and without
    /// vectors of 512 bits.
    pub fn of(mma: &Mma, a: &[Words; 4]) -> Option<Box<Rows>> {
        if !crate::num::has_avx512() {
            return None;
        }
        let mut rows = Rows::empty();
        // SAFETY: the processor supports the function's target features.
        unsafe { rows.load(mma, a.each_ref()) }.then_some(rows)
    }

    /// Decodes a fragment of A. Returns false for uncommon products and for numbers outside the supported range.
    #[target_feature(enable = "avx512f,avx512bw,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn load(&mut self, mma: &Mma, a: [&Words; 4]) -> bool {
        if (mma.c, mma.d) != (ScalarType::F32, ScalarType::F32) {
            return false;
        }
        (self.ty, self.b) = (mma.a, mma.b);
        self.k = WORDS * 32 / mma.a.bits() as usize;
        self.kept = if mma.a.bits() == 8 { KEPT_OF_EIGHT } else { KEPT };
        of_type!(self.ty, self.decode_a(a))
    }

    /// Adds the products with eight columns of B, of 32 bytes each, to D. Returns false, without effect, if a number is outside
    /// the supported range.
    pub fn add(&mut self, b: &[[u32; 8]], d: &mut [Words]) -> bool {
        let (Some(b), Some(d)) = (b.first_chunk(), d.first_chunk_mut()) else { return false };
        // SAFETY: the processor supports the functions' target features: otherwise there are no rows.
        unsafe { self.add_columns(b, d) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn add_columns(&mut self, b: &[[u32; WORDS]; WIDTH], d: &mut [Words; 4]) -> bool {
        of_type!(self.b, self.decode_b(b)) && self.add_decoded(d)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    fn decode_a<const EXP: u32, const MAN: u32, const EACH: usize>(&mut self, a: [&Words; 4]) -> bool {
        let mut outside = false;
        // Registers 0 and 1 have words 0 to 3 of the upper and the lower eight rows, 2 and 3 the others.
        for half in 0..2 {
            let (upper, lower) = (columns(a[2 * half]), columns(a[2 * half + 1]));
            for i in 0..4 {
                let (words, place) = (join(&upper[i], &lower[i]), 4 * half + i);
                let (exponents, bad) = exponents::<EXP, MAN, EACH>(words);
                outside |= bad;
                self.exponents[place] = numbers(exponents);
                for j in 0..EACH {
                    self.values[WORDS * j + place] = floats(value::<EXP, EACH>(words, j));
                }
            }
        }
        !outside
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    fn decode_b<const EXP: u32, const MAN: u32, const EACH: usize>(
        &mut self,
        b: &[[u32; WORDS]; WIDTH],
    ) -> bool {
        let mut outside = false;
        for (pair, two) in b.as_chunks::<2>().0.iter().enumerate() {
            let words = join(&two[0], &two[1]);
            let (exponents, bad) = exponents::<EXP, MAN, EACH>(words);
            outside |= bad;
            let of_both = numbers(exponents);
            let [first, second] = &mut self.b_exponents.as_chunks_mut::<2>().0[pair];
            first.copy_from_slice(&of_both[..WORDS]);
            second.copy_from_slice(&of_both[WORDS..]);
            let [first, second] = &mut self.b_values.as_chunks_mut::<2>().0[pair];
            for j in 0..EACH {
                let of_both = floats(value::<EXP, EACH>(words, j));
                first[WORDS * j..][..WORDS].copy_from_slice(&of_both[..WORDS]);
                second[WORDS * j..][..WORDS].copy_from_slice(&of_both[WORDS..]);
            }
        }
        !outside
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    fn add_decoded(&self, d: &mut [Words; 4]) -> bool {
        if d.iter().any(|words| unusual(words)) {
            return false;
        }
        // Register `i` has columns 2t + i % 2 of the rows 8 (i / 2) and following.
        let mut halves = [[[0u32; WIDTH]; 4]; 4];
        for (halves, words) in halves.iter_mut().zip(d.iter()) {
            *halves = columns(words);
        }
        let mut too_large = 0;
        for column in 0..WIDTH {
            let (first, place) = (column % 2, column / 2);
            let own = join(&halves[first][place], &halves[first + 2][place]);
            let (values, exponents) = (&self.b_values[column], &self.b_exponents[column]);
            let (sums, bad) = match self.k {
                8 => self.one_sum::<1>(own, values, exponents),
                16 => self.one_sum::<2>(own, values, exponents),
                _ => self.one_sum::<4>(own, values, exponents),
            };
            too_large |= bad;
            let sums = numbers(sums);
            halves[first][place].copy_from_slice(&sums[..WIDTH]);
            halves[first + 2][place].copy_from_slice(&sums[WIDTH..]);
        }
        if too_large != 0 {
            return false;
        }
        for (words, halves) in d.iter_mut().zip(&halves) {
            spread(halves, words);
        }
        true
    }

    /// Adds the products of all rows with one column of B. Also returns the rows whose integers were too large.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    fn one_sum<const EACH: usize>(
        &self,
        own: __m512i,
        values: &[f32; DEPTH],
        exponents: &[u32; WORDS],
    ) -> (__m512i, __mmask16) {
        let field = _mm512_and_si512(_mm512_srli_epi32::<23>(own), _mm512_set1_epi32(255));
        // Terms are not below the smallest accumulator, but for zeros.
        let least = _mm512_max_epi32(
            _mm512_sub_epi32(field, _mm512_set1_epi32(127)),
            _mm512_set1_epi32(SMALLEST_SUM),
        );
        let largest = _mm512_max_epi32(least, largest::<EACH>(&self.exponents, exponents));
        let scale = _mm512_sub_epi32(_mm512_set1_epi32(self.kept + 127), largest);
        let scale = _mm512_castsi512_ps(_mm512_slli_epi32::<23>(scale));
        // No term is as large as 2^27: the sum of sixteen fits into 32 bits, and so does any of fewer bits.
        let mut total = _mm512_setzero_si512();
        for (a, &b) in self.values[..WORDS * EACH].iter().zip(values) {
            let product = _mm512_mul_ps(_mm512_castsi512_ps(whole(a)), _mm512_set1_ps(b));
            total = _mm512_add_epi32(total, _mm512_cvttps_epi32(_mm512_mul_ps(product, scale)));
        }
        let own = _mm512_cvttps_epi32(_mm512_mul_ps(_mm512_castsi512_ps(own), scale));
        let sum = _mm512_add_epi32(total, own);
        // With the accumulator it may not: then its sign is neither that of the one nor that of the other.
        let changed = _mm512_and_si512(_mm512_xor_si512(sum, total), _mm512_xor_si512(sum, own));
        let too_large = _mm512_test_epi32_mask(changed, _mm512_set1_epi32(i32::MIN));
        // Truncated to the bits of an `f32`; a result beyond its range becomes infinite, and none is subnormal.
        let sum = _mm512_cvt_roundepi32_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(sum);
        let power = _mm512_cvtepi32_ps(_mm512_sub_epi32(largest, _mm512_set1_epi32(self.kept)));
        let sum = _mm512_castps_si512(_mm512_scalef_ps(sum, power));
        // Sums of 8-bit floats keep 13 bits of their fraction, others all.
        let cut = if EACH == 4 { !((1 << (23 - KEPT_OF_EIGHT)) - 1) } else { -1 };
        (_mm512_and_si512(sum, _mm512_set1_epi32(cut)), too_large)
    }
}

/// Returns the largest sum of the exponents of two factors, for each row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn largest<const EACH: usize>(a: &[[u32; ROWS]; WORDS], b: &[u32; WORDS]) -> __m512i {
    let sum = |i: usize| {
        let (a, b) = (whole(&a[i]), _mm512_set1_epi32(b[i] as i32));
        match EACH {
            1 => _mm512_add_epi32(a, b),
            2 => _mm512_add_epi16(a, b),
            _ => _mm512_adds_epi8(a, b),
        }
    };
    let mut most = sum(0);
    for i in 1..WORDS {
        most = match EACH {
            1 => _mm512_max_epi32(most, sum(i)),
            2 => _mm512_max_epi16(most, sum(i)),
            _ => _mm512_max_epi8(most, sum(i)),
        };
    }
    match EACH {
        1 => most,
        2 => {
            let low = _mm512_srai_epi32::<16>(_mm512_slli_epi32::<16>(most));
            _mm512_max_epi32(low, _mm512_srai_epi32::<16>(most))
        }
        _ => {
            let most = _mm512_max_epi8(most, _mm512_srli_epi16::<8>(most));
            let most = _mm512_max_epi8(most, _mm512_srli_epi32::<16>(most));
            let most = _mm512_srai_epi32::<24>(_mm512_slli_epi32::<24>(most));
            let none = _mm512_cmplt_epi32_mask(most, _mm512_set1_epi32(LEAST_8));
            _mm512_mask_blend_epi32(none, most, _mm512_set1_epi32(NOWHERE.into()))
        }
    }
}

/// Returns the exponents of the numbers in words, each in its number's bits, and whether a number is outside the supported range.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn exponents<const EXP: u32, const MAN: u32, const EACH: usize>(words: __m512i) -> (__m512i, bool) {
    let bias = (1 << (EXP - 1)) - 1;
    match EACH {
        1 => {
            let magnitude = _mm512_and_si512(words, _mm512_set1_epi32(0x7fff_e000));
            let zero = _mm512_testn_epi32_mask(magnitude, magnitude);
            let field = _mm512_max_epi32(_mm512_srli_epi32::<23>(magnitude), _mm512_set1_epi32(1));
            let exponent = _mm512_sub_epi32(field, _mm512_set1_epi32(bias));
            let small = _mm512_cmplt_epi32_mask(exponent, _mm512_set1_epi32(SMALLEST));
            let outside = small | _mm512_cmpgt_epi32_mask(exponent, _mm512_set1_epi32(LARGEST));
            let exponent = _mm512_mask_blend_epi32(zero, exponent, _mm512_set1_epi32(NOWHERE.into()));
            (exponent, outside & !zero != 0)
        }
        2 => {
            let magnitude = _mm512_and_si512(words, _mm512_set1_epi16(0x7fff));
            let zero = _mm512_testn_epi16_mask(magnitude, magnitude);
            let field = _mm512_srl_epi16(magnitude, _mm_cvtsi32_si128(MAN as i32));
            let exponent = _mm512_sub_epi16(
                _mm512_max_epi16(field, _mm512_set1_epi16(1)),
                _mm512_set1_epi16(bias as i16),
            );
            let outside = if EXP == 8 {
                let small = _mm512_cmplt_epi16_mask(exponent, _mm512_set1_epi16(SMALLEST as i16));
                (small | _mm512_cmpgt_epi16_mask(exponent, _mm512_set1_epi16(LARGEST as i16))) & !zero
            } else {
                _mm512_cmpeq_epi16_mask(field, _mm512_set1_epi16((1 << EXP) - 1))
            };
            (_mm512_mask_blend_epi16(zero, exponent, _mm512_set1_epi16(NOWHERE)), outside != 0)
        }
        _ => {
            let magnitude = _mm512_and_si512(words, _mm512_set1_epi8(0x7f));
            let zero = _mm512_testn_epi8_mask(magnitude, magnitude);
            let shifted = _mm512_srl_epi16(magnitude, _mm_cvtsi32_si128(MAN as i32));
            let field = _mm512_and_si512(shifted, _mm512_set1_epi8((1 << EXP) - 1));
            let exponent =
                _mm512_sub_epi8(_mm512_max_epi8(field, _mm512_set1_epi8(1)), _mm512_set1_epi8(bias as i8));
            // A number of type `.e4m3` may have the largest exponent.
            let outside = match EXP {
                4 => _mm512_cmpeq_epi8_mask(magnitude, _mm512_set1_epi8(0x7f)),
                _ => _mm512_cmpeq_epi8_mask(field, _mm512_set1_epi8((1 << EXP) - 1)),
            };
            (_mm512_mask_blend_epi8(zero, exponent, _mm512_set1_epi8(NOWHERE_8)), outside != 0)
        }
    }
}

/// Returns the values of the numbers that are `nth` in their words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn value<const EXP: u32, const EACH: usize>(words: __m512i, nth: usize) -> __m512 {
    let bits = 32 / EACH;
    // The number in the upper bits.
    let up = _mm512_sll_epi32(words, _mm_cvtsi32_si128((32 - bits - bits * nth) as i32));
    let kept = if EACH == 1 { !0x1fff } else { (-1i64 << (32 - bits)) as i32 };
    let up = _mm512_and_si512(up, _mm512_set1_epi32(kept));
    if EXP == 8 {
        return _mm512_castsi512_ps(up);
    }
    let sign = _mm512_and_si512(up, _mm512_set1_epi32(i32::MIN));
    // The exponent in its place in an `f32`; a product corrects its bias, exactly even for subnormals.
    let magnitude = _mm512_srl_epi32(_mm512_xor_si512(up, sign), _mm_cvtsi32_si128(8 - EXP as i32));
    let power = f32::from_bits((127 + 127 - ((1 << (EXP - 1)) - 1)) << 23);
    let value = _mm512_mul_ps(_mm512_castsi512_ps(magnitude), _mm512_set1_ps(power));
    _mm512_castsi512_ps(_mm512_or_si512(_mm512_castps_si512(value), sign))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn whole<T: Copy>(row: &[T; ROWS]) -> __m512i {
    const { assert!(size_of::<T>() == 4) };
    // SAFETY: both are 64 bytes of numbers.
    unsafe { std::mem::transmute_copy::<[T; ROWS], __m512i>(row) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn numbers(vector: __m512i) -> [u32; ROWS] {
    // SAFETY: both are 64 bytes of numbers.
    unsafe { std::mem::transmute::<__m512i, [u32; ROWS]>(vector) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn floats(vector: __m512) -> [f32; ROWS] {
    // SAFETY: both are 64 bytes of numbers.
    unsafe { std::mem::transmute::<__m512, [f32; ROWS]>(vector) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn join(first: &[u32; WIDTH], second: &[u32; WIDTH]) -> __m512i {
    // SAFETY: both are 32 bytes of numbers.
    let [low, high] =
        [first, second].map(|half| unsafe { std::mem::transmute::<[u32; WIDTH], __m256i>(*half) });
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// Writes the words of every fourth lane: the inverse of [`columns`].
#[inline]
#[target_feature(enable = "avx2")]
fn spread(columns: &[[u32; WIDTH]; 4], lanes: &mut Words) {
    // SAFETY: both are 32 bytes of numbers.
    let [a, b, c, d] = columns.map(|column| unsafe { std::mem::transmute::<[u32; WIDTH], __m256i>(column) });
    let (ab, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let (cd, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    // Rows 0 and 4, 1 and 5, 2 and 6, 3 and 7.
    let rows = [
        _mm256_unpacklo_epi64(ab, cd),
        _mm256_unpackhi_epi64(ab, cd),
        _mm256_unpacklo_epi64(ab_high, cd_high),
        _mm256_unpackhi_epi64(ab_high, cd_high),
    ];
    let all = [
        _mm256_permute2x128_si256::<0x20>(rows[0], rows[1]),
        _mm256_permute2x128_si256::<0x20>(rows[2], rows[3]),
        _mm256_permute2x128_si256::<0x31>(rows[0], rows[1]),
        _mm256_permute2x128_si256::<0x31>(rows[2], rows[3]),
    ];
    // SAFETY: both are 128 bytes of numbers.
    *lanes = unsafe { std::mem::transmute::<[__m256i; 4], Words>(all) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_the_inverse_of_columns() {
        if crate::num::has_avx2() {
            let lanes: Words = std::array::from_fn(|i| i as u32 * 3);
            let mut found = [0; 32];
            // SAFETY: the processor supports the functions' target features.
            unsafe { spread(&columns(&lanes), &mut found) };
            assert_eq!(found, lanes);
        }
    }
}
