//! `warprace check`: builds a project and runs all of its programs, several at a time.
//!
//! Each program runs under a `warprace run` of its own, with the options that the project sets; their
//! documents are then reported together.

mod discover;
mod job;
mod table;

use crate::folder::Folder;
use crate::options::{CheckArgs, Outputs};
use crate::project::{Program, Project};
use crate::publish::{self, Kept};
use crate::refusal::Refusal;
use crate::{exit, terminal};
use job::{Job, Outcome};
use report::source::Sources;
use report::{Document, Style, Text, Verdict};
use std::fmt::Write;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Interval at which running programs are polled.
const TICK: Duration = Duration::from_millis(50);

pub(crate) fn check(args: &CheckArgs) -> u8 {
    let sources = Sources::new(std::env::current_dir().ok());
    match run(args, &sources) {
        Ok(code) => code,
        Err(refusal) => {
            refusal.show(&sources);
            refusal.code
        }
    }
}

fn run(args: &CheckArgs, sources: &Sources) -> Result<u8, Refusal> {
    let wrong = |message| Refusal::new(exit::USAGE, message);
    let file = match (&args.config, Project::find()) {
        (Some(file), _) => Some(file.clone()),
        (None, Ok(file)) => Some(file),
        (None, Err(_)) if args.build_folder.is_some() => None,
        (None, Err(message)) => {
            let help =
                "it names the programs to run; `warprace check -p FOLDER` finds those of a build folder";
            return Err(wrong(message).help(help));
        }
    };
    let shown = file.clone().or_else(|| args.build_folder.clone()).unwrap_or_default();
    let mut project = file.as_deref().map(Project::read).transpose().map_err(wrong)?.unwrap_or_default();
    let folder = match file.as_deref().and_then(Path::parent) {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    // The project's own suppression entries apply too.
    let mut outputs = args.outputs.clone();
    outputs.suppressions.splice(0..0, file.clone());
    let kept = publish::prepare(&outputs)?;
    if args.build_folder.is_none() {
        chosen(&project, &args.programs, &shown)?;
    }
    let is_built = match project.build.as_ref().filter(|_| !args.no_build) {
        Some(command) => {
            build(command, &folder)?;
            true
        }
        None => false,
    };
    if let Some(path) = &args.build_folder {
        let found = discover::discover(path, !args.no_build && !is_built)
            .map_err(|message| wrong(message).help("a `warprace.toml` can name the programs to run"))?;
        found.notes.iter().for_each(|note| terminal::complain(format_args!("warprace: warning: {note}\n")));
        project.add(found.programs, &folder);
    }
    let programs = chosen(&project, &args.programs, &shown)?;
    if args.list {
        terminal::print(discover::as_toml(&programs));
        return Ok(0);
    }
    let results = Folder::new(false).map_err(wrong)?;
    let at_once = args.jobs.unwrap_or_else(|| (processors() / 2).max(1)).min(programs.len());
    let job = |program| Job::new(program, &project.options, &folder, processors() / at_once);
    let jobs = programs.iter().map(|program| job(program).drawn(outputs.html.is_some()));
    let outcomes = all(jobs.collect(), at_once, results.path(), &outputs)?;
    Ok(conclude(outcomes, &outputs, &kept, sources))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the programs with these names, or all of them if no name is given.
fn chosen<'a>(project: &'a Project, names: &[String], file: &Path) -> Result<Vec<&'a Program>, Refusal> {
    let shown = file.display();
    if let Some(name) = names.iter().find(|name| !project.programs.iter().any(|p| p.name == **name)) {
        return Err(Refusal::new(exit::USAGE, format!("`{shown}` has no program `{name}`")));
    }
    let wanted = |p: &&Program| names.is_empty() || names.contains(&p.name);
    let programs: Vec<&Program> = project.programs.iter().filter(wanted).collect();
    match programs.is_empty() {
        true => Err(Refusal::new(exit::USAGE, format!("`{shown}` names no programs"))
            .help("add a table `[[program]]` with a `name` and a `command` for each")),
        false => Ok(programs),
    }
}

/// Runs the build command. Its output goes to stderr, since a report may go to the standard output.
pub(crate) fn build(command: &str, folder: &Path) -> Result<(), Refusal> {
    let output = std::io::stderr().as_fd().try_clone_to_owned().map_or(Stdio::null(), Stdio::from);
    let status = Command::new("sh").args(["-c", command]).current_dir(folder).stdout(output).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            Err(Refusal::new(exit::USAGE, format!("`{command}` failed ({status}): nothing was run")))
        }
        Err(e) => Err(Refusal::new(exit::USAGE, format!("cannot run `{command}`: {e}"))),
    }
}

/// Runs all jobs, `at_once` at a time, and returns their outcomes in the order of `jobs`.
fn all(
    jobs: Vec<Job<'_>>,
    at_once: usize,
    results: &Path,
    outputs: &Outputs,
) -> Result<Vec<Outcome>, Refusal> {
    let total = jobs.len();
    let mut progress = table::Progress::new(total, outputs.quiet);
    let mut waiting = jobs.into_iter().enumerate();
    let mut running: Vec<(usize, job::Running)> = Vec::new();
    let mut done: Vec<Option<Outcome>> = (0..total).map(|_| None).collect();
    loop {
        while running.len() < at_once
            && let Some((n, job)) = waiting.next()
        {
            let started = job.start(&results.join(n.to_string()));
            running.push((n, started.map_err(|message| Refusal::new(exit::USAGE, message))?));
        }
        if running.is_empty() {
            break;
        }
        let mut still = Vec::new();
        for (n, mut job) in running {
            match job.poll() {
                Some(outcome) => {
                    progress.ended(&outcome);
                    done[n] = Some(outcome);
                }
                None => still.push((n, job)),
            }
        }
        running = still;
        progress.show(running.iter().map(|(_, job)| job.name()));
        std::thread::sleep(TICK);
    }
    progress.clear();
    Ok(done.into_iter().flatten().collect())
}

/// Reports all outcomes together and returns the exit code.
fn conclude(outcomes: Vec<Outcome>, outputs: &Outputs, kept: &Kept, sources: &Sources) -> u8 {
    let limit = (outputs.print_limit != 0).then_some(outputs.print_limit);
    let style = Style { color: terminal::color(), width: terminal::width(), limit, quiet: true };
    let text = Text { style, sources };
    let (mut rows, mut documents) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        let Outcome { name, code, took, document, said, output } = outcome;
        let row = table::Row { name: name.clone(), code, took, document: None };
        let Some(mut document) = document else {
            terminal::complain(format_args!("── {name} {}\n{said}\n", "─".repeat(60)));
            rows.push(row);
            continue;
        };
        document.program.name = name.clone();
        kept.apply(&mut document, sources);
        let mut report = text.document(&document);
        for reason in &document.inconclusive {
            let _ = writeln!(report, "inconclusive: {reason}");
        }
        let failed = table::is_failure(code, &document);
        if !report.is_empty() || failed {
            let output = if failed { output.as_str() } else { "" };
            terminal::complain(format_args!("── {name} {}\n{output}{report}\n", "─".repeat(60)));
        }
        rows.push(table::Row { document: Some(documents.len()), ..row });
        documents.push(document);
    }
    unite(&mut documents);
    let written = publish::write(outputs, &documents, sources, std::process::id());
    if !outputs.quiet {
        terminal::complain(table::table(&rows, &documents));
    }
    match code(&rows, &documents) {
        0 if !written => exit::OUTPUT,
        code => code,
    }
}

/// Adds up the uses of suppression entries and baseline findings over all programs. An entry is stale only if
/// no program needs it, since both lists belong to the project.
pub(crate) fn unite(documents: &mut [Document]) {
    let mut needed: Vec<u64> = Vec::new();
    for document in documents.iter() {
        needed.resize(document.suppressions.len(), 0);
        needed.iter_mut().zip(&document.suppressions).for_each(|(sum, entry)| *sum += entry.hits);
    }
    for document in documents {
        document.suppressions.iter_mut().zip(&needed).for_each(|(entry, sum)| entry.hits = *sum);
    }
}

/// Returns the exit code: races take precedence over failures, and failures over unchecked parts.
fn code(rows: &[table::Row], documents: &[Document]) -> u8 {
    if documents.iter().any(|d| d.verdict == Verdict::Race) {
        return exit::RACES;
    }
    let failed = rows.iter().find_map(|row| match row.document.map(|n| &documents[n]) {
        None => Some(row.code.unwrap_or(exit::USAGE).max(1)),
        Some(document) if table::is_failure(row.code, document) => row.code.map(|code| code.max(1)),
        Some(_) => None,
    });
    let unchecked = documents.iter().any(|d| !d.inconclusive.is_empty());
    failed.unwrap_or(if unchecked { exit::INCONCLUSIVE } else { 0 })
}
