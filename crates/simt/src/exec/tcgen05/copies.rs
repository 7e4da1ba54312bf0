//! `tcgen05.cp` and `shift` (PTX §9.7.17.9).

use super::memory::{Cells, LANES};
use super::{Failed, Run, Source, Worker};
use crate::failure::FailureKind;
use crate::num::warpgroup::Major;
use crate::program::{Address, Row};
use events::{Observer, TensorAction};
use ptx::op::{TensorCopyShape, TensorFormat};

/// The bytes of a row that `shift` moves, in columns.
const SHIFTED: u32 = 8;

/// Returns the number of rows of a copy's source, and of columns of tensor memory.
fn extent(shape: TensorCopyShape) -> (usize, u32) {
    match shape {
        TensorCopyShape::L128b256 => (128, 8),
        TensorCopyShape::L4b256 => (4, 8),
        TensorCopyShape::L128b128 => (128, 4),
        TensorCopyShape::L64b128Pairs02 | TensorCopyShape::L64b128Pairs01 => (64, 4),
        TensorCopyShape::L32b128 => (32, 4),
    }
}

/// Returns the lanes that receive a row.
fn lanes(shape: TensorCopyShape, row: u32) -> impl Iterator<Item = u32> {
    let (first, step, count) = match shape {
        TensorCopyShape::L128b256 | TensorCopyShape::L128b128 => (row, 0, 1),
        // One lane of each quarter.
        TensorCopyShape::L4b256 => (32 * row, 0, 1),
        TensorCopyShape::L64b128Pairs02 => (row, 64, 2),
        TensorCopyShape::L64b128Pairs01 => (row % 32 + row / 32 * 64, 32, 2),
        TensorCopyShape::L32b128 => (row, 32, 4),
    };
    (0..count).map(move |i| first + i * step)
}

impl<O: Observer> Worker<'_, O> {
    pub(super) fn tensor_copy(
        &mut self,
        run: &Run<'_>,
        (pair, shape, from): (bool, TensorCopyShape, Option<TensorFormat>),
        (address, source): (&Address, Row),
        lane: usize,
    ) -> Result<(), Failed> {
        if from.is_some() {
            let instruction = "tcgen05.cp that unpacks elements of four or six bits".to_owned();
            return Err(self.fail(run, 1 << lane, FailureKind::Unsupported { instruction }));
        }
        let group = self.tensor_group(run, 1 << lane, pair)?;
        let at = self.cell_address(run, address, 1 << lane)?;
        let (rows, columns) = extent(shape);
        let quarter = shape == TensorCopyShape::L4b256;
        let (first, column) = (at >> 16, at & 0xffff);
        let reached = (0..rows as u32).flat_map(|row| lanes(shape, row)).map(|to| first + to);
        let mask = reached.fold(0u128, |mask, to| mask | 1u128.checked_shl(to).unwrap_or(0));
        if first != 0 && !(quarter && first < 32) {
            let why = format!("tcgen05.cp to lane {first} of tensor memory");
            return Err(self.illegal_tensor(run, 1 << lane, why));
        }
        let issue = self.issue(run, (TensorAction::Copy { quarter }, pair), lane);
        let descriptor = run.get(source, true, lane);
        for slot in group {
            let cells = Cells { lanes: mask, column, columns };
            self.access_cells(run, issue, (slot, &cells), true)?;
            let major = Major::K { chunks: (columns / 4) as u8 };
            let source = Source { bits: descriptor, major, second: false };
            let values = self.shared_rows(run, (issue, slot), source, 0..rows)?;
            let Some(memory) = self.tensor_memory(slot) else { continue };
            for (row, words) in values.iter().enumerate() {
                for to in lanes(shape, row as u32) {
                    let of_row = words.iter().take(columns as usize);
                    of_row.zip(column..).for_each(|(&word, at)| memory.set(first + to, at, word));
                }
            }
        }
        Ok(())
    }

    /// Moves rows of a quarter of tensor memory down: all but the last replace the next one.
    pub(super) fn tensor_shift(
        &mut self,
        run: &Run<'_>,
        pair: bool,
        address: &Address,
        lane: usize,
    ) -> Result<(), Failed> {
        let group = self.tensor_group(run, 1 << lane, pair)?;
        let at = self.cell_address(run, address, 1 << lane)?;
        let (first, column) = (at >> 16, at & 0xffff);
        if !first.is_multiple_of(32) || first >= LANES {
            let why = format!("tcgen05.shift of lane {first} of tensor memory, not a multiple of 32");
            return Err(self.illegal_tensor(run, 1 << lane, why));
        }
        let issue = self.issue(run, (TensorAction::Shift, pair), lane);
        for slot in group {
            let cells = Cells::of(first, 32, column, SHIFTED);
            self.access_cells(run, issue, (slot, &cells), true)?;
            let Some(memory) = self.tensor_memory(slot) else { continue };
            for row in (first..first + 31).rev() {
                for column in column..column + SHIFTED {
                    let value = memory.get(row, column);
                    memory.set(row + 1, column, value);
                }
            }
        }
        Ok(())
    }
}
