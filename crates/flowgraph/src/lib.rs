//! Control flow graphs: dominators, natural loops, and a weak topological order.
//!
//! Nodes are numbers from 0. Basic blocks of PTX (`ptx::cfg`, `kernels::blocks`) and of LLVM IR (`host_ir`) are
//! such nodes; this crate knows neither language.
//!
//! * [`Dominators`]: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001). Postdominators are the
//!   dominators of the [reversed](Graph::reversed) graph from a common exit.
//! * [`natural_loops`]: the loops of back edges to a header that dominates their origin.
//! * [`weak_topological_order`]: Bourdoncle, "Efficient chaotic iteration strategies with widenings" (FMPA 1993).
//!
//! No function recurses along the graph: hostile input cannot exhaust the stack.

mod dominators;
mod loops;
mod weak_order;

pub use dominators::Dominators;
pub use loops::{Loop, natural_loops};
pub use weak_order::weak_topological_order;

/// A directed graph with both directions of its edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

impl Graph {
    /// Builds the graph in which node `n` has the successors `successors[n]`. Panics if one of them is no node.
    pub fn new(successors: Vec<Vec<usize>>) -> Graph {
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); successors.len()];
        for (from, to) in successors.iter().enumerate() {
            for &to in to {
                // Parallel edges are neighbours in this list.
                if predecessors[to].last() != Some(&from) {
                    predecessors[to].push(from);
                }
            }
        }
        Graph { successors, predecessors }
    }

    /// Returns the graph with every edge turned around.
    pub fn reversed(self) -> Graph {
        Graph { successors: self.predecessors, predecessors: self.successors }
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// Returns the successors of a node, in the order in which they were given.
    pub fn successors(&self, node: usize) -> &[usize] {
        &self.successors[node]
    }

    /// Returns the predecessors of a node, each once and in ascending order.
    pub fn predecessors(&self, node: usize) -> &[usize] {
        &self.predecessors[node]
    }

    /// Returns the nodes that `root` reaches, in reverse postorder of a depth-first search.
    pub fn reverse_postorder(&self, root: usize) -> Vec<usize> {
        let (mut order, mut seen) = (Vec::new(), vec![false; self.len()]);
        let mut stack = Vec::new();
        if let Some(seen) = seen.get_mut(root) {
            *seen = true;
            stack.push((root, 0));
        }
        while let Some((node, n)) = stack.pop() {
            match self.successors[node].get(n) {
                Some(&next) => {
                    stack.push((node, n + 1));
                    if !std::mem::replace(&mut seen[next], true) {
                        stack.push((next, 0));
                    }
                }
                None => order.push(node),
            }
        }
        order.reverse();
        order
    }
}

#[cfg(test)]
mod tests;
