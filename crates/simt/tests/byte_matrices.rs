//! `ldmatrix` and `stmatrix` of elements of 8 bits and less (PTX §9.7.15.5.15 and §9.7.15.5.16).

use crate::support::Machine;

/// Returns a kernel of one warp that fills rows of 16 bytes from `from`, executes `body` with a row's address in `%at`, and
/// stores what `then` leaves in `%r0` to `%r3`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.7\n.target sm_100a\n.address_size 64
.visible .entry k(.param .u64 from, .param .u64 out) {{
    .reg .b64 %from, %out, %x; .reg .b32 %t, %at, %r<4>;
    .shared .align 16 .b8 rows[512];
    ld.param.u64 %from, [from]; ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x; mov.u32 %at, rows; mad.lo.u32 %at, %t, 16, %at;
    mul.wide.u32 %x, %t, 16; add.u64 %from, %from, %x; add.u64 %out, %out, %x;
    ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%from];
    {body}
    st.global.v4.b32 [%out], {{%r0, %r1, %r2, %r3}}; ret;
}}"
    )
}

const FILL: &str = "st.shared.v4.b32 [%at], {%r0, %r1, %r2, %r3}; bar.sync 0;";

/// Runs a kernel; returns 32 rows of 16 bytes before and after.
fn run(body: &str) -> (Vec<u8>, Vec<u8>) {
    let machine = Machine::new(&kernel(body));
    let words: Vec<u32> = (1..=128u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (from, out) = (machine.upload(&words), machine.alloc(512));
    machine.finish("k", 1, 32, args![from, out]);
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    (bytes(&words), bytes(&machine.words(out, 128)))
}

/// Returns element `i` of `bits` bits of a row.
fn element(row: &[u8], bits: usize, i: usize) -> u8 {
    (0..bits).map(|b| (row[(bits * i + b) / 8] >> ((bits * i + b) % 8) & 1) << b).sum()
}

#[test]
fn matrices_of_16_by_16_bytes_are_read_by_columns() {
    for (format, bits) in [("b8", 8), ("b8x16.b6x16_p32", 6), ("b8x16.b4x16_p64", 4)] {
        let (rows, got) = run(&format!(
            "{FILL} ldmatrix.sync.aligned.m16n16.x2.trans.shared.{format} {{%r0, %r1, %r2, %r3}}, [%at];"
        ));
        for (matrix, row, column) in
            (0..2).flat_map(|m| (0..16).flat_map(move |row| (0..16).map(move |column| (m, row, column))))
        {
            // A group of four lanes has a row, of the transposed matrix; the second register has the lower rows.
            let (lane, register) = (row % 8 * 4 + column / 4, 2 * matrix + row / 8);
            let found = got[16 * lane + 4 * register + column % 4];
            let from = 16 * (16 * matrix + column);
            let want = element(&rows[from..from + 16], bits, row);
            assert_eq!(found, want, "{format}, matrix {matrix}, row {row}, column {column}");
        }
    }
}

#[test]
fn matrices_of_8_by_16_narrow_elements_are_unpacked() {
    for (format, bits) in [("b6x16_p32", 6), ("b4x16_p64", 4)] {
        let (rows, got) = run(&format!(
            "{FILL} ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.{format} {{%r0, %r1, %r2, %r3}}, [%at];"
        ));
        for (row, column) in (0..32).flat_map(|row| (0..16).map(move |column| (row, column))) {
            let (lane, register) = (row % 8 * 4 + column / 4, row / 8);
            let want = element(&rows[16 * row..16 * row + 16], bits, column);
            assert_eq!(
                got[16 * lane + 4 * register + column % 4],
                want,
                "{format}, row {row}, column {column}"
            );
        }
    }
}

#[test]
fn matrices_of_16_by_8_bytes_are_stored_by_columns() {
    let (values, got) =
        run("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%at], {%r0, %r1, %r2, %r3}; bar.sync 0;
         ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%at];");
    for (matrix, row, column) in
        (0..4).flat_map(|m| (0..16).flat_map(move |row| (0..8).map(move |column| (m, row, column))))
    {
        let lane = row % 8 * 4 + column / 2;
        let want = values[16 * lane + 4 * matrix + row / 8 * 2 + column % 2];
        assert_eq!(
            got[16 * (8 * matrix + column) + row],
            want,
            "matrix {matrix}, row {row}, column {column}"
        );
    }
}
