//! Basic blocks of a function and the order in which they are laid out.
//!
//! The interpreter runs the group of lanes with the lowest program counter first, and merges groups whose
//! counters meet. That reconverges as well as waiting at post-dominators if every block lies behind all
//! blocks that can reach it, and loops are contiguous with their exits behind them: a weak topological order
//! (Bourdoncle, FMPA 1993), computed here by recursive strongly connected components.

use crate::effects::{Control, effects};
use ptx::flat::{Arg, Flat, FlatInstruction, LabelId};

#[derive(Clone, Debug)]
pub struct Block {
    /// The block's instructions are `start..end` of the flat list.
    pub start: usize,
    pub end: usize,
    /// Successor blocks. A fall-through successor (the next block in the text) comes first.
    pub successors: Vec<usize>,
    pub falls_through: bool,
}

/// Splits a function into basic blocks. Block 0 is the entry.
pub fn blocks(flat: &Flat<'_>) -> Vec<Block> {
    let n = flat.instructions.len();
    let mut leader = vec![false; n + 1];
    leader[0] = true;
    leader[n] = true;
    for label in &flat.labels {
        leader[(label.target as usize).min(n)] = true;
    }
    for (i, inst) in flat.instructions.iter().enumerate() {
        if ends_block(inst) {
            leader[i + 1] = true;
        }
    }
    let starts: Vec<usize> = (0..n).filter(|&i| leader[i]).collect();
    let block_at = |i: usize| starts.binary_search(&i).ok();
    let mut blocks = Vec::with_capacity(starts.len());
    for (b, &start) in starts.iter().enumerate() {
        let end = starts.get(b + 1).copied().unwrap_or(n);
        let last = &flat.instructions[end - 1];
        let guarded = last.guard.is_some();
        let falls_through = match control(last) {
            Control::Next | Control::Call | Control::Break => true,
            Control::Branch | Control::IndirectBranch => guarded,
            Control::Return | Control::Exit | Control::Trap => guarded,
        };
        let mut successors = Vec::new();
        if falls_through && b + 1 < starts.len() {
            successors.push(b + 1);
        }
        for target in targets(flat, last) {
            if let Some(t) = block_at(target)
                && !successors.contains(&t)
            {
                successors.push(t);
            }
        }
        blocks.push(Block { start, end, successors, falls_through });
    }
    blocks
}

/// Returns the control effect of an instruction. An undecodable one counts as `Next`, since it fails at run
/// time.
fn control(inst: &FlatInstruction<'_>) -> Control {
    inst.op.as_ref().map_or(Control::Next, |op| effects(op, &inst.args).control)
}

fn ends_block(inst: &FlatInstruction<'_>) -> bool {
    match control(inst) {
        Control::Branch | Control::IndirectBranch => true,
        Control::Return | Control::Exit | Control::Trap => inst.guard.is_none(),
        Control::Next | Control::Call | Control::Break => false,
    }
}

/// Returns the flat indices to which a branch may jump.
fn targets(flat: &Flat<'_>, inst: &FlatInstruction<'_>) -> Vec<usize> {
    let label = |id: LabelId| flat.labels[id.0 as usize].target as usize;
    match control(inst) {
        Control::Branch | Control::IndirectBranch => inst
            .args
            .iter()
            .flat_map(|arg| match arg {
                Arg::Label(id) => vec![label(*id)],
                Arg::BranchTargets(n) => {
                    flat.branch_targets[*n as usize].iter().map(|&id| label(id)).collect()
                }
                _ => Vec::new(),
            })
            .collect(),
        Control::Next | Control::Call | Control::Return | Control::Exit | Control::Trap | Control::Break => {
            Vec::new()
        }
    }
}

/// Returns the layout order of all reachable blocks.
pub fn layout(blocks: &[Block]) -> Vec<usize> {
    let mut order = Vec::with_capacity(blocks.len());
    if !blocks.is_empty() {
        let mut inside = vec![0u32; blocks.len()];
        let mut region = 0;
        arrange(blocks, (0..blocks.len()).collect(), 0, &mut inside, &mut region, 0, &mut order);
    }
    order
}

/// Loops nested deeper than this are laid out in text order: hostile input must not exhaust the stack.
const MAX_NESTING: u32 = 200;

/// Appends the part of `nodes` that `entry` reaches, in weak topological order. `inside[b]` is the number of
/// the innermost region under arrangement that contains `b`.
fn arrange(
    blocks: &[Block],
    nodes: Vec<usize>,
    entry: usize,
    inside: &mut [u32],
    region: &mut u32,
    depth: u32,
    order: &mut Vec<usize>,
) {
    *region += 1;
    let here = *region;
    for &b in &nodes {
        inside[b] = here;
    }
    let roots = std::iter::once(entry).chain(nodes.iter().copied());
    // In a loop, all blocks are reachable; at the top level, only those that the entry reaches count.
    let roots: Vec<usize> =
        if depth == 0 { vec![entry] } else { roots.filter(|&r| inside[r] == here).collect() };
    let components = components(blocks, &roots, inside, here);
    for component in components.into_iter().rev() {
        let looped = component.len() > 1;
        if !looped || depth >= MAX_NESTING {
            let mut component = component;
            component.sort_unstable();
            order.extend(component);
            continue;
        }
        // The header is the block by which the loop is entered from outside; of several, the first in the
        // text.
        let member = |b: usize| component.contains(&b);
        let header = if component.len() <= 64 {
            header(blocks, &component, entry, member)
        } else {
            let set: std::collections::HashSet<usize> = component.iter().copied().collect();
            header(blocks, &component, entry, |b| set.contains(&b))
        };
        order.push(header);
        let rest: Vec<usize> = component.into_iter().filter(|&b| b != header).collect();
        // The header's successors come first, so that the text order breaks ties.
        let first = blocks[header].successors.iter().copied().find(|s| rest.contains(s));
        let first = first.unwrap_or(rest[0]);
        arrange(blocks, rest, first, inside, region, depth + 1, order);
    }
}

fn header(blocks: &[Block], component: &[usize], entry: usize, member: impl Fn(usize) -> bool) -> usize {
    if component.contains(&entry) {
        return entry;
    }
    let mut entered: Vec<usize> = Vec::new();
    for (b, block) in blocks.iter().enumerate() {
        if !member(b) {
            entered.extend(block.successors.iter().copied().filter(|&s| member(s)));
        }
    }
    entered.into_iter().min().or_else(|| component.iter().copied().min()).unwrap_or(entry)
}

/// Returns the strongly connected components of the region, in reverse topological order (Tarjan, without
/// recursion).
fn components(blocks: &[Block], roots: &[usize], inside: &[u32], here: u32) -> Vec<Vec<usize>> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = std::collections::HashMap::new();
    let mut low: Vec<u32> = Vec::new();
    let mut on_stack: Vec<bool> = Vec::new();
    let mut nodes: Vec<usize> = Vec::new();
    let mut stack: Vec<u32> = Vec::new();
    let mut found = Vec::new();
    for &root in roots {
        if index.contains_key(&root) {
            continue;
        }
        // (node number, next successor)
        let mut work: Vec<(u32, usize)> = Vec::new();
        let mut visit = root;
        loop {
            if visit != usize::MAX {
                let number = nodes.len() as u32;
                index.insert(visit, number);
                nodes.push(visit);
                low.push(number);
                on_stack.push(true);
                stack.push(number);
                // Later successors are visited first, because the first visited ends up last.
                work.push((number, blocks[visit].successors.len()));
                visit = usize::MAX;
            }
            let Some(&mut (v, ref mut next)) = work.last_mut() else { break };
            if *next > 0 {
                *next -= 1;
                let s = blocks[nodes[v as usize]].successors[*next];
                if inside[s] != here {
                    continue;
                }
                match index.get(&s).copied().unwrap_or(UNSEEN) {
                    UNSEEN => visit = s,
                    w if on_stack[w as usize] => low[v as usize] = low[v as usize].min(w),
                    _ => {}
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent as usize] = low[parent as usize].min(low[v as usize]);
            }
            if low[v as usize] == v {
                let mut component = Vec::new();
                while let Some(w) = stack.pop() {
                    on_stack[w as usize] = false;
                    component.push(nodes[w as usize]);
                    if w == v {
                        break;
                    }
                }
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[usize]]) -> Vec<Block> {
        edges
            .iter()
            .map(|s| Block { start: 0, end: 0, successors: s.to_vec(), falls_through: false })
            .collect()
    }

    fn position(order: &[usize], b: usize) -> usize {
        order.iter().position(|&o| o == b).unwrap()
    }

    #[test]
    fn a_join_lies_behind_both_sides_even_if_the_text_sinks_one() {
        // 0 branches to 3 (moved to the end), which branches back to 2.
        let order = layout(&graph(&[&[1, 3], &[2], &[], &[2]]));
        assert_eq!(order.len(), 4);
        assert_eq!(position(&order, 0), 0);
        assert_eq!(position(&order, 2), 3);
    }

    #[test]
    fn loop_exits_lie_behind_loops() {
        // 1 and 2 form a loop; 3 is an exit reached from the header, 4 from the body.
        let order = layout(&graph(&[&[1], &[3, 2], &[1, 4], &[5], &[5], &[]]));
        let at: Vec<usize> = (0..6).map(|b| position(&order, b)).collect();
        assert!(at[1] < at[2]);
        assert!(at[2] < at[3] && at[2] < at[4]);
        assert_eq!(at[5], 5);
    }

    #[test]
    fn nested_and_irreducible_loops_keep_every_block_once() {
        let order = layout(&graph(&[&[1, 2], &[2, 3], &[1, 4], &[3, 1], &[5], &[4, 0], &[0]]));
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5], "6 is unreachable");
    }
}
