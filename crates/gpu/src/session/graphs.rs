//! Executable graphs.

use super::copies::Copy;
use super::functions::number;
use super::launches::Loading;
use super::{Recorder, missing, with};
use crate::call::call;
use crate::graphs::{self, Graph as Read};
use crate::hooks::SUCCESS;
use crate::images::Copy3d;
use crate::streams::is_captured;
use snapshot::session::{Fill, Node, NodeKind, Side, Step};
use std::collections::HashMap;
use std::ffi::{c_int, c_uint, c_void};
use std::io;

type Handle = *mut c_void;

/// Numbers of `CUgraphNodeType`.
const COPY: c_int = 1;
const SET: c_int = 2;
const HOST: c_int = 3;
const CHILD: c_int = 4;
const EMPTY: c_int = 5;
const EVENT_WAIT: c_int = 6;
const EVENT_RECORD: c_int = 7;

/// The executable graphs of the session, by handle.
#[derive(Default)]
pub(super) struct Graphs(HashMap<u64, Made>);

/// An executable graph.
#[derive(Default)]
struct Made {
    nodes: Vec<Node>,
    /// The driver's handles of the nodes.
    handles: Vec<u64>,
    /// The copies that read pageable memory, in the order of the nodes.
    copies: Vec<Copy>,
}

/// `CUDA_MEMSET_NODE_PARAMS`
#[repr(C)]
#[derive(Default)]
struct Memset {
    at: u64,
    pitch: usize,
    value: c_uint,
    element: c_uint,
    width: usize,
    height: usize,
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
            nodes.push(Node { kind, after, enabled: true });
        }
        Ok(Ok(nodes))
    }

    /// Returns the session's form of a node that is no kernel. The error is a sentence fragment.
    fn node(
        &mut self,
        node: &graphs::Node,
        find: &Find<'_>,
        out: &mut Made,
    ) -> io::Result<Result<NodeKind, String>> {
        const UNTOLD: &str = "the driver does not tell what is in its graph";
        let handle = node.handle as Handle;
        let mut inner: Handle = std::ptr::null_mut();
        let told = |code| if code == SUCCESS { Ok(()) } else { Err(UNTOLD.to_owned()) };
        Ok(match node.kind() {
            EMPTY => Ok(NodeKind::Empty),
            COPY => {
                let mut how = Copy3d::EMPTY;
                let code = call!(c"cuGraphMemcpyNodeGetParams"(handle => Handle, &mut how => *mut Copy3d));
                match told(code) {
                    Ok(()) => self.copy_3d(&how)?.map_err(str::to_owned).map(|copy| {
                        if copy.from.side == Side::Host {
                            out.copies.push(copy);
                        }
                        NodeKind::Copy { to: copy.to.side, from: copy.from.side, shape: copy.shape }
                    }),
                    Err(why) => Err(why),
                }
            }
            SET => {
                let mut how = Memset::default();
                let code = call!(c"cuGraphMemsetNodeGetParams"(handle => Handle, &mut how => *mut Memset));
                told(code).map(|()| {
                    let width = how.width as u64 * u64::from(how.element);
                    let (row, height) = ((how.pitch as u64).max(width), (how.height as u64).max(1));
                    NodeKind::Fill(Fill {
                        at: how.at,
                        row,
                        width,
                        height,
                        value: how.value,
                        element: how.element,
                    })
                })
            }
            HOST => {
                let mut how: [Handle; 2] = [std::ptr::null_mut(); 2];
                let code = call!(c"cuGraphHostNodeGetParams"(handle => Handle, &mut how => *mut [Handle; 2]));
                let found = told(code).map(|()| number(how[0], how[1]));
                found
                    .and_then(|n| n.ok_or_else(|| "a function of its graph is not followed".into()))
                    .map(NodeKind::HostFunction)
            }
            CHILD => {
                let code =
                    call!(c"cuGraphChildGraphNodeGetGraph"(handle => Handle, &mut inner => *mut Handle));
                match told(code).and_then(|()| Read::read(inner).map_err(str::to_owned)) {
                    Ok(read) => self.graph(&read, find, out)?.map(NodeKind::Child),
                    Err(why) => Err(why),
                }
            }
            EVENT_RECORD => {
                let code =
                    call!(c"cuGraphEventRecordNodeGetEvent"(handle => Handle, &mut inner => *mut Handle));
                told(code).map(|()| NodeKind::EventRecord { event: inner as u64 })
            }
            EVENT_WAIT => {
                let code =
                    call!(c"cuGraphEventWaitNodeGetEvent"(handle => Handle, &mut inner => *mut Handle));
                told(code).map(|()| NodeKind::EventWait { event: inner as u64 })
            }
            _ => Err("it is part of a graph with memory, conditions or semaphores".into()),
        })
    }
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
                session.graphs.0.insert(made, out);
                session.call(api, Step::Graph { graph: made, nodes }, Vec::new())
            }
            Err(why) => {
                session.graphs.0.remove(&made);
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
        let Some(mut graph) = session.graphs.0.remove(&made) else { return Ok(()) };
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
        session.graphs.0.insert(made, graph);
        session.call(api, Step::Graph { graph: made, nodes }, Vec::new())
    });
}

/// Records that an executable graph is about to be launched.
pub(crate) fn graph_launched(made: u64, handle: Handle) {
    if is_captured(handle) {
        return;
    }
    with(|session| {
        let Some(graph) = session.graphs.0.get(&made) else {
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
    with(|session| match session.graphs.0.remove(&made) {
        Some(_) => session.call("cuGraphExecDestroy", Step::GraphDestroyed { graph: made }, Vec::new()),
        None => Ok(()),
    });
}
