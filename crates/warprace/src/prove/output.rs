//! Prints the answers of `prove`, and converts them to the form of every report.

use super::Answered;
use crate::options::Outputs;
use crate::{publish, terminal};
use ::prove::Verdict;
use events::{Level, Site, SiteTable};
use names::symbol;
use protocol::RunResult;
use report::proof::{Doubt, Proof, Proved, Witness};
use report::source::Sources;
use report::{Document, Style, Text};
use std::fmt::Write as _;

/// The hint on how to show that a launch is made.
const SEEN: &str = "`warprace prove -- nvcc …` reads the host code, --block, --grid and --assume say it, --any-launch counts it";

/// Limits how many doubts of one kernel are printed.
const MOST_DOUBTS: usize = 3;

pub(super) fn text(document: &Document, outputs: &Outputs, sources: &Sources) {
    let limit = (outputs.print_limit != 0).then_some(outputs.print_limit);
    let style = Style { color: terminal::color(), width: terminal::width(), limit, quiet: true };
    let mut out = Text { style, sources }.document(document);
    if !out.is_empty() {
        out.push('\n');
    }
    let Counts { proved, in_part, races, unseen, unknown } = answers(&document.proofs, &mut out);
    for problem in &document.inconclusive {
        let _ = writeln!(out, "unknown: {problem}");
    }
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let kernels = count(document.proofs.len(), "kernel");
    let _ = write!(out, "warprace: {kernels}: {proved} proved");
    if in_part > 0 {
        let _ = write!(out, ", {in_part} proved in part");
    }
    let _ = write!(out, ", {races} with races");
    if unseen > 0 {
        let _ = write!(out, ", {unseen} with races in launches that were not seen");
    }
    let _ = write!(out, ", {unknown} unknown");
    if !document.suppressed.is_empty() {
        let _ = write!(out, "; {} suppressed", count(document.suppressed.len(), "finding"));
    }
    publish::print(outputs, out + "\n");
}

/// How many kernels have each answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) proved: usize,
    /// Kernels proved for a part of the launches that the host code can make.
    pub(crate) in_part: usize,
    pub(crate) races: usize,
    /// Kernels with races only in launches that no known host code makes.
    pub(crate) unseen: usize,
    pub(crate) unknown: usize,
}

/// Marks the answers of kernels whose races are in launches that no known host code makes.
pub(super) fn unseen(document: &mut Document) {
    if document.unseen_launches.is_empty()
        && document.suppressed.iter().all(|s| s.level != Level::UnseenLaunch)
    {
        return;
    }
    for proof in document.proofs.iter_mut().filter(|p| p.verdict == Proved::Race) {
        proof.verdict = Proved::RaceInUnseenLaunch;
    }
}

/// Writes the answers to `out` and counts them.
pub(crate) fn answers(proofs: &[Proof], out: &mut String) -> Counts {
    let mut counts = Counts::default();
    for proof in proofs {
        let name = symbol::abridged(&proof.kernel);
        match proof.verdict {
            Proved::Proved => {
                counts.proved += 1;
                let _ = writeln!(out, "proved: `{name}`");
                for assumption in &proof.assumptions {
                    let _ = writeln!(out, "    assuming {assumption}");
                }
            }
            Proved::ProvedWithoutArguments | Proved::ProvedConditionally => {
                counts.in_part += 1;
                let what = match proof.verdict {
                    Proved::ProvedWithoutArguments => "proved for the run without arguments",
                    _ => "proved on conditions",
                };
                let _ = writeln!(out, "{what}: `{name}`");
                for condition in &proof.conditions {
                    let _ = writeln!(out, "    only if {condition}");
                }
                for assumption in &proof.assumptions {
                    let _ = writeln!(out, "    assuming {assumption}");
                }
            }
            Proved::Race | Proved::RaceInUnseenLaunch => {
                let seen = proof.verdict == Proved::Race;
                *(if seen { &mut counts.races } else { &mut counts.unseen }) += 1;
                let launch = proof.witness.as_ref().map_or("", |witness| &witness.launch);
                let what = if seen { "race" } else { "race (in a launch that was not seen)" };
                let _ = writeln!(out, "{what}: `{name}`\n    shown by {launch}");
                if let Some(started) = proof.witness.as_ref().and_then(|w| w.started.as_ref()) {
                    let _ = writeln!(out, "    if the program is started {started}");
                }
                if !seen {
                    let _ = writeln!(out, "    help: no known host code makes this launch: {SEEN}");
                }
            }
            Proved::Unknown => {
                counts.unknown += 1;
                let _ = writeln!(out, "unknown: `{name}`");
                let why = proof.unknown();
                for line in why.iter().take(MOST_DOUBTS) {
                    let _ = writeln!(out, "    {line}");
                }
                if why.len() > MOST_DOUBTS {
                    let _ = writeln!(out, "    and {} other pairs", why.len() - MOST_DOUBTS);
                }
                if let Some(suggestion) = proof.doubts.iter().find_map(|d| d.suggestion.as_ref()) {
                    let _ = writeln!(out, "    help: {suggestion}");
                }
            }
        }
    }
    counts
}

/// Returns a kernel's answer in words.
pub(super) fn proof(answered: &Answered, results: &[RunResult], sources: &Sources) -> Proof {
    let answer = &answered.answer;
    let mut proof = Proof {
        kernel: symbol::full(&answer.kernel),
        verdict: Proved::Proved,
        conditions: Vec::new(),
        assumptions: answer.assumed.clone(),
        pairs: answer.asked,
        open: answer.open,
        witness: None,
        doubts: Vec::new(),
    };
    match &answer.verdict {
        Verdict::Proved => {}
        Verdict::Partly(part) => {
            proof.verdict = match part.without_arguments {
                true => Proved::ProvedWithoutArguments,
                false => Proved::ProvedConditionally,
            };
            proof.conditions = part.conditions.clone();
        }
        Verdict::Race(race) => {
            let w = &race.witness;
            proof.verdict = Proved::Race;
            proof.witness = Some(Witness {
                grid: w.grid,
                block: w.block,
                launch: w.to_string(),
                started: race.started.clone(),
            });
        }
        Verdict::Unknown(doubts) => {
            let sites = &results[answered.module].sites;
            proof.verdict = Proved::Unknown;
            let doubt = |d: &::prove::Doubt| Doubt {
                why: d.why.clone(),
                at: d.lines.map(|lines| lines.map(|line| place(line, sites, sources))),
                suggestion: d.suggestion.clone(),
            };
            proof.doubts = doubts.iter().map(doubt).collect();
        }
    }
    proof
}

fn place(ptx_line: u32, sites: &SiteTable, sources: &Sources) -> String {
    let site: Option<&Site> = sites.iter().map(|(_, s)| s).find(|s| s.ptx_line == ptx_line);
    match site.and_then(|s| s.frames.first()) {
        Some(frame) => format!("{}:{}", sources.display(&frame.file), frame.line),
        None => format!("line {ptx_line} of the PTX"),
    }
}
