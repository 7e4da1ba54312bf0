//! The handles of conditional graph nodes: cells of device memory that kernels set.
//!
//! A handle is the address of a cell, which the implementation of the CUDA API has written. Detectors ignore
//! accesses to cells: the order in which several threads set a cell is up to the program.

const MAGIC: u64 = 0x7761_7270_636f_6e64;

/// Bytes of a cell.
pub const BYTES: usize = 16;

/// The offset of the value, a `u32`, in a cell.
pub const VALUE: usize = 8;

/// Returns a cell with a value.
pub fn encode(value: u32) -> [u8; BYTES] {
    let mut cell = [0; BYTES];
    cell[..VALUE].copy_from_slice(&MAGIC.to_le_bytes());
    cell[VALUE..VALUE + 4].copy_from_slice(&value.to_le_bytes());
    cell
}

/// Returns a cell's value; `None` if the bytes are not a cell.
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
