//! `warprace shrink`: the smallest launch that still has a finding.
//!
//! The finding's launch is saved, then replayed with fewer blocks, threads, other kernels, allocations and
//! contents, and with smaller numbers as arguments, as long as the finding is there. What is left is a saved
//! launch and a program of its own.

mod alone;
mod cut;
mod replays;
mod saved;

use crate::fix::runs::{Depth, Runs};
use crate::options::ShrinkArgs;
use crate::{exit, output, run, terminal};
use replays::{Replays, Same};
use report::Document;
use report::model::Described;
use saved::Saved;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Launches of a kernel among which the one with the finding is looked for.
const LAUNCHES: u64 = 256;

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

/// A launch with a finding.
struct Found {
    finding: Described,
    file: PathBuf,
    /// Options by which `replay` shows it.
    schedule: Vec<String>,
    /// Kernel launches of the run.
    launches: u64,
    /// The runs, whose folder has the file.
    _runs: Option<Runs>,
}

fn shrunk(args: &ShrinkArgs) -> Result<String, Failure> {
    let usage = |message: String| (exit::USAGE, message);
    let options = shlex::split(args.run.as_deref().unwrap_or_default());
    let options = options.ok_or_else(|| usage("--run has an open quotation mark".into()))?;
    let found = match &args.file {
        Some(file) => of_file(args, file, &options)?,
        None => of_program(args, options.clone())?,
    };
    let before = Saved::read(&found.file).map_err(|e| (exit::UNCHECKABLE, e))?;
    let judgement = judgement(&options);
    let mut replays =
        Replays::new(Same::of(&found.finding), judgement, found.schedule.clone()).map_err(usage)?;
    if !replays.begin(&before) {
        let why = "the saved launch alone does not show the finding: it needs the rest of the program";
        return Err((exit::INCONCLUSIVE, why.into()));
    }
    let after = cut::cut(&mut replays, before.clone());
    write(args, &found, &replays, &before, &after)
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
            return Ok(Found { finding, file: file.to_owned(), schedule, launches: 1, _runs: None });
        }
    }
    Err((exit::INCONCLUSIVE, "there is nothing to shrink: no finding under 20 schedules".into()))
}

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

fn of_program(args: &ShrinkArgs, options: Vec<String>) -> Result<Found, Failure> {
    let uncheckable = |message: String| (exit::UNCHECKABLE, message);
    let runs = Runs::new(args.program.clone(), options).map_err(|e| (exit::USAGE, e))?;
    let once = runs.patched(&[], Depth::Once).map_err(uncheckable)?;
    let usual = once.findings().next().is_some();
    let document = if usual { once } else { runs.patched(&[], Depth::All).map_err(uncheckable)? };
    let finding = pick(&document, args.finding as usize)?;
    let [first, second] = &finding.accesses;
    let apart = first.kernel != second.kernel || first.launched_by.is_some() || second.launched_by.is_some();
    if apart || first.block.is_none() || second.block.is_none() {
        let why = "the finding is not of one launch: its accesses are of different kernels, launches, copies or the host";
        return Err((exit::INCONCLUSIVE, why.into()));
    }
    let kernel = document.kernels.iter().find(|k| k.name == first.kernel);
    let kernel = kernel.ok_or_else(|| uncheckable(format!("the run has no kernel `{}`", first.kernel)))?;
    let file = runs.folder().join("finding.launch");
    let same = Same::of(&finding);
    let deeper: &[&str] = if usual { &[] } else { &["--explore", "20", "--predict"] };
    for skipped in 0..kernel.launches.min(LAUNCHES) {
        let _ = std::fs::remove_file(&file);
        let (name, skipped) = (format!("kne={}", kernel.mangled), skipped.to_string());
        let saved = file.to_string_lossy();
        let mut words = vec![
            "--kernel-name",
            &name,
            "--launch-skip",
            &skipped,
            "--launch-count",
            "1",
            "--save-launch",
            &saved,
        ];
        words.extend(deeper);
        let document = runs.with(&words).map_err(uncheckable)?;
        if same.is_in(&document) && file.exists() {
            let shown = document.findings().find(|found| Same::of(found) == same).unwrap_or(&finding);
            let schedule = replayed(shown, usual);
            let launches = document.summary.launches;
            return Ok(Found { finding, file, schedule, launches, _runs: Some(runs) });
        }
    }
    Err((exit::INCONCLUSIVE, "no single launch of the kernel shows the finding".into()))
}

fn write(
    args: &ShrinkArgs,
    found: &Found,
    replays: &Replays,
    before: &Saved,
    after: &Saved,
) -> Result<String, Failure> {
    let lost = |e: String| (exit::OUTPUT, e);
    let failed = |e: std::io::Error| {
        lost(format!("cannot write to {}: {}", args.output.display(), terminal::plain(&e)))
    };
    std::fs::create_dir_all(&args.output).map_err(failed)?;
    let file = args.output.join("shrunk.launch");
    after.write(&file).map_err(failed)?;
    let mut out = format!("race[{}]: {}\n", found.finding.class.name(), found.finding.title);
    let count = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let shape = |s: &Saved| {
        let (blocks, threads) = (s.launch.grid.count(), s.launch.block.count());
        format!("{} of {}", count(blocks, "block"), count(threads, "thread"))
    };
    let _ = writeln!(out, "  launch:   {} became {}", shape(before), shape(after));
    let _ = writeln!(out, "  launches: {} became 1", found.launches);
    let (old, new) = (before.ranges.len(), after.ranges.len());
    let _ = writeln!(
        out,
        "  memory:   {} bytes in {old} allocations became {} in {new}",
        before.bytes(),
        after.bytes()
    );
    let schedule =
        if replays.schedule.is_empty() { "the usual one".to_owned() } else { replays.schedule.join(" ") };
    let _ = writeln!(out, "  schedule: {schedule}; {} launches were tried", replays.tried);
    let words = [&replays.options[..], &replays.schedule[..]].concat().join(" ");
    let space = if words.is_empty() { "" } else { " " };
    let _ = writeln!(out, "replay: warprace replay{space}{words} {}", file.display());
    let source = args.output.join("shrunk.cu");
    match alone::program(after, &found.finding.title) {
        Ok(text) => {
            output::replace(&source, text.as_bytes()).map_err(failed)?;
            let (program, source) = (args.output.join("shrunk"), source.display());
            let _ = writeln!(
                out,
                "build:  nvcc -o {} {source} && warprace run{space}{words} -- {}",
                program.display(),
                program.display()
            );
        }
        Err(why) => {
            let _ = writeln!(out, "no stand-alone program was written: {why}");
        }
    }
    Ok(out)
}
