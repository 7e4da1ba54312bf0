//! Dominators of the nodes that a root reaches (Cooper, Harvey, Kennedy 2001).

use crate::Graph;

/// The nodes that are reachable from a root, and their immediate dominators.
#[derive(Clone, Debug)]
pub struct Dominators {
    order: Vec<usize>,
    /// The index in `order` by node; `None` for unreachable nodes.
    position: Vec<Option<usize>>,
    /// The immediate dominator by node; the root's is itself, unreachable nodes have none.
    immediate: Vec<Option<usize>>,
}

const UNSET: usize = usize::MAX;

impl Dominators {
    pub fn new(graph: &Graph, root: usize) -> Dominators {
        let order = graph.reverse_postorder(root);
        let mut position = vec![UNSET; graph.len()];
        for (i, &node) in order.iter().enumerate() {
            position[node] = i;
        }
        let mut above = vec![UNSET; graph.len()];
        if let Some(&root) = order.first() {
            above[root] = root;
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &node in order.iter().skip(1) {
                let mut common = UNSET;
                for &other in graph.predecessors(node).iter().filter(|&&p| above[p] != UNSET) {
                    common = match common {
                        UNSET => other,
                        _ => nearest_common(&above, &position, common, other),
                    };
                }
                if common != UNSET && above[node] != common {
                    above[node] = common;
                    changed = true;
                }
            }
        }
        let known = |all: Vec<usize>| all.into_iter().map(|n| (n != UNSET).then_some(n)).collect();
        Dominators { order, position: known(position), immediate: known(above) }
    }

    /// Returns the reachable nodes in reverse postorder: the root first, a dominator before what it dominates.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Returns the index of a node in [`Dominators::order`]; `None` if it is unreachable.
    pub fn position(&self, node: usize) -> Option<usize> {
        self.position[node]
    }

    /// Returns the immediate dominator of a node; the root's is the root itself. `None` if the node is
    /// unreachable.
    pub fn immediate(&self, node: usize) -> Option<usize> {
        self.immediate[node]
    }

    /// Returns whether every path from the root to `b` passes `a`. An unreachable node dominates nothing and is
    /// dominated by nothing.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        let (Some(target), Some(mut at)) = (self.position[a], self.position[b]) else { return false };
        let mut node = b;
        while at > target {
            let Some(above) = self.immediate[node] else { return false };
            node = above;
            at = self.position[node].unwrap_or(0);
        }
        at == target
    }
}

/// Returns the nearest node that dominates both, as far as dominators are known.
fn nearest_common(above: &[usize], position: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        match position[a] > position[b] {
            true => a = above[a],
            false => b = above[b],
        }
    }
    a
}
