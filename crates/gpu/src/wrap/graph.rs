//! Wrappers of the functions for graphs. At each launch of an executable graph its kernels have the same grid
//! number, by which engine `guard` distinguishes launches; so this module resets the number in the table
//! before each graph launch. Graphs that the device repeats without the host reset it themselves ([`repeated`]).
//!
//! If launches are saved, a graph launch is split into pieces by disabling nodes, so that each kernel to be
//! saved finds memory as its predecessors have left it.

use super::{Handle, order, repeated};
use crate::call::call;
use crate::graphs::{self, Graph};
use crate::hooks::{Code, SUCCESS};
use crate::state::PickedNode;
use crate::{reclaim, session, state, streams};
use std::ffi::c_uint;
use std::ops::Range;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`
const ON_DEVICE: u64 = 4;
/// `CU_GRAPH_COND_ASSIGN_DEFAULT`
const ASSIGN_DEFAULT: c_uint = 1;

pub(super) unsafe fn launch(
    real: unsafe extern "C" fn(Handle, Handle) -> Code,
    graph: Handle,
    stream: Handle,
) -> Code {
    let _launching = reclaim::launching();
    order::passed(stream);
    session::graph_launched(graph as u64, stream);
    let piece = || {
        if let Some(mut state) = state::lock() {
            state.repeats(stream);
        }
        // SAFETY: the caller's arguments.
        unsafe { real(graph, stream) }
    };
    if !state::saves() || streams::is_captured(stream) {
        return piece();
    }
    let picked = state::lock().and_then(|mut state| state.graph_launched(graph as usize));
    match picked {
        Some((of, picked)) => in_pieces(graph, &of, picked, stream, piece),
        None => piece(),
    }
}

/// Enables and disables nodes of an executable graph, restricted to those nodes that the driver lets a
/// program disable and that the program itself has enabled.
struct Switches<'a> {
    made: Handle,
    graph: &'a Graph,
    /// Which nodes the program has enabled, and which are enabled at the moment.
    were: Vec<bool>,
    are: Vec<bool>,
}

impl Switches<'_> {
    fn new(made: Handle, graph: &Graph) -> Switches<'_> {
        let is_on = |node: &graphs::Node| {
            let mut on: c_uint = 1;
            let handle = node.handle as Handle;
            let code =
                call!(c"cuGraphNodeGetEnabled"(made => Handle, handle => Handle, &mut on => *mut c_uint));
            node.can_be_off() && (code != SUCCESS || on != 0)
        };
        let were: Vec<bool> = graph.nodes.iter().map(is_on).collect();
        Switches { made, graph, are: were.clone(), were }
    }

    fn set(&mut self, at: usize, on: bool) -> Code {
        let node = self.graph.nodes[at].handle as Handle;
        let code = call!(c"cuGraphNodeSetEnabled"(
            self.made => Handle, node => Handle, c_uint::from(on) => c_uint,
        ));
        if code == SUCCESS {
            self.are[at] = on;
        }
        code
    }

    /// Enables those of the program's enabled nodes that lie in the range, and disables all others.
    fn only(&mut self, these: &Range<usize>) -> Code {
        for at in 0..self.are.len() {
            let on = self.were[at] && these.contains(&at);
            if self.are[at] != on {
                match self.set(at, on) {
                    SUCCESS => {}
                    code => return code,
                }
            }
        }
        SUCCESS
    }
}

impl Drop for Switches<'_> {
    fn drop(&mut self) {
        let all = 0..self.are.len();
        // The driver allowed disabling these nodes, so it also allows enabling them.
        let _ = self.only(&all);
    }
}

/// Launches a graph in pieces, and saves each picked kernel just before it begins.
fn in_pieces(
    made: Handle,
    graph: &Graph,
    picked: Vec<PickedNode>,
    stream: Handle,
    mut piece: impl FnMut() -> Code,
) -> Code {
    let mut switches = Switches::new(made, graph);
    // Counts the nodes that have run.
    let mut run = 0;
    for node in picked {
        let needs = graph.needs(node.at);
        if needs > run {
            let code = switches.only(&(run..needs));
            if code != SUCCESS {
                if let Some(mut state) = state::lock() {
                    state.node_not_saved(
                        &node,
                        &format!("the driver does not launch its graph in pieces (error {code})"),
                    );
                }
                continue;
            }
            let code = piece();
            if code != SUCCESS {
                return code;
            }
            run = needs;
        }
        if let Some(mut state) = state::lock() {
            match switches.were[node.at] {
                true => state.save_node(&node, stream),
                false => state.node_not_saved(&node, "its node was switched off"),
            }
        }
    }
    match switches.only(&(run..graph.nodes.len())) {
        SUCCESS => piece(),
        code => code,
    }
}

/// Records an executable graph and the graph from which it was instantiated.
///
/// # Safety
/// If `code` is success, `made` may be read.
pub(super) unsafe fn made(code: Code, made: *const Handle, graph: Handle, flags: u64) -> Code {
    if code == SUCCESS && state::saves() {
        // SAFETY: the caller's promise.
        let made = unsafe { made.read() } as usize;
        let known = match flags & ON_DEVICE {
            0 => Graph::read(graph),
            _ => Err(graphs::ON_DEVICE),
        };
        if let Some(mut state) = state::lock() {
            if flags & ON_DEVICE != 0 {
                state.graphs_not_saved(graphs::ON_DEVICE);
            }
            if session::is_on() {
                state.session_graph("cuGraphInstantiate", made, known.as_ref().map_err(|why| *why));
            }
            state.graphs().made(made, graph as usize, known);
        }
    }
    code
}

/// Records that an executable graph was updated from another graph.
pub(super) fn updated(code: Code, made: Handle, graph: Handle) -> Code {
    if code == SUCCESS && state::saves() {
        let known = Graph::read(graph);
        if let Some(mut state) = state::lock() {
            if session::is_on() {
                state.session_graph("cuGraphExecUpdate", made as usize, known.as_ref().map_err(|why| *why));
            }
            state.graphs().follows(made as usize, known);
        }
    }
    code
}

/// Records that the program is about to remove a node from its graph.
pub(super) fn node_gone(node: Handle) {
    repeated::node_gone(node);
    if state::saves()
        && let Some(mut state) = state::lock()
    {
        state.graphs().node_gone(node as usize);
    }
}

/// Wraps `cuGraphDestroy`. The destruction is deferred while an executable graph still needs the graph's
/// nodes to be launched in pieces.
pub(super) unsafe fn destroy(real: unsafe extern "C" fn(Handle) -> Code, graph: Handle) -> Code {
    if state::saves() && state::lock().is_some_and(|mut state| state.graphs().keeps(graph as usize)) {
        return SUCCESS;
    }
    repeated::gone(graph);
    // SAFETY: the caller's argument.
    unsafe { real(graph) }
}

/// Records that an executable graph was destroyed, and destroys its graph if that was deferred.
pub(super) fn gone(code: Code, made: Handle) -> Code {
    session::graph_gone(made as u64);
    let needless = if state::saves() {
        state::lock().and_then(|mut state| state.graphs().gone(made as usize))
    } else {
        None
    };
    if let Some(graph) = needless {
        repeated::gone(graph as Handle);
        // The program has already received success for this call, so an error has no recipient.
        let _ = call!(c"cuGraphDestroy"(graph as Handle => Handle));
    }
    code
}

/// Records that a node of an executable graph was changed in a way that is not followed.
pub(super) fn node_changed(api: &str, code: Code, made: Handle, node: Handle) -> Code {
    if code == SUCCESS {
        session::graph_changed(api, made as u64, node as u64, None, None);
    }
    code
}

/// Records that a node of an executable graph was switched on or off.
pub(super) fn node_switched(code: Code, made: Handle, node: Handle, on: bool) -> Code {
    if code == SUCCESS {
        session::graph_changed("cuGraphNodeSetEnabled", made as u64, node as u64, None, Some(on));
    }
    code
}

pub(super) unsafe fn conditional(
    real: unsafe extern "C" fn(*mut u64, Handle, Handle, c_uint, c_uint) -> Code,
    handle: *mut u64,
    graph: Handle,
    context: Handle,
    value: c_uint,
    flags: c_uint,
) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { real(handle, graph, context, value, flags) };
    if code == SUCCESS {
        // SAFETY: the driver has written the handle.
        session::condition(unsafe { handle.read() }, value, flags & ASSIGN_DEFAULT != 0);
    }
    code
}

/// Adds the node that resets the grid numbers to a graph that the device repeats, while the driver reads the graph.
pub(super) fn marked(graph: Handle, flags: u64, real: impl FnOnce() -> Code) -> Code {
    let _marks = repeated::mark(graph, flags & ON_DEVICE != 0);
    real()
}

pub(super) unsafe fn instantiate(
    real: unsafe extern "C" fn(*mut Handle, Handle, u64) -> Code,
    made: *mut Handle,
    graph: Handle,
    flags: u64,
) -> Code {
    let code = marked(graph, flags, || {
        // SAFETY: the caller's arguments.
        unsafe { real(made, graph, flags) }
    });
    // SAFETY: the caller's arguments.
    unsafe { self::made(code, made, graph, flags) }
}

/// Wraps `cuGraphInstantiateWithParams`. `how` points to `CUDA_GRAPH_INSTANTIATE_PARAMS`, which begins with
/// the flags.
pub(super) unsafe fn instantiate_as(
    real: unsafe extern "C" fn(*mut Handle, Handle, *mut u64) -> Code,
    made: *mut Handle,
    graph: Handle,
    how: *mut u64,
) -> Code {
    // SAFETY: the caller passes parameters, or null.
    let flags = if how.is_null() { 0 } else { unsafe { how.read() } };
    let code = marked(graph, flags, || {
        // SAFETY: the caller's arguments.
        unsafe { real(made, graph, how) }
    });
    // SAFETY: the caller's arguments.
    unsafe { self::made(code, made, graph, flags) }
}
