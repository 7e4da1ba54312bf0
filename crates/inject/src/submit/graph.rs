//! Launches of graphs.
//!
//! What a conditional node runs depends on a value that kernels of the same launch set. So a launch of such a graph
//! waits, at each conditional node, until what was submitted before it is complete, and only then submits the body.
//! The host learns nothing by this: to the detector the launch is as asynchronous as any other.

use super::place;
use crate::abi::error::{CudaError, CudaResult};
use crate::backend::Backend;
use crate::call::Call;
use crate::context::graphs::{Bodies, Condition, Conditional, Kind, Plan, Port, Step};
use crate::context::{Guard, State, Work};
use crate::order::{Known, StreamKey};
use events::{StreamId, TaskId};
use std::sync::atomic::{AtomicU32, Ordering};

/// Launches an instantiated graph into a stream that is not being captured.
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

/// Submits every step after its predecessors; what waiting for all of them would tell.
fn submit(
    call: &Call,
    mut state: Guard,
    plan: &Plan,
    bodies: &Bodies,
    start: &Known,
) -> CudaResult<(Guard, Known)> {
    let mut end = start.clone();
    let mut ends: Vec<Known> = Vec::with_capacity(plan.steps.len());
    // The kernels that have been submitted, by step.
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
                // Like any other work it takes its turn: what was submitted before it has run, ordered or not.
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

/// The steps at a kernel's programmatic edges: each one's task, its chain, and whether its blocks need only have begun.
/// A node that is switched off is an empty node, whose edges are full dependencies.
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

/// The value of a handle's cell, as the engine sees it.
pub(crate) fn cell<'s>(backend: &dyn Backend, state: &'s State, address: u64) -> CudaResult<&'s AtomicU32> {
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

/// Sets handles to their defaults, once nothing of an earlier launch can set them any more.
fn assign(call: &Call, state: Guard, start: &Known, defaults: &[(u64, u32)]) -> CudaResult<Guard> {
    let state = call.runtime.wait_until(state, |state| state.is_complete(start));
    for &(address, value) in defaults {
        cell(&*call.runtime.backend, &state, address)?.store(value, Ordering::Relaxed);
    }
    Ok(state)
}

/// Runs a node's bodies, as often as its condition says.
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
