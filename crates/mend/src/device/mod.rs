//! The changes of [`crate::change`], made in PTX.
//!
//! An edit names source lines. Its instructions are found by the line table, so a function that is inlined
//! several times, or a loop that is unrolled, gets the edit in each copy. An insertion goes where control
//! passes from the statements ahead of the place to those behind it ([`place`]).

mod atomic;
mod place;
mod redundant;
mod words;

pub use redundant::{Kind, Scope, Synchronisation, synchronisations};

use crate::change::Edit;
use ptx::ast::{Item, Module, Span};
use ptx::flat::Flat;
use ptx::lines::{Frame, FunctionLines, LineTable};

/// Why an edit cannot be made in a PTX text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("malformed PTX: {0}")]
    Malformed(String),
    #[error("the barrier before line {0} would stand in code that only some threads of a block execute")]
    Divergent(u32),
    #[error("line {0} has no instructions that can become one atomic operation of CUDA's")]
    NotAtomic(u32),
}

/// A replacement of a part of the text.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) new: String,
}

impl Patch {
    pub(crate) fn before(span: Span, new: String) -> Patch {
        Patch { start: span.start, end: span.start, new }
    }

    pub(crate) fn behind(span: Span, new: String) -> Patch {
        Patch { start: span.end, end: span.end, new }
    }

    pub(crate) fn instead(span: Span, new: String) -> Patch {
        Patch { start: span.start, end: span.end, new }
    }
}

/// A source position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Where {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Where {
    fn of(frame: &Frame<'_>) -> Where {
        Where { file: frame.file.to_owned(), line: frame.line, column: frame.column }
    }
}

/// A function and the source positions of its instructions.
pub(crate) struct Code<'t> {
    pub(crate) text: &'t str,
    pub(crate) flat: Flat<'t>,
    /// The frames of each instruction, innermost first.
    pub(crate) frames: Vec<Vec<Where>>,
    /// Whether only some threads of a block execute the instruction.
    pub(crate) divergent: Vec<bool>,
}

impl Code<'_> {
    pub(crate) fn of(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Returns the instructions that a line of a file makes, whether inlined or not.
    pub(crate) fn on(&self, file: &str, line: u32) -> Vec<usize> {
        let there = |frame: &Where| frame.file == file && frame.line == line;
        (0..self.frames.len()).filter(|&i| self.frames[i].iter().any(there)).collect()
    }
}

/// Returns the changed text; `None` if it has no code of the edits' places.
pub fn apply(text: &str, edits: &[Edit]) -> Result<Option<String>, Error> {
    if !edits.iter().any(|edit| text.contains(edit.file())) {
        return Ok(None);
    }
    let parsed = ptx::parse(text);
    if let Some(error) = parsed.errors.first() {
        return Err(Error::Malformed(error.to_string()));
    }
    let mut patches = Vec::new();
    for code in codes(text, &parsed.module) {
        for edit in edits {
            one(&code, edit, &mut patches)?;
        }
    }
    Ok((!patches.is_empty()).then(|| patched(text, patches)))
}

/// Returns the functions of a module that have bodies.
fn codes<'t>(text: &'t str, module: &'t Module) -> Vec<Code<'t>> {
    let table = LineTable::new(module);
    let mut out = Vec::new();
    for item in &module.items {
        let Item::Function(function) = item else { continue };
        if function.body.is_none() {
            continue;
        }
        let flat = ptx::flatten(function);
        let lines = FunctionLines::new(&table, &flat);
        let frames: Vec<Vec<Where>> =
            flat.instructions.iter().map(|i| lines.frames(i).iter().map(Where::of).collect()).collect();
        let ways = kernels::roles::ways(&flat);
        let divergent =
            (0..flat.instructions.len()).map(|i| ways.get(i).is_some_and(Option::is_some)).collect();
        out.push(Code { text, flat, frames, divergent });
    }
    out
}

fn one(code: &Code<'_>, edit: &Edit, patches: &mut Vec<Patch>) -> Result<(), Error> {
    match edit {
        Edit::Insert { file, region, call } => place::insert(code, file, region, *call, patches),
        Edit::Split { file, line, call, .. } => place::split(code, file, *line, *call, patches),
        Edit::Widen { file, lines, reach } => {
            words::widen(code, file, lines, *reach, patches);
            Ok(())
        }
        Edit::Order { file, line, order } => {
            words::order(code, file, *line, *order, patches);
            Ok(())
        }
        Edit::Remove { file, line } => {
            redundant::remove(code, file, *line, patches);
            Ok(())
        }
        Edit::Narrow { file, line, reach } => {
            words::narrow(code, file, *line, *reach, patches);
            Ok(())
        }
        Edit::Atomic { file, line, form } => atomic::atomic(code, file, *line, *form, patches),
    }
}

/// Applies patches. Of two that replace the same text the first one counts.
fn patched(text: &str, mut patches: Vec<Patch>) -> String {
    patches.sort_by_key(|patch| (patch.start, patch.end));
    let mut out = String::with_capacity(text.len() + 64 * patches.len());
    let mut done = 0;
    for Patch { start, end, new } in patches {
        let (start, end) = (start as usize, end as usize);
        if start < done {
            continue;
        }
        out.push_str(text.get(done..start).unwrap_or_default());
        out.push_str(&new);
        done = end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests;
