//! The order in which a function's basic blocks are laid out.
//!
//! The interpreter runs the group of lanes with the lowest program counter first, and merges groups whose
//! counters meet. That reconverges as well as waiting at post-dominators if every block lies behind all
//! blocks that can reach it, and loops are contiguous with their exits behind them: a weak topological order.

use flowgraph::{Graph, weak_topological_order};
use ptx::cfg::{BasicBlock, Split, basic_blocks};
use ptx::flat::Flat;

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
    let block = |block: BasicBlock| Block {
        start: block.start as usize,
        end: block.end as usize,
        successors: block.successors.iter().map(|s| s.0 as usize).collect(),
        falls_through: block.falls_through,
    };
    basic_blocks(flat, Split::AtJumps).into_iter().map(block).collect()
}

/// Returns the layout order of all reachable blocks.
pub fn layout(blocks: &[Block]) -> Vec<usize> {
    weak_topological_order(&Graph::new(blocks.iter().map(|block| block.successors.clone()).collect()))
}
