//! Hand-made graphs, and random ones against the definitions.

use super::*;
use proptest::prelude::*;

fn graph(edges: &[&[usize]]) -> Graph {
    Graph::new(edges.iter().map(|to| to.to_vec()).collect())
}

/// Returns the nodes that `from` reaches without entering `without`.
fn reached(graph: &Graph, from: usize, without: Option<usize>) -> Vec<bool> {
    let mut seen = vec![false; graph.len()];
    let mut work: Vec<usize> = Some(from).filter(|&f| Some(f) != without).into_iter().collect();
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            work.extend(graph.successors(node).iter().filter(|&&s| Some(s) != without));
        }
    }
    seen
}

fn graphs() -> impl Strategy<Value = Graph> {
    (1..12usize).prop_flat_map(|nodes| {
        let successors = prop::collection::vec(0..nodes, 0..4);
        prop::collection::vec(successors, nodes).prop_map(Graph::new)
    })
}

#[test]
fn paths_meet_below_their_branch() {
    // Node 0 branches to 1 and 2, which join in 3; 3 loops to 1; 4 is unreachable.
    let graph = graph(&[&[1, 2], &[3], &[3], &[1, 5], &[3], &[]]);
    let found = Dominators::new(&graph, 0);
    let above: Vec<Option<usize>> = (0..6).map(|n| found.immediate(n)).collect();
    assert_eq!(above, [Some(0), Some(0), Some(0), Some(0), None, Some(3)]);
    assert_eq!((found.order()[0], found.order().len()), (0, 5));
    assert!(!found.dominates(4, 3) && !found.dominates(4, 4));
    assert!(natural_loops(&graph, &found).is_empty(), "node 1 is no header: 2 enters the cycle at 3");
}

#[test]
fn nothing_has_no_dominators() {
    let graph = graph(&[]);
    assert!(Dominators::new(&graph, 0).order().is_empty());
    assert!(weak_topological_order(&graph).is_empty());
}

#[test]
fn parallel_edges_make_one_predecessor() {
    let graph = graph(&[&[1, 1], &[1, 0]]);
    assert_eq!((graph.predecessors(0), graph.predecessors(1)), (&[1][..], &[0, 1][..]));
}

#[test]
fn an_outer_loop_comes_before_the_loops_inside_it() {
    let graph = graph(&[&[1], &[2], &[2, 3], &[1, 4], &[]]);
    let loops = natural_loops(&graph, &Dominators::new(&graph, 0));
    let shown: Vec<(usize, Vec<usize>)> = loops.iter().map(|l| (l.header, l.nodes().collect())).collect();
    assert_eq!(shown, [(1, vec![1, 2, 3]), (2, vec![2])]);
    assert_eq!(loops[0].latches, [3]);
}

fn position(order: &[usize], node: usize) -> usize {
    order.iter().position(|&o| o == node).unwrap()
}

#[test]
fn a_join_lies_behind_both_sides_even_if_the_text_sinks_one() {
    // 0 branches to 3 (moved to the end), which branches back to 2.
    let order = weak_topological_order(&graph(&[&[1, 3], &[2], &[], &[2]]));
    assert_eq!(order.len(), 4);
    assert_eq!(position(&order, 0), 0);
    assert_eq!(position(&order, 2), 3);
}

#[test]
fn loop_exits_lie_behind_loops() {
    // 1 and 2 form a loop; 3 is an exit reached from the header, 4 from the body.
    let order = weak_topological_order(&graph(&[&[1], &[3, 2], &[1, 4], &[5], &[5], &[]]));
    let at: Vec<usize> = (0..6).map(|node| position(&order, node)).collect();
    assert!(at[1] < at[2]);
    assert!(at[2] < at[3] && at[2] < at[4]);
    assert_eq!(at[5], 5);
}

#[test]
fn nested_and_irreducible_loops_keep_every_node_once() {
    let graph = graph(&[&[1, 2], &[2, 3], &[1, 4], &[3, 1], &[5], &[4, 0], &[0]]);
    let mut sorted = weak_topological_order(&graph);
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1, 2, 3, 4, 5], "6 is unreachable");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dominators_by_definition(graph in graphs()) {
        let found = Dominators::new(&graph, 0);
        let alive = reached(&graph, 0, None);
        for b in 0..graph.len() {
            prop_assert_eq!(found.position(b).is_some(), alive[b]);
            let dominates = |a: usize, b: usize| alive[a] && alive[b] && (a == b || !reached(&graph, 0, Some(a))[b]);
            for a in 0..graph.len() {
                prop_assert_eq!(found.dominates(a, b), dominates(a, b), "{} over {}", a, b);
            }
            let strict: Vec<usize> = (0..graph.len()).filter(|&a| a != b && dominates(a, b)).collect();
            let immediate = strict.iter().copied().find(|&a| strict.iter().all(|&other| dominates(other, a)));
            let root = (b == 0).then_some(0);
            prop_assert_eq!(found.immediate(b), immediate.or(root));
        }
    }

    #[test]
    fn natural_loops_by_definition(graph in graphs()) {
        let dominators = Dominators::new(&graph, 0);
        let loops = natural_loops(&graph, &dominators);
        for header in 0..graph.len() {
            let back = |p: usize| graph.successors(p).contains(&header) && dominators.dominates(header, p);
            let latches: Vec<usize> = (0..graph.len()).filter(|&p| back(p)).collect();
            let found = loops.iter().find(|l| l.header == header);
            prop_assert_eq!(found.map_or(&[][..], |l| &l.latches[..]), &latches[..]);
            let Some(found) = found else { continue };
            for node in 0..graph.len() {
                let backwards = reached(&graph, node, Some(header));
                let inside = node == header
                    || dominators.position(node).is_some() && latches.iter().any(|&l| backwards[l]);
                prop_assert_eq!(found.contains(node), inside, "{} in the loop of {}", node, header);
            }
        }
    }

    #[test]
    fn a_weak_topological_order_has_each_reachable_node_once_and_its_loops_in_one_piece(graph in graphs()) {
        let order = weak_topological_order(&graph);
        let alive = reached(&graph, 0, None);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..graph.len()).filter(|&n| alive[n]).collect::<Vec<_>>());
        // Nodes that reach each other are one component.
        let together = |a: usize, b: usize| reached(&graph, a, None)[b] && reached(&graph, b, None)[a];
        for (i, &a) in order.iter().enumerate() {
            for (j, &b) in order.iter().enumerate().skip(i + 1) {
                prop_assert!(together(a, b) || !reached(&graph, b, None)[a], "{} before {}", a, b);
                let between = order[i + 1..j].iter().all(|&c| !together(a, b) || together(a, c));
                prop_assert!(between, "the loop of {} and {} is divided", a, b);
            }
        }
    }
}
