//! Memsets. They are asynchronous to the host, except for the host's own memory.

use super::submit;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::Stream;
use crate::backend::copy::{Fill, Pitch, Shape};
use crate::call::Call;
use crate::context::{State, Work};
use std::ffi::{c_int, c_void};

/// Returns a memset of memory that kernels may access.
pub(crate) fn prepare(
    state: &State,
    pointer: *mut c_void,
    pitch: Pitch,
    shape: Shape,
    value: u32,
    element_size: usize,
) -> CudaResult<Fill> {
    let span = shape.span(pitch).ok_or(CudaError::INVALID_VALUE)? as u64;
    let address = pointer as u64;
    let memory = state.find(address).ok_or(CudaError::INVALID_VALUE)?;
    let offset = address - memory.base;
    if span > state.reach(address) {
        return Err(CudaError::INVALID_VALUE);
    }
    let engine = memory.engine + offset as usize;
    Ok(Fill { shape, pitch, engine, address, element: value.to_le_bytes(), element_size })
}

/// What memory is filled with: the low `size` bytes of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) value: u32,
    pub(crate) size: usize,
}

/// Fills with bytes, and waits as long as the program may rely on.
pub(crate) fn fill(
    call: &Call,
    pointer: *mut c_void,
    pitch: Pitch,
    shape: Shape,
    value: c_int,
    stream: Stream,
    asynchronous: bool,
) -> CudaResult {
    let element = Element { value: value as u32, size: 1 };
    fill_elements(call, pointer, pitch, shape, element, stream, asynchronous)
}

/// Fills with elements, and waits as long as the program may rely on.
pub(crate) fn fill_elements(
    call: &Call,
    pointer: *mut c_void,
    pitch: Pitch,
    shape: Shape,
    element: Element,
    stream: Stream,
    asynchronous: bool,
) -> CudaResult {
    if !(pointer as usize).is_multiple_of(element.size) || !pitch.row.is_multiple_of(element.size) {
        return Err(CudaError::INVALID_VALUE);
    }
    let mut state = call.state()?;
    let (stream, device) = call.stream(&mut state, stream)?;
    if shape.is_empty() {
        return Ok(());
    }
    let fill = prepare(&state, pointer, pitch, shape, element.value, element.size)?;
    // "The cudaMemset functions are asynchronous with respect to the host except when the target
    // memory is pinned host memory."
    let pinned = state.find(fill.address).is_some_and(|m| m.kind.pinned());
    if let Some(known) = submit(call, &mut state, stream, device, Work::Fill(fill))?
        && pinned
        && !asynchronous
    {
        let mut state = call.runtime.wait(state, &known);
        state.notice(device)?;
    }
    Ok(())
}
