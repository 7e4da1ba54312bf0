//! `warprace fix`: the smallest change after which a program has no finding.

mod offer;
pub(crate) mod runs;
pub(crate) mod trial;

pub(crate) use offer::apply;

use crate::options::FixArgs;
use crate::{exit, terminal};
use mend::program::Program;
use mend::search::{self, Limits, Searched};
use report::model::Described;
use report::{Document, Verdict};
use runs::{Depth, Runs};
use std::path::PathBuf;
use std::time::Instant;
use trial::{Before, Tries};

/// Changes of one program without and with `--all`.
const CHANGES: [usize; 2] = [3, 16];

pub(crate) fn fix(args: &FixArgs) -> u8 {
    match mended(args) {
        Ok(code) => code,
        Err((code, message)) => {
            terminal::error(&message);
            code
        }
    }
}

type Failure = (u8, String);

fn mended(args: &FixArgs) -> Result<u8, Failure> {
    let usage = |message: String| (exit::USAGE, message);
    let options = shlex::split(args.run.as_deref().unwrap_or_default());
    let options = options.ok_or_else(|| usage("--run has an open quotation mark".into()))?;
    if args.build.as_ref().is_some_and(|b| !b.contains("{source}") || !b.contains("{program}")) {
        return Err(usage("--build needs `{source}` and `{program}` in its command".into()));
    }
    let project = args.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut runs = Runs::new(args.program.clone(), options).map_err(usage)?;
    let (document, depth) = first(&mut runs)?;
    let findings = chosen(&document, args.finding as usize).map_err(usage)?;
    if findings.is_empty() {
        return Ok(nothing(&document));
    }
    let before = Before { inconclusive: document.inconclusive.clone() };
    let texts = runs.loaded();
    let build = args.build.clone();
    let exit_code = args.exit_code;
    let mut tries = Tries { runs: &runs, texts, before, depth, exit_code, build, project };
    let limits =
        Limits { changes: CHANGES[usize::from(args.all)], tries: args.tries, offers: args.offers as usize };
    let found = search::search(&mut tries, Program::new(), &findings, limits);
    let result = offer::Result { args, document: &document, findings: &findings, found: &found };
    conclude(args, &result, &found, &tries.project)
}

fn conclude(
    args: &FixArgs,
    result: &offer::Result<'_>,
    found: &Searched,
    project: &std::path::Path,
) -> Result<u8, Failure> {
    let lost = |message: String| (exit::OUTPUT, message);
    if let Some(file) = &args.json {
        let text = result.json();
        crate::output::Output::new(file, std::process::id()).write(&text).map_err(lost)?;
    }
    if args.json.as_deref() != Some(std::path::Path::new("-")) {
        terminal::print(result.text());
    }
    match found.offers.first() {
        None => Ok(exit::RACES),
        Some(best) => {
            if args.apply {
                offer::apply(&best.program, project).map_err(lost)?;
            }
            Ok(0)
        }
    }
}

/// Runs the unchanged program: once, and under all schedules if that shows nothing.
fn first(runs: &mut Runs) -> Result<(Document, Depth), Failure> {
    let begun = Instant::now();
    let uncheckable = |message: String| (exit::UNCHECKABLE, message);
    let once = runs.patched(&[], Depth::Once).map_err(uncheckable)?;
    runs.bound(begun.elapsed().as_secs());
    if once.findings().next().is_some() {
        return Ok((once, Depth::Once));
    }
    let all = runs.patched(&[], Depth::All).map_err(uncheckable)?;
    Ok((all, Depth::All))
}

/// Returns all findings, the chosen one first.
fn chosen(document: &Document, number: usize) -> Result<Vec<Described>, String> {
    let mut findings: Vec<Described> = document.findings().cloned().collect();
    match findings.len() {
        0 => Ok(findings),
        count if number > count => Err(format!("there is no finding {number}: the run has {count}")),
        _ => {
            findings[..number].rotate_right(1);
            Ok(findings)
        }
    }
}

/// Reports a program without findings.
fn nothing(document: &Document) -> u8 {
    let why = document.inconclusive.iter().chain(document.errors.iter().map(|e| &e.title)).next();
    match (document.verdict, why) {
        (Verdict::Inconclusive, Some(why)) => {
            terminal::error(&format!("nothing was found, and something was not checked: {why}"));
            exit::INCONCLUSIVE
        }
        _ => {
            terminal::print("nothing to mend: no race under 20 schedules, none predicted\n");
            0
        }
    }
}
