//! Tests each rule against a small model: explicit edges and their transitive closure.

use super::*;
use std::collections::HashSet;

/// Follows `after` edges as a detector does.
#[derive(Default)]
struct Graph {
    ancestors: HashMap<TaskId, HashSet<TaskId>>,
}

impl Graph {
    fn add(&mut self, placed: &Placed) -> TaskId {
        let mut set = HashSet::new();
        for &task in &placed.after {
            assert!(task < placed.id, "an edge to the future");
            set.insert(task);
            set.extend(self.ancestors[&task].iter().copied());
        }
        self.ancestors.insert(placed.id, set);
        placed.id
    }

    fn ordered(&self, first: TaskId, second: TaskId) -> bool {
        self.ancestors[&second].contains(&first)
    }

    fn unordered(&self, a: TaskId, b: TaskId) -> bool {
        !self.ordered(a, b) && !self.ordered(b, a)
    }
}

struct World {
    order: Order,
    graph: Graph,
    legacy: StreamKey,
}

fn world() -> World {
    let mut order = Order::new();
    let legacy = order.new_stream(0, StreamKind::Legacy);
    World { order, graph: Graph::default(), legacy }
}

impl World {
    fn blocking(&mut self) -> StreamKey {
        self.order.new_stream(0, StreamKind::Blocking)
    }

    fn non_blocking(&mut self) -> StreamKey {
        self.order.new_stream(0, StreamKind::NonBlocking)
    }

    fn launch(&mut self, stream: StreamKey) -> TaskId {
        let placed = self.order.submit(stream);
        self.graph.add(&placed)
    }

    fn sync(&mut self, stream: StreamKey) {
        let known = self.order.stream(stream);
        self.order.host_learns(&known);
    }

    fn sync_device(&mut self) {
        let known = self.order.device(0);
        self.order.host_learns(&known);
    }

    fn touch(&mut self, thread: u32) -> TaskId {
        let (task, new) = self.order.host_segment(thread);
        if let Some(placed) = new {
            self.graph.add(&placed);
        }
        task
    }
}

#[test]
fn a_stream_is_first_in_first_out() {
    let mut w = world();
    let s = w.blocking();
    let (a, b, c) = (w.launch(s), w.launch(s), w.launch(s));
    assert!(w.graph.ordered(a, b) && w.graph.ordered(b, c) && w.graph.ordered(a, c));
}

#[test]
fn two_streams_are_unordered() {
    let mut w = world();
    let (s, t) = (w.blocking(), w.blocking());
    let (a, b) = (w.launch(s), w.launch(t));
    assert!(w.graph.unordered(a, b));
}

#[test]
fn the_legacy_stream_is_a_barrier_for_blocking_streams() {
    let mut w = world();
    let (s, t) = (w.blocking(), w.blocking());
    let a = w.launch(s);
    let d = w.launch(w.legacy);
    let b = w.launch(t);
    assert!(w.graph.ordered(a, d) && w.graph.ordered(d, b) && w.graph.ordered(a, b));
}

#[test]
fn the_legacy_stream_and_a_non_blocking_stream_are_unordered() {
    let mut w = world();
    let s = w.non_blocking();
    let a = w.launch(s);
    let d = w.launch(w.legacy);
    let b = w.launch(s);
    assert!(w.graph.unordered(a, d) && w.graph.unordered(d, b));
    assert!(w.graph.ordered(a, b));
}

#[test]
fn the_legacy_stream_of_another_device_is_no_barrier() {
    let mut w = world();
    let other = w.order.new_stream(1, StreamKind::Blocking);
    let a = w.launch(other);
    let d = w.launch(w.legacy);
    assert!(w.graph.unordered(a, d));
}

#[test]
fn an_event_orders_what_was_before_its_record_only() {
    let mut w = world();
    let (s, t) = (w.non_blocking(), w.non_blocking());
    let a = w.launch(s);
    let event = w.order.mark(s);
    let after_record = w.launch(s);
    let early = w.launch(t);
    w.order.wait(t, &event);
    let b = w.launch(t);
    assert!(w.graph.ordered(a, b));
    assert!(w.graph.unordered(after_record, b));
    assert!(w.graph.unordered(a, early));
}

#[test]
fn an_event_recorded_in_the_legacy_stream_waits_for_blocking_streams() {
    let mut w = world();
    let (s, t) = (w.blocking(), w.non_blocking());
    let a = w.launch(s);
    let event = w.order.mark(w.legacy);
    w.order.wait(t, &event);
    let b = w.launch(t);
    assert!(w.graph.ordered(a, b));
}

#[test]
fn host_synchronisation_orders_later_work_of_any_stream() {
    let mut w = world();
    let (s, t) = (w.non_blocking(), w.non_blocking());
    let a = w.launch(s);
    let before = w.launch(t);
    w.sync(s);
    let b = w.launch(t);
    assert!(w.graph.ordered(a, b));
    assert!(w.graph.unordered(a, before));
}

#[test]
fn synchronising_one_stream_says_nothing_of_another() {
    let mut w = world();
    let (s, t) = (w.non_blocking(), w.non_blocking());
    let a = w.launch(s);
    w.launch(t);
    w.sync(t);
    let b = w.launch(t);
    assert!(w.graph.unordered(a, b));
}

#[test]
fn device_synchronisation_covers_destroyed_streams() {
    let mut w = world();
    let (s, t) = (w.non_blocking(), w.non_blocking());
    let a = w.launch(s);
    w.order.destroy_stream(s);
    let unordered = w.launch(t);
    w.sync_device();
    let b = w.launch(t);
    assert!(w.graph.unordered(a, unordered));
    assert!(w.graph.ordered(a, b));
}

#[test]
fn a_stream_that_reuses_a_chain_is_not_ordered_by_that() {
    let mut w = world();
    let s = w.non_blocking();
    let a = w.launch(s);
    w.order.destroy_stream(s);
    let t = w.non_blocking();
    let b = w.launch(t);
    assert!(w.graph.unordered(a, b), "the old stream's work was never waited for");
}

#[test]
fn chains_of_finished_streams_are_reused() {
    let mut w = world();
    for _ in 0..1000 {
        let s = w.non_blocking();
        w.launch(s);
        w.sync(s);
        w.order.destroy_stream(s);
    }
    assert!(w.order.host().width() <= 2, "{}", w.order.host().width());
}

#[test]
fn host_accesses_are_after_what_was_waited_for_and_before_what_is_launched_next() {
    let mut w = world();
    let s = w.blocking();
    let before = w.touch(1);
    let a = w.launch(s);
    let during = w.touch(1);
    assert_ne!(before, during);
    w.sync(s);
    let after = w.touch(1);
    let b = w.launch(s);
    assert!(w.graph.ordered(before, a));
    assert!(w.graph.unordered(a, during));
    assert!(w.graph.ordered(a, after));
    assert!(w.graph.ordered(before, during) && w.graph.ordered(during, after));
    assert!(w.graph.ordered(after, b) && w.graph.ordered(during, b));
}

#[test]
fn a_segment_lasts_until_the_next_call() {
    let mut w = world();
    assert_eq!(w.touch(1), w.touch(1));
}

#[test]
fn host_threads_share_what_the_host_knows() {
    let mut w = world();
    let s = w.non_blocking();
    let a = w.launch(s);
    let one = w.touch(1);
    w.sync(s);
    let two = w.touch(2);
    assert!(w.graph.ordered(a, two) && w.graph.ordered(one, two));
}

#[test]
fn a_peer_copy_is_serialised_with_both_devices() {
    let mut w = world();
    let near = w.non_blocking();
    let far = w.order.new_stream(1, StreamKind::NonBlocking);
    let third = w.order.new_stream(2, StreamKind::NonBlocking);
    let (a, b, c) = (w.launch(near), w.launch(far), w.launch(third));
    let copy = w.order.submit_serialized(w.legacy, &[0, 1]);
    let copy = w.graph.add(&copy);
    let (d, e) = (w.launch(near), w.launch(far));
    assert!(w.graph.ordered(a, copy) && w.graph.ordered(b, copy));
    assert!(w.graph.ordered(copy, d) && w.graph.ordered(copy, e));
    assert!(w.graph.unordered(c, copy));
}

#[test]
fn branches_of_a_graph_are_unordered_and_joined_at_its_end() {
    let mut w = world();
    let s = w.non_blocking();
    let first = w.launch(s);
    let start = w.order.mark(s);
    let chains = [w.order.new_chain(), w.order.new_chain()];
    let left = w.order.submit_after(start.clone(), chains[0]);
    let right = w.order.submit_after(start, chains[1]);
    let (a, b) = (w.graph.add(&left), w.graph.add(&right));
    w.order.wait(s, &left.known);
    w.order.wait(s, &right.known);
    let last = w.launch(s);
    assert!(w.graph.unordered(a, b));
    assert!(w.graph.ordered(first, a) && w.graph.ordered(first, b));
    assert!(w.graph.ordered(a, last) && w.graph.ordered(b, last));
}

#[test]
fn a_programmatic_launch_may_overlap_the_kernel_before_it_only() {
    let mut w = world();
    let s = w.blocking();
    let first = w.launch(s);
    let kernel = |w: &mut World, overlaps| {
        let placed = w.order.submit_kernel(s, overlaps);
        (w.graph.add(&placed), placed.overlap)
    };
    let overlap =
        |with, after: &[TaskId]| Some(Overlap { with: vec![with], begun: Vec::new(), after: after.to_vec() });
    assert_eq!(kernel(&mut w, true).1, None, "behind a copy");
    w.order.mark(s);
    assert_eq!(kernel(&mut w, true).1, None, "behind an event");
    let (before, _) = kernel(&mut w, false);
    let (primary, _) = kernel(&mut w, false);
    let (second, beside) = kernel(&mut w, true);
    assert_eq!(beside, overlap(primary, &[before]));
    // The second kernel may begin before the first one ends, and the third before the second one has waited.
    let (third, beside) = kernel(&mut w, true);
    assert_eq!(beside, overlap(second, &[before]));
    assert!(w.graph.ordered(first, second) && w.graph.ordered(primary, second));
    assert!(w.graph.ordered(second, third), "once it waits");
    // A kernel that the host has waited for cannot be overlapped.
    w.sync(s);
    assert_eq!(kernel(&mut w, true).1, None);
}

#[test]
fn a_node_with_programmatic_edges_is_after_its_other_edges_only_before_it_waits() {
    let mut w = world();
    let chains: Vec<_> = (0..3).map(|_| w.order.new_chain()).collect();
    let nodes: Vec<_> = chains.iter().map(|&c| w.order.submit_after(Known::default(), c)).collect();
    let mut known = nodes[0].known.clone();
    nodes[1..].iter().for_each(|node| known.join(&node.known));
    let with = [(nodes[0].id, chains[0], false), (nodes[1].id, chains[1], true)];
    let placed = w.order.submit_dependent(known.clone(), chains[0], &nodes[2].known, &with);
    let overlap =
        Overlap { with: vec![nodes[0].id, nodes[1].id], begun: vec![nodes[1].id], after: vec![nodes[2].id] };
    assert_eq!(placed.overlap, Some(overlap));
    assert!(nodes.iter().all(|node| placed.after.contains(&node.id)), "once it waits");
    let ordered = w.order.submit_dependent(known.clone(), chains[1], &known, &with);
    assert_eq!(ordered.overlap, None, "other edges order them");
}

#[test]
fn edges_are_direct_and_name_the_predecessor_in_the_chain() {
    let mut w = world();
    let s = w.blocking();
    let a = w.launch(s);
    w.sync(s);
    let placed = w.order.submit(s);
    assert_eq!(placed.after, [a], "the host's knowledge of a adds nothing");
}

/// Random programs: the closure of the edges must equal the naively computed order of the rules.
#[test]
fn random_programs_have_exactly_the_order_of_the_rules() {
    for seed in 1..60u64 {
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut next = |n: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) % n
        };
        let mut w = world();
        let kinds = [StreamKind::Legacy, StreamKind::Blocking, StreamKind::NonBlocking, StreamKind::Blocking];
        let streams = [w.legacy, w.blocking(), w.non_blocking(), w.blocking()];
        // In the naive model every set is explicit.
        let mut tails: Vec<HashSet<TaskId>> = vec![HashSet::new(); 4];
        let mut host: HashSet<TaskId> = HashSet::new();
        let mut event: Option<(Known, HashSet<TaskId>)> = None;
        let position = |tails: &[HashSet<TaskId>], host: &HashSet<TaskId>, s: usize| {
            let mut set = host | &tails[s];
            for other in 0..4 {
                let pair = (kinds[s], kinds[other]);
                if matches!(
                    pair,
                    (StreamKind::Legacy, StreamKind::Blocking) | (StreamKind::Blocking, StreamKind::Legacy)
                ) {
                    set = &set | &tails[other];
                }
            }
            set
        };
        for _ in 0..80 {
            let s = next(4) as usize;
            match next(6) {
                0..=2 => {
                    let task = w.launch(streams[s]);
                    let set = position(&tails, &host, s);
                    assert_eq!(w.graph.ancestors[&task], set, "seed {seed}");
                    tails[s] = set;
                    tails[s].insert(task);
                }
                3 => {
                    tails[s] = position(&tails, &host, s);
                    event = Some((w.order.mark(streams[s]), tails[s].clone()));
                }
                4 => {
                    if let Some((known, set)) = &event {
                        w.order.wait(streams[s], known);
                        tails[s] = &position(&tails, &host, s) | set;
                    }
                }
                _ => {
                    w.sync(streams[s]);
                    let waited = if s == 0 { position(&tails, &host, s) } else { tails[s].clone() };
                    host = &host | &waited;
                }
            }
        }
    }
}
