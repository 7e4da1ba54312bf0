//! Facts about tensor memory as numbers and back: a kind, and a fixed count of numbers for it.

use events::{Accumulator, AsyncOpId, BlockId, Tensor, TensorAction, TensorCells};

const FENCE: u8 = 0;
const ALLOC: u8 = 1;
const DEALLOC: u8 = 2;
const ACCESS: u8 = 3;

/// Returns how many numbers a fact of this kind has; `None` for no kind.
pub(crate) const fn count(kind: u8) -> Option<usize> {
    match kind {
        FENCE => Some(1),
        ALLOC => Some(3),
        DEALLOC => Some(2),
        ACCESS => Some(12),
        _ => None,
    }
}

/// Returns the kind of a fact and its numbers.
pub(crate) fn numbers(what: Tensor) -> (u8, Vec<u64>) {
    match what {
        Tensor::Fence { after } => (FENCE, vec![after.into()]),
        Tensor::Alloc { column, columns, address } => (ALLOC, vec![column.into(), columns.into(), address]),
        Tensor::Dealloc { column, columns } => (DEALLOC, vec![column.into(), columns.into()]),
        Tensor::Access { op, action, pair, cells, writes } => {
            let (number, accumulator) = match action {
                TensorAction::Load => (0, None),
                TensorAction::Store => (1, None),
                TensorAction::Copy { quarter: false } => (2, None),
                TensorAction::Copy { quarter: true } => (3, None),
                TensorAction::Shift => (4, None),
                TensorAction::Product(accumulator) => (5, Some(accumulator)),
            };
            let Accumulator { address, rows, columns, kind } =
                accumulator.unwrap_or(Accumulator { address: 0, rows: 0, columns: 0, kind: 0 });
            let flags = u64::from(pair) | u64::from(writes) << 1;
            let numbers = vec![
                op.0,
                number,
                flags,
                address.into(),
                rows.into(),
                columns.into(),
                kind.into(),
                cells.block.0.into(),
                cells.lanes as u64,
                (cells.lanes >> 64) as u64,
                cells.column.into(),
                cells.columns.into(),
            ];
            (ACCESS, numbers)
        }
    }
}

/// Returns the fact of a kind with these numbers; `None` if there is none.
pub(crate) fn fact(kind: u8, numbers: &[u64]) -> Option<Tensor> {
    let flag = |n: u64| (n < 2).then_some(n == 1);
    Some(match (kind, numbers) {
        (FENCE, &[after]) => Tensor::Fence { after: flag(after)? },
        (ALLOC, &[column, columns, address]) => {
            Tensor::Alloc { column: small(column)?, columns: small(columns)?, address }
        }
        (DEALLOC, &[column, columns]) => Tensor::Dealloc { column: small(column)?, columns: small(columns)? },
        (ACCESS, &[op, action, flags, address, rows, n, kind, block, low, high, column, columns]) => {
            let accumulator = Accumulator {
                address: small(address)?,
                rows: small(rows)?,
                columns: small(n)?,
                kind: small(kind)?,
            };
            let action = match action {
                0 => TensorAction::Load,
                1 => TensorAction::Store,
                2 => TensorAction::Copy { quarter: false },
                3 => TensorAction::Copy { quarter: true },
                4 => TensorAction::Shift,
                5 => TensorAction::Product(accumulator),
                _ => return None,
            };
            let lanes = u128::from(low) | u128::from(high) << 64;
            let cells = TensorCells {
                block: BlockId(small(block)?),
                lanes,
                column: small(column)?,
                columns: small(columns)?,
            };
            let (pair, writes) = (flags & 1 != 0, flag(flags >> 1)?);
            Tensor::Access { op: AsyncOpId(op), action, pair, cells, writes }
        }
        _ => return None,
    })
}

fn small<T: TryFrom<u64>>(number: u64) -> Option<T> {
    T::try_from(number).ok()
}
