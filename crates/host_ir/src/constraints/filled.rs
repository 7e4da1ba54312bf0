//! Finds arrays that a loop fills, one word in each turn.
//!
//! The loop counts from zero to a number of turns, or moves a pointer from the array's beginning to its end, and each turn
//! stores one word. One more word may be stored in front of these before the loop, or behind them after it: the first and
//! the last sum of a scan. Behind the loop, words may be exchanged ([`super::exchanges`]). What holds of all words follows
//! from how the stored value is computed of the counter, of running sums, and of what does not change in the loop
//! ([`super::different`], [`super::ascending`]).

use super::super::control_flow::Flow;
use super::super::ir::{Function, Op};
use super::super::linear::Sum;
use super::bounds::Range;
use super::counted_loops::{Counted, counted, is_before, leads, leaves_at};
use super::exchanges::exchanges;
use super::reader::Reader;
use super::writes::{Copy, Place, Stored, Write};
use flowgraph::Loop;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A copy or a load that reads an array of so many bytes, and all writes to the array.
pub(super) struct Read<'r, 'a> {
    pub(super) depth: usize,
    pub(super) copy: &'r Copy<'a>,
    pub(super) bytes: &'r Sum,
    pub(super) writes: &'r [Write<'a>],
}

/// An array of words of 32 or 64 bits, filled by a loop.
pub(super) struct Fill<'p, 'a> {
    pub(super) f: &'p Function<'a>,
    pub(super) flow: Rc<Flow>,
    /// The loop among those of the function.
    pub(super) index: usize,
    pub(super) latch: usize,
    pub(super) depth: usize,
    pub(super) loops: Counted<'a>,
    /// The value that each turn stores.
    pub(super) each: Stored<'a>,
    /// Bytes of a word.
    pub(super) bytes: i128,
    /// The value of the word in front of those that the loop stores, if there is one.
    pub(super) first: Option<&'a str>,
    /// The value of the word behind them, if there is one.
    pub(super) last: Option<&'a str>,
    /// The value of the word before the one that a turn stores, as the turn loads it; the first turn loads `first`.
    pub(super) previous: Option<&'a str>,
    /// Whether words are exchanged behind the loop.
    pub(super) is_exchanged: bool,
    /// Ranges of values that no arithmetic of the loop computes.
    pub(super) known: RefCell<HashMap<&'a str, Range>>,
}

impl<'p, 'a> Fill<'p, 'a> {
    /// Returns how all words are written that a copy reads.
    pub(super) fn of(reader: &mut Reader<'_, 'p, 'a>, read: &Read<'_, 'a>) -> Option<Self> {
        (0..read.writes.len()).find_map(|n| Fill::by(reader, read, n))
    }

    /// Returns how the words are written if one of the writes is that of the loop.
    fn by(reader: &mut Reader<'_, 'p, 'a>, read: &Read<'_, 'a>, n: usize) -> Option<Self> {
        let Read { depth, copy, writes, .. } = *read;
        let write = writes[n];
        let each = match write.stored {
            Stored::Unknown | Stored::Sorted => return None,
            stored => stored,
        };
        let at = reader.eval.chain[depth].at;
        let (f, flow) = (reader.eval.program.function(at), reader.eval.program.flow(at));
        let index = *flow.around(write.spot.0).last()?;
        let turns = &flow.loops[index];
        let [latch] = turns.latches[..] else { return None };
        let alone = flow.around(turns.header).len() == 1
            && flow.dominates(turns.header, copy.spot.0)
            && !turns.contains(copy.spot.0)
            && flow.dominates(write.spot.0, latch)
            && leaves_at(f, turns, latch, copy.spot.0);
        let loops = counted(reader, depth, turns, latch).filter(|_| alone)?;
        let flow = Rc::clone(&flow);
        let mut fill = Fill {
            f,
            flow,
            index,
            latch,
            depth,
            loops,
            each,
            bytes: write.bytes,
            first: None,
            last: None,
            previous: None,
            is_exchanged: false,
            known: RefCell::default(),
        };
        let shift = fill.shift(write.place)?;
        let words = fill.loops.turns.plus(&Sum::of(shift), 1);
        let (mut before, exchanges) = (Vec::new(), exchanges(f, copy.from, writes));
        for (m, other) in writes.iter().enumerate().filter(|(m, _)| *m != n) {
            let inside = fill.turns().contains(other.spot.0);
            if !inside && !leads(f, other.spot.0, copy.spot.0, fill.turns().header) {
                before.push(writes[m]);
            } else if !inside && exchanges.contains(&other.spot) && fill.may_exchange(other) {
                fill.is_exchanged = true;
            } else if inside || fill.last.is_some() || !fill.is_last(reader, copy, other, &words) {
                return None;
            } else {
                fill.last = other.integer();
            }
        }
        if shift == 1 {
            fill.first = Some(fill.first_word(&before)?);
        }
        let all = words.plus(&Sum::of(i128::from(fill.last.is_some())), 1);
        (all.times(fill.bytes) == *read.bytes).then_some(fill)
    }

    /// Returns whether a write behind the loop may be part of an exchange of the words that it stores.
    fn may_exchange(&self, write: &Write<'a>) -> bool {
        let is_integer = write.integer().is_some() || write.stored == Stored::Sorted;
        let is_word = is_integer && matches!(self.each, Stored::Integer(_));
        is_word && write.bytes == self.bytes && self.flow.dominates(self.turns().header, write.spot.0)
    }

    pub(super) fn turns(&self) -> &Loop {
        &self.flow.loops[self.index]
    }

    /// Follows a value through casts.
    fn same(&self, mut name: &'a str) -> &'a str {
        while let Some(Op::Cast { op: "sext" | "zext", of, .. } | Op::Same(of)) = self.f.definition(name) {
            name = of;
        }
        name
    }

    /// Returns the number of the word that the first turn stores, if each turn stores the next one: zero or one.
    fn shift(&self, place: Place<'a>) -> Option<i128> {
        let (first, at, bytes) = match place {
            Place::Element { number, bytes, at } => {
                let number = self.same(number);
                let first = match () {
                    () if number == self.loops.counter => self.loops.begin,
                    () if number == self.loops.next => self.loops.begin + 1,
                    () => return None,
                };
                (first, at, bytes)
            }
            Place::Moved { pointer, bytes, at } => {
                let &(block, _) = self.f.defs.get(pointer)?;
                (0, Some(at).filter(|_| block == self.turns().header)?, bytes)
            }
            Place::At(_) | Place::Anywhere => return None,
        };
        let whole = bytes == self.bytes && at % bytes == 0;
        Some(first + at / bytes).filter(|shift| whole && (0..=1).contains(shift))
    }

    /// Returns whether a write stores the word with that number, once, after the loop and before the copy.
    fn is_last(
        &self,
        reader: &mut Reader<'_, 'p, 'a>,
        copy: &Copy<'a>,
        write: &Write<'a>,
        words: &Sum,
    ) -> bool {
        let once = self.flow.around(write.spot.0).is_empty()
            && self.flow.dominates(self.turns().header, write.spot.0)
            && is_before(&self.flow, write.spot, copy.spot);
        let (number, exact) = reader.read(|r| match write.place {
            Place::At(at) if at % write.bytes.max(1) == 0 => Some(Sum::of(at / write.bytes.max(1))),
            Place::Element { number, bytes, at } if bytes == write.bytes && at % bytes == 0 => {
                Some(r.sum(self.depth, number)?.plus(&Sum::of(at / bytes), 1))
            }
            _ => None,
        });
        once && exact
            && write.integer().is_some()
            && write.bytes == self.bytes
            && number.as_ref() == Some(words)
    }

    /// Returns the value of the first word: that of the last of the writes before the loop that may store it.
    fn first_word(&self, before: &[Write<'a>]) -> Option<&'a str> {
        let header = self.turns().header;
        let touching: Vec<&Write<'a>> =
            before.iter().filter(|w| !matches!(w.place, Place::At(at) if at >= self.bytes)).collect();
        let is_last = |w: &&&Write<'a>| {
            let other_comes_later = |other: &&Write<'a>| {
                let later = match other.spot.0 == w.spot.0 {
                    true => other.spot.1 > w.spot.1,
                    false => leads(self.f, w.spot.0, other.spot.0, header),
                };
                other.spot != w.spot && later
            };
            w.place == Place::At(0)
                && w.bytes == self.bytes
                && self.flow.around(w.spot.0).is_empty()
                && self.flow.dominates(w.spot.0, header)
                && !touching.iter().any(other_comes_later)
        };
        touching.iter().find(is_last)?.integer()
    }

    /// Returns whether a value is the same in each turn.
    pub(super) fn stays(&self, name: &str) -> bool {
        self.f.defs.get(name).is_none_or(|(block, _)| !self.turns().contains(*block))
    }

    /// Returns the greatest number of turns, if it is less than 2^31.
    pub(super) fn most_turns(&self, reader: &Reader<'_, '_, 'a>) -> Option<i128> {
        let (_, most) = reader.bounds.of(&self.loops.turns)?;
        (most < 1 << 31).then_some(most)
    }
}
