//! Dominators, loops, and what is known where a block is reached.

use super::ir::{Function, Op};
use flowgraph::{Dominators, Graph, Loop, natural_loops};

/// Dominators and loops of a function.
#[derive(Debug)]
pub(super) struct Flow {
    dominators: Dominators,
    pub(super) loops: Vec<Loop>,
}

/// A condition on a value: it is true, false, a number, or one for which a `switch` takes an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Is(bool),
    Equals(i128),
    /// The `switch` that ends block `from` leads to block `to`: by its default, or by several cases.
    Leads {
        from: usize,
        to: usize,
    },
}

impl Op<'_> {
    /// Returns the block that a `switch` leads to for a number.
    pub(super) fn led_to(&self, number: i128) -> Option<usize> {
        match self {
            Op::Switch { cases, default, .. } => {
                Some(cases.iter().find(|(c, _)| *c == number).map_or(*default, |(_, to)| *to))
            }
            _ => None,
        }
    }
}

impl Function<'_> {
    /// Returns whether the `switch` at a block's end leads to another block for a number.
    pub(super) fn leads(&self, from: usize, number: i128, to: usize) -> bool {
        let last = self.blocks[from].insts.last();
        last.and_then(|i| i.op.led_to(number)).is_none_or(|t| t == to)
    }
}

impl Flow {
    pub(super) fn of(f: &Function<'_>) -> Flow {
        let graph = Graph::new(f.blocks.iter().map(|block| block.successors.clone()).collect());
        let dominators = Dominators::new(&graph, 0);
        let loops = natural_loops(&graph, &dominators);
        Flow { dominators, loops }
    }

    /// Returns the immediate dominator of a block; the block itself if it has none.
    pub(super) fn above(&self, block: usize) -> usize {
        self.dominators.immediate(block).unwrap_or(block)
    }

    /// Returns whether the first block is on every path to the second.
    pub(super) fn dominates(&self, a: usize, b: usize) -> bool {
        a == b || self.dominators.dominates(a, b)
    }

    /// The loops around a block, the outermost first.
    pub(super) fn around(&self, block: usize) -> Vec<usize> {
        // Headers come in an order in which outer ones are first.
        (0..self.loops.len()).filter(|&l| self.loops[l].contains(block)).collect()
    }

    /// Returns the conditions that hold wherever the block is reached, the nearest first.
    pub(super) fn conditions<'a>(&self, f: &Function<'a>, block: usize) -> Vec<(&'a str, Holds)> {
        let mut found = Vec::new();
        let mut at = block;
        while self.above(at) != at {
            found.extend(self.between(f, self.above(at), at));
            at = self.above(at);
        }
        found
    }

    /// Returns the conditions that hold on an edge.
    pub(super) fn conditions_of_edge<'a>(
        &self,
        f: &Function<'a>,
        from: usize,
        to: usize,
    ) -> Vec<(&'a str, Holds)> {
        let mut found: Vec<(&'a str, Holds)> = self.edge(f, from, to).into_iter().collect();
        found.extend(self.conditions(f, from));
        found
    }

    /// Returns the condition under which the end of a block takes an edge.
    fn edge<'a>(&self, f: &Function<'a>, from: usize, to: usize) -> Option<(&'a str, Holds)> {
        match &f.blocks[from].insts.last()?.op {
            Op::Branch { condition, yes, no } if yes != no => Some((condition, Holds::Is(*yes == to))),
            Op::Switch { value, cases, default } => {
                let mut own = cases.iter().filter(|(_, t)| *t == to);
                match (own.next(), own.next()) {
                    (Some((c, _)), None) if to != *default => Some((value, Holds::Equals(*c))),
                    _ => Some((value, Holds::Leads { from, to })),
                }
            }
            _ => None,
        }
    }

    /// Returns the condition that the end of one block states on each path to another one.
    pub(super) fn between<'a>(&self, f: &Function<'a>, from: usize, to: usize) -> Option<(&'a str, Holds)> {
        // The edge is the only way to where it leads, but for ways that come from there.
        let only = |target: usize| {
            self.dominates(target, to)
                && f.blocks[target].predecessors.iter().all(|&p| p == from || self.dominates(target, p))
        };
        match &f.blocks[from].insts.last()?.op {
            Op::Branch { condition, yes, no } if yes != no => {
                let is = [(*yes, true), (*no, false)].into_iter().find(|(t, _)| only(*t))?.1;
                Some((condition, Holds::Is(is)))
            }
            Op::Switch { value, cases, default } => {
                let mut targets = cases.iter().map(|(_, t)| *t).chain([*default]);
                let target = targets.find(|t| only(*t))?;
                let mut own = cases.iter().filter(|(_, t)| *t == target);
                match (own.next(), own.next()) {
                    (Some((c, _)), None) if target != *default => Some((value, Holds::Equals(*c))),
                    _ => Some((value, Holds::Leads { from, to: target })),
                }
            }
            _ => None,
        }
    }
}
