//! Which instructions wait for bulk copies.

use super::runtime::{DRAINED, WAITED};
use ptx::op::{MbarrierOp, Op};

/// What a wait for copies in bulk lets the table know: all is done, or only read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    All,
    Read,
}

impl Done {
    /// Where it is noted.
    pub(super) fn places(self) -> &'static [u64] {
        match self {
            Done::All => &[WAITED, DRAINED],
            Done::Read => &[DRAINED],
        }
    }

    /// Of an instruction that waits for copies; an `mbarrier` may be that of any.
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
