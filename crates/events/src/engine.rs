//! Who speaks: what made the events or the proof behind a finding.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// What executed the kernels, or what reasoned about them instead.
///
/// Detectors never learn it. Whoever runs an engine adds it to what the detectors found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// The virtual GPU: events of all threads in one order.
    #[default]
    Virtual,
    /// The static prover: nothing was executed to find it.
    Prover,
}

impl Engine {
    /// As printed and as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Virtual => "virtual",
            Engine::Prover => "prover",
        }
    }

    /// Does it run kernels, so that a run can be repeated on it?
    pub const fn executes(self) -> bool {
        match self {
            Engine::Virtual => true,
            Engine::Prover => false,
        }
    }
}

impl Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
