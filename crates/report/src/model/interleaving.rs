//! The threads' actions around the two accesses of a finding, as the run was recorded.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interleaving {
    /// The threads that take part: the two sides of the finding (one, if both are one thread's), then others
    /// through which order passed on its way from the one towards the other.
    pub lanes: Vec<Lane>,
    /// In the order in which they happened; of a long story those near the two accesses.
    pub steps: Vec<Moment>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// `thread (3, 0, 0) of block (1, 0, 0)`, `` `cudaMemcpyAsync` ``.
    pub who: String,
    /// Empty for what is no kernel.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kernel: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An access of the memory that the two race on, or of memory by which they may meet.
    #[default]
    Access,
    Fence,
    /// Arriving at a barrier of any group, or passing it.
    Barrier,
    /// The host started it.
    Start,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Index into [`Interleaving::lanes`].
    pub lane: usize,
    pub kind: Kind,
    /// In words: `relaxed write, device scope`.
    pub what: String,
    /// The accessed memory in words; empty for the memory that the two race on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory: String,
    /// Empty without line information.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// 0 if unknown.
    #[serde(default)]
    pub line: u32,
    /// How many times in a row.
    pub times: u64,
    /// 1 or 2: it is the finding's access of that number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<u8>,
    /// The values that it read and wrote, if they were recorded: of strong operations only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    /// The step whose value it reads, if that is one of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The other side passes the same barrier in the step before.
    #[serde(default)]
    pub together: bool,
    /// Steps between the one before and this one that are left out.
    #[serde(default)]
    pub skipped: u64,
}
