//! A function's activation: the location of its registers and local memory, and copies of its registers.

use crate::program::{FILE_64, FILE_CONST, FILE_MASK, FILE_PRED, Row};
use events::LaneMask;
use smallvec::SmallVec;

/// The activation of a function: byte offsets of its registers and local memory in the warp's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub r32: u32,
    pub r64: u32,
    pub pred: u32,
    /// The start of its local memory, per lane.
    pub local: u32,
    /// The end of its local memory; `alloca` raises it.
    pub local_top: u32,
    pub function: u32,
}

/// The participating groups with their frames: lanes may come from different calls.
pub(super) type Parts = SmallVec<[(LaneMask, Frame); 2]>;

/// The return address of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Return {
    /// The index of the call instruction.
    pub call: u32,
    pub frame: Frame,
}

/// A copy of a frame's registers.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    pub(super) r32: Vec<u32>,
    pub(super) r64: Vec<u32>,
    pub(super) preds: Vec<u32>,
}

impl Registers {
    /// Returns whether all registers agree in the lanes of `mask`.
    pub(crate) fn same(&self, other: &Registers, mask: LaneMask) -> bool {
        let lanes = |a: &[u32], b: &[u32], words: usize| {
            a.len() == b.len()
                && a.iter().zip(b).enumerate().all(|(i, (a, b))| a == b || mask >> (i / words % 32) & 1 == 0)
        };
        lanes(&self.r32, &other.r32, 1)
            && lanes(&self.r64, &other.r64, 2)
            && self.preds.len() == other.preds.len()
            && self.preds.iter().zip(&other.preds).all(|(a, b)| (a ^ b) & mask == 0)
    }

    /// Returns whether one row agrees in the lanes of `mask`. Constant rows always agree.
    pub(crate) fn same_row(&self, other: &Registers, row: Row, mask: LaneMask) -> bool {
        let at = (row & !FILE_MASK) as usize / 4;
        let equal = |a: &[u32], b: &[u32], words: usize| {
            let (Some(a), Some(b)) = (a.get(at..at + 32 * words), b.get(at..at + 32 * words)) else {
                return false;
            };
            (0..32 * words).all(|i| a[i] == b[i] || mask >> (i / words) & 1 == 0)
        };
        match row & FILE_MASK {
            FILE_CONST => true,
            FILE_64 => equal(&self.r64, &other.r64, 2),
            FILE_PRED => match (self.preds.get(at), other.preds.get(at)) {
                (Some(a), Some(b)) => (a ^ b) & mask == 0,
                _ => false,
            },
            _ => equal(&self.r32, &other.r32, 1),
        }
    }
}
