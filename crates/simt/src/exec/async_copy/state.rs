//! Outstanding copies, and the movement of their bytes.

use super::row::Row;
use crate::exec::data;
use crate::num::rmw;
use crate::program::{Address, AsyncInst, NO_ROW, Signals, TensorThreadInst};
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

/// A bulk copy that has been issued.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(super) lane: u8,
    pub(super) op: AsyncOpId,
    pub(super) bytes: u32,
    /// The group that contains it, once committed.
    pub(super) group: Option<u32>,
    /// Whether the bytes have moved while only their reading was waited for.
    pub(super) moved: bool,
    pub(super) moves: Moves,
}

/// The bytes that a copy moves.
#[derive(Clone, Debug)]
pub(crate) enum Moves {
    Whole {
        dst: *mut u8,
        src: *const u8,
        reduce: Option<(Rmw, ScalarType)>,
    },
    Pieces(Pieces),
    /// A response.
    Value {
        dst: *mut u8,
        value: [u8; 16],
    },
}

/// The bytes that a tensor copy moves.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    /// The value of elements outside of the tensor, and the size of an element.
    pub(super) fill: u64,
    pub(super) element: u32,
    pub(super) how: How,
}

/// The treatment of the bytes that a tensor copy moves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    Copied,
    Reduced(Rmw, ScalarType),
    /// The low 6 bits of each byte, one behind the other.
    Packed,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(super) dst: *mut u8,
    /// Null where elements are outside of the tensor.
    pub(super) src: *const u8,
    pub(super) bytes: u32,
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
        match &self.moves {
            Moves::Whole { dst, src, reduce } => {
                // SAFETY: `range` checked both ranges when the copy was issued.
                unsafe { transfer(*dst, *src, self.bytes as usize, *reduce) };
            }
            Moves::Value { dst, value } => {
                // SAFETY: `range` checked 16 bytes when the response was requested.
                unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), *dst, value.len()) };
            }
            Moves::Pieces(all) => {
                for piece in &all.pieces {
                    // SAFETY: all pieces are in ranges that were checked when the copy was issued.
                    unsafe {
                        if piece.src.is_null() {
                            let fill = all.fill.to_le_bytes();
                            for at in 0..piece.bytes {
                                piece.dst.add(at as usize).write(fill[(at % all.element) as usize]);
                            }
                        } else {
                            match all.how {
                                How::Copied => transfer(piece.dst, piece.src, piece.bytes as usize, None),
                                How::Reduced(op, ty) => {
                                    transfer(piece.dst, piece.src, piece.bytes as usize, Some((op, ty)));
                                }
                                How::Packed => pack(piece.dst, piece.src),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Packs the low 6 bits of 16 bytes into 12.
///
/// # Safety
/// `src` is valid for 16 bytes, `dst` for 12; they do not overlap.
unsafe fn pack(dst: *mut u8, src: *const u8) {
    // SAFETY: the caller's promise.
    let from: [u8; 16] = std::array::from_fn(|i| unsafe { src.add(i).read() });
    let bits = from.iter().rev().fold(0u128, |bits, byte| bits << 6 | u128::from(byte & 0x3f));
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(bits.to_le_bytes().as_ptr(), dst, 12) };
}

/// Moves or reduces bytes.
///
/// # Safety
/// Both ranges are valid for `bytes` bytes; they may overlap.
unsafe fn transfer(dst: *mut u8, src: *const u8, bytes: usize, reduce: Option<(Rmw, ScalarType)>) {
    let Some((op, ty)) = reduce else {
        // SAFETY: the caller's promise.
        return unsafe { std::ptr::copy(src, dst, bytes) };
    };
    let step = ty.bytes().max(1) as usize;
    for at in (0..bytes).step_by(step) {
        // SAFETY: the caller's promise; the number of bytes is a multiple of the element's size.
        unsafe {
            let (d, s) = (dst.add(at), src.add(at));
            let (old, b) = (data::read(d, step as u8), data::read(s, step as u8));
            if let Some(new) = rmw::apply(op, ty, old, b, 0, false) {
                data::write(d, step as u8, new);
            }
        }
    }
}

impl AsyncInst {
    /// Returns the address of the mbarrier object that the instruction requires, if there is one, and the row of the mask of blocks
    /// whose objects at this address it requires; `NO_ROW` for the addressed one alone.
    pub(crate) fn mbarrier(&self) -> Option<(&Address, crate::program::Row, Signals)> {
        let (address, row) = match self {
            AsyncInst::MbarrierArrive { address, .. } => (address, NO_ROW),
            AsyncInst::Remote { mbar, .. } => (mbar, NO_ROW),
            AsyncInst::TryCancel { mbar, signals, .. } => return Some((mbar, NO_ROW, *signals)),
            AsyncInst::Bulk(bulk) => (bulk.mbar.as_ref()?, bulk.multicast),
            AsyncInst::Tensor(tensor) => {
                return Some((tensor.mbar.as_ref()?, tensor.multicast, tensor.signals));
            }
            AsyncInst::TensorMemory(inst) => match &**inst {
                TensorThreadInst::Commit { mbar, multicast, .. } => (mbar, *multicast),
                _ => return None,
            },
            _ => return None,
        };
        Some((address, row, Signals::Destination))
    }
}
