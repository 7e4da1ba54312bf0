//! Structured sparsity: where the elements of a compressed row of A are in the whole row (PTX §9.7.15.6.1, §9.7.16.6.1).
//!
//! A row stores two of each four units, and the metadata has their two indices of two bits. A unit is two elements of 4
//! bits, an element of 8 or of 16, or half of a `tf32` number, whose two halves have adjacent indices. Any two indices select; PTX
//! gives equal ones no meaning.

use super::matrix::{Mma, Product, Words, eight_of_warpgroup};
use ptx::ast::ScalarType;
use ptx::op::Op;

/// The most bytes of a compressed row; the whole row, and that of B, has twice as many.
pub const ROW: usize = 32;

/// Returns the indices of each of a warp's 16 rows, from bit 0 on. `unit` is the number of bytes of a unit, `row` that of a
/// compressed row.
///
/// Units of two bytes have the metadata of a row in the thread or the pair of threads that `selector` names, in one half
/// of their registers; units of one byte, in one or two threads' whole registers.
pub fn indices(metadata: &Words, (unit, row): (usize, usize), selector: u8) -> [u64; 16] {
    let selector = usize::from(selector);
    std::array::from_fn(|i| {
        let (quad, lower) = (i % 8 * 4, i / 8);
        let whole = |lane: usize| u64::from(metadata[lane]);
        let half = |lane: usize| u64::from(metadata[lane] >> (16 * lower) & 0xffff);
        match (unit, row) {
            (1, ROW) => whole(quad + lower) | whole(quad + lower + 2) << 32,
            (1, _) => whole(quad + 2 * selector + lower),
            (_, ROW) => half(quad + 2 * selector) | half(quad + 2 * selector + 1) << 16,
            _ => half(quad + selector),
        }
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

/// The product of a compressed A.
#[derive(Clone, Copy, Debug)]
pub struct Sparse {
    /// The product without what A does not have.
    pub mma: Mma,
    /// Whether it is one of a warpgroup, which adds 8-bit floats otherwise.
    pub warpgroup: bool,
}

impl Sparse {
    /// Returns the product of an `mma.sp`; `None` for other instructions.
    pub fn of(op: &Op) -> Option<Sparse> {
        let Op::Mma { sparse: true, kind: None, .. } = op else { return None };
        let mut mma = Mma::described(op)?;
        mma.shape.k /= 2;
        Some(Sparse { mma, warpgroup: false })
    }

    /// Adds the products of 16 compressed rows of A, in the registers of its fragment, with rows of B to D, in the registers
    /// of a warp. Returns false for types without such a product.
    pub fn multiply(&self, a: &[&Words], b: &[[u8; 2 * ROW]], indices: &[u64; 16], d: &mut [Words]) -> bool {
        let (unit, half) = (unit(self.mma.a), self.mma.d == ScalarType::F16);
        let length = row_bytes(a);
        let sum = |row: usize, column: usize, c: u32| {
            let factors = compressed(a, row);
            let selected = select(&b[column], indices[row], unit);
            self.dot(&factors[..length], &selected[..length], c)
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

    fn dot(&self, a: &[u8], b: &[u8], c: u32) -> Option<u32> {
        if self.warpgroup
            && let Some(sum) = eight_of_warpgroup(&self.mma, a, b, c.into())
        {
            return Some(sum as u32);
        }
        let elements = |row: &[u8]| elements(row, self.mma.a.bits());
        Some(Product::of(&self.mma)?.dot(&elements(a), &elements(b), c.into()) as u32)
    }
}

/// Returns the number of bytes of a row of a fragment of A.
pub fn row_bytes(a: &[&Words]) -> usize {
    8 * a.len()
}

/// Returns a row of a fragment of A.
pub fn compressed(a: &[&Words], row: usize) -> [u8; ROW] {
    let mut bytes = [0; ROW];
    for (word, bytes) in bytes.chunks_exact_mut(4).take(2 * a.len()).enumerate() {
        let register = a[row / 8 + 2 * (word / 4)];
        bytes.copy_from_slice(&register[row % 8 * 4 + word % 4].to_le_bytes());
    }
    bytes
}

/// Returns a column of a fragment of B, of at most four registers.
pub fn column(b: &[&Words], column: usize) -> [u8; 2 * ROW] {
    let mut bytes = [0; 2 * ROW];
    for (word, bytes) in bytes.chunks_exact_mut(4).take(4 * b.len()).enumerate() {
        bytes.copy_from_slice(&b[word / 4][column * 4 + word % 4].to_le_bytes());
    }
    bytes
}

fn elements(row: &[u8], bits: u32) -> Vec<u64> {
    if bits == 4 {
        return row.iter().flat_map(|&byte| [u64::from(byte & 15), u64::from(byte >> 4)]).collect();
    }
    let element = |e: &[u8]| e.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
    row.chunks_exact(bits as usize / 8).map(element).collect()
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
        assert_eq!(indices(&metadata, (1, ROW), 0)[9], 0x0007_1007_0005_1005);
        assert_eq!(indices(&metadata, (2, ROW), 0)[1], 0x1005_1004);
        assert_eq!(indices(&metadata, (2, ROW), 1)[9], 0x0007_0006);
        assert_eq!(indices(&metadata, (1, 16), 1)[9], 0x0007_1007);
        assert_eq!(indices(&metadata, (2, 16), 3)[9], 0x0007);
        assert_eq!(indices(&metadata, (2, 16), 3)[1], 0x1007);
    }
}
