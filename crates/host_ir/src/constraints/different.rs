//! Returns whether all words that a loop stores are different.

use super::super::ir::Op;
use super::filled::Fill;
use super::reader::Reader;
use super::writes::Stored;

/// Definitions that a stored value is followed through.
const MOST_DEEP: u32 = 12;

impl<'p, 'a> Fill<'p, 'a> {
    /// Returns whether all words are different, for any number of turns.
    pub(super) fn is_different(&self, reader: &mut Reader<'_, 'p, 'a>) -> bool {
        let Stored::Integer(each) = self.each else { return false };
        let alone = self.first.is_none() && self.last.is_none() && self.bytes == 4;
        alone && self.most_turns(reader).is_some() && self.differs(reader, each, 0)
    }

    /// Returns whether the lower 32 bits of a value are different in each turn.
    fn differs(&self, reader: &mut Reader<'_, 'p, 'a>, name: &'a str, deep: u32) -> bool {
        if name == self.loops.counter || name == self.loops.next {
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
            Some(Op::Phi { .. }) => self.counts_odd(name),
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
                let left = divisor.plus(&self.loops.turns, -1);
                let is_enough = reader.bounds.of(&left).is_some_and(|(least, _)| least >= 0);
                let is_positive = reader.bounds.of(&divisor).is_some_and(|r| r.0 > 0 && r.1 < 1 << 31);
                let range = self.range(reader, a, 0);
                is_enough && is_positive && range.is_some_and(|r| *op == "srem" || r.0 >= 0)
            }
            _ => false,
        }
    }

    /// Returns whether a value of at least 32 bits grows by the same odd number in each turn: 2^32 turns bring different
    /// lower halves.
    fn counts_odd(&self, phi: &str) -> bool {
        let Some((_, next)) = self.running(phi) else { return false };
        match self.f.definition(next) {
            Some(Op::Binary { op: "add" | "sub", bits: 32.., a, b, .. }) => {
                *a == phi && b.parse::<i128>().is_ok_and(|c| c % 2 != 0)
            }
            _ => false,
        }
    }

    /// Returns whether a value grows by one in each turn, or shrinks by one, where nothing wraps around.
    fn is_row(&self, name: &'a str, deep: u32) -> bool {
        if name == self.loops.counter || name == self.loops.next {
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
}
