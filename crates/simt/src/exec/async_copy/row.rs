//! The `cp.async` copies of one warp instruction.

use crate::alu::row::Lanes;
use events::{AsyncOpId, LaneMask};
use smallvec::SmallVec;

/// Copies of several lanes, with equal byte counts.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) lanes: LaneMask,
    /// The operation id of the lowest lane; those of the other lanes follow in order.
    pub(super) op: AsyncOpId,
    pub(super) bytes: u32,
    /// Bytes read; the rest of the destination is filled with zeros.
    pub(super) src_bytes: u32,
    /// The group that contains all of them, once committed.
    pub(super) group: Option<u32>,
    /// Whether the bytes have moved without a wait for the copies.
    pub(super) moved: bool,
    /// Destination and source of each lane, or of the lowest lane alone if those of the others follow
    /// contiguously in lane order.
    pub(super) ends: SmallVec<[(*mut u8, *const u8); 1]>,
}

// SAFETY: the pointers are into regions or shared memory of resident blocks; see `crate::memory`. Any thread
// may perform the copy.
unsafe impl Send for Row {}

impl Row {
    pub(super) fn end(&self, nth: usize) -> (*mut u8, *const u8) {
        match self.ends.get(nth) {
            Some(end) if self.ends.len() > 1 || nth == 0 => *end,
            _ => {
                let (dst, src) = self.ends[0];
                let at = nth * self.bytes as usize;
                (dst.wrapping_add(at), src.wrapping_add(at))
            }
        }
    }

    /// Moves the bytes, once.
    pub(super) fn perform(&mut self) {
        if std::mem::replace(&mut self.moved, true) {
            return;
        }
        let (bytes, src_bytes) = (self.bytes as usize, self.src_bytes as usize);
        let count = self.lanes.count_ones() as usize;
        let (times, bytes, src_bytes) = match self.ends.len() {
            1 if bytes == src_bytes => (1, bytes * count, bytes * count),
            _ => (count, bytes, src_bytes),
        };
        for nth in 0..times {
            let (dst, src) = self.end(nth);
            // SAFETY: `copy_rows` checked both ranges of each lane when the copies were issued; `copy` allows
            // source and destination to overlap.
            unsafe {
                std::ptr::copy(src, dst, src_bytes);
                std::ptr::write_bytes(dst.add(src_bytes), 0, bytes - src_bytes);
            }
        }
    }

    /// Splits the row into rows of one lane each.
    pub(super) fn each(self) -> impl Iterator<Item = Row> {
        Lanes(self.lanes).enumerate().map(move |(nth, lane)| Row {
            lanes: 1 << lane,
            op: self.op.of_lane(self.lanes, lane as u32),
            ends: smallvec::smallvec![self.end(nth)],
            ..self.clone()
        })
    }
}
