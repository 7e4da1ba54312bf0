//! `ldmatrix`, `stmatrix`, `movmatrix`: 8x8 matrices of 16-bit elements, with a row of 16 bytes at each
//! address (PTX §9.7.15.5.15 to §9.7.15.5.17).

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
