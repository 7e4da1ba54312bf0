//! `warprace explain FILE N`: explains one finding of a JSON report step by step.
//!
//! The program runs again with the finding's replay string and a recorder in place of the detector. The trace
//! is then read twice: once to locate the race with the finding's lens ([`find`]), and again to collect the
//! steps of the two threads around it ([`story`](crate::story)). A race of `warprace prove` has a witness
//! instead ([`witness`]).

mod find;
mod witness;
mod words;

use crate::folder::Folder;
use crate::options::ExplainArgs;
use crate::{exit, story, terminal};
use names::Replay;
use report::model::{Described, Document};
use report::source::Sources;
use report::{Style, Text, printable};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) fn explain(args: &ExplainArgs) -> u8 {
    match run(args) {
        Ok(text) => {
            terminal::print(text);
            0
        }
        Err(message) => {
            terminal::error(&message);
            exit::USAGE
        }
    }
}

fn run(args: &ExplainArgs) -> Result<String, String> {
    let shown = args.report.display();
    let document = document(&args.report)?;
    let finding = pick(&document, args.number)?;
    let here = std::env::current_dir().ok();
    let project = args.project.clone().or_else(|| here.clone()).unwrap_or_default();
    let sources = Sources::within(here, &project);
    let style = Style { color: terminal::color(), width: terminal::width(), ..Style::default() };
    let mut out = Text { style, sources: &sources }.finding(&finding);
    out.push('\n');
    if finding.accesses.iter().any(|a| a.block.is_none()) {
        out.push_str(
            "One side is no kernel's: the order of host calls is all there is to it; see `why` above.\n",
        );
        note_refused(&sources);
        return Ok(out);
    }
    if finding.engine == names::Engine::Prover {
        out.push_str(&witness::print(&document, &finding));
        return Ok(out);
    }
    if document.program.command.is_empty() || finding.replay_string.is_empty() {
        return Err(format!(
            "`{shown}` does not say how to run the program again: it is of an older warprace, or of a trace"
        ));
    }
    let replay: Replay = finding.replay_string.parse().map_err(|e| format!("`{shown}`: {e}"))?;
    permit(args, &document)?;
    let folder = Folder::new(false)?;
    let trace = record(&document, &finding, folder.path())?;
    let found = find::find(&trace, &finding, &replay)?;
    let told = story::tell(&trace, &found)?;
    out.push_str(&words::print(&told, &finding, &sources, style.width));
    note_refused(&sources);
    Ok(out)
}

/// Reads a JSON report.
pub(crate) fn document(report: &Path) -> Result<Document, String> {
    let shown = report.display();
    let text = std::fs::read_to_string(report).map_err(|e| format!("cannot read `{shown}`: {e}"))?;
    serde_json::from_str(&text)
        .map_err(|e| format!("`{shown}` is not what `warprace run --json` writes: {e}"))
}

/// Lists the sources that are not shown.
pub(crate) fn note_refused(sources: &Sources) {
    for file in sources.refused() {
        terminal::help(&format!(
            "`{}` is not shown: it is outside of the project; --project FOLDER says where that is",
            printable(&file)
        ));
    }
}

/// Asks the user whether the report's command may run, since the report may come from another person.
fn permit(args: &ExplainArgs, document: &Document) -> Result<(), String> {
    let words: Vec<OsString> = document.program.command.iter().cloned().map(OsString::from).collect();
    let words: Vec<String> = words.iter().map(|word| crate::run::quote(word)).collect();
    let command = printable(&words.join(" ")).into_owned();
    if args.yes {
        return Ok(());
    }
    let shown = args.report.display().to_string();
    let question =
        format!("`{}` says that this program is to be run again:\n  {command}\n", printable(&shown));
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Err(format!("{question}without a terminal to ask, only --yes has it run"));
    }
    terminal::complain(format_args!("{question}Run it? [y/N] "));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|e| format!("cannot read the answer: {e}"))?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err("it was not run".into()),
    }
}

/// Returns the `number`-th finding in the order in which the report prints them.
pub(crate) fn pick(document: &Document, number: usize) -> Result<Described, String> {
    let races = document.races.iter().map(|f| (f, events::Level::Race));
    let hazards = document.hazards.iter().map(|f| (f, events::Level::Hazard));
    let unseen = document.unseen_launches.iter().map(|f| (f, events::Level::UnseenLaunch));
    let count = document.findings().count();
    let (finding, level) =
        races.chain(hazards).chain(unseen).nth(number.wrapping_sub(1)).ok_or(match count {
            0 => "the report has no findings".to_owned(),
            1 => "the report has one finding, number 1".to_owned(),
            n => format!("the report has findings 1 to {n}"),
        })?;
    let mut finding = finding.clone();
    finding.level = report::model::LevelField(level);
    Ok(finding)
}

/// Runs the program with the finding's replay string and a recorder in place of the detector. Returns the
/// trace of the process that used CUDA first.
fn record(document: &Document, finding: &Described, folder: &Path) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| format!("cannot find warprace itself: {e}"))?;
    let trace = folder.join("trace");
    let mut command = Command::new(own);
    command.args(["trace", "--quiet", "--jobs", "1", "--replay", &finding.replay_string, "-o"]).arg(&trace);
    command.arg("--").args(document.program.command.iter().cloned().map(OsString::from));
    // The user supplies the program's standard input again.
    command.stdin(Stdio::inherit()).stdout(Stdio::null());
    let done = command.output().map_err(|e| format!("cannot run the program again: {e}"))?;
    if !trace.exists() {
        let said = String::from_utf8_lossy(&done.stderr);
        let said = said.trim();
        let colon = if said.is_empty() { "" } else { ":\n" };
        return Err(format!("running the program again recorded nothing{colon}{said}"));
    }
    Ok(trace)
}
