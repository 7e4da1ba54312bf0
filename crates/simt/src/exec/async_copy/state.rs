//! Outstanding copies, and the movement of their bytes.

use super::row::Row;
use crate::exec::data;
use crate::num::rmw;
use crate::program::{Address, AsyncInst, NO_ROW};
use events::{AsyncOpId, BlockId};
use ptx::ast::ScalarType;
use ptx::op::Rmw;

/// The copies of a warp's threads without a wait so far.
#[derive(Debug, Default)]
pub(crate) struct AsyncState {
    pub(super) rows: Vec<Row>,
    pub(super) bulk: Vec<Copy>,
    /// The number of `cp.async` groups that each lane has committed; `bulk_committed` counts bulk groups.
    pub(super) committed: [u32; 32],
    pub(super) bulk_committed: [u32; 32],
}

/// A copy that has been issued.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(super) lane: u8,
    pub(super) op: AsyncOpId,
    pub(super) dst: *mut u8,
    pub(super) src: *const u8,
    pub(super) bytes: u32,
    /// Bytes read; the rest of the destination is filled with zeros.
    pub(super) src_bytes: u32,
    pub(super) reduce: Option<(Rmw, ScalarType)>,
    /// The group that contains it, once committed.
    pub(super) group: Option<u32>,
    /// Whether the bytes have moved while only their reading was waited for.
    pub(super) moved: bool,
}

// SAFETY: the pointers are into regions or shared memory of resident blocks; see `crate::memory`. Any thread
// may perform the copy.
unsafe impl Send for Copy {}

/// A bulk copy that signals an mbarrier on completion.
#[derive(Clone, Debug)]
pub(crate) struct Signalled {
    pub(super) copy: Copy,
    pub(super) mbar: (u32, u32, BlockId),
}

impl Copy {
    /// Moves the bytes, once.
    pub(super) fn perform(&mut self) {
        if std::mem::replace(&mut self.moved, true) {
            return;
        }
        if let Some((op, ty)) = self.reduce {
            let step = ty.bytes().max(1) as usize;
            for at in (0..self.bytes as usize).step_by(step) {
                // SAFETY: `range` checked both ranges when the copy was issued.
                unsafe {
                    let (d, s) = (self.dst.add(at), self.src.add(at));
                    let (old, b) = (data::read(d, step as u8), data::read(s, step as u8));
                    if let Some(new) = rmw::apply(op, ty, old, b, 0, false) {
                        data::write(d, step as u8, new);
                    }
                }
            }
            return;
        }
        // SAFETY: `range` checked both ranges when the copy was issued; `copy` allows source and destination
        // to overlap.
        unsafe {
            std::ptr::copy(self.src, self.dst, self.src_bytes as usize);
            std::ptr::write_bytes(
                self.dst.add(self.src_bytes as usize),
                0,
                (self.bytes - self.src_bytes) as usize,
            );
        }
    }
}

impl AsyncInst {
    /// Returns the address of the mbarrier object that the instruction requires, if it names exactly one.
    pub(crate) fn mbarrier(&self) -> Option<&Address> {
        match self {
            AsyncInst::MbarrierArrive { address, .. } => Some(address),
            AsyncInst::Remote { mbar, .. } => Some(mbar),
            AsyncInst::Bulk(bulk) if bulk.multicast == NO_ROW => bulk.mbar.as_ref(),
            _ => None,
        }
    }
}
