//! Selects, describes, synchronises and resets devices.

use super::Call;
use super::memory::answer;
use super::{current, entry};
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::properties::{self, DeviceProperties};
use std::ffi::{c_char, c_int, c_uint};

/// The CUDA release of this API: 13.0.
const VERSION: c_int = 13000;

fn device(call: &Call, number: c_int) -> CudaResult<u32> {
    call.runtime.lock().device(number)
}

api! {
    fn cudaGetDeviceCount, driver cuDeviceGetCount (count: *mut c_int) = |call| {
        let devices = call.runtime.lock().device_count() as c_int;
        // SAFETY: the program's variable.
        unsafe { answer(count, devices) }
    };
    fn cudaSetDevice(number: c_int) = |call| {
        let number = device(call, number)?;
        current::set_device(number);
        call.runtime.lock().check(number)
    };
    fn cudaInitDevice(number: c_int, _device_flags: c_uint, _flags: c_uint) = |call| device(call, number).map(|_| ());
    fn cudaGetDevice(number: *mut c_int) = |call| {
        // SAFETY: the program's variable.
        unsafe { answer(number, call.device as c_int) }
    };
    fn cudaSetValidDevices(_devices: *mut c_int, _count: c_int) = |_call| Ok(());
    fn cudaSetDeviceFlags(flags: c_uint) = |call| {
        call.runtime.lock().set_device_flags(call.device, flags);
        Ok(())
    };
    fn cudaGetDeviceFlags(flags: *mut c_uint) = |call| {
        // `cudaDeviceMapHost` is always on.
        let value = call.runtime.lock().device_flags(call.device) | 8;
        // SAFETY: the program's variable.
        unsafe { answer(flags, value) }
    };
    fn cudaGetDeviceProperties(properties: *mut DeviceProperties, number: c_int) = |call| {
        let number = device(call, number)?;
        call.runtime.lock().results.asked_for_capability(crate::device::device().sm);
        // SAFETY: the program's variable, of CUDA 13's layout.
        unsafe { answer(properties, DeviceProperties::of(number)) }
    };
    fn cudaDeviceGetAttribute(value: *mut c_int, attribute: c_int, number: c_int) = |call| {
        let number = device(call, number)?;
        let found = properties::attribute(attribute, number).ok_or(CudaError::INVALID_VALUE)?;
        if properties::is_capability(attribute) {
            call.runtime.lock().results.asked_for_capability(crate::device::device().sm);
        }
        // SAFETY: the program's variable.
        unsafe { answer(value, found) }
    };
    fn cudaChooseDevice(number: *mut c_int, _properties: *const DeviceProperties) = |_call| {
        // SAFETY: the program's variable. All devices are alike.
        unsafe { answer(number, 0) }
    };
    fn cudaDeviceGetPCIBusId, driver cuDeviceGetPCIBusId (text: *mut c_char, length: c_int, number: c_int) = |call| {
        let number = device(call, number)?;
        let id = format!("0000:{:02X}:00.0\0", number + 1);
        if text.is_null() || (length as usize) < id.len() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program's buffer is `length` bytes long.
        unsafe { std::ptr::copy_nonoverlapping(id.as_ptr().cast(), text, id.len()) };
        Ok(())
    };
    fn cudaDeviceGetByPCIBusId, driver cuDeviceGetByPCIBusId (number: *mut c_int, text: *const c_char) = |call| {
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
    fn cudaDeviceSynchronize, driver cuCtxSynchronize () = |call| {
        let state = call.state()?;
        if state.graphs.any_capture() {
            return Err(CudaError::STREAM_CAPTURE_UNSUPPORTED);
        }
        let mut state = call.runtime.wait_device(state, call.device);
        state.notice(call.device)
    };
    fn cudaDeviceReset() = |call| {
        call.runtime.reset_device(call.device)?;
        entry::take_last_error();
        Ok(())
    };
    fn cudaDeviceSetLimit, driver cuCtxSetLimit (limit: c_int, value: usize) = |call| {
        let mut state = call.state()?;
        state.set_limit(call.device, limit, value)
    };
    fn cudaDeviceGetLimit, driver cuCtxGetLimit (value: *mut usize, limit: c_int) = |call| {
        let state = call.state()?;
        let found = state.limit(call.device, limit)?;
        // SAFETY: the program's variable.
        unsafe { answer(value, found) }
    };
    fn cudaDeviceSetCacheConfig, driver cuCtxSetCacheConfig (config: c_int) = |call| {
        call.state()?.set_cache_config(call.device, config);
        Ok(())
    };
    fn cudaDeviceGetCacheConfig, driver cuCtxGetCacheConfig (config: *mut c_int) = |call| {
        let value = call.state()?.cache_config(call.device);
        // SAFETY: the program's variable.
        unsafe { answer(config, value) }
    };
    fn cudaDeviceSetSharedMemConfig, driver cuCtxSetSharedMemConfig (_config: c_int) = |_call| Ok(());
    fn cudaDeviceGetSharedMemConfig, driver cuCtxGetSharedMemConfig (config: *mut c_int) = |_call| {
        // SAFETY: the program's variable. Banks of four bytes.
        unsafe { answer(config, 1) }
    };
    fn cudaDeviceGetStreamPriorityRange, driver cuCtxGetStreamPriorityRange (least: *mut c_int, greatest: *mut c_int) = |_call| {
        for (out, value) in [(least, 0), (greatest, -5)] {
            if !out.is_null() {
                // SAFETY: the program's variable.
                unsafe { out.write(value) };
            }
        }
        Ok(())
    };
    fn cudaDeviceFlushGPUDirectRDMAWrites, driver cuFlushGPUDirectRDMAWrites (_target: c_int, _scope: c_int) = |_call| Ok(());
    fn cudaCtxResetPersistingL2Cache, driver cuCtxResetPersistingL2Cache () = |_call| Ok(());
    fn cudaDriverGetVersion, driver cuDriverGetVersion (version: *mut c_int) = |_call| {
        // SAFETY: the program's variable.
        unsafe { answer(version, VERSION) }
    };
    fn cudaRuntimeGetVersion(version: *mut c_int) = |_call| {
        // SAFETY: the program's variable.
        unsafe { answer(version, VERSION) }
    };
    fn cudaProfilerStart, driver cuProfilerStart () = |_call| Ok(());
    fn cudaProfilerStop, driver cuProfilerStop () = |_call| Ok(());
}
