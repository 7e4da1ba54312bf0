//! Parsers of option values.

use clap::CommandFactory;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use columnar::Format;
use names::{Engine, UnknownEngine};
use std::ffi::OsStr;
use std::str::FromStr;
use std::sync::OnceLock;

pub(super) fn format(text: &str) -> Result<Format, String> {
    let names: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
    match Format::ALL.iter().find(|f| f.name() == text) {
        Some(format) => Ok(*format),
        None if text == "parquet" => {
            Err("this warprace was built without it (`cargo build --release -p warprace --features parquet`)"
                .into())
        }
        None => Err(format!("expected one of {}", names.join(", "))),
    }
}

/// A parser with a grammar of its own that suggests names for completion. A value may go on after a suggested
/// name.
#[derive(Clone)]
pub(super) struct Offered<T> {
    names: fn() -> Vec<&'static str>,
    read: fn(&str) -> Result<T, String>,
}

/// Returns the parser of lenses, which may have options after a colon.
pub(super) fn lens<T>() -> Offered<T>
where
    T: FromStr,
    T::Err: std::fmt::Display,
{
    let names = || std::iter::once("ptx").chain(names::lens::SERIAL).collect();
    Offered { names, read: |text| text.parse().map_err(|e: T::Err| e.to_string()) }
}

/// Returns the parser of topics: classes of findings and commands, each of which has a page.
pub(super) fn topic() -> Offered<String> {
    Offered { names: topics, read: |text| Ok(text.to_owned()) }
}

fn topics() -> Vec<&'static str> {
    static COMMANDS: OnceLock<Vec<String>> = OnceLock::new();
    let commands = COMMANDS.get_or_init(|| {
        let cli = super::Cli::command();
        let shown =
            cli.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
        shown.map(|command| command.get_name().to_owned()).collect()
    });
    let classes = report::rule::CLASSES.iter().map(|class| class.name());
    classes.chain(commands.iter().map(String::as_str)).collect()
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Offered<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let read = self.read;
        StringValueParser::new().try_map(move |text| read(&text)).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

pub(super) fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number".into())
}

/// The value of `--prune-after` at which no proofs are sought.
pub(crate) const NEVER: u64 = u64::MAX;

/// Parses a number of instructions, or `never`, the largest.
pub(super) fn instructions(text: &str) -> Result<u64, String> {
    match text {
        "never" => Ok(NEVER),
        _ => number(text),
    }
}

pub(super) fn seconds(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("expected at least 1 second; without --timeout there is no limit".into()),
        Ok(n) => Ok(n),
        Err(_) => Err("expected a whole number of seconds".into()),
    }
}

pub(super) fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=256) => Ok(n),
        Ok(_) => Err("expected 1 to 256".into()),
        Err(_) => Err("expected a number".into()),
    }
}

/// Parses a size such as `500M`, `4G`, `4GiB` or `1000000`.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let shift = match text[digits..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err("expected a number with K, M, G or T after it".into()),
    };
    let number: u64 = text[..digits].parse().map_err(|_| "expected a number".to_owned())?;
    number.checked_mul(1 << shift).filter(|&b| b > 0).ok_or_else(|| "out of range".into())
}

/// Parses an engine; `--gpu` decides where it runs. A `shuffle` without a key gets a random one, which the
/// replay string contains.
pub(super) fn engine(text: &str) -> Result<Engine, UnknownEngine> {
    let drawn = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        format!("shuffle={}", now.subsec_micros())
    };
    let with_key = |word: &str| if word == "shuffle" { drawn() } else { word.to_owned() };
    let engine: Engine = text.split(':').map(with_key).collect::<Vec<_>>().join(":").parse()?;
    match engine.executes() && !engine.on_gpu() {
        true => Ok(engine),
        false => Err(UnknownEngine),
    }
}

/// The engines of a run: an instrumenting engine, the checking of saved launches, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Engines {
    pub(crate) engine: Option<Engine>,
    /// How many launches of each kernel and geometry are saved and checked.
    pub(crate) capture: Option<u32>,
    /// Whether all calls are recorded, and made again when the program has ended.
    pub(crate) session: bool,
}

/// Default number of launches of each kernel and geometry.
const CAPTURED: u32 = 3;

/// The error for two engines that exclude each other.
const TWICE: &str = "guard and collide go together, without shuffle and trap, and capture and session go with any; no other two do: run \
                     the program once with each";

/// Parses `ENGINE`, `capture[:N]`, `session`, `guard` and `collide`, or several of these with commas between them.
pub(super) fn engines(text: &str) -> Result<Engines, String> {
    let mut out = Engines { engine: None, capture: None, session: false };
    for word in text.split(',') {
        let twice = match word.strip_prefix("capture") {
            Some("") => out.capture.replace(CAPTURED).is_some(),
            Some(rest) => {
                let number = rest.strip_prefix(':').and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                out.capture.replace(number.ok_or("expected capture or capture:N, N launches")?).is_some()
            }
            None if word == "session" => std::mem::replace(&mut out.session, true),
            None => {
                let known = engine(word).map_err(|e| {
                    format!("{e}, capture[:N], session, or one of these and capture or session")
                })?;
                match out.engine.replace(known) {
                    Some(other) => {
                        out.engine = other.beside(known);
                        out.engine.is_none()
                    }
                    None => false,
                }
            }
        };
        if twice {
            return Err(TWICE.into());
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_go_with_capture() {
        let guard = engine("guard").ok();
        assert_eq!(engines("guard"), Ok(Engines { engine: guard, capture: None, session: false }));
        assert_eq!(engines("capture"), Ok(Engines { engine: None, capture: Some(CAPTURED), session: false }));
        assert_eq!(
            engines("guard,capture:7"),
            Ok(Engines { engine: guard, capture: Some(7), session: false })
        );
        assert_eq!(engines("session"), Ok(Engines { engine: None, capture: None, session: true }));
        assert_eq!(
            engines("collide:sampled,capture,guard").unwrap().engine,
            engine("guard,collide:sampled").ok()
        );
        for text in [
            "",
            "guard,guard",
            "session,session",
            "capture,capture",
            "capture:0",
            "captured",
            "guard,",
            "gpu:capture",
        ] {
            assert!(engines(text).is_err(), "{text}");
        }
        assert!(engines("guard,collide:trap").unwrap_err().contains("run the program once with each"));
    }

    #[test]
    fn a_shuffle_without_a_key_is_given_one() {
        let Engine::Collide { shuffle: Some(_), .. } = engine("collide:fastest:shuffle").unwrap() else {
            panic!("no key");
        };
        assert_eq!(engine("collide:shuffle=3").unwrap().to_string(), "collide:balanced:shuffle=3");
        assert!(engine("gpu:collide").is_err() && engine("guard:shuffle").is_err());
    }

    #[test]
    fn instructions_may_be_never_enough() {
        assert_eq!((instructions("0"), instructions("never")), (Ok(0), Ok(NEVER)));
        assert!(instructions("ever").is_err());
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("500M"), Ok(500 << 20));
        assert_eq!(bytes("12KiB"), Ok(12 << 10));
        assert_eq!(bytes("7"), Ok(7));
    }
}
