//! The identity of a run, which repeats it, and the replay string, which names it.
//!
//! ```text
//! REPLAY  = { SETTING "+" } PLAN
//! SETTING = "lens=" LENS | "engine=" ENGINE | "volatile=" VOLATILE | "equal-values=" EQUAL | "check=" CHECKS | "devices=" NUMBER
//!         | "arch=" ARCH
//! ```
//!
//! A PLAN is a [`Plan`], a LENS a [`Choice`]. What is not named has its default,
//! which never changes: lens `ptx`, engine `virtual`, `volatile` strong, equal values a hazard, check `sync`, one device.
//!
//! ```text
//! ENGINE = "virtual" | [ "gpu:" ] ( "guard" | COLLIDE [ ":shuffle=" NUMBER ] [ ":trap" ] | "guard," COLLIDE )
//!          [ ":unpruned" ]
//! COLLIDE = "collide" [ ":" ( "fastest" | "balanced" | "sampled" | "patient" ) ]
//!           [ ":rdelay=" NUMBER ] [ ":wdelay=" NUMBER ]
//! ```

use crate::as_text;
use crate::checks::{Checks, UnknownCheck};
use crate::engine::{Engine, UnknownEngine};
use crate::laws::{EqualValues, Laws, Volatile};
use crate::lens::Choice;
use crate::schedule::{Plan, PlanError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::{self, Display};
use std::str::FromStr;

/// All there is to know to repeat a run on the same program and input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    pub lens: Choice,
    pub engine: Engine,
    pub volatile: Volatile,
    pub equal_values: EqualValues,
    pub checks: Checks,
    /// Virtual devices.
    pub devices: u32,
    /// Their compute capability, such as 90; `None` if the program's code decides.
    pub arch: Option<u32>,
    pub plan: Plan,
}

/// A replay string as it was given: what it does not name is for others to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    pub lens: Option<Choice>,
    pub engine: Option<Engine>,
    pub volatile: Option<Volatile>,
    pub equal_values: Option<EqualValues>,
    pub checks: Option<Checks>,
    pub devices: Option<u32>,
    pub arch: Option<u32>,
    pub plan: Plan,
}

impl Replay {
    /// The laws by which the run is judged.
    pub const fn laws(&self) -> Laws {
        Laws { volatile: self.volatile, equal_values: self.equal_values, checks: self.checks }
    }
}

impl Default for Replay {
    fn default() -> Self {
        Named::default().or(Choice::default(), Engine::default(), Laws::default(), 1)
    }
}

impl Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.lens.is_ptx() {
            write!(f, "lens={}+", self.lens)?;
        }
        if self.engine != Engine::default() {
            write!(f, "engine={}+", self.engine)?;
        }
        if self.volatile != Volatile::default() {
            write!(f, "volatile={}+", self.volatile.name())?;
        }
        if self.equal_values != EqualValues::default() {
            write!(f, "equal-values={}+", self.equal_values.name())?;
        }
        if self.checks != Checks::default() {
            write!(f, "check={}+", self.checks)?;
        }
        if self.devices != 1 {
            write!(f, "devices={}+", self.devices)?;
        }
        if let Some(arch) = self.arch {
            write!(f, "arch=sm_{arch}+")?;
        }
        self.plan.fmt(f)
    }
}

/// Why a text is no replay string. Printed, it is a fragment of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    #[error("`{setting}`: {why}")]
    Setting { setting: String, why: SettingError },
    #[error("names `{key}` twice")]
    Twice { key: String },
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// Faults of one `KEY=VALUE` of a replay string.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    #[error("expected lens, engine, volatile, equal-values, check, devices or arch")]
    UnknownKey,
    #[error(transparent)]
    Lens(#[from] crate::lens::Error),
    #[error(transparent)]
    Engine(#[from] UnknownEngine),
    /// An engine, but none that a run can be repeated on.
    #[error("expected virtual, guard or collide, which execute kernels")]
    ExecutesNothing,
    #[error("expected strong or weak")]
    Volatile,
    #[error("expected hazard or race")]
    EqualValues,
    #[error(transparent)]
    Check(#[from] UnknownCheck),
    #[error("expected 1 to {MOST_DEVICES}")]
    Devices,
    #[error(transparent)]
    Arch(#[from] UnknownArch),
}

impl FromStr for Replay {
    type Err = ReplayError;

    fn from_str(text: &str) -> Result<Self, ReplayError> {
        Ok(text.parse::<Named>()?.or(Choice::default(), Engine::default(), Laws::default(), 1))
    }
}

impl Named {
    /// Returns the named settings, and these for all others.
    pub fn or(self, lens: Choice, engine: Engine, laws: Laws, devices: u32) -> Replay {
        Replay {
            lens: self.lens.unwrap_or(lens),
            engine: self.engine.unwrap_or(engine),
            volatile: self.volatile.unwrap_or(laws.volatile),
            equal_values: self.equal_values.unwrap_or(laws.equal_values),
            checks: self.checks.unwrap_or(laws.checks),
            devices: self.devices.unwrap_or(devices),
            arch: self.arch,
            plan: self.plan,
        }
    }
}

impl FromStr for Named {
    type Err = ReplayError;

    fn from_str(text: &str) -> Result<Self, ReplayError> {
        let mut named = Named::default();
        let mut rest = text;
        // The words of a plan have their `=` behind a colon.
        while let Some((setting, after)) = rest.split_once('+')
            && let Some((key, value)) = setting.split_once('=')
            && !key.contains(':')
        {
            let new = named
                .set(key, value)
                .map_err(|why| ReplayError::Setting { setting: setting.to_owned(), why })?;
            if !new {
                return Err(ReplayError::Twice { key: key.to_owned() });
            }
            rest = after;
        }
        named.plan = rest.parse()?;
        Ok(named)
    }
}

impl Named {
    /// Sets one setting, and returns whether it was not named before.
    fn set(&mut self, key: &str, value: &str) -> Result<bool, SettingError> {
        Ok(match key {
            "lens" => self.lens.replace(value.parse()?).is_none(),
            "engine" => self.engine.replace(engine(value)?).is_none(),
            "volatile" => self.volatile.replace(volatile(value)?).is_none(),
            "equal-values" => self.equal_values.replace(equal_values(value)?).is_none(),
            "check" => self.checks.replace(value.parse()?).is_none(),
            "arch" => self.arch.replace(arch(value)?).is_none(),
            "devices" => self.devices.replace(devices(value)?).is_none(),
            _ => return Err(SettingError::UnknownKey),
        })
    }
}

fn engine(text: &str) -> Result<Engine, SettingError> {
    let engine: Engine = text.parse()?;
    match engine.executes() {
        true => Ok(engine),
        false => Err(SettingError::ExecutesNothing),
    }
}

fn volatile(text: &str) -> Result<Volatile, SettingError> {
    let all = [Volatile::Strong, Volatile::Weak];
    all.into_iter().find(|v| v.name() == text).ok_or(SettingError::Volatile)
}

fn equal_values(text: &str) -> Result<EqualValues, SettingError> {
    let all = [EqualValues::Hazard, EqualValues::Race];
    all.into_iter().find(|e| e.name() == text).ok_or(SettingError::EqualValues)
}

/// The compute capabilities that virtual devices may have.
pub const ARCHS: [u32; 11] = [75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121];

/// The name of no device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one of sm_75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121")]
pub struct UnknownArch;

/// Reads a compute capability: `sm_90`, `compute_90`, `90`, `9.0`. Code for an architecture's own instructions (`sm_90a`) runs on
/// the device of its number.
pub fn arch(text: &str) -> Result<u32, UnknownArch> {
    let digits = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_")).unwrap_or(text);
    let digits = digits.strip_suffix(['a', 'f']).unwrap_or(digits).replacen('.', "", 1);
    let number = digits.parse().ok().filter(|number| ARCHS.contains(number));
    number.ok_or(UnknownArch)
}

/// How many virtual devices there may be.
pub const MOST_DEVICES: u32 = 64;

fn devices(text: &str) -> Result<u32, SettingError> {
    let number = text.parse().ok().filter(|n| (1..=MOST_DEVICES).contains(n));
    number.ok_or(SettingError::Devices)
}

impl Serialize for Replay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        as_text::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Replay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        as_text::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replay_strings_print_what_they_parse() {
        for text in [
            "converged-first:seed=0",
            "converged-first:seed=0+random:seed=7:launch=12",
            "lens=scord:cached,granularity=8+random:seed=3",
            "volatile=weak+converged-first:seed=0+meet/12@0.0/25^3@1.40:seed=1:launch=1",
            "equal-values=race+converged-first:seed=0",
            "check=sync,init+converged-first:seed=0",
            "check=none+converged-first:seed=0",
            "converged-first:seed=0+weak:seed=3:launch=1",
            "volatile=weak+equal-values=race+devices=2+random:seed=2",
            "devices=2+arch=sm_100+random:seed=2",
            "lens=gwcp+volatile=weak+devices=2+round-robin/7:seed=1+random:seed=2",
            "engine=collide:fastest+round-robin/4:seed=0",
            "engine=collide:balanced:shuffle=4294967295:trap+round-robin/7:seed=0",
            "engine=gpu:collide:sampled+converged-first:seed=0",
            "engine=guard,collide:balanced+round-robin/7:seed=0",
        ] {
            assert_eq!(text.parse::<Replay>().unwrap().to_string(), text);
        }
        let defaults =
            "lens=ptx+engine=virtual+volatile=strong+equal-values=hazard+check=sync+devices=1+random:seed=1";
        assert_eq!(defaults.parse::<Replay>().unwrap().to_string(), "random:seed=1");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (text, expected) in [
            ("", "random:seed=3"),
            ("lens=ptx", "random:seed=3"),
            ("lens=tsan+random:seed=1", "`lens=tsan`: expected one of ptx"),
            ("lens=scord:weak,strong+random:seed=1", "contradict"),
            ("engine=hardware+random:seed=1", "expected virtual"),
            ("engine=prover+random:seed=1", "expected virtual"),
            ("devices=0+random:seed=1", "1 to 64"),
            ("arch=sm_91+random:seed=1", "sm_75, 80"),
            ("volatile=no+random:seed=1", "strong or weak"),
            ("check=races+random:seed=1", "sync, init"),
            ("equal-values=no+random:seed=1", "hazard or race"),
            ("speed=1+random:seed=1", "expected lens, engine"),
            ("lens=hb+lens=hb+random:seed=1", "twice"),
            ("lens=hb+fifo:seed=1", "unknown schedule `fifo`"),
            ("random:seed=1+lens=hb", "random:seed=3"),
        ] {
            let error = text.parse::<Named>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn what_a_string_does_not_name_is_for_others_to_say() {
        let named: Named = "random:seed=3".parse().unwrap();
        let laws = Laws { volatile: Volatile::Weak, equal_values: EqualValues::Race, ..Laws::default() };
        let replay = named.or("hb".parse().unwrap(), Engine::Virtual, laws, 2);
        assert_eq!(replay.to_string(), "lens=hb+volatile=weak+equal-values=race+devices=2+random:seed=3");
        let named: Named = "lens=ptx+random:seed=3".parse().unwrap();
        assert!(named.or("hb".parse().unwrap(), Engine::Virtual, Laws::default(), 1).lens.is_ptx());
    }
}
