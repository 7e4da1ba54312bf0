//! Virtual memory management: address ranges, physical memory, and which is mapped where.

use super::device::device;
use super::{CudaError, answer};
use crate::abi::driver_types::AllocationProperties;
use crate::abi::types::{MemAccessDesc, MemLocation};
use std::ffi::{c_int, c_ulonglong};

/// Sizes and addresses are multiples of this, as on a GPU.
const GRANULARITY: u64 = 2 << 20;

/// `CU_MEM_LOCATION_TYPE_DEVICE`
const DEVICE: c_int = 1;

fn whole(bytes: usize) -> Result<u64, CudaError> {
    let bytes = bytes as u64;
    if bytes > 0 && bytes.is_multiple_of(GRANULARITY) { Ok(bytes) } else { Err(CudaError::INVALID_VALUE) }
}

driver! {
    fn cuMemGetAllocationGranularity(bytes: *mut usize, properties: *const AllocationProperties, _option: c_int) = |_call| {
        if properties.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program's variable.
        unsafe { answer(bytes, GRANULARITY as usize) }
    };
    fn cuMemAddressReserve(pointer: *mut u64, bytes: usize, align: usize, _wish: u64, flags: c_ulonglong) = |call| {
        if flags != 0 || !(align == 0 || align.is_power_of_two()) {
            return Err(CudaError::INVALID_VALUE);
        }
        let bytes = whole(bytes)?;
        let mut state = call.runtime.lock();
        let base = state.reserve_range(bytes, GRANULARITY.max(align as u64))?;
        // SAFETY: the program's variable.
        unsafe { answer(pointer, base) }
    };
    fn cuMemAddressFree(pointer: u64, bytes: usize) = |call| {
        call.runtime.lock().free_range(pointer, bytes as u64)
    };
    fn cuMemCreate(
        handle: *mut u64,
        bytes: usize,
        properties: *const AllocationProperties,
        flags: c_ulonglong,
    ) = |call| {
        // SAFETY: the program's structure, or null.
        let properties = unsafe { properties.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let bytes = whole(bytes)?;
        if flags != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        if properties.location.kind != DEVICE || properties.handle_types != 0 {
            let what = "cuMemCreate of memory of the host, or to share with other processes";
            call.runtime.lock().results.unsupported(what, call.caller, true);
            return Err(CudaError::NOT_SUPPORTED);
        }
        let number = device(call, properties.location.id)?;
        let made = call.runtime.lock().create_physical(number, bytes)?;
        // SAFETY: the program's variable.
        unsafe { answer(handle, made) }
    };
    fn cuMemRelease(handle: u64) = |call| call.runtime.lock().release_physical(handle);
    fn cuMemMap(pointer: u64, bytes: usize, offset: usize, handle: u64, flags: c_ulonglong) = |call| {
        if flags != 0 || offset != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let mut state = call.runtime.lock();
        if state.is_mapped(handle)? {
            state.results.unsupported("cuMemMap of memory that is mapped elsewhere, too", call.caller, true);
            return Err(CudaError::NOT_SUPPORTED);
        }
        let site = call.site(&mut state);
        call.runtime.map_physical(&mut state, (pointer, whole(bytes)?), handle, site)
    };
    fn cuMemUnmap(pointer: u64, bytes: usize) = |call| {
        call.runtime.unmap_range(call.runtime.lock(), pointer, whole(bytes)?)
    };
    fn cuMemSetAccess(pointer: u64, bytes: usize, descriptions: *const MemAccessDesc, count: usize) = |call| {
        if descriptions.is_null() && count > 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let mut mask = 0u64;
        for i in 0..count {
            // SAFETY: the program's array.
            let description = unsafe { *descriptions.add(i) };
            if description.location.kind == DEVICE {
                let number = device(call, description.location.id)?;
                mask |= u64::from(description.flags != 0) << number;
            }
        }
        call.runtime.set_range_access(&call.runtime.lock(), pointer, bytes as u64, mask)
    };
    fn cuMemGetAccess(flags: *mut c_ulonglong, location: *const MemLocation, pointer: u64) = |call| {
        let state = call.runtime.lock();
        let memory = state.find(pointer).ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the program's structure, or null.
        let location = unsafe { location.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let own = location.kind == DEVICE && location.id == memory.device as c_int;
        // SAFETY: the program's variable: read and write, or nothing.
        unsafe { answer(flags, if own { 3 } else { 0 }) }
    };
    fn cuMemRetainAllocationHandle(handle: *mut u64, pointer: u64) = |call| {
        let found = call.runtime.lock().retain_physical_at(pointer)?;
        // SAFETY: the program's variable.
        unsafe { answer(handle, found) }
    };
    fn cuMemGetAllocationPropertiesFromHandle(out: *mut AllocationProperties, handle: u64) = |call| {
        let device = call.runtime.lock().device_of_physical(handle)?;
        let location = MemLocation { kind: DEVICE, id: device as c_int };
        let found =
            AllocationProperties { kind: 1, handle_types: 0, location, win32: std::ptr::null_mut(), flags: 0 };
        // SAFETY: the program's variable.
        unsafe { answer(out, found) }
    };
}
