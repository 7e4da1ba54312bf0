//! Launches that differ from an observed one in numbers: a counter of the host's, or the blocks that it leaves to do.

use crate::facts::assume::Part;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The values that a question allows in place of the observed launch's. All others are those of the launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// Extents of the grid, in blocks.
    pub grid: [Option<RangeInclusive<u32>>; 3],
    /// Numbers in parameters, by the bytes that one load reads; as signed integers. Pointers are no numbers.
    pub numbers: BTreeMap<Part, RangeInclusive<i64>>,
}

impl Spread {
    /// Returns whether the question is about the observed launch alone.
    pub fn is_exact(&self) -> bool {
        self.grid.iter().all(Option::is_none) && self.numbers.is_empty()
    }
}
