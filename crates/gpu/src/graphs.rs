//! Graphs whose launches are saved: their kernels' arguments, and an order in which their nodes may run
//! sequentially.
//!
//! The driver lets nodes of an executable graph be disabled. A launch of the graph is therefore split
//! ([`crate::wrap`]) into pieces that end before each kernel to be saved, so that the kernel finds memory as
//! its predecessors have left it. The driver does not return the arguments of an executable graph's kernels,
//! so they are read when the graph is instantiated, and later changes are followed. The reason why a kernel
//! is not saved is a sentence fragment.

mod edges;
mod kernel;

pub(crate) use edges::Edge;
pub(crate) use kernel::{CLUSTER, COOPERATIVE, Given, Kernel, OldParams, Params, attribute};

use crate::call::call;
use crate::hooks::SUCCESS;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

/// `CUDA_MEMSET_NODE_PARAMS`
#[repr(C)]
#[derive(Default)]
pub(crate) struct Memset {
    pub(crate) at: u64,
    pub(crate) pitch: usize,
    pub(crate) value: c_uint,
    pub(crate) element: c_uint,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// The reason for kernels of a graph whose instantiation was not observed.
pub(crate) const UNSEEN: &str = "nobody saw its graph being made";
/// The reason for kernels of a graph that can be launched from the device.
pub(crate) const ON_DEVICE: &str = "it is part of a graph that kernels may launch";
/// The reason for kernels that may lie in a child graph.
pub(crate) const INNER: &str = "it may be in a graph within a graph";
const CHANGED: &str = "its graph was changed in a way that is not followed";
const MIXED: &str = "it is behind others in a graph that does more than launch kernels, copy and set memory";
const NODE_GONE: &str = "its node was taken out of the graph";

/// `CU_GRAPH_NODE_TYPE_KERNEL` and the further node types.
pub(crate) const KERNEL: c_int = 0;
const COPY: c_int = 1;
const SET: c_int = 2;
const INNER_GRAPH: c_int = 4;
const EMPTY: c_int = 5;
const CONDITIONAL: c_int = 13;
/// A node of a graph. `kernel` is an error if the kernel cannot be saved.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) handle: usize,
    kind: c_int,
    /// The nodes on which this node depends.
    after: Vec<usize>,
    /// The programmatic ones of these edges: the node, and whether its blocks need only have begun.
    early: Vec<(usize, bool)>,
    pub(crate) kernel: Option<Result<Kernel, &'static str>>,
}

/// A graph in topological order: each node follows its dependencies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    has_pieces: bool,
}

impl Graph {
    fn new(mut nodes: Vec<Node>, edges: &[Edge]) -> Option<Graph> {
        for edge in edges {
            nodes.get(edge.from)?;
            let to = nodes.get_mut(edge.to)?;
            to.after.push(edge.from);
            to.early.extend(edge.begun.map(|begun| (edge.from, begun)));
        }
        // The level of a node is the length of the longest path to it. Nodes of one level do not depend on
        // each other.
        let mut level: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut order = Vec::with_capacity(nodes.len());
        let (mut next, mut waiting) = (Vec::new(), vec![0usize; nodes.len()]);
        let mut dependents = vec![Vec::new(); nodes.len()];
        for (to, node) in nodes.iter().enumerate() {
            waiting[to] = node.after.len();
            node.after.iter().for_each(|&from| dependents[from].push(to));
            if node.after.is_empty() {
                next.push(to);
            }
        }
        while !next.is_empty() {
            let mut behind = Vec::new();
            for at in std::mem::take(&mut next) {
                level[at] = Some(order.len());
                order.push(at);
                for &to in &dependents[at] {
                    waiting[to] -= 1;
                    if waiting[to] == 0 {
                        behind.push(to);
                    }
                }
            }
            next = behind;
        }
        let place: Vec<usize> = level.into_iter().collect::<Option<_>>()?;
        let mut sorted: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        let mut take = |at: usize| {
            let mut node = sorted[at].take()?;
            node.after.iter_mut().for_each(|from| *from = place[*from]);
            node.early.iter_mut().for_each(|(from, _)| *from = place[*from]);
            Some(node)
        };
        let nodes: Vec<Node> = order.into_iter().map(&mut take).collect::<Option<_>>()?;
        // Kernels on both sides of a programmatic edge overlap, so they run in one piece.
        let in_order = |node: &Node| (node.can_be_off() || node.kind == EMPTY) && node.early.is_empty();
        let has_pieces = nodes.iter().all(in_order);
        Some(Graph { nodes, has_pieces })
    }

    /// Reads a graph from the driver. The error is the reason why none of its kernels can be saved.
    pub(crate) fn read(graph: *mut c_void) -> Result<Graph, &'static str> {
        const UNTOLD: &str = "the driver does not tell what is in its graph";
        let told = |code| if code == SUCCESS { Ok(()) } else { Err(UNTOLD) };
        let mut number = 0usize;
        let null = std::ptr::null_mut();
        told(call!(c"cuGraphGetNodes"(graph => *mut c_void, null => *mut usize, &mut number => *mut usize)))?;
        let mut handles = vec![0usize; number];
        if number > 0 {
            told(call!(c"cuGraphGetNodes"(
                graph => *mut c_void, handles.as_mut_ptr() => *mut usize, &mut number => *mut usize,
            )))?;
        }
        handles.truncate(number);
        let edges = edges::read(graph, &handles).ok_or(UNTOLD)?;
        let mut nodes = Vec::with_capacity(handles.len());
        for handle in handles {
            let mut kind = -1;
            told(
                call!(c"cuGraphNodeGetType"(handle as *mut c_void => *mut c_void, &mut kind => *mut c_int)),
            )?;
            let kernel = (kind == KERNEL).then(|| kernel::read(handle as *mut c_void));
            nodes.push(Node { handle, kind, after: Vec::new(), early: Vec::new(), kernel });
        }
        Graph::new(nodes, &edges).ok_or(UNTOLD)
    }

    /// Returns whether a launch can be split. Nodes of some types cannot be disabled.
    pub(crate) fn has_pieces(&self) -> bool {
        self.has_pieces
    }

    /// Returns whether the graph contains nodes of child graphs, which are not followed.
    pub(crate) fn has_inner(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.kind, INNER_GRAPH | CONDITIONAL))
    }

    /// Returns how many nodes must have run before the node at `at`.
    pub(crate) fn needs(&self, at: usize) -> usize {
        self.nodes[at].after.iter().max().map_or(0, |last| last + 1)
    }

    /// Returns the kernel of a node, or the reason why a launch of it cannot be saved.
    pub(crate) fn kernel(&self, at: usize) -> Option<Result<&Kernel, &'static str>> {
        let kernel = self.nodes[at].kernel.as_ref()?;
        Some(match kernel {
            Ok(_) if self.needs(at) > 0 && !self.has_pieces() => Err(MIXED),
            known => known.as_ref().map_err(|why| *why),
        })
    }

    /// Takes over the kernel arguments of another graph, node by node. Returns false if the nodes cannot be
    /// matched uniquely.
    fn follow(&mut self, other: &Graph) -> bool {
        let line = |graph: &Graph| {
            graph.nodes.iter().enumerate().all(|(at, node)| match at.checked_sub(1) {
                None => node.after.is_empty(),
                Some(before) => node.after == [before],
            })
        };
        let alike = self.nodes.len() == other.nodes.len()
            && self.nodes.iter().zip(&other.nodes).all(|(one, other)| one.kind == other.kind);
        if !(alike && line(self) && line(other)) {
            return false;
        }
        for (node, other) in self.nodes.iter_mut().zip(&other.nodes) {
            node.kernel.clone_from(&other.kernel);
        }
        true
    }
}

impl Node {
    /// Returns the driver's number of its kind.
    pub(crate) fn kind(&self) -> c_int {
        self.kind
    }

    /// Returns the indices of the nodes on which it depends.
    pub(crate) fn after(&self) -> &[usize] {
        &self.after
    }

    /// Returns its programmatic edges: the index of the node, and whether its blocks need only have begun.
    pub(crate) fn early(&self) -> &[(usize, bool)] {
        &self.early
    }

    pub(crate) fn can_be_off(&self) -> bool {
        matches!(self.kind, KERNEL | COPY | SET)
    }
}

/// An executable graph.
#[derive(Debug)]
struct Made {
    /// The graph from which it was instantiated.
    of: usize,
    graph: Result<Arc<Graph>, &'static str>,
    /// Whether its kernels were counted when they became part of the graph, which stands for the first
    /// launch.
    counted: bool,
}

/// The executable graphs of a process.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    made: HashMap<usize, Made>,
    /// Graphs that the program has destroyed and whose nodes are still needed.
    kept: HashSet<usize>,
    /// The kernels that became part of a graph.
    pub(crate) kernels: BTreeSet<String>,
    /// How many launches of graph kernels were to be saved.
    pub(crate) picked: u64,
}

impl Graphs {
    pub(crate) fn made(&mut self, made: usize, of: usize, graph: Result<Graph, &'static str>) {
        self.made.insert(made, Made { of, graph: graph.map(Arc::new), counted: true });
    }

    /// Returns an executable graph that is being launched, and whether this launch adds to the kernels'
    /// counts.
    pub(crate) fn launched(&mut self, made: usize) -> Result<(Arc<Graph>, bool), &'static str> {
        let made = self.made.get_mut(&made).ok_or(UNSEEN)?;
        let counted = std::mem::take(&mut made.counted);
        made.graph.clone().map(|graph| (graph, !counted))
    }

    /// Records new arguments of a kernel in an executable graph.
    pub(crate) fn changed(&mut self, made: usize, node: usize, kernel: Result<Kernel, &'static str>) {
        let Some(Made { graph: Ok(graph), .. }) = self.made.get_mut(&made) else { return };
        let nodes = &mut Arc::make_mut(graph).nodes;
        if let Some(known) = nodes.iter_mut().find(|known| known.handle == node) {
            known.kernel = Some(kernel);
        }
    }

    /// Records that an executable graph was updated from another graph.
    pub(crate) fn follows(&mut self, made: usize, other: Result<Graph, &'static str>) {
        let Some(made) = self.made.get_mut(&made) else { return };
        made.counted = true;
        if let Ok(graph) = &mut made.graph
            && !other.is_ok_and(|other| Arc::make_mut(graph).follow(&other))
        {
            made.graph = Err(CHANGED);
        }
    }

    /// Returns whether a graph that the program destroys is still needed, and remembers it if so.
    pub(crate) fn keeps(&mut self, graph: usize) -> bool {
        let needed = self
            .made
            .values()
            .any(|made| made.of == graph && made.graph.as_ref().is_ok_and(|graph| graph.has_pieces()));
        needed && self.kept.insert(graph)
    }

    /// Records that a node was removed from its graph.
    pub(crate) fn node_gone(&mut self, node: usize) {
        for made in self.made.values_mut() {
            if made.graph.as_ref().is_ok_and(|graph| graph.nodes.iter().any(|known| known.handle == node)) {
                made.graph = Err(NODE_GONE);
            }
        }
    }

    /// Records that the program has destroyed an executable graph, and returns the graph whose deferred
    /// destruction is due.
    pub(crate) fn gone(&mut self, made: usize) -> Option<usize> {
        let of = self.made.remove(&made)?.of;
        (!self.made.values().any(|made| made.of == of) && self.kept.remove(&of)).then_some(of)
    }
}

#[cfg(test)]
mod tests {
    use super::kernel::of as kernel;
    use super::*;

    fn node(handle: usize, kind: c_int) -> Node {
        Node { handle, kind, after: Vec::new(), early: Vec::new(), kernel: None }
    }

    fn edge((from, to): (usize, usize)) -> Edge {
        Edge { from, to, begun: None }
    }

    #[test]
    fn nodes_are_behind_those_that_they_wait_for() {
        // Nodes 3 and 1 come first; 0 depends on both, and 2 on 0.
        let nodes = (10..14).map(|handle| node(handle, KERNEL)).collect();
        let graph = Graph::new(nodes, &[(3, 0), (1, 0), (0, 2)].map(edge)).unwrap();
        let handles: Vec<_> = graph.nodes.iter().map(|node| node.handle).collect();
        assert_eq!(handles, [11, 13, 10, 12]);
        assert_eq!((0..4).map(|at| graph.needs(at)).collect::<Vec<_>>(), [0, 0, 2, 3]);
        let nodes = vec![node(1, KERNEL), node(2, KERNEL)];
        assert!(Graph::new(nodes.clone(), &[(0, 1), (1, 0)].map(edge)).is_none());
        assert!(Graph::new(nodes.clone(), &[edge((0, 2))]).is_none());
        // A programmatic edge keeps its kind, and both of its kernels run in one piece.
        let graph = Graph::new(nodes, &[Edge { begun: Some(true), ..edge((1, 0)) }]).unwrap();
        assert_eq!((graph.nodes[1].handle, graph.nodes[1].early()), (1, &[(0, true)][..]));
        assert!(!graph.has_pieces());
    }

    #[test]
    fn what_is_behind_nodes_that_cannot_be_switched_off_is_not_saved() {
        const HOST: c_int = 3;
        let with = |second: c_int| {
            let mut nodes = vec![node(1, KERNEL), node(2, second), node(3, KERNEL)];
            nodes[0].kernel = Some(Ok(kernel(1)));
            nodes[2].kernel = Some(Ok(kernel(2)));
            Graph::new(nodes, &[(0, 1), (1, 2)].map(edge)).unwrap()
        };
        for kind in [COPY, SET, EMPTY] {
            let graph = with(kind);
            assert!(graph.has_pieces() && graph.kernel(2).unwrap().is_ok() && graph.kernel(1).is_none());
        }
        let mixed = with(HOST);
        assert!(mixed.kernel(0).unwrap().is_ok() && mixed.kernel(2).unwrap().is_err() && !mixed.has_inner());
        assert!(with(INNER_GRAPH).has_inner() && with(CONDITIONAL).has_inner());
    }

    #[test]
    fn changes_are_followed_where_nodes_are_known_by_their_place() {
        let of = |function: usize, edges: &[Edge]| {
            let mut nodes = vec![node(function, KERNEL), node(function + 1, KERNEL)];
            nodes[0].kernel = Some(Ok(kernel(function)));
            nodes[1].kernel = Some(Ok(kernel(function + 1)));
            Graph::new(nodes, edges)
        };
        let line = [edge((0, 1))];
        let mut graphs = Graphs::default();
        graphs.made(1, 100, Ok(of(10, &line).unwrap()));
        let functions = |graphs: &mut Graphs| -> Result<Vec<usize>, &'static str> {
            let (graph, _) = graphs.launched(1)?;
            (0..2).map(|at| graph.kernel(at).unwrap().map(|kernel| kernel.function)).collect()
        };
        assert_eq!(functions(&mut graphs), Ok(vec![10, 11]));
        graphs.changed(1, 11, Ok(kernel(7)));
        assert_eq!(functions(&mut graphs), Ok(vec![10, 7]));
        graphs.changed(1, 10, Err("why"));
        assert_eq!(functions(&mut graphs), Err("why"));
        graphs.follows(1, Ok(of(20, &line).unwrap()));
        assert_eq!(functions(&mut graphs), Ok(vec![20, 21]));
        // The nodes remain those of the first graph.
        graphs.changed(1, 10, Ok(kernel(5)));
        assert_eq!(functions(&mut graphs), Ok(vec![5, 21]));
        graphs.follows(1, Ok(of(20, &[]).unwrap()));
        assert_eq!(functions(&mut graphs), Err(CHANGED));
        assert_eq!(graphs.launched(2).err(), Some(UNSEEN));
    }

    #[test]
    fn a_graph_is_there_as_long_as_its_nodes_are_needed() {
        let graph = || Graph::new(vec![node(1, KERNEL)], &[]).ok_or("");
        let mut graphs = Graphs::default();
        graphs.made(1, 100, graph());
        graphs.made(2, 100, graph());
        graphs.made(3, 200, Graph::new(vec![node(2, INNER_GRAPH)], &[]).ok_or(""));
        // The first launch was counted when the kernels became part of the graph.
        assert!(!graphs.launched(1).unwrap().1 && graphs.launched(1).unwrap().1);
        assert!(graphs.keeps(100) && !graphs.keeps(200) && !graphs.keeps(300));
        assert_eq!((graphs.gone(1), graphs.gone(3)), (None, None));
        assert_eq!((graphs.gone(2), graphs.gone(2)), (Some(100), None));
        graphs.made(4, 400, graph());
        graphs.node_gone(1);
        assert_eq!(graphs.launched(4).err(), Some(NODE_GONE));
        assert!(!graphs.keeps(400));
    }
}
