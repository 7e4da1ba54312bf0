//! The progress of a campaign: one line on a terminal, or a line now and then elsewhere.

use super::words::{count, duration, grouped};
use crate::terminal;
use campaign::merge::{Finding, Merged};
use campaign::plan::Run;
use events::Level;
use report::Document;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Intervals between lines on a terminal, and in a file or a pipe.
const REDRAW: Duration = Duration::from_millis(200);
const LINE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Progress {
    is_terminal: bool,
    quiet: bool,
    since: Instant,
    last: Instant,
    /// The runs that had no result at the beginning, and those of them that are to be run here.
    left: u64,
    planned: u64,
    is_shown: bool,
}

impl Progress {
    pub(super) fn new(merged: &Merged<'_>, planned: u64, quiet: bool) -> Progress {
        let now = Instant::now();
        Progress {
            is_terminal: std::io::stderr().is_terminal(),
            quiet,
            since: now,
            last: now,
            left: merged.left(),
            planned,
            is_shown: false,
        }
    }

    /// Shows how far the campaign is, if it is time.
    pub(super) fn show(&mut self, merged: &Merged<'_>) {
        let interval = if self.is_terminal { REDRAW } else { LINE };
        if self.quiet || self.last.elapsed() < interval {
            return;
        }
        self.last = Instant::now();
        let line = self.line(merged);
        if self.is_terminal {
            let fits: String = line.chars().take(terminal::width() - 1).collect();
            terminal::complain(format_args!("\r\x1b[K{fits}"));
            self.is_shown = true;
        } else {
            terminal::complain(format_args!("{line}\n"));
        }
    }

    fn line(&self, merged: &Merged<'_>) -> String {
        let done = self.left - merged.left();
        let all = merged.plan().len();
        let (races, findings) = merged.found();
        let mut line = format!(
            "warprace: {} of {}, {}, {}",
            grouped(all - merged.left()),
            count(all, "run"),
            count(races as u64, "race"),
            count((findings - races) as u64, "hazard")
        );
        let seconds = self.since.elapsed().as_secs_f64();
        if done > 0 && seconds > 0.0 {
            let rate = done as f64 / seconds;
            let left = self.planned.saturating_sub(done) as f64 / rate;
            line.push_str(&format!(", {rate:.1}/s, {} left", duration(left as u64)));
        }
        line
    }

    /// Prints a finding that no run before has shown.
    pub(super) fn found(&mut self, finding: &Finding, run: &Run<'_>, document: Option<&Document>) {
        if self.quiet {
            return;
        }
        self.clear();
        let level = if finding.level == Level::Race { "race" } else { "hazard" };
        let places = document.and_then(|document| {
            let mut all = document.races.iter().chain(&document.hazards);
            let described = all.find(|f| f.id == finding.id)?;
            let [a, b] = described.accesses.each_ref().map(|access| match access.line {
                0 => access.function.clone(),
                line => format!("{}:{line}", access.file.rsplit('/').next().unwrap_or_default()),
            });
            Some(format!(": {a} and {b}"))
        });
        terminal::complain(format_args!(
            "warprace: run {}, `{}`: new {level}[{}]{}\n",
            run.number,
            finding.program,
            finding.class.name(),
            places.unwrap_or_default()
        ));
    }

    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            terminal::complain("\r\x1b[K");
        }
    }
}
