//! The history of a block's tensor memory: for each column, the operations that a later one may race with.
//!
//! Tensor memory is accessed by asynchronous operations of `tcgen05` only. An operation is dropped when a later
//! one that is ordered behind it writes all of its lanes of the column: what races with the dropped one races
//! with that one, too.

use crate::ptx::access::thread::Who;
use clocks::Tick;
use events::{LaneMask, SiteId, TensorAction};

const COLUMNS: usize = 512;

/// One operation, as far as it accesses a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    /// The number of the operation.
    pub(crate) number: u32,
    pub(crate) action: TensorAction,
    /// `.cta_group::2`
    pub(crate) pair: bool,
    pub(crate) writes: bool,
    /// The lanes of tensor memory.
    pub(crate) cells: u128,
    /// The lowest thread that issued it, all of its threads, and their tick.
    pub(crate) by: Who,
    pub(crate) lanes: LaneMask,
    pub(crate) tick: Tick,
    pub(crate) site: SiteId,
    /// Its place in the order in which operations were issued.
    pub(crate) turn: u64,
}

impl Operation {
    /// Returns whether two operations access one cell, and at least one of them writes it.
    pub(crate) fn conflicts(&self, other: &Operation) -> bool {
        self.number != other.number && self.cells & other.cells != 0 && (self.writes || other.writes)
    }

    /// Returns whether a later read by the same threads stands for this one: it completes no earlier, since waits and
    /// commits are for all operations before them, and is in the same pipelines.
    pub(crate) fn is_repeated_by(&self, later: &Operation) -> bool {
        !self.writes
            && !later.writes
            && (self.by, self.lanes, self.action) == (later.by, later.lanes, later.action)
            && (self.pair, self.cells) == (later.pair, later.cells)
    }
}

/// The history of one block's tensor memory.
#[derive(Debug)]
pub(crate) struct Columns(Vec<Vec<Operation>>);

impl Default for Columns {
    fn default() -> Columns {
        Columns(vec![Vec::new(); COLUMNS])
    }
}

impl Columns {
    /// Returns columns with their histories.
    pub(crate) fn of(&mut self, first: u16, count: u16) -> impl Iterator<Item = (u16, &mut Vec<Operation>)> {
        let of_count = self.0.iter_mut().skip(first.into()).take(count.into());
        of_count.enumerate().map(move |(i, column)| (first + i as u16, column))
    }
}
