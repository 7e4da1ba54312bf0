//! Enumerates the iterations of the host code's loops, if their exit condition is known.

use super::{Eval, MOST_TURNS};
use crate::ir::Op;
use crate::value::Given;
use std::collections::BTreeSet;

/// Returns the given values of each iteration of a loop, with the values at its head; `None` if the end of
/// the loop is unknown.
pub(crate) fn turns<'a>(eval: &Eval<'_, 'a>, depth: usize, l: usize) -> Option<Vec<Given<'a>>> {
    Some(turns_until(eval, depth, l)?.0)
}

/// Returns the given values of the last iteration of a loop; `None` if it may end in an earlier one and still
/// reach the position in the chain.
pub(crate) fn last_turn<'a>(eval: &Eval<'_, 'a>, depth: usize, l: usize) -> Option<Given<'a>> {
    let (mut all, open) = turns_until(eval, depth, l)?;
    let last = all.pop()?;
    let frame = eval.chain[depth];
    let (f, flow) = (eval.program.function(frame.at), eval.program.flow(frame.at));
    let of = &flow.loops[l];
    let [latch] = of.latches[..] else { return None };
    let comes_here = |from: usize| {
        let mut seen = vec![false; f.blocks.len()];
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut seen[block], true) {
                work.extend(&f.blocks[block].successors);
            }
        }
        seen[frame.block]
    };
    // Looks for exits that no iteration has evaluated.
    let other = (0..f.blocks.len()).filter(|&b| of.contains(b)).any(|b| {
        let asked = flow.dominates(b, latch)
            && matches!(f.blocks[b].insts.last().map(|i| &i.op), Some(Op::Branch { yes, no, .. })
                if of.contains(*yes) != of.contains(*no));
        !asked && f.blocks[b].successors.iter().any(|&s| !of.contains(s) && comes_here(s))
    });
    let open = open.into_iter().any(comes_here);
    (!open && !other).then_some(last)
}

/// Returns the iterations, and the targets of exits whose conditions were unknown in one of them.
fn turns_until<'a>(eval: &Eval<'_, 'a>, depth: usize, l: usize) -> Option<(Vec<Given<'a>>, BTreeSet<usize>)> {
    // The work before the first iteration counts against the limit, too.
    if !eval.program.spend() {
        return None;
    }
    let at = eval.chain[depth].at;
    let (f, flow) = (eval.program.function(at), eval.program.flow(at));
    let of = &flow.loops[l];
    let [latch] = of.latches[..] else { return None };
    let mut heads = Vec::new();
    for inst in &f.blocks[of.header].insts {
        if let (Op::Phi { incoming }, Some(name)) = (&inst.op, inst.result) {
            let (next, first): (Vec<_>, Vec<_>) = incoming.iter().partition(|(_, from)| *from == latch);
            if let ([(next, _)], [(first, _)]) = (&next[..], &first[..]) {
                heads.push((name, *first, *next));
            }
        }
    }
    let exits: Vec<(&'a str, bool, usize)> = (0..f.blocks.len())
        .filter(|&b| of.contains(b) && flow.dominates(b, latch))
        .filter_map(|b| match f.blocks[b].insts.last()?.op {
            Op::Branch { condition, yes, no } if of.contains(yes) != of.contains(no) => {
                Some((condition, of.contains(no), if of.contains(no) { yes } else { no }))
            }
            _ => None,
        })
        .collect();
    let mut given = eval.given.clone();
    for &(name, first, _) in &heads {
        given.remove(&(depth, name));
        if let Some(v) = eval.value(depth, first) {
            given.insert((depth, name), v);
        }
    }
    let mut all = Vec::new();
    let mut open = BTreeSet::new();
    while all.len() < MOST_TURNS && eval.program.spend() {
        let turn = Eval::new(eval.program, eval.chain, &given);
        let ends: Vec<Option<bool>> =
            exits.iter().map(|(c, out, _)| turn.int(depth, c).map(|c| (c & 1 == 1) == *out)).collect();
        let next: Vec<_> = heads.iter().map(|&(name, _, next)| (name, turn.value(depth, next))).collect();
        all.push(given.clone());
        let unknown = exits.iter().zip(&ends).filter(|(_, end)| end.is_none());
        open.extend(unknown.map(|((_, _, to), _)| *to));
        if ends.contains(&Some(true)) {
            return Some((all, open));
        }
        if ends.iter().all(Option::is_none) {
            return None;
        }
        for (name, value) in next {
            match value {
                Some(v) => _ = given.insert((depth, name), v),
                None => _ = given.remove(&(depth, name)),
            }
        }
    }
    None
}
