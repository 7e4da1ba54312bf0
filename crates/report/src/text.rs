//! The report as people read it.

use crate::model::history::Setting;
use crate::model::{Access, Described, Document, Failure, Place, WeakExecution};
use crate::source::{Sources, span};
use crate::{printable, printable_lines};
use crate::{within, words};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use events::{Class, Evidence};
use kernels::libraries::library;
use names::symbol::abridged;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

mod summary;

pub(crate) use summary::count;

/// The maximum number of a deadlock's waiting groups that are printed; the JSON has all.
const WAITING_SHOWN: usize = 8;

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
    /// Columns.
    pub width: usize,
    /// The maximum number of findings that are printed; all if `None`.
    pub limit: Option<usize>,
    /// Nothing but findings and errors.
    pub quiet: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style { color: false, width: 110, limit: None, quiet: false }
    }
}

/// Prints a document.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    pub style: Style,
    pub sources: &'a Sources,
}

impl Text<'_> {
    /// `── scord ────…`: whose report follows.
    pub fn heading(&self, document: &Document) -> String {
        format!("── {} {}\n", document.summary.lens, "─".repeat(60))
    }

    /// The whole report. Ends with a line break, unless it is empty.
    pub fn document(&self, document: &Document) -> String {
        let mut out = String::new();
        let findings: Vec<&Described> = document.findings().collect();
        let shown = self.style.limit.unwrap_or(usize::MAX).min(findings.len());
        for (i, finding) in findings[..shown].iter().enumerate() {
            self.separate(&mut out, i);
            out.push_str(&self.finding(finding));
        }
        if shown < findings.len() {
            self.separate(&mut out, shown);
            let _ = writeln!(out, "… and {} more (--print-limit 0 prints all)", findings.len() - shown);
        }
        for (i, failure) in document.errors.iter().enumerate() {
            self.separate(&mut out, shown + i);
            out.push_str(&self.failure(failure));
        }
        for (i, execution) in document.weak.iter().enumerate() {
            self.separate(&mut out, shown + document.errors.len() + i);
            out.push_str(&self.weak(execution));
        }
        if !self.style.quiet {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&self.summary(document));
        }
        out
    }

    fn separate(&self, out: &mut String, before: usize) {
        if before > 0 {
            out.push('\n');
        }
    }

    /// One race or hazard.
    pub fn finding(&self, f: &Described) -> String {
        let level = match f.level.0 {
            events::Level::Race => Level::ERROR.with_name("race"),
            events::Level::Hazard => Level::WARNING.with_name("hazard"),
            events::Level::UnseenLaunch => Level::WARNING.with_name("race (in a launch that was not seen)"),
        };
        let [first, second] = &f.accesses;
        let labels = [label(1, first), label(2, second)];
        let mut elements = self.snippets(&[(first, &labels[0]), (second, &labels[1])]);
        for line in self.notes(f) {
            elements.push(self.message(line.0, &line.1));
        }
        let mut title = level.primary_title(printable(&f.title).into_owned()).id(f.class.name());
        if !f.page.is_empty() {
            title = title.id_url(&f.page);
        }
        self.render(title.elements(elements))
    }

    /// `= name: text` lines of a finding.
    fn notes(&self, f: &Described) -> Vec<(&'static str, String)> {
        let mut out = Vec::new();
        let [first, second] = &f.accesses;
        out.push(("memory", memory(f)));
        out.extend(also(f).map(|text| ("also", text)));
        let names = [abridged(&first.kernel), abridged(&second.kernel)];
        let kernels = match (first.block.is_some(), second.block.is_some()) {
            (true, true) if first.kernel == second.kernel => format!("`{}`", names[0]),
            (true, true) => format!("(1) `{}`, (2) `{}`", names[0], names[1]),
            (true, false) => format!("(1) `{}`", names[0]),
            (false, true) => format!("(2) `{}`", names[1]),
            (false, false) => String::new(),
        };
        if !kernels.is_empty() {
            out.push(("kernel", kernels));
        }
        out.extend(self.launches(first, second).map(|text| ("launch", text)));
        out.extend(within::notes(f));
        let chains = [self.chain(first), self.chain(second)];
        match &chains {
            [Some(a), Some(b)] if a == b => out.push(("inlined", a.clone())),
            _ => {
                for (n, chain) in chains.into_iter().enumerate() {
                    out.extend(chain.map(|c| ("inlined", format!("({}) {c}", n + 1))));
                }
            }
        }
        out.extend(ptx_lines(f).map(|text| ("note", text)));
        if first.line == 0 && second.line == 0 && first.block.is_some() && !first.line_info {
            out.push(("note", "compile with `-lineinfo` to see source lines".into()));
        }
        out.push(("why", f.why.clone()));
        out.extend(f.pipeline.as_ref().map(|pipeline| ("pipeline", pipeline.text.clone())));
        out.push(("help", f.fix.clone()));
        out.push(("seen", evidence(f)));
        out.push(("replay", f.replay.clone()));
        out
    }

    /// Returns where the kernels were launched, if they are not of one launch.
    fn launches(&self, first: &Access, second: &Access) -> Option<String> {
        let at = |n: usize, access: &Access| {
            let place = access.launched_by.as_ref().filter(|place| place.line != 0)?;
            Some(format!(
                "({n}) `{}` at {}:{}",
                place.function,
                self.sources.display(&place.file),
                place.line
            ))
        };
        if first.stream.is_none() && second.stream.is_none() && first.launched_by == second.launched_by {
            return at(1, first).map(|text| text.trim_start_matches("(1) ").to_owned());
        }
        let mut text = [at(1, first), at(2, second)].into_iter().flatten().collect::<Vec<_>>().join(", ");
        if text.is_empty() {
            return None;
        }
        let graph = |access: &Access| access.launched_by.iter().any(|by| by.function.contains("Graph"));
        if let (Some(a), Some(b)) = (first.stream, second.stream)
            && !graph(first)
            && !graph(second)
        {
            text.push_str(if a == b { ", in one stream" } else { ", in different streams" });
        }
        Some(text)
    }

    /// How the user's line came to be where it is, and what library code it runs.
    fn chain(&self, access: &Access) -> Option<String> {
        if access.inlined.len() < 2 {
            return None;
        }
        let at = |p: &Place| format!("{}:{}", self.sources.display(&p.file), p.line);
        let mut frames = Vec::new();
        for run in access.inlined.chunk_by(|a, b| library(&a.file).is_some() && library(&b.file).is_some()) {
            match (run, run.last().and_then(|outermost| library(&outermost.file))) {
                // `explain` and the JSON show a library's inner frames.
                ([_, _, ..], Some(library)) => frames.push(format!("… {} frames of {library}", run.len())),
                _ => frames.extend(run.iter().map(|p| format!("`{}` ({})", abridged(&p.function), at(p)))),
            }
        }
        Some(frames.join(" into "))
    }

    /// A failed kernel, or device code that cannot be run.
    pub fn failure(&self, f: &Failure) -> String {
        let at_label = f.at.as_ref().map(|at| at.who.clone());
        let waiting: Vec<(&Access, String)> =
            f.waiting.iter().map(|w| (w, format!("{}: {}", w.who, w.what))).collect();
        let mut places: Vec<(&Access, &str)> = Vec::new();
        // Every waiting group names the same line in most deadlocks; the failure's own is one of them.
        if waiting.is_empty() {
            places.extend(f.at.as_ref().zip(at_label.as_deref()));
        }
        places.extend(waiting.iter().take(WAITING_SHOWN).map(|(w, text)| (*w, text.as_str())));
        let mut elements = self.snippets(&places);
        if waiting.len() > WAITING_SHOWN {
            let more = waiting.len() - WAITING_SHOWN;
            let note = match more {
                1 => "1 more group of threads waits, too".to_owned(),
                more => format!("{more} more groups of threads wait, too"),
            };
            elements.push(self.message("note", &note));
        }
        for note in &f.notes {
            elements.push(self.message("note", note));
        }
        if !f.help.is_empty() {
            elements.push(self.message("help", &f.help));
        }
        let title = Level::ERROR.primary_title(printable(&f.title).into_owned()).id(f.class.clone());
        self.render(title.elements(elements))
    }

    /// A value of an execution with weak memory.
    fn weak(&self, w: &WeakExecution) -> String {
        let [first, second] = &w.accesses;
        let labels = [label(1, first), label(2, second)];
        let mut elements = self.snippets(&[(first, &labels[0]), (second, &labels[1])]);
        let shown = count(w.executions.into(), "weak execution");
        let notes = [
            ("memory", &w.memory),
            ("why", &w.why),
            ("help", &w.help),
            ("seen", &shown),
            ("replay", &w.replay),
        ];
        elements.extend(notes.map(|(name, text)| self.message(name, text)));
        let title = Level::NOTE.with_name("weak memory").primary_title(printable(&w.title).into_owned());
        self.render(title.id(w.kind.clone()).elements(elements))
    }

    /// Excerpts of the places, those of one file together; the first place is the main one.
    fn snippets<'e>(&self, places: &[(&'e Access, &'e str)]) -> Vec<Element<'e>> {
        let mut out: Vec<Element<'e>> = Vec::new();
        let mut done = vec![false; places.len()];
        for i in 0..places.len() {
            if done[i] {
                continue;
            }
            let (place, label) = places[i];
            let text = self.sources.text(&place.file);
            let spans = |p: &Access| span(text.as_deref()?, p.line, p.column);
            if spans(place).is_none() {
                done[i] = true;
                self.without_source(place, label, &mut out);
                continue;
            }
            let mut annotations: Vec<Annotation<'e>> = Vec::new();
            for (j, (other, other_label)) in places.iter().enumerate().skip(i) {
                if done[j] || other.file != place.file {
                    continue;
                }
                let Some(range) = spans(other) else { continue };
                done[j] = true;
                let kind = if j == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
                annotations.push(kind.span(range).label(Cow::Borrowed(*other_label)));
            }
            let text = text.as_deref().unwrap_or_default().to_owned();
            let path = self.sources.display(&place.file);
            out.push(Snippet::source(text).path(path).annotations(annotations).into());
        }
        out
    }

    fn without_source<'e>(&self, place: &'e Access, label: &'e str, out: &mut Vec<Element<'e>>) {
        if place.line != 0 {
            let mut origin = Origin::path(self.sources.display(&place.file)).line(place.line as usize);
            if place.column != 0 {
                origin = origin.char_column(place.column as usize);
            }
            out.push(origin.into());
        }
        let label = match (place.line, place.ptx_line) {
            (0, 0) => label.to_owned(),
            (0, line) => format!("{label}: PTX line {line}, `{}`", place.instruction),
            _ => label.to_owned(),
        };
        out.push(self.message("at", &label));
    }

    /// `= name: text`, wrapped.
    fn message<'e>(&self, name: &'static str, text: &str) -> Element<'e> {
        let level = match name {
            "help" => Level::HELP,
            "note" => Level::NOTE,
            other => Level::INFO.with_name(other),
        };
        let width = self.style.width.saturating_sub(name.len() + 10).max(30);
        let text = printable_lines(text);
        let text = if name == "replay" { text.into_owned() } else { wrap(&text, width) };
        level.message(text).into()
    }

    fn render(&self, group: Group<'_>) -> String {
        let renderer = if self.style.color { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(self.style.width.max(60));
        let mut text = renderer.render(&[group]);
        text.push('\n');
        text
    }
}

/// `(1) write of 4 bytes by thread (3, 0, 0) of block (0, 0, 0)`.
fn label(n: usize, access: &Access) -> String {
    format!("({n}) {} by {}", access.what, access.who)
}

/// Returns how often a finding was seen, how sure it is, and which runs of a campaign showed it.
pub(crate) fn evidence(f: &Described) -> String {
    let text = in_a_run(f);
    match &f.history {
        None => text,
        Some(h) => {
            const NAMED: usize = 4;
            let words: Vec<String> = h.settings.iter().take(NAMED).map(Setting::words).collect();
            let more = match h.settings.len().saturating_sub(NAMED) {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let (runs, of, first) =
                (summary::grouped(h.runs), count(h.of, "run"), summary::grouped(h.first_run));
            format!("{text}; in {runs} of {of}, first in run {first}; under {}{more}", words.join(", "))
        }
    }
}

fn in_a_run(f: &Described) -> String {
    let seen = |how: &str| format!("{}{how}", times(f.count));
    match &f.evidence {
        Evidence::Observed => seen(&shown_by(&f.schedules)),
        Evidence::Explored { .. } => seen(&format!("{}, not under this run's own", shown_by(&f.schedules))),
        Evidence::Predicted => seen("; predicted from this run, not seen to happen"),
        Evidence::Confirmed { .. } => seen("; predicted, then confirmed by a run"),
        Evidence::Unconfirmed { reason } => seen(&format!("; predicted, not confirmed: {reason}")),
        Evidence::Proved { .. } => "proved to happen for some inputs, and shown by a run".into(),
    }
}

/// The schedules that showed it, the first few by name.
fn shown_by(schedules: &[String]) -> String {
    const NAMED: usize = 3;
    let names = schedules[..schedules.len().min(NAMED)].join(", ");
    match schedules.len() {
        0 => String::new(),
        1 => format!("; under schedule {names}"),
        n if n <= NAMED => format!("; under schedules {names}"),
        n => format!("; under schedules {names} and {} more", n - NAMED),
    }
}

/// Which memory, and where in it.
fn memory(f: &Described) -> String {
    let m = &f.memory;
    let size = u64::from(f.accesses[1].size.max(1));
    let mut text = m.text.clone();
    match m.bytes {
        Some(bytes) => {
            let _ = write!(text, ", byte {} of {}", summary::grouped(m.offset), summary::grouped(bytes));
            if size > 1 && m.offset.is_multiple_of(size) && bytes > size {
                let _ = write!(text, " (element {} of {size} bytes)", summary::grouped(m.offset / size));
            }
        }
        None if f.space.starts_with("shared") => {
            let _ = write!(text, ", {} bytes into the block's shared memory", summary::grouped(m.offset));
        }
        None => {}
    }
    text
}

/// Returns the other classes and memories of the pairs of instructions that the finding counts.
fn also(f: &Described) -> Option<String> {
    const NAMED: usize = 4;
    let mut kinds: Vec<(Class, &str, u64)> = Vec::new();
    for member in f.also.iter().filter(|m| m.class != f.class || m.memory != f.memory.text) {
        match kinds.iter_mut().find(|(class, memory, _)| (*class, *memory) == (member.class, &member.memory))
        {
            Some((.., count)) => *count += member.count,
            None => kinds.push((member.class, &member.memory, member.count)),
        }
    }
    let text = |(class, memory, count): &(Class, &str, u64)| {
        let what = if *class == f.class { String::new() } else { format!("`{}` ", class.name()) };
        let of = if *memory == f.memory.text { String::new() } else { format!("of {memory} ") };
        format!("{what}{of}({})", times(*count))
    };
    let mut named: Vec<String> = kinds.iter().take(NAMED).map(text).collect();
    if kinds.len() > NAMED {
        named.push(format!("{} more", kinds.len() - NAMED));
    }
    (!named.is_empty()).then(|| named.join(", "))
}

/// Returns the PTX lines of instructions that are reported as one, for statements without lines.
fn ptx_lines(f: &Described) -> Option<String> {
    let without_lines = |a: &&Access| a.line == 0 && a.ptx_line != 0;
    let of_members = f.also.iter().flat_map(|m| &m.accesses);
    let lines: BTreeSet<u32> =
        f.accesses.iter().chain(of_members).filter(without_lines).map(|a| a.ptx_line).collect();
    if f.also.is_empty() || lines.is_empty() {
        return None;
    }
    let lines: Vec<u32> = lines.into_iter().collect();
    Some(format!("{} pairs of instructions, in PTX {}", f.also.len() + 1, words::counted("line", &lines)))
}

fn times(n: u64) -> String {
    if n == 1 { "once".into() } else { format!("{} times", summary::grouped(n)) }
}

/// Breaks at spaces outside backticks, so that no line is longer than `width` if that is possible.
fn wrap(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (i, line) in text.lines().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let mut used = 0;
        let mut in_code = false;
        let words = line.split(|c| {
            in_code ^= c == '`';
            c == ' ' && !in_code
        });
        for word in words {
            let length = word.chars().count();
            if used > 0 && used + 1 + length > width {
                out.push('\n');
                used = 0;
            } else if used > 0 {
                out.push(' ');
                used += 1;
            }
            out.push_str(word);
            used += length;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_schedules_are_named() {
        let all: Vec<String> = (0..5).map(|n| format!("random:seed={n}")).collect();
        assert_eq!(shown_by(&all[..1]), "; under schedule random:seed=0");
        assert_eq!(
            shown_by(&all),
            "; under schedules random:seed=0, random:seed=1, random:seed=2 and 2 more"
        );
    }

    #[test]
    fn lines_are_wrapped_at_spaces() {
        assert_eq!(wrap("one two three", 7), "one two\nthree");
        assert_eq!(wrap("averyveryverylongword x", 5), "averyveryverylongword\nx");
        assert_eq!(wrap("a\nb c", 80), "a\nb c");
        assert_eq!(wrap("say `a b c` now", 6), "say\n`a b c`\nnow");
    }
}
