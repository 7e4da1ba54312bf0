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
use flowgraph::{Dominators, Graph};

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
    /// Whether control may go on behind the block's last instruction.
    pub falls_through: bool,
    /// Whether some lane may return, exit or fall off the function's end in this block.
    pub exits: bool,
}

/// Which instructions end a block, besides branches.
#[derive(Clone, Copy)]
pub enum Split<'n> {
    /// Every return, exit and trap, guarded or not, and each call of a function that never returns: an
    /// instruction by which a thread can end is the last of its block. The function decides by name which
    /// functions never return.
    AtEnds(&'n dyn Fn(&str) -> bool),
    /// Returns, exits and traps without a guard. A guarded one removes lanes, and the others go on.
    AtJumps,
}

/// Splits a function into its basic blocks, in text order; block 0 is the entry.
pub fn basic_blocks(flat: &Flat, split: Split<'_>) -> Vec<BasicBlock> {
    connected(flat, &partition(flat, split), split).0
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
        let split = Split::AtEnds(&noreturn);
        let block_of = partition(flat, split);
        let (blocks, ends) = connected(flat, &block_of, split);
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

fn ends_block(instruction: &FlatInstruction, flat: &Flat, split: Split<'_>) -> bool {
    match (&instruction.op, split) {
        (Ok(Op::Bra { .. } | Op::BrxIdx), _) => true,
        (Ok(Op::Ret | Op::Exit | Op::Trap), Split::AtEnds(_)) => true,
        (Ok(Op::Ret | Op::Exit | Op::Trap), Split::AtJumps) => instruction.guard.is_none(),
        (Ok(Op::Call), Split::AtEnds(noreturn)) => never_returns(instruction, flat, noreturn),
        _ => false,
    }
}

fn never_returns(call: &FlatInstruction, flat: &Flat, noreturn: &dyn Fn(&str) -> bool) -> bool {
    call.args.iter().any(|arg| match arg {
        Arg::Symbol(name, _) => noreturn(name),
        Arg::Prototype(n) => flat.prototypes[*n as usize].noreturn,
        _ => false,
    })
}

/// Returns the block of each instruction.
fn partition(flat: &Flat, split: Split<'_>) -> Vec<BlockId> {
    let mut leader = vec![false; flat.instructions.len() + 1];
    for label in &flat.labels {
        leader[label.target as usize] = true;
    }
    for (i, instruction) in flat.instructions.iter().enumerate() {
        leader[i + 1] |= ends_block(instruction, flat, split);
    }
    let mut id = 0;
    (0..flat.instructions.len())
        .map(|i| {
            id += u32::from(i > 0 && leader[i]);
            BlockId(id)
        })
        .collect()
}

/// Builds the blocks with both directions of their edges; returns how each ends, too.
fn connected(flat: &Flat, block_of: &[BlockId], split: Split<'_>) -> (Vec<BasicBlock>, Vec<End>) {
    let mut blocks: Vec<BasicBlock> = Vec::new();
    for (i, id) in block_of.iter().enumerate() {
        if id.0 as usize == blocks.len() {
            blocks.push(BasicBlock { start: i as u32, end: i as u32, ..BasicBlock::default() });
        }
        blocks[id.0 as usize].end = i as u32 + 1;
    }
    let ends = blocks.iter_mut().map(|block| connect(block, flat, block_of, split)).collect();
    for i in 0..blocks.len() {
        for successor in blocks[i].successors.clone() {
            blocks[successor.0 as usize].predecessors.push(BlockId(i as u32));
        }
    }
    (blocks, ends)
}

/// Sets the successors of a block, and returns how it ends.
fn connect(block: &mut BasicBlock, flat: &Flat, block_of: &[BlockId], split: Split<'_>) -> End {
    let count = block_of.len() as u32;
    let last = &flat.instructions[block.end as usize - 1];
    let mut targets = Vec::new();
    let mut end = End::Goes;
    let mut falls_through = last.guard.is_some();
    match (&last.op, split) {
        (Ok(Op::Bra { .. } | Op::BrxIdx), _) => {
            for arg in &last.args {
                match arg {
                    Arg::Label(label) => targets.push(*label),
                    Arg::BranchTargets(n) => targets.extend_from_slice(&flat.branch_targets[*n as usize]),
                    _ => {}
                }
            }
        }
        (Ok(Op::Ret | Op::Exit), _) => {
            block.exits = true;
            end = End::Returns;
        }
        (Ok(Op::Trap), _) => end = End::Dies,
        (Ok(Op::Call), Split::AtEnds(noreturn)) if never_returns(last, flat, noreturn) => end = End::Dies,
        _ => falls_through = true,
    }
    block.falls_through = falls_through;
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

/// Returns the immediate post-dominator of each block, if it has one.
fn post_dominators(blocks: &[BasicBlock], ends: &[End]) -> Vec<Option<BlockId>> {
    let mut regions = Regions { blocks, region_of: vec![None; blocks.len()], roots: Vec::new() };
    // Blocks that can return come first, then those that can only terminate the kernel, then endless loops.
    // No edge leads from a later region to an earlier one.
    for kind in [End::Returns, End::Dies] {
        let open = |&i: &usize| regions.region_of[i].is_none() && ends[i] == kind;
        let roots: Vec<usize> = (0..blocks.len()).filter(open).collect();
        regions.add(roots);
    }
    // The last block of an endless loop serves as its exit.
    for i in (0..blocks.len()).rev() {
        if regions.region_of[i].is_none() {
            regions.add(vec![i]);
        }
    }
    // The roots lead to an additional node, the common exit; paths into another region do not count.
    let exit = blocks.len();
    let inside = |from: usize, to: usize| regions.region_of[from] == regions.region_of[to];
    let mut successors: Vec<Vec<usize>> = (blocks.iter().enumerate())
        .map(|(i, block)| block.successors.iter().map(|s| s.0 as usize).filter(|&s| inside(i, s)).collect())
        .collect();
    regions.roots.iter().for_each(|&root| successors[root].push(exit));
    successors.push(Vec::new());
    let dominators = Dominators::new(&Graph::new(successors).reversed(), exit);
    let block = |i: usize| dominators.immediate(i).filter(|&d| d != exit).map(|d| BlockId(d as u32));
    (0..blocks.len()).map(block).collect()
}

/// Blocks divided by what they can reach.
struct Regions<'b> {
    blocks: &'b [BasicBlock],
    /// The region of each block, by the index of its first root.
    region_of: Vec<Option<usize>>,
    roots: Vec<usize>,
}

impl Regions<'_> {
    /// Adds the region of all blocks that reach one of `roots` and are in no other region.
    fn add(&mut self, roots: Vec<usize>) {
        let region = self.roots.len();
        let mut work = roots.clone();
        while let Some(block) = work.pop() {
            if self.region_of[block].is_none() {
                self.region_of[block] = Some(region);
                work.extend(self.blocks[block].predecessors.iter().map(|p| p.0 as usize));
            }
        }
        self.roots.extend(roots);
    }
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
        let loops = if cfg!(miri) { 20 } else { 20_000 };
        let body: String = (0..loops).map(|i| format!("L{i}: @%p1 bra L{i}; bra L{i};")).collect();
        let last = 2 * loops - 1;
        let started = std::time::Instant::now();
        check(&body, &[(0, Some(1)), (last - 1, Some(last)), (last, None)]);
        assert!(cfg!(miri) || started.elapsed().as_secs() < 5);
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
