//! The number of turns of a loop that counts, or that moves a pointer to an end.

use super::super::control_flow::Flow;
use super::super::ir::{Function, Op};
use super::super::linear::Sum;
use super::reader::Reader;
use flowgraph::Loop;

/// Definitions that an address is followed through.
const MOST_DEEP: u32 = 8;

/// A loop's counter that each turn counts up, or a pointer that each turn moves.
pub(super) struct Counted<'a> {
    pub(super) counter: &'a str,
    /// The number that the counter begins with; zero for a pointer.
    pub(super) begin: i128,
    /// Its value in the next turn.
    pub(super) next: &'a str,
    /// The number of turns, which is positive.
    pub(super) turns: Sum,
}

/// Returns how often a loop is executed whose only latch decides about its end.
pub(super) fn counted<'a>(
    reader: &mut Reader<'_, '_, 'a>,
    depth: usize,
    turns: &Loop,
    latch: usize,
) -> Option<Counted<'a>> {
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
    let (compared, end) = (*a, *b);
    if f.defs.get(end).is_some_and(|(block, _)| turns.contains(*block)) {
        return None;
    }
    let next = match f.definition(compared)? {
        // The counter itself is compared, one turn later.
        Op::Phi { incoming } => incoming.iter().find(|(_, from)| *from == latch)?.0,
        _ => compared,
    };
    let is_late = next != compared;
    let (counter, begin, count, exact) = match f.definition(next)? {
        Op::Binary { op: "add", a: counter, b: "1", .. } if !is_late || *counter == compared => {
            let begin = begin(f, turns, counter, next)?.parse::<i128>().ok().filter(|c| *c >= 0)?;
            let (end, exact) = reader.read(|r| r.sum(depth, end));
            (*counter, begin, end?.plus(&Sum::of(i128::from(is_late) - begin), 1), exact)
        }
        Op::Element { base: pointer, indices, constant }
            if !is_late && indices.is_empty() && *constant > 0 && matches!(*test, "ne" | "eq") =>
        {
            let first = begin(f, turns, pointer, next)?;
            let (way, exact) = reader.read(|r| distance(r, depth, end, first));
            (*pointer, 0, divided(&way?, *constant)?, exact)
        }
        _ => return None,
    };
    // Without a turn at least the loop would have another number of turns.
    let (least, _) = reader.bounds.of(&count)?;
    (exact && least > 0).then_some(Counted { counter, begin, next, turns: count })
}

/// Returns the value that a phi of a loop's first block begins with, if each turn continues it by `next`.
fn begin<'a>(f: &Function<'a>, turns: &Loop, counter: &str, next: &str) -> Option<&'a str> {
    let &(block, _) = f.defs.get(counter)?;
    let Some(Op::Phi { incoming }) = f.definition(counter) else { return None };
    let mut found = None;
    for &(value, from) in incoming {
        let of_turn = turns.contains(from);
        if of_turn && value != next || !of_turn && found.replace(value).is_some_and(|other| other != value) {
            return None;
        }
    }
    found.filter(|_| block == turns.header)
}

/// Returns the bytes from one address to another one in the same memory.
pub(super) fn distance<'a>(
    reader: &mut Reader<'_, '_, 'a>,
    depth: usize,
    to: &'a str,
    from: &'a str,
) -> Option<Sum> {
    let (base, end) = behind(reader, depth, to)?;
    let (other, begin) = behind(reader, depth, from)?;
    (base == other).then(|| end.plus(&begin, -1))
}

/// Returns the address that another one is computed of, and the bytes between them.
fn behind<'a>(reader: &mut Reader<'_, '_, 'a>, depth: usize, mut name: &'a str) -> Option<(&'a str, Sum)> {
    let f = reader.eval.program.function(reader.eval.chain[depth].at);
    let mut bytes = Sum::of(0);
    for _ in 0..MOST_DEEP {
        match f.definition(name) {
            Some(Op::Same(of)) => name = of,
            Some(Op::Element { base, indices, constant }) => {
                bytes.constant += constant;
                for (index, size) in indices {
                    bytes = bytes.plus(&reader.sum(depth, index)?, *size);
                }
                name = base;
            }
            _ => return Some((name, bytes)),
        }
    }
    None
}

/// Returns a sum divided by a number that all of it is a multiple of.
fn divided(sum: &Sum, by: i128) -> Option<Sum> {
    let whole = sum.constant % by == 0 && sum.terms.values().all(|c| c % by == 0);
    let terms = sum.terms.iter().map(|(&a, &c)| (a, c / by)).collect();
    whole.then_some(Sum { terms, constant: sum.constant / by })
}

/// Returns whether one block is the only one that leaves a loop for a way to `copy`. Other ways out end the program, or
/// come to the loop again.
pub(super) fn leaves_at(f: &Function<'_>, turns: &Loop, latch: usize, copy: usize) -> bool {
    turns.nodes().filter(|n| *n != latch).all(|n| {
        let out = f.blocks[n].successors.iter().filter(|to| !turns.contains(**to));
        out.into_iter().all(|&to| !leads(f, to, copy, turns.header))
    }) && f.blocks[latch].successors.iter().any(|to| !turns.contains(*to))
}

/// Returns whether a way leads from one block to another one that does not pass a third.
pub(super) fn leads(f: &Function<'_>, from: usize, to: usize, around: usize) -> bool {
    let mut seen = vec![false; f.blocks.len()];
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if block != around && !std::mem::replace(&mut seen[block], true) {
            work.extend(&f.blocks[block].successors);
        }
    }
    seen[to]
}

/// Returns whether one instruction is on each way to another one.
pub(super) fn is_before(flow: &Flow, one: (usize, usize), other: (usize, usize)) -> bool {
    match one.0 == other.0 {
        true => one.1 < other.1,
        false => flow.dominates(one.0, other.0),
    }
}
