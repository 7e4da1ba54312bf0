//! CUDA graphs and stream capture.
//!
//! A graph consists of nodes and edges. Instantiation flattens it into a list in topological order, and
//! assigns each node to a chain ([`plan`]), so that a launch is one pass. [`capture`] creates nodes from work
//! that is submitted to streams.

mod capture;
mod plan;
#[cfg(test)]
mod tests;

pub(crate) use plan::{Bodies, Exec, Plan, Step, flatten};

use super::Work;
use crate::abi::error::{CudaError, CudaResult};

use std::collections::{HashMap, HashSet};

/// The content of a node.
#[derive(Clone)]
pub(crate) enum Kind {
    Work(Work),
    Empty,
    Child(Box<Graph>),
    /// The handle of the recorded event.
    EventRecord(usize),
    EventWait(usize),
    Conditional(Conditional),
}

/// The port at which a programmatic edge leaves a kernel node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Port {
    /// `cudaGraphKernelNodePortProgrammatic`: all blocks have triggered or ended.
    Triggered,
    /// `cudaGraphKernelNodePortLaunchCompletion`: all blocks have begun.
    Begun,
}

impl Node {
    /// Adds an edge; `None` means a full dependency, which takes precedence over a programmatic one.
    pub(crate) fn depend(&mut self, before: usize, port: Option<Port>) {
        let known = self.after.contains(&before);
        if !known {
            self.after.push(before);
        }
        match port {
            None => self.early.retain(|(b, _)| *b != before),
            Some(port) if !known => self.early.push((before, port)),
            // Among several programmatic edges, the one that waits longest takes precedence.
            Some(Port::Triggered) => {
                self.early.iter_mut().filter(|(b, _)| *b == before).for_each(|(_, p)| *p = Port::Triggered);
            }
            Some(Port::Begun) => {}
        }
    }
}

/// Selects the body of a conditional node and its repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The first body if the value is not 0; otherwise the second, if there is one.
    If,
    /// The only body, as long as the value is not 0.
    While,
    /// The body with the value's number.
    Switch,
}

#[derive(Clone)]
pub(crate) struct Conditional {
    /// The address of the cell that kernels set.
    pub(crate) cell: u64,
    pub(crate) condition: Condition,
    /// The handles of the bodies' graphs.
    pub(crate) bodies: Vec<usize>,
}

impl Conditional {
    /// Returns the next body to run.
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
    /// The indices of its dependencies.
    pub(crate) after: Vec<usize>,
    /// Those of `after` whose edge is programmatic, with the edge's port.
    pub(crate) early: Vec<(usize, Port)>,
    pub(crate) removed: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

#[derive(Default)]
pub(crate) struct Graphs {
    next: usize,
    graphs: HashMap<usize, Graph>,
    execs: HashMap<usize, Exec>,
    /// Graph handles by node handle.
    owners: HashMap<usize, usize>,
    captures: capture::Captures,
    /// Addresses of memory that belongs to graphs. Each launch of a graph allocates it at the same address,
    /// so it is never returned to the arena.
    memory: HashSet<u64>,
    /// The cells of each graph's conditional handles, with the value to which each launch resets them.
    cells: HashMap<usize, Vec<(u64, Option<u32>)>>,
    /// The arrays of body graphs that calls have returned. The program may read them as long as the nodes
    /// live.
    answers: Vec<Box<[usize]>>,
}

impl Graphs {
    fn handle(&mut self) -> usize {
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

    /// Returns the graph and index of a node.
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

    /// Adds a node after the nodes with the given handles, and returns its handle.
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
        nodes.push(Node { handle, kind, device, after: indices, early: Vec::new(), removed: false });
        self.owners.insert(handle, graph);
        Ok(handle)
    }

    /// Adds an edge between two nodes; `None` means a full dependency.
    pub(crate) fn connect(&mut self, graph: usize, from: usize, to: usize, port: Option<Port>) -> CudaResult {
        let (owner, before) = self.locate(from)?;
        if owner != graph || self.locate(to)?.0 != graph {
            return Err(CudaError::INVALID_VALUE);
        }
        if port.is_some() && !(self.is_kernel(from)? && self.is_kernel(to)?) {
            return Err(CudaError::INVALID_VALUE);
        }
        self.node_mut(to)?.depend(before, port);
        Ok(())
    }

    fn is_kernel(&self, node: usize) -> CudaResult<bool> {
        Ok(matches!(self.node(node)?.kind, Kind::Work(Work::Kernel(_))))
    }

    pub(crate) fn destroy(&mut self, graph: usize) -> CudaResult {
        let graph = self.graphs.remove(&graph).ok_or(CudaError::INVALID_VALUE)?;
        for node in graph.nodes {
            self.owners.remove(&node.handle);
            if let Kind::Conditional(conditional) = node.kind {
                for body in conditional.bodies {
                    // A body that was destroyed already is no error of this call.
                    let _ = self.destroy(body);
                }
            }
        }
        Ok(())
    }

    /// Records that memory belongs to a graph.
    pub(crate) fn allocated(&mut self, address: u64) {
        self.memory.insert(address);
    }

    pub(crate) fn owns_memory(&self, address: u64) -> bool {
        self.memory.contains(&address)
    }

    /// Returns the addresses of all memory that belongs to graphs.
    fn memory(&self) -> impl Iterator<Item = u64> {
        self.memory.iter().copied()
    }

    /// Adds a conditional handle to a graph: its cell, and the value to which each launch resets it.
    pub(crate) fn add_cell(&mut self, graph: usize, cell: u64, default: Option<u32>) {
        self.cells.entry(graph).or_default().push((cell, default));
    }

    /// Creates the empty graphs of a conditional node's bodies, and returns them also as an array that stays
    /// valid.
    pub(crate) fn bodies(&mut self, count: usize) -> (Vec<usize>, *const usize) {
        let bodies: Vec<usize> = (0..count).map(|_| self.create()).collect();
        self.answers.push(bodies.clone().into());
        let answer = self.answers.last().map_or(std::ptr::null(), |a| a.as_ptr());
        (bodies, answer)
    }

    /// Copies a graph. The copy's nodes have handles of their own, in the same order.
    pub(crate) fn duplicate(&mut self, graph: usize) -> CudaResult<usize> {
        let mut copy = self.graph(graph)?.clone();
        // Graphs with conditional nodes cannot be cloned, since their bodies would be duplicated.
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
}

fn merge(tips: &mut Vec<usize>, more: &[usize]) {
    for tip in more {
        if !tips.contains(tip) {
            tips.push(*tip);
        }
    }
}
