//! Launches of graphs.
//!
//! The body that a conditional node runs depends on a value that kernels of the same launch set. A launch of
//! such a graph therefore waits, at each conditional node, until earlier work is complete, and submits the
//! body afterwards. The host is not ordered by this wait: for the detector the launch is as asynchronous as
//! any other.

use super::place;
use crate::abi::error::{CudaError, CudaResult};
use crate::backend::Backend;
use crate::call::Call;
use crate::context::graphs::{Bodies, Condition, Conditional, Kind, Plan, Port, Step};
use crate::context::{Guard, State, Work};
use crate::order::{Known, StreamKey};
use events::{StreamId, TaskId};
use std::sync::atomic::{AtomicU32, Ordering};

/// Launches an executable graph into a stream that is not being captured.
pub(crate) fn launch(call: &Call, mut state: Guard, exec: usize, stream: StreamKey) -> CudaResult {
    let instance = state.graphs.exec(exec)?;
    let (plan, bodies) = (instance.plan.clone(), instance.bodies.clone());
    let (defaults, last) = (instance.defaults.clone(), instance.last.clone());
    let mut start = state.mark(stream);
    start.join(&last);
    if !defaults.is_empty() {
        state = assign(call, state, &start, &defaults)?;
    }
    let (mut state, end) = submit(call, state, &plan, &bodies, &start)?;
    state.stream_waits(stream, &end);
    if let Ok(exec) = state.graphs.exec_mut(exec) {
        exec.last = end;
    }
    Ok(())
}

/// Submits every step after its predecessors, and returns the clock of all of them.
fn submit(
    call: &Call,
    mut state: Guard,
    plan: &Plan,
    bodies: &Bodies,
    start: &Known,
) -> CudaResult<(Guard, Known)> {
    let mut end = start.clone();
    let mut ends: Vec<Known> = Vec::with_capacity(plan.steps.len());
    // The submitted kernels by step.
    let mut kernels: Vec<Option<TaskId>> = vec![None; plan.steps.len()];
    for step in &plan.steps {
        let mut known = start.clone();
        for &before in &step.after {
            known.join(&ends[before]);
        }
        let known = match &step.kind {
            Kind::Work(work) if step.enabled => {
                let chain = plan.chains[step.chain];
                let with = beside(plan, step, work, &kernels);
                let placed = if with.is_empty() {
                    state.place_after(known, chain)
                } else {
                    let mut early = start.clone();
                    for &before in step.after.iter().filter(|b| !with.iter().any(|w| w.0 == **b)) {
                        early.join(&ends[before]);
                    }
                    let with: Vec<_> = with.iter().map(|(_, with)| *with).collect();
                    state.place_dependent(known, chain, &early, &with)
                };
                if let Work::Kernel(_) = work {
                    kernels[ends.len()] = Some(placed.id);
                }
                place(call, &mut state, placed, step.device, work.clone())
            }
            Kind::EventRecord(event) => {
                state.record(*event, known.clone());
                known
            }
            Kind::EventWait(event) => {
                if let Some(recorded) = state.event(*event).ok().and_then(|e| e.recorded.as_ref()) {
                    known.join(&recorded.known);
                }
                known
            }
            Kind::Conditional(node) if step.enabled => {
                // Like any other work it takes its turn: all earlier submissions run first, ordered or not.
                let mut turn = known.clone();
                ends.iter().for_each(|end| turn.join(end));
                state = call.runtime.wait_until(state, |state| state.is_complete(&turn));
                let ended = run(call, state, node, step.device, bodies, known)?;
                state = ended.0;
                ended.1
            }
            _ => known,
        };
        if step.last {
            end.join(&known);
        }
        ends.push(known);
    }
    Ok((state, end))
}

/// Returns the steps at a kernel's programmatic edges: each one's task, its chain, and whether its blocks
/// need only have begun. A disabled node is an empty node, whose edges are full dependencies.
fn beside(
    plan: &Plan,
    step: &Step,
    work: &Work,
    kernels: &[Option<TaskId>],
) -> Vec<(usize, (TaskId, StreamId, bool))> {
    let Work::Kernel(work) = work else { return Vec::new() };
    if !work.module.kernels()[work.kernel].can_wait() {
        return Vec::new();
    }
    let edge = |&(before, port): &(usize, Port)| {
        let chain = plan.chains[plan.steps[before].chain];
        Some((before, (kernels[before]?, chain, port == Port::Begun)))
    };
    step.early.iter().filter_map(edge).collect()
}

/// Returns the value of a handle's cell in the engine's view.
pub(crate) fn cell<'s>(backend: &dyn Backend, state: &'s State, address: u64) -> CudaResult<&'s AtomicU32> {
    let memory =
        state.find(address).filter(|memory| memory.base == address).ok_or(CudaError::INVALID_VALUE)?;
    let at = memory.engine;
    // SAFETY: the engine's view of memory that contains this address and the cell behind it.
    let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, memory.bytes as usize) };
    let value = backend.condition_at(bytes).ok_or(CudaError::INVALID_VALUE)?;
    // SAFETY: `condition_at` has confirmed that a cell lies there. Memory that is no Rust object may be
    // viewed as atomics; cells are never freed.
    Ok(unsafe { AtomicU32::from_ptr((at + value) as *mut u32) })
}

/// Resets handles to their defaults, once no earlier launch can set them any more.
fn assign(call: &Call, state: Guard, start: &Known, defaults: &[(u64, u32)]) -> CudaResult<Guard> {
    let state = call.runtime.wait_until(state, |state| state.is_complete(start));
    for &(address, value) in defaults {
        cell(&*call.runtime.backend, &state, address)?.store(value, Ordering::Relaxed);
    }
    Ok(state)
}

/// Runs a node's bodies as often as its condition requires.
fn run(
    call: &Call,
    mut state: Guard,
    node: &Conditional,
    device: u32,
    bodies: &Bodies,
    mut known: Known,
) -> CudaResult<(Guard, Known)> {
    loop {
        state = call.runtime.wait_until(state, |state| state.is_complete(&known));
        if state.is_lost(device) {
            // No kernel runs any more, so a loop would never end.
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
