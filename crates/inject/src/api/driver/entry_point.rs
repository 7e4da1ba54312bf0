//! Addresses of functions of the CUDA driver, by the runtime.
//!
//! A name that no version of the driver has is no error: the answer is success, a null address and
//! `cudaDriverEntryPointSymbolNotFound`, and no error is left behind for the program's next check.

use super::{Call, CudaError, CudaResult, Found, answer, find};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// The version of CUDA that a call means which names none.
const OWN: c_uint = 13_000;

/// `cudaEnableLegacyStream` and `cudaEnablePerThreadDefaultStream`
const FLAGS: u64 = 3;

fn entry_point(
    call: &Call,
    symbol: *const c_char,
    address: *mut *mut c_void,
    version: c_uint,
    flags: u64,
    status: *mut c_int,
) -> CudaResult {
    if symbol.is_null() || address.is_null() || flags >= FLAGS {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the program's string, which ends in a zero byte.
    let name = unsafe { CStr::from_ptr(symbol) }.to_string_lossy();
    call.check()?;
    // Those of names with `_ptsz` mean their own kind of streams, unless the flags say otherwise.
    let flags = if flags == 0 && call.per_thread { 2 } else { flags };
    let found = find(&name, c_int::try_from(version).unwrap_or(c_int::MAX), flags);
    if matches!(found, Found::Unknown) {
        call.runtime.lock().results.driver_function(&name);
    }
    // SAFETY: the program's variables; the second may be null.
    unsafe {
        answer(address, found.address())?;
        if !status.is_null() {
            status.write(found.status());
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
    ) = |call| entry_point(call, symbol, address, OWN, flags, status);
    fn cudaGetDriverEntryPointByVersion | cudaGetDriverEntryPointByVersion_ptsz (
        symbol: *const c_char,
        address: *mut *mut c_void,
        version: c_uint,
        flags: u64,
        status: *mut c_int,
    ) = |call| entry_point(call, symbol, address, version, flags, status);
}
