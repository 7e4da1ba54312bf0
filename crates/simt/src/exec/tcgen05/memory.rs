//! The tensor memory of a block: its cells, its allocations, and operations that no thread has waited for.

use events::{AsyncOpId, SiteId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

pub(crate) const LANES: u32 = 128;
pub(crate) const COLUMNS: u32 = 512;
/// Columns are allocated by so many.
const UNIT: u32 = 32;

/// A rectangle of cells, of which some lanes may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cells {
    pub lanes: u128,
    pub column: u32,
    pub columns: u32,
}

impl Cells {
    /// Returns cells of `count` lanes from `lane` on, as far as these exist.
    pub(super) fn of(lane: u32, count: u32, column: u32, columns: u32) -> Cells {
        let mask = if count >= LANES { u128::MAX } else { (1 << count) - 1 };
        Cells { lanes: mask.checked_shl(lane).unwrap_or(0), column, columns }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allocation {
    pub column: u32,
    pub columns: u32,
    pub site: SiteId,
}

/// A collective request of a warp to the peer block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Alloc { columns: u32 },
    Dealloc { column: u32, columns: u32 },
}

/// The tensor memory of one block.
#[derive(Debug, Default)]
pub(crate) struct TensorMemory {
    /// Lane by lane; empty until the first write.
    cells: Vec<u32>,
    pub(super) allocations: Vec<Allocation>,
    /// The columns, by [`UNIT`], that were deallocated and not allocated again.
    freed: u16,
    pub(super) relinquished: bool,
    /// The `.cta_group` of the block's instructions.
    pub(super) pair: Option<bool>,
    /// What a warp waits for the peer block to do, and the site of its instruction.
    pub(super) request: Option<(Request, SiteId)>,
    /// The column of a collective request that both blocks have made.
    pub(super) granted: Option<u32>,
    /// Counts changes for which a waiting warp may wait.
    pub(super) changes: u64,
    /// The operations of each thread that its commits track.
    pub(super) issued: FxHashMap<(u16, u8), VecDeque<AsyncOpId>>,
    /// The loads and the stores of each warp that it has not waited for.
    pub(super) moves: FxHashMap<u16, [Vec<AsyncOpId>; 2]>,
}

impl TensorMemory {
    /// Returns the first column of so many free ones, aligned to their number.
    pub(super) fn free(&self, columns: u32) -> impl Iterator<Item = u32> {
        let overlaps = move |a: &Allocation, at: u32| a.column < at + columns && at < a.column + a.columns;
        let free = move |at: &u32| !self.allocations.iter().any(|a| overlaps(a, *at));
        (0..COLUMNS).step_by(columns.max(UNIT) as usize).filter(free)
    }

    pub(super) fn allocate(&mut self, allocation: Allocation) {
        self.freed &= !units(allocation.column, allocation.columns);
        self.allocations.push(allocation);
        self.changes += 1;
    }

    /// Removes an allocation; returns whether there was one of these columns.
    pub(super) fn deallocate(&mut self, column: u32, columns: u32) -> bool {
        let before = self.allocations.len();
        self.allocations.retain(|a| (a.column, a.columns) != (column, columns));
        let found = self.allocations.len() < before;
        if found {
            self.freed |= units(column, columns);
            self.changes += 1;
        }
        found
    }

    /// Returns why cells cannot be accessed.
    pub(super) fn refuses(&self, cells: &Cells) -> Option<String> {
        let (first, end) = (cells.column, cells.column + cells.columns);
        let within = |a: &Allocation| a.column <= first && end <= a.column + a.columns;
        let whole =
            |column: u32| self.allocations.iter().any(|a| (a.column..a.column + a.columns).contains(&column));
        if self.allocations.iter().any(within) || cells.columns > 0 && (first..end).all(whole) {
            return None;
        }
        let columns = match cells.columns {
            1 => format!("column {first}"),
            _ => format!("columns {first} to {}", end.saturating_sub(1)),
        };
        let freed = end <= COLUMNS && (first..end).any(|column| self.freed & units(column, 1) != 0);
        Some(match freed {
            true => format!("tensor memory, {columns}, which has been deallocated"),
            false => format!("tensor memory, {columns}, outside of an allocation"),
        })
    }

    pub(super) fn get(&self, lane: u32, column: u32) -> u32 {
        self.cells.get((lane * COLUMNS + column) as usize).copied().unwrap_or(0)
    }

    /// Returns adjacent cells of a lane; `None` before the first write, and for cells that do not exist.
    pub(super) fn row(&self, lane: u32, column: u32, columns: u32) -> Option<&[u32]> {
        let first = (lane * COLUMNS + column) as usize;
        self.cells.get(first..first + columns as usize)
    }

    /// Writes adjacent cells of a lane.
    pub(super) fn set_row(&mut self, lane: u32, column: u32, values: &[u32]) {
        let first = (lane * COLUMNS + column) as usize;
        match self.cells.get_mut(first..first + values.len()) {
            Some(cells) => cells.copy_from_slice(values),
            None => (column..).zip(values).for_each(|(column, value)| self.set(lane, column, *value)),
        }
    }

    pub(super) fn set(&mut self, lane: u32, column: u32, value: u32) {
        if self.cells.is_empty() {
            self.cells = vec![0; (LANES * COLUMNS) as usize];
        }
        if let Some(cell) = self.cells.get_mut((lane * COLUMNS + column) as usize) {
            *cell = value;
        }
    }

    /// Returns the site of an allocation that is left.
    pub(crate) fn leak(&self) -> Option<(u32, SiteId)> {
        self.allocations.first().map(|a| (a.columns, a.site))
    }

    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }
}

/// Returns the bits of [`TensorMemory::freed`] of some columns.
fn units(column: u32, columns: u32) -> u16 {
    let bits = columns.div_ceil(UNIT).min(16);
    ((((1u32 << bits) - 1) << (column / UNIT).min(16)) & 0xffff) as u16
}
