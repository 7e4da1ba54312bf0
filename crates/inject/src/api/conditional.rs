//! Conditional graph nodes.
//!
//! What runs depends on a value that kernels of the same launch set. So a launch of such a graph waits, at each
//! conditional node, until what was submitted before it is complete, and only then submits the body. The host
//! learns nothing by this: to the detector the launch is as asynchronous as any other.

use super::Call;
use super::graph::submit;
use super::memory::answer;
use super::texture::publish;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{ConditionalNodeParams, Graph};
use crate::backend::Backend;
use crate::context::{Guard, State};
use crate::graph::{Bodies, Condition, Conditional, Graphs, Kind};
use crate::order::Known;
use std::ffi::c_uint;
use std::sync::atomic::{AtomicU32, Ordering};

/// `cudaGraphCondAssignDefault`
const ASSIGN_DEFAULT: u32 = 1;

/// The value of a handle's cell, as the engine sees it.
fn cell<'s>(backend: &dyn Backend, state: &'s State, address: u64) -> CudaResult<&'s AtomicU32> {
    let memory =
        state.find(address).filter(|memory| memory.base == address).ok_or(CudaError::INVALID_VALUE)?;
    let at = memory.engine;
    // SAFETY: the engine's view of memory that holds this address and the cell behind it.
    let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, memory.bytes as usize) };
    let value = backend.condition_at(bytes).ok_or(CudaError::INVALID_VALUE)?;
    // SAFETY: a cell lies there, as was just seen. Memory that is not a Rust object may be viewed as atomics;
    // cells are never given back.
    Ok(unsafe { AtomicU32::from_ptr((at + value) as *mut u32) })
}

/// A node from its parameters; answers its bodies' graphs.
pub(super) fn node(
    backend: &dyn Backend,
    state: &mut State,
    params: &mut ConditionalNodeParams,
) -> CudaResult<Kind> {
    cell(backend, state, params.handle)?;
    let (condition, sizes) = match params.kind {
        0 => (Condition::If, 1..=2),
        1 => (Condition::While, 1..=1),
        2 => (Condition::Switch, 1..=c_uint::MAX),
        _ => return Err(CudaError::INVALID_VALUE),
    };
    if !sizes.contains(&params.size) {
        return Err(CudaError::INVALID_VALUE);
    }
    let (bodies, answered) = state.graphs.bodies(params.size as usize);
    params.bodies = answered.cast();
    Ok(Kind::Conditional(Conditional { cell: params.handle, condition, bodies }))
}

/// What each launch of a graph sets its handles to.
pub(super) fn defaults(graphs: &Graphs, graph: usize, bodies: &Bodies) -> Vec<(u64, u32)> {
    let all = std::iter::once(graph).chain(bodies.keys().copied());
    let cells = all.filter_map(|graph| graphs.cells.get(&graph)).flatten();
    cells.filter_map(|&(address, default)| Some((address, default?))).collect()
}

/// Sets handles to their defaults, once nothing of an earlier launch can set them any more.
pub(super) fn assign(call: &Call, state: Guard, start: &Known, defaults: &[(u64, u32)]) -> CudaResult<Guard> {
    let state = call.runtime.wait_until(state, |state| state.queue.complete(start));
    for &(address, value) in defaults {
        cell(&*call.runtime.backend, &state, address)?.store(value, Ordering::Relaxed);
    }
    Ok(state)
}

/// Runs a node's bodies, as often as its condition says.
pub(super) fn run(
    call: &Call,
    mut state: Guard,
    node: &Conditional,
    device: u32,
    bodies: &Bodies,
    mut known: Known,
) -> CudaResult<(Guard, Known)> {
    loop {
        state = call.runtime.wait_until(state, |state| state.queue.complete(&known));
        if state.is_lost(device) {
            // Nothing runs any more, and nothing would end a loop.
            return Ok((state, known));
        }
        let value = cell(&*call.runtime.backend, &state, node.cell)?.load(Ordering::Relaxed);
        let Some(body) = node.choose(value).and_then(|body| bodies.get(&body)) else {
            return Ok((state, known));
        };
        (state, known) = submit(call, state, body, bodies, &known)?;
        if node.condition != Condition::While {
            return Ok((state, known));
        }
    }
}

api! {
    fn cudaGraphConditionalHandleCreate(
        out: *mut u64,
        graph: Graph,
        default: c_uint,
        flags: c_uint,
    ) = |call| {
        if flags & !ASSIGN_DEFAULT != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let mut state = call.state()?;
        state.graphs.graph(graph as usize)?;
        let address = publish(call, &mut state, &call.runtime.backend.condition(default))?;
        let assigned = (flags & ASSIGN_DEFAULT != 0).then_some(default);
        state.graphs.cells.entry(graph as usize).or_default().push((address, assigned));
        // SAFETY: the program's variable.
        unsafe { answer(out, address) }
    };
}
