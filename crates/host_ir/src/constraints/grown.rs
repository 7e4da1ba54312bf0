//! Finds vectors that grow by one word in each turn of a loop: `push_back` and `emplace_back`.
//!
//! A vector is the address of its first word and that behind its last one. One that is full is copied to new memory before
//! it grows, so both are chosen of two: `begin` is that of the new memory or the old one, and the word is stored behind the
//! copied words, or behind the old ones ([`crate::prepare`] gives the library's function this form). From the vector that a
//! copy brings to a device, its words are followed back: words that are pushed behind the loop, those of its turns, and
//! words that are pushed before it into an empty vector. Nothing else may write to any of its memory but sorts and
//! exchanges of words behind the loop.

use super::super::ir::{Function, Module, Op, bits};
use super::super::linear::Sum;
use super::counted_loops::{counted, leaves_at};
use super::filled::Fill;
use super::reader::Reader;
use super::writes::{Accesses, Copy, Spot, Stored, is_new, writes_of_all};
use flowgraph::Loop;
use std::collections::HashMap;
use std::rc::Rc;

/// Words that are pushed outside of the loop.
const MOST_PUSHES: usize = 4;

/// One word that is appended to a vector.
struct Push<'a> {
    /// The vector before.
    begin: &'a str,
    end: &'a str,
    /// The address that the word gets, one of two.
    there: &'a str,
    /// The memory that a full vector is copied to.
    new: &'a str,
    value: &'a str,
    bytes: i128,
    /// The block behind both ways.
    join: usize,
    /// The copy and the stores.
    writes: Vec<Spot>,
}

impl<'a> Push<'a> {
    /// Returns the push that leads to a vector with this first word.
    fn to(f: &Function<'a>, begin: &'a str) -> Option<Self> {
        let &(join, _) = f.defs.get(begin)?;
        let Some(Op::Phi { incoming }) = f.definition(begin) else { return None };
        let [one, other] = incoming[..] else { return None };
        let phis = f.blocks[join].insts.iter().filter_map(|inst| inst.result);
        phis.flat_map(|there| [(there, one, other), (there, other, one)]).find_map(|(there, grown, kept)| {
            let Some(Op::Phi { incoming: ends }) = f.definition(there) else { return None };
            let from = |block: usize| ends.iter().find(|(_, from)| *from == block).map(|(value, _)| *value);
            let (behind, end) = (from(grown.1)?, from(kept.1)?);
            (ends.len() == 2).then_some(())?;
            let whole = Push {
                begin: kept.0,
                end,
                there,
                new: grown.0,
                value: "",
                bytes: 0,
                join,
                writes: Vec::new(),
            };
            whole.grows(f, behind, [grown.1, kept.1])
        })
    }

    /// Completes a push, if its two ways store the same word behind those that the vector has had.
    fn grows(mut self, f: &Function<'a>, behind: &'a str, [grown, kept]: [usize; 2]) -> Option<Self> {
        is_new(f, self.new).then_some(())?;
        let Some(Op::Element { base, indices, constant: 0 }) = f.definition(behind) else { return None };
        let [(length, 1)] = indices[..] else { return None };
        (*base == self.new && self.is_length(f, length, grown)).then_some(())?;
        let mut values = Vec::new();
        for (block, to) in [(grown, behind), (kept, self.end)] {
            for (n, inst) in f.blocks[block].insts.iter().enumerate() {
                match &inst.op {
                    Op::Store { ty, value, to: at } if *at == to => {
                        values.push((*value, i128::from(bits(ty) / 8)));
                        self.writes.push((block, n));
                    }
                    Op::Call { callee: Some(callee), arguments, .. }
                        if callee.starts_with("llvm.memcpy") && block == grown =>
                    {
                        let whole = matches!(&arguments[..], [to, from, bytes, ..]
                            if to.value == self.new && from.value == self.begin && bytes.value == length);
                        whole.then(|| self.writes.push((block, n)))?;
                    }
                    _ => {}
                }
            }
        }
        let [(value, bytes), other] = values[..] else { return None };
        (self.value, self.bytes) = (value, bytes);
        let is_word = matches!(bytes, 4 | 8);
        (is_word && other == (value, bytes) && self.writes.len() == 3 && grown != kept).then_some(self)
    }

    /// Returns whether a number is that of the vector's bytes in a block that it comes to if it is full.
    fn is_length(&self, f: &Function<'a>, number: &str, grown: usize) -> bool {
        let address = |name: &str| match f.definition(name) {
            Some(Op::Cast { op: "ptrtoint", of, .. }) => Some(*of),
            _ => None,
        };
        let Some(Op::Binary { op: "sub", a, b, .. }) = f.definition(number) else { return false };
        let Some(&(block, _)) = f.defs.get(number) else { return false };
        // The vector's end may have the name of its limit where the two are equal.
        let is_end = |name: &'a str| name == self.end || self.is_equal_in(f, name, [block, grown]);
        address(b) == Some(self.begin) && address(a).is_some_and(is_end)
    }

    /// Returns whether a value is that of the vector's end in the blocks, as the only edge into one of them says.
    fn is_equal_in(&self, f: &Function<'a>, name: &str, [block, grown]: [usize; 2]) -> bool {
        let entered = |into: usize| {
            let mut from = (0..f.blocks.len()).filter(|b| f.blocks[*b].successors.contains(&into));
            from.next().filter(|_| from.next().is_none())
        };
        let says = |into: usize| {
            let last = entered(into).and_then(|from| f.blocks[from].insts.last());
            let Some(Op::Branch { condition, yes, no }) = last.map(|inst| &inst.op) else { return false };
            let Some(Op::Compare { test: "eq", a, b, .. }) = f.definition(condition) else { return false };
            *yes == into && yes != no && ([*a, *b] == [self.end, name] || [*a, *b] == [name, self.end])
        };
        // The allocation may end the first block of the two.
        says(block) && (block == grown || entered(grown) == Some(block))
    }

    /// Returns whether an address is that behind the word.
    fn ends(&self, f: &Function<'a>, end: &str) -> bool {
        matches!(f.definition(end), Some(Op::Element { base, indices, constant })
            if *base == self.there && indices.is_empty() && *constant == self.bytes)
    }
}

/// A vector, from the copy that brings it to a device back to where it was empty.
pub(super) struct Grown<'a> {
    /// The push in the loop.
    push: Push<'a>,
    /// The words before and behind those of the loop.
    first: Vec<&'a str>,
    last: Vec<&'a str>,
    header: usize,
    /// The memory that the loop begins with; `null` for none.
    empty: &'a str,
    /// The push whose vector is copied.
    copied: &'a str,
    pub(super) accesses: Accesses<'a>,
}

impl<'a> Grown<'a> {
    /// Returns how the vector grows whose words a copy reads, and all accesses of its memory.
    pub(super) fn of(f: &Function<'a>, module: &Module<'a>, from: &'a str) -> Option<Self> {
        let mut behind: Vec<Push<'a>> = Vec::new();
        let mut begin = from;
        let (push, header) = loop {
            let push = Push::to(f, begin)?;
            if let Some(later) = behind.last()
                && !push.ends(f, later.end)
            {
                return None;
            }
            let header = f.defs.get(push.begin).map(|(block, _)| *block)?;
            if push.is_of_loop(f, begin).is_some() {
                break (push, header);
            }
            begin = push.begin;
            behind.push(push);
            if behind.len() > MOST_PUSHES {
                return None;
            }
        };
        let (empty, end) = push.is_of_loop(f, begin)?;
        let first = first_words(f, empty, end)?;
        let mut roots: Vec<&'a str> = behind.iter().map(|p| p.new).chain([push.new]).collect();
        roots.extend(Some(empty).filter(|name| *name != "null"));
        let mut accesses = writes_of_all(f, module, &roots)?;
        let known: Vec<Spot> = behind.iter().chain([&push]).flat_map(|p| p.writes.iter().copied()).collect();
        let stored_first = |spot: Spot| match &f.blocks[spot.0].insts[spot.1].op {
            Op::Store { value, to, .. } => first.first() == Some(value) && *to == empty,
            _ => false,
        };
        accesses.writes.retain(|write| !known.contains(&write.spot) && !stored_first(write.spot));
        let copied = behind.first().unwrap_or(&push).there;
        let bytes = push.bytes;
        let alike = behind.iter().all(|p| p.bytes == bytes);
        let last = behind.iter().rev().map(|p| p.value).collect();
        alike.then_some(Grown { push, first, last, header, empty, copied, accesses })
    }

    /// Returns whether a number is that of the bytes of all words.
    pub(super) fn is_length(&self, f: &Function<'a>, number: &str, begin: &str) -> bool {
        let address = |name: &str| match f.definition(name) {
            Some(Op::Cast { op: "ptrtoint", of, .. }) => Some(*of),
            _ => None,
        };
        let Some(Op::Binary { op: "sub", a, b, .. }) = f.definition(number) else { return false };
        address(b) == Some(begin) && address(a).is_some_and(|end| self.is_end(f, end))
    }

    /// Returns whether an address is that behind the last word.
    pub(super) fn is_end(&self, f: &Function<'a>, end: &str) -> bool {
        matches!(f.definition(end), Some(Op::Element { base, indices, constant })
            if *base == self.copied && indices.is_empty() && *constant == self.push.bytes)
    }

    /// Returns the words, and their number.
    pub(super) fn words<'p>(
        &self,
        reader: &mut Reader<'_, 'p, 'a>,
        depth: usize,
        copy: &Copy<'a>,
    ) -> Option<(Fill<'p, 'a>, Sum)> {
        let at = reader.eval.chain[depth].at;
        let (f, flow) = (reader.eval.program.function(at), reader.eval.program.flow(at));
        let index = flow.loops.iter().position(|l| l.header == self.header)?;
        let turns = &flow.loops[index];
        let [latch] = turns.latches[..] else { return None };
        let alone = flow.around(turns.header).len() == 1
            && flow.around(self.push.join) == flow.around(turns.header)
            && flow.dominates(turns.header, copy.spot.0)
            && !turns.contains(copy.spot.0)
            && flow.dominates(self.push.join, latch)
            && leaves_at(f, turns, latch, copy.spot.0);
        let loops = counted(reader, depth, turns, latch).filter(|_| alone)?;
        let number = loops.turns.plus(&Sum::of((self.first.len() + self.last.len()) as i128), 1);
        let mut fill = Fill {
            f,
            flow: Rc::clone(&flow),
            index,
            latch,
            depth,
            loops,
            each: Stored::Integer(self.push.value),
            bytes: self.push.bytes,
            first: self.first.first().copied(),
            last: self.last.first().copied(),
            previous: self.previous(f, turns),
            is_exchanged: false,
            known: std::cell::RefCell::new(HashMap::new()),
        };
        // The loop may begin with one word, and one may be pushed behind it.
        let few = self.first.len() <= 1 && self.last.len() <= 1;
        let sorts = |write: &super::writes::Write<'a>| {
            write.stored == Stored::Sorted
                && write.bytes == fill.bytes
                && fill.flow.dominates(self.header, write.spot.0)
                && !fill.turns().contains(write.spot.0)
        };
        let others = self.accesses.writes.iter().all(sorts);
        fill.is_exchanged = !self.accesses.writes.is_empty();
        (few && others).then_some((fill, number))
    }

    /// Returns the value of the word that was pushed last, as a turn of the loop loads it (`back()`).
    fn previous(&self, f: &Function<'a>, turns: &Loop) -> Option<&'a str> {
        let in_header = f.blocks[self.header].insts.iter();
        let mut places = in_header.filter_map(|inst| Some((inst.result?, &inst.op))).filter(|(_, op)| {
            matches!(op, Op::Phi { incoming } if incoming.len() == 2
                && incoming.iter().any(|(value, from)| *value == self.push.there && turns.contains(*from))
                && incoming.iter().any(|(value, from)| *value == self.empty && !turns.contains(*from)))
        });
        let (place, _) = places.next().filter(|_| self.first.len() == 1)?;
        f.uses.get(place)?.iter().find_map(|&(block, n)| match &f.blocks[block].insts[n].op {
            Op::Load { ty, .. } if turns.contains(block) && i128::from(bits(ty) / 8) == self.push.bytes => {
                f.blocks[block].insts[n].result
            }
            _ => None,
        })
    }
}

impl<'a> Push<'a> {
    /// Returns the vector that a loop begins with, if each turn makes this push last, and the next one begins with the
    /// vector that it leads to.
    fn is_of_loop(&self, f: &Function<'a>, pushed: &str) -> Option<(&'a str, &'a str)> {
        let (Some(Op::Phi { incoming: begins }), Some(Op::Phi { incoming: ends })) =
            (f.definition(self.begin), f.definition(self.end))
        else {
            return None;
        };
        let same = f.defs.get(self.begin)?.0 == f.defs.get(self.end)?.0;
        let mut entries = begins.iter().filter(|(value, _)| *value != pushed);
        let &(begin, from) = entries.next().filter(|_| entries.next().is_none() && same)?;
        let end = ends.iter().find(|(_, block)| *block == from)?.0;
        let turns = ends.iter().filter(|(_, block)| *block != from).all(|(value, _)| self.ends(f, value));
        (turns && begins.len() == 2 && ends.len() == 2).then_some((begin, end))
    }
}

/// Returns the words of a vector in front of a loop: none, or the only one that is stored in its new memory.
fn first_words<'a>(f: &Function<'a>, begin: &'a str, end: &'a str) -> Option<Vec<&'a str>> {
    if begin == end {
        return (begin == "null" || is_new(f, begin)).then(Vec::new);
    }
    let Some(Op::Element { base, indices, constant }) = f.definition(end) else { return None };
    (*base == begin && indices.is_empty() && is_new(f, begin)).then_some(())?;
    let mut stores =
        f.uses.get(begin)?.iter().filter_map(|&(block, inst)| match &f.blocks[block].insts[inst].op {
            Op::Store { ty, value, to } if *to == begin && i128::from(bits(ty) / 8) == *constant => {
                Some((block, *value))
            }
            _ => None,
        });
    let &(made, _) = f.defs.get(begin)?;
    let (block, value) = stores.next().filter(|_| stores.next().is_none())?;
    // The store follows the allocation at once.
    let follows = block == made || f.blocks[made].successors.first() == Some(&block);
    follows.then(|| vec![value])
}
