//! The cells of tensor memory that an instruction surely accesses, in texts that compute them.

use super::Operation;
use super::runtime::{COLUMN, COLUMNS_AT, Kind};
use crate::collide::access::{Text, address};
use ptx::ast::Operand;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{Op, Tcgen05, TensorCopyShape, TensorKind, TensorProduct, TensorShape, TensorTile};

/// The address of cells.
#[derive(Clone, Copy)]
pub(super) enum At<'t> {
    Memory((Text<'t>, i64)),
    Register(&'t str),
}

/// Cells of tensor memory.
#[derive(Clone, Copy)]
pub(super) struct Cells<'t> {
    at: At<'t>,
    extent: Extent<'t>,
}

#[derive(Clone, Copy)]
enum Extent<'t> {
    /// Groups of eight lanes from the address's lane on, as a bit mask, and a number of columns.
    Fixed { lanes: u32, columns: u32 },
    /// All lanes, and columns whose number is the value of an operand.
    Columns(&'t str),
    /// D of a product with this instruction descriptor.
    Sum { product: TensorProduct, descriptor: &'t str },
    /// A of such a product, of this number of columns, or (`selected`) at the column that its sparsity selector names.
    Factor { product: TensorProduct, descriptor: &'t str, columns: u32, selected: bool },
}

/// All 16 groups of lanes, and those of the first half of each quarter.
const ALL: u32 = 0xffff;
const HALVES: u32 = 0x3333;

/// The columns of A in tensor memory.
const ROW_COLUMNS: u32 = 8;
/// The columns that `shift` moves.
const SHIFTED: u32 = 8;

/// Returns the operations of an instruction on tensor memory; none for other instructions, and for operands that are not
/// followed.
pub(super) fn operations<'t>(
    flat: &Flat<'_>,
    inst: &FlatInstruction<'_>,
    text: &'t str,
) -> Vec<Operation<'t>> {
    let at = |operand| address(flat, inst, text, operand).ok().map(At::Memory);
    let one = |kind, at: Option<At<'t>>, lanes, columns| {
        let cells = at.map(|at| Cells { at, extent: Extent::Fixed { lanes, columns } });
        cells.map(|cells| Operation { kind, cells, stored: true }).into_iter().collect()
    };
    let Ok(Op::Tcgen05(op)) = &inst.op else { return Vec::new() };
    match op {
        Tcgen05::Load { tile, reduction } => {
            let (lanes, columns) = extent(tile);
            one(Kind::Load, at(1 + usize::from(reduction.is_some())), lanes, columns)
        }
        Tcgen05::Store { tile } => {
            let (lanes, columns) = extent(tile);
            one(Kind::Store, at(0), lanes, columns)
        }
        Tcgen05::Copy { shape, .. } => match shape {
            TensorCopyShape::L4b256 => Vec::new(),
            TensorCopyShape::L128b256 => one(Kind::Write, at(0), ALL, 8),
            _ => one(Kind::Write, at(0), ALL, 4),
        },
        Tcgen05::Shift { .. } => one(Kind::Write, at(0), 0xf, SHIFTED),
        Tcgen05::Dealloc { .. } => {
            let cells = spelled(inst, text, 0).zip(spelled(inst, text, 1));
            let cells =
                cells.map(|(at, columns)| Cells { at: At::Register(at), extent: Extent::Columns(columns) });
            cells.map(|cells| Operation { kind: Kind::Store, cells, stored: false }).into_iter().collect()
        }
        Tcgen05::Product(product) => of_product(flat, (inst, product), text),
        _ => Vec::new(),
    }
}

/// Returns the groups of lanes and the columns of a tile; of `.16x32bx2` those of its first half.
fn extent(tile: &TensorTile) -> (u32, u32) {
    let count = u32::from(tile.count) * (1 + u32::from(tile.packed));
    match tile.shape {
        TensorShape::L32b32 => (0xf, count),
        TensorShape::L16b32x2 => (0x3, count),
        TensorShape::L16b64 => (0x3, 2 * count),
        TensorShape::L16b128 => (0x3, 4 * count),
        TensorShape::L16b256 => (0x3, 8 * count),
    }
}

/// Returns the spelling of an operand that is a register or a number.
fn spelled<'t>(inst: &FlatInstruction<'_>, text: &'t str, operand: usize) -> Option<&'t str> {
    let span = match (inst.args.get(operand)?, inst.source.operands.get(operand)?) {
        (Arg::Reg(_), Operand::Name(name)) => name.span,
        (Arg::Int(_), Operand::Int(_, span)) => *span,
        _ => return None,
    };
    text.get(span.start as usize..span.end as usize)
}

/// Returns the operations of a product: on D, on A, and on the metadata of a sparse A.
fn of_product<'t>(
    flat: &Flat<'_>,
    (inst, product): (&FlatInstruction<'_>, &TensorProduct),
    text: &'t str,
) -> Vec<Operation<'t>> {
    let Some(descriptor) = spelled(inst, text, 3 + usize::from(product.sparse)) else { return Vec::new() };
    let at = |operand| address(flat, inst, text, operand).ok().map(At::Memory);
    let product = *product;
    let factor = |columns, selected| Extent::Factor { product, descriptor, columns, selected };
    let disabled = inst.args.iter().any(|arg| matches!(arg, Arg::Vector(_)));
    let large = matches!(product.kind, TensorKind::F16 | TensorKind::Tf32);
    let parts = [
        at(0).filter(|_| !disabled).map(|at| (Kind::Write, at, Extent::Sum { product, descriptor })),
        at(1).map(|at| (Kind::Read, at, factor(ROW_COLUMNS, false))),
        at(3).filter(|_| product.sparse).map(|at| (Kind::Read, at, factor(if large { 1 } else { 2 }, large))),
    ];
    let operation = |(kind, at, extent)| Operation { kind, cells: Cells { at, extent }, stored: true };
    parts.into_iter().flatten().map(operation).collect()
}

impl Cells<'_> {
    /// Returns text that sets `%wr_c` to the first column and the number of columns, and `%wr_l` to the groups of lanes; without
    /// columns if the cells are not followed. Uses `%wr_r0` to `%wr_r3`, `%wr_n`, `%wr_m`, `%wr_a0` and `%wr_p0`.
    pub(super) fn text(&self) -> String {
        let at = match self.at {
            At::Memory((base, offset)) => base.address(offset, "%wr_a0") + "\tcvt.u32.u64 %wr_r0, %wr_a0;\n",
            At::Register(name) => format!("\tmov.b32 %wr_r0, {name};\n"),
        };
        let lane = "\tbfe.u32 %wr_r1, %wr_r0, 16, 7;\n\tshr.u32 %wr_r1, %wr_r1, 3;\n";
        let extent = match self.extent {
            Extent::Fixed { lanes, columns } => {
                format!(
                    "\tmov.u32 %wr_l, {lanes};\n\tshl.b32 %wr_l, %wr_l, %wr_r1;\n\tmov.u32 %wr_n, {columns};\n"
                )
            }
            Extent::Columns(columns) => format!("\tmov.u32 %wr_l, {ALL};\n\tmov.b32 %wr_n, {columns};\n"),
            Extent::Sum { product, descriptor } => sum(&product, descriptor),
            Extent::Factor { product, descriptor, columns, selected } => {
                let select = match selected {
                    true => format!(
                        "\tmov.b32 %wr_r2, {descriptor};\n\tand.b32 %wr_r2, %wr_r2, 3;\n\tadd.u32 %wr_r0, %wr_r0, %wr_r2;\n"
                    ),
                    false => String::new(),
                };
                // The last row of a shifted A is not read.
                let lanes = if product.shifts { ALL >> 1 } else { ALL };
                let followed = match is_spread(&product) {
                    true => "\tselp.u32 %wr_n, 0, %wr_n, %wr_p0;\n",
                    false => "",
                };
                format!(
                    "{}{select}\tand.b32 %wr_l, %wr_l, {lanes};\n\tsetp.lt.u32 %wr_p0, %wr_m, 128;\n\tmov.u32 %wr_n, {columns};\n{followed}",
                    sum(&product, descriptor)
                )
            }
        };
        format!(
            "{at}{lane}{extent}\tand.b32 %wr_c, %wr_r0, {COLUMN};\n\tmin.u32 %wr_n, %wr_n, 512;\n\tshl.b32 %wr_n, %wr_n, {COLUMNS_AT};\n\tor.b32 %wr_c, %wr_c, %wr_n;\n\tand.b32 %wr_l, %wr_l, {ALL};\n"
        )
    }
}

/// Returns whether the columns of a product of fewer than 128 rows of a block are spread over all lanes.
fn is_spread(product: &TensorProduct) -> bool {
    product.stationary || product.pair && !product.sparse
}

/// Returns text that sets `%wr_n` to the columns of D, `%wr_l` to its groups of lanes, and `%wr_m` to its rows in a block
/// (§9.7.17.10.5), with the group of the address's lane in `%wr_r1`. Uses `%wr_r2` and `%wr_p0`.
fn sum(product: &TensorProduct, descriptor: &str) -> String {
    let (at, bits, up) = if product.kind.scales() { (27, 2, 7) } else { (24, 5, 4) };
    let pair = if product.pair { "\tshr.u32 %wr_m, %wr_m, 1;\n" } else { "" };
    let small = match is_spread(product) {
        true => {
            "\tshr.u32 %wr_r2, %wr_n, 1;\n\tselp.u32 %wr_r2, %wr_r2, %wr_n, %wr_p0;\n\tshr.u32 %wr_n, %wr_n, 2;\n\tsetp.eq.u32 %wr_p0, %wr_m, 32;\n\tselp.u32 %wr_n, %wr_n, %wr_r2, %wr_p0;\n".to_owned()
        }
        false => format!(
            "\tmov.u32 %wr_r2, {HALVES};\n\tshl.b32 %wr_r2, %wr_r2, %wr_r1;\n\tselp.u32 %wr_l, %wr_r2, %wr_l, %wr_p0;\n"
        ),
    };
    format!(
        "\tmov.b32 %wr_r3, {descriptor};\n\tbfe.u32 %wr_n, %wr_r3, 17, 6;\n\tshl.b32 %wr_n, %wr_n, 3;\n\tbfe.u32 %wr_m, %wr_r3, {at}, {bits};\n\tshl.b32 %wr_m, %wr_m, {up};\n{pair}\tmov.u32 %wr_l, {ALL};\n\tsetp.eq.u32 %wr_p0, %wr_m, 64;\n{small}"
    )
}
