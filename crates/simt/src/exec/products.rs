//! The outstanding matrix products of a warpgroup.

use super::fragments::Registers;
use events::AsyncOpId;
use std::collections::VecDeque;

/// The number of warps in a warpgroup.
pub(super) const WARPS: usize = 4;

/// The products of one warpgroup without a wait so far.
#[derive(Debug, Default)]
pub(crate) struct Warpgroup {
    pub(super) members: [Member; WARPS],
}

/// The products of one warp of the group.
#[derive(Debug, Default)]
pub(super) struct Member {
    pub(super) open: Vec<AsyncOpId>,
    /// Committed groups, with their numbers.
    pub(super) groups: VecDeque<(u32, Vec<AsyncOpId>)>,
    pub(super) committed: u32,
    /// The number of groups, of all members, that the warp has waited for.
    pub(super) waited: u32,
    pub(super) registers: Registers,
}
