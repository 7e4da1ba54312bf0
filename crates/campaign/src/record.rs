//! The result of one run, as a line of a file.
//!
//! A line is the hash of its text, a space and the text, which is JSON. A line whose hash does not match is
//! torn: the run that it belongs to has no result. Whole files consist of such lines.

use crate::identity::{Hasher, Identity};
use events::{Class, Level};
use report::Verdict;
use report::model::{Described, Document, Failure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The maximum length of a line in bytes.
pub const LONGEST: usize = 64 << 20;

/// Reasons of an inconclusive run and failures that are kept of a run.
const KEPT: usize = 8;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The program ended by itself, with whatever exit code.
    Ended,
    /// A signal ended the program.
    Crashed,
    /// The time limit ended the program.
    TimedOut,
    /// There is no report: `message` says why.
    NotRun,
}

impl Outcome {
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Ended => "ended",
            Outcome::Crashed => "crashed",
            Outcome::TimedOut => "timed-out",
            Outcome::NotRun => "not-run",
        }
    }
}

/// A finding of a run. Its description is kept once for all runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The same of all runs that show the finding.
    pub key: Identity,
    pub id: String,
    pub class: Class,
    pub level: Level,
    pub count: u64,
    pub replay: String,
}

/// Counts of what a run has checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    pub launches: u64,
    pub checked: u64,
    pub threads: u64,
    pub instructions: u64,
    pub accesses: u64,
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub run: Identity,
    pub program: String,
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    pub milliseconds: u64,
    /// When it ended, in seconds since 1970.
    pub at: u64,
    /// The name of the machine.
    pub host: String,
    pub checked: Checked,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inconclusive: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Failure>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    pub findings: Vec<Seen>,
}

/// The circumstances of a run, which its report does not say.
#[derive(Clone, Debug, Default)]
pub struct About {
    pub milliseconds: u64,
    pub at: u64,
    pub host: String,
    pub timed_out: bool,
}

impl Record {
    /// Returns the result of a run that has a report.
    pub fn of(run: Identity, program: &str, document: &Document, about: About) -> Record {
        let s = &document.summary;
        let outcome = match document.program.signal {
            _ if about.timed_out => Outcome::TimedOut,
            Some(_) => Outcome::Crashed,
            None => Outcome::Ended,
        };
        let levels = [(&document.races, Level::Race), (&document.hazards, Level::Hazard)];
        let seen = levels.into_iter().flat_map(|(list, level)| list.iter().map(move |f| (f, level)));
        Record {
            run,
            program: program.to_owned(),
            outcome,
            verdict: Some(document.verdict),
            exit_code: document.program.exit_code,
            signal: document.program.signal,
            milliseconds: about.milliseconds,
            at: about.at,
            host: about.host,
            checked: Checked {
                launches: s.launches,
                checked: s.checked,
                threads: s.threads,
                instructions: s.thread_instructions,
                accesses: s.accesses,
            },
            inconclusive: document.inconclusive.iter().take(KEPT).cloned().collect(),
            errors: document.errors.iter().take(KEPT).cloned().collect(),
            message: String::new(),
            findings: seen.map(|(f, level)| Seen::of(program, f, level)).collect(),
        }
    }

    /// Returns the result of a run without a report.
    pub fn not_run(run: Identity, program: &str, message: String, about: About) -> Record {
        Record {
            run,
            program: program.to_owned(),
            outcome: if about.timed_out { Outcome::TimedOut } else { Outcome::NotRun },
            verdict: None,
            exit_code: None,
            signal: None,
            milliseconds: about.milliseconds,
            at: about.at,
            host: about.host,
            checked: Checked::default(),
            inconclusive: Vec::new(),
            errors: Vec::new(),
            message,
            findings: Vec::new(),
        }
    }
}

impl Seen {
    fn of(program: &str, f: &Described, level: Level) -> Seen {
        Seen {
            key: key(program, f),
            id: f.id.clone(),
            class: f.class,
            level,
            count: f.count,
            replay: f.replay_string.clone(),
        }
    }
}

/// Returns the key under which findings of runs of a program are merged: the report's identity and the two places.
///
/// The identity alone numbers alike statements in the order of one report, so that the same number may mean
/// another pair where a run has shown fewer of them.
pub fn key(program: &str, f: &Described) -> Identity {
    let alike = f.id.split('-').next().unwrap_or_default();
    let mut places = f.accesses.each_ref().map(|access| match access.line {
        0 => format!("{} {} {}", access.kernel, access.kind, access.size),
        line => format!("{}:{line}", access.file),
    });
    places.sort();
    places.iter().fold(Hasher::new("finding").text(program).text(alike), |h, place| h.text(place)).finish()
}

/// Returns a value as a line, with its line break.
pub fn seal(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("plain data");
    format!("{} {text}\n", Hasher::new("line").text(&text).finish())
}

/// Returns the value of a line without its line break; `None` if the line is torn or of another kind.
pub fn unseal<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let line = std::str::from_utf8(line).ok()?;
    let (hash, text) = line.split_once(' ')?;
    let whole = hash.parse() == Ok(Hasher::new("line").text(text).finish());
    whole.then(|| serde_json::from_str(text).ok()).flatten()
}

/// The lines of a file: those that are whole, and the number of those that are not.
#[derive(Debug)]
pub struct Lines<T> {
    pub whole: Vec<T>,
    pub torn: u64,
}

/// Reads all lines of a file's content. The last line is torn if it has no line break.
pub fn lines<T: DeserializeOwned>(content: &[u8]) -> Lines<T> {
    let mut out = Lines { whole: Vec::new(), torn: 0 };
    for line in content.split_inclusive(|&byte| byte == b'\n') {
        let value = line.strip_suffix(b"\n").filter(|line| line.len() <= LONGEST).and_then(unseal);
        match value {
            Some(value) => out.whole.push(value),
            None => out.torn += 1,
        }
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a finding whose first access is at `line`.
    pub(crate) fn finding(line: u32) -> Described {
        let access = |line: u32| {
            serde_json::json!({
                "file": "a.cu", "line": line, "column": 1, "function": "f", "kernel": "f", "kind": "write", "size": 4,
                "block": null, "thread": null, "inlined": [], "who": "t", "what": "w", "instruction": "", "ptx_line": 0
            })
        };
        let memory = serde_json::json!({ "variable": null, "allocated_by": null, "offset": 0, "bytes": null, "text": "m" });
        serde_json::from_value(serde_json::json!({
            "id": "00aa", "class": "missing-barrier", "evidence": "observed", "space": "global", "memory": memory,
            "title": "t", "count": 2, "accesses": [access(line), access(line + 1)], "why": "", "fix": "", "replay": ""
        }))
        .unwrap()
    }

    pub(crate) fn record(number: u64) -> Record {
        let run = Hasher::new("test").number(number).finish();
        let about = About { milliseconds: number, at: 100 + number, host: "here".into(), timed_out: false };
        Record::not_run(run, "a", format!("message \"{number}\"\nof two lines"), about)
    }

    #[test]
    fn every_torn_line_is_noticed() {
        let all: String = (0..3).map(|n| seal(&record(n))).collect();
        let read = lines::<Record>(all.as_bytes());
        assert_eq!((read.whole.len(), read.torn), (3, 0));
        assert_eq!(read.whole[2], record(2));
        let last = seal(&record(2));
        for cut in 1..last.len() {
            let read = lines::<Record>(&all.as_bytes()[..all.len() - cut]);
            assert_eq!((read.whole.len(), read.torn), (2, 1), "without the last {cut} bytes");
        }
        let line = seal(&record(0));
        for at in 0..line.len() {
            let mut bytes = line.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(lines::<Record>(&bytes).whole.is_empty(), "byte {at}");
        }
    }

    #[test]
    fn findings_of_runs_are_merged_by_identity_and_places() {
        let mut f = finding(3);
        let one = key("a", &f);
        assert_ne!(one, key("b", &f));
        f.accesses.reverse();
        f.id.push_str("-2");
        assert_eq!(one, key("a", &f));
        f.accesses[0].line += 1;
        assert_ne!(one, key("a", &f));
    }
}
