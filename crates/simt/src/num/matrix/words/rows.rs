//! Products of sixteen rows of A, decoded once, with many columns of B: a vector has one column of the sums.

use super::vectors::{columns, decode, decode_columns};
use super::wide::{exponents, halves, rounded, scale};
use super::{Factors, KEPT, KEPT_OF_EIGHT, MOST, WIDTH, unusual};
use crate::num::matrix::{Mma, Words};
use ptx::ast::ScalarType;
use std::arch::x86_64::*;

/// The rows of A.
const ROWS: usize = 16;

/// The largest depth.
const DEPTH: usize = 32;

/// The rows of A of a warp's part of a product of a warpgroup, and the working memory for columns of B.
pub struct Rows {
    ty: [ScalarType; 2],
    /// The elements of A by depth.
    values: [[f32; ROWS]; DEPTH],
    exponents: [[i32; ROWS]; DEPTH],
    k: usize,
    kept: i32,
    b: Factors,
}

/// Calls a function whose constants describe the numbers of a type.
macro_rules! of_type {
    ($ty:expr, $call:ident($($arg:expr),*)) => {
        match $ty {
            ScalarType::F16 => $call::<5, 10, 0, 2>($($arg),*),
            ScalarType::Bf16 => $call::<8, 7, 0, 2>($($arg),*),
            ScalarType::Tf32 => $call::<8, 10, 13, 1>($($arg),*),
            ScalarType::E4m3 => $call::<4, 3, 0, 4>($($arg),*),
            ScalarType::E5m2 => $call::<5, 2, 0, 4>($($arg),*),
            _ => false,
        }
    };
}

impl Rows {
    /// Decodes a fragment of A. Returns `None` for uncommon products, for numbers outside the supported range, and without
    /// vectors of 512 bits.
    pub fn of(mma: &Mma, a: &[Words; 4]) -> Option<Box<Rows>> {
        if !crate::num::has_avx512() || (mma.c, mma.d) != (ScalarType::F32, ScalarType::F32) {
            return None;
        }
        let k = ROWS * 16 / mma.a.bits() as usize;
        let kept = if mma.a.bits() == 8 { KEPT_OF_EIGHT } else { KEPT };
        let mut rows = Box::new(Rows {
            ty: [mma.a, mma.b],
            values: [[0.0; ROWS]; DEPTH],
            exponents: [[0; ROWS]; DEPTH],
            k,
            kept,
            b: Factors::NONE,
        });
        // SAFETY: the processor supports the function's target features.
        unsafe { rows.decode_a(a) }.then_some(rows)
    }

    /// Adds the products with eight columns of B, of 32 bytes each, to D. Returns false, without effect, if a number is outside
    /// the supported range.
    pub fn add(&mut self, b: &[[u32; 8]], d: &mut [Words]) -> bool {
        let (Some(b), Some(d)) = (b.first_chunk(), d.first_chunk_mut()) else { return false };
        // SAFETY: the processor supports the functions' target features.
        unsafe { self.decode_b(b) && self.add_decoded(d) }
    }

    #[target_feature(enable = "avx512f,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    fn decode_a(&mut self, a: &[Words; 4]) -> bool {
        for half in 0..2 {
            let (mut values, mut exponents) = ([[0f32; WIDTH]; DEPTH], [[0i32; WIDTH]; DEPTH]);
            let [low, high] = [half, half + 2].map(|register| columns(&a[register]));
            let words: [[u32; WIDTH]; 8] = std::array::from_fn(|w| if w < 4 { low[w] } else { high[w - 4] });
            let each = self.k / 8;
            let out = values.chunks_exact_mut(each).zip(exponents.chunks_exact_mut(each));
            if !of_type!(self.ty[0], decode_columns(&words, out)) {
                return false;
            }
            let place = half * WIDTH..(half + 1) * WIDTH;
            for (i, (values, exponents)) in values.iter().zip(&exponents).take(self.k).enumerate() {
                self.values[i][place.clone()].copy_from_slice(values);
                self.exponents[i][place.clone()].copy_from_slice(exponents);
            }
        }
        true
    }

    #[target_feature(enable = "avx512f,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    fn decode_b(&mut self, b: &[[u32; 8]; WIDTH]) -> bool {
        of_type!(self.ty[1], decode(b.as_flattened(), &mut self.b))
    }

    #[target_feature(enable = "avx512f,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    fn add_decoded(&self, d: &mut [Words; 4]) -> bool {
        const { assert!(WIDTH * DEPTH <= MOST) };
        if d.iter().any(|words| unusual(words)) {
            return false;
        }
        // Register `i` has columns 2t + i % 2 of the rows 8 (i / 2) and following.
        let mut halves = [[[0u32; WIDTH]; 4]; 4];
        for (halves, words) in halves.iter_mut().zip(d.iter()) {
            *halves = columns(words);
        }
        let mut tiny = false;
        for column in 0..WIDTH {
            let (first, place) = (column % 2, column / 2);
            let b = column * self.k..(column + 1) * self.k;
            let both = join(&halves[first][place], &halves[first + 2][place]);
            let (sums, too_small) = self.one_sum(both, &self.b.values[b.clone()], &self.b.exponents[b]);
            tiny |= too_small;
            halves[first][place] = sums[0];
            halves[first + 2][place] = sums[1];
        }
        if tiny {
            return false;
        }
        for (words, halves) in d.iter_mut().zip(&halves) {
            spread(halves, words);
        }
        true
    }

    /// Adds the products of all rows with one column of B, in two halves. Returns whether a result is outside the supported
    /// range, too.
    #[inline]
    #[target_feature(enable = "avx512f,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    fn one_sum(&self, own: __m512i, b: &[f32], b_exponents: &[i32]) -> ([[u32; WIDTH]; 2], bool) {
        let mut largest = exponents(own);
        for (a, &b) in self.exponents.iter().zip(b_exponents) {
            largest = _mm512_max_epi32(largest, _mm512_add_epi32(whole(a), _mm512_set1_epi32(b)));
        }
        let scale = scale(largest, self.kept);
        let mut total = halves(_mm512_cvttps_epi32(_mm512_mul_ps(_mm512_castsi512_ps(own), scale)));
        // The sum of eight terms below 2^27 fits into 31 bits.
        for (a, b) in self.values.chunks(8).zip(b.chunks(8)) {
            let mut part = _mm512_setzero_si512();
            for (a, &b) in a.iter().zip(b) {
                let product = _mm512_mul_ps(_mm512_castsi512_ps(whole(a)), _mm512_set1_ps(b));
                part = _mm512_add_epi32(part, _mm512_cvttps_epi32(_mm512_mul_ps(product, scale)));
            }
            let part = halves(part);
            total = (_mm512_add_pd(total.0, part.0), _mm512_add_pd(total.1, part.1));
        }
        // Sums of 8-bit floats keep 13 bits of their fraction, others all.
        let cut = if self.kept == KEPT { 29 } else { 52 - KEPT_OF_EIGHT };
        let (sums, tiny) = rounded(total, (largest, self.kept), cut);
        // SAFETY: both are 32 bytes of numbers.
        (sums.map(|v| unsafe { std::mem::transmute::<__m256, [u32; WIDTH]>(v) }), tiny)
    }
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
