//! Parses the directives at the beginning of a fixture.
//!
//! ```text
//! //@ lens-ptx: race|hazard|clean     the verdict
//! //@ lens-scord: race|clean          what another lens says of the same execution, recorded
//! //@ engine-guard: race|unseen       what another engine says of it (may stand at the end, so that no line moves)
//! //@ class: missing-barrier          the class of its races; several are separated by spaces
//! //@ class(2): atomic-scope          the class of race 2 only
//! //@ nvcc: -g                        more flags for nvcc
//! //@ aux: other.cu                   more sources, beside this one
//! //@ run: --volatile weak            more options for warprace
//! //@ args: 3 x                       the program's arguments
//! //@ exit: 1                         the program's own exit code (default 0)
//! //@ output: varies                  without races, what it writes still depends on the order
//! //@ advice: REASON               its clean twin mends the race by other means than the report's advice, because …
//! //@ proofs: compared                it is always also run with accesses skipped that a proof covers
//! //@ any-order: may-hide             not every schedule shows its races
//! //@ arch: 90                        the lowest architecture that has its instructions (default 75)
//! x = 1; //~ RACE(1)                  one side of race 1; HAZARD(1) likewise
//! x += 1; //~ RACE(2) RACE(2)         both sides of race 2
//! ```

use names::lens::SERIAL;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Race,
    Hazard,
    Clean,
}

impl Expected {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Expected::Race => "race",
            Expected::Hazard => "hazard",
            Expected::Clean => "clean",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Fixture {
    /// The name relative to the fixtures' folder.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) expected: Expected,
    pub(crate) nvcc: Vec<String>,
    pub(crate) aux: Vec<String>,
    pub(crate) run: Vec<String>,
    pub(crate) args: Vec<String>,
    pub(crate) exit: Option<i32>,
    pub(crate) output_varies: bool,
    /// Whether it is always also run with accesses skipped that a proof covers.
    pub(crate) proofs: bool,
    /// The lowest architecture that the fixture can be built for.
    pub(crate) arch: u32,
    /// The reason why the report's advice differs from the clean twin.
    pub(crate) advice: Option<String>,
    pub(crate) races: Vec<Race>,
    /// The verdicts of lenses other than `ptx`.
    pub(crate) lenses: BTreeMap<&'static str, Expected>,
    /// The expected findings of engines that are incomplete.
    pub(crate) engines: BTreeMap<&'static str, Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Race,
    Nothing,
}

/// Engines that run on every fixture (and both at once), for which a fixture may have an `engine-` line.
pub(crate) const ENGINES: [&str; 2] = ["guard", "collide"];

/// A pair of lines that must be reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Race {
    pub(crate) number: u32,
    /// The lines, smaller first.
    pub(crate) lines: (u32, u32),
    /// The accepted classes; empty if any class is accepted.
    pub(crate) classes: Vec<String>,
    /// Whether the pair is marked as a hazard, which a racy fixture may also have.
    pub(crate) hazard: bool,
}

impl Fixture {
    pub(crate) fn parse(name: &str, path: &Path, text: &str) -> Result<Self, String> {
        let mut fixture = Fixture {
            name: name.to_owned(),
            path: path.to_owned(),
            text: text.to_owned(),
            expected: Expected::Clean,
            nvcc: vec![],
            aux: vec![],
            run: vec![],
            args: vec![],
            exit: None,
            output_varies: false,
            proofs: false,
            arch: crate::arch::DEFAULT,
            advice: None,
            races: vec![],
            lenses: BTreeMap::new(),
            engines: BTreeMap::new(),
        };
        let words = |v: &str| v.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let mut verdict = None;
        let mut classes = Vec::new();
        let mut classes_of: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        let mut sides: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut hazards = BTreeSet::new();
        for (n, line) in text.lines().enumerate() {
            let n = n as u32 + 1;
            if let Some(directive) = line.trim_start().strip_prefix("//@") {
                let (key, value) =
                    directive.split_once(':').ok_or(format!("line {n}: a directive needs a `:`"))?;
                let value = value.trim();
                match key.trim() {
                    "lens-ptx" => {
                        verdict = Some(match value {
                            "race" => Expected::Race,
                            "hazard" => Expected::Hazard,
                            "clean" => Expected::Clean,
                            other => return Err(format!("line {n}: no such verdict `{other}`")),
                        });
                    }
                    "class" => classes = words(value),
                    "nvcc" => fixture.nvcc = words(value),
                    "aux" => fixture.aux = words(value),
                    "run" => fixture.run = words(value),
                    "args" => fixture.args = words(value),
                    "exit" => {
                        let code = value.parse().map_err(|_| format!("line {n}: not an exit code"))?;
                        fixture.exit = Some(code);
                    }
                    "arch" => {
                        fixture.arch = value.parse().map_err(|_| format!("line {n}: not an architecture"))?;
                    }
                    "advice" if value.contains(' ') => fixture.advice = Some(value.to_owned()),
                    "output" if value == "varies" => fixture.output_varies = true,
                    "proofs" if value == "compared" => fixture.proofs = true,
                    "any-order" => {}
                    key if key.starts_with("lens-") => {
                        let known = SERIAL.into_iter().find(|lens| key[5..] == **lens);
                        let lens = known.ok_or(format!("line {n}: no such lens `{}`", &key[5..]))?;
                        let verdict = match value {
                            "race" => Expected::Race,
                            "clean" => Expected::Clean,
                            other => return Err(format!("line {n}: no such verdict `{other}`")),
                        };
                        if fixture.lenses.insert(lens, verdict).is_some() {
                            return Err(format!("line {n}: a second verdict of `{lens}`"));
                        }
                    }
                    key if key.starts_with("engine-") => {
                        let known = ENGINES.into_iter().find(|engine| key[7..] == **engine);
                        let engine = known.ok_or(format!("line {n}: no such engine `{}`", &key[7..]))?;
                        let seen = match value {
                            "race" => Seen::Race,
                            "unseen" => Seen::Nothing,
                            other => return Err(format!("line {n}: no such verdict `{other}`")),
                        };
                        if fixture.engines.insert(engine, seen).is_some() {
                            return Err(format!("line {n}: a second verdict of `{engine}`"));
                        }
                    }
                    key => match key.strip_prefix("class(").and_then(|k| k.strip_suffix(')')) {
                        Some(number) => {
                            let number = number.parse().map_err(|_| format!("line {n}: not a number"))?;
                            classes_of.insert(number, words(value));
                        }
                        None => return Err(format!("line {n}: no such directive `{key}`")),
                    },
                }
            } else if let Some((_, notes)) = line.split_once("//~") {
                for note in notes.split_whitespace() {
                    let number = ["RACE(", "HAZARD("]
                        .iter()
                        .find_map(|p| note.strip_prefix(p)?.strip_suffix(')')?.parse::<u32>().ok())
                        .ok_or_else(|| format!("line {n}: not a note: `{note}`"))?;
                    sides.entry(number).or_default().push(n);
                    if note.starts_with("HAZARD(") {
                        hazards.insert(number);
                    }
                }
            }
        }
        fixture.expected = verdict.ok_or("no `//@ lens-ptx:` line")?;
        for (number, lines) in sides {
            let &[a, b] = &lines[..] else {
                return Err(format!("race {number} has {} sides, not 2", lines.len()));
            };
            let classes = classes_of.get(&number).unwrap_or(&classes).clone();
            let hazard = hazards.contains(&number);
            fixture.races.push(Race { number, lines: (a, b), classes, hazard });
        }
        match (fixture.expected, fixture.races.is_empty()) {
            (Expected::Clean, false) => Err("a clean fixture has no racing lines".into()),
            (Expected::Clean, _) if fixture.engines.values().any(|seen| *seen == Seen::Race) => {
                Err("a clean fixture has no race for an engine to see".into())
            }
            (Expected::Race | Expected::Hazard, true) => Err("no line has a `//~ RACE(n)` note".into()),
            _ => Ok(fixture),
        }
    }

    /// Returns whether the fixture may be compiled together with others of the same flags. Macros, managed memory and destructors of
    /// global objects affect the rest of the program, and a report that names `main` would name another function.
    pub(crate) fn suits_others(&self) -> bool {
        let report = std::fs::read_to_string(self.path.with_extension("stderr")).unwrap_or_default();
        let words = ["__managed__", "#pragma", "#ifdef", "#if ", "#ifndef", "    ~"];
        self.aux.is_empty()
            && !report.contains("`main`")
            && !words.iter().any(|word| self.text.contains(word))
            // Functions other than `main` need a `return` to have a result.
            && self.text.rsplit("int main(").next().is_some_and(|body| body.contains("return "))
    }
}
