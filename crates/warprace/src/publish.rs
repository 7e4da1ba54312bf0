//! Applies the options for reports in every command that has findings: which findings count, and which files
//! are written.

use crate::exit;
use crate::options::Outputs;
use crate::output::{Output, check_folder};
use crate::project::Project;
use crate::refusal::Refusal;
use crate::terminal;
use report::Document;
use report::render::{Github, Html, Json, Junit, Renderer, Sarif, name};
use report::rule;
use report::source::Sources;
use report::suppress::{self, Baseline, Suppressions};
use std::collections::BTreeMap;
use std::path::Path;

/// The findings that do not affect the verdict.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    suppressions: Suppressions,
    earlier: Option<Earlier>,
    /// The address of the book.
    book: Option<String>,
}

/// An earlier run's findings.
#[derive(Debug)]
enum Earlier {
    One(Baseline),
    /// Baselines by document name. A document without a baseline has new findings only.
    Many(String, BTreeMap<String, Baseline>),
}

impl Kept {
    /// Removes suppressed findings from a document, and adds links to the book.
    pub(crate) fn apply(&self, document: &mut Document, sources: &Sources) {
        let baseline = self.earlier.as_ref().map(|earlier| match earlier {
            Earlier::One(baseline) => baseline.clone(),
            Earlier::Many(file, all) => all
                .get(name(document))
                .cloned()
                .unwrap_or_else(|| Baseline { file: file.clone(), ..Baseline::default() }),
        });
        Suppressions { baseline, ..self.suppressions.clone() }.apply(document, sources);
        let Some(book) = &self.book else { return };
        let kept = document.suppressed.iter_mut().map(|s| &mut s.finding);
        let all = document.races.iter_mut().chain(&mut document.hazards).chain(&mut document.unseen_launches);
        for finding in all.chain(kept) {
            finding.page = rule::address(book, finding.class);
        }
    }
}

/// Returns every file that the options ask for, with the renderer of its text.
fn files<'a>(outputs: &'a Outputs, sources: &'a Sources) -> Vec<(&'a Path, Box<dyn Renderer + 'a>)> {
    let all: [(_, Box<dyn Renderer + 'a>); 5] = [
        (&outputs.json, Box::new(Json)),
        (&outputs.html, Box::new(Html { sources })),
        (&outputs.sarif, Box::new(Sarif { sources })),
        (&outputs.junit, Box::new(Junit)),
        (&outputs.gen_suppressions, Box::new(Entries { sources })),
    ];
    all.into_iter().filter_map(|(file, renderer)| Some((file.as_deref()?, renderer))).collect()
}

/// Renders entries of a suppressions file.
struct Entries<'a> {
    sources: &'a Sources,
}

impl Renderer for Entries<'_> {
    fn render(&self, documents: &[Document]) -> String {
        suppress::generate(documents, self.sources)
    }
}

/// Reads the files that the options name, and checks that the outputs can be written.
pub(crate) fn prepare(outputs: &Outputs) -> Result<Kept, Refusal> {
    let wrong = |message| Refusal::new(exit::USAGE, message);
    for (file, _) in files(outputs, &Sources::default()) {
        check_folder(file).map_err(wrong)?;
    }
    let mut suppressions = Suppressions { annotations: true, ..Suppressions::default() };
    for file in &outputs.suppressions {
        suppressions.entries.extend(Project::read(file).map_err(wrong)?.entries(file));
    }
    let earlier = outputs.baseline.as_deref().map(earlier).transpose().map_err(wrong)?;
    let said = || std::env::var("WARPRACE_BOOK").ok();
    let book = outputs.book.clone().or_else(said).filter(|book| !book.is_empty());
    Ok(Kept { suppressions, earlier, book })
}

/// Reads a JSON report, or an object of several reports.
fn earlier(file: &Path) -> Result<Earlier, String> {
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|e| format!("cannot read `{shown}`: {e}"))?;
    if let Ok(document) = serde_json::from_str::<Document>(&text) {
        return Ok(Earlier::One(Baseline::new(shown, &document)));
    }
    let all: BTreeMap<String, Document> = serde_json::from_str(&text)
        .map_err(|e| format!("`{shown}` is not what `warprace run --json` writes: {e}"))?;
    let each = all.iter().map(|(name, document)| (name.clone(), Baseline::new(shown.clone(), document)));
    Ok(Earlier::Many(shown.clone(), each.collect()))
}

/// Prints the output of a command that runs no program: to the standard output, unless a report file goes
/// there.
pub(crate) fn print(outputs: &Outputs, text: impl std::fmt::Display) {
    match files(outputs, &Sources::default()).iter().any(|(file, _)| file.as_os_str() == "-") {
        true => terminal::complain(text),
        false => terminal::print(text),
    }
}

/// Writes every requested file. Returns false if a file could not be written, after an error message.
pub(crate) fn write(outputs: &Outputs, documents: &[Document], sources: &Sources, pid: u32) -> bool {
    let mut complete = true;
    for (file, renderer) in files(outputs, sources) {
        let text = renderer.render(documents);
        complete &= Output::new(file, pid).write(&text).map_err(|e| terminal::error(&e)).is_ok();
    }
    if outputs.github {
        terminal::complain(Github { sources }.render(documents));
    }
    complete
}
