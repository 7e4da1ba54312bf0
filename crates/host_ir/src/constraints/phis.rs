//! One of several values: which of them, the way that was taken decides.
//!
//! On each edge that leads to a phi some conditions hold; under these, the value that the edge brings is between some
//! numbers, and the phi is between the least and the greatest of all edges. A loop's counter that only grows is not below
//! what it begins with, and below what each turn compares it with.

use super::super::control_flow::Holds;
use super::super::ir::Op;
use super::super::linear::Sum;
use super::bounds::{Bounds, Range, of_bits};
use super::cases::Case;
use super::reader::Reader;
use crate::relation::Test;

/// The change of a loop's counter in one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It adds something that is not negative; `by` is one in most loops.
    Grows { by: i128 },
    /// It multiplies by a positive number.
    Multiplies,
    /// It takes something away.
    Shrinks,
    /// It divides: what is not negative becomes no greater, and stays not negative.
    Divides,
}

/// Branches under whose conditions values are read for one value of a loop.
const MOST_OF_TURN: u32 = 60;

/// A way into a block.
struct Edge<'a> {
    /// The function's index in the chain.
    depth: usize,
    /// Conditions that hold there, the outermost last.
    conditions: Vec<(&'a str, Holds)>,
    /// It leads back to the begin of a loop.
    turn: bool,
}

/// A comparison of a value with another one: `value test other`.
struct Compared<'a> {
    test: Test,
    other: &'a str,
}

impl<'a> Reader<'_, '_, 'a> {
    /// Reads something where these conditions hold, and forgets what it learned from them. Before a `turn` of a loop, values
    /// of the loop are others than at the launch: nothing is taken from there.
    fn under<T>(&mut self, edge: &Edge<'a>, read: impl FnOnce(&mut Self) -> T) -> T {
        let (atoms, cells, multiples) = (self.atoms.clone(), self.cells.clone(), self.multiples.clone());
        let (bounds, side, narrowed) = (self.bounds.clone(), self.side.len(), self.narrowed);
        let (eval, case) = (self.eval, self.case.clone());
        if edge.turn {
            self.atoms.clear();
            self.cells.clear();
            self.multiples.clear();
            self.bounds = Bounds::default();
            (self.eval, self.case) = (self.plain, Case::default());
        }
        for &(value, holds) in edge.conditions.iter().rev() {
            self.condition(edge.depth, value, holds);
        }
        let found = read(self);
        (self.atoms, self.cells, self.multiples) = (atoms, cells, multiples);
        (self.bounds, self.narrowed) = (bounds, narrowed);
        (self.eval, self.case) = (eval, case);
        self.side.truncate(side);
        found
    }

    /// Between which numbers a value of so many bits is under these conditions; `None` if they contradict each other.
    fn range_under(&mut self, value: &'a str, edge: &Edge<'a>, bits: u32) -> Option<Range> {
        let any = of_bits(bits).range();
        if self.scopes == 0 {
            return Some(any);
        }
        self.scopes -= 1;
        self.under(edge, |r| {
            let (sum, exact) = r.read(|r| r.sum(edge.depth, value));
            if r.bounds.contradict() {
                return None;
            }
            let range = sum.filter(|_| exact).and_then(|sum| r.bounds.of(&sum)).unwrap_or(any);
            Some((range.0.max(any.0), range.1.min(any.1)))
        })
    }

    /// Returns the range of a loop's value in each turn that comes to a block.
    pub(super) fn range_in_turns(&mut self, depth: usize, value: &'a str, block: usize) -> Range {
        let (program, at) = (self.eval.program, self.eval.chain[depth].at);
        let conditions = program.flow(at).conditions(program.function(at), block);
        let bits = self.width(depth, value);
        let edge = Edge { depth, conditions, turn: true };
        // Each such value gets a search of its own, however much the launch has used up.
        let scopes = std::mem::replace(&mut self.scopes, MOST_OF_TURN);
        let range = self.range_under(value, &edge, bits);
        self.scopes = scopes;
        range.unwrap_or(of_bits(bits).range())
    }

    /// One of two values, as a condition says.
    pub(super) fn selected(
        &mut self,
        depth: usize,
        name: &'a str,
        condition: &'a str,
        values: [&'a str; 2],
    ) -> Option<Sum> {
        let one = self.itself(depth, name);
        let mut bits = self.width(depth, values[0]).min(self.width(depth, values[1]));
        if values.iter().all(|v| !v.starts_with('%')) {
            bits = 64;
        }
        let mut whole: Option<Range> = None;
        for (value, is) in values.into_iter().zip([true, false]) {
            let edge = Edge { depth, conditions: vec![(condition, Holds::Is(is))], turn: false };
            let range = self.range_under(value, &edge, bits);
            whole = hull(whole, range);
        }
        self.says_range(&one, whole, bits);
        Some(one)
    }

    /// The value of a phi.
    pub(super) fn joined(
        &mut self,
        depth: usize,
        name: &'a str,
        block: usize,
        incoming: &[(&'a str, usize)],
    ) -> Option<Sum> {
        let one = self.itself(depth, name);
        let bits = self.width(depth, name);
        let (program, at) = (self.eval.program, self.eval.chain[depth].at);
        let (f, flow) = (program.function(at), program.flow(at));
        let (mut entered, mut turned) = (None, None);
        let mut steps: Vec<Option<Step>> = Vec::new();
        for &(value, from) in incoming {
            if value == name {
                continue;
            }
            let turn = flow.dominates(block, from);
            let edge = Edge { depth, conditions: flow.conditions_of_edge(f, from, block), turn };
            let range = self.range_under(value, &edge, bits);
            if turn {
                let step = self.step(depth, name, value);
                steps.push(step);
                let range = range.map(|r| match step {
                    Some(Step::Divides) => (r.0.max(0), r.1),
                    _ => r,
                });
                turned = hull(turned, range);
            } else {
                entered = hull(entered, range);
            }
        }
        let Some(first) = entered else { return Some(one) };
        let all = |is: &dyn Fn(Step) -> bool| !steps.is_empty() && steps.iter().all(|s| s.is_some_and(is));
        let up = all(&|s| matches!(s, Step::Grows { .. }) || s == Step::Multiplies && first.0 >= 0);
        let down = all(&|s| s == Step::Shrinks || s == Step::Divides && first.0 >= 0);
        let mut whole = hull(Some(first), turned);
        if let Some(whole) = &mut whole {
            if up {
                whole.0 = first.0;
            }
            if down {
                whole.1 = first.1;
            }
        }
        // A division keeps no sign unless nothing is negative.
        if steps.contains(&Some(Step::Divides)) && !down {
            return Some(one);
        }
        self.says_range(&one, whole, bits);
        if !steps.is_empty() {
            self.compared_in_turns(depth, name, block, incoming);
        }
        Some(one)
    }

    fn says_range(&mut self, one: &Sum, range: Option<Range>, bits: u32) {
        let Some((least, most)) = range.filter(|r| r.0 <= r.1) else { return };
        let any = of_bits(bits).range();
        if least > any.0 {
            self.says(&Sum::of(least), Test::Le, one, true);
        }
        if most < any.1 {
            self.says(one, Test::Le, &Sum::of(most), true);
        }
    }

    /// Returns the change of a counter in one turn, if nothing overflows in it.
    fn step(&self, depth: usize, counter: &'a str, next: &'a str) -> Option<Step> {
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let Some(Op::Binary { op, a, b, signed, .. }) = f.definition(next) else { return None };
        let by = self.eval.int(depth, b).filter(|_| *a == counter)?;
        match *op {
            "add" if *signed && by >= 0 => Some(Step::Grows { by }),
            "add" if *signed => Some(Step::Shrinks),
            "sub" if *signed && by <= 0 => Some(Step::Grows { by: -by }),
            "sub" if *signed => Some(Step::Shrinks),
            "mul" if *signed && by >= 1 => Some(Step::Multiplies),
            "shl" if *signed && by >= 0 => Some(Step::Multiplies),
            "lshr" | "ashr" if by >= 0 => Some(Step::Divides),
            "sdiv" | "udiv" if by >= 1 => Some(Step::Divides),
            _ => None,
        }
    }

    /// Each turn of a loop with one way back compares what its counter is next with the same number: so is the counter,
    /// if what it begins with is.
    fn compared_in_turns(
        &mut self,
        depth: usize,
        name: &'a str,
        block: usize,
        incoming: &[(&'a str, usize)],
    ) {
        let (program, at) = (self.eval.program, self.eval.chain[depth].at);
        let (f, flow) = (program.function(at), program.flow(at));
        let Some(turns) = flow.loops.iter().find(|l| l.header == block) else { return };
        let (back, entries): (Vec<_>, Vec<_>) =
            incoming.iter().copied().partition(|(_, from)| flow.dominates(block, *from));
        let [(next, latch)] = back[..] else { return };
        for (value, holds) in flow.conditions_of_edge(f, latch, block) {
            // The next number, or the one before it.
            let before = self.compared(depth, name, value, holds);
            let is_before = before.is_some();
            let Some(compared) = self.compared(depth, next, value, holds).or(before) else { continue };
            let stays = f.defs.get(compared.other).is_none_or(|(b, _)| !turns.contains(*b));
            if !stays || !compared.other.starts_with('%') {
                continue;
            }
            let test = match (compared.test, self.step(depth, name, next)) {
                (Test::Ne | Test::Lt, Some(Step::Grows { by: 1 })) if is_before => Test::Le,
                _ if is_before => continue,
                (Test::Ne, Some(Step::Grows { by: 1 })) => Test::Lt,
                (Test::Ne | Test::Eq, _) => continue,
                (test, _) => test,
            };
            let begins = entries.iter().all(|&(value, from)| {
                let edge = Edge { depth, conditions: flow.conditions_of_edge(f, from, block), turn: false };
                self.holds_under(value, test, compared.other, &edge)
            });
            if begins {
                let one = self.itself(depth, name);
                let (other, exact) = self.read(|r| r.sum(depth, compared.other));
                if let Some(other) = other {
                    self.says(&one, test, &other, exact);
                }
            }
        }
    }

    /// A condition as a comparison of that value.
    fn compared(&self, depth: usize, of: &'a str, value: &'a str, holds: Holds) -> Option<Compared<'a>> {
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let Some(Op::Compare { test, a, b, .. }) = f.definition(value) else { return None };
        let is = match holds {
            Holds::Is(is) => is,
            Holds::Equals(_) | Holds::Leads { .. } => return None,
        };
        let test = match (*test, is) {
            ("slt", true) | ("sge", false) => Test::Lt,
            ("sle", true) | ("sgt", false) => Test::Le,
            ("sgt", true) | ("sle", false) => Test::Gt,
            ("sge", true) | ("slt", false) => Test::Ge,
            ("ne", true) | ("eq", false) => Test::Ne,
            _ => return None,
        };
        let turned = match test {
            Test::Lt => Test::Gt,
            Test::Le => Test::Ge,
            Test::Gt => Test::Lt,
            Test::Ge => Test::Le,
            other => other,
        };
        match (*a == of, *b == of) {
            (true, false) => Some(Compared { test, other: b }),
            (false, true) => Some(Compared { test: turned, other: a }),
            _ => None,
        }
    }

    /// Returns whether a comparison holds for all values that fulfil the conditions.
    fn holds_under(&mut self, value: &'a str, test: Test, other: &'a str, edge: &Edge<'a>) -> bool {
        if self.scopes == 0 {
            return false;
        }
        self.scopes -= 1;
        self.under(edge, |r| {
            let ((x, y), exact) = r.read(|r| (r.sum(edge.depth, value), r.sum(edge.depth, other)));
            let (Some(x), Some(y), true) = (x, y, exact) else { return false };
            let Some((least, most)) = r.bounds.of(&y.plus(&x, -1)) else { return false };
            match test {
                Test::Lt => least > 0,
                Test::Le => least >= 0,
                Test::Gt => most < 0,
                Test::Ge => most <= 0,
                _ => false,
            }
        })
    }
}

pub(super) fn hull(a: Option<Range>, b: Option<Range>) -> Option<Range> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (one, None) | (None, one) => one,
    }
}
