//! Allocation.

use super::{CudaError, answer, runtime};
use crate::context::MemoryKind;
use std::ffi::{c_int, c_uint, c_void};

driver! {
    fn cuMemAlloc_v2(pointer: *mut *mut c_void, bytes: usize) = |call| {
        if bytes == 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let memory = runtime::memory::allocate(call, bytes, MemoryKind::Device, 0)?;
        // SAFETY: the program's variable.
        unsafe { answer(pointer, memory) }
    };
    fn cuMemAllocPitch_v2(
        pointer: *mut *mut c_void,
        pitch: *mut usize,
        width: usize,
        height: usize,
        element: c_uint,
    ) = |call| {
        if !matches!(element, 4 | 8 | 16) || width == 0 || height == 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let (row, bytes) = runtime::memory::pitched(width, height)?;
        let memory = runtime::memory::allocate(call, bytes, MemoryKind::Device, 0)?;
        // SAFETY: the program's variables.
        unsafe {
            answer(pitch, row)?;
            answer(pointer, memory)
        }
    };
    fn cuMemGetAddressRange_v2(base: *mut u64, bytes: *mut usize, pointer: u64) = |call| {
        let state = call.state()?;
        let memory = state.find(pointer).ok_or(CudaError::SYMBOL_NOT_FOUND)?;
        // SAFETY: the program's variables; each may be null.
        unsafe {
            if !base.is_null() {
                base.write(memory.base);
            }
            if !bytes.is_null() {
                bytes.write(memory.bytes as usize);
            }
        }
        Ok(())
    };
    fn cuMemPrefetchAsync | cuMemPrefetchAsync_ptsz (
        pointer: u64,
        _bytes: usize,
        _device: c_int,
        _stream: crate::abi::types::Stream,
    ) = |call| {
        // Where managed pages are makes no difference here.
        call.state()?.find(pointer).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    };
    fn cuMemAdvise(pointer: u64, _bytes: usize, _advice: c_int, _device: c_int) = |call| {
        call.state()?.find(pointer).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    };
}
