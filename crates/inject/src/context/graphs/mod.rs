//! CUDA graphs and the capture of streams into them.
//!
//! A graph is nodes and edges; instantiating flattens it into a list in topological
//! order, each node with its place in a chain ([`plan`]), so that launching is one pass. [`capture`] makes nodes
//! of what is submitted to streams.

mod capture;
mod plan;
#[cfg(test)]
mod tests;

pub(crate) use plan::{Bodies, Exec, Plan, Step, flatten};

use super::Work;
use crate::abi::error::{CudaError, CudaResult};

use std::collections::{HashMap, HashSet};

/// What a node does.
#[derive(Clone)]
pub(crate) enum Kind {
    Work(Work),
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

/// The port of a kernel node that a programmatic edge leaves by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Port {
    /// `cudaGraphKernelNodePortProgrammatic`: all blocks have triggered or ended.
    Triggered,
    /// `cudaGraphKernelNodePortLaunchCompletion`: all blocks have begun.
    Begun,
}

impl Node {
    /// Adds an edge; `None` for a full dependency, which prevails over a programmatic one.
    pub(crate) fn depend(&mut self, before: usize, port: Option<Port>) {
        let known = self.after.contains(&before);
        if !known {
            self.after.push(before);
        }
        match port {
            None => self.early.retain(|(b, _)| *b != before),
            Some(port) if !known => self.early.push((before, port)),
            // Of several programmatic edges the one that waits longest prevails.
            Some(Port::Triggered) => {
                self.early.iter_mut().filter(|(b, _)| *b == before).for_each(|(_, p)| *p = Port::Triggered);
            }
            Some(Port::Begun) => {}
        }
    }
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
    /// Those of `after` whose edge is programmatic, with the port that it leaves by.
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
    /// Node handle to graph handle.
    owners: HashMap<usize, usize>,
    captures: capture::Captures,
    /// Addresses of memory that belongs to graphs. Each launch of a graph allocates it at the same place, so it is
    /// never given back, whoever frees it.
    memory: HashSet<u64>,
    /// By graph: the cells of its conditional handles, and what each launch sets them to.
    cells: HashMap<usize, Vec<(u64, Option<u32>)>>,
    /// What conditional nodes answered; the program may read it as long as the nodes live.
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
        nodes.push(Node { handle, kind, device, after: indices, early: Vec::new(), removed: false });
        self.owners.insert(handle, graph);
        Ok(handle)
    }

    /// Adds an edge between nodes given by handle; `None` for a full dependency.
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
                    // A body that is gone already is no error of this call's.
                    let _ = self.destroy(body);
                }
            }
        }
        Ok(())
    }

    /// Memory belongs to a graph.
    pub(crate) fn allocated(&mut self, address: u64) {
        self.memory.insert(address);
    }

    pub(crate) fn owns_memory(&self, address: u64) -> bool {
        self.memory.contains(&address)
    }

    /// Addresses of all memory that belongs to graphs.
    fn memory(&self) -> impl Iterator<Item = u64> {
        self.memory.iter().copied()
    }

    /// A conditional handle of a graph: its cell, and what each launch sets it to.
    pub(crate) fn add_cell(&mut self, graph: usize, cell: u64, default: Option<u32>) {
        self.cells.entry(graph).or_default().push((cell, default));
    }

    /// The graphs of a conditional node's bodies, new and empty, as an array that stays.
    pub(crate) fn bodies(&mut self, count: usize) -> (Vec<usize>, *const usize) {
        let bodies: Vec<usize> = (0..count).map(|_| self.create()).collect();
        self.answers.push(bodies.clone().into());
        let answer = self.answers.last().map_or(std::ptr::null(), |a| a.as_ptr());
        (bodies, answer)
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
}

fn merge(tips: &mut Vec<usize>, more: &[usize]) {
    for tip in more {
        if !tips.contains(tip) {
            tips.push(*tip);
        }
    }
}
