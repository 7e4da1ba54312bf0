//! Engines: the sources of events, or of the proof behind a finding.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::str::FromStr;

/// The engine that executed the kernels, or that reasoned about them instead.
///
/// Detectors never learn it. The caller of an engine adds it to the detectors' findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Engine {
    /// The virtual GPU: events of all threads in one order.
    #[default]
    Virtual,
    /// Kernels that look themselves whether others change what they access.
    Collide {
        preset: Preset,
        /// Whether it runs on the machine's own GPUs. Else it runs on the virtual one.
        gpu: bool,
        /// Whether kernels leave out accesses that are known to find nothing.
        prune: bool,
        /// The key of a permutation of blocks.
        shuffle: Option<u32>,
        /// Whether a kernel stops after it has seen a race, for a debugger.
        trap: bool,
    },
    /// Kernels that record the last accesses of the memory that they access.
    Guard {
        /// As of `Collide`.
        gpu: bool,
        prune: bool,
        /// The preset of value checks, if kernels make them as well.
        collide: Option<Preset>,
    },
    /// Kernels as they are, on the machine's own GPUs: some launches are saved, and run on the virtual GPU as well.
    Capture,
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
            Engine::Capture => "capture",
            Engine::Prover => "prover",
        }
    }

    /// Returns whether it runs kernels, so that a run can be repeated on it.
    pub const fn executes(self) -> bool {
        match self {
            Engine::Virtual | Engine::Collide { .. } | Engine::Guard { .. } | Engine::Capture => true,
            Engine::Prover => false,
        }
    }

    /// The name under which it finds, if it is not a lens that does.
    pub const fn lens(self) -> Option<&'static str> {
        match self {
            Engine::Collide { .. } => Some("collide"),
            Engine::Guard { .. } => Some("guard"),
            Engine::Virtual | Engine::Capture | Engine::Prover => None,
        }
    }

    /// Returns whether it may miss races that happened.
    pub const fn samples(self) -> bool {
        self.instruments() || matches!(self, Engine::Capture)
    }

    /// Returns whether its kernels check themselves.
    pub const fn instruments(self) -> bool {
        matches!(self, Engine::Collide { .. } | Engine::Guard { .. })
    }

    /// How patiently kernels look, if they do.
    pub const fn preset(self) -> Option<Preset> {
        match self {
            Engine::Collide { preset, .. } => Some(preset),
            Engine::Guard { collide, .. } => collide,
            Engine::Virtual | Engine::Capture | Engine::Prover => None,
        }
    }

    /// Returns whether it runs kernels on the machine's own GPUs.
    pub const fn on_gpu(self) -> bool {
        matches!(self, Engine::Collide { gpu: true, .. } | Engine::Guard { gpu: true, .. } | Engine::Capture)
    }

    /// Returns the same engine on the machine's own GPUs; without a choice, the usual engine there.
    pub fn with_gpu(self) -> Engine {
        match self {
            Engine::Guard { prune, collide, .. } => Engine::Guard { gpu: true, prune, collide },
            Engine::Collide { preset, prune, shuffle, trap, .. } => {
                Engine::Collide { preset, gpu: true, prune, shuffle, trap }
            }
            Engine::Capture => Engine::Capture,
            Engine::Virtual | Engine::Prover => Engine::Guard { gpu: true, prune: true, collide: None },
        }
    }

    /// Both in the same kernels, if that can be: `guard`, and `collide` as it is usually.
    pub fn beside(self, other: Engine) -> Option<Engine> {
        match (self, other) {
            (
                Engine::Guard { gpu, prune, collide: None },
                Engine::Collide { preset, gpu: there, prune: pruned, shuffle: None, trap: false },
            )
            | (
                Engine::Collide { preset, gpu: there, prune: pruned, shuffle: None, trap: false },
                Engine::Guard { gpu, prune, collide: None },
            ) if (gpu, prune) == (there, pruned) => Some(Engine::Guard { gpu, prune, collide: Some(preset) }),
            _ => None,
        }
    }

    /// The same, with every access looked at; `None` if it does not choose among them.
    pub fn unpruned(self) -> Option<Engine> {
        match self {
            Engine::Collide { preset, gpu, shuffle, trap, .. } => {
                Some(Engine::Collide { preset, gpu, prune: false, shuffle, trap })
            }
            Engine::Guard { gpu, collide, .. } => Some(Engine::Guard { gpu, prune: false, collide }),
            Engine::Virtual | Engine::Capture | Engine::Prover => None,
        }
    }

    /// Returns whether accesses are left out that are known to find nothing.
    pub const fn prunes(self) -> bool {
        !matches!(self, Engine::Collide { prune: false, .. } | Engine::Guard { prune: false, .. })
    }
}

/// Settings behind an engine's name.
const UNPRUNED: &str = "unpruned";
const TRAP: &str = "trap";
const SHUFFLE: &str = "shuffle=";
/// `guard` with `collide` beside it.
const BOTH: &str = "guard,collide";

/// As printed and as in JSON: `virtual`, `collide:balanced`, `gpu:collide:fastest:shuffle=7:unpruned`,
/// `guard,collide:sampled`, `prover`.
impl Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.on_gpu() {
            f.write_str("gpu:")?;
        }
        match self {
            Engine::Guard { collide: Some(preset), .. } => write!(f, "{BOTH}:{}", preset.name())?,
            _ => f.write_str(self.name())?,
        }
        if let Engine::Collide { preset, shuffle, trap, .. } = self {
            write!(f, ":{}", preset.name())?;
            if let Some(key) = shuffle {
                write!(f, ":{SHUFFLE}{key}")?;
            }
            if *trap {
                write!(f, ":{TRAP}")?;
            }
        }
        if !self.prunes() {
            write!(f, ":{UNPRUNED}")?;
        }
        Ok(())
    }
}

/// The text names no engine. Printed, it is a fragment of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected virtual, guard or collide[:fastest|balanced|sampled|patient][:shuffle=KEY][:trap]")]
pub struct UnknownEngine;

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(text: &str) -> Result<Self, UnknownEngine> {
        let (gpu, rest) = match text.strip_prefix("gpu:") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut words = rest.split(':');
        let name = words.next().unwrap_or_default();
        let (mut preset, mut shuffle, mut trap, mut unpruned) = (None, None, false, false);
        for word in words {
            let named = Preset::ALL.into_iter().find(|preset| preset.name() == word);
            let again = match (named, word.strip_prefix(SHUFFLE)) {
                (Some(named), _) => preset.replace(named).is_some(),
                (_, Some(key)) => shuffle.replace(key.parse().map_err(|_| UnknownEngine)?).is_some(),
                _ if word == TRAP => std::mem::replace(&mut trap, true),
                _ if word == UNPRUNED => std::mem::replace(&mut unpruned, true),
                _ => true,
            };
            if again {
                return Err(UnknownEngine);
            }
        }
        let (prune, plain) = (!unpruned, preset.is_none() && shuffle.is_none() && !trap);
        match name {
            "collide" => {
                let preset = preset.unwrap_or_default();
                Ok(Engine::Collide { preset, gpu, prune, shuffle, trap })
            }
            "guard" if plain => Ok(Engine::Guard { gpu, prune, collide: None }),
            BOTH if shuffle.is_none() && !trap => {
                Ok(Engine::Guard { gpu, prune, collide: Some(preset.unwrap_or_default()) })
            }
            "capture" if plain && prune && gpu => Ok(Engine::Capture),
            "virtual" if plain && prune && !gpu => Ok(Engine::Virtual),
            "prover" if plain && prune && !gpu => Ok(Engine::Prover),
            _ => Err(UnknownEngine),
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
            "guard,collide:sampled",
            "gpu:guard,collide:balanced:unpruned",
            "gpu:capture",
            "collide:fastest:shuffle=7:trap:unpruned",
        ] {
            assert_eq!(text.parse::<Engine>().unwrap().to_string(), text);
        }
        assert_eq!("collide".parse::<Engine>().unwrap().to_string(), "collide:balanced");
        assert_eq!("collide:trap".parse::<Engine>().unwrap().to_string(), "collide:balanced:trap");
        for text in [
            "",
            "gpu:",
            "gpu:virtual",
            "capture",
            "collide:",
            "collide:slow",
            "collider",
            "virtual:unpruned",
            "guard:trap",
            "guard,collide:trap",
            "collide,guard",
            "collide:shuffle",
            "collide:shuffle=x",
            "collide:trap:trap",
            "collide:fastest:balanced",
        ] {
            assert!(text.parse::<Engine>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_gpu_is_guarded_unless_another_engine_is_asked_for() {
        assert_eq!(Engine::default().with_gpu().to_string(), "gpu:guard");
        let collide: Engine = "collide:sampled".parse().unwrap();
        assert_eq!(collide.with_gpu().to_string(), "gpu:collide:sampled");
    }

    #[test]
    fn guard_and_collide_go_together() {
        let engine = |text: &str| text.parse::<Engine>().unwrap();
        let both = |a: &str, b: &str| engine(a).beside(engine(b)).map(|both| both.to_string());
        assert_eq!(both("guard", "collide:fastest").as_deref(), Some("guard,collide:fastest"));
        assert_eq!(both("collide:fastest", "guard"), both("guard", "collide:fastest"));
        for (a, b) in
            [("guard", "guard"), ("guard", "collide:trap"), ("collide", "collide"), ("virtual", "guard")]
        {
            assert_eq!(both(a, b), None, "{a} and {b}");
        }
        assert_eq!(
            engine("guard,collide").with_gpu().unpruned().unwrap().to_string(),
            "gpu:guard,collide:balanced:unpruned"
        );
    }
}
