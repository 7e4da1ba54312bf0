//! The cells of tensor memory that a product's rows have (PTX §9.7.17.10.5).

/// The correspondence of a block's rows and columns of D and its cells (§9.7.17.10.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// A and D: a lane for each of 128 rows.
    Whole,
    /// C and F: 16 lanes of each 32, from lane 0 or 16 on.
    Half,
    /// B and E: 64 rows; the second half of the columns in the second half of the lanes.
    Halves,
    /// G: 32 rows; a quarter of the columns in each quarter of the lanes.
    Quarters,
}

impl Layout {
    pub(super) fn of(rows: usize, spread: bool) -> Layout {
        match (rows, spread) {
            (32, _) => Layout::Quarters,
            (64, true) => Layout::Halves,
            (64, false) => Layout::Half,
            _ => Layout::Whole,
        }
    }

    /// Returns the columns of tensor memory that so many columns of D have.
    pub(super) fn columns(self, n: u32) -> u32 {
        match self {
            Layout::Whole | Layout::Half => n,
            Layout::Halves => n / 2,
            Layout::Quarters => n / 4,
        }
    }

    /// Returns the lane and the column of an element.
    pub(super) fn place(self, first: u32, (row, column): (u32, u32), n: u32) -> (u32, u32) {
        match self {
            Layout::Whole => (row, column),
            Layout::Half => (first + row % 16 + row / 16 * 32, column),
            Layout::Halves => (row + 64 * (column / (n / 2)), column % (n / 2)),
            Layout::Quarters => (row + 32 * (column / (n / 4)), column % (n / 4)),
        }
    }

    pub(super) fn lanes(self, first: u32) -> u128 {
        match self {
            Layout::Half => 0x0000_ffff_0000_ffff_0000_ffff_0000_ffff << first,
            _ => u128::MAX,
        }
    }
}
