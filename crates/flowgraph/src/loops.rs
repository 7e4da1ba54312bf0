//! Natural loops: what reaches a back edge without passing the loop's header.

use crate::{Dominators, Graph};

/// A natural loop. Loops with one header are one loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: usize,
    /// The reachable nodes from which an edge leads back to the header.
    pub latches: Vec<usize>,
    body: Vec<bool>,
}

impl Loop {
    pub fn contains(&self, node: usize) -> bool {
        self.body[node]
    }

    /// Returns the nodes of the loop in ascending order.
    pub fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.body.iter().enumerate().filter(|(_, inside)| **inside).map(|(node, _)| node)
    }
}

/// Returns the natural loops of the reachable nodes; an outer loop comes before those inside it.
pub fn natural_loops(graph: &Graph, dominators: &Dominators) -> Vec<Loop> {
    let mut found = Vec::new();
    for &header in dominators.order() {
        let back = |&&p: &&usize| dominators.dominates(header, p);
        let latches: Vec<usize> = graph.predecessors(header).iter().filter(back).copied().collect();
        if latches.is_empty() {
            continue;
        }
        let mut body = vec![false; graph.len()];
        body[header] = true;
        let mut work = latches.clone();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut body[node], true) {
                let reached = |&&p: &&usize| dominators.position(p).is_some();
                work.extend(graph.predecessors(node).iter().filter(reached));
            }
        }
        found.push(Loop { header, latches, body });
    }
    found
}
