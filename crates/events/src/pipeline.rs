//! The state of a pipeline of stages when a race was found in it.

use crate::access::Location;
use crate::ids::{BlockId, WarpId};
use serde::{Deserialize, Serialize};

/// The largest number of mbarriers of a block that a finding names.
pub const BARRIERS: usize = 32;

/// The mbarriers of a block when a race was found, and what was to hand the memory over from the first side to the second.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pipeline {
    pub handover: Handover,
    /// The mbarriers, sorted by address.
    pub barriers: Vec<Barrier>,
}

/// The handover of memory from one side of a race to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Handover {
    /// A phase of an mbarrier: the one in which the first side's operation completed, or will, or in which its warp arrived
    /// last; `None` if that has not arrived. `waited` is the last phase for which the second side's warp had waited.
    Phase { barrier: Location, phase: Option<u64>, waited: Option<u64> },
    /// A group of asynchronous matrix products of a warp, counted from 0; `None` if it is not committed, or not known. Groups
    /// before `waited` had been waited for.
    Group { group: Option<u32>, committed: u32, waited: u32 },
    /// Neither an mbarrier nor a group is known by which the two could have met.
    Unknown,
}

/// An mbarrier object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Barrier {
    pub at: Location,
    /// The number of arrivals that each phase takes, by `mbarrier.init`; 0 if that was not seen.
    pub count: u32,
    /// The last phases in which something happened, the oldest first.
    pub phases: Vec<Phase>,
    /// Warps that started asynchronous operations that complete there, with the phase at that time.
    pub issuers: Vec<Party>,
    /// Warps that arrived, with the last phase in which they did.
    pub arrivals: Vec<Party>,
    /// Warps that waited, with the last phase for which they did; [`NO_PHASE`](crate::sync::NO_PHASE) for the one before the first.
    pub waits: Vec<Party>,
}

/// The transaction counts of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Phase {
    pub number: u64,
    /// Bytes that were to come, by `expect_tx`.
    pub expected: u64,
    /// Bytes that had come.
    pub received: u64,
}

/// A warp's last part in an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Party {
    pub block: BlockId,
    pub warp: WarpId,
    pub phase: u64,
}

impl Barrier {
    /// Returns the transaction counts of a phase.
    pub fn phase(&self, number: u64) -> Phase {
        let known = self.phases.iter().find(|phase| phase.number == number);
        known.copied().unwrap_or(Phase { number, ..Phase::default() })
    }
}
