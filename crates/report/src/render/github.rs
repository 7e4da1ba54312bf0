//! Annotations for GitHub's log of a workflow: one line for each finding, failure, and thing that is not known.
//!
//! Source: "Workflow commands for GitHub Actions", `error` and `warning`.

use super::{Renderer, headline};
use crate::model::{Access, Described, Document};
use crate::source::Sources;
use crate::text::count;
use crate::within;
use std::fmt::Write;

/// Lines for a workflow's log; empty if there is nothing to annotate. Files are named as `sources` shows them, which
/// should be as the repository knows them.
#[derive(Clone, Copy, Debug)]
pub struct Github<'a> {
    pub sources: &'a Sources,
}

impl Renderer for Github<'_> {
    fn render(&self, documents: &[Document]) -> String {
        let display = |path: &str| self.sources.display(path);
        documents.iter().map(|document| lines(document, &display)).collect()
    }
}

fn lines(document: &Document, display: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    let lists =
        [("error", &document.races), ("warning", &document.hazards), ("notice", &document.unseen_launches)];
    for (level, findings) in lists {
        for finding in findings {
            annotate(&mut out, level, finding, display);
        }
    }
    for failure in &document.errors {
        let at = failure.at.as_ref().filter(|at| at.line > 0);
        let place = at.map(|at| place(at, display)).unwrap_or_default();
        let _ = writeln!(
            out,
            "::error {place}title=warprace: {}::{}",
            property(&failure.class),
            data(&failure.title)
        );
    }
    for reason in &document.inconclusive {
        let _ = writeln!(out, "::warning title=warprace: inconclusive::{}", data(reason));
    }
    for proof in &document.proofs {
        for why in proof.unknown() {
            let (title, is) = match proof.is_in_part() {
                true => ("proved in part", "is not proved for all launches"),
                false => ("unknown", "is neither proved nor shown to race"),
            };
            let text = format!("`{}` {is}: {why}", proof.kernel);
            let _ = writeln!(out, "::warning title=warprace: {title}::{}", data(&text));
        }
    }
    if !document.suppressed.is_empty() {
        let told = count(document.suppressed.len() as u64, "finding");
        let _ = writeln!(out, "::notice title=warprace::{told} suppressed");
    }
    out
}

fn annotate(out: &mut String, level: &str, f: &Described, display: &dyn Fn(&str) -> String) {
    // The main place is the first that has a line.
    let at = f.accesses.iter().find(|a| a.line > 0);
    let place = at.map(|at| place(at, display)).unwrap_or_default();
    let other = match &f.accesses {
        [a, b] if a.line > 0 && b.line > 0 => format!("\n(2) at {}:{}", display(&b.file), b.line),
        _ => String::new(),
    };
    let notes: String = within::notes(f).iter().map(|(name, note)| format!("\n{name}: {note}")).collect();
    let text = format!(
        "{}{other}{notes}\nwhy: {}\nhelp: {}\nmore: {}\nreplay: {}",
        headline(f),
        f.why,
        f.fix,
        f.more(),
        f.replay
    );
    let _ = writeln!(out, "::{level} {place}title=warprace: {}::{}", f.class.name(), data(&text));
}

fn place(at: &Access, display: &dyn Fn(&str) -> String) -> String {
    let mut text = format!("file={},line={},", property(&display(&at.file)), at.line);
    if at.column > 0 {
        let _ = write!(text, "col={},", at.column);
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
