//! `tcgen05.mma` (PTX §9.7.17.10).

use super::memory::{Cells, TensorMemory};
use super::{Failed, Group, Issue, Run, Worker};
use crate::failure::FailureKind;
use crate::num::tensor_core::{Element, Factor, Fault, Shape, multiply};
use crate::num::warpgroup::Major;
use crate::program::{Address, NO_ROW, TensorFactor, TensorProductInst};
use events::{Accumulator, Observer, TensorAction};
use ptx::op::TensorKind;

/// The words of a row of A in tensor memory.
const ROW_WORDS: u32 = 8;

/// The correspondence of a block's rows and columns of D and its cells (§9.7.17.10.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// A and D: a lane for each of 128 rows.
    Whole,
    /// F: 16 lanes of each 32, from lane 0 or 16 on.
    Half,
    /// B and E: 64 rows; the second half of the columns in the second half of the lanes.
    Halves,
    /// G: 32 rows; a quarter of the columns in each quarter of the lanes.
    Quarters,
}

impl Layout {
    fn of(rows: usize, spread: bool) -> Layout {
        match (rows, spread) {
            (32, _) => Layout::Quarters,
            (64, true) => Layout::Halves,
            (64, false) => Layout::Half,
            _ => Layout::Whole,
        }
    }

    /// Returns the columns of tensor memory that so many columns of D have.
    fn columns(self, n: u32) -> u32 {
        match self {
            Layout::Whole | Layout::Half => n,
            Layout::Halves => n / 2,
            Layout::Quarters => n / 4,
        }
    }

    /// Returns the lane and the column of an element.
    fn place(self, first: u32, (row, column): (u32, u32), n: u32) -> (u32, u32) {
        match self {
            Layout::Whole => (row, column),
            Layout::Half => (first + row % 16 + row / 16 * 32, column),
            Layout::Halves => (row + 64 * (column / (n / 2)), column % (n / 2)),
            Layout::Quarters => (row + 32 * (column / (n / 4)), column % (n / 4)),
        }
    }

    fn lanes(self, first: u32) -> u128 {
        match self {
            Layout::Half => 0x0000_ffff_0000_ffff_0000_ffff_0000_ffff << first,
            _ => u128::MAX,
        }
    }
}

/// A product of one block, whose factors have been read.
struct Part<'s> {
    shape: &'s Shape,
    layout: Layout,
    /// The lane and the column of D.
    d: (u32, u32),
    disabled: u128,
    accumulates: bool,
    divisor: u32,
}

impl<O: Observer> Worker<'_, O> {
    pub(super) fn tensor_product(
        &mut self,
        run: &Run<'_>,
        inst: &TensorProductInst,
        lane: usize,
    ) -> Result<(), Failed> {
        let group = self.tensor_group(run, 1 << lane, inst.product.pair)?;
        let bits = run.get(inst.descriptor, false, lane) as u32;
        let shape = Shape::of(bits, &inst.product).map_err(|fault| self.faulty(run, lane, fault))?;
        self.refuse_product(run, inst, &shape, lane)?;
        let d = self.cell_address(run, &inst.d, 1 << lane)?;
        let rows = shape.m / group.len();
        let layout = Layout::of(rows, inst.product.stationary || inst.product.pair);
        if d >> 16 != 0 && (layout, d >> 16) != (Layout::Half, 16) {
            let why = format!("tcgen05.mma with D at lane {} of tensor memory", d >> 16);
            return Err(self.illegal_tensor(run, 1 << lane, why));
        }
        let accumulator = Accumulator {
            address: d,
            rows: shape.m as u16,
            columns: shape.n as u16,
            kind: kind(inst.product.kind) | u8::from(inst.product.stationary) << 4,
        };
        let issue = self.issue(run, (TensorAction::Product(accumulator), inst.product.pair), lane);
        let (row, negated) = inst.accumulates;
        let accumulates = (run.get(row, false, lane) & 1 != 0) != negated;
        let b = self.factor_b(run, issue, inst, &shape, &group)?;
        for (i, &slot) in group.iter().enumerate() {
            let a = self.factor_a(run, issue, inst, &shape, (slot, rows, layout, d >> 16))?;
            let (a, b) = match &inst.scales {
                Some(scales) => self.scaled(run, issue, (inst, scales), &shape, (slot, a, b.clone()))?,
                None => (a, b.clone()),
            };
            let words = inst.disabled.get(4 * i..4 * i + 4).unwrap_or(&[]);
            let disabled = words
                .iter()
                .rev()
                .fold(0u128, |all, &row| all << 32 | u128::from(run.get(row, false, lane) as u32));
            let part = Part {
                shape: &shape,
                layout,
                d: (d >> 16, d & 0xffff),
                disabled,
                accumulates,
                divisor: inst.divisor,
            };
            let lanes = layout.lanes(d >> 16) & !disabled;
            let columns = layout.columns(shape.n as u32);
            self.access_cells(run, issue, (slot, &Cells { lanes, column: d & 0xffff, columns }), true)?;
            if let Some(memory) = self.tensor_memory(slot) {
                part.multiply(memory, (&a, &b));
            }
        }
        Ok(())
    }

    fn faulty(&self, run: &Run<'_>, lane: usize, fault: Fault) -> Failed {
        let kind = match fault {
            Fault::Illegal(why) => FailureKind::IllegalInstruction { why },
            Fault::Unsupported(instruction) => FailureKind::Unsupported { instruction },
        };
        self.fail(run, 1 << lane, kind)
    }

    /// Returns an error for a product that is not implemented.
    fn refuse_product(
        &self,
        run: &Run<'_>,
        inst: &TensorProductInst,
        shape: &Shape,
        lane: usize,
    ) -> Result<(), Failed> {
        let small = |element: Element| element.bits() < 8;
        let masked = inst.zeros != NO_ROW && run.get(inst.zeros, true, lane) >> 39 & 1 != 0;
        let of_tensor = matches!(inst.a, TensorFactor::Tensor(_));
        let padded = !matches!(inst.product.kind, TensorKind::Mxf4 | TensorKind::Mxf4nvf4);
        let why = if inst.product.shifts {
            "`.ashift`"
        } else if masked {
            "a mask of columns that are zero"
        } else if of_tensor && small(shape.a) && padded {
            "A of four-bit or six-bit elements in tensor memory"
        } else if shape.trans_a && small(shape.a) || shape.trans_b && small(shape.b) {
            "a transposed factor of four-bit or six-bit elements"
        } else {
            return Ok(());
        };
        Err(self.faulty(run, lane, Fault::Unsupported(format!("tcgen05.mma with {why}"))))
    }

    /// Reads B, of which each block of a pair has half of the columns.
    fn factor_b(
        &mut self,
        run: &Run<'_>,
        issue: Issue,
        inst: &TensorProductInst,
        shape: &Shape,
        group: &Group,
    ) -> Result<Factor, Failed> {
        let lane = issue.lanes.trailing_zeros() as usize;
        let descriptor = run.get(inst.b, true, lane);
        let mut rows = Vec::with_capacity(shape.n);
        for &slot in group {
            let of = (descriptor, major(shape.b, shape.trans_b));
            rows.extend(self.shared_rows(run, (issue, slot), of, shape.n / group.len())?);
        }
        Ok(Factor::of(&rows, shape.b, padded(inst), shape.negate_b))
    }

    /// Reads a block's rows of A.
    fn factor_a(
        &mut self,
        run: &Run<'_>,
        issue: Issue,
        inst: &TensorProductInst,
        shape: &Shape,
        (slot, rows, layout, first): (u32, usize, Layout, u32),
    ) -> Result<Factor, Failed> {
        let lane = issue.lanes.trailing_zeros() as usize;
        let address = match &inst.a {
            TensorFactor::Shared(descriptor) => {
                let of = (run.get(*descriptor, true, lane), major(shape.a, shape.trans_a));
                let words = self.shared_rows(run, (issue, slot), of, rows)?;
                return Ok(Factor::of(&words, shape.a, padded(inst), shape.negate_a));
            }
            TensorFactor::Tensor(address) => self.cell_address(run, address, issue.lanes)?,
        };
        if !matches!(layout, Layout::Whole | Layout::Half) {
            let what = format!("tcgen05.mma with A of {rows} rows in tensor memory");
            return Err(self.faulty(run, lane, Fault::Unsupported(what)));
        }
        if address >> 16 != first {
            let why = format!("tcgen05.mma with A at lane {}, and D at lane {first}", address >> 16);
            return Err(self.illegal_tensor(run, issue.lanes, why));
        }
        let column = address & 0xffff;
        let cells = Cells { lanes: layout.lanes(first), column, columns: ROW_WORDS };
        self.access_cells(run, issue, (slot, &cells), false)?;
        let memory = self.tensor_memory(slot);
        let words: Vec<[u32; 8]> = (0..rows as u32)
            .map(|row| {
                let (lane, _) = layout.place(first, (row, 0), ROW_WORDS);
                std::array::from_fn(|i| {
                    memory.as_ref().map_or(0, |memory| memory.get(lane, column + i as u32))
                })
            })
            .collect();
        Ok(Factor::of(&words, shape.a, false, shape.negate_a))
    }

    /// Multiplies factors by their scales, which are in the block's tensor memory: that of row `r` in column
    /// `r / 32` of lane `r % 32`, and again in each further 32 lanes.
    fn scaled(
        &mut self,
        run: &Run<'_>,
        issue: Issue,
        (inst, scales): (&TensorProductInst, &[Address; 2]),
        shape: &Shape,
        (slot, mut a, mut b): (u32, Factor, Factor),
    ) -> Result<(Factor, Factor), Failed> {
        let blocks = shape.blocks(inst.product.scaling);
        let firsts = [shape.scale_a, shape.scale_b];
        for ((factor, address), first) in [&mut a, &mut b].into_iter().zip(scales).zip(firsts) {
            // The two upper bits repeat the byte.
            let column = self.cell_address(run, address, issue.lanes)? & 0xffff;
            let rows = factor.values.len() / factor.k;
            let cells = Cells { lanes: u128::MAX, column, columns: (rows as u32).div_ceil(32) };
            self.access_cells(run, issue, (slot, &cells), false)?;
            let Some(memory) = self.tensor_memory(slot) else { continue };
            factor.scale(blocks, |row, block| {
                let word = memory.get(row as u32 % 32, column + row as u32 / 32);
                shape.scale.value(word >> (8 * ((first + block) % 4)) & 0xff)
            });
        }
        Ok((a, b))
    }
}

impl Part<'_> {
    fn multiply(&self, memory: &mut TensorMemory, (a, b): (&Factor, &Factor)) {
        let n = self.shape.n as u32;
        let rows = (a.values.len() / a.k) as u32;
        let at = |row, column| {
            let (lane, of_lane) = self.layout.place(self.d.0, (row, column), n);
            (lane, self.d.1 + of_lane)
        };
        let each = |row: u32| (0..n).map(move |column| (row, column));
        let before: Option<Vec<u32>> = self.accumulates.then(|| {
            let cells = (0..rows).flat_map(each).map(|(row, column)| at(row, column));
            cells.map(|(lane, column)| memory.get(lane, column)).collect()
        });
        let sums = multiply(self.shape, a, b, before.as_deref(), self.divisor);
        for ((row, column), sum) in (0..rows).flat_map(each).zip(sums) {
            let (lane, column) = at(row, column);
            if self.disabled >> lane & 1 == 0 {
                memory.set(lane, column, sum);
            }
        }
    }
}

fn major(element: Element, trans: bool) -> Major {
    match trans {
        true => Major::Mn { bytes: (element.bits() / 8) as u8 },
        false => Major::K { chunks: 2 },
    }
}

/// Returns whether elements of fewer than eight bits are padded in shared memory.
fn padded(inst: &TensorProductInst) -> bool {
    !matches!(inst.product.kind, TensorKind::Mxf4 | TensorKind::Mxf4nvf4)
}

fn kind(kind: TensorKind) -> u8 {
    match kind {
        TensorKind::F16 => 0,
        TensorKind::Tf32 => 1,
        TensorKind::F8f6f4 => 2,
        TensorKind::I8 => 3,
        TensorKind::Mxf8f6f4 => 4,
        TensorKind::Mxf4 => 5,
        TensorKind::Mxf4nvf4 => 6,
    }
}
