//! Fifth-generation tensor cores against a slow reference after the text of PTX §9.7.17: factors in shared and in
//! tensor memory, for each kind, shape and layout. Factors are small integers, so that sums do not depend on their
//! order.

use crate::support;

use support::Machine;

/// The words of shared memory that the kernel fills.
const WORDS: usize = 8192;
/// The place of B in shared memory.
const B: usize = 16384;
/// The columns of tensor memory that the kernel writes first, from an image; D begins at the first.
const COLUMNS: usize = 256;

/// Where the leading and the stride dimension's offsets lead in tiles without swizzle, and in lines.
const LEADING: usize = 2048;
const STRIDE: usize = 128;

/// The type of a factor: its bits, its number in the descriptor, whether sixteen elements have sixteen bytes in
/// shared memory, and its encoding of 0, 1 and 2.
#[derive(Clone, Copy)]
struct Type {
    bits: usize,
    number: u32,
    padded: bool,
    codes: [u32; 3],
}

const fn ty(bits: usize, number: u32, padded: bool, codes: [u32; 3]) -> Type {
    Type { bits, number, padded, codes }
}

const F16: Type = ty(16, 0, false, [0, 0x3c00, 0x4000]);
const BF16: Type = ty(16, 1, false, [0, 0x3f80, 0x4000]);
const TF32: Type = ty(32, 2, false, [0, 0x3f80_0000, 0x4000_0000]);
const S8: Type = ty(8, 1, false, [0, 1, 2]);
const E4M3: Type = ty(8, 0, false, [0, 0x38, 0x40]);
const E5M2: Type = ty(8, 1, false, [0, 0x3c, 0x40]);
const E2M3: Type = ty(6, 3, true, [0, 0x08, 0x10]);
const E3M2: Type = ty(6, 4, true, [0, 0x0c, 0x10]);
const E2M1: Type = ty(4, 5, true, [0, 2, 4]);
/// The number of `.kind::mxf4`.
const FOUR: Type = ty(4, 1, false, [0, 2, 4]);

#[derive(Clone, Copy)]
struct Case {
    kind: &'static str,
    a: Type,
    b: Type,
    m: usize,
    n: usize,
    /// The number of the swizzling mode, and the bytes of its line.
    layout: (u64, usize),
    transposed: bool,
    stationary: bool,
    /// Whether A is in tensor memory.
    tensor: bool,
    /// The sparsity selector, if A is sparse.
    sparse: Option<usize>,
    /// Whether rows of A move down.
    shifted: bool,
    /// The descriptor of columns that are zero, or zero.
    zeros: u64,
    /// D's number.
    d: u32,
}

const PLAIN: Case = Case {
    kind: "f16",
    a: F16,
    b: F16,
    m: 128,
    n: 32,
    layout: (0, 16),
    transposed: false,
    stationary: false,
    tensor: false,
    sparse: None,
    shifted: false,
    zeros: 0,
    d: 1,
};

/// The elements of four that a row of a sparse A has, by row and four.
fn chosen(row: usize, four: usize) -> (usize, usize) {
    [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)][(row * 5 + four * 3 + row / 8) % 6]
}

fn factor(row: usize, k: usize, salt: usize) -> usize {
    (row * 7 + k * 3 + salt + row * k) % 3
}

impl Case {
    /// Elements of a row of A in memory, which has 32 bytes.
    fn k(&self) -> usize {
        if self.a.padded { 32 } else { 256 / self.a.bits }
    }

    /// Elements of a row of B.
    fn whole(&self) -> usize {
        if self.sparse.is_some() { 2 * self.k() } else { self.k() }
    }

    /// Returns the column of the `k`-th element of A that is in memory.
    fn column(&self, row: usize, k: usize) -> usize {
        if self.sparse.is_none() {
            return k;
        }
        match self.kind {
            // One of each two.
            "tf32" => 2 * k + usize::from(chosen(row, k).0 > 0),
            // Two pairs of each four.
            "mxf4" | "mxf4nvf4" => self.of_four(row, k / 2) * 2 + k % 2,
            _ => self.of_four(row, k),
        }
    }

    fn of_four(&self, row: usize, unit: usize) -> usize {
        let (first, second) = chosen(row, unit / 2);
        unit / 2 * 4 + if unit.is_multiple_of(2) { first } else { second }
    }

    /// Returns the lane, the column and the bit of the four bits of metadata of a four of a row (figures 262 to 267).
    fn metadata(&self, row: usize, four: usize) -> (usize, usize, usize) {
        let lane_of = |row: usize| self.cell(row, 0).0;
        match self.kind {
            "f16" | "tf32" => {
                let (low, upper, group) = (row % 8, row / 8 % 2, row / 16);
                (lane_of(group * 16 + four / 4 * 8 + low), self.sparse.unwrap(), upper * 16 + four % 4 * 4)
            }
            _ => (lane_of(row), four / 8, four % 8 * 4),
        }
    }

    /// Returns the bit of shared memory at which an element of a factor begins, from the tables of the canonical
    /// layouts (§9.7.17.3.3).
    fn place(&self, of: Type, start: usize, row: usize, k: usize) -> usize {
        // The bit in a row of 32 bytes.
        let in_row = match of.padded {
            true => k / 16 * 128 + k % 16 * of.bits,
            false => k * of.bits,
        };
        let (layout, line) = self.layout;
        let repeats = if layout == 1 { 4 } else { 8 };
        let (across, down, offsets) = match (self.transposed, layout) {
            (false, 0) => (in_row / 8, row, (LEADING, STRIDE)),
            (false, _) => (in_row / 8, row, (16, line * 8)),
            (true, 0) => (row * of.bits / 8, k, (STRIDE, LEADING)),
            (true, _) => (row * of.bits / 8, k, (LEADING, line * repeats)),
        };
        let groups = if layout == 0 { across / 16 * offsets.0 } else { across / line * offsets.0 };
        let chunk = if layout == 0 { across % 16 } else { across % line };
        let repeats = if self.transposed { repeats } else { 8 };
        let at = start + groups + down / repeats * offsets.1 + down % repeats * line + chunk;
        let at = match layout {
            1 => at ^ (at >> 7 & 3) << 5,
            2 => at ^ (at >> 7 & 7) << 4,
            4 => at ^ (at >> 7 & 3) << 4,
            6 => at ^ (at >> 7 & 1) << 4,
            _ => at,
        };
        at * 8 + in_row % 8
    }

    fn descriptor(&self, start: usize) -> u64 {
        let (layout, line) = self.layout;
        let repeats = if layout == 1 && self.transposed { 4 } else { 8 };
        let (leading, stride) = match layout {
            0 => (LEADING, STRIDE),
            _ => (LEADING, line * repeats),
        };
        (layout << 61)
            | (1 << 46)
            | ((stride as u64 / 16) << 32)
            | ((leading as u64 / 16) << 16)
            | (start as u64 / 16)
    }

    fn scaled(&self) -> bool {
        self.kind.starts_with("mx")
    }

    fn form(&self) -> u32 {
        let both = u32::from(self.transposed);
        let sparse = self.sparse.map_or(0, |selector| selector as u32 | 4);
        let types = sparse | self.a.number << 7 | self.b.number << 10 | both << 15 | both << 16;
        let n = (self.n as u32 >> 3) << 17;
        // Scales are exponents.
        match self.scaled() {
            true => types | n | 1 << 23 | (self.m as u32 >> 7) << 27,
            false => self.d << 4 | types | n | (self.m as u32 >> 4) << 24,
        }
    }

    /// Returns the lane and the column of an element of D (§9.7.17.10.5).
    fn cell(&self, row: usize, column: usize) -> (usize, usize) {
        match (self.m, self.stationary) {
            (32, _) => (row + 32 * (column / (self.n / 4)), column % (self.n / 4)),
            (64, true) => (row + 64 * (column / (self.n / 2)), column % (self.n / 2)),
            (64, false) => (row % 16 + row / 16 * 32, column),
            _ => (row, column),
        }
    }

    /// The scale of a row, of which each has one: 1, 2 or 4.
    fn scale(&self, row: usize) -> usize {
        if self.scaled() { 1 << (row % 3) } else { 1 }
    }

    /// Returns shared memory, and tensor memory by lane and column.
    fn images(&self) -> (Vec<u32>, Vec<u32>) {
        let (mut shared, mut tensor) = (vec![0u32; WORDS], vec![0u32; 128 * COLUMNS]);
        let put = |words: &mut [u32], bit: usize, code: u32| words[bit / 32] |= code << (bit % 32);
        let wide = |words: &mut [u32], bit: usize, bits: usize, code: u32| {
            (0..bits).for_each(|i| put(words, bit + i, code >> i & 1));
        };
        for k in 0..self.whole() {
            for row in 0..self.n + if self.zeros == 0 { 0 } else { 3 } {
                let bit = self.place(self.b, B, row, k);
                wide(&mut shared, bit, self.b.bits, self.b.codes[factor(row, k, 2)]);
            }
        }
        if self.sparse.is_some() {
            let fours = if self.kind == "tf32" { self.k() } else { 32 / self.a.bits.max(8) * 4 };
            for (row, four) in (0..self.m).flat_map(|row| (0..fours).map(move |four| (row, four))) {
                let (first, second) = match (self.kind, chosen(row, four)) {
                    ("tf32", (0, _)) => (0, 1),
                    ("tf32", _) => (2, 3),
                    (_, two) => two,
                };
                let (lane, column, bit) = self.metadata(row, four);
                let at = (lane * COLUMNS + AT_METADATA + column) * 32 + bit;
                wide(&mut tensor, at, 4, (first | second << 2) as u32);
            }
        }
        for k in 0..self.k() {
            for row in 0..self.m {
                let code = self.a.codes[factor(row, k, 1)];
                if self.tensor {
                    let (lane, _) = self.cell(row, 0);
                    let bit = (lane * COLUMNS + AT_A) * 32 + k * self.a.bits;
                    wide(&mut tensor, bit, self.a.bits, code);
                } else {
                    let bit = self.place(self.a, 0, row, k);
                    wide(&mut shared, bit, self.a.bits, code);
                }
            }
        }
        for quarter in 0..4 {
            for (at, rows) in [(AT_SCALE_A, self.m), (AT_SCALE_B, self.n)] {
                for row in 0..rows {
                    let exponent = 127 + (row % 3) as u32;
                    let cell = (32 * quarter + row % 32) * COLUMNS + at + row / 32;
                    tensor[cell] = exponent * 0x0101_0101;
                }
            }
        }
        (shared, tensor)
    }

    fn instruction(&self) -> String {
        let op = match (self.stationary, self.sparse.is_some()) {
            (false, false) => "tcgen05.mma",
            (false, true) => "tcgen05.mma.sp",
            (true, false) => "tcgen05.mma.ws",
            (true, true) => "tcgen05.mma.ws.sp",
        };
        let metadata = if self.sparse.is_some() { format!("[%d+{AT_METADATA}], ") } else { String::new() };
        let scale = match self.kind {
            "mxf8f6f4" => ".block_scale.scale_vec::1X",
            "mxf4" | "mxf4nvf4" => ".block_scale.scale_vec::2X",
            _ => "",
        };
        let a = if self.tensor { format!("[%d+{AT_A}]") } else { "%a".to_owned() };
        let scales = match self.scaled() {
            true => format!("[%d+{AT_SCALE_A}], [%d+{AT_SCALE_B}], "),
            false => String::new(),
        };
        let kind = self.kind;
        let shift = if self.shifted { ".ashift" } else { "" };
        format!(
            "{op}.cta_group::1.kind::{kind}{scale}{shift} [%d], {a}, %b, {metadata}%form, \
             {scales}%adds{};",
            if self.zeros == 0 { String::new() } else { format!(", {}", self.zeros) },
        )
    }

    fn sum(&self, row: usize, column: usize) -> usize {
        let zeros = ZEROS.as_bytes();
        if self.zeros != 0 && zeros[zeros.len() - 1 - column % zeros.len()] == b'1' {
            return 0;
        }
        let of_a = if self.shifted { row.saturating_sub(1) } else { row };
        let of_b = if self.zeros == 0 { column } else { column + 3 };
        let products = (0..self.k()).map(|k| factor(of_a, k, 1) * factor(of_b, self.column(row, k), 2));
        products.sum::<usize>() * self.scale(row) * self.scale(column)
    }

    fn word(&self, sum: usize) -> u32 {
        match (self.kind, self.d) {
            ("i8", _) => sum as u32,
            ("f16" | "f8f6f4", 0) => {
                let bits = (sum as f32).to_bits();
                if sum == 0 { 0 } else { ((bits >> 13) - (112 << 10)) & 0xffff }
            }
            _ => (sum as f32).to_bits(),
        }
    }

    fn check(&self, name: &str) {
        let (shared, tensor) = self.images();
        let m = Machine::new(&text(&self.instruction()));
        let (shared, tensor) = (m.upload(&shared), m.upload(&tensor));
        let out = m.alloc(128 * 4 * COLUMNS as u64);
        // The second product adds to the first.
        let (a, b) = (self.descriptor(0), self.descriptor(B));
        m.finish("k", 1, 128, args![shared, tensor, out, a, b, self.form()]);
        let got = m.words(out, 128 * COLUMNS);
        for row in 0..self.m {
            for column in 0..self.n {
                let (lane, at) = self.cell(row, column);
                let want = self.word(2 * self.sum(row, column));
                assert_eq!(got[lane * COLUMNS + at], want, "{name}: row {row}, column {column}");
            }
        }
    }
}

const AT_A: usize = 144;
const AT_SCALE_A: usize = 160;
const AT_SCALE_B: usize = 176;
const AT_METADATA: usize = 192;

/// Four columns that are used, and three that are zero; the first of B is its third.
const COLUMNS_THAT_ARE_ZERO: u64 = 1 << 39 | 2 << 40 | 3 << 48 | 3 << 56;
/// Its mask, the first column last.
const ZEROS: &str = "1110000";

/// A kernel that fills shared and tensor memory, multiplies twice, and writes all of its tensor memory.
fn text(multiply: &str) -> String {
    let fill: String = (0..WORDS / 128)
        .map(|i| format!("ld.global.u32 %w, [%shared + {0}]; st.shared.u32 [%s + {0}], %w;", 512 * i))
        .collect();
    let columns = |f: &dyn Fn(usize) -> String| (0..COLUMNS).map(f).collect::<String>();
    let store = columns(&|c| {
        format!(
            "ld.global.u32 %w, [%tensor + {}];
             tcgen05.st.sync.aligned.32x32b.x1.b32 [%own + {c}], {{%w}};",
            4 * c
        )
    });
    let load = columns(&|c| {
        format!(
            "tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%w}}, [%own + {c}]; st.global.u32 [%out + {}], %w;",
            4 * c
        )
    });
    format!(
        ".version 8.8\n.target sm_100a\n.address_size 64
         .visible .entry k(.param .u64 shared, .param .u64 tensor, .param .u64 out, .param .u64 a,
                           .param .u64 b, .param .u32 form) {{
             .reg .b64 %shared, %tensor, %out, %a, %b, %x; .reg .b32 %s, %w, %t, %d, %own, %form;
             .reg .pred %first, %adds, %done, %warp;
             .shared .align 1024 .b8 tiles[{}]; .shared .b32 place; .shared .align 8 .b64 object;
             ld.param.u64 %shared, [shared]; ld.param.u64 %tensor, [tensor]; ld.param.u64 %out, [out];
             ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u32 %form, [form];
             mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.u64 %shared, %shared, %x;
             mul.wide.u32 %x, %t, {}; add.u64 %out, %out, %x; add.u64 %tensor, %tensor, %x;
             mov.u32 %s, tiles; mad.lo.u32 %s, %t, 4, %s; {fill}
             setp.eq.u32 %first, %t, 0; setp.lt.u32 %warp, %t, 32;
             @%first mbarrier.init.shared::cta.b64 [object], 1;
             @%warp tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], {COLUMNS};
             fence.proxy.async.shared::cta; bar.sync 0;
             ld.shared.u32 %d, [place]; shr.u32 %own, %t, 5; shl.b32 %own, %own, 21; add.u32 %own, %own, %d;
             {store} tcgen05.wait::st.sync.aligned; bar.sync 0;
             setp.ne.u32 %adds, %t, %t; @%first {multiply}
             setp.eq.u32 %adds, %t, %t; @%first {multiply}
             @%first tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [object];
             AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %done, [object], 0; @!%done bra AGAIN;
             tcgen05.fence::after_thread_sync;
             {load} tcgen05.wait::ld.sync.aligned; bar.sync 0;
             @%warp tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, {COLUMNS};
             @%warp tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
             ret;
         }}",
        WORDS * 4,
        COLUMNS * 4,
    )
}

const LAYOUTS: [(u64, usize); 4] = [(0, 16), (2, 128), (4, 64), (6, 32)];

#[test]
fn halves_are_multiplied_in_every_layout() {
    for layout in LAYOUTS {
        for transposed in [false, true] {
            let case = Case { layout, transposed, n: 64, ..PLAIN };
            case.check(&format!("layout {}, transposed: {transposed}", layout.0));
        }
    }
}

#[test]
fn each_kind_multiplies_its_types() {
    for (kind, a, b, d) in [
        ("f16", F16, F16, 0),
        ("f16", BF16, BF16, 1),
        ("tf32", TF32, TF32, 1),
        ("i8", S8, S8, 2),
        ("f8f6f4", E4M3, E5M2, 1),
        ("f8f6f4", E2M3, E3M2, 1),
        ("f8f6f4", E2M1, E4M3, 0),
    ] {
        Case { kind, a, b, d, ..PLAIN }.check(&format!("{kind}, {}, {}", a.number, b.number));
    }
    // Of elements of 32 bits, only units of 32 bytes are transposed; of eight bits, all but those.
    Case { kind: "tf32", a: TF32, b: TF32, layout: (1, 128), transposed: true, ..PLAIN }
        .check("tf32 transposed");
    Case { kind: "i8", a: S8, b: S8, d: 2, layout: (6, 32), transposed: true, ..PLAIN }
        .check("i8 transposed");
}

#[test]
fn blocks_are_scaled() {
    for (kind, a, b) in
        [("mxf8f6f4", E4M3, E5M2), ("mxf8f6f4", E2M1, E3M2), ("mxf4", FOUR, FOUR), ("mxf4nvf4", FOUR, FOUR)]
    {
        Case { kind, a, b, ..PLAIN }.check(kind);
    }
}

#[test]
fn rows_have_the_lanes_of_their_shape() {
    for (m, n, stationary) in [(64, 40, false), (128, 128, true), (64, 64, true), (32, 128, true)] {
        Case { m, n, stationary, ..PLAIN }.check(&format!("{m}x{n}, stationary: {stationary}"));
    }
}

#[test]
fn a_may_be_in_tensor_memory() {
    for m in [64, 128] {
        Case { m, tensor: true, ..PLAIN }.check(&format!("{m} rows of halves"));
        Case { m, tensor: true, kind: "i8", a: S8, b: S8, d: 2, ..PLAIN }
            .check(&format!("{m} rows of bytes"));
    }
}

#[test]
fn sparse_rows_have_their_elements_where_the_metadata_says() {
    let sparse = Some(0);
    for (kind, a, b, d) in [
        ("f16", F16, F16, 1),
        ("f16", BF16, BF16, 1),
        ("tf32", TF32, TF32, 1),
        ("i8", S8, S8, 2),
        ("f8f6f4", E4M3, E5M2, 1),
        ("f8f6f4", E2M1, E4M3, 0),
        ("mxf8f6f4", E4M3, E5M2, 1),
        ("mxf4", FOUR, FOUR, 1),
    ] {
        let layout = (2, 128);
        Case { kind, a, b, d, layout, sparse, ..PLAIN }
            .check(&format!("sparse {kind}, {}, {}", a.number, b.number));
    }
    Case { sparse: Some(1), ..PLAIN }.check("the second selector");
    Case { sparse, tensor: true, ..PLAIN }.check("sparse, in tensor memory");
    Case { sparse, transposed: true, n: 64, layout: (4, 64), ..PLAIN }.check("sparse, transposed");
}

#[test]
fn sparse_rows_have_the_lanes_of_their_shape() {
    for (m, n, stationary) in [(64, 40, false), (128, 128, true), (64, 64, true), (32, 128, true)] {
        for (kind, a, d) in [("f16", F16, 1), ("i8", S8, 2)] {
            let n = if kind == "i8" { n / 16 * 16 } else { n };
            let case = Case { kind, a, b: a, d, m, n, stationary, sparse: Some(0), ..PLAIN };
            case.check(&format!("sparse {kind}, {m}x{n}, stationary: {stationary}"));
        }
    }
}

#[test]
fn rows_of_a_may_move_down() {
    Case { shifted: true, tensor: true, ..PLAIN }.check("`.ashift`");
}

#[test]
fn columns_of_b_may_be_zero() {
    Case { zeros: COLUMNS_THAT_ARE_ZERO, stationary: true, n: 64, ..PLAIN }.check("columns that are zero");
}
