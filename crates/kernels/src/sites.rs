//! Sites of instructions that events and errors can name.

use crate::effects::{Control, Place, Touch, TouchKind, effects};
use events::{Frame, Site, SiteId, SiteTable};
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
}

impl<'a> Sites<'a, '_> {
    /// The site of an instruction that may appear in an event, an error or a report of
    /// waiting threads; `None` for plain arithmetic.
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
            // Peers may still be at the shared memory of a block that exits.
            Control::Return | Control::Exit => entry(flat) && is_of_cluster(flat),
            Control::Branch => match inst.args.first() {
                // Loops may be where threads spin.
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

    pub fn force(&mut self, flat: &Flat<'a>, i: usize) -> SiteId {
        let inst = &flat.instructions[i];
        let frames = self
            .lines
            .frames(inst)
            .into_iter()
            .map(|f| Frame {
                file: f.file.to_owned(),
                line: f.line,
                column: f.column,
                function: f.function.to_owned(),
            })
            .collect();
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
        })
    }

    /// The instruction's text, on one line and without its guard.
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

/// Returns whether a function names its cluster.
fn is_of_cluster(flat: &Flat<'_>) -> bool {
    let of_cluster =
        |op: &Op| matches!(op, Op::Mapa { .. } | Op::ClusterArrive { .. } | Op::ClusterWait { .. });
    flat.instructions.iter().any(|inst| inst.op.as_ref().is_ok_and(of_cluster))
}

fn entry(flat: &Flat<'_>) -> bool {
    flat.function.kind == ptx::ast::FunctionKind::Entry
}
