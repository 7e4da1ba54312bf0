//! `warprace explain FILE N`: one finding of a JSON report, step by step.
//!
//! The finding's replay command is run again with a recorder in the detector's place; the
//! record is then walked: once to find where lens `ptx` sees the race ([`find`]), and again
//! to collect what the two threads did around it ([`story`]).

mod find;
mod story;
mod words;

use crate::options::{ExplainArgs, Volatile};
use crate::run::Folder;
use crate::{exit, terminal};
use report::model::{Described, Document};
use report::source::Sources;
use report::{Style, Text};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) fn explain(args: &ExplainArgs) -> u8 {
    match run(args) {
        Ok(text) => {
            use std::io::Write;
            let _ = std::io::stdout().write_all(text.as_bytes());
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
    let text = std::fs::read_to_string(&args.report).map_err(|e| format!("cannot read `{shown}`: {e}"))?;
    let document: Document = serde_json::from_str(&text)
        .map_err(|e| format!("`{shown}` is not what `warprace run --json` writes: {e}"))?;
    let finding = pick(&document, args.number)?;
    let sources = Sources::new(std::env::current_dir().ok());
    let style = Style { color: terminal::color(), width: terminal::width(), ..Style::default() };
    let mut out = Text { style, sources: &sources }.finding(&finding);
    out.push('\n');
    if finding.accesses.iter().any(|a| a.block.is_none()) {
        out.push_str(
            "One side is no kernel's: the order of host calls is all there is to it; see `why` above.\n",
        );
        return Ok(out);
    }
    let command = Again::parse(&finding.replay)?;
    let folder = Folder::new()?;
    let trace = command.record(folder.path())?;
    let found = find::find(&trace, &finding, command.volatile == Volatile::Strong)?;
    let told = story::tell(&trace, &found, &finding)?;
    out.push_str(&words::print(&told, &sources, style.width));
    Ok(out)
}

/// The `number`-th finding in the order in which the report prints them.
fn pick(document: &Document, number: usize) -> Result<Described, String> {
    let races = document.races.iter().map(|f| (f, events::Level::Race));
    let hazards = document.hazards.iter().map(|f| (f, events::Level::Hazard));
    let count = document.races.len() + document.hazards.len();
    let (finding, level) = races.chain(hazards).nth(number.wrapping_sub(1)).ok_or(match count {
        0 => "the report has no findings".to_owned(),
        1 => "the report has one finding, number 1".to_owned(),
        n => format!("the report has findings 1 to {n}"),
    })?;
    let mut finding = finding.clone();
    finding.level = report::model::LevelField(level);
    Ok(finding)
}

/// A replay command of a report, taken apart.
struct Again {
    /// After `warprace run`.
    words: Vec<String>,
    volatile: Volatile,
}

impl Again {
    fn parse(command: &str) -> Result<Again, String> {
        let words = split(command).filter(|words| words.len() > 2 && words[1] == "run");
        let words = words.ok_or_else(|| format!("`{command}` is no command that runs a program again"))?;
        let volatile = match words.iter().take_while(|w| *w != "--").any(|w| w == "weak") {
            true => Volatile::Weak,
            false => Volatile::Strong,
        };
        Ok(Again { words: words[2..].to_vec(), volatile })
    }

    /// Runs it with a recorder; the trace of the process that used CUDA first.
    fn record(&self, folder: &Path) -> Result<PathBuf, String> {
        let own = std::env::current_exe().map_err(|e| format!("cannot find warprace itself: {e}"))?;
        let trace = folder.join("trace");
        let mut command = Command::new(own);
        command.args(["trace", "--quiet", "--jobs", "1", "-o"]).arg(&trace).args(&self.words);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let done = command.output().map_err(|e| format!("cannot run the program again: {e}"))?;
        if !trace.exists() {
            let said = String::from_utf8_lossy(&done.stderr);
            let said = said.trim();
            let colon = if said.is_empty() { "" } else { ":\n" };
            return Err(format!("running the program again recorded nothing{colon}{said}"));
        }
        Ok(trace)
    }
}

/// The words of a command as reports print it: plain, or in single quotes.
fn split(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' => loop {
                let word = word.get_or_insert_default();
                match chars.next()? {
                    '\'' => break,
                    c => word.push(c),
                }
            },
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let words = split(r"warprace run --replay a:seed=1 -- './a b' 'it'\''s' ''").unwrap();
        assert_eq!(words, ["warprace", "run", "--replay", "a:seed=1", "--", "./a b", "it's", ""]);
        assert_eq!(split("'open"), None);
    }

    #[test]
    fn a_replay_command_is_taken_apart() {
        let again =
            Again::parse("warprace run --replay random:seed=3 --volatile weak -- ./app weak").unwrap();
        assert_eq!(again.words[..2], ["--replay", "random:seed=3"]);
        assert_eq!(again.volatile, Volatile::Weak);
        assert_eq!(Again::parse("warprace run -- ./app weak").unwrap().volatile, Volatile::Strong);
        assert!(Again::parse("warprace predict x").is_err());
    }
}
