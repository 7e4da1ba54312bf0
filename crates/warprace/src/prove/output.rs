//! What `prove` prints and writes.

use super::Answered;
use crate::terminal;
use ::prove::{Doubt, Verdict};
use events::{Site, SiteTable};
use report::protocol::RunResult;
use report::source::Sources;
use report::{Document, Style, Text, names};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Doubts of one kernel that are printed.
const MOST_DOUBTS: usize = 3;

pub(super) fn text(
    document: &Document,
    answered: &[Answered],
    results: &[RunResult],
    problems: &[String],
    sources: &Sources,
) {
    let style = Style { color: terminal::color(), width: terminal::width(), limit: None, quiet: true };
    let text = Text { style, sources };
    let mut out = String::new();
    for race in &document.races {
        out.push_str(&text.finding(race));
        out.push('\n');
    }
    let [mut proved, mut races, mut unknown] = [0; 3];
    for a in answered {
        let name = names::short(&a.answer.kernel);
        match &a.answer.verdict {
            Verdict::Proved => {
                proved += 1;
                let _ = writeln!(out, "proved: `{name}`");
                for assumption in &a.answer.assumed {
                    let _ = writeln!(out, "    assuming {assumption}");
                }
            }
            Verdict::Race(race) => {
                races += 1;
                let _ = writeln!(out, "race: `{name}`\n    shown by {}", race.witness);
            }
            Verdict::Unknown(doubts) => {
                unknown += 1;
                let _ = writeln!(out, "unknown: `{name}`");
                for doubt in doubts.iter().take(MOST_DOUBTS) {
                    let _ = writeln!(
                        out,
                        "    {}{}",
                        doubt.why,
                        places(doubt, &results[a.module].sites, sources)
                    );
                }
                if doubts.len() > MOST_DOUBTS {
                    let _ = writeln!(out, "    and {} other pairs", doubts.len() - MOST_DOUBTS);
                }
                if let Some(suggestion) = doubts.iter().find_map(|d| d.suggestion.as_ref()) {
                    let _ = writeln!(out, "    help: {suggestion}");
                }
            }
        }
    }
    for problem in problems {
        let _ = writeln!(out, "unknown: {problem}");
    }
    let kernels = match answered.len() {
        1 => "1 kernel".to_owned(),
        n => format!("{n} kernels"),
    };
    let _ = writeln!(out, "warprace: {kernels}: {proved} proved, {races} with races, {unknown} unknown");
    terminal::print(out);
}

/// ` (a.cu:3 and a.cu:5)`
fn places(doubt: &Doubt, sites: &SiteTable, sources: &Sources) -> String {
    let Some(lines) = doubt.lines else { return String::new() };
    let [a, b] = lines.map(|line| place(line, sites, sources));
    if a == b { format!(" ({a})") } else { format!(" ({a} and {b})") }
}

fn place(ptx_line: u32, sites: &SiteTable, sources: &Sources) -> String {
    let site: Option<&Site> = sites.iter().map(|(_, s)| s).find(|s| s.ptx_line == ptx_line);
    match site.and_then(|s| s.frames.first()) {
        Some(frame) => format!("{}:{}", sources.display(&frame.file), frame.line),
        None => format!("line {ptx_line} of the PTX"),
    }
}

/// The document of `run`, with a verdict of its own and an answer for each kernel.
pub(super) fn json(
    path: &Path,
    document: &Document,
    answered: &[Answered],
    results: &[RunResult],
    problems: &[String],
) -> std::io::Result<()> {
    let mut value = serde_json::to_value(document)?;
    let sources = Sources::new(None);
    let mut worst = "proved";
    let mut proofs = Vec::new();
    for a in answered {
        let verdict = match &a.answer.verdict {
            Verdict::Proved => "proved",
            Verdict::Race(_) => "race",
            Verdict::Unknown(_) => "unknown",
        };
        worst = match (worst, verdict) {
            ("race", _) | (_, "race") => "race",
            ("unknown", _) | (_, "unknown") => "unknown",
            _ => "proved",
        };
        let mut proof = json!({
            "kernel": names::full(&a.answer.kernel),
            "verdict": verdict,
            "assumptions": a.answer.assumed,
            "pairs": a.answer.asked,
            "open": a.answer.open,
        });
        match &a.answer.verdict {
            Verdict::Race(race) => {
                let w = &race.witness;
                proof["witness"] = json!({"grid": w.grid, "block": w.block, "launch": w.to_string()});
            }
            Verdict::Unknown(doubts) => {
                let doubt = |d: &Doubt| {
                    let at = d.lines.map(|l| l.map(|l| place(l, &results[a.module].sites, &sources)));
                    json!({"why": d.why, "at": at, "suggestion": d.suggestion})
                };
                proof["doubts"] = Value::Array(doubts.iter().map(doubt).collect());
            }
            Verdict::Proved => {}
        }
        proofs.push(proof);
    }
    if worst == "proved" && !problems.is_empty() {
        worst = "unknown";
    }
    value["verdict"] = json!(worst);
    value["proofs"] = Value::Array(proofs);
    value["inconclusive"] = json!(problems);
    std::fs::write(path, serde_json::to_string_pretty(&value)? + "\n")
}
