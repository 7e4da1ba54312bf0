//! The control flow graph of a flattened function: basic blocks and reconvergence points.
//!
//! A reconvergence point is the immediate post-dominator of a branch, with two deviations that keep it useful
//! on real code. Paths that never return (`trap`, `assert`, endless loops) do not count for blocks that can
//! return, since lanes on those paths never reconverge. A guarded `ret` or `exit` only removes lanes; the
//! remaining lanes continue together.

use std::collections::HashSet;

use crate::ast::{FunctionDirective, Item, Module};
use crate::flat::{Arg, Flat, FlatInstruction};
use crate::op::Op;

/// The index of a basic block, dense from 0, in text order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BasicBlock {
    /// The index of the first instruction.
    pub start: u32,
    /// The index past the last instruction.
    pub end: u32,
    /// The successors, without duplicates; the fall-through comes first.
    pub successors: Vec<BlockId>,
    pub predecessors: Vec<BlockId>,
    /// Whether some lane may return, exit or fall off the function's end in this block.
    pub exits: bool,
}

/// The way in which a block ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Control always falls through or branches.
    Goes,
    /// Control always returns.
    Returns,
    /// The block always terminates the kernel.
    Dies,
}

#[derive(Clone, Debug)]
pub struct Cfg {
    pub blocks: Vec<BasicBlock>,
    /// The block of each instruction.
    block_of: Vec<BlockId>,
    /// The immediate post-dominator of each block, if it has one.
    post_dominators: Vec<Option<BlockId>>,
}

/// Returns the functions of a module that never return: those declared `.noreturn`, and `__assertfail`.
pub fn noreturn_functions(module: &Module) -> HashSet<&str> {
    let declared = module.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.directives.contains(&FunctionDirective::NoReturn) => {
            Some(function.name.text.as_str())
        }
        _ => None,
    });
    // nvcc declares `__assertfail` without `.noreturn`, though it ends the kernel.
    declared.chain(["__assertfail"]).collect()
}

impl Cfg {
    /// Builds the graph. `noreturn` decides which functions never return; see [`noreturn_functions`].
    pub fn new(flat: &Flat, noreturn: impl Fn(&str) -> bool) -> Cfg {
        let count = flat.instructions.len();
        let block_of = partition(flat, &noreturn);
        let mut blocks: Vec<BasicBlock> = Vec::new();
        for (i, id) in block_of.iter().enumerate() {
            if id.0 as usize == blocks.len() {
                blocks.push(BasicBlock { start: i as u32, end: i as u32, ..BasicBlock::default() });
            }
            blocks[id.0 as usize].end = i as u32 + 1;
        }
        let mut ends = Vec::with_capacity(blocks.len());
        for block in &mut blocks {
            ends.push(connect(block, flat, &block_of, &noreturn, count as u32));
        }
        for i in 0..blocks.len() {
            for successor in blocks[i].successors.clone() {
                blocks[successor.0 as usize].predecessors.push(BlockId(i as u32));
            }
        }
        let post_dominators = post_dominators(&blocks, &ends);
        Cfg { blocks, block_of, post_dominators }
    }

    pub fn block(&self, id: BlockId) -> &BasicBlock {
        &self.blocks[id.0 as usize]
    }

    /// Returns the block of an instruction. Panics if there is no such instruction.
    pub fn block_of(&self, instruction: u32) -> BlockId {
        self.block_of[instruction as usize]
    }

    pub fn post_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.post_dominators[block.0 as usize]
    }

    /// Returns the instruction at which lanes that diverge at the end of this instruction's block reconverge;
    /// `None` if that is the end of the function.
    pub fn reconvergence(&self, instruction: u32) -> Option<u32> {
        let meet = self.post_dominator(self.block_of(instruction))?;
        Some(self.block(meet).start)
    }
}

fn ends_block(instruction: &FlatInstruction, flat: &Flat, noreturn: &impl Fn(&str) -> bool) -> bool {
    match instruction.op {
        Ok(Op::Bra { .. } | Op::BrxIdx | Op::Ret | Op::Exit | Op::Trap) => true,
        Ok(Op::Call) => never_returns(instruction, flat, noreturn),
        _ => false,
    }
}

fn never_returns(call: &FlatInstruction, flat: &Flat, noreturn: &impl Fn(&str) -> bool) -> bool {
    call.args.iter().any(|arg| match arg {
        Arg::Symbol(name, _) => noreturn(name),
        Arg::Prototype(n) => flat.prototypes[*n as usize].noreturn,
        _ => false,
    })
}

/// Returns the block of each instruction.
fn partition(flat: &Flat, noreturn: &impl Fn(&str) -> bool) -> Vec<BlockId> {
    let mut leader = vec![false; flat.instructions.len() + 1];
    for label in &flat.labels {
        leader[label.target as usize] = true;
    }
    for (i, instruction) in flat.instructions.iter().enumerate() {
        leader[i + 1] |= ends_block(instruction, flat, noreturn);
    }
    let mut id = 0;
    (0..flat.instructions.len())
        .map(|i| {
            id += u32::from(i > 0 && leader[i]);
            BlockId(id)
        })
        .collect()
}

/// Sets the successors of a block, and returns how it ends.
fn connect(
    block: &mut BasicBlock,
    flat: &Flat,
    block_of: &[BlockId],
    noreturn: &impl Fn(&str) -> bool,
    count: u32,
) -> End {
    let last = &flat.instructions[block.end as usize - 1];
    let mut targets = Vec::new();
    let mut end = End::Goes;
    let mut falls_through = last.guard.is_some();
    match &last.op {
        Ok(Op::Bra { .. } | Op::BrxIdx) => {
            for arg in &last.args {
                match arg {
                    Arg::Label(label) => targets.push(*label),
                    Arg::BranchTargets(n) => targets.extend_from_slice(&flat.branch_targets[*n as usize]),
                    _ => {}
                }
            }
        }
        Ok(Op::Ret | Op::Exit) => {
            block.exits = true;
            end = End::Returns;
        }
        Ok(Op::Trap) => end = End::Dies,
        Ok(Op::Call) if never_returns(last, flat, noreturn) => end = End::Dies,
        _ => falls_through = true,
    }
    let targets = targets.iter().map(|label| flat.labels[label.0 as usize].target);
    let mut seen = HashSet::new();
    for target in falls_through.then_some(block.end).into_iter().chain(targets) {
        if target >= count {
            block.exits = true;
        } else if seen.insert(target) {
            block.successors.push(block_of[target as usize]);
        }
    }
    if falls_through || end == End::Goes {
        end = if block.successors.is_empty() { End::Returns } else { End::Goes };
    }
    end
}

fn post_dominators(blocks: &[BasicBlock], ends: &[End]) -> Vec<Option<BlockId>> {
    let mut result = vec![None; blocks.len()];
    let mut done = vec![false; blocks.len()];
    let mut position = vec![0; blocks.len()];
    // Blocks that can return come first, then those that can only terminate the kernel, then endless loops.
    // No edge leads from a later kind to an earlier one.
    for kind in [End::Returns, End::Dies] {
        let roots: Vec<usize> = (0..blocks.len()).filter(|&i| !done[i] && ends[i] == kind).collect();
        region(blocks, &roots, &mut done, &mut position, &mut result);
    }
    // The last block of an endless loop serves as its exit.
    for i in (0..blocks.len()).rev() {
        if !done[i] {
            region(blocks, &[i], &mut done, &mut position, &mut result);
        }
    }
    result
}

/// Computes the post-dominators of the blocks that reach `roots` and are not done (Cooper, Harvey, Kennedy:
/// "A Simple, Fast Dominance Algorithm", 2001). `position` is scratch space, all zeros before and after.
fn region(
    blocks: &[BasicBlock],
    roots: &[usize],
    done: &mut [bool],
    position: &mut [usize],
    result: &mut [Option<BlockId>],
) {
    let order = reverse_postorder(blocks, roots, done);
    // Positions in `order`, from 1; 0 is the common virtual exit.
    for (i, &block) in order.iter().enumerate() {
        position[block] = i + 1;
    }
    const UNSET: usize = usize::MAX;
    let mut dominator = vec![UNSET; order.len() + 1];
    dominator[0] = 0;
    let is_root: HashSet<usize> = roots.iter().copied().collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (i, &block) in order.iter().enumerate() {
            let mut new = if is_root.contains(&block) { 0 } else { UNSET };
            for successor in &blocks[block].successors {
                let p = position[successor.0 as usize];
                if p == 0 || dominator[p] == UNSET {
                    continue;
                }
                new = if new == UNSET { p } else { intersect(&dominator, new, p) };
            }
            if new != UNSET && dominator[i + 1] != new {
                dominator[i + 1] = new;
                changed = true;
            }
        }
    }
    for (i, &block) in order.iter().enumerate() {
        let d = dominator[i + 1];
        if d != 0 && d != UNSET {
            result[block] = Some(BlockId(order[d - 1] as u32));
        }
        position[block] = 0;
    }
}

fn intersect(dominator: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = dominator[a];
        }
        while b > a {
            b = dominator[b];
        }
    }
    a
}

/// Traverses the reversed edges from the roots depth-first, without recursion, and marks the visited blocks
/// as done.
fn reverse_postorder(blocks: &[BasicBlock], roots: &[usize], done: &mut [bool]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for &root in roots {
        if done[root] {
            continue;
        }
        done[root] = true;
        stack.push((root, 0));
        while let Some((block, next)) = stack.pop() {
            match blocks[block].predecessors.get(next) {
                Some(predecessor) => {
                    stack.push((block, next + 1));
                    let predecessor = predecessor.0 as usize;
                    if !done[predecessor] {
                        done[predecessor] = true;
                        stack.push((predecessor, 0));
                    }
                }
                None => order.push(block),
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::Function;

    fn function(body: &str) -> Function {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{\n\
             .reg .pred %p<9>; .reg .b32 %r<9>;\n{body}\n}}"
        );
        let parse = crate::parse(&text);
        assert_eq!(parse.errors, []);
        match parse.module.items.into_iter().next() {
            Some(Item::Function(function)) => function,
            other => panic!("{other:?}"),
        }
    }

    /// Checks the reconvergence points of the instructions with these indices.
    fn check(body: &str, points: &[(u32, Option<u32>)]) {
        let function = function(body);
        let flat = crate::flatten(&function);
        assert_eq!(flat.errors, []);
        let cfg = Cfg::new(&flat, |name| name == "__assertfail");
        for &(instruction, point) in points {
            assert_eq!(cfg.reconvergence(instruction), point, "instruction {instruction} of {body}");
        }
    }

    #[test]
    fn a_diamond_meets_at_its_join() {
        check("@%p1 bra T; mov.b32 %r1, 1; bra J; T: mov.b32 %r1, 2; J: ret;", &[(0, Some(4)), (1, Some(4))]);
    }

    #[test]
    fn a_loop_meets_behind_it() {
        check("L: add.s32 %r1, %r1, 1; @%p1 bra L; mov.b32 %r2, 0; ret;", &[(1, Some(2))]);
    }

    #[test]
    fn an_early_return_does_not_spoil_the_join() {
        check("@%p1 bra J; @%p2 ret; mov.b32 %r1, 1; J: mov.b32 %r2, 0; ret;", &[(0, Some(3)), (1, Some(2))]);
    }

    #[test]
    fn a_failing_assert_does_not_spoil_the_join() {
        check(
            "@%p1 bra J; @%p2 bra K; call.uni __assertfail; K: mov.b32 %r1, 1; J: mov.b32 %r2, 0; ret;",
            &[(0, Some(4)), (1, Some(3)), (2, None)],
        );
        check("@%p1 bra J; trap; J: ret;", &[(0, Some(2)), (1, None)]);
    }

    #[test]
    fn an_endless_loop_meets_inside() {
        check("L: @%p1 bra J; mov.b32 %r1, 1; J: mov.b32 %r2, 0; bra L;", &[(0, Some(2))]);
    }

    #[test]
    fn many_endless_loops_take_no_quadratic_time() {
        let body: String = (0..20_000).map(|i| format!("L{i}: @%p1 bra L{i}; bra L{i};")).collect();
        let started = std::time::Instant::now();
        check(&body, &[(0, Some(1)), (39_998, Some(39_999)), (39_999, None)]);
        assert!(started.elapsed().as_secs() < 5);
    }

    #[test]
    fn an_indexed_branch_has_every_target() {
        let body = "T: .branchtargets A, B, C, A; brx.idx %r1, T;\n\
             A: mov.b32 %r1, 1; bra J; B: mov.b32 %r1, 2; bra J; C: mov.b32 %r1, 3; J: ret;";
        check(body, &[(0, Some(6))]);
        let function = function(body);
        let flat = crate::flatten(&function);
        let cfg = Cfg::new(&flat, |_| false);
        assert_eq!(cfg.blocks[0].successors, [BlockId(1), BlockId(2), BlockId(3)]);
    }

    #[test]
    fn a_branch_to_the_end_is_a_return() {
        check("@%p1 bra E; mov.b32 %r1, 1; E:", &[(0, Some(1)), (1, None)]);
    }

    #[test]
    fn inner_labels_shadow_outer_ones() {
        check(
            "bra L; { @%p1 bra L; mov.b32 %r1, 1; L: mov.b32 %r2, 1; } L: ret;",
            &[(0, Some(4)), (1, Some(3))],
        );
    }
}
