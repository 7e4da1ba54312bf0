//! Allocation, and attributes of pointers.

use super::Call;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Extent, PitchedPtr, PointerAttributes};
use crate::context::{MemoryKind, Request, Runtime};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

/// The alignment of rows in pitched allocations.
const PITCH: usize = 512;

pub(in crate::api) fn allocate(
    call: &Call,
    bytes: usize,
    kind: MemoryKind,
    flags: u32,
) -> CudaResult<*mut c_void> {
    let mut state = call.state()?;
    let site = call.site(&mut state);
    let request = Request { flags, ..Request::new(bytes as u64, kind, call.device, site) };
    Ok(call.runtime.allocate(&mut state, request)? as *mut c_void)
}

/// Stores a result through the program's pointer.
///
/// # Safety
/// `out` is null or valid for a write.
pub(in crate::api) unsafe fn answer<T>(out: *mut T, value: T) -> CudaResult {
    if out.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    unsafe { out.write(value) };
    Ok(())
}

/// Frees memory of one of the given kinds after all work that may use it.
pub(super) fn free(call: &Call, pointer: *mut c_void, kinds: &[MemoryKind]) -> CudaResult {
    call.runtime.free(call.state()?, pointer as u64, kinds)
}

pub(in crate::api) fn pitched(width: usize, rows: usize) -> CudaResult<(usize, usize)> {
    let pitch = width.checked_next_multiple_of(PITCH).ok_or(CudaError::INVALID_VALUE)?;
    Ok((pitch, pitch.checked_mul(rows).ok_or(CudaError::MEMORY_ALLOCATION)?))
}

/// Returns the `cudaMemoryType` of a kind of memory.
fn memory_type(kind: MemoryKind) -> c_int {
    match kind {
        MemoryKind::Pinned | MemoryKind::Registered => 1,
        MemoryKind::Managed => 3,
        _ => 2,
    }
}

pub(super) fn pointer_attributes(
    runtime: &Runtime,
    device: u32,
    pointer: *const c_void,
) -> PointerAttributes {
    let state = runtime.lock();
    let mut out = PointerAttributes {
        kind: 0,
        device: -2,
        device_pointer: null_mut(),
        host_pointer: pointer.cast_mut(),
        reserved: [0; 8],
    };
    let _ = device;
    if let Some(memory) = state.find(pointer as u64) {
        out.kind = memory_type(memory.kind);
        out.device = memory.device as c_int;
        out.device_pointer = pointer.cast_mut();
        if !memory.kind.host_accessible() {
            out.host_pointer = null_mut();
        }
    }
    out
}

api! {
    fn cudaMalloc(pointer: *mut *mut c_void, bytes: usize) = |call| {
        if bytes == 0 {
            // SAFETY: the program's variable.
            return unsafe { answer(pointer, null_mut()) };
        }
        let memory = allocate(call, bytes, MemoryKind::Device, 0)?;
        // SAFETY: the program's variable.
        unsafe { answer(pointer, memory) }
    };
    fn cudaMallocPitch(pointer: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize) = |call| {
        let (row, bytes) = pitched(width, height)?;
        let memory = if bytes == 0 { null_mut() } else { allocate(call, bytes, MemoryKind::Device, 0)? };
        // SAFETY: the program's variables.
        unsafe {
            answer(pitch, row)?;
            answer(pointer, memory)
        }
    };
    fn cudaMalloc3D(pointer: *mut PitchedPtr, extent: Extent) = |call| {
        let rows = extent.height.checked_mul(extent.depth).ok_or(CudaError::MEMORY_ALLOCATION)?;
        let (row, bytes) = pitched(extent.width, rows)?;
        let memory = if bytes == 0 { null_mut() } else { allocate(call, bytes, MemoryKind::Device, 0)? };
        let value = PitchedPtr { ptr: memory, pitch: row, xsize: extent.width, ysize: extent.height };
        // SAFETY: the program's variable.
        unsafe { answer(pointer, value) }
    };
    fn cudaMallocManaged, driver cuMemAllocManaged (pointer: *mut *mut c_void, bytes: usize, flags: c_uint) = |call| {
        // cudaMemAttachGlobal or cudaMemAttachHost.
        if bytes == 0 || !matches!(flags, 1 | 2) {
            return Err(CudaError::INVALID_VALUE);
        }
        let memory = allocate(call, bytes, MemoryKind::Managed, flags)?;
        // SAFETY: the program's variable.
        unsafe { answer(pointer, memory) }
    };
    fn cudaMallocHost, driver cuMemAllocHost_v2 (pointer: *mut *mut c_void, bytes: usize) = |call| {
        let memory = if bytes == 0 { null_mut() } else { allocate(call, bytes, MemoryKind::Pinned, 0)? };
        // SAFETY: the program's variable.
        unsafe { answer(pointer, memory) }
    };
    fn cudaHostAlloc, driver cuMemHostAlloc (pointer: *mut *mut c_void, bytes: usize, flags: c_uint) = |call| {
        // Portable, mapped and write-combined.
        if flags & !7 != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let memory = if bytes == 0 { null_mut() } else { allocate(call, bytes, MemoryKind::Pinned, flags)? };
        // SAFETY: the program's variable.
        unsafe { answer(pointer, memory) }
    };
    fn cudaFree, driver cuMemFree_v2 (pointer: *mut c_void) = |call| {
        if pointer.is_null() {
            return call.check();
        }
        free(call, pointer, &[MemoryKind::Device, MemoryKind::Managed, MemoryKind::Pool])
    };
    fn cudaFreeHost, driver cuMemFreeHost (pointer: *mut c_void) = |call| {
        if pointer.is_null() {
            return Ok(());
        }
        free(call, pointer, &[MemoryKind::Pinned])
    };
    fn cudaHostRegister, driver cuMemHostRegister_v2 (pointer: *mut c_void, bytes: usize, flags: c_uint) = |call| {
        let mut state = call.state()?;
        let site = call.site(&mut state);
        call.runtime.register(&mut state, (pointer as u64, bytes as u64), call.device, flags, site)
    };
    fn cudaHostUnregister, driver cuMemHostUnregister (pointer: *mut c_void) = |call| {
        free(call, pointer, &[MemoryKind::Registered]).map_err(|error| match error {
            CudaError::INVALID_VALUE => CudaError::HOST_MEMORY_NOT_REGISTERED,
            other => other,
        })
    };
    fn cudaHostGetDevicePointer, driver cuMemHostGetDevicePointer_v2 (device: *mut *mut c_void, host: *mut c_void, flags: c_uint) = |call| {
        let state = call.state()?;
        let memory = state.find(host as u64).ok_or(CudaError::INVALID_VALUE)?;
        if !memory.kind.host_accessible() || flags != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program's variable. Host and devices share one address space.
        unsafe { answer(device, host) }
    };
    fn cudaHostGetFlags, driver cuMemHostGetFlags (flags: *mut c_uint, host: *mut c_void) = |call| {
        let state = call.state()?;
        let memory = state.find(host as u64).filter(|m| m.kind.pinned()).ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the program's variable. Pinned memory is always mapped with unified addressing.
        unsafe { answer(flags, memory.flags | 2) }
    };
    fn cudaMemGetInfo, driver cuMemGetInfo_v2 (available: *mut usize, total: *mut usize) = |call| {
        let state = call.state()?;
        let all = crate::abi::properties::MEMORY;
        let used = state.used(call.device);
        // SAFETY: the program's variables.
        unsafe {
            answer(available, (all - used.min(all)) as usize)?;
            answer(total, all as usize)
        }
    };
    fn cudaPointerGetAttributes(attributes: *mut PointerAttributes, pointer: *const c_void) = |call| {
        call.check()?;
        // SAFETY: the program's variable.
        unsafe { answer(attributes, pointer_attributes(call.runtime, call.device, pointer)) }
    };
    fn cudaMemPrefetchAsync | cudaMemPrefetchAsync_ptsz, driver cuMemPrefetchAsync_v2 | cuMemPrefetchAsync_v2_ptsz (
        pointer: *const c_void,
        _bytes: usize,
        _location: crate::abi::types::MemLocation,
        _flags: c_uint,
        _stream: crate::abi::types::Stream,
    ) = |call| {
        // The location of managed pages has no effect here.
        let state = call.state()?;
        state.find(pointer as u64).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    };
    fn cudaMemAdvise, driver cuMemAdvise_v2 (
        pointer: *const c_void,
        _bytes: usize,
        _advice: c_int,
        _location: crate::abi::types::MemLocation,
    ) = |call| {
        let state = call.state()?;
        state.find(pointer as u64).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    };
    fn cudaStreamAttachMemAsync | cudaStreamAttachMemAsync_ptsz, driver cuStreamAttachMemAsync | cuStreamAttachMemAsync_ptsz (
        stream: crate::abi::types::Stream,
        _pointer: *mut c_void,
        _bytes: usize,
        _flags: c_uint,
    ) = |call| {
        // Attachment limits which kernels may access the memory; with concurrent managed access it has no
        // effect.
        let mut state = call.state()?;
        call.stream(&mut state, stream)?;
        Ok(())
    };
}
