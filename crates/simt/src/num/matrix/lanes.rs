//! `ldmatrix`, `stmatrix`, `movmatrix`: matrices of 16-bit or 8-bit elements, with a row of 16 bytes at each
//! address (PTX §9.7.15.5.15 to §9.7.15.5.17).

use ptx::op::BlockShape;

/// A row as memory has it, or as its elements unpack to.
pub type Bytes = [u8; 16];

/// Returns the rows of one 8x8 matrix.
fn rows_of(bytes: &[Bytes]) -> Rows {
    std::array::from_fn(|row| {
        std::array::from_fn(|i| u16::from_le_bytes([bytes[row][2 * i], bytes[row][2 * i + 1]]))
    })
}

/// Returns the lanes' values of register `nth` of `ldmatrix`; `bytes` are the rows at the lanes' addresses.
pub fn load_block(bytes: &[Bytes; 32], nth: usize, shape: BlockShape, trans: bool) -> [u32; 32] {
    match shape {
        BlockShape::M8n8 | BlockShape::M16n8 => load(&rows_of(&bytes[8 * nth..8 * nth + 8]), trans),
        BlockShape::M8n16 => std::array::from_fn(|lane| {
            let row = &bytes[8 * nth + lane / 4];
            u32::from_le_bytes(std::array::from_fn(|j| row[lane % 4 * 4 + j]))
        }),
        // Two registers of a matrix, which is read by columns: the first has the upper half of its rows.
        BlockShape::M16n16 => std::array::from_fn(|lane| {
            let column = lane / 4 + nth % 2 * 8;
            u32::from_le_bytes(std::array::from_fn(|j| bytes[nth / 2 * 16 + lane % 4 * 4 + j][column]))
        }),
    }
}

/// Sets the rows that `stmatrix` stores of register `nth`.
pub fn store_block(
    bytes: &mut [Bytes; 32],
    nth: usize,
    shape: BlockShape,
    trans: bool,
    registers: &[u32; 32],
) {
    if shape != BlockShape::M16n8 {
        for (bytes, row) in bytes[8 * nth..].iter_mut().zip(store(registers, trans)) {
            *bytes = std::array::from_fn(|i| row[i / 2].to_le_bytes()[i % 2]);
        }
        return;
    }
    for (lane, value) in registers.iter().enumerate() {
        for (j, byte) in value.to_le_bytes().into_iter().enumerate() {
            bytes[8 * nth + lane % 4 * 2 + j % 2][lane / 4 + j / 2 * 8] = byte;
        }
    }
}

/// Returns 16 elements of `bits` bits as the low bits of bytes.
pub fn unpack(row: &Bytes, bits: usize) -> Bytes {
    let all = u128::from_le_bytes(*row);
    std::array::from_fn(|i| (all >> (bits * i)) as u8 & ((1 << bits) - 1))
}

/// The rows of one 8x8 matrix, 16 bytes of memory each.
pub type Rows = [[u16; 8]; 8];

/// Returns the lane whose address operand is that of row `row` of matrix `matrix` (of up to four).
pub fn address_lane(matrix: usize, row: usize) -> usize {
    8 * matrix + row
}

/// Returns the lanes' registers that `ldmatrix` loads for one matrix.
pub fn load(rows: &Rows, trans: bool) -> [u32; 32] {
    std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, lane % 4 * 2);
        let [low, high] = if trans {
            [rows[column][row], rows[column + 1][row]]
        } else {
            [rows[row][column], rows[row][column + 1]]
        };
        u32::from(high) << 16 | u32::from(low)
    })
}

/// Returns the rows that `stmatrix` stores from the lanes' registers for one matrix.
pub fn store(registers: &[u32; 32], trans: bool) -> Rows {
    let mut rows = [[0; 8]; 8];
    for (lane, value) in registers.iter().enumerate() {
        let (row, column) = (lane / 4, lane % 4 * 2);
        for (j, half) in [*value as u16, (*value >> 16) as u16].into_iter().enumerate() {
            if trans {
                rows[column + j][row] = half;
            } else {
                rows[row][column + j] = half;
            }
        }
    }
    rows
}

/// `movmatrix.trans`: transposes a matrix across the lanes.
pub fn transpose(registers: &[u32; 32]) -> [u32; 32] {
    load(&store(registers, false), true)
}
