//! Sites of instructions that events and errors can name.

use crate::effects::{Control, Place, Touch, TouchKind, effects};
use crate::roles::Way;
use events::{Frame, Role, Site, SiteId, SiteTable};
use ptx::ast::Instruction;
use ptx::flat::{Arg, Base, Flat};
use ptx::lines::FunctionLines;
use ptx::op::{MemSpace, Op};
use ptx::position::LineIndex;

pub struct Sites<'a, 's> {
    pub table: &'s mut SiteTable,
    pub text: &'a str,
    pub index: &'s LineIndex<'a>,
    pub lines: FunctionLines<'a>,
    /// The result of [`crate::roles::ways`].
    pub ways: Vec<Option<Way>>,
    /// The calls that lead to this copy of the function, innermost first.
    pub callers: Vec<Frame>,
}

impl<'a> Sites<'a, '_> {
    /// Returns the site of an instruction that may appear in an event, an error or a report of waiting
    /// threads; `None` for plain arithmetic.
    pub fn of(&mut self, flat: &Flat<'a>, i: usize) -> Option<SiteId> {
        let inst = &flat.instructions[i];
        let named = match &inst.op {
            Ok(op) => self.is_named(flat, i, op),
            Err(_) => true,
        };
        named.then(|| self.force(flat, i))
    }

    fn is_named(&self, flat: &Flat<'a>, i: usize, op: &Op) -> bool {
        let inst = &flat.instructions[i];
        let effects = effects(op, &inst.args);
        let parameter = |touch: &Touch| touch.place == Place::Memory(MemSpace::Param) && entry(flat);
        let control = match effects.control {
            Control::Next => false,
            // Other blocks of the cluster may still access the shared memory of a block that exits.
            Control::Return | Control::Exit => entry(flat) && is_of_cluster(flat),
            Control::Branch => match inst.args.first() {
                // A backward branch may close a spin loop.
                Some(Arg::Label(label)) => flat.labels[label.0 as usize].target as usize <= i,
                _ => true,
            },
            Control::IndirectBranch | Control::Call | Control::Trap | Control::Break => true,
        };
        let touches = effects
            .touches
            .iter()
            .any(|t| t.place != Place::Multimem && !(t.kind == TouchKind::Read && parameter(t)));
        control || touches || effects.order.is_some() || effects.answers
    }

    /// Returns the inline chain of an instruction and the calls that lead to it, innermost first.
    pub fn frames(&self, flat: &Flat<'a>, i: usize) -> Vec<Frame> {
        let own = self.lines.frames(&flat.instructions[i]).into_iter().map(|f| Frame {
            file: f.file.to_owned(),
            line: f.line,
            column: f.column,
            function: f.function.to_owned(),
        });
        own.chain(self.callers.iter().cloned()).collect()
    }

    fn role(&self, flat: &Flat<'a>, i: usize) -> Option<Role> {
        let Way { branch, taken, repeated } = self.ways.get(i).copied().flatten()?;
        let inst = flat.instructions.get(branch)?;
        let line = self.lines.frames(inst).last().map_or(0, |frame| frame.line);
        Some(Role { branch: self.index.line(inst.source.opcode.span.start), line, taken, repeated })
    }

    pub fn force(&mut self, flat: &Flat<'a>, i: usize) -> SiteId {
        let inst = &flat.instructions[i];
        let (frames, role) = (self.frames(flat, i), self.role(flat, i));
        self.table.push(Site {
            function: flat.function.name.text.to_string(),
            text: self.text_of(inst.source),
            ptx_line: self.index.line(inst.source.opcode.span.start),
            frames,
            variable: inst.args.iter().find_map(|arg| match arg {
                Arg::Address { base: Base::Symbol(name), .. } => Some((*name).to_owned()),
                Arg::Address { base: Base::Variable(id), .. } => {
                    Some(flat.variables[id.0 as usize].decl.name.text.to_string())
                }
                _ => None,
            }),
            role,
        })
    }

    /// Returns the instruction's text, on one line and without its guard.
    pub fn text_of(&self, inst: &Instruction) -> String {
        let (start, end) = (inst.opcode.span.start as usize, inst.span.end as usize);
        let text = self.text.get(start..end).unwrap_or("");
        let mut out = String::with_capacity(text.len());
        for word in text.trim_end_matches(';').split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        out
    }
}

/// Returns whether a function contains instructions that address or synchronise its cluster.
fn is_of_cluster(flat: &Flat<'_>) -> bool {
    let of_cluster =
        |op: &Op| matches!(op, Op::Mapa { .. } | Op::ClusterArrive { .. } | Op::ClusterWait { .. });
    flat.instructions.iter().any(|inst| inst.op.as_ref().is_ok_and(of_cluster))
}

fn entry(flat: &Flat<'_>) -> bool {
    flat.function.kind == ptx::ast::FunctionKind::Entry
}
