//! Converts conditions on the path to a launch to relations.

use super::super::control_flow::Holds;
use super::super::eval::{signed, unsigned};
use super::super::ir::Op;
use super::super::linear::Sum;
use super::disjunctions::one_of;
use super::reader::Reader;
use crate::relation::Test;

/// Cases of one `switch` that its default is said to differ from.
const MOST_CASES: usize = 8;

impl<'a> Reader<'_, '_, 'a> {
    /// Records the conditions on the way to the launch. These come first, the outermost before all others: they bound
    /// what arithmetic is about.
    pub(super) fn conditions_of_chain(&mut self) {
        let eval = self.eval;
        for (depth, frame) in eval.chain.iter().enumerate() {
            let (f, flow) = (eval.program.function(frame.at), eval.program.flow(frame.at));
            for (value, holds) in flow.conditions(f, frame.block).into_iter().rev() {
                self.condition(depth, value, holds);
            }
        }
    }

    /// Records the relation that a condition states. Conditions that are not supported are ignored.
    pub(super) fn condition(&mut self, depth: usize, value: &'a str, holds: Holds) {
        let f = self.eval.program.function(self.eval.chain[depth].at);
        match holds {
            Holds::Equals(c) => {
                let (sum, exact) = self.read(|r| r.sum(depth, value));
                if let Some(s) = sum {
                    self.says(&s, Test::Eq, &Sum::of(c), exact);
                }
                return;
            }
            Holds::Leads { from, to } => return self.led(depth, value, (from, to)),
            Holds::Is(_) => {}
        }
        let is = holds == Holds::Is(true);
        match f.definition(value) {
            Some(Op::Same(of)) => self.condition(depth, of, holds),
            Some(Op::Binary { op: "xor", a, b: "true", bits: 1, .. }) => {
                self.condition(depth, a, Holds::Is(!is));
            }
            Some(Op::Select { condition, a, b: "false", .. }) if is => {
                self.condition(depth, condition, holds);
                self.condition(depth, a, holds);
            }
            Some(Op::Select { condition, a: "true", b, .. }) if !is => {
                self.condition(depth, condition, holds);
                self.condition(depth, b, holds);
            }
            Some(Op::Binary { op, a, b, bits: 1, .. })
                if matches!((*op, is), ("and", true) | ("or", false)) =>
            {
                self.condition(depth, a, holds);
                self.condition(depth, b, holds);
            }
            // One of two conditions holds: the second one, in the case that the first one does not.
            Some(op)
                if let Some([first, second]) = one_of(op, is)
                    && self.case.selects.get(&(depth, first)) == Some(&!is) =>
            {
                self.condition(depth, second, holds);
            }
            Some(Op::Compare { test, bits, a, b }) if *bits >= 8 => {
                self.comparison(depth, (test, *bits, is), a, b);
            }
            _ => {}
        }
    }

    /// Records the relations that an edge of a `switch` states: of its default, that no other case's number is the value;
    /// of cases, that the value lies between the least and the greatest of their numbers.
    fn led(&mut self, depth: usize, value: &'a str, (from, to): (usize, usize)) {
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let Some(Op::Switch { cases, default, .. }) = f.blocks[from].insts.last().map(|i| &i.op) else {
            return;
        };
        let (sum, exact) = self.read(|r| r.sum(depth, value));
        let Some(sum) = sum else { return };
        if *default == to {
            for (c, _) in cases.iter().filter(|(_, t)| *t != to).take(MOST_CASES) {
                self.says(&sum, Test::Ne, &Sum::of(*c), exact);
            }
            return;
        }
        let own = || cases.iter().filter(|(_, t)| *t == to).map(|(c, _)| *c);
        if let (Some(least), Some(most)) = (own().min(), own().max()) {
            self.says(&sum, Test::Ge, &Sum::of(least), exact);
            self.says(&sum, Test::Le, &Sum::of(most), exact);
        }
    }

    fn comparison(&mut self, depth: usize, (test, bits, is): (&str, u32, bool), a: &'a str, b: &'a str) {
        let test = match (test, is) {
            (t, true) => t,
            ("eq", _) => "ne",
            ("ne", _) => "eq",
            ("slt", _) => "sge",
            ("sle", _) => "sgt",
            ("sgt", _) => "sle",
            ("sge", _) => "slt",
            ("ult", _) => "uge",
            ("ule", _) => "ugt",
            ("ugt", _) => "ule",
            ("uge", _) => "ult",
            _ => return,
        };
        if self.two_sided(depth, (test, bits), a, b) {
            return;
        }
        let ((x, y), exact) = self.read(|r| (r.sum(depth, a), r.sum(depth, b)));
        let (Some(x), Some(y)) = (x, y) else { return };
        // An unsigned comparison with a nonnegative upper limit also states that the lesser number is
        // nonnegative.
        let never_negative = |r: &Self, s: &Sum| r.bounds.of(s).is_some_and(|(least, _)| least >= 0);
        let (unsigned, test) = match test {
            "eq" => (None, Test::Eq),
            "ne" => (None, Test::Ne),
            "slt" => (None, Test::Lt),
            "sle" => (None, Test::Le),
            "sgt" => (None, Test::Gt),
            "sge" => (None, Test::Ge),
            "ult" if never_negative(self, &y) => (Some(&x), Test::Lt),
            "ule" if never_negative(self, &y) => (Some(&x), Test::Le),
            "ugt" if never_negative(self, &x) => (Some(&y), Test::Gt),
            "uge" if never_negative(self, &x) => (Some(&y), Test::Ge),
            _ => return,
        };
        if let Some(below) = unsigned {
            self.says(below, Test::Ge, &Sum::of(0), exact);
        }
        self.says(&x, test, &y, exact);
    }

    /// Recognises `least <= x && x <= most` as compilers write it: an unsigned comparison of a sum that may
    /// wrap around.
    /// What the comparison admits is one interval, modulo a power of two.
    fn two_sided(&mut self, depth: usize, (test, bits): (&str, u32), a: &'a str, b: &'a str) -> bool {
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let (of, added) = match f.definition(a) {
            Some(Op::Binary { op: "add", a: of, b: added, .. }) => (*of, self.eval.int(depth, added)),
            _ => return false,
        };
        let (Some(added), Some(limit)) = (added, self.eval.int(depth, b)) else { return false };
        let (limit, last) = (unsigned(limit, bits), (1i128 << bits) - 1);
        let admitted = match test {
            "ult" => (0, limit - 1),
            "ule" => (0, limit),
            "ugt" => (limit + 1, last),
            "uge" => (limit, last),
            _ => return false,
        };
        if admitted.0 > admitted.1 {
            return false;
        }
        let range = (signed(admitted.0 - added, bits), signed(admitted.1 - added, bits));
        if range.1 - range.0 != admitted.1 - admitted.0 {
            return false;
        }
        let (x, exact) = self.read(|r| r.sum(depth, of));
        let Some(x) = x else { return false };
        self.says(&Sum::of(range.0), Test::Le, &x, exact);
        self.says(&x, Test::Le, &Sum::of(range.1), exact);
        true
    }
}
