//! Structured sparsity: where the elements of a compressed row of A are in the whole row (PTX §9.7.15.6.1, §9.7.16.6.1).
//!
//! A row stores two of each four units, and the metadata has their two indices of two bits. A unit is an element
//! of 8 or of 16 bits, or half of a `tf32` number, whose two halves have adjacent indices. Any two indices select; PTX
//! gives equal ones no meaning.

use super::matrix::{Mma, Product, Words, eight_of_warpgroup};
use ptx::ast::ScalarType;

/// The number of bytes of a compressed row; the whole row, and that of B, has twice as many.
pub const ROW: usize = 32;

/// Returns the indices of each of a warp's 16 rows, from bit 0 on. `unit` is the number of bytes of a unit.
///
/// Units of two bytes have the metadata of a row in the pair of threads that `selector` names, in one half of their
/// registers; units of one byte, in two threads' whole registers.
pub fn indices(metadata: &Words, unit: usize, selector: u8) -> [u64; 16] {
    std::array::from_fn(|row| {
        let (quad, lower) = (row % 8 * 4, row / 8);
        if unit == 1 {
            return u64::from(metadata[quad + lower]) | u64::from(metadata[quad + lower + 2]) << 32;
        }
        let half = |lane: usize| u64::from(metadata[lane] >> (16 * lower) & 0xffff);
        let first = quad + 2 * usize::from(selector);
        half(first) | half(first + 1) << 16
    })
}

/// Returns the units of a row of B that a compressed row of A is multiplied with.
pub fn select(row: &[u8; 2 * ROW], indices: u64, unit: usize) -> [u8; ROW] {
    let mut selected = [0; ROW];
    for (i, chosen) in selected.chunks_exact_mut(unit).enumerate() {
        let at = unit * (i / 2 * 4 + (indices >> (2 * i) & 3) as usize);
        chosen.copy_from_slice(&row[at..at + unit]);
    }
    selected
}

/// Returns the number of bytes of a unit of elements of a type.
pub fn unit(ty: ScalarType) -> usize {
    (ty.bytes() as usize).min(2)
}

/// Adds to D, in the registers of a warp of a warpgroup, the products of 16 compressed rows of A, in the registers of its
/// fragment, with rows of B. Returns false for types without such a product.
pub fn multiply(
    mma: &Mma,
    a: &[Words; 4],
    b: &[[u8; 2 * ROW]],
    indices: &[u64; 16],
    d: &mut [Words],
) -> bool {
    let (unit, half) = (unit(mma.a), mma.d == ScalarType::F16);
    let sum = |row: usize, column: usize, c: u32| {
        let factors = compressed(a, row);
        let selected = select(&b[column], indices[row], unit);
        dot(mma, &factors, &selected, c)
    };
    for (i, words) in d.iter_mut().enumerate() {
        for (lane, word) in words.iter_mut().enumerate() {
            let (row, column) = (lane / 4, lane % 4 * 2);
            let result = if half {
                let (row, column) = (row + i % 2 * 8, column + i / 2 * 8);
                let low = sum(row, column, *word & 0xffff);
                low.zip(sum(row, column + 1, *word >> 16)).map(|(low, high)| low | high << 16)
            } else {
                sum(row + i / 2 % 2 * 8, column + i % 2 + i / 4 * 8, *word)
            };
            let Some(result) = result else { return false };
            *word = result;
        }
    }
    true
}

/// Returns a row of the fragment of A.
fn compressed(a: &[Words; 4], row: usize) -> [u8; ROW] {
    std::array::from_fn(|k| {
        let word = k / 4;
        a[row / 8 + 2 * (word / 4)][row % 8 * 4 + word % 4].to_le_bytes()[k % 4]
    })
}

fn dot(mma: &Mma, a: &[u8; ROW], b: &[u8; ROW], c: u32) -> Option<u32> {
    if let Some(sum) = eight_of_warpgroup(mma, a, b, c.into()) {
        return Some(sum as u32);
    }
    let size = mma.a.bytes() as usize;
    let elements = |row: &[u8; ROW]| -> Vec<u64> {
        row.chunks_exact(size)
            .map(|e| e.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
            .collect()
    };
    Some(Product::of(mma)?.dot(&elements(a), &elements(b), c.into()) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_select_units_of_four() {
        let row: [u8; 64] = std::array::from_fn(|i| i as u8);
        // Elements 1 and 3 of each four.
        assert_eq!(select(&row, u64::MAX / 15 * 0b1101, 1)[..4], [1, 3, 5, 7]);
        // The second `tf32` number of each two.
        assert_eq!(select(&row, u64::MAX / 15 * 0b1110, 2)[..8], [4, 5, 6, 7, 12, 13, 14, 15]);
    }

    #[test]
    fn rows_have_their_metadata_in_quads() {
        let metadata: Words = std::array::from_fn(|lane| (lane as u32) << 16 | 0x1000 | lane as u32);
        assert_eq!(indices(&metadata, 1, 0)[9], 0x0007_1007_0005_1005);
        assert_eq!(indices(&metadata, 2, 0)[1], 0x1005_1004);
        assert_eq!(indices(&metadata, 2, 1)[9], 0x0007_0006);
    }
}
