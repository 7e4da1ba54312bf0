//! Ranges that hold the values of a loop in all of its turns, and the change of its running sums in one turn.

use super::super::ir::{Op, bits};
use super::bounds::{Range, of_bits};
use super::filled::{Fill, Read};
use super::phis::hull;
use super::reader::Reader;
use super::writes::{Copy, Stored, accesses, allocated};

/// Definitions that a value is followed through.
const MOST_DEEP: u32 = 12;
/// A running sum counts as so many definitions.
const SUM: u32 = 4;

/// The change of a running sum in one turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) change: Range,
    /// No addition in it wraps around as one of numbers with signs.
    pub(super) is_signed: bool,
}

impl<'p, 'a> Fill<'p, 'a> {
    /// Returns the values that a phi of the loop's first block begins with, and the value that each turn leaves in it. The
    /// word before the one that a turn stores is as such a phi.
    pub(super) fn running(&self, phi: &str) -> Option<(Vec<&'a str>, &'a str)> {
        if let (Some(previous), Some(first), Stored::Integer(each)) = (self.previous, self.first, self.each)
            && previous == phi
        {
            return Some((vec![first], each));
        }
        let &(block, _) = self.f.defs.get(phi)?;
        let Some(Op::Phi { incoming }) = self.f.definition(phi) else { return None };
        let &(next, _) = incoming.iter().find(|(_, from)| *from == self.latch)?;
        let begins = incoming.iter().filter(|(_, from)| *from != self.latch).map(|(value, _)| *value);
        (block == self.turns().header).then(|| (begins.collect(), next))
    }

    /// Returns how a value that a turn computes of a running sum differs from that.
    pub(super) fn step(
        &self,
        reader: &mut Reader<'_, 'p, 'a>,
        name: &'a str,
        sum: &'a str,
        deep: u32,
    ) -> Option<Step> {
        if name == sum {
            return Some(Step { change: (0, 0), is_signed: true });
        }
        if deep > MOST_DEEP || self.stays(name) {
            return None;
        }
        match self.f.definition(name)? {
            Op::Same(of) => self.step(reader, of, sum, deep + 1),
            Op::Binary { op: op @ ("add" | "sub"), signed, a, b, .. } => {
                let (of, other) = match self.step(reader, a, sum, deep + 1) {
                    Some(step) => (step, b),
                    None if *op == "add" => (self.step(reader, b, sum, deep + 1)?, a),
                    None => return None,
                };
                let by = self.range(reader, other, deep + 1)?;
                let by = if *op == "add" { by } else { (by.1.checked_neg()?, by.0.checked_neg()?) };
                let change = (of.change.0.checked_add(by.0)?, of.change.1.checked_add(by.1)?);
                Some(Step { change, is_signed: of.is_signed && *signed })
            }
            Op::Select { a, b, .. } => self.step_of_one(reader, &[a, b], sum, deep),
            Op::Phi { incoming } if !self.is_header(name) => {
                let values: Vec<&'a str> = incoming.iter().map(|(value, _)| *value).collect();
                self.step_of_one(reader, &values, sum, deep)
            }
            _ => None,
        }
    }

    /// Returns the change if a value is one of several.
    fn step_of_one(
        &self,
        reader: &mut Reader<'_, 'p, 'a>,
        values: &[&'a str],
        sum: &'a str,
        deep: u32,
    ) -> Option<Step> {
        let mut whole: Option<Step> = None;
        for value in values {
            let step = self.step(reader, value, sum, deep + 1)?;
            whole = Some(match whole {
                None => step,
                Some(other) => Step {
                    change: (other.change.0.min(step.change.0), other.change.1.max(step.change.1)),
                    is_signed: other.is_signed && step.is_signed,
                },
            });
        }
        whole
    }

    /// Returns the range of a running sum in all turns, or also behind the last one, if nothing wraps around.
    pub(super) fn sums(
        &self,
        reader: &mut Reader<'_, 'p, 'a>,
        phi: &'a str,
        behind: bool,
        deep: u32,
    ) -> Option<(Range, Step)> {
        let (begins, next) = self.running(phi)?;
        let mut begin = None;
        for value in begins {
            let (sum, exact) = reader.read(|r| r.sum(self.depth, value));
            begin = hull(begin, Some(reader.bounds.of(&sum.filter(|_| exact)?)?));
        }
        let (least, most) = begin?;
        let step = self.step(reader, next, phi, deep + SUM)?;
        let turns = self.most_turns(reader)? - i128::from(!behind);
        let range = (
            least.checked_add(turns.checked_mul(step.change.0.min(0))?)?,
            most.checked_add(turns.checked_mul(step.change.1.max(0))?)?,
        );
        Some((range, step))
    }

    /// Returns whether a phi is in the first block of a loop.
    fn is_header(&self, phi: &str) -> bool {
        self.f.defs.get(phi).is_some_and(|(block, _)| self.flow.loops.iter().any(|l| l.header == *block))
    }

    /// Returns the range of a value in all turns; `None` if arithmetic of the loop may wrap around in it.
    pub(super) fn range(&self, reader: &mut Reader<'_, 'p, 'a>, name: &'a str, deep: u32) -> Option<Range> {
        if let Ok(c) = name.parse::<i128>() {
            return Some((c, c));
        }
        let most = self.most_turns(reader)?;
        if name == self.loops.counter || name == self.loops.next {
            let more = self.loops.begin + i128::from(name == self.loops.next);
            return Some((more, most - 1 + more));
        }
        if self.stays(name) {
            let (sum, exact) = reader.read(|r| r.sum(self.depth, name));
            return reader.bounds.of(&sum.filter(|_| exact)?);
        }
        match deep > MOST_DEEP {
            true => None,
            false => self.computed(reader, name, deep),
        }
    }

    /// Returns the range of a value that the loop computes.
    fn computed(&self, reader: &mut Reader<'_, 'p, 'a>, name: &'a str, deep: u32) -> Option<Range> {
        match self.f.definition(name)? {
            Op::Same(of) | Op::Cast { op: "sext", from: 2.., of, .. } => self.range(reader, of, deep + 1),
            Op::Cast { op: "zext", of, from: from @ 1..=63, .. } => {
                let range = self.range(reader, of, deep + 1).filter(|r| r.0 >= 0 && *from > 1);
                range.or(Some((0, (1 << from) - 1)))
            }
            Op::Cast { op: "trunc", of, to, .. } => {
                self.range(reader, of, deep + 1).filter(|r| of_bits(*to).holds(*r))
            }
            Op::Binary { op, bits, signed, a, b, .. } => {
                let x = self.range(reader, a, deep + 1);
                let y = self.range(reader, b, deep + 1);
                within(of_operation(op, x, y)?, *bits, *signed)
            }
            Op::Select { a, b, .. } => {
                let (x, y) = (self.range(reader, a, deep + 1)?, self.range(reader, b, deep + 1)?);
                hull(Some(x), Some(y))
            }
            Op::Phi { incoming } if !self.is_header(name) => {
                let mut whole = None;
                for (value, _) in incoming {
                    whole = hull(whole, Some(self.range(reader, value, deep + 1)?));
                }
                whole
            }
            Op::Phi { .. } | Op::Load { .. } if self.running(name).is_some() => {
                let (range, step) = self.sums(reader, name, false, deep)?;
                let bits = reader.width(self.depth, name);
                within(range, bits, step.is_signed).or(Some(of_bits(bits).range()))
            }
            op => {
                if let Some(&range) = self.known.borrow().get(name) {
                    return Some(range);
                }
                let found = match op {
                    Op::Load { ty, from } => self.loaded(reader, name, bits(ty), from),
                    Op::Call { callee: Some(callee), arguments, .. } if is_least(callee) => {
                        let mut of = |n: usize| self.range(reader, arguments.get(n)?.value, deep + 1);
                        // Numbers that are not negative are the same without a sign.
                        let is_same = |x: Range, y: Range| callee.contains(".smin.") || x.0.min(y.0) >= 0;
                        let both = of(0).zip(of(1)).filter(|(x, y)| is_same(*x, *y));
                        both.map(|(x, y)| (x.0.min(y.0), x.1.min(y.1)))
                    }
                    _ => None,
                };
                let range = found.unwrap_or_else(|| reader.range_in_turns(self.depth, name, self.latch));
                self.known.borrow_mut().insert(name, range);
                Some(range)
            }
        }
    }

    /// Returns the range of a word that is loaded from an array which an earlier loop has filled.
    fn loaded(
        &self,
        reader: &mut Reader<'_, 'p, 'a>,
        name: &'a str,
        bits: u32,
        from: &'a str,
    ) -> Option<Range> {
        let mut array = from;
        let size = loop {
            match self.f.definition(array)? {
                Op::Element { base, .. } | Op::Same(base) => array = base,
                Op::Phi { .. } => {
                    let (begins, next) = self.running(array)?;
                    let [begin] = begins[..] else { return None };
                    let moves =
                        matches!(self.f.definition(next), Some(Op::Element { base, .. }) if *base == array);
                    array = Some(begin).filter(|_| moves)?;
                }
                _ => break allocated(self.f, array)?,
            }
        };
        let (size, exact) = reader.read(|r| r.sum(self.depth, size));
        let size = size.filter(|_| exact)?;
        let module = &reader.eval.program.modules[reader.eval.chain[self.depth].at.module];
        let all = accesses(self.f, module, array)?.writes;
        let copy = Copy { spot: *self.f.defs.get(name)?, from: array, bytes: "" };
        let read = Read { depth: self.depth, copy: &copy, bytes: &size, writes: &all };
        let fill = Fill::of(reader, &read)?;
        fill.words(reader).filter(|_| i128::from(bits) == 8 * fill.bytes)
    }

    /// Returns the range of all words.
    pub(super) fn words(&self, reader: &mut Reader<'_, 'p, 'a>) -> Option<Range> {
        let Stored::Integer(each) = self.each else { return None };
        let mut whole = Some(self.range(reader, each, 0)?);
        for word in [self.first, self.last].into_iter().flatten() {
            // The value of the word behind the others may be one that the last turn has computed.
            whole = hull(whole, Some(self.range(reader, word, 0)?));
        }
        whole
    }
}

/// Returns whether a function returns the least of two integers.
pub(super) fn is_least(callee: &str) -> bool {
    ["llvm.smin.i32", "llvm.umin.i32", "llvm.smin.i64", "llvm.umin.i64"].contains(&callee)
}

/// A range of integers of so many bits; one that does not wrap around (`signed`) is cut off.
fn within(range: Range, bits: u32, signed: bool) -> Option<Range> {
    let all = of_bits(bits).range();
    match of_bits(bits).holds(range) {
        true => Some(range),
        false => signed.then_some((range.0.max(all.0), range.1.min(all.1))),
    }
}

/// Returns the range of an operation's result, without bounds of its own.
fn of_operation(op: &str, x: Option<Range>, y: Option<Range>) -> Option<Range> {
    let constant = y.filter(|y| y.0 == y.1).map(|y| y.0);
    match (op, constant) {
        // Whatever the other side is.
        ("and", Some(c)) if c >= 0 => return Some((0, c)),
        ("urem", Some(c)) if c > 0 => return Some((0, c - 1)),
        ("srem", Some(c)) if c > 0 => {
            return Some((if x.is_some_and(|x| x.0 >= 0) { 0 } else { 1 - c }, c - 1));
        }
        ("urem", None) if y.is_some_and(|y| y.0 > 0) => return Some((0, y?.1 - 1)),
        _ => {}
    }
    let (x, y) = (x?, y?);
    match (op, constant) {
        ("add", _) => Some((x.0.checked_add(y.0)?, x.1.checked_add(y.1)?)),
        ("sub", _) => Some((x.0.checked_sub(y.1)?, x.1.checked_sub(y.0)?)),
        ("mul", _) => {
            let mut all = Vec::new();
            for p in [x.0, x.1] {
                for q in [y.0, y.1] {
                    all.push(p.checked_mul(q)?);
                }
            }
            Some((*all.iter().min()?, *all.iter().max()?))
        }
        ("shl", Some(c @ 0..32)) => Some((x.0.checked_mul(1 << c)?, x.1.checked_mul(1 << c)?)),
        ("lshr" | "ashr", Some(c @ 0..32)) if x.0 >= 0 => Some((x.0 >> c, x.1 >> c)),
        ("udiv" | "sdiv", Some(c)) if c > 0 && x.0 >= 0 => Some((x.0 / c, x.1 / c)),
        ("srem", _) if x.0 >= 0 && y.0 > 0 => Some((0, x.1.min(y.1 - 1))),
        _ => None,
    }
}
