//! Graphs, their order, and captures.

use super::*;
use crate::order::Order;

fn node(handle: usize, after: &[usize]) -> Node {
    Node { handle, kind: Kind::Empty, device: 0, after: after.to_vec(), early: Vec::new(), removed: false }
}

#[test]
fn steps_are_topological_whatever_the_order_of_addition() {
    let graph = Graph { nodes: vec![node(10, &[2]), node(11, &[0]), node(12, &[])] };
    let steps = flatten(&graph).unwrap();
    let origins: Vec<usize> = steps.iter().map(|s| s.origin).collect();
    assert_eq!(origins, [12, 10, 11]);
    assert!(steps.iter().all(|s| s.chain == 0), "one line is one chain");
    assert_eq!(steps.iter().map(|s| s.last).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn branches_get_chains_of_their_own() {
    let graph = Graph { nodes: vec![node(1, &[]), node(2, &[0]), node(3, &[0]), node(4, &[1, 2])] };
    let steps = flatten(&graph).unwrap();
    assert_ne!(steps[1].chain, steps[2].chain);
    for step in &steps {
        // A member of a chain depends on the chain's previous member.
        let previous = steps.iter().position(|s| s.chain == step.chain && s.origin < step.origin);
        assert!(previous.is_none_or(|p| step.after.contains(&p) || step.origin == 4));
    }
}

#[test]
fn conditions_choose_bodies() {
    let choose = |condition, bodies: &[usize], value| {
        Conditional { cell: 0, condition, bodies: bodies.to_vec() }.choose(value)
    };
    assert_eq!(choose(Condition::If, &[5], 9), Some(5));
    assert_eq!(choose(Condition::If, &[5], 0), None);
    assert_eq!(choose(Condition::If, &[5, 6], 0), Some(6));
    assert_eq!(choose(Condition::While, &[5], 2), Some(5));
    assert_eq!(choose(Condition::While, &[5], 0), None);
    assert_eq!(choose(Condition::Switch, &[5, 6, 7], 2), Some(7));
    assert_eq!(choose(Condition::Switch, &[5, 6, 7], 3), None);
}

#[test]
fn bodies_of_bodies_are_instantiated_and_destroyed_with_their_graph() {
    let mut graphs = Graphs::default();
    let mut order = Order::new();
    let outer = graphs.create();
    let mut within = outer;
    let mut all = Vec::new();
    for _ in 0..3 {
        let (bodies, _) = graphs.bodies(1);
        let conditional = Conditional { cell: 0, condition: Condition::While, bodies: bodies.clone() };
        graphs.add(within, &[], Kind::Conditional(conditional), 0).unwrap();
        within = bodies[0];
        all.push(within);
    }
    let exec = graphs.instantiate(outer, &mut order, 0).unwrap();
    let Exec { plan, bodies, .. } = graphs.exec(exec).unwrap();
    assert_eq!((plan.steps.len(), bodies.len()), (1, 3));
    graphs.destroy(outer).unwrap();
    assert!(all.iter().all(|body| graphs.graph(*body).is_err()));
}

#[test]
fn a_cycle_is_refused() {
    let graph = Graph { nodes: vec![node(1, &[1]), node(2, &[0])] };
    assert_eq!(flatten(&graph).err(), Some(CudaError::INVALID_VALUE));
}

#[test]
fn child_graphs_stand_between_their_neighbours() {
    let child = Graph { nodes: vec![node(20, &[]), node(21, &[])] };
    let mut graph = Graph { nodes: vec![node(1, &[]), node(2, &[0]), node(3, &[1])] };
    graph.nodes[1].kind = Kind::Child(Box::new(child));
    let steps = flatten(&graph).unwrap();
    let at = |origin| steps.iter().position(|s| s.origin == origin).unwrap();
    assert_eq!(steps[at(20)].after, [at(1)]);
    assert_eq!(steps[at(21)].after, [at(1)]);
    assert_eq!(steps[at(3)].after, [at(20), at(21)]);
}

#[test]
fn a_forked_stream_must_be_joined_before_the_capture_ends() {
    let mut order = Order::new();
    let s = order.new_stream(0, crate::order::StreamKind::Blocking);
    let t = order.new_stream(0, crate::order::StreamKind::Blocking);
    for join in [false, true] {
        let mut graphs = Graphs::default();
        let graph = graphs.create();
        graphs.begin_capture(s, graph, Vec::new()).unwrap();
        let capture = graphs.capture_of(s).unwrap().unwrap();
        graphs.append(graph, s, Kind::Empty, 0).unwrap();
        graphs.record(capture, s, 1).unwrap();
        assert!(graphs.wait_in_capture(t, 1).unwrap());
        graphs.append(graph, t, Kind::Empty, 0).unwrap();
        if join {
            graphs.record(capture, t, 2).unwrap();
            graphs.wait_in_capture(s, 2).unwrap();
        }
        let ended = graphs.end_capture(s);
        assert_eq!(ended.is_ok(), join);
        assert!(!graphs.any_capture());
        if join {
            assert_eq!(graphs.graph(graph).unwrap().nodes[1].after, [0]);
        }
    }
}
