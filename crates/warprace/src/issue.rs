//! `warprace report`: one finding of a JSON report as an issue for the program's maintainers (`--issue N`), or all of them as
//! an HTML file (`--html FILE`).

use crate::explain::{document, note_refused, pick};
use crate::options::ReportArgs;
use crate::{exit, terminal};
use report::render::{Change, Html, Issue, Notes, Renderer};
use report::source::Sources;
use serde::Deserialize;
use std::path::Path;

/// The part of `warprace fix --json` that an issue shows.
#[derive(Deserialize)]
struct Fixed {
    findings: Vec<String>,
    offers: Vec<Offer>,
}

#[derive(Deserialize)]
struct Offer {
    diff: String,
    built: bool,
    schedules: u32,
}

pub(crate) fn report(args: &ReportArgs) -> u8 {
    let done = match &args.html {
        Some(file) => page(args, file),
        None => text(args).map(terminal::print),
    };
    match done {
        Ok(()) => 0,
        Err(message) => {
            terminal::error(&message);
            exit::USAGE
        }
    }
}

fn text(args: &ReportArgs) -> Result<String, String> {
    let document = document(&args.report)?;
    let finding = pick(&document, args.issue)?;
    let change = args.fix.as_deref().map(|file| change(file, &finding.id)).transpose()?;
    let notes = args.notes.as_deref().map(notes).transpose()?;
    let sources = sources(args);
    let issue = Issue {
        sources: &sources,
        change: change.as_ref(),
        notes: notes.as_ref(),
        quotes: !args.no_code,
        version: env!("CARGO_PKG_VERSION"),
    };
    let text = issue.render(&document, &finding);
    note_refused(&sources);
    Ok(text)
}

/// Writes the page of a report.
fn page(args: &ReportArgs, file: &Path) -> Result<(), String> {
    let document = document(&args.report)?;
    let sources = sources(args);
    let page = Html { sources: &sources }.render(&[document]);
    note_refused(&sources);
    std::fs::write(file, page).map_err(|e| format!("cannot write `{}`: {e}", file.display()))
}

/// Returns the sources that may be shown: the report may come from another person.
fn sources(args: &ReportArgs) -> Sources {
    let here = std::env::current_dir().ok();
    let project = args.project.clone().or_else(|| here.clone()).unwrap_or_default();
    Sources::within(here, &project)
}

/// Returns what the writer of the issue adds.
fn notes(file: &Path) -> Result<Notes, String> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|e| format!("cannot read `{shown}`: {e}"))?;
    Notes::parse(&text).map_err(|e| format!("`{shown}` holds no notes: {e}"))
}

/// Returns the first change that removes a finding.
fn change(file: &Path, finding: &str) -> Result<Change, String> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|e| format!("cannot read `{shown}`: {e}"))?;
    let fixed: Fixed = serde_json::from_str(&text)
        .map_err(|e| format!("`{shown}` is not what `warprace fix --json` writes: {e}"))?;
    if !fixed.findings.iter().any(|id| id == finding) {
        return Err(format!("`{shown}` has no change that removes this finding ({finding})"));
    }
    let offer = fixed.offers.into_iter().next();
    let offer = offer.ok_or_else(|| format!("`{shown}` offers no change"))?;
    Ok(Change { diff: offer.diff, schedules: offer.schedules, built: offer.built })
}
