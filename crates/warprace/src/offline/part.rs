//! The result of a detector for a part of memory.

use detect::lens::pairs::Moment;
use detect::ptx::Partial;
use events::Finding;
use serde::{Deserialize, Serialize};

/// The findings for a part of memory.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Found {
    Ptx(Box<Partial>),
    Serial(Vec<(Moment, Finding)>),
}

impl Default for Found {
    fn default() -> Self {
        Found::Serial(Vec::new())
    }
}

/// The result for a part of memory: its findings, and their account.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) found: Found,
    /// Reasons for which the result is inconclusive.
    pub(super) limits: Vec<String>,
    /// What the lens does not look at.
    pub(super) scope: Vec<String>,
    pub(super) overlooked: u64,
    pub(super) shadow_bytes: u64,
    pub(super) touched_bytes: u64,
}

impl Part {
    /// Adds the account of another part, and returns its findings.
    pub(super) fn add(&mut self, other: Part) -> Found {
        add_new(&mut self.limits, other.limits);
        add_new(&mut self.scope, other.scope);
        // Each part receives all accesses, and has memory of its own.
        self.overlooked = self.overlooked.max(other.overlooked);
        self.shadow_bytes = self.shadow_bytes.max(other.shadow_bytes);
        self.touched_bytes += other.touched_bytes;
        other.found
    }
}

/// Adds the texts that other shards have not already contributed.
pub(super) fn add_new(told: &mut Vec<String>, texts: Vec<String>) {
    for text in texts {
        if !told.contains(&text) {
            told.push(text);
        }
    }
}
