//! Prints the changes that are offered, writes them as JSON, and applies one.

use super::runs::SCHEDULES;
use super::trial::inside;
use crate::options::FixArgs;
use crate::output;
use mend::program::Program;
use mend::search::{Offer, Searched};
use report::Document;
use report::model::Described;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// The result of a search for changes.
pub(super) struct Result<'a> {
    pub(super) args: &'a FixArgs,
    /// The report of the unchanged program.
    pub(super) document: &'a Document,
    /// Its findings, the chosen one first.
    pub(super) findings: &'a [Described],
    pub(super) found: &'a Searched,
}

#[derive(Serialize)]
struct Json<'a> {
    version: u32,
    /// Identities of the findings that every offer removes.
    findings: Vec<&'a str>,
    offers: Vec<JsonOffer<'a>>,
    tried: Vec<JsonTried<'a>>,
}

#[derive(Serialize)]
struct JsonOffer<'a> {
    change: String,
    diff: String,
    /// Whether the changed source was built and run, besides the changed PTX.
    built: bool,
    schedules: u32,
    kernels_proved: u64,
    kernels_asked: u64,
    warp_instructions: u64,
    warp_instructions_before: u64,
    files: Vec<JsonFile<'a>>,
}

#[derive(Serialize)]
struct JsonFile<'a> {
    path: &'a str,
    text: String,
}

#[derive(Serialize)]
struct JsonTried<'a> {
    change: &'a str,
    why_not: &'a str,
}

impl Result<'_> {
    pub(super) fn json(&self) -> String {
        let offers = self.found.offers.iter().map(|offer| JsonOffer {
            change: offer.program.said(),
            diff: offer.program.diff(shown),
            built: self.args.build.is_some(),
            schedules: SCHEDULES,
            kernels_proved: offer.seen.proved.0,
            kernels_asked: offer.seen.proved.1,
            warp_instructions: offer.seen.instructions,
            warp_instructions_before: self.document.summary.warp_instructions,
            files: offer.program.files().map(|(path, _, text)| JsonFile { path, text }).collect(),
        });
        let tried = self.found.tried.iter().map(|(change, why)| JsonTried { change, why_not: why });
        let all = Json {
            version: 1,
            findings: self.findings.iter().map(|f| f.id.as_str()).collect(),
            offers: offers.collect(),
            tried: tried.collect(),
        };
        serde_json::to_string_pretty(&all).expect("offers are plain data") + "\n"
    }

    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for finding in self.findings {
            let _ = writeln!(out, "to mend: race[{}]: {}", finding.class.name(), finding.title);
        }
        for offer in &self.found.offers {
            let _ = writeln!(out, "\n{}", offer.program.diff(shown));
            out.push_str(&self.reasons(offer));
        }
        if self.found.offers.is_empty() {
            let tried = self.found.tried.len();
            let _ = writeln!(out, "\nno change was found that leaves no finding ({tried} were tried)");
            if self.args.build.is_none() {
                out.push_str("help: some changes need a compiler: --build 'nvcc … -o {program} {source}'\n");
            }
        }
        if self.args.verbose {
            for (change, why) in &self.found.tried {
                let _ = writeln!(out, "tried: {change}: {why}");
            }
        }
        out
    }

    fn reasons(&self, offer: &Offer) -> String {
        let mut out = format!("clean: {SCHEDULES} schedules and prediction show no race after this change");
        out += if self.args.build.is_some() { ", built from source\n" } else { ", made in the PTX\n" };
        let (proved, asked) = offer.seen.proved;
        let _ = match asked {
            0 => Ok(()),
            _ => writeln!(out, "prove: {proved} of {asked} kernels are proved free of races"),
        };
        let (before, after) = (self.document.summary.warp_instructions, offer.seen.instructions);
        let _ = writeln!(out, "cost:  {}", cost(before, after));
        out
    }
}

fn cost(before: u64, after: u64) -> String {
    // Explored schedules count; the prediction runs none of a clean program's launches again.
    let after = after.min(before.max(1).saturating_mul(1000));
    let percent = (after as f64 / before.max(1) as f64 - 1.0) * 100.0;
    format!("{before} warp instructions become {after} ({percent:+.1} %)")
}

/// Returns the path of a file as the diff shows it: relative to the current folder.
fn shown(file: &str) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    let path = Path::new(file).canonicalize().unwrap_or_else(|_| file.into());
    path.strip_prefix(&here).unwrap_or(&path).to_string_lossy().into_owned()
}

/// Writes the changed files.
pub(crate) fn apply(program: &Program, project: &Path) -> std::result::Result<(), String> {
    for (file, _, after) in program.files() {
        let path = inside(project, file).ok_or(format!("{file} is outside of the project"))?;
        output::replace(&path, after.as_bytes()).map_err(|e| format!("cannot write {file}: {e}"))?;
    }
    Ok(())
}
