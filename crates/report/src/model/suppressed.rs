//! What a described run says of findings that are no part of its verdict.

use super::Described;
use events::Level;
use serde::{Deserialize, Serialize};

/// Where an entry stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// As it was named.
    pub file: String,
    /// Counted from 1.
    pub number: usize,
}

/// A finding that is no part of the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suppressed {
    pub level: Level,
    pub by: By,
    #[serde(flatten)]
    pub finding: Described,
}

/// What suppressed a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum By {
    /// `// warprace: allow(class) reason` at `line` of `file`.
    Annotation { file: String, line: u32, reason: String },
    /// An entry of a file.
    Entry {
        #[serde(flatten)]
        origin: Origin,
        reason: String,
    },
    /// It was in the report of an earlier run.
    Baseline { file: String },
}

impl By {
    /// What suppressed it, and why.
    pub fn text(&self) -> String {
        let what = match self {
            By::Annotation { line, .. } => format!("by a comment in line {line}"),
            By::Entry { origin, .. } => format!("by entry {} of {}", origin.number, origin.file),
            By::Baseline { file } => format!("known from {file}"),
        };
        let colon = if self.reason().is_empty() { "" } else { ": " };
        format!("{what}{colon}{}", self.reason())
    }

    /// Why, in the words of whoever wrote it down; may be empty.
    pub fn reason(&self) -> &str {
        match self {
            By::Annotation { reason, .. } | By::Entry { reason, .. } => reason,
            By::Baseline { .. } => "",
        }
    }
}

/// An entry of a suppressions file, and how often it was needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    #[serde(flatten)]
    pub origin: Origin,
    /// What it asks for, such as `class = "same-instruction", file = "src/*"`.
    pub text: String,
    /// Findings that it matches.
    pub hits: u64,
}

/// What a baseline was good for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    pub file: String,
    /// Findings of this run that it has.
    pub known: u64,
    /// Findings of this run that it does not have, suppressed ones left out.
    pub new: u64,
    /// Findings that it has and this run did not show: mended, or not reached.
    pub gone: u64,
}
