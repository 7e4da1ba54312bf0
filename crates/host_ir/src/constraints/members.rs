//! Members of structures that are passed whole, and how far pointers into one array are apart.

use super::super::eval::signed;
use super::super::ir::Op;
use super::super::linear::Sum;
use super::super::operands::Parts;
use super::super::value::{Origin, Value};
use super::reader::{Reader, Said};
use crate::relation::{Expr, Name, Part, Test};
use std::collections::BTreeMap;

/// Definitions that an address is followed through.
const MOST_DEEP: u32 = 16;

impl<'a> Reader<'_, '_, 'a> {
    /// Relations of the 32-bit numbers in arguments of 64 bits, which may be structures.
    pub(super) fn members(&mut self, parts: &Parts<'a>, last: usize) -> Vec<Said> {
        let mut found = Vec::new();
        for (index, a) in (0u32..).zip(&parts.arguments) {
            if a.ty == "ptr" && a.there.is_some() {
                found.extend(self.numbers_in(last, index, a.value));
            }
            if a.ty != "i64" || a.by_value.is_some() {
                continue;
            }
            let (halves, exact) = self.read(|r| r.halves(last, a.value));
            for (half, offset) in halves.into_iter().zip([0, 4]) {
                let Some(sum) = half else { continue };
                // A half in numbers has no sign yet.
                let sum = sum.constant().map_or(sum, |c| Sum::of(signed(c, 32)));
                let left = Expr::Name(Name::Part(Part { index, offset, bytes: 4 }));
                found.push(Said { left, test: Test::Eq, right: sum.expr(), exact });
            }
        }
        found
    }

    /// Relations of the distances between pointers into one array.
    pub(super) fn offsets(
        &mut self,
        parts: &Parts<'a>,
        last: usize,
        aliases: &BTreeMap<u32, (u32, Option<i128>)>,
    ) -> Vec<Said> {
        let mut found = Vec::new();
        for (&n, &(of, distance)) in aliases {
            let argument = |n: u32| parts.arguments.get(n as usize).map(|a| a.value);
            let (Some(to), Some(from), None) = (argument(n), argument(of), distance) else { continue };
            let ((to, from), exact) = self.read(|r| (r.place(last, to, 0), r.place(last, from, 0)));
            if let (Some((a, to)), Some((b, from))) = (to, from)
                && a == b
            {
                let (left, right) = (Expr::Name(Name::Offset(n)), to.plus(&from, -1).expr());
                found.push(Said { left, test: Test::Eq, right, exact });
            }
        }
        found
    }

    /// Returns the memory that an address leads to, and the bytes behind its beginning.
    fn place(&mut self, depth: usize, name: &'a str, deep: u32) -> Option<(Origin, Sum)> {
        match self.eval.value(depth, name) {
            Some(Value::Address(origin, at)) => return Some((origin, Sum::of(at))),
            Some(_) => return None,
            None => {}
        }
        if deep > MOST_DEEP {
            return None;
        }
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let Some(&(block, inst)) = f.defs.get(name) else {
            let (above, passed) = self.passed(depth, name)?;
            return self.place(above, passed, deep + 1);
        };
        match &f.blocks[block].insts[inst].op {
            Op::Same(of) => self.place(depth, of, deep + 1),
            Op::Element { base, indices, constant } => {
                let (origin, mut at) = self.place(depth, base, deep + 1)?;
                at.constant += constant;
                for (index, bytes) in indices {
                    at = at.plus(&self.sum(depth, index)?, *bytes);
                }
                self.narrowed |= !self.bounds.fits(&at, 64);
                Some((origin, at))
            }
            Op::Select { condition, a, b } => {
                let known = self.eval.int(depth, condition).map(|c| c & 1 == 1);
                let is = known.or_else(|| self.case.selects.get(&(depth, *condition)).copied())?;
                self.place(depth, if is { a } else { b }, deep + 1)
            }
            Op::Phi { incoming } => {
                let from = *self.case.edges.get(&(depth, block))?;
                let (value, _) = incoming.iter().find(|(_, b)| *b == from)?;
                self.place(depth, value, deep + 1)
            }
            _ => None,
        }
    }
}
