//! How accesses are judged that the PTX model and CUDA's guide judge differently, and which hazards are looked for.

use crate::checks::Checks;
use serde::{Deserialize, Serialize};

/// All of a run's choices among readings of the memory model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Laws {
    pub volatile: Volatile,
    pub equal_values: EqualValues,
    pub checks: Checks,
}

/// How `volatile` accesses are judged (`--volatile`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Volatile {
    /// PTX §8.4.2: relaxed operations of system scope.
    #[default]
    Strong,
    /// Ordinary accesses: what the published detectors' papers assume.
    Weak,
}

/// The class of stores by which lanes of one instruction write equal bytes to one location
/// (`--equal-values`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EqualValues {
    /// The CUDA Programming Guide: one of the writes happens.
    #[default]
    Hazard,
    /// The letter of PTX §8.7.1.
    Race,
}

impl Volatile {
    pub const fn name(self) -> &'static str {
        match self {
            Volatile::Strong => "strong",
            Volatile::Weak => "weak",
        }
    }
}

impl EqualValues {
    pub const fn name(self) -> &'static str {
        match self {
            EqualValues::Hazard => "hazard",
            EqualValues::Race => "race",
        }
    }
}
