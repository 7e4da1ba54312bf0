//! Finds arrays that a loop fills, one word in each turn.
//!
//! The loop counts from zero to a number of turns, and each turn stores the word of its counter. Whether the words are
//! different follows from how the stored value is computed of the counter and of what does not change in the loop.

use super::super::control_flow::Flow;
use super::super::ir::{Function, Op};
use super::super::linear::Sum;
use super::bounds::{Range, of_bits};
use super::reader::Reader;
use super::writes::{Copy, Place, Write};
use flowgraph::Loop;
use std::rc::Rc;

/// Definitions that a stored value is followed through.
const MOST_DEEP: u32 = 12;

/// An array of words of 32 bits, filled by a loop.
pub(super) struct Fill<'p, 'a> {
    f: &'p Function<'a>,
    flow: Rc<Flow>,
    /// The loop among those of the function.
    index: usize,
    depth: usize,
    counter: &'a str,
    /// The counter of the next turn.
    next: &'a str,
    /// The number of turns.
    end: Sum,
    /// The value that each turn stores.
    each: &'a str,
}

impl<'p, 'a> Fill<'p, 'a> {
    /// Returns how all words are written that a copy of so many bytes reads.
    pub(super) fn of(
        reader: &mut Reader<'_, 'p, 'a>,
        depth: usize,
        copy: &Copy<'a>,
        bytes: &Sum,
        writes: &[Write<'a>],
    ) -> Option<Self> {
        let at = reader.eval.chain[depth].at;
        let (f, flow) = (reader.eval.program.function(at), reader.eval.program.flow(at));
        let (n, index) = writes.iter().enumerate().find_map(|(n, w)| {
            let index = *flow.around(w.spot.0).last()?;
            matches!(w.place, Place::Word(..)).then_some((n, index))
        })?;
        let turns = &flow.loops[index];
        let [latch] = turns.latches[..] else { return None };
        let alone = flow.around(turns.header).len() == 1
            && flow.dominates(turns.header, copy.spot.0)
            && !turns.contains(copy.spot.0)
            && flow.dominates(writes[n].spot.0, latch)
            && leaves_at(f, turns, latch);
        let (counter, next, end) = counted(reader, depth, turns, latch).filter(|_| alone)?;
        let each = writes[n].value?;
        let fill = Fill { f, flow: Rc::clone(&flow), index, depth, counter, next, end, each };
        let Place::Word(word, 0) = writes[n].place else { return None };
        // All other writes come before the loop.
        let before = |(m, other): (usize, &Write<'a>)| {
            let (inside, at) = (turns.contains(other.spot.0), other.spot.0);
            m == n || !inside && !leads(f, at, copy.spot.0, turns.header)
        };
        let all = fill.same(word) == counter && writes.iter().enumerate().all(before);
        (all && fill.end.times(4) == *bytes).then_some(fill)
    }

    fn turns(&self) -> &Loop {
        &self.flow.loops[self.index]
    }

    /// Follows a value through casts.
    fn same(&self, mut name: &'a str) -> &'a str {
        while let Some(Op::Cast { op: "sext" | "zext", of, .. } | Op::Same(of)) = self.f.definition(name) {
            name = of;
        }
        name
    }

    /// Returns whether a value is the same in each turn.
    fn stays(&self, name: &str) -> bool {
        self.f.defs.get(name).is_none_or(|(block, _)| !self.turns().contains(*block))
    }

    /// The greatest number of turns, if the stored words may be told apart by 31 bits.
    fn most_turns(&self, reader: &Reader<'_, '_, 'a>) -> Option<i128> {
        let (_, most) = reader.bounds.of(&self.end)?;
        (most < 1 << 31).then_some(most)
    }

    /// Returns whether all words are different, for any number of turns.
    pub(super) fn is_different(&self, reader: &mut Reader<'_, 'p, 'a>) -> bool {
        self.most_turns(reader).is_some() && self.differs(reader, self.each, 0)
    }

    /// Returns whether the lower 32 bits of a value are different in each turn.
    fn differs(&self, reader: &mut Reader<'_, 'p, 'a>, name: &'a str, deep: u32) -> bool {
        if name == self.counter || name == self.next {
            return true;
        }
        if deep > MOST_DEEP {
            return false;
        }
        let mut one =
            |value: &'a str, other: &str| self.stays(other) && self.differs(reader, value, deep + 1);
        match self.f.definition(name) {
            Some(Op::Same(of)) => self.differs(reader, of, deep + 1),
            Some(Op::Cast { op: "sext" | "zext" | "trunc", from: 32.., to: 32.., of }) => {
                self.differs(reader, of, deep + 1)
            }
            // Bits of sums depend on no higher ones.
            Some(Op::Binary { op: "add" | "sub" | "xor", bits: 32.., a, b, .. }) => one(a, b) || one(b, a),
            Some(Op::Binary { op: "mul", bits: bits @ 32.., a, b, signed, .. }) => {
                let whole = *signed && *bits == 32;
                let factor = |c: &str| c.parse::<i128>().is_ok_and(|c| c % 2 != 0 || whole && c != 0);
                factor(b) && one(a, b) || factor(a) && one(b, a)
            }
            Some(Op::Binary { op: "shl", bits: 32, signed: true, a, b, .. }) => {
                b.parse::<u32>().is_ok_and(|by| by < 32) && one(a, b)
            }
            Some(Op::Binary { op: op @ ("srem" | "urem"), a, b, .. }) if self.stays(b) => {
                // As many numbers in a row as the divisor, or fewer.
                let (divisor, exact) = reader.read(|r| r.sum(self.depth, b));
                let Some(divisor) = divisor.filter(|_| exact && self.is_row(a, 0)) else { return false };
                let left = divisor.plus(&self.end, -1);
                let is_enough = reader.bounds.of(&left).is_some_and(|(least, _)| least >= 0);
                let is_positive = reader.bounds.of(&divisor).is_some_and(|r| r.0 > 0 && r.1 < 1 << 31);
                let range = self.range(reader, a, 0);
                is_enough && is_positive && range.is_some_and(|r| *op == "srem" || r.0 >= 0)
            }
            _ => false,
        }
    }

    /// Returns whether a value grows by one in each turn, or shrinks by one, where nothing wraps around.
    fn is_row(&self, name: &'a str, deep: u32) -> bool {
        if name == self.counter || name == self.next {
            return true;
        }
        deep < MOST_DEEP
            && match self.f.definition(name) {
                Some(Op::Cast { of, .. } | Op::Same(of)) => self.is_row(of, deep + 1),
                Some(Op::Binary { op: "add" | "sub", a, b, .. }) => {
                    self.stays(b) && self.is_row(a, deep + 1) || self.stays(a) && self.is_row(b, deep + 1)
                }
                _ => false,
            }
    }

    /// Between which numbers a value is in all turns, if nothing wraps around in them.
    fn range(&self, reader: &mut Reader<'_, 'p, 'a>, name: &'a str, deep: u32) -> Option<Range> {
        if let Ok(c) = name.parse::<i128>() {
            return Some((c, c));
        }
        let most = self.most_turns(reader)?;
        if name == self.counter || name == self.next {
            let more = i128::from(name == self.next);
            return Some((more, most - 1 + more));
        }
        if self.stays(name) {
            let (sum, exact) = reader.read(|r| r.sum(self.depth, name));
            return reader.bounds.of(&sum.filter(|_| exact)?);
        }
        if deep > MOST_DEEP {
            return None;
        }
        match self.f.definition(name)? {
            Op::Same(of) => self.range(reader, of, deep + 1),
            Op::Cast { op: "sext", of, .. } => self.range(reader, of, deep + 1),
            Op::Cast { op: "zext", of, .. } => self.range(reader, of, deep + 1).filter(|r| r.0 >= 0),
            Op::Cast { op: "trunc", of, to, .. } => {
                self.range(reader, of, deep + 1).filter(|r| of_bits(*to).holds(*r))
            }
            Op::Binary { op, bits, signed, a, b, .. } => {
                let x = self.range(reader, a, deep + 1);
                let y = self.range(reader, b, deep + 1);
                within(computed(op, x, y)?, *bits, *signed)
            }
            _ => None,
        }
    }
}

/// A range of integers of so many bits; one that does not wrap around (`signed`) is cut off.
fn within(range: Range, bits: u32, signed: bool) -> Option<Range> {
    let all = of_bits(bits).range();
    match of_bits(bits).holds(range) {
        true => Some(range),
        false => signed.then_some((range.0.max(all.0), range.1.min(all.1))),
    }
}

fn computed(op: &str, x: Option<Range>, y: Option<Range>) -> Option<Range> {
    let constant = y.filter(|y| y.0 == y.1).map(|y| y.0);
    match (op, constant) {
        // Whatever the other side is.
        ("and", Some(c)) if c >= 0 => return Some((0, c)),
        ("urem", Some(c)) if c > 0 => return Some((0, c - 1)),
        ("srem", Some(c)) if c > 0 => {
            return Some((if x.is_some_and(|x| x.0 >= 0) { 0 } else { 1 - c }, c - 1));
        }
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
        _ => None,
    }
}

/// Returns whether that block is the only one with an edge out of the loop.
fn leaves_at(f: &Function<'_>, turns: &Loop, latch: usize) -> bool {
    let leaves = |n: &usize| f.blocks[*n].successors.iter().any(|to| !turns.contains(*to));
    turns.nodes().filter(leaves).eq([latch])
}

/// The counter of a loop, which begins with zero, its next value, and the number of turns.
fn counted<'a>(
    reader: &mut Reader<'_, '_, 'a>,
    depth: usize,
    turns: &Loop,
    latch: usize,
) -> Option<(&'a str, &'a str, Sum)> {
    let f = reader.eval.program.function(reader.eval.chain[depth].at);
    let Op::Branch { condition, yes, no } = &f.blocks[latch].insts.last()?.op else { return None };
    let Some(Op::Compare { test, a, b, .. }) = f.definition(condition) else { return None };
    let goes_on = match (turns.contains(*yes), turns.contains(*no)) {
        (true, false) => true,
        (false, true) => false,
        _ => return None,
    };
    if !matches!((*test, goes_on), ("ne" | "slt" | "ult", true) | ("eq" | "sge" | "uge", false)) {
        return None;
    }
    let (next, end) = (*a, *b);
    let Some(Op::Binary { op: "add", a: counter, b: "1", .. }) = f.definition(next) else { return None };
    let &(block, _) = f.defs.get(counter)?;
    let Some(Op::Phi { incoming }) = f.definition(counter) else { return None };
    if block != turns.header || f.defs.get(end).is_some_and(|(b, _)| turns.contains(*b)) {
        return None;
    }
    if incoming.iter().any(|&(value, from)| value != if turns.contains(from) { next } else { "0" }) {
        return None;
    }
    // The loop has a turn at least: with no number of turns it would have others.
    let (end, exact) = reader.read(|r| r.sum(depth, end));
    let end = end.filter(|_| exact)?;
    let (least, _) = reader.bounds.of(&end)?;
    (least > 0).then_some((counter, next, end))
}

/// Returns whether a way leads from one block to another one that does not pass a third.
fn leads(f: &Function<'_>, from: usize, to: usize, around: usize) -> bool {
    let mut seen = vec![false; f.blocks.len()];
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if block != around && !std::mem::replace(&mut seen[block], true) {
            work.extend(&f.blocks[block].successors);
        }
    }
    seen[to]
}
