//! Instructions that wait for bulk copies.

use super::runtime::{DRAINED, WAITED};
use ptx::op::{MbarrierOp, Op};

/// The completion that a wait for bulk copies guarantees: all accesses, or only the reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    All,
    Read,
}

impl Done {
    /// Returns the addresses in the table at which the wait is recorded.
    pub(super) fn places(self) -> &'static [u64] {
        match self {
            Done::All => &[WAITED, DRAINED],
            Done::Read => &[DRAINED],
        }
    }

    /// Returns the completion that an instruction waits for; an `mbarrier` may be that of any copy.
    pub(super) fn of(op: &Op) -> Option<Done> {
        match op {
            Op::CpAsyncBulkWait { read: true } => Some(Done::Read),
            Op::CpAsyncBulkWait { read: false } | Op::Mbarrier { op: MbarrierOp::Wait { .. }, .. } => {
                Some(Done::All)
            }
            _ => None,
        }
    }
}
