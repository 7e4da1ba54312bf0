//! Returns whether the words that a loop stores do not decrease: multiples of a counter, and running sums of numbers that
//! are not negative.

use super::super::ir::Op;
use super::bounds::of_bits;
use super::filled::Fill;
use super::reader::Reader;
use super::writes::Stored;

/// Definitions that a stored value is followed through.
const MOST_DEEP: u32 = 12;

impl<'p, 'a> Fill<'p, 'a> {
    /// Returns whether no word is less than the one before it, as numbers with signs, for any number of turns.
    pub(super) fn is_ascending(&self, reader: &mut Reader<'_, 'p, 'a>) -> bool {
        let Stored::Integer(each) = self.each else { return false };
        !self.is_exchanged
            && self.most_turns(reader).is_some()
            && self.grows(reader, each, 0)
            && self.first.is_none_or(|first| self.is_least(reader, first, each))
            && self.last.is_none_or(|last| self.is_most(reader, last, each))
    }

    /// Returns whether the word in front of the loop's is no greater than they are.
    fn is_least(&self, reader: &mut Reader<'_, 'p, 'a>, first: &'a str, each: &'a str) -> bool {
        let (sum, exact) = reader.read(|r| r.sum(self.depth, first));
        let Some(sum) = sum.filter(|_| exact) else { return false };
        // A running sum begins with that word, or with a greater number.
        let of_sum = self.summed(each).and_then(|phi| self.running(phi)).is_some_and(|(begins, _)| {
            begins.iter().all(|begin| {
                let (begin, exact) = reader.read(|r| r.sum(self.depth, begin));
                let left = begin.filter(|_| exact).map(|begin| begin.plus(&sum, -1));
                left.and_then(|left| reader.bounds.of(&left)).is_some_and(|(least, _)| least >= 0)
            })
        });
        let range = self.range(reader, each, 0);
        let most = reader.bounds.of(&sum).map(|(_, most)| most);
        of_sum || range.zip(most).is_some_and(|((least, _), most)| most <= least)
    }

    /// Returns whether the word behind the loop's is no less than they are: the running sum that they are, one turn later.
    fn is_most(&self, reader: &mut Reader<'_, 'p, 'a>, mut last: &'a str, each: &'a str) -> bool {
        while let Some(Op::Phi { incoming }) = self.f.definition(last)
            && let [(one, _)] = incoming[..]
        {
            last = one;
        }
        last == each
            || self.running(each).is_some_and(|(_, next)| next == last) && self.never_shrinks(reader, each)
    }

    /// Returns the running sum that a value is, or is the next value of.
    fn summed(&self, name: &'a str) -> Option<&'a str> {
        if self.running(name).is_some() {
            return Some(name);
        }
        let phis = self.f.blocks[self.turns().header].insts.iter().filter_map(|inst| inst.result);
        phis.chain(self.previous).find(|phi| self.running(phi).is_some_and(|(_, next)| next == name))
    }

    /// Returns whether a running sum adds a number in each turn that is not negative, and does not wrap around.
    fn never_shrinks(&self, reader: &mut Reader<'_, 'p, 'a>, phi: &'a str) -> bool {
        let Some((_, next)) = self.running(phi) else { return false };
        let Some(step) = self.step(reader, next, phi, 0) else { return false };
        let bits = reader.width(self.depth, phi);
        let fits = |range| of_bits(bits).holds(range);
        step.change.0 >= 0
            && (step.is_signed || self.sums(reader, phi, true, 0).is_some_and(|(r, _)| fits(r)))
    }

    /// Returns whether a value does not decrease from turn to turn.
    fn grows(&self, reader: &mut Reader<'_, 'p, 'a>, name: &'a str, deep: u32) -> bool {
        if name == self.loops.counter || name == self.loops.next || self.stays(name) {
            return true;
        }
        if deep > MOST_DEEP {
            return false;
        }
        if let Some(phi) = self.summed(name) {
            return self.never_shrinks(reader, phi);
        }
        let is_positive = |c: &str| c.parse::<i128>().is_ok_and(|c| c > 0);
        match self.f.definition(name) {
            Some(Op::Same(of) | Op::Cast { op: "sext", of, .. }) => self.grows(reader, of, deep + 1),
            Some(Op::Cast { op: "zext", of, .. }) => {
                self.is_never_negative(reader, of) && self.grows(reader, of, deep + 1)
            }
            Some(Op::Cast { op: "trunc", of, to, .. }) => {
                let fits = self.range(reader, of, 0).is_some_and(|r| of_bits(*to).holds(r));
                fits && self.grows(reader, of, deep + 1)
            }
            Some(Op::Binary { op, signed, a, b, .. }) => {
                let whole = *signed || self.range(reader, name, 0).is_some();
                match *op {
                    "add" => whole && self.grows(reader, a, deep + 1) && self.grows(reader, b, deep + 1),
                    "sub" => whole && self.stays(b) && self.grows(reader, a, deep + 1),
                    "mul" => {
                        let mut product = |a: &'a str, b: &'a str| {
                            self.stays(b)
                                && self.is_never_negative(reader, b)
                                && self.grows(reader, a, deep + 1)
                        };
                        whole && (product(a, b) || product(b, a))
                    }
                    "shl" => whole && b.parse::<u32>().is_ok() && self.grows(reader, a, deep + 1),
                    "sdiv" | "ashr" => is_positive(b) && self.grows(reader, a, deep + 1),
                    "udiv" | "lshr" => {
                        is_positive(b) && self.is_never_negative(reader, a) && self.grows(reader, a, deep + 1)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn is_never_negative(&self, reader: &mut Reader<'_, 'p, 'a>, name: &'a str) -> bool {
        self.range(reader, name, 0).is_some_and(|(least, _)| least >= 0)
    }
}
