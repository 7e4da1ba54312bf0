//! Real programs, without and with the default detector, by one worker, and beside another build of warprace: how fast
//! both are, and whether they report the same.
//!
//! The programs are the user's own builds of public suites in a folder that is named, and programs of this repository,
//! which are compiled here. `xtask/bench/programs.list` says which, with their arguments; `docs/benchmarks.md`
//! how to build them.

use super::engine::{compile, name};
use super::{cuda, machine};
use crate::corpus::{Run, arguments};
use crate::measure::{Job, Measured, run as measure};
use crate::page;
use crate::same;
use crate::shell::{self, Outcome, root};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const USAGE: &str = "usage: cargo xtask bench programs FOLDER [--list FILE] [--only TEXT] [--beside WARPRACE] \
                     [--rounds N] [--limit SECONDS] [--write FILE]";

const LIST: &str = "xtask/bench/programs.list";

/// The arguments of the command.
struct Wanted<'a> {
    folder: PathBuf,
    list: PathBuf,
    /// Only programs whose line contains it.
    only: Option<&'a str>,
    beside: Option<PathBuf>,
    /// Every number is the best of so many.
    rounds: usize,
    /// For one run.
    limit: Duration,
    write: Option<PathBuf>,
}

fn parse<'a>(args: &[&'a str]) -> Outcome<Wanted<'a>> {
    let mut folder = None;
    let mut wanted = Wanted {
        folder: PathBuf::new(),
        list: root().join(LIST),
        only: None,
        beside: None,
        rounds: 3,
        limit: Duration::from_secs(300),
        write: None,
    };
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        let mut value = || args.next().copied().ok_or_else(|| format!("`{arg}` needs a value; {USAGE}"));
        let number = |text: &str| {
            text.parse::<u32>()
                .ok()
                .filter(|n| *n > 0)
                .ok_or_else(|| format!("`{text}` is no count; {USAGE}"))
        };
        match arg {
            "--list" => wanted.list = value()?.into(),
            "--only" => wanted.only = Some(value()?),
            "--beside" => wanted.beside = Some(value()?.into()),
            "--rounds" => wanted.rounds = number(value()?)? as usize,
            "--limit" => wanted.limit = Duration::from_secs(number(value()?)?.into()),
            "--write" => wanted.write = Some(value()?.into()),
            _ if arg.starts_with('-') || folder.is_some() => {
                return Err(format!("`{arg}` is not expected; {USAGE}"));
            }
            name => folder = Some(name),
        }
    }
    let folder = folder.ok_or(USAGE)?;
    let folder = Path::new(folder).canonicalize().map_err(|e| format!("cannot read {folder}: {e}"))?;
    Ok(Wanted { folder, ..wanted })
}

pub(super) fn run(args: &[&str]) -> Outcome {
    let wanted = parse(args)?;
    let list = std::fs::read_to_string(&wanted.list)
        .map_err(|e| format!("cannot read {}: {e}", wanted.list.display()))?;
    let mut builds = vec![shell::build_release()?];
    builds.extend(wanted.beside.clone());
    let mut table = head(&wanted);
    print!("{table}");
    let (mut gains, mut failed, mut others) = (<[Vec<f64>; 3]>::default(), 0, 0);
    for (program, side) in arguments(&list)? {
        for run in &side.runs {
            let shown = std::iter::once(short(&program))
                .chain(run.args.iter().cloned())
                .collect::<Vec<_>>()
                .join(" ");
            if wanted.only.is_some_and(|text| !program.contains(text) && !shown.contains(text)) {
                continue;
            }
            let line = match best_of(&wanted, &builds, &program, run) {
                Ok((best, reports)) => {
                    let other = match reports.as_slice() {
                        [this, beside] => Some(same::difference(beside, this)),
                        _ => None,
                    };
                    others += usize::from(matches!(other, Some(Some(_))));
                    if let [this, other] = best.as_slice() {
                        gains.iter_mut().zip(beside(this, other)).for_each(|(all, gain)| all.push(gain));
                    }
                    row(&shown, &best, other.as_ref().map(Option::as_deref))
                }
                Err(why) => {
                    failed += 1;
                    format!(
                        "| {shown} | failed: {} |\n",
                        why.lines().next().unwrap_or_default().replace('|', "/")
                    )
                }
            };
            print!("{line}");
            table.push_str(&line);
        }
    }
    let mut foot = foot(&gains, failed);
    if wanted.beside.is_some() {
        let _ = writeln!(foot, "\n{others} of the reports say something else than those of the other build.");
    }
    print!("{foot}");
    table.push_str(&foot);
    if let Some(file) = &wanted.write {
        let text = format!("# Speed of real programs\n\n{}.\n\n{table}", machine());
        std::fs::write(file, page::wrapped(&text))
            .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    }
    Ok(())
}

/// A program's name without the folders it is in.
pub(super) fn short(program: &str) -> String {
    Path::new(program).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The least time in kernels of one way of running a program, and the least time of a whole run.
#[derive(Clone, Copy, Debug)]
struct Best {
    instructions: u64,
    ns: u64,
    seconds: f64,
}

impl Best {
    /// Million thread instructions for each second.
    fn rate(&self) -> f64 {
        self.instructions as f64 * 1e3 / self.ns.max(1) as f64
    }
}

/// Returns the speed-up of one build over another: in the engine, with the detector, and with that over the
/// whole run.
fn beside(this: &[Best; 2], other: &[Best; 2]) -> [f64; 3] {
    let [engine, detector] = [0, 1].map(|way| this[way].rate() / other[way].rate());
    [engine, detector, other[1].seconds / this[1].seconds]
}

const OPTIONS: [&[&str]; 2] = [&["--no-detect"], &[]];

/// Returns the best times of each build (the engine alone, and with the detector) and its report with the
/// detector. The ways take turns, so that the machine's other work disturbs all alike.
fn best_of(
    wanted: &Wanted<'_>,
    builds: &[PathBuf],
    program: &str,
    run: &Run,
) -> Outcome<(Vec<[Best; 2]>, Vec<Value>)> {
    let path = match program.strip_suffix(".cu") {
        Some(_) => compile(&cuda::ensure()?, "programs", &root().join(program), &[])?,
        None => wanted.folder.join(program),
    };
    let mut best = vec![[None::<Best>; 2]; builds.len()];
    let mut reports = vec![Value::Null; builds.len()];
    for _ in 0..wanted.rounds {
        for ((build, ways), report) in builds.iter().zip(&mut best).zip(&mut reports) {
            for (options, way) in OPTIONS.iter().zip(ways) {
                let m = once(wanted, build, &path, run, options)?;
                let (ns, seconds) = (m.number("kernel_ns"), m.wall.as_secs_f64());
                let new = Best { instructions: m.number("thread_instructions"), ns, seconds };
                let seconds = way.map_or(seconds, |best| seconds.min(best.seconds));
                let least = way.filter(|best| best.ns <= ns).unwrap_or(new);
                *way = Some(Best { seconds, ..least });
                // The last way is that with the detector.
                *report = m.report;
            }
        }
    }
    let best: Option<_> =
        best.into_iter().map(|[engine, detector]| engine.zip(detector).map(|(a, b)| [a, b])).collect();
    Ok((best.ok_or("no round was run")?, reports))
}

/// One run, which must end with the program's own success, whatever was found.
fn once(
    wanted: &Wanted<'_>,
    warprace: &Path,
    program: &Path,
    run: &Run,
    options: &[&str],
) -> Outcome<Measured> {
    let ours = [options, &["--jobs", "1", "--quiet"]].concat();
    let options: Vec<String> = ours.iter().map(|o| (*o).to_owned()).chain(run.options.clone()).collect();
    let folder = match &run.folder {
        Some(folder) => wanted.folder.join(folder),
        None => program.parent().unwrap_or(Path::new("/")).to_owned(),
    };
    let m = measure(&Job {
        under: &[],
        warprace,
        options: &options,
        program,
        args: &run.args,
        folder: &folder,
        stdin: run.stdin.as_ref().map(|f| wanted.folder.join(f)).as_deref(),
        limit: run.limit.unwrap_or(wanted.limit),
    })?;
    let well = m.report["program"]["exit_code"].as_i64() == Some(0) && m.number("kernel_ns") > 0;
    let printed = run.expect.iter().all(|text| m.stdout.contains(text));
    match (m.timed_out, well, printed) {
        (true, ..) => Err(format!("{} takes too long under {}", name(program), warprace.display())),
        (_, true, true) => Ok(m),
        (_, true, false) => {
            Err(format!("{} prints something else under {}", name(program), warprace.display()))
        }
        (_, false, _) => {
            let said = m.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no report");
            Err(format!("{} under {}: {said}", name(program), warprace.display()))
        }
    }
}

fn head(wanted: &Wanted<'_>) -> String {
    let mut text = format!(
        "Thread instructions per second of time in kernels, in millions, one job; best of {}\n\n",
        wanted.rounds
    );
    text.push_str("| program | thread instructions, millions | engine | with detector | detector costs |");
    let mut columns = 5;
    if wanted.beside.is_some() {
        text.push_str(
            " beside: engine | with detector | engine's gain | detector's gain | whole run's gain | report |",
        );
        columns += 6;
    }
    let _ = writeln!(text, "\n|{}", "---|".repeat(columns));
    text
}

/// `other`, if there is another build: where its report differs, if it does.
fn row(shown: &str, best: &[[Best; 2]], other: Option<Option<&str>>) -> String {
    let mut line = format!("| {shown} | {:.1} |", best[0][0].instructions as f64 / 1e6);
    for (i, [engine, detector]) in best.iter().enumerate() {
        let _ = write!(line, " {} | {} |", number(engine.rate()), number(detector.rate()));
        if i == 0 {
            let _ = write!(line, " {:.2}x |", engine.rate() / detector.rate());
        }
    }
    if let [this, other] = best {
        for gain in beside(this, other) {
            let _ = write!(line, " {gain:.2}x |");
        }
    }
    if let Some(other) = other {
        let said = other.map_or("same".to_owned(), |where_| where_.replace('|', "/"));
        let _ = write!(line, " {said} |");
    }
    line.push('\n');
    line
}

fn foot(gains: &[Vec<f64>; 3], failed: usize) -> String {
    let mut text = String::new();
    if let [engine, detector, whole] = gains
        && !engine.is_empty()
    {
        let least = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
        let _ = writeln!(
            text,
            "\n{} programs. Geometric mean of the engine's gains {:.2}x (least {:.2}x), of the detector's {:.2}x (least \
             {:.2}x), of whole runs with the detector {:.2}x (least {:.2}x).",
            engine.len(),
            geometric_mean(engine),
            least(engine),
            geometric_mean(detector),
            least(detector),
            geometric_mean(whole),
            least(whole),
        );
    }
    if failed > 0 {
        let _ = writeln!(text, "\n{failed} failed, and count in no mean.");
    }
    text
}

pub(super) fn geometric_mean(of: &[f64]) -> f64 {
    (of.iter().map(|x| x.ln()).sum::<f64>() / of.len().max(1) as f64).exp()
}

/// With three digits or so.
fn number(x: f64) -> String {
    if x < 10.0 { format!("{x:.1}") } else { format!("{x:.0}") }
}
