//! Memory and events of other processes. `crate::ipc` shares them.

use super::Call;
use super::memory::answer;
use super::texture::publish;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::Event;
use crate::context::{EventRecord, MemoryKind, SharedEvent, State, Work};
use crate::ipc::{Cell, Gate, Handle, map_cell};
use crate::order::StreamKey;
use crate::submit::submit;
use std::ffi::{c_uint, c_void};

/// `cudaEventDisableTiming | cudaEventInterprocess`
const FLAGS: u32 = 2 | 4;

/// Creates the cell of a new interprocess event.
pub(super) fn new_cell(call: &Call, state: &mut State) -> CudaResult<SharedEvent> {
    let address = publish(call, state, &[0; size_of::<Cell>()])?;
    let engine = state.engine_address(address).ok_or(CudaError::INVALID_VALUE)?;
    // SAFETY: the engine's view of device memory of this size, aligned to 512, which is never freed.
    let cell = unsafe { Cell::at(engine) };
    Ok(SharedEvent::new(cell, Some(address)))
}

/// Records that the host has waited for another process.
pub(super) fn host_learns(state: &mut State) {
    let published = state.shared.published().clone();
    state.host_learns(&published);
}

/// Makes a stream wait for another process's record of an event.
pub(super) fn wait(call: &Call, state: &mut State, stream: StreamKey, device: u32, gate: Gate) -> CudaResult {
    // Everything that this process has published may be ordered before the record.
    let published = state.shared.published().clone();
    state.stream_waits(stream, &published);
    submit(call, state, stream, device, Work::Gate(gate)).map(|_| ())
}

api! {
    fn cudaIpcGetMemHandle, driver cuIpcGetMemHandle (out: *mut Handle, pointer: *mut c_void) = |call| {
        let mut state = call.state()?;
        let memory = state.find(pointer as u64).filter(|m| m.kind == MemoryKind::Device && m.block.is_some());
        let memory = memory.ok_or(CudaError::INVALID_VALUE)?;
        let (base, bytes, device) = (memory.base, memory.bytes, memory.device);
        let place = call.runtime.export(&mut state, base).ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the program's structure.
        unsafe { answer(out, Handle::new(place, bytes, device)) }
    };
    fn cudaIpcOpenMemHandle, driver cuIpcOpenMemHandle_v2 (out: *mut *mut c_void, handle: Handle, flags: c_uint) = |call| {
        if flags > 1 {
            return Err(CudaError::INVALID_VALUE);
        }
        let mut state = call.state()?;
        if handle.is_own() {
            return Err(CudaError::DEVICE_UNINITIALIZED);
        }
        let base = match state.shared.reopen(handle) {
            Some(base) => base,
            None => {
                let site = call.site(&mut state);
                call.runtime.import(&mut state, handle, call.device, site)?
            }
        };
        // SAFETY: the program's variable.
        unsafe { answer(out, base as *mut c_void) }
    };
    fn cudaIpcCloseMemHandle, driver cuIpcCloseMemHandle (pointer: *mut c_void) = |call| {
        let base = pointer as u64;
        let mut state = call.state()?;
        if !state.shared.closes(base)? {
            return Ok(());
        }
        state = call.runtime.wait_devices(state);
        call.runtime.close_import(&mut state, base)
    };
    fn cudaIpcGetEventHandle, driver cuIpcGetEventHandle (out: *mut Handle, event: Event) = |call| {
        let mut state = call.state()?;
        let event = state.event(event as usize)?;
        let device = event.device;
        let address = event.shared.and_then(|s| s.address).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        let place = call.runtime.export(&mut state, address).ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the program's structure.
        unsafe { answer(out, Handle::new(place, size_of::<Cell>() as u64, device)) }
    };
    fn cudaIpcOpenEventHandle, driver cuIpcOpenEventHandle (out: *mut Event, handle: Handle) = |call| {
        if handle.is_own() {
            return Err(CudaError::DEVICE_UNINITIALIZED);
        }
        let cell = handle.open().and_then(|file| map_cell(&file, handle.offset));
        let cell = cell.ok_or(CudaError::MAP_BUFFER_OBJECT_FAILED)?;
        let mut state = call.state()?;
        let shared = Some(SharedEvent::new(cell, None));
        state.shares();
        let event = state.handle();
        let record = EventRecord { device: call.device, flags: FLAGS, recorded: None, shared };
        state.add_event(event, record);
        // SAFETY: the program's variable.
        unsafe { answer(out, event as Event) }
    };
}
