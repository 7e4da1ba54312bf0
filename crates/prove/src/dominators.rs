//! The dominators of a graph (Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", 2001).

/// The nodes that are reachable from a first one, and their immediate dominators.
#[derive(Debug)]
pub(crate) struct Dominators {
    /// The nodes in reverse postorder.
    pub(crate) order: Vec<usize>,
    /// The immediate dominator by node; the first node's is itself, and unreachable nodes have none.
    pub(crate) above: Vec<Option<usize>>,
}

impl Dominators {
    /// Computes the dominators of a graph with `nodes` nodes. `after` and `before` return a node's n-th
    /// successor and predecessor.
    pub(crate) fn of(
        nodes: usize,
        first: usize,
        after: impl Fn(usize, usize) -> Option<usize>,
        before: impl Fn(usize, usize) -> Option<usize>,
    ) -> Dominators {
        let order = reverse_postorder(nodes, first, after);
        let mut number = vec![usize::MAX; nodes];
        for (i, &node) in order.iter().enumerate() {
            number[node] = i;
        }
        // Immediate dominators by node; `usize::MAX` means none yet.
        let mut above = vec![usize::MAX; nodes];
        if let Some(&first) = order.first() {
            above[first] = first;
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &node in order.iter().skip(1) {
                let mut common = usize::MAX;
                for mut other in (0..).map_while(|n| before(node, n)).filter(|&p| above[p] != usize::MAX) {
                    if common == usize::MAX {
                        common = other;
                    }
                    while other != common {
                        if number[other] > number[common] {
                            other = above[other];
                        } else {
                            common = above[common];
                        }
                    }
                }
                if common != usize::MAX && above[node] != common {
                    above[node] = common;
                    changed = true;
                }
            }
        }
        Dominators { order, above: above.into_iter().map(|a| Some(a).filter(|&a| a != usize::MAX)).collect() }
    }
}

fn reverse_postorder(
    nodes: usize,
    first: usize,
    after: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<usize> {
    let (mut order, mut seen) = (Vec::new(), vec![false; nodes]);
    let mut stack = Vec::new();
    if let Some(seen) = seen.get_mut(first) {
        *seen = true;
        stack.push((first, 0));
    }
    while let Some((node, n)) = stack.pop() {
        match after(node, n) {
            Some(next) => {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(edges: &[&[usize]]) -> Dominators {
        let mut before = vec![Vec::new(); edges.len()];
        for (from, to) in edges.iter().enumerate() {
            to.iter().for_each(|&to| before[to].push(from));
        }
        Dominators::of(edges.len(), 0, |b, n| edges[b].get(n).copied(), |b, n| before[b].get(n).copied())
    }

    #[test]
    fn ways_meet_below_their_branch() {
        // Node 0 branches to 1 and 2, which join in 3; 3 loops to 1; 4 is unreachable.
        let found = of(&[&[1, 2], &[3], &[3], &[1, 5], &[3], &[]]);
        assert_eq!(found.above, [Some(0), Some(0), Some(0), Some(0), None, Some(3)]);
        assert_eq!((found.order[0], found.order.len()), (0, 5));
    }

    #[test]
    fn nothing_has_no_dominators() {
        let found = of(&[]);
        assert!(found.order.is_empty() && found.above.is_empty());
    }
}
