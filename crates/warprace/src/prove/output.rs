//! What `prove` prints, and its answers as every report has them.

use super::Answered;
use crate::options::Outputs;
use crate::{publish, terminal};
use ::prove::Verdict;
use events::{Site, SiteTable};
use protocol::RunResult;
use protocol::names;
use report::proof::{Doubt, Proof, Proved, Witness};
use report::source::Sources;
use report::{Document, Style, Text};
use std::fmt::Write as _;

/// Doubts of one kernel that are printed.
const MOST_DOUBTS: usize = 3;

pub(super) fn text(document: &Document, outputs: &Outputs, sources: &Sources) {
    let limit = (outputs.print_limit != 0).then_some(outputs.print_limit);
    let style = Style { color: terminal::color(), width: terminal::width(), limit, quiet: true };
    let mut out = Text { style, sources }.document(document);
    if !out.is_empty() {
        out.push('\n');
    }
    let [proved, races, unknown] = answers(&document.proofs, &mut out);
    for problem in &document.inconclusive {
        let _ = writeln!(out, "unknown: {problem}");
    }
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let kernels = count(document.proofs.len(), "kernel");
    let _ = write!(out, "warprace: {kernels}: {proved} proved, {races} with races, {unknown} unknown");
    if !document.suppressed.is_empty() {
        let _ = write!(out, "; {} suppressed", count(document.suppressed.len(), "finding"));
    }
    publish::print(outputs, out + "\n");
}

/// Writes the answers of a prover; how many there are of each.
pub(crate) fn answers(proofs: &[Proof], out: &mut String) -> [usize; 3] {
    let [mut proved, mut races, mut unknown] = [0; 3];
    for proof in proofs {
        let name = names::abridged(&proof.kernel);
        match proof.verdict {
            Proved::Proved => {
                proved += 1;
                let _ = writeln!(out, "proved: `{name}`");
                for assumption in &proof.assumptions {
                    let _ = writeln!(out, "    assuming {assumption}");
                }
            }
            Proved::Race => {
                races += 1;
                let launch = proof.witness.as_ref().map_or("", |witness| &witness.launch);
                let _ = writeln!(out, "race: `{name}`\n    shown by {launch}");
            }
            Proved::Unknown => {
                unknown += 1;
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
    [proved, races, unknown]
}

/// A kernel's answer, in words.
pub(super) fn proof(answered: &Answered, results: &[RunResult], sources: &Sources) -> Proof {
    let answer = &answered.answer;
    let mut proof = Proof {
        kernel: names::full(&answer.kernel),
        verdict: Proved::Proved,
        assumptions: answer.assumed.clone(),
        pairs: answer.asked,
        open: answer.open,
        witness: None,
        doubts: Vec::new(),
    };
    match &answer.verdict {
        Verdict::Proved => {}
        Verdict::Race(race) => {
            let w = &race.witness;
            proof.verdict = Proved::Race;
            proof.witness = Some(Witness { grid: w.grid, block: w.block, launch: w.to_string() });
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
