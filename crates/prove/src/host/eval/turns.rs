//! Loops of the host code, turn by turn, where what ends them is known.

use super::{Eval, MOST_TURNS};
use crate::host::ir::Op;
use crate::host::value::Given;

/// What is given in each turn of a loop, with the values at its head; `None` if it is not known when it ends.
pub(in crate::host) fn turns<'a>(eval: &Eval<'_, 'a>, depth: usize, l: usize) -> Option<Vec<Given<'a>>> {
    // What comes before the first turn counts, too.
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
    let exits: Vec<(&'a str, bool)> = (0..f.blocks.len())
        .filter(|&b| of.contains(b) && flow.dominates(b, latch))
        .filter_map(|b| match f.blocks[b].insts.last()?.op {
            Op::Branch { condition, yes, no } if of.contains(yes) != of.contains(no) => {
                Some((condition, of.contains(no)))
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
    while all.len() < MOST_TURNS && eval.program.spend() {
        let turn = Eval::new(eval.program, eval.chain, &given);
        let ends: Vec<Option<bool>> =
            exits.iter().map(|(c, out)| turn.int(depth, c).map(|c| (c & 1 == 1) == *out)).collect();
        let next: Vec<_> = heads.iter().map(|&(name, _, next)| (name, turn.value(depth, next))).collect();
        all.push(given.clone());
        if ends.contains(&Some(true)) {
            return Some(all);
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
