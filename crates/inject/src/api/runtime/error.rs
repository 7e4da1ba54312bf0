//! Errors: `cudaGetLastError` and its kin.

use super::entry;
use crate::abi::error::{CudaError, describe};
use crate::caller::Caller;
use crate::context;
use std::ffi::c_char;

/// What the next query answers: a lost context's error stays, others are the thread's.
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

/// The last error of this thread, which is forgotten unless the context is lost.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> i32 {
    let _ = context::get();
    pending(true)
}

/// The last error of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> i32 {
    pending(false)
}

/// The enumerator's name.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(error: i32) -> *const c_char {
    describe(error).0.as_ptr()
}

/// A description.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(error: i32) -> *const c_char {
    describe(error).1.as_ptr()
}
