//! Bounds of the words that a loop stores: constants, remainders by a number of the host code, least values, and parts of
//! the loop's counter.

use super::super::ir::Op;
use super::super::linear::Sum;
use super::bounds::Range;
use super::filled::Fill;
use super::reader::Reader;
use super::turn_ranges::is_least;
use super::writes::Stored;

/// Definitions that a stored value is followed through.
const MOST_DEEP: u32 = 12;

/// The least and the greatest number that all words of an array lie between.
pub(super) struct WordBounds {
    pub(super) least: Sum,
    pub(super) most: Sum,
}

impl<'p, 'a> Fill<'p, 'a> {
    /// Returns bounds of all words of 32 bits, for any number of turns.
    ///
    /// The words are neither negative nor 2^31 or more, so that they are the same numbers with and without a sign. Bounds
    /// are computed of values that stay the same in the loop, so that they hold in each turn. Exchanges and sorts of the
    /// words keep them.
    pub(super) fn word_bounds(&self, reader: &mut Reader<'_, 'p, 'a>) -> Option<WordBounds> {
        let Stored::Integer(each) = self.each else { return None };
        let alone = self.bytes == 4 && self.first.is_none() && self.last.is_none();
        let (least, most) = self.small(reader, each).filter(|_| alone)?;
        if self.stays(each) {
            let same = self.exact(reader, each)?;
            return Some(WordBounds { least: same.clone(), most: same });
        }
        let symbolic = self.at_most(reader, each, 0);
        Some(WordBounds { least: Sum::of(least), most: symbolic.unwrap_or(Sum::of(most)) })
    }

    /// Returns the range of a value in all turns, if it is neither negative nor 2^31 or more.
    fn small(&self, reader: &mut Reader<'_, 'p, 'a>, name: &'a str) -> Option<Range> {
        self.range(reader, name, 0).filter(|range| range.0 >= 0 && range.1 < 1 << 31)
    }

    /// Returns the sum that a value is which stays the same in the loop, if the host's arithmetic gives it.
    fn exact(&self, reader: &mut Reader<'_, 'p, 'a>, name: &'a str) -> Option<Sum> {
        let (sum, exact) = reader.read(|r| r.sum(self.depth, name));
        sum.filter(|_| exact && self.stays(name))
    }

    /// Returns a sum that a value, which is not negative, exceeds in no turn.
    fn at_most(&self, reader: &mut Reader<'_, 'p, 'a>, name: &'a str, deep: u32) -> Option<Sum> {
        if deep > MOST_DEEP || self.small(reader, name).is_none() {
            return None;
        }
        if self.stays(name) {
            return self.exact(reader, name);
        }
        if name == self.loops.counter || name == self.loops.next {
            let last = self.loops.begin - i128::from(name == self.loops.counter);
            return Some(self.loops.turns.plus(&Sum::of(last), 1));
        }
        let is_positive = |c: &str| c.parse::<i128>().is_ok_and(|c| c > 0);
        match self.f.definition(name)? {
            Op::Same(of) | Op::Cast { op: "sext" | "zext" | "trunc", of, .. } => {
                self.at_most(reader, of, deep + 1)
            }
            // A remainder is less than its divisor, which is positive.
            Op::Binary { op: "srem" | "urem", b, .. } => {
                let divisor = self.exact(reader, b)?;
                let range = reader.bounds.of(&divisor)?;
                (range.0 > 0 && range.1 < 1 << 31).then(|| divisor.plus(&Sum::of(1), -1))
            }
            // A quotient by a positive number, and a mask of a number that is not negative, are not greater than that.
            Op::Binary { op: "sdiv" | "udiv" | "lshr" | "ashr", a, b, .. } if is_positive(b) => {
                self.at_most(reader, a, deep + 1)
            }
            Op::Binary { op: "and", a, b, .. } => {
                self.at_most(reader, a, deep + 1).or_else(|| self.at_most(reader, b, deep + 1))
            }
            Op::Call { callee: Some(callee), arguments, .. } if is_least(callee) => {
                arguments.iter().find_map(|a| self.at_most(reader, a.value, deep + 1))
            }
            _ => None,
        }
    }
}
