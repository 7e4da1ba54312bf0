//! `warprace run`: from the program's path to the exit code.
//!
//! **Size:** one path, whose steps hand their values to the next ones.

pub(crate) use saved_launch::header;
pub(crate) use session::{is_one as is_session, read as session};

mod captured;
mod check;
mod configuration;
mod confirmed;
mod descendants;
mod driver;
mod records;
mod saved_launch;
mod session;
mod signals;
mod spawn;
mod unused_cuda;
mod unwatched;

use crate::folder::Folder;
use crate::options::{RunArgs, TraceArgs};
use crate::output::{self, Output};
use crate::publish::{self, Kept};
use crate::refusal::Refusal;
use crate::{exit, library, story, terminal};
use captured::Beside;
use check::Program;
use configuration::how;
use descendants::Patience;
use events::Finding;
use names::{Engine, Replay, Strategy};
use processes::post::Receiver;
use protocol::{PROTOCOL_VERSION, Pick, Results, RunOptions, RunResult};
use report::model::interleaving::Interleaving;
use report::proof::Proof;
use report::source::Sources;
use report::{Checking, Document, Ending, Run, Style, Text, Verdict, describe};
use spawn::Child;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use unwatched::Gaps;

/// Runs `warprace trace`, with a recorder in place of the detector.
pub(crate) fn trace(args: &TraceArgs) -> u8 {
    // The options require it unless a trace is exported.
    let Some(output) = &args.output else { return exit::USAGE };
    if let Err(message) = output::fresh(output) {
        terminal::error(&message);
        return exit::USAGE;
    }
    run_with(&args.run, Some(output))
}

/// Runs `warprace run`.
pub(crate) fn run(args: &RunArgs) -> u8 {
    run_with(args, None)
}

/// Runs the program and returns warprace's exit code (or dies of the program's signal).
fn run_with(args: &RunArgs, trace: Option<&Path>) -> u8 {
    let here = std::env::current_dir().ok();
    let sources = match (&args.saved, &here) {
        // A saved launch may name any file as a source, so only the project's sources are read.
        (Some(_), Some(project)) => Sources::within(here.clone(), project),
        _ => Sources::new(here),
    };
    let started = prepare(args).and_then(|(folder, program, how)| {
        let engine = how.engine;
        let kept = publish::prepare(&args.outputs)?;
        // This precedes the program's start, so that all of its saved launches are seen as new.
        let watched = checked_beside(args, &folder).map(captured::Watched::new);
        let receiver = Receiver::new(folder.path());
        let begun = Instant::now();
        let child = start(args, how, &program, &folder, trace)?;
        Ok((folder, program, engine, kept, watched, (child, receiver, begun)))
    });
    let (folder, program, engine, kept, watched, (child, receiver, begun)) = match started {
        Ok(started) => started,
        Err(refusal) => {
            refusal.show(&sources);
            return refusal.code;
        }
    };
    let pid = child.pid();
    let (waited, mut exact) = std::thread::scope(|scope| {
        let beside = watched.map(|watched| Beside::start(scope, args, watched));
        let waited = child.wait(args.timeout).map(|(ending, in_time)| {
            let patience = Patience {
                linger: Duration::from_secs(args.linger),
                until: args.timeout.map(|seconds| begun + Duration::from_secs(seconds)),
                is_over: !in_time,
                quiet: args.outputs.quiet,
            };
            (ending, descendants::wait(&patience))
        });
        (waited, beside.map(Beside::finish))
    });
    let received = receiver.finish();
    let (ending, (running, in_time)) = match waited {
        Ok(ended) => ended,
        Err(e) => {
            terminal::error(&format!("cannot wait for the program: {e}"));
            return exit::USAGE;
        }
    };
    let mut results = RunResult::read_all_and(folder.path(), &received.files).unwrap_or_default();
    let unwatched = unwatched::listed(folder.path(), &received, (pid, program.path.clone()));
    let gaps = unwatched::gaps(&unwatched, &running, &mut results.processes);
    for result in &mut results.processes {
        records::collect(result, folder.path());
        if let Some(seconds) = args.timeout.filter(|_| !in_time) {
            result.inconclusive.push(format!("the program was ended by --timeout {seconds}"));
        }
    }
    let interleavings = interleavings(&results, folder.path());
    let proofs = match args.prove && engine == Engine::Virtual {
        true => proved(args, &program, &folder, &sources, &mut results),
        false => Vec::new(),
    };
    if captured(args, &folder).is_some() {
        confirmed::confirm(args, exact.get_or_insert_default(), &mut results.processes);
    }
    if let Some(exact) = exact.as_mut().filter(|_| args.captures().is_some()) {
        captured::add(exact, &mut results.processes);
    }
    if args.sessions() {
        session::check(args, &folder, pid, &mut results.processes);
    }
    drop(folder);
    let about =
        About { program: &program, engine, kept: &kept, sources: &sources, pid, interleavings, proofs, gaps };
    conclude(args, &about, trace, ending, &results)
}

/// Returns the interleavings of the findings' threads, for processes that were recorded.
fn interleavings(results: &Results, folder: &Path) -> HashMap<(u32, usize), Interleaving> {
    let mut out = HashMap::new();
    for result in &results.processes {
        let record = RunOptions::record_of(folder, result.pid);
        let (Some(replay), true) = (&result.replay, record.is_file()) else { continue };
        let findings: Vec<&Finding> = result.findings.iter().map(|reported| &reported.finding).collect();
        match story::interleavings(&record, &findings, replay) {
            Ok(found) => out.extend(found.into_iter().map(|(i, drawn)| ((result.pid, i), drawn))),
            // The report is complete without the drawing.
            Err(error) => terminal::error(&format!("no interleaving can be drawn: {error}")),
        }
    }
    out
}

/// Analyses the launches of the run. Races that other thread orders demonstrate are added to the results.
fn proved(
    args: &RunArgs,
    program: &Program,
    folder: &Folder,
    sources: &Sources,
    results: &mut Results,
) -> Vec<Proof> {
    let facts = args.facts.clone().unwrap_or_else(|| folder.path().join(FACTS));
    let seen = |task: &events::TaskInfo, kernel: &str| matches!(&task.kind, events::TaskKind::Launch(launch) if launch.kernel == kernel);
    let processes = &results.processes;
    let raced = |kernel: &str| {
        processes.iter().any(|r| !r.findings.is_empty() && r.tasks.iter().any(|task| seen(task, kernel)))
    };
    let law = processes.iter().find_map(|r| r.replay.as_ref()).map(|replay| replay.volatile);
    let weak = law == Some(names::Volatile::Weak);
    match crate::prove::of_run(&program.path, &facts, &raced, weak, sources) {
        Ok((proofs, found)) => {
            results.processes.extend(found.into_iter().filter(|r| !r.findings.is_empty()));
            proofs
        }
        Err(why) => {
            terminal::error(&format!("nothing could be proved: {why}"));
            Vec::new()
        }
    }
}

/// The file of launches for `--prove`, in the folder of results.
const FACTS: &str = "launches";
/// The folder of launches that are saved without a request of the user.
const LAUNCHES: &str = "saved";

/// Returns an absolute path, since the program may change its working directory.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Checks everything that can fail before the program starts.
fn prepare(args: &RunArgs) -> Result<(Folder, Program, Replay), Refusal> {
    let how = how(args)?;
    let program = check::program(&args.program[0], how.engine)?;
    if how.engine != Engine::Virtual
        && (args.execution.lens.is_some() || args.execution.explore > 1 || args.execution.predict.is_some())
    {
        let message = format!("--lens, --explore and --predict do not go with engine {}", how.engine);
        return Err(Refusal::new(exit::USAGE, message));
    }
    if args.execution.predict.is_some() && (!how.lens.is_ptx() || args.no_detect) {
        let message = "--predict goes with the lens `ptx`, which judges what the schedules show";
        return Err(Refusal::new(exit::USAGE, message));
    }
    if let Some(file) = &args.save_launch {
        output::check_folder(file).map_err(|message| Refusal::new(exit::USAGE, message))?;
    }
    if let Some(file) = &args.log_file {
        output::check_folder(file).map_err(|message| Refusal::new(exit::USAGE, message))?;
    }
    if let Some(file) = &args.facts {
        output::fresh(file).map_err(|message| Refusal::new(exit::USAGE, message))?;
    }
    if args.execution.strategy != Strategy::Mixed && args.execution.explore < 2 {
        return Err(Refusal::new(exit::USAGE, "--strategy goes with --explore N, the number of schedules"));
    }
    let folder = Folder::new(how.engine.on_gpu()).map_err(|message| Refusal::new(exit::USAGE, message))?;
    Ok((folder, program, how))
}

/// Returns the folder for saved launches, and which launches are saved.
fn captured(args: &RunArgs, results: &Folder) -> Option<(PathBuf, Pick)> {
    match (&args.capture, args.captures()) {
        (Some(folder), None) => Some((absolute(folder), args.capture_pick)),
        (folder, Some(number)) => {
            let own = || results.path().join(LAUNCHES);
            Some((folder.as_deref().map_or_else(own, absolute), Pick::First(number)))
        }
        (None, None)
            if args.gpu
                && !args.sessions()
                && args.execution.engine.is_none()
                && args.save_launch.is_none() =>
        {
            Some((results.path().join(LAUNCHES), Pick::Flagged))
        }
        (None, None) => None,
    }
}

/// Returns the folder of the launches that engine `capture` checks.
fn checked_beside(args: &RunArgs, results: &Folder) -> Option<PathBuf> {
    args.captures()?;
    captured(args, results).map(|(folder, _)| folder)
}

fn start(
    args: &RunArgs,
    how: Replay,
    program: &Program,
    results: &Folder,
    trace: Option<&Path>,
) -> Result<Child, Refusal> {
    let library = library::find(how.engine).map_err(|message| Refusal::new(exit::USAGE, message))?;
    let (capture, capture_pick) = match captured(args, results) {
        Some((folder, pick)) => {
            confirmed::folder(&folder)?;
            (Some(folder), pick)
        }
        None => (None, args.capture_pick),
    };
    let options = RunOptions {
        version: PROTOCOL_VERSION,
        results: results.path().to_path_buf(),
        owned: results.is_locked(),
        kernel_names: args.kernel_name.clone(),
        kernel_names_exclude: args.kernel_name_exclude.clone(),
        nvtx_include: args.nvtx_include.clone(),
        nvtx_exclude: args.nvtx_exclude.clone(),
        trust: args.trust.iter().map(|name| name.trim().to_lowercase()).collect(),
        launch_skip: args.launch_skip,
        launch_count: args.launch_count,
        plan: how.plan,
        explore: args.execution.explore,
        strategy: args.execution.strategy,
        predict: args.execution.predict.unwrap_or(0),
        blocks: args.blocks,
        devices: how.devices,
        arch: how.arch,
        volatile: how.volatile,
        equal_values: how.equal_values,
        checks: how.checks,
        jobs: args.execution.jobs(),
        detect: !args.no_detect,
        max_memory: args.execution.max_memory,
        max_instructions: args.execution.max_instructions,
        lens: how.lens,
        engine: how.engine,
        trace: trace.map(absolute),
        record: args.outputs.html.is_some(),
        save_launch: args.save_launch.as_deref().map(absolute),
        capture,
        capture_pick,
        session: session::options(args, results),
        prune: configuration::prune(args),
        proof_cache: configuration::proof_cache(args),
        prover: how.engine.on_gpu().then(|| std::env::current_exe().ok()).flatten(),
        facts: match args.facts.as_deref() {
            None if args.prove => Some(results.path().join(FACTS)),
            given => given.map(absolute),
        },
        shapes: args.launch_shape.clone(),
        texts: args.module_texts.as_deref().map(absolute),
        progress: !args.outputs.quiet && std::io::IsTerminal::is_terminal(&std::io::stderr()),
    };
    spawn::spawn(program, &args.program, &library, &options).map_err(|e| {
        let refusal = Refusal::new(exit::USAGE, format!("cannot start `{}`: {e}", program.path.display()));
        match e.raw_os_error() {
            Some(libc::ENOENT) => refusal
                .help("its interpreter (the first line of a script, or the dynamic loader) does not exist"),
            Some(libc::ENOEXEC) => {
                refusal.help("it was built for another machine, or is a script without `#!`")
            }
            _ => refusal,
        }
    })
}

/// The facts about a run besides its results.
struct About<'a> {
    engine: Engine,
    program: &'a Program,
    kept: &'a Kept,
    sources: &'a Sources,
    pid: u32,
    interleavings: HashMap<(u32, usize), Interleaving>,
    proofs: Vec<Proof>,
    gaps: Gaps,
}

/// Describes the library's findings, writes the reports, and decides the exit code.
fn conclude(
    args: &RunArgs,
    about: &About<'_>,
    trace: Option<&Path>,
    ending: Ending,
    results: &Results,
) -> u8 {
    let again = |result: &RunResult, replay: &str| match result.saved.as_ref().or(args.saved.as_ref()) {
        // A launch that `prove` has constructed is no schedule of the run.
        None if replay.starts_with("--kernel-name ") => {
            let words: Vec<&OsStr> = args.program.iter().map(OsString::as_os_str).collect();
            replay_command(&format!("run --prove {replay}"), "", &words)
        }
        Some(file) => {
            let sample = args.blocks.or(result.saved_blocks).map(|n| format!(" --blocks {n}"));
            replay_command(&format!("replay{}", sample.unwrap_or_default()), replay, &[file.as_os_str()])
        }
        None => {
            let words: Vec<&OsStr> = args.program.iter().map(OsString::as_os_str).collect();
            replay_command("run", replay, &words)
        }
    };
    let shown = args.saved.as_ref().map_or(args.program[0].as_os_str(), |file| file.as_os_str());
    let told = |r: &RunResult| r.uses_cuda || r.obstacle.is_some();
    let nothing = !results.processes.iter().any(told) && results.unreadable.is_empty();
    let mut inconclusive: Vec<String> = results
        .unreadable
        .iter()
        .map(|(path, e)| format!("the result {} cannot be read: {e}", path.display()))
        .collect();
    let why = nothing
        .then(|| unused_cuda::why(&args.program[0], about.program, ending, results, about.engine.on_gpu()));
    inconclusive.extend(why.iter().map(|why| format!("nothing was checked: {}", why.reason)));
    if !nothing {
        inconclusive.extend(about.gaps.doubts.iter().cloned());
    }
    let mut document = describe(&Run {
        results: &results.processes,
        program: shown.to_string_lossy().into_owned(),
        command: &args.program,
        ending,
        checking: match trace {
            Some(file) => Checking::Record(quote(file.as_os_str())),
            None if args.no_detect => Checking::Off,
            None => Checking::Detect,
        },
        replay: &again,
        inconclusive,
        sources: about.sources,
        interleavings: about.interleavings.clone(),
    });
    document.program.unwatched = about.gaps.count;
    document.limits.extend(about.gaps.limits.iter().cloned());
    about.kept.apply(&mut document, about.sources);
    // An unproved kernel does not affect the run's verdict.
    document.proofs = about.proofs.clone();
    let document = document;
    let written = write(args, &document, about, nothing);
    if let Some(why) = why {
        terminal::error(&format!("nothing was checked: {}", why.reason));
        terminal::help(&why.help);
        return leave(ending, exit::UNCHECKABLE);
    }
    if document.verdict == Verdict::Race {
        return args.error_exitcode;
    }
    let obstructed = results.processes.iter().any(|r| r.obstacle.is_some());
    if obstructed && document.summary.checked == 0 {
        // This is the reason even if the program has handled its CUDA errors.
        return match ending {
            Ending::Exit(_) => exit::UNCHECKABLE,
            signal => leave(signal, exit::UNCHECKABLE),
        };
    }
    let code = match written {
        false => exit::OUTPUT,
        true if !document.inconclusive.is_empty() && !args.no_detect => exit::INCONCLUSIVE,
        true => 0,
    };
    leave(ending, code)
}

/// Returns the program's exit code if it failed, and `code` otherwise.
fn leave(ending: Ending, code: u8) -> u8 {
    match ending {
        Ending::Exit(0) => code,
        // Exit statuses have eight bits.
        Ending::Exit(own) => own as u8,
        Ending::Signal(signal) => signals::die_of(signal),
    }
}

/// Writes the reports. Returns false if a file could not be written; the terminal shows the report in any
/// case. If no process used CUDA (`nothing`), only the files are written.
fn write(args: &RunArgs, document: &Document, about: &About<'_>, nothing: bool) -> bool {
    let About { sources, pid, .. } = *about;
    let mut complete = publish::write(&args.outputs, std::slice::from_ref(document), sources, pid);
    if nothing && document.errors.is_empty() {
        return complete;
    }
    let limit = (args.outputs.print_limit != 0).then_some(args.outputs.print_limit);
    let style = Style { limit, quiet: args.outputs.quiet, ..terminal::style(limit) };
    if let Some(path) = &args.log_file {
        let style = Style { color: false, width: 110, ..style };
        let text = Text { style, sources }.document(document);
        match Output::new(path, pid).write(&text) {
            Ok(()) => return complete,
            Err(e) => {
                terminal::error(&e);
                terminal::help("the report follows here");
                complete = false;
            }
        }
    }
    // The program's own output may have left the cursor in any column. Errors on stderr are ignored.
    terminal::complain(Text { style, sources }.document(document));
    let mut answers = String::new();
    let crate::prove::Counts { proved, races, unknown, .. } =
        crate::prove::answers(&document.proofs, &mut answers);
    if args.prove && !args.outputs.quiet {
        let count = format!("warprace: kernels: {proved} proved, {races} with races, {unknown} unknown\n");
        terminal::complain(answers + &count);
    }
    if !args.outputs.quiet && std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        terminal::complain(hint(document));
    }
    complete
}

/// Returns hints for a user who reads the report on a terminal.
fn hint(document: &Document) -> String {
    let Some(first) = document.findings().next() else { return String::new() };
    let class = first.class.name();
    format!(
        "warprace: `warprace help {class}` tells more of that; `--html FILE` writes a report to look at\n"
    )
}

/// Returns the shell command that repeats the run.
fn replay_command(command: &str, replay: &str, program: &[&OsStr]) -> String {
    let mut words = vec![format!("warprace {command}")];
    if !replay.is_empty() {
        words.push(format!("--replay {}", quote(OsStr::new(replay))));
    }
    // A saved launch has no options of its own.
    if command.starts_with("run") {
        words.push("--".into());
    }
    words.extend(program.iter().map(|a| quote(a)));
    words.join(" ")
}

/// Quotes a word for a shell.
pub(crate) fn quote(word: &OsStr) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%^".contains(c);
    match word.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Some(text) => format!("'{}'", text.replace('\'', r"'\''")),
        // bash, zsh and newer POSIX shells read this form.
        None => format!("$'{}'", word.as_bytes().escape_ascii()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quote(OsStr::new("./a-b.c")), "./a-b.c");
        assert_eq!(quote(OsStr::new("")), "''");
        assert_eq!(quote(OsStr::new("it's $x")), r"'it'\''s $x'");
        assert_eq!(quote(OsStr::from_bytes(b"caf\xe9's")), r"$'caf\xe9\'s'");
    }

    #[test]
    fn the_programs_failure_comes_before_ours() {
        assert_eq!(leave(Ending::Exit(0), 67), 67);
        assert_eq!(leave(Ending::Exit(3), 67), 3);
        assert_eq!(leave(Ending::Exit(0), 0), 0);
    }
}
