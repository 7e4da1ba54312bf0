//! A program in the course of changes: its sources, and the same changes of its PTX.

use crate::change::{Atomic, Edit};
use crate::diff;
use crate::steps::Made;
use crate::text::Text;
use report::advice::{Position, Spot, Step};
use report::model::Described;
use std::collections::BTreeMap;

/// The sources that were read, and what has been changed.
#[derive(Clone, Debug, Default)]
pub struct Program {
    files: BTreeMap<String, File>,
    said: Vec<String>,
    /// The changes of the device code; `None` after one that only a compiler can make.
    edits: Option<Vec<Edit>>,
}

#[derive(Clone, Debug)]
struct File {
    before: String,
    text: Text,
}

impl Program {
    pub fn new() -> Program {
        Program { edits: Some(Vec::new()), ..Program::default() }
    }

    /// Returns the text of a file, which `read` is asked for the first time.
    pub fn text(&mut self, file: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<&Text> {
        if !self.files.contains_key(file) {
            let before = read(file)?;
            let text = Text::new(&before);
            self.files.insert(file.to_owned(), File { before, text });
        }
        self.files.get(file).map(|file| &file.text)
    }

    /// Returns the program after one more change of a file.
    pub fn changed(&self, file: &str, made: Made) -> Program {
        let mut out = self.clone();
        out.edits = match (out.edits, made.edits) {
            (Some(edits), Some(more)) => Some([edits, more].concat()),
            _ => None,
        };
        if let Some(file) = out.files.get_mut(file) {
            file.text = made.text;
        }
        out.said.push(made.said);
        out
    }

    /// Returns the changes in words.
    pub fn said(&self) -> String {
        self.said.join(", then ")
    }

    /// Returns the last change in words.
    pub fn last_said(&self) -> &str {
        self.said.last().map_or("", String::as_str)
    }

    /// Returns whether the last change, if it makes accesses atomic, makes one operation of a read and a write.
    pub(crate) fn updates(&self) -> bool {
        match self.edits.as_deref() {
            Some([.., Edit::Atomic { form, .. }]) => matches!(form, Atomic::Update | Atomic::Fetch),
            _ => true,
        }
    }

    /// Returns whether the last change removes something.
    pub fn removes(&self) -> bool {
        matches!(self.edits.as_deref(), Some([.., Edit::Remove { .. }]))
    }

    /// Returns the number of changes.
    pub fn changes(&self) -> usize {
        self.said.len()
    }

    /// Returns the same changes for PTX, if there is an equivalent of each.
    pub fn edits(&self) -> Option<&[Edit]> {
        self.edits.as_deref()
    }

    /// Returns the changed files: name, old text and new text.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str, String)> {
        self.files.iter().filter_map(|(name, file)| {
            let after = file.after();
            (after != file.before).then_some((name.as_str(), file.before.as_str(), after))
        })
    }

    /// Returns the unified diff of all changed files. `shown` returns the path of a file in it.
    pub fn diff(&self, shown: impl Fn(&str) -> String) -> String {
        self.files().map(|(name, before, after)| diff::unified(&shown(name), before, &after)).collect()
    }

    /// Rewrites a finding in the changed copy `now` of `file` to the original's name and lines.
    pub fn original(&self, found: &mut Described, now: &str, file: &str) {
        let Some(known) = self.files.get(file) else { return };
        let back = |name: &mut String, line: &mut u32| {
            if name == now {
                file.clone_into(name);
                *line = known.text.original(*line);
            }
        };
        for access in &mut found.accesses {
            back(&mut access.file, &mut access.line);
        }
        for spot in found.advice.iter_mut().flat_map(|way| &mut way.steps).flat_map(spots) {
            back(&mut spot.file, &mut spot.line);
        }
    }
}

impl File {
    /// Returns the new text with the line ends of the old one.
    fn after(&self) -> String {
        let mut text = self.text.to_string();
        if !self.before.ends_with('\n') {
            text.pop();
        }
        if self.before.contains("\r\n") { text.replace('\n', "\r\n") } else { text }
    }
}

fn of_position(position: &mut Position) -> Vec<&mut Spot> {
    match position {
        Position::Between(a, b) | Position::BetweenRounds(a, b) => vec![a, b],
        Position::Before(a) | Position::After(a) => vec![a],
    }
}

fn spots(step: &mut Step) -> Vec<&mut Spot> {
    match step {
        Step::InsertBarrier { at, .. }
        | Step::InsertRoleBarrier { at, .. }
        | Step::HandOver { at, .. }
        | Step::InsertFence { at, .. }
        | Step::SplitKernel { at }
        | Step::WaitFor { at, .. }
        | Step::InsertProxyFence { at, .. }
        | Step::InsertProductFence { at }
        | Step::OrderTensorMemory { at, .. }
        | Step::OrderTasks { at, .. } => of_position(at),
        Step::ArriveByAll { at }
        | Step::Order { at, .. }
        | Step::Discard { at }
        | Step::SplitStatement { at, .. }
        | Step::OneThread { at, .. }
        | Step::ExpectBytes { at }
        | Step::NameLanes { at }
        | Step::Initialize { at } => vec![at],
        Step::Move { what, to } => std::iter::once(what).chain(of_position(to)).collect(),
        Step::WidenScope { at, .. }
        | Step::MakeAtomic { at, .. }
        | Step::UseOneSize { at }
        | Step::SeparateElements { at, .. }
        | Step::TakeLock { at, .. }
        | Step::MeetAtOne { at } => at.iter_mut().collect(),
    }
}

/// Returns the files that a step is about, without repetitions.
pub(crate) fn files(step: &Step) -> Vec<String> {
    let mut step = step.clone();
    let mut out: Vec<String> = Vec::new();
    for spot in spots(&mut step) {
        if !spot.file.is_empty() && !out.contains(&spot.file) {
            out.push(spot.file.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::{changes, spot};
    use report::advice::{Group, Role};

    #[test]
    fn a_change_keeps_line_ends_and_what_it_is_in_ptx() {
        let before = "void k() {\r\n    a[t] = 1;\r\n    b = a[u];\r\n}";
        let mut program = Program::new();
        let text = program.text("a.cu", &|_| Some(before.to_owned())).unwrap().clone();
        let at = Position::Between(spot("a.cu", 2, Role::First), spot("a.cu", 3, Role::Second));
        let made = changes("a.cu", &text, &Step::InsertBarrier { group: Group::Block, at }).remove(0);
        let program = program.changed("a.cu", made);
        let (_, _, after) = program.files().next().unwrap();
        assert_eq!(after, "void k() {\r\n    a[t] = 1;\r\n    __syncthreads();\r\n    b = a[u];\r\n}");
        assert_eq!(program.edits().unwrap().len(), 1);
        assert!(program.diff(str::to_owned).contains("+    __syncthreads();"));
    }
}
