//! `tcgen05.mma` (PTX §9.7.17.10).

use super::factors::{self, Rows};
use super::layout::Layout;
use super::memory::{Cells, TensorMemory};
use super::{Failed, Run, Worker};
use crate::failure::FailureKind;
use crate::num::tensor_core::{Element, Factor, Fault, Shape, multiply};
use crate::program::{TensorFactor, TensorProductInst};
use events::{Accumulator, Observer, TensorAction};
use ptx::op::TensorKind;

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
        let layout = Layout::of(rows, inst.product.stationary || inst.product.pair && !shape.sparse);
        if d >> 16 != 0 && (layout, d >> 16) != (Layout::Half, 16) {
            let why = format!("tcgen05.mma with D at lane {} of tensor memory", d >> 16);
            return Err(self.illegal_tensor(run, 1 << lane, why));
        }
        let accumulator = Accumulator {
            address: d,
            rows: shape.m as u16,
            columns: shape.n as u16,
            kind: kind(inst.product.kind)
                | u8::from(inst.product.stationary) << 4
                | u8::from(shape.sparse) << 5,
        };
        let issue = self.issue(run, (TensorAction::Product(accumulator), inst.product.pair), lane);
        let (row, negated) = inst.accumulates;
        let accumulates = (run.get(row, false, lane) & 1 != 0) != negated;
        let b = self.factor_b(run, issue, inst, &shape, &group)?;
        for (i, &slot) in group.iter().enumerate() {
            let rows = Rows { slot, count: rows, layout, first: d >> 16 };
            let a = self.factor_a(run, issue, inst, &shape, rows)?;
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

    pub(super) fn faulty(&self, run: &Run<'_>, lane: usize, fault: Fault) -> Failed {
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
        let of_tensor = matches!(inst.a, TensorFactor::Tensor(_));
        let padded = factors::padded(inst);
        if inst.product.shifts && !of_tensor {
            let why = "tcgen05.mma with `.ashift` of A in shared memory".to_owned();
            return Err(self.faulty(run, lane, Fault::Illegal(why)));
        }
        let why = if of_tensor && small(shape.a) && padded {
            "A of four-bit or six-bit elements in tensor memory"
        } else if shape.trans_a && small(shape.a) || shape.trans_b && small(shape.b) {
            "a transposed factor of four-bit or six-bit elements"
        } else {
            return Ok(());
        };
        Err(self.faulty(run, lane, Fault::Unsupported(format!("tcgen05.mma with {why}"))))
    }
}

impl Part<'_> {
    fn multiply(&self, memory: &mut TensorMemory, (a, b): (&Factor, &Factor)) {
        let n = self.shape.n as u32;
        let rows = (a.values.len() / a.k) as u32;
        // The columns of a row that are adjacent in a lane.
        let width = self.layout.columns(n);
        let runs = || (0..rows).flat_map(|row| (0..n / width).map(move |run| (row, run * width)));
        let at = |row, column| {
            let (lane, of_lane) = self.layout.place(self.d.0, (row, column), n);
            (lane, self.d.1 + of_lane)
        };
        let before: Option<Vec<u32>> = self.accumulates.then(|| {
            let mut words = Vec::with_capacity((rows * n) as usize);
            for (row, column) in runs() {
                let (lane, first) = at(row, column);
                match memory.row(lane, first, width) {
                    Some(cells) => words.extend_from_slice(cells),
                    None => words.extend((first..first + width).map(|column| memory.get(lane, column))),
                }
            }
            words
        });
        let sums = multiply(self.shape.accumulator(), a, b, before.as_deref(), self.divisor);
        for ((row, column), sums) in runs().zip(sums.chunks_exact(width as usize)) {
            let (lane, first) = at(row, column);
            if self.disabled >> lane & 1 == 0 {
                memory.set_row(lane, first, sums);
            }
        }
    }
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
