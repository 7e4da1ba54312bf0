//! A prover's answer about a kernel.

use serde::{Deserialize, Serialize};

/// A kernel's answer, for every launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// Demangled, with parameters.
    pub kernel: String,
    pub verdict: Proved,
    /// Conditions that the host code would have to establish, and does not: the proof is about launches of
    /// which they are true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Assumptions about launches under which the answer holds, each in words.
    pub assumptions: Vec<String>,
    /// Pairs of accesses that were asked about, and those of them that are left open.
    pub pairs: usize,
    pub open: usize,
    /// The launch that has the race.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// Why it is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proved {
    /// No launch that satisfies the assumptions has a race; with host code, whatever its program is given.
    Proved,
    /// No launch of a program that is started without arguments has a race.
    ProvedWithoutArguments,
    /// No launch for which the conditions are true has a race; the host code can make others.
    ProvedConditionally,
    /// A launch has one: it is among the findings.
    Race,
    /// A launch has one, and no known host code makes it.
    RaceInUnseenLaunch,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// Blocks, and threads of each.
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// In words, with the arguments.
    pub launch: String,
    /// The arguments that the program must be given to make it, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
}

/// A pair of accesses of which nothing could be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    pub why: String,
    /// `FILE:LINE` of both, if they are known.
    pub at: Option<[String; 2]>,
    /// A suggestion that would help the prover.
    pub suggestion: Option<String>,
}

impl Proof {
    /// Why the kernel is not proved for all launches: a line for each doubt.
    pub fn unknown(&self) -> Vec<String> {
        let line = |doubt: &Doubt| match &doubt.at {
            Some([a, b]) if a == b => format!("{} ({a})", doubt.why),
            Some([a, b]) => format!("{} ({a} and {b})", doubt.why),
            None => doubt.why.clone(),
        };
        match self.verdict {
            Proved::Unknown if self.doubts.is_empty() => vec!["unknown".into()],
            Proved::Unknown => self.doubts.iter().map(line).collect(),
            Proved::ProvedWithoutArguments => {
                vec!["proved only for a program that is started without arguments".into()]
            }
            Proved::ProvedConditionally => {
                self.conditions.iter().map(|c| format!("proved only if {c}")).collect()
            }
            Proved::Proved | Proved::Race | Proved::RaceInUnseenLaunch => Vec::new(),
        }
    }

    /// Returns whether the proof is about a part of the launches that the host code can make.
    pub fn is_in_part(&self) -> bool {
        matches!(self.verdict, Proved::ProvedWithoutArguments | Proved::ProvedConditionally)
    }
}
