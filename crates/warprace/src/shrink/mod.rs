//! `warprace shrink`: the smallest launches that still have a finding.
//!
//! The finding's launch is saved, then replayed with fewer blocks, threads, other kernels, allocations and
//! contents, and with smaller numbers as arguments, as long as the finding is there. What is left is a saved
//! launch and a program of its own.
//!
//! * [`program`] runs a program and looks for the launch; [`saved`] has it in memory, [`cut`] makes it smaller, with
//!   [`constants`] for its kernel; [`replays`] asks whether the finding is there, [`written`] and [`alone`] write the rest.
//! * [`pairs`] looks for two tasks that nothing orders, if the finding is between tasks; [`beside`] is the second of
//!   them, and [`tasks`] writes both as a session.
//! * [`together`] cuts the launches down inside of the program, if nothing less shows the finding.

mod alone;
mod beside;
mod constants;
mod cut;
mod pairs;
mod program;
mod replays;
mod saved;
mod tasks;
mod together;
mod written;

use crate::options::ShrinkArgs;
use crate::{exit, run, terminal};
use replays::{Replays, Same};
use report::Document;
use report::model::Described;
use saved::Saved;
use std::path::Path;

type Failure = (u8, String);

pub(crate) fn shrink(args: &ShrinkArgs) -> u8 {
    match shrunk(args) {
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

/// A launch with a finding, or two tasks.
struct Found {
    finding: Described,
    saved: Saved,
    /// Options by which `replay` shows it.
    schedule: Vec<String>,
    /// Kernel launches of the run.
    launches: u64,
}

/// How a program's finding is cut down.
enum Shown {
    /// One launch alone shows it.
    Alone(Box<Found>),
    /// Only the program shows it: what its launches were cut down to.
    Together(String),
}

fn shrunk(args: &ShrinkArgs) -> Result<String, Failure> {
    let usage = |message: String| (exit::USAGE, message);
    let options = shlex::split(args.run.as_deref().unwrap_or_default());
    let options = options.ok_or_else(|| usage("--run has an open quotation mark".into()))?;
    let found = match &args.file {
        Some(file) => of_file(args, file, &options)?,
        None => match program::find(args, &options)? {
            Shown::Alone(found) => *found,
            Shown::Together(told) => return Ok(told),
        },
    };
    let same = Same::of(&found.finding);
    let mut replays = Replays::new(same, judgement(&options), found.schedule.clone()).map_err(usage)?;
    if !replays.begin(&found.saved) {
        let why = "the saved launch alone does not show the finding: it needs the rest of the program";
        return Err((exit::INCONCLUSIVE, why.into()));
    }
    let after = cut::cut(&mut replays, found.saved.clone());
    written::write(args, &found, &replays, &found.saved, &after)
}

/// Returns the options that say what a race is, which `replay` has, too.
fn judgement(options: &[String]) -> Vec<String> {
    let names = ["--volatile", "--equal-values", "--check", "--lens"];
    let mut out = Vec::new();
    for (i, word) in options.iter().enumerate() {
        if names.contains(&word.as_str()) {
            out.extend([word.clone(), options.get(i + 1).cloned().unwrap_or_default()]);
        } else if names.iter().any(|name| word.starts_with(&format!("{name}="))) {
            out.push(word.clone());
        }
    }
    out
}

fn pick(document: &Document, number: usize) -> Result<Described, Failure> {
    let count = document.findings().count();
    document.findings().nth(number - 1).cloned().ok_or_else(|| match count {
        0 => (exit::INCONCLUSIVE, "there is nothing to shrink: no finding under 20 schedules".to_owned()),
        _ => (exit::USAGE, format!("there is no finding {number}: the run has {count}")),
    })
}

fn of_file(args: &ShrinkArgs, file: &Path, options: &[String]) -> Result<Found, Failure> {
    run::header(file).map_err(|e| (exit::UNCHECKABLE, format!("{}: {e}", file.display())))?;
    let probe = Replays::new(Same::none(), options.to_vec(), Vec::new()).map_err(|e| (exit::USAGE, e))?;
    let explored = ["--explore", "20", "--predict"].map(str::to_owned);
    for schedule in [&[][..], &explored[..]] {
        let Some(document) = probe.of_file(file, schedule) else { continue };
        if document.findings().next().is_some() {
            let finding = pick(&document, args.finding as usize)?;
            let schedule = replayed(&finding, schedule.is_empty());
            let saved = Saved::read(file).map_err(|e| (exit::UNCHECKABLE, e))?;
            return Ok(Found { finding, saved, schedule, launches: 1 });
        }
    }
    Err((exit::INCONCLUSIVE, "there is nothing to shrink: no finding under 20 schedules".into()))
}

/// Returns the options by which `replay` has the schedule of a finding; none for the usual schedule.
fn replayed(finding: &Described, usual: bool) -> Vec<String> {
    match usual || finding.replay_string.is_empty() {
        true => Vec::new(),
        false => {
            // A launch of its own is the first one.
            let (plan, _) =
                finding.replay_string.split_once(":launch=").unwrap_or((&finding.replay_string, ""));
            vec!["--replay".into(), plan.to_owned()]
        }
    }
}
