//! Executable graphs.

mod nodes;

pub(crate) use nodes::{Branches, CONDITIONAL};

use super::copies::Copy;
use super::launches::Loading;
use super::{Recorder, missing, with};
use crate::graphs::{self, Graph as Read};
use crate::streams::is_captured;
use snapshot::session::{Early, Node, NodeKind, Step};
use std::collections::HashMap;
use std::ffi::{c_uint, c_void};
use std::io;

type Handle = *mut c_void;

/// The graphs of the session.
#[derive(Default)]
pub(super) struct Graphs {
    /// Executable graphs by handle.
    made: HashMap<u64, Made>,
    /// Conditional nodes by handle, since the driver does not tell what they are.
    conditional: HashMap<u64, Branches>,
}

/// An executable graph.
#[derive(Default)]
struct Made {
    nodes: Vec<Node>,
    /// The driver's handles of the nodes.
    handles: Vec<u64>,
    /// The copies that read pageable memory, in the order of the nodes.
    copies: Vec<Copy>,
}

/// Finds the module of a graph's kernel.
pub(crate) type Find<'a> = dyn Fn(&graphs::Kernel) -> Result<(String, Loading<'a>), &'static str> + 'a;

impl Recorder {
    /// Returns the session's form of a graph. The error is a sentence fragment.
    fn graph(
        &mut self,
        read: &Read,
        find: &Find<'_>,
        out: &mut Made,
    ) -> io::Result<Result<Vec<Node>, String>> {
        let mut nodes = Vec::new();
        for node in &read.nodes {
            let kind = match &node.kernel {
                Some(Ok(kernel)) => match find(kernel) {
                    Ok((name, of)) => self.node_kernel(&name, of, kernel)?.map(NodeKind::Kernel),
                    Err(why) => Err(why.to_owned()),
                },
                Some(Err(why)) => Err((*why).to_owned()),
                None => self.node(node, find, out)?,
            };
            let kind = match kind {
                Ok(kind) => kind,
                Err(why) => return Ok(Err(why)),
            };
            let after = node.after().iter().map(|before| *before as u32).collect();
            let early =
                node.early().iter().map(|&(from, begun)| Early { from: from as u32, begun }).collect();
            nodes.push(Node { kind, after, early, enabled: true });
        }
        Ok(Ok(nodes))
    }
}

/// Records a handle for conditional nodes, which has this value before the first launch.
pub(crate) fn condition(handle: u64, value: c_uint, resets: bool) {
    with(|session| {
        let step = Step::Condition { handle, value, resets };
        session.call("cuGraphConditionalHandleCreate", step, Vec::new())
    });
}

/// Records a conditional node that was added to a graph.
pub(crate) fn branches(node: u64, branches: Branches) {
    with(|session| {
        session.graphs.conditional.insert(node, branches);
        Ok(())
    });
}

/// Records an executable graph that was made of a graph, or was changed to be like it.
pub(crate) fn graph_made(api: &str, made: u64, read: Result<&Read, &'static str>, find: &Find<'_>) {
    with(|session| {
        let mut out = Made::default();
        let nodes = match read {
            Ok(read) => {
                out.handles = read.nodes.iter().map(|node| node.handle as u64).collect();
                session.graph(read, find, &mut out)?
            }
            Err(why) => Err(why.to_owned()),
        };
        match nodes {
            Ok(nodes) => {
                out.nodes.clone_from(&nodes);
                session.graphs.made.insert(made, out);
                session.call(api, Step::Graph { graph: made, nodes }, Vec::new())
            }
            Err(why) => {
                session.graphs.made.remove(&made);
                session.lacks(format!("a graph is not in the session: {why}"))
            }
        }
    });
}

/// Records a change of one node of an executable graph: its kernel, or whether it is enabled.
pub(crate) fn graph_changed(
    api: &str,
    made: u64,
    node: u64,
    kernel: Option<(&graphs::Kernel, &Find<'_>)>,
    enabled: Option<bool>,
) {
    with(|session| {
        let Some(mut graph) = session.graphs.made.remove(&made) else { return Ok(()) };
        let at = graph.handles.iter().position(|handle| *handle == node);
        let Some(own) = at.and_then(|at| graph.nodes.get_mut(at)) else {
            return session.not_recorded(api, "it changes a graph in a way that is not followed");
        };
        if let Some((kernel, find)) = kernel {
            let found = match find(kernel) {
                Ok((name, of)) => session.node_kernel(&name, of, kernel)?.map_err(|why| missing(&name, &why)),
                Err(why) => Err(format!("a graph's kernel is not in the session: {why}")),
            };
            match found {
                Ok(kernel) => own.kind = NodeKind::Kernel(kernel),
                Err(why) => return session.lacks(why),
            }
        }
        if let Some(enabled) = enabled {
            own.enabled = enabled;
        }
        if kernel.is_none() && enabled.is_none() {
            return session.not_recorded(api, "it changes a graph in a way that is not followed");
        }
        let nodes = graph.nodes.clone();
        session.graphs.made.insert(made, graph);
        session.call(api, Step::Graph { graph: made, nodes }, Vec::new())
    });
}

/// Records that an executable graph is about to be launched.
pub(crate) fn graph_launched(made: u64, handle: Handle) {
    if is_captured(handle) {
        return;
    }
    with(|session| {
        let Some(graph) = session.graphs.made.get(&made) else {
            return session.lacks("launches of a graph are not in the session".into());
        };
        let bytes: Vec<u8> = graph.copies.iter().flat_map(Copy::bytes).collect();
        let kernels = graph.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Kernel(_))).count();
        session.launches += kernels as u64;
        session.host_wrote()?;
        let stream = session.stream(handle)?;
        session.call("cuGraphLaunch", Step::GraphLaunched { graph: made, stream }, bytes)?;
        let all: Vec<u64> = session.memory.shared().iter().map(|(base, _)| *base).collect();
        session.flies(stream, &all);
        Ok(())
    });
}

/// Records that an executable graph was destroyed.
pub(crate) fn graph_gone(made: u64) {
    with(|session| match session.graphs.made.remove(&made) {
        Some(_) => session.call("cuGraphExecDestroy", Step::GraphDestroyed { graph: made }, Vec::new()),
        None => Ok(()),
    });
}
