//! The lenses by name, with options: `scord`, `scord:published,base,granularity=8`.
//!
//! Without options a lens has the settings that a user who names it expects: wide counters,
//! no metadata cache, the smallest granule. `published`, wherever it stands, is the paper to
//! the letter, from which the other options deviate; of options that contradict each other none is
//! preferred: that is an error.

pub mod iguard;
pub mod scord;

use scord::{Granularity, Mapping, Queue, Relaxed, Releases};
use std::fmt;
use std::str::FromStr;

/// Lenses that see one serialised stream. The default, `ptx`, is `detect::ptx`.
pub const SERIAL: [&str; 5] = ["scord", "iguard", "hb", "gwcp", "hirace"];

/// Options of each lens, for help texts.
pub const OPTIONS: [(&str, &str); 5] = [
    (
        "scord",
        "published, base, cached, mapping=modulo|neighbours, memory=BYTES, granularity=4|8|16, narrow, wide, \
         readers=separate|replace|keep, locks=circular|reuse, releases=file|transitive|fences|ignored, \
         divergence=lockstep|threads, relaxed=atomic|volatile, strong, weak, \
         same-instruction=checked|ignored, traffic",
    ),
    (
        "iguard",
        "published, granularity=4|8|16, narrow, wide, shared=ever|since-store, releases=fences|ignored, \
         relaxed=atomic|volatile",
    ),
    ("hb", "uncompressed"),
    ("gwcp", "uncompressed"),
    ("hirace", "restart"),
];

/// Why a text names no lens. Printed, it is a fragment of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The name in front of the colon is no lens's.
    #[error("expected one of ptx, {}", SERIAL.join(", "))]
    Unknown,
    /// It names `ptx` where only the papers' lenses are meant.
    #[error("expected one of {}", SERIAL.join(", "))]
    NotSerial,
    #[error("`ptx` has no options")]
    PtxHasNone,
    #[error("an option of `{lens}` is empty")]
    EmptyOption { lens: &'static str },
    #[error("`{lens}` has no option `{option}`; it has {}", options_of(lens))]
    UnknownOption { lens: &'static str, option: String },
    #[error("options `{first}` and `{second}` of `{lens}` contradict each other")]
    Contradiction { lens: &'static str, first: String, second: String },
    /// `memory=` of `scord`.
    #[error("`{option}` of `scord`: expected bytes, at least 4096")]
    Memory { option: String },
}

/// A lens with its options, read from the form above. Prints what it was read from.
#[derive(Clone, Debug)]
pub struct Choice {
    text: String,
    settings: Settings,
}

/// A lens and what its options decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settings {
    Ptx,
    Scord(scord::Options),
    Iguard(iguard::Options),
    Hb(ClockOptions),
    Gwcp(ClockOptions),
    Hirace(HiraceOptions),
}

/// Options of `hb` and `gwcp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockOptions {
    /// Compressed clocks; uncompressed ones are for comparison.
    pub compressed: bool,
}

impl Default for ClockOptions {
    fn default() -> Self {
        ClockOptions { compressed: true }
    }
}

/// Options of `hirace`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HiraceOptions {
    /// After a race, follow the datum as if the racing access had been its first.
    pub restart: bool,
}

impl Default for Choice {
    /// `ptx`
    fn default() -> Self {
        Choice { text: "ptx".into(), settings: Settings::Ptx }
    }
}

impl PartialEq for Choice {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Choice {}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, given) = match text.split_once(':') {
            Some((name, given)) => (name, Some(given)),
            None => (text, None),
        };
        let name = ["ptx"].into_iter().chain(SERIAL).find(|known| *known == name).ok_or(Error::Unknown)?;
        let given = options(name, given)?;
        let settings = match name {
            "ptx" if given.is_empty() => Settings::Ptx,
            "ptx" => return Err(Error::PtxHasNone),
            "scord" => Settings::Scord(scord(&given)?),
            "iguard" => Settings::Iguard(iguard(&given)?),
            "hb" => Settings::Hb(ClockOptions { compressed: !flag(name, &given, "uncompressed")? }),
            "gwcp" => Settings::Gwcp(ClockOptions { compressed: !flag(name, &given, "uncompressed")? }),
            "hirace" => Settings::Hirace(HiraceOptions { restart: flag(name, &given, "restart")? }),
            _ => return Err(Error::Unknown),
        };
        Ok(Choice { text: text.to_owned(), settings })
    }
}

impl Choice {
    /// Without options: one of [`SERIAL`], or `ptx`.
    pub fn name(&self) -> &'static str {
        match self.settings {
            Settings::Ptx => "ptx",
            Settings::Scord(_) => "scord",
            Settings::Iguard(_) => "iguard",
            Settings::Hb(_) => "hb",
            Settings::Gwcp(_) => "gwcp",
            Settings::Hirace(_) => "hirace",
        }
    }

    /// Returns whether it is `ptx`, the lens of the PTX memory model.
    pub fn is_ptx(&self) -> bool {
        matches!(self.settings, Settings::Ptx)
    }

    /// The lens with its options.
    pub const fn settings(&self) -> Settings {
        self.settings
    }
}

/// The options given, none of which contradicts another.
fn options<'a>(lens: &'static str, given: Option<&'a str>) -> Result<Vec<&'a str>, Error> {
    let options: Vec<&str> = given.map_or_else(Vec::new, |given| given.split(',').collect());
    if options.contains(&"") {
        return Err(Error::EmptyOption { lens });
    }
    consistent(lens, &options)?;
    Ok(options)
}

/// The setting that an option decides: two that decide the same must be equal.
fn subject(option: &str) -> &str {
    match option {
        "base" | "cached" => "cached",
        "narrow" | "wide" => "widths",
        "strong" | "weak" => "strong",
        _ => option.split_once('=').map_or(option, |(key, _)| key),
    }
}

fn consistent(lens: &'static str, options: &[&str]) -> Result<(), Error> {
    for (at, option) in options.iter().enumerate() {
        let rival = options[..at].iter().find(|o| subject(o) == subject(option) && *o != option);
        if let Some(rival) = rival {
            let (first, second) = (rival.to_string(), option.to_string());
            return Err(Error::Contradiction { lens, first, second });
        }
    }
    Ok(())
}

fn scord(options: &[&str]) -> Result<scord::Options, Error> {
    let published = options.contains(&"published");
    let mut set = if published { scord::Options::published() } else { scord::Options::default() };
    for &option in options {
        match option {
            "published" => {}
            "base" => set.cached = false,
            "cached" => set.cached = true,
            "mapping=modulo" => set.mapping = Mapping::Modulo,
            "mapping=neighbours" => set.mapping = Mapping::Neighbours,
            "narrow" => set.widths = scord::Widths::PUBLISHED,
            "wide" => set.widths = scord::Widths::WIDE,
            "readers=separate" => set.readers = scord::Readers::Separate,
            "readers=replace" => set.readers = scord::Readers::Replace,
            "readers=keep" => set.readers = scord::Readers::Keep,
            "locks=circular" => set.locks = Queue::Circular,
            "locks=reuse" => set.locks = Queue::Reuse,
            "releases=file" => set.releases = Releases::File,
            "releases=transitive" => set.releases = Releases::Transitive,
            "releases=fences" => set.releases = Releases::Fences,
            "releases=ignored" => set.releases = Releases::Ignored,
            "divergence=lockstep" => set.divergence = false,
            "divergence=threads" => set.divergence = true,
            "relaxed=atomic" => set.relaxed = Relaxed::Atomic,
            "relaxed=volatile" => set.relaxed = Relaxed::Volatile,
            "strong" => set.strong_accesses = true,
            "weak" => set.strong_accesses = false,
            "same-instruction=checked" => set.same_instruction = true,
            "same-instruction=ignored" => set.same_instruction = false,
            "traffic" => set.traffic = true,
            _ => match option.strip_prefix("memory=").map(str::parse) {
                Some(Ok(bytes)) if bytes >= 4096 => set.memory = bytes,
                Some(_) => return Err(Error::Memory { option: option.to_owned() }),
                None => set.granularity = granularity("scord", option)?,
            },
        }
    }
    Ok(set)
}

fn iguard(options: &[&str]) -> Result<iguard::Options, Error> {
    let published = options.contains(&"published");
    let mut set = if published { iguard::Options::published() } else { iguard::Options::default() };
    for &option in options {
        match option {
            "published" => {}
            "narrow" => set.widths = iguard::Widths::PUBLISHED,
            "wide" => set.widths = iguard::Widths::WIDE,
            "shared=ever" => set.shared = iguard::Shared::Ever,
            "shared=since-store" => set.shared = iguard::Shared::SinceStore,
            "releases=fences" => set.acquire_release = true,
            "releases=ignored" => set.acquire_release = false,
            "relaxed=atomic" => set.relaxed = Relaxed::Atomic,
            "relaxed=volatile" => set.relaxed = Relaxed::Volatile,
            _ => set.granularity = granularity("iguard", option)?,
        }
    }
    Ok(set)
}

/// Returns whether the one option of the lens is among them.
fn flag(lens: &'static str, options: &[&str], known: &str) -> Result<bool, Error> {
    match options.iter().find(|option| **option != known) {
        Some(option) => Err(unknown(lens, option)),
        None => Ok(!options.is_empty()),
    }
}

fn granularity(lens: &'static str, option: &str) -> Result<Granularity, Error> {
    let bytes = option.strip_prefix("granularity=").and_then(|bytes| bytes.parse().ok());
    bytes.and_then(Granularity::from_bytes).ok_or_else(|| unknown(lens, option))
}

fn unknown(lens: &'static str, option: &str) -> Error {
    Error::UnknownOption { lens, option: option.to_owned() }
}

fn options_of(lens: &str) -> &'static str {
    OPTIONS.iter().find(|(name, _)| *name == lens).map_or("", |(_, options)| options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_as_itself() {
        for name in SERIAL {
            assert_eq!(choice(name).unwrap().name(), name);
        }
        assert!(choice("ptx").unwrap().is_ptx() && choice("ptx").unwrap().name() == "ptx");
        assert!(choice("tsan").is_err() && choice("").is_err() && choice("ptx:cached").is_err());
        assert_eq!(choice("scord:cached,granularity=8").unwrap().to_string(), "scord:cached,granularity=8");
        assert_eq!(choice("scord:cached").unwrap().name(), "scord");
    }

    fn choice(text: &str) -> Result<Choice, Error> {
        text.parse()
    }

    #[test]
    fn options_that_contradict_each_other_are_refused() {
        for (text, expected) in [
            ("scord:weak,published,strong", "contradict"),
            ("scord:granularity=4,granularity=8", "contradict"),
            ("scord:readers=keep,weak,readers=replace", "contradict"),
            ("scord:", "empty"),
            ("scord:weak,", "empty"),
        ] {
            let error = choice(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(choice("scord:published,granularity=16").is_ok());
    }

    #[test]
    fn every_option_in_the_help_is_one() {
        for (name, options) in OPTIONS {
            for option in options.split(", ") {
                let option = option.trim();
                let (key, values) = option.split_once('=').unwrap_or((option, ""));
                for value in values.split('|') {
                    let value = if value == "BYTES" { "65536" } else { value };
                    let text = if value.is_empty() { key.to_owned() } else { format!("{key}={value}") };
                    choice(&format!("{name}:{text}")).unwrap();
                }
            }
            let error = choice(&format!("{name}:sideways")).unwrap_err().to_string();
            assert!(error.contains("sideways") && error.contains(options), "{error}");
        }
        assert!(choice("scord:granularity=32").is_err());
    }

    #[test]
    fn no_option_is_dropped_by_a_later_one() {
        let set = |text: &str| scord(&text.split(',').collect::<Vec<_>>()).unwrap();
        assert_eq!(set("weak,published"), set("published,weak"));
        assert!(!set("weak,published").strong_accesses && set("weak,published").cached);
        assert!(!set("published,base").cached);
        for (rivals, name) in [("weak,strong", "scord"), ("granularity=4,granularity=8", "iguard")] {
            let error = choice(&format!("{name}:{rivals}")).unwrap_err();
            assert!(matches!(error, Error::Contradiction { .. }), "{error}");
        }
    }

    #[test]
    fn every_deviation_from_the_paper_can_be_undone_by_name() {
        let letter = "cached,mapping=modulo,narrow,readers=replace,locks=circular,releases=file,\
                      divergence=threads,relaxed=volatile,strong,same-instruction=ignored";
        assert_eq!(scord(&letter.split(',').collect::<Vec<_>>()).unwrap(), scord::Options::published());
        let letter = ["narrow", "shared=ever", "releases=ignored", "relaxed=volatile"];
        assert_eq!(iguard(&letter).unwrap(), iguard::Options::published());
    }
}
