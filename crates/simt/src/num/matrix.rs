//! Matrix instructions: the distribution of elements over lanes, and the summation of products (PTX §9.7.15).
//!
//! [`Mma`] describes an instruction; [`multiply`] computes D from the registers of all 32 lanes. PTX does not
//! specify the fragment layouts of `wmma`; these are the H200's, so that programs that inspect fragments
//! behave the same.

pub mod fragment;
pub mod lanes;
mod sum;
mod whole;
mod words;

pub use fragment::Map;
pub use sum::Product;
pub use words::Rows;

use ptx::ast::ScalarType;
use ptx::op::{BoolOp, Fragment, Layout, Op, Shape};

/// Returns one element of a warpgroup's product of 8-bit floats; `None` for other types.
pub fn eight_of_warpgroup(mma: &Mma, a: &[u8], b: &[u8], c: u64) -> Option<u64> {
    sum::eight_of_warpgroup(mma, a, b, c)
}

/// One register in all 32 lanes.
pub type Lanes = [u64; 32];

/// One 32-bit register in all 32 lanes.
pub type Words = [u32; 32];

/// An `mma.sync` or `wmma.mma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mma {
    pub shape: Shape,
    /// Whether it is `wmma`, whose fragments differ from those of `mma` with the same shape.
    pub wmma: bool,
    pub a_layout: Layout,
    pub b_layout: Layout,
    pub d: ScalarType,
    pub a: ScalarType,
    pub b: ScalarType,
    pub c: ScalarType,
    pub satfinite: bool,
    /// `.xor.popc` and `.and.popc` of one-bit elements.
    pub bit_op: Option<BoolOp>,
}

impl Mma {
    /// Returns the description of a matrix multiplication; `None` for other instructions, those of a sparse A and those of
    /// narrow floats.
    pub fn of(op: &Op) -> Option<Mma> {
        match op {
            Op::Mma { sparse: true, .. } | Op::Mma { kind: Some(_), .. } => None,
            op => Mma::described(op),
        }
    }

    /// Returns the shape and types of any matrix multiplication.
    pub(super) fn described(op: &Op) -> Option<Mma> {
        Some(match *op {
            Op::Mma { a_layout, b_layout, shape, d, a, b, c, satfinite, bit_op, .. } => {
                Mma { shape, wmma: false, a_layout, b_layout, d, a, b, c, satfinite, bit_op }
            }
            Op::WmmaMma { a_layout, b_layout, shape, d, a, b, c, satfinite, bit_op } => {
                Mma { shape, wmma: true, a_layout, b_layout, d, a, b, c, satfinite, bit_op }
            }
            _ => return None,
        })
    }

    /// Returns the layout of a fragment.
    pub fn map(&self, fragment: Fragment) -> Option<Map> {
        let ty = match fragment {
            Fragment::A => self.a,
            Fragment::B => self.b,
            Fragment::C => self.c,
            Fragment::D => self.d,
        };
        if self.wmma {
            Map::wmma(fragment, self.shape, ty)
        } else {
            let layout = if fragment == Fragment::A { self.a_layout } else { self.b_layout };
            Map::mma(fragment, self.shape, ty, layout)
        }
    }
}

/// Elements in row-major order, each as its bits.
struct Matrix {
    columns: usize,
    elements: Vec<u64>,
}

impl Matrix {
    fn gather(map: &Map, registers: &[Lanes]) -> Matrix {
        let (rows, columns) = map.size();
        let mut elements = vec![0; rows * columns];
        for (register, lanes) in registers.iter().enumerate() {
            for (lane, value) in lanes.iter().enumerate() {
                for j in 0..map.per_register() {
                    let (row, column) = map.at(lane, register, j);
                    elements[row * columns + column] = map.element(*value, j);
                }
            }
        }
        Matrix { columns, elements }
    }

    fn at(&self, row: usize, column: usize) -> u64 {
        self.elements[row * self.columns + column]
    }
}

/// Computes D = A B + C. Registers are passed and returned in operand order, each with its 32 lanes. Returns
/// `None` for an unsupported shape or type, or the wrong number of registers.
pub fn multiply(mma: &Mma, a: &[Lanes], b: &[Lanes], c: &[Lanes]) -> Option<Vec<Lanes>> {
    if let Some(d) = narrow(mma, a, b, c) {
        return Some(d);
    }
    whole::multiply(mma, a, b, c).or_else(|| multiply_each(mma, a, b, c))
}

/// Implements [`multiply`] by [`multiply_words`].
fn narrow(mma: &Mma, a: &[Lanes], b: &[Lanes], c: &[Lanes]) -> Option<Vec<Lanes>> {
    let words =
        |registers: &[Lanes]| -> Vec<Words> { registers.iter().map(|r| r.map(|v| v as u32)).collect() };
    let (a, b, c) = (words(a), words(b), words(c));
    let [a, b, c] = [&a, &b, &c].map(|words| words.iter().collect::<Vec<_>>());
    let mut d = vec![[0; 32]; mma.map(Fragment::D)?.registers()];
    multiply_words(mma, &a, &b, &c, &mut d).then(|| d.into_iter().map(|r| r.map(u64::from)).collect())
}

/// Implements [`multiply`] for common products of ordinary numbers; otherwise returns false and leaves `d`
/// unchanged.
pub fn multiply_words(mma: &Mma, a: &[&Words], b: &[&Words], c: &[&Words], d: &mut [Words]) -> bool {
    !matches!(mma.a, ScalarType::E4m3 | ScalarType::E5m2) && words::multiply(mma, a, b, c, d)
}

/// Computes a product of a warpgroup like [`multiply_words`]; 8-bit floats are added as [`eight_of_warpgroup`] does.
pub fn multiply_words_of_warpgroup(
    mma: &Mma,
    a: &[&Words],
    b: &[&Words],
    c: &[&Words],
    d: &mut [Words],
) -> bool {
    words::multiply(mma, a, b, c, d)
}

/// Implements [`multiply`] element by element; this is the specification for the faster versions.
pub fn multiply_each(mma: &Mma, a: &[Lanes], b: &[Lanes], c: &[Lanes]) -> Option<Vec<Lanes>> {
    let maps = [Fragment::A, Fragment::B, Fragment::C, Fragment::D].map(|f| mma.map(f));
    let [Some(map_a), Some(map_b), Some(map_c), Some(map_d)] = maps else { return None };
    if (a.len(), b.len(), c.len()) != (map_a.registers(), map_b.registers(), map_c.registers()) {
        return None;
    }
    if map_a.quads() {
        return Some(multiply_quads(mma, [&map_a, &map_b, &map_c, &map_d], a, b, c));
    }
    let product = Product::of(mma)?;
    let (ma, mb, mc) = (Matrix::gather(&map_a, a), Matrix::gather(&map_b, b), Matrix::gather(&map_c, c));
    let k = map_a.size().1;
    let (mut row_a, mut column_b) = (vec![0; k], vec![0; k]);
    let mut d = vec![[0; 32]; map_d.registers()];
    for (register, lanes) in d.iter_mut().enumerate() {
        for (lane, value) in lanes.iter_mut().enumerate() {
            for j in 0..map_d.per_register() {
                let (row, column) = map_d.at(lane, register, j);
                for i in 0..k {
                    row_a[i] = ma.at(row, i);
                    column_b[i] = mb.at(i, column);
                }
                let sum = product.dot(&row_a, &column_b, mc.at(row, column));
                *value |= map_d.place(sum, j);
            }
        }
    }
    Some(d)
}

/// `mma.m8n8k4`: four independent products, one for each group of eight lanes (a quad and the quad sixteen
/// lanes beyond), PTX §9.7.15.5.1. sm_90 has no such instruction; this follows its sequence of
/// single-precision operations.
fn multiply_quads(mma: &Mma, maps: [&Map; 4], a: &[Lanes], b: &[Lanes], c: &[Lanes]) -> Vec<Lanes> {
    let [map_a, map_b, map_c, map_d] = maps;
    let mut d = vec![[0; 32]; map_d.registers()];
    for quad in 0..4 {
        let lanes: [usize; 8] = std::array::from_fn(|i| 4 * quad + i % 4 + 16 * (i / 4));
        let gather = |map: &Map, registers: &[Lanes]| {
            let mut m = [[0u64; 8]; 8];
            for &lane in &lanes {
                for (register, values) in registers.iter().enumerate() {
                    for j in 0..map.per_register() {
                        let (row, column) = map.at(lane, register, j);
                        m[row][column] = map.element(values[lane], j);
                    }
                }
            }
            m
        };
        let (ma, mb, mc) = (gather(map_a, a), gather(map_b, b), gather(map_c, c));
        for &lane in &lanes {
            for (register, values) in d.iter_mut().enumerate() {
                for j in 0..map_d.per_register() {
                    let (row, column) = map_d.at(lane, register, j);
                    let x = std::array::from_fn(|i| ma[row][i] as u16);
                    let y = std::array::from_fn(|i| mb[i][column] as u16);
                    let sum = sum::four(x, y, mc[row][column], mma.c, mma.d);
                    values[lane] |= map_d.place(sum, j);
                }
            }
        }
    }
    d
}
