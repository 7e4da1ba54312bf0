//! Addresses of functions of the CUDA driver.
//!
//! The driver's API is unsupported. CUDA's own answer for a name that a driver lacks is success, a null
//! address and `cudaDriverEntryPointSymbolNotFound`: programs with an alternative go on, and no error remains
//! for their next check. The run's limits name the requested functions.

use super::Call;
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// `cudaDriverEntryPointSymbolNotFound`
const NOT_FOUND: c_int = 1;

/// `cudaEnableLegacyStream` and `cudaEnablePerThreadDefaultStream`
const FLAGS: u64 = 3;

fn entry_point(
    call: &Call,
    symbol: *const c_char,
    address: *mut *mut c_void,
    flags: u64,
    status: *mut c_int,
) -> CudaResult {
    if symbol.is_null() || address.is_null() || flags >= FLAGS {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the program's string, which ends in a zero byte.
    let name = unsafe { CStr::from_ptr(symbol) }.to_string_lossy();
    call.state()?.results.driver_function(&name);
    // SAFETY: the program's variables; the second may be null.
    unsafe {
        answer(address, std::ptr::null_mut())?;
        if !status.is_null() {
            status.write(NOT_FOUND);
        }
    }
    Ok(())
}

api! {
    fn cudaGetDriverEntryPoint | cudaGetDriverEntryPoint_ptsz (
        symbol: *const c_char,
        address: *mut *mut c_void,
        flags: u64,
        status: *mut c_int,
    ) = |call| entry_point(call, symbol, address, flags, status);
    fn cudaGetDriverEntryPointByVersion | cudaGetDriverEntryPointByVersion_ptsz (
        symbol: *const c_char,
        address: *mut *mut c_void,
        _version: c_uint,
        flags: u64,
        status: *mut c_int,
    ) = |call| entry_point(call, symbol, address, flags, status);
}
