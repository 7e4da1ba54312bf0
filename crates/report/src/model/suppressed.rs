//! Findings that are no part of a described run's verdict.

use super::Described;
use events::Level;
use serde::{Deserialize, Serialize};

/// The position of an entry in its file.
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

/// The reason why a finding is suppressed.
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
    /// Returns the reason as text.
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
    /// The conditions of the entry, such as `class = "same-instruction", file = "src/*"`.
    pub text: String,
    /// Findings that it matches.
    pub hits: u64,
}

/// The result of a comparison with a baseline.
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
