//! The layout of the table's part for [tensor memory](super::tensor), in bytes from the part's beginning.

/// The logarithm of the number of blocks with a place in the table, and the warps of each.
pub(super) const LISTS: u32 = 6;
const WARPS: u64 = 32;
/// The bytes of a warp's operations, of 16 bytes each: two of each kind.
pub(super) const OPERATIONS: u64 = 8 * 16;
/// The offset of the counts of each warp's waits for loads and for stores, and of each cluster's waits for an `mbarrier`.
pub(super) const MOVES: u64 = (WARPS * OPERATIONS) << LISTS;
pub(super) const COMMITS: u64 = MOVES + ((WARPS * 8) << LISTS);
/// The bytes of the part.
pub(super) const BYTES: u64 = COMMITS + (4 << LISTS);
