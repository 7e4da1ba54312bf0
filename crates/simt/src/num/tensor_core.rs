//! Matrix products of fifth-generation tensor cores (PTX §9.7.17.10): the instruction descriptor, the factors,
//! and the sum.
//!
//! PTX does not say how a sum is rounded. Here a sum of floating-point products is made in double precision,
//! beginning with D and in the order of K, and rounded once to the type of D, to nearest. Factors of at most 16
//! bits have exact products.

mod accumulator;
mod element;
mod shape;
mod sums;
mod zeros;

pub use accumulator::Accumulator;
pub use element::Element;
pub use shape::{Fault, Shape};
use sums::Operands;
pub use zeros::ZeroColumns;

/// A factor: rows of elements, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// The number of elements in a row.
    pub k: usize,
    pub values: Vec<f64>,
    /// The column of each element in the whole matrix, if it is sparse; empty otherwise.
    places: Vec<u16>,
}

impl Factor {
    /// Returns the elements of rows of 32 bytes; `padded` if elements of fewer than eight bits are packed by 16
    /// into chunks of 16 bytes, as in shared memory (§9.7.17.10.4).
    pub fn of(rows: &[[u32; 8]], element: Element, padded: bool, negate: bool) -> Factor {
        let bits = element.bits();
        let chunk = if padded && bits < 8 { 16 } else { 128 / bits };
        let sign = if negate { -1.0 } else { 1.0 };
        let mut values = Vec::with_capacity(rows.len() * 2 * chunk);
        match bits {
            16 => {
                let halves = rows.as_flattened().iter().flat_map(|word| [word & 0xffff, word >> 16]);
                values.extend(halves.map(|bits| sign * element.value(bits)));
                return Factor { k: 2 * chunk, values, places: Vec::new() };
            }
            8 => {
                let table: [f64; 256] = std::array::from_fn(|bits| sign * element.value(bits as u32));
                let bytes = rows.as_flattened().iter().flat_map(|word| word.to_le_bytes());
                values.extend(bytes.map(|byte| table[usize::from(byte)]));
                return Factor { k: 2 * chunk, values, places: Vec::new() };
            }
            _ => {}
        }
        for row in rows {
            for half in row.chunks_exact(4) {
                let whole = half.iter().rev().fold(0u128, |all, word| all << 32 | u128::from(*word));
                let at = |i: usize| (whole >> (i * bits)) as u32 & (u32::MAX >> (32 - bits));
                values.extend((0..chunk).map(|i| sign * element.value(at(i))));
            }
        }
        Factor { k: 2 * chunk, values, places: Vec::new() }
    }

    /// Returns the elements of rows of 32 bytes that have an element each, as `mma` takes them: `.e2m1` in the four middle
    /// bits, longer ones in the lowest.
    pub fn in_bytes(rows: &[[u32; 8]], element: Element) -> Factor {
        let shift = if element.bits() == 4 { 2 } else { 0 };
        let mask = u32::MAX >> (32 - element.bits());
        let of_row = |row: &[u32; 8]| row.map(u32::to_le_bytes).as_flattened().to_vec();
        let bytes = rows.iter().flat_map(of_row);
        let values = bytes.map(|byte| element.value(u32::from(byte) >> shift & mask)).collect();
        Factor { k: 32, values, places: Vec::new() }
    }

    /// Returns a factor whose rows have those of a second one behind them.
    pub fn beside(&self, second: &Factor) -> Factor {
        let rows = self.values.chunks_exact(self.k).zip(second.values.chunks_exact(second.k));
        let values = rows.flat_map(|(first, second)| first.iter().chain(second)).copied().collect();
        Factor { k: self.k + second.k, values, places: Vec::new() }
    }

    /// Makes the factor the compressed form of a sparse one. `indices` has two bits for each unit of each row: `count`
    /// elements, or half of one if that is zero.
    pub fn expand(&mut self, count: usize, indices: impl Iterator<Item = u64>) {
        let k = self.k;
        let of_row = |indices: u64| {
            (0..k).map(move |i| match count {
                // The two halves of an element have adjacent indices.
                0 => 2 * i + (indices >> (4 * i) & 3) as usize / 2,
                _ => {
                    let unit = i / count;
                    let chosen = unit / 2 * 4 + (indices >> (2 * unit) & 3) as usize;
                    chosen * count + i % count
                }
            })
        };
        self.places = indices.flat_map(of_row).map(|place| place as u16).collect();
    }

    /// Makes the elements of some rows zero.
    pub fn clear(&mut self, cleared: impl Fn(usize) -> bool) {
        for (row, values) in self.values.chunks_exact_mut(self.k).enumerate() {
            if cleared(row) {
                values.fill(0.0);
            }
        }
    }

    /// Multiplies each block of a row by its scale factor; `scale` returns that of a row and block.
    pub fn scale(&mut self, blocks: usize, scale: impl Fn(usize, usize) -> f64) {
        let each = self.k / blocks;
        for (row, values) in self.values.chunks_exact_mut(self.k).enumerate() {
            for (block, values) in values.chunks_exact_mut(each).enumerate() {
                let factor = scale(row, block);
                values.iter_mut().for_each(|value| *value *= factor);
            }
        }
    }

    fn rows(&self) -> usize {
        self.values.len() / self.k
    }
}

/// Returns the sums of A's rows with the rows of B transposed, row by row, as words of D. `d` has the words that
/// are added, each divided by 2^`divisor`; without it the sums begin at zero.
pub fn multiply(to: Accumulator, a: &Factor, b: &Factor, d: Option<&[u32]>, divisor: u32) -> Vec<u32> {
    let (columns, k) = (b.rows(), b.k);
    let mut across = vec![0.0; columns * k];
    for (n, row) in b.values.chunks_exact(k).enumerate() {
        row.iter().enumerate().for_each(|(i, value)| across[i * columns + n] = *value);
    }
    let scale = 0.5f64.powi(divisor as i32);
    sums::words(to, &Operands { columns, a, across: &across, d, scale })
}
