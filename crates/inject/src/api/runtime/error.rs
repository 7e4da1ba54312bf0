//! Errors: `cudaGetLastError` and related functions.

use super::entry;
use crate::abi::error::{CudaError, describe};
use crate::caller::Caller;
use crate::context;
use std::ffi::c_char;

/// Returns the pending error: a lost context's error persists, other errors belong to the thread.
fn pending(reset: bool) -> i32 {
    let mut lost = 0;
    entry::enter("cudaPeekAtLastError", false, Caller::default(), |call| {
        if let Err(CudaError(code)) = call.state() {
            lost = code;
        }
        Ok(())
    });
    match (lost, reset) {
        (0, true) => entry::take_last_error(),
        (0, false) => entry::last_error(),
        _ => lost,
    }
}

/// Returns the last error of this thread, and resets it unless the context is lost.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> i32 {
    let _ = context::get();
    pending(true)
}

/// Returns the last error of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> i32 {
    pending(false)
}

/// Returns the enumerator's name.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(error: i32) -> *const c_char {
    describe(error).0.as_ptr()
}

/// Returns a description.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(error: i32) -> *const c_char {
    describe(error).1.as_ptr()
}
