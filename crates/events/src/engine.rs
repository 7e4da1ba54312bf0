//! Who speaks: what made the events or the proof behind a finding.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::str::FromStr;

/// What executed the kernels, or what reasoned about them instead.
///
/// Detectors never learn it. Whoever runs an engine adds it to what the detectors found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Engine {
    /// The virtual GPU: events of all threads in one order.
    #[default]
    Virtual,
    /// Kernels that look themselves whether others change what they access.
    Collide {
        preset: Preset,
        /// On the machine's own GPUs? Else on the virtual one.
        gpu: bool,
        /// Do they leave out what is known to find nothing?
        prune: bool,
    },
    /// Kernels that keep, for memory that they access, who accessed it last.
    Guard {
        /// As of `Collide`.
        gpu: bool,
        prune: bool,
    },
    /// The static prover: nothing was executed to find it.
    Prover,
}

/// How patiently `collide` looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Preset {
    Fastest,
    #[default]
    Balanced,
    Sampled,
    /// For small programs: long enough for other kernels, copies and the host to come in between.
    Patient,
}

impl Preset {
    const ALL: [Preset; 4] = [Preset::Fastest, Preset::Balanced, Preset::Sampled, Preset::Patient];

    pub const fn name(self) -> &'static str {
        match self {
            Preset::Fastest => "fastest",
            Preset::Balanced => "balanced",
            Preset::Sampled => "sampled",
            Preset::Patient => "patient",
        }
    }
}

impl Engine {
    /// Without its settings.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Virtual => "virtual",
            Engine::Collide { .. } => "collide",
            Engine::Guard { .. } => "guard",
            Engine::Prover => "prover",
        }
    }

    /// Does it run kernels, so that a run can be repeated on it?
    pub const fn executes(self) -> bool {
        match self {
            Engine::Virtual | Engine::Collide { .. } | Engine::Guard { .. } => true,
            Engine::Prover => false,
        }
    }

    /// The name under which it finds, if it is not a lens that does.
    pub const fn lens(self) -> Option<&'static str> {
        match self {
            Engine::Collide { .. } => Some("collide"),
            Engine::Guard { .. } => Some("guard"),
            Engine::Virtual | Engine::Prover => None,
        }
    }

    /// May it miss races that happened?
    pub const fn samples(self) -> bool {
        self.instruments()
    }

    /// Do its kernels check themselves?
    pub const fn instruments(self) -> bool {
        matches!(self, Engine::Collide { .. } | Engine::Guard { .. })
    }

    /// How patiently kernels look, if they do.
    pub const fn preset(self) -> Option<Preset> {
        match self {
            Engine::Collide { preset, .. } => Some(preset),
            Engine::Virtual | Engine::Guard { .. } | Engine::Prover => None,
        }
    }

    /// Does it run kernels on the machine's own GPUs?
    pub const fn on_gpu(self) -> bool {
        matches!(self, Engine::Collide { gpu: true, .. } | Engine::Guard { gpu: true, .. })
    }

    /// What does the same on the machine's own GPUs; without a choice, what is usual there.
    pub fn with_gpu(self) -> Engine {
        match self {
            Engine::Guard { prune, .. } => Engine::Guard { gpu: true, prune },
            _ => {
                Engine::Collide { preset: self.preset().unwrap_or_default(), gpu: true, prune: self.prunes() }
            }
        }
    }

    /// The same, with every access looked at; `None` if it does not choose among them.
    pub fn unpruned(self) -> Option<Engine> {
        match self {
            Engine::Collide { preset, gpu, .. } => Some(Engine::Collide { preset, gpu, prune: false }),
            Engine::Guard { gpu, .. } => Some(Engine::Guard { gpu, prune: false }),
            Engine::Virtual | Engine::Prover => None,
        }
    }

    /// Are accesses left out that are known to find nothing?
    pub const fn prunes(self) -> bool {
        !matches!(self, Engine::Collide { prune: false, .. } | Engine::Guard { prune: false, .. })
    }
}

/// What an engine that prunes nothing ends in.
const UNPRUNED: &str = ":unpruned";

/// As printed and as in JSON: `virtual`, `collide:balanced`, `gpu:collide:fastest:unpruned`, `prover`.
impl Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Engine::Collide { preset, gpu, prune } => {
                let (gpu, rest) = (if *gpu { "gpu:" } else { "" }, if *prune { "" } else { UNPRUNED });
                write!(f, "{gpu}collide:{}{rest}", preset.name())
            }
            Engine::Guard { gpu, prune } => {
                let (gpu, rest) = (if *gpu { "gpu:" } else { "" }, if *prune { "" } else { UNPRUNED });
                write!(f, "{gpu}guard{rest}")
            }
            Engine::Virtual | Engine::Prover => f.write_str(self.name()),
        }
    }
}

/// The text names no engine. Printed, it is a fragment of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected virtual, guard or collide[:fastest|balanced|sampled|patient]")]
pub struct UnknownEngine;

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(text: &str) -> Result<Self, UnknownEngine> {
        let (gpu, name) = match text.strip_prefix("gpu:") {
            Some(name) => (true, name),
            None => (false, text),
        };
        let (name, prune) = match name.strip_suffix(UNPRUNED) {
            Some(name) => (name, false),
            None => (name, true),
        };
        let preset = match name.strip_prefix("collide") {
            Some("") => Some(Preset::default()),
            Some(preset) => Preset::ALL.into_iter().find(|p| preset.strip_prefix(':') == Some(p.name())),
            None => None,
        };
        match (preset, text) {
            (None, _) if name == "guard" => Ok(Engine::Guard { gpu, prune }),
            (Some(preset), _) => Ok(Engine::Collide { preset, gpu, prune }),
            (None, "virtual") => Ok(Engine::Virtual),
            (None, "prover") => Ok(Engine::Prover),
            (None, _) => Err(UnknownEngine),
        }
    }
}

impl From<Engine> for String {
    fn from(engine: Engine) -> String {
        engine.to_string()
    }
}

impl TryFrom<String> for Engine {
    type Error = UnknownEngine;

    fn try_from(text: String) -> Result<Self, UnknownEngine> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_print_what_they_parse() {
        for text in [
            "virtual",
            "prover",
            "collide:fastest",
            "gpu:collide:sampled",
            "gpu:collide:patient:unpruned",
            "guard",
            "gpu:guard:unpruned",
        ] {
            assert_eq!(text.parse::<Engine>().unwrap().to_string(), text);
        }
        assert_eq!("collide".parse::<Engine>().unwrap().to_string(), "collide:balanced");
        for text in ["", "gpu:", "gpu:virtual", "collide:", "collide:slow", "collider", "virtual:unpruned"] {
            assert!(text.parse::<Engine>().is_err(), "{text}");
        }
    }
}
