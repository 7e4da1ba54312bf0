//! The inner loops of products: rows of A times all columns of B.
//!
//! Products of two factors are exact in double precision, so a fused operation rounds as a product and a sum do.

use super::Factor;

/// The number of columns whose sums are in registers.
const WIDTH: usize = 32;

/// Columns are multiples of so many.
const LEAST: usize = 8;

/// Adds to `sums`, row by row, the products of A with B, whose elements are in `across` by depth.
pub(super) fn add(sums: &mut [f64], columns: usize, a: &Factor, across: &[f64]) {
    #[cfg(target_arch = "x86_64")]
    if crate::num::has_avx512() {
        // SAFETY: the processor supports the function's target features.
        return unsafe { add_avx512(sums, columns, a, across) };
    }
    #[cfg(target_arch = "x86_64")]
    if crate::num::has_avx2() {
        // SAFETY: the processor supports the function's target features.
        return unsafe { add_avx2(sums, columns, a, across) };
    }
    rows::<false>(sums, columns, a, across);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn add_avx512(sums: &mut [f64], columns: usize, a: &Factor, across: &[f64]) {
    rows::<true>(sums, columns, a, across);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_avx2(sums: &mut [f64], columns: usize, a: &Factor, across: &[f64]) {
    rows::<true>(sums, columns, a, across);
}

#[inline(always)]
fn rows<const FUSED: bool>(sums: &mut [f64], columns: usize, a: &Factor, across: &[f64]) {
    let all: Vec<u16> = (0..a.k as u16).collect();
    for (m, sums) in sums.chunks_exact_mut(columns).enumerate() {
        let range = m * a.k..(m + 1) * a.k;
        let (row, places) = (&a.values[range.clone()], a.places.get(range).unwrap_or(&all));
        let mut at = 0;
        while at < columns {
            if at + WIDTH <= columns {
                block::<FUSED, WIDTH>(&mut sums[at..], row, places, (across, columns, at));
                at += WIDTH;
            } else {
                block::<FUSED, LEAST>(&mut sums[at..], row, places, (across, columns, at));
                at += LEAST;
            }
        }
    }
}

/// Adds the products of a row with `N` columns, in the order of the row.
#[inline(always)]
fn block<const FUSED: bool, const N: usize>(
    sums: &mut [f64],
    row: &[f64],
    places: &[u16],
    (across, columns, first): (&[f64], usize, usize),
) {
    let Some(to) = sums.first_chunk_mut::<N>() else { return };
    let mut total = *to;
    for (x, &place) in row.iter().zip(places) {
        let from = usize::from(place) * columns + first;
        let Some(b) = across.get(from..).and_then(|b| b.first_chunk::<N>()) else { return };
        for i in 0..N {
            total[i] = if FUSED { x.mul_add(b[i], total[i]) } else { total[i] + x * b[i] };
        }
    }
    *to = total;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every version of the loops adds the same, dense and sparse, for all numbers of columns.
    #[test]
    fn all_versions_add_the_same() {
        let mut state = 1u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as i32 % 4096 - 2048) as f64 * 2f64.powi((state >> 40) as i32 % 40 - 20)
        };
        for columns in [8, 16, 40, 64] {
            for sparse in [false, true] {
                let (k, rows_of_a) = (32, 3);
                let places: Vec<u16> = (0..k * rows_of_a).map(|i| (i % k * 2 + i / k % 2) as u16).collect();
                let a = Factor {
                    k,
                    values: (0..k * rows_of_a).map(|_| number()).collect(),
                    places: if sparse { places } else { Vec::new() },
                };
                let across: Vec<f64> = (0..2 * k * columns).map(|_| number()).collect();
                let before: Vec<f64> = (0..rows_of_a * columns).map(|_| number()).collect();
                let mut expected = before.clone();
                for (i, sum) in expected.iter_mut().enumerate() {
                    for j in 0..k {
                        let place = if sparse { j * 2 + i / columns % 2 } else { j };
                        *sum += a.values[i / columns * k + j] * across[place * columns + i % columns];
                    }
                }
                let mut sums = before.clone();
                rows::<false>(&mut sums, columns, &a, &across);
                assert_eq!(sums, expected);
                let mut sums = before.clone();
                add(&mut sums, columns, &a, &across);
                assert_eq!(sums, expected);
                #[cfg(target_arch = "x86_64")]
                if crate::num::has_avx2() {
                    let mut sums = before;
                    // SAFETY: the processor supports the function's target features.
                    unsafe { add_avx2(&mut sums, columns, &a, &across) };
                    assert_eq!(sums, expected);
                }
            }
        }
    }
}
