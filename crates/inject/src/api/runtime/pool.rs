//! Stream-ordered allocation and memory pools.

use super::Call;
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{MemAccessDesc, MemLocation, MemPoolProps, Pool, Stream};
use crate::context::{MemoryKind, Request, Work};
use crate::submit::submit;
use std::ffi::{c_int, c_void};

fn valid(call: &Call, device: c_int) -> CudaResult<u32> {
    call.runtime.lock().device(device)
}

fn allocate(
    call: &Call,
    pointer: *mut *mut c_void,
    bytes: usize,
    pool: Option<Pool>,
    stream: Stream,
) -> CudaResult {
    let mut state = call.state()?;
    let (stream, here) = call.stream(&mut state, stream)?;
    let pool = match pool {
        Some(pool) => pool as usize,
        None => state.current_pool(here),
    };
    let device = state.pools.get(pool)?.device();
    let site = call.site(&mut state);
    let bytes = bytes.max(1) as u64;
    let request = Request::new(bytes, MemoryKind::Pool, device, site);
    let base = call.runtime.allocate(&mut state, request)?;
    state.pools.allocated(base, pool);
    if let Some(memory) = state.allocation(base) {
        call.runtime.backend.set_access(base, state.accessors(memory));
    }
    if state.graphs.is_capturing(stream) {
        // It belongs to the graph and lives as long.
        state.graphs.allocated(base);
    }
    submit(call, &mut state, stream, here, Work::Allocate { address: base, bytes })?;
    // SAFETY: the program's variable.
    unsafe { answer(pointer, base as *mut c_void) }
}

fn attribute(which: c_int) -> CudaResult<usize> {
    // Attributes are numbered from 1; the last ones are statistics.
    usize::try_from(which)
        .ok()
        .and_then(|w| w.checked_sub(1))
        .filter(|&w| w < 8)
        .ok_or(CudaError::INVALID_VALUE)
}

api! {
    fn cudaMallocAsync | cudaMallocAsync_ptsz, driver cuMemAllocAsync | cuMemAllocAsync_ptsz (pointer: *mut *mut c_void, bytes: usize, stream: Stream) = |call| {
        allocate(call, pointer, bytes, None, stream)
    };
    fn cudaMallocFromPoolAsync | cudaMallocFromPoolAsync_ptsz, driver cuMemAllocFromPoolAsync | cuMemAllocFromPoolAsync_ptsz (
        pointer: *mut *mut c_void,
        bytes: usize,
        pool: Pool,
        stream: Stream,
    ) = |call| allocate(call, pointer, bytes, Some(pool), stream);
    fn cudaFreeAsync | cudaFreeAsync_ptsz, driver cuMemFreeAsync | cuMemFreeAsync_ptsz (pointer: *mut c_void, stream: Stream) = |call| {
        if pointer.is_null() {
            return Ok(());
        }
        let mut state = call.state()?;
        let (stream, device) = call.stream(&mut state, stream)?;
        let address = pointer as u64;
        let memory = state.allocation(address).ok_or(CudaError::INVALID_VALUE)?;
        let graphs = state.graphs.owns_memory(address);
        if !graphs && (!matches!(memory.kind, MemoryKind::Pool | MemoryKind::Device) || !state.pools.free(address)) {
            return Err(CudaError::INVALID_VALUE);
        }
        submit(call, &mut state, stream, device, Work::Free { address })?;
        Ok(())
    };
    fn cudaDeviceGetDefaultMemPool, driver cuDeviceGetDefaultMemPool (pool: *mut Pool, device: c_int) = |call| {
        let device = valid(call, device)?;
        let found = call.state()?.default_pool(device);
        // SAFETY: the program's variable.
        unsafe { answer(pool, found as Pool) }
    };
    fn cudaDeviceGetMemPool, driver cuDeviceGetMemPool (pool: *mut Pool, device: c_int) = |call| {
        let device = valid(call, device)?;
        let mut state = call.state()?;
        let found = state.current_pool(device);
        // SAFETY: the program's variable.
        unsafe { answer(pool, found as Pool) }
    };
    fn cudaDeviceSetMemPool, driver cuDeviceSetMemPool (device: c_int, pool: Pool) = |call| {
        let device = valid(call, device)?;
        call.state()?.pools.set_current(device, pool as usize)
    };
    fn cudaMemPoolCreate, driver cuMemPoolCreate (pool: *mut Pool, properties: *const MemPoolProps) = |call| {
        if properties.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program's structure.
        let properties = unsafe { &*properties };
        // `1` is cudaMemLocationTypeDevice.
        if properties.location.kind != 1 {
            return Err(CudaError::NOT_SUPPORTED);
        }
        let device = valid(call, properties.location.id)?;
        let handle = call.state()?.create_pool(device);
        // SAFETY: the program's variable.
        unsafe { answer(pool, handle as Pool) }
    };
    fn cudaMemPoolDestroy, driver cuMemPoolDestroy (pool: Pool) = |call| {
        call.state()?.pools.destroy(pool as usize)
    };
    fn cudaMemPoolSetAttribute, driver cuMemPoolSetAttribute (pool: Pool, which: c_int, value: *mut c_void) = |call| {
        let slot = attribute(which)?;
        let mut state = call.state()?;
        let record = state.pools.get_mut(pool as usize)?;
        // SAFETY: the program's variable of the attribute's size. The first three attributes are ints, the
        // others have 64 bits.
        record.attributes[slot] = unsafe {
            if slot < 3 { *value.cast::<c_int>() as u64 } else { *value.cast::<u64>() }
        };
        Ok(())
    };
    fn cudaMemPoolGetAttribute, driver cuMemPoolGetAttribute (pool: Pool, which: c_int, value: *mut c_void) = |call| {
        let slot = attribute(which)?;
        let state = call.state()?;
        let record = state.pools.get(pool as usize)?;
        let used: u64 = state.allocations().filter(|m| m.kind == MemoryKind::Pool && m.device == record.device()).map(|m| m.bytes).sum();
        let found = match slot {
            0..=3 => record.attributes[slot],
            _ => used,
        };
        // SAFETY: the program's variable of the attribute's size.
        unsafe {
            if slot < 3 {
                value.cast::<c_int>().write(found as c_int);
            } else {
                value.cast::<u64>().write(found);
            }
        }
        Ok(())
    };
    fn cudaMemPoolTrimTo, driver cuMemPoolTrimTo (pool: Pool, _keep: usize) = |call| {
        call.state()?.pools.get(pool as usize).map(|_| ())
    };
    fn cudaMemPoolSetAccess, driver cuMemPoolSetAccess (pool: Pool, descriptions: *const MemAccessDesc, count: usize) = |call| {
        let mut state = call.state()?;
        let devices = state.device_count();
        for i in 0..count {
            // SAFETY: the program passed `count` descriptions.
            let MemAccessDesc { location, flags } = unsafe { *descriptions.add(i) };
            let id = u32::try_from(location.id).ok().filter(|id| location.kind == 1 && *id < devices);
            let id = id.ok_or(CudaError::INVALID_VALUE)?;
            // `cudaMemAccessFlagsProtNone`, or more.
            state.pools.get_mut(pool as usize)?.open(id, flags != 0);
        }
        for memory in state.allocations().filter(|memory| memory.kind == MemoryKind::Pool) {
            call.runtime.backend.set_access(memory.base, state.accessors(memory));
        }
        Ok(())
    };
    fn cudaMemPoolGetAccess, driver cuMemPoolGetAccess (flags: *mut c_int, pool: Pool, location: *mut MemLocation) = |call| {
        let state = call.state()?;
        let pool = state.pools.get(pool as usize)?;
        // SAFETY: the program's variable, or null.
        let location = unsafe { location.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let id = u32::try_from(location.id).map_err(|_| CudaError::INVALID_VALUE)?;
        // `cudaMemAccessFlagsProtReadWrite`
        // SAFETY: the program's variable.
        unsafe { answer(flags, if pool.is_open_to(id) { 3 } else { 0 }) }
    };
}
