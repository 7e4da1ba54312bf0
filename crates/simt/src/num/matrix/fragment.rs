//! The layout of a matrix's elements in the registers of a warp.

use ptx::ast::ScalarType;
use ptx::op::{Fragment, Layout, Shape};

/// The layout of one fragment.
///
/// Lane, register (in operand order) and element within the register (lowest bits first) determine row and
/// column. An element that a `wmma` fragment contains twice has two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map {
    kind: Kind,
    rows: usize,
    columns: usize,
    registers: usize,
    /// Width of an element in bits.
    bits: u32,
    /// Width of a register: 32, or 64 for `f64`.
    register_bits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Two tiles of eight rows, columns in runs: the A of `mma`. `transposed` swaps row and column.
    Tall { transposed: bool, tile_registers: usize },
    /// Eight rows or, if `transposed`, eight columns: the B of `mma`.
    Flat { transposed: bool, registers: usize },
    /// Accumulators in pairs of columns.
    Pairs { transposed: bool },
    /// Accumulators of 16 columns in two halves.
    WidePairs,
    /// `wmma` operands with one register for eight rows or columns.
    Stacked { transposed: bool },
    /// The B of `wmma` with 16 columns: two B of `mma`.
    Double,
    /// `mma.m8n8k4` operands: each of eight lanes has a row or a column of four.
    Quad { along_row: bool },
    /// `mma.m8n8k4` operands in the other order: each of four lanes has a piece of four of a column (or row).
    QuadAcross { column_piece: bool },
    /// `mma.m8n8k4` accumulators.
    QuadAccumulator { wide: bool },
}

fn bits(ty: ScalarType) -> Option<u32> {
    Some(match ty {
        ScalarType::F16 | ScalarType::Bf16 => 16,
        ScalarType::Tf32 | ScalarType::F32 | ScalarType::S32 => 32,
        ScalarType::F64 => 64,
        ScalarType::S8 | ScalarType::U8 | ScalarType::E4m3 | ScalarType::E5m2 => 8,
        ScalarType::S4 | ScalarType::U4 => 4,
        ScalarType::B1 => 1,
        _ => return None,
    })
}

impl Map {
    fn new(kind: Kind, rows: u16, columns: u16, registers: usize, bits: u32) -> Map {
        Map { kind, rows: rows.into(), columns: columns.into(), registers, bits, register_bits: bits.max(32) }
    }

    /// Returns the layout of an `mma` fragment (PTX §9.7.15.5). `layout` matters for `m8n8k4` on `f16` only.
    pub fn mma(fragment: Fragment, shape: Shape, ty: ScalarType, layout: Layout) -> Option<Map> {
        let Shape { m, n, k } = shape;
        let bits = bits(ty)?;
        // The elements of a register, and the columns that four lanes cover with one register each.
        let each = (bits.max(32) / bits) as u16;
        let run = 4 * each;
        if (m, n, k) == (8, 8, 4) && matches!(ty, ScalarType::F16 | ScalarType::F32) {
            return Map::quad(fragment, ty, layout);
        }
        if n != 8 || !matches!(m, 8 | 16) {
            return None;
        }
        Some(match fragment {
            Fragment::C | Fragment::D => {
                if !matches!(bits, 16 | 32 | 64) {
                    return None;
                }
                let registers = usize::from(m * n) * bits as usize / 32 / bits.max(32) as usize;
                Map::new(Kind::Pairs { transposed: false }, m, n, registers, bits)
            }
            _ if k % run != 0 => return None,
            Fragment::A if m == 16 => {
                let registers = usize::from(k / run) * 2;
                let kind = Kind::Tall { transposed: false, tile_registers: registers };
                Map::new(kind, m, k, registers, bits)
            }
            Fragment::A => {
                let registers = usize::from(k / run);
                Map::new(Kind::Flat { transposed: false, registers }, m, k, registers, bits)
            }
            Fragment::B => {
                let registers = usize::from(k / run);
                Map::new(Kind::Flat { transposed: true, registers }, k, n, registers, bits)
            }
        })
    }

    /// Returns the layout of an `mma.m8n8k4` of halves.
    fn quad(fragment: Fragment, ty: ScalarType, layout: Layout) -> Option<Map> {
        let half = ty == ScalarType::F16;
        Some(match fragment {
            Fragment::A if half => {
                let kind = match layout {
                    Layout::Row => Kind::Quad { along_row: true },
                    Layout::Col => Kind::QuadAcross { column_piece: true },
                };
                Map::new(kind, 8, 4, 2, 16)
            }
            Fragment::B if half => {
                let kind = match layout {
                    Layout::Col => Kind::Quad { along_row: false },
                    Layout::Row => Kind::QuadAcross { column_piece: false },
                };
                Map::new(kind, 4, 8, 2, 16)
            }
            Fragment::C | Fragment::D if half => Map::new(Kind::QuadAccumulator { wide: false }, 8, 8, 4, 16),
            Fragment::C | Fragment::D => Map::new(Kind::QuadAccumulator { wide: true }, 8, 8, 8, 32),
            _ => return None,
        })
    }

    /// Returns the layout of a `wmma` fragment, as recorded on an H200.
    pub fn wmma(fragment: Fragment, shape: Shape, ty: ScalarType) -> Option<Map> {
        let Shape { m, n, k } = shape;
        let bits = bits(ty)?;
        if (m, n) == (8, 8) {
            // `f64` m8n8k4 and the sub-byte shapes have the layouts of `mma`.
            return match fragment {
                Fragment::A | Fragment::B if matches!((bits, k), (64, 4) | (4, 32) | (1, 128)) => {
                    Map::mma(fragment, shape, ty, Layout::Row)
                }
                Fragment::C | Fragment::D if bits >= 32 => {
                    Some(Map::new(Kind::Pairs { transposed: false }, 8, 8, 2, bits))
                }
                _ => None,
            };
        }
        if !matches!((m, n), (16, 16) | (32, 8) | (8, 32)) {
            return None;
        }
        let each = 32 / bits;
        // Half-precision fragments contain every element twice if the fragment is smaller than its eight
        // registers.
        let whole = |registers: usize| if ty == ScalarType::F16 { 8 } else { registers };
        Some(match fragment {
            Fragment::C | Fragment::D => {
                if !matches!(bits, 16 | 32) {
                    return None;
                }
                let kind = match m {
                    16 => Kind::WidePairs,
                    32 => Kind::Pairs { transposed: false },
                    _ => Kind::Pairs { transposed: true },
                };
                Map::new(kind, m, n, 8 / each as usize, bits)
            }
            Fragment::A if bits == 8 && k == 16 => {
                Map::new(Kind::Stacked { transposed: false }, m, k, usize::from(m / 8), bits)
            }
            Fragment::B if bits == 8 && k == 16 => {
                Map::new(Kind::Stacked { transposed: true }, k, n, usize::from(n / 8), bits)
            }
            _ if u32::from(k) != 8 * each || bits < 16 => return None,
            Fragment::A => match m {
                8 => Map::new(Kind::Flat { transposed: false, registers: 2 }, m, k, whole(2), bits),
                _ => {
                    let kind = Kind::Tall { transposed: false, tile_registers: 4 };
                    Map::new(kind, m, k, whole(usize::from(m / 4)), bits)
                }
            },
            Fragment::B => match n {
                8 => Map::new(Kind::Flat { transposed: true, registers: 2 }, k, n, whole(2), bits),
                16 => Map::new(Kind::Double, k, n, whole(4), bits),
                _ => {
                    let kind = Kind::Tall { transposed: true, tile_registers: 4 };
                    Map::new(kind, k, n, 8, bits)
                }
            },
        })
    }

    /// Returns the numbers of rows and columns.
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Returns the number of registers of a lane.
    pub fn registers(&self) -> usize {
        self.registers
    }

    /// Returns the number of elements in a register.
    pub fn per_register(&self) -> usize {
        (self.register_bits / self.bits) as usize
    }

    /// Returns the width of an element in bits.
    pub fn element_bits(&self) -> u32 {
        self.bits
    }

    /// Returns whether the instruction is four products of eight lanes each.
    pub(super) fn quads(&self) -> bool {
        matches!(self.kind, Kind::Quad { .. } | Kind::QuadAcross { .. })
    }

    /// Returns element `j` of a register's value.
    pub fn element(&self, register: u64, j: usize) -> u64 {
        register >> (self.bits * j as u32) & u64::MAX >> (64 - self.bits)
    }

    /// Returns an element's bits at position `j` of a register.
    pub fn place(&self, element: u64, j: usize) -> u64 {
        element << (self.bits * j as u32)
    }

    /// Returns row and column of an element. Indices must be below 32, [`Map::registers`] and
    /// [`Map::per_register`].
    pub fn at(&self, lane: usize, register: usize, j: usize) -> (usize, usize) {
        let each = self.per_register();
        let (group, place) = (lane / 4, lane % 4);
        let run = 4 * each;
        let swap = |transposed: bool, at: (usize, usize)| if transposed { (at.1, at.0) } else { at };
        match self.kind {
            Kind::Tall { transposed, tile_registers } => {
                // Beyond the matrix's last tile the layout repeats.
                let outer = if transposed { self.columns } else { self.rows };
                let tile = register / tile_registers % (outer / 16);
                let r = register % tile_registers;
                swap(transposed, (group + 8 * (r & 1) + 16 * tile, place * each + j + run * (r >> 1)))
            }
            Kind::Flat { transposed, registers } => {
                swap(transposed, (group, place * each + j + run * (register % registers)))
            }
            Kind::Pairs { transposed } => {
                let index = register * each + j;
                swap(transposed, (group + 8 * (index / 2), place * 2 + index % 2))
            }
            Kind::WidePairs => {
                let index = register * each + j;
                (group + 8 * (index / 2 % 2), place * 2 + index % 2 + 8 * (index / 4))
            }
            Kind::Stacked { transposed } => swap(transposed, (group + 8 * register, place * each + j)),
            Kind::Double => {
                let r = register % 4;
                (place * each + j + run * (r & 1), group + 8 * (r >> 1))
            }
            Kind::Quad { along_row } => {
                let outer = place + if lane < 16 { 0 } else { 4 };
                let inner = 2 * register + j;
                if along_row { (outer, inner) } else { (inner, outer) }
            }
            Kind::QuadAcross { column_piece } => {
                let outer = 2 * register + j + if lane < 16 { 0 } else { 4 };
                if column_piece { (outer, place) } else { (place, outer) }
            }
            Kind::QuadAccumulator { wide } => {
                let second = if lane < 16 { 0 } else { 4 };
                if wide {
                    let i = register;
                    ((lane & 1) + (i & 2) + second, (i & 4) + (lane & 2) + (i & 1))
                } else {
                    (place + second, 2 * register + j)
                }
            }
        }
    }
}
