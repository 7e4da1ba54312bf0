//! Places in memory, and accesses of them.

use crate::message::Reach;
use crate::outcome::{Kind, Missed, Outcome};
use crate::path::Path;
use crate::thread::ThreadId;
use crate::write::Party;
use events::{Sem, SiteId, Space, Strength};

/// A scalar in memory: at most eight bytes, naturally aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub space: Space,
    pub address: u64,
    pub bytes: u8,
}

/// An access of a scalar by a thread.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub thread: ThreadId,
    pub site: SiteId,
    pub strength: Strength,
    pub place: Place,
    pub path: Path,
}

/// The result of a read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Updated {
    pub old: u64,
    pub new: u64,
    /// The value that memory holds afterwards, the last in coherence order.
    pub newest: u64,
}

/// The semantics and the reach of a strong operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strong {
    pub sem: Sem,
    pub reach: Reach,
}

/// A choice of a read-modify-write: the write that it reads and its own place.
#[derive(Clone, Copy)]
pub(crate) struct Exchange {
    pub source: usize,
    pub at: usize,
}

impl Place {
    /// Returns the chunk of eight bytes that contains the place.
    pub(crate) fn chunk(&self) -> (Space, u64) {
        (self.space, self.address >> 3)
    }

    pub(crate) fn overlaps(&self, other: &Place) -> bool {
        let ends = |place: &Place| place.address + u64::from(place.bytes);
        self.space == other.space && self.address < ends(other) && other.address < ends(self)
    }

    /// Returns the bytes in the chunk: the offset and their number.
    pub(crate) fn extent(&self) -> (u8, u8) {
        ((self.address & 7) as u8, self.bytes)
    }
}

impl Operation {
    pub(crate) fn party(&self, strong: Option<Strong>) -> Party {
        let (reach, extent) = (strong.map(|s| s.reach), self.place.extent());
        Party { thread: self.thread, path: self.path, extent, reach }
    }

    /// Returns an outcome of the access of a piece, in the extent of its history.
    pub(crate) fn outcome(
        &self,
        (offset, bytes): (u8, u8),
        kind: Kind,
        value: u64,
        missed: Missed,
    ) -> Outcome {
        let Operation { thread, site, place, path, .. } = *self;
        let (space, address) = (place.space, place.address & !7 | u64::from(offset));
        Outcome { kind, site, thread: thread.issuer(), space, address, bytes, path, value, missed }
    }
}
