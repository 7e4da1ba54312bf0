//! Events: marks in streams, for synchronisation and time measurement.

use super::memory::answer;
use super::{Call, ipc};
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Event, Stream};
use crate::context::EventRecord;
use crate::submit::event;
use std::ffi::c_uint;

const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;

fn create(call: &Call, event: *mut Event, flags: u32) -> CudaResult {
    // The flags are blocking sync, disable timing, and interprocess, which requires timing to be disabled.
    if flags & !7 != 0 || (flags & 4 != 0 && flags & DISABLE_TIMING == 0) {
        return Err(CudaError::INVALID_VALUE);
    }
    let mut state = call.state()?;
    let handle = state.handle();
    let shared = if flags & INTERPROCESS != 0 { Some(ipc::new_cell(call, &mut state)?) } else { None };
    state.add_event(handle, EventRecord { device: call.device, flags, recorded: None, shared });
    // SAFETY: the program's variable.
    unsafe { answer(event, handle as Event) }
}

fn find(
    call: &Call,
    event: Event,
) -> CudaResult<(std::sync::MutexGuard<'static, crate::context::State>, EventRecord)> {
    let state = call.state()?;
    let found = state.event(event as usize)?.clone();
    if state.graphs.event_is_captured(event as usize) {
        return Err(CudaError::CAPTURED_EVENT);
    }
    Ok((state, found))
}

api! {
    fn cudaEventCreate(event: *mut Event) = |call| create(call, event, 0);
    fn cudaEventCreateWithFlags, driver cuEventCreate (event: *mut Event, flags: c_uint) = |call| create(call, event, flags);
    fn cudaEventDestroy, driver cuEventDestroy_v2 (event: Event) = |call| {
        let mut state = call.state()?;
        state.graphs.forget_event(event as usize);
        state.remove_event(event as usize)
    };
    fn cudaEventRecord | cudaEventRecord_ptsz, driver cuEventRecord | cuEventRecord_ptsz (event: Event, stream: Stream) = |call| event::record(call, event as usize, stream);
    fn cudaEventRecordWithFlags | cudaEventRecordWithFlags_ptsz, driver cuEventRecordWithFlags | cuEventRecordWithFlags_ptsz (event: Event, stream: Stream, flags: c_uint) = |call| {
        if flags > 1 {
            return Err(CudaError::INVALID_VALUE);
        }
        event::record(call, event as usize, stream)
    };
    fn cudaEventSynchronize, driver cuEventSynchronize (event: Event) = |call| {
        let (mut state, found) = find(call, event)?;
        if let Some(gate) = found.shared.and_then(|shared| shared.foreign()) {
            drop(state);
            while !gate.is_open() {
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
            state = call.state()?;
            ipc::host_learns(&mut state);
            return Ok(());
        }
        let Some(recorded) = found.recorded else { return Ok(()) };
        let mut state = call.runtime.wait(state, &recorded.known);
        state.notice(found.device)
    };
    fn cudaEventQuery, driver cuEventQuery (event: Event) = |call| {
        let (mut state, found) = find(call, event)?;
        if let Some(gate) = found.shared.and_then(|shared| shared.foreign()) {
            if !gate.is_open() {
                return Err(CudaError::NOT_READY);
            }
            ipc::host_learns(&mut state);
            return Ok(());
        }
        let Some(recorded) = found.recorded else { return Ok(()) };
        let mut state = call.runtime.settle(state, &recorded.known);
        if !state.is_complete(&recorded.known) {
            drop(state);
            // Programs poll this function, so the engine thread gets the processor.
            std::thread::yield_now();
            return Err(CudaError::NOT_READY);
        }
        state.host_learns(&recorded.known);
        state.notice(found.device)
    };
    fn cudaEventElapsedTime, driver cuEventElapsedTime, driver cuEventElapsedTime_v2 (milliseconds: *mut f32, start: Event, end: Event) = |call| {
        let first = find(call, start)?.1;
        let (mut state, second) = find(call, end)?;
        if (first.flags | second.flags) & DISABLE_TIMING != 0 || first.device != second.device {
            return Err(CudaError::INVALID_RESOURCE_HANDLE);
        }
        let (Some(first), Some(second)) = (first.recorded, second.recorded) else {
            return Err(CudaError::INVALID_RESOURCE_HANDLE);
        };
        let (Some(from), Some(to)) = (first.at, second.at) else { return Err(CudaError::NOT_READY) };
        state.host_learns(&first.known);
        state.host_learns(&second.known);
        let elapsed = match to.checked_duration_since(from) {
            Some(forward) => forward.as_secs_f32() * 1e3,
            None => -(from - to).as_secs_f32() * 1e3,
        };
        // SAFETY: the program's variable.
        unsafe { answer(milliseconds, elapsed) }
    };
    fn cudaStreamWaitEvent | cudaStreamWaitEvent_ptsz, driver cuStreamWaitEvent | cuStreamWaitEvent_ptsz (stream: Stream, event: Event, flags: c_uint) = |call| {
        if flags > 1 {
            return Err(CudaError::INVALID_VALUE);
        }
        let mut state = call.state()?;
        let handle = event as usize;
        let found = state.event(handle)?.clone();
        let (stream, device) = call.stream(&mut state, stream)?;
        if state.graphs.wait_in_capture(stream, handle)? {
            return Ok(());
        }
        if let Some(gate) = found.shared.and_then(|shared| shared.foreign()) {
            return ipc::wait(call, &mut state, stream, device, gate);
        }
        event::wait(&mut state, stream, handle)
    };
}
