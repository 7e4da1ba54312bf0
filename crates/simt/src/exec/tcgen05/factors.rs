//! The factors of `tcgen05.mma`: matrices in shared and in tensor memory, their scales, and the metadata of a sparse A.

use super::layout::Layout;
use super::memory::Cells;
use super::{Failed, Group, Issue, Run, Source, Worker};
use crate::num::tensor_core::{Element, Factor, Fault, Shape, ZeroColumns};
use crate::num::warpgroup::Major;
use crate::program::{Address, NO_ROW, TensorFactor, TensorProductInst};
use events::Observer;
use ptx::op::TensorKind;

/// The words of a row of A in tensor memory.
const ROW_WORDS: u32 = 8;

/// Rows of a transposed matrix that are read together.
const ROWS: usize = 16;

/// A block's part of A and of D.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub slot: u32,
    pub count: usize,
    pub layout: Layout,
    /// The lane of the first row.
    pub first: u32,
}

impl Rows {
    fn lane(&self, row: u32) -> u32 {
        self.layout.place(self.first, (row, 0), ROW_WORDS).0
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Reads B, of which each block of a pair has half of the columns.
    pub(super) fn factor_b(
        &mut self,
        run: &Run<'_>,
        issue: Issue,
        inst: &TensorProductInst,
        shape: &Shape,
        group: &Group,
    ) -> Result<Factor, Failed> {
        let lane = issue.lanes.trailing_zeros() as usize;
        let zeros = match inst.zeros {
            NO_ROW => ZeroColumns::default(),
            row => ZeroColumns::of(run.get(row, true, lane), (shape.m, shape.n))
                .map_err(|fault| self.faulty(run, lane, fault))?,
        };
        let mut halves = Vec::with_capacity(2);
        for second in [false, true].into_iter().take(1 + usize::from(shape.sparse)) {
            let bits = run.get(inst.b, true, lane);
            let source = Source { bits, major: major(shape.b, shape.trans_b), second };
            let mut rows = Vec::with_capacity(shape.n);
            for &slot in group {
                rows.extend(self.rows_of_b(run, (issue, slot), source, (shape.n / group.len(), &zeros))?);
            }
            halves.push(Factor::of(&rows, shape.b, padded(inst), shape.negate_b));
        }
        let mut b = match halves.as_slice() {
            [first, second] => first.beside(second),
            _ => halves.swap_remove(0),
        };
        b.clear(|column| zeros.zero(column));
        Ok(b)
    }

    /// Reads a block's columns of B but those that are zero.
    fn rows_of_b(
        &mut self,
        run: &Run<'_>,
        of: (Issue, u32),
        source: Source,
        (count, zeros): (usize, &ZeroColumns),
    ) -> Result<Vec<[u32; 8]>, Failed> {
        let step = if matches!(source.major, Major::K { .. }) { 1 } else { ROWS };
        let (first, end) = (zeros.shift, zeros.shift + count);
        let mut rows = vec![[0; 8]; end.next_multiple_of(step)];
        let used =
            |at: usize| (at..at + step).any(|row| (first..end).contains(&row) && !zeros.zero(row - first));
        let mut at = 0;
        while at < end {
            let mut to = at;
            while to < end && used(to) {
                to += step;
            }
            if to > at {
                rows[at..to].copy_from_slice(&self.shared_rows(run, of, source, at..to)?);
            }
            at = to.max(at + step);
        }
        Ok(rows[first..end].to_vec())
    }

    /// Reads a block's rows of A.
    pub(super) fn factor_a(
        &mut self,
        run: &Run<'_>,
        issue: Issue,
        inst: &TensorProductInst,
        shape: &Shape,
        rows: Rows,
    ) -> Result<Factor, Failed> {
        let mut factor = match &inst.a {
            TensorFactor::Shared(descriptor) => {
                let bits = run.get(*descriptor, true, issue.lanes.trailing_zeros() as usize);
                let source = Source { bits, major: major(shape.a, shape.trans_a), second: false };
                let words = self.shared_rows(run, (issue, rows.slot), source, 0..rows.count)?;
                Factor::of(&words, shape.a, padded(inst), shape.negate_a)
            }
            TensorFactor::Tensor(address) => {
                let words = self.tensor_rows(run, issue, (address, inst.product.shifts), rows)?;
                Factor::of(&words, shape.a, false, shape.negate_a)
            }
        };
        if let Some(metadata) = &inst.metadata {
            let indices = self.metadata(run, issue, metadata, shape, rows)?;
            let count = match shape.kind {
                TensorKind::Tf32 => 0,
                TensorKind::Mxf4 | TensorKind::Mxf4nvf4 => 2,
                _ => 1,
            };
            factor.expand(count, indices.into_iter());
        }
        Ok(factor)
    }

    /// Reads a block's rows of A in tensor memory; if they are shifted, each but the first is the one before it.
    fn tensor_rows(
        &mut self,
        run: &Run<'_>,
        issue: Issue,
        (address, shifts): (&Address, bool),
        rows: Rows,
    ) -> Result<Vec<[u32; 8]>, Failed> {
        let address = self.cell_address(run, address, issue.lanes)?;
        if !matches!(rows.layout, Layout::Whole | Layout::Half) {
            let what = format!("tcgen05.mma with A of {} rows in tensor memory", rows.count);
            let lane = issue.lanes.trailing_zeros() as usize;
            return Err(self.faulty(run, lane, Fault::Unsupported(what)));
        }
        self.check_lane(run, issue, ("A", address), rows)?;
        let column = address & 0xffff;
        let last = if shifts { 1 << rows.lane(rows.count as u32 - 1) } else { 0 };
        let lanes = rows.layout.lanes(rows.first) & !last;
        self.access_cells(run, issue, (rows.slot, &Cells { lanes, column, columns: ROW_WORDS }), false)?;
        let memory = self.tensor_memory(rows.slot);
        let row = |row: u32| {
            let lane = rows.lane(if shifts { row.saturating_sub(1) } else { row });
            std::array::from_fn(|i| memory.as_ref().map_or(0, |memory| memory.get(lane, column + i as u32)))
        };
        Ok((0..rows.count as u32).map(row).collect())
    }

    /// Returns an error if a matrix is not at the lane of D.
    fn check_lane(
        &self,
        run: &Run<'_>,
        issue: Issue,
        (name, address): (&str, u32),
        rows: Rows,
    ) -> Result<(), Failed> {
        let (lane, first) = (address >> 16, rows.first);
        if lane == first {
            return Ok(());
        }
        let why = format!("tcgen05.mma with {name} at lane {lane}, and D at lane {first}");
        Err(self.illegal_tensor(run, issue.lanes, why))
    }

    /// Reads the indices of a block's rows of a sparse A.
    ///
    /// Those of elements of 8 and 4 bits are in two columns of the row's lane. Those of larger ones are in the column that
    /// the selector names, of two lanes for each row: a pair of rows, eight apart, shares two lanes, eight apart.
    fn metadata(
        &mut self,
        run: &Run<'_>,
        issue: Issue,
        address: &Address,
        shape: &Shape,
        rows: Rows,
    ) -> Result<Vec<u64>, Failed> {
        let address = self.cell_address(run, address, issue.lanes)?;
        self.check_lane(run, issue, ("metadata", address), rows)?;
        let large = matches!(shape.kind, TensorKind::F16 | TensorKind::Tf32);
        let column = (address & 0xffff) + u32::from(shape.selector);
        let lanes = rows.layout.lanes(rows.first);
        let cells = Cells { lanes, column, columns: if large { 1 } else { 2 } };
        self.access_cells(run, issue, (rows.slot, &cells), false)?;
        let memory = self.tensor_memory(rows.slot);
        let word = |row: u32, column: u32| {
            memory.as_ref().map_or(0, |memory| u64::from(memory.get(rows.lane(row), column)))
        };
        let indices = |row: u32| {
            if !large {
                return word(row, column) | word(row, column + 1) << 32;
            }
            let half = |lane: u32| word(lane, column) >> (row / 8 % 2 * 16) & 0xffff;
            let lane = row / 16 * 16 + row % 8;
            half(lane) | half(lane + 8) << 16
        };
        Ok((0..rows.count as u32).map(indices).collect())
    }

    /// Multiplies factors by their scales, which are in the block's tensor memory: that of row `r` in column
    /// `r / 32` of lane `r % 32`, and again in each further 32 lanes.
    pub(super) fn scaled(
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

fn major(element: Element, trans: bool) -> Major {
    match trans {
        true => Major::Mn { bytes: (element.bits() / 8) as u8 },
        false => Major::K { chunks: 2 },
    }
}

/// Returns whether elements of fewer than eight bits are padded in shared memory.
pub(super) fn padded(inst: &TensorProductInst) -> bool {
    !matches!(inst.product.kind, TensorKind::Mxf4 | TensorKind::Mxf4nvf4)
}
