//! The pipeline that the memory of a finding is a stage of, as it was when the finding was made.

use serde::{Deserialize, Serialize};

/// A ring of stages with its two roles, and the arrow that is missing between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pipeline {
    /// The state in words: the stage, the roles, phases and transaction counts, and what is missing.
    pub text: String,
    /// The roles of the two accesses.
    pub roles: [Role; 2],
    /// The missing synchronisation, briefly: ``wait for phase 0 of `full[0]` ``.
    pub missing: String,
    /// In the order of their mbarriers' addresses; empty if no mbarrier is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
    /// The stage of the two accesses: index into the stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raced: Option<usize>,
    /// The groups of matrix products that the first access belongs to, or may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Groups>,
}

/// The part of an access in the pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// Whether it fills the stage; else, it uses what is in it.
    pub producer: bool,
    /// `warp 3`, `warp 0 of block (1, 0, 0)`.
    pub warp: String,
}

/// A stage's mbarriers; one is absent if the pipeline has none of that kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// The mbarrier by which the producer tells that the stage is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full: Option<Gate>,
    /// The mbarrier by which the consumer gives the stage back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty: Option<Gate>,
}

/// An mbarrier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// `` `full[0]` ``.
    pub name: String,
    /// The last phase in which something happened; absent if nothing has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<u64>,
    /// Bytes that this phase expected and had received.
    pub expected: u64,
    pub received: u64,
    /// Warps that signalled it and waited for it, with the last phase of each.
    pub arrivals: Vec<String>,
    pub waits: Vec<String>,
}

/// The groups of matrix products of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Groups {
    /// The group of the product, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    pub committed: u32,
    /// How many of them had been waited for.
    pub waited: u32,
}
