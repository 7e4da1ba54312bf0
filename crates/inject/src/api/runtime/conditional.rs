//! Conditional graph nodes. [`submit::graph`](crate::submit::graph) executes them.

use super::Call;
use super::memory::answer;
use super::texture::publish;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{ConditionalNodeParams, Graph};
use crate::backend::Backend;
use crate::context::State;
use crate::context::graphs::{Condition, Conditional, Kind};
use crate::submit::graph::cell;
use std::ffi::c_uint;

/// `cudaGraphCondAssignDefault`
const ASSIGN_DEFAULT: u32 = 1;

/// Creates a node from its parameters, and stores the graphs of its bodies in them.
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

/// Makes a handle for the conditional nodes of a graph.
pub(in crate::api) fn create_handle(
    call: &Call,
    out: *mut u64,
    graph: Graph,
    default: c_uint,
    flags: c_uint,
) -> CudaResult {
    if flags & !ASSIGN_DEFAULT != 0 {
        return Err(CudaError::INVALID_VALUE);
    }
    let mut state = call.state()?;
    state.graphs.graph(graph as usize)?;
    let address = publish(call, &mut state, &call.runtime.backend.condition(default))?;
    let assigned = (flags & ASSIGN_DEFAULT != 0).then_some(default);
    state.graphs.add_cell(graph as usize, address, assigned);
    // SAFETY: the program's variable.
    unsafe { answer(out, address) }
}

api! {
    fn cudaGraphConditionalHandleCreate(
        out: *mut u64,
        graph: Graph,
        default: c_uint,
        flags: c_uint,
    ) = |call| create_handle(call, out, graph, default, flags);
}
