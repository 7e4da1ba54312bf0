//! `__device__`, `__constant__` and `__managed__` variables.

use super::Call;
use super::ends::line;
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Stream, copy_kind};
use crate::backend::copy::Shape;
use crate::context::{self, State};
use crate::submit::copy::{End, Mode, copy};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// Returns the address and size of a variable on the current device.
pub(super) fn find(call: &Call, state: &mut State, symbol: *const c_void) -> CudaResult<(u64, u64)> {
    let variable = match state.variable(symbol as usize) {
        Ok(variable) => variable.clone(),
        Err(error) => {
            // A managed variable is named by its own address, which the program has read from the pointer
            // that this library filled in.
            let memory = state.find(symbol as u64).filter(|m| m.name.is_some());
            return memory.map(|m| (symbol as u64, m.bytes)).ok_or(error);
        }
    };
    let module = context::module(call.runtime, state, variable.fatbin, call.device)?;
    let found = module.variable(&variable.name).ok_or(CudaError::INVALID_SYMBOL)?;
    Ok((found.address, if variable.bytes > 0 { variable.bytes } else { found.bytes }))
}

/// Returns the part of a variable that a copy accesses.
pub(super) fn part(call: &Call, symbol: *const c_void, bytes: usize, offset: usize) -> CudaResult<End> {
    let mut state = call.state()?;
    let (address, size) = find(call, &mut state, symbol)?;
    if offset.checked_add(bytes).is_none_or(|end| end as u64 > size) {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(line((address + offset as u64) as *const c_void, bytes))
}

fn to_symbol(
    call: &Call,
    symbol: *const c_void,
    src: *const c_void,
    (bytes, offset): (usize, usize),
    kind: c_int,
    stream: Stream,
    mode: Mode,
) -> CudaResult {
    if !matches!(kind, copy_kind::HOST_TO_DEVICE | copy_kind::DEVICE_TO_DEVICE | copy_kind::DEFAULT) {
        return Err(CudaError::INVALID_MEMCPY_DIRECTION);
    }
    let dst = part(call, symbol, bytes, offset)?;
    copy(call, dst, line(src, bytes), Shape::line(bytes), kind, stream, mode)
}

fn from_symbol(
    call: &Call,
    dst: *mut c_void,
    symbol: *const c_void,
    (bytes, offset): (usize, usize),
    kind: c_int,
    stream: Stream,
    mode: Mode,
) -> CudaResult {
    if !matches!(kind, copy_kind::DEVICE_TO_HOST | copy_kind::DEVICE_TO_DEVICE | copy_kind::DEFAULT) {
        return Err(CudaError::INVALID_MEMCPY_DIRECTION);
    }
    let src = part(call, symbol, bytes, offset)?;
    copy(call, line(dst, bytes), src, Shape::line(bytes), kind, stream, mode)
}

api! {
    fn cudaGetSymbolAddress(pointer: *mut *mut c_void, symbol: *const c_void) = |call| {
        let mut state = call.state()?;
        let (address, _) = find(call, &mut state, symbol)?;
        // SAFETY: the program's variable.
        unsafe { answer(pointer, address as *mut c_void) }
    };
    fn cudaGetSymbolSize(bytes: *mut usize, symbol: *const c_void) = |call| {
        let mut state = call.state()?;
        let (_, size) = find(call, &mut state, symbol)?;
        // SAFETY: the program's variable.
        unsafe { answer(bytes, size as usize) }
    };
    fn cudaMemcpyToSymbol | cudaMemcpyToSymbol_ptds (
        symbol: *const c_void,
        src: *const c_void,
        bytes: usize,
        offset: usize,
        kind: c_int,
    ) = |call| to_symbol(call, symbol, src, (bytes, offset), kind, null_mut(), Mode::Synchronous);
    fn cudaMemcpyToSymbolAsync | cudaMemcpyToSymbolAsync_ptsz (
        symbol: *const c_void,
        src: *const c_void,
        bytes: usize,
        offset: usize,
        kind: c_int,
        stream: Stream,
    ) = |call| to_symbol(call, symbol, src, (bytes, offset), kind, stream, Mode::Asynchronous);
    fn cudaMemcpyFromSymbol | cudaMemcpyFromSymbol_ptds (
        dst: *mut c_void,
        symbol: *const c_void,
        bytes: usize,
        offset: usize,
        kind: c_int,
    ) = |call| from_symbol(call, dst, symbol, (bytes, offset), kind, null_mut(), Mode::Synchronous);
    fn cudaMemcpyFromSymbolAsync | cudaMemcpyFromSymbolAsync_ptsz (
        dst: *mut c_void,
        symbol: *const c_void,
        bytes: usize,
        offset: usize,
        kind: c_int,
        stream: Stream,
    ) = |call| from_symbol(call, dst, symbol, (bytes, offset), kind, stream, Mode::Asynchronous);
}
