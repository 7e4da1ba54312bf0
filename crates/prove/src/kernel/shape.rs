//! Loops of a function, and its dominators.

use flowgraph::{Dominators, Graph, natural_loops};
use ptx::cfg::{BlockId, Cfg};

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: BlockId,
    /// Membership by block.
    pub body: Vec<bool>,
    /// The enclosing loop.
    pub parent: Option<usize>,
}

/// The reason why a function's loops are unsupported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unstructured {
    #[error("a loop with two entries")]
    TwoEntries,
    /// Sets of loops are words with one bit for each.
    #[error("more than 64 loops")]
    TooManyLoops,
}

/// Reverse postorder, dominators and loops.
#[derive(Debug)]
pub struct Shape {
    pub order: Vec<BlockId>,
    /// The index in `order`; `None` for unreachable blocks.
    pub place: Vec<Option<usize>>,
    dominators: Dominators,
    /// The loops, outer ones first.
    pub loops: Vec<Loop>,
    /// The innermost loop of each block.
    pub inner: Vec<Option<usize>>,
}

impl Shape {
    /// Computes the shape. Fails for loops with two entries, and for more than 64 loops.
    pub fn new(cfg: &Cfg) -> Result<Shape, Unstructured> {
        let successors =
            |block: &ptx::cfg::BasicBlock| block.successors.iter().map(|s| s.0 as usize).collect();
        let graph = Graph::new(cfg.blocks.iter().map(successors).collect());
        let dominators = Dominators::new(&graph, 0);
        for &b in dominators.order() {
            for &s in graph.successors(b) {
                let retreats = dominators.position(s) <= dominators.position(b);
                if retreats && !dominators.dominates(s, b) {
                    return Err(Unstructured::TwoEntries);
                }
            }
        }
        let mut loops: Vec<Loop> = Vec::new();
        let mut inner = vec![None; graph.len()];
        for found in natural_loops(&graph, &dominators) {
            let parent = (0..loops.len()).rev().find(|&l| loops[l].body[found.header]);
            found.nodes().for_each(|b| inner[b] = Some(loops.len()));
            let body = (0..graph.len()).map(|b| found.contains(b)).collect();
            loops.push(Loop { header: BlockId(found.header as u32), body, parent });
        }
        if loops.len() > 64 {
            return Err(Unstructured::TooManyLoops);
        }
        let order = dominators.order().iter().map(|&b| BlockId(b as u32)).collect();
        let place = (0..graph.len()).map(|b| dominators.position(b)).collect();
        Ok(Shape { order, place, dominators, loops, inner })
    }

    /// Returns whether every path to block `b` passes block `a`.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.dominators.dominates(a.0 as usize, b.0 as usize)
    }

    /// Returns whether every path to the instruction `then` passes the instruction `first`.
    pub fn precedes(&self, cfg: &Cfg, first: usize, then: usize) -> bool {
        let (a, b) = (cfg.block_of(first as u32), cfg.block_of(then as u32));
        if a == b { first < then } else { self.dominates(a, b) }
    }

    /// Returns the immediate dominator; the entry's is the entry itself.
    pub fn immediate(&self, b: BlockId) -> Option<BlockId> {
        self.dominators.immediate(b.0 as usize).map(|d| BlockId(d as u32))
    }

    /// Returns the loops around a block, innermost first.
    pub fn around(&self, b: BlockId) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.inner[b.0 as usize], |&l| self.loops[l].parent)
    }

    pub fn contains(&self, l: usize, b: BlockId) -> bool {
        self.loops[l].body[b.0 as usize]
    }
}
