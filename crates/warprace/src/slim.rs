//! `warprace slim`: barriers, fences and scopes that a program does not need.
//!
//! Each is removed or narrowed in the PTX that the program loads; the change stays if every kernel of the run
//! that was proved before is proved still, and no run shows anything.

use crate::fix::runs::{Depth, Edited, Runs, SCHEDULES};
use crate::fix::trial::inside;
use crate::options::SlimArgs;
use crate::{exit, terminal};
use kernels::libraries::is_library;
use mend::change::Edit;
use mend::device::{self, Kind, Synchronisation};
use mend::program::Program;
use mend::steps;
use report::Document;
use report::proof::Proved;
use std::fmt::Write;
use std::path::{Path, PathBuf};

type Failure = (u8, String);

pub(crate) fn slim(args: &SlimArgs) -> u8 {
    match slimmed(args) {
        Ok(told) => {
            terminal::print(told);
            0
        }
        Err((code, message)) => {
            terminal::error(&message);
            code
        }
    }
}

/// The program as it is known not to race.
struct Slimming {
    runs: Runs,
    texts: Vec<String>,
    project: PathBuf,
    /// Reasons of an inconclusive verdict, the exit code.
    before: (Vec<String>, Option<i32>),
    /// Kernels that were proved in each text, for the launches of the run and for all launches.
    proved: Vec<[usize; 2]>,
    /// The kernels that ran, mangled.
    kernels: Vec<String>,
}

/// One change that was made.
struct Saving {
    at: Synchronisation,
    said: String,
    /// Warp instructions.
    saved: u64,
}

fn slimmed(args: &SlimArgs) -> Result<String, Failure> {
    let usage = |message: String| (exit::USAGE, message);
    let options = shlex::split(args.run.as_deref().unwrap_or_default());
    let options = options.ok_or_else(|| usage("--run has an open quotation mark".into()))?;
    let runs = Runs::new(args.program.clone(), options).map_err(usage)?;
    let document = runs.patched(&[], Depth::All).map_err(|e| (exit::UNCHECKABLE, e))?;
    if let Some(finding) = document.findings().next() {
        let why = format!("the program has a finding, which comes first: {} (`warprace fix`)", finding.title);
        return Err((exit::RACES, why));
    }
    let texts = runs.loaded();
    let ran = document.kernels.iter().filter(|k| k.checked > 0);
    let kernels: Vec<String> = ran.map(|k| k.mangled.clone()).collect();
    let proved: Vec<[usize; 2]> = texts.iter().map(|text| proofs(&runs, text, &kernels)).collect();
    let project = args.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let before = (document.inconclusive.clone(), document.program.exit_code);
    let slimming = Slimming { runs, texts, project, before, proved, kernels };
    let (program, savings) = slimming.search(&document);
    if args.apply {
        crate::fix::apply(&program, &slimming.project).map_err(|e| (exit::OUTPUT, e))?;
    }
    Ok(told(&slimming, &document, &program, &savings))
}

/// Returns how many kernels are proved for the launches of the last run, and how many for all launches; 0 if
/// one of them is not.
fn proofs(runs: &Runs, text: &str, kernels: &[String]) -> [usize; 2] {
    let defined = |kernel: &&String| text.contains(&format!(".entry {kernel}("));
    let kernels: Vec<String> = kernels.iter().filter(defined).cloned().collect();
    if kernels.is_empty() {
        return [0, 0];
    }
    [runs.proved(text), runs.proved_for_all(text, &kernels)].map(|answer| match answer {
        Some((answers, false)) if answers.iter().all(|a| *a == Proved::Proved) => answers.len(),
        _ => 0,
    })
}

impl Slimming {
    fn search(&self, document: &Document) -> (Program, Vec<Saving>) {
        let (mut program, mut savings) = (Program::new(), Vec::new());
        let mut instructions = document.summary.warp_instructions;
        let mut done: Vec<(String, u32)> = Vec::new();
        for at in self.candidates() {
            for candidate in self.changes(&mut program, &at) {
                // One line is changed once.
                if done.contains(&(at.file.clone(), at.line)) {
                    continue;
                }
                let Some(after) = self.holds(&candidate) else { continue };
                let saved = instructions.saturating_sub(after);
                // The run did not come there.
                if saved == 0 && candidate.removes() {
                    continue;
                }
                let said = candidate.last_said().to_owned();
                done.push((at.file.clone(), at.line));
                savings.push(Saving { at: at.clone(), said, saved });
                (program, instructions) = (candidate, after);
            }
        }
        (program, savings)
    }

    /// Returns the synchronisation of kernels that ran, in texts whose kernels of the run are proved.
    fn candidates(&self) -> Vec<Synchronisation> {
        let wanted = |file: &str| !is_library(file) && inside(&self.project, file).is_some();
        let ran = |name: &str| self.kernels.iter().any(|kernel| kernel == name);
        let texts = self.texts.iter().zip(&self.proved).filter(|(_, proved)| proved[0] > 0);
        let mut out: Vec<Synchronisation> =
            texts.flat_map(|(text, _)| device::synchronisations(text, wanted, ran)).collect();
        out.sort();
        out.dedup();
        out
    }

    /// Returns the changes of one line: without it, then with narrower scopes, the narrowest first.
    fn changes(&self, program: &mut Program, at: &Synchronisation) -> Vec<Program> {
        let read = |file: &str| std::fs::read_to_string(inside(&self.project, file)?).ok();
        let Some(text) = program.text(&at.file, &read).cloned() else { return vec![] };
        let narrow = |scope: device::Scope| {
            scope.narrower().iter().map(|reach| steps::narrowed(&at.file, &text, at.line, *reach)).collect()
        };
        let mut made: Vec<steps::Made> = match at.kind {
            Kind::Barrier => vec![],
            Kind::Fence(scope) | Kind::Atomic(scope) => narrow(scope),
        };
        if !matches!(at.kind, Kind::Atomic(_)) {
            made.insert(0, steps::removed(&at.file, &text, at.line));
        }
        // A line that is not understood is left alone.
        made.retain(|made| made.text != text);
        made.into_iter().map(|made| program.changed(&at.file, made)).collect()
    }

    /// Runs and proves the changed program. Returns its warp instructions if everything holds.
    fn holds(&self, program: &Program) -> Option<u64> {
        let edited = self.edited(program.edits()?)?;
        let document = self.runs.patched(&edited, Depth::All).ok()?;
        let known = document.inconclusive.iter().all(|why| self.before.0.contains(why));
        let same = document.program.exit_code == self.before.1;
        if document.findings().next().is_some() || !document.errors.is_empty() || !known || !same {
            return None;
        }
        let new = |text: &String| edited.iter().find(|e| e.original == text).map(|e| e.new.as_str());
        let mut all =
            self.texts.iter().zip(&self.proved).filter_map(|(text, proved)| Some((new(text)?, *proved)));
        // A launch of one block proves nothing of scopes: those need a proof for all launches.
        let enough = |proved: [usize; 2]| proved[0] > 0 && (program.removes() || proved[1] > 0);
        all.all(|(text, proved)| enough(proved) && proofs(&self.runs, text, &self.kernels) == proved)
            .then_some(document.summary.warp_instructions)
    }

    fn edited(&self, edits: &[Edit]) -> Option<Vec<Edited<'_>>> {
        let mut out = Vec::new();
        for original in &self.texts {
            if let Some(new) = device::apply(original, edits).ok()? {
                out.push(Edited { original, new });
            }
        }
        (!out.is_empty()).then_some(out)
    }
}

fn told(slimming: &Slimming, document: &Document, program: &Program, savings: &[Saving]) -> String {
    let mut out = String::new();
    let total = document.summary.warp_instructions;
    for Saving { at, said, saved } in savings {
        let percent = *saved as f64 * 100.0 / total.max(1) as f64;
        let _ = writeln!(
            out,
            "{}: {said}: saves {saved} of {total} warp instructions ({percent:.1} %)",
            shown(&at.file)
        );
    }
    let diff = program.diff(shown);
    if !diff.is_empty() {
        let _ = writeln!(out, "\n{diff}");
    }
    let unproved = slimming.proved.iter().filter(|proved| proved[0] == 0).count();
    if unproved > 0 {
        let _ = writeln!(
            out,
            "{unproved} of {} modules are not proved free of races: nothing of theirs is removed",
            slimming.proved.len()
        );
    }
    if savings.is_empty() {
        out.push_str("nothing that is known not to be needed\n");
    } else {
        if slimming.proved.iter().any(|proved| proved[0] > 0 && proved[1] == 0) {
            out.push_str("note:  proved for launches such as those of this run, not for all launches\n");
        }
        let _ = writeln!(
            out,
            "clean: every kernel of the run is still proved, and {SCHEDULES} schedules show nothing"
        );
    }
    out
}

fn shown(file: &str) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    let path = Path::new(file).canonicalize().unwrap_or_else(|_| file.into());
    path.strip_prefix(&here).unwrap_or(&path).to_string_lossy().into_owned()
}
