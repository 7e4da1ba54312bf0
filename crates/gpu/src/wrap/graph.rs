//! Graphs. The kernels of a graph have the same number of a grid at each of its launches, by which engine `guard` tells launches
//! apart: before a graph is launched, its table is told. Where kernels are launched again without the host, it stops looking.
//!
//! Where launches are saved, a launch of a graph is made in pieces, by switching off nodes: each kernel that is to be saved finds memory
//! as what is before it has left it.

use super::{Handle, order};
use crate::call::call;
use crate::graphs::{self, Graph};
use crate::hooks::{Code, SUCCESS};
use crate::state::PickedNode;
use crate::{room, state, streams};
use std::ffi::c_uint;
use std::ops::Range;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`
const ON_DEVICE: u64 = 4;

pub(super) unsafe fn launch(
    real: unsafe extern "C" fn(Handle, Handle) -> Code,
    graph: Handle,
    stream: Handle,
) -> Code {
    let _launching = room::launching();
    order::passes(stream);
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

/// The nodes of an executable graph that can be switched off, and are not by the program.
struct Switches<'a> {
    made: Handle,
    graph: &'a Graph,
    /// Were they on, and are they?
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

    /// Of what was on, these alone are.
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
        // What the driver has let us switch off, it lets us switch on.
        let _ = self.only(&all);
    }
}

/// Launches a graph, and saves some of its kernels just before they begin.
fn in_pieces(
    made: Handle,
    graph: &Graph,
    picked: Vec<PickedNode>,
    stream: Handle,
    mut piece: impl FnMut() -> Code,
) -> Code {
    let mut switches = Switches::new(made, graph);
    // How many nodes have run.
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

/// The executable graph that is made of a graph, if it is.
///
/// # Safety
/// On success `made` may be read.
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
            state.graphs().made(made, graph as usize, known);
        }
    }
    code
}

/// It does as a graph does.
pub(super) fn updated(code: Code, made: Handle, graph: Handle) -> Code {
    if code == SUCCESS && state::saves() {
        let known = Graph::read(graph);
        if let Some(mut state) = state::lock() {
            state.graphs().follows(made as usize, known);
        }
    }
    code
}

/// A node is about to be no part of its graph any more.
pub(super) fn node_gone(node: Handle) {
    if state::saves()
        && let Some(mut state) = state::lock()
    {
        state.graphs().node_gone(node as usize);
    }
}

/// The program gives back a graph: what was made of it is launched in pieces by its nodes.
pub(super) unsafe fn destroy(real: unsafe extern "C" fn(Handle) -> Code, graph: Handle) -> Code {
    if state::saves() && state::lock().is_some_and(|mut state| state.graphs().keeps(graph as usize)) {
        return SUCCESS;
    }
    // SAFETY: the caller's argument.
    unsafe { real(graph) }
}

/// An executable graph is gone.
pub(super) fn gone(code: Code, made: Handle) -> Code {
    let needless = if state::saves() {
        state::lock().and_then(|mut state| state.graphs().gone(made as usize))
    } else {
        None
    };
    if let Some(graph) = needless {
        // Whatever is wrong with it, the program has been told that it is gone.
        let _ = call!(c"cuGraphDestroy"(graph as Handle => Handle));
    }
    code
}

fn alone() {
    if let Some(mut state) = state::lock() {
        state.repeats_alone();
    }
}

pub(super) unsafe fn conditional(
    real: unsafe extern "C" fn(*mut u64, Handle, Handle, c_uint, c_uint) -> Code,
    handle: *mut u64,
    graph: Handle,
    context: Handle,
    value: c_uint,
    flags: c_uint,
) -> Code {
    alone();
    // SAFETY: the caller's arguments.
    unsafe { real(handle, graph, context, value, flags) }
}

pub(super) unsafe fn instantiate(
    real: unsafe extern "C" fn(*mut Handle, Handle, u64) -> Code,
    made: *mut Handle,
    graph: Handle,
    flags: u64,
) -> Code {
    if flags & ON_DEVICE != 0 {
        alone();
    }
    // SAFETY: the caller's arguments.
    unsafe { self::made(real(made, graph, flags), made, graph, flags) }
}

/// `how` points to `CUDA_GRAPH_INSTANTIATE_PARAMS`, which begins with the flags.
pub(super) unsafe fn instantiate_as(
    real: unsafe extern "C" fn(*mut Handle, Handle, *mut u64) -> Code,
    made: *mut Handle,
    graph: Handle,
    how: *mut u64,
) -> Code {
    // SAFETY: the caller passes parameters, or null.
    let flags = if how.is_null() { 0 } else { unsafe { how.read() } };
    if flags & ON_DEVICE != 0 {
        alone();
    }
    // SAFETY: the caller's arguments.
    unsafe { self::made(real(made, graph, how), made, graph, flags) }
}
