//! Executable graphs.

use super::{Graph, Graphs, Kind, Port, merge};
use crate::abi::error::{CudaError, CudaResult};
use crate::context::State;
use crate::order::{Known, Order};
use std::collections::HashMap;

/// A node of an executable graph.
#[derive(Clone)]
pub(crate) struct Step {
    /// The handle of the original node.
    pub(crate) origin: usize,
    pub(crate) kind: Kind,
    pub(crate) device: u32,
    pub(crate) after: Vec<usize>,
    /// Those of `after` whose edge is programmatic.
    pub(crate) early: Vec<(usize, Port)>,
    /// Whether no step depends on it.
    pub(crate) last: bool,
    pub(crate) enabled: bool,
    /// The chain of its task.
    pub(crate) chain: usize,
}

/// The steps of a graph, and the chains of their tasks.
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

/// The bodies of a graph's conditional nodes, and of the conditional nodes in these, by their graphs'
/// handles.
pub(crate) type Bodies = HashMap<usize, Plan>;

pub(crate) struct Exec {
    pub(crate) plan: Plan,
    pub(crate) bodies: Bodies,
    /// Cells that each launch resets, with their values.
    pub(crate) defaults: Vec<(u64, u32)>,
    /// The end of the latest launch, since launches of one graph are ordered.
    pub(crate) last: Known,
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

impl Graphs {
    /// Returns everything that is needed to launch a graph.
    fn unfold(&self, graph: usize, order: &mut Order) -> CudaResult<(Plan, Bodies)> {
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

    /// Instantiates a graph and returns the executable graph's handle.
    pub(super) fn instantiate(&mut self, graph: usize, order: &mut Order, flags: u64) -> CudaResult<usize> {
        let (plan, bodies) = self.unfold(graph, order)?;
        let defaults = self.defaults(graph, &bodies);
        let handle = self.handle();
        self.execs.insert(handle, Exec { plan, bodies, defaults, last: Known::default(), flags });
        Ok(handle)
    }

    /// Returns the values to which each launch resets the graph's conditional handles.
    fn defaults(&self, graph: usize, bodies: &Bodies) -> Vec<(u64, u32)> {
        let all = std::iter::once(graph).chain(bodies.keys().copied());
        let cells = all.filter_map(|graph| self.cells.get(&graph)).flatten();
        cells.filter_map(|&(address, default)| Some((address, default?))).collect()
    }

    pub(crate) fn exec(&self, handle: usize) -> CudaResult<&Exec> {
        self.execs.get(&handle).ok_or(CudaError::INVALID_VALUE)
    }

    pub(crate) fn exec_mut(&mut self, handle: usize) -> CudaResult<&mut Exec> {
        self.execs.get_mut(&handle).ok_or(CudaError::INVALID_VALUE)
    }

    pub(crate) fn destroy_exec(&mut self, handle: usize) -> CudaResult {
        self.execs.remove(&handle).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    }
}

impl State {
    /// Instantiates a graph and returns the executable graph's handle.
    pub(crate) fn instantiate(&mut self, graph: usize, flags: u64) -> CudaResult<usize> {
        self.graphs.instantiate(graph, &mut self.order, flags)
    }

    /// Returns the bytes of a device's memory that belong to graphs.
    pub(crate) fn graph_bytes(&self, device: u32) -> u64 {
        let memory = self.graphs.memory().filter_map(|address| self.allocation(address));
        memory.filter(|m| m.device == device).map(|m| m.bytes).sum()
    }
}

/// Returns the bodies of a plan's conditional nodes.
fn inner(plan: &Plan) -> Vec<usize> {
    let bodies = plan.steps.iter().filter_map(|s| match &s.kind {
        Kind::Conditional(conditional) => Some(&conditional.bodies),
        _ => None,
    });
    bodies.flatten().copied().collect()
}

/// Returns the steps of a graph in topological order, with child graphs inlined. The number of chains is one
/// more than the largest chain of a step.
pub(crate) fn flatten(graph: &Graph) -> CudaResult<Vec<Step>> {
    let mut steps = Vec::new();
    inline(graph, &[], &mut steps)?;
    let mut has_successor = vec![false; steps.len()];
    for step in &steps {
        for &before in &step.after {
            has_successor[before] = true;
        }
    }
    // A node continues the chain of a predecessor that no other node continues yet.
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

/// Appends a graph's steps after the steps `entry`. Returns the steps on which no step of the graph depends.
fn inline(graph: &Graph, entry: &[usize], steps: &mut Vec<Step>) -> CudaResult<Vec<usize>> {
    let count = graph.nodes.len();
    // The steps that stand for each node as a dependency.
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
            let mut early: Vec<(usize, Port)> = Vec::new();
            for &p in &live {
                let ends = ends[p].as_deref().unwrap_or_default();
                merge(&mut after, ends);
                // Both ends of such an edge are kernels, so each is one step.
                if let (Some((_, port)), [end]) = (node.early.iter().find(|(b, _)| *b == p), ends) {
                    early.push((*end, *port));
                }
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
                        early,
                        last: false,
                        enabled: true,
                        chain: 0,
                    });
                    vec![steps.len() - 1]
                }
            });
        }
        if waiting.len() == before {
            // The graph has a cycle.
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
