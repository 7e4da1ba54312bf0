//! The columns of B that count as zero: the zero-column mask descriptor (PTX §9.7.17.4.3).
//!
//! The table of its fields and its examples contradict each other. Here the examples count: `Use Span` has the columns that
//! are used, `Skip Span` those that are zero, and `Column Shift` is the first column of B.

use super::Fault;

/// Which columns of B are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZeroColumns {
    zero: Vec<bool>,
    /// The column of B that is the product's first.
    pub shift: usize,
}

impl ZeroColumns {
    /// Returns the columns that a descriptor says, of a product of `m` rows and `n` columns.
    pub fn of(bits: u64, (m, n): (usize, usize)) -> Result<ZeroColumns, Fault> {
        let byte = |at: usize| (bits >> at & 0xff) as usize;
        let shift = (bits >> 56 & 0x3f) as usize;
        if bits >> 36 & 7 != 0 || bits >> 62 != 0 || shift > if m == 32 { 16 } else { 32 } {
            let why = "tcgen05.mma with an impossible descriptor of columns that are zero";
            return Err(Fault::Illegal(why.to_owned()));
        }
        if bits >> 39 & 1 == 0 {
            return Ok(ZeroColumns { zero: Vec::new(), shift });
        }
        let (skipped, used) = (byte(40) + 1, byte(48) + 1);
        // One mask for each repetition of the rows in the lanes.
        let each = n * m / 128;
        let zero = |column: usize| {
            let mask = column / each;
            let at = (column % each + byte(8 * mask)) % (skipped + used);
            match bits >> (32 + mask) & 1 {
                0 => at >= used,
                _ => at < skipped,
            }
        };
        Ok(ZeroColumns { zero: (0..n).map(zero).collect(), shift })
    }

    /// Returns whether a column of the product counts as zero in B.
    pub fn zero(&self, column: usize) -> bool {
        self.zero.get(column).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first columns of each mask, the last one first, as PTX writes them.
    fn masks(starts: u64, first: u64, shift: u64, m: usize) -> Vec<String> {
        let bits = starts | first << 32 | 1 << 39 | 2 << 40 | 3 << 48 | shift << 56;
        let zeros = ZeroColumns::of(bits, (m, 64)).unwrap();
        assert_eq!(zeros.shift, shift as usize);
        let each = 64 * m / 128;
        let digit = |column: usize| if zeros.zero(column) { '1' } else { '0' };
        (0..128 / m).map(|mask| (0..12).rev().map(|i| digit(mask * each + i)).collect()).collect()
    }

    #[test]
    fn masks_are_those_of_the_examples() {
        assert_eq!(masks(0, 0, 0, 128), ["100001110000"]);
        assert_eq!(masks(0, 1, 0, 64), ["001110000111", "100001110000"]);
        let of_32 = ["001110000111", "000111000011", "111000011100", "110000111000"];
        assert_eq!(masks(0x0102_0100, 0b0011, 2, 32), of_32);
    }

    #[test]
    fn a_mask_may_be_empty() {
        assert!(!ZeroColumns::of(0, (128, 64)).unwrap().zero(5));
        assert!(ZeroColumns::of(33 << 56, (128, 64)).is_err());
    }
}
