//! Instructions that wait for bulk copies, or for products of warpgroups.

use super::runtime::{DRAINED, WAITED};
use ptx::op::{MbarrierOp, Op};

/// The completion that a wait for bulk copies guarantees: all accesses, or only the reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BulkWait {
    All,
    Read,
}

impl BulkWait {
    /// Returns the addresses in the table at which the wait is recorded.
    pub(super) fn places(self) -> &'static [u64] {
        match self {
            BulkWait::All => &[WAITED, DRAINED],
            BulkWait::Read => &[DRAINED],
        }
    }

    /// Returns the completion that an instruction waits for; an `mbarrier` may be that of any copy.
    pub(super) fn of(op: &Op) -> Option<BulkWait> {
        match op {
            Op::CpAsyncBulkWait { read: true } | Op::WgmmaWait => Some(BulkWait::Read),
            Op::CpAsyncBulkWait { read: false } | Op::Mbarrier { op: MbarrierOp::Wait { .. }, .. } => {
                Some(BulkWait::All)
            }
            _ => None,
        }
    }
}
