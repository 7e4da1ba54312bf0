//! What is known of pointers.

use super::{Call, CudaError, CudaResult};
use crate::context::{MemoryKind, primary};
use std::ffi::{c_int, c_uint, c_void};

/// Writes a value through a program's untyped pointer.
///
/// # Safety
/// `out` is valid for a value of this type.
unsafe fn put<T>(out: *mut c_void, value: T) {
    // SAFETY: the caller's promise.
    unsafe { out.cast::<T>().write(value) }
}

/// Answers a `CUpointer_attribute` of an address.
///
/// # Safety
/// `out` is valid for the attribute's type.
unsafe fn attribute(call: &Call, out: *mut c_void, which: c_int, pointer: u64) -> CudaResult {
    if out.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    let state = call.runtime.lock();
    // A pointer of which nothing is known is an error of most attributes.
    let memory = state.find(pointer).ok_or(CudaError::INVALID_VALUE)?;
    let accessible = memory.kind.host_accessible();
    // SAFETY: the caller's promise; types as the driver's reference has them.
    unsafe {
        match which {
            // Context; memory type (host or device); device pointer; host pointer.
            1 => put(out, primary(memory.device)),
            2 => put::<c_uint>(out, if memory.kind.pinned() { 1 } else { 2 }),
            3 => put(out, pointer),
            4 if accessible => put(out, pointer),
            // Synchronous copies; a number of the allocation; managed; device.
            6 => put::<c_int>(out, 0),
            7 => put(out, memory.base),
            8 => put(out, u8::from(memory.kind == MemoryKind::Managed)),
            9 => put::<c_int>(out, memory.device as c_int),
            10 => put(out, u8::from(memory.kind == MemoryKind::Device)),
            11 | 19 => put(out, memory.base),
            12 | 18 => put(out, memory.bytes as usize),
            13 => put(out, 1u8),
            14 => put(out, 0u64),
            15 | 21 => put(out, 0u8),
            // Read and write.
            16 => put::<c_int>(out, 3),
            17 if memory.kind == MemoryKind::Pool => {
                let device = memory.device;
                drop(state);
                put(out, call.runtime.lock().current_pool(device));
            }
            17 => put(out, 0usize),
            20 => put(out, memory.base),
            _ => return Err(CudaError::INVALID_VALUE),
        }
    }
    Ok(())
}

driver! {
    fn cuPointerGetAttribute(out: *mut c_void, which: c_int, pointer: u64) = |call| {
        // SAFETY: the program's variable.
        unsafe { attribute(call, out, which, pointer) }
    };
    fn cuPointerGetAttributes(count: c_uint, which: *const c_int, out: *mut *mut c_void, pointer: u64) = |call| {
        if which.is_null() || out.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        for i in 0..count as usize {
            // SAFETY: the program's arrays and variables. What has no value is null here.
            unsafe {
                let place = *out.add(i);
                match attribute(call, place, *which.add(i), pointer) {
                    Err(_) if !place.is_null() => match *which.add(i) {
                        2 | 9 => put::<c_int>(place, if *which.add(i) == 9 { -2 } else { 0 }),
                        6 | 8 | 10 | 13 | 15 | 21 => put(place, 0u8),
                        _ => put(place, 0u64),
                    },
                    other => other?,
                }
            }
        }
        Ok(())
    };
    fn cuPointerSetAttribute(_value: *const c_void, which: c_int, pointer: u64) = |call| {
        /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`
        const SYNC_MEMOPS: c_int = 6;
        if which != SYNC_MEMOPS {
            return Err(CudaError::INVALID_VALUE);
        }
        call.state()?.find(pointer).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    };
}
