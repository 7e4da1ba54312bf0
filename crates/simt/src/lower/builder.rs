//! The program under construction.

use super::copies::Copies;
use crate::program::{Code, FILE_CONST, Inst, Line, NO_GUARD, Program, Row};
use events::SiteId;
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Builder {
    pub program: Program,
    pub copies: Copies,
    /// The number of registers of matrix products, in all functions.
    pub tracked: u32,
    constants: HashMap<(u64, ConstKind), Row>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ConstKind {
    Narrow,
    Wide,
    Pred,
}

impl Builder {
    pub(super) fn emit(&mut self, guard: u32, code: Code, site: Option<SiteId>) -> usize {
        self.program.code.push(Inst { guard, code });
        self.program.sites.push(site);
        self.program.code.len() - 1
    }

    pub(super) fn here(&self) -> u32 {
        self.program.code.len() as u32
    }

    /// Makes a branch at `at` a skip if it has a guard and only simple instructions are between it and its target.
    pub(super) fn shorten(&mut self, at: usize, target: u32) {
        let simple = |inst: &Inst| {
            matches!(
                inst.code,
                Code::Alu { .. }
                    | Code::Eval(_)
                    | Code::Moves(_)
                    | Code::LocalAddress { .. }
                    | Code::DynamicShared { .. }
                    | Code::Load(_)
                    | Code::Store(_)
                    | Code::Nop
            )
        };
        let code = &mut self.program.code;
        let skipped = code.get(at + 1..target as usize);
        if code[at].guard != NO_GUARD && skipped.is_some_and(|s| !s.is_empty() && s.iter().all(simple)) {
            code[at].code = Code::Skip { target };
        }
    }

    /// Returns a row with `value` in every lane, 32 bits wide.
    pub(super) fn narrow(&mut self, value: u32) -> Row {
        self.constant(value.into(), ConstKind::Narrow, &[Line([value; 16]); 2])
    }

    /// Returns a row with `value` in every lane, 64 bits wide.
    pub(super) fn wide(&mut self, value: u64) -> Row {
        let mut line = Line([0; 16]);
        for (i, word) in line.0.iter_mut().enumerate() {
            *word = (value >> (32 * (i % 2))) as u32;
        }
        self.constant(value, ConstKind::Wide, &[line; 4])
    }

    /// Returns a predicate with the same value in every lane.
    pub(super) fn predicate(&mut self, value: bool) -> Row {
        let mask = if value { u32::MAX } else { 0 };
        self.constant(mask.into(), ConstKind::Pred, &[Line([mask; 16])])
    }

    fn constant(&mut self, value: u64, kind: ConstKind, lines: &[Line]) -> Row {
        if let Some(&row) = self.constants.get(&(value, kind)) {
            return row;
        }
        let row = FILE_CONST | (self.program.consts.len() * size_of::<Line>()) as u32;
        self.program.consts.extend_from_slice(lines);
        self.constants.insert((value, kind), row);
        row
    }

    pub(super) fn unsupported(&mut self, text: String) -> Code {
        self.program.unsupported.push(text);
        Code::Unsupported(self.program.unsupported.len() as u32 - 1)
    }
}
