//! Pointers that a local array keeps, loaded by an index that has few values: buffers that take turns.
//!
//! All indices of a launch are computed of one value, the *seed*: a loop's counter of which a few bits or a remainder
//! count, or an index that the turns of a loop exchange. [`choices`] takes each value that matters and evaluates all
//! indices for it, so that pointers that are never the same are not.

use super::super::control_flow::Flow;
use super::super::eval::{Eval, binary, signed, unsigned};
use super::super::ir::{Function, Op};
use super::super::program::Frame;
use super::super::value::{Origin, Value};
use super::is_apart;
use std::collections::BTreeSet;

/// Definitions that an index is followed through.
const MOST_DEEP: u32 = 12;
/// Values of a seed.
const MOST_VALUES: usize = 64;

/// A pointer that is loaded from an array of pointers.
#[derive(Clone, Debug)]
pub(super) struct Indexed<'a> {
    array: Origin,
    /// Bytes in front of the element with the index zero.
    constant: i128,
    index: &'a str,
    frame: Frame,
    pub(super) seed: &'a str,
}

/// Returns how a pointer is loaded, if an index says from where in a local array.
pub(super) fn indexed<'a>(plain: &Eval<'_, 'a>, depth: usize, name: &str) -> Option<Indexed<'a>> {
    let at = plain.chain[depth].at;
    let f = plain.program.function(at);
    let Some(Op::Load { ty: "ptr", from }) = f.definition(name) else { return None };
    let Some(Op::Element { base, indices, constant }) = f.definition(from) else { return None };
    let [(index, 8)] = indices[..] else { return None };
    let (array @ Origin::Local(..), Some(first)) = plain.root(depth, base)? else { return None };
    let &(block, inst) = f.defs.get(name)?;
    let frame = Frame { at, block, inst };
    let seed = seed(f, &plain.program.flow(at), index, 0)?;
    Some(Indexed { array, constant: first + constant, index, frame, seed })
}

/// Returns the memory that pointers of one seed lead to, for each of its values; `None` where that is not known.
pub(super) fn choices(plain: &Eval<'_, '_>, all: &[Indexed<'_>]) -> Option<Vec<Vec<Option<Origin>>>> {
    let first = all.first()?;
    let f = plain.program.function(first.frame.at);
    let flow = plain.program.flow(first.frame.at);
    let values = match exchanged(f, &flow, first.seed) {
        Some(values) => values,
        None => {
            let mut period = 1;
            for one in all {
                period = multiple(period, decides(f, one.index, first.seed, 0)?)?;
            }
            (0..period).collect()
        }
    };
    let of = |one: &Indexed<'_>, value: i128| -> Option<Origin> {
        let index = evaluated(f, one.index, (first.seed, value), 0)?;
        let [index] = index.into_iter().collect::<Vec<_>>()[..] else { return None };
        let held = plain.held(&one.array, (one.constant + 8 * index, 8), one.frame)?;
        match held {
            Value::Address(origin, 0) if is_apart(&origin) => Some(origin),
            _ => None,
        }
    };
    Some(values.into_iter().map(|value| all.iter().map(|one| of(one, value)).collect()).collect())
}

/// The one value that decides about another one.
fn seed<'a>(f: &Function<'a>, flow: &Flow, name: &'a str, deep: u32) -> Option<&'a str> {
    if deep > MOST_DEEP {
        return None;
    }
    match f.definition(name) {
        Some(Op::Cast { of, .. } | Op::Same(of)) => seed(f, flow, of, deep + 1),
        Some(Op::Binary { a, b, .. }) if !b.starts_with('%') => seed(f, flow, a, deep + 1),
        Some(Op::Phi { incoming }) if !is_header(f, flow, name) => {
            let mut all = incoming.iter().map(|(value, _)| seed(f, flow, value, deep + 1));
            let first = all.next()??;
            all.all(|one| one == Some(first)).then_some(first)
        }
        _ => name.starts_with('%').then_some(name),
    }
}

/// Returns whether a phi is in the first block of a loop.
fn is_header(f: &Function<'_>, flow: &Flow, phi: &str) -> bool {
    f.defs.get(phi).is_some_and(|(block, _)| flow.loops.iter().any(|l| l.header == *block))
}

/// All values of an index that the turns of a loop exchange.
fn exchanged(f: &Function<'_>, flow: &Flow, seed: &str) -> Option<Vec<i128>> {
    let Op::Phi { incoming } = f.definition(seed)? else { return None };
    let &(block, _) = f.defs.get(seed)?;
    let turns = flow.loops.iter().find(|l| l.header == block)?;
    let mut found = BTreeSet::new();
    let mut work: Vec<i128> = Vec::new();
    for (value, _) in incoming.iter().filter(|(_, from)| !turns.contains(*from)) {
        work.push(value.parse().ok()?);
    }
    while let Some(value) = work.pop() {
        if found.insert(value) {
            for (next, _) in incoming.iter().filter(|(_, from)| turns.contains(*from)) {
                work.extend(evaluated(f, next, (seed, value), 0)?);
            }
        }
        if found.len() > MOST_VALUES {
            return None;
        }
    }
    Some(found.into_iter().collect())
}

/// All values that a name can have where the seed has that value.
fn evaluated(f: &Function<'_>, name: &str, (seed, value): (&str, i128), deep: u32) -> Option<BTreeSet<i128>> {
    if name == seed {
        return Some(BTreeSet::from([value]));
    }
    if let Ok(constant) = name.parse() {
        return Some(BTreeSet::from([constant]));
    }
    if deep > MOST_DEEP {
        return None;
    }
    let of = |name: &str| evaluated(f, name, (seed, value), deep + 1);
    match f.definition(name)? {
        Op::Same(one) => of(one),
        Op::Cast { op: "zext", from, of: one, .. } => {
            Some(of(one)?.into_iter().map(|v| unsigned(v, *from)).collect())
        }
        Op::Cast { op: "sext" | "trunc", to, of: one, .. } => {
            Some(of(one)?.into_iter().map(|v| signed(v, *to)).collect())
        }
        Op::Binary { op, bits, a, b, .. } => {
            let (x, y) = (of(a)?, of(b)?);
            x.iter().flat_map(|x| y.iter().map(move |y| binary(op, *bits, *x, *y))).collect()
        }
        Op::Phi { incoming } => {
            let mut all = BTreeSet::new();
            for (value, _) in incoming {
                all.extend(of(value)?);
            }
            Some(all)
        }
        _ => None,
    }
}

/// The least number of which two are a multiple, if it is small.
fn multiple(a: i128, b: i128) -> Option<i128> {
    let mut found = a;
    while found % b != 0 {
        found += a;
    }
    (found <= MOST_VALUES as i128).then_some(found)
}

/// Returns a number by which the seed's remainder decides about a value.
fn decides(f: &Function<'_>, name: &str, seed: &str, deep: u32) -> Option<i128> {
    if deep > MOST_DEEP {
        return None;
    }
    match f.definition(name)? {
        Op::Same(of) | Op::Cast { of, .. } => decides(f, of, seed, deep + 1),
        Op::Binary { op, a, b, .. } => {
            let constant = b.parse::<i128>().ok().filter(|c| (0..=MOST_VALUES as i128).contains(c));
            match (*op, constant) {
                ("and", Some(c)) => {
                    remainder(f, a, seed, i128::from((c as u32 + 1).next_power_of_two()), deep)
                }
                ("urem", Some(c)) if c > 0 => remainder(f, a, seed, c, deep),
                ("add" | "sub" | "xor" | "or", _) if !b.starts_with('%') => decides(f, a, seed, deep + 1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns a number by which the seed's remainder decides about the remainder of a value by `by`.
fn remainder(f: &Function<'_>, name: &str, seed: &str, by: i128, deep: u32) -> Option<i128> {
    if by > MOST_VALUES as i128 || deep > MOST_DEEP {
        return None;
    }
    if name == seed {
        return Some(by);
    }
    let of = |name: &str, by: i128| remainder(f, name, seed, by, deep + 1);
    // Numbers that wrap around keep their lowest bits only.
    let bits_alone = by.count_ones() == 1;
    match f.definition(name)? {
        Op::Same(one) | Op::Cast { op: "zext", of: one, .. } => of(one, by),
        Op::Cast { op: "trunc", of: one, .. } if bits_alone => of(one, by),
        Op::Binary { op: "add" | "sub" | "xor" | "or" | "and" | "mul", a, b, .. }
            if bits_alone && !b.starts_with('%') =>
        {
            of(a, by)
        }
        Op::Binary { op: "add", a, b, .. } if b.parse::<i128>().is_ok_and(|c| c >= 0) => {
            let &(block, inst) = f.defs.get(name)?;
            // No unsigned sum wraps around.
            f.blocks[block].insts[inst].text.contains(" nuw ").then(|| of(a, by)).flatten()
        }
        Op::Binary { op: "lshr", a, b, .. } => of(a, by << b.parse::<u32>().ok().filter(|b| *b < 8)?),
        _ => None,
    }
}
