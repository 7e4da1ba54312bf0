//! The history of a campaign: many runs that are described together.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The runs of a campaign that a document describes together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Campaign {
    /// The runs that have a result, and all of them.
    pub runs: u64,
    pub of: u64,
    /// How many runs have each verdict; `not-run` if there is no report.
    pub verdicts: BTreeMap<String, u64>,
    /// How many runs ended how: `ended`, `crashed`, `timed-out`, `not-run`.
    pub outcomes: BTreeMap<String, u64>,
    /// The settings of the runs.
    pub settings: Vec<Setting>,
    /// How the number of different findings grew.
    pub growth: Vec<Growth>,
    /// The time that all runs took together.
    pub milliseconds: u64,
}

/// The common part of some runs: all but arguments and seed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Setting {
    pub engine: String,
    /// Empty for the default.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lens: String,
    /// Empty for the default.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub schedule: String,
    pub runs: u64,
}

/// A run that showed a finding which no run with a lower number showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    pub run: u64,
    /// The number of different findings of this run and all before it.
    pub findings: u64,
}

/// The history of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The runs that showed it, and all that have a result.
    pub runs: u64,
    pub of: u64,
    /// The lowest number of a run that showed it; the finding is described as that run showed it.
    pub first_run: u64,
    /// When a run showed it for the first time, in seconds since 1970.
    pub first_at: u64,
    /// The settings that showed it, each with the number of these runs.
    pub settings: Vec<Setting>,
}

impl Setting {
    /// Returns the setting in words: `random`, `hb random`, `gpu:collide`.
    pub fn words(&self) -> String {
        let engine = if self.engine == "virtual" { "" } else { &self.engine };
        let words: Vec<&str> =
            [engine, &self.lens, &self.schedule].into_iter().filter(|word| !word.is_empty()).collect();
        match words.is_empty() {
            true => "the default schedule".to_owned(),
            false => words.join(" "),
        }
    }
}
