//! The campaign file: programs, their arguments, and the settings under which each of them runs.
//!
//! ```toml
//! schedules = ["converged-first", "random"]   # every program under both
//! seeds = 100                                 # with seeds 0 to 99
//!
//! [[program]]
//! name = "sum"
//! command = ["build/sum"]
//! arguments = [["1000"], ["4096", "--twice"]]
//! ```
//!
//! A list of a program replaces the list of that name above it.

mod seeds;

pub use seeds::Seeds;

use names::Schedule;
use names::lens::Choice;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The maximum length of a campaign file in bytes.
const LONGEST: u64 = 16 << 20;

/// Seconds after which a run is ended, unless the file says otherwise.
pub const TIMEOUT: u64 = 600;

/// A mistake in a campaign file, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}`, line {line}: {what}", file.display())]
pub struct Mistake {
    pub file: PathBuf,
    /// Counted from 1.
    pub line: usize,
    pub what: String,
}

/// Why a campaign file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read `{}`: {error}", file.display())]
    Unreadable { file: PathBuf, error: std::io::Error },
    #[error(transparent)]
    Wrong(#[from] Mistake),
}

/// The engine of runs, in the words of the file: `virtual`, `guard`, `collide:fastest`, `gpu`, `gpu:collide`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    pub name: String,
    pub line: usize,
}

impl Engine {
    /// Returns whether the engine needs a real GPU.
    pub fn on_gpu(&self) -> bool {
        self.name == "gpu" || self.name.starts_with("gpu:")
    }

    /// Returns whether the engine runs kernels under a lens.
    pub fn has_lens(&self) -> bool {
        self.name == "virtual"
    }

    /// Returns the options of `warprace run` that choose the engine.
    pub fn options(&self) -> Vec<String> {
        match self.name.split_once(':') {
            _ if self.name == "virtual" => Vec::new(),
            None if self.name == "gpu" => vec!["--gpu".into()],
            Some(("gpu", engine)) => vec!["--gpu".into(), "--engine".into(), engine.into()],
            _ => vec!["--engine".into(), self.name.clone()],
        }
    }
}

/// A program and the settings under which it runs.
#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub line: usize,
    pub command: Vec<String>,
    /// The lists of words that follow the command, one list for each way to run it.
    pub arguments: Vec<Vec<String>>,
    /// Options of `warprace run`, and the line of the last of them.
    pub options: Vec<String>,
    pub options_line: usize,
    pub directory: PathBuf,
    pub stdin: Option<PathBuf>,
    pub env: BTreeMap<String, String>,
    /// Files whose contents belong to the identity of a run, besides those that the words name.
    pub inputs: Vec<PathBuf>,
    /// Seconds.
    pub timeout: u64,
    pub engines: Vec<Engine>,
    /// Empty for the default lens.
    pub lenses: Vec<String>,
    /// Empty for the engine's default schedule.
    pub schedules: Vec<String>,
    pub seeds: Seeds,
}

/// A campaign file that was read and checked.
#[derive(Clone, Debug)]
pub struct Campaign {
    pub file: PathBuf,
    /// A shell command that builds all programs.
    pub build: Option<String>,
    /// Files with suppressions.
    pub suppressions: Vec<PathBuf>,
    pub programs: Vec<Program>,
}

impl Campaign {
    /// Reads and checks a file.
    pub fn read(file: &Path) -> Result<Campaign, Error> {
        let unreadable = |error| Error::Unreadable { file: file.to_owned(), error };
        let length = std::fs::metadata(file).map_err(unreadable)?.len();
        if length > LONGEST {
            let what = format!("it has {length} bytes, and at most {LONGEST} are read");
            return Err(Mistake { file: file.to_owned(), line: 1, what }.into());
        }
        let text = std::fs::read_to_string(file).map_err(unreadable)?;
        Ok(Campaign::parse(&text, file)?)
    }

    /// Parses the text of a file.
    pub fn parse(text: &str, file: &Path) -> Result<Campaign, Mistake> {
        Reader { text, file }.campaign()
    }

    /// Returns the folder that paths of the file are relative to.
    pub fn folder(&self) -> &Path {
        match self.file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    /// Returns an error about a line of the file.
    pub fn mistake(&self, line: usize, what: impl Into<String>) -> Mistake {
        Mistake { file: self.file.clone(), line, what: what.into() }
    }
}

type Words = Vec<Spanned<String>>;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Whole {
    build: Option<String>,
    suppressions: Vec<PathBuf>,
    options: Words,
    timeout: Option<Spanned<u64>>,
    engines: Option<Spanned<Words>>,
    lenses: Option<Spanned<Words>>,
    schedules: Option<Spanned<Words>>,
    seeds: Option<Spanned<Seeds>>,
    #[serde(rename = "program")]
    programs: Vec<Spanned<Part>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Part {
    name: String,
    command: Vec<String>,
    arguments: Option<Spanned<Vec<Vec<String>>>>,
    options: Words,
    directory: PathBuf,
    stdin: Option<PathBuf>,
    env: BTreeMap<String, String>,
    inputs: Vec<PathBuf>,
    timeout: Option<Spanned<u64>>,
    engines: Option<Spanned<Words>>,
    lenses: Option<Spanned<Words>>,
    schedules: Option<Spanned<Words>>,
    seeds: Option<Spanned<Seeds>>,
}

/// Reads one file.
struct Reader<'a> {
    text: &'a str,
    file: &'a Path,
}

impl Reader<'_> {
    fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }

    fn wrong(&self, at: usize, what: impl Into<String>) -> Mistake {
        Mistake { file: self.file.to_owned(), line: self.line(at), what: what.into() }
    }

    fn campaign(&self) -> Result<Campaign, Mistake> {
        let whole: Whole = toml::from_str(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.wrong(at, error.message().trim_end())
        })?;
        if whole.programs.is_empty() {
            return Err(self.wrong(0, "it names no programs; each has a table [[program]]"));
        }
        let mut programs: Vec<Program> = Vec::new();
        for part in &whole.programs {
            let program = self.program(&whole, part)?;
            if programs.iter().any(|other| other.name == program.name) {
                let what = format!("there is another program `{}`", program.name);
                return Err(self.wrong(part.span().start, what));
            }
            programs.push(program);
        }
        let Whole { build, suppressions, .. } = whole;
        Ok(Campaign { file: self.file.to_owned(), build, suppressions, programs })
    }

    fn program(&self, whole: &Whole, part: &Spanned<Part>) -> Result<Program, Mistake> {
        let (at, own) = (part.span().start, part.get_ref());
        if own.name.is_empty() || own.command.first().is_none_or(String::is_empty) {
            return Err(self.wrong(at, "a program needs a `name` and a `command`"));
        }
        let options: Vec<&Spanned<String>> = whole.options.iter().chain(&own.options).collect();
        for option in &options {
            self.option(option)?;
        }
        let arguments = match &own.arguments {
            None => vec![Vec::new()],
            Some(list) if list.get_ref().is_empty() => {
                return Err(
                    self.wrong(list.span().start, "`arguments` is empty: one run is `arguments = [[]]`")
                );
            }
            Some(list) => list.get_ref().clone(),
        };
        let timeout = own.timeout.as_ref().or(whole.timeout.as_ref());
        if let Some(timeout) = timeout.filter(|timeout| *timeout.get_ref() == 0) {
            return Err(self.wrong(timeout.span().start, "`timeout` is a number of seconds, at least 1"));
        }
        let engines = self.engines(own.engines.as_ref().or(whole.engines.as_ref()))?;
        let lenses = self.names("lenses", own.lenses.as_ref().or(whole.lenses.as_ref()), |text| {
            text.parse::<Choice>().map(drop).map_err(|e| e.to_string())
        })?;
        let schedules =
            self.names("schedules", own.schedules.as_ref().or(whole.schedules.as_ref()), |text| {
                text.parse::<Schedule>().map(drop).map_err(|e| e.to_string())
            })?;
        let seeds = own.seeds.as_ref().or(whole.seeds.as_ref());
        if let Some(seeds) = seeds.filter(|seeds| seeds.get_ref().is_empty()) {
            return Err(self.wrong(seeds.span().start, "`seeds` is empty"));
        }
        Ok(Program {
            name: own.name.clone(),
            line: self.line(at),
            command: own.command.clone(),
            arguments,
            options_line: self.line(options.last().map_or(at, |option| option.span().start)),
            options: options.into_iter().map(|option| option.get_ref().clone()).collect(),
            directory: own.directory.clone(),
            stdin: own.stdin.clone(),
            env: own.env.clone(),
            inputs: own.inputs.clone(),
            timeout: timeout.map_or(TIMEOUT, |timeout| *timeout.get_ref()),
            engines,
            lenses,
            schedules,
            seeds: seeds.map_or_else(Seeds::default, |seeds| seeds.get_ref().clone()),
        })
    }

    /// Refuses options that the campaign itself sets.
    fn option(&self, option: &Spanned<String>) -> Result<(), Mistake> {
        let word = option.get_ref();
        let name = word.split('=').next().unwrap_or_default();
        let instead = match name {
            "--engine" | "--gpu" => "`engines`",
            "--lens" => "`lenses`",
            "--schedule" => "`schedules`",
            "--seed" => "`seeds`",
            "--timeout" => "`timeout`",
            "--replay" => "`lenses`, `schedules` and `seeds`",
            "--json" | "--html" | "--sarif" | "--junit" | "--github" | "--log-file" | "--quiet" | "-q"
            | "--suppressions" | "--baseline" | "--gen-suppressions" | "--book" | "--print-limit"
            | "--error-exitcode" => "options of `warprace campaign`",
            "--" => "`command` and `arguments`",
            _ => return Ok(()),
        };
        let what = format!("`{name}` is no option of single runs of a campaign: use {instead}");
        Err(self.wrong(option.span().start, what))
    }

    fn engines(&self, list: Option<&Spanned<Words>>) -> Result<Vec<Engine>, Mistake> {
        let check = |text: &str| {
            let rest = text.strip_prefix("gpu:").or((text == "gpu").then_some("virtual")).unwrap_or(text);
            let known = |word: &str| {
                word == "capture" || word.starts_with("capture:") || word.parse::<names::Engine>().is_ok()
            };
            match rest.split(',').all(known) {
                true => Ok(()),
                false => {
                    Err("expected virtual, guard, collide[:…], gpu, or gpu: and one of these".to_owned())
                }
            }
        };
        let all = self.names("engines", list, check)?;
        if all.is_empty() {
            return Ok(vec![Engine { name: "virtual".into(), line: 1 }]);
        }
        let words = list.map(|list| list.get_ref().as_slice()).unwrap_or_default();
        let lines = words.iter().map(|word| self.line(word.span().start));
        Ok(all.into_iter().zip(lines).map(|(name, line)| Engine { name, line }).collect())
    }

    /// Returns the names of a list, each of which `check` accepts. An absent list has none.
    fn names(
        &self,
        key: &str,
        list: Option<&Spanned<Words>>,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Result<Vec<String>, Mistake> {
        let Some(list) = list else { return Ok(Vec::new()) };
        if list.get_ref().is_empty() {
            return Err(self.wrong(list.span().start, format!("`{key}` is empty")));
        }
        for word in list.get_ref() {
            let at = word.span().start;
            check(word.get_ref()).map_err(|e| self.wrong(at, format!("`{}`: {e}", word.get_ref())))?;
        }
        Ok(list.get_ref().iter().map(|word| word.get_ref().clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Campaign, Mistake> {
        Campaign::parse(text, Path::new("c.toml"))
    }

    #[test]
    fn lists_of_a_program_replace_the_common_ones() {
        let campaign = parse(
            "schedules = ['random', 'pct/3']\nseeds = 4\noptions = ['--check', 'init']\n\
             [[program]]\nname = 'a'\ncommand = ['./a']\narguments = [['1'], ['2']]\nseeds = '5..7'\n\
             [[program]]\nname = 'b'\ncommand = ['./b']\nengines = ['virtual', 'gpu:collide']\ntimeout = 3\n",
        )
        .unwrap();
        let [a, b] = &campaign.programs[..] else { panic!() };
        assert_eq!((a.arguments.len(), a.schedules.len()), (2, 2));
        assert_eq!(a.seeds.iter().collect::<Vec<_>>(), [5, 6]);
        assert_eq!(b.seeds.iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!((b.timeout, a.timeout), (3, TIMEOUT));
        assert_eq!(b.engines[1].options(), ["--gpu", "--engine", "collide"]);
        assert!(b.engines[1].on_gpu() && !b.engines[0].on_gpu());
        assert_eq!(a.options, ["--check", "init"]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let program = "[[program]]\nname = 'a'\ncommand = ['./a']\n";
        for (text, line, expected) in [
            ("\nsedes = 3".to_owned(), 2, "unknown field `sedes`"),
            ("x = ".to_owned(), 1, ""),
            ("seeds = 3".to_owned(), 1, "it names no programs"),
            (format!("\n\nschedules = [\n 'random',\n 'rnadom',\n]\n{program}"), 5, "`rnadom`"),
            (format!("lenses = ['ptx', 'nope']\n{program}"), 1, "`nope`"),
            (format!("{program}engines = ['virtual', 'cpu']"), 4, "`cpu`: expected virtual"),
            (format!("{program}seeds = '7..3'"), 4, "ends before it begins"),
            (format!("{program}seeds = []"), 4, "`seeds` is empty"),
            (format!("{program}schedules = []"), 4, "`schedules` is empty"),
            (format!("{program}timeout = 0"), 4, "at least 1"),
            (format!("{program}arguments = []"), 4, "arguments = [[]]"),
            (format!("{program}options = ['--check',\n'--seed=3']"), 5, "use `seeds`"),
            (format!("{program}{program}"), 4, "another program `a`"),
            ("[[program]]\nname = 'a'".to_owned(), 1, "needs a `name` and a `command`"),
        ] {
            let mistake = parse(&text).unwrap_err();
            assert_eq!(mistake.line, line, "{text}: {mistake}");
            assert!(mistake.to_string().contains(expected), "{text}: {mistake}");
        }
    }
}
