//! The handles of conditional graph nodes: cells of device memory that kernels set.
//!
//! A handle is the address of a cell, which whoever serves the CUDA API has written there. To the detector
//! a cell is no memory: which of several threads sets it last is the program's affair.

const MAGIC: u64 = 0x7761_7270_636f_6e64;

/// Bytes of a cell.
pub const BYTES: usize = 16;

/// Where in a cell the value stands, as a `u32`.
pub const VALUE: usize = 8;

/// A cell with a value.
pub fn encode(value: u32) -> [u8; BYTES] {
    let mut cell = [0; BYTES];
    cell[..VALUE].copy_from_slice(&MAGIC.to_le_bytes());
    cell[VALUE..VALUE + 4].copy_from_slice(&value.to_le_bytes());
    cell
}

/// A cell's value; `None` if it is no cell.
pub fn decode(cell: &[u8; BYTES]) -> Option<u32> {
    let (magic, value) = cell.split_first_chunk()?;
    (u64::from_le_bytes(*magic) == MAGIC).then_some(())?;
    value.first_chunk().map(|v| u32::from_le_bytes(*v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_keeps_its_value() {
        assert_eq!(decode(&encode(7)), Some(7));
        assert_eq!(decode(&[0; BYTES]), None);
    }
}
