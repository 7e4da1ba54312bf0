//! One finding as a text for the maintainers of the program, in Markdown: an issue that they can act on without
//! knowing warprace.

use crate::model::{Access, Described, Document};
use crate::printable;
use crate::rule::rule;
use crate::source::Sources;
use crate::text::count;
use crate::within;
use events::Evidence;
use std::fmt::Write;

/// A change of the source after which the finding is gone, as `warprace fix --json` tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub diff: String,
    /// The number of schedules that show no race after it.
    pub schedules: u32,
    /// Whether the changed source was built and run, rather than the changed PTX alone.
    pub built: bool,
}

/// The reason why a text is no notes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotesError {
    #[error("the line `{0}` is in no section: a section begins with `## HEADING`")]
    Outside(String),
    #[error("there is no section, which begins with `## HEADING`")]
    Empty,
}

/// The notes that the writer of an issue adds to it, in Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    title: Option<String>,
    /// Headings with their texts.
    sections: Vec<(String, String)>,
}

impl Notes {
    /// Reads notes: a line `# TITLE`, and sections that begin with `## HEADING`.
    ///
    /// # Errors
    /// Text before the first section, which would be lost, or notes without a section and a title.
    pub fn parse(text: &str) -> Result<Notes, NotesError> {
        let mut notes = Notes::default();
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                notes.sections.push((heading.trim().to_owned(), String::new()));
            } else if let (Some(title), None, []) =
                (line.strip_prefix("# "), &notes.title, notes.sections.as_slice())
            {
                notes.title = Some(title.trim().to_owned());
            } else if let Some((_, section)) = notes.sections.last_mut() {
                let _ = writeln!(section, "{line}");
            } else if !line.trim().is_empty() {
                return Err(NotesError::Outside(line.to_owned()));
            }
        }
        match notes.title.is_none() && notes.sections.is_empty() {
            true => Err(NotesError::Empty),
            false => Ok(notes),
        }
    }

    /// Returns the text of a section.
    fn section(&self, heading: &str) -> Option<&str> {
        self.sections.iter().find(|(name, _)| name == heading).map(|(_, text)| text.trim())
    }
}

/// The text of an issue.
#[derive(Clone, Copy)]
pub struct Issue<'a> {
    pub sources: &'a Sources,
    pub change: Option<&'a Change>,
    /// Sections that replace those of the same heading; the others come first.
    pub notes: Option<&'a Notes>,
    /// Whether lines of the sources are quoted, rather than named.
    pub quotes: bool,
    /// warprace's version.
    pub version: &'a str,
}

/// The sections of an issue, in their order.
const HEADINGS: [&str; 6] = [
    "The two accesses",
    "Why nothing orders them",
    "Consequence",
    "To see it again",
    "A change that removes it",
    "How it was found",
];

impl Issue<'_> {
    /// Returns the text of a finding of a document.
    pub fn render(&self, document: &Document, finding: &Described) -> String {
        let empty = Notes::default();
        let notes = self.notes.unwrap_or(&empty);
        let title = notes.title.clone().unwrap_or_else(|| title(finding));
        let mut out = format!("# {title}\n\n{}\n", summary(finding));
        let mut section = |heading: &str, text: &str| {
            let _ = write!(out, "\n## {heading}\n\n{}\n", text.trim_end());
        };
        for (heading, text) in &notes.sections {
            if !HEADINGS.contains(&heading.as_str()) {
                section(heading, text.trim());
            }
        }
        let generated = [
            self.sides(finding),
            format!("{}.", sentence(&finding.why)),
            consequence(finding).to_owned(),
            again(document, finding),
            self.mended(finding),
            self.found(document, finding),
        ];
        for (heading, text) in HEADINGS.into_iter().zip(&generated) {
            section(heading, notes.section(heading).unwrap_or(text));
        }
        out
    }

    /// Returns both sides, and the memory that they access.
    fn sides(&self, finding: &Described) -> String {
        let sides: String =
            finding.accesses.iter().zip(1..).map(|(access, n)| self.side(access, n)).collect();
        format!("{sides}\nBoth access {}.", printable(&finding.memory.text))
    }

    /// Returns a side: its place, what it does, and its line of the source.
    fn side(&self, access: &Access, number: usize) -> String {
        let what = format!("{} by {}", printable(&access.what), printable(&access.who));
        if access.line == 0 {
            return format!("{number}. {what}, in `{}`\n", code(&names::symbol::abridged(&access.kernel)));
        }
        let place = format!("{}:{}", self.sources.display(&access.file), access.line);
        let inside = match access.kernel.as_str() {
            "" => String::new(),
            kernel => format!(", in `{}`", code(&names::symbol::abridged(kernel))),
        };
        let mut out = format!("{number}. `{}`{inside}: {what}\n", code(&place));
        let text = self.quotes.then(|| self.sources.text(&access.file)).flatten();
        let line = text.as_deref().and_then(|text| text.lines().nth(access.line as usize - 1));
        if let Some(line) = line.map(str::trim).filter(|line| !line.is_empty()) {
            let _ = write!(out, "\n   ```cuda\n   {}\n   ```\n", printable(line).replace("```", "'''"));
        }
        out
    }

    fn mended(&self, finding: &Described) -> String {
        let Some(change) = self.change else {
            return format!("{}. This advice was not tried.\n", sentence(&finding.fix));
        };
        let made =
            if change.built { "the changed source, built again" } else { "the change, made in the PTX" };
        let diff = change.diff.trim_end();
        format!(
            "```diff\n{diff}\n```\n\n{} and prediction show no race with {made}.\n",
            count(u64::from(change.schedules), "schedule")
        )
    }

    fn found(&self, document: &Document, finding: &Described) -> String {
        let seen = match finding.count {
            1 => "once".to_owned(),
            n => format!("{n} times"),
        };
        let mut out = format!(
            "warprace {} runs programs as they were built and checks every access by the PTX memory model (PTX ISA, \
             chapter 8). The finding was {} {seen}: engine `{}`, lens `{}`, {}.\n",
            self.version,
            evidence(&finding.evidence),
            code(&document.summary.engine),
            code(&document.summary.lens),
            match document.summary.schedule.as_str() {
                "" => "one order of the threads".to_owned(),
                schedule => format!("schedule `{}`", code(schedule)),
            }
        );
        for (name, note) in within::notes(finding) {
            let what = if name == "test" { "Test" } else { "NVTX range" };
            let _ = writeln!(out, "\n{what}: `{}`.", code(&note));
        }
        let others = finding.also.len() as u64;
        if others > 0 {
            let _ = writeln!(out, "The same statements race as {}, too.", count(others, "other pair"));
        }
        out
    }
}

fn evidence(evidence: &Evidence) -> &'static str {
    match evidence {
        Evidence::Observed => "observed",
        Evidence::Explored { .. } => "observed under another order of the threads",
        Evidence::Predicted | Evidence::Unconfirmed { .. } => "predicted",
        Evidence::Confirmed { .. } => "predicted, and then observed,",
        Evidence::Proved { .. } => "deduced from the kernel's text, and observed,",
    }
}

/// Returns the title: the kernel and what happens.
fn title(finding: &Described) -> String {
    let kernel = finding.accesses.iter().map(|access| access.kernel.as_str()).find(|name| !name.is_empty());
    let title = printable(&finding.title);
    match kernel {
        Some(kernel) => {
            let name = kernel.split('(').next().unwrap_or_default();
            format!("Data race in `{}`: {title}", code(name))
        }
        None => format!("Data race: {title}"),
    }
}

/// Returns what the class means.
fn summary(finding: &Described) -> String {
    format!("{}. (Class `{}`.)", sentence(rule(finding.class).summary), finding.class.name())
}

/// Returns what the race lets happen.
fn consequence(finding: &Described) -> &'static str {
    let writes = |access: &Access| !access.kind.ends_with("read");
    match [writes(&finding.accesses[0]), writes(&finding.accesses[1])] {
        [true, true] => {
            "Either value may remain, and it may differ between runs, GPUs and compilers. A result that was right so \
             far is right by luck."
        }
        [true, false] => {
            "The read (2) may return the old value or the new one, and which of them may differ between runs, GPUs and \
             compilers. A result that was right so far is right by luck."
        }
        _ => {
            "The write (2) may come before the read (1), which then returns a value that was not meant for it. Which \
             happens may differ between runs, GPUs and compilers."
        }
    }
}

fn again(document: &Document, finding: &Described) -> String {
    let built = match finding.accesses.iter().any(|access| access.line > 0) {
        true => "",
        false => " (built with `-lineinfo`, the report names lines)",
    };
    let command = printable(&finding.replay).replace("```", "'''");
    let exit = match document.program.exit_code {
        Some(0) => " The program itself ends successfully.",
        _ => "",
    };
    format!(
        "```\n{command}\n```\n\nruns the program on a virtual GPU, without a GPU, in the order of threads that shows the \
         race{built}.{exit}\n"
    )
}

/// Returns a text with a capital at its beginning and without a full stop at its end.
fn sentence(text: &str) -> String {
    let text = printable(text.trim().trim_end_matches('.')).into_owned();
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Returns a text that stays inside of backticks.
fn code(text: &str) -> String {
    printable(text).replace('`', "'")
}
