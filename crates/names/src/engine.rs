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
        /// Delays other than the preset's.
        delays: Delays,
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

/// The longest delays of `collide`'s checks in nanoseconds; `None` for the preset's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Delays {
    /// Behind a load.
    pub read: Option<u32>,
    /// Behind a store.
    pub write: Option<u32>,
}

impl Delays {
    /// The preset's.
    pub const NONE: Delays = Delays { read: None, write: None };
    /// The longest delay, which is what a thread can sleep at once.
    pub const LONGEST: u32 = 1_000_000;

    /// Reads a delay: 1 ns to [`Delays::LONGEST`].
    fn read(text: &str) -> Result<u32, UnknownEngine> {
        text.parse().ok().filter(|ns| (1..=Delays::LONGEST).contains(ns)).ok_or(UnknownEngine)
    }
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
            Engine::Collide { preset, delays, prune, shuffle, trap, .. } => {
                Engine::Collide { preset, delays, gpu: true, prune, shuffle, trap }
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
                Engine::Collide {
                    preset,
                    delays: Delays::NONE,
                    gpu: there,
                    prune: pruned,
                    shuffle: None,
                    trap: false,
                },
            ) if (gpu, prune) == (there, pruned) => Some(Engine::Guard { gpu, prune, collide: Some(preset) }),
            (Engine::Collide { .. }, Engine::Guard { .. }) => other.beside(self),
            _ => None,
        }
    }

    /// The same, with every access looked at; `None` if it does not choose among them.
    pub fn unpruned(self) -> Option<Engine> {
        match self {
            Engine::Collide { preset, delays, gpu, shuffle, trap, .. } => {
                Some(Engine::Collide { preset, delays, gpu, prune: false, shuffle, trap })
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
const READ_DELAY: &str = "rdelay=";
const WRITE_DELAY: &str = "wdelay=";
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
        if let Engine::Collide { preset, delays, shuffle, trap, .. } = self {
            write!(f, ":{}", preset.name())?;
            if let Some(ns) = delays.read {
                write!(f, ":{READ_DELAY}{ns}")?;
            }
            if let Some(ns) = delays.write {
                write!(f, ":{WRITE_DELAY}{ns}")?;
            }
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
#[error(
    "expected virtual, guard or \
     collide[:fastest|balanced|sampled|patient][:rdelay=NS][:wdelay=NS][:shuffle=KEY][:trap]"
)]
pub struct UnknownEngine;

/// The words behind an engine's name.
#[derive(Default)]
struct Settings {
    preset: Option<Preset>,
    delays: Delays,
    shuffle: Option<u32>,
    trap: bool,
    unpruned: bool,
}

impl Settings {
    /// Reads a word, each kind once.
    fn add(&mut self, word: &str) -> Result<(), UnknownEngine> {
        let named = Preset::ALL.into_iter().find(|preset| preset.name() == word);
        let again = if let Some(named) = named {
            self.preset.replace(named).is_some()
        } else if let Some(key) = word.strip_prefix(SHUFFLE) {
            self.shuffle.replace(key.parse().map_err(|_| UnknownEngine)?).is_some()
        } else if let Some(ns) = word.strip_prefix(READ_DELAY) {
            self.delays.read.replace(Delays::read(ns)?).is_some()
        } else if let Some(ns) = word.strip_prefix(WRITE_DELAY) {
            self.delays.write.replace(Delays::read(ns)?).is_some()
        } else {
            match word {
                TRAP => std::mem::replace(&mut self.trap, true),
                UNPRUNED => std::mem::replace(&mut self.unpruned, true),
                _ => true,
            }
        };
        if again { Err(UnknownEngine) } else { Ok(()) }
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(text: &str) -> Result<Self, UnknownEngine> {
        let (gpu, rest) = match text.strip_prefix("gpu:") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut words = rest.split(':');
        let name = words.next().unwrap_or_default();
        let mut read = Settings::default();
        words.try_for_each(|word| read.add(word))?;
        let Settings { preset, delays, shuffle, trap, unpruned } = read;
        let own = delays != Delays::NONE || shuffle.is_some() || trap;
        let (prune, plain) = (!unpruned, preset.is_none() && !own);
        match name {
            "collide" => {
                let preset = preset.unwrap_or_default();
                Ok(Engine::Collide { preset, delays, gpu, prune, shuffle, trap })
            }
            "guard" if plain => Ok(Engine::Guard { gpu, prune, collide: None }),
            BOTH if !own => Ok(Engine::Guard { gpu, prune, collide: Some(preset.unwrap_or_default()) }),
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
            "gpu:collide:balanced:rdelay=20000:wdelay=1:shuffle=7",
        ] {
            assert_eq!(text.parse::<Engine>().unwrap().to_string(), text);
        }
        assert_eq!("collide".parse::<Engine>().unwrap().to_string(), "collide:balanced");
        assert_eq!("collide:trap".parse::<Engine>().unwrap().to_string(), "collide:balanced:trap");
        let late = "collide:wdelay=300:fastest".parse::<Engine>().unwrap();
        assert_eq!(late.to_string(), "collide:fastest:wdelay=300");
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
            "collide:rdelay=0",
            "collide:rdelay=1000001",
            "collide:wdelay=1:wdelay=1",
            "guard:rdelay=1",
            "guard,collide:rdelay=1",
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
        for (a, b) in [
            ("guard", "guard"),
            ("guard", "collide:trap"),
            ("guard", "collide:wdelay=2"),
            ("virtual", "guard"),
        ] {
            assert_eq!(both(a, b), None, "{a} and {b}");
        }
        assert_eq!(
            engine("guard,collide").with_gpu().unpruned().unwrap().to_string(),
            "gpu:guard,collide:balanced:unpruned"
        );
    }
}
