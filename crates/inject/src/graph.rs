//! CUDA graphs and the capture of streams into them.
//!
//! A graph is nodes and edges; instantiating flattens it into a list in topological
//! order, each node with its place in a chain, so that launching is one pass.

use crate::abi::error::{CudaError, CudaResult};
use crate::order::{Order, StreamKey};
use crate::submit::Action;
use std::collections::{HashMap, HashSet};

/// What a node does.
#[derive(Clone)]
pub(crate) enum Kind {
    Action(Action),
    Empty,
    Child(Box<Graph>),
    /// Memory that belongs to the graph.
    Allocate,
    Free,
    /// By event handle.
    EventRecord(usize),
    EventWait(usize),
    Conditional(Conditional),
}

/// When a conditional node runs which of its bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The first if the value is not 0, else the second, if there is one.
    If,
    /// The only one, as long as the value is not 0.
    While,
    /// The one with the value's number.
    Switch,
}

#[derive(Clone)]
pub(crate) struct Conditional {
    /// The address of the cell that kernels set.
    pub(crate) cell: u64,
    pub(crate) condition: Condition,
    /// Handles of the bodies' graphs.
    pub(crate) bodies: Vec<usize>,
}

impl Conditional {
    /// The body to run next.
    pub(crate) fn choose(&self, value: u32) -> Option<usize> {
        let index = match self.condition {
            Condition::If => usize::from(value == 0),
            Condition::While if value == 0 => return None,
            Condition::While => 0,
            Condition::Switch => value as usize,
        };
        self.bodies.get(index).copied()
    }
}

#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) handle: usize,
    pub(crate) kind: Kind,
    pub(crate) device: u32,
    /// Indices of nodes it is after.
    pub(crate) after: Vec<usize>,
    pub(crate) removed: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

/// A node of an instantiated graph.
#[derive(Clone)]
pub(crate) struct Step {
    /// The handle of the node it came from.
    pub(crate) origin: usize,
    pub(crate) kind: Kind,
    pub(crate) device: u32,
    pub(crate) after: Vec<usize>,
    /// Is nothing after it?
    pub(crate) last: bool,
    pub(crate) enabled: bool,
    /// Number of the chain its task belongs to.
    pub(crate) chain: usize,
}

/// The steps of a graph, and the chains that their tasks belong to.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) chains: Vec<events::StreamId>,
}

impl Plan {
    fn new(graph: &Graph, order: &mut Order) -> CudaResult<Plan> {
        let steps = flatten(graph)?;
        let count = steps.iter().map(|s| s.chain + 1).max().unwrap_or(0);
        Ok(Plan { steps, chains: (0..count).map(|_| order.new_chain()).collect() })
    }
}

/// The bodies of a graph's conditional nodes, and of those in them, by their graphs' handles.
pub(crate) type Bodies = HashMap<usize, Plan>;

pub(crate) struct Exec {
    pub(crate) plan: Plan,
    pub(crate) bodies: Bodies,
    /// Cells that each launch sets to a value of their own.
    pub(crate) defaults: Vec<(u64, u32)>,
    /// The end of the latest launch: launches of one graph are ordered.
    pub(crate) last: crate::order::Known,
    pub(crate) flags: u64,
}

impl Exec {
    pub(crate) fn step(&self, node: usize) -> CudaResult<&Step> {
        let plans = std::iter::once(&self.plan).chain(self.bodies.values());
        plans.flat_map(|p| &p.steps).find(|s| s.origin == node).ok_or(CudaError::INVALID_VALUE)
    }

    pub(crate) fn step_mut(&mut self, node: usize) -> CudaResult<&mut Step> {
        let plans = std::iter::once(&mut self.plan).chain(self.bodies.values_mut());
        plans.flat_map(|p| &mut p.steps).find(|s| s.origin == node).ok_or(CudaError::INVALID_VALUE)
    }
}

/// A stream's part in a capture.
#[derive(Clone, Debug)]
struct StreamCapture {
    session: usize,
    /// What the next node captured from this stream is after.
    tips: Vec<usize>,
}

struct Session {
    graph: usize,
    origin: StreamKey,
}

/// Names a capture in progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    session: usize,
}

#[derive(Default)]
pub(crate) struct Graphs {
    next: usize,
    pub(crate) graphs: HashMap<usize, Graph>,
    pub(crate) execs: HashMap<usize, Exec>,
    /// Node handle to graph handle.
    owners: HashMap<usize, usize>,
    sessions: HashMap<usize, Session>,
    captures: HashMap<StreamKey, StreamCapture>,
    events: HashMap<usize, StreamCapture>,
    /// Addresses of memory that belongs to graphs. Each launch of a graph allocates it at the same place, so it is
    /// never given back, whoever frees it.
    pub(crate) memory: HashSet<u64>,
    /// By graph: the cells of its conditional handles, and what each launch sets them to.
    pub(crate) cells: HashMap<usize, Vec<(u64, Option<u32>)>>,
    /// What conditional nodes answered; the program may read it as long as the nodes live.
    answers: Vec<Box<[usize]>>,
}

impl Graphs {
    pub(crate) fn handle(&mut self) -> usize {
        self.next += 1;
        0x6752_0000_0000 + self.next * 16
    }

    pub(crate) fn create(&mut self) -> usize {
        let handle = self.handle();
        self.graphs.insert(handle, Graph::default());
        handle
    }

    pub(crate) fn graph(&self, handle: usize) -> CudaResult<&Graph> {
        self.graphs.get(&handle).ok_or(CudaError::INVALID_VALUE)
    }

    /// The graph and index of a node.
    pub(crate) fn locate(&self, node: usize) -> CudaResult<(usize, usize)> {
        let graph = *self.owners.get(&node).ok_or(CudaError::INVALID_VALUE)?;
        let nodes = &self.graph(graph)?.nodes;
        let index = nodes.iter().position(|n| n.handle == node && !n.removed);
        Ok((graph, index.ok_or(CudaError::INVALID_VALUE)?))
    }

    pub(crate) fn node(&self, node: usize) -> CudaResult<&Node> {
        let (graph, index) = self.locate(node)?;
        Ok(&self.graphs[&graph].nodes[index])
    }

    pub(crate) fn node_mut(&mut self, node: usize) -> CudaResult<&mut Node> {
        let (graph, index) = self.locate(node)?;
        self.graphs.get_mut(&graph).and_then(|g| g.nodes.get_mut(index)).ok_or(CudaError::INVALID_VALUE)
    }

    /// Adds a node after nodes given by handle; its handle.
    pub(crate) fn add(
        &mut self,
        graph: usize,
        after: &[usize],
        kind: Kind,
        device: u32,
    ) -> CudaResult<usize> {
        let mut indices = Vec::new();
        for &handle in after {
            let (owner, index) = self.locate(handle)?;
            if owner != graph {
                return Err(CudaError::INVALID_VALUE);
            }
            indices.push(index);
        }
        let handle = self.handle();
        let nodes = &mut self.graphs.get_mut(&graph).ok_or(CudaError::INVALID_VALUE)?.nodes;
        nodes.push(Node { handle, kind, device, after: indices, removed: false });
        self.owners.insert(handle, graph);
        Ok(handle)
    }

    pub(crate) fn destroy(&mut self, graph: usize) -> CudaResult {
        let graph = self.graphs.remove(&graph).ok_or(CudaError::INVALID_VALUE)?;
        for node in graph.nodes {
            self.owners.remove(&node.handle);
            if let Kind::Conditional(conditional) = node.kind {
                for body in conditional.bodies {
                    // A body that is gone already is no error of this call's.
                    let _ = self.destroy(body);
                }
            }
        }
        Ok(())
    }

    /// The graphs of a conditional node's bodies, new and empty, as an array that stays.
    pub(crate) fn bodies(&mut self, count: usize) -> (Vec<usize>, *const usize) {
        let bodies: Vec<usize> = (0..count).map(|_| self.create()).collect();
        self.answers.push(bodies.clone().into());
        let answer = self.answers.last().map_or(std::ptr::null(), |a| a.as_ptr());
        (bodies, answer)
    }

    /// Everything a graph needs to be launched.
    pub(crate) fn instantiate(&self, graph: usize, order: &mut Order) -> CudaResult<(Plan, Bodies)> {
        let plan = Plan::new(self.graph(graph)?, order)?;
        let mut bodies = Bodies::new();
        let mut left: Vec<usize> = inner(&plan);
        while let Some(body) = left.pop() {
            let plan = Plan::new(self.graph(body)?, order)?;
            left.extend(inner(&plan));
            bodies.insert(body, plan);
        }
        Ok((plan, bodies))
    }

    /// A copy whose nodes have handles of their own, in the same order.
    pub(crate) fn duplicate(&mut self, graph: usize) -> CudaResult<usize> {
        let mut copy = self.graph(graph)?.clone();
        // Graphs with conditional nodes cannot be cloned: there would be two of their bodies.
        if copy.nodes.iter().any(|node| matches!(node.kind, Kind::Conditional(_))) {
            return Err(CudaError::NOT_SUPPORTED);
        }
        let handle = self.handle();
        for node in &mut copy.nodes {
            node.handle = self.handle();
            self.owners.insert(node.handle, handle);
        }
        self.graphs.insert(handle, copy);
        Ok(handle)
    }

    // Capture.

    pub(crate) fn begin_capture(&mut self, stream: StreamKey, graph: usize, tips: Vec<usize>) -> CudaResult {
        if self.captures.contains_key(&stream) {
            return Err(CudaError::ILLEGAL_STATE);
        }
        let session = self.handle();
        self.sessions.insert(session, Session { graph, origin: stream });
        self.captures.insert(stream, StreamCapture { session, tips });
        Ok(())
    }

    /// Ends a capture; the graph.
    pub(crate) fn end_capture(&mut self, stream: StreamKey) -> CudaResult<usize> {
        let capture = self.captures.get(&stream).cloned().ok_or(CudaError::ILLEGAL_STATE)?;
        let session = self.sessions.get(&capture.session).ok_or(CudaError::ILLEGAL_STATE)?;
        if session.origin != stream {
            return Err(CudaError::STREAM_CAPTURE_UNMATCHED);
        }
        let graph = session.graph;
        let joined = self.ancestors(graph, &capture.tips);
        let unjoined = self
            .captures
            .values()
            .any(|c| c.session == capture.session && c.tips.iter().any(|tip| !joined[*tip]));
        self.sessions.remove(&capture.session);
        self.captures.retain(|_, c| c.session != capture.session);
        self.events.retain(|_, c| c.session != capture.session);
        if unjoined {
            // The graph is lost, as with CUDA.
            self.destroy(graph)?;
            return Err(CudaError::STREAM_CAPTURE_UNJOINED);
        }
        Ok(graph)
    }

    /// Which nodes the tips are after, the tips included.
    fn ancestors(&self, graph: usize, tips: &[usize]) -> Vec<bool> {
        let nodes = self.graphs.get(&graph).map(|g| g.nodes.as_slice()).unwrap_or_default();
        let mut seen = vec![false; nodes.len()];
        let mut stack = tips.to_vec();
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                stack.extend(&nodes[at].after);
            }
        }
        seen
    }

    pub(crate) fn capture_of(&self, stream: StreamKey) -> CudaResult<Option<Capture>> {
        Ok(self.captures.get(&stream).map(|c| Capture { session: c.session }))
    }

    pub(crate) fn is_capturing(&self, stream: StreamKey) -> bool {
        self.captures.contains_key(&stream)
    }

    pub(crate) fn any_capture(&self) -> bool {
        !self.captures.is_empty()
    }

    /// Number of the capture, graph handle and handles of the tips.
    pub(crate) fn capture_info(&self, stream: StreamKey) -> Option<(usize, usize, Vec<usize>)> {
        let capture = self.captures.get(&stream)?;
        let graph = self.sessions.get(&capture.session)?.graph;
        let nodes = &self.graphs.get(&graph)?.nodes;
        let tips = capture.tips.iter().map(|&tip| nodes[tip].handle).collect();
        Some((capture.session, graph, tips))
    }

    /// Changes what the next captured node is after.
    pub(crate) fn set_tips(&mut self, stream: StreamKey, nodes: &[usize], replace: bool) -> CudaResult {
        let mut tips = Vec::new();
        for &node in nodes {
            tips.push(self.locate(node)?.1);
        }
        let capture = self.captures.get_mut(&stream).ok_or(CudaError::ILLEGAL_STATE)?;
        if replace {
            capture.tips.clear();
        }
        merge(&mut capture.tips, &tips);
        Ok(())
    }

    /// Adds a node for work submitted to a capturing stream.
    pub(crate) fn captured(
        &mut self,
        capture: Capture,
        stream: StreamKey,
        device: u32,
        action: Action,
    ) -> CudaResult {
        if matches!(action, Action::Free { .. }) {
            // Memory allocated in a capture belongs to the graph and lives as long.
            return Ok(());
        }
        let graph = self.sessions.get(&capture.session).ok_or(CudaError::ILLEGAL_STATE)?.graph;
        self.append(graph, stream, Kind::Action(action), device)
    }

    /// Adds a node after a capturing stream's tips.
    pub(crate) fn append(&mut self, graph: usize, stream: StreamKey, kind: Kind, device: u32) -> CudaResult {
        let tips = self.captures.get(&stream).map(|c| c.tips.clone()).unwrap_or_default();
        let handle = self.add(graph, &[], kind, device)?;
        let nodes = &mut self.graphs.get_mut(&graph).ok_or(CudaError::INVALID_VALUE)?.nodes;
        let index = nodes.len() - 1;
        debug_assert_eq!(nodes[index].handle, handle);
        nodes[index].after = tips;
        if let Some(capture) = self.captures.get_mut(&stream) {
            capture.tips = vec![index];
        }
        Ok(())
    }

    pub(crate) fn record(&mut self, capture: Capture, stream: StreamKey, event: usize) -> CudaResult {
        let tips = self.captures.get(&stream).map(|c| c.tips.clone()).unwrap_or_default();
        self.events.insert(event, StreamCapture { session: capture.session, tips });
        Ok(())
    }

    pub(crate) fn forget_event(&mut self, event: usize) {
        self.events.remove(&event);
    }

    pub(crate) fn event_is_captured(&self, event: usize) -> bool {
        self.events.contains_key(&event)
    }

    /// A stream waits for an event; true if that was captured.
    pub(crate) fn wait_in_capture(&mut self, stream: StreamKey, event: usize) -> CudaResult<bool> {
        let Some(recorded) = self.events.get(&event).cloned() else {
            return if self.is_capturing(stream) {
                Err(CudaError::STREAM_CAPTURE_ISOLATION)
            } else {
                Ok(false)
            };
        };
        let capture = self
            .captures
            .entry(stream)
            .or_insert_with(|| StreamCapture { session: recorded.session, tips: Vec::new() });
        if capture.session != recorded.session {
            return Err(CudaError::STREAM_CAPTURE_MERGE);
        }
        merge(&mut capture.tips, &recorded.tips);
        Ok(true)
    }

    pub(crate) fn stream_destroyed(&mut self, stream: StreamKey) {
        self.captures.remove(&stream);
    }
}

fn merge(tips: &mut Vec<usize>, more: &[usize]) {
    for tip in more {
        if !tips.contains(tip) {
            tips.push(*tip);
        }
    }
}

/// The bodies of a plan's conditional nodes.
fn inner(plan: &Plan) -> Vec<usize> {
    let bodies = plan.steps.iter().filter_map(|s| match &s.kind {
        Kind::Conditional(conditional) => Some(&conditional.bodies),
        _ => None,
    });
    bodies.flatten().copied().collect()
}

/// The steps of a graph in topological order, child graphs inlined. The number of chains is
/// one more than the largest in the steps.
pub(crate) fn flatten(graph: &Graph) -> CudaResult<Vec<Step>> {
    let mut steps = Vec::new();
    inline(graph, &[], &mut steps)?;
    let mut has_successor = vec![false; steps.len()];
    for step in &steps {
        for &before in &step.after {
            has_successor[before] = true;
        }
    }
    // A node goes on the chain of a predecessor that nobody else went on yet.
    let mut tail_of: HashMap<usize, usize> = HashMap::new();
    let mut chains = 0;
    for i in 0..steps.len() {
        let free = steps[i].after.iter().copied().find(|before| tail_of.contains_key(before));
        let chain = match free.and_then(|before| tail_of.remove(&before)) {
            Some(chain) => chain,
            None => {
                chains += 1;
                chains - 1
            }
        };
        tail_of.insert(i, chain);
        steps[i].chain = chain;
        steps[i].last = !has_successor[i];
    }
    Ok(steps)
}

/// Appends a graph's steps after the steps `entry`; the steps nothing in it is after.
fn inline(graph: &Graph, entry: &[usize], steps: &mut Vec<Step>) -> CudaResult<Vec<usize>> {
    let count = graph.nodes.len();
    // What of `steps` stands for a node to those after it.
    let mut ends: Vec<Option<Vec<usize>>> = vec![None; count];
    let mut left: Vec<usize> = (0..count).filter(|&i| !graph.nodes[i].removed).collect();
    while !left.is_empty() {
        let before = left.len();
        let mut waiting = Vec::new();
        for i in left {
            let node = &graph.nodes[i];
            let live: Vec<usize> = node.after.iter().copied().filter(|&p| !graph.nodes[p].removed).collect();
            if live.iter().any(|&p| ends[p].is_none()) {
                waiting.push(i);
                continue;
            }
            let mut after: Vec<usize> = Vec::new();
            for &p in &live {
                merge(&mut after, ends[p].as_deref().unwrap_or_default());
            }
            if live.is_empty() {
                after.extend_from_slice(entry);
            }
            ends[i] = Some(match &node.kind {
                Kind::Child(child) if !child.nodes.is_empty() => inline(child, &after, steps)?,
                kind => {
                    let kind = if matches!(kind, Kind::Child(_)) { Kind::Empty } else { kind.clone() };
                    steps.push(Step {
                        origin: node.handle,
                        kind,
                        device: node.device,
                        after,
                        last: false,
                        enabled: true,
                        chain: 0,
                    });
                    vec![steps.len() - 1]
                }
            });
        }
        if waiting.len() == before {
            // A cycle.
            return Err(CudaError::INVALID_VALUE);
        }
        left = waiting;
    }
    let mut has_successor = vec![false; count];
    for node in graph.nodes.iter().filter(|n| !n.removed) {
        for &p in &node.after {
            has_successor[p] = true;
        }
    }
    let mut out = Vec::new();
    for i in 0..count {
        if !has_successor[i] {
            merge(&mut out, ends[i].as_deref().unwrap_or_default());
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(handle: usize, after: &[usize]) -> Node {
        Node { handle, kind: Kind::Empty, device: 0, after: after.to_vec(), removed: false }
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
            // Whoever is in a chain is after the chain's previous member.
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
        let (plan, bodies) = graphs.instantiate(outer, &mut order).unwrap();
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
        let mut order = crate::order::Order::new();
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
}
