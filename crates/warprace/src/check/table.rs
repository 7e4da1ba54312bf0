//! The output of `warprace check`: a progress line and a table.

use super::job::Outcome;
use crate::{exit, terminal};
use report::{Document, Verdict};
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// A program's row in the table.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) code: Option<u8>,
    pub(super) took: Duration,
    /// The index of the program's document.
    pub(super) document: Option<usize>,
}

/// Returns whether the program itself failed. Findings of warprace are no failure.
pub(super) fn is_failure(code: Option<u8>, document: &Document) -> bool {
    let own = document.program.exit_code != Some(0);
    // The program's own exit code may equal one of warprace's codes.
    own || !matches!(code, Some(0 | exit::RACES | exit::INCONCLUSIVE | exit::UNCHECKABLE))
        && document.verdict != Verdict::Race
}

/// The progress line at the bottom of a terminal.
#[derive(Debug)]
pub(super) struct Progress {
    total: usize,
    ended: usize,
    found: usize,
    since: Instant,
    shown: bool,
    last: String,
}

impl Progress {
    pub(super) fn new(total: usize, quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        Progress { total, ended: 0, found: 0, since: Instant::now(), shown, last: String::new() }
    }

    pub(super) fn ended(&mut self, outcome: &Outcome) {
        self.ended += 1;
        self.found += outcome.document.as_ref().map_or(0, |d| d.races.len());
    }

    pub(super) fn show<'a>(&mut self, running: impl Iterator<Item = &'a str>) {
        let names: Vec<&str> = running.collect();
        let line = format!(
            "warprace: {} of {} programs, {} races, {} s: {}",
            self.ended,
            self.total,
            self.found,
            self.since.elapsed().as_secs(),
            names.join(", ")
        );
        if self.shown && line != self.last {
            let fits: String = line.chars().take(terminal::width() - 1).collect();
            terminal::complain(format_args!("\r\x1b[K{fits}"));
            self.last = line;
        }
    }

    pub(super) fn clear(&mut self) {
        if self.shown {
            terminal::complain("\r\x1b[K");
        }
    }
}

/// Returns a table with one line for each program and a line of totals.
pub(super) fn table(rows: &[Row], documents: &[Document]) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max("program".len());
    let mut out = format!(
        "{:<width$}  {:<22} {:>8} {:>10} {:>8}\n",
        "program", "verdict", "races", "suppressed", "time"
    );
    for row in rows {
        let document = row.document.map(|n| &documents[n]);
        let (races, suppressed) = document.map_or((0, 0), |d| (d.races.len(), d.suppressed.len()));
        let verdict = match document {
            None => "not run".to_owned(),
            Some(d) => match d.program {
                _ if !is_failure(row.code, d) => d.verdict.name().to_owned(),
                report::model::Program { signal: Some(signal), .. } => {
                    format!("{}, signal {signal}", d.verdict.name())
                }
                report::model::Program { exit_code: Some(code), .. } if code != 0 => {
                    format!("{}, exit code {code}", d.verdict.name())
                }
                _ => format!("{}, failed", d.verdict.name()),
            },
        };
        let _ = writeln!(
            out,
            "{:<width$}  {verdict:<22} {races:>8} {suppressed:>10} {:>7.1}s",
            row.name,
            row.took.as_secs_f64()
        );
    }
    let races: usize = documents.iter().map(|d| d.races.len()).sum();
    let suppressed: usize = documents.iter().map(|d| d.suppressed.len()).sum();
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let all = [count(rows.len(), "program"), count(races, "race"), count(suppressed, "finding")];
    let _ = writeln!(out, "warprace: {} suppressed", all.join(", "));
    // All documents have the same entries, so the first one lists those that match nothing anywhere.
    for stale in documents.first().into_iter().flat_map(|d| &d.suppressions).filter(|entry| entry.hits == 0) {
        let (number, file) = (stale.origin.number, &stale.origin.file);
        let _ = writeln!(out, "warprace: warning: entry {number} of {file} matches nothing: {}", stale.text);
    }
    out
}
