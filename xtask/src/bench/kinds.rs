//! One kernel for each kind of work, on the engine alone and with the default detector, by one worker.
//!
//! The programs under `xtask/bench/kinds` have many kernels each, and list them. Rates are of the time spent in
//! kernels, as the library measures it; what a launch costs is the host's time, as the program measures it. Another build
//! of warprace may take its turns beside this one (`--beside`), so that both meet the same moods of the machine.

use super::engine::compile;
use super::{cuda, machine};
use crate::measure::{Job, Measured, run as measure};
use crate::page;
use crate::shell::{self, Outcome, root};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const USAGE: &str =
    "usage: cargo xtask bench kinds [NAME...] [--beside WARPRACE] [--rounds N] [--limit SECONDS] [--write]";

/// The page to which `--write` writes the table.
const TABLE: &str = "docs/results/kinds.md";

/// The exit code of a run with races, which some kinds have on purpose.
const RACES: i32 = 66;

/// From so many launches on, what one costs is told.
const MANY_LAUNCHES: u64 = 100;

/// The arguments of the command.
struct Wanted<'a> {
    /// Kinds whose names contain one of these; all, if there are none.
    names: Vec<&'a str>,
    beside: Option<PathBuf>,
    /// Every number is the best of so many.
    rounds: usize,
    /// For one run.
    limit: Duration,
    write: bool,
}

fn parse<'a>(args: &[&'a str]) -> Outcome<Wanted<'a>> {
    let mut wanted =
        Wanted { names: Vec::new(), beside: None, rounds: 5, limit: Duration::from_secs(60), write: false };
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
            "--beside" => wanted.beside = Some(PathBuf::from(value()?)),
            "--rounds" => wanted.rounds = number(value()?)? as usize,
            "--limit" => wanted.limit = Duration::from_secs(number(value()?)?.into()),
            "--write" => wanted.write = true,
            _ if arg.starts_with('-') => return Err(format!("there is no option `{arg}`; {USAGE}")),
            name => wanted.names.push(name),
        }
    }
    if wanted.write && !wanted.names.is_empty() {
        return Err(format!("`--write` keeps the table of all kinds: name none; {USAGE}"));
    }
    Ok(wanted)
}

pub(super) fn run(args: &[&str]) -> Outcome {
    let wanted = parse(args)?;
    let toolkit = cuda::ensure()?;
    let mut builds = vec![shell::build_release()?];
    builds.extend(wanted.beside.clone());
    let mut table = head(&wanted);
    print!("{table}");
    let mut found = false;
    for source in sources()? {
        let program = compile(&toolkit, "kinds", &source, &[])?;
        for kind in kinds(&program)? {
            if !wanted.names.is_empty() && !wanted.names.iter().any(|n| kind.name.contains(n)) {
                continue;
            }
            found = true;
            let best = best_of(&wanted, &builds, &program, &kind)?;
            let line = row(&kind, &best);
            print!("{line}");
            table.push_str(&line);
        }
    }
    if !found {
        return Err(format!("there is no kind `{}`", wanted.names.join("` or `")));
    }
    if wanted.write {
        let file = root().join(TABLE);
        shell::make_dir(file.parent().unwrap_or(&file))?;
        let text = format!("# Speed by kind of work\n\n{}.\n\n{table}", machine());
        std::fs::write(&file, page::wrapped(&text))
            .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    }
    Ok(())
}

fn sources() -> Outcome<Vec<PathBuf>> {
    let folder = root().join("xtask/bench/kinds");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map_err(|e| format!("cannot read {}: {e}", folder.display()))?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "cu"))
        .collect();
    sources.sort();
    Ok(sources)
}

/// One line of a program's list.
struct Kind {
    name: String,
    racy: bool,
}

/// Returns the kinds of the program, in the order of its source.
fn kinds(program: &Path) -> Outcome<Vec<Kind>> {
    let done =
        Command::new(program).output().map_err(|e| format!("cannot run {}: {e}", program.display()))?;
    let mut kinds: Vec<Kind> = String::from_utf8_lossy(&done.stdout)
        .lines()
        .map(|line| match line.split_once(' ') {
            Some((name, trait_)) => Kind { name: name.to_owned(), racy: trait_ == "racy" },
            None => Kind { name: line.to_owned(), racy: false },
        })
        .collect();
    // Each registers itself in front of the ones before it.
    kinds.reverse();
    Ok(kinds)
}

/// The best of a way of running a kind; `None` while it has not ended within the limit.
#[derive(Clone, Copy, Default)]
struct Best {
    tried: bool,
    /// Million thread instructions for each second in kernels.
    rate: Option<f64>,
    /// The host's time, where there are many launches.
    us_per_launch: Option<f64>,
}

/// For each build: the engine alone, and with the detector.
type Ways = [Best; 2];

const OPTIONS: [&[&str]; 2] = [&["--no-detect"], &[]];

/// The ways take turns. One that reached the limit is not tried again.
fn best_of(wanted: &Wanted<'_>, builds: &[PathBuf], program: &Path, kind: &Kind) -> Outcome<Vec<Ways>> {
    let mut best = vec![Ways::default(); builds.len()];
    for _ in 0..wanted.rounds {
        for (build, ways) in builds.iter().zip(&mut best) {
            for (options, way) in OPTIONS.iter().zip(ways) {
                if way.tried && way.rate.is_none() {
                    continue;
                }
                way.tried = true;
                let Some(m) = once(build, program, kind, options, wanted.limit)? else { continue };
                let rate = m.number("thread_instructions") as f64 * 1e3 / m.number("kernel_ns").max(1) as f64;
                way.rate = Some(way.rate.map_or(rate, |r| r.max(rate)));
                let launches = m.number("launches");
                if launches >= MANY_LAUNCHES {
                    let us = host_us(&m)? / launches as f64;
                    way.us_per_launch = Some(way.us_per_launch.map_or(us, |t| t.min(us)));
                }
            }
        }
    }
    Ok(best)
}

/// One run, which must succeed; `None` if it took too long.
fn once(
    warprace: &Path,
    program: &Path,
    kind: &Kind,
    options: &[&str],
    limit: Duration,
) -> Outcome<Option<Measured>> {
    let options: Vec<String> =
        [options, &["--jobs", "1", "--quiet"]].concat().iter().map(|o| (*o).to_owned()).collect();
    let args = [kind.name.clone()];
    let m = measure(&Job {
        under: &[],
        warprace,
        options: &options,
        program,
        args: &args,
        folder: &root(),
        stdin: None,
        limit,
    })?;
    if m.timed_out {
        return Ok(None);
    }
    let well = m.exit_code == Some(0) || kind.racy && m.exit_code == Some(RACES);
    match well && !m.report.is_null() {
        true => Ok(Some(m)),
        false => Err(format!("kind `{}` failed under {}: {}", kind.name, warprace.display(), m.stderr)),
    }
}

/// The host's time as the program tells it.
fn host_us(m: &Measured) -> Outcome<f64> {
    m.stdout
        .lines()
        .find_map(|line| line.strip_prefix("host: ")?.strip_suffix(" us")?.parse().ok())
        .ok_or_else(|| "the program did not tell the host's time".to_owned())
}

fn head(wanted: &Wanted<'_>) -> String {
    let mut text = format!(
        "Thread instructions per second, in millions, one job; best of {}. In brackets: microseconds of the host for \
         each launch\n\n",
        wanted.rounds
    );
    text.push_str("| kind | engine | with detector | detector costs |");
    if wanted.beside.is_some() {
        text.push_str(" beside: engine | with detector | engine's gain | detector's gain |");
    }
    let columns = text.lines().last().map_or(0, |l| l.matches('|').count().saturating_sub(1));
    let _ = writeln!(text, "\n|{}", "---|".repeat(columns));
    text
}

fn row(kind: &Kind, best: &[Ways]) -> String {
    let mut line = format!("| {} |", kind.name);
    let cell = |b: &Best| match (b.rate, b.us_per_launch) {
        (None, _) => "took too long".to_owned(),
        (Some(rate), None) => number(rate),
        (Some(rate), Some(us)) => format!("{} ({us:.1})", number(rate)),
    };
    let quotient = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => format!("{:.2}x", a / b.max(1e-9)),
        _ => "".to_owned(),
    };
    for (i, [engine, detector]) in best.iter().enumerate() {
        let _ = write!(line, " {} | {} |", cell(engine), cell(detector));
        if i == 0 {
            let _ = write!(line, " {} |", quotient(engine.rate, detector.rate));
        }
    }
    if let [this, other] = best {
        for (a, b) in this.iter().zip(other) {
            // If launches are what costs, they are compared.
            let gain = match (a.us_per_launch, b.us_per_launch) {
                (Some(a), Some(b)) => quotient(Some(b), Some(a)),
                _ => quotient(a.rate, b.rate),
            };
            let _ = write!(line, " {gain} |");
        }
    }
    line.push('\n');
    line
}

/// With three digits or so.
fn number(x: f64) -> String {
    if x < 10.0 { format!("{x:.1}") } else { format!("{x:.0}") }
}
