//! The schedules that a run with `--explore` tries, by name.

use std::fmt::{self, Display};
use std::str::FromStr;

/// Which schedules `--explore` means (`--strategy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// So many of all kinds.
    #[default]
    Mixed,
    /// A search, with a bound on preemptions or with one after the other.
    Dfs { preemptions: Option<u32> },
    /// So many executions whose reads may return old values; loads may be late by `window` accesses.
    Weak { window: Option<u32> },
}

impl Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Mixed => f.write_str("mixed"),
            Strategy::Dfs { preemptions: None } => f.write_str("dfs"),
            Strategy::Dfs { preemptions: Some(bound) } => write!(f, "dfs/{bound}"),
            Strategy::Weak { window: None } => f.write_str("weak"),
            Strategy::Weak { window: Some(window) } => write!(f, "weak/{window}"),
        }
    }
}

/// The text names no strategy. Printed, it is a fragment of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected mixed, dfs[/PREEMPTIONS] or weak[/WINDOW]")]
pub struct UnknownStrategy;

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let strategy = match text.split_once('/') {
            None if text == "mixed" => Some(Strategy::Mixed),
            None if text == "weak" => Some(Strategy::Weak { window: None }),
            None if text == "dfs" => Some(Strategy::Dfs { preemptions: None }),
            Some(("dfs", bound)) => bound.parse().ok().map(|n| Strategy::Dfs { preemptions: Some(n) }),
            Some(("weak", window)) => window.parse().ok().map(|n| Strategy::Weak { window: Some(n) }),
            _ => None,
        };
        strategy.ok_or(UnknownStrategy)
    }
}
