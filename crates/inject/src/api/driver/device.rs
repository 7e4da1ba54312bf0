//! Initialisation and devices.

use super::{Call, CudaError, CudaResult, Found, answer, find};
use crate::abi::driver_error;
use crate::abi::properties::{self, DeviceProperties};
use protocol::Obstacle;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

type Device = c_int;

pub(super) fn device(call: &Call, number: c_int) -> CudaResult<u32> {
    call.runtime.lock().device(number)
}

/// Attributes that the runtime does not have.
fn attribute(which: c_int, device: u32) -> Option<c_int> {
    /// `CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED`
    const VIRTUAL_MEMORY: c_int = 102;
    match which {
        VIRTUAL_MEMORY => Some(1),
        _ => properties::attribute(which, device),
    }
}

/// `CUdevprop`
#[repr(C)]
struct Properties {
    max_threads_per_block: c_int,
    max_threads_dim: [c_int; 3],
    max_grid_size: [c_int; 3],
    shared_memory: c_int,
    constant_memory: c_int,
    warp: c_int,
    pitch: c_int,
    registers: c_int,
    clock: c_int,
    texture_align: c_int,
}

/// The table that NVRTC asks for, and does without.
const OF_NVRTC: [u8; 4] = [0xda, 0x91, 0x51, 0xd3];

const PRIVATE: &str = "a library with a CUDA runtime inside (such as cuBLAS or cuDNN) asked the driver for private tables, which \
                       warprace does not have: that library's own kernels do not run; keep its operations on the CPU for this run";

/// Answers a function's address by its name, in the version for a version of CUDA.
fn proc_address(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> CudaResult {
    const FLAGS: u64 = 3;
    if symbol.is_null() || function.is_null() || flags >= FLAGS {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the program's string, which ends in a zero byte.
    let name = unsafe { CStr::from_ptr(symbol) }.to_string_lossy();
    let found = find(&name, version, flags);
    // SAFETY: the program's variables; the second may be null.
    unsafe {
        function.write(found.address());
        if !status.is_null() {
            status.write(found.status());
        }
    }
    if matches!(found, Found::Function(_)) { Ok(()) } else { Err(CudaError::SYMBOL_NOT_FOUND) }
}

driver! {
    fn cuInit(flags: c_uint) = |call| {
        let _ = call;
        if flags == 0 { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
    };
    fn cuGetErrorName(error: c_int, name: *mut *const c_char) = |_call| {
        let found = driver_error::name(error);
        // SAFETY: the program's variable.
        unsafe { answer(name, found.map_or(std::ptr::null(), CStr::as_ptr))? };
        found.map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    };
    fn cuGetErrorString(error: c_int, text: *mut *const c_char) = |_call| {
        let found = driver_error::description(error);
        // SAFETY: the program's variable.
        unsafe { answer(text, found.map_or(std::ptr::null(), CStr::as_ptr))? };
        found.map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    };
    fn cuGetExportTable(_table: *mut *const c_void, id: *const [u8; 16]) = |call| {
        // SAFETY: the program's identifier, or null.
        let id = unsafe { id.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        if !id.starts_with(&OF_NVRTC) {
            let stripped = crate::detour::stripped_at(call.caller.address);
            let mut state = call.runtime.lock();
            state.results.limit(PRIVATE.into());
            if let Some(object) = stripped {
                state.results.obstacle(Obstacle::StrippedStatic { object });
            }
        }
        Err(CudaError::NOT_SUPPORTED)
    };
    fn cuGetProcAddress(symbol: *const c_char, function: *mut *mut c_void, version: c_int, flags: u64) = |_call| {
        proc_address(symbol, function, version, flags, std::ptr::null_mut())
    };
    fn cuGetProcAddress_v2(
        symbol: *const c_char,
        function: *mut *mut c_void,
        version: c_int,
        flags: u64,
        status: *mut c_int,
    ) = |_call| proc_address(symbol, function, version, flags, status);
    fn cuDeviceGet(out: *mut Device, number: c_int) = |call| {
        let number = device(call, number)?;
        // SAFETY: the program's variable.
        unsafe { answer(out, number as Device) }
    };
    fn cuDeviceGetName(name: *mut c_char, length: c_int, number: Device) = |call| {
        let number = device(call, number)?;
        if name.is_null() || length <= 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let text = DeviceProperties::of(number).name;
        let end = text.iter().position(|&b| b == 0).unwrap_or(0).min(length as usize - 1);
        // SAFETY: the program's buffer is `length` bytes long.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), name, end);
            name.add(end).write(0);
        }
        Ok(())
    };
    fn cuDeviceGetUuid(uuid: *mut [u8; 16], number: Device) = |call| {
        let number = device(call, number)?;
        // SAFETY: the program's variable.
        unsafe { answer(uuid, DeviceProperties::of(number).uuid) }
    };
    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], number: Device) = |call| {
        let number = device(call, number)?;
        // SAFETY: the program's variable.
        unsafe { answer(uuid, DeviceProperties::of(number).uuid) }
    };
    fn cuDeviceTotalMem_v2(bytes: *mut usize, number: Device) = |call| {
        device(call, number)?;
        // SAFETY: the program's variable.
        unsafe { answer(bytes, properties::MEMORY as usize) }
    };
    fn cuDeviceGetAttribute(value: *mut c_int, which: c_int, number: Device) = |call| {
        let number = device(call, number)?;
        let found = attribute(which, number).ok_or(CudaError::INVALID_VALUE)?;
        if properties::is_capability(which) {
            call.runtime.lock().results.asked_for_capability(crate::device::device().sm);
        }
        // SAFETY: the program's variable.
        unsafe { answer(value, found) }
    };
    fn cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, number: Device) = |call| {
        device(call, number)?;
        let kind = crate::device::device();
        call.runtime.lock().results.asked_for_capability(kind.sm);
        // SAFETY: the program's variables.
        unsafe {
            answer(major, kind.major() as c_int)?;
            answer(minor, kind.minor() as c_int)
        }
    };
    fn cuDeviceGetProperties(out: *mut Properties, number: Device) = |call| {
        let p = DeviceProperties::of(device(call, number)?);
        let found = Properties {
            max_threads_per_block: p.max_threads_per_block,
            max_threads_dim: p.max_threads_dim,
            max_grid_size: p.max_grid_size,
            shared_memory: p.shared_mem_per_block as c_int,
            constant_memory: p.total_const_mem as c_int,
            warp: p.warp_size,
            pitch: p.mem_pitch as c_int,
            registers: p.regs_per_block,
            clock: properties::attribute(13, 0).unwrap_or(0),
            texture_align: p.texture_alignment as c_int,
        };
        // SAFETY: the program's variable.
        unsafe { answer(out, found) }
    };
    fn cuDeviceGetExecAffinitySupport(supported: *mut c_int, _kind: c_int, number: Device) = |call| {
        device(call, number)?;
        // SAFETY: the program's variable.
        unsafe { answer(supported, 0) }
    };
    fn cuModuleGetLoadingMode(mode: *mut c_int) = |_call| {
        /// `CU_MODULE_LAZY_LOADING`
        const LAZY: c_int = 2;
        // SAFETY: the program's variable.
        unsafe { answer(mode, LAZY) }
    };
}
