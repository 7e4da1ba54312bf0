//! Graphs whose kernels the device launches again without the host: bodies of conditional nodes, and graphs that kernels
//! launch.
//!
//! A kernel of a graph has the same grid number whenever it runs, by which engine `guard` distinguishes launches. So
//! while such a graph is instantiated, it has one node more, before all others: a memset of the grid numbers in the
//! table, behind which each kernel counts as a new launch. The program's graph is as before afterwards.

use super::Handle;
use crate::call::call;
use crate::graphs::Memset;
use crate::hooks::{Code, NOT_FOUND, SUCCESS};
use crate::state;
use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

/// `CU_GRAPH_NODE_TYPE_GRAPH`
const INNER: c_int = 4;

/// The bodies of conditional nodes, by the graph and the node.
type Bodies = HashMap<usize, HashMap<usize, Vec<usize>>>;

static BODIES: Mutex<Option<Bodies>> = Mutex::new(None);

/// Records the bodies of a conditional node that was added to a graph.
pub(super) fn has_bodies(graph: Handle, node: Handle, bodies: &[u64]) {
    let mut all = BODIES.lock().unwrap_or_else(PoisonError::into_inner);
    let of = all.get_or_insert_default().entry(graph as usize).or_default();
    of.insert(node as usize, bodies.iter().map(|body| *body as usize).collect());
}

/// Records that a node is about to be removed from its graph.
pub(super) fn node_gone(node: Handle) {
    if let Some(all) = BODIES.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        let bodies: Vec<usize> =
            all.values_mut().filter_map(|of| of.remove(&(node as usize))).flatten().collect();
        bodies.into_iter().for_each(|body| forget(all, body));
    }
}

/// Records that a graph is about to be destroyed, with its conditional nodes.
pub(super) fn gone(graph: Handle) {
    if let Some(all) = BODIES.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        forget(all, graph as usize);
    }
}

fn forget(all: &mut Bodies, graph: usize) {
    let bodies = all.remove(&graph).into_iter().flat_map(HashMap::into_values).flatten();
    bodies.collect::<Vec<usize>>().into_iter().for_each(|body| forget(all, body));
}

/// Nodes that were added to graphs. They are removed when this value is dropped.
#[derive(Default)]
pub(super) struct Marks(Vec<usize>);

impl Drop for Marks {
    fn drop(&mut self) {
        for node in &self.0 {
            // A graph that keeps the node does the same as before.
            let _ = call!(c"cuGraphDestroyNode"(*node as Handle => Handle));
        }
    }
}

/// Adds nodes to the graphs that an executable graph's kernels may be launched from without the host; `on_device`: kernels may
/// launch the graph itself. If that fails, engine `guard` ends.
pub(super) fn mark(graph: Handle, on_device: bool) -> Marks {
    let mut marks = Marks::default();
    let graphs = if guards() { repeated(graph, on_device) } else { Ok(Vec::new()) };
    let marked = graphs.and_then(|graphs| {
        graphs.into_iter().try_for_each(|graph| {
            marks.0.extend(marked(graph as Handle)?);
            Ok(())
        })
    });
    if let Err(code) = marked {
        crate::log::note(|| format!("a graph that the device repeats is not followed: error {code}"));
        if let Some(mut state) = state::lock() {
            state.repeats_alone();
        }
    }
    marks
}

fn guards() -> bool {
    state::has_order() && state::lock().is_some_and(|state| state.tells())
}

/// Returns the graphs that the device may repeat.
fn repeated(graph: Handle, on_device: bool) -> Result<Vec<usize>, Code> {
    let all = BODIES.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
    let mut out = if on_device { vec![graph as usize] } else { Vec::new() };
    // Child graphs may have conditional nodes of their own.
    let mut rest = if all.is_empty() { Vec::new() } else { vec![graph as usize] };
    while let Some(graph) = rest.pop() {
        for node in nodes(c"cuGraphGetNodes", graph as Handle)? {
            let mut kind = -1;
            told(call!(c"cuGraphNodeGetType"(node as Handle => Handle, &mut kind => *mut c_int)))?;
            if kind == INNER {
                let mut inner: Handle = std::ptr::null_mut();
                told(call!(c"cuGraphChildGraphNodeGetGraph"(
                    node as Handle => Handle, &mut inner => *mut Handle,
                )))?;
                rest.push(inner as usize);
            }
            let bodies = all.get(&graph).and_then(|of| of.get(&node)).cloned().unwrap_or_default();
            rest.extend(&bodies);
            out.extend(bodies);
        }
    }
    Ok(out)
}

fn told(code: Code) -> Result<(), Code> {
    if code == SUCCESS { Ok(()) } else { Err(code) }
}

/// Returns nodes of a graph by the driver's function of that name.
fn nodes(by: &std::ffi::CStr, graph: Handle) -> Result<Vec<usize>, Code> {
    type Get = unsafe extern "C" fn(Handle, *mut usize, *mut usize) -> Code;
    let found = crate::driver::function(by);
    if found.is_null() {
        return Err(NOT_FOUND);
    }
    // SAFETY: the driver's functions of these names have this type.
    let get = unsafe { std::mem::transmute::<Handle, Get>(found) };
    let mut number = 0;
    // SAFETY: without room for nodes the driver writes their number.
    told(unsafe { get(graph, std::ptr::null_mut(), &mut number) })?;
    let mut out = vec![0; number];
    if number > 0 {
        // SAFETY: there is room for so many.
        told(unsafe { get(graph, out.as_mut_ptr(), &mut number) })?;
    }
    out.truncate(number);
    Ok(out)
}

/// Adds a memset of the grid numbers before all nodes of a graph; returns `None` if it has none.
fn marked(graph: Handle) -> Result<Option<usize>, Code> {
    let roots = nodes(c"cuGraphGetRootNodes", graph)?;
    if roots.is_empty() {
        return Ok(None);
    }
    let place = state::lock().and_then(|mut state| state.grid_numbers());
    let (at, bytes, value) = place.ok_or(NOT_FOUND)?;
    let (mut node, mut context): (Handle, Handle) = (std::ptr::null_mut(), std::ptr::null_mut());
    told(call!(c"cuCtxGetCurrent"(&mut context => *mut Handle)))?;
    let memset = Memset { at, pitch: 0, value, element: 4, width: (bytes / 4) as usize, height: 1 };
    let none: *const Handle = std::ptr::null();
    told(call!(c"cuGraphAddMemsetNode"(
        &mut node => *mut Handle, graph => Handle, none => *const Handle, 0 => usize, &memset => *const Memset,
        context => Handle,
    )))?;
    let from = vec![node as usize; roots.len()];
    let added = told(call!(c"cuGraphAddDependencies"(
        graph => Handle, from.as_ptr() => *const usize, roots.as_ptr() => *const usize, roots.len() => usize,
    )));
    if added.is_err() {
        let _ = call!(c"cuGraphDestroyNode"(node => Handle));
    }
    added.map(|()| Some(node as usize))
}
