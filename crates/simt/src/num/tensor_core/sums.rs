//! The inner loops of products: rows of A times all columns of B, from words of D to words of D.
//!
//! Products of two factors are exact in double precision, so a fused operation rounds as a product and a sum do. Rows of a dense A
//! are multiplied four at a time, which loads an element of B once for all of them.

use super::{Accumulator, Factor};

/// The number of columns of a row whose sums are in registers.
const WIDTH: usize = 32;

/// The number of rows that are multiplied together, and the columns whose sums are in registers then.
const ROWS: usize = 4;
const TOGETHER: usize = 16;

/// Columns are multiples of so many.
const LEAST: usize = 8;

/// B, whose elements are in `across` by depth, and the words of D before: none if the sums begin at zero.
pub(super) struct Operands<'a> {
    pub columns: usize,
    pub a: &'a Factor,
    pub across: &'a [f64],
    pub d: Option<&'a [u32]>,
    /// The words of D are multiplied by it.
    pub scale: f64,
}

/// Returns the words of D, row by row: the products of A with B, added to the words before.
pub(super) fn words(to: Accumulator, of: &Operands<'_>) -> Vec<u32> {
    #[cfg(target_arch = "x86_64")]
    if crate::num::has_avx512() {
        // SAFETY: the processor supports the function's target features.
        return unsafe { words_avx512(to, of) };
    }
    #[cfg(target_arch = "x86_64")]
    if crate::num::has_avx2() {
        // SAFETY: the processor supports the function's target features.
        return unsafe { words_avx2(to, of) };
    }
    all::<false, 8>(to, of)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx2,fma")]
fn words_avx512(to: Accumulator, of: &Operands<'_>) -> Vec<u32> {
    all::<true, TOGETHER>(to, of)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn words_avx2(to: Accumulator, of: &Operands<'_>) -> Vec<u32> {
    all::<true, LEAST>(to, of)
}

/// Computes all rows; `N` columns of four rows are summed together.
#[inline(always)]
fn all<const FUSED: bool, const N: usize>(to: Accumulator, of: &Operands<'_>) -> Vec<u32> {
    let &Operands { columns, a, across, d, scale } = of;
    let rows = a.values.len() / a.k;
    let mut out = vec![0; rows * columns];
    let mut sums = vec![0.0; ROWS * columns];
    for (group, words) in out.chunks_mut(ROWS * columns).enumerate() {
        let sums = &mut sums[..words.len()];
        match d.and_then(|d| d.get(group * ROWS * columns..)) {
            Some(before) => to.sums(before, scale, sums),
            None => sums.fill(0.0),
        }
        let first = group * ROWS;
        if a.places.is_empty() && sums.len() == ROWS * columns {
            together::<FUSED, N>(sums, columns, &a.values[first * a.k..(first + ROWS) * a.k], across);
        } else {
            one_by_one::<FUSED>(sums, first, of);
        }
        to.words(sums, words);
    }
    out
}

/// Adds the products of four rows.
#[inline(always)]
fn together<const FUSED: bool, const N: usize>(
    sums: &mut [f64],
    columns: usize,
    rows: &[f64],
    across: &[f64],
) {
    let k = rows.len() / ROWS;
    let row = |i: usize| &rows[i * k..(i + 1) * k];
    let rows = [row(0), row(1), row(2), row(3)];
    let mut at = 0;
    while at < columns {
        if at + N <= columns {
            block::<FUSED, N>(sums, rows, (across, columns, at));
            at += N;
        } else {
            block::<FUSED, LEAST>(sums, rows, (across, columns, at));
            at += LEAST;
        }
    }
}

/// Adds the products of four rows with `N` columns, in the order of the rows.
#[inline(always)]
fn block<const FUSED: bool, const N: usize>(
    sums: &mut [f64],
    [a, b, c, d]: [&[f64]; ROWS],
    (across, columns, first): (&[f64], usize, usize),
) {
    let place = |row: usize| row * columns + first..row * columns + first + N;
    let load = |sums: &[f64], row| -> [f64; N] { std::array::from_fn(|i| sums[place(row)][i]) };
    let [mut of_a, mut of_b, mut of_c, mut of_d] = [0, 1, 2, 3].map(|row| load(sums, row));
    let by_depth = across.chunks_exact(columns).filter_map(|b| b[first..].first_chunk::<N>());
    for ((((&a, &b), &c), &d), across) in a.iter().zip(b).zip(c).zip(d).zip(by_depth) {
        add::<FUSED, N>(&mut of_a, a, across);
        add::<FUSED, N>(&mut of_b, b, across);
        add::<FUSED, N>(&mut of_c, c, across);
        add::<FUSED, N>(&mut of_d, d, across);
    }
    for (row, total) in [of_a, of_b, of_c, of_d].iter().enumerate() {
        sums[place(row)].copy_from_slice(total);
    }
}

#[inline(always)]
fn add<const FUSED: bool, const N: usize>(total: &mut [f64; N], x: f64, b: &[f64; N]) {
    for i in 0..N {
        total[i] = if FUSED { x.mul_add(b[i], total[i]) } else { total[i] + x * b[i] };
    }
}

/// Adds the products of rows one by one, which a sparse A needs: its rows have elements in different places.
#[inline(always)]
fn one_by_one<const FUSED: bool>(sums: &mut [f64], first: usize, of: &Operands<'_>) {
    let &Operands { columns, a, across, .. } = of;
    let all: Vec<u16> = (0..a.k as u16).collect();
    for (m, sums) in sums.chunks_exact_mut(columns).enumerate() {
        let range = (first + m) * a.k..(first + m + 1) * a.k;
        let (row, places) = (&a.values[range.clone()], a.places.get(range).unwrap_or(&all));
        let mut at = 0;
        while at < columns {
            if at + WIDTH <= columns {
                scattered::<FUSED, WIDTH>(&mut sums[at..], row, places, (across, columns, at));
                at += WIDTH;
            } else {
                scattered::<FUSED, LEAST>(&mut sums[at..], row, places, (across, columns, at));
                at += LEAST;
            }
        }
    }
}

/// Adds the products of a row with `N` columns, in the order of the row.
#[inline(always)]
fn scattered<const FUSED: bool, const N: usize>(
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
        add::<FUSED, N>(&mut total, *x, b);
    }
    *to = total;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every version of the loops adds the same, dense and sparse, for all numbers of columns and of rows.
    #[test]
    fn all_versions_add_the_same() {
        let mut state = 1u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as i32 % 4096 - 2048) as f64 * 2f64.powi((state >> 40) as i32 % 40 - 20)
        };
        for (columns, rows_of_a) in [(8, 3), (16, 4), (40, 6), (64, 9)] {
            for sparse in [false, true] {
                let k = 32;
                let places: Vec<u16> = (0..k * rows_of_a).map(|i| (i % k * 2 + i / k % 2) as u16).collect();
                let a = Factor {
                    k,
                    values: (0..k * rows_of_a).map(|_| number()).collect(),
                    places: if sparse { places } else { Vec::new() },
                };
                let across: Vec<f64> = (0..2 * k * columns).map(|_| number()).collect();
                let before: Vec<u32> =
                    (0..rows_of_a * columns).map(|_| (number() as f32).to_bits()).collect();
                let to = Accumulator::F32;
                let mut expected: Vec<f64> =
                    before.iter().map(|word| f64::from(f32::from_bits(*word)) * 0.25).collect();
                for (i, sum) in expected.iter_mut().enumerate() {
                    for j in 0..k {
                        let place = if sparse { j * 2 + i / columns % 2 } else { j };
                        *sum += a.values[i / columns * k + j] * across[place * columns + i % columns];
                    }
                }
                let expected: Vec<u32> = expected.iter().map(|sum| (*sum as f32).to_bits()).collect();
                let of = Operands { columns, a: &a, across: &across, d: Some(&before), scale: 0.25 };
                assert_eq!(all::<false, LEAST>(to, &of), expected);
                assert_eq!(words(to, &of), expected);
                #[cfg(target_arch = "x86_64")]
                if crate::num::has_avx2() {
                    // SAFETY: the processor supports the function's target features.
                    assert_eq!(unsafe { words_avx2(to, &of) }, expected);
                }
            }
        }
    }
}
