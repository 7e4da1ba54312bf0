//! Source positions with inline chains, from `.loc` directives (PTX §11.5).
//!
//! A `.loc` inside inlined code names the inlined function and the position of its call site. That position
//! is itself the subject of an earlier `.loc`, which may be inside inlined code too; the nearest earlier one
//! is used. The format has no better link: if a function is inlined twice and the compiler interleaves both
//! copies, outer frames may name the other copy's caller.

use std::collections::HashMap;

use crate::ast::{Item, Loc, Module, Section, SectionLine, SectionValue};
use crate::flat::{Flat, FlatInstruction, LocId};

/// A source position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame<'a> {
    /// The path as the compiler wrote it; empty if the module does not name the file.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
    /// The mangled name of the function that contains the position.
    pub function: &'a str,
}

/// The files and inlined function names of a module.
#[derive(Clone, Debug, Default)]
pub struct LineTable<'a> {
    files: HashMap<u32, &'a str>,
    /// Function names by label and offset in `.debug_str`.
    names: HashMap<(&'a str, u64), String>,
}

impl<'a> LineTable<'a> {
    pub fn new(module: &'a Module) -> Self {
        let mut table = LineTable::default();
        let mut strings = Strings::default();
        for item in &module.items {
            match item {
                Item::File(file) => {
                    table.files.insert(file.index, &file.path);
                }
                Item::Section(section) if section.name == ".debug_str" => strings.add(section),
                _ => {}
            }
        }
        // The table contains only names that some `.loc` uses.
        for item in &module.items {
            if let Item::Function(function) = item
                && let Some(body) = &function.body
            {
                table.collect(body, &strings);
            }
        }
        table
    }

    fn collect(&mut self, block: &'a crate::ast::Block, strings: &Strings) {
        use crate::ast::Statement;
        for statement in &block.statements {
            match statement {
                Statement::Block(block) => self.collect(block, strings),
                Statement::Loc(Loc { inlined: Some(inlined), .. }) => {
                    let (label, offset) = &inlined.function_name;
                    if let Some(name) = strings.get(label, *offset) {
                        self.names.entry((label, *offset)).or_insert(name);
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the path of a `.file` index.
    pub fn file(&self, index: u32) -> Option<&'a str> {
        self.files.get(&index).copied()
    }

    fn function_name(&self, label: &'a str, offset: u64) -> &str {
        self.names.get(&(label, offset)).map_or("", String::as_str)
    }
}

/// The bytes of `.debug_str`, and the offsets of its labels.
#[derive(Default)]
struct Strings<'a> {
    bytes: Vec<u8>,
    labels: HashMap<&'a str, usize>,
}

impl<'a> Strings<'a> {
    fn add(&mut self, section: &'a Section) {
        for line in &section.lines {
            match line {
                SectionLine::Label(label) => {
                    self.labels.insert(label, self.bytes.len());
                }
                SectionLine::Data { width, values } => {
                    for value in values {
                        let value = match value {
                            SectionValue::Int(value) => *value,
                            SectionValue::Symbol(_) => 0,
                        };
                        let little_endian = value.to_le_bytes();
                        self.bytes.extend_from_slice(&little_endian[..usize::from(*width).min(8)]);
                    }
                }
            }
        }
    }

    fn get(&self, label: &str, offset: u64) -> Option<String> {
        // Without labels, `.debug_str+12` counts from the section's start.
        let start = match self.labels.get(label) {
            Some(start) => *start,
            None => return None,
        };
        let start = start.checked_add(usize::try_from(offset).ok()?)?;
        let rest = self.bytes.get(start..)?;
        let end = rest.iter().position(|&c| c == 0).unwrap_or(rest.len());
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    }
}

/// The source positions of one function's instructions.
#[derive(Clone, Debug)]
pub struct FunctionLines<'a> {
    table: &'a LineTable<'a>,
    function: &'a str,
    locs: Vec<&'a Loc>,
    /// The indices of the `.loc`s of each position, ascending.
    by_position: HashMap<(u32, u32, u32), Vec<u32>>,
}

impl<'a> FunctionLines<'a> {
    pub fn new(table: &'a LineTable<'a>, flat: &Flat<'a>) -> Self {
        let mut by_position: HashMap<_, Vec<u32>> = HashMap::new();
        for (i, loc) in flat.locs.iter().enumerate() {
            by_position.entry((loc.file, loc.line, loc.column)).or_default().push(i as u32);
        }
        FunctionLines { table, function: &flat.function.name.text, locs: flat.locs.clone(), by_position }
    }

    /// Returns the frames of an instruction, innermost first; empty without line information.
    ///
    /// For code without a line (nvcc writes `.loc 1 0 0` for code merged from several statements) the nearest
    /// earlier line is used, or else the first one.
    pub fn frames(&self, instruction: &FlatInstruction) -> Vec<Frame<'a>> {
        let Some(loc) = instruction.loc else { return Vec::new() };
        let before = (0..=loc.0).rev();
        let behind = loc.0 + 1..self.locs.len() as u32;
        let frames = before.chain(behind).map(|id| self.frames_at(LocId(id)));
        frames.into_iter().find(|frames| !frames.is_empty()).unwrap_or_default()
    }

    /// Returns the frames of a `.loc`, innermost first, without positions of line 0 (compiler-generated
    /// code).
    pub fn frames_at(&self, id: LocId) -> Vec<Frame<'a>> {
        let mut frames = Vec::new();
        let mut index = id.0;
        let Some(mut loc) = self.locs.get(index as usize).copied() else {
            return frames;
        };
        let mut push = |file, line, column, function| {
            if line != 0 {
                frames.push(Frame { file: self.table.file(file).unwrap_or(""), line, column, function });
            }
        };
        loop {
            let Some(inlined) = &loc.inlined else {
                push(loc.file, loc.line, loc.column, self.function);
                return frames;
            };
            let (label, offset) = &inlined.function_name;
            push(loc.file, loc.line, loc.column, self.table.function_name(label, *offset));
            let position = (inlined.file, inlined.line, inlined.column);
            let earlier = self.by_position.get(&position).and_then(|ids| {
                let before = ids.partition_point(|&i| i < index);
                before.checked_sub(1).map(|i| ids[i])
            });
            match earlier {
                // Each step goes to an earlier `.loc`, so the loop terminates.
                Some(earlier) => {
                    index = earlier;
                    loc = self.locs[earlier as usize];
                }
                None => {
                    push(inlined.file, inlined.line, inlined.column, self.function);
                    return frames;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
    .reg .b32 %r<4>;
    mov.b32 %r0, 0;
    .loc 1 10 5
    mov.b32 %r1, 1;
    .loc 2 20 6, function_name $L__s0, inlined_at 1 10 5
    mov.b32 %r1, 2;
    .loc 2 30 7, function_name $L__s1+2, inlined_at 2 20 6
    mov.b32 %r1, 3;
    .loc 2 0 7, function_name $L__s1+2, inlined_at 2 20 6
    mov.b32 %r1, 4;
    .loc 3 1 1, function_name $L__s9, inlined_at 9 9 9
    ret;
}
.visible .entry m() {
    .reg .b32 %r<4>;
    .loc 1 0 0
    mov.b32 %r0, 0;
    .loc 1 11 5
    mov.b32 %r1, 1;
    .loc 1 0 0
    mov.b32 %r1, 2;
    ret;
}
.file 1 "a.cu"
.file 2 "/usr/b.h"
.section .debug_str {
$L__s0:
.b8 103, 0
$L__s1:
.b8 120, 0
.b8 104
.b8 105, 0
}
"#;

    #[test]
    fn chains_of_inlined_calls_are_followed() {
        let parse = crate::parse(TEXT);
        assert_eq!(parse.errors, []);
        let table = LineTable::new(&parse.module);
        let Some(Item::Function(function)) = parse.module.items.first() else { panic!() };
        let flat = crate::flatten(function);
        let lines = FunctionLines::new(&table, &flat);
        let frame = |file, line, column, function| Frame { file, line, column, function };
        let k = frame("a.cu", 10, 5, "k");
        let g = frame("/usr/b.h", 20, 6, "g");
        let hi = frame("/usr/b.h", 30, 7, "hi");
        let expected = [
            vec![],
            vec![k.clone()],
            vec![g.clone(), k.clone()],
            vec![hi, g.clone(), k.clone()],
            // Line 0 is compiler-generated code: only its callers remain.
            vec![g, k],
            // A file and a call site without a description.
            vec![frame("", 1, 1, ""), frame("", 9, 9, "k")],
        ];
        let found: Vec<_> = flat.instructions.iter().map(|i| lines.frames(i)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn code_of_line_zero_is_of_the_line_before() {
        let parse = crate::parse(TEXT);
        let table = LineTable::new(&parse.module);
        let Some(Item::Function(function)) = parse.module.items.get(1) else { panic!() };
        let flat = crate::flatten(function);
        let lines = FunctionLines::new(&table, &flat);
        let found: Vec<_> = flat.instructions.iter().map(|i| lines.frames(i)).collect();
        let line = vec![Frame { file: "a.cu", line: 11, column: 5, function: "m" }];
        assert_eq!(found, [line.clone(), line.clone(), line.clone(), line]);
    }
}
