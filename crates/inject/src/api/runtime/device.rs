//! Devices: choosing, describing, synchronising and resetting them.

use super::Call;
use super::entry;
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::properties::{self, DeviceProperties};
use std::ffi::{c_char, c_int, c_uint};

/// The CUDA release whose API this is: 13.0.
const VERSION: c_int = 13000;

fn device(call: &Call, number: c_int) -> CudaResult<u32> {
    let count = call.runtime.lock().devices.len();
    u32::try_from(number).ok().filter(|&n| (n as usize) < count).ok_or(CudaError::INVALID_DEVICE)
}

/// `cudaLimit` to the slot that holds it.
fn limit_slot(limit: c_int) -> CudaResult<usize> {
    // Stack size, printf buffer, heap, sync depth, pending launches, L2 fetch, persisting L2.
    usize::try_from(limit).ok().filter(|&slot| slot < 7).ok_or(CudaError::UNSUPPORTED_LIMIT)
}

api! {
    fn cudaGetDeviceCount(count: *mut c_int) = |call| {
        let devices = call.runtime.lock().devices.len() as c_int;
        // SAFETY: the program's variable.
        unsafe { answer(count, devices) }
    };
    fn cudaSetDevice(number: c_int) = |call| {
        let number = device(call, number)?;
        entry::set_device(number);
        call.runtime.lock().check(number)
    };
    fn cudaInitDevice(number: c_int, _device_flags: c_uint, _flags: c_uint) = |call| device(call, number).map(|_| ());
    fn cudaGetDevice(number: *mut c_int) = |call| {
        // SAFETY: the program's variable.
        unsafe { answer(number, call.device as c_int) }
    };
    fn cudaSetValidDevices(_devices: *mut c_int, _count: c_int) = |_call| Ok(());
    fn cudaSetDeviceFlags(flags: c_uint) = |call| {
        call.runtime.lock().devices[call.device as usize].flags = flags;
        Ok(())
    };
    fn cudaGetDeviceFlags(flags: *mut c_uint) = |call| {
        // cudaDeviceMapHost is always on.
        let value = call.runtime.lock().devices[call.device as usize].flags | 8;
        // SAFETY: the program's variable.
        unsafe { answer(flags, value) }
    };
    fn cudaGetDeviceProperties(properties: *mut DeviceProperties, number: c_int) = |call| {
        let number = device(call, number)?;
        // SAFETY: the program's variable, of CUDA 13's layout.
        unsafe { answer(properties, DeviceProperties::of(number)) }
    };
    fn cudaDeviceGetAttribute(value: *mut c_int, attribute: c_int, number: c_int) = |call| {
        let number = device(call, number)?;
        let found = properties::attribute(attribute, number).ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the program's variable.
        unsafe { answer(value, found) }
    };
    fn cudaChooseDevice(number: *mut c_int, _properties: *const DeviceProperties) = |_call| {
        // SAFETY: the program's variable. All devices are alike.
        unsafe { answer(number, 0) }
    };
    fn cudaDeviceGetPCIBusId(text: *mut c_char, length: c_int, number: c_int) = |call| {
        let number = device(call, number)?;
        let id = format!("0000:{:02X}:00.0\0", number + 1);
        if text.is_null() || (length as usize) < id.len() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program's buffer is `length` bytes long.
        unsafe { std::ptr::copy_nonoverlapping(id.as_ptr().cast(), text, id.len()) };
        Ok(())
    };
    fn cudaDeviceGetByPCIBusId(number: *mut c_int, text: *const c_char) = |call| {
        if text.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program's C string.
        let text = unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy();
        let bus = text.split(':').rev().nth(1).and_then(|bus| c_int::from_str_radix(bus, 16).ok());
        let found = device(call, bus.ok_or(CudaError::INVALID_VALUE)? - 1)?;
        // SAFETY: the program's variable.
        unsafe { answer(number, found as c_int) }
    };
    fn cudaDeviceSynchronize() = |call| {
        let state = call.state()?;
        if state.graphs.any_capture() {
            return Err(CudaError::STREAM_CAPTURE_UNSUPPORTED);
        }
        let mut state = call.runtime.wait_device(state, call.device);
        state.notice(call.device)
    };
    fn cudaDeviceReset() = |call| {
        let mut state = call.runtime.wait_device(call.runtime.lock(), call.device);
        let mine: Vec<u64> = state
            .memory
            .values()
            .filter(|m| m.device == call.device && m.name.is_none() && m.kind != crate::context::MemoryKind::Heap)
            .map(|m| m.base)
            .collect();
        for base in mine {
            call.runtime.withdraw(&mut state, base)?;
        }
        for handle in state.streams_of(call.device) {
            if let Ok(record) = state.remove_stream(handle) {
                state.order.destroy_stream(record.key);
            }
        }
        state.forget_events(call.device);
        state.devices[call.device as usize].peers = 0;
        state.forget_fault(call.device);
        entry::take_last_error();
        Ok(())
    };
    fn cudaDeviceSetLimit(limit: c_int, value: usize) = |call| {
        let mut state = call.state()?;
        let slot = limit_slot(limit)?;
        if slot == 2 && state.heap_made(call.device) {
            // The heap's size cannot change once a kernel may have used it.
            return Err(CudaError::INVALID_VALUE);
        }
        state.devices[call.device as usize].limits[slot] = value;
        Ok(())
    };
    fn cudaDeviceGetLimit(value: *mut usize, limit: c_int) = |call| {
        let state = call.state()?;
        let found = state.devices[call.device as usize].limits[limit_slot(limit)?];
        // SAFETY: the program's variable.
        unsafe { answer(value, found) }
    };
    fn cudaDeviceSetCacheConfig(config: c_int) = |call| {
        call.state()?.devices[call.device as usize].cache_config = config;
        Ok(())
    };
    fn cudaDeviceGetCacheConfig(config: *mut c_int) = |call| {
        let value = call.state()?.devices[call.device as usize].cache_config;
        // SAFETY: the program's variable.
        unsafe { answer(config, value) }
    };
    fn cudaDeviceSetSharedMemConfig(_config: c_int) = |_call| Ok(());
    fn cudaDeviceGetSharedMemConfig(config: *mut c_int) = |_call| {
        // SAFETY: the program's variable. Banks of four bytes.
        unsafe { answer(config, 1) }
    };
    fn cudaDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) = |_call| {
        for (out, value) in [(least, 0), (greatest, -5)] {
            if !out.is_null() {
                // SAFETY: the program's variable.
                unsafe { out.write(value) };
            }
        }
        Ok(())
    };
    fn cudaDeviceFlushGPUDirectRDMAWrites(_target: c_int, _scope: c_int) = |_call| Ok(());
    fn cudaCtxResetPersistingL2Cache() = |_call| Ok(());
    fn cudaDriverGetVersion(version: *mut c_int) = |_call| {
        // SAFETY: the program's variable.
        unsafe { answer(version, VERSION) }
    };
    fn cudaRuntimeGetVersion(version: *mut c_int) = |_call| {
        // SAFETY: the program's variable.
        unsafe { answer(version, VERSION) }
    };
    fn cudaProfilerStart() = |_call| Ok(());
    fn cudaProfilerStop() = |_call| Ok(());
}
