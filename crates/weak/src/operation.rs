//! Places in memory, and accesses of them.

use crate::message::Reach;
use crate::outcome::{Kind, Missed, Outcome};
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
}

impl Operation {
    pub(crate) fn party(&self, strong: Option<Strong>) -> Party {
        Party { thread: self.thread, reach: strong.map(|s| s.reach) }
    }

    pub(crate) fn outcome(&self, kind: Kind, value: u64, missed: Missed) -> Outcome {
        let Operation { thread, site, place, .. } = *self;
        let Place { space, address, bytes } = place;
        Outcome { kind, site, thread, space, address, bytes, value, missed }
    }
}
